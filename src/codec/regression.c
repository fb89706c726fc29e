/* regression.c: least squares of docids by rank, and what its inverse leaves to search.
 * Source: Ao et al. 2011, 4.3. */
#include "codec/regression.h"

#include "codec/codec.h"

/* Sums of squares and products about the means. */
typedef struct moments {
    double mean_rank, mean_docid, ranks, docids, both;
} moments;

static moments moments_of(const uint32_t *docids, size_t n)
{
    double count = (double)n;
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += docids[i];
    moments s = {.mean_rank = (count - 1) / 2,
                 .mean_docid = (double)sum / count,
                 .ranks = count * (count * count - 1) / 12};
    for (size_t i = 0; i < n; i++) {
        double y = docids[i] - s.mean_docid;
        s.docids += y * y;
        s.both += y * ((double)i - s.mean_rank);
    }
    return s;
}

double rp__regression_determination(const uint32_t *docids, size_t n)
{
    moments s = moments_of(docids, n);
    return n < 2 ? 1 : s.both / s.ranks * (s.both / s.docids);
}

rp__deviation rp__regression_deviation(const uint32_t *docids, size_t n)
{
    rp__deviation d = {0, 0};
    moments s = moments_of(docids, n);
    for (size_t i = 0; n > 1 && i < n; i++) {
        double rank = s.mean_rank + (docids[i] - s.mean_docid) * (s.ranks / s.both);
        double over = rank - (double)i;
        d.left = over > d.left ? over : d.left;
        d.right = -over > d.right ? -over : d.right;
    }
    return d;
}

double rp__regression_contraction(const uint32_t *docids, size_t n)
{
    rp__deviation d = rp__regression_deviation(docids, n);
    return (d.left + d.right) / (double)n;
}

rp__contraction rp__regression_local(const uint32_t *docids, size_t n, size_t segment)
{
    rp__contraction c = {0, 0};
    size_t segments = 0;
    for (size_t at = 0; at < n; at += segment, segments++) {
        double ratio = rp__regression_contraction(docids + at, n - at < segment ? n - at : segment);
        c.mean += ratio;
        c.most = ratio > c.most ? ratio : c.most;
    }
    c.mean /= (double)segments;
    return c;
}

rp__line_figures rp__regression_figures(const uint32_t *docids, size_t n)
{
    moments s = moments_of(docids, n);
    rp__contraction local = rp__regression_local(docids, n, RP_LR_SEGMENT);
    return (rp__line_figures){.slope = n > 1 ? s.both / s.ranks : 0,
                              .determination = rp__regression_determination(docids, n),
                              .contraction = rp__regression_contraction(docids, n),
                              .local_mean = local.mean,
                              .local_most = local.most};
}
