/* test_steps.c: ANDs step by step, moved between processors at every step and stopped at every step.
 *
 * Every processor that has steps takes part, beside a second run of the cpu's; each way to share the steps of a
 * query between two runs gives the answer of the cpu, and the trace adds up to what the answer says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <string.h>

#include "engine/searcher.h"
#include "oracle/chance.h"
#include "oracle/collection.h"

enum { QUERIES = 125, TERMS = 4, TEXT = 128, K = 10, EVENTS = 64, MAX_STEPS = 2 * TERMS + 2 };

static const char *const codecs[] = {
    "auto",   "raw", "vbyte", "bp128", "optpfd",        "rice",     "ef128", "lrc",     "iiu",
    "bitmap", "qs",  "pfd",   "mixed", "interpolative", "hslrc256", "bp256", "simple16"};

static collection c;

typedef enum step_kind { STEP_START, STEP_MEET, STEP_SCORE, STEP_NARROW, STEP_SELECT } step_kind;

typedef struct step {
    step_kind kind;
    uint32_t first, last;
} step;

typedef struct moved {
    const rp__backend *on[2];
    void *states[2];
    rp_searcher *searcher;
    rp__arena arena;
    rp__query query;
    step steps[MAX_STEPS];
    uint32_t n_steps;
    _Atomic uint32_t stop;
    rp__trace trace;
    rp__trace_event events[EVENTS];
    size_t n_moves;
} moved;

/* ---- A query and its steps --------------------------------------------------------------------- */

static bool ask(moved *m)
{
    char text[TEXT] = "", word[32];
    rp_error err;
    rp__arena_clear(&m->arena);
    for (uint64_t n = 1 + chance_below(TERMS); n > 0; n--) {
        collection_put_word(word, chance_zipf(25));
        strcat(strcat(text, word), " ");
    }
    assert_int_equal(
        rp__searcher_bind(m->searcher, text, strlen(text), RP_MODE_AND, &m->query, &err), RP_OK);
    m->query.k = chance_below(8) == 0 ? 0 : K;
    m->query.exact_total = true;
    m->query.stop = &m->stop;
    return m->query.n_ops > 0;
}

static void add_step(moved *m, step_kind kind, uint32_t first, uint32_t last)
{
    m->steps[m->n_steps++] = (step){kind, first, last};
}

/* List by list, then scores; or the shortest list, then all others at once. */
static void plan_steps(moved *m, bool narrows)
{
    uint32_t n = (uint32_t)m->query.n_leaves;
    m->n_steps = 0;
    add_step(m, STEP_START, 0, 0);
    for (uint32_t i = 1; i < n && !narrows; i++)
        add_step(m, STEP_MEET, i, i);
    for (uint32_t i = 0; i < (narrows ? 1 : n); i++)
        add_step(m, STEP_SCORE, i, i);
    if (narrows && n > 1)
        add_step(m, STEP_NARROW, 1, n - 1);
    add_step(m, STEP_SELECT, 0, 0);
}

/* ---- Its runs ---------------------------------------------------------------------------------- */

static rp_status take_step(const rp__steps *on, void *run, const step *s, rp__answer *answer)
{
    switch (s->kind) {
    case STEP_START:
        return on->start(run, s->first);
    case STEP_MEET:
        return on->meet(run, s->first);
    case STEP_SCORE:
        return on->score(run, s->first);
    case STEP_NARROW:
        return on->narrow(run, s->first, s->last);
    default:
        return on->select(run, answer);
    }
}

static rp_status move(moved *m, void *const runs[2], uint32_t from, uint32_t to)
{
    rp__partial partial;
    rp_status status = m->on[from]->steps->take(runs[from], &partial);
    m->n_moves++;
    return status == RP_OK ? m->on[to]->steps->put(runs[to], &partial) : status;
}

/* The i-th step on the processor that bit i of `places` names; the query is stopped before step `stop_at`. */
static rp_status run_steps(moved *m, uint32_t places, uint32_t stop_at, rp__answer *answer)
{
    rp_error err = {.text = ""};
    void *runs[2] = {NULL, NULL};
    rp_status status = RP_OK;
    uint32_t at = places & 1;
    m->trace = (rp__trace){.events = m->events, .max = EVENTS};
    m->query.trace = &m->trace;
    atomic_store(&m->stop, 0);
    for (int i = 0; i < 2 && status == RP_OK; i++)
        status = m->on[i]->steps->open(m->states[i], &m->query, &m->arena, &runs[i], &err);
    for (uint32_t i = 0; i < m->n_steps && status == RP_OK; i++) {
        uint32_t to = places >> i & 1;
        if (to != at)
            status = move(m, runs, at, to);
        at = to;
        if (i == stop_at)
            atomic_store(&m->stop, 1);
        if (status == RP_OK)
            status = take_step(m->on[at]->steps, runs[at], &m->steps[i], answer);
    }
    for (int i = 0; i < 2; i++)
        if (runs[i])
            m->on[i]->steps->close(runs[i]);
    m->query.trace = NULL;
    atomic_store(&m->stop, 0);
    return status;
}

static void check_answer(const rp__answer *want, const rp__answer *got)
{
    assert_int_equal(got->n, want->n);
    assert_int_equal(got->total, want->total);
    assert_true(got->total_is_exact);
    assert_memory_equal(got->at, want->at, want->n * sizeof *want->at);
}

static void check_trace(const moved *m, const rp__answer *got)
{
    uint64_t elements = 0, bytes = 0;
    assert_true(m->trace.n <= EVENTS);
    for (size_t i = 0; i < m->trace.n; i++) {
        assert_true(m->events[i].begin <= m->events[i].end);
        elements += m->events[i].elements;
        bytes += m->events[i].bytes;
    }
    assert_int_equal(elements, got->postings);
    assert_int_equal(elements, m->trace.elements);
    assert_int_equal(bytes, m->trace.bytes);
}

/* ---- Tests ------------------------------------------------------------------------------------- */

static void open_pair(moved *m, const rp_index *index, const rp__backend *other)
{
    rp_error err = {.text = ""};
    *m = (moved){.on = {rp__backend_find("cpu"), other}};
    rp__arena_init(&m->arena, (size_t)64 << 20);
    assert_int_equal(
        rp_searcher_new(index, &(rp_search_options){.processor = "cpu"}, &m->searcher, &err),
        RP_OK);
    for (int i = 0; i < 2; i++)
        if (m->on[i]->attach)
            assert_int_equal(m->on[i]->attach(m->searcher->index->segment,
                                              &(rp__place){.gpu = "emulated"}, &m->states[i], &err),
                             RP_OK);
}

static void close_pair(moved *m)
{
    for (int i = 0; i < 2; i++)
        if (m->on[i]->detach)
            m->on[i]->detach(m->states[i]);
    rp_searcher_free(m->searcher);
    rp__arena_reset(&m->arena);
}

/* All ways to share the steps where there are few, some by chance where there are many. */
static void check_moves(moved *m, const rp__answer *want)
{
    uint32_t ways = 1U << m->n_steps, tried = ways < 8 ? ways : 8;
    for (uint32_t i = 0; i < tried; i++) {
        rp__answer got;
        uint32_t places = tried == ways ? i : (uint32_t)chance_below(ways);
        assert_int_equal(run_steps(m, places, UINT32_MAX, &got), RP_OK);
        check_answer(want, &got);
        check_trace(m, &got);
    }
}

static void check_stops(moved *m, const rp__answer *want)
{
    rp__answer got;
    for (uint32_t stop_at = 0; stop_at < m->n_steps; stop_at++)
        assert_int_equal(run_steps(m, (uint32_t)chance_below(1U << m->n_steps), stop_at, &got),
                         RP_INTERRUPTED);
    assert_int_equal(run_steps(m, 0, UINT32_MAX, &got), RP_OK);
    check_answer(want, &got);
}

static void run_pair(const rp_index *index, const rp__backend *other, size_t *queries,
                     size_t *moves)
{
    moved m;
    open_pair(&m, index, other);
    for (int i = 0; i < QUERIES; i++) {
        rp_error err;
        rp__answer want;
        if (!ask(&m))
            continue;
        assert_int_equal(rp__backend_find("cpu")->run(NULL, &m.query, &m.arena, &want, &err),
                         RP_OK);
        plan_steps(&m, i % 2);
        check_moves(&m, &want);
        check_stops(&m, &want);
        ++*queries;
    }
    *moves += m.n_moves;
    close_pair(&m);
}

static void queries_may_move_and_stop(void **state)
{
    (void)state;
    size_t queries = 0, moves = 0;
    for (size_t i = 0; i < c.n_codecs; i++)
        for (size_t p = 0; rp__backend_at(p); p++)
            if (rp__backend_at(p)->steps)
                run_pair(c.indexes[i], rp__backend_at(p), &queries, &moves);
    print_message("%zu queries, moved %zu times\n", queries, moves);
    assert_true(queries >= 2000 && moves > 2 * queries);
}

/* Other forms of queries are refused, and a query that is to stop does. */
static void other_forms_are_refused(void **state)
{
    (void)state;
    moved m;
    void *run;
    rp_error err;
    rp__answer answer;
    open_pair(&m, c.indexes[0], rp__backend_find("cpu"));
    assert_int_equal(rp__searcher_bind(m.searcher, "a b", 3, RP_MODE_OR, &m.query, &err), RP_OK);
    assert_int_equal(m.on[0]->steps->open(NULL, &m.query, &m.arena, &run, &err), RP_UNAVAILABLE);
    assert_null(run);
    m.query.stop = &m.stop;
    assert_int_equal(m.on[0]->run(NULL, &m.query, &m.arena, &answer, &err), RP_OK);
    atomic_store(&m.stop, 1);
    assert_int_equal(m.on[0]->run(NULL, &m.query, &m.arena, &answer, &err), RP_INTERRUPTED);
    close_pair(&m);
}

static int open_collection(void **state)
{
    (void)state;
    c = (collection){.name = "moves", .stem = "none", .stop = "none"};
    chance_seed(17);
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++)
        collection_add_codec(&c, codecs[i]);
    collection_fill(&c, 2000, 60, 12);
    collection_end(&c);
    return 0;
}

static int close_collection(void **state)
{
    (void)state;
    collection_close(&c);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_may_move_and_stop),
        cmocka_unit_test(other_forms_are_refused),
    };
    return cmocka_run_group_tests(tests, open_collection, close_collection);
}
