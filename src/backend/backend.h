/* backend/backend.h: the door of backend: what a bound query is, and the processors that answer it.
 *
 * A query is a program of ops in reading order: OPEN ... CLOSE around a group, TERM and PHRASE as
 * leaves. Each child has a role in its group: a group matches where all MUST children match (where
 * it has none: at least one SHOULD child) and no NOT child does; its score is the sum of the scores
 * of its MUST and SHOULD children that match. The program is one group. No processor recurses on
 * it. */
#ifndef RP_BACKEND_BACKEND_H
#define RP_BACKEND_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "index/index.h"
#include "rank/rank.h"
#include "riposte/processor.h"
#include "riposte/status.h"

typedef enum rp__op_kind { RP_OP_OPEN, RP_OP_CLOSE, RP_OP_TERM, RP_OP_PHRASE } rp__op_kind;
typedef enum rp__role { RP_SHOULD, RP_MUST, RP_NOT } rp__role;

typedef struct rp__op {
    uint8_t kind, role; /* role of CLOSE: that of its OPEN */
    uint32_t leaf;      /* TERM, PHRASE: index into leaves. OPEN: index of its CLOSE; and back */
} rp__op;

/* A word of the query as the index knows it; df is 0 where it does not. */
typedef struct rp__word {
    rp__term term;
    uint32_t offset;  /* in a phrase: its position after the first word's */
    const char *text; /* in the query's arena, for explain */
    uint32_t text_bytes;
} rp__word;

typedef struct rp__leaf {
    rp__weight weight;
    uint32_t word, n_words; /* words[word .. word + n_words); 1 for a term */
    uint32_t slop;
} rp__leaf;

/* What was done for a query, stage by stage, by whichever processors. */
typedef struct rp__trace_event {
    const char *stage, *processor; /* static: "search", "meet"; "cpu" */
    uint64_t begin, end;           /* by rp__clock_now */
    uint64_t elements;             /* postings decoded */
    uint64_t bytes;                /* uploaded to a device */
} rp__trace_event;

typedef struct rp__trace {
    rp__trace_event *events;  /* the caller's */
    size_t n, max;            /* past max events are counted, not kept */
    uint64_t elements, bytes; /* of all events */
    /* (optional) the caller's: what was launched on devices, each kernel once; of more than
     * max_kernels the first ones */
    rp_kernel_count *kernels;
    size_t n_kernels, max_kernels;
    /* (optional) by word of the query: blocks of its list that cores decoded, each as often as it
     * was; has_blocks: a core has counted */
    uint32_t *blocks;
    const struct rp__word *words;
    size_t n_words;
    bool has_blocks;
} rp__trace;

/* Now, or 0 where nobody traces. */
uint64_t rp__trace_begin(const rp__trace *trace);
/* Adds an event that ends now. `trace` may be NULL. */
void rp__trace_end(rp__trace *trace, const rp__trace_event *event);
/* Adds launches of a kernel, whose name is static. */
void rp__trace_kernel(rp__trace *trace, const char *name, uint64_t launches);

typedef struct rp__query {
    const rp__segment *segment;
    const rp__rank *rank;
    const float *norms; /* by length code */
    rp__lengths lengths;
    const rp__op *ops; /* ops[0] is OPEN, ops[n_ops-1] its CLOSE; n_ops 0: matches nothing */
    const rp__leaf *leaves;
    const rp__word *words;
    size_t n_ops, n_leaves, n_words;
    uint32_t depth; /* of groups, at least 1 */
    int32_t fraction_bits;
    size_t k;              /* 0: the total alone is wanted */
    bool exact_total;      /* otherwise it may be a lower bound */
    bool has_unknown;      /* a word of the query is in no document */
    bool is_or_fallback;   /* the OR of andor: the AND of its words was answered before */
    bool has_bounds;       /* what lists say of their best postings holds for this ranking */
    uint32_t begin, end;   /* documents asked about: begin <= docid < end */
    const char *algorithm; /* by name; NULL: the processor's choice */
    _Atomic uint32_t
        *floor;    /* (optional) shared by queries about parts of an index: k documents score so
                              * much or more */
    uint64_t work; /* what it costs at most (plan.h) */
    const _Atomic uint32_t
        *stop;        /* (optional) once it is not 0, the query ends with RP_INTERRUPTED: processors
                                   * read it between blocks of candidates, launches and steps */
    rp__trace *trace; /* (optional) */
} rp__query;

/* RP_INTERRUPTED: the query is to stop. */
rp_status rp__stop_check(const rp__query *query, rp_error *err);

typedef struct rp__answer {
    rp__scored *at; /* in the arena; best first */
    size_t n;
    uint64_t total;
    bool total_is_exact;
    rp_fallback fallback; /* why a device did not answer; also where `run` fails */
    uint64_t postings;    /* decoded */
    rp_gpu_counters gpu;  /* what was done for it, in vain too; of a group, with its first query */
    rp_iiu_counters iiu;  /* likewise */
    /* (optional) Of a query of a batch that failed: what to say, in the arena. No other processor
     * is asked then. */
    const char *failure;
} rp__answer;

/* Nothing yet. By parts: of so many bytes at once compilers make a slow string instruction, and
 * batches clear millions. */
static inline void rp__answer_clear(rp__answer *answer)
{
    answer->at = NULL;
    answer->n = 0;
    answer->total = 0;
    answer->total_is_exact = false;
    answer->fallback = RP_FALLBACK_NONE;
    answer->postings = 0;
    answer->gpu = (rp_gpu_counters){0};
    answer->iiu = (rp_iiu_counters){0};
    answer->failure = NULL;
}

static inline void rp__answer_count(rp_gpu_counters *to, const rp_gpu_counters *more)
{
    to->launches += more->launches;
    to->uploaded_bytes += more->uploaded_bytes;
    to->transcoded_postings += more->transcoded_postings;
    to->host_decoded_lists += more->host_decoded_lists;
    to->host_decoded_postings += more->host_decoded_postings;
}

static inline void rp__answer_count_iiu(rp_iiu_counters *to, const rp_iiu_counters *more)
{
    to->operations += more->operations;
    to->cycles += more->cycles;
    to->memory_bytes += more->memory_bytes;
    to->hits_are_cpus = to->hits_are_cpus || more->hits_are_cpus;
}

/* A form with the query's lists, and all else 0. */
rp_form rp__form_count(const rp__query *query);

/* One of many queries that are asked at once. */
typedef struct rp__batch_item {
    rp__query query;
    rp__answer answer;
    rp_status status; /* as `run` would have returned it */
} rp__batch_item;

/* What a query has come to between two steps: documents that match so far, rising, and their
 * scores. */
typedef struct rp__partial {
    uint32_t *docids, *scores; /* in an arena */
    uint32_t n;
    uint64_t postings;   /* decoded for it so far, by whichever processors */
    rp_gpu_counters gpu; /* what devices did for it so far */
} rp__partial;

/* Documents among which all matches of a query are. */
typedef struct rp__given {
    rp__partial partial;
    /* by leaf: a term that the outermost group must match. They are all in its list, and their
     * scores have what it contributes. */
    const bool *met;
} rp__given;

/* A flat AND of terms step by step, so that the caller can stop, time or move it after each one.
 * `leaf` is a rank: 0 is the leaf with the shortest list, of equal ones the first in the query. A
 * step that fails leaves the run to be closed; a step before which there are no candidates is
 * RP_USAGE. A state has one run at a time. All are called under rp__mapping_guard. */
typedef struct rp__steps {
    /* RP_UNAVAILABLE: the query is no flat AND of terms. `err` is used by all steps. */
    rp_status (*open)(void *state, const rp__query *query, rp__arena *arena, void **run,
                      rp_error *err);
    /* candidates: all documents of its list, with no score */
    rp_status (*start)(void *run, uint32_t leaf);
    rp_status (*meet)(void *run, uint32_t leaf); /* drops candidates that are not in its list */
    /* adds what it contributes to candidates in its list */
    rp_status (*score)(void *run, uint32_t leaf);
    /* meet and score for each of first..last */
    rp_status (*narrow)(void *run, uint32_t first, uint32_t last);
    /* the k best candidates; their number is the total */
    rp_status (*select)(void *run, rp__answer *answer);
    uint32_t (*count)(const void *run); /* candidates; 0 also where there are none yet */
    rp_status (*put)(void *run, const rp__partial *partial); /* candidates from elsewhere */
    /* What the run has, in its arena. It has none then: put or start is next. */
    rp_status (*take)(void *run, rp__partial *partial);
    /* Postings and gpu of the answer: what was done so far, for steps that failed too. Its
     * fallback: why a device could not take the last one. The rest is left as it is. */
    void (*report)(const void *run, rp__answer *answer);
    void (*close)(void *run);
} rp__steps;

/* Which devices of a processor, and how much of them. All zero: its own choice. */
typedef struct rp__place {
    /* "emulated", or cards by number: "0", "0,1"; NULL: RIPOSTE_GPU, else card 0 */
    const char *gpu;
    uint64_t gpu_memory;  /* bytes of each to use at most; 0: what is there */
    uint32_t gpu_timeout; /* milliseconds that a device may take for what it is asked; 0: 10 s */
} rp__place;

/* A device, for people. */
typedef struct rp__device_info {
    char name[96];
    uint64_t memory;
    uint32_t multiprocessors;
    int driver; /* its version: 13000 is CUDA 13.0 */
    bool is_emulated;
} rp__device_info;

/* What an algorithm is to be used for. */
typedef struct rp__algorithm_use {
    const rp__segment *segment;
    size_t k;           /* the best documents that are wanted */
    bool is_and, is_or; /* what words side by side mean; both: an OR may follow the AND */
} rp__algorithm_use;

/* One row a processor. */
typedef struct rp__backend {
    const char *name;                   /* "cpu", "gpu", "iiu" */
    const char *(*algorithm)(size_t i); /* names of its algorithms; NULL past the last */
    /* (optional) Of algorithms that take options (algorithm_spec.h): whether `spec` can answer
     * such queries. RP_USAGE: why it cannot. */
    rp_status (*check_algorithm)(const char *spec, const rp__algorithm_use *use, rp_error *err);
    /* (optional) The i-th device; RP_NOT_FOUND past the last, RP_UNAVAILABLE: why there is none. */
    rp_status (*device)(const rp__place *place, size_t i, rp__device_info *out, rp_error *err);
    /* (optional, together) What the processor keeps of an index: `run` has it as its state. */
    rp_status (*attach)(const rp__segment *segment, const rp__place *place, void **state,
                        rp_error *err);
    void (*detach)(void *state);
    /* (optional) RP_UNAVAILABLE: the devices of its state were lost, and why; they do not come back
     * in this process. */
    rp_status (*health)(void *state, rp_error *err);
    /* Answers; scratch and result in the arena. Called under rp__mapping_guard: owns nothing else.
     * RP_INTERRUPTED: the answer has what was found until the query was stopped, or nothing.
     * RP_UNAVAILABLE, RP_NO_MEMORY: the processor cannot, now or ever; another one may. Then a
     * device has left its reason in answer->fallback, and what it did in answer->gpu; the rest of
     * the answer means nothing. */
    rp_status (*run)(void *state, const rp__query *query, rp__arena *arena, rp__answer *answer,
                     rp_error *err);
    /* (optional) As `run`, by a processor without a state: matches are found among given documents,
     * and nowhere else. */
    rp_status (*finish)(const rp__query *query, const rp__given *given, rp__arena *arena,
                        rp__answer *answer, rp_error *err);
    /* (optional) What `run` would do; scratch in the arena. Fails only where that cannot be found
     * out: RP_NO_MEMORY, RP_DAMAGED. */
    rp_status (*form)(void *state, const rp__query *query, rp__arena *arena, rp_form *out,
                      rp_error *err);
    /* (optional) The guard has left `run`: gives back what that had, so that others need not wait
     * for it. */
    void (*abandon)(void *state);
    /* (optional, together) Queries that are answered at once, by the state of one attach. A batch
     * is one thread's at a time. Before detach, free them all. */
    rp_status (*batch_new)(void *state, void **batch, rp_error *err);
    void (*batch_free)(void *batch);
    /* Begins to answer those whose status is RP_OK; asked[0..n) and the arena are the batch's until
     * finish, which waits, and leaves each with its status, and with `fallback` and `gpu` of its
     * answer as `run` does. Both are called under rp__mapping_guard. Where it leaves start, nothing
     * has begun; where it leaves finish, all is over. */
    void (*batch_start)(void *batch, rp__batch_item *asked, size_t n, rp__arena *arena);
    void (*batch_finish)(void *batch, rp__batch_item *asked, size_t n, rp__arena *arena);
    /* Hits that its answers may have together, where a query may have many; 0: any number. */
    size_t batch_hits;
    /* (optional) Whether batch_finish of a batch that was started would not wait. */
    bool (*poll)(void *batch);
    /* (optional) Of what was finished last: nanoseconds from a launch's being ready until the
     * device had it, all together. */
    uint64_t (*batch_start_ns)(void *batch);
    /* (optional) Adds the launches of kernels since it was called last. */
    void (*batch_kernels)(void *batch, rp__trace *trace);
    void (*batch_abandon)(void *batch); /* (optional) as abandon, where the guard has left either */
    const rp__steps *steps;             /* (optional) */
} rp__backend;

const rp__backend *rp__backend_find(const char *name); /* NULL: no such name */
const rp__backend *rp__backend_at(size_t i);           /* NULL past the last */

/* Phrase matches in one document: how many positions of the first word start one. A start p does so
 * if each other word w, in order, has a position: the one nearest to p + offsets[w] (the smaller of
 * two as near) that no word before it took; and the distances add up to at most `slop`. Without
 * slop that is: every word stands exactly at its offset. at[w], n[w]: rising positions of word w;
 * offsets[0] is 0; scratch: 2 * n_words. The reference for every processor. */
uint32_t rp__phrase_count(const uint32_t *const *at, const uint32_t *n, const uint32_t *offsets,
                          uint32_t n_words, uint32_t slop, uint32_t *scratch);
/* An exact phrase word by word, in any order of words: the starts that the first word taken
 * allows, then those of them that the next one does, in place; what is left of the last is the
 * count. Each returns how many; `starts` has room for n, and of `at` RP_PHRASE_ROOM may be read
 * whatever n is. */
enum { RP_PHRASE_ROOM = 16 };
uint32_t rp__phrase_begin(const uint32_t *at, uint32_t n, uint32_t offset, uint32_t *starts);
uint32_t rp__phrase_narrow(uint32_t *starts, uint32_t n_starts, const uint32_t *at, uint32_t n,
                           uint32_t offset);

#endif
