/* test_inverter.c: the in-memory inverted file against plain arrays: random streams, slices of every
 * length, long terms, and memory that is used again or given back. */
#include "unit/index/streams.h"

#include "base/alloc.h"

static void fill(both *b, uint64_t *seed, uint32_t docs, uint32_t tokens, uint32_t vocabulary)
{
    uint32_t docid = chance_below(seed, 5);
    for (uint32_t i = 0; i < docs; i++) {
        plain_document(seed, docid, chance_below(seed, tokens + 1), vocabulary, both_token, b);
        docid += 1 + (chance_below(seed, 20) == 0 ? chance_below(seed, 1U << 20) : 0);
    }
}

static void check_random(bool has_positions, uint32_t docs, uint32_t tokens, uint32_t vocabulary)
{
    uint64_t seed = docs + has_positions;
    both b = {.plain = plain_new()};
    assert_int_equal(rp__inverter_new(has_positions, &b.inv), RP_OK);
    fill(&b, &seed, docs, tokens, vocabulary);
    assert_int_equal(sort_all(b.inv), RP_OK);
    expect_streams(b.inv, b.plain, has_positions);
    rp__inverter_free(b.inv);
    plain_free(b.plain);
}

static void test_random(void **state)
{
    (void)state;
    for (int has_positions = 0; has_positions < 2; has_positions++) {
        check_random(has_positions, 0, 0, 1);
        check_random(has_positions, 1, 1, 1);
        check_random(has_positions, 50, 40, 10);
        check_random(has_positions, 500, 60, 3000);
        check_random(has_positions, 60, 3000, 60000); /* the table of terms grows several times */
    }
}

/* One term's stream of every length up to beyond the largest slice, so that each slice is seen empty,
 * part full, full and just begun. */
static void test_every_length(void **state)
{
    (void)state;
    both b = {0};
    assert_int_equal(rp__inverter_new(true, &b.inv), RP_OK);
    for (uint32_t n = 1; n < 200; n++) {
        b.plain = plain_new();
        for (uint32_t i = 0; i < n; i++)
            both_token(&b, i / 3, "t", 1, i % 3 * 40); /* numbers of one byte */
        assert_int_equal(sort_all(b.inv), RP_OK);
        expect_streams(b.inv, b.plain, true);
        plain_free(b.plain);
        rp__inverter_clear(b.inv);
    }
    for (uint32_t n = 4000; n < 16000; n += 61 + n % 13) {
        b.plain = plain_new();
        for (uint32_t i = 0; i < n; i++)
            both_token(&b, i, "t", 1, i % 2 ? 3 : 70000);
        assert_int_equal(sort_all(b.inv), RP_OK);
        expect_streams(b.inv, b.plain, true);
        plain_free(b.plain);
        rp__inverter_clear(b.inv);
    }
    rp__inverter_free(b.inv);
}

/* Numbers of every width, which the fast way and the careful way must write alike. */
static void test_widths(void **state)
{
    (void)state;
    for (int has_positions = 0; has_positions < 2; has_positions++) {
        uint64_t seed = 77;
        both b = {.plain = plain_new()};
        assert_int_equal(rp__inverter_new(has_positions, &b.inv), RP_OK);
        uint32_t docid = 0;
        for (int i = 0; i < 3000; i++) {
            char term[8];
            int bytes = snprintf(term, sizeof term, "t%u", chance_below(&seed, 50));
            uint32_t position = chance_below(&seed, 1U << chance_below(&seed, 31));
            both_token(&b, docid, term, (uint32_t)bytes, position);
            docid += 1 + chance_below(&seed, 1U << chance_below(&seed, 20));
        }
        both_token(&b, 0x7FFFFFFEU, "t1", 2, 0xFFFFFFFEU); /* the largest of both */
        assert_int_equal(sort_all(b.inv), RP_OK);
        expect_streams(b.inv, b.plain, has_positions);
        rp__inverter_free(b.inv);
        plain_free(b.plain);
    }
}

/* Terms of 1 to 255 bytes that differ in one byte only, at each place. */
static void test_long_terms(void **state)
{
    (void)state;
    both b = {.plain = plain_new()};
    char term[256];
    assert_int_equal(rp__inverter_new(true, &b.inv), RP_OK);
    for (uint32_t docid = 0; docid < 2; docid++)
        for (uint32_t bytes = 1; bytes <= 255; bytes++) {
            memset(term, 'm', sizeof term);
            both_token(&b, docid, term, bytes, 3 * bytes);
            for (uint32_t i = 0; i < bytes; i += 1 + bytes / 40) {
                term[i] = 'n';
                both_token(&b, docid, term, bytes, 3 * bytes + 1);
                term[i] = 'm';
            }
        }
    assert_int_equal(sort_all(b.inv), RP_OK);
    expect_streams(b.inv, b.plain, true);
    rp__inverter_free(b.inv);
    plain_free(b.plain);
}

static void test_used_again(void **state)
{
    (void)state;
    both b = {0};
    uint64_t seed = 3, most = 0;
    assert_int_equal(rp__inverter_new(true, &b.inv), RP_OK);
    for (int again = 0; again < 6; again++) {
        b.plain = plain_new();
        fill(&b, &seed, 100, 200, again % 2 ? 300 : 20000);
        uint64_t need = rp__inverter_need(b.inv), held = rp__inverter_bytes(b.inv);
        assert_int_equal(sort_all(b.inv), RP_OK);
        assert_true(rp__inverter_bytes(b.inv) <= (need > held ? need : held) + b.plain->n * 24);
        expect_streams(b.inv, b.plain, true);
        if (again == 1)
            most = rp__inverter_bytes(b.inv);
        if (again > 1) /* the same work needs no more memory the second time */
            assert_true(rp__inverter_bytes(b.inv) <= most + (4U << 20));
        plain_free(b.plain);
        rp__inverter_clear(b.inv);
        assert_int_equal(rp__inverter_terms(b.inv), 0);
    }
    rp__inverter_free(b.inv);
}

static void test_trim(void **state)
{
    (void)state;
    both b = {.plain = plain_new()};
    uint64_t seed = 9, in_use = rp__alloc_in_use();
    assert_int_equal(rp__inverter_new(true, &b.inv), RP_OK);
    fill(&b, &seed, 400, 2000, 70000);
    uint64_t full = rp__inverter_bytes(b.inv);
    assert_true(full > 8U << 20);
    rp__inverter_trim(b.inv, 0); /* all is in use */
    assert_int_equal(sort_all(b.inv), RP_OK);
    expect_streams(b.inv, b.plain, true);
    plain_free(b.plain);
    rp__inverter_clear(b.inv);
    assert_true(rp__inverter_bytes(b.inv) >= full); /* kept for reuse */
    rp__inverter_trim(b.inv, full * 2);
    assert_true(rp__inverter_bytes(b.inv) >= full); /* within the limit: nothing to give */
    rp__inverter_trim(b.inv, full / 2);
    assert_true(rp__inverter_bytes(b.inv) <= full / 2);
    rp__inverter_trim(b.inv, 0);
    uint64_t least = rp__inverter_bytes(b.inv); /* the table of terms alone */
    assert_true(least <= 2U << 20);
    assert_true(rp__alloc_in_use() - in_use <= least + (1U << 16));
    b.plain = plain_new();
    fill(&b, &seed, 50, 100, 500);
    assert_int_equal(sort_all(b.inv), RP_OK);
    expect_streams(b.inv, b.plain, true);
    plain_free(b.plain);
    rp__inverter_free(b.inv);
    rp__inverter_free(NULL);
    assert_int_equal(rp__alloc_in_use(), in_use);
}

/* Memory passes rp__inverter_need at no moment, not even while the table of terms grows. */
static void test_need(void **state)
{
    (void)state;
    rp__inverter *inv;
    uint64_t before = rp__alloc_in_use();
    assert_int_equal(rp__inverter_new(true, &inv), RP_OK);
    uint64_t own = rp__alloc_in_use() - before;
    for (uint32_t i = 0; i < 300000; i++) {
        char term[16];
        int bytes = snprintf(term, sizeof term, "%u", i % 7 ? i : i % 100);
        if (rp__inverter_add(inv, i / 1000, term, (uint32_t)bytes, i % 1000) == RP_OK)
            continue;
        uint64_t need = rp__inverter_need(inv);
        rp__alloc_reset_peak();
        assert_int_equal(rp__inverter_drain(inv), RP_OK);
        assert_true(rp__alloc_peak() - before <= need + own + (1U << 12));
        assert_int_equal(rp__inverter_add(inv, i / 1000, term, (uint32_t)bytes, i % 1000), RP_OK);
    }
    uint64_t need = rp__inverter_need(inv);
    rp__alloc_reset_peak();
    assert_int_equal(sort_all(inv), RP_OK);
    assert_true(rp__alloc_peak() - before <= need + own + (1U << 12));
    rp__inverter_free(inv);
}

/* Tokens that wait while the others are sorted and forgotten are in the next run. */
static void test_sort_leaves_those_that_wait(void **state)
{
    (void)state;
    both b = {.plain = plain_new()};
    assert_int_equal(rp__inverter_new(true, &b.inv), RP_OK);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(rp__inverter_add(b.inv, 7, "first", 5, i), RP_OK);
    assert_int_equal(rp__inverter_drain(b.inv), RP_OK);
    both_token(&b, 7, "second", 6, 100);
    both_token(&b, 7, "first and so long that it lies elsewhere", 40, 101);
    assert_int_equal(rp__inverter_sort(b.inv), RP_OK);
    assert_int_equal(rp__inverter_terms(b.inv), 1);
    rp__inverter_clear(b.inv);
    assert_false(rp__inverter_is_empty(b.inv));
    both_token(&b, 7, "second", 6, 102);
    assert_int_equal(sort_all(b.inv), RP_OK);
    expect_streams(b.inv, b.plain, true);
    rp__inverter_free(b.inv);
    plain_free(b.plain);
}

/* What the inverter says of its memory is what it took from the system. */
static void test_bytes_are_told(void **state)
{
    (void)state;
    both b = {.plain = plain_new()};
    uint64_t seed = 1, before = rp__alloc_in_use();
    assert_int_equal(rp__inverter_new(false, &b.inv), RP_OK);
    fill(&b, &seed, 300, 1000, 30000);
    uint64_t told = rp__inverter_bytes(b.inv), taken = rp__alloc_in_use() - before;
    assert_true(taken >= told && taken - told < 64 << 10);
    rp__inverter_free(b.inv);
    plain_free(b.plain);
}

static void test_no_memory(void **state)
{
    (void)state;
    uint64_t before = rp__alloc_in_use();
    for (uint64_t fail_at = 1;; fail_at++) {
        rp__inverter *inv = NULL;
        rp__alloc_fail_at(fail_at, false);
        rp_status status = rp__inverter_new(true, &inv);
        for (uint32_t i = 0; i < 9000 && status == RP_OK; i++) {
            char term[16];
            int bytes = snprintf(term, sizeof term, "t%u", i % 5000);
            status = add_token(inv, i, term, (uint32_t)bytes, 5);
        }
        if (status == RP_OK)
            status = sort_all(inv);
        rp__alloc_fail_at(0, false);
        if (status != RP_OK)
            assert_int_equal(status, RP_NO_MEMORY);
        rp__inverter_free(inv);
        assert_int_equal(rp__alloc_in_use(), before);
        if (status == RP_OK)
            break;
        assert_true(fail_at < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),         cmocka_unit_test(test_every_length),
        cmocka_unit_test(test_widths),         cmocka_unit_test(test_long_terms),
        cmocka_unit_test(test_used_again),     cmocka_unit_test(test_trim),
        cmocka_unit_test(test_need),           cmocka_unit_test(test_sort_leaves_those_that_wait),
        cmocka_unit_test(test_bytes_are_told), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
