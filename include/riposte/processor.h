/* riposte/processor.h: what a GPU did for a query, why it did not answer one, and what a processor
 * would do.
 *
 * A query that a GPU is asked for and does not answer falls back to the CPU, with identical
 * hits. Neither that nor work that the host does for the GPU is silent: every answer has these
 * records. */
#ifndef RIPOSTE_PROCESSOR_H
#define RIPOSTE_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Why. X(code, name, reason); the reason completes the sentence "the gpu did not answer the query:
 * ...". */
#define RP_FALLBACK_MAP(X)                                                                         \
    X(RP_FALLBACK_NONE, "none", "it did")                                                          \
    X(RP_FALLBACK_FORM, "form", "its form is neither an AND nor an OR of terms alone")             \
    X(RP_FALLBACK_TERMS, "terms", "it has too many terms")                                         \
    X(RP_FALLBACK_K, "k", "its k is over the limit of the gpu")                                    \
    X(RP_FALLBACK_EXACT_TOTAL, "exact_total", "it asks for the exact total of an OR")              \
    X(RP_FALLBACK_RANKING, "ranking", "its ranking is neither BM25 nor IIU")                       \
    X(RP_FALLBACK_ALGORITHM, "algorithm", "its algorithm is not the gpu's, or has no such form")   \
    X(RP_FALLBACK_RANGE, "range", "it is about a part of the documents")                           \
    X(RP_FALLBACK_LENGTHS, "lengths", "the index has no document lengths")                         \
    X(RP_FALLBACK_DAMAGED, "damaged", "a list is damaged")                                         \
    X(RP_FALLBACK_MEMORY, "memory", "the gpu has no memory left for it")                           \
    X(RP_FALLBACK_HOST_MEMORY, "host_memory", "it needs more memory of the host than it may use")  \
    X(RP_FALLBACK_INDEX, "index", "the index does not fit into the memory of the gpu")             \
    X(RP_FALLBACK_BATCH, "batch", "the launch of its group is full")                               \
    X(RP_FALLBACK_GROUP, "group", "the other queries of its group have other options")             \
    X(RP_FALLBACK_PHRASE, "phrase", "too many documents have all terms of the phrase")             \
    X(RP_FALLBACK_CROWDED, "crowded",                                                              \
      "too many documents score near the k best, or a list is damaged")                            \
    X(RP_FALLBACK_FAULT, "fault", "the gpu failed")                                                \
    X(RP_FALLBACK_DEADLINE, "deadline", "the gpu did not finish in time")                          \
    X(RP_FALLBACK_CHILD, "child", "the process that uses the gpu could not take it")               \
    X(RP_FALLBACK_POLICY, "policy", "the policy gave it to a core")

typedef enum rp_fallback {
#define RP_FALLBACK_ENUM(code, name, reason) code,
    RP_FALLBACK_MAP(RP_FALLBACK_ENUM)
#undef RP_FALLBACK_ENUM
        RP_FALLBACKS /* how many */
} rp_fallback;

/* Static strings; "unknown" for a value that is none. */
const char *rp_fallback_name(rp_fallback fallback);
const char *rp_fallback_text(rp_fallback fallback);

/* Work for a query, whoever answered it in the end. Where several queries are answered by one
 * launch, the work for all of them is counted with one query of the group, so that sums are right.
 * Copies of the index that are made when a searcher is opened are not counted. */
typedef struct rp_gpu_counters {
    /* of kernels; a query that a persistent kernel answers has none */
    uint64_t launches;
    uint64_t uploaded_bytes;      /* copied from the host to the card */
    uint64_t transcoded_postings; /* decoded on the card into another form, which stays there */
    /* lists whose docids, frequencies or both the host decoded; not counted: */
    uint64_t host_decoded_lists;
    uint64_t host_decoded_postings; /* tiny lists of the dictionary, and positions of phrases */
} rp_gpu_counters;

/* What the simulated machine of the processor iiu did for a query. Of queries that are answered
 * together, the work for all of them is counted with one of them. */
typedef struct rp_iiu_counters {
    uint64_t operations;   /* on one list or two: single terms, ANDs and ORs */
    uint64_t cycles;       /* of the machine's clock, from the first operation to the last result */
    uint64_t memory_bytes; /* read and written, in lines of 64 */
    /* the ranking is not iiu: order and scores are the cpu's; the machine found the same
     * documents */
    bool hits_are_cpus;
} rp_iiu_counters;

/* What was done for a query: a policy placed it on a processor, or an operator ran there. */
typedef struct rp_query_step {
    /* static. "parse", "look-up", "names": the host's part, before and after. "place": what follows
     * was done where a policy sent the query. "search": all of it. Otherwise an operator: "decode",
     * "intersect", "score", "select", and the like. */
    const char *stage;
    const char *processor; /* static: "cpu", "gpu"; NULL: none took the query */
    double began_us;       /* microseconds after the query came */
    double us;             /* it took, with the wait for its end */
    /* postings that were decoded; candidates that are left; documents that were selected or named;
     * terms that were looked up */
    uint64_t elements;
    uint64_t bytes; /* copied to the device */
    /* of a placement: why, static; how long it waited; how long it was likely to take. NULL and 0
     * of all others */
    const char *reason;
    double queued_us, estimated_us;
} rp_query_step;

/* A kernel that was launched on a GPU for a query. */
typedef struct rp_kernel_count {
    const char *name; /* static */
    uint64_t launches;
} rp_kernel_count;

/* A list that was read for a query. */
typedef struct rp_list_read {
    const char *term;
    uint64_t blocks; /* that cores decoded, each as often as it was */
} rp_list_read;

/* What a processor would do for a query, were it asked now. Nothing is uploaded or launched to find
 * out. */
typedef struct rp_form {
    const char *processor; /* static, as `row` is */
    /* the kind of launch, or the algorithm of the cpu, that would answer; NULL: none, because */
    const char *row;
    rp_fallback fallback;        /* of this */
    uint64_t lists;              /* of its terms that the index has */
    uint64_t postings, shortest; /* of all of them; of the shortest one */
    /* it can be answered step by step, and moved to another processor */
    bool can_step;
    uint64_t resident_bytes;     /* of lists that are on the card, in the form that is read */
    uint64_t upload_bytes;       /* of lists that are not, at most */
    uint64_t transcode_postings; /* that are not there in the form that is read */
} rp_form;

#ifdef __cplusplus
}
#endif
#endif
