/* oracle/levels.h: a test program once for each level of instructions that this machine has.
 *
 * What the CPU can do is asked once in a process, so each level is a process of its own. */
#ifndef RP_TESTS_ORACLE_LEVELS_H
#define RP_TESTS_ORACLE_LEVELS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu.h"

typedef struct level {
    const char *name; /* as RIPOSTE_SIMD has it */
    uint32_t number;  /* from 0 on */
} level;

static inline int level_run(const level *l, int (*run)(const level *))
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv("RIPOSTE_SIMD", l->name, 1);
        exit(run(l) != 0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 1;
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

/* 0: all runs gave 0. Nothing before it may have asked what the CPU can do. */
static inline int levels_run(int (*run)(const level *))
{
    static const char *const names[] = {"scalar", "avx2", "avx512"};
    uint32_t known = UINT32_MAX, allowed = rp__cpu_features_of(getenv("RIPOSTE_SIMD"));
    int failed = 0;
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        uint32_t features = rp__cpu_features_of(names[i]) & allowed;
        if (features == known)
            printf("skip %s: this machine lacks the instructions, or RIPOSTE_SIMD hides them\n",
                   names[i]);
        else
            failed |= level_run(&(level){names[i], i}, run);
        known = features;
    }
    return failed;
}

#endif
