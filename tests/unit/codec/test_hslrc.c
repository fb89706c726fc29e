/* test_hslrc.c: how hslrc256 and hslrc128 cut lists, and the buckets' table. Docids and searches are in
 * test_lrc.c. */
#include "regression_case.h"

static uint32_t load16(const uint8_t *p)
{
    return (uint32_t)(p[0] | p[1] << 8);
}

/* Docids 0 to 599: 10 bits, and 600 / 256 <= 2^2, so that buckets are 256 docids wide: 256, 256 and 88.
 * hslrc128 has m = 3: 128 wide, 128 four times, then 88. */
static void buckets_by_hand(void **unused)
{
    (void)unused;
    uint32_t docids[600];
    coded c;
    for (uint32_t i = 0; i < 600; i++)
        docids[i] = i;
    for (uint32_t m = 2; m <= 3; m++) {
        uint32_t d = m == 2 ? 3 : 5;
        code_list(rp__codec_find(m == 2 ? "hslrc256" : "hslrc128", 0), NULL, docids, 600, &c);
        const uint8_t *end = c.list.docs + c.list.docs_bytes;
        assert_int_equal(c.list.n_blocks, d);
        assert_int_equal(rp__load32(end - 4), (10 - m) | d << 6);
        for (uint32_t h = 0; h <= d; h++)
            assert_int_equal(load16(end - 4 - 2 * (d + 1) + 2 * h), h);
        for (uint32_t b = 0; b < d; b++)
            assert_int_equal(c.list.first[b], b << (10 - m));
        coded_free(&c);
    }
}

/* A bucket of 700 becomes three blocks, an empty one none. */
static void full_and_empty_buckets(void **unused)
{
    (void)unused;
    enum { N = 1000 };
    uint32_t docids[N];
    coded c;
    for (uint32_t i = 0; i < N; i++)
        docids[i] = i < 700 ? i : 3 * 4096 - 300 + (i - 700); /* 14 bits, m = 2 */
    code_list(rp__codec_find("hslrc256", 0), NULL, docids, N, &c);
    const uint8_t *end = c.list.docs + c.list.docs_bytes;
    const uint32_t first[] = {0, 256, 512, 700, 956}, starts[] = {0, 3, 3, 5};
    assert_int_equal(c.list.n_blocks, 5);
    assert_memory_equal(c.list.first, first, sizeof first);
    assert_int_equal(rp__load32(end - 4), 12 | 3 << 6);
    for (uint32_t h = 0; h < 4; h++)
        assert_int_equal(load16(end - 4 - 8 + 2 * h), starts[h]);
    for (uint32_t target = 0; target < 16384; target++)
        check_find(&c.list, docids, target);
    coded_free(&c);
}

/* From 2^16 blocks on the table has words of 4 bytes. */
static void many_blocks(void **unused)
{
    (void)unused;
    enum { N = 1 << 22 };
    uint64_t rng = 8;
    uint32_t *docids = malloc(N * sizeof *docids);
    coded c;
    make_docids(&rng, UNIFORM, N, 4000000000U, docids);
    for (uint32_t i = 0; i < 2; i++) {
        code_list(rp__codec_find("hslrc128", i ? rp__cpu_features() : 0), NULL, docids,
                  N - i * 1000, &c);
        assert_true(c.list.n_blocks > UINT16_MAX - 40000);
        for (uint32_t k = 0; k < 20000; k++) {
            uint32_t near = docids[random_below(&rng, c.list.n)];
            check_find(&c.list, docids, near + (uint32_t)random_below(&rng, 3) - 1);
        }
        coded_free(&c);
    }
    free(docids);
}

/* A table that says anything: the search stays inside. */
static void damaged_tables(void **unused)
{
    (void)unused;
    uint64_t rng = 9;
    uint32_t docids[3000], rank, docid;
    coded c;
    make_docids(&rng, UNIFORM, 3000, 100000, docids);
    code_list(rp__codec_find("hslrc256", 0), NULL, docids, 3000, &c);
    size_t end = (size_t)(c.list.docs - c.bytes) + c.list.docs_bytes;
    for (int round = 0; round < 20000; round++) {
        size_t at = end - 1 - random_below(&rng, 40);
        uint8_t was = c.bytes[at];
        c.bytes[at] = (uint8_t)random64(&rng);
        rp_status s =
            c.list.codec->find(&c.list, (uint32_t)random_below(&rng, 120000), &rank, &docid);
        assert_true(s == RP_OK || s == RP_DAMAGED);
        assert_true(rank <= 3000);
        c.bytes[at] = was;
    }
    coded_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_by_hand),
        cmocka_unit_test(full_and_empty_buckets),
        cmocka_unit_test(many_blocks),
        cmocka_unit_test(damaged_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
