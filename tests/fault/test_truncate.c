/* test_truncate.c: files cut, removed or replaced under an index that is open.
 *
 * A search gives the right answer or RP_DAMAGED with a message, whatever length a file is cut to and
 * whenever that happens; the handle can be closed; readers of a replaced index keep the old answers.
 * Each scenario runs in a child: a death by SIGBUS is then seen as such, and the handlers that cmocka
 * puts around its tests stay out of the way. Planted fault: a read of the cut mapping outside the guard,
 * which must end its child by SIGBUS. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "fault/memory_files.h"
#include "fault/sample.h"
#include "tempdir.h"

enum { DOCS = 500, HANG_SECONDS = 120 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { CUTS_WHILE_SEARCHING = 40, BUILDS = 6 };
#else
enum { CUTS_WHILE_SEARCHING = 150, BUILDS = 25 };
#endif

/* In a child: cmocka's assertions belong to the parent. */
static void must(bool is_so, const char *what, const char *detail)
{
    if (is_so)
        return;
    fprintf(stderr, "%s: %s\n", what, detail);
    fflush(NULL);
    _exit(1);
}

/* Exit code, or minus the signal. */
static int run_child(void (*scenario)(tempdir *dir))
{
    tempdir dir;
    assert_int_equal(tempdir_make(&dir), 0);
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        signal(SIGBUS, SIG_DFL);
        alarm(HANG_SECONDS);
        scenario(&dir);
        exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    tempdir_remove(&dir);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- An index on disk ------------------------------------------------------------------------ */

typedef struct world {
    char collection[600], index[600];
    reseal_files sound;
    sample_answer answers[SAMPLE_ANSWERS];
} world;

static rp_index *open_index(const char *dir)
{
    rp_index *index = NULL;
    rp_error err = {0};
    must(rp_index_open(dir, NULL, &index, &err) == RP_OK, "open", err.text);
    return index;
}

static void build(const world *w, uint64_t seed)
{
    rp_error err = {0};
    const char *paths[] = {w->collection};
    sample_write(w->collection, DOCS, seed);
    must(rp_index_build(paths, 1, w->index, NULL, NULL, &err) == RP_OK, "build", err.text);
}

static world *make_world(tempdir *dir)
{
    world *w = calloc(1, sizeof *w);
    must(w != NULL, "world", "no memory");
    snprintf(w->collection, sizeof w->collection, "%s/c.jsonl", dir->path);
    snprintf(w->index, sizeof w->index, "%s/index", dir->path);
    build(w, 1);
    rp_index *index = open_index(w->index);
    sample_ask(index, DOCS, w->answers);
    rp_index_close(index);
    must(memory_files_load(w->index, 1, &w->sound), "load", w->index);
    return w;
}

static void free_world(world *w)
{
    memory_files_free(&w->sound);
    free(w);
}

static const char *file_path(const world *w, int kind, uint64_t generation)
{
    static char path[800];
    char name[RP_FILE_NAME_MAX] = RP_MANIFEST_NAME;
    if (kind != RP_FILE_MANIFEST)
        rp__manifest_file_name((rp__file_kind)kind, generation, name);
    snprintf(path, sizeof path, "%s/%s", w->index, name);
    return path;
}

/* The file with its old bytes again; in place, so that its mapping has them too. */
static void restore(const world *w, int kind)
{
    int fd = open(file_path(w, kind, 1), O_WRONLY | O_CREAT, 0666);
    size_t n = w->sound.bytes[kind];
    must(fd >= 0 && write(fd, w->sound.at[kind], n) == (ssize_t)n, "restore",
         file_path(w, kind, 1));
    close(fd);
}

/* Right or refused as damaged; how many were refused. */
static size_t expect_right_or_damaged(const world *w, const sample_answer *answers,
                                      const char *what)
{
    size_t refused = 0;
    for (size_t i = 0; i < SAMPLE_ANSWERS; i++) {
        const sample_answer *a = &answers[i], *sound = &w->answers[i];
        if (a->status == sound->status && a->checksum == sound->checksum)
            continue;
        char detail[400];
        snprintf(detail, sizeof detail, "answer %zu: %s: %.250s", i, rp_status_name(a->status),
                 a->err.text);
        must(a->status == RP_DAMAGED && a->err.text[0], what, detail);
        refused++;
    }
    return refused;
}

/* ---- Cut between searches -------------------------------------------------------------------- */

static size_t cut_lengths(size_t bytes, size_t *out)
{
    const size_t at[] = {0,         1,         64,           100,        4095,         4096,
                         4097,      bytes / 2, bytes - 4096, bytes - 65, bytes - 64,   bytes - 8,
                         bytes - 1, 8192,      bytes / 3,    20000,      bytes * 2 / 3};
    size_t n = 0;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        if (at[i] < bytes)
            out[n++] = at[i];
    return n;
}

static void cut_between_searches(tempdir *dir)
{
    world *w = make_world(dir);
    size_t lengths[32], cuts = 0, refused = 0, harmless = 0;
    sample_answer answers[SAMPLE_ANSWERS];
    for (int kind = 0; kind < RP_FILE_KINDS; kind++) {
        size_t n = cut_lengths(w->sound.bytes[kind], lengths);
        for (size_t i = 0; i < n; i++) {
            char what[100];
            snprintf(what, sizeof what, "kind %d cut to %zu", kind, lengths[i]);
            rp_index *index = open_index(w->index);
            must(truncate(file_path(w, kind, 1), (off_t)lengths[i]) == 0, "truncate", what);
            sample_ask(index, DOCS, answers);
            size_t more = expect_right_or_damaged(w, answers, what);
            rp_index_close(index);
            restore(w, kind);
            cuts++;
            refused += more;
            harmless += more == 0;
        }
    }
    printf("cut between searches: %zu cuts, %zu answers refused, %zu cuts did no harm\n", cuts,
           refused, harmless);
    must(refused > 0, "cut", "no answer was refused");
    free_world(w);
}

static void test_between_searches(void **state)
{
    (void)state;
    assert_int_equal(run_child(cut_between_searches), 0);
}

/* ---- Cut while a search runs ----------------------------------------------------------------- */

typedef struct asker {
    const world *w;
    const rp_index *index;
    atomic_bool stop;
    atomic_size_t rounds;
    size_t refused;
} asker;

static void *keep_asking(void *arg)
{
    asker *a = arg;
    sample_answer answers[SAMPLE_ANSWERS];
    while (!atomic_load(&a->stop)) {
        sample_ask(a->index, DOCS, answers);
        a->refused += expect_right_or_damaged(a->w, answers, "while searching");
        atomic_fetch_add(&a->rounds, 1);
    }
    return NULL;
}

/* A moment that falls anywhere in a search. */
static void wait_a_little(sample_random *r)
{
    uint64_t until = rp__clock_now() + sample_below(r, 3000000);
    while (rp__clock_now() < until)
        ;
}

static void cut_while_searching(tempdir *dir)
{
    world *w = make_world(dir);
    sample_random r = sample_seed(sample_env_seed(1));
    size_t rounds = 0, refused = 0;
    for (size_t i = 0; i < CUTS_WHILE_SEARCHING; i++) {
        int kind = RP_FILE_TERMS + (int)(i % (RP_FILE_KINDS - 1));
        rp_index *index = open_index(w->index);
        asker askers[2] = {{.w = w, .index = index}, {.w = w, .index = index}};
        pthread_t threads[2];
        for (int t = 0; t < 2; t++)
            must(pthread_create(&threads[t], NULL, keep_asking, &askers[t]) == 0, "thread", "");
        while (atomic_load(&askers[0].rounds) == 0)
            ;
        wait_a_little(&r);
        size_t length = sample_below(&r, w->sound.bytes[kind]);
        must(truncate(file_path(w, kind, 1), (off_t)length) == 0, "truncate", "while searching");
        wait_a_little(&r);
        for (int t = 0; t < 2; t++)
            atomic_store(&askers[t].stop, true);
        for (int t = 0; t < 2; t++) {
            pthread_join(threads[t], NULL);
            rounds += atomic_load(&askers[t].rounds);
            refused += askers[t].refused;
        }
        rp_index_close(index);
        restore(w, kind);
    }
    printf("cut while searching: %d cuts, %zu rounds of questions, %zu answers refused\n",
           CUTS_WHILE_SEARCHING, rounds, refused);
    must(refused > 0, "cut", "no answer was refused");
    free_world(w);
}

static void test_while_searching(void **state)
{
    (void)state;
    assert_int_equal(run_child(cut_while_searching), 0);
}

/* ---- Cut while it is opened or checked --------------------------------------------------------- */

static void cut_while_opening(tempdir *dir)
{
    world *w = make_world(dir);
    size_t lengths[32], opened = 0, refused = 0;
    for (int kind = 0; kind < RP_FILE_KINDS; kind++) {
        size_t n = cut_lengths(w->sound.bytes[kind], lengths);
        for (size_t i = 0; i < n; i++) {
            rp_index *index = NULL;
            rp_error err = {0};
            must(truncate(file_path(w, kind, 1), (off_t)lengths[i]) == 0, "truncate", "");
            rp_status status = rp_index_open(w->index, NULL, &index, &err);
            opened += status == RP_OK;
            refused += status == RP_DAMAGED && strstr(err.text, w->index);
            must(status != RP_OK, "open", "a cut file was taken");
            must(rp_index_check(w->index, NULL, NULL, &err) == RP_DAMAGED, "check", err.text);
            restore(w, kind);
        }
    }
    printf("cut before opening: %zu refused, %zu opened\n", refused, opened);
    must(refused > 0 && opened == 0, "open", "a cut file was taken or not named");
    free_world(w);
}

static void test_before_opening(void **state)
{
    (void)state;
    assert_int_equal(run_child(cut_while_opening), 0);
}

/* ---- Removed and replaced ---------------------------------------------------------------------- */

static void remove_under_reader(tempdir *dir)
{
    world *w = make_world(dir);
    sample_answer answers[SAMPLE_ANSWERS];
    for (int kind = 0; kind < RP_FILE_KINDS; kind++) {
        rp_index *index = open_index(w->index), *again = NULL;
        rp_error err = {0};
        must(unlink(file_path(w, kind, 1)) == 0, "unlink", file_path(w, kind, 1));
        sample_ask(index, DOCS, answers);
        sample_verdict v = sample_compare(w->answers, answers);
        must(v.right == SAMPLE_ANSWERS, "removed", "a reader from before has other answers");
        rp_index_close(index);
        must(rp_index_open(w->index, NULL, &again, &err) == RP_DAMAGED && err.text[0], "removed",
             "an index without a file was opened");
        restore(w, kind);
    }
    free_world(w);
}

static void test_removed(void **state)
{
    (void)state;
    assert_int_equal(run_child(remove_under_reader), 0);
}

/* A reader keeps what it opened; one that comes later sees the new index. */
static void replace_under_reader(tempdir *dir)
{
    world *w = make_world(dir);
    sample_answer answers[SAMPLE_ANSWERS], newer[SAMPLE_ANSWERS];
    rp_index *before = open_index(w->index);
    build(w, 2);
    rp_index *after = open_index(w->index);
    sample_ask(before, DOCS, answers);
    sample_ask(after, DOCS, newer);
    must(sample_compare(w->answers, answers).right == SAMPLE_ANSWERS, "replaced",
         "the reader from before has other answers");
    must(sample_compare(w->answers, newer).wrong > SAMPLE_ANSWERS / 2, "replaced",
         "the reader from after has the old answers");
    rp_index_info old_info, new_info;
    rp_index_get_info(before, &old_info);
    rp_index_get_info(after, &new_info);
    must(new_info.generation > old_info.generation, "replaced", "the generation did not rise");
    rp_index_close(before);
    rp_index_close(after);
    must(sample_folder_count(w->index) == RP_FILE_KINDS, "replaced", "old files are still there");
    free_world(w);
}

static void test_replaced(void **state)
{
    (void)state;
    assert_int_equal(run_child(replace_under_reader), 0);
}

/* ---- Generations that follow each other fast ---------------------------------------------------- */

typedef struct opener {
    const world *w;
    const sample_answer *newer;
    atomic_bool stop;
    size_t opened, old, newly;
} opener;

/* Opens again and again: always one of the two indexes, whole. */
static void *keep_opening(void *arg)
{
    opener *o = arg;
    sample_answer answers[SAMPLE_ANSWERS];
    while (!atomic_load(&o->stop)) {
        rp_index *index = open_index(o->w->index);
        sample_ask(index, DOCS, answers);
        bool is_old = sample_compare(o->w->answers, answers).right == SAMPLE_ANSWERS;
        bool is_new = sample_compare(o->newer, answers).right == SAMPLE_ANSWERS;
        must(is_old != is_new, "generations", "an answer is of neither index, or mixed");
        o->opened++;
        o->old += is_old;
        o->newly += is_new;
        rp_index_close(index);
    }
    return NULL;
}

static void swap_generations(tempdir *dir)
{
    world *w = make_world(dir);
    sample_answer newer[SAMPLE_ANSWERS];
    build(w, 2);
    rp_index *second = open_index(w->index);
    sample_ask(second, DOCS, newer);
    rp_index_close(second);
    opener o = {.w = w, .newer = newer};
    pthread_t thread;
    must(pthread_create(&thread, NULL, keep_opening, &o) == 0, "thread", "");
    for (uint64_t i = 0; i < BUILDS; i++)
        build(w, 1 + i % 2);
    atomic_store(&o.stop, true);
    pthread_join(thread, NULL);
    printf("generations: %d builds, opened %zu times: %zu old, %zu new\n", BUILDS, o.opened, o.old,
           o.newly);
    must(o.opened > 0, "generations", "never opened");
    free_world(w);
}

static void test_generations(void **state)
{
    (void)state;
    assert_int_equal(run_child(swap_generations), 0);
}

/* ---- Planted ------------------------------------------------------------------------------------ */

static void read_unguarded(tempdir *dir)
{
    world *w = make_world(dir);
    const char *path = file_path(w, RP_FILE_LISTS, 1);
    int fd = open(path, O_RDONLY);
    const volatile uint8_t *at =
        mmap(NULL, w->sound.bytes[RP_FILE_LISTS], PROT_READ, MAP_SHARED, fd, 0);
    must(fd >= 0 && at != MAP_FAILED && truncate(path, 0) == 0, "planted", path);
    (void)at[0];
}

static void test_planted(void **state)
{
    (void)state;
    int code = run_child(read_unguarded);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    assert_int_not_equal(code, 0); /* a sanitizer may report the signal by an exit */
#else
    assert_int_equal(code, -SIGBUS);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_between_searches), cmocka_unit_test(test_while_searching),
        cmocka_unit_test(test_before_opening),   cmocka_unit_test(test_removed),
        cmocka_unit_test(test_replaced),         cmocka_unit_test(test_generations),
        cmocka_unit_test(test_planted),
    };
    return cmocka_run_group_tests_name("truncate", tests, NULL, NULL);
}
