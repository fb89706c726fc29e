/* fault/sample.h: a collection and questions to it, for tests that do harm to an index.
 *
 * The collection is made from a seed: words by Zipf's law, so that some lists have many blocks
 * and most are tiny; phrases that recur; titles. Answers are kept as checksums of all that a
 * user sees. */
#ifndef RP_TESTS_FAULT_SAMPLE_H
#define RP_TESTS_FAULT_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "riposte/riposte.h"

/* xorshift; never 0. */
typedef struct sample_random {
    uint64_t state;
} sample_random;
sample_random sample_seed(uint64_t seed);
uint64_t sample_next(sample_random *r);
/* Below n, which is at least 1. */
size_t sample_below(sample_random *r, size_t n);

/* SEED of the environment, else `otherwise`. */
uint64_t sample_env_seed(uint64_t otherwise);

/* Writes a collection of JSONL with n documents. Aborts the test program where it cannot. */
void sample_write(const char *path, size_t n_docs, uint64_t seed);

/* ---- Questions ------------------------------------------------------------------------------- */

typedef struct sample_query {
    const char *text;
    rp_mode mode;
    const char *variant; /* NULL: default */
    size_t k;            /* 0: 10 */
} sample_query;

/* Every shape: words, AND, OR, andor, phrases, slop, prefixes, trees, boosts, repeated words. */
extern const sample_query sample_queries[];
size_t sample_query_count(void);

/* What came of one question: with RP_OK a checksum of hits, scores, names and total; never of
 * times. */
typedef struct sample_answer {
    rp_status status;
    uint64_t checksum;
    rp_error err;
} sample_answer;

enum {
    SAMPLE_QUERIES = 29,
    SAMPLE_DOCUMENTS = 6,
    SAMPLE_ANSWERS = SAMPLE_QUERIES + SAMPLE_DOCUMENTS
};

/* Asks all queries, then for documents spread over the collection (of `n_docs`), with a snippet and
 * an explanation of each. `out` has SAMPLE_ANSWERS. */
void sample_ask(const rp_index *index, size_t n_docs, sample_answer *out);

typedef struct sample_verdict {
    size_t right, refused, wrong; /* refused: a failure that has a message */
    size_t first_wrong;
} sample_verdict;

sample_verdict sample_compare(const sample_answer *sound, const sample_answer *now);

/* ---- Folders --------------------------------------------------------------------------------- */

/* A checksum over the names and bytes of all files in a folder, without order; 0: no folder. */
uint64_t sample_folder_checksum(const char *dir);
size_t sample_folder_count(const char *dir);

#endif
