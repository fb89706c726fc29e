/* sim_world.h: random machines with random lists and queries, and their right answers. */
#ifndef RP_TESTS_SIM_WORLD_H
#define RP_TESTS_SIM_WORLD_H

#include "sim_laws.h"

typedef struct query {
    uint32_t type, a, b;
    rp__descriptor descriptor;
    rp__result_slot *want;
    uint32_t n_want;
} query;

/* When a unit was not idle: cycles from `from` on, up to `end`. In the order of time. */
typedef struct busy {
    uint64_t from, end;
} busy;

typedef struct unit_log {
    busy *at;
    size_t n, cap;
} unit_log;

typedef struct world {
    sim_image image;
    case_list lists[6];
    uint32_t n_lists, flags[6]; /* flags: of lists */
    bool has_range;
    query queries[12];
    uint32_t n_queries;
    uint8_t *results;
    size_t results_bytes;
    rp__sim_config config;
    unit_log logs[RP_SIM_REPORT_UNITS]; /* by unit */
} world;

static inline uint32_t below(rp__random *random, uint32_t n)
{
    return rp__random_below(random, n);
}

/* Small numbers more often than large ones. */
static inline uint32_t skewed(rp__random *random, uint32_t min, uint32_t max)
{
    uint32_t bits = below(random, rp__bits_width(max - min) + 1);
    uint32_t v = min + below(random, 1U << bits);
    return v < max ? v : max;
}

/* Small or large, as often. */
static inline uint32_t either(rp__random *random, uint32_t max)
{
    return below(random, 2) ? skewed(random, 1, max) : 1 + below(random, max);
}

static inline void draw_config(rp__sim_config *c, rp__random *random)
{
    rp__sim_config_init(c);
    c->cores = 1 + below(random, 8);
    c->mode = below(random, 3);
    c->shrink = below(random, 2);
    c->command_queue = skewed(random, 2, 16);
    c->switch_latency = skewed(random, 1, 4);
    c->br_entries = skewed(random, 2, 64);
    c->bsch_lines = skewed(random, 2, 8);
    c->dcu_lines = skewed(random, 2, 4);
    c->dcu_latency = skewed(random, 1, 4);
    c->dcu_out = skewed(random, 2, 64);
    c->su_latency = skewed(random, 1, 30);
    c->su_fifo = skewed(random, 2, 64);
    c->su_lines = skewed(random, 1, 8);
    c->traversal = skewed(random, 1, 32);
    c->candidates = skewed(random, 2, 8);
    c->port_depth = skewed(random, 2, 4);
    c->mai_entries = skewed(random, 1, 128);
    c->mai_accept = skewed(random, 1, 4);
    c->mai_return = skewed(random, 1, 4);
    c->mai_out = skewed(random, 2, 8);
    c->dl = below(random, 3);
    c->memory = below(random, 4);
    strcpy(c->controller, (const char *[]){"compat", "r21", "frfcfs"}[below(random, 3)]);
    c->latency = skewed(random, 1, 100);
    c->latency_max = c->latency + skewed(random, 0, 1900);
    c->seed = below(random, 1000);
    c->bsu_line = below(random, 4) == 0;
    c->skips = below(random, 4) == 0;
    c->threshold = below(random, 2);
    c->topk = below(random, 6) == 0 ? 1 + below(random, 40) : 0;
    c->abandon = below(random, 4) != 0;
    if (below(random, 8) == 0) {
        c->tlb_entries = 1 + below(random, 4);
        c->tlb_page_bits = 12;
        c->tlb_preload = below(random, 2);
    }
}

/* Takes back what the keys drawn before leave without use, as rp__sim_config_check refuses it. */
static inline void settle_config(rp__sim_config *c)
{
    rp__sim_config initial;
    rp__sim_config_init(&initial);
    c->threshold = c->threshold && c->topk;
    if (c->memory == RP_SIM_MEMORY_IDEAL || c->memory == RP_SIM_MEMORY_DRAM)
        c->latency = initial.latency;
    if (c->memory != RP_SIM_MEMORY_RANDOM) {
        c->latency_max = initial.latency_max;
        c->seed = initial.seed;
    }
    if (c->memory != RP_SIM_MEMORY_DRAM) {
        strcpy(c->standard, initial.standard);
        strcpy(c->controller, initial.controller);
    }
}

static inline void draw_lists(world *w, rp__random *random)
{
    uint32_t n_docs = either(random, 4000);
    image_begin(&w->image, n_docs, random);
    size_t align = (size_t[]){64, 64, 1, 4}[below(random, 4)];
    w->n_lists = 1 + below(random, 6);
    for (uint32_t i = 0; i < w->n_lists; i++) {
        uint32_t n = either(random, n_docs < 2000 ? n_docs : 2000);
        w->image.flags = w->flags[i];
        image_add_random(&w->image, &w->lists[i], n, skewed(random, 1, 256),
                         1U << below(random, 20), align, random);
    }
}

/* Turns an OR into one of a range of docids. */
static inline void make_range(world *w, query *q, rp__random *random)
{
    uint32_t from = below(random, w->image.n_docs + 1);
    uint32_t end = from + below(random, w->image.n_docs + 10 - from), n = 0;
    q->descriptor.flags = RP_SIM_RANGE;
    q->descriptor.reserved = from | (uint64_t)end << 32;
    for (uint32_t i = 0; i < q->n_want; i++)
        if (q->want[i].doc >= from && q->want[i].doc < end)
            q->want[n++] = q->want[i];
    q->n_want = n;
    w->has_range = true;
}

static inline void draw_queries(world *w, rp__random *random)
{
    uint64_t at = rp__sim_results_at(w->image.n), begin = at;
    w->n_queries = 1 + below(random, 8);
    for (uint32_t i = 0; i < w->n_queries; i++) {
        query *q = &w->queries[i];
        q->type = below(random, 3);
        q->a = below(random, w->n_lists);
        q->b = below(random, w->n_lists);
        const case_list *a = &w->lists[q->a], *b = &w->lists[q->b];
        uint64_t cap = q->type == RP_SIM_OR ? (uint64_t)a->n + b->n : a->n;
        if (w->config.topk)
            cap += 16 * w->config.topk;
        q->descriptor = (rp__descriptor){.query_type = (uint8_t)q->type,
                                         .n_cores = (uint8_t)(1 + below(random, w->config.cores)),
                                         .tag = i,
                                         .list0 = a->header_at,
                                         .n_blocks0 = a->n_blocks,
                                         .list1 = b->header_at,
                                         .n_blocks1 = b->n_blocks,
                                         .result = at,
                                         .cap = cap,
                                         .dl_table = w->image.dl_at};
        at += (rp__sim_result_bytes(&q->descriptor) + 8 * below(random, 9) + 7) / 8 * 8;
        q->want = malloc(8 * (size_t)cap + 8);
        q->n_want = plain_answer(&w->image, q->type, a, b, q->want);
        if (q->type == RP_SIM_OR && below(random, 3) == 0)
            make_range(w, q, random);
    }
    w->results_bytes = (size_t)(at - begin);
    w->results = calloc(1, w->results_bytes + 1);
}

/* Any standard. */
static inline void draw_standard(rp__sim_config *c, rp__random *random)
{
    uint32_t n = 0;
    while (rp__dram_standard_name(n))
        n++;
    strcpy(c->standard, rp__dram_standard_name(below(random, n)));
}

/* By chance of its own, so that all else of a seed stays as it is. */
static inline void draw_layouts(world *w, uint64_t seed)
{
    rp__random random;
    rp__random_init(&random, ~seed);
    w->config.paired = below(&random, 2);
    w->config.bp128 = below(&random, 2) * (1 + below(&random, 32));
    for (uint32_t i = 0; i < 6; i++)
        w->flags[i] = (w->config.paired && below(&random, 2) ? RP_SIM_PAIRED : 0) |
                      (w->config.bp128 && below(&random, 2) ? RP_SIM_BP128 : 0);
    draw_standard(&w->config, &random);
}

static inline void world_init(world *w, uint64_t seed)
{
    rp__random random;
    rp__random_init(&random, seed);
    memset(w, 0, sizeof *w);
    draw_config(&w->config, &random);
    draw_layouts(w, seed);
    settle_config(&w->config);
    draw_lists(w, &random);
    draw_queries(w, &random);
}

static inline void world_free(world *w)
{
    for (uint32_t i = 0; i < w->n_lists; i++)
        case_list_free(&w->lists[i]);
    for (uint32_t i = 0; i < w->n_queries; i++)
        free(w->queries[i].want);
    image_free(&w->image);
    free(w->results);
    for (uint32_t i = 0; i < RP_SIM_REPORT_UNITS; i++)
        free(w->logs[i].at);
}

/* ---- Units between queries ------------------------------------------------------------------- */

static inline void log_spent(void *context, uint32_t unit, uint32_t spent, uint64_t from,
                             uint64_t cycles)
{
    unit_log *log = &((world *)context)->logs[unit];
    if (spent == RP_SIM_IDLE)
        return;
    if (log->n > 0 && log->at[log->n - 1].end == from) {
        log->at[log->n - 1].end += cycles;
        return;
    }
    if (log->n == log->cap) {
        log->cap = 2 * log->cap + 8;
        log->at = realloc(log->at, log->cap * sizeof *log->at);
        assert_non_null(log->at);
    }
    log->at[log->n++] = (busy){from, from + cycles};
}

static inline void forget_logs(world *w)
{
    for (size_t i = 0; i < RP_SIM_REPORT_UNITS; i++)
        w->logs[i].n = 0;
}

/* Cores have two of some units. */
static inline bool is_of_core(const rp__sim_unit_report *unit, uint32_t *core)
{
    switch (unit->kind) {
    case RP_SIM_KIND_DCU:
    case RP_SIM_KIND_SU:
    case RP_SIM_KIND_WRITE_BACK:
        *core = unit->index / 2;
        return true;
    case RP_SIM_KIND_BSU:
    case RP_SIM_KIND_L1_FETCH:
    case RP_SIM_KIND_MERGE:
        *core = unit->index;
        return true;
    default:
        return false;
    }
}

/* Whether a query had this core, from its start up to its completion, in all of these cycles. */
static inline bool has_query(const rp__completion *records, size_t n, uint32_t core, busy b)
{
    for (size_t i = 0; i < n; i++)
        if (records[i].cores >> core & 1 && b.from >= records[i].start &&
            b.end <= records[i].end + 1)
            return true;
    return false;
}

/* A unit that is idle asks for nothing: those of a core are, before and after its queries. */
static inline void check_idle(const rp__machine *m, const world *w, uint64_t seed)
{
    rp__sim_report r;
    size_t n;
    uint32_t core;
    const rp__completion *records = rp__machine_completions(m, &n);
    rp__machine_report(m, &r);
    for (uint32_t u = 0; u < r.n_units; u++)
        for (size_t i = 0; i < w->logs[u].n; i++)
            if (is_of_core(&r.units[u], &core) && !has_query(records, n, core, w->logs[u].at[i]))
                fail_msg("seed %llu: %s %u works in cycles %llu to %llu, without a query",
                         (unsigned long long)seed, rp__sim_stats_kind(r.units[u].kind),
                         r.units[u].index, (unsigned long long)w->logs[u].at[i].from,
                         (unsigned long long)w->logs[u].at[i].end);
}

static inline rp__machine *start(world *w, const uint32_t *order)
{
    rp__machine *m;
    rp_error err;
    rp__sim_memory memory = {.image = w->image.bytes,
                             .image_bytes = w->image.n,
                             .results = w->results,
                             .results_bytes = w->results_bytes,
                             .results_at = rp__sim_results_at(w->image.n)};
    forget_logs(w);
    w->config.on_spent = log_spent;
    w->config.spent_context = w;
    if (rp__machine_new(&w->config, &memory, &m, &err))
        fail_msg("%s", err.text);
    assert_int_equal(rp__machine_set_order(m, order), RP_OK);
    for (uint32_t i = 0; i < w->n_queries; i++)
        assert_int_equal(rp__machine_submit(m, &w->queries[i].descriptor), RP_OK);
    return m;
}

static inline int by_score(const void *x, const void *y)
{
    const rp__result_slot *a = x, *b = y;
    if (a->score != b->score)
        return a->score < b->score ? 1 : -1;
    return a->doc < b->doc ? -1 : 1;
}

/* topk: the k best of all lanes are the k best of all. */
static inline void check_best(const rp__machine *m, const query *q, const rp__completion *record,
                              uint32_t topk)
{
    rp__result_slot *got = malloc(8 * (size_t)record->n_results + 8);
    assert_int_equal(rp__machine_results(m, &q->descriptor, record, got), RP_OK);
    qsort(q->want, q->n_want, sizeof *q->want, by_score);
    uint32_t n = q->n_want < topk ? q->n_want : topk;
    assert_true(record->n_results >= n);
    assert_memory_equal(got, q->want, 8 * (size_t)n);
    free(got);
}

static inline void check_answer(const rp__machine *m, const query *q, const rp__completion *record,
                                uint32_t topk, uint64_t seed)
{
    if (record->status == RP_SIM_OK && topk) {
        check_best(m, q, record, topk);
        return;
    }
    if (record->status != RP_SIM_OK || record->n_results != q->n_want)
        fail_msg("seed %llu, query %u of type %u: %s, %llu results, not %u",
                 (unsigned long long)seed, record->tag, q->type,
                 rp__machine_status_name(record->status), (unsigned long long)record->n_results,
                 q->n_want);
    rp__result_slot *got = malloc(8 * (size_t)record->n_results + 8);
    assert_int_equal(rp__machine_results(m, &q->descriptor, record, got), RP_OK);
    for (uint32_t i = 0; i < q->n_want; i++)
        if (got[i].doc != q->want[i].doc || got[i].score != q->want[i].score)
            fail_msg("seed %llu, query %u of type %u: result %u is %u %u, not %u %u",
                     (unsigned long long)seed, record->tag, q->type, i, got[i].doc, got[i].score,
                     q->want[i].doc, q->want[i].score);
    free(got);
}

/* ---- Laws of a world; those of any run are in sim_laws.h --------------------------------------- */

static inline uint64_t lines_of(uint64_t at, uint64_t n_bits)
{
    return n_bits ? ((8 * at + n_bits - 1) >> 9) - (8 * at >> 9) + 1 : 0;
}

/* What block readers and block schedulers must have fetched and dispatched. */
static inline void check_front(const world *w, const rp__sim_report *r)
{
    uint64_t bits = 0, lines = 0, blocks = 0, meta = 0, skip = 0, written = 0;
    for (uint32_t i = 0; i < w->n_queries; i++) {
        const query *q = &w->queries[i];
        for (uint32_t k = 0; k < (q->type == RP_SIM_OR ? 2U : 1U); k++) {
            rp__list_header h;
            memcpy(&h, w->image.bytes + w->lists[k ? q->b : q->a].header_at, sizeof h);
            bits += h.payload_bits;
            blocks += h.n_blocks;
            lines += lines_of(h.payload_at, h.payload_bits);
            const bool is_paired = h.flags & RP_SIM_PAIRED;
            meta += is_paired ? lines_of(h.skip_at, UINT64_C(128) * h.n_blocks)
                              : lines_of(h.meta_at, UINT64_C(64) * h.n_blocks);
            skip += is_paired ? 0 : lines_of(h.skip_at, UINT64_C(32) * h.n_blocks);
        }
        meta += q->type == RP_SIM_SINGLE ? 1 : 2;
        written += q->n_want;
    }
    assert_int_equal(r->counts.reader_bits, bits);
    assert_int_equal(r->counts.reader_lines, lines);
    assert_int_equal(r->counts.requests[RP_SIM_TRAFFIC_INDEX], lines);
    if (!w->config.threshold)
        assert_int_equal(r->counts.requests[RP_SIM_TRAFFIC_META], meta);
    assert_true(r->counts.requests[RP_SIM_TRAFFIC_SKIP] >= skip);
    assert_int_equal(r->counts.blocks + r->counts.blocks_skipped, blocks);
    if (!w->config.topk)
        assert_int_equal(r->counts.written, written);
}

static inline void check_bounds(const world *w, const rp__completion *record)
{
    const query *q = &w->queries[record->tag];
    const bool is_cut = w->config.threshold && w->config.topk;
    if (!is_cut)
        check_time(&w->config, record, q->type, w->lists[q->a].n, q->n_want, w->has_range);
}

static inline void check_laws(const rp__machine *m, const world *w)
{
    rp__sim_report r;
    rp__machine_report(m, &r);
    check_accounting(&r);
    if (!w->has_range)
        check_front(w, &r);
    check_memory(&r);
    size_t n;
    const rp__completion *records = rp__machine_completions(m, &n);
    for (size_t i = 0; i < n; i++)
        check_bounds(w, &records[i]);
}

static inline void run_and_check(rp__machine *m, world *w, uint64_t seed)
{
    rp_error err;
    size_t n;
    if (rp__machine_run(m, &err)) {
        char text[RP_SIM_STATES_BYTES];
        rp__machine_describe(m, true, text, sizeof text);
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, err.text, text);
    }
    const rp__completion *records = rp__machine_completions(m, &n);
    assert_int_equal(n, w->n_queries);
    for (size_t i = 0; i < n; i++)
        check_answer(m, &w->queries[records[i].tag], &records[i], w->config.topk, seed);
    check_laws(m, w);
    check_idle(m, w, seed);
}

#endif
