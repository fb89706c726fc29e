/* test_build.c: building from files by the public door: what is left out and told, any number of
 * threads, being stopped, and what stays on disk when nothing came of it. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "riposte/riposte.h"
#include "tempdir.h"
#include "unit/files.h"

static tempdir dir;
static char input[2100], ix[2100];

/* A JSONL file of n documents; every `bad`-th line is malformed, every `again`-th has the id of the
 * line before, every `wide`-th is long. */
static void write_lines(size_t n, size_t bad, size_t again, size_t wide)
{
    FILE *f = fopen(input, "w");
    assert_non_null(f);
    for (size_t i = 1; i <= n; i++) {
        if (bad && i % bad == 0)
            fprintf(f, "{\"id\": \"x%zu\", \"text\": }\n", i);
        else
            fprintf(f,
                    "{\"id\": \"d%zu\", \"title\": \"t%zu\", \"text\": \"common word%zu %*s\"}\n",
                    again && i % again == 0 ? i - 1 : i, i % 17, i % 1000,
                    wide && i % wide == 0 ? 400 : 1, "z");
    }
    assert_int_equal(fclose(f), 0);
}

static rp_status build(const rp_build_options *o, rp_build_stats *stats, rp_error *err)
{
    const char *path = input;
    return rp_index_build(&path, 1, ix, o, stats, err);
}

static void must_build(const rp_build_options *o, rp_build_stats *stats)
{
    rp_error err;
    if (build(o, stats, &err) != RP_OK)
        fail_msg("%s", err.text);
}

static uint64_t docs_there(void)
{
    rp_index *index;
    rp_index_info info;
    rp_error err;
    rp_index_options o = {.verify = true};
    if (rp_index_open(ix, &o, &index, &err) != RP_OK)
        fail_msg("%s", err.text);
    rp_index_get_info(index, &info);
    rp_index_close(index);
    return info.docs;
}

static int remove_index(void **state)
{
    (void)state;
    tempdir t = {0};
    snprintf(t.path, sizeof t.path, "%.200s/ix", dir.path);
    tempdir_remove(&t);
    return 0;
}

static void test_stats(void **state)
{
    (void)state;
    rp_build_stats stats;
    size_t n;
    write_lines(3000, 0, 0, 0);
    free(files_read(input, &n));
    must_build(NULL, &stats);
    assert_int_equal(stats.docs, 3000);
    assert_int_equal(stats.skipped, 0);
    assert_int_equal(stats.tokens, 4 * 3000);
    assert_int_equal(stats.terms, 17 + 1000 + 2);
    assert_int_equal(stats.bytes_in, n);
    assert_int_equal(stats.runs, 0);
    assert_true(stats.memory_peak > 1 << 20 && stats.memory_peak < 1 << 30);
    assert_true(stats.seconds > 0);
    rp_index *index;
    rp_index_info info;
    assert_int_equal(rp_index_open(ix, NULL, &index, NULL), RP_OK);
    rp_index_get_info(index, &info);
    assert_int_equal(info.bytes_total, stats.bytes_out);
    assert_int_equal(info.docs, 3000);
    rp_index_close(index);
    must_build(NULL, NULL); /* nobody need listen */
}

/* Any number of threads gives the same index, byte for byte. */
static void test_threads(void **state)
{
    (void)state;
    char one[2100];
    snprintf(one, sizeof one, "%s/one", dir.path);
    write_lines(9000, 0, 0, 0);
    const char *path = input;
    assert_int_equal(rp_index_build(&path, 1, one, NULL, NULL, NULL), RP_OK);
    for (uint32_t threads = 2; threads <= 5; threads++) {
        rp_build_options o = {.threads = threads};
        must_build(&o, NULL);
        files_expect_equal_folders(one, ix);
        remove_index(NULL);
    }
}

/* ---- Documents that are left out -------------------------------------------------------------- */

typedef struct skips {
    _Atomic int inside;
    bool overlap;
    size_t n, bad, again, wide;
    uint64_t line_sum;
} skips;

static void on_skip(void *arg, const char *where, const char *what)
{
    skips *s = arg;
    s->overlap |= atomic_fetch_add(&s->inside, 1) != 0;
    usleep(20);
    assert_non_null(strstr(where, "input.jsonl:"));
    s->line_sum += strtoull(strrchr(where, ':') + 1, NULL, 10);
    s->bad += strstr(what, "a value") != NULL;
    s->again += strstr(what, "was seen before") != NULL;
    s->wide += strstr(what, "--max-line") != NULL;
    s->n++;
    atomic_fetch_sub(&s->inside, 1);
}

static void test_stop_at_the_first(void **state)
{
    (void)state;
    rp_error err;
    rp_build_stats stats;
    write_lines(2500, 2222, 0, 0);
    assert_int_equal(build(NULL, &stats, &err), RP_INPUT);
    assert_non_null(strstr(err.text, "input.jsonl:2222:"));
    assert_non_null(strstr(err.text, "--on-error=skip"));
    assert_false(files_exist(ix));
    write_lines(2500, 0, 1500, 0);
    for (uint32_t threads = 1; threads < 4; threads++) {
        rp_build_options o = {.threads = threads};
        assert_int_equal(build(&o, NULL, &err), RP_INPUT);
        assert_non_null(strstr(err.text, "input.jsonl:1500:1: id \"d1499\" was seen before"));
        assert_false(files_exist(ix));
    }
}

/* One call at a time, each document once, whoever finds the fault. */
static void test_skip(void **state)
{
    (void)state;
    write_lines(8000, 5, 7, 11);
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        skips s = {0};
        rp_build_stats stats;
        rp_build_options o = {.threads = threads,
                              .on_error = RP_ON_ERROR_SKIP,
                              .max_line = 300,
                              .on_skip = on_skip,
                              .skip_arg = &s};
        size_t want = 0, wide = 0, again = 0;
        uint64_t lines = 0;
        for (size_t i = 1; i <= 8000; i++) {
            bool is_bad = i % 5 == 0, is_wide = !is_bad && i % 11 == 0;
            bool before = (i - 1) % 5 != 0 && (i - 1) % 11 != 0 && (i - 1) % 7 != 0;
            bool is_again = !is_bad && !is_wide && i % 7 == 0 && before;
            wide += is_wide;
            again += is_again;
            want += is_bad || is_wide || is_again;
            lines += is_bad || is_wide || is_again ? i : 0;
        }
        must_build(&o, &stats);
        assert_int_equal(stats.docs + stats.skipped, 8000);
        assert_int_equal(stats.skipped, want);
        assert_int_equal(s.n, want);
        assert_int_equal(s.bad, 1600);
        assert_int_equal(s.wide, wide);
        assert_int_equal(s.again, again);
        assert_int_equal(s.line_sum, lines);
        assert_false(s.overlap);
        assert_int_equal(docs_there(), stats.docs);
        assert_int_equal(rp_index_check(ix, NULL, NULL, NULL), RP_OK);
    }
}

/* ---- Progress, and being stopped --------------------------------------------------------------- */

typedef struct watch {
    pthread_t caller;
    const char *stop_in; /* phase; NULL: never */
    uint64_t stop_after; /* reports of reading; 0: never */
    size_t reading, merging;
    uint64_t docs, bytes;
} watch;

static bool on_progress(void *arg, const rp_progress *p)
{
    watch *w = arg;
    assert_true(pthread_equal(pthread_self(), w->caller));
    assert_true(p->docs >= w->docs && p->bytes >= w->bytes);
    assert_true(p->bytes_total >= p->bytes);
    assert_true(p->memory > 0);
    w->docs = p->docs;
    w->bytes = p->bytes;
    w->reading += strcmp(p->phase, "reading") == 0;
    w->merging += strcmp(p->phase, "merging") == 0;
    if (w->stop_after && w->reading >= w->stop_after)
        return false;
    return !w->stop_in || strcmp(p->phase, w->stop_in) != 0;
}

static void test_progress(void **state)
{
    (void)state;
    write_lines(9000, 0, 0, 0);
    for (uint32_t threads = 1; threads < 4; threads++) {
        watch w = {.caller = pthread_self()};
        rp_build_options o = {.threads = threads, .on_progress = on_progress, .progress_arg = &w};
        must_build(&o, NULL);
        assert_true(w.merging > 0);
        assert_true(threads > 1 || w.reading >= 8); /* a batch is 1,024 documents */
        assert_int_equal(w.docs, 9000);
    }
}

static void test_interrupted(void **state)
{
    (void)state;
    static const char *const phases[] = {"reading", "merging"};
    for (int has_old = 0; has_old < 2; has_old++) {
        if (has_old) {
            write_lines(100, 0, 0, 0);
            must_build(NULL, NULL);
        }
        write_lines(30000, 0, 0, 0);
        for (size_t i = 0; i < 2; i++)
            for (uint32_t threads = 1; threads < 4; threads += 2) {
                watch w = {.caller = pthread_self(), .stop_in = phases[i]};
                rp_error err;
                rp_build_options o = {.threads = threads,
                                      .memory = 64 << 20,
                                      .on_progress = on_progress,
                                      .progress_arg = &w};
                assert_int_equal(build(&o, NULL, &err), RP_INTERRUPTED);
                assert_non_null(strstr(err.text, "interrupted"));
                assert_int_equal(files_count(ix), has_old ? 6 : -1); /* no debris */
                if (has_old)
                    assert_int_equal(docs_there(), 100);
            }
    }
}

/* Whichever thread waits for input that does not come, the caller's is asked whether to go on. */
static void test_interrupted_wait(void **state)
{
    (void)state;
    char fifo[sizeof input + 8];
    snprintf(fifo, sizeof fifo, "%s.fifo", input);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    int fd = open(fifo, O_RDWR);
    assert_int_equal(write(fd, "{\"id\":\"1\",", 10), 10);
    alarm(60);
    for (uint32_t threads = 1; threads < 5; threads++)
        for (int asked = 0; asked < 3; asked++) {
            const char *path = fifo;
            watch w = {.caller = pthread_self(), .stop_after = (uint64_t)asked + 1};
            rp_error err;
            rp_build_options o = {
                .threads = threads, .on_progress = on_progress, .progress_arg = &w};
            assert_int_equal(rp_index_build(&path, 1, ix, &o, NULL, &err), RP_INTERRUPTED);
            assert_int_equal(files_count(ix), -1);
        }
    alarm(0);
    close(fd);
    unlink(fifo);
}

/* ---- Other ends -------------------------------------------------------------------------------- */

static void test_bad_arguments(void **state)
{
    (void)state;
    rp_error err;
    rp_build_options codec = {.codec = "zip"}, memory = {.memory = 1}, format = {.format = "pdf"};
    write_lines(3, 0, 0, 0);
    assert_int_equal(build(&codec, NULL, &err), RP_USAGE);
    assert_int_equal(build(&memory, NULL, &err), RP_NO_MEMORY);
    assert_int_equal(build(&format, NULL, &err), RP_USAGE);
    assert_non_null(strstr(err.text, "jsonl"));
    const char *nowhere = "/no/such/file.jsonl";
    assert_int_not_equal(rp_index_build(&nowhere, 1, ix, NULL, NULL, &err), RP_OK);
    assert_non_null(strstr(err.text, nowhere));
    assert_false(files_exist(ix));
    const char *path = input;
    assert_int_equal(rp_index_build(&path, 1, "/no/such/folder/ix", NULL, NULL, &err), RP_IO);
    assert_int_equal(rp_index_build(&path, 1, "", NULL, NULL, &err), RP_USAGE);
    assert_int_equal(rp_index_build(&path, 1, input, NULL, NULL, &err), RP_IO); /* a file */
}

static void test_few_documents(void **state)
{
    (void)state;
    rp_build_stats stats;
    for (size_t n = 0; n < 3; n++) {
        rp_build_options o = {.threads = 4, .format = "jsonl"};
        write_lines(n, 0, 0, 0);
        must_build(&o, &stats);
        assert_int_equal(stats.docs, n);
        assert_int_equal(docs_there(), n);
        assert_int_equal(rp_index_check(ix, NULL, NULL, NULL), RP_OK);
    }
}

/* A budget that holds only a part of the collection: runs are spilled, peak memory stays within. */
static void test_memory(void **state)
{
    (void)state;
    rp_build_stats stats;
    FILE *f = fopen(input, "w");
    assert_non_null(f);
    for (unsigned i = 0; i < 12000; i++) {
        fprintf(f, "{\"id\": \"%u\", \"text\": \"", i);
        for (unsigned j = 0; j < 30; j++)
            fprintf(f, "%x ", i * 2654435761U + j * 40503U * (i % 97));
        fprintf(f, "\"}\n");
    }
    assert_int_equal(fclose(f), 0);
    for (uint32_t threads = 1; threads < 3; threads++) {
        rp_build_options o = {.threads = threads, .memory = (uint64_t)threads * (20 << 20)};
        must_build(&o, &stats);
        assert_true(stats.runs > 0);
        assert_true(stats.memory_peak <= o.memory);
        assert_int_equal(files_count(ix), 6);
        assert_int_equal(docs_there(), 12000);
    }
}

static int make(void **state)
{
    (void)state;
    if (tempdir_make(&dir) != 0)
        return -1;
    snprintf(input, sizeof input, "%s/input.jsonl", dir.path);
    snprintf(ix, sizeof ix, "%s/ix", dir.path);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    tempdir_remove(&dir);
    return 0;
}

/* ---- Ids and notes --------------------------------------------------------------------------- */

typedef struct notes {
    size_t n;
    char what[8][400];
} notes;

static void take_note(void *arg, const char *what)
{
    notes *t = arg;
    assert_true(t->n < 8);
    snprintf(t->what[t->n++], sizeof t->what[0], "%s", what);
}

/* The ids of the index, parted by blanks. */
static const char *ids_there(void)
{
    static char all[8192];
    rp_index *index;
    rp_error err;
    rp_document doc;
    size_t n = 0;
    all[0] = 0;
    assert_int_equal(rp_index_open(ix, NULL, &index, &err), RP_OK);
    for (uint32_t d = 0; n < 8000 && rp_index_get_document(index, d, &doc, &err) == RP_OK; d++) {
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", d ? " " : "", doc.id);
        rp_document_free(&doc);
    }
    rp_index_close(index);
    return all;
}

static void build_text(const char *text, const rp_build_options *o)
{
    FILE *f = fopen(input, "w");
    fputs(text, f);
    fclose(f);
    must_build(o, NULL);
}

static void test_ids(void **state)
{
    (void)state;
    static const char text[] = "{\"text\":\"a\"}\n{\"id\":\"x\",\"text\":\"b\"}\n{bad\n"
                               "{\"text\":\"c\"}\n";
    rp_build_options o = {.on_error = RP_ON_ERROR_SKIP};
    build_text(text, &o);
    assert_string_equal(ids_there(), "1 x 3"); /* a number is that of the document */
    o.ids = "number";
    build_text(text, &o);
    assert_string_equal(ids_there(), "1 2 3");
    o.ids = "path";
    build_text(text, &o);
    char want[8192];
    snprintf(want, sizeof want, "%s#1 %s#2 %s#4", input, input, input); /* a record of the file */
    assert_string_equal(ids_there(), want);
    o.ids = "field";
    build_text(text, &o);
    assert_string_equal(ids_there(), "x");
    rp_error err;
    o.ids = "no";
    assert_int_equal(build(&o, NULL, &err), RP_USAGE);
}

/* Numbers and ids of a folder are the same for any number of threads. */
static void test_ids_of_threads(void **state)
{
    (void)state;
    FILE *f = fopen(input, "w");
    for (int i = 0; i < 5000; i++)
        fprintf(f, i % 3 ? "{\"text\":\"%d\"}\n" : "{\"id\":\"n%d\",\"text\":\"x\"}\n", i);
    fclose(f);
    must_build(&(rp_build_options){.threads = 1}, NULL);
    char *one = strdup(ids_there());
    must_build(&(rp_build_options){.threads = 4, .memory = 128 << 20}, NULL);
    assert_string_equal(ids_there(), one);
    free(one);
}

static void test_notes(void **state)
{
    (void)state;
    notes t = {0};
    rp_build_stats stats;
    rp_build_options o = {.on_note = take_note, .note_arg = &t, .threads = 2};
    build_text("{\"id\":1,\"text\":\"a\",\"year\":1}\n{\"id\":2,\"body\":\"b\",\"by\":[]}\n", &o);
    assert_int_equal(t.n, 1);
    assert_string_equal(t.what[0], "fields that are not indexed: \"by\", \"year\"; --text-field "
                                   "names the one to index");
    t.n = 0;
    char other[2100], list[2200];
    snprintf(other, sizeof other, "%.2000s.pdf", input);
    snprintf(list, sizeof list, "%s.skipped", ix);
    FILE *f = fopen(other, "w");
    fputs("%PDF-1.4", f);
    fclose(f);
    const char *const paths[] = {other, input};
    assert_int_equal(rp_index_build(paths, 2, ix, &o, &stats, NULL), RP_OK);
    assert_int_equal(stats.files, 1);
    assert_int_equal(stats.files_skipped, 1);
    assert_int_equal(t.n, 3);
    assert_non_null(strstr(t.what[0], "PDF, which is not text"));
    assert_non_null(strstr(t.what[1], ".skipped lists what was skipped"));
    assert_int_equal(access(list, R_OK), 0);
    /* a named file that is no text and nothing else: the index stays */
    rp_error err;
    assert_int_equal(rp_index_build(paths, 1, ix, &o, &stats, &err), RP_INPUT);
    assert_non_null(strstr(err.text, "PDF, which is not text; there is nothing else to index"));
    assert_int_equal(docs_there(), 2);
    remove(other);
    t.n = 0;
    build_text("{\"id\":1,\"text\":\"a\"}\n", &o);
    assert_int_equal(t.n, 0);
    assert_int_not_equal(access(list, R_OK), 0); /* the list of the build before is gone */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_stats, remove_index),
        cmocka_unit_test_teardown(test_threads, remove_index),
        cmocka_unit_test_teardown(test_stop_at_the_first, remove_index),
        cmocka_unit_test_teardown(test_skip, remove_index),
        cmocka_unit_test_teardown(test_progress, remove_index),
        cmocka_unit_test_teardown(test_interrupted, remove_index),
        cmocka_unit_test_teardown(test_interrupted_wait, remove_index),
        cmocka_unit_test_teardown(test_bad_arguments, remove_index),
        cmocka_unit_test_teardown(test_few_documents, remove_index),
        cmocka_unit_test_teardown(test_memory, remove_index),
        cmocka_unit_test_teardown(test_ids, remove_index),
        cmocka_unit_test_teardown(test_ids_of_threads, remove_index),
        cmocka_unit_test_teardown(test_notes, remove_index),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
