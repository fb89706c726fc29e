/* test_steps.c: ANDs step by step, moved between processors at every step and stopped at every step.
 *
 * Every processor that has steps takes part, beside a run of the cpu's. However the steps of a query are shared between the
 * two runs, the answer is that of the cpu, and the trace adds up to what the answer says. Whether a run ends, is stopped, or
 * moves away, the device's memory is given back. RIPOSTE_THOROUGH has all queries on every processor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/residency/lease.h"
#include "engine/searcher.h"
#include "index/segment.h"
#include "oracle/chance.h"
#include "oracle/collection.h"

enum {
    QUERIES = 125, /* a codec */
    DEVICE_QUERIES = 4,
    OPERATOR_ROWS = 9, /* of operators */
    TERMS = 4,
    MANY_TERMS = 12, /* of some queries: more than one launch narrows by */
    TEXT = 256,
    K = 10,
    EVENTS = 128,
    MAX_STEPS = 2 * MANY_TERMS + 2,
    SMALL =
        144
        << 10, /* bytes of device memory, beside a half of the lists, in which lists come and go */
};

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
    rp__query query, queries[2]; /* as each processor has it */
    step steps[MAX_STEPS];
    uint32_t n_steps;
    _Atomic uint32_t stop;
    rp__trace trace;
    rp__trace_event events[EVENTS];
    const char *algorithm; /* that the second processor is asked for; NULL: none */
    size_t n_moves;
    uint32_t n_candidates; /* after the last step */
    size_t n_refused;      /* runs, for want of device memory */
    /* of the second processor, if it has a device */
    rp__device device;
    rp__residency *residency;
    size_t n_taken; /* pieces of its memory that nobody gives back */
} moved;

/* ---- A query and its steps --------------------------------------------------------------------- */

static bool ask(moved *m)
{
    char text[TEXT] = "", word[32];
    rp_error err;
    rp__arena_clear(&m->arena);
    bool is_long = chance_below(16) == 0;
    for (uint64_t n = 1 + chance_below(is_long ? MANY_TERMS : TERMS); n > 0; n--) {
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

/* ---- What a device has --------------------------------------------------------------------------- */

static void open_device(moved *m, uint64_t memory)
{
    rp_error err = {.text = ""};
    assert_int_equal(rp__device_open(&m->device, rp__emulated_device_driver(), 0, &err), RP_OK);
    assert_int_equal(
        rp__residency_get(&m->device, m->searcher->index->segment, memory, &m->residency), RP_OK);
}

static void close_device(moved *m)
{
    if (m->residency)
        rp__residency_drop(m->residency, &m->device);
    rp__device_close(&m->device);
}

/* Pieces that are taken; none by a lease. */
static size_t count_taken(const moved *m)
{
    size_t n = 0;
    for (const rp__lease *l = m->residency->leases; l; l = l->next)
        assert_true(atomic_load(&l->epoch) == 0 && l->n == 0 && !l->scratch && !l->is_acquiring);
    for (const rp__piece *p = m->residency->heap.first; p; p = p->after)
        n += p->state == RP_PIECE_TAKEN;
    return n;
}

static void check_given_back(const moved *m)
{
    if (m->residency)
        assert_int_equal(count_taken(m), m->n_taken);
}

/* ---- Running ----------------------------------------------------------------------------------- */

/* What a run says of itself after a step: candidates become fewer, and the fallback says what is missing. */
static void check_report(moved *m, const void *run, uint32_t at, uint32_t i, rp_status status)
{
    const rp__steps *on = m->on[at]->steps;
    const uint32_t n = on->count(run);
    rp__answer answer = {.total = 7};
    on->report(run, &answer);
    assert_int_equal(answer.total, 7);
    assert_int_equal(answer.fallback == RP_FALLBACK_MEMORY, status == RP_NO_MEMORY);
    if (status == RP_OK && m->steps[i].kind != STEP_SELECT) {
        assert_true(i == 0 || n <= m->n_candidates);
        m->n_candidates = n;
    }
}

/* The i-th step on the processor that bit i of `places` names; the query is stopped before step `stop_at`, or before it
 * moves to where that is taken. */
static rp_status run_steps(moved *m, uint32_t places, uint32_t stop_at, rp__answer *answer)
{
    rp_error err = {.text = ""};
    void *runs[2] = {NULL, NULL};
    rp_status status = RP_OK;
    uint32_t at = places & 1;
    const bool stops_moves = chance_below(2);
    m->trace = (rp__trace){.events = m->events, .max = EVENTS};
    m->query.trace = &m->trace;
    atomic_store(&m->stop, 0);
    for (int i = 0; i < 2 && status == RP_OK; i++) {
        m->queries[i] = m->query;
        m->queries[i].algorithm = i ? m->algorithm : NULL;
        status = m->on[i]->steps->open(m->states[i], &m->queries[i], &m->arena, &runs[i], &err);
    }
    for (uint32_t i = 0; i < m->n_steps && status == RP_OK; i++) {
        uint32_t to = places >> i & 1;
        if (i == stop_at && stops_moves)
            atomic_store(&m->stop, 1);
        if (to != at)
            status = move(m, runs, at, to);
        at = to;
        if (i == stop_at)
            atomic_store(&m->stop, 1);
        if (status == RP_OK)
            status = take_step(m->on[at]->steps, runs[at], &m->steps[i], answer);
        check_report(m, runs[at], at, i, status);
    }
    for (int i = 0; i < 2; i++)
        if (runs[i])
            m->on[i]->steps->close(runs[i]);
    m->query.trace = NULL;
    atomic_store(&m->stop, 0);
    check_given_back(m);
    return status;
}

static void check_answer(const rp__answer *want, const rp__answer *got)
{
    assert_int_equal(got->n, want->n);
    assert_int_equal(got->total, want->total);
    assert_int_equal(got->fallback, RP_FALLBACK_NONE);
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
    assert_int_equal(bytes, got->gpu.uploaded_bytes);
    assert_int_equal(got->gpu.host_decoded_lists, 0);
}

/* ---- Tests ------------------------------------------------------------------------------------- */

static void open_pair(moved *m, const rp_index *index, const rp__backend *other, bool is_small)
{
    rp_error err = {.text = ""};
    rp__place place = {.gpu = "emulated"};
    *m = (moved){.on = {rp__backend_find("cpu"), other}};
    rp__arena_init(&m->arena, (size_t)64 << 20);
    assert_int_equal(
        rp_searcher_new(
            index,
            &(rp_search_options){.processor = "cpu", .variant = chance_below(2) ? "iiu" : NULL},
            &m->searcher, &err),
        RP_OK);
    if (is_small)
        place.gpu_memory = SMALL + m->searcher->index->segment->lists_bytes / 2;
    for (int i = 0; i < 2; i++)
        if (m->on[i]->attach)
            assert_int_equal(
                m->on[i]->attach(m->searcher->index->segment, &place, &m->states[i], &err), RP_OK);
    if (!other->attach || other->attach == rp__gpu_child_row.attach) /* its device is elsewhere */
        return;
    open_device(m, place.gpu_memory);
    assert_true(m->residency->is_whole == !is_small);
    m->n_taken = count_taken(m);
}

static void close_pair(moved *m)
{
    close_device(m);
    for (int i = 0; i < 2; i++)
        if (m->on[i]->detach)
            m->on[i]->detach(m->states[i]);
    assert_int_equal(rp__emulated_device_in_use(), 0);
    rp_searcher_free(m->searcher);
    rp__arena_reset(&m->arena);
}

static bool is_refused(moved *m, rp_status status)
{
    m->n_refused += status == RP_NO_MEMORY;
    return status == RP_NO_MEMORY;
}

/* Moved once before each step, from either processor to the other, and then by chance. */
static void check_moves(moved *m, const rp__answer *want)
{
    const uint32_t all = (1U << m->n_steps) - 1;
    for (uint32_t i = 0; i < 2 * m->n_steps + 2; i++) {
        rp__answer got;
        uint32_t first = (1U << i / 2) - 1, places = i % 2 ? all & ~first : first;
        if (i >= 2 * m->n_steps)
            places = (uint32_t)chance_below(all + UINT64_C(1));
        rp_status status = run_steps(m, places, UINT32_MAX, &got);
        if (is_refused(m, status))
            continue;
        assert_int_equal(status, RP_OK);
        check_answer(want, &got);
        assert_int_equal(m->n_candidates, got.total);
        check_trace(m, &got);
    }
}

static void check_stops(moved *m, const rp__answer *want)
{
    rp__answer got;
    for (uint32_t stop_at = 0; stop_at < m->n_steps; stop_at++) {
        uint32_t places = (uint32_t)chance_below(UINT64_C(1) << m->n_steps);
        rp_status status = run_steps(m, places, stop_at, &got);
        assert_true(is_refused(m, status) || status == RP_INTERRUPTED);
    }
    assert_int_equal(run_steps(m, 0, UINT32_MAX, &got), RP_OK);
    check_answer(want, &got);
}

static void run_pair(const rp_index *index, const rp__backend *other, const char *algorithm,
                     bool is_small, int n, size_t *queries, size_t *moves)
{
    moved m;
    open_pair(&m, index, other, is_small);
    m.algorithm = algorithm;
    for (int i = 0; i < n; i++) {
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
    /* all lists of a query that names operators are decoded at once: they may not fit */
    assert_true(m.n_refused == 0 ||
                (m.residency && is_small && (algorithm || m.n_refused < m.n_moves)));
    *moves += m.n_moves;
    close_pair(&m);
}

/* On a device, half of the queries are asked where the index is there as a whole, half where lists come and go. */
static void queries_may_move_and_stop(void **state)
{
    (void)state;
    const bool is_thorough = getenv("RIPOSTE_THOROUGH") != NULL;
    for (size_t p = 0; rp__backend_at(p); p++) {
        const rp__backend *other = rp__backend_at(p);
        int n = is_thorough || !other->attach ? QUERIES : DEVICE_QUERIES;
        size_t queries = 0, moves = 0;
        for (size_t i = 0; i < c.n_codecs && other->steps; i++) {
            run_pair(c.indexes[i], other, NULL, false, n - n / 2, &queries, &moves);
            run_pair(c.indexes[i], other, NULL, true, n / 2, &queries, &moves);
        }
        if (!other->steps)
            continue;
        print_message("%s: %zu queries, moved %zu times\n", other->name, queries, moves);
        assert_true(queries >= (n == QUERIES ? 2000U : 60U) && moves > 2 * queries);
    }
}

/* Rows of operators; the last reads lists in the codec as they are stored, where there is such a row. */
static const char *spec_of(const char *codec, size_t i)
{
    static const char *const specs[] = {"operators",
                                        "operators:intersect=pmf,levels=2,select=sort",
                                        "operators:intersect=ding,select=heap",
                                        "operators:intersect=mpath,select=radix",
                                        "operators:intersect=skip,select=block",
                                        "operators:intersect=tile-marks,select=bitonic",
                                        "operators:intersect=bits,select=bucket",
                                        "operators:intersect=tile-ranks,score=lookup"};
    if (i % OPERATOR_ROWS < sizeof specs / sizeof specs[0])
        return specs[i % OPERATOR_ROWS];
    return strcmp(codec, "bp128") == 0      ? "operators:intersect=bp128"
           : strcmp(codec, "hslrc256") == 0 ? "operators:intersect=hslrc256"
                                            : "operators:intersect=ding,levels=3";
}

/* The same by operators that the query names: another row for each codec, or with RIPOSTE_THOROUGH all. */
static void queries_by_operators_may_move_and_stop(void **state)
{
    (void)state;
    const bool is_thorough = getenv("RIPOSTE_THOROUGH") != NULL;
    const rp__backend *gpu = rp__backend_find("gpu");
    size_t queries = 0, moves = 0;
    for (size_t i = 0; i < c.n_codecs; i++)
        for (size_t j = 0; j < (is_thorough ? OPERATOR_ROWS : 1); j++) {
            const char *spec = spec_of(codecs[i], i + j);
            const int n_small = is_thorough ? 2 : i % 4 == 0;
            run_pair(c.indexes[i], gpu, spec, false, is_thorough ? 12 : 1, &queries, &moves);
            run_pair(c.indexes[i], gpu, spec, true, n_small, &queries, &moves);
        }
    print_message("operators: %zu queries, moved %zu times\n", queries, moves);
    assert_true(queries >= (is_thorough ? 2000U : 15U) && moves > 2 * queries);
}

/* Rows whose candidates are no docids take no steps. */
static void other_operators_are_refused(void **state)
{
    (void)state;
    static const char *const specs[] = {"operators:intersect=bits-and",
                                        "operators:score=accumulate"};
    moved m;
    void *run;
    rp_error err;
    open_pair(&m, c.indexes[0], rp__backend_find("gpu"), false);
    assert_int_equal(rp__searcher_bind(m.searcher, "a b", 3, RP_MODE_AND, &m.query, &err), RP_OK);
    for (size_t i = 0; i < 2; i++) {
        m.query.algorithm = specs[i];
        assert_int_equal(m.on[1]->steps->open(m.states[1], &m.query, &m.arena, &run, &err),
                         RP_UNAVAILABLE);
        assert_null(run);
    }
    close_pair(&m);
}

/* Leaves little of the mailbox, so that candidates come and go in pieces. */
static rp_status open_narrow(void *state, const rp__query *query, rp__arena *arena, void **run,
                             rp_error *err)
{
    rp_status status = rp__gpu_child_row.steps->open(state, query, arena, run, err);
    if (status == RP_OK)
        rp__gpu_child_slot(state)->used = RP_MAILBOX_ROOM - 100 * 2 * sizeof(uint32_t);
    return status;
}

/* The same on a device of another process. */
static void queries_at_a_child_may_move_and_stop(void **state)
{
    (void)state;
    size_t queries = 0, moves = 0;
    rp__steps narrow = *rp__gpu_child_row.steps;
    rp__backend row = rp__gpu_child_row;
    narrow.open = open_narrow;
    for (size_t i = 0; i < c.n_codecs; i += 6) {
        run_pair(c.indexes[i], &rp__gpu_child_row, NULL, false, DEVICE_QUERIES, &queries, &moves);
        row.steps = &narrow;
        run_pair(c.indexes[i], &row, NULL, false, DEVICE_QUERIES, &queries, &moves);
    }
    print_message("a child: %zu queries, moved %zu times\n", queries, moves);
    assert_true(queries >= 15 && moves > 2 * queries);
}

/* Other forms of queries are refused, and a query that is to stop does. */
static void other_forms_are_refused(void **state)
{
    (void)state;
    moved m;
    void *run;
    rp_error err;
    rp__answer answer;
    open_pair(&m, c.indexes[0], rp__backend_find("cpu"), false);
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
    collection_draw(&c, &(collection_recipe){"moves", 17, codecs, sizeof codecs / sizeof codecs[0],
                                             6000, 60, 40});
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
        cmocka_unit_test(queries_by_operators_may_move_and_stop),
        cmocka_unit_test(queries_at_a_child_may_move_and_stop),
        cmocka_unit_test(other_operators_are_refused),
        cmocka_unit_test(other_forms_are_refused),
    };
    cmocka_set_test_filter(getenv("RIPOSTE_TESTS"));
    return cmocka_run_group_tests(tests, open_collection, close_collection);
}
