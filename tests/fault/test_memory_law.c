/* test_memory_law.c: whatever the input, a verb that takes --memory keeps it.
 *
 * The program itself runs under 32, 64 and 256 MiB on inputs made to hurt, and its peak of anonymous
 * memory (peak.h) is at most the budget and 8 MiB. A document of up to an eighth of the budget is indexed,
 * with any number of threads, and the bytes of the index do not depend on where it was spilled. Other work
 * that does not fit ends with exit code 7, a message that names --memory, and the old index as it was.
 * RIPOSTE_THOROUGH: all inputs under all budgets; otherwise most run under one. The verbs that read an index
 * without --memory are tested by test_memory_read.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/buf.h"
#include "fault/peak.h"
#include "fault/sample.h"
#include "tempdir.h"

enum { MIB = 1 << 20, SLACK = 8 * MIB, EXIT_MEMORY = 7 };

static const size_t budgets[] = {32, 64, 256}; /* MiB */
enum { N_BUDGETS = sizeof budgets / sizeof *budgets };

static char program[4096];
static tempdir dir;
static bool is_thorough;

/* The build folder is where this test lies, less tests/fault/test_memory_law. */
static bool find_program(void)
{
    char self[4000];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0)
        return false;
    self[n] = 0;
    for (int i = 0; i < 3; i++)
        *strrchr(self, '/') = 0;
    snprintf(program, sizeof program, "%s/riposte", self);
    return access(program, X_OK) == 0;
}

static void path_of(const char *name, char out[700])
{
    snprintf(out, 700, "%s/%s", dir.path, name);
}

static void skip_where_not_measured(void)
{
    const char *reason = find_program() ? peak_reason() : "there is no program";
    if (reason) {
        print_message("skip: %s\n", reason);
        skip();
    }
}

/* ---- The law ------------------------------------------------------------------------------------ */

typedef struct finding {
    char what[256]; /* empty: the law was kept */
} finding;

/* A run under a budget of so many MiB that must succeed, or may also be refused for its memory. */
static void judge(const peak_result *r, size_t budget, bool may_refuse, finding *out)
{
    double mib = (double)r->anonymous / MIB;
    out->what[0] = 0;
    if (r->anonymous > budget * MIB + SLACK)
        snprintf(out->what, sizeof out->what, "%.1f MiB of %zu: %.150s", mib, budget, r->err);
    else if (r->code == EXIT_MEMORY && may_refuse && strstr(r->err, "--memory"))
        return;
    else if (r->code != 0)
        snprintf(out->what, sizeof out->what, "exit code %d: %.200s", r->code, r->err);
}

/* `line` is what follows the program's name, separated by spaces; "@NAME" is a file of the test. */
static void run(const char *line, size_t budget, peak_result *out)
{
    char words[32][700], copy[1024], memory[32];
    const char *argv[40] = {program};
    size_t n = 1;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "), n++) {
        assert_true(n < 32);
        if (word[0] == '@')
            path_of(word + 1, words[n]);
        else
            snprintf(words[n], sizeof words[n], "%s", word);
        argv[n] = words[n];
    }
    snprintf(memory, sizeof memory, "%zuM", budget);
    argv[n++] = "--memory";
    argv[n] = memory;
    assert_true(peak_run(argv, out));
}

static peak_result expect_law(const char *line, size_t budget, bool may_refuse)
{
    peak_result r;
    finding f;
    run(line, budget, &r);
    judge(&r, budget, may_refuse, &f);
    print_message("%4zu MiB: %5.1f MiB, exit code %d: %s\n", budget, (double)r.anonymous / MIB,
                  r.code, line);
    if (f.what[0])
        fail_msg("%s --memory %zuM: %s", line, budget, f.what);
    return r;
}

/* ---- Inputs ------------------------------------------------------------------------------------- */

static FILE *create(const char *name)
{
    char path[700];
    path_of(name, path);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    return out;
}

static void put_repeated(FILE *out, const char *text, size_t bytes)
{
    size_t n = strlen(text);
    for (size_t i = 0; i + n <= bytes; i += n)
        fwrite(text, 1, n, out);
}

/* Words of at most `most` letters, all different. */
static void put_distinct(FILE *out, size_t bytes, size_t most)
{
    char word[300];
    uint64_t number = 0;
    for (size_t used = 0; used + most + 1 <= bytes; number++) {
        size_t n = most > 20 ? most - 20 : 0;
        memset(word, 'x', n);
        for (uint64_t v = number; n < most && (v || n == 0 || most > 20); v /= 26)
            word[n++] = (char)('a' + v % 26);
        word[n++] = ' ';
        fwrite(word, 1, n, out);
        used += n;
    }
}

/* Text with common and rare words, and now and then a character that JSON escapes. */
static void put_prose(FILE *out, size_t bytes, bool has_escapes)
{
    sample_random random = sample_seed(bytes);
    for (size_t used = 0; used + 32 <= bytes;) {
        char word[32];
        size_t rank = sample_below(&random, 1 + sample_below(&random, 200000));
        bool is_escaped = has_escapes && sample_below(&random, 500) == 0;
        int n = snprintf(word, sizeof word, is_escaped ? "w%zx\\n\\u00e9 " : "w%zx ", rank);
        fwrite(word, 1, (size_t)n, out);
        used += (size_t)n;
    }
}

/* Each writes a file of documents, one of them of `bytes` of text. */
static void put_prose_document(FILE *out, size_t bytes)
{
    fputs("{\"id\":\"a\",\"text\":\"", out);
    put_prose(out, bytes, false);
    fputs("\"}\n", out);
}

static void put_escaped_document(FILE *out, size_t bytes)
{
    fputs("{\"id\":\"a\",\"text\":\"", out);
    put_prose(out, bytes, true);
    fputs("\"}\n", out);
}

static void put_distinct_document(FILE *out, size_t bytes)
{
    fputs("{\"id\":\"a\",\"text\":\"", out);
    put_distinct(out, bytes, 6);
    fputs("\"}\n", out);
}

static void put_long_tokens(FILE *out, size_t bytes)
{
    fputs("{\"id\":\"a\",\"text\":\"", out);
    put_distinct(out, bytes, 255);
    fputs("\"}\n", out);
}

static void put_one_term(FILE *out, size_t bytes)
{
    fputs("{\"id\":\"a\",\"text\":\"", out);
    put_repeated(out, "a ", bytes);
    fputs("\"}\n", out);
}

static void put_wide_row(FILE *out, size_t bytes)
{
    fputs("a\thttp://b/\ttitle\t", out);
    put_repeated(out, "x\t", bytes);
    fputs("\n", out);
}

/* Small documents around large ones: workers and their inverters are full when those come. */
static void put_mixed(FILE *out, size_t bytes)
{
    for (int part = 0; part < 3; part++) {
        for (int i = 0; i < 2000; i++) {
            fprintf(out, "{\"id\":\"%d.%d\",\"title\":\"t%d\",\"text\":\"", part, i, i);
            put_distinct(out, 400 + (size_t)i % 7, 5 + (size_t)i % 3);
            fputs("\"}\n", out);
        }
        fprintf(out, "{\"id\":\"large %d\",\"title\":\"", part);
        put_prose(out, bytes / 3, part == 1);
        fputs("\",\"text\":\"", out);
        put_prose(out, bytes - bytes / 3, part == 1);
        fputs("\"}\n", out);
    }
}

static void put_deep_json(FILE *out, size_t bytes)
{
    fputs("{\"id\":\"a\",\"text\":\"good\"}\n{\"id\":\"b\",\"text\":\"x\",\"z\":", out);
    put_repeated(out, "[", bytes);
    fputs("\n{\"id\":\"c\",\"text\":\"x\",\"z\":[", out);
    put_repeated(out, "{\"k\":\"\\n\"},", bytes);
    fputs("0]}\n", out);
}

static void put_tiny_documents(FILE *out, size_t documents)
{
    for (size_t i = 0; i < documents; i++)
        fprintf(out, "d%zu\tx%zu\n", i, i % 1000);
}

/* ---- index ---------------------------------------------------------------------------------------- */

typedef struct input {
    const char *name, *options;
    void (*put)(FILE *out, size_t bytes);
    bool is_slow; /* for RIPOSTE_THOROUGH where the budget is not the least */
} input;

static const input inputs[] = {
    {"one huge document", "--format jsonl", put_prose_document, true},
    {"one huge document with escapes", "--format jsonl", put_escaped_document, true},
    {"all-distinct terms", "--format jsonl", put_distinct_document, false},
    {"longest tokens", "--format jsonl", put_long_tokens, true},
    {"positions of one term", "--format jsonl", put_one_term, true},
    {"a wide row", "--format tsv", put_wide_row, true},
    {"huge documents among small ones", "--format jsonl", put_mixed, true},
    {"deep JSON", "--format jsonl --on-error skip", put_deep_json, true},
};

static void write_input(const input *in, size_t bytes)
{
    FILE *out = create("in");
    in->put(out, bytes);
    assert_int_equal(fclose(out), 0);
}

static void remove_index(const char *name)
{
    char path[700];
    path_of(name, path);
    nftw(path, tempdir_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* The index of the input that one thread makes in 1 GiB. */
static uint64_t expected_checksum(const char *options)
{
    char line[512], path[700];
    peak_result r;
    remove_index("whole");
    snprintf(line, sizeof line, "index %s -q @in -o @whole", options);
    run(line, 1024, &r);
    if (r.code != 0)
        fail_msg("%s: %s", line, r.err);
    path_of("whole", path);
    return sample_folder_checksum(path);
}

static void expect_identical(const char *options, uint32_t threads, size_t budget, uint64_t whole)
{
    char line[512], path[700];
    remove_index("ix");
    snprintf(line, sizeof line, "index %s --threads %u -q @in -o @ix", options, threads);
    expect_law(line, budget, false);
    path_of("ix", path);
    if (sample_folder_checksum(path) != whole)
        fail_msg("%s --memory %zuM: another index than in 1 GiB", line, budget);
}

/* A document of an eighth of the budget is indexed, and always to the same bytes. */
static void test_documents_of_an_eighth(void **state)
{
    (void)state;
    skip_where_not_measured();
    for (size_t b = 0; b < N_BUDGETS; b++)
        for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
            if (!is_thorough && (budgets[b] > 64 || (b > 0 && inputs[i].is_slow)))
                continue;
            uint32_t threads = (uint32_t)budgets[b] / 16; /* the most that the budget allows */
            print_message("-- %s, %zu MiB\n", inputs[i].name, budgets[b]);
            write_input(&inputs[i], budgets[b] * MIB / 8);
            uint64_t whole = expected_checksum(inputs[i].options);
            expect_identical(inputs[i].options, 1, budgets[b], whole);
            expect_identical(inputs[i].options, threads, budgets[b], whole);
            if (is_thorough) {
                char bare[256];
                snprintf(bare, sizeof bare, "%s --no-store --no-positions", inputs[i].options);
                whole = expected_checksum(bare);
                expect_identical(bare, 1, budgets[b], whole);
                expect_identical(bare, threads > 2 ? 2 : threads, budgets[b], whole);
            }
        }
}

/* Larger documents are indexed or refused; when they are refused, the old index is as it was. */
static void test_larger_documents(void **state)
{
    (void)state;
    skip_where_not_measured();
    const char *line = "index --format jsonl -q @in -o @ix";
    char path[700];
    path_of("ix", path);
    size_t refused = 0;
    for (size_t b = 0; b < (is_thorough ? N_BUDGETS : 1); b++)
        for (size_t sixteenths = 3; sixteenths <= 12; sixteenths += 3) {
            write_input(&inputs[2], budgets[b] * MIB / 16 * sixteenths);
            uint64_t before = access(path, F_OK) == 0 ? sample_folder_checksum(path) : 0;
            peak_result r = expect_law(line, budgets[b], true);
            refused += r.code == EXIT_MEMORY;
            if (r.code == EXIT_MEMORY && before && sample_folder_checksum(path) != before)
                fail_msg("%zu MiB: the old index is not as it was", budgets[b]);
        }
    assert_true(refused > 0);
}

static void test_a_million_documents(void **state)
{
    (void)state;
    skip_where_not_measured();
    FILE *out = create("in");
    put_tiny_documents(out, 1000000);
    assert_int_equal(fclose(out), 0);
    for (size_t b = is_thorough ? 0 : 1; b < (is_thorough ? N_BUDGETS : 2); b++)
        expect_law("index --format tsv -q @in -o @ix", budgets[b], budgets[b] < 64);
}

/* ---- import, recode, reorder ----------------------------------------------------------------------- */

static const char *const remakers[] = {
    "recode @whole -o @ix --codec optpfd -q",
    "recode @whole -o @ix --codec auto --aux lr,hs16 --threads 2 -q",
    "reorder @whole -o @ix --by bp -q",
    "reorder @whole -o @ix --by random --threads 2 -q",
};

static void expect_remade(size_t budget)
{
    for (size_t i = 0; i < sizeof remakers / sizeof *remakers; i++)
        expect_law(remakers[i], budget, true);
}

static void expect_imported(size_t budget)
{
    peak_result r;
    char whole[700], ciff[700], pisa[700];
    path_of("whole", whole);
    path_of("x.ciff", ciff);
    path_of("x.pisa", pisa);
    const char *const exports[][7] = {{program, "export", "ciff", whole, "-o", ciff, NULL},
                                      {program, "export", "pisa", whole, "-o", pisa, NULL}};
    for (size_t i = 0; i < 2; i++) {
        assert_true(peak_run(exports[i], &r));
        if (r.code != 0)
            fail_msg("export: %s", r.err);
    }
    expect_law("import ciff @x.ciff -o @ix -q", budget, true);
    expect_law("import pisa @x.pisa -o @ix -q", budget, true);
}

/* Indexes of the inputs, made in another codec, in another order, and by way of other formats. */
static void test_remade(void **state)
{
    (void)state;
    skip_where_not_measured();
    static const size_t of_all[] = {2, 4, 6}; /* of the inputs */
    for (size_t b = 0; b < (is_thorough ? N_BUDGETS : 1); b++)
        for (size_t i = is_thorough ? 0 : 2; i < sizeof of_all / sizeof *of_all; i++) {
            const input *in = &inputs[of_all[i]];
            print_message("-- an index of %s, %zu MiB\n", in->name, budgets[b]);
            write_input(in, budgets[b] * MIB / 8);
            expected_checksum(in->options);
            expect_remade(budgets[b]);
            expect_imported(budgets[b]);
        }
}

static void test_a_million_documents_remade(void **state)
{
    (void)state;
    skip_where_not_measured();
    FILE *out = create("in");
    put_tiny_documents(out, is_thorough ? 1000000 : 100000);
    assert_int_equal(fclose(out), 0);
    expected_checksum("--format tsv");
    for (size_t b = 0; b < (is_thorough ? N_BUDGETS : 1); b++) {
        expect_remade(budgets[b]);
        expect_imported(budgets[b]);
    }
}

/* ---- CIFF headers ----------------------------------------------------------------------------------- */

/* One message of CIFF: its length, then its fields. */
static void put_message(FILE *out, const rp__buf *fields, uint64_t claimed)
{
    uint8_t length[10];
    size_t n = (size_t)(rp__bits_put_varint(length, claimed) - length);
    fwrite(length, 1, n, out);
    fwrite(fields->at, 1, fields->n, out);
}

static void put_number(rp__buf *to, uint8_t field, uint64_t value)
{
    rp__buf_put_byte(to, (uint8_t)(field << 3));
    rp__buf_put_varint(to, value);
}

/* A header with huge counts and a description of `bytes`, of which `given` follow. */
static void put_ciff(uint64_t lists, uint64_t docs, uint64_t bytes, size_t given)
{
    FILE *out = create("bad.ciff");
    rp__buf header;
    rp__buf_init(&header);
    put_number(&header, 1, 1);
    put_number(&header, 2, lists);
    put_number(&header, 3, docs);
    put_number(&header, 4, lists);
    put_number(&header, 5, docs);
    put_number(&header, 6, UINT64_MAX >> 1);
    rp__buf_put_byte(&header, 8 << 3 | 2);
    rp__buf_put_varint(&header, bytes);
    put_message(out, &header, header.n + bytes);
    put_repeated(out, "d", given);
    assert_int_equal(fclose(out), 0);
    rp__buf_free(&header);
}

/* Nothing is allocated by what a header says: it is refused, and not for memory. */
static void test_ciff_headers(void **state)
{
    (void)state;
    skip_where_not_measured();
    static const struct {
        uint64_t lists, docs, bytes;
        size_t given;
    } cases[] = {
        {INT32_MAX, INT32_MAX, 0, 0},
        {INT32_MAX, 1, 8 * MIB, 8 * MIB},
        {0, INT32_MAX, (uint64_t)1 << 31, 1000},
        {UINT64_MAX >> 1, UINT64_MAX >> 1, UINT64_MAX >> 2, 1000},
        {1, 1, 64 * MIB, 64 * MIB},
    };
    for (size_t b = 0; b < (is_thorough ? N_BUDGETS : 1); b++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            peak_result r;
            finding f;
            put_ciff(cases[i].lists, cases[i].docs, cases[i].bytes, cases[i].given);
            run("import ciff @bad.ciff -o @none -q", budgets[b], &r);
            print_message("%4zu MiB: %5.1f MiB, exit code %d: %s", budgets[b],
                          (double)r.anonymous / MIB, r.code, r.err);
            judge(&r, budgets[b], false, &f);
            if (r.code == 0 || r.code >= EXIT_MEMORY || strstr(f.what, "MiB of"))
                fail_msg("header %zu: exit code %d: %s", i, r.code, f.what);
        }
}

/* ---- synth -------------------------------------------------------------------------------------------- */

static void test_synth(void **state)
{
    (void)state;
    skip_where_not_measured();
    for (size_t b = 0; b < (is_thorough ? N_BUDGETS : 1); b++) {
        expect_law("synth gov --docs 50000 --queries 300 -o @ix -q", budgets[b], true);
        if (is_thorough) {
            expect_law("synth gov --queries 300 -o @ix -q", budgets[b], true);
            expect_law("synth gov --docs 200000 --queries 1000 --threads 2 -o @ix -q", budgets[b],
                       true);
            expect_law("synth clueweb --queries 30 -o @ix -q", budgets[b], true);
        }
    }
}

/* ---- Does it find what breaks the law? ------------------------------------------------------------------ */

/* A build that ignores the budget it is judged by. */
static void test_planted_ignored_budget(void **state)
{
    (void)state;
    skip_where_not_measured();
    peak_result r;
    finding f;
    write_input(&inputs[2], 4 * MIB);
    run("index --format jsonl -q @in -o @ix", 1024, &r);
    judge(&r, 32, true, &f);
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(f.what, "MiB of 32"));
}

enum { SPIKE = 48 * MIB };

/* Holds memory for so short a time that who looks now and then misses it. */
static int hold_for_a_moment(void)
{
    char *p = mmap(NULL, SPIKE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return EXIT_FAILURE;
    memset(p, 1, SPIKE);
    return munmap(p, SPIKE) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void test_planted_spike(void **state)
{
    (void)state;
    skip_where_not_measured();
    static const char *const argv[] = {"/proc/self/exe", "spike", NULL};
    peak_result r;
    finding f;
    assert_true(peak_run(argv, &r));
    judge(&r, 32, true, &f);
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(f.what, "MiB of 32"));
    assert_in_range(r.anonymous, SPIKE, SPIKE + 2 * MIB);
}

static int set_up(void **state)
{
    (void)state;
    return tempdir_make(&dir);
}

static int tear_down(void **state)
{
    (void)state;
    tempdir_remove(&dir);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documents_of_an_eighth),
        cmocka_unit_test(test_larger_documents),
        cmocka_unit_test(test_a_million_documents),
        cmocka_unit_test(test_remade),
        cmocka_unit_test(test_a_million_documents_remade),
        cmocka_unit_test(test_ciff_headers),
        cmocka_unit_test(test_synth),
        cmocka_unit_test(test_planted_ignored_budget),
        cmocka_unit_test(test_planted_spike),
    };
    if (argc > 1 && strcmp(argv[1], "spike") == 0)
        return hold_for_a_moment();
    is_thorough = getenv("RIPOSTE_THOROUGH") != NULL;
    return cmocka_run_group_tests_name("memory law", tests, set_up, tear_down);
}
