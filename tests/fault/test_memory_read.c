/* test_memory_read.c: verbs that read keep within the memory that their help states, whatever an index, a
 * topics file or a run claims.
 *
 * Each row is a command line on an adversarial input. Its peak of anonymous memory is at most the limit and
 * 8 MiB, or it refuses with exit code 7. Files of hostile indexes have true checksums.
 * RIPOSTE_THOROUGH has larger bombs, and more of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fault/peak.h"
#include "riposte/riposte.h"
#include "unit/index/patch.h"

enum {
    MIB = 1 << 20,
    SLACK = 8 * MIB,
    QUERY = 64 * MIB,
    BATCH = QUERY + 160 * MIB,
    CHECK = 128 * MIB,
    PLAIN = 32 * MIB, /* stats, dump, export, and verbs that read no file */
    EVAL = 1024 * MIB,
    NO_MEMORY = 7,
    ARGS_MAX = 24,
};

static tempdir dir;
static char program[4096];
static bool is_thorough;

/* ---- Running ------------------------------------------------------------------------------------ */

static bool is_within(const peak_result *r, uint64_t limit)
{
    return r->anonymous <= limit + SLACK;
}

/* Runs a verb; arguments are words between blanks, and @NAME is a path in the folder. */
static void run(const char *line, peak_result *out)
{
    char copy[1024], paths[ARGS_MAX][400];
    const char *argv[ARGS_MAX] = {program};
    size_t n = 1;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word && n + 1 < ARGS_MAX; word = strtok(NULL, " ")) {
        argv[n] = word;
        if (word[0] == '@') {
            snprintf(paths[n], sizeof paths[n], "%s/%s", dir.path, word + 1);
            argv[n] = paths[n];
        }
        n++;
    }
    argv[n] = NULL;
    assert_true(peak_run(argv, out));
}

/* Within the limit, with this exit code; where that is 0, exit code 7 will not do. */
static void expect(const char *line, uint64_t limit, int code)
{
    peak_result r;
    run(line, &r);
    if (getenv("RIPOSTE_SHOW"))
        print_message("%6.1f MiB of %4.0f, exit %d: %s\n", (double)r.anonymous / MIB,
                      (double)limit / MIB, r.code, line);
    if (!is_within(&r, limit))
        fail_msg("%s: %.1f MiB, the limit is %.1f MiB", line, (double)r.anonymous / MIB,
                 (double)limit / MIB);
    if (r.code != code)
        fail_msg("%s: exit code %d, not %d: %s", line, r.code, code, r.err);
}

/* Every way to ask one query. */
static void expect_searches(const char *index, const char *query, int code)
{
    static const char *const ways[] = {"", "--no-snippets", "--explain", "--json",
                                       "--json --explain --no-snippets"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char line[512];
        snprintf(line, sizeof line, "search %s %s %s", index, query, ways[i]);
        expect(line, QUERY, code);
    }
}

static void expect_line(uint64_t limit, int code, const char *form, const char *index)
{
    char line[512];
    snprintf(line, sizeof line, form, index);
    expect(line, limit, code);
}

/* ---- Indexes ------------------------------------------------------------------------------------ */

static void build(const char *name, const rp_build_options *options,
                  void (*add)(rp_builder *b, void *arg), void *arg)
{
    rp_builder *b = NULL;
    rp_error err;
    if (rp_builder_new(tempdir_path(&dir, name), options, &b, &err) != RP_OK)
        fail_msg("%s", err.text);
    add(b, arg);
    if (rp_builder_finish(b, NULL, &err) != RP_OK)
        fail_msg("%s", err.text);
    rp_builder_free(b);
}

static void add_document(rp_builder *b, const char *id, const char *title, const char *text)
{
    rp_error err;
    if (rp_builder_add(b, id, strlen(id), title, strlen(title), text, strlen(text), &err) != RP_OK)
        fail_msg("%s", err.text);
}

static void add_some(rp_builder *b, void *arg)
{
    (void)arg;
    for (int i = 0; i < 20; i++) {
        char id[32], text[64];
        snprintf(id, sizeof id, "d%d", i);
        snprintf(text, sizeof text, "all of them and number%d", i);
        add_document(b, id, "A title", text);
    }
}

/* A file of the index is another from now on: the manifest says so. */
static void seal_file(const char *name, rp__file_kind kind, uint64_t bytes, uint64_t checksum)
{
    char path[400];
    size_t n, meta_bytes;
    snprintf(path, sizeof path, "%s/%s/%s", dir.path, name, RP_MANIFEST_NAME);
    uint8_t *manifest = files_read(path, &n);
    uint8_t *meta = reseal_section(manifest, n, RP_SECTION_META, &meta_bytes);
    rp__meta_file file = {bytes, checksum};
    memcpy(meta + offsetof(rp__meta, files) + (size_t)kind * sizeof file, &file, sizeof file);
    reseal_file(manifest, n);
    files_write(path, manifest, n);
    free(manifest);
}

/* ---- Bombs in stored text ------------------------------------------------------------------------ */

/* One block for 20 documents, of which one has `bytes` of zeros: the last, as a writer may make it, or the
 * first. */
static void write_bomb(const char *name, size_t bytes, bool is_legal)
{
    enum { DOCS = 20 };
    rp__folder folder;
    rp__section_writer *w;
    rp__zblock *z;
    rp__buf packed;
    uint64_t file_bytes, checksum;
    size_t cap = bytes + 12 * DOCS, n = 0;
    uint8_t *raw = calloc(cap, 1);
    for (int d = 0; d < DOCS; d++) {
        bool is_long = d == (is_legal ? DOCS - 1 : 0);
        n = (size_t)(rp__bits_put_varint(raw + n, 0) - raw);
        n = (size_t)(rp__bits_put_varint(raw + n, is_long ? bytes : 0) - raw);
    }
    n += bytes;
    rp__buf_init(&packed);
    assert_int_equal(rp__zblock_new(&z), RP_OK);
    assert_int_equal(rp__zblock_pack(z, raw, n, &packed), RP_OK);
    free(raw);
    assert_int_equal(rp__folder_open(&folder, tempdir_path(&dir, name), NULL), RP_OK);
    rp__folder_remove(&folder, "text.00000001.rp");
    assert_int_equal(rp__section_writer_new(&folder, "text.00000001.rp", RP_FILE_TEXT, &w, NULL),
                     RP_OK);
    rp__text_block index[2] = {{.raw_bytes = (uint32_t)n},
                               {.offset = packed.n, .first_docid = DOCS}};
    rp__section_writer_begin(w, RP_SECTION_TEXT_BLOCKS);
    rp__section_writer_put(w, packed.at, packed.n);
    rp__section_writer_end(w);
    rp__section_writer_begin(w, RP_SECTION_TEXT_INDEX);
    rp__section_writer_put(w, index, sizeof index);
    rp__section_writer_end(w);
    assert_int_equal(rp__section_writer_finish(w, &file_bytes, &checksum, NULL), RP_OK);
    seal_file(name, RP_FILE_TEXT, file_bytes, checksum);
    rp__folder_close(&folder);
    rp__zblock_free(z);
    rp__buf_free(&packed);
}

static void test_text_bombs(void **state)
{
    (void)state;
    size_t bytes = (size_t)(is_thorough ? 4000 : 400) * MIB;
    build("bomb", NULL, add_some, NULL);
    write_bomb("bomb", bytes, true);
    expect_searches("@bomb", "all", 0);
    expect_line(CHECK, 0, "check %s", "@bomb");
    expect_line(BATCH, 0, "batch %s @topics", "@bomb");
    expect_line(PLAIN, 0, "stats %s", "@bomb");
    expect_line(PLAIN, 0, "export ciff %s -o @x.ciff", "@bomb");
    expect_line(64 * MIB, NO_MEMORY, "reorder %s -o @new --by random --memory 64M", "@bomb");
    expect_line(64 * MIB, 0, "recode %s -o @new --codec bp128 --memory 64M", "@bomb");
}

/* The first document is long and others follow: no writer makes such a block, and a reader would have to
 * unpack the long one to reach them. */
static void test_overfull_block(void **state)
{
    (void)state;
    peak_result r;
    build("overfull", NULL, add_some, NULL);
    write_bomb("overfull", 100 * MIB, false);
    expect_searches("@overfull", "all", 5);
    run("check @overfull", &r);
    assert_int_equal(r.code, 5);
    assert_true(is_within(&r, CHECK));
    expect_line(64 * MIB, 5, "reorder %s -o @new --by random --memory 64M", "@overfull");
}

/* ---- Ids that overlap ---------------------------------------------------------------------------- */

enum { ID_DOCS = 24000 };

static void add_long_ids(rp_builder *b, void *arg)
{
    (void)arg;
    for (int i = 0; i < ID_DOCS; i++) {
        char id[64];
        snprintf(id, sizeof id, "document-with-an-id-that-is-rather-long-%06d", i);
        add_document(b, id, "", i % 2 ? "odd" : "even");
    }
}

/* Every second document has the first MiB of all ids as its own: 10,000 hits have 10 GB of names. */
static void test_overlapping_ids(void **state)
{
    (void)state;
    patch p;
    size_t n = 0;
    build("ids", NULL, add_long_ids, NULL);
    patch_open(&p, tempdir_path(&dir, "ids"), 1);
    uint8_t *bases = patch_section(&p, RP_FILE_DOCS, RP_SECTION_DOC_ID_BASES, &n);
    memset(bases, 0, n);
    uint32_t *offsets =
        (uint32_t *)(void *)patch_section(&p, RP_FILE_DOCS, RP_SECTION_DOC_ID_OFFSETS, &n);
    for (size_t i = 0; i < n / sizeof *offsets; i++)
        offsets[i] = i % 2 ? RP_DOC_ID_MAX : 0;
    patch_apply(&p);
    patch_close(&p);
    expect("search @ids even --k 10000", QUERY, NO_MEMORY);
    expect("search @ids even --k 20 --json", QUERY, 0);
    expect("search @ids even --k 60 --json", QUERY, NO_MEMORY);
    tempdir_write(&dir, "even", "1\teven\n2\teven\n3\teven\n", 21);
    expect("batch @ids @even --k 40 -o @run", BATCH, 0);
    expect("batch @ids @even --k 1000 -o @run", BATCH, NO_MEMORY);
    expect("check @ids", CHECK + 16 * ID_DOCS, 5);
    expect("export ciff @ids -o @x.ciff", PLAIN + 16 * ID_DOCS, 5);
}

/* ---- Many terms, many positions, many stop words --------------------------------------------------- */

enum { TERMS = 100000 };

static void add_terms(rp_builder *b, void *arg)
{
    (void)arg;
    for (int i = 0; i < TERMS; i += 100) {
        char id[32], text[100 * 12] = "";
        snprintf(id, sizeof id, "d%d", i);
        for (int j = 0; j < 100; j++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "p%06d ", i + j);
        add_document(b, id, "", text);
    }
}

static void test_prefixes(void **state)
{
    (void)state;
    char query[20000] = "prefixes\t";
    build("terms", NULL, add_terms, NULL);
    expect("search @terms p*", QUERY, 3);
    expect("search @terms p* --max-terms 200000 --max-expansions 200000 --json", QUERY, NO_MEMORY);
    for (int i = 0; i < 1000; i++)
        snprintf(query + strlen(query), sizeof query - strlen(query), "p00%04d* ", i);
    tempdir_write(&dir, "prefixes", query, strlen(query));
    expect("batch @terms @prefixes --syntax -o @run", BATCH, 0);
    expect("batch @terms @prefixes --syntax --max-terms 9999999 -o @run", BATCH, 0);
    expect("stats @terms --lists --top 100000", PLAIN + (uint64_t)TERMS * 1024, 0);
    expect("dump @terms --term p000001", PLAIN, 0);
    expect("check @terms", CHECK, 0);
}

/* One document that is one term over and over. */
static void add_repeats(rp_builder *b, void *arg)
{
    size_t n = *(size_t *)arg;
    char *text = malloc(2 * n + 1);
    for (size_t i = 0; i < n; i++)
        memcpy(text + 2 * i, "a ", 2);
    text[2 * n] = 0;
    add_document(b, "repeats", "", text);
    add_document(b, "other", "", "a b");
    free(text);
}

static void test_positions(void **state)
{
    (void)state;
    size_t n = (size_t)(is_thorough ? 20 : 4) * MIB;
    int code = is_thorough ? NO_MEMORY : 0; /* its positions take 80 MiB, or 16 */
    build("repeats", &(rp_build_options){.memory = (uint64_t)2048 * MIB}, add_repeats, &n);
    expect_searches("@repeats", "a", 0);
    tempdir_write(&dir, "phrase", "1\t\"a a\"\n", 8);
    expect("batch @repeats @phrase -o @run", BATCH, code);
    expect("check @repeats", CHECK, 0);
    expect("dump @repeats --term a", PLAIN, 0);
}

/* A manifest with the longest stop list that there may be, and one that is longer. */
static void write_stop_words(const char *name, size_t bytes)
{
    patch p;
    rp__folder folder;
    rp__section_writer *w;
    size_t meta_bytes;
    char *words = malloc(bytes + 8);
    patch_open(&p, tempdir_path(&dir, name), 1);
    rp__meta meta;
    memcpy(&meta, patch_section(&p, RP_FILE_MANIFEST, RP_SECTION_META, &meta_bytes), sizeof meta);
    for (size_t i = 0; i < bytes; i += 4)
        snprintf(words + i, 5, "%c%c%c\n", (int)('a' + i / 4 % 26), (int)('a' + i / 104 % 26),
                 (int)(0x21 + i / 2704 % 90));
    assert_int_equal(rp__folder_open(&folder, tempdir_path(&dir, name), NULL), RP_OK);
    rp__folder_remove(&folder, RP_MANIFEST_NAME);
    assert_int_equal(rp__section_writer_new(&folder, RP_MANIFEST_NAME, RP_FILE_MANIFEST, &w, NULL),
                     RP_OK);
    rp__section_writer_require(w, RP_FEATURE_KTHS | RP_FEATURE_TINY_BITS | RP_FEATURE_CLOSE);
    rp__section_writer_begin(w, RP_SECTION_META);
    rp__section_writer_put(w, &meta, sizeof meta);
    rp__section_writer_end(w);
    rp__section_writer_begin(w, RP_SECTION_STOP_WORDS);
    rp__section_writer_put(w, words, bytes);
    rp__section_writer_end(w);
    assert_int_equal(rp__section_writer_finish(w, NULL, NULL, NULL), RP_OK);
    rp__folder_close(&folder);
    patch_close(&p);
    free(words);
}

static void test_stop_words(void **state)
{
    (void)state;
    build("stop", NULL, add_some, NULL);
    write_stop_words("stop", RP_STOP_WORDS_MAX);
    expect("search @stop all", QUERY, 0);
    expect("stats @stop", PLAIN, 0);
    write_stop_words("stop", 64 * MIB);
    expect("search @stop all", QUERY, 5);
    expect("check @stop", CHECK, 5);
}

/* ---- Topics, judgments, runs ----------------------------------------------------------------------- */

static void write_lines(const char *name, const char *form, size_t n)
{
    FILE *f = fopen(tempdir_path(&dir, name), "wb");
    for (size_t i = 0; i < n; i++)
        fprintf(f, form, i, i);
    assert_int_equal(fclose(f), 0);
}

static void write_repeated(const char *name, const char *before, const char *what, size_t n,
                           const char *after)
{
    FILE *f = fopen(tempdir_path(&dir, name), "wb");
    fputs(before, f);
    for (size_t i = 0; i < n; i++)
        fputs(what, f);
    fputs(after, f);
    assert_int_equal(fclose(f), 0);
}

static void test_topics(void **state)
{
    (void)state;
    size_t n = is_thorough ? 1000000 : 100000;
    build("small", NULL, add_some, NULL);
    write_repeated("long", "1\t", "word ", 2 * MIB, "\n");
    expect("batch @small @long -o @run", BATCH + 10 * MIB, 3);
    expect("batch @small @long --max-query 1G --max-terms 9999999 -o @run", BATCH + 10 * MIB,
           NO_MEMORY);
    write_lines("many", "%zu\tall number%zu\n", n);
    expect("batch @small @many -o @run", BATCH + n * 40, 0);
    expect("batch @small @many --json", BATCH + n * 40, is_thorough ? NO_MEMORY : 0);
    write_repeated("deep", "{\"query\": \"all\", \"x\": ", "[", 4 * MIB, "");
    expect("batch @small @deep -o @run", BATCH + 4 * MIB, 3);
    if (!is_thorough)
        return;
    write_repeated("huge", "", "1\tall\n", 50 * MIB, "");
    expect("batch @small @huge -o @run", BATCH + 256 * MIB, NO_MEMORY);
}

static void test_eval(void **state)
{
    (void)state;
    size_t n = is_thorough ? 5000000 : 200000;
    write_repeated("line", "1 0 ", "d", 20 * MIB, " 1\n");
    write_lines("qrels", "q%zu 0 d%zu 1\n", n);
    write_lines("rows", "q%zu Q0 d%zu 1 1.5 tag\n", n);
    expect("eval @line @rows", EVAL, 3);
    expect("eval @qrels @line", EVAL, 3);
    expect("eval @qrels @rows", EVAL, is_thorough ? NO_MEMORY : 0);
    expect("eval @qrels @rows --json --per-query", EVAL, is_thorough ? NO_MEMORY : 0);
}

static void test_rest(void **state)
{
    (void)state;
    expect("doctor", PLAIN, 0);
    expect("help search", PLAIN, 0);
    expect("version", PLAIN, 0);
}

/* ---- Planted --------------------------------------------------------------------------------------- */

/* A verb that takes what it may not: the harness must see it. */
static void test_planted_bomb(void **state)
{
    (void)state;
    peak_result r;
    write_repeated("large", "1\t", "word ", 10 * MIB, "\n");
    build("planted", NULL, add_some, NULL);
    run("batch @planted @large -o @run", &r);
    assert_false(is_within(&r, PLAIN));
}

static int make(void **state)
{
    (void)state;
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 32);
    if (n <= 0 || tempdir_make(&dir) != 0)
        return -1;
    program[n] = 0;
    for (int up = 0; up < 3; up++) /* BUILD/tests/fault/test_memory_read */
        dirname(program);
    strcat(program, "/riposte");
    if (getenv("RIPOSTE"))
        snprintf(program, sizeof program, "%s", getenv("RIPOSTE"));
    is_thorough = getenv("RIPOSTE_THOROUGH") != NULL;
    tempdir_write(&dir, "topics", "1\tall of them\n2\tnumber3\n", 24);
    return 0;
}

static int drop(void **state)
{
    (void)state;
    tempdir_remove(&dir);
    return 0;
}

int main(void)
{
    const char *reason = peak_reason();
    if (reason) {
        printf("skip test_memory_read: %s\n", reason);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_bombs),
        cmocka_unit_test(test_overfull_block),
        cmocka_unit_test(test_overlapping_ids),
        cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_stop_words),
        cmocka_unit_test(test_topics),
        cmocka_unit_test(test_eval),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_planted_bomb),
    };
    return cmocka_run_group_tests_name("memory_read", tests, make, drop);
}
