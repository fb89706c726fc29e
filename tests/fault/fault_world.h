/* fault_world.h: what the crash and I/O tests share: an old and a new collection, builds of both,
 * and the question which of the two a folder holds, bit for bit. For tests only. */
#ifndef RP_TESTS_FAULT_WORLD_H
#define RP_TESTS_FAULT_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "riposte/riposte.h"
#include "tempdir.h"

/* How much slower a sanitised or counted build may be: counts are divided by it. */
#if defined(__SANITIZE_THREAD__)
#define FAULT_SLOW 20
#elif defined(__SANITIZE_ADDRESS__) || defined(RP_COVERAGE)
#define FAULT_SLOW 5
#else
#define FAULT_SLOW 1
#endif

/* ---- Numbers --------------------------------------------------------------------------------- */

uint64_t fault_random(uint64_t *state);                     /* splitmix64 */
uint64_t fault_below(uint64_t *state, uint64_t n);          /* 0 .. n-1 */
uint64_t fault_seed(void);                                  /* RIPOSTE_SEED, SEED, or 1 */
uint64_t fault_count(const char *name, uint64_t otherwise); /* a number from the environment */
/* Whether a loop that has done `done` of `least` rounds goes on: past `least` only in a soak, for
 * `share` of SOAK_MINUTES since the first call with done == 0. */
bool fault_goes_on(uint64_t done, uint64_t least, double share);

/* ---- Collections and indexes ----------------------------------------------------------------- */

/* What the new collection is; the old one always has three short documents. */
typedef struct fault_recipe {
    uint32_t docs, words, word_bytes; /* 0 words: three short documents too */
    bool no_store;
    const char *aux; /* NULL: none */
    uint64_t memory; /* 0: the default */
    uint32_t threads;
} fault_recipe;

extern const fault_recipe fault_tiny;   /* three short documents */
extern const fault_recipe fault_spills; /* over a budget that makes sorted runs be spilled */
extern const fault_recipe fault_wide;   /* an index of about 2 MiB */

typedef struct fault_world {
    tempdir dir; /* in memory where the machine has such a place */
    fault_recipe recipe;
    char old_input[300], new_input[300];
    char pristine[300]; /* an index of the old collection, never written to */
    char index[300];    /* where the test builds */
    char source[300];   /* the new collection in another codec, never written to */
    uint64_t old_print, new_print;
    uint64_t runs; /* that the new build spilled */
} fault_world;

void fault_world_make(fault_world *w, const fault_recipe *recipe);
void fault_world_free(fault_world *w);
/* w->index: the old index, or nothing */
void fault_world_reset(const fault_world *w, bool with_old);

rp_status fault_build_old(const fault_world *w, const char *dir, rp_error *err);
rp_status fault_build_new(const fault_world *w, const char *dir, rp_error *err);
/* the same, from source */
rp_status fault_recode_new(const fault_world *w, const char *dir, rp_error *err);

void fault_remove(const char *dir);                /* a folder of files */
void fault_copy(const char *from, const char *to); /* a folder of files */
void fault_write(const char *path, const void *bytes, size_t n);
uint8_t *fault_read(const char *path, size_t *n); /* NUL-ended; NULL: cannot */

/* ---- Verdicts -------------------------------------------------------------------------------- */

typedef enum fault_found { FAULT_NONE, FAULT_OLD, FAULT_NEW, FAULT_BAD } fault_found;
extern const char *const fault_found_names[];

/* Opens with all checksums, checks, asks, and hashes files, answers and documents. */
rp_status fault_print(const char *dir, uint64_t *print, rp_error *err);
/* The same without questions: an index that was imported answers none with a phrase. */
rp_status fault_print_files(const char *dir, uint64_t *print, rp_error *err);
/* What is in the folder; `why` (256 bytes) says what is bad. */
fault_found fault_look(const fault_world *w, const char *dir, char *why);
/* Files that are neither the manifest nor of its generation; their names to `names` (256 bytes). */
size_t fault_leftovers(const char *dir, char *names);
size_t fault_open_files(void); /* descriptors of this process */

/* A build of the new collection succeeds and leaves only itself; *why is filled otherwise. */
bool fault_recovers(const fault_world *w, const char *dir, char *why);

/* Runs `fn` in a child and waits; the child's wait status. fn's value is its exit code. */
int fault_in_child(int (*fn)(void *arg), void *arg);

#endif
