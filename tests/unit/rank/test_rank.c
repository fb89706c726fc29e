/* test_rank.c: weights, norms, bounds and the contribution of a posting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rank/fixed_log.h"
#include "rank/rank.h"

static rp__rank make(const char *name, uint64_t docs, uint64_t tokens, uint32_t max_length)
{
    const rp__ranking *row = rp__ranking_find(name);
    return (rp__rank){row, row->k1, row->b, row->mu, {docs, tokens, max_length}};
}

static rp__weight weigh(const rp__rank *rank, uint32_t df, uint64_t cf, double boost)
{
    return rp__rank_weight(rank, &df, &cf, 1, boost);
}

/* Scales and scores are what ldexp says, bit for bit, also where they are not normal numbers. */
static void powers_of_two_are_ldexps(void **state)
{
    (void)state;
    static const uint64_t fixed[] = {0, 1, 3, 0xFFFFFFFF, UINT64_C(0x1FFFFFFFFFFFFF), UINT64_MAX};
    for (int32_t bits = -1100; bits <= 1100; bits++) {
        const float scale = rp__rank_scale(bits), wanted = ldexpf(1.0F, bits);
        assert_memory_equal(&scale, &wanted, sizeof scale);
        for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
            const double score = rp__rank_score(fixed[i], bits);
            const double is = ldexp((double)fixed[i], -bits);
            assert_memory_equal(&score, &is, sizeof score);
        }
    }
}

static void weights_are_idf_times_constants(void **state)
{
    (void)state;
    rp__rank lucene = make("lucene", 1000, 50000, 400), pisa = make("pisa", 1000, 50000, 400);
    assert_true(weigh(&lucene, 10, 20, 1).weight == (float)log(1 + 990.5 / 10.5));
    assert_true(weigh(&lucene, 10, 20, 2.5).weight == (float)(log(1 + 990.5 / 10.5) * 2.5));
    assert_true(weigh(&pisa, 10, 20, 1).weight == (float)(log(990.5 / 10.5) * 1.9));
    assert_true(weigh(&lucene, 10, 20, 0).weight == 0);
    rp__rank dirichlet = make("dirichlet", 1000, 50000, 400);
    rp__weight w = weigh(&dirichlet, 10, 20, 3);
    assert_true(w.weight == (float)(1 / (1000 * (20.0 / 50000))));
    assert_true(w.boost == 3);
}

static void a_phrase_weighs_the_sum_of_its_words(void **state)
{
    (void)state;
    uint32_t df[2] = {10, 300};
    uint64_t cf[2] = {900, 400};
    rp__rank lucene = make("lucene", 1000, 50000, 400);
    double sum = log(1 + 990.5 / 10.5) + log(1 + 700.5 / 300.5);
    assert_true(rp__rank_weight(&lucene, df, cf, 2, 1).weight == (float)sum);
    rp__rank dirichlet = make("dirichlet", 1000, 50000, 400);
    assert_true(rp__rank_weight(&dirichlet, df, cf, 2, 1).weight ==
                weigh(&dirichlet, 300, 400, 1).weight);
}

static void norms_follow_the_length(void **state)
{
    (void)state;
    rp__rank lucene = make("lucene", 1000, 50000, 400);
    assert_true(rp__rank_norm(&lucene, 50) == (float)1.2);
    assert_true(rp__rank_norm(&lucene, 100) == (float)(1.2 * (0.25 + 0.75 * 2)));
    assert_true(rp__rank_norm(&lucene, 0) == (float)(1.2 * 0.25));
    rp__rank empty = make("lucene", 0, 0, 0);
    assert_true(isfinite(rp__rank_norm(&empty, 0)));
    rp__rank no_k1 = lucene;
    no_k1.k1 = 0;
    assert_true(rp__rank_norm(&no_k1, 50) > 0);
    assert_true(rp__rank_bm25(2, rp__rank_norm(&no_k1, 50), 1) == 2);
    assert_true(rp__rank_bm25(2, rp__rank_norm(&no_k1, 50), 0) == 0);
    rp__rank dirichlet = make("dirichlet", 1000, 50000, 400);
    assert_true(rp__rank_norm(&dirichlet, 0) == 1);
    assert_true(rp__rank_norm(&dirichlet, 1000) == 0.5F);
}

static void fraction_bits_keep_sums_in_32_bits(void **state)
{
    (void)state;
    assert_int_equal(rp__rank_fraction_bits(RP_RANK_BM25, 0), 20);
    assert_int_equal(rp__rank_fraction_bits(RP_RANK_BM25, nextafter(4096, 0)), 20);
    assert_int_equal(rp__rank_fraction_bits(RP_RANK_BM25, 4096), 19);
    assert_int_equal(rp__rank_fraction_bits(RP_RANK_BM25, nextafter(8192, 0)), 19);
    assert_int_equal(rp__rank_fraction_bits(RP_RANK_BM25, 8192), 18);
    assert_int_equal(rp__rank_fraction_bits(RP_RANK_BM25, 0x1p32), -1);
    assert_int_equal(rp__rank_fraction_bits(RP_RANK_BM25, 2e10), -3);
    assert_true(rp__rank_fraction_bits(RP_RANK_BM25, INFINITY) < -900);
    assert_int_equal(rp__rank_fraction_bits(RP_RANK_IIU, 0), 16);
    assert_int_equal(rp__rank_fraction_bits(RP_RANK_IIU, nextafter(65536, 0)), 16);
    assert_int_equal(rp__rank_fraction_bits(RP_RANK_IIU, 65536), 15);
    for (double sum = 4096; sum < 1e12; sum *= 1.37) {
        int32_t s = rp__rank_fraction_bits(RP_RANK_BM25, sum);
        assert_true(ldexp(sum, s) < 0x1p32);
        assert_true(ldexp(sum, s + 1) >= 0x1p32);
    }
    assert_true(rp__rank_scale(20) == 0x1p20F && rp__rank_scale(-3) == 0.125F);
    assert_true(rp__rank_score(3, 1) == 1.5 && rp__rank_score(3, -2) == 12);
}

static void block_bounds_are_the_least_that_hold(void **state)
{
    (void)state;
    assert_int_equal(rp__rank_block_bound(0), 0);
    assert_int_equal(rp__rank_block_bound(1), 255);
    assert_int_equal(rp__rank_block_bound(FLT_MIN), 1);
    for (uint32_t i = 0; i <= 100000; i++) {
        float ratio = (float)i / 100000.0F;
        uint8_t q = rp__rank_block_bound(ratio);
        assert_true(q / 255.0 >= (double)ratio);
        assert_true(q == 0 || (q - 1) / 255.0 < (double)ratio);
    }
}

static void what_is_reached_is_rounded_down(void **state)
{
    (void)state;
    assert_int_equal(rp__rank_reached(0), 0);
    assert_int_equal(rp__rank_reached(1), 255);
    assert_int_equal(rp__rank_reached(nextafterf(1, 0)), 254);
    for (uint32_t i = 0; i <= 100000; i++) {
        float ratio = (float)i / 100000.0F;
        uint8_t q = rp__rank_reached(ratio);
        assert_true(q / 255.0 <= (double)ratio && (q + 1) / 255.0 > (double)ratio);
    }
    for (uint32_t q = 0; q <= 255; q++) /* the floats on both sides of every step */
        for (float ratio = (float)q / 255.0F, end = nextafterf(ratio, 2);;
             ratio = nextafterf(ratio, 2)) {
            assert_true(ratio > 1 || rp__rank_reached(ratio) / 255.0 <= (double)ratio);
            if (ratio >= end)
                break;
        }
}

static void no_contribution_passes_its_bound(void **state)
{
    (void)state;
    srand(7);
    const rp__ranking *row;
    for (size_t i = 0; (row = rp__ranking_at(i)); i++)
        for (int n = 0; n < 20000; n++) {
            uint32_t max_length = 1 + (uint32_t)rand() % 5000;
            rp__rank rank = make(row->name, 100000, 7000000, max_length);
            uint32_t df = 1 + (uint32_t)rand() % 100000, length = 1 + (uint32_t)rand() % max_length;
            uint32_t tf = rand() % 2 ? length : 1 + (uint32_t)rand() % length;
            rp__weight w = weigh(&rank, df, df + (uint32_t)rand() % 1000, 0.1 * (rand() % 90000));
            float norm = rp__rank_norm(&rank, length);
            float got = row->kind == RP_RANK_DIRICHLET
                            ? rp__rank_dirichlet(w.weight, w.boost, norm, tf)
                            : rp__rank_bm25(w.weight, norm, tf);
            assert_true(got >= 0 && (double)got <= w.bound);
            int32_t s = rp__rank_fraction_bits(row->kind, w.bound);
            uint32_t fixed = rp__rank_contribution(row->kind, &w, norm, tf, s);
            if (row->kind == RP_RANK_IIU)
                assert_true(fixed <= ldexp((double)w.weight * tf / (tf + (double)norm), s));
            else
                assert_true(fixed == (uint32_t)floor(ldexp((double)got, s)));
        }
}

static void dirichlet_is_the_clamped_logarithm(void **state)
{
    (void)state;
    rp__rank rank = make("dirichlet", 1000, 50000, 4000);
    rp__weight w = weigh(&rank, 10, 20, 2);
    for (uint32_t tf = 1; tf < 50; tf++) {
        double y = 1000.0 / (1000 + 300) * (1 + tf * (double)w.weight);
        double got = (double)rp__rank_dirichlet(w.weight, w.boost, rp__rank_norm(&rank, 300), tf);
        assert_true(fabs(got - 2 * log(y)) < 1e-6);
    }
    rp__weight common = weigh(&rank, 1000, 50000, 2); /* long document, everyday word: below 0 */
    assert_true(rp__rank_dirichlet(common.weight, 2, rp__rank_norm(&rank, 4000), 1) == 0);
}

/* Long division by shifts, as hardware does it, and sums of 128 bits. */
static uint32_t naive_iiu(uint32_t idf_bar, uint32_t tf, uint32_t dl)
{
    const uint64_t t = tf > 65535 ? 65535 : tf, d = t * 65536 + dl;
    uint64_t rest = 0, q = 0;
    for (int bit = 46; bit >= 0; bit--) {
        rest = 2 * rest + (bit == 46);
        q = 2 * q + (rest >= d);
        rest -= rest >= d ? d : 0;
    }
    __extension__ const unsigned __int128 product = (unsigned __int128)idf_bar * t * q;
    return (uint32_t)(product >> 30);
}

static void iiu_is_long_division(void **state)
{
    (void)state;
    static const uint32_t edges[] = {1, 2, 3, 255, 65534, 65535, 65536, 1U << 31, UINT32_MAX};
    const size_t n = sizeof edges / sizeof edges[0];
    for (size_t i = 0; i < n * n * n; i++) {
        const uint32_t idf = edges[i % n], tf = edges[i / n % n], dl = edges[i / n / n];
        assert_int_equal(rp__iiu_score(idf, tf, dl), naive_iiu(idf, tf, dl));
        assert_true(rp__iiu_score(idf, tf, dl) <= idf);
    }
    srand(11);
    for (int i = 0; i < 200000; i++) {
        const uint32_t idf = (uint32_t)rand() % (1U << 22), tf = 1U + (uint32_t)rand() % 300;
        const uint32_t dl = 1 + (uint32_t)rand() % (1U << (1 + rand() % 30));
        assert_int_equal(rp__iiu_score(idf, tf, dl), naive_iiu(idf, tf, dl));
    }
    assert_int_equal(rp__iiu_score(65536, 0, 65536), 0);
    assert_int_equal(rp__iiu_score(65536, 0, 0), 0);
    assert_int_equal(rp__iiu_score(65536, 1, 65536), 32768);
}

/* A whole number of 2^-16, not below K and less than one such step above it. */
static void iiu_rounds_norms_up(void **state)
{
    (void)state;
    rp__rank bm25 = make("lucene", 1000, 50000, 400), iiu = make("iiu", 1000, 50000, 400);
    static const double k1s[] = {0, 1e-9, 0.9, 1.2, 3, 77.7, 1000};
    for (size_t i = 0; i < sizeof k1s / sizeof k1s[0]; i++)
        for (uint32_t length = 0; length < 2000; length += 7) {
            bm25.k1 = iiu.k1 = k1s[i];
            const double k = (double)rp__rank_norm(&bm25, length);
            const double up = (double)rp__rank_norm(&iiu, length);
            assert_true(up >= k && up - k < 0x1p-16 + 1e-9 && up > 0 && up < 65536);
            assert_true(up * 65536 == floor(up * 65536));
        }
    assert_int_equal(rp__rank_check(&iiu, NULL), RP_OK);
    iiu.k1 = 1e6;
    rp_error err;
    assert_int_equal(rp__rank_check(&iiu, &err), RP_USAGE);
    assert_non_null(strstr(err.text, "k1"));
    assert_true(rp__rank_norm(&iiu, UINT32_MAX) < 65536);
}

static void iiu_rounds_weights(void **state)
{
    (void)state;
    rp__rank lucene = make("lucene", 1000, 50000, 400), iiu = make("iiu", 1000, 50000, 400);
    for (uint32_t df = 1; df <= 1000; df += 3) {
        const double w = (double)weigh(&lucene, df, df, 1).weight;
        const double bar = (double)weigh(&iiu, df, df, 1).weight * 65536;
        assert_true(bar == floor(bar) && fabs(bar - w * 65536) <= 0.51);
    }
}

static void damaged_numbers_stay_defined(void **state)
{
    (void)state;
    const rp__ranking *row;
    for (size_t i = 0; (row = rp__ranking_at(i)); i++)
        for (uint64_t docs = 0; docs < 2; docs++) {
            rp__rank rank = make(row->name, docs, docs, UINT32_MAX);
            rp__weight w = weigh(&rank, UINT32_MAX, UINT64_MAX, 1e6);
            assert_true(isfinite(w.weight) && w.weight >= 0 && isfinite(w.bound));
            w = weigh(&rank, 0, 0, 1e6);
            assert_true(isfinite(w.weight) && w.weight >= 0 && isfinite(w.bound));
        }
    assert_int_equal(rp__rank_fix(INFINITY, 1), UINT32_MAX);
    assert_int_equal(rp__rank_fix(NAN, 1), UINT32_MAX);
    assert_int_equal(rp__rank_fix(0x1p31F, 2), UINT32_MAX);
    assert_int_equal(rp__rank_fix(0x1p31F, 1), 1U << 31);
}

static void parameters_are_checked(void **state)
{
    (void)state;
    rp_error err;
    rp__rank rank = make("lucene", 10, 10, 10);
    assert_int_equal(rp__rank_check(&rank, &err), RP_OK);
    static const double bad_k1[] = {-0.1, 1.1e6, INFINITY, NAN};
    for (size_t i = 0; i < 4; i++) {
        rank.k1 = bad_k1[i];
        assert_int_equal(rp__rank_check(&rank, &err), RP_USAGE);
        assert_non_null(strstr(err.text, "k1"));
    }
    rank.k1 = 0;
    static const double bad_b[] = {-0.1, 1.01, NAN};
    for (size_t i = 0; i < 3; i++) {
        rank.b = bad_b[i];
        assert_int_equal(rp__rank_check(&rank, NULL), RP_USAGE);
    }
    /* What a ranking does not use is checked too: a caller who gives it means something by it. */
    static const double bad_mu[] = {0, -1, 1.1e9, INFINITY, NAN};
    const rp__ranking *row;
    for (size_t r = 0; (row = rp__ranking_at(r)); r++) {
        rank = make(row->name, 10, 10, 10);
        assert_int_equal(rp__rank_check(&rank, NULL), RP_OK);
        for (size_t i = 0; i < 5; i++) {
            rank.mu = bad_mu[i];
            assert_int_equal(rp__rank_check(&rank, &err), RP_USAGE);
            assert_non_null(strstr(err.text, "mu"));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_of_two_are_ldexps),
        cmocka_unit_test(weights_are_idf_times_constants),
        cmocka_unit_test(a_phrase_weighs_the_sum_of_its_words),
        cmocka_unit_test(norms_follow_the_length),
        cmocka_unit_test(fraction_bits_keep_sums_in_32_bits),
        cmocka_unit_test(block_bounds_are_the_least_that_hold),
        cmocka_unit_test(what_is_reached_is_rounded_down),
        cmocka_unit_test(no_contribution_passes_its_bound),
        cmocka_unit_test(dirichlet_is_the_clamped_logarithm),
        cmocka_unit_test(iiu_is_long_division),
        cmocka_unit_test(iiu_rounds_norms_up),
        cmocka_unit_test(iiu_rounds_weights),
        cmocka_unit_test(damaged_numbers_stay_defined),
        cmocka_unit_test(parameters_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
