/* test_slot_table.c: slots of lists: all that was put is found or was displaced, and readers beside a writer see no mixture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>

#include "backend/gpu/residency/slot_table.h"
#include "base/alloc.h"

enum { LISTS = 500, ROUNDS = 20000, READERS = 2, KEYS = 3 };

/* What belongs to a key. */
static uint64_t key_of(uint64_t i)
{
    return (i + 1) << 8 | UINT64_C(1) << 63;
}

static uint64_t at_of(uint64_t i)
{
    return i * 977 + 1;
}

static bool is_there(const rp__slot_table *t, uint64_t i)
{
    rp__slot_list list;
    if (!rp__slot_table_find(t, key_of(i), &list))
        return false;
    assert_int_equal(list.at, at_of(i));
    assert_int_equal(list.n, i);
    return true;
}

static void what_was_put_is_found(void **state)
{
    (void)state;
    rp__slot_table t = {0};
    assert_true(rp__slot_table_open(&t, LISTS));
    for (uint32_t i = 0; i < LISTS; i++) {
        assert_false(is_there(&t, i));
        rp__slot_table_put(&t, key_of(i), at_of(i), i);
        rp__slot_table_expect(&t, key_of(i));
        assert_true(is_there(&t, i));
    }
    size_t n = 0;
    for (uint32_t i = 0; i < LISTS; i++) {
        const bool was_there = is_there(&t, i);
        n += was_there;
        rp__slot_table_remove(&t, key_of(i));
        assert_false(is_there(&t, i));
        if (i % 2)
            rp__slot_table_put(&t, key_of(i), at_of(i), i);
    }
    assert_true(n >= LISTS - LISTS / 50);
    for (uint32_t i = 0; i < LISTS; i++)
        assert_true(i % 2 || !is_there(&t, i));
    rp__slot_table_close(&t);
}

/* A full table displaces, and what comes last is there. */
static void more_than_there_are_slots(void **state)
{
    (void)state;
    rp__slot_table t = {0};
    assert_true(rp__slot_table_open(&t, 1));
    for (uint32_t i = 0; i < 8 * t.n; i++) {
        rp__slot_table_put(&t, key_of(i), at_of(i), i);
        assert_true(is_there(&t, i));
    }
    for (uint32_t i = 0; i < 8 * t.n; i++) {
        (void)is_there(&t, i);
        rp__slot_table_remove(&t, key_of(i));
        assert_false(is_there(&t, i));
    }
    rp__slot_table_close(&t);
}

static void none(void **state)
{
    (void)state;
    rp__slot_table t = {0};
    rp__slot_table_put(&t, key_of(1), 1, 1);
    rp__slot_table_remove(&t, key_of(1));
    rp__slot_table_close(&t);
    rp__alloc_fail_at(1, false);
    assert_false(rp__slot_table_open(&t, LISTS));
    rp__alloc_fail_at(0, false);
}

typedef struct reader {
    const rp__slot_table *table;
    _Atomic bool *is_over;
    size_t n_wrong;
} reader;

static void *read_all(void *arg)
{
    reader *r = arg;
    rp__slot_list list;
    while (!*r->is_over)
        for (uint64_t i = 0; i < KEYS; i++)
            if (rp__slot_table_find(r->table, key_of(i), &list) &&
                (list.at != at_of(i) || list.n != i))
                r->n_wrong++;
    return NULL;
}

/* One slot that has several keys in turn. */
static void readers_see_no_mixture(void **state)
{
    (void)state;
    rp__list_slot slots[1 + RP_SLOT_WINDOW] = {0};
    const rp__slot_table t = {.slots = slots, .n = 1};
    _Atomic bool is_over = false;
    reader readers[READERS];
    pthread_t threads[READERS];
    for (size_t i = 0; i < READERS; i++) {
        readers[i] = (reader){.table = &t, .is_over = &is_over};
        assert_int_equal(pthread_create(&threads[i], NULL, read_all, &readers[i]), 0);
    }
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint32_t i = round % KEYS;
        rp__slot_table_put(&t, key_of(i), at_of(i), i);
        rp__slot_table_remove(&t, key_of(i));
    }
    is_over = true;
    for (size_t i = 0; i < READERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(readers[i].n_wrong, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_is_found),
        cmocka_unit_test(more_than_there_are_slots),
        cmocka_unit_test(none),
        cmocka_unit_test(readers_see_no_mixture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
