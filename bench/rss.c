/* rss.c: runs a command and says what it cost, in one line appended to a file:
 *   wall=S cpu=S rss_kb=N rc=N
 * cpu is user + system time of the command and all that it waited for; rss_kb is its peak resident
 * memory, pages of mapped files included. Usage: rss FILE COMMAND [ARG...]. Exits as COMMAND did. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return fputs("usage: rss FILE COMMAND [ARG...]\n", stderr), 2;
    double start = now();
    pid_t pid = fork();
    if (pid < 0)
        return perror("rss: fork"), 1;
    if (pid == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    struct rusage use;
    int state;
    if (wait4(pid, &state, 0, &use) != pid)
        return perror("rss: wait4"), 1;
    double wall = now() - start;
    int rc = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    FILE *out = fopen(argv[1], "a");
    if (!out)
        return perror(argv[1]), 1;
    fprintf(out, "wall=%.3f cpu=%.3f rss_kb=%ld rc=%d\n", wall,
            seconds(use.ru_utime) + seconds(use.ru_stime), use.ru_maxrss, rc);
    return fclose(out) != 0 ? 1 : rc;
}
