/* test_policy_algorithms.c: algorithms of a GPU that users name, through the executor.
 *
 * Under every policy that takes one, the card runs the kernels of the rows that were named, of whole queries and of steps,
 * and hits are the CPU's; so too where a query moves between the card and a core at every list, both ways. What a core
 * answers in place of the card says why, and is an error where the processor was to be strict. Other policies refuse such
 * an algorithm. The GPU is the emulated one. 24 queries a row, and 200
 * that move; 2,000 with RIPOSTE_THOROUGH. */
#include <pthread.h>
#include <stdatomic.h>

#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/device/kernel_table.h"
#include "backend/gpu/operators/intersect_table.h"
#include "backend/gpu/operators/operator_table.h"
#include "engine/executor.h"
#include "oracle/chance.h"
#include "oracle/collection.h"
#include "oracle/executor_policy.h"
#include "oracle/hits.h"
#include "unit/files.h"

enum { QUERIES = 200, THOROUGH = 2000, OF_A_ROW = 24, TEXT = 200, FREQUENT = 12, K = 10, ROW = 64 };

typedef struct asked {
    char text[TEXT];
    rp_hits wanted;
} asked;

static collection documents;
static asked *queries;
static size_t n_queries, n_asked; /* of which a test asks so many */
static bool is_launched[RP_KERNELS_MAX];

/* ---- Queries ------------------------------------------------------------------------------------- */

/* Three to five different words that many documents have. */
static void draw_query(asked *a)
{
    uint64_t word = chance_below(FREQUENT);
    for (uint64_t n = 3 + chance_below(3); n > 0; n--, word = (word + 1) % FREQUENT) {
        collection_put_word(a->text + strlen(a->text), word);
        strcat(a->text, " ");
    }
}

static int open_documents(void **state)
{
    (void)state;
    collection_draw(&documents, &(collection_recipe){"named", 29, (const char *const[]){"bp128"}, 1,
                                                     4000, 60, 25});
    n_queries = getenv("RIPOSTE_THOROUGH") ? THOROUGH : QUERIES;
    queries = calloc(n_queries, sizeof *queries);
    for (size_t i = 0; i < n_queries; i++) {
        draw_query(&queries[i]);
        queries[i].wanted = hits_of_cpu(documents.indexes[0], queries[i].text, RP_MODE_AND, K);
    }
    return 0;
}

static int close_documents(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_queries; i++)
        rp_hits_free(&queries[i].wanted);
    free(queries);
    collection_close(&documents);
    return 0;
}

/* ---- Executors ----------------------------------------------------------------------------------- */

static void see_launch(size_t kernel, const rp__fiber_launch *launch)
{
    (void)launch;
    is_launched[kernel] = true;
}

static rp_status open_by(const char *policy, const char *algorithm, bool is_strict,
                         rp_executor **out, rp_error *err)
{
    const rp_search_options search = {.mode = RP_MODE_AND,
                                      .k = K,
                                      .total = RP_TOTAL_EXACT,
                                      .gpu = "emulated",
                                      .algorithm = algorithm,
                                      .strict_processor = is_strict};
    *err = (rp_error){.text = ""};
    return rp_executor_new(
        documents.indexes[0],
        &(rp_executor_options){.search = &search, .policy = policy, .threads = 2}, out, err);
}

static rp_executor *open_executor(const char *policy, const char *algorithm)
{
    static const rp__emulated_device_watcher watcher = {.queue_launch = see_launch};
    rp_executor *executor;
    rp_error err;
    memset(is_launched, 0, sizeof is_launched);
    rp__emulated_device_watch(&watcher);
    if (open_by(policy, algorithm, false, &executor, &err) != RP_OK)
        fail_msg("%s, %s: %s", policy ? policy : "no policy", algorithm, err.text);
    return executor;
}

static void close_executor(rp_executor *executor)
{
    rp_executor_free(executor);
    rp__emulated_device_watch(NULL);
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

static rp_status ask(rp_executor *executor, const char *text, const rp_job *prototype,
                     rp_outcome *out, rp_error *err)
{
    rp_job job = *prototype;
    job.query = text;
    job.query_bytes = strlen(text);
    *err = (rp_error){.text = ""};
    return rp_executor_ask(executor, &job, out, err);
}

static bool has_step(const rp_hits *hits, const char *stage, const char *processor)
{
    for (size_t i = 0; i < hits->n_steps; i++)
        if (strcmp(hits->steps[i].stage, stage) == 0 &&
            strcmp(hits->steps[i].processor, processor) == 0)
            return true;
    return false;
}

/* Each answered as by the CPU, and none by a core alone. */
static void ask_all(rp_executor *executor, const char *what)
{
    for (size_t i = 0; i < n_asked; i++) {
        rp_outcome outcome;
        rp_error err;
        const rp_hits *got = &outcome.hits, *want = &queries[i].wanted;
        if (ask(executor, queries[i].text, &(rp_job){.size = 0}, &outcome, &err) != RP_OK)
            fail_msg("%s, '%s': %s", what, queries[i].text, err.text);
        const bool is_same = hits_are_same(got, want) && got->total == want->total;
        if (!is_same || got->fallback)
            fail_msg("%s, '%s', %u moves: the %s has %zu hits of %llu, the cpu %zu of %llu; %s",
                     what, queries[i].text, outcome.moves, got->processor, got->n,
                     (unsigned long long)got->total, want->n, (unsigned long long)want->total,
                     rp_fallback_text(got->fallback));
        rp_hits_free(&outcome.hits);
    }
}

/* ---- Rows that are named ------------------------------------------------------------------------- */

/* A policy of the test's own, in place of griffin: each list is another's. */
static _Atomic uint64_t draws;

static rp__policy_seat seat_in_turn(const rp__policy_view *view, const rp__policy_job *job)
{
    const bool is_card = view->has_card && atomic_fetch_add(&draws, 1) % 2;
    return rp__policy_sit(is_card ? RP_QUEUE_GPU : RP_QUEUE_CPU, job, "in turn");
}

static rp__policy_way step_always(const rp__policy_view *view, const rp__policy_job *job,
                                  const rp__policy_step *at)
{
    (void)view, (void)job, (void)at;
    return RP_WAY_MOVE;
}

static const rp__policy always = {.name = "always",
                                  .takes_algorithms = true,
                                  .seat = seat_in_turn,
                                  .take = rp__policy_take_own,
                                  .step = step_always};

static void run_row(const char *policy, const rp__policy *own, rp__kernel_id kernel,
                    const char *algorithm)
{
    char what[2 * ROW];
    rp_executor_report report;
    rp_executor *executor = open_executor(policy, algorithm);
    if (own)
        executor_policy_set(executor, own);
    snprintf(what, sizeof what, "%s, %s", own ? own->name : policy, algorithm);
    ask_all(executor, what);
    rp_executor_get_report(executor, &report);
    close_executor(executor);
    if (!is_launched[kernel])
        fail_msg("%s: its kernel was not launched", what);
    assert_int_equal(report.fallbacks, 0);
    if (own)
        assert_true(report.moves > 2 * n_asked);
}

static void run_row_everywhere(rp__kernel_id kernel, const char *algorithm)
{
    n_asked = OF_A_ROW;
    run_row("gpu", NULL, kernel, algorithm);
    run_row("batch", NULL, kernel, algorithm);
    run_row("griffin", NULL, kernel, algorithm);
    run_row("griffin", &always, kernel, algorithm);
}

/* All of the table that any index has. */
static void named_intersections_run(void **state)
{
    (void)state;
    const rp__operator *row;
    char spec[ROW];
    for (size_t i = 0; (row = rp__operator_table_at(RP_PHASE_INTERSECT, i)); i++) {
        const bool is_chosen = row->id < RP_INTERSECTS && !row->codec && !row->aux &&
                               !(rp__intersect_table[row->id].needs & RP_INTERSECT_A_BITS);
        if (!is_chosen)
            continue;
        snprintf(spec, sizeof spec, "operators:intersect=%s", row->name);
        run_row_everywhere(rp__intersect_table[row->id].kernel, spec);
    }
    run_row_everywhere(RP_KERNEL_intersect_chosen_kernel, "operators:intersect=ding,levels=2");
}

static void named_selections_run(void **state)
{
    (void)state;
    run_row_everywhere(RP_KERNEL_select_sort_keys_kernel, "operators:select=sort");
    run_row_everywhere(RP_KERNEL_select_heap_build_kernel, "operators:select=heap");
    run_row_everywhere(RP_KERNEL_select_radix_kernel, "operators:select=radix,mode=stepped");
}

/* Both ways: each list is another processor's, and which one begins changes from query to query. */
static void queries_move_at_every_list(void **state)
{
    (void)state;
    n_asked = n_queries;
    run_row("griffin", &always, RP_KERNEL_intersect_pmf_kernel,
            "operators:intersect=pmf,levels=2,select=sort");
    run_row("griffin", &always, RP_KERNEL_intersect_tile_kernel, "operators:mode=stepped");
}

/* The card answers whole queries by what has no steps. */
static void what_has_no_steps_answers_whole_queries(void **state)
{
    (void)state;
    static const struct {
        const char *algorithm;
        rp__kernel_id kernel;
    } rows[] = {{"operators:score=accumulate", RP_KERNEL_score_accumulate_kernel},
                {"para:method=bs", RP_KERNEL_para_bs_kernel},
                {"para:method=is", RP_KERNEL_para_is_plain_kernel},
                {"para:method=is-8", RP_KERNEL_para_is_kernel}};
    n_asked = OF_A_ROW;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        run_row("gpu", NULL, rows[i].kernel, rows[i].algorithm);
        run_row("batch", NULL, rows[i].kernel, rows[i].algorithm);
        run_row("griffin", NULL, rows[i].kernel, rows[i].algorithm);
    }
}

/* ---- What users read ----------------------------------------------------------------------------- */

static void steps_are_reported(void **state)
{
    (void)state;
    for (int is_traced = 0; is_traced < 2; is_traced++) {
        rp_outcome outcome;
        rp_error err;
        rp_executor *executor = open_executor(NULL, "operators:mode=stepped");
        assert_int_equal(
            ask(executor, queries[0].text, &(rp_job){.trace = is_traced}, &outcome, &err), RP_OK);
        assert_string_equal(outcome.hits.processor, "gpu");
        assert_true(has_step(&outcome.hits, "decode", "gpu"));
        assert_true(has_step(&outcome.hits, "intersect", "gpu"));
        assert_true(has_step(&outcome.hits, "select", "gpu"));
        assert_int_equal(has_step(&outcome.hits, "place", "gpu"), is_traced);
        assert_int_equal(has_step(&outcome.hits, "parse", "cpu"), is_traced);
        rp_hits_free(&outcome.hits);
        close_executor(executor);
    }
}

static void other_policies_refuse_them(void **state)
{
    (void)state;
    rp_error err;
    assert_string_equal(rp_policy_default(NULL), "auto");
    assert_string_equal(rp_policy_default("wand"), "auto");
    assert_string_equal(rp_policy_default("operators:select=sort"), "gpu");
    assert_string_equal(rp_policy_default("para"), "gpu");
    for (size_t i = 0; rp_policy_name(i); i++) {
        const char *name = rp_policy_name(i);
        rp_executor *executor = NULL;
        const rp_status status = open_by(name, "operators:select=sort", false, &executor, &err);
        rp_executor_free(executor);
        if (rp__policy_at(i)->takes_algorithms) {
            assert_int_equal(status, RP_OK);
            continue;
        }
        assert_int_equal(status, RP_USAGE);
        if (!strstr(err.text, name) || !strstr(err.text, "gpu, batch, griffin"))
            fail_msg("%s: %s", name, err.text);
    }
}

static rp__policy_seat seat_on_core(const rp__policy_view *view, const rp__policy_job *job)
{
    (void)view;
    return rp__policy_sit(RP_QUEUE_CPU, job, "a core");
}

/* A policy that leaves the card out, a card that is lost, and a form that the algorithm does not answer. */
static void a_core_in_place_of_the_card_says_why(void **state)
{
    (void)state;
    static const rp__policy on_cores = {.name = "cores",
                                        .takes_algorithms = true,
                                        .seat = seat_on_core,
                                        .take = rp__policy_take_own};
    for (int is_strict = 0; is_strict < 2; is_strict++) {
        rp_executor *executor;
        rp_outcome outcome;
        rp_error err;
        const rp_status wanted = is_strict ? RP_UNAVAILABLE : RP_OK;
        assert_int_equal(open_by("griffin", "operators", is_strict, &executor, &err), RP_OK);
        executor_policy_set(executor, &on_cores);
        assert_int_equal(ask(executor, queries[0].text, &(rp_job){.size = 0}, &outcome, &err),
                         wanted);
        if (!is_strict)
            assert_int_equal(outcome.hits.fallback, RP_FALLBACK_POLICY);
        rp_hits_free(&outcome.hits);
        rp_executor_free(executor);

        assert_int_equal(open_by("gpu", "operators", is_strict, &executor, &err), RP_OK);
        pthread_mutex_lock(&executor->lock);
        rp__executor_lose_card(executor);
        rp__executor_unlock(executor);
        assert_int_equal(ask(executor, queries[0].text, &(rp_job){.size = 0}, &outcome, &err),
                         wanted);
        if (!is_strict)
            assert_int_equal(outcome.hits.fallback, RP_FALLBACK_FAULT);
        rp_hits_free(&outcome.hits);
        rp_executor_free(executor);
    }
}

static void forms_that_it_does_not_answer_are_refused(void **state)
{
    (void)state;
    static const rp_mode andor = RP_MODE_ANDOR, any = RP_MODE_OR;
    static const struct {
        const char *algorithm, *mark, *part; /* the mark stands around the words */
        rp_job job;
    } rows[] = {
        {"operators", "\"", "does not answer queries of this form", {.size = 0}},
        {"operators", "\"", "leave other forms to 'auto'", {.size = 0}},
        {"para", "", "does not answer queries of this form", {.mode = &any}},
        {"para", "", "ANDs of words (--mode and)", {.mode = &any}},
        {"para", "", "--mode andor", {.mode = &andor}},
        {"para", "", "at most", {.k = 9000}},
        {"operators:select=bitonic", "", "at most 2048", {.k = 3000}},
        {"operators:intersect=bs", "", "intersect=bs is for ANDs", {.mode = &any}},
        {"operators:score=lookup", "", "--mode andor", {.mode = &andor}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2 * TEXT];
        rp_outcome outcome = {.status = RP_OK};
        rp_error err;
        rp_executor *executor = open_executor("gpu", rows[i].algorithm);
        snprintf(text, sizeof text, "%s%s%s", rows[i].mark, queries[0].text, rows[i].mark);
        const rp_status status = ask(executor, text, &rows[i].job, &outcome, &err);
        if (status != RP_USAGE || !strstr(err.text, rows[i].part))
            fail_msg("%s, %s: %s %s", rows[i].algorithm, text, rp_status_name(status), err.text);
        close_executor(executor);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(named_intersections_run),
        cmocka_unit_test(named_selections_run),
        cmocka_unit_test(queries_move_at_every_list),
        cmocka_unit_test(what_has_no_steps_answers_whole_queries),
        cmocka_unit_test(steps_are_reported),
        cmocka_unit_test(other_policies_refuse_them),
        cmocka_unit_test(a_core_in_place_of_the_card_says_why),
        cmocka_unit_test(forms_that_it_does_not_answer_are_refused),
    };
    return cmocka_run_group_tests(tests, open_documents, close_documents);
}
