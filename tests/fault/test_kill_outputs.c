/* test_kill_outputs.c: every verb that writes a file or folder is killed, at calls of store and at random
 * moments: what was there before is there, or what the verb writes, and the next run leaves nothing else.
 *
 * At calls of store the verb runs in a child of this program; at random moments it is the real program, which
 * is RIPOSTE or two folders above this one. KILLS sets the number of random kills of each verb: 20, and
 * 2,000 with RIPOSTE_THOROUGH, which also has kills at every call. */
#include "fault_world.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fault_ops.h"
#include "index/manifest.h"
#include "store/store.h"

enum { PATH = 300, SIDES = 2, ARGS = 8 };

/* ---- The verbs --------------------------------------------------------------------------------- */

static rp_status export_ciff(const char *from, const char *to, rp_error *err)
{
    return rp_index_export("ciff", from, to, NULL, err);
}

static rp_status export_pisa(const char *from, const char *to, rp_error *err)
{
    return rp_index_export("pisa", from, to, NULL, err);
}

static rp_status import_ciff(const char *from, const char *to, rp_error *err)
{
    return rp_index_import("ciff", from, to, NULL, NULL, err);
}

static rp_status recode(const char *from, const char *to, rp_error *err)
{
    return rp_index_recode(from, to, &(rp_recode_options){.codec = "bp128"}, NULL, err);
}

static rp_status reorder(const char *from, const char *to, rp_error *err)
{
    return rp_index_reorder(from, to, &(rp_reorder_options){.by = "random"}, NULL, err);
}

static char topics_path[PATH];

static rp_status answer_topics(const rp_index *index, rp_topics *topics, rp_run *run, rp_error *err)
{
    rp_topic topic;
    bool has = true;
    rp_status status;
    while ((status = rp_topics_next(topics, &topic, &has, err)) == RP_OK && has) {
        rp_hits hits = {0};
        status = rp_search(index, topic.query, 100, &hits, err);
        if (status == RP_OK)
            status = rp_run_add(run, topic.qid, &hits, err);
        rp_hits_free(&hits);
        if (status != RP_OK)
            return status;
    }
    return status == RP_OK ? rp_run_finish(run, err) : status;
}

static rp_status batch(const char *from, const char *to, rp_error *err)
{
    rp_index *index = NULL;
    rp_topics *topics = NULL;
    rp_run *run = NULL;
    rp_status status = rp_index_open(from, NULL, &index, err);
    if (status == RP_OK)
        status = rp_topics_open(topics_path, NULL, &topics, err);
    if (status == RP_OK)
        status = rp_run_new(index, to, NULL, &run, err);
    if (status == RP_OK)
        status = answer_topics(index, topics, run, err);
    rp_run_free(run);
    rp_topics_close(topics);
    rp_index_close(index);
    return status;
}

#define FROM "<"
#define TO   ">"

typedef struct verb {
    const char *name;
    rp_status (*run)(const char *from, const char *to, rp_error *err);
    const char *args[ARGS]; /* of the program */
    bool is_import;         /* from a file, not from an index */
    bool makes_index;
} verb;

static const verb verbs[] = {
    {"export ciff", export_ciff, {"export", "ciff", FROM, "-o", TO}, false, false},
    {"export pisa", export_pisa, {"export", "pisa", FROM, "-o", TO}, false, false},
    {"batch -o", batch, {"batch", FROM, topics_path, "--k", "100", "-o", TO}, false, false},
    {"import", import_ciff, {"import", "ciff", FROM, "-o", TO}, true, true},
    {"recode", recode, {"recode", FROM, "--codec", "bp128", "-o", TO}, false, true},
    {"reorder", reorder, {"reorder", FROM, "--by", "random", "-o", TO}, false, true},
};
enum { VERBS = sizeof verbs / sizeof *verbs };

/* ---- The world --------------------------------------------------------------------------------- */

/* Side 0 is the small old collection, side 1 the new one. */
typedef struct world {
    fault_world fault;
    char from[SIDES][PATH], ciff[SIDES][PATH];
    char folder[PATH], to[PATH]; /* the output, which has the folder to itself */
} world;

/* What a verb makes of each side. */
typedef struct bench {
    const world *w;
    const verb *verb;
    const char *from[SIDES];
    uint64_t print[SIDES];
} bench;

static void must(rp_status status, const rp_error *err)
{
    if (status != RP_OK)
        fail_msg("%s", err->text);
}

static void write_topics(void)
{
    static const char *const words[] = {"common", "lazy", "dog", "quick", "words"};
    FILE *f = fopen(topics_path, "w");
    assert_non_null(f);
    for (unsigned i = 0; i < 2000; i++)
        fprintf(f, "%u\t%s %s\n", i, words[i % 5], words[i / 5 % 5]);
    assert_int_equal(fclose(f), 0);
}

static void world_make(world *w)
{
    fault_recipe recipe = {.docs = 16, .words = 2000, .word_bytes = 4};
    rp_error err = {0};
    fault_world_make(&w->fault, &recipe);
    char dir[sizeof w->fault.dir.path];
    const char *from[SIDES] = {w->fault.pristine, w->fault.source};
    memcpy(dir, w->fault.dir.path, sizeof dir);
    snprintf(w->folder, PATH, "%s/out", dir);
    snprintf(w->to, PATH, "%.280s/it", w->folder);
    snprintf(topics_path, PATH, "%s/topics", dir);
    for (int i = 0; i < SIDES; i++) {
        snprintf(w->from[i], PATH, "%s", from[i]);
        snprintf(w->ciff[i], PATH, "%s/%d.ciff", dir, i);
        must(rp_index_export("ciff", from[i], w->ciff[i], NULL, &err), &err);
    }
    write_topics();
}

static void empty_output(const world *w)
{
    tempdir t;
    snprintf(t.path, sizeof t.path, "%.250s", w->folder);
    tempdir_remove(&t);
    assert_int_equal(mkdir(w->folder, 0777), 0);
}

/* ---- Verdicts ---------------------------------------------------------------------------------- */

typedef struct entries {
    size_t n;
    char names[256];
} entries;

static entries list(const char *dir)
{
    entries e = {0};
    DIR *d = opendir(dir);
    for (struct dirent *entry; d && (entry = readdir(d)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        size_t used = strlen(e.names);
        snprintf(e.names + used, sizeof e.names - used, " %.200s", entry->d_name);
        e.n++;
    }
    if (d)
        closedir(d);
    return e;
}

static void mix_file(const char *path, uint64_t *print)
{
    size_t n = 0;
    uint8_t *bytes = fault_read(path, &n);
    uint64_t parts[3] = {*print, bytes != NULL, bytes ? rp__checksum(bytes, n) : 0};
    *print = rp__checksum(parts, sizeof parts);
    free(bytes);
}

/* A print of a file, or of a folder of PISA's files. */
static uint64_t print_output(const char *path)
{
    static const char *const suffixes[] = {"docs", "freqs", "sizes", "terms", "documents"};
    struct stat st;
    uint64_t print = 0;
    if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode)) {
        mix_file(path, &print);
        return print;
    }
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char file[PATH + 32];
        snprintf(file, sizeof file, "%s/inv.%s", path, suffixes[i]);
        mix_file(file, &print);
    }
    print += list(path).n;
    return print;
}

static bool has_manifest(const char *dir)
{
    char path[PATH + 32];
    snprintf(path, sizeof path, "%s/" RP_MANIFEST_NAME, dir);
    return access(path, F_OK) == 0;
}

static fault_found look(const bench *b, char *why)
{
    const char *to = b->w->to;
    uint64_t print = 0;
    rp_error err = {0};
    why[0] = 0;
    if (access(to, F_OK) != 0 || (b->verb->makes_index && !has_manifest(to)))
        return FAULT_NONE;
    if (!b->verb->makes_index)
        print = print_output(to);
    else if (fault_print_files(to, &print, &err) != RP_OK)
        snprintf(why, 256, "%.250s", err.text);
    if (why[0] == 0 && print == b->print[0])
        return FAULT_OLD;
    if (why[0] == 0 && print == b->print[1])
        return FAULT_NEW;
    if (why[0] == 0)
        snprintf(why, 256, "neither the old nor the new");
    return FAULT_BAD;
}

/* What stands beside the output, or in its folder besides the index. */
static bool is_clean(const bench *b, char *why)
{
    char names[256] = "";
    entries e = list(b->w->folder);
    if (b->verb->makes_index && fault_leftovers(b->w->to, names) != 0)
        snprintf(why, 256, "the next run leaves%.200s in the folder", names);
    else if (e.n != 1)
        snprintf(why, 256, "the next run leaves%.200s", e.names);
    else
        return true;
    return false;
}

static rp_status run_side(const bench *b, int side, rp_error *err)
{
    return b->verb->run(b->from[side], b->w->to, err);
}

/* A run of the old side succeeds, and nothing but what it writes is there. */
static bool recovers(const bench *b, char *why)
{
    rp_error err = {0};
    if (run_side(b, 0, &err) != RP_OK)
        snprintf(why, 256, "the next run fails: %.200s", err.text);
    else if (look(b, why) != FAULT_OLD)
        snprintf(why, 256, "the next run does not give what it should");
    else
        return is_clean(b, why);
    return false;
}

static bench set_up_verb(const world *w, const verb *v)
{
    bench b = {.w = w, .verb = v};
    empty_output(w);
    for (int i = 0; i < SIDES; i++) {
        rp_error err = {0};
        b.from[i] = v->is_import ? w->ciff[i] : w->from[i];
        must(run_side(&b, i, &err), &err);
        if (v->makes_index)
            must(fault_print_files(w->to, &b.print[i], &err), &err);
        else
            b.print[i] = print_output(w->to);
    }
    assert_true(b.print[0] != b.print[1]);
    return b;
}

/* ---- At calls of store ------------------------------------------------------------------------- */

typedef enum plant { PLANT_NONE, PLANT_IN_PLACE, PLANT_KEPT_DEBRIS } plant;

/* One place to be killed at: before the at-th call, or in the middle of it if it writes. */
typedef struct spot {
    const bench *bench;
    uint64_t at, calls;
    bool in_write, is_last; /* is_last: the next call is not made */
    plant plant;
} spot;

static fault_act kill_at(void *arg, fault_call call, int fd, const char *path, size_t bytes)
{
    (void)fd, (void)path;
    spot *s = arg;
    fault_act act = {0};
    if (s->is_last)
        raise(SIGKILL);
    if (s->plant == PLANT_IN_PLACE && call == FAULT_WRITE)
        fault_write(s->bench->w->to, "half", 4);
    if (++s->calls != s->at)
        return act;
    if (!s->in_write || call != FAULT_WRITE)
        raise(SIGKILL);
    s->is_last = true;
    act.at_most = bytes / 2;
    return act;
}

static int run_until_killed(void *arg)
{
    spot *s = arg;
    rp_error err = {0};
    fault_ops_set(kill_at, s);
    if (run_side(s->bench, 1, &err) == RP_OK)
        return 0;
    fprintf(stderr, "%s\n", err.text);
    return 1;
}

static fault_act keep_debris(void *arg, fault_call call, int fd, const char *path, size_t bytes)
{
    (void)arg, (void)fd, (void)path, (void)bytes;
    return (fault_act){.is_done = call == FAULT_UNLINK};
}

typedef struct tally {
    uint64_t kills, runs, bad, found[FAULT_BAD + 1];
    char why[600];
} tally;

static void note_bad(tally *t, const char *where, uint64_t at, fault_found found, const char *why)
{
    if (t->bad++ == 0)
        snprintf(t->why, sizeof t->why, "killed %s %llu: %s; %s", where, (unsigned long long)at,
                 fault_found_names[found], why);
}

/* False: the verb came to its end before the spot. The output was that of the old side, and is so again. */
static bool kill_once(spot *s, bool with_old, tally *t)
{
    char why[256] = "";
    if (!with_old)
        empty_output(s->bench->w);
    s->calls = 0;
    s->is_last = false;
    int status = fault_in_child(run_until_killed, s);
    t->runs++;
    assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0);
    if (!WIFSIGNALED(status))
        return false;
    t->kills++;
    fault_found found = look(s->bench, why);
    t->found[found]++;
    bool is_fine = found == FAULT_NEW || found == (with_old ? FAULT_OLD : FAULT_NONE);
    if (s->plant == PLANT_KEPT_DEBRIS)
        fault_ops_set(keep_debris, NULL);
    is_fine = is_fine && recovers(s->bench, why);
    fault_ops_set(NULL, NULL);
    if (!is_fine)
        note_bad(t, s->in_write ? "in call" : "before call", s->at, found, why);
    if (s->plant != PLANT_NONE) /* put in order what was planted */
        empty_output(s->bench->w);
    if (s->plant != PLANT_NONE)
        assert_true(recovers(s->bench, why));
    return true;
}

static fault_act count_calls(void *arg, fault_call call, int fd, const char *path, size_t bytes)
{
    (void)call, (void)fd, (void)path, (void)bytes;
    ++*(uint64_t *)arg;
    return (fault_act){0};
}

/* Some calls from the first to the last, and each of the last ones. */
static uint64_t next_call(uint64_t at, uint64_t calls, uint64_t stride)
{
    enum { LAST = 10 };
    if (at + LAST >= calls)
        return at + 1;
    return at + stride + LAST < calls ? at + stride : calls - LAST;
}

static void kill_at_calls(const bench *b, bool with_old, uint64_t most, plant planted, tally *t)
{
    uint64_t calls = 0, kills = 0;
    char why[256];
    rp_error err = {0};
    if (!with_old)
        empty_output(b->w);
    fault_ops_set(count_calls, &calls);
    must(run_side(b, 1, &err), &err);
    fault_ops_set(NULL, NULL);
    assert_true(recovers(b, why));
    uint64_t stride = calls / most + 1;
    for (uint64_t at = 1; at <= calls; at = next_call(at, calls, stride), kills++) {
        spot s = {.bench = b, .at = at, .in_write = kills % 2, .plant = planted};
        if (!kill_once(&s, with_old, t) && at < calls)
            fail_msg("%s ended before call %llu of %llu", b->verb->name, (unsigned long long)at,
                     (unsigned long long)calls);
    }
}

static void report(const char *name, const char *how, const tally *t)
{
    print_message("%s: %llu kills %s in %llu runs, %llu bad; found none %llu, old %llu, new %llu\n",
                  name, (unsigned long long)t->kills, how, (unsigned long long)t->runs,
                  (unsigned long long)t->bad, (unsigned long long)t->found[FAULT_NONE],
                  (unsigned long long)t->found[FAULT_OLD], (unsigned long long)t->found[FAULT_NEW]);
    if (t->bad)
        fail_msg("%s: %s", name, t->why);
}

static void at_calls_of_store(void **state)
{
    const world *w = *state;
    bool is_thorough = getenv("RIPOSTE_THOROUGH") != NULL;
    for (size_t i = 0; i < VERBS; i++) {
        bench b = set_up_verb(w, &verbs[i]);
        tally t = {0};
        kill_at_calls(&b, true, is_thorough ? UINT64_MAX : 16 / FAULT_SLOW + 1, PLANT_NONE, &t);
        assert_true(t.found[FAULT_OLD] > 0 && t.found[FAULT_NEW] > 0);
        assert_int_equal(t.found[FAULT_NONE], 0);
        if (is_thorough)
            kill_at_calls(&b, false, UINT64_MAX, PLANT_NONE, &t);
        report(verbs[i].name, "at calls", &t);
    }
}

/* ---- At random moments ------------------------------------------------------------------------- */

static char program[4200];

static bool find_program(void)
{
    const char *given = getenv("RIPOSTE");
    snprintf(program, sizeof program, "%.4000s", given ? given : "");
    ssize_t n = given ? 0 : readlink("/proc/self/exe", program, 4000);
    if (n > 0) {
        program[n] = 0;
        for (int up = 0; up < 3 && strrchr(program, '/'); up++)
            *strrchr(program, '/') = 0;
        strcat(program, "/riposte");
    }
    return access(program, X_OK) == 0;
}

static void exec_verb(const bench *b, int side)
{
    const char *args[ARGS + 3] = {program};
    size_t n = 1;
    for (size_t i = 0; i < ARGS && b->verb->args[i]; i++) {
        const char *arg = b->verb->args[i];
        args[n++] = strcmp(arg, FROM) == 0 ? b->from[side] : strcmp(arg, TO) == 0 ? b->w->to : arg;
    }
    args[n] = "-q";
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* should the test fail */
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    execv(program, (char *const *)(uintptr_t)args);
    _exit(127);
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

/* Runs the program, and kills it after so long; 0: never. True: it came to its end. */
static bool run_program(const bench *b, int side, uint64_t ns)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        exec_verb(b, side);
    struct timespec pause = {(time_t)(ns / 1000000000U), (long)(ns % 1000000000U)};
    while (ns && nanosleep(&pause, &pause) != 0)
        assert_int_equal(errno, EINTR);
    if (ns)
        kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFSIGNALED(status) && WEXITSTATUS(status) != 0)
        fail_msg("%s %s ends with %d", program, b->verb->name, WEXITSTATUS(status));
    return WIFEXITED(status);
}

/* Each kill meets what the ones before left; after each eighth run one is let through. The longest wait
 * follows the machine's load, so that a third of the runs come to their end. */
static void kill_at_random(const bench *b, uint64_t least, uint64_t *random, tally *t)
{
    static const fault_found made[SIDES] = {FAULT_OLD, FAULT_NEW};
    uint64_t ns[SIDES];
    fault_found before = FAULT_OLD;
    char why[256];
    for (int side = SIDES - 1; side >= 0; side--) {
        uint64_t begun = now_ns();
        run_program(b, side, 0);
        ns[side] = now_ns() - begun;
        assert_int_equal(look(b, why), made[side]);
    }
    for (; fault_goes_on(t->kills, least, 0.05); t->runs++) {
        int side = t->runs % 2 == 0;
        bool is_complete = run_program(b, side, 1 + fault_below(random, ns[side]));
        fault_found found = look(b, why);
        ns[side] = is_complete ? ns[side] - ns[side] / 8 : ns[side] + ns[side] / 16;
        t->kills += !is_complete;
        t->found[found] += !is_complete;
        if (found != made[side] && (is_complete || found != before))
            note_bad(t, "at random", t->kills, found, why);
        before = found;
        if (t->runs % 8 == 7) {
            run_program(b, 0, 0);
            before = look(b, why);
            if (before != FAULT_OLD || !is_clean(b, why))
                note_bad(t, "at random", t->kills, before, why);
        }
        assert_true(t->runs < 100 * least + 1000 || getenv("SOAK_MINUTES"));
    }
    if (!recovers(b, why))
        note_bad(t, "at random", t->kills, before, why);
}

static void at_random_moments(void **state)
{
    const world *w = *state;
    uint64_t random = fault_seed();
    uint64_t few = getenv("RIPOSTE_THOROUGH") ? 2000 : 20 / FAULT_SLOW;
    uint64_t least = fault_count("KILLS", few);
    if (!find_program()) {
        print_message("no program %s; set RIPOSTE\n", program);
        skip();
    }
    for (size_t i = 0; i < VERBS; i++) {
        bench b = set_up_verb(w, &verbs[i]);
        tally t = {0};
        kill_at_random(&b, least, &random, &t);
        report(verbs[i].name, "at random", &t);
    }
}

/* ---- The tests' own test ----------------------------------------------------------------------- */

static void expect_caught(const world *w, plant planted, const char *says)
{
    for (size_t i = 0; i < VERBS; i++) {
        if (planted == PLANT_IN_PLACE && (verbs[i].makes_index || strstr(verbs[i].name, "pisa")))
            continue; /* a folder cannot be written in place by one write */
        bench b = set_up_verb(w, &verbs[i]);
        tally t = {0};
        kill_at_calls(&b, true, 4, planted, &t);
        print_message("%s: caught %llu of %llu: %s\n", verbs[i].name, (unsigned long long)t.bad,
                      (unsigned long long)t.kills, t.why);
        assert_true(t.bad > 0);
        assert_non_null(strstr(t.why, says));
    }
}

static void planted_writing_in_place_is_caught(void **state)
{
    expect_caught(*state, PLANT_IN_PLACE, "neither the old nor the new");
}

static void planted_debris_is_caught(void **state)
{
    expect_caught(*state, PLANT_KEPT_DEBRIS, "the next run leaves");
}

static int set_up(void **state)
{
    static world w;
    world_make(&w);
    *state = &w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    fault_world_free(&w->fault);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_calls_of_store),
        cmocka_unit_test(at_random_moments),
        cmocka_unit_test(planted_writing_in_place_is_caught),
        cmocka_unit_test(planted_debris_is_caught),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
