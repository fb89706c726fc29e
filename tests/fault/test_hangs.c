/* test_hangs.c: nothing hangs. Every verb is run with a FIFO, a socket, a folder, a device, an empty file, one
 * that may not be read, one that grows and one that shrinks in every place of its command line, and in the
 * place of every file of an index. Where a stream is legal the verb waits for a writer, and one signal ends
 * the wait; everywhere else it ends by itself. What it did not succeed in leaves the folder as it was.
 * Times are printed and not judged; only a verb that still runs after 60 s has failed. */
#include "fault_world.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "store/store.h"
#include "unit/files.h"

enum {
    WATCHDOG_S = 60,
    PLANTED_WATCHDOG_S = 1,
    NOBODY = 65534,
    MOST_ARGUMENTS = 20,
    NODE_NAMES = 8
};

static tempdir dir;
static int program = -1; /* opened before rights are given up */
static bool is_thorough;

/* ---- Places and what stands in them ------------------------------------------------------------ */

typedef enum kind {
    FIFO,
    SOCKET,
    FOLDER,
    ZERO,
    NOTHING,
    EMPTY,
    UNREADABLE,
    GROWS,
    SHRINKS,
    KINDS
} kind;

static const char *const kind_names[KINDS] = {
    "FIFO",       "socket",          "folder",       "/dev/zero",     "/dev/null",
    "empty file", "unreadable file", "growing file", "shrinking file"};

/* "@" in the arguments is the place; `good` is what would be right there. */
typedef struct place {
    const char *arguments, *good;
    bool is_stream; /* a FIFO is waited for */
} place;

static const place inputs[] = {
    {"index @ -o out", "docs.jsonl", true},
    {"index docs.jsonl @ --threads 2 -o out", "more.jsonl", true},
    {"index docs.jsonl --stop @ -o out", "stop.txt", false},
    {"import ciff @ -o out", "x.ciff", true},
    {"import ciff x.ciff --stop @ -o out", "stop.txt", false},
    {"batch ix @ -o new.run", "topics.tsv", true},
    {"eval @ run.txt", "qrels.txt", false},
    {"eval qrels.txt @", "run.txt", false},
    {"bench queries ix @ --rounds 1", "topics.tsv", true},
    {"reorder ix --by map --map @ -o out", "map.txt", false},
    {"reorder ix --by rank --scores @ -o out", "scores.txt", false},
};

static const place indexes[] = {
    {"search @ some", "ix", false},
    {"batch @ topics.tsv -o new.run", "ix", false},
    {"bench-serve @", "ix", false},
    {"stats @ --lists", "ix", false},
    {"dump @ --term some", "ix", false},
    {"check @", "ix", false},
    {"recode @ -o out", "ix", false},
    {"reorder @ -o out", "ix", false},
    {"export ciff @ -o new.ciff", "ix", false},
    {"export pisa @ -o new", "ix", false},
    {"bench codecs @ --min-length 100 --repeats 1", "ix", false},
    {"bench queries @ topics.tsv --rounds 1", "ix", false},
};

static const place outputs[] = {
    {"index docs.jsonl -o @", "out", false},
    {"import ciff x.ciff -o @", "out", false},
    {"recode ix -o @", "out", false},
    {"reorder ix -o @", "out", false},
    {"synth gov --docs 1000 --queries 10 -o @", "out", false},
    {"synth gov --docs 1000 --queries 10 -o out --queries-out @", "topics.tsv", false},
    {"export ciff ix -o @", "x.ciff", false},
    {"export pisa ix -o @", "x.ciff", false},
    {"batch ix topics.tsv -o @", "run.txt", false},
    {"bench queries ix topics.tsv --rounds 1 --plot @", "run.txt", false},
    {"bench queries ix topics.tsv --rounds 1 --per-query @", "run.txt", false},
    {"bench codecs ix --min-length 100 --repeats 1 --plot @", "run.txt", false},
};

/* PISA's files, by their suffixes. */
static const char *const pisa_parts[] = {"docs", "freqs", "sizes", "terms", "documents"};

static const char *path_of(const char *name)
{
    static char paths[NODE_NAMES][600];
    static size_t next;
    char *path = paths[next++ % NODE_NAMES];
    snprintf(path, sizeof paths[0], "%.255s/%.300s", dir.path, name);
    return path;
}

static void copy_tree(const char *from, const char *to)
{
    struct stat st;
    assert_int_equal(stat(from, &st), 0);
    if (S_ISDIR(st.st_mode)) {
        fault_copy(from, to);
        return;
    }
    size_t n;
    uint8_t *bytes = files_read(from, &n);
    files_write(to, bytes, n);
    free(bytes);
}

static void remove_tree(const char *path)
{
    nftw(path, tempdir_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A device needs a node of its own where a link would not do: only root may make one. */
static bool make_device(const char *path, unsigned minor, bool may_link)
{
    static const char *const names[] = {[3] = "/dev/null", [5] = "/dev/zero"};
    if (may_link)
        return symlink(names[minor], path) == 0;
    if (mknod(path, S_IFCHR | 0666, makedev(1, minor)) != 0)
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC); /* a mount may forbid devices */
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Puts something of this kind there. False: it cannot be made here. */
static bool make_node(kind k, const char *path, const char *good, bool may_link)
{
    switch (k) {
    case FIFO:
        return mkfifo(path, 0666) == 0;
    case SOCKET:
        return mknod(path, S_IFSOCK | 0666, 0) == 0;
    case FOLDER:
        return mkdir(path, 0777) == 0;
    case ZERO:
    case NOTHING:
        return make_device(path, k == ZERO ? 5 : 3, may_link);
    case EMPTY:
        files_write(path, "", 0);
        return true;
    default:
        copy_tree(good, path);
        return k != UNREADABLE || chmod(path, 0) == 0;
    }
}

/* ---- What the folder holds --------------------------------------------------------------------- */

static struct {
    uint64_t sum;
    const char *except;
} picture;

static int add_to_picture(const char *path, const struct stat *st, int flag, struct FTW *at)
{
    (void)flag, (void)at;
    uint64_t parts[3] = {rp__checksum(path, strlen(path)), st->st_mode, 0};
    if (picture.except && strcmp(path, picture.except) == 0)
        return 0;
    if (S_ISREG(st->st_mode)) {
        size_t n;
        uint8_t *bytes = files_read(path, &n);
        parts[2] = rp__checksum(bytes, n);
        free(bytes);
    }
    picture.sum += rp__checksum(parts, sizeof parts);
    return 0;
}

/* A checksum of all names, kinds and bytes below the folder, but of one file that others change. */
static uint64_t take_picture(const char *except)
{
    picture.sum = 0;
    picture.except = except;
    assert_int_equal(nftw(dir.path, add_to_picture, 16, FTW_PHYS), 0);
    return picture.sum;
}

/* ---- Running ----------------------------------------------------------------------------------- */

typedef enum source { NO_INPUT, SILENT, DOCUMENTS, ONE_LINE, FULL_OUTPUT } source;

typedef struct order {
    const char *arguments; /* of the program; blanks part them */
    const char *node;      /* for "@"; another process may write to it */
    kind changes;          /* GROWS, SHRINKS: how */
    bool is_nobody;        /* run by a user who owns nothing */
    bool is_planted;       /* the arguments are a script for the shell; the watchdog is short */
    source input;    /* what comes on standard input; FULL_OUTPUT: a pipe that takes nothing */
    int signal;      /* that is sent once; 0: none */
    bool is_awaited; /* not before it sleeps */
} order;

typedef struct outcome {
    bool hangs;
    int exit;  /* as a shell has it */
    double ms; /* of the whole, or since the signal */
    char said[160];
} outcome;

static void exec_program(const order *o)
{
    char words[600], *argv[MOST_ARGUMENTS + 2] = {(char *)(uintptr_t) "riposte"}, *rest = NULL;
    size_t n = 1;
    if (o->is_planted) {
        execl("/bin/sh", "sh", "-c", o->arguments, "sh", o->node, (char *)NULL);
        _exit(127);
    }
    snprintf(words, sizeof words, "%s", o->arguments);
    for (char *w = strtok_r(words, " ", &rest); w && n <= MOST_ARGUMENTS;
         w = strtok_r(NULL, " ", &rest))
        argv[n++] = strcmp(w, "@") == 0 ? (char *)(uintptr_t)o->node : w;
    if (o->is_nobody && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
        _exit(126);
    fexecve(program, argv, environ);
    _exit(127);
}

static pid_t spawn(const order *o, const int pipe_fd[2], int err)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    int nothing = open("/dev/null", O_RDWR);
    dup2(o->input != NO_INPUT && o->input != FULL_OUTPUT ? pipe_fd[0] : nothing, STDIN_FILENO);
    dup2(o->input == FULL_OUTPUT ? pipe_fd[1] : nothing, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    close(pipe_fd[0]);
    close(pipe_fd[1]);
    if (chdir(dir.path) != 0)
        _exit(126);
    signal(SIGINT, SIG_DFL);
    exec_program(o);
    return -1;
}

/* Another process: writes to the pipe without end, or changes the file little by little. */
static pid_t spawn_partner(const order *o, const int pipe_fd[2])
{
    static const char document[] = "<DOC><DOCNO>again</DOCNO>some words that come again</DOC>\n";
    bool writes = o->input == DOCUMENTS || o->input == ONE_LINE;
    if (!writes && o->changes != GROWS && o->changes != SHRINKS)
        return -1;
    pid_t partner = fork();
    if (partner != 0)
        return partner;
    struct stat st = {0};
    const char *text = o->input == ONE_LINE ? "endless " : document;
    int fd = writes ? pipe_fd[1] : open(o->node, O_WRONLY | O_APPEND);
    for (int i = 0; writes || i < 1000; i++) {
        if (o->changes == SHRINKS && (fstat(fd, &st) != 0 || ftruncate(fd, st.st_size / 2) != 0))
            break;
        if (o->changes != SHRINKS && write(fd, text, strlen(text)) < 0)
            break;
        if (!writes)
            rp__clock_sleep(500000);
    }
    _exit(0);
}

static void end_partner(pid_t partner)
{
    if (partner < 0)
        return;
    kill(partner, SIGKILL);
    waitpid(partner, NULL, 0);
}

/* Whether the program has its handlers and, if `sleeps`, waits for something. */
static bool is_ready(pid_t child, bool sleeps)
{
    char path[64], text[4096] = "";
    snprintf(path, sizeof path, "/proc/%d/status", (int)child);
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    const char *state = strstr(text, "State:\t"), *caught = strstr(text, "SigCgt:\t");
    unsigned long long mask = caught ? strtoull(caught + 8, NULL, 16) : 0;
    return mask >> (SIGTERM - 1) & 1 && (!sleeps || (state && state[7] == 'S'));
}

static bool has_ended(pid_t child, double seconds, int *status)
{
    uint64_t begin = rp__clock_now();
    pid_t ended;
    while ((ended = waitpid(child, status, WNOHANG)) == 0 &&
           (double)(rp__clock_now() - begin) < seconds * 1e9)
        rp__clock_sleep(500000);
    return ended == child;
}

/* Until the program is where a signal is to find it: a while for one that works, twice asleep for one that
 * waits. It may also have ended. */
static void await_ready(pid_t child, const order *o)
{
    int seen = 0;
    siginfo_t ended;
    for (int i = 0; i < 20000 && seen < 3; i++) {
        ended.si_pid = 0;
        if (waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            ended.si_pid == child)
            return;
        seen = o->is_planted || is_ready(child, o->is_awaited) ? seen + 1 : 0;
        rp__clock_sleep(o->is_awaited ? 500000 : 10000000);
    }
}

static outcome run(const order *o)
{
    outcome out = {0};
    int pipe_fd[2], status = 0;
    FILE *err = tmpfile();
    assert_non_null(err);
    assert_int_equal(pipe2(pipe_fd, O_CLOEXEC), 0);
    pid_t partner = spawn_partner(o, pipe_fd);
    if (o->input == FULL_OUTPUT) {
        fcntl(pipe_fd[1], F_SETFL, O_NONBLOCK);
        while (write(pipe_fd[1], "", 1) == 1)
            ;
        fcntl(pipe_fd[1], F_SETFL, 0);
    }
    uint64_t begin = rp__clock_now();
    pid_t child = spawn(o, pipe_fd, fileno(err));
    if (o->signal) {
        await_ready(child, o);
        begin = rp__clock_now();
        kill(child, o->signal);
    }
    out.hangs = !has_ended(child, o->is_planted ? PLANTED_WATCHDOG_S : WATCHDOG_S, &status);
    out.ms = (double)(rp__clock_now() - begin) / 1e6;
    if (out.hangs) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    }
    end_partner(partner);
    close(pipe_fd[0]);
    close(pipe_fd[1]);
    out.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    rewind(err);
    if (!fgets(out.said, sizeof out.said, err))
        out.said[0] = 0;
    fclose(err);
    return out;
}

/* ---- Judging ----------------------------------------------------------------------------------- */

typedef struct tally {
    uint64_t runs, bad, skipped;
    double longest, longest_signal;
    char slowest[200], slowest_signal[200];
} tally;

static void note_time(tally *t, const order *o, const char *what, double ms)
{
    double *longest = o->signal ? &t->longest_signal : &t->longest;
    if (ms <= *longest)
        return;
    *longest = ms;
    snprintf(o->signal ? t->slowest_signal : t->slowest, sizeof t->slowest, "%s, %s", o->arguments,
             what);
}

/* Empty: as it should be. `wanted` is the exit code that is required; -1: any that the program documents. */
static void judge(const order *o, const outcome *out, int wanted, bool is_same, char why[400])
{
    bool is_documented = out->exit <= 7;
    why[0] = 0;
    if (out->hangs)
        snprintf(why, 400, "hangs");
    else if (wanted >= 0 ? out->exit != wanted : !is_documented)
        snprintf(why, 400, "exit %d, not %d: %.150s", out->exit, wanted, out->said);
    else if (out->exit != 0 && !is_same)
        snprintf(why, 400, "exit %d, but the folder is not as before", out->exit);
    else if (out->exit != 0 && out->exit < 128 && !out->said[0])
        snprintf(why, 400, "exit %d without a word", out->exit);
    (void)o;
}

/* What verbs write to is the same before each. */
static void restore(void)
{
    static const char *const made[] = {
        "out",      "out.queries.tsv", "new.run",   "new.ciff",  "new.svg",      "new",
        "new.docs", "new.freqs",       "new.sizes", "new.terms", "new.documents"};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        remove_tree(path_of(made[i]));
    fault_copy(path_of("ix"), path_of("out"));
    chmod(path_of("out"), 0777);
}

/* Runs it and says what is wrong, if anything is. */
static bool try(const order *o, const char *what, int wanted, tally *t)
{
    char why[400];
    uint64_t before = take_picture(o->changes ? o->node : NULL);
    outcome out = run(o);
    uint64_t after = take_picture(o->changes ? o->node : NULL);
    judge(o, &out, wanted, before == after, why);
    t->runs++;
    note_time(t, o, what, out.ms);
    if (after != before)
        restore();
    if (!why[0])
        return true;
    t->bad++;
    if (!o->is_planted)
        fprintf(stderr, "riposte %s (%s): %s\n", o->arguments, what, why);
    return false;
}

static void tell(const char *name, const tally *t)
{
    print_message("%s: %llu runs, %llu skipped; longest %.0f ms: %s\n", name,
                  (unsigned long long)t->runs, (unsigned long long)t->skipped, t->longest,
                  t->slowest);
    if (t->longest_signal > 0)
        print_message("%s: longest after a signal %.0f ms: %s\n", name, t->longest_signal,
                      t->slowest_signal);
    assert_int_equal(t->bad, 0);
}

/* One place, one kind of node in it. */
static void try_kind(const place *p, kind k, bool is_input, const char *node_path,
                     const char *good_path, bool may_link, tally *t)
{
    char node[600], good[600];
    snprintf(node, sizeof node, "%s", node_path);
    snprintf(good, sizeof good, "%s", good_path);
    order o = {.arguments = p->arguments, .node = node};
    o.changes = k == GROWS || k == SHRINKS ? k : 0;
    o.is_nobody = k == UNREADABLE && getuid() == 0;
    if (!make_node(k, node, good, may_link)) {
        remove_tree(node);
        t->skipped++;
        return;
    }
    struct stat before = {0}, after = {0};
    assert_int_equal(lstat(node, &before), 0);
    if (k == FIFO && p->is_stream) {
        o.is_awaited = true;
        for (int i = 0; i < 2; i++) {
            o.signal = i ? SIGTERM : SIGINT;
            try(&o, kind_names[k], 128 + o.signal, t);
        }
    } else {
        bool cannot_be_read = is_input && (k == FIFO || k == SOCKET || k == UNREADABLE);
        try(&o, kind_names[k], cannot_be_read ? rp_status_exit(RP_IO) : -1, t);
    }
    bool is_there = lstat(node, &after) == 0;
    if (!S_ISREG(before.st_mode) &&
        (!is_there || (before.st_mode & S_IFMT) != (after.st_mode & S_IFMT))) {
        fprintf(stderr, "riposte %s: the %s is gone\n", p->arguments, kind_names[k]);
        t->bad++;
    }
    if (is_there && !S_ISLNK(after.st_mode)) /* a link is to a device of this machine */
        chmod(node, 0700);
    remove_tree(node);
    if (!files_exist(path_of("out")))
        restore();
}

/* ---- The tests --------------------------------------------------------------------------------- */

static void every_input(void **state)
{
    (void)state;
    tally t = {0};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        for (kind k = 0; k < KINDS; k++)
            try_kind(&inputs[i], k, true, path_of("node"), path_of(inputs[i].good), true, &t);
    tell("inputs", &t);
}

static void every_part_of_pisa(void **state)
{
    (void)state;
    tally t = {0};
    const place p = {"import pisa node -o out", NULL, false};
    for (size_t i = 0; i < sizeof pisa_parts / sizeof *pisa_parts; i++) {
        char name[64], good[64];
        for (size_t j = 0; j < sizeof pisa_parts / sizeof *pisa_parts; j++) {
            snprintf(name, sizeof name, "node.%s", pisa_parts[j]);
            snprintf(good, sizeof good, "pisa.%s", pisa_parts[j]);
            copy_tree(path_of(good), path_of(name));
        }
        snprintf(name, sizeof name, "node.%s", pisa_parts[i]);
        snprintf(good, sizeof good, "pisa.%s", pisa_parts[i]);
        for (kind k = 0; k < KINDS; k++) {
            remove_tree(path_of(name));
            try_kind(&p, k, true, path_of(name), path_of(good), true, &t);
        }
    }
    for (size_t j = 0; j < sizeof pisa_parts / sizeof *pisa_parts; j++) {
        char name[64];
        snprintf(name, sizeof name, "node.%s", pisa_parts[j]);
        remove_tree(path_of(name));
    }
    tell("parts of PISA's form", &t);
}

static void every_index_folder(void **state)
{
    (void)state;
    tally t = {0};
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++)
        for (kind k = 0; k < GROWS; k++)
            try_kind(&indexes[i], k, true, path_of("node"), path_of("ix"), true, &t);
    tell("index folders", &t);
}

enum { MOST_FILES = 16 };

typedef struct names {
    size_t n;
    char at[MOST_FILES][64];
} names;

static void add_name(void *arg, const char *name)
{
    names *n = arg;
    if (n->n < MOST_FILES)
        snprintf(n->at[n->n++], sizeof n->at[0], "%.60s", name);
}

static void list_index(names *out)
{
    rp__folder folder;
    *out = (names){0};
    assert_int_equal(rp__folder_open(&folder, path_of("ix"), NULL), RP_OK);
    assert_int_equal(rp__folder_list(&folder, add_name, out, NULL), RP_OK);
    rp__folder_close(&folder);
    assert_true(out->n >= 5);
}

/* Each file of an index by every kind; verbs read an index by one way, so all kinds for two of them will do. */
static void every_file_of_an_index(void **state)
{
    (void)state;
    tally t = {0};
    names files;
    list_index(&files);
    fault_copy(path_of("ix"), path_of("broken"));
    chmod(path_of("broken"), 0755);
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++) {
        char arguments[200], good[100], node[100];
        const char *at = strchr(indexes[i].arguments, '@');
        snprintf(arguments, sizeof arguments, "%.*sbroken%s", (int)(at - indexes[i].arguments),
                 indexes[i].arguments, at + 1);
        bool has_all = is_thorough || strncmp(arguments, "check", 5) == 0 ||
                       strncmp(arguments, "search", 6) == 0;
        for (size_t f = 0; f < files.n; f++)
            for (kind k = 0; k < (has_all ? KINDS : SOCKET + 1); k++) {
                place p = {arguments, NULL, false};
                snprintf(good, sizeof good, "ix/%s", files.at[f]);
                snprintf(node, sizeof node, "broken/%s", files.at[f]);
                remove_tree(path_of(node));
                try_kind(&p, k, true, path_of(node), path_of(good), false, &t);
                copy_tree(path_of(good), path_of(node));
            }
    }
    remove_tree(path_of("broken"));
    tell("files of an index", &t);
}

static void every_output(void **state)
{
    (void)state;
    tally t = {0};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        for (kind k = 0; k < GROWS; k++)
            try_kind(&outputs[i], k, false, path_of("node"), path_of(outputs[i].good), true, &t);
    tell("outputs", &t);
}

/* What waits for standard input, or works for long: one signal, at once or after a while. */
static void one_signal(void **state)
{
    (void)state;
    static const struct {
        const char *arguments;
        source input;
        bool is_awaited;
    } waits[] = {
        {"index - -o out", SILENT, true},
        {"index --threads 4 - -o out", SILENT, true},
        {"index --on-error skip - -o out", DOCUMENTS, false},
        {"index --on-error skip --threads 3 - -o out", DOCUMENTS, false},
        {"index --on-error skip --max-line 1M - -o out", ONE_LINE, false},
        {"index docs.jsonl --stop - -o out", SILENT, true},
        {"import ciff - -o out", SILENT, true},
        {"batch ix - -o new.run", SILENT, true},
        {"batch ix topics.tsv", FULL_OUTPUT, true},
        {"export ciff ix -o -", FULL_OUTPUT, true},
        {"search ix some", FULL_OUTPUT, true},
        {"stats ix", FULL_OUTPUT, true},
        {"check ix", FULL_OUTPUT, true},
        {"eval qrels.txt -", SILENT, true},
        {"eval - run.txt", SILENT, true},
        {"reorder ix --by map --map - -o out", SILENT, true},
        {"bench-serve ix", SILENT, true},
        {"bench queries ix - --rounds 1", SILENT, true},
        {"bench codecs --lists U5M --repeats 64 --plot new.svg", NO_INPUT, false},
        {"bench intersections --repeats 64", NO_INPUT, false},
        {"bench gpu --gpu emulated --size 1000000 --rounds 64", NO_INPUT, false},
        {"synth gov -o out", NO_INPUT, false},
    };
    tally t = {0};
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        for (int s = 0; s < 2; s++) {
            order o = {.arguments = waits[i].arguments,
                       .input = waits[i].input,
                       .is_awaited = waits[i].is_awaited,
                       .signal = s ? SIGTERM : SIGINT};
            try(&o, s ? "SIGTERM" : "SIGINT", 128 + o.signal, &t);
        }
    tell("signals", &t);
}

/* ---- Planted faults ---------------------------------------------------------------------------- */

static void planted_hang_is_found(void **state)
{
    (void)state;
    tally t = {0};
    order o = {.arguments = "exec cat \"$1\"", .node = path_of("node"), .is_planted = true};
    assert_int_equal(mkfifo(o.node, 0600), 0);
    assert_false(try(&o, "planted", -1, &t));
    remove_tree(o.node);
}

static void planted_deafness_is_found(void **state)
{
    (void)state;
    tally t = {0};
    order o = {.arguments = "trap : TERM; while :; do sleep 0.1; done",
               .signal = SIGTERM,
               .is_planted = true};
    assert_false(try(&o, "planted", 128 + SIGTERM, &t));
    o.arguments = "trap 'exit 130' TERM; while :; do sleep 0.1; done"; /* of the other signal */
    assert_false(try(&o, "planted", 128 + SIGTERM, &t));
}

static void planted_leftover_is_found(void **state)
{
    (void)state;
    tally t = {0};
    order o = {.arguments = "echo >out/left; echo sorry >&2; exit 4", .is_planted = true};
    assert_false(try(&o, "planted", -1, &t));
    o.arguments = "exit 4"; /* without a word */
    assert_false(try(&o, "planted", -1, &t));
    o.arguments = "echo sorry >&2; exit 4";
    assert_true(try(&o, "planted", -1, &t));
}

/* ---- The folder -------------------------------------------------------------------------------- */

static void must_run(const char *arguments)
{
    order o = {.arguments = arguments};
    outcome out = run(&o);
    if (out.exit != 0)
        fail_msg("riposte %s: exit %d, %s", arguments, out.exit, out.said);
}

static void write_text(const char *name, const char *line, unsigned from, unsigned n)
{
    FILE *f = fopen(path_of(name), "w");
    assert_non_null(f);
    for (unsigned i = from; i < from + n; i++)
        fprintf(f, line, i, i % 7);
    assert_int_equal(fclose(f), 0);
}

/* PISA's files may come beside the name or in a folder of that name. */
static void name_pisa_parts(void)
{
    for (size_t i = 0; i < sizeof pisa_parts / sizeof *pisa_parts; i++) {
        char from[64], to[64];
        snprintf(from, sizeof from, "pisa/inv.%s", pisa_parts[i]);
        snprintf(to, sizeof to, "pisa.%s", pisa_parts[i]);
        if (files_exist(path_of(from)))
            assert_int_equal(rename(path_of(from), path_of(to)), 0);
    }
    rmdir(path_of("pisa"));
}

static int make(void **state)
{
    (void)state;
    enum { DOCS = 300 };
    const char *path = getenv("RIPOSTE");
    is_thorough = getenv("RIPOSTE_THOROUGH") != NULL;
    program = open(path ? path : "build/riposte", O_RDONLY | O_CLOEXEC);
    if (program < 0 || tempdir_make(&dir) != 0)
        return -1;
    chmod(dir.path, 0777);
    write_text("docs.jsonl", "{\"id\":\"d%u\",\"text\":\"some words of document number%u\"}\n", 0,
               DOCS);
    write_text("more.jsonl", "{\"id\":\"d%u\",\"text\":\"more words %u\"}\n", DOCS, DOCS);
    write_text("topics.tsv", "%u\tsome number%u\n", 1, 3);
    write_text("qrels.txt", "%u 0 d%u 1\n", 1, 3);
    write_text("run.txt", "%u Q0 d%u 1 2.5 x\n", 1, 3);
    write_text("map.txt", "d%u\n", 0, DOCS);
    write_text("scores.txt", "d%u\t%u\n", 0, DOCS);
    write_text("stop.txt", "word%u\n", 0, 3);
    must_run("index docs.jsonl -o ix");
    must_run("export ciff ix -o x.ciff");
    must_run("export pisa ix -o pisa");
    name_pisa_parts();
    restore();
    return 0;
}

static int clean(void **state)
{
    (void)state;
    tempdir_remove(&dir);
    close(program);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_hang_is_found),
        cmocka_unit_test(planted_deafness_is_found),
        cmocka_unit_test(planted_leftover_is_found),
        cmocka_unit_test(every_input),
        cmocka_unit_test(every_part_of_pisa),
        cmocka_unit_test(every_index_folder),
        cmocka_unit_test(every_file_of_an_index),
        cmocka_unit_test(every_output),
        cmocka_unit_test(one_signal),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
