/* test_processors.c: the gpu against the cpu, document for document and score for score, on the emulated device or,
 * but for what needs faults, on the card that RIPOSTE_GPU names.
 *
 * Flat queries by chance over made collections and cranfield, in codecs that the device reads where they lie and
 * in others; for several k, counts and ranges of documents. Then with failing drivers, too little memory and
 * damaged bytes: the answer of a searcher stays that of the cpu.
 * RIPOSTE_GPU_QUERIES sets how many queries each collection is asked. */
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
#include "backend/gpu/exec/exec.h"
#include "engine/searcher.h"
#include "fault/planted_gpu.h"
#include "oracle/chance.h"
#include "oracle/collection.h"
#include "oracle/hits.h"

enum { QUERIES = 60, WORDS = 5, TEXT = 256 };

static const char *const codecs[] = {"auto", "raw",    "bp128", "bitmap",
                                     "rice", "optpfd", "ef128", "iiu"};
static const size_t ks[] = {1, 10, 1000, 0};

static uint64_t n_answered, n_refused, n_matched; /* by the gpu; with documents */

static size_t queries(void)
{
    const char *text = getenv("RIPOSTE_GPU_QUERIES");
    return text && *text ? strtoul(text, NULL, 10) : QUERIES;
}

/* ---- One query --------------------------------------------------------------------------------- */

typedef void (*put_word)(char *out);

static void ask_words(put_word put, char *text)
{
    char word[32];
    text[0] = 0;
    for (uint64_t n = 1 + chance_below(WORDS); n > 0; n--) {
        put(word);
        strcat(strcat(text, word), " ");
    }
}

static void compare(const char *what, const char *text, const rp__query *query,
                    const rp__answer *got, const rp__answer *want)
{
    bool is_same = got->n == want->n;
    if (query->exact_total || query->k == 0)
        is_same &= got->total_is_exact && got->total == want->total;
    for (size_t i = 0; is_same && i < want->n; i++)
        is_same = got->at[i].docid == want->at[i].docid && got->at[i].fixed == want->at[i].fixed;
    if (!is_same)
        fail_msg("%s, k %zu, documents %u to %u, '%s': %zu hits of %llu, cpu %zu of %llu", what,
                 query->k, query->begin, query->end, text, got->n, (unsigned long long)got->total,
                 want->n, (unsigned long long)want->total);
}

/* Whole, then a part of the documents. */
static void check_query(rp_searcher *searcher, const char *what, const char *text, rp_mode mode,
                        rp__arena *arena)
{
    rp_error err = {.text = ""};
    rp__query query;
    assert_int_equal(rp__searcher_bind(searcher, text, strlen(text), mode, &query, &err), RP_OK);
    uint32_t n_docs = query.lengths.n_docs;
    for (uint32_t part = 0; part < 2 && query.n_ops > 0; part++) {
        rp__answer got, want;
        query.begin = part ? (uint32_t)chance_below(n_docs) : 0;
        query.end = part ? query.begin + (uint32_t)chance_below(n_docs - query.begin) : n_docs;
        query.k = ks[chance_below(sizeof ks / sizeof ks[0])];
        query.exact_total = chance_below(2) == 0;
        rp__arena_clear(arena);
        if (rp__backend_find("cpu")->run(NULL, &query, arena, &want, &err) != RP_OK)
            fail_msg("%s, cpu: %s", what, err.text);
        rp_status status = rp__backend_find("gpu")->run(searcher->state, &query, arena, &got, &err);
        if (status != RP_OK)
            fail_msg("%s, '%s': %s", what, text, err.text);
        compare(what, text, &query, &got, &want);
        n_answered++;
        n_matched += got.total > 0;
    }
}

static void check_collection(collection *c, put_word put)
{
    rp__arena arena;
    rp__arena_init(&arena, (size_t)64 << 20);
    collection_end(c);
    n_answered = n_matched = 0;
    for (size_t i = 0; i < c->n_codecs; i++) {
        const rp_search_options options = {.processor = "gpu", .gpu = planted_gpu_name()};
        rp_error err = {.text = ""};
        rp_searcher *searcher;
        rp__emulated_device_configure(&(rp__emulated_device_options){.seed = i});
        if (rp_searcher_new(c->indexes[i], &options, &searcher, &err) != RP_OK)
            fail_msg("%s", err.text);
        for (size_t n = queries(); n > 0; n--) {
            char text[TEXT];
            ask_words(put, text);
            check_query(searcher, c->codecs[i], text, n % 2 ? RP_MODE_AND : RP_MODE_OR, &arena);
        }
        rp_searcher_free(searcher);
        assert_int_equal(rp__emulated_device_in_use(), 0);
    }
    print_message("%s: %llu answers, %llu of them with documents\n", c->name,
                  (unsigned long long)n_answered, (unsigned long long)n_matched);
    assert_true(n_matched * 4 > n_answered);
    rp__arena_reset(&arena);
    collection_close(c);
}

/* ---- Collections ------------------------------------------------------------------------------- */

static void begin(collection *c, uint64_t seed)
{
    chance_seed(seed);
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++)
        collection_add_codec(c, codecs[i]);
}

static void put_common(char *out)
{
    collection_put_word(out, chance_zipf(60));
}
static void put_any(char *out)
{
    collection_put_word(out, chance_zipf(4000));
}

static void long_lists(void **state)
{
    (void)state;
    collection c = {.name = "long lists", .stem = "none", .stop = "none"};
    begin(&c, 1);
    collection_fill(&c, 9000, 60, 12);
    check_collection(&c, put_common);
}

static void many_words(void **state)
{
    (void)state;
    collection c = {.name = "many words", .stem = "none", .stop = "none"};
    begin(&c, 2);
    collection_fill(&c, 1500, 4000, 120);
    check_collection(&c, put_any);
}

static void put_cranfield(char *out)
{
    static const char *const words[] = {"flow",   "boundary",   "layer",   "wing",   "pressure",
                                        "heat",   "supersonic", "mach",    "theory", "transfer",
                                        "number", "shock",      "slender", "panel",  "nowhere"};
    strcpy(out, words[chance_zipf(sizeof words / sizeof words[0])]);
}

static void cranfield(void **state)
{
    (void)state;
    collection c = {.name = "cranfield", .stem = "porter", .stop = "lucene"};
    begin(&c, 3);
    if (!collection_read(&c, "cranfield/docs.jsonl.gz", 1400)) {
        print_message("cranfield is not in the data folder\n");
        collection_close(&c);
        skip();
    }
    check_collection(&c, put_cranfield);
}

/* ---- Searchers --------------------------------------------------------------------------------- */

static collection small; /* for what follows */

static int open_small(void **state)
{
    (void)state;
    small = (collection){.name = "small", .stem = "none", .stop = "none"};
    chance_seed(4);
    collection_add_codec(&small, "bp128");
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++)
        if (strcmp(codecs[i], "bp128") != 0)
            collection_add_codec(&small, codecs[i]);
    collection_fill(&small, 700, 40, 12);
    collection_end(&small);
    return 0;
}

static int close_small(void **state)
{
    (void)state;
    collection_close(&small);
    return 0;
}

/* A query of common words, which documents have. */
static const char *common_words(void)
{
    static char text[TEXT];
    char word[32];
    text[0] = 0;
    for (uint64_t i = 0; i < 3; i++) {
        collection_put_word(word, i);
        strcat(strcat(text, word), " ");
    }
    return text;
}

static rp_status search(rp_searcher *searcher, const char *text, rp_hits *hits)
{
    rp_error err;
    return rp_searcher_search(searcher, text, strlen(text), hits, &err);
}

static rp_status open_searcher(rp_search_options options, rp_searcher **out)
{
    rp_error err = {.text = ""};
    options.total = RP_TOTAL_EXACT;
    rp_status status = rp_searcher_new(small.indexes[0], &options, out, &err);
    assert_true(status == RP_OK || err.text[0]);
    return status;
}

static rp_hits cpu_hits(const char *text, rp_mode mode)
{
    rp_searcher *searcher;
    rp_hits hits;
    rp_search_options options = {.processor = "cpu", .mode = mode};
    assert_int_equal(open_searcher(options, &searcher), RP_OK);
    assert_int_equal(search(searcher, text, &hits), RP_OK);
    assert_string_equal(hits.processor, "cpu");
    rp_searcher_free(searcher);
    return hits;
}

static void assert_same(const rp_hits *got, const rp_hits *want)
{
    assert_int_equal(got->total, want->total);
    assert_int_equal(got->n, want->n);
    for (size_t i = 0; i < want->n; i++) {
        assert_int_equal(got->at[i].docid, want->at[i].docid);
        assert_int_equal(got->at[i].fixed, want->at[i].fixed);
    }
}

static const rp_search_options on_gpu = {
    .processor = "gpu", .gpu = "emulated", .mode = RP_MODE_AND};

/* Two searches and all around them. Which processor answered the second, NULL: there was no searcher. */
static const char *search_twice(const rp_hits *want, const char *text, rp_mode mode)
{
    rp_searcher *searcher;
    const char *processor = NULL;
    rp_search_options options = on_gpu;
    options.mode = mode;
    rp_status status = open_searcher(options, &searcher);
    assert_true(status == RP_OK || status == RP_UNAVAILABLE || status == RP_NO_MEMORY);
    for (int i = 0; status == RP_OK && i < 2; i++) {
        rp_hits hits;
        assert_int_equal(search(searcher, text, &hits), RP_OK);
        assert_same(&hits, want);
        processor = hits.processor;
        assert_int_equal(hits.fallback != RP_FALLBACK_NONE, !strcmp(processor, "cpu"));
        rp_hits_free(&hits);
    }
    rp_searcher_free(searcher);
    assert_int_equal(rp__emulated_device_in_use(), 0);
    return processor;
}

/* Each call once, then every so many of them. */
static void fail_with(int code, const char *text, rp_mode mode)
{
    rp_hits want = cpu_hits(text, mode);
    uint64_t on_cpu = 0;
    assert_true(want.n > 0);
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    assert_string_equal(search_twice(&want, text, mode), "gpu");
    for (uint64_t at = rp__emulated_device_calls(); at > 0; at--) {
        rp__emulated_device_configure(
            &(rp__emulated_device_options){.fail_at = at, .fail_code = code});
        const char *processor = search_twice(&want, text, mode);
        on_cpu += processor && !strcmp(processor, "cpu");
    }
    assert_true(on_cpu > 0);
    for (uint64_t every = 2; every < 9; every++) {
        rp__emulated_device_configure(
            &(rp__emulated_device_options){.fail_at = 30, .fail_every = every, .fail_code = code});
        (void)search_twice(&want, text, mode);
    }
    rp_hits_free(&want);
}

static void every_call_may_fail(void **state)
{
    (void)state;
    static const int codes[] = {RP_CU_NO_MEMORY, RP_CU_LAUNCH_FAILED, RP_CU_ILLEGAL_ADDRESS, 999};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        fail_with(codes[i], common_words(), RP_MODE_AND);
        fail_with(codes[i], common_words(), RP_MODE_OR);
    }
}

static void what_it_cannot_goes_to_the_cpu(void **state)
{
    (void)state;
    static const char *const others[] = {"a -b", "\"a b\"", "a OR (b c)", "a b*"};
    rp_searcher *searcher;
    rp_hits hits;
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    assert_int_equal(open_searcher(on_gpu, &searcher), RP_OK);
    assert_int_equal(search(searcher, common_words(), &hits), RP_OK);
    assert_string_equal(hits.processor, "gpu");
    rp_hits_free(&hits);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_int_equal(search(searcher, others[i], &hits), RP_OK);
        assert_string_equal(hits.processor, "cpu");
        rp_hits_free(&hits);
    }
    rp_searcher_free(searcher);
    rp_search_options options = on_gpu;
    options.variant = "dirichlet";
    assert_int_equal(open_searcher(options, &searcher), RP_OK);
    assert_int_equal(search(searcher, common_words(), &hits), RP_OK);
    assert_string_equal(hits.processor, "cpu");
    rp_hits_free(&hits);
    rp_searcher_free(searcher);
}

static void limits_hold(void **state)
{
    (void)state;
    rp_searcher *searcher;
    rp_hits hits;
    rp_search_options options = on_gpu;
    options.max_work = 1;
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    assert_int_equal(open_searcher(options, &searcher), RP_OK);
    assert_int_equal(search(searcher, common_words(), &hits), RP_LIMIT);
    rp_searcher_free(searcher);
}

/* The index does not fit, or nothing but it does. */
static void memory_may_be_too_little(void **state)
{
    (void)state;
    const char *text = common_words();
    rp_hits want = cpu_hits(text, RP_MODE_AND), hits;
    for (uint64_t bytes = 1; bytes < 1 << 24; bytes += bytes / 2 + 1) {
        rp_searcher *searcher;
        rp_search_options options = on_gpu;
        options.gpu_memory = bytes;
        rp__emulated_device_configure(&(rp__emulated_device_options){0});
        assert_int_equal(open_searcher(options, &searcher), RP_OK);
        assert_int_equal(search(searcher, text, &hits), RP_OK);
        assert_same(&hits, &want);
        assert_string_equal(hits.processor, bytes < 2000      ? "cpu"
                                            : bytes > 1 << 22 ? "gpu"
                                                              : hits.processor);
        rp_hits_free(&hits);
        rp_searcher_free(searcher);
        assert_int_equal(rp__emulated_device_in_use(), 0);
    }
    rp_hits_free(&want);
}

/* ---- Many at once ------------------------------------------------------------------------------ */

enum { BATCH = 120 };

typedef struct batch {
    char texts[BATCH][TEXT];
    rp_batch_query queries[BATCH];
} batch;

/* Words of every form: all there, any there, some of them must be, phrases, words that must not be, prefixes,
 * mistakes, nothing. */
static void ask_any(put_word put, size_t i, char *text)
{
    static const char *const forms[] = {
        "%s %s",        "%s AND %s",      "+%s +%s %s",  "+%s %s %s %s",
        "\"%s %s\"",    "%s -%s",         "%s",          "%s^2.5 %s",
        "%s OR %s",     "\"%s %s\"~3 %s", "(%s %s) %s",  "+%s +\"%s %s\"",
        "%s* %s",       "\"%s",           "%s AND",      "",
        "\"%s %s %s\"", "%s nowhere",     "%s %s %s %s", "+%s +%s"};
    char words[4][32];
    for (size_t w = 0; w < 4; w++)
        put(words[w]);
    snprintf(text, TEXT, forms[i % (sizeof forms / sizeof forms[0])], words[0], words[1], words[2],
             words[3]);
}

static void make_batch(batch *b, put_word put)
{
    for (size_t i = 0; i < BATCH; i++) {
        ask_any(put, i, b->texts[i]);
        b->queries[i] = (rp_batch_query){.query = b->texts[i],
                                         .query_bytes = strlen(b->texts[i]),
                                         .plain = chance_below(8) == 0};
    }
}

/* As the cpu answers each alone. */
static size_t check_batch(const rp_index *index, rp_search_options options, batch *b)
{
    size_t n_on_gpu = 0;
    options.processor = "cpu";
    for (size_t i = 0; i < BATCH; i++) {
        rp_batch_query *got = &b->queries[i];
        rp_searcher *searcher;
        rp_hits want;
        rp_error err = {.text = ""};
        options.plain = got->plain;
        assert_int_equal(rp_searcher_new(index, &options, &searcher, &err), RP_OK);
        rp_status status = rp_searcher_search(searcher, got->query, got->query_bytes, &want, &err);
        bool is_same = got->status == status && hits_are_same(&got->hits, &want) &&
                       got->hits.is_or_fallback == want.is_or_fallback &&
                       (status == RP_OK || !strcmp(got->err.text, err.text)) &&
                       (options.total == RP_TOTAL_AT_LEAST || got->hits.total == want.total);
        if (!is_same)
            fail_msg("'%s', mode %d, total %d, k %zu: %zu hits of %llu, status %d (%s); cpu %zu of "
                     "%llu, %d (%s)",
                     got->query, (int)options.mode, (int)options.total, options.k, got->hits.n,
                     (unsigned long long)got->hits.total, got->status, got->err.text, want.n,
                     (unsigned long long)want.total, status, err.text);
        bool is_on_gpu = got->status == RP_OK && !strcmp(got->hits.processor, "gpu");
        if (got->status == RP_OK && is_on_gpu != (got->hits.fallback == RP_FALLBACK_NONE))
            fail_msg("'%s', by the %s: %s", got->query, got->hits.processor,
                     rp_fallback_text(got->hits.fallback));
        n_on_gpu += is_on_gpu;
        rp_hits_free(&want);
        rp_hits_free(&got->hits);
        rp_searcher_free(searcher);
    }
    return n_on_gpu;
}

/* The report of a batch is the sum of its queries, but for what was done for some that failed. */
static void check_report(const rp_batch_report *report, const batch *b)
{
    uint64_t fallbacks[RP_FALLBACKS] = {0};
    rp_gpu_counters sum = {0};
    bool has_failed = false;
    for (size_t i = 0; i < BATCH; i++) {
        const rp_hits *hits = &b->queries[i].hits;
        fallbacks[hits->fallback] += hits->fallback != RP_FALLBACK_NONE;
        rp__answer_count(&sum, &hits->gpu);
        has_failed |= b->queries[i].status != RP_OK;
    }
    assert_memory_equal(fallbacks, report->fallbacks, sizeof fallbacks);
    assert_true(report->gpu.launches >= sum.launches);
    if (!has_failed)
        assert_memory_equal(&sum, &report->gpu, sizeof sum);
}

/* How many the gpu answered; 0 too where there is no searcher. */
static size_t run_batch(const rp_index *index, rp_search_options options, size_t threads,
                        uint64_t elements, put_word put)
{
    static batch b;
    rp_error err = {.text = ""};
    rp_searcher *searcher;
    rp_batch_report report;
    const rp_batch_options how = {.threads = threads, .elements = elements};
    size_t n_on_gpu = 0;
    make_batch(&b, put);
    options.processor = "gpu";
    rp_status status = rp_searcher_new(index, &options, &searcher, &err);
    assert_true(status == RP_OK || status == RP_UNAVAILABLE || status == RP_NO_MEMORY);
    for (int again = 0; status == RP_OK && again < 2; again++) {
        assert_int_equal(rp_searcher_batch(searcher, b.queries, BATCH, &how, &report, &err), RP_OK);
        uint64_t n_grouped = report.n_grouped;
        check_report(&report, &b);
        n_on_gpu = check_batch(index, options, &b);
        assert_int_equal(n_on_gpu, n_grouped);
    }
    rp_searcher_free(searcher);
    assert_int_equal(rp__emulated_device_in_use(), 0);
    return n_on_gpu;
}

/* Modes, totals, numbers of hits, threads and sizes of groups by chance. */
static void check_batches(collection *c, put_word put)
{
    static const rp_mode modes[] = {RP_MODE_AND, RP_MODE_OR, RP_MODE_ANDOR};
    size_t n_on_gpu = 0;
    collection_end(c);
    for (size_t i = 0; i < c->n_codecs; i++)
        for (size_t m = 0; m < 3; m++) {
            rp_search_options options = {.gpu = planted_gpu_name(),
                                         .mode = modes[m],
                                         .k = ks[chance_below(3)],
                                         .total = (rp_total)chance_below(RP_TOTAL_ONLY + 1)};
            rp__emulated_device_configure(&(rp__emulated_device_options){.seed = 3 * i + m});
            n_on_gpu += run_batch(c->indexes[i], options, 1 + chance_below(3),
                                  1 + chance_below(20000), put);
        }
    print_message("%s: %zu of %zu on the gpu\n", c->name, n_on_gpu, 3 * c->n_codecs * BATCH);
    assert_true(n_on_gpu * 5 > 3 * c->n_codecs * BATCH);
    collection_close(c);
}

static void batches_of_long_lists(void **state)
{
    (void)state;
    collection c = {.name = "long lists", .stem = "none", .stop = "none"};
    begin(&c, 6);
    collection_fill(&c, 9000, 60, 12);
    check_batches(&c, put_common);
}

static void batches_of_many_words(void **state)
{
    (void)state;
    collection c = {.name = "many words", .stem = "none", .stop = "none"};
    begin(&c, 7);
    collection_fill(&c, 1500, 4000, 120);
    check_batches(&c, put_any);
}

static void put_small(char *out)
{
    collection_put_word(out, chance_zipf(40));
}

/* The device is lost, or fails now and then, somewhere on the way: all are answered, none differently. */
static void batches_survive_faults(void **state)
{
    (void)state;
    static const int codes[] = {RP_CU_NO_MEMORY, RP_CU_LAUNCH_FAILED, RP_CU_ILLEGAL_ADDRESS, 999};
    const rp_search_options options = {
        .gpu = "emulated", .mode = RP_MODE_ANDOR, .total = RP_TOTAL_EXACT};
    size_t n_least = BATCH, n_most = 0;
    chance_seed(8);
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    size_t n_sound = run_batch(small.indexes[0], options, 2, 1000, put_small);
    uint64_t calls = rp__emulated_device_calls();
    assert_true(n_sound > 0);
    for (uint64_t i = 0; i < 48; i++) {
        rp__emulated_device_configure(
            &(rp__emulated_device_options){.seed = i,
                                           .fail_at = 1 + chance_below(calls),
                                           .fail_every = i % 3 ? 0 : 1 + chance_below(40),
                                           .fail_code = codes[i % 4]});
        size_t n = run_batch(small.indexes[0], options, 1 + i % 2, 1000, put_small);
        n_least = n < n_least ? n : n_least;
        n_most = n > n_most ? n : n_most;
    }
    assert_true(n_least < n_most);
}

static void batches_fit_their_memory(void **state)
{
    (void)state;
    for (uint64_t bytes = 1; bytes < 1 << 24; bytes += bytes + 1) {
        rp_search_options options = {.gpu = "emulated", .mode = RP_MODE_AND, .gpu_memory = bytes};
        rp__emulated_device_configure(&(rp__emulated_device_options){0});
        size_t n = run_batch(small.indexes[0], options, 1, 1000, put_small);
        assert_true(bytes > 256 || n == 0);
        assert_true(bytes < 1 << 23 || n > 0);
    }
}

/* ---- Damage ------------------------------------------------------------------------------------ */

/* Bytes of the device's copy are changed, which the host does not see: no kernel reads past them. */
static void damage(const rp_index *damaged)
{
    rp_error err;
    rp__device device;
    rp__gpu_index index;
    rp__exec q;
    rp__arena arena;
    rp_searcher *searcher;
    rp__query query;
    rp__arena_init(&arena, (size_t)64 << 20);
    chance_seed(5);
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    assert_int_equal(
        rp_searcher_new(damaged, &(rp_search_options){.processor = "cpu"}, &searcher, &err), RP_OK);
    assert_int_equal(rp__device_open(&device, rp__emulated_device_driver(), 0, &err), RP_OK);
    assert_int_equal(rp__gpu_index_open(&index, &device, searcher->index->segment, 0), RP_OK);
    rp__exec_open(&q, &device, &index);
    for (int i = 0; i < 300; i++) {
        uint8_t bytes[8];
        const char *text = common_words();
        for (size_t j = 0; j < sizeof bytes; j++)
            bytes[j] = (uint8_t)chance_below(256);
        size_t section = chance_below(index.residency->n),
               room = index.residency->sections[section].bytes;
        if (room > sizeof bytes)
            assert_int_equal(rp__device_copy_in(&device,
                                                index.residency->sections[section].at +
                                                    chance_below(room - sizeof bytes),
                                                bytes, 1 + chance_below(sizeof bytes)),
                             RP_OK);
        assert_int_equal(rp__device_wait(&device), RP_OK);
        rp_mode mode = i % 2 ? RP_MODE_AND : RP_MODE_OR;
        rp_status status = rp__searcher_bind(searcher, text, strlen(text), mode, &query, &err);
        assert_int_equal(status, RP_OK);
        rp__answer answer;
        rp__arena_clear(&arena);
        status = rp__exec_run(&q, &query, &arena, &answer, &err);
        assert_true(status == RP_OK || status == RP_UNAVAILABLE);
        assert_false(device.is_lost);
        n_refused += status != RP_OK;
    }
    rp__exec_close(&q);
    rp__gpu_index_close(&index);
    rp__device_close(&device);
    assert_int_equal(rp__emulated_device_in_use(), 0);
    rp_searcher_free(searcher);
    rp__arena_reset(&arena);
}

static void damaged_bytes_do_no_harm(void **state)
{
    (void)state;
    for (size_t i = 0; i < small.n_codecs; i++)
        damage(small.indexes[i]);
    assert_true(n_refused > small.n_codecs);
}

/* The guard leaves whoever reads the file; what was on the device goes nevertheless. Runs first, and makes its index
 * itself: cmocka takes the guard's signals away between functions. */
static void files_may_be_cut(void **state)
{
    char path[200];
    rp_searcher *before, *after;
    rp_hits hits;
    open_small(state);
    snprintf(path, sizeof path, "%s/bp128/lists.00000001.rp", small.folder);
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    assert_int_equal(open_searcher(on_gpu, &before), RP_OK);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(open_searcher(on_gpu, &after), RP_DAMAGED);
    assert_null(after);
    assert_int_equal(search(before, common_words(), &hits), RP_DAMAGED);
    rp_searcher_free(before);
    assert_int_equal(rp__emulated_device_in_use(), 0);
    close_small(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_may_be_cut),
        cmocka_unit_test(long_lists),
        cmocka_unit_test(many_words),
        cmocka_unit_test(cranfield),
        cmocka_unit_test_setup_teardown(every_call_may_fail, open_small, close_small),
        cmocka_unit_test_setup_teardown(what_it_cannot_goes_to_the_cpu, open_small, close_small),
        cmocka_unit_test_setup_teardown(limits_hold, open_small, close_small),
        cmocka_unit_test_setup_teardown(memory_may_be_too_little, open_small, close_small),
        cmocka_unit_test(batches_of_long_lists),
        cmocka_unit_test(batches_of_many_words),
        cmocka_unit_test_setup_teardown(batches_survive_faults, open_small, close_small),
        cmocka_unit_test_setup_teardown(batches_fit_their_memory, open_small, close_small),
        cmocka_unit_test_setup_teardown(damaged_bytes_do_no_harm, open_small, close_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
