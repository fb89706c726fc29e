/* test_query_work.c: the work of a query is the same whoever answers, and nobody reads more than it says.
 *
 * Queries by chance, of every form, on one thread and several, on the emulated gpu, one by one and in a
 * batch: with its work as the limit each is answered, with one less each is refused by the same message.
 * Then an OR that cannot be pruned, and the query logs of the data folder, no query of which reaches a
 * tenth of the default limit: a sample on one collection, or with RIPOSTE_THOROUGH whole logs on three. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/gpu/device/emulated_device.h"
#include "engine/searcher.h"
#include "oracle/chance.h"
#include "oracle/collection.h"
#include "riposte/topics.h"
#include "tempdir.h"

enum { QUERIES = 150, WORDS = 400, TEXT = 1024, SAMPLE = 20 };
/* What a search may decode for a unit of work, and besides before it finds that nothing can be pruned. */
enum { POSTINGS_A_UNIT = 4, POSTINGS_BESIDES = 1 << 17 };

static bool reads_too_much(uint64_t postings, uint64_t work)
{
    return postings > POSTINGS_A_UNIT * work + POSTINGS_BESIDES;
}

/* ---- Queries by chance ------------------------------------------------------------------------- */

static void put_word(char *text)
{
    char word[32];
    collection_put_word(word, chance_zipf(WORDS));
    strcat(strcat(text, word), chance_below(20) == 0 && strlen(word) > 2 ? "* " : " ");
}

static void put_phrase(char *text)
{
    char word[32], slop[16] = "\" ";
    strcat(text, "\"");
    for (uint64_t n = 2 + chance_below(3); n > 0; n--) {
        collection_put_word(word, chance_zipf(20));
        strcat(strcat(text, word), " ");
    }
    if (chance_below(2))
        snprintf(slop, sizeof slop, "\"~%u ", (unsigned)(1 + chance_below(9)));
    strcat(text, slop);
}

static void put_leaves(char *text)
{
    static const char *const signs[] = {"", "", "+", "-"};
    put_word(text); /* one that is not excluded */
    for (uint64_t n = chance_below(5); n > 0; n--) {
        strcat(text, signs[chance_below(4)]);
        if (chance_below(3) == 0)
            put_phrase(text);
        else
            put_word(text);
    }
}

static void put_query(char *text)
{
    text[0] = 0;
    put_leaves(text);
    for (uint64_t n = chance_below(3); n > 0; n--) {
        strcat(text, "(");
        put_leaves(text);
        strcat(text, ") ");
    }
}

/* ---- Who answers ------------------------------------------------------------------------------- */

typedef struct doer {
    const char *name;
    rp_search_options options;
    uint32_t batch_threads; /* 0: one by one */
    rp_searcher *searcher;
} doer;

static doer doers[] = {
    {.name = "cpu", .options = {.processor = "cpu"}},
    {.name = "tree", .options = {.processor = "cpu", .algorithm = "tree"}},
    {.name = "4 threads", .options = {.processor = "cpu", .threads = 4}},
    {.name = "gpu", .options = {.processor = "gpu", .gpu = "emulated"}},
    {.name = "batch", .options = {.processor = "cpu"}, .batch_threads = 1},
    {.name = "batch on the gpu",
     .options = {.processor = "gpu", .gpu = "emulated"},
     .batch_threads = 1},
};
enum { DOERS = sizeof doers / sizeof *doers };

enum { TWO_THREADS = 33 }; /* queries that are too many for one thread */

/* Threads of a batch have the options of when they began, so there is another number of them each time; and so many
 * queries that all find some. Those behind the first match nothing. */
static rp_status ask(doer *d, const char *text, rp_hits *hits, rp_error *err)
{
    if (!d->batch_threads)
        return rp_searcher_search(d->searcher, text, strlen(text), hits, err);
    d->batch_threads = 3 - d->batch_threads;
    rp_batch_query queries[TWO_THREADS];
    for (size_t i = 0; i < TWO_THREADS; i++)
        queries[i] = (rp_batch_query){.query = i ? "" : text, .query_bytes = i ? 0 : strlen(text)};
    rp_batch_options options = {.threads = d->batch_threads};
    assert_int_equal(rp_searcher_batch(d->searcher, queries, TWO_THREADS, &options, NULL, err),
                     RP_OK);
    for (size_t i = 1; i < TWO_THREADS; i++)
        rp_hits_free(&queries[i].hits);
    *hits = queries[0].hits;
    *err = queries[0].err;
    return queries[0].status;
}

static rp_status ask_within(doer *d, const char *text, uint64_t limit, rp_hits *hits, rp_error *err)
{
    *hits = (rp_hits){0};
    *err = (rp_error){0};
    d->searcher->options.max_work = limit;
    return ask(d, text, hits, err);
}

static void check_query(const char *text)
{
    uint64_t work = 0;
    char message[sizeof(rp_error)] = "";
    for (size_t i = 0; i < DOERS; i++) {
        rp_hits hits;
        rp_error err;
        if (ask_within(&doers[i], text, UINT64_MAX, &hits, &err) != RP_OK)
            fail_msg("%s, '%s': %s", doers[i].name, text, err.text);
        work = i ? work : hits.work;
        if (hits.work != work || reads_too_much(hits.postings, work))
            fail_msg("%s, '%s': work %llu and not %llu, or %llu postings", doers[i].name, text,
                     (unsigned long long)hits.work, (unsigned long long)work,
                     (unsigned long long)hits.postings);
        rp_hits_free(&hits);
        if (work < 2)
            return;
        assert_int_equal(ask_within(&doers[i], text, work, &hits, &err), RP_OK);
        rp_hits_free(&hits);
        if (ask_within(&doers[i], text, work - 1, &hits, &err) != RP_LIMIT)
            fail_msg("%s, '%s': not refused at %llu", doers[i].name, text,
                     (unsigned long long)work - 1);
        if (i == 0)
            snprintf(message, sizeof message, "%s", err.text);
        assert_string_equal(err.text, message);
        assert_non_null(strstr(err.text, "--max-work"));
    }
}

static void the_same_whoever_answers(void **state)
{
    (void)state;
    static const size_t ks[] = {10, 1000};
    collection c = {.name = "work", .stem = "none", .stop = "none"};
    chance_seed(1);
    collection_add_codec(&c, "auto");
    collection_fill(&c, 9000, WORDS, 60);
    collection_end(&c);
    rp__emulated_device_configure(&(rp__emulated_device_options){.seed = 1});
    for (rp_mode mode = RP_MODE_OR; mode <= RP_MODE_ANDOR; mode++) {
        for (size_t i = 0; i < DOERS; i++) {
            rp_search_options options = doers[i].options;
            rp_error err = {.text = ""};
            options.mode = mode;
            options.k = ks[mode % 2];
            options.total = (rp_total)mode;
            if (rp_searcher_new(c.indexes[0], &options, &doers[i].searcher, &err) != RP_OK)
                fail_msg("%s: %s", doers[i].name, err.text);
        }
        for (size_t n = 0; n < QUERIES / 3; n++) {
            char text[TEXT];
            put_query(text);
            check_query(text);
        }
        for (size_t i = 0; i < DOERS; i++)
            rp_searcher_free(doers[i].searcher);
    }
    collection_close(&c);
}

static void planted_readers_are_noticed(void **state)
{
    (void)state;
    assert_false(reads_too_much(4000000, 1000000));
    assert_true(reads_too_much(12000000, 1000000));
}

/* ---- An OR that cannot be pruned --------------------------------------------------------------- */

/* Every document has one of twelve words and scores what all others do. Each pass of the algorithm that
 * is chosen first would search all lists for all of its documents. */
static void alike_documents_are_all_scored(void **state)
{
    (void)state;
    enum { DOCS = 120000, KINDS = 12 };
    char text[256] = "";
    collection c = {.name = "alike", .stem = "none", .stop = "none"};
    collection_add_codec(&c, "bp128");
    for (uint32_t i = 0; i < DOCS; i++) {
        char one[32];
        int n = snprintf(one, sizeof one, "kind%u", i * 7919 % KINDS);
        collection_add(&c, "", 0, one, (size_t)n);
    }
    collection_end(&c);
    for (uint32_t i = 0; i < KINDS; i++)
        sprintf(text + strlen(text), "kind%u ", i);
    for (rp_total total = RP_TOTAL_AT_LEAST; total <= RP_TOTAL_EXACT; total++) {
        rp_hits hits[2];
        rp_error err = {.text = ""};
        for (size_t i = 0; i < 2; i++) {
            rp_searcher *s;
            rp_search_options options = {
                .processor = "cpu", .algorithm = i ? "windows" : NULL, .total = total};
            assert_int_equal(rp_searcher_new(c.indexes[0], &options, &s, &err), RP_OK);
            if (rp_searcher_search(s, text, strlen(text), &hits[i], &err) != RP_OK)
                fail_msg("%s", err.text);
            rp_searcher_free(s);
        }
        assert_int_equal(hits[0].n, hits[1].n);
        for (size_t i = 0; i < hits[0].n; i++)
            assert_int_equal(hits[0].at[i].docid, hits[1].at[i].docid);
        assert_int_equal(hits[0].total, DOCS);
        print_message("%llu postings of %u, work %llu\n", (unsigned long long)hits[0].postings,
                      DOCS, (unsigned long long)hits[0].work);
        assert_false(reads_too_much(hits[0].postings, hits[0].work));
        rp_hits_free(&hits[0]);
        rp_hits_free(&hits[1]);
    }
    collection_close(&c);
}

/* ---- Logs -------------------------------------------------------------------------------------- */

static const char *const logs[] = {"nq-dev.tsv.gz", "terabyte05-efficiency.tsv.gz",
                                   "search-benchmark-game.jsonl.gz"};
static const char *const collections[] = {"simplewiki-50k", "gitlog-500k", "wikipassages-400k"};

static void data_path(char *out, size_t room, const char *folder, const char *file)
{
    const char *data = getenv("RIPOSTE_DATA");
    snprintf(out, room, "%s/%s/%s", data ? data : "../shared/data", folder, file);
}

typedef struct binding {
    rp_searcher *searcher;
    const char *text;
    rp__query query;
    rp_error err;
} binding;

static rp_status bind(void *arg)
{
    binding *b = arg;
    rp_mode mode = b->searcher->options.mode == RP_MODE_OR ? RP_MODE_OR : RP_MODE_AND;
    return rp__searcher_bind(b->searcher, b->text, strlen(b->text), mode, &b->query, &b->err);
}

/* The largest work of a log's queries in a mode. */
static void measure_log(const rp_index *index, const char *name, const char *log, rp_mode mode)
{
    char path[1024], worst[TEXT] = "";
    rp_topics *topics;
    rp_error err = {.text = ""};
    bool is_plain = strstr(log, ".tsv") != NULL;
    rp_search_options options = {
        .mode = mode, .plain = is_plain, .processor = "cpu", .max_work = UINT64_MAX};
    binding b = {0};
    uint64_t most = 0;
    size_t n = 0;
    data_path(path, sizeof path, "queries", log);
    if (rp_topics_open(path, NULL, &topics, &err) != RP_OK ||
        rp_searcher_new(index, &options, &b.searcher, &err) != RP_OK)
        fail_msg("%s", err.text);
    rp_topic topic;
    bool has;
    for (; rp_topics_next(topics, &topic, &has, &err) == RP_OK && has; n++) {
        b.text = topic.query;
        if (n % SAMPLE && !getenv("RIPOSTE_THOROUGH"))
            continue;
        if (rp__searcher_guard(b.searcher, bind, &b, &b.err, &err) != RP_OK)
            fail_msg("%s: %s", b.text, err.text);
        if (b.query.work > most)
            snprintf(worst, sizeof worst, "%s", b.text);
        most = b.query.work > most ? b.query.work : most;
    }
    print_message("  %s, %s, mode %d: %zu queries, work %llu at most: %s\n", name, log, (int)mode,
                  n, (unsigned long long)most, worst);
    rp_search_options defaults = {0};
    rp__plan_defaults(&defaults);
    assert_true(n > 900);
    assert_true(most < defaults.max_work / 10);
    rp_searcher_free(b.searcher);
    rp_topics_close(topics);
}

static void no_query_of_logs_is_near_the_limit(void **state)
{
    (void)state;
    size_t n = getenv("RIPOSTE_THOROUGH") ? sizeof collections / sizeof *collections : 1;
    for (size_t i = 0; i < n; i++) {
        char path[1024];
        tempdir dir;
        rp_error err = {.text = ""};
        rp_index *index;
        data_path(path, sizeof path, collections[i], "docs.jsonl.zst");
        if (access(path, R_OK) != 0) {
            print_message("%s is not here\n", path);
            skip();
        }
        assert_int_equal(tempdir_make(&dir), 0);
        const char *paths[] = {path};
        rp_build_options options = {.no_store = true};
        if (rp_index_build(paths, 1, tempdir_path(&dir, "ix"), &options, NULL, &err) != RP_OK ||
            rp_index_open(tempdir_path(&dir, "ix"), NULL, &index, &err) != RP_OK)
            fail_msg("%s", err.text);
        for (size_t log = 0; log < sizeof logs / sizeof *logs; log++)
            for (rp_mode mode = RP_MODE_OR; mode <= RP_MODE_ANDOR; mode++)
                measure_log(index, collections[i], logs[log], mode);
        rp_index_close(index);
        tempdir_remove(&dir);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_whoever_answers),
        cmocka_unit_test(alike_documents_are_all_scored),
        cmocka_unit_test(no_query_of_logs_is_near_the_limit),
        cmocka_unit_test(planted_readers_are_noticed),
    };
    return cmocka_run_group_tests_name("query work", tests, NULL, NULL);
}
