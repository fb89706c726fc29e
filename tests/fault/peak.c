/* peak.c: a tracer that looks at a program's memory before every call that gives memory back. */
#include "fault/peak.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_STARTED = 127, NOT_TRACED = 126 };

/* ---- The traced process -------------------------------------------------------------------------- */

#define STOP_AT(call)                                                                              \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE)

static bool stop_before_shrinking(void)
{
    struct sock_filter rows[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        STOP_AT(SYS_munmap),
        STOP_AT(SYS_mremap),
        STOP_AT(SYS_madvise),
        STOP_AT(SYS_brk),
        STOP_AT(SYS_exit_group),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof rows / sizeof *rows, .filter = rows};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void become(const char *const *argv, int err)
{
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(NOT_TRACED);
    raise(SIGSTOP); /* the tracer sets its options */
    if (!stop_before_shrinking())
        _exit(NOT_TRACED);
    dup2(err, STDERR_FILENO);
    execv(argv[0], (char *const *)argv);
    _exit(NOT_STARTED);
}

/* ---- The tracer ---------------------------------------------------------------------------------- */

static uint64_t anonymous_now(pid_t pid)
{
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    int fd = open(path, O_RDONLY);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    const char *row = strstr(text, "RssAnon:");
    return row ? strtoull(row + strlen("RssAnon:"), NULL, 10) * 1024 : 0;
}

/* A signal that is the tracer's own business is not passed on. */
static int signal_to_pass(int status)
{
    int number = WSTOPSIG(status);
    bool is_event = status >> 16 != 0;
    return is_event || number == SIGTRAP || number == SIGSTOP ? 0 : number;
}

/* Until the process ends; returns its status. */
static int watch(pid_t pid, peak_result *out)
{
    int status;
    pid_t who;
    while ((who = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
        if (who <= 0)
            continue;
        if (WIFSTOPPED(status)) {
            uint64_t now =
                status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8) ? anonymous_now(who) : 0;
            out->anonymous = now > out->anonymous ? now : out->anonymous;
            ptrace(PTRACE_CONT, who, NULL, (void *)(intptr_t)signal_to_pass(status));
        } else if (who == pid) {
            return status;
        }
    }
    return NOT_TRACED << 8;
}

static void read_err(int fd, peak_result *out)
{
    ssize_t n = pread(fd, out->err, sizeof out->err - 1, 0);
    out->err[n > 0 ? n : 0] = 0;
    close(fd);
}

bool peak_run(const char *const *argv, peak_result *out)
{
    const long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                         PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    char name[] = "/tmp/peak.XXXXXX";
    int err = mkstemp(name), status = 0;
    *out = (peak_result){0};
    if (err < 0)
        return false;
    unlink(name);
    pid_t pid = fork();
    if (pid == 0)
        become(argv, err);
    bool is_traced = pid > 0 && waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) &&
                     ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)options) == 0;
    if (is_traced) {
        ptrace(PTRACE_CONT, pid, NULL, NULL);
        status = watch(pid, out);
    } else if (pid > 0 && WIFSTOPPED(status)) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    read_err(err, out);
    out->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return is_traced && out->code != NOT_TRACED && out->code != NOT_STARTED;
}

const char *peak_reason(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return "sanitizers use memory of their own";
#else
    static const char *const argv[] = {"/bin/true", NULL};
    peak_result result;
    return peak_run(argv, &result) && result.code == 0 && result.anonymous > 0
               ? NULL
               : "processes cannot be traced here";
#endif
}
