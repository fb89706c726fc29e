/* test_gpu_two_passes.c: in every codec the GPU answers without the host decoding a list, and what it made of lists in the
 * first pass over a log is there in the second.
 *
 * ANDs and ORs, one query at a time and as a batch, on the emulated device, with the option strict_processor: a query that
 * the CPU answers, or a list that the host decodes, is an error then. In the second pass at most 1 KB a query is uploaded,
 * and there are no more launches than a query needs whose lists are read as stored. RIPOSTE_THOROUGH=1: 60,000
 * documents and 300 queries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "riposte/riposte.h"
#include "riposte/synth.h"
#include "tempdir.h"

enum { QUERIES_MAX = 300, TEXT = 256, UPLOAD_MAX = 1024, MODES = 2 };

static const rp_mode modes[MODES] = {RP_MODE_AND, RP_MODE_OR};
static const char *const mode_names[MODES] = {"and", "or"};
static tempdir dir;
static char from[300], queries[QUERIES_MAX][TEXT];
static size_t n_queries;

static void must(rp_status status, const rp_error *err)
{
    if (status != RP_OK)
        fail_msg("%s", err->text);
}

static void read_queries(const char *path)
{
    char line[TEXT];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (n_queries < QUERIES_MAX && fgets(line, sizeof line, f)) {
        const char *words = strchr(line, '\t');
        assert_non_null(words);
        line[strcspn(line, "\n")] = 0;
        snprintf(queries[n_queries++], TEXT, "%s", words + 1);
    }
    assert_int_equal(fclose(f), 0);
}

static rp_gpu_counters ask_singly(rp_searcher *searcher)
{
    rp_gpu_counters sum = {0};
    rp_error err = {.text = ""};
    for (size_t q = 0; q < n_queries; q++) {
        rp_hits hits;
        must(rp_searcher_search(searcher, queries[q], strlen(queries[q]), &hits, &err), &err);
        assert_string_equal(hits.processor, "gpu");
        sum.launches += hits.gpu.launches;
        sum.uploaded_bytes += hits.gpu.uploaded_bytes;
        sum.host_decoded_lists += hits.gpu.host_decoded_lists;
        rp_hits_free(&hits);
    }
    return sum;
}

static rp_gpu_counters ask_at_once(rp_searcher *searcher)
{
    static rp_batch_query batch[QUERIES_MAX];
    rp_batch_report report;
    rp_error err = {.text = ""};
    for (size_t q = 0; q < n_queries; q++)
        batch[q] = (rp_batch_query){.query = queries[q], .query_bytes = strlen(queries[q])};
    must(rp_searcher_batch(searcher, batch, n_queries, NULL, &report, &err), &err);
    for (size_t q = 0; q < n_queries; q++) {
        must(batch[q].status, &batch[q].err);
        assert_string_equal(batch[q].hits.processor, "gpu");
        rp_hits_free(&batch[q].hits);
    }
    return report.gpu;
}

/* The second pass over a log. */
static rp_gpu_counters pass_twice(const rp_index *index, rp_mode mode, bool is_batch)
{
    const rp_search_options options = {
        .processor = "gpu", .gpu = "emulated", .mode = mode, .strict_processor = true};
    rp_error err = {.text = ""};
    rp_searcher *searcher;
    rp_gpu_counters got = {0};
    must(rp_searcher_new(index, &options, &searcher, &err), &err);
    for (int pass = 0; pass < 2; pass++) {
        got = is_batch ? ask_at_once(searcher) : ask_singly(searcher);
        assert_int_equal(got.host_decoded_lists, 0);
    }
    rp_searcher_free(searcher);
    return got;
}

static void check_codec(const char *codec, rp_gpu_counters batches[MODES])
{
    char path[400];
    rp_error err = {.text = ""};
    rp_index *index;
    snprintf(path, sizeof path, "%s/recoded", dir.path);
    must(rp_index_recode(from, path, &(rp_recode_options){.codec = codec}, NULL, &err), &err);
    must(rp_index_open(path, NULL, &index, &err), &err);
    for (size_t m = 0; m < MODES; m++) {
        const rp_gpu_counters one = pass_twice(index, modes[m], false);
        batches[m] = pass_twice(index, modes[m], true);
        if (one.uploaded_bytes > n_queries * UPLOAD_MAX || one.launches > n_queries ||
            batches[m].uploaded_bytes > n_queries * UPLOAD_MAX)
            fail_msg("%s, %s: second pass: %llu bytes and %llu launches one by one, %llu bytes as "
                     "a batch",
                     codec, mode_names[m], (unsigned long long)one.uploaded_bytes,
                     (unsigned long long)one.launches,
                     (unsigned long long)batches[m].uploaded_bytes);
    }
    rp_index_close(index);
}

static void second_pass_uploads_nothing(void **state)
{
    (void)state;
    rp_gpu_counters plain[MODES], got[MODES];
    const char *codec;
    check_codec("bp128", plain);
    for (size_t i = 0; (codec = rp_codec_name(i)); i++) {
        check_codec(codec, got);
        for (size_t m = 0; m < MODES; m++)
            if (got[m].launches != plain[m].launches)
                fail_msg("%s, %s: %llu launches for a batch, bp128 has %llu", codec, mode_names[m],
                         (unsigned long long)got[m].launches,
                         (unsigned long long)plain[m].launches);
    }
}

static int open_all(void **state)
{
    (void)state;
    const bool is_thorough = getenv("RIPOSTE_THOROUGH") != NULL;
    char log[400];
    rp_error err = {.text = ""};
    if (tempdir_make(&dir))
        return 1;
    snprintf(from, sizeof from, "%.200s/gov", dir.path);
    snprintf(log, sizeof log, "%s.queries.tsv", from);
    const rp_synth_options options = {.docs = is_thorough ? 60000 : 6000,
                                      .queries = is_thorough ? 300 : 24};
    must(rp_synth("gov", from, &options, NULL, &err), &err);
    read_queries(log);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    tempdir_remove(&dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(second_pass_uploads_nothing)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
