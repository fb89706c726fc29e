/* keeper.c: forks workers, waits for their end, and forks again.
 *
 * All that it waits for is on descriptors: a line to its owner, where a byte means that the worker is to be ended
 * and an end of file that the owner is gone; and a pipe that only the worker could write to, whose end is the
 * worker's. The worker keeps the line open too, so that it ends with the last of both. Descriptors and signals of the owner are none of its business: those are closed, and what a terminal or
 * an init system sends to the whole group is ignored, because the owner decides. */
#include "engine/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

enum {
    LOOK = 1000,         /* milliseconds between looks whether the owner is there */
    LOADING_MOST = 300,  /* seconds */
    DESCRIPTORS = 65536, /* closed one by one where the system cannot close a range */
};

/* Milliseconds before the next worker, by how many ended soon, one after the other. */
static const int delays[] = {0, 0, 1000, 5000, 30000};

typedef struct keeping {
    const rp__gpu_work *work;
    uint64_t steady;
    pid_t owner;
    int line;
    uint32_t number; /* of the worker */
    pid_t worker;    /* 0: none */
    int pipe;        /* ends with it */
    uint64_t began;
    bool is_called; /* for its end */
} keeping;

/* ---- Becoming a process of its own --------------------------------------------------------------- */

/* A crash here is to be one, and not what the owner makes of its own. The guard of mapped files keeps its signal. */
static void reset_signals(void)
{
    static const int ours[] = {SIGSEGV, SIGABRT, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGCHLD};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        signal(ours[i], SIG_DFL);
}

static void ignore_signals(void)
{
    static const int ignored[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
                                  SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM};
    sigset_t none;
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        signal(ignored[i], SIG_IGN);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void close_range_of(unsigned first, unsigned last)
{
    if (first > last || close_range(first, last, 0) == 0)
        return;
    for (unsigned i = first; i <= last && i < DESCRIPTORS; i++)
        close((int)i);
}

/* All but the line and the standard ones, which lead nowhere; errors of sanitizers are still seen. */
static void close_descriptors(int line)
{
    int nowhere = open("/dev/null", O_RDWR);
    if (nowhere >= 0) {
        dup2(nowhere, STDIN_FILENO);
        dup2(nowhere, STDOUT_FILENO);
    }
    close_range_of(STDERR_FILENO + 1, (unsigned)line - 1);
    close_range_of((unsigned)line + 1, ~0U);
}

/* ---- A worker -------------------------------------------------------------------------------------- */

static void reap(keeping *k, int *status)
{
    while (waitpid(k->worker, status, 0) < 0 && errno == EINTR)
        ;
    close(k->pipe);
    k->worker = 0;
    k->work->box->worker = 0;
}

/* The owner is gone, or wants this to end. */
static _Noreturn void quit(keeping *k)
{
    int status;
    if (k->worker) {
        kill(k->worker, SIGKILL);
        reap(k, &status);
    }
    _exit(0);
}

/* Whether somebody called. */
static bool hear(keeping *k)
{
    char bytes[64];
    ssize_t n = read(k->line, bytes, sizeof bytes);
    if (n == 0 || (n < 0 && errno != EINTR))
        quit(k);
    return n > 0;
}

static _Noreturn void become_worker(const keeping *k)
{
    pid_t keeper_process = getppid();
    prctl(PR_SET_NAME, "riposte-gpu");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper_process)
        _exit(0);
    k->work->box->worker = (int32_t)getpid(); /* before its first answer */
    rp__gpu_worker_run(k->work, k->number);
}

static bool fork_worker(keeping *k)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    rp__mailbox_enter(k->work->box, k->number, RP_PHASE_LOADING);
    k->began = rp__clock_now();
    k->is_called = false;
    k->worker = fork();
    if (k->worker == 0) {
        close(ends[0]);
        become_worker(k);
    }
    close(ends[1]);
    k->pipe = ends[0];
    if (k->worker < 0) {
        k->worker = 0;
        close(ends[0]);
        return false;
    }
    return true;
}

/* Sleeps until somebody calls, the worker ends or a while has passed. Whether the worker has ended. */
static bool watch(keeping *k, int milliseconds)
{
    struct pollfd at[2] = {{.fd = k->line, .events = POLLIN}, {.fd = k->pipe, .events = POLLIN}};
    int n = poll(at, k->worker ? 2 : 1, milliseconds < LOOK ? milliseconds : LOOK);
    if (getppid() != k->owner)
        quit(k);
    if (n > 0 && at[0].revents && hear(k))
        k->is_called = true;
    return n > 0 && k->worker && at[1].revents;
}

static bool must_end(const keeping *k)
{
    uint32_t phase = k->work->box->phase;
    uint64_t most = LOADING_MOST * UINT64_C(1000000000);
    bool is_late =
        rp__mailbox_phase(phase) == RP_PHASE_LOADING && rp__clock_now() - k->began > most;
    return is_late || (k->is_called && rp__mailbox_phase(phase) == RP_PHASE_DOWN);
}

static void tell_end(const keeping *k, int status)
{
    char why[96];
    if (WIFSIGNALED(status))
        snprintf(why, sizeof why, "the process that used the GPU was ended by signal %d",
                 WTERMSIG(status));
    else
        snprintf(why, sizeof why, "the process that used the GPU ended with code %d",
                 WEXITSTATUS(status));
    rp__mailbox_lose(k->work->box, k->number, RP_UNAVAILABLE, why);
}

/* From its beginning to its end. */
static void keep_one(keeping *k)
{
    int status = 0;
    if (!fork_worker(k)) {
        rp__mailbox_lose(k->work->box, k->number, RP_UNAVAILABLE,
                         "no process for the GPU can be had");
        return;
    }
    while (!watch(k, LOOK))
        if (must_end(k))
            kill(k->worker, SIGKILL);
    reap(k, &status);
    tell_end(k, status);
}

/* ---- The keeper ------------------------------------------------------------------------------------ */

static _Noreturn void keep(keeping *k)
{
    size_t soon = 0, most = sizeof delays / sizeof delays[0] - 1;
    prctl(PR_SET_NAME, "riposte-keeper");
    reset_signals();
    ignore_signals();
    close_descriptors(k->line);
    for (;;) {
        k->number++;
        keep_one(k);
        uint64_t now = rp__clock_now();
        soon = now - k->began > k->steady ? 1 : soon < most ? soon + 1 : most;
        for (uint64_t end = now + (uint64_t)delays[soon] * 1000000; now < end;
             now = rp__clock_now())
            watch(k, (int)((end - now) / 1000000) + 1);
    }
}

rp_status rp__keeper_start(rp__keeper *out, const rp__gpu_work *work, uint64_t steady,
                           rp_error *err)
{
    int ends[2];
    keeping k = {.work = work,
                 .steady = steady,
                 .owner = getpid(),
                 .number = rp__mailbox_number(work->box->phase)};
    *out = (rp__keeper){0};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return rp__error_set(err, RP_UNAVAILABLE, "no process for the GPU can be had: %s",
                             strerror(errno));
    pid_t process = fork();
    if (process == 0) {
        k.line = fcntl(ends[1], F_DUPFD, STDERR_FILENO + 1);
        keep(&k);
    }
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return rp__error_set(err, RP_UNAVAILABLE, "no process for the GPU can be had: %s",
                             strerror(errno));
    }
    *out = (rp__keeper){process, ends[0]};
    return RP_OK;
}

void rp__keeper_stop(rp__keeper *keeper)
{
    if (!keeper->process)
        return;
    close(keeper->line);
    while (waitpid(keeper->process, NULL, 0) < 0 && errno == EINTR)
        ;
    *keeper = (rp__keeper){0};
}

void rp__keeper_call(const rp__keeper *keeper)
{
    if (keeper->process)
        (void)!send(keeper->line, "!", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

bool rp__keeper_is_there(const rp__keeper *keeper)
{
    struct pollfd at = {.fd = keeper->line, .events = POLLIN};
    return keeper->process && poll(&at, 1, 0) == 0;
}
