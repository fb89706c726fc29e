/* test_cache.c: replies that are kept, requests that wait for an equal one, and the limit of bytes. */
#include "serve/cache.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"

static const uint64_t second = 1000000000;

static rp__cache *open_cache(size_t max_bytes)
{
    rp_error err = {.text = ""};
    rp__cache *cache;
    assert_int_equal(rp__cache_new(max_bytes, &cache, &err), RP_OK);
    return cache;
}

static rp__buf key_of(const char *text)
{
    rp__buf key;
    rp__buf_init(&key);
    rp__buf_put_string(&key, text);
    return key;
}

static rp__cached *reply_of(const char *text)
{
    rp__cached *reply = rp__cache_reply(strlen(text));
    assert_non_null(reply);
    memcpy(reply->bytes, text, strlen(text));
    return reply;
}

/* Of one that waits. */
typedef struct passenger {
    rp__cache_waiter waiter;
    atomic_uint calls;
    char reply[16]; /* "": none */
} passenger;

static void on_done(void *arg, const rp__cached *reply)
{
    passenger *p = arg;
    if (reply)
        memcpy(p->reply, reply->bytes, reply->n);
    atomic_fetch_add(&p->calls, 1);
}

static rp__boarding board(rp__cache *cache, const rp__buf *key, uint64_t timeout_ns, passenger *p,
                          rp__flight **flight)
{
    rp__cached *reply = NULL;
    memset(p, 0, sizeof *p);
    p->waiter = (rp__cache_waiter){.done = on_done, .arg = p};
    const rp__boarding how = rp__cache_board(cache, key, timeout_ns, &p->waiter, &reply, flight);
    assert_int_equal(how == RP_BOARDING_HIT, reply != NULL);
    rp__cache_release(reply);
    return how;
}

/* Whoever has as much time as the first or more waits for it; who has less asks alone. */
static void equal_requests_share_a_flight(void **state)
{
    (void)state;
    rp__cache *cache = open_cache(1 << 20);
    rp__buf key = key_of("key"), other = key_of("other");
    passenger first, equal, longer, shorter, stranger, late;
    rp__flight *flight, *none, *strange;
    rp__cache_counts counts;
    assert_null(rp__cache_find(cache, &key));
    assert_int_equal(board(cache, &key, 10 * second, &first, &flight), RP_BOARDING_LEADS);
    assert_int_equal(board(cache, &key, 10 * second, &equal, &none), RP_BOARDING_JOINS);
    assert_int_equal(board(cache, &key, 20 * second, &longer, &none), RP_BOARDING_JOINS);
    assert_int_equal(board(cache, &key, second, &shorter, &none), RP_BOARDING_ALONE);
    assert_null(none);
    assert_int_equal(board(cache, &other, second, &stranger, &strange), RP_BOARDING_LEADS);
    assert_true(first.waiter.deadline_ns <= equal.waiter.deadline_ns);
    rp__cache_land(cache, flight, reply_of("reply"));
    rp__cache_land(cache, strange, NULL);
    assert_int_equal(atomic_load(&equal.calls) + atomic_load(&longer.calls), 2);
    assert_int_equal(atomic_load(&first.calls) + atomic_load(&shorter.calls), 0);
    assert_string_equal(equal.reply, "reply");
    assert_string_equal(longer.reply, "reply");
    assert_int_equal(board(cache, &key, 1, &late, &none), RP_BOARDING_HIT);
    rp__cache_get_counts(cache, &counts);
    assert_int_equal(counts.misses, 3);
    assert_int_equal(counts.joined, 2);
    assert_int_equal(counts.hits, 1);
    assert_int_equal(counts.entries, 1);
    rp__buf_free(&key);
    rp__buf_free(&other);
    rp__cache_free(cache);
}

static void who_waited_in_vain_is_told(void **state)
{
    (void)state;
    rp__cache *cache = open_cache(1 << 20);
    rp__buf key = key_of("key");
    passenger first, equal;
    rp__flight *flight, *none;
    assert_int_equal(board(cache, &key, second, &first, &flight), RP_BOARDING_LEADS);
    assert_int_equal(board(cache, &key, second, &equal, &none), RP_BOARDING_JOINS);
    rp__cache_land(cache, flight, NULL);
    assert_int_equal(atomic_load(&equal.calls), 1);
    assert_string_equal(equal.reply, "");
    assert_null(rp__cache_find(cache, &key));
    rp__buf_free(&key);
    rp__cache_free(cache);
}

/* Rounds of equal requests from many threads: one of each round leads, whoever comes when. */
enum { THREADS = 8, ROUNDS = 300 };

typedef struct crowd {
    rp__cache *cache;
    pthread_barrier_t begin;
    atomic_uint led[ROUNDS];
} crowd;

static void *travel(void *arg)
{
    crowd *c = arg;
    for (int n = 0; n < ROUNDS; n++) {
        char text[16];
        passenger p;
        rp__flight *flight;
        snprintf(text, sizeof text, "round %d", n);
        rp__buf key = key_of(text);
        pthread_barrier_wait(&c->begin);
        const rp__boarding how = board(c->cache, &key, 60 * second, &p, &flight);
        if (how == RP_BOARDING_LEADS) {
            atomic_fetch_add(&c->led[n], 1);
            rp__cache_land(c->cache, flight, reply_of(text));
        } else {
            assert_int_not_equal(how, RP_BOARDING_ALONE);
            while (how == RP_BOARDING_JOINS && atomic_load(&p.calls) == 0)
                sched_yield();
        }
        rp__buf_free(&key);
    }
    return NULL;
}

static void one_of_a_crowd_leads(void **state)
{
    (void)state;
    static crowd c;
    pthread_t threads[THREADS];
    rp__cache_counts counts;
    c.cache = open_cache(64 << 20);
    pthread_barrier_init(&c.begin, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, travel, &c), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int n = 0; n < ROUNDS; n++)
        assert_int_equal(atomic_load(&c.led[n]), 1);
    rp__cache_get_counts(c.cache, &counts);
    assert_int_equal(counts.misses, ROUNDS);
    assert_int_equal(counts.hits + counts.joined, ROUNDS * (THREADS - 1));
    assert_int_equal(counts.entries, ROUNDS);
    pthread_barrier_destroy(&c.begin);
    rp__cache_free(c.cache);
}

/* Of one part and of many: never more bytes than the limit, and nothing is left after it is cleared. */
static void bytes_are_bounded(void **state)
{
    (void)state;
    static const size_t limits[] = {100 << 10, 4 << 20};
    static char text[3000];
    memset(text, 'x', sizeof text - 1);
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        rp__cache *cache = open_cache(limits[l]);
        rp__cache_counts counts;
        for (int i = 0; i < 3000; i++) {
            char name[16];
            passenger p;
            rp__flight *flight;
            snprintf(name, sizeof name, "%d", i % 2000);
            rp__buf key = key_of(name);
            rp__cache_release(rp__cache_find(cache, &key));
            if (board(cache, &key, second, &p, &flight) == RP_BOARDING_LEADS)
                rp__cache_land(cache, flight, reply_of(text));
            rp__buf_free(&key);
            rp__cache_get_counts(cache, &counts);
            assert_true(counts.bytes <= limits[l]);
        }
        assert_true(counts.entries > limits[l] / sizeof text / 2);
        assert_true(counts.declined > 0);
        rp__cache_clear(cache);
        rp__cache_get_counts(cache, &counts);
        assert_int_equal(counts.bytes + counts.entries, 0);
        rp__cache_free(cache);
    }
}

static void fails_without_memory(void **state)
{
    (void)state;
    const uint64_t before = rp__alloc_in_use();
    rp_status status = RP_NO_MEMORY;
    for (uint64_t n = 1; status != RP_OK; n++) {
        rp_error err = {.text = ""};
        rp__cache *cache;
        rp__alloc_fail_at(n, false);
        status = rp__cache_new(4 << 20, &cache, &err);
        rp__alloc_fail_at(0, false);
        assert_true(status == RP_OK || (status == RP_NO_MEMORY && !cache));
        rp__cache_free(cache);
        assert_int_equal(rp__alloc_in_use(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_requests_share_a_flight),
        cmocka_unit_test(who_waited_in_vain_is_told),
        cmocka_unit_test(one_of_a_crowd_leads),
        cmocka_unit_test(bytes_are_bounded),
        cmocka_unit_test(fails_without_memory),
    };
    return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}
