/* test_input_bombs.c: collections made to hurt, through the whole of a build.
 *
 * A bad document stands between two good ones. Stopping at it: a message with file, line and column,
 * and the old index as it was, byte for byte. Skipping it: the two good ones are indexed, the bad one
 * is told once, and the new index is sound. Memory stays within the budget throughout. What the
 * readers do with such bytes by themselves is tested beside them (engine, store). */
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
#include "fault/sample.h"
#include "riposte/riposte.h"
#include "tempdir.h"

enum { MIB = 1 << 20 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { IS_SLOW = 1 };
#else
enum { IS_SLOW = 0 };
#endif

typedef struct fixture {
    tempdir dir;
    char input[600], index[600];
    uint64_t old; /* checksum of the index folder */
} fixture;

static void build_old(fixture *f)
{
    rp_error err = {0};
    char path[600];
    const char *paths[] = {path};
    snprintf(path, sizeof path, "%s/old.jsonl", f->dir.path);
    sample_write(path, 20, 1);
    if (rp_index_build(paths, 1, f->index, NULL, NULL, &err) != RP_OK)
        fail_msg("%s", err.text);
    f->old = sample_folder_checksum(f->index);
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_int_equal(tempdir_make(&f->dir), 0);
    snprintf(f->input, sizeof f->input, "%s/in", f->dir.path);
    snprintf(f->index, sizeof f->index, "%s/ix", f->dir.path);
    build_old(f);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    tempdir_remove(&f->dir);
    free(f);
    return 0;
}

/* ---- One build --------------------------------------------------------------------------------- */

typedef struct outcome {
    rp_status status;
    rp_error err;
    rp_build_stats stats;
    size_t told; /* skips */
    char where[700], what[300];
    uint64_t memory; /* at most in use */
} outcome;

static void on_skip(void *arg, const char *where, const char *what)
{
    outcome *o = arg;
    o->told++;
    snprintf(o->where, sizeof o->where, "%s", where);
    snprintf(o->what, sizeof o->what, "%s", what);
}

static void build(fixture *f, const rp_build_options *options, outcome *o)
{
    const char *paths[] = {f->input};
    rp_build_options copy = *options;
    *o = (outcome){0};
    copy.on_skip = on_skip;
    copy.skip_arg = o;
    uint64_t before = rp__alloc_in_use();
    o->status = rp_index_build(paths, 1, f->index, &copy, &o->stats, &o->err);
    o->memory = rp__alloc_peak();
    assert_int_equal(rp__alloc_in_use(), before);
}

static void expect_old(fixture *f, const char *name)
{
    if (sample_folder_checksum(f->index) != f->old)
        fail_msg("%s: the old index is not as it was", name);
}

/* The new index is sound and has so many documents; then the old one comes back. */
static void expect_new(fixture *f, const char *name, uint64_t docs)
{
    rp_error err = {0};
    rp_index *index = NULL;
    rp_index_info info;
    rp_hits hits;
    if (rp_index_check(f->index, NULL, NULL, &err) != RP_OK ||
        rp_index_open(f->index, NULL, &index, &err) != RP_OK)
        fail_msg("%s: %s", name, err.text);
    rp_index_get_info(index, &info);
    if (info.docs != docs)
        fail_msg("%s: %llu documents, not %llu", name, (unsigned long long)info.docs,
                 (unsigned long long)docs);
    assert_int_equal(rp_search(index, "good", 10, &hits, &err), RP_OK);
    assert_int_equal(hits.total, docs < 2 ? docs : 2);
    rp_hits_free(&hits);
    rp_index_close(index);
    f->old = sample_folder_checksum(f->index);
}

/* ---- A bad document between two good ones ------------------------------------------------------- */

#define GOOD1 "{\"id\":\"one\",\"text\":\"good wing\"}\n"
#define GOOD2 "{\"id\":\"two\",\"text\":\"good flow\"}\n"

/* The bad line is head, n times the middle, tail. Bytes with NULs: `head_bytes`. */
typedef struct row {
    const char *name, *head, *middle, *tail;
    size_t n, head_bytes;
    rp_status status;
    const char *says;   /* part of the message */
    unsigned column;    /* 0: the message has none */
    const char *format; /* NULL: jsonl */
} row;

#define BAD(name, line, says, column)                                                              \
    {                                                                                              \
        name, line, "", "", 0, 0, RP_INPUT, says, column, NULL                                     \
    }

static const row rows[] = {
    BAD("not JSON", "good", "", 1),
    BAD("an array", "[1]", "expected a JSON object", 1),
    BAD("a number", "7", "expected a JSON object", 1),
    BAD("an object without end", "{\"id\":\"x\",\"text\":\"a\"", "", 21),
    BAD("a string without end", "{\"id\":\"x\",\"text\":\"a", "", 0),
    BAD("a comma too many", "{\"id\":\"x\",\"text\":\"a\",}", "", 22),
    BAD("no colon", "{\"id\" \"x\"}", "", 7),
    BAD("single quotes", "{'id':'x'}", "", 2),
    BAD("a bare key", "{id:1}", "", 2),
    BAD("two values", "{\"id\":\"x\",\"text\":\"a\"} {}", "", 23),
    BAD("NaN", "{\"id\":NaN,\"text\":\"a\"}", "", 7),
    BAD("a number that is none", "{\"id\":01,\"text\":\"a\"}", "", 0),
    BAD("a bad escape", "{\"id\":\"x\",\"text\":\"\\q\"}", "", 0),
    BAD("half a surrogate", "{\"id\":\"x\",\"text\":\"\\ud800\"}", "", 0),
    BAD("a control character", "{\"id\":\"x\",\"text\":\"a\x01\"}", "", 0),
    BAD("no id", "{\"text\":\"a\"}", "no id", 1),
    BAD("no text", "{\"id\":\"x\"}", "no text", 1),
    BAD("an empty id", "{\"id\":\"\",\"text\":\"a\"}", "the id is empty", 1),
    BAD("an id that is null", "{\"id\":null,\"text\":\"a\"}", "must be a string", 7),
    BAD("an id that is an object", "{\"id\":{},\"text\":\"a\"}", "must be a string", 7),
    BAD("an id with a line end", "{\"id\":\"a\\nb\",\"text\":\"a\"}", "control character", 1),
    BAD("a text that is a number", "{\"id\":\"x\",\"text\":5}", "must be a string", 18),
    {"a NUL", "{\"id\":\"x\",\"text\":\"\0\"}", "", "", 0, 22, RP_INPUT, "", 0, NULL},
    BAD("an id seen before", "{\"id\":\"one\",\"text\":\"a\"}", "seen before", 1),
    {"65 deep", "{\"id\":\"x\",\"text\":\"a\",\"z\":", "[", "1", 65, 0, RP_LIMIT,
     "--max-json-depth", 0, NULL},
    {"a million deep", "{\"id\":\"x\",\"text\":\"a\",\"z\":", "[", "", 1000000, 0, RP_LIMIT,
     "--max-json-depth", 0, NULL},
    {"a million objects deep", "{\"id\":\"x\",\"text\":\"a\",\"z\":", "{\"k\":", "", 1000000, 0,
     RP_LIMIT, "--max-json-depth", 0, NULL},
    {"a million brackets", "", "[", "", 1000000, 0, RP_INPUT, "", 1, NULL},
    {"a million quotes", "{", "\"", "", 1000000, 0, RP_INPUT, "", 0, NULL},
    {"a million backslashes", "{\"id\":\"", "\\", "", 1000001, 0, RP_INPUT, "", 0, NULL},
};

static void write_row(const fixture *f, const row *r)
{
    FILE *out = fopen(f->input, "wb");
    assert_non_null(out);
    fputs(GOOD1, out);
    fwrite(r->head, 1, r->head_bytes ? r->head_bytes : strlen(r->head), out);
    for (size_t i = 0; i < r->n; i++)
        fputs(r->middle, out);
    fprintf(out, "%s\n%s", r->tail, GOOD2);
    assert_int_equal(fclose(out), 0);
}

static void judge_stop(fixture *f, const row *r, uint32_t threads)
{
    outcome o;
    char place[700];
    rp_build_options options = {.threads = threads, .format = "jsonl", .ids = "field"};
    build(f, &options, &o);
    if (r->column)
        snprintf(place, sizeof place, "%s:2:%u: ", f->input, r->column);
    else
        snprintf(place, sizeof place, "%s:2:", f->input);
    if (o.status != r->status || strncmp(o.err.text, place, strlen(place)) != 0 ||
        !strstr(o.err.text, r->says) || !strstr(o.err.text, "--on-error=skip"))
        fail_msg("%s: %s: %s", r->name, rp_status_name(o.status), o.err.text);
    expect_old(f, r->name);
}

static void judge_skip(fixture *f, const row *r, uint32_t threads)
{
    outcome o;
    char place[700];
    rp_build_options options = {
        .threads = threads, .format = "jsonl", .ids = "field", .on_error = RP_ON_ERROR_SKIP};
    build(f, &options, &o);
    snprintf(place, sizeof place, "%s:2", f->input);
    if (o.status != RP_OK || o.stats.docs != 2 || o.stats.skipped != 1 || o.told != 1 ||
        strcmp(o.where, place) != 0 || !strstr(o.what, r->says))
        fail_msg("%s: %s: %llu documents, %llu skipped: %s %s", r->name, rp_status_name(o.status),
                 (unsigned long long)o.stats.docs, (unsigned long long)o.stats.skipped, o.where,
                 o.what);
    expect_new(f, r->name, 2);
}

static void test_bad_documents(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_row(f, &rows[i]);
        for (uint32_t threads = 1; threads <= 2; threads++) {
            judge_stop(f, &rows[i], threads);
            judge_skip(f, &rows[i], threads);
        }
    }
    print_message("%zu bad documents, stopped at and skipped, with 1 and 2 threads\n",
                  sizeof rows / sizeof *rows);
}

/* ---- Few documents, or strange ones -------------------------------------------------------------- */

static void test_few_documents(void **state)
{
    static const struct {
        const char *name, *text;
        uint64_t docs;
        rp_on_error on_error;
    } cases[] = {
        {"nothing at all", "", 0, RP_ON_ERROR_STOP},
        {"line ends alone", "\n\n\r\n\n", 0, RP_ON_ERROR_STOP},
        {"all skipped", "bad\nbad\n", 0, RP_ON_ERROR_SKIP},
        {"one document", GOOD1, 1, RP_ON_ERROR_STOP},
        {"one without a line end", "{\"id\":\"one\",\"text\":\"good\"}", 1, RP_ON_ERROR_STOP},
        {"gaps between", "\n" GOOD1 "\n\n\n" GOOD2 "\n", 2, RP_ON_ERROR_STOP},
        {"empty documents",
         GOOD1 "{\"id\":\"e1\",\"text\":\"\"}\n{\"id\":\"e2\",\"text\":\"  \"}\n" GOOD2, 4,
         RP_ON_ERROR_STOP},
        {"documents of marks", GOOD1 "{\"id\":\"m\",\"text\":\"... --- !!! \\u0000\"}\n" GOOD2, 3,
         RP_ON_ERROR_STOP},
        {"many fields",
         GOOD1 "{\"a\":[1,{\"b\":null}],\"id\":\"x\",\"text\":\"y\",\"c\":{}}\n" GOOD2, 3,
         RP_ON_ERROR_STOP},
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int bare = 0; bare < 2; bare++) {
            outcome o;
            tempdir_write(&f->dir, "in", cases[i].text, strlen(cases[i].text));
            rp_build_options options = {.format = "jsonl",
                                        .on_error = cases[i].on_error,
                                        .no_positions = bare,
                                        .no_store = bare};
            build(f, &options, &o);
            if (o.status != (cases[i].docs ? RP_OK : RP_INPUT))
                fail_msg("%s: %s", cases[i].name, o.err.text);
            if (cases[i].docs)
                expect_new(f, cases[i].name, cases[i].docs);
            else
                expect_old(f, cases[i].name); /* it has documents, and is not replaced by none */
        }
}

static void test_missing_input(void **state)
{
    fixture *f = *state;
    outcome o;
    unlink(f->input);
    build(f, &(rp_build_options){.on_error = RP_ON_ERROR_SKIP}, &o);
    assert_int_equal(o.status, RP_IO);
    assert_non_null(strstr(o.err.text, f->input));
    expect_old(f, "no input");
}

/* ---- Duplicates over batches and threads ---------------------------------------------------------- */

static void test_duplicates(void **state)
{
    enum { N = 3000 };
    fixture *f = *state;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        outcome o;
        char place[700];
        FILE *out = fopen(f->input, "wb");
        assert_non_null(out);
        fputs(GOOD1 GOOD2, out);
        for (int i = 0; i < N; i++)
            fprintf(out, "{\"id\":\"n%d\",\"text\":\"x\"}\n", i % (N / 2));
        assert_int_equal(fclose(out), 0);
        build(f, &(rp_build_options){.threads = threads, .format = "jsonl"}, &o);
        assert_int_equal(o.status, RP_INPUT);
        snprintf(place, sizeof place, "%s:%d:1: id \"n0\" was seen before, as document 3", f->input,
                 N / 2 + 3);
        if (!strstr(o.err.text, place))
            fail_msg("%s, not %s", o.err.text, place);
        expect_old(f, "duplicates");
        rp_build_options skip = {
            .threads = threads, .format = "jsonl", .on_error = RP_ON_ERROR_SKIP};
        build(f, &skip, &o);
        assert_int_equal(o.status, RP_OK);
        assert_int_equal(o.stats.skipped, N / 2);
        assert_int_equal(o.told, N / 2);
        expect_new(f, "duplicates", N / 2 + 2);
    }
}

/* ---- A line of 100 MB ------------------------------------------------------------------------------ */

static void write_long_line(const fixture *f, size_t mib)
{
    char *chunk = malloc(MIB);
    FILE *out = fopen(f->input, "wb");
    assert_true(out && chunk);
    for (size_t i = 0; i < MIB; i++)
        chunk[i] = i % 8 == 7 ? ' ' : (char)('a' + i * i % 26);
    fputs(GOOD1 "{\"id\":\"long\",\"text\":\"", out);
    for (size_t i = 0; i < mib; i++)
        assert_int_equal(fwrite(chunk, 1, MIB, out), MIB);
    fputs("\"}\n" GOOD2, out);
    assert_int_equal(fclose(out), 0);
    free(chunk);
}

static void test_long_line(void **state)
{
    static const struct {
        uint64_t memory, max_line;
        rp_status status;
        const char *says;
    } cases[] = {
        {256 * MIB, 0, RP_NO_MEMORY, "raise --memory"},
        {16 * MIB, 0, RP_NO_MEMORY, "raise --memory"},
        {1024 * (uint64_t)MIB, 50 * MIB, RP_LIMIT, "raise --max-line"},
    };
    fixture *f = *state;
    write_long_line(f, 100);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        outcome o;
        char place[700];
        rp_build_options options = {
            .memory = cases[i].memory, .max_line = cases[i].max_line, .format = "jsonl"};
        snprintf(place, sizeof place, "%s:2: a document of over", f->input);
        build(f, &options, &o);
        if (o.status != cases[i].status || !strstr(o.err.text, cases[i].says) ||
            !strstr(o.err.text, place))
            fail_msg("%s: %s", rp_status_name(o.status), o.err.text);
        assert_true(o.memory <= cases[i].memory);
        expect_old(f, "a long line");
        options.on_error = RP_ON_ERROR_SKIP;
        build(f, &options, &o);
        assert_int_equal(o.status, RP_OK);
        assert_int_equal(o.told, 1);
        assert_non_null(strstr(o.what, cases[i].says));
        print_message("100 MB line passed over with --memory %llu MiB: %llu MiB in use\n",
                      (unsigned long long)cases[i].memory / MIB,
                      (unsigned long long)o.memory / MIB);
        assert_true(o.memory <= cases[i].memory);
        expect_new(f, "a long line", 2);
    }
}

/* Within its limits such a line is a document like others. */
static void test_long_line_taken(void **state)
{
    fixture *f = *state;
    outcome o;
    if (IS_SLOW)
        skip();
    write_long_line(f, 100);
    build(f, &(rp_build_options){.format = "jsonl"}, &o);
    if (o.status != RP_OK)
        fail_msg("%s", o.err.text);
    print_message("100 MB line taken with --memory 1 GiB: %llu MiB in use, %.1f s\n",
                  (unsigned long long)o.memory / MIB, o.stats.seconds);
    assert_int_equal(o.stats.docs, 3);
    assert_true(o.memory <= 1024 * (uint64_t)MIB);
    expect_new(f, "a long line taken", 3);
}

/* ---- Compressed bombs ------------------------------------------------------------------------------ */

static void write_gzip_bomb(const char *path, size_t mib)
{
    uint8_t *zeros = calloc(1, MIB);
    gzFile out = gzopen(path, "wb9");
    assert_true(out && zeros);
    assert_true(gzwrite(out, GOOD1, sizeof GOOD1 - 1) > 0);
    for (size_t i = 0; i < mib; i++)
        assert_int_equal(gzwrite(out, zeros, MIB), MIB);
    assert_int_equal(gzclose(out), Z_OK);
    free(zeros);
}

static void write_zstd_bomb(const char *path, size_t mib, int window_log)
{
    uint8_t *zeros = calloc(1, MIB), *packed = malloc(MIB);
    FILE *out = fopen(path, "wb");
    ZSTD_CCtx *ctx = ZSTD_createCCtx();
    assert_true(zeros && packed && out && ctx);
    ZSTD_CCtx_setParameter(ctx, ZSTD_c_windowLog, window_log);
    for (size_t i = 0; i <= mib; i++) {
        ZSTD_inBuffer in = {zeros, i < mib ? MIB : 0, 0};
        size_t left;
        do {
            ZSTD_outBuffer to = {packed, MIB, 0};
            left = ZSTD_compressStream2(ctx, &to, &in, i < mib ? ZSTD_e_continue : ZSTD_e_end);
            assert_false(ZSTD_isError(left));
            fwrite(packed, 1, to.pos, out);
        } while (i < mib ? in.pos < in.size : left > 0);
    }
    assert_int_equal(fclose(out), 0);
    ZSTD_freeCCtx(ctx);
    free(zeros);
    free(packed);
}

/* Refused by name and within the budget, whatever is done about bad documents. */
static void expect_bomb(fixture *f, const char *name, uint64_t memory, const char *says)
{
    for (int on_error = RP_ON_ERROR_SKIP; on_error <= RP_ON_ERROR_STOP; on_error++) {
        outcome o;
        rp_build_options options = {
            .memory = memory, .format = "jsonl", .on_error = (rp_on_error)on_error};
        build(f, &options, &o);
        if (o.status != RP_LIMIT || !strstr(o.err.text, says) || !strstr(o.err.text, f->input))
            fail_msg("%s: %s: %s", name, rp_status_name(o.status), o.err.text);
        print_message("%s with --memory %llu MiB: %llu MiB in use\n", name,
                      (unsigned long long)memory / MIB, (unsigned long long)o.memory / MIB);
        assert_true(o.memory <= memory);
        expect_old(f, name);
    }
}

static void test_compressed_bombs(void **state)
{
    fixture *f = *state;
    write_gzip_bomb(f->input, 300);
    expect_bomb(f, "gzip bomb", 1024 * (uint64_t)MIB, "--max-expand");
    write_zstd_bomb(f->input, 1024, 0);
    expect_bomb(f, "zstd bomb", 1024 * (uint64_t)MIB, "--max-expand");
    write_zstd_bomb(f->input, 1, 28);
    expect_bomb(f, "zstd window", 64 * MIB, "window");
}

/* With little memory the line of zeros passes the longest document first. */
static void test_bomb_in_little_memory(void **state)
{
    fixture *f = *state;
    outcome o;
    write_zstd_bomb(f->input, 1024, 0);
    build(f, &(rp_build_options){.memory = 32 * MIB, .format = "jsonl"}, &o);
    assert_int_equal(o.status, RP_NO_MEMORY);
    assert_true(o.memory <= 32 * MIB);
    expect_old(f, "zstd bomb in 32 MiB");
    rp_build_options options = {
        .memory = 32 * MIB, .format = "jsonl", .on_error = RP_ON_ERROR_SKIP};
    build(f, &options, &o);
    assert_int_equal(o.status, RP_LIMIT);
    assert_true(o.memory <= 32 * MIB);
    expect_old(f, "zstd bomb in 32 MiB, skipping");
}

/* ---- Other formats --------------------------------------------------------------------------------- */

static void test_other_formats(void **state)
{
    static const struct {
        const char *format, *text, *says;
    } cases[] = {
        {"tsv", "one\tgood\nno tab here\ntwo\tgood\n", ":2:"},
        {"tsv", "one\tgood\n\tno id\ntwo\tgood\n", ":2:"},
        {"trec",
         "<DOC><DOCNO>one</DOCNO>good</DOC>\n<DOC>no "
         "number</DOC>\n<DOC><DOCNO>two</DOCNO>good</DOC>\n",
         ":2:"},
        {"trec",
         "<DOC><DOCNO>one</DOCNO>good</DOC>\n<DOC><DOCNO></DOCNO>x</DOC>\n"
         "<DOC><DOCNO>two</DOCNO>good</DOC>\n",
         ":2:"},
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        outcome o;
        tempdir_write(&f->dir, "in", cases[i].text, strlen(cases[i].text));
        build(f, &(rp_build_options){.format = cases[i].format, .ids = "field"}, &o);
        if (o.status != RP_INPUT || !strstr(o.err.text, cases[i].says))
            fail_msg("%zu: %s: %s", i, rp_status_name(o.status), o.err.text);
        expect_old(f, cases[i].format);
        rp_build_options options = {
            .format = cases[i].format, .ids = "field", .on_error = RP_ON_ERROR_SKIP};
        build(f, &options, &o);
        assert_int_equal(o.status, RP_OK);
        assert_int_equal(o.told, 1);
        expect_new(f, cases[i].format, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_documents),    cmocka_unit_test(test_few_documents),
        cmocka_unit_test(test_missing_input),    cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_long_line),        cmocka_unit_test(test_long_line_taken),
        cmocka_unit_test(test_compressed_bombs), cmocka_unit_test(test_bomb_in_little_memory),
        cmocka_unit_test(test_other_formats),
    };
    return cmocka_run_group_tests_name("input bombs", tests, set_up, tear_down);
}
