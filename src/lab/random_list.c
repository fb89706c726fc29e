/* random_list.c: central moments of the i-th docid of a random list, and the width they bound.
 *
 * Pr(X = k) = C(k-1, i-1) C(m-k, n-i) / C(m, n). The closed form of the r-th moment (Theorem E.3 of the
 * source) adds and takes away numbers hundreds of bits longer than what is left, so that no floating
 * point holds it. Here the moment is summed as it is defined: every term is positive, and each
 * probability comes from its neighbour's by a ratio of small numbers, from the mean outward, so that
 * nothing cancels and what underflows does not count. Source: Ao et al. 2011, Appendix E. */
#include "lab/random_list.h"

#include <math.h>
#include <stdbool.h>

double rp__random_list_mean(uint64_t m, uint64_t n, uint64_t i)
{
    return (double)(m + 1) / (double)(n + 1) * (double)i;
}

double rp__random_list_variance(uint64_t m, uint64_t n, uint64_t i)
{
    double per_docid = (double)(m + 1) / (double)(n + 1) * ((double)(m - n) / (double)(n + 1));
    return per_docid * (double)i * ((double)(n + 1 - i) / (double)(n + 2));
}

/* Pr(X = k + 1) / Pr(X = k). */
static double ratio_up(double m, double n, double i, double k)
{
    return k / (k - i + 1) * ((m - k - n + i) / (m - k));
}

static double power(double x, uint32_t r)
{
    double all = 1;
    for (; r > 0; r >>= 1, x *= x)
        all *= r & 1 ? x : 1;
    return all;
}

typedef struct sums {
    double m, n, i, mean, scale;
    uint32_t r;
    double weight, moment; /* of probabilities, the first docid's being 1; of these by distances */
} sums;

/* Adds the docids from k to `end`, k's probability being p. Terms rise to one peak and then fall ever
 * faster, because both factors are log-concave; what is left behind a term this small is nothing. */
static void add_side(sums *s, double k, double end, double p)
{
    const double nothing = 1e-22;
    bool is_up = k <= end;
    for (double before = 0;; k += is_up ? 1 : -1) {
        double term = p * power(fabs(k - s->mean) / s->scale, s->r);
        s->weight += p;
        s->moment += term;
        if (k == end || (p < nothing * s->weight && term <= before && term <= nothing * s->moment))
            return;
        before = term;
        p = is_up ? p * ratio_up(s->m, s->n, s->i, k) : p / ratio_up(s->m, s->n, s->i, k - 1);
    }
}

/* The moment of (X - E(X)) / scale. */
static double scaled_moment(uint64_t m, uint64_t n, uint64_t i, uint32_t r, double scale)
{
    sums s = {.m = (double)m, .n = (double)n, .i = (double)i, .scale = scale, .r = r};
    double least = s.i, most = s.m - s.n + s.i;
    s.mean = rp__random_list_mean(m, n, i);
    double start = fmin(fmax(floor(s.mean), least), most);
    add_side(&s, start, most, 1);
    if (start > least)
        add_side(&s, start - 1, least, 1 / ratio_up(s.m, s.n, s.i, start - 1));
    return s.moment / s.weight;
}

double rp__random_list_moment(uint64_t m, uint64_t n, uint64_t i, uint32_t r)
{
    double scale = sqrt(rp__random_list_variance(m, n, i));
    return m == n ? 0 : scaled_moment(m, n, i, r, scale) * power(scale, r);
}

/* By Markov's inequality Pr(|X - E(X)| >= t) is at most the r-th moment over t^r. */
double rp__random_list_distance(uint64_t m, uint64_t n, uint32_t r, double epsilon)
{
    uint64_t i = (n + 1) / 2;
    double scale = sqrt(rp__random_list_variance(m, n, i));
    return m == n ? 0 : scale * pow(scaled_moment(m, n, i, r, scale) / epsilon, 1 / (double)r);
}

uint32_t rp__random_list_width(uint64_t m, uint64_t n, uint32_t r, double epsilon)
{
    double bits = ceil(log2(rp__random_list_distance(m, n, r, epsilon)) + 1);
    return bits > 0 ? (uint32_t)bits : 0;
}
