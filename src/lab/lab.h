/* lab/lab.h: the laboratory: codecs by row, on arrays, searches without their trimmings, and
 * kernels on synthetic data, for those who measure and study them.
 *
 * Chapters: 1 rows; 2 lists; 3 work; 4 data; 5 queries; 6 probes; 7 kernels; 8 models.
 * The program, the tests and bench/ link it (liblab.a); it is no part of the library, and it is not
 * installed. A row is a codec as one instruction set runs it; rows of one codec write and read the
 * same bytes. */
#ifndef RP_LAB_LAB_H
#define RP_LAB_LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab/bench_query_set.h"
#include "riposte/index.h"
#include "riposte/search.h"
#include "riposte/status.h"

/* ---- 1. Rows --------------------------------------------------------------------------------- */

typedef struct rp__lab_row {
    const char *name; /* of the codec */
    uint32_t id;      /* of the codec, as it is on disk */
    const char *isa;  /* "scalar", "avx2", "avx512" */
    bool can_run;     /* this machine has the instructions, and RIPOSTE_SIMD does not hide them */
    bool has_decode;  /* its own way to decode whole lists */
    /* what rp__lab_at, rp__lab_find and rp__lab_unordered use */
    bool has_at, has_find, has_unordered;
    bool has_own_freqs; /* frequencies lie among the docids: their sizes are one */
} rp__lab_row;

/* The i-th row; false past the last. The default codec comes first, the best row of each codec
 * first. */
bool rp__lab_row_get(size_t i, rp__lab_row *out);
/* The row of this codec and instruction set; isa NULL or "best": the best that can run here.
 * RP_NOT_FOUND: no such codec, or it has no such row; RP_UNAVAILABLE: it cannot run here. */
rp_status rp__lab_row_find(const char *name, const char *isa, size_t *out, rp_error *err);

/* ---- 2. Lists -------------------------------------------------------------------------------- */

/* Options of an encoder. All zero: the row's own choice. */
typedef struct rp__lab_options {
    bool has_exceptions, has_level;
    double exceptions; /* the share of values that become exceptions: 0 to 0.6 */
    uint32_t level;    /* of recursion: 0 to 4 */
    double c;          /* of qs: a low part has log2(c * mean gap) bits; 0.25 to 16, 0: 1 */
    /* of pfd, newpfd, parapfor: postings of a block, 64 or 128; 0: 128 */
    uint32_t segment;
    uint32_t max_size; /* of iiu: postings of the largest block, 1 to 256; 0: 256 */
} rp__lab_options;

/* One encoded list, in memory of its own. Any thread, read only. */
typedef struct rp__lab_list rp__lab_list;

/* Encodes n rising docids, the last below UINT32_MAX, and their frequencies, at least 1 each (NULL:
 * all 1). `options` may be NULL. Free what this returns. */
rp_status rp__lab_list_new(size_t row, const rp__lab_options *options, const uint32_t *docids,
                           const uint32_t *tfs, size_t n, rp__lab_list **out, rp_error *err);
void rp__lab_list_free(rp__lab_list *list); /* NULL is fine */

/* Bytes; the three parts are the whole. */
typedef struct rp__lab_sizes {
    uint64_t docids;    /* the docids' payload; with the frequencies where has_own_freqs */
    uint64_t directory; /* what finds a block: last docids, offsets, ranks, head, padding */
    uint64_t freqs;     /* the frequencies' payload, its offsets, and the blocks' score bounds */
    uint32_t n, blocks; /* postings; blocks */
} rp__lab_sizes;

void rp__lab_list_get_sizes(const rp__lab_list *list, rp__lab_sizes *out);

/* ---- 3. Work --------------------------------------------------------------------------------- */

/* Every call leaves a sum that depends on what it found, so that a caller who looks at it knows
 * that the work was done, and can check it. RP_DAMAGED cannot be, unless an encoder is wrong. */

enum { RP_LAB_ROOM = 320 }; /* uint32 that a decoder may write past the count */

/* All docids and, unless tfs is NULL, all frequencies, each into n + RP_LAB_ROOM. The sum is that
 * of the first, the middle and the last docid, and frequency. */
rp_status rp__lab_decode(const rp__lab_list *list, uint32_t *docids, uint32_t *tfs, uint64_t *sum);
/* The same docids in order, a block at a time into one block's room, as a cursor does it. The sum
 * is that of each block's last docid. */
rp_status rp__lab_blocks(const rp__lab_list *list, uint64_t *sum);
/* The same docids, 16 blocks at a time into one room of 8 KiB, each block in the row's own order,
 * which is enough to ask what is in it. The sum is that of one docid of each block. RP_USAGE
 * without has_unordered. */
rp_status rp__lab_unordered(const rp__lab_list *list, uint64_t *sum);
/* The docids at these ranks, one by one. The sum is that of the docids. RP_USAGE without has_at (of
 * auto: where the codec of the list has none), or for a rank that is not below n. */
rp_status rp__lab_at(const rp__lab_list *list, const uint32_t *ranks, size_t n_ranks,
                     uint64_t *sum);
/* For each target, alone, the first docid that is not below it: by the row's own find, or else by
 * the directory and one decoded block. The sum is that of those docids; UINT32_MAX where there is
 * none. */
rp_status rp__lab_find(const rp__lab_list *list, const uint32_t *targets, size_t n_targets,
                       uint64_t *sum);
/* The same for rising targets, by one cursor that walks. */
rp_status rp__lab_walk(const rp__lab_list *list, const uint32_t *targets, size_t n_targets,
                       uint64_t *sum);

/* ---- 4. Data --------------------------------------------------------------------------------- */

typedef struct rp__lab_postings {
    uint32_t n;
    const uint32_t *docids, *tfs;
} rp__lab_postings;

/* A set of plain lists. Read only but for rp__lab_set_permute. */
typedef struct rp__lab_set {
    size_t n_lists;
    const rp__lab_postings *lists;
    uint64_t n;        /* postings of all lists */
    uint32_t longest;  /* postings of the longest */
    uint32_t universe; /* every docid is below it */
    bool has_twins;    /* the lists are draws of one kind, to be used in turn */
    void *memory;      /* Riposte's own */
} rp__lab_set;

/* A synthetic set by name; the same seed gives the same set. docids are below 25,200,000; tf - 1 is
 * geometric (0.6; for 3 of 100, 0.1).
 *   U<n>, as U10K or U5M: lists of n distinct uniform docids; 1 to 16 of them, about 200K docids in
 *   all; C<n>: the same, clustered as by Anh and Moffat; n from 128 to 12M;
 *   Z: 2,000 lists, the r-th of 5M / r docids, uniform where r is odd, clustered where it is even.
 * RP_NOT_FOUND: no such name. */
bool rp__lab_set_is_name(const char *name);
rp_status rp__lab_set_make(const char *name, uint64_t seed, rp__lab_set *out, rp_error *err);
/* The lists of an index with at least `least` postings, in the order of their terms. RP_NOT_FOUND:
 * there is none. */
rp_status rp__lab_set_load(const rp_index *index, uint32_t least, rp__lab_set *out, rp_error *err);
/* The list of one term, as the index's analyzer sees the word. RP_NOT_FOUND: it has none. */
rp_status rp__lab_set_load_term(const rp_index *index, const char *word, rp__lab_set *out,
                                rp_error *err);
/* Gives every document another number, by a permutation that depends on the seed, and sorts
 * again. */
rp_status rp__lab_set_permute(rp__lab_set *set, uint64_t seed, rp_error *err);
void rp__lab_set_free(rp__lab_set *set); /* NULL and all zero are fine */

/* ---- 5. Queries ------------------------------------------------------------------------------ */

typedef struct rp__lab_hit {
    uint32_t docid, fixed; /* as rp_hit has them */
} rp__lab_hit;

typedef struct rp__lab_answer {
    size_t n;
    const rp__lab_hit *at; /* best first; until the searcher's next call */
    uint64_t total;
    bool total_is_exact;
    uint64_t postings;
    const char *processor; /* which one answered */
} rp__lab_answer;

/* rp_searcher_search without the names of the hits: the work that all search engines share. */
rp_status rp__lab_search(rp_searcher *searcher, const char *query, size_t query_bytes,
                         rp__lab_answer *out, rp_error *err);

/* What a query asks of an index. */
typedef struct rp__lab_question {
    size_t words, known; /* that differ; of them, in the index */
    uint64_t postings;   /* of their lists, in all */
    /* postings of these lists; shortest 0: a word is not in the index */
    uint64_t shortest, second, longest;
    uint64_t in_pair; /* rp__auto_processor_count_pair */
    uint64_t weighed; /* postings that MaxScore is likely to read */
} rp__lab_question;

rp_status rp__lab_query_look(rp_searcher *searcher, const char *query, size_t query_bytes,
                             rp__lab_question *out, rp_error *err);

/* ---- 6. Probes ------------------------------------------------------------------------------- */

/* A way to find some rising docids in a list, as one instruction set runs it. */
typedef struct rp__lab_probe {
    const char *name, *isa; /* isa: "scalar", "avx2", "avx512" */
    bool can_run;           /* here */
} rp__lab_probe;

/* The i-th; false past the last. The plain merge comes first. */
bool rp__lab_probe_get(size_t i, rp__lab_probe *out);

/* A list to be probed. Any thread, read only. */
typedef struct rp__lab_target rp__lab_target;

/* Of an encoded list and its n docids, or of these docids as an array (list NULL); both must
 * outlive it. bucket: with an index of buckets of so many postings (8, 16, .. 1024); 0: without.
 * RP_NOT_FOUND: no such buckets. */
rp_status rp__lab_target_new(const rp__lab_list *list, const uint32_t *docids, size_t n,
                             uint32_t bucket, rp__lab_target **out, rp_error *err);
void rp__lab_target_free(rp__lab_target *target); /* NULL is fine */
/* Whether the probe can search it, here. */
bool rp__lab_probe_applies(size_t probe, const rp__lab_target *target);
/* The probe that a query takes to find n docids; 0 without a target. */
size_t rp__lab_probe_choose(const rp__lab_target *target, size_t n);
/* How many of n rising docids the list holds; where they are in the list, too, if has_ranks, which
 * costs time. RP_USAGE for a probe that does not apply.
 * Unless out is NULL they are left there, n at most. */
rp_status rp__lab_probe_find(size_t probe, const rp__lab_target *target, const uint32_t *docids,
                             size_t n, bool has_ranks, uint32_t *out, size_t *found);

/* Joules used since some moment: of the processor, by the kernel's counters; of the first card, by
 * its driver. */
typedef struct rp__lab_energy {
    bool has_cpu, has_gpu; /* whether they can be read here */
    double cpu, gpu;
} rp__lab_energy;

void rp__lab_energy_read(rp__lab_energy *out);

/* ---- 7. Kernels ------------------------------------------------------------------------------ */

/* A kernel on made data. */
typedef struct rp__lab_case {
    const char *area, *name; /* "decode", "bp128 w8" */
    const char *twin;        /* the simple kernel that it stands against; NULL: none */
    /* it takes the steps of one of the five papers, and no others; else it is ours */
    bool is_literal;
} rp__lab_case;

/* The i-th; false past the last. The copy that others are measured by comes first. */
bool rp__lab_case_get(size_t i, rp__lab_case *out);

enum { RP_LAB_CASE_NAME = 96 };
typedef struct rp__lab_case_figures {
    char name[RP_LAB_CASE_NAME]; /* what was measured: the case's name, with what was given */
    double median, best;         /* seconds by the device's clock, cold */
    /* seconds of one core for the same; 0: lists are damaged, nobody has an answer */
    double cpu;
    /* that it cannot do without: read and written; decoded, searched, ... */
    uint64_t bytes, elements;
    /* seconds of each launch of one run, in their order, of which the first 16 are there */
    size_t n_launches;
    double launches[16];
} rp__lab_case_figures;

/* Lists and queries of an index, for cases. */
typedef struct rp__lab_source rp__lab_source;

typedef struct rp__lab_source_options {
    const rp__bench_query_set *queries; /* NULL: all lists of the index, and no queries */
    uint64_t postings;                  /* about so many in all */
    /* postings of a list that is taken; max 0: any number */
    uint32_t min_length, max_length;
} rp__lab_source_options;

/* Reads them. Options and their queries must outlive it. RP_NOT_FOUND: no list is wanted. Free what
 * this returns, after a failure too. */
rp_status rp__lab_source_open(const rp_index *index, const rp__lab_source_options *options,
                              rp__lab_source **out, rp_error *err);
void rp__lab_source_free(rp__lab_source *source); /* NULL is fine */

/* Parameters of cases, by name. */
enum { RP_LAB_PARAMS = 6 };
const char *rp__lab_param_name(size_t i); /* NULL past the last */

/* What is given to a case in place of what it has. */
typedef struct rp__lab_given {
    const rp__lab_source *source; /* NULL: its data are drawn */
    bool has[RP_LAB_PARAMS];      /* by parameter */
    double value[RP_LAB_PARAMS];
} rp__lab_given;

/* RP_USAGE: a parameter is outside of the range of case i. */
rp_status rp__lab_case_check(size_t i, const rp__lab_given *given, rp_error *err);
/* Whether case i has the parameter; whether it runs on lists of an index, or on its queries. */
bool rp__lab_case_has(size_t i, size_t param);
bool rp__lab_case_takes(size_t i, const rp__lab_source *source);

/* A GPU that cases run on. One thread at a time. */
typedef struct rp__lab_gpu rp__lab_gpu;

/* `gpu` as in rp_search_options. RP_UNAVAILABLE: why not. */
rp_status rp__lab_gpu_open(const char *gpu, rp__lab_gpu **out, rp_error *err);
void rp__lab_gpu_close(rp__lab_gpu *gpu); /* NULL is fine */
const char *rp__lab_gpu_name(const rp__lab_gpu *gpu);
/* Runs case i on about n elements, 1 to 2^32 - 1, once to check the answer, then `rounds` times.
 * RP_DAMAGED: it is wrong. */
rp_status rp__lab_gpu_run(rp__lab_gpu *gpu, size_t i, uint64_t n, uint32_t rounds,
                          rp__lab_case_figures *out, rp_error *err);
/* The same with what is given. RP_USAGE: a parameter is outside of the case's range. */
rp_status rp__lab_gpu_run_given(rp__lab_gpu *gpu, size_t i, const rp__lab_given *given, uint64_t n,
                                uint32_t rounds, rp__lab_case_figures *out, rp_error *err);

/* ---- 8. Models ------------------------------------------------------------------------------- */

/* Ao et al. 2011: the line of a list (4.3), how far a random list strays from its line (appendix
 * E), what a look-up along lines costs (5.3, formula 2), and buckets of hash segmentation (4.4). */

/* The line of least squares from ranks, which count from 1, to docids. */
typedef struct rp__lab_line {
    double slope, intercept;
    double determination;          /* R^2: 1 for a straight line */
    double contraction;            /* the share of the list that a safe range has */
    double local_mean, local_most; /* the same of segments of 256, each with a line of its own */
    uint32_t width;                /* bits of the largest residual, counted from the smallest */
} rp__lab_line;

/* n rising docids, at least 1. RP_USAGE without. */
rp_status rp__lab_line_fit(const uint32_t *docids, size_t n, rp__lab_line *out);

/* Of n docids drawn at random from 1 to m, the one in the middle, which strays most. */
typedef struct rp__lab_random_list {
    double mean, variance;
    double distance; /* it is farther from the line with a probability below epsilon */
    uint32_t width;  /* bits that a residual then takes */
} rp__lab_random_list;

/* By the moment of order r (the paper has 22 and an epsilon of 10^-5). RP_USAGE unless
 * 1 <= n <= m < 2^32, r is 2 to 64, and epsilon is above 0 and below 1. */
rp_status rp__lab_random_list_model(uint64_t m, uint64_t n, uint32_t r, double epsilon,
                                    rp__lab_random_list *out);

/* A list that is looked up in. */
typedef struct rp__lab_lookup_list {
    double n;                              /* postings */
    double contraction, local_contraction; /* of the list; the largest of its segments */
} rp__lab_lookup_list;

/* What one docid takes to be looked up in all of them. */
typedef struct rp__lab_lookup {
    double headed;   /* lrc and lrcseg, with the first docids of segments apart */
    double headless; /* the same without them */
    double local;    /* seglrc, whose segments have lines */
} rp__lab_lookup;

/* segment: postings of one, above 0; access and compare: what an access to memory and a comparison
 * cost. */
rp_status rp__lab_lookup_model(const rp__lab_lookup_list *lists, size_t n, double segment,
                               double access, double compare, rp__lab_lookup *out);

/* Sizes of the buckets that hs has with `bucket` postings at most, on average. The last bucket of a
 * list, of which the end is empty, does not count for mean and variances. */
enum { RP_LAB_BUCKET_KINDS = 8, RP_LAB_BUCKET_SIZES = 4096 };
typedef struct rp__lab_buckets {
    uint32_t bucket; /* 8, 16, .. 1024 */
    uint64_t buckets, empty, largest;
    double mean;
    double variance; /* about the mean that the binomial distribution has for the list */
    double binomial; /* the variance of that distribution */
    /* buckets of each size; the last entry has all larger ones too */
    uint64_t sizes[RP_LAB_BUCKET_SIZES];
} rp__lab_buckets;

/* Of all lists with at least min_postings postings, or of one term's (word not NULL). `out` has
 * RP_LAB_BUCKET_KINDS entries. RP_NOT_FOUND: there is no such list. */
rp_status rp__lab_buckets_count(const rp_index *index, const char *word, uint32_t min_postings,
                                rp__lab_buckets *out, rp_error *err);

#endif
