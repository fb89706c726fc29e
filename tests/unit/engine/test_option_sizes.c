/* test_option_sizes.c: every public function takes option records of earlier and of later releases.
 *
 * A record of a later release has more bytes than this one knows: zeros are fine, any other is refused. One of an
 * earlier release ends before fields that this one has: they are at their defaults, whatever lies behind it. */
#include "riposte/riposte.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "riposte/executor.h"
#include "riposte/synth.h"
#include "tempdir.h"

enum { MORE = 24 }; /* bytes of a later release */

static tempdir dir;
static char index_path[300], other_path[300], ciff_path[300], qrels_path[300], run_path[300];
static rp_index *opened;
static rp_searcher *searcher;

static rp_status call_open(const void *options, rp_error *err)
{
    rp_index *index;
    rp_status status = rp_index_open(index_path, options, &index, err);
    rp_index_close(index);
    return status;
}

static rp_status call_build(const void *options, rp_error *err)
{
    const char *paths[] = {tempdir_path(&dir, "docs.tsv")};
    return rp_index_build(paths, 1, other_path, options, NULL, err);
}

static rp_status call_builder(const void *options, rp_error *err)
{
    rp_builder *builder;
    rp_status status = rp_builder_new(other_path, options, &builder, err);
    rp_builder_free(builder);
    return status;
}

static rp_status call_recode(const void *options, rp_error *err)
{
    return rp_index_recode(index_path, other_path, options, NULL, err);
}

static rp_status call_reorder(const void *options, rp_error *err)
{
    return rp_index_reorder(index_path, other_path, options, NULL, err);
}

static rp_status call_export(const void *options, rp_error *err)
{
    return rp_index_export("ciff", index_path, ciff_path, options, err);
}

static rp_status call_import(const void *options, rp_error *err)
{
    return rp_index_import("ciff", ciff_path, other_path, options, NULL, err);
}

static rp_status call_searcher(const void *options, rp_error *err)
{
    rp_searcher *one;
    rp_status status = rp_searcher_new(opened, options, &one, err);
    rp_searcher_free(one);
    return status;
}

static rp_status call_batch(const void *options, rp_error *err)
{
    rp_batch_query query = {.query = "wing", .query_bytes = 4};
    rp_status status = rp_searcher_batch(searcher, &query, 1, options, NULL, err);
    rp_hits_free(&query.hits);
    return status;
}

static rp_status call_run(const void *options, rp_error *err)
{
    rp_run *run;
    rp_status status = rp_run_new(opened, tempdir_path(&dir, "x.run"), options, &run, err);
    rp_run_free(run);
    return status;
}

static rp_status call_eval(const void *options, rp_error *err)
{
    rp_eval *eval;
    rp_status status = rp_eval_files(qrels_path, run_path, options, &eval, err);
    rp_eval_free(eval);
    return status;
}

static rp_status call_executor(const void *options, rp_error *err)
{
    rp_executor *executor;
    rp_status status = rp_executor_new(opened, options, &executor, err);
    rp_executor_free(executor);
    return status;
}

static rp_status call_synth(const void *options, rp_error *err)
{
    return rp_synth("gov", other_path, options, NULL, err);
}

static const struct {
    const char *name;
    size_t bytes;
    rp_status (*call)(const void *options, rp_error *err);
    bool is_slow; /* with its defaults */
} rows[] = {
    {"rp_index_open", sizeof(rp_index_options), call_open, false},
    {"rp_index_build", sizeof(rp_build_options), call_build, false},
    {"rp_builder_new", sizeof(rp_build_options), call_builder, false},
    {"rp_index_recode", sizeof(rp_recode_options), call_recode, false},
    {"rp_index_reorder", sizeof(rp_reorder_options), call_reorder, false},
    {"rp_index_export", sizeof(rp_export_options), call_export, false},
    {"rp_index_import", sizeof(rp_import_options), call_import, false},
    {"rp_searcher_new", sizeof(rp_search_options), call_searcher, false},
    {"rp_searcher_batch", sizeof(rp_batch_options), call_batch, false},
    {"rp_run_new", sizeof(rp_run_options), call_run, false},
    {"rp_eval_files", sizeof(rp_eval_options), call_eval, false},
    {"rp_executor_new", sizeof(rp_executor_options), call_executor, false},
    {"rp_synth", sizeof(rp_synth_options), call_synth, true},
};
enum { ROWS = sizeof rows / sizeof *rows };

static union {
    size_t size;
    uint8_t bytes[1024];
} record;

static void later_fields_are_refused_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        rp_error err = {0};
        memset(&record, 0, sizeof record);
        record.size = rows[i].bytes + MORE;
        record.bytes[rows[i].bytes + MORE - 1] = 1;
        rp_status status = rows[i].call(&record, &err);
        if (status != RP_USAGE || !strstr(err.text, "a later release"))
            fail_msg("%s: %s %s", rows[i].name, rp_status_name(status), err.text);
    }
}

static void later_fields_that_are_zero_are_fine(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        rp_error err = {0};
        memset(&record, 0, sizeof record);
        record.size = rows[i].bytes + MORE;
        if (!rows[i].is_slow && rows[i].call(&record, &err) != RP_OK)
            fail_msg("%s: %s", rows[i].name, err.text);
    }
}

static void an_earlier_record_means_defaults(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        rp_error err = {0};
        memset(&record, 0xff, sizeof record);
        record.size = sizeof record.size;
        if (!rows[i].is_slow && rows[i].call(&record, &err) != RP_OK)
            fail_msg("%s: %s", rows[i].name, err.text);
    }
}

static void fields_of_an_earlier_record_count(void **state)
{
    (void)state;
    /* k is the first field, and an earlier release might have had no other. */
    rp_search_options o = {.size = offsetof(rp_search_options, mode), .k = 1, .max_query = 1};
    rp_searcher *one;
    rp_hits hits;
    assert_int_equal(rp_searcher_new(opened, &o, &one, NULL), RP_OK);
    assert_int_equal(rp_searcher_search(one, "wing", 4, &hits, NULL), RP_OK);
    assert_int_equal(hits.n, 1);
    rp_hits_free(&hits);
    rp_searcher_free(one);
}

static void put_path(char out[300], const char *name)
{
    snprintf(out, 300, "%.290s", tempdir_path(&dir, name));
}

static int make_files(void **state)
{
    (void)state;
    static const char docs[] = "a\ta wing\nb\tthe wing of a jet\n";
    static const char qrels[] = "1 0 a 1\n", run[] = "1 Q0 a 1 0.5 x\n";
    if (tempdir_make(&dir) != 0)
        return -1;
    put_path(index_path, "my.rip");
    put_path(other_path, "other.rip");
    put_path(ciff_path, "my.ciff");
    put_path(qrels_path, "qrels");
    put_path(run_path, "run");
    tempdir_write(&dir, "qrels", qrels, sizeof qrels - 1);
    tempdir_write(&dir, "run", run, sizeof run - 1);
    const char *paths[] = {tempdir_write(&dir, "docs.tsv", docs, sizeof docs - 1)};
    return rp_index_build(paths, 1, index_path, NULL, NULL, NULL) == RP_OK &&
                   rp_index_export("ciff", index_path, ciff_path, NULL, NULL) == RP_OK &&
                   rp_index_open(index_path, NULL, &opened, NULL) == RP_OK &&
                   rp_searcher_new(opened, NULL, &searcher, NULL) == RP_OK
               ? 0
               : -1;
}

static int remove_files(void **state)
{
    (void)state;
    rp_searcher_free(searcher);
    rp_index_close(opened);
    tempdir_remove(&dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_fields_are_refused_by_name),
        cmocka_unit_test(later_fields_that_are_zero_are_fine),
        cmocka_unit_test(an_earlier_record_means_defaults),
        cmocka_unit_test(fields_of_an_earlier_record_count),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
