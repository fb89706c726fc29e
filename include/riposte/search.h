/* riposte/search.h: ask an open index.
 *
 * Chapters: 1 the simple call; 2 options and the searcher; 3 many queries at once; 4 explain;
 * 5 snippets; 6 words that no document has; 7 GPUs and their faults; 8 keys of queries.
 * Query language: words; "a phrase"~2; prefix*; w*d and wor?d; word~1 and word~2; term^2.5; AND OR
 * NOT, also && || !; +must -not; parentheses. docs/query-language.md has it in full. */
#ifndef RIPOSTE_SEARCH_H
#define RIPOSTE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "riposte/index.h"
#include "riposte/processor.h"
#include "riposte/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1. The simple call ---------------------------------------------------------------------- */

typedef struct rp_hit {
    uint32_t docid;
    uint32_t fixed;   /* the score as the integer that decides the order */
    double score;     /* fixed / 2^fraction_bits */
    const char *name; /* the document's id */
} rp_hit;

typedef struct rp_hits {
    size_t n;
    rp_hit *at;            /* best first; equal scores by rising docid */
    uint64_t total;        /* documents that match */
    bool total_is_exact;   /* otherwise a lower bound */
    bool is_or_fallback;   /* mode andor: the AND had fewer than k hits */
    bool is_partial;       /* the query's time was over: there may be better ones */
    bool has_unknown;      /* a word is in no document: rp_searcher_correct may know a better one */
    bool has_no_words;     /* all of the query are stop words or punctuation */
    int32_t fraction_bits; /* of every score here */
    const char *processor; /* which one answered */
    uint64_t postings;     /* read to find the answer */
    uint64_t work;         /* an upper bound of what the query costs, whoever answers */
    double seconds;
    void *memory;         /* Riposte's own */
    rp_fallback fallback; /* why the processor asked for did not answer; RP_FALLBACK_NONE */
    rp_gpu_counters gpu;  /* what a GPU, and the host for it, did; of mode andor, both times */
    rp_iiu_counters iiu;  /* what the processor iiu did; of mode andor, the last time */
    /* with the option trace: what was done for the query, in the order in which it began */
    size_t n_steps;
    rp_query_step *steps;
    /* with it, too: what cores read of each list; none where nobody has counted. What a card read
     * is not counted. Of mode andor, the last time */
    size_t n_reads;
    rp_list_read *reads;
} rp_hits;

/* The k best documents for `query` under default options, and how many match; with k = 0 only that.
 * Free the hits. */
rp_status rp_search(const rp_index *index, const char *query, size_t k, rp_hits *hits,
                    rp_error *err);
void rp_hits_free(rp_hits *hits); /* NULL and all zero are fine */

/* ---- 2. Options and the searcher ------------------------------------------------------------- */

typedef enum rp_mode { RP_MODE_OR = 0, RP_MODE_AND, RP_MODE_ANDOR } rp_mode;

/* How many documents match: a lower bound, which costs nothing; the number; the number and no
 * hits. */
typedef enum rp_total { RP_TOTAL_AT_LEAST = 0, RP_TOTAL_EXACT, RP_TOTAL_ONLY } rp_total;

/* All zero or NULL: the default named beside each field. A number that may sensibly be zero says
 * so by its has_ field. */
typedef struct rp_search_options {
    size_t size;    /* as status.h says: 0, or sizeof this record */
    size_t k;       /* 10 */
    rp_mode mode;   /* or */
    bool plain;     /* the query is words and nothing else: no operators, no errors */
    rp_total total; /* at least */
    size_t threads; /* that share one query, each a range of docids: 1 */
    /* "auto": by query the cpu or, where there is one, a GPU; "cpu", "gpu", "iiu" */
    const char *processor;
    const char *gpu;      /* "emulated", or cards by number: "0", "0,1"; RIPOSTE_GPU, else "0" */
    uint64_t gpu_memory;  /* bytes of each card to use at most: what is there */
    uint32_t gpu_timeout; /* milliseconds; a card that takes longer counts as lost: 10,000 */
    /* a process of its own uses the card, so that it comes back after a fault; chapter 7 */
    bool gpu_child;
    /* RP_UNAVAILABLE where the cpu would answer instead of a GPU, or the host decodes lists for it,
     * tiny ones of the dictionary excepted; "auto" is "gpu" then */
    bool strict_processor;
    /* "auto" opens a GPU with the searcher; otherwise once queries that it would have answered
     * sooner have cost the cpu as much time as opening it takes */
    bool eager_gpu;
    /* "auto"; rp_algorithm_name lists those of the cpu, and rp_gpu_algorithm_name those of a GPU.
     * One answers queries of its form only. With one of a GPU, the processor "auto" is "gpu". */
    const char *algorithm;
    const char *variant; /* "lucene"; rp_variant_name lists them */
    bool has_k1, has_b, has_mu;
    double k1; /* 0 to 1e6; the variant's own: 1.2 for lucene */
    double b;  /* 0 to 1; the variant's own: 0.75 for lucene */
    double mu; /* 0.001 to 1e9; 1000 */
    /* Limits. A query past one of them is refused by a message that names it. */
    size_t max_k;          /* and of `from` and k together: 10,000 */
    size_t max_query;      /* bytes: 64 KiB */
    size_t max_terms;      /* after expansion: 1,024 */
    size_t max_expansions; /* of one prefix, wildcard or fuzzy word: 1,024 */
    size_t max_phrase;     /* words: 64 */
    size_t max_slop;       /* 10,000 */
    size_t max_depth;      /* of parentheses: 32 */
    size_t max_memory;     /* bytes for one query: 64 MiB */
    uint64_t max_work;     /* of one query, known before it is answered: 40,000,000 units */
    /* The hits begin after so many better ones: 0. from and k together are at most max_k. In mode
     * andor k alone decides, so that all pages are of one answer. */
    size_t from;
    bool trace; /* hits have their steps; those of a batch have none */
} rp_search_options;

/* The i-th ranking's name, default first; NULL past the last. */
const char *rp_variant_name(size_t i);
/* The i-th algorithm's name, "auto" first; NULL past the last. All give the same answer. */
const char *rp_algorithm_name(size_t i);
/* The i-th algorithm of a GPU; NULL past the last. Options follow its name:
 * "NAME:KEY=VALUE,KEY=VALUE". */
const char *rp_gpu_algorithm_name(size_t i);

/* Holds the memory that queries use, so that a query allocates nothing but its hits. One thread at
 * a time; any number of searchers for an index. */
typedef struct rp_searcher rp_searcher;

rp_status rp_searcher_new(const rp_index *index, const rp_search_options *options,
                          rp_searcher **out, rp_error *err);
void rp_searcher_free(rp_searcher *searcher); /* NULL is fine */

/* A parse error's text has the column and what was expected there. */
rp_status rp_searcher_search(rp_searcher *searcher, const char *query, size_t query_bytes,
                             rp_hits *hits, rp_error *err);

/* ---- 3. Many queries at once ----------------------------------------------------------------- */

/* One of them: what is asked, and what comes out. */
typedef struct rp_batch_query {
    const char *query; /* NULL where it has no bytes; else the whole call is refused */
    size_t query_bytes;
    bool plain;       /* it is words and nothing else, whatever the searcher's options say */
    rp_status status; /* what rp_searcher_search would have returned, */
    rp_error err;     /* its text, */
    rp_hits hits;     /* and its hits: free them */
} rp_batch_query;

/* All zero: the default named beside each field. */
typedef struct rp_batch_options {
    size_t size;       /* as status.h says: 0, or sizeof this record */
    size_t threads;    /* that prepare queries for a GPU, and answer on the cpu: 1 */
    uint64_t elements; /* postings of shortest lists that a GPU is given at once: 1,048,576 */
    /* bytes for the hits of all of them; past it a query is RP_NO_MEMORY: no limit */
    size_t max_memory;
    /* asked before each query, by any of the threads; false: RP_INTERRUPTED */
    bool (*goes_on)(void *arg);
    void *goes_on_arg;
} rp_batch_options;

/* What it took, on all threads together. */
typedef struct rp_batch_report {
    uint64_t groups, n_grouped; /* times that a GPU was given queries; queries that it answered */
    double parse_seconds;       /* texts to terms */
    double prepare_seconds;     /* terms to what a GPU reads, and its start */
    double start_seconds;       /* of groups: from being ready until a GPU had them, in a queue */
    double wait_seconds;        /* for a GPU, and its answers copied */
    double name_seconds;        /* ids of the hits */
    double cpu_seconds;         /* whole queries that the cpu answered */
    rp_gpu_counters gpu;        /* the sum of the queries' */
    rp_iiu_counters iiu;        /* the same of the processor iiu */
    /* queries that the cpu answered instead of a GPU, by rp_fallback */
    uint64_t fallbacks[RP_FALLBACKS];
} rp_batch_report;

/* Answers them in any order, each as rp_searcher_search would have, in its place. What a GPU does
 * not answer, the cpu does. Threads and their memory are kept for the next call. `options` and
 * `report` may be NULL. RP_OK unless there is no memory for the threads, or the options make no
 * sense; then no query has an answer. */
rp_status rp_searcher_batch(rp_searcher *searcher, rp_batch_query *queries, size_t n,
                            const rp_batch_options *options, rp_batch_report *report,
                            rp_error *err);

/* ---- 4. Explain ------------------------------------------------------------------------------ */

/* One line of a score tree in depth-first order; children follow their parent one level deeper. */
typedef struct rp_explain_node {
    uint32_t level;
    bool matches;
    uint32_t fixed; /* what this node adds */
    double score;
    char label[96];     /* "OR", "term wing", "phrase \"boundary layer\"~2" */
    uint32_t tf, df;    /* of a term or a phrase */
    float weight, norm; /* idf times boost; K of tf/(tf+K) */
} rp_explain_node;

typedef struct rp_explanation {
    size_t n;
    rp_explain_node *at;
} rp_explanation;

rp_status rp_searcher_explain(rp_searcher *searcher, const char *query, size_t query_bytes,
                              uint32_t docid, rp_explanation *out, rp_error *err);
void rp_explanation_free(rp_explanation *explanation); /* NULL is fine */

/* What the searcher's processor would do for a query; in mode andor, for its AND. RP_UNAVAILABLE:
 * it cannot say. */
rp_status rp_searcher_form(rp_searcher *searcher, const char *query, size_t query_bytes,
                           rp_form *out, rp_error *err);

/* The lists of a query's terms: those of prefixes, wildcards and fuzzy words too, once each, in the
 * query's order. Words that no document has are left out. */
typedef struct rp_query_lists {
    size_t n;
    rp_list_cost *at; /* each with its term */
    void *memory;     /* Riposte's own */
} rp_query_lists;

/* Reads the directories of the lists, and no postings. Free the lists. */
rp_status rp_searcher_lists(rp_searcher *searcher, const char *query, size_t query_bytes,
                            rp_query_lists *out, rp_error *err);
void rp_query_lists_free(rp_query_lists *lists); /* NULL and all zero are fine */

/* ---- 5. Snippets ----------------------------------------------------------------------------- */

/* The part of a document that shows the query's words best. `text` ends with a NUL; marks are byte
 * ranges of text, rising and apart, that hold query words. */
typedef struct rp_snippet {
    char *text;
    size_t n_marks;
    struct rp_mark {
        uint32_t begin, end;
    } * marks;
} rp_snippet;

/* At most `max_bytes` of text (0: 240), cut at word breaks. Empty where no text is stored. */
rp_status rp_searcher_snippet(rp_searcher *searcher, const char *query, size_t query_bytes,
                              const rp_document *document, size_t max_bytes, rp_snippet *out,
                              rp_error *err);
void rp_snippet_free(rp_snippet *snippet); /* NULL is fine */

/* ---- 6. Words that no document has ----------------------------------------------------------- */

/* A word of a query that no document has, and the one that was perhaps meant: its term is one edit
 * away, or where there is none two, and of those the one in the most documents. An edit puts a
 * letter in, takes one out or makes it another. */
typedef struct rp_correction {
    const char *word;    /* as the query has it */
    const char *instead; /* folded; where a stem was found, with the word's ending if that fits */
    uint32_t edits, df;  /* df: documents that hold `instead` */
} rp_correction;

typedef struct rp_corrections {
    size_t n; /* 16 at most */
    rp_correction *at;
    void *memory; /* Riposte's own */
} rp_corrections;

/* In the order of the query; words that are excluded, prefixes, wildcards and fuzzy words are not
 * looked at, and a word without a term near it is left out. A query whose words all have documents
 * costs nothing but their look-up. Free the corrections. */
rp_status rp_searcher_correct(rp_searcher *searcher, const char *query, size_t query_bytes,
                              rp_corrections *out, rp_error *err);
void rp_corrections_free(rp_corrections *corrections); /* NULL and all zero are fine */

/* ---- 7. GPUs and their faults ---------------------------------------------------------------- */

/* A GPU that queries can be answered on. */
typedef struct rp_gpu {
    char name[96];
    uint64_t memory;
    uint32_t multiprocessors;
    bool is_emulated;
    char driver[24]; /* the CUDA version of its driver: "13.0"; "": the driver does not say */
} rp_gpu;

/* The i-th of this machine, or of the emulated ones where `gpu` is "emulated"; NULL: RIPOSTE_GPU.
 * RP_NOT_FOUND past the last; RP_UNAVAILABLE: there is none, and why. */
rp_status rp_gpu_get(const char *gpu, size_t i, rp_gpu *out, rp_error *err);

/* A query that meets a fault is answered by the cpu, and so are those that come after: a process
 * cannot use a GPU again that has failed it. With the option gpu_child it can: the card is then
 * used by a process that is forked from this one with the first searcher that asks for it, shared
 * by all searchers of the index with the same options, and replaced after a fault, while the cpu
 * answers. Such a program must not have used a GPU itself before; it has two children more than it
 * knows of, which end with it, or with the last of these searchers. */
typedef struct rp_gpu_state {
    bool is_asked;     /* the searcher asks a GPU first */
    bool is_lost;      /* the cpu answers, for now or for good */
    uint64_t answered; /* queries of this searcher, by the GPU */
    uint64_t faults;   /* times that it was lost */
    uint64_t returns;  /* times that it came back */
    char fault[256];   /* what the last fault was; "" */
} rp_gpu_state;

/* All zero where the searcher asks no GPU, or is NULL. */
void rp_searcher_get_gpu_state(const rp_searcher *searcher, rp_gpu_state *out);
/* The operators of the last query, in their order, where the algorithm is operators with the option
 * mode=stepped. Returns how many there were, of which `out` has the first `max`. */
size_t rp_searcher_get_steps(const rp_searcher *searcher, rp_query_step *out, size_t max);
/* The kernels that were launched for the last query, or rp_searcher_batch, where the algorithm is
 * operators or para; of mode andor, for both of its queries. Returns as above. */
size_t rp_searcher_get_kernels(const rp_searcher *searcher, rp_kernel_count *out, size_t max);

/* ---- 8. Keys of queries ---------------------------------------------------------------------- */

typedef struct rp_key {
    uint8_t *at; /* any bytes */
    size_t n;
} rp_key;

/* Bytes that two queries share only where this index answers both alike, with searchers of the same
 * options: "Wing  lift" and "wing lift" have one key. Another generation of the index may give
 * other bytes. `mode` NULL: that of the options. Fails where a search would fail before it is
 * answered. Free the key. */
rp_status rp_query_key(rp_searcher *searcher, const char *query, size_t query_bytes,
                       const rp_mode *mode, rp_key *out, rp_error *err);
void rp_key_free(rp_key *key); /* NULL and all zero are fine */

#ifdef __cplusplus
}
#endif
#endif
