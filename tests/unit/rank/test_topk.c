/* test_topk.c: the k best, against a full sort. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "rank/rank.h"

enum { N = 500 };

static uint32_t seed = 1;

static uint32_t rnd(uint32_t below)
{
    seed = seed * 1664525U + 1013904223U;
    return (seed >> 8) % below;
}

static int by_rank(const void *a, const void *b)
{
    const rp__scored *x = a, *y = b;
    if (x->fixed != y->fixed)
        return x->fixed > y->fixed ? -1 : 1;
    return x->docid < y->docid ? -1 : x->docid > y->docid;
}

/* Few distinct scores give many ties. */
static void check(size_t k, uint32_t scores, int is_shuffled)
{
    rp__scored all[N], room[2 * N + 2];
    for (uint32_t i = 0; i < N; i++)
        all[i] = (rp__scored){rnd(scores), i};
    for (uint32_t i = N; is_shuffled && i-- > 1;) {
        uint32_t j = rnd(i + 1);
        rp__scored t = all[i];
        all[i] = all[j];
        all[j] = t;
    }
    rp__topk topk;
    rp__topk_init(&topk, room, k);
    for (uint32_t i = 0; i < N; i++) {
        rp__topk_push(&topk, all[i].fixed, all[i].docid);
        assert_true(topk.n <= rp__topk_room(k) && topk.n >= (i + 1 < k ? i + 1 : k));
        if (topk.n < k)
            assert_int_equal(topk.least, 0);
    }
    rp__topk_finish(&topk);
    qsort(all, N, sizeof all[0], by_rank);
    assert_int_equal(topk.n, k < N ? k : N);
    for (size_t i = 0; i < topk.n; i++) {
        assert_int_equal(topk.at[i].fixed, all[i].fixed);
        assert_int_equal(topk.at[i].docid, all[i].docid);
    }
    if (k > 0 && k <= N)
        assert_true(topk.least <= all[k - 1].fixed);
}

static void agrees_with_a_sort(void **state)
{
    (void)state;
    static const size_t ks[] = {0, 1, 2, 3, 10, 64, 65, 99, N / 2, N - 1, N, N + 1};
    static const uint32_t scores[] = {1, 3, 50, 1U << 20};
    for (size_t i = 0; i < sizeof ks / sizeof ks[0]; i++)
        for (size_t j = 0; j < sizeof scores / sizeof scores[0]; j++)
            for (int is_shuffled = 0; is_shuffled < 2; is_shuffled++)
                check(ks[i], scores[j], is_shuffled);
}

/* What is known from elsewhere drops documents, and never one of the k best. */
static void keeps_what_is_as_good_as_it_was_raised_to(void **state)
{
    (void)state;
    static const size_t ks[] = {1, 10, 64, 65, 200};
    for (size_t j = 0; j < sizeof ks / sizeof ks[0]; j++) {
        rp__scored all[N], room[2 * N];
        rp__topk topk;
        for (uint32_t i = 0; i < N; i++)
            all[i] = (rp__scored){rnd(40), i};
        rp__scored sorted[N];
        memcpy(sorted, all, sizeof all);
        qsort(sorted, N, sizeof sorted[0], by_rank);
        rp__topk_init(&topk, room, ks[j]);
        rp__topk_raise(&topk, sorted[ks[j] - 1].fixed);
        for (uint32_t i = 0; i < N; i++)
            if (all[i].fixed >= topk.least)
                rp__topk_push(&topk, all[i].fixed, all[i].docid);
        rp__topk_finish(&topk);
        assert_int_equal(topk.n, ks[j]);
        assert_memory_equal(topk.at, sorted, ks[j] * sizeof sorted[0]);
    }
}

static void keeps_documents_that_score_nothing(void **state)
{
    (void)state;
    rp__scored room[2];
    rp__topk topk;
    rp__topk_init(&topk, room, 2);
    rp__topk_push(&topk, 0, 7);
    rp__topk_push(&topk, 0, 3);
    rp__topk_push(&topk, 0, 5);
    rp__topk_finish(&topk);
    assert_int_equal(topk.n, 2);
    assert_int_equal(topk.at[0].docid, 3);
    assert_int_equal(topk.at[1].docid, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_a_sort),
        cmocka_unit_test(keeps_what_is_as_good_as_it_was_raised_to),
        cmocka_unit_test(keeps_documents_that_score_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
