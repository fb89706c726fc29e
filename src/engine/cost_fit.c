/* cost_fit.c: model trees: linear models of logarithms, split where that helps most (Quinlan, "Learning with continuous
 * classes", 1992).
 *
 * A node is split at one of a few quantiles of one feature. Least squares with a small penalty on weights, by Cholesky. */
#include "engine/cost_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { TERMS = RP_COST_FEATURES + 1, QUANTILES = 8, LEAF_SAMPLES = 40, PASSES = 6 };
static const double unit = 1 << 16;
static const double penalty = 1e-3;   /* of a squared weight, for each sample */
static const double least_off = .02;  /* an error that counts no more than a smaller one */
static const double least_gain = .02; /* of the node's error, for which a split pays */

/* What a linear model of some samples needs of them. */
typedef struct moments {
    double xx[TERMS][TERMS], xy[TERMS], yy;
    size_t n;
} moments;

typedef struct model {
    double weights[TERMS]; /* the last is the bias */
    double error;          /* sum of squares */
} model;

typedef struct node {
    size_t begin, end; /* of the samples */
    model model;
    int feature; /* by which it is best split; -1: not at all */
    int32_t threshold;
    double gain;
} node;

typedef struct fit {
    const rp__cost_sample **samples;
    uint32_t features;
    rp__cost_tree *tree;
    node nodes[RP_COST_RULES];
} fit;

static double logarithm(const rp__cost_sample *s)
{
    return log((double)(s->ns ? s->ns : 1));
}

static void add(moments *m, const rp__cost_sample *s, uint32_t features, double weight)
{
    double x[TERMS];
    for (int i = 0; i < RP_COST_FEATURES; i++)
        x[i] = features >> i & 1 ? s->features[i] / unit : 0;
    x[RP_COST_FEATURES] = 1;
    const double y = logarithm(s);
    for (int i = 0; i < TERMS; i++) {
        for (int j = 0; j <= i; j++)
            m->xx[i][j] += weight * x[i] * x[j];
        m->xy[i] += weight * x[i] * y;
    }
    m->yy += weight * y * y;
    m->n++;
}

static void subtract(const moments *all, const moments *part, moments *rest)
{
    for (int i = 0; i < TERMS; i++) {
        for (int j = 0; j <= i; j++)
            rest->xx[i][j] = all->xx[i][j] - part->xx[i][j];
        rest->xy[i] = all->xy[i] - part->xy[i];
    }
    rest->yy = all->yy - part->yy;
    rest->n = all->n - part->n;
}

/* a = l l^T, in place below the diagonal. */
static void factor(double a[TERMS][TERMS])
{
    for (int i = 0; i < TERMS; i++)
        for (int j = 0; j <= i; j++) {
            double sum = a[i][j];
            for (int k = 0; k < j; k++)
                sum -= a[i][k] * a[j][k];
            a[i][j] = i == j ? sqrt(sum > 1e-12 ? sum : 1e-12) : sum / a[j][j];
        }
}

static void solve(const moments *m, model *out)
{
    double a[TERMS][TERMS];
    memcpy(a, m->xx, sizeof a);
    for (int i = 0; i < TERMS; i++)
        a[i][i] += (i < RP_COST_FEATURES ? penalty : 1e-9) * (double)m->n + 1e-9;
    factor(a);
    double *w = out->weights;
    for (int i = 0; i < TERMS; i++) {
        w[i] = m->xy[i];
        for (int k = 0; k < i; k++)
            w[i] -= a[i][k] * w[k];
        w[i] /= a[i][i];
    }
    for (int i = TERMS - 1; i >= 0; i--) {
        for (int k = i + 1; k < TERMS; k++)
            w[i] -= a[k][i] * w[k];
        w[i] /= a[i][i];
    }
    out->error = m->yy;
    for (int i = 0; i < TERMS; i++) {
        out->error -= 2 * w[i] * m->xy[i];
        for (int j = 0; j < TERMS; j++)
            out->error += w[i] * w[j] * m->xx[i > j ? i : j][i > j ? j : i];
    }
}

static int by_value(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

/* Tries one threshold. */
static void try_split(const fit *f, node *at, const moments *all, int feature, int32_t threshold)
{
    moments low = {.n = 0}, high = {.n = 0};
    model of_low, of_high;
    for (size_t i = at->begin; i < at->end; i++)
        if (f->samples[i]->features[feature] < threshold)
            add(&low, f->samples[i], f->features, 1);
    subtract(all, &low, &high);
    if (low.n < LEAF_SAMPLES || high.n < LEAF_SAMPLES)
        return;
    solve(&low, &of_low);
    solve(&high, &of_high);
    const double gain = at->model.error - of_low.error - of_high.error;
    if (gain <= at->gain || gain < least_gain * at->model.error)
        return;
    at->gain = gain;
    at->feature = feature;
    at->threshold = threshold;
}

/* The node's model, and how it is best split. */
static rp_status look(const fit *f, node *at)
{
    const size_t n = at->end - at->begin;
    moments all = {.n = 0};
    int32_t *values = rp__alloc_array(n, sizeof *values);
    if (!values)
        return RP_NO_MEMORY;
    for (size_t i = at->begin; i < at->end; i++)
        add(&all, f->samples[i], f->features, 1);
    solve(&all, &at->model);
    at->feature = -1;
    at->gain = 0;
    for (int feature = 0; feature < RP_COST_FEATURES; feature++) {
        if (!(f->features >> feature & 1))
            continue;
        for (size_t i = 0; i < n; i++)
            values[i] = f->samples[at->begin + i]->features[feature];
        qsort(values, n, sizeof *values, by_value);
        for (size_t q = 1; q < QUANTILES; q++)
            try_split(f, at, &all, feature, values[n * q / QUANTILES]);
    }
    rp__free(values);
    return RP_OK;
}

/* Samples below the threshold first; where the others begin. */
static size_t divide(const fit *f, const node *at)
{
    size_t next = at->begin;
    for (size_t i = at->begin; i < at->end; i++) {
        const rp__cost_sample *s = f->samples[i];
        if (s->features[at->feature] >= at->threshold)
            continue;
        f->samples[i] = f->samples[next];
        f->samples[next++] = s;
    }
    return next;
}

static rp_status split(fit *f, uint32_t i)
{
    rp__cost_tree *tree = f->tree;
    const size_t middle = divide(f, &f->nodes[i]);
    const uint32_t low = tree->n, high = tree->n + 1;
    tree->n += 2;
    f->nodes[low] = (node){.begin = f->nodes[i].begin, .end = middle};
    f->nodes[high] = (node){.begin = middle, .end = f->nodes[i].end};
    tree->rules[i] = (rp__cost_rule){.feature = (uint8_t)f->nodes[i].feature,
                                     .low = (uint8_t)low,
                                     .high = (uint8_t)high,
                                     .threshold = f->nodes[i].threshold};
    tree->rules[low].feature = tree->rules[high].feature = RP_COST_LEAF;
    f->nodes[i].feature = -1;
    rp_status status = look(f, &f->nodes[low]);
    return status == RP_OK ? look(f, &f->nodes[high]) : status;
}

static int32_t to_fixed(double x)
{
    const double scaled = round(x * unit);
    return scaled > INT32_MAX ? INT32_MAX : scaled < INT32_MIN ? INT32_MIN : (int32_t)scaled;
}

static double predict(const model *m, const rp__cost_sample *s, uint32_t features)
{
    double sum = m->weights[RP_COST_FEATURES];
    for (int i = 0; i < RP_COST_FEATURES; i++)
        sum += features >> i & 1 ? m->weights[i] * s->features[i] / unit : 0;
    return sum;
}

/* From least squares of logarithms to the least relative error, by least squares again in which a sample counts by how
 * wrong it was: an error of e^d counts |e^d - 1|. */
static void sharpen(const fit *f, node *leaf)
{
    for (int pass = 0; pass < PASSES; pass++) {
        moments m = {.n = 0};
        for (size_t i = leaf->begin; i < leaf->end; i++) {
            const double off =
                predict(&leaf->model, f->samples[i], f->features) - logarithm(f->samples[i]);
            const double least = fabs(off) > least_off ? fabs(off) : least_off;
            add(&m, f->samples[i], f->features,
                off > 0 ? expm1(least) / (least * least) : -expm1(-least) / (least * least));
        }
        solve(&m, &leaf->model);
    }
}

static void fill_leaves(fit *f)
{
    for (uint32_t i = 0; i < f->tree->n; i++) {
        rp__cost_rule *rule = &f->tree->rules[i];
        if (rule->feature != RP_COST_LEAF)
            continue;
        sharpen(f, &f->nodes[i]);
        rule->bias = to_fixed(f->nodes[i].model.weights[RP_COST_FEATURES]);
        for (int j = 0; j < RP_COST_FEATURES; j++)
            rule->weights[j] = f->features >> j & 1 ? to_fixed(f->nodes[i].model.weights[j]) : 0;
    }
}

static rp_status grow(fit *f, size_t n)
{
    f->tree->n = 1;
    f->tree->rules[0].feature = RP_COST_LEAF;
    f->nodes[0] = (node){.begin = 0, .end = n};
    rp_status status = look(f, &f->nodes[0]);
    while (status == RP_OK && f->tree->n + 2 <= RP_COST_RULES) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < f->tree->n; i++)
            if (f->nodes[i].feature >= 0 &&
                (f->nodes[best].feature < 0 || f->nodes[i].gain > f->nodes[best].gain))
                best = i;
        if (f->nodes[best].feature < 0)
            break;
        status = split(f, best);
    }
    return status;
}

rp_status rp__cost_fit(const rp__cost_sample *samples, size_t n, uint32_t features,
                       rp__cost_tree *out)
{
    *out = (rp__cost_tree){0};
    if (n == 0)
        return RP_USAGE;
    fit *f = rp__alloc_zero(1, sizeof *f);
    const rp__cost_sample **order = rp__alloc_array(n, sizeof *order);
    rp_status status = f && order ? RP_OK : RP_NO_MEMORY;
    if (status == RP_OK) {
        for (size_t i = 0; i < n; i++)
            order[i] = &samples[i];
        *f = (fit){.samples = order, .features = features, .tree = out};
        status = grow(f, n);
    }
    if (status == RP_OK)
        fill_leaves(f);
    else
        *out = (rp__cost_tree){0};
    rp__free(order);
    rp__free(f);
    return status;
}
