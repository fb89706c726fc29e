/* test_corpus.c: files to batches: which format, where batches end, limits, faults of the system, and
 * the real collections. */
#include "collect.h"

#include <errno.h>
#include <fcntl.h>
#include <zlib.h>
#include <zstd.h>

#include "base/alloc.h"
#include "engine/corpus_format.h"
#include "store/store.h"

static rp__skip_list passed_by; /* for tests that do not look at it */

static int forget_skips(void **state)
{
    (void)state;
    rp__skip_list_free(&passed_by);
    return 0;
}

/* ---- Formats --------------------------------------------------------------------------------- */

static void expect_guess(const char *path, bool in_folder, const char *head, const char *name)
{
    rp__field_names names;
    rp__field_names_init(&names, NULL);
    rp__sniff sniff = {
        .names = &names, .head = head, .n = strlen(head), .is_whole = true, .in_folder = in_folder};
    const char *guess = rp__corpus_format_guess(path, &sniff)->name;
    if (strcmp(guess, name) != 0)
        fail_msg("%s with %s: %s, not %s", path, head, guess, name);
}

static void test_guess(void **state)
{
    (void)state;
    /* a name is enough where the user gave it; in a folder the content must agree */
    expect_guess("a.jsonl", false, "", "jsonl");
    expect_guess("a.jsonl", true, "{ begin writeln end }", "text");
    expect_guess("a.jsonl", true, "{\"level\":\"info\"}\n", "text");
    expect_guess("a.json", false, "{\n\"x\": 1}", "json");
    expect_guess("package.json", true, "{\n\"name\": \"x\"}", "text");
    expect_guess("dir.tsv/a.ndjson.gz", false, "", "jsonl");
    expect_guess("a.tsv.zst", false, "{", "tsv");
    expect_guess("a.tsv.zst", true, "{", "text");
    expect_guess("a.tsv", true, "x\ty\nx\ty\n", "tsv");
    expect_guess("a.csv", false, "x", "csv");
    expect_guess("a.csv", true, "1,2,3\n4,5,6\n", "text");
    expect_guess("a.csv", true, "id,text\n1,x\n", "csv");
    expect_guess("a.sgml", true, "<!doctype book>", "text");
    expect_guess("a.trec", false, "", "trec");
    expect_guess("a.txt", true, "", "text");
    expect_guess("a.html", true, "x", "html");
    expect_guess("a.htm.gz", true, "<p>", "html");
    expect_guess("a.mbox", false, "x", "mbox");
    /* content goes before the name */
    expect_guess("a.txt", true, " \n\t{\"id\":1,\"text\":\"x\"}\n", "jsonl");
    expect_guess("a.json", true, "{\"id\":1,\"text\":\"x\"}\n", "jsonl");
    expect_guess("a", true, "{\n\"id\":1,\n\"text\":\"x\"}\n", "json");
    expect_guess("a", true, "[{\"id\":1,\n\"text\":\"x\"}]\n", "json");
    expect_guess("a.json", true, "[\"x\",\n \"y\"]\n", "json");
    expect_guess("a.md", true, "[\"x\"](there)\n", "text");
    expect_guess("a", true, "{\"title\":\"x\"}\n", "jsonl");
    /* in a folder the fields must hold what can be indexed */
    expect_guess("a.json", true, "{\"role\":\"user\",\"content\":[{\"type\":\"text\"}]}", "text");
    expect_guess("a.json", true, "{\"title\":5}", "text");
    expect_guess("a.json", false, "{\"title\":5}", "jsonl");
    expect_guess("a.json", true, "{\"id\":1.5,\"text\":\"x\"}", "text");
    expect_guess("a.json", true, "{\"id\":1,\"title\":null,\"text\":[\"x\",\"y\"]}", "jsonl");
    expect_guess("a.json", true, "{\"text\":[\"x\",5]}", "text");
    expect_guess("schema.json", true, "{\n\"title\":\"x\"}\n", "text");
    expect_guess("a.json", true, "<DOC>", "trec");
    expect_guess("a", true, "<doc>\n", "trec");
    expect_guess("a", true, "<docs>\n", "text");
    expect_guess("a", true, "<!-- x -->\n<HTML>", "html");
    expect_guess("a", true, "<?xml version='1.0'?><!DOCTYPE html>", "html");
    expect_guess("a", true, "<?xml version='1.0'?><book>", "text");
    expect_guess("a.xml", true, "<mediawiki xmlns='x'>", "mediawiki");
    expect_guess("a", true, "From a@b.c Mon Jan  1 10:00:00 2024\nSubject: x\n\nx", "mbox");
    expect_guess("a", true, "From here on\nall is: fine", "text");
    expect_guess("a", true, "commit 0123456789012345678901234567890123456789\nAuthor: x\n",
                 "gitlog");
    expect_guess("a", true, "commit to it\nAuthor: x\n", "text");
    expect_guess("a", true, "x\ty\nx\ty\n", "text");   /* tabs prove nothing in a folder */
    expect_guess("a", true, "id,text\n1,x\n", "text"); /* nor do commas */
    expect_guess("a", false, "id,text\n1,x\n", "csv");
    expect_guess("a", false, "x\ty\nx\ty\n", "tsv");
    expect_guess("a", false, "x\ty\nx\nx\n", "text");
    expect_guess("a", false, "\n\nx\ty\n", "tsv");
    expect_guess("x.jsonl/a", false, "plain", "text");
    expect_guess(".tsv", false, "", "tsv");
    expect_guess("tsv", false, "", "text");
    expect_guess(".gz", false, "", "text");
    expect_guess("", false, "", "text");
}

static void test_format_option(void **state)
{
    tempdir *t = *state;
    rp_build_options o = {.format = "tsv"};
    expect_docs(t, "a.jsonl", "{1\tx}\n", &o, "{1||x}\n");
    o.format = "TSV";
    rp__corpus *corpus = NULL;
    rp_error err;
    assert_int_equal(rp__corpus_open(NULL, 0, &o, &passed_by, &corpus, &err), RP_USAGE);
    assert_string_equal(err.text, "no format is named \"TSV\"; there are jsonl, json, trec, "
                                  "mediawiki, html, mbox, gitlog, csv, tsv, text");
    o = (rp_build_options){.ids = "name"};
    assert_int_equal(rp__corpus_open(NULL, 0, &o, &passed_by, &corpus, &err), RP_USAGE);
    assert_string_equal(err.text,
                        "ids cannot be \"name\"; there are field, relative, path, number");
}

static void test_marks_and_line_ends(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a",
                "\xEF\xBB\xBF{\"id\":1,\"text\":\"x\"}\r\n\r\n  \r\n{\"id\":2,\"text\":\"y\"}",
                NULL, "1||x\n2||y\n");
    expect_docs(t, "a", "\xEF\xBB\xBF", NULL, "~1 an empty file\n");
    expect_docs(t, "a.tsv",
                "\xEF\xBB\xBF"
                "1\tx",
                NULL, "1||x\n");
    expect_docs(t, "a.jsonl", "", NULL, "~1 an empty file\n");
    expect_docs(t, "a.jsonl", "\n\n \n", NULL, "");
    expect_docs(t, "a.tsv", "\n", NULL, "");
    expect_docs(t, "a.trec", "\n", NULL, "");
}

/* ---- Batches --------------------------------------------------------------------------------- */

typedef struct shape {
    size_t n[4096], bytes[4096];
    uint64_t last_line[4096];
    size_t batches;
} shape;

static rp_status take_shape(const char *const *paths, size_t n, const rp_build_options *o, shape *s,
                            rp_error *err)
{
    rp__corpus *corpus = NULL;
    rp__batch batch;
    assert_int_equal(rp__batch_init(&batch), RP_OK);
    *s = (shape){0};
    rp_status status = rp__corpus_open(paths, n, o, &passed_by, &corpus, err);
    while (status == RP_OK && (status = rp__corpus_next(corpus, &batch, err)) == RP_OK && batch.n) {
        s->n[s->batches] = batch.n;
        s->bytes[s->batches] = batch.bytes.n;
        s->last_line[s->batches++] = batch.records[batch.n - 1].line;
    }
    rp__corpus_close(corpus);
    rp__batch_free(&batch);
    return status;
}

static const char *write_lines(tempdir *t, const char *name, size_t lines, size_t width)
{
    char *line = malloc(width + 16);
    FILE *f = fopen(tempdir_path(t, name), "w");
    memset(line, 'x', width);
    line[width] = 0;
    for (size_t i = 0; i < lines; i++)
        fprintf(f, "%zu\t%s\n", i, line);
    fclose(f);
    free(line);
    return t->file;
}

static void test_batches_end_by_count(void **state)
{
    tempdir *t = *state;
    shape s;
    const char *path = write_lines(t, "a.tsv", 2 * RP_BATCH_RECORDS + 5, 50);
    assert_int_equal(take_shape(&path, 1, NULL, &s, NULL), RP_OK);
    assert_int_equal(s.batches, 3);
    assert_int_equal(s.n[0], RP_BATCH_RECORDS);
    assert_int_equal(s.n[1], RP_BATCH_RECORDS);
    assert_int_equal(s.n[2], 5);
    assert_int_equal(s.last_line[1], 2 * RP_BATCH_RECORDS);
}

static void test_batches_end_by_bytes(void **state)
{
    tempdir *t = *state;
    shape s;
    const char *path = write_lines(t, "a.tsv", 300, 10000);
    assert_int_equal(take_shape(&path, 1, NULL, &s, NULL), RP_OK);
    assert_int_equal(s.batches, 3);
    for (size_t i = 0; i + 1 < s.batches; i++)
        assert_in_range(s.bytes[i], RP_BATCH_BYTES, RP_BATCH_BYTES + 10010);
    assert_int_equal(s.n[0] + s.n[1] + s.n[2], 300);
}

static void test_batches_end_with_files(void **state)
{
    tempdir *t = *state;
    shape s;
    char a[2048], b[2048];
    snprintf(a, sizeof a, "%s", write_lines(t, "a.tsv", 3, 5));
    snprintf(b, sizeof b, "%s", write_lines(t, "b.tsv", 4, 5));
    const char *const paths[] = {b, a, b};
    assert_int_equal(take_shape(paths, 3, NULL, &s, NULL), RP_OK);
    assert_int_equal(s.batches, 2); /* a path that is there twice is read once */
    assert_int_equal(s.n[0], 4);
    assert_int_equal(s.last_line[1], 3);
    const char *folder = t->path;
    assert_int_equal(take_shape(&folder, 1, NULL, &s, NULL), RP_OK);
    assert_int_equal(s.batches, 2);
}

/* Ten blank megabytes between two lines: neither a record nor memory. */
static void test_gaps_cost_nothing(void **state)
{
    tempdir *t = *state;
    FILE *f = fopen(tempdir_path(t, "a.tsv"), "w");
    fputs("1\ta\n", f);
    for (int i = 0; i < 10 << 20; i++)
        putc('\n', f);
    fputs("2\tb\n", f);
    fclose(f);
    shape s;
    const char *path = t->file;
    uint64_t before = rp__alloc_in_use();
    rp__alloc_reset_peak();
    assert_int_equal(take_shape(&path, 1, NULL, &s, NULL), RP_OK);
    assert_true(rp__alloc_peak() - before < 2 << 20);
    assert_int_equal(s.batches, 1);
    assert_int_equal(s.n[0], 2);
    assert_int_equal(s.last_line[0], 2 + (10 << 20));
}

/* ---- Limits ---------------------------------------------------------------------------------- */

typedef struct skips {
    size_t n;
    char where[4][256], what[4][256];
} skips;

static void note_skip(void *arg, const char *where, const char *what)
{
    skips *s = arg;
    assert_true(s->n < 4);
    const char *name = strrchr(where, '/');
    snprintf(s->where[s->n], sizeof s->where[0], "%s", name ? name + 1 : where);
    snprintf(s->what[s->n++], sizeof s->what[0], "%s", what);
}

static void test_max_line_on_both_sides(void **state)
{
    tempdir *t = *state;
    rp_build_options o = {.max_line = 20};
    rp__buf out;
    rp_error err;
    rp__buf_init(&out);
    expect_docs(t, "a.tsv", "1\t345678901234567890\n", &o, "1||345678901234567890\n");
    const char *path = tempdir_write(t, "a.tsv", "0\ta\n1\t3456789012345678901\n2\tx\n", 30);
    assert_int_equal(collect(&path, 1, &o, &out, &err), RP_LIMIT);
    assert_non_null(strstr(err.text, "a.tsv:2: a document of over 20 bytes; raise --max-line"));
    skips told = {0};
    o.on_error = RP_ON_ERROR_SKIP;
    o.on_skip = note_skip;
    o.skip_arg = &told;
    expect_docs(t, "a.tsv", "0\ta\n1\t3456789012345678901\n2\tx\n", &o, "0||a\n2||x\n");
    assert_int_equal(told.n, 1);
    assert_string_equal(told.where[0], "a.tsv:2");
    assert_string_equal(told.what[0], "a document of over 20 bytes; raise --max-line");
    expect_docs(t, "a.trec",
                "<DOC><DOCNO>1</DOCNO>long</DOC><DOC></DOC>\n<DOC> way too long for twenty </DOC>",
                &o, "*||\n");
    assert_int_equal(told.n, 3);
    assert_string_equal(told.where[2], "a.trec:2");
    expect_docs(t, "a.txt", "123456789012345678901", &o, "");
    assert_int_equal(told.n, 4);
    rp__buf_free(&out);
}

/* `mib` megabytes of text that does not end, between two good documents. */
static void write_long(tempdir *t, const char *name, const char *before, const char *after,
                       size_t mib)
{
    char *chunk = malloc(1 << 20);
    FILE *f = fopen(tempdir_path(t, name), "w");
    memset(chunk, 'x', 1 << 20);
    fputs(before, f);
    for (size_t i = 0; i < mib; i++)
        fwrite(chunk, 1, 1 << 20, f);
    fputs(after, f);
    fclose(f);
    free(chunk);
}

/* What is over the limit is passed over in memory of the limit's order, in every format. */
static void test_long_records_are_passed_over(void **state)
{
    tempdir *t = *state;
    skips told = {0};
    rp_build_options o = {
        .max_line = 1 << 20, .on_error = RP_ON_ERROR_SKIP, .on_skip = note_skip, .skip_arg = &told};
    write_long(t, "a.jsonl", "{\"id\":1,\"text\":\"a\"}\n{\"id\":2,\"text\":\"",
               "\"}\n{\"id\":3,\"text\":\"c\"}\n", 50);
    write_long(t, "b.trec", "<DOC><DOCNO>1</DOCNO>a</DOC>\n<DOC>\n<DOCNO>2</DOCNO>",
               "</DOC>\n<DOC><DOCNO>3</DOCNO>c</DOC>", 50);
    write_long(t, "c.txt", "", "", 50);
    write_long(t, "d.tsv", "1\ta\n2\t", "", 50);
    rp__buf out;
    rp_error err;
    rp__buf_init(&out);
    const char *folder = t->path;
    uint64_t before = rp__alloc_in_use();
    rp__alloc_reset_peak();
    assert_int_equal(collect(&folder, 1, &o, &out, &err), RP_OK);
    assert_true(rp__alloc_peak() - before < 6 << 20);
    rp__buf_put_byte(&out, 0);
    assert_string_equal((char *)out.at, "1||a\n3||c\n1||a\n3||c\n1||a\n"
                                        "~1 too large; raise --max-line\n");
    assert_int_equal(told.n, 3);
    assert_string_equal(told.where[0], "a.jsonl:2");
    assert_string_equal(told.where[1], "b.trec:2");
    assert_string_equal(told.where[2], "d.tsv:2");
    rp__buf_free(&out);
}

static void test_100_mb_line(void **state)
{
    tempdir *t = *state;
    rp__corpus *corpus = NULL;
    rp__doc_parser *parser = NULL;
    rp__batch batch;
    rp__doc doc;
    rp_error err;
    write_long(t, "a.jsonl", "{\"id\":1,\"text\":\"\\n", "\"}\n{\"id\":2,\"text\":\"b\"}", 100);
    const char *path = t->file;
    assert_int_equal(rp__batch_init(&batch), RP_OK);
    assert_int_equal(rp__doc_parser_new(NULL, &parser), RP_OK);
    assert_int_equal(rp__corpus_open(&path, 1, NULL, &passed_by, &corpus, &err), RP_OK);
    uint64_t bytes, total, skipped;
    rp__corpus_get_progress(corpus, &bytes, &total, &skipped);
    assert_int_equal(bytes, 0);
    assert_int_equal(rp__corpus_next(corpus, &batch, &err), RP_OK);
    assert_int_equal(batch.n, 1);
    assert_int_equal(rp__doc_parser_parse(parser, &batch, 0, &doc, &err), RP_OK);
    assert_int_equal(doc.text_bytes, (100 << 20) + 1);
    assert_int_equal(doc.text[0], '\n');
    assert_int_equal(rp__corpus_next(corpus, &batch, &err), RP_OK);
    assert_int_equal(batch.n, 1);
    assert_int_equal(rp__doc_parser_parse(parser, &batch, 0, &doc, &err), RP_OK);
    assert_memory_equal(doc.id, "2", 1);
    assert_true(rp__alloc_in_use() < 16 << 20); /* the large buffers are given back */
    assert_int_equal(rp__corpus_next(corpus, &batch, &err), RP_OK);
    assert_int_equal(batch.n, 0);
    rp__corpus_get_progress(corpus, &bytes, &total, &skipped);
    assert_int_equal(bytes, total);
    assert_true(total > 100 << 20);
    rp__corpus_close(corpus);
    rp__doc_parser_free(parser);
    rp__batch_free(&batch);
}

/* ---- Paths ----------------------------------------------------------------------------------- */

static void test_paths(void **state)
{
    tempdir *t = *state;
    rp__buf out;
    rp_error err;
    rp__buf_init(&out);
    const char *path = tempdir_path(t, "nowhere.jsonl");
    assert_int_equal(collect(&path, 1, NULL, &out, &err), RP_IO);
    assert_non_null(strstr(err.text, "nowhere.jsonl: cannot open: No such file or directory"));
    path = t->path;
    assert_int_equal(collect(&path, 1, NULL, &out, &err), RP_OK); /* an empty folder */
    assert_int_equal(collect(NULL, 0, NULL, &out, &err), RP_OK);
    assert_int_equal(out.n, 0);
    rp__buf_free(&out);
}

static void test_long_paths_are_refused(void **state)
{
    tempdir *t = *state;
    char path[2048];
    rp_error err;
    size_t n = (size_t)snprintf(path, sizeof path, "%s", t->path);
    for (; n < 1010; n += 5) {
        memcpy(path + n, "/abcd", 6);
        assert_int_equal(mkdir(path, 0777), 0);
    }
    memcpy(path + n, "/abcdefghijklmnop", 18);
    fclose(fopen(path, "w"));
    rp__corpus *corpus = NULL;
    const char *folder = t->path, *file = path;
    rp__buf out;
    rp__buf_init(&out);
    assert_int_equal(collect(&folder, 1, NULL, &out, &err), RP_OK);
    rp__buf_put_byte(&out, 0);
    assert_string_equal((char *)out.at, "~1 a path of over 1023 bytes\n");
    rp__buf_free(&out);
    assert_int_equal(rp__corpus_open(&file, 1, NULL, &passed_by, &corpus, &err), RP_LIMIT);
    assert_non_null(strstr(err.text, "at most 1023 are taken"));
}

static void test_standard_input(void **state)
{
    tempdir *t = *state;
    int saved = dup(STDIN_FILENO), pipe_ends[2];
    (void)t;
    assert_int_equal(pipe(pipe_ends), 0);
    static const char text[] = "{\"id\":1,\"text\":\"x\"}\n{bad\n";
    assert_int_equal(write(pipe_ends[1], text, sizeof text - 1), sizeof text - 1);
    close(pipe_ends[1]);
    dup2(pipe_ends[0], STDIN_FILENO);
    close(pipe_ends[0]);
    rp__buf out;
    rp_error err;
    rp__buf_init(&out);
    const char *path = "-";
    rp_status status = collect(&path, 1, NULL, &out, &err);
    dup2(saved, STDIN_FILENO);
    close(saved);
    assert_int_equal(status, RP_OK);
    rp__buf_put_byte(&out, 0);
    assert_string_equal((char *)out.at, "1||x\n!stdin:2:2: expected a key in quotes\n");
    rp__buf_free(&out);
    rp__corpus *corpus = NULL;
    uint64_t bytes, total, skipped;
    assert_int_equal(rp__corpus_open(&path, 1, NULL, &passed_by, &corpus, &err), RP_OK);
    rp__corpus_get_progress(corpus, &bytes, &total, &skipped);
    assert_int_equal(total, 0);
    rp__corpus_close(corpus);
}

/* ---- Compressed ------------------------------------------------------------------------------ */

static void write_gzip(const char *path, const void *bytes, size_t n)
{
    gzFile f = gzopen(path, "wb");
    assert_int_equal(gzwrite(f, bytes, (unsigned)n), (int)n);
    assert_int_equal(gzclose(f), Z_OK);
}

static void test_compressed(void **state)
{
    tempdir *t = *state;
    static const char text[] = "{\"id\":1,\"text\":\"x\"}\n{\"id\":2,\"text\":\"y\"}\n";
    rp__buf out;
    rp_error err;
    rp__buf_init(&out);
    write_gzip(tempdir_path(t, "a.jsonl.gz"), text, sizeof text - 1);
    const char *path = t->file;
    assert_int_equal(collect(&path, 1, NULL, &out, &err), RP_OK);
    rp__buf_put_byte(&out, 0);
    assert_string_equal((char *)out.at, "1||x\n2||y\n");
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(truncate(path, st.st_size - 9), 0);
    assert_int_equal(collect(&path, 1, NULL, &out, &err), RP_INPUT);
    assert_non_null(strstr(err.text, "a.jsonl.gz"));
    assert_non_null(strstr(err.text, "is cut off"));
    uint8_t packed[256];
    size_t n = ZSTD_compress(packed, sizeof packed, text, sizeof text - 1, 3);
    expect_docs_of(t, "noname", packed, n, NULL, "1||x\n2||y\n");
    packed[4] ^= 8;
    path = tempdir_write(t, "bad.zst", packed, n);
    assert_int_equal(collect(&path, 1, NULL, &out, &err), RP_INPUT);
    assert_non_null(strstr(err.text, "bad.zst: zstd data is damaged"));
    rp__buf_free(&out);
}

/* Gzip inside gzip is not opened twice. */
static void test_nested_gzip(void **state)
{
    tempdir *t = *state;
    write_gzip(tempdir_path(t, "in.gz"), "hello", 5);
    char inner[256];
    FILE *f = fopen(t->file, "rb");
    size_t n = fread(inner, 1, sizeof inner, f);
    fclose(f);
    remove(t->file);
    write_gzip(tempdir_path(t, "in.gz.gz"), inner, n);
    const char *path = t->file;
    rp__buf out;
    rp_error err;
    rp__buf_init(&out);
    assert_int_equal(collect(&path, 1, NULL, &out, &err), RP_OK);
    rp__buf_put_byte(&out, 0);
    assert_string_equal((char *)out.at, "~1 compressed twice; one layer is unpacked\n");
    rp__buf_free(&out);
}

static void test_bomb(void **state)
{
    tempdir *t = *state;
    size_t n = 128 << 20, cap = ZSTD_compressBound(n);
    void *zeros = calloc(1, n), *packed = malloc(cap);
    size_t packed_bytes = ZSTD_compress(packed, cap, zeros, n, 1);
    free(zeros);
    const char *path = tempdir_write(t, "bomb.jsonl.zst", packed, packed_bytes);
    free(packed);
    rp_build_options o = {.max_line = 1 << 20, .on_error = RP_ON_ERROR_SKIP};
    rp__buf out;
    rp_error err;
    rp__buf_init(&out);
    assert_int_equal(collect(&path, 1, &o, &out, &err), RP_LIMIT);
    assert_non_null(strstr(err.text, "bomb.jsonl.zst: expands to over 1000 times its size"));
    assert_non_null(strstr(err.text, "--max-expand"));
    assert_int_equal(out.n, 0);
    rp__buf_free(&out);
}

/* ---- Encodings and what is no text ----------------------------------------------------------- */

#define EXPECT_BYTES(t, name, bytes, docs)                                                         \
    expect_docs_of((t), (name), (bytes), sizeof(bytes) - 1, NULL, (docs))

static void test_encodings(void **state)
{
    tempdir *t = *state;
    EXPECT_BYTES(t, "a.jsonl", "\xFF\xFE{\0\"\0t\0e\0x\0t\0\"\0:\0\"\0h\0\xE9\0\"\0}\0\n\0",
                 "*||h\xC3\xA9\n%1 read as UTF-16\n");
    EXPECT_BYTES(t, "a.tsv", "\xFE\xFF\0\x31\0\t\x20\xAC", "1||\xE2\x82\xAC\n%1 read as UTF-16\n");
    EXPECT_BYTES(t, "a.txt", "\xFF\xFE\0\0x\0\0\0",
                 "~1 UTF-32, which is not read; convert it to UTF-8\n");
    EXPECT_BYTES(t, "a.tsv", "1\tcaf\xE9 caf\xC3\xA9 \x93x\x94\n",
                 "1||caf\xC3\xA9 caf\xC3\xA9 \xE2\x80\x9Cx\xE2\x80\x9D\n"
                 "%1 not UTF-8, read as Windows-1252\n");
}

/* Characters of several bytes, and bytes that are none, on both sides of every end of a read. */
static void test_encodings_across_reads(void **state)
{
    tempdir *t = *state;
    static const char tail[] = "\xE2\x82\xAC\xF0\x9F\x98\x80\xE9\xC3\xA9.\n";
    static const char want[] = "\xE2\x82\xAC\xF0\x9F\x98\x80\xC3\xA9\xC3\xA9.\n";
    enum { READ = 128 << 10 };
    char *text = malloc(READ + 64);
    rp__buf docs;
    rp__buf_init(&docs);
    for (size_t gap = READ - 12; gap < READ + 2; gap++) {
        memset(text, 'x', gap);
        memcpy(text, "1\t", 2);
        memcpy(text + gap, tail, sizeof tail);
        docs.n = 0;
        rp__buf_put_string(&docs, "1||");
        rp__buf_put(&docs, text + 2, gap - 2);
        rp__buf_put_string(&docs, want);
        rp__buf_put_string(&docs, "%1 not UTF-8, read as Windows-1252\n");
        rp__buf_put_byte(&docs, 0);
        expect_docs_of(t, "a.tsv", text, gap + sizeof tail - 1, NULL, (char *)docs.at);
    }
    rp__buf_free(&docs);
    free(text);
}

/* In a folder a file that cannot be read is skipped; one that was named is an error. */
static void test_damaged_files_of_folders(void **state)
{
    tempdir *t = *state;
    rp__buf out;
    rp_error err;
    rp__buf_init(&out);
    write_gzip(tempdir_path(t, "a.gz"), "hello", 5);
    assert_int_equal(truncate(t->file, 20), 0);
    tempdir_write(t, "b.txt", "good", 4);
    tempdir_write(t, "c.bin", "a\0b", 3);
    const char *folder = t->path, *file;
    assert_int_equal(collect(&folder, 1, NULL, &out, &err), RP_OK);
    rp__buf_put_byte(&out, 0);
    assert_string_equal((char *)out.at, "b.txt||good\n~1 compressed data that is damaged\n"
                                        "~1 not text: a NUL is in the first 64 KiB\n");
    file = tempdir_path(t, "a.gz");
    assert_int_equal(collect(&file, 1, NULL, &out, &err), RP_INPUT);
    rp__buf_free(&out);
}

/* Where the name or the user says that a file has records, a NUL is damage of one of them. */
static void test_nul_in_records(void **state)
{
    tempdir *t = *state;
    EXPECT_BYTES(t, "a.jsonl", "{\"id\":1,\"text\":\"a\0\"}\n{\"id\":2,\"text\":\"b\"}\n",
                 "!a.jsonl:1:18: a control character in a string must be escaped (byte 0x00)\n"
                 "2||b\n");
}

/* Bytes of a path that no id can have. */
static void test_odd_paths(void **state)
{
    tempdir *t = *state;
    rp__buf out;
    rp_error err;
    rp__buf_init(&out);
    tempdir_write(t, "a\nb", "x", 1);
    tempdir_write(t, "caf\xE9", "y", 1);
    const char *folder = t->path;
    assert_int_equal(collect(&folder, 1, NULL, &out, &err), RP_OK);
    rp__buf_put_byte(&out, 0);
    assert_string_equal((char *)out.at, "a\\x0Ab||x\ncaf\\xE9||y\n");
    rp__buf_free(&out);
}

/* ---- Faults of the system -------------------------------------------------------------------- */

static const char *const mixed[][2] = {
    {"a.jsonl",
     "{\"id\":1,\"text\":\"a\\n\"}\n{bad\n{\"id\":2,\"title\":\"\\t\",\"text\":\"b\"}\n"},
    {"b.tsv", "3\tc\n4\td\te\n"},
    {"c.trec", "<DOC><DOCNO>5</DOCNO><TITLE>t</TITLE>f&amp;g</DOC>"},
    {"d.txt", "plain text"},
    {"f.csv", "id,text\n7,\"i, \"\"j\"\"\"\n"},
    {"g.json", "[{\"id\":8,\n\"text\":[\"k\",\"l\"]}]"},
    {"h.html", "<title>m</title><p>n &eacute;"},
    {"i.mbox", "From a Mon 10:00:00\nSubject: =?x?Q?o?=\nContent-Type: text/html\n\n<p>p\n"},
    {"j.xml", "<mediawiki><page><id>9</id><text>[[q|r]]</text></page>"},
    {"k.log", "commit 0123456789012345678901234567890123456789\nAuthor: s\n\n    t\n"},
};

static void write_mixed(tempdir *t)
{
    for (size_t i = 0; i < sizeof mixed / sizeof *mixed; i++)
        tempdir_write(t, mixed[i][0], mixed[i][1], strlen(mixed[i][1]));
    write_gzip(tempdir_path(t, "e.tsv.gz"), "6\th", 3);
}

static const char mixed_docs[] =
    "1||a\n\n!a.jsonl:2:2: expected a key in quotes\n2|\t|b\n3||c\n4|d|e\n"
    "5|t|f&g\nd.txt||plain text\n6||h\n7||i, \"j\"\n8||k\nl\nh.html|m|n \xC3\xA9\n*|o|p\n9||r\n"
    "0123456789012345678901234567890123456789|t|s\n";

static ssize_t read_little(int fd, void *buf, size_t n)
{
    if (rand() % 3 == 0) {
        errno = EINTR;
        return -1;
    }
    return read(fd, buf, 1 + (size_t)rand() % (n < 9 ? n : 9));
}

static void test_short_reads(void **state)
{
    tempdir *t = *state;
    rp__store_ops ops = rp__store_system;
    rp__buf out;
    rp_error err;
    rp__buf_init(&out);
    write_mixed(t);
    const char *folder = t->path;
    ops.read = read_little;
    rp__store_set_ops(&ops);
    srand(8);
    rp_status status = collect(&folder, 1, NULL, &out, &err);
    rp__store_set_ops(NULL);
    assert_int_equal(status, RP_OK);
    rp__buf_put_byte(&out, 0);
    assert_string_equal((char *)out.at, mixed_docs);
    rp__buf_free(&out);
}

/* One pass over the mixed folder, all memory given back whatever happens. */
static rp_status pass(const char *folder, size_t *docs)
{
    rp__corpus *corpus = NULL;
    rp__doc_parser *parser = NULL;
    rp__batch batch = {0};
    *docs = 0;
    rp_status status = rp__batch_init(&batch);
    if (status == RP_OK)
        status = rp__doc_parser_new(NULL, &parser);
    if (status == RP_OK)
        status = rp__corpus_open(&folder, 1, NULL, &passed_by, &corpus, NULL);
    while (status == RP_OK && (status = rp__corpus_next(corpus, &batch, NULL)) == RP_OK && batch.n)
        for (size_t i = 0; i < batch.n && status == RP_OK; i++) {
            rp__doc doc;
            status = rp__doc_parser_parse(parser, &batch, i, &doc, NULL);
            *docs += status == RP_OK;
            if (status == RP_INPUT)
                status = RP_OK;
        }
    rp__corpus_close(corpus);
    rp__doc_parser_free(parser);
    rp__batch_free(&batch);
    rp__skip_list_free(&passed_by);
    return status;
}

static void test_no_memory(void **state)
{
    tempdir *t = *state;
    size_t docs;
    write_mixed(t);
    uint64_t before = rp__alloc_in_use();
    for (int sticky = 0; sticky < 2; sticky++)
        for (uint64_t n = 1;; n++) {
            rp__alloc_fail_at(n, sticky);
            rp_status status = pass(t->path, &docs);
            rp__alloc_fail_at(0, false);
            assert_int_equal(rp__alloc_in_use(), before);
            if (status == RP_OK) {
                assert_int_equal(docs, 13);
                break;
            }
            assert_int_equal(status, RP_NO_MEMORY);
            assert_true(n < 500);
        }
}

/* ---- Mutations ------------------------------------------------------------------------------- */

static void test_mutations(void **state)
{
    tempdir *t = *state;
    rp__buf out;
    rp__buf_init(&out);
    srand(9);
    for (size_t i = 0; i < sizeof mixed / sizeof *mixed; i++) {
        size_t n = strlen(mixed[i][1]);
        for (int round = 0; round < 400; round++) {
            char text[256];
            memcpy(text, mixed[i][1], n);
            for (int k = rand() % 4; k >= 0; k--)
                text[(size_t)rand() % n] =
                    rand() % 2 ? mixed[i][1][(size_t)rand() % n] : (char)rand();
            rp_error err;
            const char *path =
                tempdir_write(t, mixed[i][0], text, rand() % 3 ? n : (size_t)rand() % n);
            out.n = 0;
            rp_status status = collect(&path, 1, NULL, &out, &err);
            bool is_open = status == RP_INPUT && strstr(err.text, "ends before the ']'");
            assert_true(status == RP_OK || is_open);
        }
    }
    rp__buf_free(&out);
}

/* ---- Real collections ------------------------------------------------------------------------ */

static void test_real_collections(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        size_t docs;
    } sets[] = {{"cranfield/docs.jsonl.gz", 1400},
                {"cacm/docs.jsonl.gz", 3204},
                {"cisi/docs.jsonl.gz", 1460},
                {"scifact/docs.jsonl.gz", 5183}};
    const char *root = getenv("RIPOSTE_DATA");
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        char path[1024];
        size_t docs;
        snprintf(path, sizeof path, "%s/%s", root ? root : "../shared/data", sets[i].path);
        if (access(path, R_OK) != 0) {
            print_message("%s is not there\n", path);
            skip();
        }
        assert_int_equal(pass(path, &docs), RP_OK);
        assert_int_equal(docs, sets[i].docs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guess),
        cmocka_unit_test_setup_teardown(test_format_option, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_marks_and_line_ends, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_batches_end_by_count, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_batches_end_by_bytes, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_batches_end_with_files, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_gaps_cost_nothing, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_max_line_on_both_sides, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_long_records_are_passed_over, collect_make,
                                        collect_clean),
        cmocka_unit_test_setup_teardown(test_100_mb_line, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_paths, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_long_paths_are_refused, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_standard_input, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_compressed, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_nested_gzip, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_bomb, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_encodings, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_encodings_across_reads, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_damaged_files_of_folders, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_nul_in_records, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_odd_paths, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_short_reads, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_no_memory, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_mutations, collect_make, collect_clean),
        cmocka_unit_test(test_real_collections),
    };
    return cmocka_run_group_tests_name("corpus", tests, NULL, forget_skips);
}
