/* test_limits.c: every limit on both sides: at it all is well, one past it is refused by a message that
 * names the option, and with the option raised that passes too.
 *
 * Limits are those of riposte/search.h and riposte/index.h with their defaults, where a default can be
 * reached in a test at all; the rest with a smaller value given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "plan/plan.h"
#include "riposte/riposte.h"
#include "tempdir.h"

enum { DOCS = 10050, P_TERMS = 1024, Q_TERMS = 1025, MIB = 1 << 20 };

typedef struct fixture {
    tempdir dir;
    char index[600];
    rp_index *open;
} fixture;

/* Every document has "all"; the terms with p and with q are spread over them. */
static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    rp_builder *b = NULL;
    assert_int_equal(tempdir_make(&f->dir), 0);
    snprintf(f->index, sizeof f->index, "%s/ix", f->dir.path);
    assert_int_equal(rp_builder_new(f->index, NULL, &b, NULL), RP_OK);
    for (int i = 0; i < DOCS; i++) {
        char id[32], text[64];
        int id_bytes = snprintf(id, sizeof id, "d%d", i);
        int bytes = snprintf(text, sizeof text, "all p%04d q%04d", i % P_TERMS, i % Q_TERMS);
        assert_int_equal(rp_builder_add(b, id, (size_t)id_bytes, "", 0, text, (size_t)bytes, NULL),
                         RP_OK);
    }
    assert_int_equal(rp_builder_finish(b, NULL, NULL), RP_OK);
    rp_builder_free(b);
    assert_int_equal(rp_index_open(f->index, NULL, &f->open, NULL), RP_OK);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    rp_index_close(f->open);
    tempdir_remove(&f->dir);
    free(f);
    return 0;
}

/* ---- Queries -------------------------------------------------------------------------------------- */

static rp_status ask(const fixture *f, const char *query, size_t bytes, rp_search_options options,
                     rp_hits *hits, rp_error *err)
{
    rp_searcher *s = NULL;
    *hits = (rp_hits){0};
    *err = (rp_error){0};
    rp_status status = rp_searcher_new(f->open, &options, &s, err);
    if (status == RP_OK)
        status = rp_searcher_search(s, query, bytes, hits, err);
    rp_searcher_free(s);
    return status;
}

static void expect_taken(const fixture *f, const rp__buf *query, rp_search_options options)
{
    rp_hits hits;
    rp_error err;
    if (ask(f, (const char *)query->at, query->n, options, &hits, &err) != RP_OK)
        fail_msg("%s", err.text);
    rp_hits_free(&hits);
}

static void expect_refused(const fixture *f, const rp__buf *query, rp_search_options options,
                           rp_status status, const char *says)
{
    rp_hits hits;
    rp_error err;
    rp_status got = ask(f, (const char *)query->at, query->n, options, &hits, &err);
    if (got != status || !strstr(err.text, says))
        fail_msg("%s: %s, not %s", rp_status_name(got), err.text, says);
}

/* The query of size n, by what the limit counts. */
typedef void make_fn(rp__buf *query, size_t n);

static void repeat(rp__buf *query, const char *what, size_t n)
{
    for (size_t i = 0; i < n; i++)
        rp__buf_put_string(query, what);
}

static void make_bytes(rp__buf *query, size_t n)
{
    rp__buf_put_string(query, "all");
    repeat(query, " ", n - 3);
}

static void make_terms(rp__buf *query, size_t n)
{
    repeat(query, "all ", n);
}

/* A prefix counts for its expansions. */
static void make_expanded_terms(rp__buf *query, size_t n)
{
    rp__buf_put_string(query, "p* ");
    repeat(query, "all ", n - P_TERMS);
}

/* p begins 1,024 terms, q one more. */
static void make_expansions(rp__buf *query, size_t n)
{
    rp__buf_put_string(query, n == P_TERMS ? "p*" : "q*");
}

static void make_phrase(rp__buf *query, size_t n)
{
    rp__buf_put_string(query, "\"");
    repeat(query, "all ", n);
    rp__buf_put_string(query, "\"");
}

static void make_slop(rp__buf *query, size_t n)
{
    rp__buf_printf(query, "\"all p0001\"~%zu", n);
}

static void make_depth(rp__buf *query, size_t n)
{
    repeat(query, "(", n);
    rp__buf_put_string(query, "all");
    repeat(query, ")", n);
}

static const struct query_limit {
    const char *name;
    size_t at;
    make_fn *make;
    const char *option;
    rp_search_options raised;
} query_limits[] = {
    {"query", 64 << 10, make_bytes, "--max-query", {.max_query = (64 << 10) + 1}},
    {"terms", 1024, make_terms, "--max-terms", {.max_terms = 1025}},
    {"terms after expansion", 1024, make_expanded_terms, "--max-terms", {.max_terms = 1025}},
    {"expansions",
     1024,
     make_expansions,
     "--max-expansions",
     {.max_expansions = 1025, .max_terms = 2000}},
    {"phrase", 64, make_phrase, "--max-phrase", {.max_phrase = 65}},
    {"slop", 10000, make_slop, "--max-slop", {.max_slop = 10001}},
    {"depth", 32, make_depth, "--max-depth", {.max_depth = 33}},
};

static void test_query_limits(void **state)
{
    for (size_t i = 0; i < sizeof query_limits / sizeof *query_limits; i++) {
        const struct query_limit *l = &query_limits[i];
        rp__buf at, past;
        rp__buf_init(&at);
        rp__buf_init(&past);
        l->make(&at, l->at);
        l->make(&past, l->at + 1);
        expect_taken(*state, &at, (rp_search_options){0});
        expect_refused(*state, &past, (rp_search_options){0}, RP_LIMIT, l->option);
        expect_taken(*state, &past, l->raised);
        rp__buf_free(&at);
        rp__buf_free(&past);
    }
}

/* Limits that were lowered hold as well. */
static void test_lowered(void **state)
{
    static const struct {
        const char *query, *option;
        rp_search_options options;
    } cases[] = {
        {"all all all", "--max-terms", {.max_terms = 2}},
        {"all all", NULL, {.max_terms = 2}},
        {"p00*", "--max-expansions", {.max_expansions = 99}},
        {"p00*", NULL, {.max_expansions = 100}},
        {"\"all all all\"", "--max-phrase", {.max_phrase = 2}},
        {"\"all all\"", NULL, {.max_phrase = 2}},
        {"\"all all\"~2", "--max-slop", {.max_slop = 1}},
        {"\"all all\"~1", NULL, {.max_slop = 1}},
        {"((all))", "--max-depth", {.max_depth = 1}},
        {"(all)", NULL, {.max_depth = 1}},
        {"all ", "--max-query", {.max_query = 3}},
        {"all", NULL, {.max_query = 3}},
        {"all", "--max-k", {.k = 6, .max_k = 5}},
        {"all", NULL, {.k = 5, .max_k = 5}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rp__buf query;
        rp__buf_init(&query);
        rp__buf_put_string(&query, cases[i].query);
        if (cases[i].option)
            expect_refused(*state, &query, cases[i].options, RP_LIMIT, cases[i].option);
        else
            expect_taken(*state, &query, cases[i].options);
        rp__buf_free(&query);
    }
}

static void test_k(void **state)
{
    rp_hits hits;
    rp_error err;
    assert_int_equal(ask(*state, "all", 3, (rp_search_options){.k = 10000}, &hits, &err), RP_OK);
    assert_int_equal(hits.n, 10000);
    rp_hits_free(&hits);
    assert_int_equal(ask(*state, "all", 3, (rp_search_options){.k = 10001}, &hits, &err), RP_LIMIT);
    assert_non_null(strstr(err.text, "--max-k"));
    rp_search_options raised = {.k = 10001, .max_k = 10001};
    assert_int_equal(ask(*state, "all", 3, raised, &hits, &err), RP_OK);
    assert_int_equal(hits.n, 10001);
    rp_hits_free(&hits);
}

/* The limit is exact: a query tells its work, and one less is too little. */
static void test_work(void **state)
{
    static const char *const queries[] = {"all",           "all p0001",
                                          "all AND p0001", "(all OR p00*) NOT q0001",
                                          "\"all p0001\"", "\"all p0001\"~3"};
    rp_search_options defaults = {0};
    rp__plan_defaults(&defaults);
    assert_int_equal(defaults.max_work, 40000000);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        rp_hits hits;
        rp_error err;
        size_t n = strlen(queries[i]);
        assert_int_equal(ask(*state, queries[i], n, (rp_search_options){0}, &hits, &err), RP_OK);
        uint64_t work = hits.work;
        rp_hits_free(&hits);
        rp_search_options exact = {.max_work = work}, less = {.max_work = work - 1};
        assert_int_equal(ask(*state, queries[i], n, exact, &hits, &err), RP_OK);
        assert_int_equal(hits.work, work);
        rp_hits_free(&hits);
        assert_int_equal(ask(*state, queries[i], n, less, &hits, &err), RP_LIMIT);
        assert_non_null(strstr(err.text, "--max-work"));
    }
}

/* The least memory with which a query passes; one step less is refused. */
static void test_memory(void **state)
{
    static const char *const queries[] = {"all", "p*", "\"all p0001\"~3 OR (q00* AND all)"};
    rp_search_options defaults = {0};
    rp__plan_defaults(&defaults);
    assert_int_equal(defaults.max_memory, 64 * MIB);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        size_t low = 1, high = 64 * MIB; /* low is refused, high is taken */
        rp_hits hits;
        rp_error err;
        while (high - low > 64) {
            size_t middle = low + (high - low) / 2;
            rp_search_options options = {.max_memory = middle};
            rp_status status = ask(*state, queries[i], strlen(queries[i]), options, &hits, &err);
            rp_hits_free(&hits);
            if (status != RP_OK) {
                assert_int_equal(status, RP_NO_MEMORY);
                assert_non_null(strstr(err.text, "--max-memory"));
            }
            if (status == RP_OK)
                high = middle;
            else
                low = middle;
        }
        assert_in_range(high, 4096, 16 * MIB);
    }
}

/* 64 MiB are a limit that a query can reach. */
static void test_default_memory(void **state)
{
    rp__buf query;
    rp__buf_init(&query);
    for (int i = 0; i < 1000; i++)
        rp__buf_printf(&query, "\"all p%04d\"~%d ", i, i % 3);
    rp_search_options options = {.max_terms = 4000};
    expect_taken(*state, &query, options);
    query.n = 0;
    for (int i = 0; i < 20000; i++)
        rp__buf_put_string(&query, "p0001 ");
    options.max_terms = options.max_query = 1 << 20;
    expect_refused(*state, &query, options, RP_NO_MEMORY, "--max-memory");
    options.max_memory = (size_t)1 << 30;
    expect_taken(*state, &query, options);
    rp__buf_free(&query);
}

/* ---- Builds ---------------------------------------------------------------------------------------- */

/* What is in the file "in" now. */
static rp_status build_as_it_is(fixture *f, rp_build_options options, rp_error *err)
{
    char input[600], index[600];
    const char *paths[] = {input};
    snprintf(input, sizeof input, "%s/in", f->dir.path);
    snprintf(index, sizeof index, "%s/built", f->dir.path);
    *err = (rp_error){0};
    return rp_index_build(paths, 1, index, &options, NULL, err);
}

static rp_status build(fixture *f, const void *bytes, size_t n, rp_build_options options,
                       rp_error *err)
{
    tempdir_write(&f->dir, "in", bytes, n);
    return build_as_it_is(f, options, err);
}

static void expect_built(fixture *f, const rp__buf *text, rp_build_options options)
{
    rp_error err;
    if (build(f, text->at, text->n, options, &err) != RP_OK)
        fail_msg("%s", err.text);
}

static void expect_not_built(fixture *f, const rp__buf *text, rp_build_options options,
                             rp_status status, const char *says)
{
    rp_error err;
    rp_status got = build(f, text->at, text->n, options, &err);
    if (got != status || !strstr(err.text, says))
        fail_msg("%s: %s, not %s", rp_status_name(got), err.text, says);
}

static void put_nested(rp__buf *text, size_t depth)
{
    text->n = 0;
    rp__buf_put_string(text, "{\"id\":\"a\",\"text\":\"b\",\"c\":");
    repeat(text, "[", depth - 1); /* the object itself is a level */
    repeat(text, "]", depth - 1);
    rp__buf_put_string(text, "}\n");
}

static void test_json_depth(void **state)
{
    rp_build_options jsonl = {.format = "jsonl"},
                     raised = {.format = "jsonl", .max_json_depth = 65};
    rp__buf text;
    rp__buf_init(&text);
    put_nested(&text, 64);
    expect_built(*state, &text, jsonl);
    put_nested(&text, 65);
    expect_not_built(*state, &text, jsonl, RP_LIMIT, "--max-json-depth");
    expect_built(*state, &text, raised);
    put_nested(&text, 1024);
    raised.max_json_depth = 1024;
    expect_built(*state, &text, raised);
    raised.max_json_depth = 1025;
    expect_not_built(*state, &text, raised, RP_USAGE, "--max-json-depth");
    rp__buf_free(&text);
}

static void put_line(rp__buf *text, size_t bytes)
{
    text->n = 0;
    rp__buf_put_string(text, "{\"id\":\"a\",\"text\":\"");
    while (text->n < bytes - 2)
        rp__buf_put_byte(text, 'x');
    rp__buf_put_string(text, "\"}");
    assert_int_equal(text->n, bytes);
    rp__buf_put_byte(text, '\n');
}

/* The default, 256 MiB, wants more memory than a test should take. */
static void test_max_line(void **state)
{
    rp_build_options options = {.format = "jsonl", .max_line = 5000};
    rp__buf text;
    rp__buf_init(&text);
    put_line(&text, 5000);
    expect_built(*state, &text, options);
    put_line(&text, 5001);
    expect_not_built(*state, &text, options, RP_LIMIT, "--max-line");
    options.max_line = 5001;
    expect_built(*state, &text, options);
    rp__buf_free(&text);
}

/* A document of an eighth of the memory is indexed, by any number of threads; one of half of it is not. The
 * budget counts all that the process has, so the test itself must have nothing. */
static void test_line_by_memory(void **state)
{
    static const struct {
        size_t mib, eighths;
        uint32_t threads;
    } cases[] = {{16, 1, 1}, {32, 1, 1}, {32, 1, 2}, {64, 1, 4},
                 {16, 4, 1}, {32, 4, 1}, {64, 4, 4}};
    fixture *f = *state;
    rp_index_close(f->open);
    f->open = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rp_error err;
        rp__buf text;
        rp_build_options options = {
            .format = "jsonl", .memory = cases[i].mib * MIB, .threads = cases[i].threads};
        rp__buf_init(&text);
        put_line(&text, options.memory / 8 * cases[i].eighths);
        tempdir_write(&((fixture *)*state)->dir, "in", text.at, text.n);
        rp__buf_free(&text);
        rp_status status = build_as_it_is(*state, options, &err);
        bool fits = cases[i].eighths == 1;
        if (status != (fits ? RP_OK : RP_NO_MEMORY) || (!fits && !strstr(err.text, "--memory")))
            fail_msg("%zu MiB: %s: %s", cases[i].mib, rp_status_name(status), err.text);
    }
    assert_int_equal(rp_index_open(f->index, NULL, &f->open, NULL), RP_OK);
}

/* The same of documents that a program adds: what the builder holds stays within the budget. */
static void test_documents_by_memory(void **state)
{
    enum { MEMORY = 32 * MIB, LARGE = 4 * MIB };
    char path[600], *text = malloc(LARGE);
    rp_builder *b = NULL;
    rp_error err = {0};
    rp_build_stats stats;
    rp_build_options options = {.memory = MEMORY};
    assert_non_null(text);
    for (size_t i = 0; i < LARGE; i += 8) {
        char word[16];
        snprintf(word, sizeof word, "%07zx ", i * 2654435761U & 0xFFFFFFF);
        memcpy(text + i, word, 8);
    }
    snprintf(path, sizeof path, "%s/large", ((fixture *)*state)->dir.path);
    assert_int_equal(rp_builder_new(path, &options, &b, &err), RP_OK);
    for (char id = 'a'; id < 'e'; id++) {
        size_t bytes = id % 2 ? LARGE : 1000;
        if (rp_builder_add(b, &id, 1, "", 0, text, bytes, &err) != RP_OK)
            fail_msg("%s", err.text);
    }
    if (rp_builder_finish(b, &stats, &err) != RP_OK)
        fail_msg("%s", err.text);
    rp_builder_free(b);
    free(text);
    assert_true(stats.runs > 2); /* a document was spilled before it ended */
    assert_in_range(rp__alloc_peak(), LARGE, MEMORY);
    assert_int_equal(rp_index_check(path, NULL, NULL, &err), RP_OK);
}

static void test_options_of_builds(void **state)
{
    rp__buf text;
    rp__buf_init(&text);
    put_line(&text, 100);
    rp_build_options threads = {.format = "jsonl", .threads = 257, .memory = (uint64_t)1 << 40};
    expect_not_built(*state, &text, threads, RP_USAGE, "--threads");
    rp_build_options memory = {.format = "jsonl", .memory = 16 * MIB};
    expect_built(*state, &text, memory);
    memory.memory--;
    expect_not_built(*state, &text, memory, RP_NO_MEMORY, "--memory");
    memory = (rp_build_options){.format = "jsonl", .memory = 64 * MIB, .threads = 4};
    expect_built(*state, &text, memory);
    memory.memory--;
    expect_not_built(*state, &text, memory, RP_NO_MEMORY, "--memory");
    rp__buf_free(&text);
}

static void test_stop_file(void **state)
{
    fixture *f = *state;
    char path[600];
    rp__buf text, words;
    rp__buf_init(&text);
    rp__buf_init(&words);
    put_line(&text, 100);
    while (words.n < MIB)
        rp__buf_put_string(&words, "abcdefg\n");
    tempdir_write(&f->dir, "stop", words.at, MIB);
    snprintf(path, sizeof path, "%s/stop", f->dir.path);
    expect_built(f, &text, (rp_build_options){.format = "jsonl", .stop = path});
    rp__buf_put_byte(&words, 'x');
    tempdir_write(&f->dir, "stop", words.at, MIB + 1);
    expect_not_built(f, &text, (rp_build_options){.format = "jsonl", .stop = path}, RP_LIMIT,
                     "at most 1 MiB");
    rp__buf_free(&text);
    rp__buf_free(&words);
}

/* ---- Compressed input ------------------------------------------------------------------------------ */

/* `mib` of spaces, with some bytes of noise to bring the ratio down; returns bytes out. */
static size_t put_gzip(fixture *f, size_t mib, size_t noise, size_t *packed)
{
    char path[600], *chunk = malloc(MIB);
    uint64_t x = 88172645463325252U;
    snprintf(path, sizeof path, "%s/in", f->dir.path);
    gzFile out = gzopen(path, "wb9");
    assert_true(out && chunk);
    for (size_t i = 0; i < mib; i++) {
        memset(chunk, ' ', MIB);
        for (size_t j = 0; j < noise; j++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            chunk[j] = (char)('a' + x % 26);
        }
        assert_int_equal(gzwrite(out, chunk, MIB), MIB);
    }
    assert_int_equal(gzclose(out), Z_OK);
    free(chunk);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    *packed = (size_t)ftell(in);
    fclose(in);
    return mib * MIB;
}

/* 1,000 to 1 after the first 64 MiB. */
static void test_max_expand(void **state)
{
    fixture *f = *state;
    rp_error err;
    size_t packed, bytes = put_gzip(f, 70, 0, &packed);
    rp_build_options options = {.format = "text", .no_store = true, .no_positions = true};
    assert_in_range(bytes / packed, 1001, 1100);
    assert_int_equal(build_as_it_is(f, options, &err), RP_LIMIT);
    assert_non_null(strstr(err.text, "--max-expand"));
    options.max_expand = 1100;
    assert_int_equal(build_as_it_is(f, options, &err), RP_OK);
    options.max_expand = 0;
    bytes = put_gzip(f, 70, 120, &packed);
    assert_in_range(bytes / packed, 800, 999);
    if (build_as_it_is(f, options, &err) != RP_OK)
        fail_msg("%s", err.text);
    put_gzip(f, 64, 0, &packed); /* the first 64 MiB are free */
    assert_int_equal(build_as_it_is(f, options, &err), RP_OK);
}

static void put_zstd(fixture *f, int window_log)
{
    static const char line[] = "{\"id\":\"a\",\"text\":\"b\"}\n";
    char packed[4096];
    ZSTD_CCtx *ctx = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(ctx, ZSTD_c_windowLog, window_log);
    ZSTD_CCtx_setParameter(ctx, ZSTD_c_contentSizeFlag, 0);
    ZSTD_inBuffer in = {line, sizeof line - 1, 0};
    ZSTD_outBuffer out = {packed, sizeof packed, 0};
    assert_int_equal(ZSTD_compressStream2(ctx, &out, &in, ZSTD_e_flush), 0);
    assert_int_equal(ZSTD_compressStream2(ctx, &out, &in, ZSTD_e_end), 0);
    ZSTD_freeCCtx(ctx);
    tempdir_write(&f->dir, "in", packed, out.pos);
}

static void test_zstd_window(void **state)
{
    rp_error err;
    rp_build_options options = {.format = "jsonl"};
    put_zstd(*state, 27);
    if (build_as_it_is(*state, options, &err) != RP_OK)
        fail_msg("%s", err.text);
    put_zstd(*state, 28);
    assert_int_equal(build_as_it_is(*state, options, &err), RP_LIMIT);
    assert_non_null(strstr(err.text, "window"));
}

/* ---- Lengths of terms, ids and lists --------------------------------------------------------------- */

static rp_index *build_words(fixture *f, const char *const *ids, const rp__buf *texts, size_t n)
{
    char path[600];
    rp_builder *b = NULL;
    rp_index *index = NULL;
    rp_error err = {0};
    snprintf(path, sizeof path, "%s/words", f->dir.path);
    assert_int_equal(rp_builder_new(path, NULL, &b, NULL), RP_OK);
    for (size_t i = 0; i < n; i++)
        if (rp_builder_add(b, ids[i], strlen(ids[i]), "", 0, (const char *)texts[i].at, texts[i].n,
                           &err) != RP_OK)
            fail_msg("%s", err.text);
    assert_int_equal(rp_builder_finish(b, NULL, NULL), RP_OK);
    rp_builder_free(b);
    if (rp_index_open(path, &(rp_index_options){.verify = true}, &index, &err) != RP_OK)
        fail_msg("%s", err.text);
    return index;
}

/* A term has at most 255 bytes; a longer word is cut there, in documents and in queries alike. */
static void test_term_length(void **state)
{
    static const char *const ids[] = {"254", "255", "256", "9999"};
    static const size_t lengths[] = {254, 255, 256, 9999};
    static const uint32_t dfs[] = {1, 3, 3, 3};
    rp__buf texts[4];
    for (size_t i = 0; i < 4; i++) {
        rp__buf_init(&texts[i]);
        repeat(&texts[i], "x", lengths[i]);
        rp__buf_put_byte(&texts[i], 0);
        texts[i].n--;
    }
    rp_index *index = build_words(*state, ids, texts, 4);
    for (size_t i = 0; i < 4; i++) {
        rp_term_info info;
        assert_int_equal(rp_index_get_term(index, (const char *)texts[i].at, &info, NULL), RP_OK);
        assert_int_equal(info.df, dfs[i]);
    }
    rp_index_close(index);
    for (size_t i = 0; i < 4; i++)
        rp__buf_free(&texts[i]);
}

/* An id comes back whole, however long. */
static void test_id_length(void **state)
{
    static const size_t lengths[] = {1, 255, 4095, 4096, 4097, 100000};
    enum { N = sizeof lengths / sizeof *lengths };
    rp__buf text, ids[N];
    rp__buf texts[N];
    const char *names[N];
    rp__buf_init(&text);
    rp__buf_put_string(&text, "word");
    for (size_t i = 0; i < N; i++) {
        rp__buf_init(&ids[i]);
        repeat(&ids[i], "i", lengths[i]);
        rp__buf_put_byte(&ids[i], 0);
        names[i] = (const char *)ids[i].at;
        texts[i] = text;
    }
    rp_index *index = build_words(*state, names, texts, N);
    for (size_t i = 0; i < N; i++) {
        rp_document document;
        rp_error err = {0};
        if (rp_index_get_document(index, (uint32_t)i, &document, &err) != RP_OK)
            fail_msg("%s", err.text);
        assert_int_equal(strlen(document.id), lengths[i]);
        assert_string_equal(document.id, names[i]);
        rp_document_free(&document);
        rp__buf_free(&ids[i]);
    }
    rp_index_close(index);
    rp__buf_free(&text);
}

/* Lists around the sizes where their form changes: tiny, one block, several; in every codec. */
static void test_list_lengths(void **state)
{
    static const uint32_t dfs[] = {1,   7,   8,   9,   24,   25,   127, 128,
                                   129, 255, 256, 257, 1023, 1024, 1025};
    enum { N = sizeof dfs / sizeof *dfs, MOST = 1025 };
    fixture *f = *state;
    char path[600];
    snprintf(path, sizeof path, "%s/lists", f->dir.path);
    for (size_t c = 0; rp_codec_name(c); c++) {
        rp_builder *b = NULL;
        rp_index *index = NULL;
        rp_error err = {0};
        rp_build_options options = {.codec = rp_codec_name(c)};
        assert_int_equal(rp_builder_new(path, &options, &b, NULL), RP_OK);
        for (uint32_t d = 0; d < MOST; d++) {
            char id[16], text[256];
            int id_bytes = snprintf(id, sizeof id, "%u", d), n = 0;
            for (size_t i = 0; i < N; i++)
                if (d < dfs[i])
                    n += snprintf(text + n, sizeof text - (size_t)n, "t%u ", dfs[i]);
            assert_int_equal(rp_builder_add(b, id, (size_t)id_bytes, "", 0, text, (size_t)n, NULL),
                             RP_OK);
        }
        assert_int_equal(rp_builder_finish(b, NULL, NULL), RP_OK);
        rp_builder_free(b);
        if (rp_index_check(path, NULL, NULL, &err) != RP_OK ||
            rp_index_open(path, NULL, &index, &err) != RP_OK)
            fail_msg("%s: %s", rp_codec_name(c), err.text);
        for (size_t i = 0; i < N; i++) {
            char word[16];
            rp_hits hits;
            snprintf(word, sizeof word, "t%u", dfs[i]);
            assert_int_equal(rp_search(index, word, 10, &hits, &err), RP_OK);
            assert_int_equal(hits.total, dfs[i]);
            rp_hits_free(&hits);
        }
        rp_index_close(index);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_query_limits),
        cmocka_unit_test(test_lowered),
        cmocka_unit_test(test_k),
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_default_memory),
        cmocka_unit_test(test_json_depth),
        cmocka_unit_test(test_max_line),
        cmocka_unit_test(test_line_by_memory),
        cmocka_unit_test(test_documents_by_memory),
        cmocka_unit_test(test_options_of_builds),
        cmocka_unit_test(test_stop_file),
        cmocka_unit_test(test_max_expand),
        cmocka_unit_test(test_zstd_window),
        cmocka_unit_test(test_term_length),
        cmocka_unit_test(test_id_length),
        cmocka_unit_test(test_list_lengths),
    };
    return cmocka_run_group_tests_name("limits", tests, set_up, tear_down);
}
