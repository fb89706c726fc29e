/* test_tiny.c: tiny lists come back as they were written, in as few bits as chapter 4 of docs/format.md says; those of
 * before are read as they were; what is cut or damaged is found, or is a list all the same. */
#include "index/tiny.h"
#include "unit/files.h"

static uint32_t random_below(uint64_t *seed, uint32_t n)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*seed >> 32) * n >> 32);
}

typedef struct list {
    uint32_t n, docids[RP_TINY_DF], tfs[RP_TINY_DF], gaps[RP_TINY_POSITIONS];
    uint64_t cf;
} list;

static list make_list(uint64_t *seed, uint32_t n, uint32_t n_docs, bool has_positions)
{
    list l = {.n = n};
    for (uint32_t i = 0, at = 0; i < n; i++) {
        at += random_below(seed, (n_docs - at - (n - 1 - i) - 1) / (i % 3 + 1) + 1);
        l.docids[i] = at++;
        uint32_t most = has_positions           ? RP_TINY_POSITIONS / n
                        : random_below(seed, 3) ? 1
                                                : 1U << 30;
        l.tfs[i] = 1 + random_below(seed, most);
        l.cf += l.tfs[i];
    }
    for (uint32_t i = 0; i < RP_TINY_POSITIONS; i++)
        l.gaps[i] = random_below(seed, UINT32_MAX) >> random_below(seed, 32);
    return l;
}

static rp__segment segment_of(uint64_t n_docs, bool has_positions, bool has_bits)
{
    static const uint8_t some = 0;
    return (rp__segment){.manifest = {.meta = {.docs = n_docs}, .has_tiny_bits = has_bits},
                         .positions = has_positions ? &some : NULL};
}

static void expect_list(const list *l, const rp__tiny *got, bool has_positions)
{
    assert_memory_equal(got->docids, l->docids, l->n * sizeof *l->docids);
    assert_memory_equal(got->tfs, l->tfs, l->n * sizeof *l->tfs);
    if (has_positions)
        assert_memory_equal(got->gaps, l->gaps, l->cf * sizeof *l->gaps);
}

/* Whatever was read: docids rise below the documents, and frequencies are those of so many positions. */
static void expect_sound(const rp__tiny *t, const rp__term *term, uint64_t n_docs)
{
    uint64_t cf = 0;
    for (uint32_t i = 0; i < term->df; i++) {
        assert_true(t->tfs[i] > 0 && t->docids[i] < n_docs);
        assert_true(i == 0 || t->docids[i] > t->docids[i - 1]);
        cf += t->tfs[i];
    }
    assert_int_equal(cf, term->cf);
}

static void check_list(const list *l, uint32_t n_docs, bool has_positions)
{
    rp__segment s = segment_of(n_docs, has_positions, true);
    uint8_t bytes[RP_TINY_BYTES];
    rp__tiny got;
    rp__term term = {.df = l->n, .cf = l->cf, .tiny = bytes};
    term.tiny_bytes =
        rp__tiny_put(l->docids, l->tfs, l->n, has_positions ? l->gaps : NULL, n_docs, bytes);
    assert_int_equal(rp__tiny_get_whole(&s, &term, &got), RP_OK);
    expect_list(l, &got, has_positions);
    assert_int_equal(got.bytes_docids + got.bytes_freqs + got.bytes_gaps, term.tiny_bytes);
    uint32_t whole = term.tiny_bytes;
    for (term.tiny_bytes = 0; term.tiny_bytes < whole; term.tiny_bytes++)
        assert_int_equal(rp__tiny_get_whole(&s, &term, &got), RP_DAMAGED);
    for (uint32_t bit = 0; bit < 8 * whole; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        if (rp__tiny_get_whole(&s, &term, &got) == RP_OK)
            expect_sound(&got, &term, n_docs);
        bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
}

static void test_round_trip(void **state)
{
    (void)state;
    static const uint32_t docs[] = {8, 9, 1000, 501871, 0x7FFFFFFF};
    uint64_t seed = 1;
    for (size_t d = 0; d < sizeof docs / sizeof *docs; d++)
        for (uint32_t n = 1; n <= RP_TINY_DF; n++)
            for (uint32_t round = 0; round < 40; round++) {
                bool has_positions = round % 2;
                list l = make_list(&seed, n, docs[d], has_positions);
                check_list(&l, docs[d], has_positions);
            }
}

/* The largest numbers that there are. */
static void test_widest(void **state)
{
    (void)state;
    const uint32_t n_docs = 0x7FFFFFFF;
    list l = {.n = RP_TINY_DF};
    for (uint32_t i = 0; i < RP_TINY_DF; i++) {
        l.docids[i] = i < 4 ? i : n_docs - RP_TINY_DF + i;
        l.tfs[i] = i % 2 ? UINT32_MAX - 1 : 1;
        l.cf += l.tfs[i];
    }
    check_list(&l, n_docs, false);
}

/* The example of the page. */
static void test_bytes(void **state)
{
    (void)state;
    static const uint8_t want[] = {0xBB, 0x2A, 0x10};
    uint8_t bytes[RP_TINY_BYTES];
    assert_int_equal(rp__tiny_put((uint32_t[]){10, 700}, (uint32_t[]){2, 1}, 2, NULL, 1000, bytes),
                     sizeof want);
    assert_memory_equal(bytes, want, sizeof want);
    assert_int_equal(rp__tiny_put((uint32_t[]){5}, (uint32_t[]){9999}, 1, NULL, 256, bytes), 1);
    assert_int_equal(bytes[0], 5); /* the frequency is cf */
}

/* Entries that cannot be. */
static void test_entries(void **state)
{
    (void)state;
    static const uint8_t bytes[RP_TINY_BYTES] = {0};
    static const rp__term bad[] = {{.df = 0, .cf = 0}, {.df = 9, .cf = 9},
                                   {.df = 2, .cf = 1}, {.df = 8, .cf = 25},
                                   {.df = 6, .cf = 6}, {.df = 1, .cf = UINT64_MAX}};
    rp__segment s = segment_of(5, true, true);
    rp__tiny got;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rp__term term = bad[i];
        term.tiny = bytes;
        term.tiny_bytes = 60;
        assert_int_equal(rp__tiny_get_whole(&s, &term, &got), RP_DAMAGED);
    }
}

/* Posting by posting: docids 5, 9 and 309, a position each. */
static void test_varints(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {5, 0, 9, 3, 0, 2, 0xAB, 2, 0, 0};
    static const list l = {3, {5, 9, 309}, {1, 1, 1}, {9, 2, 0}, 3};
    rp__segment s = segment_of(310, true, false);
    rp__term term = {.df = 3, .cf = 3, .tiny = bytes};
    rp__tiny got;
    for (; term.tiny_bytes < sizeof bytes; term.tiny_bytes++)
        assert_int_equal(rp__tiny_get_whole(&s, &term, &got), RP_DAMAGED);
    assert_int_equal(rp__tiny_get_whole(&s, &term, &got), RP_OK);
    expect_list(&l, &got, true);
    s.manifest.meta.docs = 309;
    assert_int_equal(rp__tiny_get_whole(&s, &term, &got), RP_DAMAGED);
    static const uint8_t many[] = {0, 24}; /* 25 positions */
    term = (rp__term){.df = 1, .cf = 25, .tiny = many, .tiny_bytes = 2};
    assert_int_equal(rp__tiny_get_whole(&s, &term, &got), RP_DAMAGED);
}

/* An entry of before whose cf is not the sum of its frequencies would be another list in bits. */
static void varints_must_be_the_entrys(void **unused)
{
    (void)unused;
    uint8_t bytes[8 + RP_PAD] = {10, 1, 0xB1, 0x05, 1}; /* 10 and 700, twice each */
    const rp__segment s = segment_of(1000, false, false);
    rp__tiny tiny;
    for (uint32_t cf = 2; cf < 12; cf++) {
        const rp__term term = {.df = 2, .cf = cf, .tiny = bytes, .tiny_bytes = 5};
        assert_int_equal(rp__tiny_get_whole(&s, &term, &tiny), cf == 4 ? RP_OK : RP_DAMAGED);
    }
    assert_int_equal(tiny.docids[1], 700);
    const rp__term longer = {.df = 2, .cf = 4, .tiny = bytes, .tiny_bytes = 6};
    assert_int_equal(rp__tiny_get_whole(&s, &longer, &tiny), RP_DAMAGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_widest),
        cmocka_unit_test(test_bytes),      cmocka_unit_test(test_entries),
        cmocka_unit_test(test_varints),    cmocka_unit_test(varints_must_be_the_entrys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
