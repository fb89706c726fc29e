/* lab_model.c: lines, random lists and look-up costs: chapter 8 of lab/lab.h. The formulas are in
 * random_list.c, lookup_cost.c and codec/regression.c. Source: Ao et al. 2011. */
#include <math.h>

#include "base/bits.h"
#include "base/error.h"
#include "codec/codec.h"
#include "lab/lab.h"
#include "lab/lookup_cost.h"
#include "lab/random_list.h"

static double intercept_of(const uint32_t *docids, size_t n, double slope)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)docids[i];
    return sum / (double)n - slope * ((double)n + 1) / 2;
}

/* Bits of the largest residual, where the smallest is 0. */
static uint32_t width_of(const uint32_t *docids, size_t n, const rp__lab_line *line)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        double residual = ceil((double)docids[i] - line->slope * (double)(i + 1) - line->intercept);
        low = fmin(low, residual);
        high = fmax(high, residual);
    }
    return rp__bits_width64((uint64_t)(high - low));
}

rp_status rp__lab_line_fit(const uint32_t *docids, size_t n, rp__lab_line *out)
{
    if (RP_MISSING(NULL, docids, out) || n == 0)
        return RP_USAGE;
    rp__line_figures f = rp__regression_figures(docids, n);
    *out = (rp__lab_line){.slope = f.slope,
                          .intercept = intercept_of(docids, n, f.slope),
                          .determination = f.determination,
                          .contraction = f.contraction,
                          .local_mean = f.local_mean,
                          .local_most = f.local_most};
    out->width = width_of(docids, n, out);
    return RP_OK;
}

rp_status rp__lab_random_list_model(uint64_t m, uint64_t n, uint32_t r, double epsilon,
                                    rp__lab_random_list *out)
{
    if (RP_MISSING(NULL, out) || n == 0 || n > m || m > UINT32_MAX || r < 2 || r > 64 ||
        !(epsilon > 0 && epsilon < 1))
        return RP_USAGE;
    const uint64_t middle = (n + 1) / 2;
    *out = (rp__lab_random_list){.mean = rp__random_list_mean(m, n, middle),
                                 .variance = rp__random_list_variance(m, n, middle),
                                 .distance = rp__random_list_distance(m, n, r, epsilon),
                                 .width = rp__random_list_width(m, n, r, epsilon)};
    return RP_OK;
}

rp_status rp__lab_lookup_model(const rp__lab_lookup_list *lists, size_t n, double segment,
                               double access, double compare, rp__lab_lookup *out)
{
    if (RP_MISSING(NULL, out) || RP_MISSING_ARRAY(NULL, lists, n) || !(segment > 0))
        return RP_USAGE;
    const rp__lookup_times times = {access, compare};
    *out = (rp__lab_lookup){0, 0, 0};
    for (size_t i = 0; i < n; i++) {
        const rp__lookup_list list = {lists[i].n, lists[i].contraction, lists[i].local_contraction};
        out->headed += rp__lookup_cost_headed(&list, 1, segment, times);
        out->headless += rp__lookup_cost_headless(&list, 1, times);
        out->local += rp__lookup_cost_local(&list, 1, segment, times);
    }
    return RP_OK;
}
