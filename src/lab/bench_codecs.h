/* lab/bench_codecs.h: rows of codecs measured side by side on one set of lists. */
#ifndef RP_LAB_BENCH_CODECS_H
#define RP_LAB_BENCH_CODECS_H

#include "lab/bench_samples.h"
#include "lab/lab.h"

/* What is measured; the table in bench_codecs.c has a row for each. */
typedef enum rp__bench_measure {
    RP_BENCH_DECODE,    /* all docids of a list into an array */
    RP_BENCH_FREQS,     /* and all frequencies into another */
    RP_BENCH_BLOCKS,    /* all docids, a block at a time into L1, as a cursor does */
    RP_BENCH_UNORDERED, /* the same, each block in an order of its own */
    RP_BENCH_AT,        /* one docid by its rank, at random */
    RP_BENCH_FIND,      /* one next_geq from nowhere, at random */
    RP_BENCH_WALK16,    /* next_geq of a cursor, about 16 postings on */
    RP_BENCH_WALK256,   /* and about 256 */
    RP_BENCH_MEASURES
} rp__bench_measure;

/* "decode", "Gint/s". */
const char *rp__bench_codecs_key(rp__bench_measure measure);
const char *rp__bench_codecs_unit(rp__bench_measure measure);
bool rp__bench_codecs_is_rate(rp__bench_measure measure);

/* One row on one set. A measure that the row does not have has no samples. */
typedef struct rp__bench_row {
    size_t row;
    rp__lab_row about;
    uint64_t docids, directory, freqs; /* bytes of all lists, as rp__lab_sizes has them */
    rp__bench_samples samples[RP_BENCH_MEASURES];
    rp__bench_samples over_memcpy; /* decode against memcpy of the same round */
    size_t place;                  /* 1 is the fastest decoder; equal: no difference was seen */
    rp__lab_list **lists;
    uint64_t pass_ns[RP_BENCH_MEASURES]; /* that a first pass over the set took */
} rp__bench_row;

typedef struct rp__bench_codecs {
    const char *data, *order; /* what the set is called */
    rp__lab_set set;
    size_t n_rows;
    rp__bench_row *rows;                        /* fastest decoder first, once measured */
    rp__bench_samples memcpy_rate, memset_rate; /* copying the docids; storing as many alone */
    uint32_t rounds;
} rp__bench_codecs;

typedef struct rp__bench_effort {
    uint32_t rounds; /* 0: as many as fit `seconds`, 3 to RP_BENCH_SAMPLES */
    double seconds;
} rp__bench_effort;

/* Encodes the set of `bench` with each of its rows (about and row are filled in), checks that all
 * comes back, and measures, round by round, every row once a round. RP_DAMAGED: something came back
 * wrong. */
rp_status rp__bench_codecs_run(rp__bench_codecs *bench, const rp__bench_effort *effort,
                               rp_error *err);
/* Frees rows and set. All zero is fine. */
void rp__bench_codecs_free(rp__bench_codecs *bench);

#endif
