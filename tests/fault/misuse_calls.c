/* misuse_calls.c: a call and a row for every function of riposte.h and synth.h. */
#include "fault/misuse.h"

#include <string.h>

/* ---- index.h --------------------------------------------------------------------------------- */

CALL(rp_index_open)
{
    rp_index *index = NULL;
    rp_status status = rp_index_open(NEED(0, misuse.index_dir), NULL, NEED(1, &index), err);
    rp_index_close(index);
    return status;
}

FREE_CALL(rp_index_close)

CALL(rp_index_get_info)
{
    rp_index_info info = {.docs = 77};
    rp_index_get_info(NEED(0, misuse.index), NEED(1, &info));
    return misuse_has(misuse_missing == 1 ? info.docs != 77 : info.docs > 0);
}

CALL(rp_index_get_aux)
{
    rp_aux_info info;
    return misuse_has(rp_index_get_aux(NEED(0, misuse.index), 0, NEED(1, &info)));
}

CALL(rp_index_get_document)
{
    rp_document document = {0};
    rp_status status = rp_index_get_document(NEED(0, misuse.index), 1, NEED(1, &document), err);
    rp_document_free(&document);
    return status;
}

CALL(rp_index_get_document_start)
{
    rp_document document = {0};
    rp_status status =
        rp_index_get_document_start(NEED(0, misuse.index), 1, 0, NEED(1, &document), err);
    if (status == RP_OK)
        assert_true(document.title_bytes == 0 && document.text_bytes == 0);
    rp_document_free(&document);
    return status;
}

CALL(rp_document_free)
{
    rp_document document;
    rp_status status = rp_index_get_document(misuse.index, 0, &document, err);
    rp_document_free(&document);
    rp_document_free(&document);
    rp_document_free(NULL);
    return status;
}

CALL(rp_index_get_term)
{
    rp_term_info info;
    return rp_index_get_term(NEED(0, misuse.index), NEED(1, "wing"), NEED(2, &info), err);
}

CALL(rp_index_find)
{
    uint32_t docid;
    return rp_index_find(NEED(0, misuse.index), NEED(1, misuse.document.id), NEED(2, &docid), err);
}

CALL(rp_index_suggest)
{
    rp_suggestions out = {0};
    rp_status status = rp_index_suggest(NEED(0, misuse.index), NEED(1, "w"), 3, NEED(2, &out), err);
    rp_suggestions_free(&out);
    rp_suggestions_free(&out);
    return status;
}

FREE_CALL(rp_suggestions_free)

CALL(rp_index_get_list)
{
    rp_list_info info;
    return rp_index_get_list(NEED(0, misuse.index), NEED(1, "wing"), NEED(2, &info), err);
}

CALL(rp_index_get_costs)
{
    rp_index_costs costs = {0};
    rp_status status = rp_index_get_costs(NEED(0, misuse.index), 3, NEED(1, &costs), err);
    rp_index_costs_free(&costs);
    return status;
}

CALL(rp_index_analyze)
{
    rp_text_tokens tokens = {0};
    rp_status status =
        rp_index_analyze(NEED(0, misuse.index), NEED(1, "wing"), 4, NEED(2, &tokens), err);
    rp_text_tokens_free(&tokens);
    return status;
}

CALL(rp_analyze)
{
    rp_text_tokens tokens = {0};
    rp_status status = rp_analyze(NULL, NEED(0, "wing"), 4, NEED(1, &tokens), err);
    rp_text_tokens_free(&tokens);
    return status;
}

CALL(rp_text_tokens_free)
{
    rp_text_tokens tokens;
    rp_status status = rp_analyze(NULL, "wing", 4, &tokens, err);
    assert_int_equal(tokens.n, 1);
    assert_string_equal(tokens.at[0].term, "wing");
    rp_text_tokens_free(&tokens);
    rp_text_tokens_free(&tokens);
    rp_text_tokens_free(NULL);
    return status;
}

CALL(rp_index_costs_free)
{
    rp_index_costs costs;
    rp_status status = rp_index_get_costs(misuse.index, 3, &costs, err);
    rp_index_costs_free(&costs);
    rp_index_costs_free(&costs);
    rp_index_costs_free(NULL);
    return status;
}

CALL(rp_index_check)
{
    return rp_index_check(NEED(0, misuse.index_dir), NULL, NULL, err);
}

CALL(rp_index_build)
{
    const char *paths[] = {misuse.collection, NEED(2, misuse.collection)};
    rp_build_options options = {.on_error = RP_ON_ERROR_SKIP};
    return rp_index_build(NEED(0, paths), 2, NEED(1, misuse.other_dir), &options, NULL, err);
}

CALL(rp_builder_new)
{
    rp_builder *builder = NULL;
    rp_status status = rp_builder_new(NEED(0, misuse.other_dir), NULL, NEED(1, &builder), err);
    rp_builder_free(builder);
    return status;
}

rp_builder *misuse_new_builder(const rp_build_options *options)
{
    rp_builder *builder;
    rp_error err;
    if (rp_builder_new(misuse.other_dir, options, &builder, &err) != RP_OK)
        fail_msg("%s", err.text);
    return builder;
}

CALL(rp_builder_add)
{
    rp_builder *builder = misuse_new_builder(NULL);
    rp_status status = rp_builder_add(NEED(0, builder), NEED(1, "id"), 2, NEED(2, "title"), 5,
                                      NEED(3, "text"), 4, err);
    rp_builder_free(builder);
    return status;
}

CALL(rp_builder_finish)
{
    rp_builder *builder = misuse_new_builder(NULL);
    rp_status status = rp_builder_finish(NEED(0, builder), NULL, err);
    if (status == RP_OK)
        assert_int_equal(rp_builder_finish(builder, NULL, NULL), RP_USAGE);
    rp_builder_free(builder);
    return status;
}

FREE_CALL(rp_builder_free)

CALL(rp_index_recode)
{
    return rp_index_recode(NEED(0, misuse.index_dir), NEED(1, misuse.other_dir), NULL, NULL, err);
}

CALL(rp_index_reorder)
{
    return rp_index_reorder(NEED(0, misuse.index_dir), NEED(1, misuse.other_dir), NULL, NULL, err);
}

CALL(rp_index_import)
{
    return rp_index_import(NEED(0, "ciff"), NEED(1, misuse.exported), NEED(2, misuse.other_dir),
                           NULL, NULL, err);
}

CALL(rp_index_export)
{
    return rp_index_export(NEED(0, "ciff"), NEED(1, misuse.index_dir), NEED(2, misuse.exported),
                           NULL, err);
}

/* ---- search.h -------------------------------------------------------------------------------- */

CALL(rp_search)
{
    rp_hits hits = {0};
    rp_status status = rp_search(NEED(0, misuse.index), NEED(1, "wing"), 3, NEED(2, &hits), err);
    rp_hits_free(&hits);
    return status;
}

CALL(rp_hits_free)
{
    rp_hits hits;
    rp_status status = rp_search(misuse.index, "wing", 3, &hits, err);
    rp_hits_free(&hits);
    rp_hits_free(&hits);
    rp_hits_free(NULL);
    return status;
}

CALL(rp_searcher_new)
{
    rp_searcher *searcher = NULL;
    rp_status status = rp_searcher_new(NEED(0, misuse.index), NULL, NEED(1, &searcher), err);
    rp_searcher_free(searcher);
    return status;
}

FREE_CALL(rp_searcher_free)

CALL(rp_searcher_search)
{
    rp_hits hits = {0};
    rp_status status =
        rp_searcher_search(NEED(0, misuse.searcher), NEED(1, "wing"), 4, NEED(2, &hits), err);
    rp_hits_free(&hits);
    return status;
}

CALL(rp_searcher_batch)
{
    rp_batch_query queries[2] = {{.query = "wing", .query_bytes = 4},
                                 {.query = NEED(2, "wing"), .query_bytes = 4}};
    rp_status status =
        rp_searcher_batch(NEED(0, misuse.searcher), NEED(1, queries), 2, NULL, NULL, err);
    rp_hits_free(&queries[0].hits);
    rp_hits_free(&queries[1].hits);
    return status;
}

CALL(rp_searcher_explain)
{
    rp_explanation out = {0};
    rp_status status =
        rp_searcher_explain(NEED(0, misuse.searcher), NEED(1, "wing"), 4, 1, NEED(2, &out), err);
    rp_explanation_free(&out);
    rp_explanation_free(&out);
    return status;
}

FREE_CALL(rp_explanation_free)

CALL(rp_searcher_form)
{
    rp_form out = {0};
    return rp_searcher_form(NEED(0, misuse.searcher), NEED(1, "wing"), 4, NEED(2, &out), err);
}

CALL(rp_searcher_lists)
{
    rp_query_lists out = {0};
    rp_status status =
        rp_searcher_lists(NEED(0, misuse.searcher), NEED(1, "wing"), 4, NEED(2, &out), err);
    rp_query_lists_free(&out);
    rp_query_lists_free(&out);
    return status;
}

FREE_CALL(rp_query_lists_free)

CALL(rp_searcher_snippet)
{
    rp_document document = misuse.document;
    rp_snippet out = {0};
    document.title = NEED(4, document.title);
    document.title_bytes = document.title_bytes ? document.title_bytes : 1;
    document.text = NEED(5, document.text);
    rp_status status = rp_searcher_snippet(NEED(0, misuse.searcher), NEED(1, "wing"), 4,
                                           NEED(2, &document), 0, NEED(3, &out), err);
    rp_snippet_free(&out);
    rp_snippet_free(&out);
    return status;
}

FREE_CALL(rp_snippet_free)

CALL(rp_searcher_correct)
{
    rp_corrections out = {0};
    rp_status status =
        rp_searcher_correct(NEED(0, misuse.searcher), NEED(1, "wnig"), 4, NEED(2, &out), err);
    rp_corrections_free(&out);
    rp_corrections_free(&out);
    return status;
}

FREE_CALL(rp_corrections_free)

CALL(rp_query_key)
{
    rp_key out = {0};
    rp_status status =
        rp_query_key(NEED(0, misuse.searcher), NEED(1, "wing"), 4, NULL, NEED(2, &out), err);
    rp_key_free(&out);
    rp_key_free(&out);
    return status;
}

FREE_CALL(rp_key_free)

CALL(rp_gpu_get)
{
    rp_gpu gpu;
    return rp_gpu_get("emulated", 0, NEED(0, &gpu), err);
}

CALL(rp_searcher_get_gpu_state)
{
    rp_gpu_state state = {.faults = 77};
    rp_searcher_get_gpu_state(NEED(0, misuse.searcher), NEED(1, &state));
    return misuse_has(misuse_missing == -1 ? state.faults == 0
                                           : misuse_missing == 0 && state.faults == 77);
}

/* ---- eval.h, topics.h, synth.h, status.h ----------------------------------------------------- */

CALL(rp_eval_files)
{
    rp_eval *eval = NULL;
    rp_status status =
        rp_eval_files(NEED(0, misuse.qrels), NEED(1, misuse.run), NULL, NEED(2, &eval), err);
    rp_eval_free(eval);
    return status;
}

FREE_CALL(rp_eval_free)

/* A function of an eval that gives 0 or NULL without one. */
#define EVAL_CALL(name, arguments)                                                                 \
    CALL(name)                                                                                     \
    {                                                                                              \
        return misuse_has(name arguments != 0);                                                    \
    }
EVAL_CALL(rp_eval_run_name, (NEED(0, misuse.eval)))
EVAL_CALL(rp_eval_n_topics, (NEED(0, misuse.eval)))
EVAL_CALL(rp_eval_n_measures, (NEED(0, misuse.eval)))
EVAL_CALL(rp_eval_topic, (NEED(0, misuse.eval), 0))
EVAL_CALL(rp_eval_measure, (NEED(0, misuse.eval), 0))
EVAL_CALL(rp_eval_is_count, (NEED(0, misuse.eval), 0))
EVAL_CALL(rp_eval_is_overall, (NEED(0, misuse.eval), 2))
EVAL_CALL(rp_eval_value, (NEED(0, misuse.eval), 0, 1))
EVAL_CALL(rp_eval_total, (NEED(0, misuse.eval), 1))

CALL(rp_topics_open)
{
    rp_topics *topics = NULL;
    rp_status status = rp_topics_open(NEED(0, misuse.topics_file), NULL, NEED(1, &topics), err);
    rp_topics_close(topics);
    return status;
}

FREE_CALL(rp_topics_close)

CALL(rp_topics_next)
{
    rp_topic topic;
    bool is_there;
    return rp_topics_next(NEED(0, misuse.topics), NEED(1, &topic), NEED(2, &is_there), err);
}

CALL(rp_topics_name)
{
    return misuse_has(rp_topics_name(NEED(0, misuse.topics)));
}

static void ignore_lines(void *arg, const char *lines, size_t bytes)
{
    (void)arg, (void)lines, (void)bytes;
}

static const rp_run_options to_nobody = {.write = ignore_lines};

CALL(rp_run_new)
{
    rp_run *run = NULL;
    rp_status status = rp_run_new(NEED(0, misuse.index), NULL, &to_nobody, NEED(1, &run), err);
    rp_run_free(run);
    return status;
}

CALL(rp_run_add)
{
    rp_run *run = NULL;
    rp_hits hits = {0};
    rp_status status = rp_run_new(misuse.index, NULL, &to_nobody, &run, err);
    if (status == RP_OK)
        status = rp_run_add(NEED(0, run), NEED(1, "1"), NEED(2, &hits), err);
    rp_run_free(run);
    return status;
}

CALL(rp_run_add_many)
{
    rp_run *run = NULL;
    rp_hits hits = {0};
    const rp_run_answer answer = {.qid = "1", .hits = &hits};
    rp_status status = rp_run_new(misuse.index, NULL, &to_nobody, &run, err);
    if (status == RP_OK)
        status = rp_run_add_many(NEED(0, run), NEED(1, &answer), 1, 2, err);
    rp_run_free(run);
    return status;
}

CALL(rp_run_finish)
{
    rp_run *run = NULL;
    rp_status status = rp_run_new(misuse.index, NULL, &to_nobody, &run, err);
    if (status == RP_OK)
        status = rp_run_finish(NEED(0, run), err);
    rp_run_free(run);
    return status;
}

FREE_CALL(rp_run_free)

CALL(rp_synth)
{
    const rp_synth_options options = {.docs = 5000, .queries = 20};
    return rp_synth(NEED(0, rp_synth_name(0)), NEED(1, misuse.other_dir), &options, NULL, err);
}

/* The names of a table: NULL past the last. */
#define NAMES_CALL(name)                                                                           \
    CALL(name)                                                                                     \
    {                                                                                              \
        return misuse_has(name(0) && !name(SIZE_MAX));                                             \
    }
CALL(rp_searcher_get_steps)
{
    rp_query_step steps[2];
    size_t n = rp_searcher_get_steps(NEED(0, misuse.searcher), NEED(1, steps), 2);
    return misuse_has(n == 0 && misuse_missing == -1);
}

CALL(rp_searcher_get_kernels)
{
    rp_kernel_count kernels[2];
    size_t n = rp_searcher_get_kernels(NEED(0, misuse.searcher), NEED(1, kernels), 2);
    return misuse_has(n == 0 && misuse_missing == -1);
}

/* ---- executor.h ------------------------------------------------------------------------------ */

static void drop_outcome(void *arg, rp_outcome *outcome)
{
    (void)arg;
    rp_hits_free(&outcome->hits);
}

CALL(rp_costs_read)
{
    rp_costs costs;
    rp_status status = rp_costs_read(NEED(0, "nowhere.json"), NULL, NEED(1, &costs), err);
    return status == RP_IO ? RP_OK : status;
}

static rp_executor *new_executor(void)
{
    rp_executor *executor;
    rp_error err;
    const rp_executor_options options = {.policy = "cpu", .threads = 1};
    assert_int_equal(rp_executor_new(misuse.index, &options, &executor, &err), RP_OK);
    return executor;
}

CALL(rp_executor_new)
{
    rp_executor *executor = NULL;
    const rp_executor_options options = {.policy = "cpu", .threads = 1};
    rp_status status = rp_executor_new(NEED(0, misuse.index), &options, NEED(1, &executor), err);
    rp_executor_free(executor);
    return status;
}

FREE_CALL(rp_executor_free)

CALL(rp_executor_submit)
{
    rp_executor *executor = new_executor();
    const rp_job job = {.query = NEED(2, "wing"),
                        .query_bytes = 4,
                        .done = misuse_missing == 3 ? NULL : drop_outcome};
    rp_status status = rp_executor_submit(NEED(0, executor), NEED(1, &job), NULL, err);
    rp_executor_free(executor);
    return status;
}

CALL(rp_executor_submit_many)
{
    rp_executor *executor = new_executor();
    const rp_job job = {.query = NEED(2, "wing"),
                        .query_bytes = 4,
                        .done = misuse_missing == 3 ? NULL : drop_outcome};
    rp_status status = rp_executor_submit_many(NEED(0, executor), NEED(1, &job), 1, NULL, err);
    rp_executor_free(executor);
    return status;
}

CALL(rp_executor_ask)
{
    rp_executor *executor = new_executor();
    const rp_job job = {.query = NEED(2, "cat"), .query_bytes = 3};
    rp_outcome outcome = {.moves = 77};
    rp_status status = rp_executor_ask(NEED(0, executor), NEED(1, &job), NEED(3, &outcome), err);
    rp_executor_free(executor);
    if (misuse_missing != 3)
        rp_hits_free(&outcome.hits);
    return status;
}

/* A ticket that was never given out is a normal answer. */
CALL(rp_executor_cancel)
{
    rp_executor *executor = new_executor();
    rp_status status = rp_executor_cancel(NEED(0, executor), 12345);
    rp_executor_free(executor);
    return status == RP_NOT_FOUND ? RP_OK : status;
}

CALL(rp_executor_drain)
{
    rp_executor *executor = new_executor();
    rp_status status = rp_executor_drain(NEED(0, executor));
    rp_executor_free(executor);
    return status;
}

CALL(rp_executor_get_report)
{
    rp_executor *executor = new_executor();
    rp_executor_report report = {.submitted = 77};
    rp_executor_get_report(NEED(0, executor), NEED(1, &report));
    rp_executor_free(executor);
    return misuse_has(misuse_missing == -1 && report.submitted == 0);
}

CALL(rp_linked_get)
{
    rp_linked linked;
    return misuse_has(rp_linked_get(0, NEED(0, &linked)));
}

NAMES_CALL(rp_policy_name)
NAMES_CALL(rp_policy_help)
CALL(rp_policy_paper)
{
    return misuse_has(!rp_policy_paper(0) && !rp_policy_paper(SIZE_MAX));
}
CALL(rp_policy_default)
{
    return misuse_has(strcmp(rp_policy_default(NULL), "auto") == 0);
}
NAMES_CALL(rp_codec_name)
NAMES_CALL(rp_freqs_name)
NAMES_CALL(rp_exchange_name)
NAMES_CALL(rp_stem_name)
NAMES_CALL(rp_stop_name)
NAMES_CALL(rp_tokens_name)
NAMES_CALL(rp_order_name)
NAMES_CALL(rp_variant_name)
NAMES_CALL(rp_algorithm_name)
NAMES_CALL(rp_gpu_algorithm_name)
NAMES_CALL(rp_eval_measure_name)
NAMES_CALL(rp_topics_format_name)
NAMES_CALL(rp_synth_name)

CALL(rp_version)
{
    return misuse_has(rp_version());
}

CALL(rp_record_bytes)
{
    return misuse_has(rp_record_bytes(NEED(0, "rp_hits")) > 0);
}

CALL(rp_status_name)
{
    return misuse_has(!strcmp(rp_status_name((rp_status)77), "unknown"));
}

CALL(rp_fallback_name)
{
    return misuse_has(!strcmp(rp_fallback_name((rp_fallback)77), "unknown"));
}

CALL(rp_fallback_text)
{
    return misuse_has(!strcmp(rp_fallback_text((rp_fallback)77), "unknown"));
}

CALL(rp_status_text)
{
    return misuse_has(rp_status_text((rp_status)77));
}

CALL(rp_status_exit)
{
    return misuse_has(rp_status_exit((rp_status)77) != 0);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

const misuse_row misuse_rows[] = {
    ROW(rp_index_open, STATUS_AND_ERROR, "dir, out"),
    ROW(rp_index_close, VALUE, ""),
    ROW(rp_index_get_info, VALUE, "index, out"),
    ROW(rp_index_get_aux, VALUE, "index, out"),
    ROW(rp_linked_get, VALUE, "out"),
    ROW(rp_index_get_document, STATUS_AND_ERROR, "index, out"),
    ROW(rp_index_get_document_start, STATUS_AND_ERROR, "index, out"),
    ROW(rp_document_free, VALUE, ""),
    ROW(rp_index_get_term, STATUS_AND_ERROR, "index, word, out"),
    ROW(rp_index_find, STATUS_AND_ERROR, "index, id, docid"),
    ROW(rp_index_suggest, STATUS_AND_ERROR, "index, prefix, out"),
    ROW(rp_suggestions_free, VALUE, ""),
    ROW(rp_index_get_list, STATUS_AND_ERROR, "index, word, out"),
    ROW(rp_index_get_costs, STATUS_AND_ERROR, "index, out"),
    ROW(rp_index_costs_free, VALUE, ""),
    ROW(rp_index_check, STATUS_AND_ERROR, "dir"),
    ROW(rp_index_build, STATUS_AND_ERROR, "paths, dir, paths[i]"),
    ROW(rp_codec_name, VALUE, ""),
    ROW(rp_stem_name, VALUE, ""),
    ROW(rp_stop_name, VALUE, ""),
    ROW(rp_tokens_name, VALUE, ""),
    ROW(rp_index_analyze, STATUS_AND_ERROR, "index, text, out"),
    ROW(rp_analyze, STATUS_AND_ERROR, "text, out"),
    ROW(rp_text_tokens_free, VALUE, ""),
    ROW(rp_freqs_name, VALUE, ""),
    ROW(rp_builder_new, STATUS_AND_ERROR, "dir, out"),
    ROW(rp_builder_add, STATUS_AND_ERROR, "builder, id, title, text"),
    ROW(rp_builder_finish, STATUS_AND_ERROR, "builder"),
    ROW(rp_builder_free, VALUE, ""),
    ROW(rp_index_recode, STATUS_AND_ERROR, "dir, to"),
    ROW(rp_exchange_name, VALUE, ""),
    ROW(rp_index_export, STATUS_AND_ERROR, "format, dir, path"),
    ROW(rp_index_import, STATUS_AND_ERROR, "format, path, dir"),
    ROW(rp_order_name, VALUE, ""),
    ROW(rp_index_reorder, STATUS_AND_ERROR, "dir, to"),
    ROW(rp_search, STATUS_AND_ERROR, "index, query, hits"),
    ROW(rp_hits_free, VALUE, ""),
    ROW(rp_variant_name, VALUE, ""),
    ROW(rp_algorithm_name, VALUE, ""),
    ROW(rp_gpu_algorithm_name, VALUE, ""),
    ROW(rp_searcher_new, STATUS_AND_ERROR, "index, out"),
    ROW(rp_searcher_free, VALUE, ""),
    ROW(rp_searcher_search, STATUS_AND_ERROR, "searcher, query, hits"),
    ROW(rp_searcher_batch, STATUS_AND_ERROR, "searcher, queries, queries[i].query"),
    ROW(rp_searcher_explain, STATUS_AND_ERROR, "searcher, query, out"),
    ROW(rp_explanation_free, VALUE, ""),
    ROW(rp_searcher_form, STATUS_AND_ERROR, "searcher, query, out"),
    ROW(rp_searcher_lists, STATUS_AND_ERROR, "searcher, query, out"),
    ROW(rp_query_lists_free, VALUE, ""),
    ROW(rp_searcher_snippet, STATUS_AND_ERROR,
        "searcher, query, document, out, document->title, document->text"),
    ROW(rp_snippet_free, VALUE, ""),
    ROW(rp_searcher_correct, STATUS_AND_ERROR, "searcher, query, out"),
    ROW(rp_corrections_free, VALUE, ""),
    ROW(rp_query_key, STATUS_AND_ERROR, "searcher, query, out"),
    ROW(rp_key_free, VALUE, ""),
    ROW(rp_policy_name, VALUE, ""),
    ROW(rp_policy_help, VALUE, ""),
    ROW(rp_policy_paper, VALUE, ""),
    ROW(rp_policy_default, VALUE, ""),
    ROW(rp_costs_read, STATUS_AND_ERROR, "path, out"),
    ROW(rp_executor_new, STATUS_AND_ERROR, "index, out"),
    ROW(rp_executor_free, VALUE, ""),
    ROW(rp_executor_submit, STATUS_AND_ERROR, "executor, job, job->query, job->done"),
    ROW(rp_executor_submit_many, STATUS_AND_ERROR, "executor, jobs, jobs->query, jobs->done"),
    ROW(rp_executor_ask, STATUS_AND_ERROR, "executor, job, job->query, out"),
    ROW(rp_executor_cancel, STATUS, "executor"),
    ROW(rp_executor_drain, STATUS, "executor"),
    ROW(rp_executor_get_report, VALUE, "executor, out"),
    ROW(rp_gpu_get, STATUS_AND_ERROR, "out"),
    ROW(rp_searcher_get_gpu_state, VALUE, "searcher, out"),
    ROW(rp_searcher_get_steps, VALUE, "searcher, out"),
    ROW(rp_searcher_get_kernels, VALUE, "searcher, out"),
    ROW(rp_eval_files, STATUS_AND_ERROR, "qrels, run, out"),
    ROW(rp_eval_free, VALUE, ""),
    ROW(rp_eval_run_name, VALUE, "eval"),
    ROW(rp_eval_n_topics, VALUE, "eval"),
    ROW(rp_eval_n_measures, VALUE, "eval"),
    ROW(rp_eval_topic, VALUE, "eval"),
    ROW(rp_eval_measure, VALUE, "eval"),
    ROW(rp_eval_is_count, VALUE, "eval"),
    ROW(rp_eval_is_overall, VALUE, "eval"),
    ROW(rp_eval_value, VALUE, "eval"),
    ROW(rp_eval_total, VALUE, "eval"),
    ROW(rp_eval_measure_name, VALUE, ""),
    ROW(rp_topics_open, STATUS_AND_ERROR, "path, out"),
    ROW(rp_topics_close, VALUE, ""),
    ROW(rp_topics_next, STATUS_AND_ERROR, "topics, out, has"),
    ROW(rp_topics_name, VALUE, "topics"),
    ROW(rp_topics_format_name, VALUE, ""),
    ROW(rp_run_new, STATUS_AND_ERROR, "index, out"),
    ROW(rp_run_add, STATUS_AND_ERROR, "run, qid, hits"),
    ROW(rp_run_add_many, STATUS_AND_ERROR, "run, answers"),
    ROW(rp_run_finish, STATUS_AND_ERROR, "run"),
    ROW(rp_run_free, VALUE, ""),
    ROW(rp_synth_name, VALUE, ""),
    ROW(rp_synth, STATUS_AND_ERROR, "name, dir"),
    ROW(rp_version, VALUE, ""),
    ROW(rp_record_bytes, VALUE, "name"),
    ROW(rp_status_name, VALUE, ""),
    ROW(rp_status_text, VALUE, ""),
    ROW(rp_fallback_name, VALUE, ""),
    ROW(rp_fallback_text, VALUE, ""),
    ROW(rp_status_exit, VALUE, ""),
    {0},
};
