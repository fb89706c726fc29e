/* test_memory.c: no memory, at every allocation: an error that says so, the old index as it was, no
 * debris, no leak.
 *
 * Through base's table inside this process (once, and sticky: all after it too), and for the libraries'
 * own allocations by a malloc that is loaded before the program `riposte`. That the harness does fail
 * allocations is asserted for every operation: at least one n must have given RP_NO_MEMORY. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/json.h"
#include "fault/sample.h"
#include "riposte/synth.h"
#include "store/store.h"
#include "tempdir.h"

enum { DOCS = 3, MANY_DOCS = 200, MOST_ALLOCATIONS = 100000 };

typedef struct fixture {
    tempdir dir;
    char small[600], many[600], index[600], target[600];
    rp_index *open;
    rp_document document;
    /* What the operation at hand does. */
    rp_build_options build;
    const sample_query *query;
    bool has_old;
} fixture;

typedef rp_status operation(fixture *f, rp_error *err);

static int sync_nothing(int fd)
{
    (void)fd;
    return 0;
}

static void build_index(const char *collection, const char *dir, const rp_build_options *options)
{
    rp_error err = {0};
    const char *paths[] = {collection};
    if (rp_index_build(paths, 1, dir, options, NULL, &err) != RP_OK)
        fail_msg("%s", err.text);
}

static int set_up(void **state)
{
    static rp__store_ops ops; /* durability is another test's */
    fixture *f = calloc(1, sizeof *f);
    rp_error err = {0};
    ops = rp__store_system;
    ops.fsync = sync_nothing;
    rp__store_set_ops(&ops);
    assert_int_equal(tempdir_make(&f->dir), 0);
    snprintf(f->small, sizeof f->small, "%s/small.jsonl", f->dir.path);
    snprintf(f->many, sizeof f->many, "%s/many.jsonl", f->dir.path);
    snprintf(f->index, sizeof f->index, "%s/index", f->dir.path);
    snprintf(f->target, sizeof f->target, "%s/target", f->dir.path);
    sample_write(f->small, DOCS, 3);
    sample_write(f->many, MANY_DOCS, 4);
    build_index(f->many, f->index, NULL);
    if (rp_index_open(f->index, NULL, &f->open, &err) != RP_OK ||
        rp_index_get_document(f->open, 7, &f->document, &err) != RP_OK)
        fail_msg("%s", err.text);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    rp_document_free(&f->document);
    rp_index_close(f->open);
    tempdir_remove(&f->dir);
    rp__store_set_ops(NULL);
    free(f);
    return 0;
}

/* ---- The loop -------------------------------------------------------------------------------- */

typedef struct outcome {
    uint64_t runs, failures, faults;
    char why[300]; /* of the first fault */
} outcome;

/* What is wrong with a run that ended so, or NULL. */
static const char *find_fault(rp_status status, const rp_error *err, uint64_t before)
{
    if (rp__alloc_in_use() != before)
        return "memory is lost";
    if (status != RP_OK && status != RP_NO_MEMORY)
        return "not RP_NO_MEMORY";
    if (status == RP_NO_MEMORY && (!err->text[0] || err->code != status))
        return "no message";
    return NULL;
}

/* One run with the n-th allocation failing; false: it has not so many. */
static bool run_failing(fixture *f, operation *run, uint64_t n, bool sticky, outcome *o)
{
    rp_error err = {0};
    uint64_t before = rp__alloc_in_use(), count = rp__alloc_count();
    rp__alloc_fail_at(n, sticky);
    rp_status status = run(f, &err);
    rp__alloc_fail_at(0, false);
    count = rp__alloc_count() - count;
    o->runs++;
    o->failures += status == RP_NO_MEMORY;
    const char *fault = find_fault(status, &err, before);
    if (fault && o->faults++ == 0)
        snprintf(o->why, sizeof o->why, "allocation %llu: %s: %s: %.200s", (unsigned long long)n,
                 fault, rp_status_name(status), err.text);
    return count >= n;
}

/* Every allocation of the operation; `after` looks at what is left, where given. */
static void exhaust(fixture *f, const char *name, operation *run, void (*after)(fixture *f))
{
    outcome o = {0};
    for (int sticky = 0; sticky < 2; sticky++)
        for (uint64_t n = 1; run_failing(f, run, n, sticky, &o); n++) {
            if (o.faults)
                fail_msg("%s: %s", name, o.why);
            if (after)
                after(f);
            assert_true(n < MOST_ALLOCATIONS);
        }
    print_message("%-28s %5llu runs, %5llu without memory\n", name, (unsigned long long)o.runs,
                  (unsigned long long)o.failures);
    assert_true(o.failures > 0);
}

/* ---- Building -------------------------------------------------------------------------------- */

static uint64_t old_checksum;

static void begin_target(fixture *f, bool has_old)
{
    tempdir old;
    f->has_old = has_old;
    snprintf(old.path, sizeof old.path, "%.200s/target", f->dir.path);
    tempdir_remove(&old);
    if (has_old)
        build_index(f->small, f->target, NULL);
    old_checksum = sample_folder_checksum(f->target);
}

/* A build that came through though an allocation failed has replaced the old index; that is no fault. */
static rp_status finish_build(fixture *f, rp_status status)
{
    uint64_t now = sample_folder_checksum(f->target);
    if (status == RP_OK) {
        assert_int_equal(sample_folder_count(f->target),
                         6 - (f->build.no_positions + f->build.no_store));
        old_checksum = now;
        f->has_old = true;
        return status;
    }
    if (now != old_checksum)
        fail_msg("the folder is not as it was");
    assert_int_equal(access(f->target, F_OK), f->has_old ? 0 : -1);
    return status;
}

static rp_status build_from_files(fixture *f, rp_error *err)
{
    const char *paths[] = {f->small};
    return finish_build(f, rp_index_build(paths, 1, f->target, &f->build, NULL, err));
}

static rp_status build_from_memory(fixture *f, rp_error *err)
{
    rp_builder *b = NULL;
    rp_status status = rp_builder_new(f->target, &f->build, &b, err);
    for (int i = 0; i < DOCS && status == RP_OK; i++) {
        char id[2] = {(char)('a' + i), 0};
        status =
            rp_builder_add(b, id, 1, "a title", 7, "some words of text, wing and wing", 33, err);
    }
    if (status == RP_OK)
        status = rp_builder_finish(b, NULL, err);
    rp_builder_free(b);
    return finish_build(f, status);
}

static rp_status recode(fixture *f, rp_error *err)
{
    rp_recode_options o = {
        .codec = f->build.codec, .aux = f->build.aux, .threads = f->build.threads};
    return finish_build(f, rp_index_recode(f->index, f->target, &o, NULL, err));
}

/* By the order that stands in for a stemmer. */
static rp_status reorder(fixture *f, rp_error *err)
{
    rp_reorder_options o = {.by = f->build.stem, .threads = f->build.threads};
    return finish_build(f, rp_index_reorder(f->index, f->target, &o, NULL, err));
}

/* What other programs would have written; the file or files of a format begin with its name. */
static const char *theirs(fixture *f, const char *format)
{
    static char path[400];
    snprintf(path, sizeof path, "%s/theirs-%s", f->dir.path, format);
    return path;
}

static rp_status import_ciff(fixture *f, rp_error *err)
{
    rp_import_options o = {.aux = f->build.aux};
    const char *path = theirs(f, "ciff");
    return finish_build(f, rp_index_import("ciff", path, f->target, &o, NULL, err));
}

static rp_status import_pisa(fixture *f, rp_error *err)
{
    const char *path = theirs(f, "pisa");
    return finish_build(f, rp_index_import("pisa", path, f->target, NULL, NULL, err));
}

static rp_status export_ciff(fixture *f, rp_error *err)
{
    return rp_index_export("ciff", f->index, theirs(f, "ciff"), NULL, err);
}

static rp_status export_pisa(fixture *f, rp_error *err)
{
    return rp_index_export("pisa", f->index, theirs(f, "pisa"), NULL, err);
}

static rp_status synth(fixture *f, rp_error *err)
{
    rp_synth_options o = {.docs = 2000,
                          .queries = 30,
                          .codec = f->build.codec,
                          .aux = f->build.aux,
                          .threads = f->build.threads};
    return finish_build(f, rp_synth("gov", f->target, &o, NULL, err));
}

static void expect_sound(fixture *f)
{
    rp_error err = {0};
    if (f->has_old && rp_index_check(f->target, NULL, NULL, &err) != RP_OK)
        fail_msg("%s", err.text);
}

static const struct build_row {
    const char *name;
    rp_build_options options;
    bool has_old;
    operation *run;
} build_rows[] = {
    {"build, over an old index", {0}, true, build_from_files},
    {"build, new folder", {.stem = "porter", .stop = "lucene"}, false, build_from_files},
    {"build, bare", {.no_positions = true, .no_store = true}, true, build_from_files},
    {"build, vbyte", {.codec = "vbyte", .on_error = RP_ON_ERROR_SKIP}, true, build_from_files},
    {"build, 2 threads", {.threads = 2}, true, build_from_files},
    {"build, aux", {.aux = "lr,hs8,hs64", .no_store = true}, true, build_from_files},
    {"build, 2 threads, bare",
     {.threads = 2, .no_positions = true, .no_store = true},
     false,
     build_from_files},
    {"builder, over an old index", {0}, true, build_from_memory},
    {"builder, new folder", {.stem = "english"}, false, build_from_memory},
    {"recode, over an old index", {.codec = "optpfd"}, true, recode},
    {"recode, new folder, 2 threads", {.codec = "iiu", .aux = "lr", .threads = 2}, false, recode},
    {"import, over an old index",
     {.aux = "lr", .no_positions = true, .no_store = true},
     true,
     import_ciff},
    {"import, new folder", {.no_positions = true, .no_store = true}, false, import_pisa},
    {"reorder, random", {.stem = "random"}, true, reorder},
    {"reorder, url", {.stem = "url"}, false, reorder},
    {"reorder, bp, 2 threads", {.stem = "bp", .threads = 2}, true, reorder},
    {"synth, over an old index", {.no_positions = true, .no_store = true}, true, synth},
    {"synth, new folder, 2 threads",
     {.codec = "iiu", .aux = "lr", .threads = 2, .no_positions = true, .no_store = true},
     false,
     synth},
};

static void test_builds(void **state)
{
    fixture *f = *state;
    exhaust(f, "export, one file", export_ciff, NULL);
    exhaust(f, "export, five files", export_pisa, NULL);
    for (size_t i = 0; i < sizeof build_rows / sizeof *build_rows; i++) {
        f->build = build_rows[i].options;
        begin_target(f, build_rows[i].has_old);
        exhaust(f, build_rows[i].name, build_rows[i].run, expect_sound);
    }
}

/* A build that spills has too many allocations and too much work for all of them: some. */
static void test_spilling_build(void **state)
{
    enum { SPILL_DOCS = 40000, TRIES = 10 };
    fixture *f = *state;
    char big[600];
    const char *paths[] = {big};
    snprintf(big, sizeof big, "%s/big.jsonl", f->dir.path);
    sample_write(big, SPILL_DOCS, 5);
    rp_build_options options = {.memory = 16 << 20, .no_store = true};
    rp_build_stats stats;
    rp_error err = {0};
    begin_target(f, false);
    uint64_t count = rp__alloc_count();
    if (rp_index_build(paths, 1, f->target, &options, &stats, &err) != RP_OK)
        fail_msg("%s", err.text);
    count = rp__alloc_count() - count;
    assert_true(stats.runs > 0);
    begin_target(f, true);
    for (uint64_t i = 1; i <= TRIES; i++) {
        uint64_t n = i == TRIES ? count : count * i / TRIES - count / TRIES / 2;
        uint64_t before = rp__alloc_in_use();
        rp__alloc_fail_at(n, i % 2);
        rp_status status = rp_index_build(paths, 1, f->target, &options, NULL, &err);
        rp__alloc_fail_at(0, false);
        assert_int_equal(rp__alloc_in_use(), before);
        if (status != RP_OK) {
            assert_int_equal(status, RP_NO_MEMORY);
            assert_true(sample_folder_checksum(f->target) == old_checksum);
        } else {
            begin_target(f, true);
        }
    }
    print_message("build that spills: %llu runs on disk, %llu allocations, %d of them failed\n",
                  (unsigned long long)stats.runs, (unsigned long long)count, TRIES);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static rp_status open_index(fixture *f, rp_error *err)
{
    rp_index *index = NULL;
    rp_status status = rp_index_open(f->index, &(rp_index_options){.verify = true}, &index, err);
    if (status == RP_OK)
        rp_index_close(index);
    return status;
}

static rp_status open_stemmed(fixture *f, rp_error *err)
{
    rp_index *index = NULL;
    rp_status status = rp_index_open(f->target, NULL, &index, err);
    if (status == RP_OK)
        rp_index_close(index);
    return status;
}

static rp_status check_index(fixture *f, rp_error *err)
{
    return rp_index_check(f->index, NULL, NULL, err);
}

static rp_status read_document(fixture *f, rp_error *err)
{
    rp_document document;
    rp_status status = rp_index_get_document(f->open, 9, &document, err);
    if (status == RP_OK)
        rp_document_free(&document);
    return status;
}

static rp_status read_term(fixture *f, rp_error *err)
{
    rp_term_info info;
    return rp_index_get_term(f->open, "dihace", &info, err);
}

static rp_status find_id(fixture *f, rp_error *err)
{
    uint32_t docid;
    rp_document document;
    rp_status status = rp_index_get_document(f->open, 9, &document, err);
    if (status == RP_OK)
        status = rp_index_find(f->open, document.id, &docid, err);
    rp_document_free(&document);
    return status;
}

static rp_status suggest(fixture *f, rp_error *err)
{
    rp_suggestions suggestions;
    rp_status status = rp_index_suggest(f->open, "b", 5, &suggestions, err);
    rp_suggestions_free(&suggestions);
    return status;
}

static rp_status read_list(fixture *f, rp_error *err)
{
    rp_list_info info;
    return rp_index_get_list(f->open, "dihace", &info, err);
}

static rp_status read_costs(fixture *f, rp_error *err)
{
    rp_index_costs costs;
    rp_status status = rp_index_get_costs(f->open, 3, &costs, err);
    if (status == RP_OK)
        rp_index_costs_free(&costs);
    return status;
}

static void test_reading(void **state)
{
    fixture *f = *state;
    rp_build_options stemmed = {.stem = "porter", .stop = "lucene"};
    begin_target(f, false);
    build_index(f->small, f->target, &stemmed);
    exhaust(f, "open and verify", open_index, NULL);
    exhaust(f, "open, stemmed", open_stemmed, NULL);
    exhaust(f, "check", check_index, NULL);
    exhaust(f, "document", read_document, NULL);
    exhaust(f, "term", read_term, NULL);
    exhaust(f, "list", read_list, NULL);
    exhaust(f, "find", find_id, NULL);
    exhaust(f, "suggest", suggest, NULL);
    exhaust(f, "costs", read_costs, NULL);
}

/* ---- Searching ------------------------------------------------------------------------------- */

static rp_status make_searcher(fixture *f, rp_searcher **out, rp_error *err)
{
    rp_search_options options = {
        .k = f->query->k, .mode = f->query->mode, .variant = f->query->variant};
    return rp_searcher_new(f->open, &options, out, err);
}

static rp_status search(fixture *f, rp_error *err)
{
    rp_searcher *s = NULL;
    rp_hits hits = {0};
    rp_status status = make_searcher(f, &s, err);
    if (status == RP_OK)
        status = rp_searcher_search(s, f->query->text, strlen(f->query->text), &hits, err);
    rp_hits_free(&hits);
    rp_searcher_free(s);
    return status;
}

/* A searcher that ran out of memory once answers the next query. */
static rp_status search_again(fixture *f, rp_error *err)
{
    rp_searcher *s = NULL;
    rp_hits first = {0}, second = {0};
    rp_status status = make_searcher(f, &s, err);
    if (status == RP_OK) {
        status = rp_searcher_search(s, f->query->text, strlen(f->query->text), &first, err);
        rp__alloc_fail_at(0, false);
        rp_error none = {0};
        if (rp_searcher_search(s, f->query->text, strlen(f->query->text), &second, &none) != RP_OK)
            fail_msg("%s", none.text);
        if (status == RP_OK)
            assert_int_equal(first.n, second.n);
    }
    rp_hits_free(&first);
    rp_hits_free(&second);
    rp_searcher_free(s);
    return status;
}

static rp_status explain(fixture *f, rp_error *err)
{
    rp_searcher *s = NULL;
    rp_explanation e = {0};
    rp_status status = make_searcher(f, &s, err);
    if (status == RP_OK)
        status = rp_searcher_explain(s, f->query->text, strlen(f->query->text), 11, &e, err);
    rp_explanation_free(&e);
    rp_searcher_free(s);
    return status;
}

static rp_status make_snippet(fixture *f, rp_error *err)
{
    rp_searcher *s = NULL;
    rp_snippet snippet = {0};
    rp_status status = make_searcher(f, &s, err);
    if (status == RP_OK)
        status = rp_searcher_snippet(s, f->query->text, strlen(f->query->text), &f->document, 0,
                                     &snippet, err);
    rp_snippet_free(&snippet);
    rp_searcher_free(s);
    return status;
}

static rp_status correct(fixture *f, rp_error *err)
{
    rp_searcher *s = NULL;
    rp_corrections corrections = {0};
    rp_status status = make_searcher(f, &s, err);
    if (status == RP_OK)
        status = rp_searcher_correct(s, "boundry layr", 12, &corrections, err);
    rp_corrections_free(&corrections);
    rp_searcher_free(s);
    return status;
}

static void test_queries(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < sample_query_count(); i++) {
        f->query = &sample_queries[i];
        exhaust(f, f->query->text, search, NULL);
        exhaust(f, "  again", search_again, NULL);
        exhaust(f, "  explain", explain, NULL);
        exhaust(f, "  snippet", make_snippet, NULL);
    }
    exhaust(f, "correct", correct, NULL);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static rp_status read_json(fixture *f, rp_error *err)
{
    static const char text[] =
        "{\"a\\n\":[\"b\\u00e9\\ud83d\\ude00\",1,{\"c\":\"\\\\\"}],\"d\":\"plain\"}";
    rp__json json;
    rp__json_type type = RP_JSON_OBJECT;
    rp_status status = RP_OK;
    (void)f;
    rp__json_init(&json);
    rp__json_start(&json, text, sizeof text - 1, 64);
    while (status == RP_OK && type != RP_JSON_END)
        status = rp__json_next(&json, &type);
    rp__json_free(&json);
    if (status != RP_OK) { /* a parser has no room for a text of its own */
        err->code = status;
        snprintf(err->text, sizeof err->text, "%s", rp_status_text(status));
    }
    return status;
}

static void test_json(void **state)
{
    exhaust(*state, "JSON", read_json, NULL);
}

/* ---- The libraries' allocations ---------------------------------------------------------------- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(RP_COVERAGE)
static void test_program(void **state)
{
    (void)state;
    skip(); /* a sanitizer has a malloc of its own; what counts coverage dies without memory */
}
#else

static char program[4096], preload[4200];

/* The build folder is where this test lies, less tests/fault/test_memory. */
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
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s/tests/fault/preload_malloc.so", self);
    return access(program, X_OK) == 0 && access(preload + strlen("LD_PRELOAD="), R_OK) == 0;
}

/* The exit status of the program, or minus the signal that ended it; `hang` is such a signal too. */
static int run_program(char *const *args, uint64_t fail_at, bool sticky, const char *count_file)
{
    char at[64], stick[32], count[700];
    snprintf(at, sizeof at, "FAIL_AT=%llu", (unsigned long long)fail_at);
    snprintf(stick, sizeof stick, "FAIL_STICKY=%d", sticky);
    snprintf(count, sizeof count, "COUNT_FILE=%s", count_file);
    char *env[] = {preload, at, stick, count, NULL};
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(300);
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
            _exit(98);
        execve(program, args, env);
        _exit(98);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static uint64_t read_count(const char *path)
{
    unsigned long long n = 0;
    FILE *f = fopen(path, "r");
    if (!f || fscanf(f, "%llu", &n) != 1)
        fail_msg("%s: no count", path);
    fclose(f);
    return n;
}

/* Exit codes: 0 done, 7 no memory, 4 what the C library says of a failed call that needed memory. */
static void exhaust_program(fixture *f, const char *name, char *const *args)
{
    char count_file[600];
    size_t by_code[8] = {0};
    snprintf(count_file, sizeof count_file, "%s/count", f->dir.path);
    assert_int_equal(run_program(args, 0, false, count_file), 0);
    uint64_t count = read_count(count_file);
    for (int sticky = 0; sticky < 2; sticky++)
        for (uint64_t n = 1; n <= count; n++) {
            int code = run_program(args, n, sticky, count_file);
            if (code != 0 && code != 7 && code != 4)
                fail_msg("%s: allocation %llu of %llu, %s: %s %d", name, (unsigned long long)n,
                         (unsigned long long)count, sticky ? "sticky" : "once",
                         code < 0 ? "signal" : "exit", abs(code));
            by_code[code]++;
        }
    print_message("program, %s: %llu allocations: %zu done, %zu without memory, %zu I/O errors\n",
                  name, (unsigned long long)count, by_code[0], by_code[7], by_code[4]);
    assert_true(by_code[7] > 0);
}

static void test_program(void **state)
{
    fixture *f = *state;
    if (!find_program())
        skip();
    begin_target(f, true);
    char *index[] = {"riposte", "index", "-q", "--stem", "porter", f->small, "-o", f->target, NULL};
    char *search[] = {"riposte", "search", f->target, "+boundary \"layer flow\"~2 ba*", NULL};
    char *json[] = {"riposte", "search", "--json", "--explain", f->target, "boundary", NULL};
    char *wild[] = {"riposte", "search",  "--json",         "--fields",
                    "id,text", f->target, "b?un*y floww~2", NULL};
    char *suggest_one[] = {"riposte", "suggest", f->target, "b", NULL};
    char *get[] = {"riposte", "get", "--json", f->target, "doc-3-1", NULL};
    char *check[] = {"riposte", "check", f->target, NULL};
    exhaust_program(f, "index", index);
    expect_sound(f);
    exhaust_program(f, "search", search);
    exhaust_program(f, "search --json --explain", json);
    exhaust_program(f, "search for patterns", wild);
    exhaust_program(f, "suggest", suggest_one);
    exhaust_program(f, "get", get);
    exhaust_program(f, "check", check);
}
#endif

/* ---- The tests' own test --------------------------------------------------------------------------- */

static void *lost;

/* Takes memory twice; what it does where the second is not to be had, the three below differ in. */
static rp_status take_twice(rp_status otherwise, bool frees, bool says, rp_error *err)
{
    void *a = rp__alloc(100), *b = a ? rp__alloc(100) : NULL;
    bool is_done = a && b;
    if (!is_done && says)
        *err = (rp_error){.code = otherwise, .text = "no memory"};
    rp__free(b);
    if (is_done || frees)
        rp__free(a);
    else
        lost = a;
    return is_done ? RP_OK : otherwise;
}

static rp_status plant_none(fixture *f, rp_error *err)
{
    (void)f;
    return take_twice(RP_NO_MEMORY, true, true, err);
}

static rp_status plant_leak(fixture *f, rp_error *err)
{
    (void)f;
    return take_twice(RP_NO_MEMORY, false, true, err);
}

static rp_status plant_wrong_status(fixture *f, rp_error *err)
{
    (void)f;
    return take_twice(RP_DAMAGED, true, true, err);
}

static rp_status plant_silence(fixture *f, rp_error *err)
{
    (void)f;
    return take_twice(RP_NO_MEMORY, true, false, err);
}

static void planted_faults_are_caught(void **state)
{
    static const struct {
        operation *run;
        const char *why;
    } rows[] = {
        {plant_none, NULL},
        {plant_leak, "memory is lost"},
        {plant_wrong_status, "not RP_NO_MEMORY"},
        {plant_silence, "no message"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        outcome o = {0};
        assert_true(run_failing(*state, rows[i].run, 2, false, &o));
        assert_int_equal(o.faults, rows[i].why != NULL);
        if (rows[i].why)
            assert_non_null(strstr(o.why, rows[i].why));
        rp__free(lost);
        lost = NULL;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builds),
        cmocka_unit_test(test_spilling_build),
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_program),
        cmocka_unit_test(planted_faults_are_caught),
    };
    if (access("/dev/shm", W_OK) == 0) /* the program syncs, hundreds of times */
        setenv("TMPDIR", "/dev/shm", 0);
    return cmocka_run_group_tests_name("memory", tests, set_up, tear_down);
}
