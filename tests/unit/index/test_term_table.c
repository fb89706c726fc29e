/* test_term_table.c: a table of terms says what the dictionary says, the first time and after it, from any thread. */
#include <pthread.h>

#include "unit/index/segment_case.h"

enum { THREADS = 4, ROUNDS = 3 };

static segment_case sc;
static plain_index *plain;

static bool is_same(const rp__term *a, const rp__term *b)
{
    return a->df == b->df && a->cf == b->cf && a->tiny == b->tiny &&
           a->tiny_bytes == b->tiny_bytes && a->list_offset == b->list_offset &&
           a->list_bytes == b->list_bytes && a->pos_offset == b->pos_offset &&
           a->pos_bytes == b->pos_bytes;
}

/* How many of all terms, and of some that there are not, are told otherwise than by the dictionary. */
static size_t count_wrong(rp__term_table *table)
{
    size_t wrong = 0;
    for (size_t i = 0; i < plain->n; i++) {
        const plain_term *t = plain->terms[i];
        rp__term got = {0}, want = {0};
        char other[300];
        memcpy(other, t->term, t->bytes);
        other[t->bytes] = 'q';
        rp__term_table_expect(table, t->term, t->bytes);
        wrong += rp__segment_find(sc.segment, t->term, t->bytes, &want) != RP_OK;
        wrong += rp__term_table_find(table, sc.segment, t->term, t->bytes, &got) != RP_OK;
        wrong += !is_same(&got, &want);
        rp_status status = rp__segment_find(sc.segment, other, t->bytes + 1, &want);
        wrong += rp__term_table_find(table, sc.segment, other, t->bytes + 1, &got) != status;
        wrong += status == RP_OK && !is_same(&got, &want);
    }
    return wrong;
}

static void *count_some(void *arg)
{
    size_t wrong = 0;
    for (int round = 0; round < ROUNDS; round++)
        wrong += count_wrong(arg);
    return wrong ? arg : NULL;
}

static void test_same_as_dictionary(void **state)
{
    (void)state;
    rp__term_table *table;
    assert_int_equal(count_wrong(NULL), 0);
    assert_int_equal(rp__term_table_new(sc.segment, RP_TERM_TABLE_LARGE, &table), RP_OK);
    assert_null(count_some(table));
    rp__term_table_free(table);
    rp__term_table_free(NULL);
}

static void test_threads(void **state)
{
    (void)state;
    rp__term_table *table;
    pthread_t threads[THREADS];
    void *wrong;
    assert_int_equal(rp__term_table_new(sc.segment, RP_TERM_TABLE_LARGE, &table), RP_OK);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_some, table), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    rp__term_table_free(table);
}

/* Terms that are equal in all but their length, which zeros fill up. */
static void test_zeros(void **state)
{
    (void)state;
    rp__term_table *table;
    rp__term term;
    char zeros[20] = "w1";
    assert_int_equal(rp__term_table_new(sc.segment, RP_TERM_TABLE_LARGE, &table), RP_OK);
    for (int round = 0; round < 2; round++)
        for (size_t bytes = 0; bytes < sizeof zeros; bytes++) {
            rp_status want = rp__segment_find(sc.segment, zeros, bytes, &term);
            assert_int_equal(rp__term_table_find(table, sc.segment, zeros, bytes, &term), want);
        }
    rp__term_table_expect(table, zeros, sizeof zeros);
    rp__term_table_expect(table, "  a  b ", 7);
    rp__term_table_free(table);
}

static void test_no_memory(void **state)
{
    (void)state;
    rp__term_table *table;
    for (uint64_t at = 1; at <= 2; at++) {
        rp__alloc_fail_at(at, false);
        assert_int_equal(rp__term_table_new(sc.segment, RP_TERM_TABLE_LARGE, &table), RP_NO_MEMORY);
        rp__alloc_fail_at(0, false);
        assert_null(table);
    }
}

static int set_up(void **state)
{
    (void)state;
    plain = plain_new();
    plain_add_terms(plain, 3000, 20);
    segment_case_open(&sc, "bp128", true, plain, 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    segment_case_close(&sc);
    plain_free(plain);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_dictionary),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
