/* test_fallbacks.c: what a GPU did for a query is counted, and why it did not answer one is said: every reason that can
 * be provoked on the emulated device, of single queries, batches and a process of its own. Under strict_processor each
 * of them is RP_UNAVAILABLE, and so is host decoding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/gpu_card.h"
#include "engine/mailbox.h"
#include "engine/searcher.h"
#include "oracle/chance.h"
#include "oracle/collection.h"

enum { WORDS = 80, TEXT = 2048, MANY = 70, EQUAL_DOCS = 20000, LONG_DOCS = (1 << 20) + 1 };
enum { BP128, LRC, CODECS }; /* of the collection */

static collection docs;

static int open_docs(void **state)
{
    (void)state;
    docs = (collection){.name = "fallbacks", .stem = "none", .stop = "none"};
    chance_seed(11);
    collection_add_codec(&docs, "bp128");
    collection_add_codec(&docs, "lrc");
    collection_fill(&docs, 5000, WORDS, 60);
    collection_end(&docs);
    return 0;
}

static int close_docs(void **state)
{
    (void)state;
    collection_close(&docs);
    return 0;
}

static int begin(void **state)
{
    (void)state;
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    return 0;
}

/* The first n words, with a mark before each. */
static const char *words(size_t n, const char *mark)
{
    static char text[TEXT];
    char word[32];
    text[0] = 0;
    for (size_t i = 0; i < n; i++) {
        collection_put_word(word, i);
        strcat(strcat(strcat(text, mark), word), " ");
    }
    return text;
}

static const char *phrase(size_t n)
{
    static char text[TEXT];
    snprintf(text, sizeof text, "\"%s\"", words(n, ""));
    return text;
}

/* ---- Asking ------------------------------------------------------------------------------------ */

static rp_searcher *open_searcher(const rp_index *index, rp_search_options options)
{
    rp_error err = {.text = ""};
    rp_searcher *searcher;
    options.processor = "gpu";
    options.gpu = options.gpu ? options.gpu : "emulated";
    if (rp_searcher_new(index, &options, &searcher, &err) != RP_OK)
        fail_msg("%s", err.text);
    return searcher;
}

static rp_hits search(rp_searcher *searcher, const char *text)
{
    rp_error err = {.text = ""};
    rp_hits hits;
    if (rp_searcher_search(searcher, text, strlen(text), &hits, &err) != RP_OK)
        fail_msg("'%s': %s", text, err.text);
    bool is_on_gpu = !strcmp(hits.processor, "gpu");
    assert_int_equal(is_on_gpu, hits.fallback == RP_FALLBACK_NONE);
    return hits;
}

/* Why the GPU does not answer; the hits are nobody's. */
static rp_fallback ask(const rp_index *index, rp_search_options options, const char *text)
{
    rp_searcher *searcher = open_searcher(index, options);
    rp_hits hits = search(searcher, text);
    rp_fallback why = hits.fallback;
    rp_hits_free(&hits);
    rp_searcher_free(searcher);
    return why;
}

/* A query, n times in one group: how many had this reason; all others were answered by the GPU. */
static size_t count_in_batch(const rp_index *index, rp_search_options options, const char *text,
                             size_t n, rp_fallback why)
{
    rp_searcher *searcher = open_searcher(index, options);
    rp_batch_query queries[MANY] = {{.query = NULL}};
    rp_batch_report report;
    rp_error err = {.text = ""};
    for (size_t i = 0; i < n; i++)
        queries[i] = (rp_batch_query){.query = text, .query_bytes = strlen(text)};
    assert_int_equal(rp_searcher_batch(searcher, queries, n, NULL, &report, &err), RP_OK);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(queries[i].status, RP_OK);
        assert_true(queries[i].hits.fallback == why ||
                    queries[i].hits.fallback == RP_FALLBACK_NONE);
        rp_hits_free(&queries[i].hits);
    }
    assert_int_equal(report.n_grouped + report.fallbacks[why], n);
    rp_searcher_free(searcher);
    return report.fallbacks[why];
}

/* The strict searcher refuses, alone and in a batch, and names the reason. */
static void expect_strict(const rp_index *index, rp_search_options options, const char *text,
                          const char *reason)
{
    options.strict_processor = true;
    rp_searcher *searcher = open_searcher(index, options);
    rp_batch_query query = {.query = text, .query_bytes = strlen(text)};
    rp_error err = {.text = ""};
    rp_hits hits;
    assert_int_equal(rp_searcher_batch(searcher, &query, 1, NULL, NULL, &err), RP_OK);
    assert_int_equal(query.status, RP_UNAVAILABLE);
    assert_non_null(strstr(query.err.text, reason));
    assert_null(query.hits.at);
    if (rp_searcher_search(searcher, text, strlen(text), &hits, &err) != RP_OK) {
        assert_int_equal(err.code, RP_UNAVAILABLE);
        if (!strstr(err.text, reason))
            fail_msg("the error does not name '%s': %s", reason, err.text);
    }
    rp_hits_free(&hits);
    rp_searcher_free(searcher);
}

/* ---- Reasons ----------------------------------------------------------------------------------- */

static void single_queries_have_reasons(void **state)
{
    (void)state;
    const rp_index *index = docs.indexes[BP128];
    char text[TEXT];
    collection_put_word(text, 0);
    strcat(text, " -nowhere");
    assert_int_equal(ask(index, (rp_search_options){0}, words(3, "")), RP_FALLBACK_NONE);
    assert_int_equal(ask(index, (rp_search_options){0}, "nowhere nobody"), RP_FALLBACK_NONE);
    assert_int_equal(ask(index, (rp_search_options){0}, text), RP_FALLBACK_FORM);
    assert_int_equal(ask(index, (rp_search_options){0}, phrase(2)), RP_FALLBACK_FORM);
    assert_int_equal(ask(index, (rp_search_options){0}, words(WORDS, "")), RP_FALLBACK_NONE);
    assert_int_equal(ask(index, (rp_search_options){0}, words(257, "")), RP_FALLBACK_TERMS);
    assert_int_equal(ask(index, (rp_search_options){.mode = RP_MODE_AND}, words(65, "")),
                     RP_FALLBACK_TERMS);
    assert_int_equal(ask(index, (rp_search_options){.variant = "dirichlet"}, words(2, "")),
                     RP_FALLBACK_RANKING);
    assert_int_equal(ask(index, (rp_search_options){.algorithm = "maxscore"}, words(2, "")),
                     RP_FALLBACK_ALGORITHM);
    assert_int_equal(ask(index, (rp_search_options){.gpu_memory = 1}, words(2, "")),
                     RP_FALLBACK_INDEX);
}

static void batches_have_reasons(void **state)
{
    (void)state;
    const rp_index *index = docs.indexes[BP128];
    rp_search_options exact = {.total = RP_TOTAL_EXACT}, only = {.total = RP_TOTAL_ONLY};
    rp_search_options and = {.mode = RP_MODE_AND}, many = {.k = 10001, .max_k = 10001};
    rp_search_options ranking = {.variant = "dirichlet"}, algorithm = {.algorithm = "maxscore"};
    assert_int_equal(count_in_batch(index, exact, words(2, ""), 3, RP_FALLBACK_EXACT_TOTAL), 0);
    assert_int_equal(count_in_batch(index, only, words(2, ""), 3, RP_FALLBACK_EXACT_TOTAL), 0);
    rp__launch_policy_tuning.or_counts = false;
    assert_int_equal(count_in_batch(index, exact, words(2, ""), 3, RP_FALLBACK_EXACT_TOTAL), 3);
    assert_int_equal(count_in_batch(index, only, words(2, ""), 3, RP_FALLBACK_EXACT_TOTAL), 3);
    rp__launch_policy_tuning.or_counts = true;
    assert_int_equal(count_in_batch(index, many, words(2, "+"), 3, RP_FALLBACK_K), 3);
    assert_int_equal(count_in_batch(index, ranking, words(2, ""), 1, RP_FALLBACK_RANKING), 1);
    assert_int_equal(count_in_batch(index, algorithm, words(2, ""), 1, RP_FALLBACK_ALGORITHM), 1);
    assert_int_equal(
        count_in_batch(index, (rp_search_options){0}, words(256, ""), 1, RP_FALLBACK_TERMS), 0);
    assert_int_equal(
        count_in_batch(index, (rp_search_options){0}, words(257, ""), 1, RP_FALLBACK_TERMS), 1);
    assert_int_equal(count_in_batch(index, and, words(64, ""), 1, RP_FALLBACK_TERMS), 0);
    assert_int_equal(count_in_batch(index, and, words(65, ""), 1, RP_FALLBACK_TERMS), 1);
    assert_int_equal(count_in_batch(index, and, "a OR (b c)", 2, RP_FALLBACK_FORM), 2);
    assert_int_equal(count_in_batch(index, (rp_search_options){.gpu_memory = 1}, words(2, ""), 3,
                                    RP_FALLBACK_INDEX),
                     3);
}

/* 64 phrases go with a launch, others with the next one; of each the host looks into 1,024 documents. */
static void phrases_have_reasons(void **state)
{
    (void)state;
    rp_search_options options = {0};
    const rp_index *index = docs.indexes[BP128];
    assert_int_equal(count_in_batch(index, options, phrase(8), 64, RP_FALLBACK_BATCH), 0);
    assert_int_equal(count_in_batch(index, options, phrase(8), MANY, RP_FALLBACK_BATCH), 0);
    assert_int_equal(count_in_batch(index, options, phrase(2), 2, RP_FALLBACK_PHRASE), 2);
}

/* As memory grows: no index, no memory for the query, an answer. */
static void memory_is_a_reason(void **state)
{
    (void)state;
    for (int is_batch = 0; is_batch < 2; is_batch++) {
        size_t seen[RP_FALLBACKS] = {0};
        for (uint64_t bytes = 1; bytes < 1 << 27; bytes += bytes / 4 + 1) {
            rp_searcher *searcher = open_searcher(
                docs.indexes[BP128], (rp_search_options){.mode = RP_MODE_AND, .gpu_memory = bytes});
            rp_batch_query query = {.query = words(3, "")};
            rp_error err;
            query.query_bytes = strlen(query.query);
            if (is_batch)
                assert_int_equal(rp_searcher_batch(searcher, &query, 1, NULL, NULL, &err), RP_OK);
            else
                query.hits = search(searcher, query.query);
            seen[query.hits.fallback]++;
            rp_hits_free(&query.hits);
            rp_searcher_free(searcher);
        }
        assert_true(seen[RP_FALLBACK_NONE] > 0);
        assert_true(seen[RP_FALLBACK_INDEX] > 0);
        assert_true(seen[RP_FALLBACK_MEMORY] > 0);
        for (size_t i = 1; i < RP_FALLBACKS; i++)
            assert_true(seen[i] == 0 || i == RP_FALLBACK_INDEX || i == RP_FALLBACK_MEMORY);
    }
}

/* A device that fails, one that does not come back, and one that was lost before. */
static void faults_are_reasons(void **state)
{
    (void)state;
    static const rp_fallback reasons[] = {RP_FALLBACK_FAULT, RP_FALLBACK_DEADLINE};
    for (size_t i = 0; i < 2; i++)
        for (int is_batch = 0; is_batch < 2; is_batch++) {
            rp__emulated_device_configure(&(rp__emulated_device_options){0});
            rp_searcher *searcher = open_searcher(
                docs.indexes[BP128], (rp_search_options){.mode = RP_MODE_AND, .gpu_timeout = 30});
            rp_batch_query query = {.query = words(3, "")};
            rp_error err;
            query.query_bytes = strlen(query.query);
            rp_hits hits = search(searcher, query.query);
            rp_hits_free(&hits);
            rp__emulated_device_stop(i ? 0 : RP_CU_ILLEGAL_ADDRESS);
            if (is_batch)
                assert_int_equal(rp_searcher_batch(searcher, &query, 1, NULL, NULL, &err), RP_OK);
            else
                query.hits = search(searcher, query.query);
            assert_int_equal(query.hits.fallback, reasons[i]);
            rp_hits_free(&query.hits);
            hits = search(searcher, query.query);
            assert_int_equal(hits.fallback, RP_FALLBACK_FAULT);
            rp_hits_free(&hits);
            rp_searcher_free(searcher);
        }
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
}

static void spoil(rp__gpu_card *card)
{
    static uint8_t bytes[1 << 12];
    const rp__gpu_section *section = &card->index.residency->sections[0];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)chance_below(256);
    for (size_t i = 0; i < card->index.residency->n; i++, section++)
        for (size_t at = 0; at + sizeof bytes <= section->bytes; at += 2 * sizeof bytes)
            assert_int_equal(
                rp__device_copy_in(&card->device, section->at + at, bytes, sizeof bytes), RP_OK);
    assert_int_equal(rp__device_wait(&card->device), RP_OK);
}

/* Bytes of the device's copy are changed, which the host does not see: whatever is refused is damage. */
static void damage_is_a_reason(void **state)
{
    (void)state;
    enum { ROUNDS = 40 };
    rp_error err;
    rp__gpu_card card = {.has_index = false};
    rp__arena arena;
    rp__query query;
    size_t n_damaged = 0;
    rp_searcher *searcher = open_searcher(docs.indexes[BP128], (rp_search_options){0});
    const char *text = words(3, "+");
    rp__arena_init(&arena, (size_t)64 << 20);
    assert_int_equal(rp__searcher_bind(searcher, text, strlen(text), RP_MODE_AND, &query, &err),
                     RP_OK);
    assert_int_equal(rp__gpu_card_open(&card, rp__emulated_device_driver(), 0, query.segment,
                                       &(rp__place){.gpu_memory = 1 << 27}, &err),
                     RP_OK);
    for (size_t i = 0; i < ROUNDS; i++) {
        rp__answer answer;
        spoil(&card);
        rp__arena_clear(&arena);
        if (rp__exec_run(&card.exec, &query, &arena, &answer, &err) == RP_OK)
            continue;
        assert_int_equal(answer.fallback, RP_FALLBACK_DAMAGED);
        n_damaged++;
    }
    assert_true(n_damaged > 0);
    rp__gpu_card_close(&card);
    rp__arena_reset(&arena);
    rp_searcher_free(searcher);
}

/* What no searcher asks for: ranges of documents in a batch, queries of a group that differ, no lengths, no arena. */
static void bound_queries_have_reasons(void **state)
{
    (void)state;
    const rp__backend *gpu = rp__backend_find("gpu");
    rp_searcher *searcher = open_searcher(docs.indexes[BP128], (rp_search_options){0});
    rp__batch_item asked[3];
    rp__arena arena;
    rp__answer answer;
    rp__query query;
    rp_error err;
    void *batch;
    const char *text = words(3, "");
    rp__arena_init(&arena, (size_t)64 << 20);
    assert_int_equal(rp__searcher_bind(searcher, text, strlen(text), RP_MODE_OR, &query, &err),
                     RP_OK);
    for (size_t i = 0; i < 3; i++)
        asked[i] = (rp__batch_item){.query = query};
    asked[0].query.begin = asked[1].query.begin = 7;
    assert_int_equal(gpu->batch_new(searcher->state, &batch, &err), RP_OK);
    gpu->batch_start(batch, asked, 3, &arena);
    gpu->batch_finish(batch, asked, 3, &arena);
    gpu->batch_free(batch);
    assert_int_equal(asked[0].answer.fallback, RP_FALLBACK_RANGE);
    assert_int_equal(asked[1].answer.fallback, RP_FALLBACK_RANGE);
    assert_int_equal(asked[2].answer.fallback, RP_FALLBACK_GROUP);
    assert_int_equal(asked[2].status, RP_UNAVAILABLE);
    const uint32_t n_table = query.lengths.n_table;
    query.lengths.n_table = 0;
    assert_int_equal(gpu->run(searcher->state, &query, &arena, &answer, &err), RP_UNAVAILABLE);
    assert_int_equal(answer.fallback, RP_FALLBACK_LENGTHS);
    query.lengths.n_table = n_table;
    rp__arena_reset(&arena);
    rp__arena_init(&arena, 1);
    assert_int_equal(gpu->run(searcher->state, &query, &arena, &answer, &err), RP_NO_MEMORY);
    assert_int_equal(answer.fallback, RP_FALLBACK_HOST_MEMORY);
    rp__arena_reset(&arena);
    rp_searcher_free(searcher);
}

static void add_many(collection *c, const char *codec, size_t n, const char *text)
{
    *c = (collection){.stem = "none", .stop = "none"};
    collection_add_codec(c, codec);
    for (size_t i = 0; i < n; i++)
        collection_add(c, "", 0, text, strlen(text));
    collection_end(c);
}

static void long_lists_in_other_codecs_are_answered(void **state)
{
    (void)state;
    collection c;
    add_many(&c, "lrc", LONG_DOCS, "a");
    assert_int_equal(ask(c.indexes[0], (rp_search_options){0}, "a"), RP_FALLBACK_NONE);
    collection_close(&c);
}

/* More documents may be among the k best than there is memory for: of a batch the cpu answers, of a single query
 * another kernel. */
static void equal_documents_are_a_reason(void **state)
{
    (void)state;
    collection c;
    add_many(&c, "bp128", EQUAL_DOCS, "a b");
    rp_search_options options = {.k = 1000};
    assert_int_equal(ask(c.indexes[0], options, "a b"), RP_FALLBACK_NONE);
    assert_int_equal(count_in_batch(c.indexes[0], options, "a b", 1, RP_FALLBACK_CROWDED), 1);
    collection_close(&c);
}

/* More searchers than a mailbox has slots. */
static void process_of_its_own_has_reasons(void **state)
{
    (void)state;
    rp_searcher *searchers[RP_MAILBOX_SLOTS + 1];
    for (size_t i = 0; i <= RP_MAILBOX_SLOTS; i++)
        searchers[i] = open_searcher(docs.indexes[LRC], (rp_search_options){.gpu_child = true});
    rp_hits hits = search(searchers[0], words(3, "+"));
    assert_int_equal(hits.fallback, RP_FALLBACK_NONE);
    assert_true(hits.gpu.launches > 1);
    assert_int_equal(hits.gpu.host_decoded_lists, 0);
    rp_hits_free(&hits);
    hits = search(searchers[0], phrase(2));
    assert_int_equal(hits.fallback, RP_FALLBACK_FORM);
    rp_hits_free(&hits);
    hits = search(searchers[RP_MAILBOX_SLOTS], words(3, ""));
    assert_int_equal(hits.fallback, RP_FALLBACK_CHILD);
    rp_hits_free(&hits);
    for (size_t i = 0; i <= RP_MAILBOX_SLOTS; i++)
        rp_searcher_free(searchers[i]);
    assert_int_equal(
        count_in_batch(docs.indexes[BP128],
                       (rp_search_options){.gpu_child = true, .k = 10001, .max_k = 10001},
                       words(2, ""), 2, RP_FALLBACK_K),
        2);
}

/* ---- Counters ---------------------------------------------------------------------------------- */

/* Lists are checked, then one launch; then a persistent kernel, which is launched once, and then takes queries without. */
static void launches_are_counted(void **state)
{
    (void)state;
    static const uint64_t launches[] = {2, 1, 0, 0};
    rp_searcher *searcher =
        open_searcher(docs.indexes[BP128], (rp_search_options){.mode = RP_MODE_AND});
    for (size_t i = 0; i < 4; i++) {
        rp_hits hits = search(searcher, words(3, ""));
        assert_int_equal(hits.gpu.launches, launches[i]);
        assert_int_equal(hits.gpu.uploaded_bytes > 0, i == 0); /* the norms */
        assert_int_equal(hits.gpu.transcoded_postings, 0);
        assert_int_equal(hits.gpu.host_decoded_lists, 0);
        rp_hits_free(&hits);
    }
    rp_searcher_free(searcher);
}

/* Of an OR by tiles the lists are checked, and laid out, once. */
static void transcoding_is_counted(void **state)
{
    (void)state;
    rp_searcher *searcher = open_searcher(docs.indexes[BP128], (rp_search_options){0});
    for (size_t i = 0; i < 2; i++) {
        rp_hits hits = search(searcher, words(2, ""));
        assert_int_equal(hits.gpu.launches, i ? 1 : 3);
        assert_int_equal(hits.gpu.transcoded_postings, i ? 0 : hits.postings);
        rp_hits_free(&hits);
    }
    rp_searcher_free(searcher);
}

/* Lists of a codec that kernels do not read are transcoded once, on the device; tiny lists do not count. */
static void nothing_is_decoded_on_the_host(void **state)
{
    (void)state;
    for (int is_or = 0; is_or < 2; is_or++) {
        rp_searcher *searcher = open_searcher(
            docs.indexes[LRC], (rp_search_options){.mode = is_or ? RP_MODE_OR : RP_MODE_AND});
        for (size_t i = 0; i < 2; i++) {
            rp_hits hits = search(searcher, words(3, ""));
            assert_int_equal(hits.gpu.host_decoded_lists, 0);
            assert_int_equal(hits.gpu.host_decoded_postings, 0);
            assert_int_equal(hits.gpu.transcoded_postings > 0, i == 0);
            assert_int_equal(hits.gpu.launches == 1, i > 0);
            rp_hits_free(&hits);
        }
        rp_searcher_free(searcher);
    }
    collection c;
    add_many(&c, "lrc", 2, "a b");
    rp_searcher *searcher = open_searcher(
        c.indexes[0], (rp_search_options){.strict_processor = true, .mode = RP_MODE_AND});
    rp_hits hits = search(searcher, "a b");
    assert_int_equal(hits.n, 2);
    assert_int_equal(hits.gpu.host_decoded_lists, 0);
    rp_hits_free(&hits);
    rp_searcher_free(searcher);
    collection_close(&c);
}

/* Two cards, each with a half of the documents; andor, which asks twice. */
static void counters_add_up(void **state)
{
    (void)state;
    rp_search_options options = {.mode = RP_MODE_AND, .gpu = "emulated,emulated"};
    rp_searcher *searcher = open_searcher(docs.indexes[LRC], options);
    rp_hits hits = search(searcher, words(3, ""));
    assert_true(hits.gpu.launches > 2);
    assert_int_equal(hits.gpu.host_decoded_lists, 0);
    rp_hits_free(&hits);
    hits = search(searcher, words(3, ""));
    assert_int_equal(hits.gpu.launches, 2);
    rp_hits_free(&hits);
    hits = search(searcher, phrase(2));
    assert_int_equal(hits.fallback, RP_FALLBACK_FORM);
    rp_hits_free(&hits);
    rp_searcher_free(searcher);
    options = (rp_search_options){.mode = RP_MODE_ANDOR, .total = RP_TOTAL_EXACT};
    searcher = open_searcher(docs.indexes[LRC], options);
    hits = search(searcher, words(20, ""));
    assert_true(hits.is_or_fallback);
    assert_int_equal(hits.gpu.host_decoded_lists, 0);
    rp_hits_free(&hits);
    hits = search(searcher, words(20, ""));
    assert_int_equal(hits.gpu.launches, 1 + 1);
    rp_hits_free(&hits);
    rp_searcher_free(searcher);
    rp_batch_query query = {.query = words(20, "")};
    query.query_bytes = strlen(query.query);
    assert_int_equal(
        count_in_batch(docs.indexes[LRC], options, query.query, 2, RP_FALLBACK_EXACT_TOTAL), 0);
}

/* Lists are transcoded once, on the device, in any codec; from then on a group is one launch. */
static void batches_are_counted(void **state)
{
    (void)state;
    for (size_t codec = 0; codec < CODECS; codec++) {
        rp_searcher *searcher =
            open_searcher(docs.indexes[codec], (rp_search_options){.mode = RP_MODE_AND});
        for (size_t i = 0; i < 2; i++) {
            rp_batch_query query = {.query = words(3, "")};
            rp_batch_report report;
            rp_error err;
            query.query_bytes = strlen(query.query);
            assert_int_equal(rp_searcher_batch(searcher, &query, 1, NULL, &report, &err), RP_OK);
            assert_memory_equal(&report.gpu, &query.hits.gpu, sizeof report.gpu);
            assert_true(i == 0 ? report.gpu.launches > 1 : report.gpu.launches == 1);
            assert_int_equal(report.gpu.host_decoded_lists, 0);
            assert_int_equal(report.gpu.transcoded_postings > 0, i == 0);
            assert_true(report.gpu.uploaded_bytes > 0);
            assert_true(i == 0 || report.gpu.uploaded_bytes < 1 << 14);
            rp_hits_free(&query.hits);
        }
        rp_searcher_free(searcher);
    }
}

/* ---- Strict ------------------------------------------------------------------------------------ */

static void strict_refuses(void **state)
{
    (void)state;
    rp_search_options and = {.mode = RP_MODE_AND}, many = {.k = 10001, .max_k = 10001};
    expect_strict(docs.indexes[BP128], and, "a OR (b c)", rp_fallback_text(RP_FALLBACK_FORM));
    expect_strict(docs.indexes[BP128], and, words(65, ""), rp_fallback_text(RP_FALLBACK_TERMS));
    expect_strict(docs.indexes[BP128], many, words(3, ""), rp_fallback_text(RP_FALLBACK_K));
    expect_strict(docs.indexes[BP128], (rp_search_options){.gpu_memory = 1}, words(3, ""),
                  rp_fallback_text(RP_FALLBACK_INDEX));
}

/* What is right stays so; a mistake is a mistake; the cpu may be asked for; auto is the gpu. */
static void strict_answers(void **state)
{
    (void)state;
    rp_search_options options = {.mode = RP_MODE_AND, .strict_processor = true, .gpu = "emulated"};
    rp_searcher *searcher;
    rp_hits hits;
    rp_error err;
    assert_int_equal(rp_searcher_new(docs.indexes[BP128], &options, &searcher, &err), RP_OK);
    hits = search(searcher, words(3, ""));
    assert_string_equal(hits.processor, "gpu");
    assert_true(hits.n > 0);
    rp_hits_free(&hits);
    rp_batch_query query = {.query = "(", .query_bytes = 1};
    assert_int_equal(rp_searcher_batch(searcher, &query, 1, NULL, NULL, &err), RP_OK);
    assert_int_equal(query.status, RP_USAGE);
    rp_searcher_free(searcher);
    assert_int_equal(rp_searcher_new(docs.indexes[LRC], &options, &searcher, &err), RP_OK);
    hits = search(searcher, words(3, ""));
    assert_string_equal(hits.processor, "gpu");
    rp_hits_free(&hits);
    query = (rp_batch_query){.query = words(3, ""), .query_bytes = strlen(words(3, ""))};
    assert_int_equal(rp_searcher_batch(searcher, &query, 1, NULL, NULL, &err), RP_OK);
    assert_int_equal(query.status, RP_OK);
    rp_hits_free(&query.hits);
    rp_searcher_free(searcher);
    options.processor = "cpu";
    assert_int_equal(rp_searcher_new(docs.indexes[LRC], &options, &searcher, &err), RP_OK);
    assert_int_equal(rp_searcher_search(searcher, "a", 1, &hits, &err), RP_OK);
    rp_hits_free(&hits);
    rp_searcher_free(searcher);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(single_queries_have_reasons),
        TEST(batches_have_reasons),
        TEST(phrases_have_reasons),
        TEST(memory_is_a_reason),
        TEST(faults_are_reasons),
        TEST(damage_is_a_reason),
        TEST(bound_queries_have_reasons),
        TEST(long_lists_in_other_codecs_are_answered),
        TEST(equal_documents_are_a_reason),
        TEST(process_of_its_own_has_reasons),
        TEST(launches_are_counted),
        TEST(transcoding_is_counted),
        TEST(nothing_is_decoded_on_the_host),
        TEST(counters_add_up),
        TEST(batches_are_counted),
        TEST(strict_refuses),
        TEST(strict_answers),
    };
    return cmocka_run_group_tests(tests, open_docs, close_docs);
}
