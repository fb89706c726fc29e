/* test_list_cache.c: lists in a stretch of memory: who is found, who gives way, to whom and to whom not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "backend/gpu/list_cache.h"
#include "base/alloc.h"
#include "oracle/chance.h"

enum { GRAIN = RP_LIST_CACHE_GRAIN, FROM = 1 << 20, KEYS = 200 };

static const char keys[KEYS]; /* their addresses */

static rp__list_cache open_cache(uint64_t grains, size_t most)
{
    rp__list_cache c;
    assert_true(rp__list_cache_open(&c, FROM, grains * GRAIN, most));
    return c;
}

/* Pieces lie end to end; free ones not side by side; what is in use adds up. */
static void check(const rp__list_cache *c)
{
    uint64_t at = FROM, in_use = 0;
    size_t n = 0;
    const rp__list_piece *p = c->pieces, *before = NULL;
    while (p->bytes == 0) /* given back */
        p++;
    while (p->before)
        p = p->before;
    for (; p; before = p, p = p->after) {
        assert_int_equal(p->at, at);
        assert_ptr_equal(p->before, before);
        assert_false(before && before->is_free && p->is_free);
        assert_true(p->is_free || p->holds > 0 || p->is_found);
        at += p->bytes;
        in_use += p->is_free ? 0 : p->bytes;
        n += !p->is_free;
    }
    assert_int_equal(at, FROM + c->bytes);
    assert_int_equal(in_use, c->in_use);
    assert_int_equal(n, c->n);
}

/* Asks for it as a query would: found, or taken and put. False: refused. Lets go of it unless it is to be held. */
static rp__list_piece *ask(rp__list_cache *c, size_t key, uint64_t grains)
{
    rp__list_piece *p = rp__list_cache_find(c, &keys[key]);
    if (!p)
        p = rp__list_cache_take(c, &keys[key], grains * GRAIN);
    if (p)
        rp__list_cache_put(c, p);
    check(c);
    return p;
}

static bool visit(rp__list_cache *c, size_t key, uint64_t grains)
{
    rp__list_piece *p = ask(c, key, grains);
    if (p)
        rp__list_cache_let_go(c, p);
    check(c);
    return p;
}

static bool is_there(const rp__list_cache *c, size_t key)
{
    for (const rp__list_piece *p = c->oldest; p; p = p->newer)
        if (p->key == &keys[key])
            return true;
    return false;
}

static void a_list_that_was_put_is_found(void **state)
{
    (void)state;
    rp__list_cache c = open_cache(16, 8);
    rp__list_piece *p = rp__list_cache_take(&c, &keys[0], 3 * GRAIN - 1);
    assert_non_null(p);
    assert_int_equal(p->at, FROM);
    assert_int_equal(p->bytes, 3 * GRAIN);
    assert_null(rp__list_cache_find(&c, &keys[0]));
    rp__list_cache_put(&c, p);
    assert_ptr_equal(rp__list_cache_find(&c, &keys[0]), p);
    assert_int_equal(p->holds, 2);
    rp__list_cache_let_go(&c, p);
    rp__list_cache_let_go(&c, p);
    assert_ptr_equal(rp__list_cache_find(&c, &keys[0]), p);
    assert_int_equal(c.stats.hits, 2);
    assert_int_equal(c.stats.misses, 1);
    rp__list_cache_close(&c);
}

static void what_is_not_put_goes_with_its_hold(void **state)
{
    (void)state;
    rp__list_cache c = open_cache(16, 8);
    rp__list_piece *p = rp__list_cache_take(&c, &keys[0], GRAIN);
    assert_int_equal(c.in_use, GRAIN);
    rp__list_cache_let_go(&c, p);
    assert_int_equal(c.in_use, 0);
    check(&c);
    rp__list_piece *first = rp__list_cache_take(&c, &keys[1], GRAIN);
    rp__list_piece *second = rp__list_cache_take(&c, &keys[1], GRAIN);
    rp__list_cache_put(&c, first);
    rp__list_cache_put(&c, second); /* another is found by that key */
    rp__list_cache_let_go(&c, second);
    assert_int_equal(c.in_use, GRAIN);
    assert_ptr_equal(rp__list_cache_find(&c, &keys[1]), first);
    rp__list_cache_close(&c);
}

static void the_oldest_gives_way(void **state)
{
    (void)state;
    rp__list_cache c = open_cache(4, 8);
    for (size_t i = 0; i < 4; i++)
        assert_true(visit(&c, i, 1));
    assert_true(visit(&c, 0, 1)); /* now 1 is the oldest */
    assert_false(visit(&c, 4, 1));
    assert_true(visit(&c, 4, 1));
    assert_false(is_there(&c, 1));
    assert_false(visit(&c, 5, 1));
    assert_true(visit(&c, 5, 1));
    assert_false(is_there(&c, 2));
    assert_true(is_there(&c, 0) && is_there(&c, 3) && is_there(&c, 4) && is_there(&c, 5));
    assert_int_equal(c.stats.evicted, 2);
    assert_int_equal(c.stats.evicted_bytes, 2 * GRAIN);
    rp__list_cache_close(&c);
}

static void nobody_gives_way_to_what_is_worth_less(void **state)
{
    (void)state;
    rp__list_cache c = open_cache(4, 8);
    for (int times = 0; times < 5; times++)
        for (size_t i = 0; i < 4; i++)
            assert_true(visit(&c, i, 1));
    for (int times = 0; times < 5; times++)
        assert_false(visit(&c, 9, 1));
    assert_int_equal(c.stats.evicted, 0);
    assert_int_equal(c.stats.refused, 5);
    assert_true(visit(&c, 9, 1));
    rp__list_cache_close(&c);
}

/* A long list that is asked for seldom does not push out many short ones that are asked for often. */
static void bytes_count(void **state)
{
    (void)state;
    rp__list_cache c = open_cache(8, 16);
    for (int times = 0; times < 3; times++)
        for (size_t i = 0; i < 8; i++)
            assert_true(visit(&c, i, 1));
    for (int times = 0; times < 3; times++)
        assert_false(visit(&c, 20, 8));
    assert_true(visit(&c, 20, 8));
    assert_int_equal(c.stats.evicted, 8);
    assert_int_equal(c.in_use, 8 * GRAIN);
    rp__list_cache_close(&c);
}

/* A hole is made of neighbours: others stay, however old. */
static void a_hole_is_made_in_one_place(void **state)
{
    (void)state;
    rp__list_cache c = open_cache(8, 16);
    for (size_t i = 0; i < 8; i++)
        assert_true(visit(&c, i, 1));
    for (size_t i = 1; i < 8; i += 2)
        assert_true(visit(&c, i, 1)); /* the old ones lie apart */
    for (int times = 0; times < 3 && !visit(&c, 20, 2); times++)
        ;
    assert_true(is_there(&c, 20));
    assert_int_equal(c.stats.evicted, 2);
    assert_false(is_there(&c, 0));
    rp__list_cache_close(&c);
}

static void what_is_held_stays(void **state)
{
    (void)state;
    rp__list_cache c = open_cache(4, 8);
    rp__list_piece *held = ask(&c, 0, 2);
    assert_true(visit(&c, 1, 2));
    for (int times = 0; times < 9; times++)
        assert_false(visit(&c, 2, 3)); /* would need both */
    assert_true(visit(&c, 3, 2) || visit(&c, 3, 2));
    assert_int_equal(held->at, FROM);
    assert_true(held->is_found);
    rp__list_cache_let_go(&c, held);
    assert_true(visit(&c, 2, 3));
    assert_false(is_there(&c, 0));
    rp__list_cache_close(&c);
}

static void sizes_have_limits(void **state)
{
    (void)state;
    rp__list_cache c = open_cache(4, 2);
    assert_null(rp__list_cache_take(&c, &keys[0], 0));
    assert_null(rp__list_cache_take(&c, &keys[0], 4 * GRAIN + 1));
    rp__list_piece *p = rp__list_cache_take(&c, NULL, 4 * GRAIN);
    assert_non_null(p);
    assert_null(rp__list_cache_take(&c, NULL, 1));
    rp__list_cache_let_go(&c, p);
    assert_true(visit(&c, 0, 1) && visit(&c, 1, 1)); /* no third one, though there is room */
    assert_false(visit(&c, 2, 1));
    assert_true(visit(&c, 2, 1));
    assert_int_equal(c.stats.evicted, 1);
    rp__list_cache_close(&c);
    c = open_cache(0, 2);
    assert_null(rp__list_cache_take(&c, &keys[0], 1));
    rp__list_cache_close(&c);
}

static void memory_may_be_missing(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 3; n++) {
        rp__list_cache c;
        uint64_t before = rp__alloc_in_use();
        rp__alloc_fail_at(n, false);
        assert_false(rp__list_cache_open(&c, FROM, 64 * GRAIN, 8));
        rp__alloc_fail_at(0, false);
        assert_int_equal(rp__alloc_in_use(), before);
    }
}

/* Many queries of several lists each; held ones keep their place. */
static void any_order_keeps_it_sound(void **state)
{
    (void)state;
    rp__list_cache c = open_cache(64, 40);
    chance_seed(1);
    for (int query = 0; query < 3000; query++) {
        rp__list_piece *held[4];
        uint64_t at[4], n = 1 + chance_below(4);
        for (uint64_t i = 0; i < n; i++) {
            size_t key = (chance_zipf(KEYS) + (size_t)query / 100) % KEYS; /* fashions change */
            held[i] = ask(&c, key, 1 + key % 17);
            at[i] = held[i] ? held[i]->at : 0;
        }
        for (uint64_t i = 0; i < n; i++)
            if (held[i]) {
                assert_int_equal(held[i]->at, at[i]);
                assert_true(held[i]->holds > 0);
                rp__list_cache_let_go(&c, held[i]);
            }
        check(&c);
    }
    print_message("%llu hits, %llu misses, %llu refused, %llu gave way\n",
                  (unsigned long long)c.stats.hits, (unsigned long long)c.stats.misses,
                  (unsigned long long)c.stats.refused, (unsigned long long)c.stats.evicted);
    assert_true(c.stats.evicted > 100);
    assert_true(c.stats.hits * 2 > c.stats.misses);
    rp__list_cache_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_that_was_put_is_found),
        cmocka_unit_test(what_is_not_put_goes_with_its_hold),
        cmocka_unit_test(the_oldest_gives_way),
        cmocka_unit_test(nobody_gives_way_to_what_is_worth_less),
        cmocka_unit_test(bytes_count),
        cmocka_unit_test(a_hole_is_made_in_one_place),
        cmocka_unit_test(what_is_held_stays),
        cmocka_unit_test(sizes_have_limits),
        cmocka_unit_test(memory_may_be_missing),
        cmocka_unit_test(any_order_keeps_it_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
