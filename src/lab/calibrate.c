/* calibrate.c: queries are timed on a core, by its own clock, and on the card, by the wall's; then rules are fitted to three of
 * four and tested with the fourth. */
#include "lab/calibrate.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/clock.h"
#include "base/error.h"
#include "engine/cost_file.h"
#include "engine/cost_fit.h"
#include "engine/replay_record.h"
#include "engine/searcher.h"
#include "lab/lab.h"
#include "lab/times.h"

enum { ROUNDS_MOST = 15, CHUNK = 256, KEPT = 4 };

static const rp_mode modes[RP_CALIBRATE_MODES] = {RP_MODE_AND, RP_MODE_OR};
static const char *const mode_names[] = {"and", "or", NULL};
static const char *const processor_names[] = {"cpu", "gpu", "batch", NULL};

typedef struct measured {
    rp__cost_facts facts;
    uint64_t ns[RP_COST_PROCESSORS];
    uint64_t feed_ns; /* of the host, as one of a batch; 0: not measured */
    bool has_card;    /* the card answered it */
} measured;

struct rp__calibrate {
    const rp__bench_query_set *queries;
    const rp__calibrate_options *options;
    measured *at[RP_CALIBRATE_MODES]; /* by query */
    rp__cost_model model;
    rp__calibrate_figures figures;
};

const char *rp__calibrate_mode(size_t i)
{
    return i < RP_CALIBRATE_MODES ? mode_names[i] : NULL;
}

const char *rp__calibrate_processor(size_t i)
{
    return i < RP_CALIBRATE_PROCESSORS ? processor_names[i] : NULL;
}

/* ---- Measuring ------------------------------------------------------------------------------- */

typedef struct look {
    rp_searcher *searcher;
    const rp_topic *topic;
    rp_mode mode;
    rp__cost_facts facts;
    rp_error err;
} look;

static rp_status run_look(void *arg)
{
    look *l = arg;
    rp__query bound;
    rp_status status = rp__searcher_bind(l->searcher, l->topic->query, l->topic->query_bytes,
                                         l->mode, &bound, &l->err);
    if (status != RP_OK)
        return status;
    rp__cost_look(&bound, &l->facts);
    rp__cost_measure(&bound, &l->facts);
    return RP_OK;
}

/* What reading a clock twice adds to what is between: of a core's own clock up to the tenth of a short query. */
static uint64_t cost_of(uint64_t (*clock)(void))
{
    enum { READS = 101 };
    uint64_t times[READS];
    for (int i = 0; i < READS; i++) {
        const uint64_t begin = clock();
        times[i] = clock() - begin;
    }
    return rp__times_median(times, READS);
}

/* All queries on one processor, in turn, `rounds` times: so that each finds caches as in a log. */
static rp_status time_singles(rp__calibrate *c, rp_searcher *searcher, size_t mode,
                              rp__cost_processor processor, rp_error *err)
{
    const uint32_t rounds = c->options->rounds;
    const size_t n = c->queries->n;
    const bool is_core = processor == RP_COST_CPU;
    uint64_t (*const clock)(void) = is_core ? rp__clock_thread : rp__clock_now;
    const uint64_t own = cost_of(clock);
    uint64_t *times = rp__alloc_array(n * rounds, sizeof *times);
    rp_status status = times ? RP_OK : rp__error_no_memory(err);
    for (uint32_t r = 0; r < rounds + 1 && status == RP_OK; r++)
        for (size_t i = 0; i < n && status == RP_OK; i++) {
            const rp_topic *topic = &c->queries->at[i].topic;
            rp__lab_answer answer;
            const uint64_t begin = clock();
            status = rp__lab_search(searcher, topic->query, topic->query_bytes, &answer, err);
            const uint64_t ns = clock() - begin;
            if (r > 0)
                times[i * rounds + r - 1] = ns > own ? ns - own : 1;
            if (!is_core && status == RP_OK)
                c->at[mode][i].has_card = answer.processor && answer.processor[0] == 'g';
        }
    for (size_t i = 0; i < n && status == RP_OK; i++)
        c->at[mode][i].ns[processor] = rp__times_median(&times[i * rounds], rounds);
    rp__free(times);
    return status;
}

static const measured *sorted; /* of by_reading; one thread */

static int by_reading(const void *a, const void *b)
{
    const uint64_t x = sorted[*(const size_t *)a].facts.reading,
                   y = sorted[*(const size_t *)b].facts.reading;
    return x < y ? -1 : x > y;
}

/* Queries of about the same length together: their share of the card's time is about the same. */
static rp_status time_chunk(rp__calibrate *c, rp_searcher *searcher, size_t mode, const size_t *by,
                            size_t n, rp_error *err)
{
    rp_batch_query queries[CHUNK];
    rp_batch_report report = {0};
    uint64_t times[ROUNDS_MOST], feeds[ROUNDS_MOST];
    for (size_t i = 0; i < n; i++)
        queries[i] = (rp_batch_query){.query = c->queries->at[by[i]].topic.query,
                                      .query_bytes = c->queries->at[by[i]].topic.query_bytes};
    for (uint32_t r = 0; r < c->options->rounds + 1; r++) {
        rp_status status = rp_searcher_batch(searcher, queries, n, NULL, &report, err);
        for (size_t i = 0; i < n; i++)
            rp_hits_free(&queries[i].hits);
        if (status != RP_OK)
            return status;
        if (r > 0) {
            times[r - 1] = (uint64_t)(report.wait_seconds * 1e9);
            feeds[r - 1] = (uint64_t)((report.prepare_seconds + report.name_seconds) * 1e9);
        }
    }
    const uint64_t ns = rp__times_median(times, c->options->rounds) / n;
    const uint64_t feed_ns =
        report.n_grouped ? rp__times_median(feeds, c->options->rounds) / report.n_grouped : 0;
    for (size_t i = 0; i < n; i++) {
        c->at[mode][by[i]].ns[RP_COST_BATCH] = ns ? ns : 1;
        c->at[mode][by[i]].feed_ns = feed_ns;
    }
    return RP_OK;
}

static rp_status time_batches(rp__calibrate *c, rp_searcher *searcher, size_t mode, rp_error *err)
{
    const size_t n = c->queries->n;
    size_t *by = rp__alloc_array(n, sizeof *by);
    rp_status status = by ? RP_OK : rp__error_no_memory(err);
    for (size_t i = 0; i < n && by; i++)
        by[i] = i;
    sorted = c->at[mode];
    if (by)
        qsort(by, n, sizeof *by, by_reading);
    for (size_t i = 0; i < n && status == RP_OK; i += CHUNK)
        status = time_chunk(c, searcher, mode, by + i, n - i < CHUNK ? n - i : CHUNK, err);
    rp__free(by);
    return status;
}

static rp_status measure_mode(rp__calibrate *c, const rp_index *index, size_t mode, rp_error *err)
{
    rp_search_options o = c->options->search;
    rp_searcher *cpu = NULL, *gpu = NULL;
    o.mode = modes[mode];
    o.threads = 1;
    o.processor = "cpu";
    rp_status status = rp_searcher_new(index, &o, &cpu, err);
    o.processor = "gpu";
    if (status == RP_OK && c->options->has_card)
        status = rp_searcher_new(index, &o, &gpu, err);
    for (size_t i = 0; i < c->queries->n && status == RP_OK; i++) {
        look l = {.searcher = cpu, .topic = &c->queries->at[i].topic, .mode = modes[mode]};
        status = rp__searcher_guard(cpu, run_look, &l, &l.err, err);
        c->at[mode][i].facts = l.facts;
    }
    if (status == RP_OK)
        status = time_singles(c, cpu, mode, RP_COST_CPU, err);
    if (status == RP_OK && gpu)
        status = time_singles(c, gpu, mode, RP_COST_GPU, err);
    if (status == RP_OK && gpu)
        status = time_batches(c, gpu, mode, err);
    for (size_t i = 0; i < c->queries->n && gpu; i++) /* what has no list never reaches the card */
        if (c->at[mode][i].facts.shortest == 0)
            c->at[mode][i].ns[RP_COST_GPU] = c->at[mode][i].ns[RP_COST_CPU];
    rp_searcher_free(gpu);
    rp_searcher_free(cpu);
    return status;
}

/* ---- Fitting and testing --------------------------------------------------------------------- */

static bool is_kept(size_t i)
{
    return i % KEPT == KEPT - 1;
}

static bool counts(const measured *m, rp__cost_processor processor, int shape)
{
    return (int)m->facts.shape == shape && m->facts.shortest > 0 &&
           (processor == RP_COST_CPU || m->has_card);
}

static rp_status fit_tree(rp__calibrate *c, size_t mode, rp__cost_processor processor, int shape)
{
    const size_t n = c->queries->n;
    size_t used = 0;
    rp__cost_sample *samples = rp__alloc_array(n, sizeof *samples);
    if (!samples)
        return RP_NO_MEMORY;
    for (size_t i = 0; i < n; i++) {
        const measured *m = &c->at[mode][i];
        if (is_kept(i) || !counts(m, processor, shape))
            continue;
        rp__cost_sample *s = &samples[used++];
        for (int f = 0; f < RP_COST_FEATURES; f++)
            s->features[f] = m->facts.features[f];
        s->ns = m->ns[processor];
    }
    rp__cost_tree *tree = &c->model.trees[processor][shape];
    rp_status status = RP_OK;
    if (used >= 2 * RP_COST_FEATURES && tree->n == 0)
        status = rp__cost_fit(samples, used, c->options->dings ? RP_COST_DINGS : RP_COST_ALL, tree);
    rp__calibrate_error *e = &c->figures.errors[mode][processor];
    e->fitted += tree->n ? used : 0;
    e->rules += tree->n ? (tree->n + 1) / 2 : 0; /* leaves */
    rp__free(samples);
    return status;
}

static int by_real(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static rp_status test_mode(rp__calibrate *c, size_t mode, rp__cost_processor processor)
{
    rp__calibrate_error *e = &c->figures.errors[mode][processor];
    double *errors = rp__alloc_array(c->queries->n, sizeof *errors), sum = 0;
    if (!errors)
        return RP_NO_MEMORY;
    for (size_t i = 0; i < c->queries->n; i++) {
        const measured *m = &c->at[mode][i];
        const rp__cost_tree *tree = &c->model.trees[processor][m->facts.shape];
        if (!is_kept(i) || !tree->n || !counts(m, processor, (int)m->facts.shape))
            continue;
        const double ns = (double)m->ns[processor];
        errors[e->tested] = fabs((double)rp__cost_tree_estimate(tree, m->facts.features) - ns) / ns;
        sum += errors[e->tested++];
    }
    qsort(errors, e->tested, sizeof *errors, by_real);
    if (e->tested > 0) {
        e->mean = sum / (double)e->tested;
        e->p50 = errors[e->tested / 2];
        e->p90 = errors[e->tested * 9 / 10];
        e->p99 = errors[e->tested * 99 / 100];
    }
    rp__free(errors);
    return RP_OK;
}

/* What choices by estimates cost, of queries that were kept. */
static void test_choices(rp__calibrate *c, size_t mode)
{
    double cpu = 0, gpu = 0, perfect = 0, chosen = 0;
    size_t n = 0;
    for (size_t i = 0; i < c->queries->n; i++) {
        const measured *m = &c->at[mode][i];
        rp__policy_job job = {0};
        if (!is_kept(i) || !m->has_card)
            continue;
        rp__cost_estimate(&c->model, &m->facts, &job);
        const double core = (double)m->ns[RP_COST_CPU], card = (double)m->ns[RP_COST_GPU];
        cpu += core;
        gpu += card;
        perfect += core < card ? core : card;
        chosen += job.gpu_ns < job.cpu_ns ? card : core;
        n++;
    }
    const double per = n ? 1 / (double)n : 0;
    c->figures.cpu[mode] = cpu * per;
    c->figures.gpu[mode] = gpu * per;
    c->figures.perfect[mode] = perfect * per;
    c->figures.chosen[mode] = chosen * per;
}

/* ---- The crossover --------------------------------------------------------------------------- */

static size_t ratio_of(const rp__cost_facts *facts)
{
    const uint32_t width = rp__bits_width64(facts->second / facts->shortest);
    return width < RP_CALIBRATE_RATIOS ? width - 1 : RP_CALIBRATE_RATIOS - 1;
}

/* Griffin's Figure 8: costs by the ratio of the two shortest lists. */
static void sum_ratios(rp__calibrate *c, size_t mode)
{
    rp__calibrate_ratio *ratios = c->figures.ratios[mode];
    const bool has_card = c->options->has_card;
    for (size_t i = 0; i < c->queries->n; i++) {
        const measured *m = &c->at[mode][i];
        if (m->facts.shortest == 0 || (has_card && !m->has_card))
            continue;
        rp__calibrate_ratio *r = &ratios[ratio_of(&m->facts)];
        r->n++;
        for (int p = 0; p < (has_card ? RP_COST_PROCESSORS : 1); p++)
            r->ns[p] += ((double)m->ns[p] - r->ns[p]) / (double)r->n;
    }
    c->figures.has_card = has_card;
    for (size_t i = RP_CALIBRATE_RATIOS; has_card && i-- > 0;) {
        const double *ns = ratios[i].ns;
        if (ratios[i].n > 0 && ns[RP_COST_CPU] >= ns[RP_COST_GPU])
            break;
        if (ratios[i].n > 0)
            c->figures.crossover[mode] = 1U << i;
    }
}

static rp_status fit_mode(rp__calibrate *c, size_t mode)
{
    rp_status status = RP_OK;
    const int processors = c->options->has_card ? RP_COST_PROCESSORS : 1;
    for (int p = 0; p < processors && status == RP_OK; p++) {
        for (int shape = 0; shape < RP_AUTO_SHAPES && status == RP_OK; shape++)
            status = fit_tree(c, mode, (rp__cost_processor)p, shape);
        if (status == RP_OK)
            status = test_mode(c, mode, (rp__cost_processor)p);
    }
    test_choices(c, mode);
    sum_ratios(c, mode);
    return status;
}

/* ---- Both ------------------------------------------------------------------------------------ */

/* What the host spends for a query of the card: the median of all that were measured. */
static rp_status find_feed(rp__calibrate *c)
{
    const size_t n = c->queries->n;
    size_t used = 0;
    uint64_t *times = rp__alloc_array(RP_CALIBRATE_MODES * n, sizeof *times);
    if (!times)
        return RP_NO_MEMORY;
    for (size_t mode = 0; mode < RP_CALIBRATE_MODES; mode++)
        for (size_t i = 0; i < n; i++)
            if (c->at[mode][i].has_card && c->at[mode][i].feed_ns > 0)
                times[used++] = c->at[mode][i].feed_ns;
    c->model.feed_ns = used ? rp__times_median(times, used) : 0;
    c->figures.feed_ns = c->model.feed_ns;
    rp__free(times);
    return RP_OK;
}

rp_status rp__calibrate_run(const rp_index *index, const rp__bench_query_set *queries,
                            const rp__calibrate_options *options, rp__calibrate **out,
                            rp_error *err)
{
    *out = NULL;
    if (options->rounds < 1 || options->rounds > ROUNDS_MOST)
        return rp__error_set(err, RP_USAGE, "%u rounds; choose 1 to %d", options->rounds,
                             ROUNDS_MOST);
    rp__calibrate *c = rp__alloc_zero(1, sizeof *c);
    if (!c)
        return rp__error_no_memory(err);
    c->queries = queries;
    c->options = options;
    rp_status status = RP_OK;
    for (size_t mode = 0; mode < RP_CALIBRATE_MODES && status == RP_OK; mode++) {
        c->at[mode] = rp__alloc_zero(queries->n, sizeof *c->at[mode]);
        status = c->at[mode] ? measure_mode(c, index, mode, err) : rp__error_no_memory(err);
        if (status == RP_OK && fit_mode(c, mode) != RP_OK)
            status = rp__error_no_memory(err);
    }
    if (status == RP_OK && find_feed(c) != RP_OK)
        status = rp__error_no_memory(err);
    if (status != RP_OK) {
        rp__calibrate_free(c);
        return status;
    }
    *out = c;
    return RP_OK;
}

void rp__calibrate_free(rp__calibrate *c)
{
    for (size_t mode = 0; c && mode < RP_CALIBRATE_MODES; mode++)
        rp__free(c->at[mode]);
    rp__free(c);
}

void rp__calibrate_get_figures(const rp__calibrate *calibrate, rp__calibrate_figures *out)
{
    *out = calibrate->figures;
}

void rp__calibrate_record(const rp__calibrate *c, size_t mode, const char *machine, FILE *file)
{
    rp__replay_record_begin(file, machine);
    for (size_t i = 0; i < c->queries->n; i++) {
        const measured *m = &c->at[mode][i];
        rp__replay_cost cost = {.cpu_ns = m->ns[RP_COST_CPU]};
        rp__cost_estimate(&c->model, &m->facts, &cost.likely);
        cost.feed_ns = m->feed_ns ? m->feed_ns : cost.likely.feed_ns;
        cost.gpu_ns = m->has_card ? m->ns[RP_COST_GPU] : RP_POLICY_NEVER;
        cost.batch_ns = !m->has_card                                ? 0
                        : m->ns[RP_COST_BATCH] < m->ns[RP_COST_GPU] ? m->ns[RP_COST_BATCH]
                                                                    : m->ns[RP_COST_GPU];
        if (!m->has_card)
            cost.likely.gpu_ns = RP_POLICY_NEVER;
        rp__replay_record_put(file, &cost);
    }
}

rp_status rp__calibrate_write_costs(const rp__calibrate *c, const rp_index *index, rp__buf *out,
                                    rp_error *err)
{
    const char *gpu = c->options->search.gpu;
    rp_index_info info;
    uint32_t trees = 0;
    for (int p = 0; p < RP_COST_PROCESSORS; p++)
        for (int shape = 0; shape < RP_AUTO_SHAPES; shape++)
            trees += c->model.trees[p][shape].n > 0;
    if (trees == 0)
        return rp__error_set(err, RP_INPUT, "too few queries to fit rules: %zu; give more",
                             c->queries->n);
    rp__cost_file *file = rp__alloc(sizeof *file);
    if (!file)
        return rp__error_no_memory(err);
    rp_index_get_info(index, &info);
    file->model = c->model;
    rp__cost_file_here(c->options->has_card ? gpu ? gpu : "" : NULL, &file->about);
    snprintf(file->about.codec, sizeof file->about.codec, "%s", info.codec);
    rp__cost_file_write(file, out);
    rp__free(file);
    return out->failed ? rp__error_no_memory(err) : RP_OK;
}
