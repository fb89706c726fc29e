/* test_score.c: every row of score kernels, and the scores of leaves, against rank's contribution. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu_run.h"
#include "base/bits.h"
#include "base/cpu.h"

enum { DOCS = 5000, TABLE = 300 };

static union {
    uint8_t narrow[DOCS + RP_PAD];
    uint16_t wide[DOCS + RP_PAD];
    uint32_t widest[DOCS + RP_PAD];
} codes;
static uint32_t table[TABLE];
static float norms[TABLE];

static void make_query(rp__query *q, rp__rank *rank, const char *variant, uint32_t code_bytes)
{
    const rp__ranking *row = rp__ranking_find(variant);
    *rank = (rp__rank){row, row->k1, row->b, row->mu, {DOCS, DOCS * 100, 2000}};
    uint32_t n_table = code_bytes == 1 ? 200 : TABLE;
    for (uint32_t i = 0; i < n_table; i++) {
        table[i] = i * 7;
        norms[i] = rp__rank_norm(rank, table[i]);
    }
    for (uint32_t d = 0; d < DOCS; d++) {
        uint32_t code = (uint32_t)rand() % (n_table + n_table / 20); /* some are past the table */
        if (code_bytes == 1)
            codes.narrow[d] = (uint8_t)code;
        else if (code_bytes == 2)
            codes.wide[d] = (uint16_t)code;
        else
            codes.widest[d] = code;
    }
    *q = (rp__query){.rank = rank, .norms = norms, .fraction_bits = 20};
    q->lengths = (rp__lengths){&codes, code_bytes, DOCS, n_table, table};
}

static uint32_t want(const rp__query *q, const rp__weight *weight, uint32_t docid, uint32_t tf)
{
    return rp__rank_contribution(q->rank->ranking->kind, weight,
                                 norms[rp__lengths_code(&q->lengths, docid)], tf, q->fraction_bits);
}

/* Arrays of exactly n, so that a sanitizer sees what is read past them. */
static void fill(uint32_t n, uint32_t **docids, uint32_t **tfs)
{
    *docids = calloc(n ? n : 1, sizeof **docids);
    *tfs = calloc(n ? n : 1, sizeof **tfs);
    for (uint32_t i = 0; i < n; i++) {
        (*docids)[i] = rand() % 9 ? (uint32_t)rand() % DOCS : DOCS - 1;
        (*tfs)[i] = rand() % 9 ? 1 + (uint32_t)rand() % 50 : (uint32_t)rand();
    }
}

static void every_kernel_gives_the_contribution(void **state)
{
    (void)state;
    srand(5);
    const rp__score_kernel *row;
    for (size_t r = 0; (row = rp__score_kernel_at(r)); r++) {
        if (row->needs & ~rp__cpu_features())
            continue;
        for (uint32_t code_bytes = 1; code_bytes <= 4; code_bytes *= 2) {
            rp__rank rank;
            rp__query q;
            make_query(&q, &rank, "lucene", code_bytes);
            for (uint32_t n = 0; n <= RP_BLOCK; n++) {
                uint32_t *docids, *tfs, fixed[RP_BLOCK];
                rp__weight weight = {.weight = (float)(rand() % 1000) * 0.013F};
                fill(n, &docids, &tfs);
                float *of = calloc(n ? n : 1, sizeof *of);
                rp__score_norms(&q, docids, n, of);
                assert_true(row->bm25(weight.weight * 0x1p20F, of, tfs, n, fixed));
                for (uint32_t i = 0; i < n; i++)
                    assert_int_equal(fixed[i], want(&q, &weight, docids[i], tfs[i]));
                if (n > 0) {
                    tfs[(uint32_t)rand() % n] = 1U << 31;
                    assert_false(row->bm25(weight.weight, of, tfs, n, fixed));
                }
                free(docids);
                free(tfs);
                free(of);
            }
        }
    }
}

static void every_kernel_finds_the_scores_that_are_enough(void **state)
{
    (void)state;
    static const uint32_t thresholds[] = {0,         1, 77, INT32_MAX, 1U << 31, UINT32_MAX - 1,
                                          UINT32_MAX};
    const rp__score_kernel *row;
    for (size_t r = 0; (row = rp__score_kernel_at(r)); r++) {
        if (row->needs & ~rp__cpu_features())
            continue;
        for (size_t t = 0; t < sizeof thresholds / sizeof thresholds[0]; t++) {
            uint32_t scores[RP_STRETCH];
            uint64_t set = 0;
            for (uint32_t i = 0; i < RP_STRETCH; i++) {
                scores[i] =
                    rand() % 4 ? thresholds[t] + (uint32_t)(rand() % 3) - 1 : (uint32_t)rand();
                set |= (uint64_t)(scores[i] >= thresholds[t]) << i;
            }
            assert_true(row->at_least(scores, thresholds[t]) == set);
        }
    }
}

static void every_kernel_selects_the_scores_that_are_enough(void **state)
{
    (void)state;
    const rp__score_kernel *row;
    for (size_t r = 0; (row = rp__score_kernel_at(r)); r++) {
        if (row->needs & ~rp__cpu_features())
            continue;
        for (uint32_t n = 0; n <= RP_BLOCK; n++) {
            uint32_t scores[RP_BLOCK + 16], kept[RP_BLOCK + 16], least = 1U << (n % 32), m = 0;
            for (uint32_t i = 0; i < RP_BLOCK + 16; i++)
                scores[i] = rand() % 4 ? least + (uint32_t)(rand() % 3) - 1 : (uint32_t)rand();
            uint32_t got = row->select(scores, n, least, kept);
            for (uint32_t i = 0; i < n; i++)
                if (scores[i] >= least)
                    assert_int_equal(kept[m++], i);
            assert_int_equal(got, m);
        }
    }
}

static void every_kernel_finds_the_largest_byte(void **state)
{
    (void)state;
    const rp__score_kernel *row;
    for (size_t r = 0; (row = rp__score_kernel_at(r)); r++) {
        if (row->needs & ~rp__cpu_features())
            continue;
        for (uint32_t n = 0; n <= 300; n++) {
            uint8_t *bytes = malloc(n + 1),
                    max = 0; /* of its own, so that reading past it is found */
            assert_non_null(bytes);
            for (uint32_t i = 0; i < n; i++) {
                bytes[i] = (uint8_t)(rand() % (n % 2 ? 256 : 100));
                max = bytes[i] > max ? bytes[i] : max;
            }
            bytes[n] = UINT8_MAX;
            assert_int_equal(row->max_byte(bytes, n), max);
            free(bytes);
        }
    }
}

static void the_plain_row_is_always_there(void **state)
{
    (void)state;
    assert_int_equal(rp__score_kernel_find(0)->needs, 0);
    assert_ptr_equal(rp__score_kernel_find(UINT32_MAX), rp__score_kernel_at(0));
}

/* Rankings, weights and frequencies that no kernel takes go another way to the same numbers. */
static void leaves_score_as_rank_says(void **state)
{
    (void)state;
    static const float weights[] = {0, 0.5F, 2047, 2048, 4095, 1e-30F};
    const rp__ranking *row;
    for (size_t v = 0; (row = rp__ranking_at(v)); v++)
        for (size_t w = 0; w < sizeof weights / sizeof weights[0]; w++) {
            rp__rank rank;
            rp__query q;
            rp__score score;
            uint32_t *docids, *tfs, fixed[RP_BLOCK];
            make_query(&q, &rank, row->name, 1);
            rp__leaf leaf = {.weight = {weights[w], 1.5F, 0}};
            rp__score_init(&score, &q, &leaf);
            fill(RP_BLOCK, &docids, &tfs);
            tfs[3] = w % 2 ? UINT32_MAX : 3;
            rp__score_many(&score, docids, tfs, RP_BLOCK, fixed);
            for (uint32_t i = 0; i < RP_BLOCK; i++) {
                assert_int_equal(fixed[i], want(&q, &leaf.weight, docids[i], tfs[i]));
                assert_int_equal(fixed[i], rp__score_one(&score, docids[i], tfs[i]));
            }
            free(docids);
            free(tfs);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_gives_the_contribution),
        cmocka_unit_test(every_kernel_finds_the_scores_that_are_enough),
        cmocka_unit_test(every_kernel_selects_the_scores_that_are_enough),
        cmocka_unit_test(every_kernel_finds_the_largest_byte),
        cmocka_unit_test(the_plain_row_is_always_there),
        cmocka_unit_test(leaves_score_as_rank_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
