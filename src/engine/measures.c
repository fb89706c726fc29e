/* measures.c: the table of measures. Definitions are those of trec_eval 9.0; rbp is Moffat and
 * Zobel's (2008) with binary relevance. A cut beyond the end of a ranking counts what is missing as
 * not relevant. */
#include "engine/measures.h"

#include <math.h>

static bool is_relevant(const rp__ranking *r, size_t i)
{
    return r->grades[i] >= r->level;
}

static size_t found_by(const rp__ranking *r, double cut)
{
    size_t found = 0;
    for (size_t i = 0; i < r->n && (double)i < cut; i++)
        found += is_relevant(r, i);
    return found;
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static double num_ret(const rp__ranking *r, double number)
{
    (void)number;
    return (double)r->n;
}

static double num_rel(const rp__ranking *r, double number)
{
    (void)number;
    return (double)r->n_relevant;
}

static double num_rel_ret(const rp__ranking *r, double number)
{
    (void)number;
    return (double)r->n_found;
}

static double map_cut(const rp__ranking *r, double cut)
{
    double sum = 0;
    size_t found = 0;
    for (size_t i = 0; i < r->n && (double)i < cut; i++)
        if (is_relevant(r, i))
            sum += (double)++found / (double)(i + 1);
    return share(sum, (double)r->n_relevant);
}

static double map(const rp__ranking *r, double number)
{
    (void)number;
    return map_cut(r, INFINITY);
}

static double r_prec(const rp__ranking *r, double number)
{
    (void)number;
    return share((double)found_by(r, (double)r->n_relevant), (double)r->n_relevant);
}

/* How seldom judged documents that are not relevant stand before relevant ones. */
static double bpref(const rp__ranking *r, double number)
{
    (void)number;
    double sum = 0, most = (double)r->n_relevant;
    double least = r->n_other < r->n_relevant ? (double)r->n_other : most, others = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (is_relevant(r, i))
            sum += others > 0 ? 1 - (others < most ? others : most) / least : 1;
        else if (r->grades[i] >= 0)
            others++;
    }
    return share(sum, most);
}

static double recip_rank(const rp__ranking *r, double number)
{
    (void)number;
    for (size_t i = 0; i < r->n; i++)
        if (is_relevant(r, i))
            return 1 / (double)(i + 1);
    return 0;
}

static double precision(const rp__ranking *r, double cut)
{
    return (double)found_by(r, cut) / cut;
}

static double recall(const rp__ranking *r, double cut)
{
    return share((double)found_by(r, cut), (double)r->n_relevant);
}

static double success(const rp__ranking *r, double cut)
{
    return found_by(r, cut) > 0;
}

static double gain_of(const int32_t *grades, size_t n, double cut)
{
    double sum = 0;
    for (size_t i = 0; i < n && (double)i < cut; i++)
        if (grades[i] > 0)
            sum += grades[i] / log2((double)i + 2);
    return sum;
}

static double ndcg_cut(const rp__ranking *r, double cut)
{
    return share(gain_of(r->grades, r->n, cut), gain_of(r->ideal, r->n_ideal, cut));
}

static double ndcg(const rp__ranking *r, double number)
{
    (void)number;
    return ndcg_cut(r, INFINITY);
}

/* The best precision of any cut that has found this share of the relevant. */
static double iprec_at_recall(const rp__ranking *r, double recall_wanted)
{
    size_t want = (size_t)(recall_wanted * (double)r->n_relevant + 0.9), found = 0;
    double best = 0;
    for (size_t i = 0; i < r->n; i++) {
        found += is_relevant(r, i);
        double here = (double)found / (double)(i + 1);
        if (found >= want && here > best)
            best = here;
    }
    return best;
}

static double eleven_points(const rp__ranking *r, double number)
{
    (void)number;
    double sum = 0;
    for (int i = 0; i <= 10; i++)
        sum += iprec_at_recall(r, i / 10.0);
    return sum / 11;
}

static double set_p(const rp__ranking *r, double number)
{
    (void)number;
    return share((double)r->n_found, (double)r->n);
}

static double set_recall(const rp__ranking *r, double number)
{
    (void)number;
    return share((double)r->n_found, (double)r->n_relevant);
}

static double set_f(const rp__ranking *r, double number)
{
    double p = set_p(r, number), q = set_recall(r, number);
    return share(2 * p * q, p + q);
}

static double rbp(const rp__ranking *r, double number)
{
    (void)number;
    double sum = 0, weight = 1 - r->persistence;
    for (size_t i = 0; i < r->n; i++, weight *= r->persistence)
        sum += is_relevant(r, i) ? weight : 0;
    return sum;
}

static const char *const cuts[] = {"5", "10", "15", "20", "30", "100", "200", "500", "1000", NULL};
static const char *const few_cuts[] = {"1", "5", "10", NULL};
static const char *const recalls[] = {"0.00", "0.10", "0.20", "0.30", "0.40", "0.50",
                                      "0.60", "0.70", "0.80", "0.90", "1.00", NULL};

/* clang-format off */
static const rp__measure measures[] = {
    {"num_ret", RP_MEASURE_COUNT, NULL, num_ret},
    {"num_rel", RP_MEASURE_COUNT, NULL, num_rel},
    {"num_rel_ret", RP_MEASURE_COUNT, NULL, num_rel_ret},
    {"map", RP_MEASURE_MEAN, NULL, map},
    {"gm_map", RP_MEASURE_GEOMETRIC, NULL, map},
    {"Rprec", RP_MEASURE_MEAN, NULL, r_prec},
    {"bpref", RP_MEASURE_MEAN, NULL, bpref},
    {"recip_rank", RP_MEASURE_MEAN, NULL, recip_rank},
    {"iprec_at_recall_", RP_MEASURE_MEAN, recalls, iprec_at_recall},
    {"P_", RP_MEASURE_MEAN, cuts, precision},
    {"recall_", RP_MEASURE_MEAN, cuts, recall},
    {"gm_bpref", RP_MEASURE_GEOMETRIC, NULL, bpref},
    {"11pt_avg", RP_MEASURE_MEAN, NULL, eleven_points},
    {"ndcg", RP_MEASURE_MEAN, NULL, ndcg},
    {"ndcg_cut_", RP_MEASURE_MEAN, cuts, ndcg_cut},
    {"map_cut_", RP_MEASURE_MEAN, cuts, map_cut},
    {"success_", RP_MEASURE_MEAN, few_cuts, success},
    {"set_P", RP_MEASURE_MEAN, NULL, set_p},
    {"set_recall", RP_MEASURE_MEAN, NULL, set_recall},
    {"set_F", RP_MEASURE_MEAN, NULL, set_f},
    {"rbp", RP_MEASURE_MEAN, NULL, rbp},
};
/* clang-format on */

const rp__measure *rp__measures_at(size_t i)
{
    return i < sizeof measures / sizeof measures[0] ? &measures[i] : NULL;
}
