/* backend/cpu/cpu_run.h: interior of cpu: what its algorithms share.
 *
 * Chapters: 1 readers, one a word; 2 scores, one a leaf; 3 phrases; 4 a run, and the algorithms
 * that carry it out, one row each; 5 parts of a flat query. All memory is the query's arena;
 * nothing is owned. */
#ifndef RP_BACKEND_CPU_CPU_RUN_H
#define RP_BACKEND_CPU_CPU_RUN_H

#include "backend/backend.h"
#include "backend/cpu/probe.h"
#include "codec/codec.h"

/* ---- 1. Readers ------------------------------------------------------------------------------ */

/* One word's postings, walked from front to back once it is started. A word that the index does not
 * know has an empty list. */
typedef struct rp__reader {
    rp__cursor cursor;
    rp__list list;
    rp__positions positions;
    const rp__word *word;
} rp__reader;

/* Empty, until it is opened. */
void rp__reader_init(rp__reader *reader, const rp__word *word);
rp_status rp__reader_open(rp__reader *reader, const rp__query *query, rp__arena *arena);
/* Stands on the first posting at or after docid. */
void rp__reader_start(rp__reader *reader, uint32_t docid);
/* Makes positions readable; the word must be known. */
rp_status rp__reader_open_positions(rp__reader *reader, const rp__query *query, rp__arena *arena);

static inline uint32_t rp__reader_docid(const rp__reader *reader)
{
    return reader->cursor.docid;
}

/* The first posting at or after docid, like rp__cursor_next_geq, without a call where it stands
 * there. */
static inline uint32_t rp__reader_next_geq(rp__reader *reader, uint32_t docid)
{
    return reader->cursor.docid >= docid ? reader->cursor.docid
                                         : rp__cursor_next_geq(&reader->cursor, docid);
}

/* A run of at most RP_BLOCK postings from the current one on, all below `end`; its length, 0
 * where there is none. `tfs` may be NULL. Valid until the reader moves; rp__reader_skip then
 * passes it. */
uint32_t rp__reader_postings(rp__reader *reader, uint32_t end, const uint32_t **docids,
                             const uint32_t **tfs);
void rp__reader_skip(rp__reader *reader, uint32_t n);
/* The frequencies of n postings by their rising ranks, which need not be where the reader
 * stands. */
rp_status rp__reader_tfs(rp__reader *reader, const uint32_t *ranks, uint32_t n, uint32_t *tfs);

/* ---- 2. Scores ------------------------------------------------------------------------------- */

enum { RP_STRETCH = 64 }; /* accumulators that are looked through at once */

/* The loops over many documents: one row an instruction set, all with the same results. */
typedef struct rp__score_kernel {
    uint32_t needs; /* RP_CPU_ bits; 0 is the plain reference */
    /* BM25 with weight 2^s below 2^31, of at most RP_BLOCK postings; `fixed` has room for RP_BLOCK.
     * False: a frequency of 2^31 or more is among them, and `fixed` means nothing. */
    bool (*bm25)(float scaled_weight, const float *norms, const uint32_t *tfs, uint32_t n,
                 uint32_t *fixed);
    /* A bit for each of RP_STRETCH scores that is `least` or more. */
    uint64_t (*at_least)(const uint32_t *scores, uint32_t least);
    /* Which of n scores, at most RP_BLOCK, are `least` or more, in `kept`, which has room for 16
     * more, as scores has; how many. */
    uint32_t (*select)(const uint32_t *scores, uint32_t n, uint32_t least, uint32_t *kept);
    /* The largest of n bytes; 0 of none. */
    uint8_t (*max_byte)(const uint8_t *bytes, uint32_t n);
} rp__score_kernel;

/* Every row, best first; NULL past the last. */
const rp__score_kernel *rp__score_kernel_at(size_t i);
/* The best row for these features. */
const rp__score_kernel *rp__score_kernel_find(uint32_t features);
extern const rp__score_kernel rp__score_avx2_row, rp__score_avx512_row;

/* The norms of n documents. */
void rp__score_norms(const rp__query *query, const uint32_t *docids, uint32_t n, float *norms);

/* What one leaf's postings contribute. */
typedef struct rp__score {
    const rp__query *query;
    const rp__score_kernel *kernel;
    rp__weight weight;
    float scale, scaled_weight; /* 2^s; BM25: weight 2^s, which is exact */
    uint32_t idf_bar;           /* IIU: the same as a whole number */
    double of_255;              /* BM25 and IIU with bounds: a 255th of it; else 0 */
    uint32_t most;              /* no posting contributes more, whatever its list says */
    bool is_plain;              /* BM25, and every contribution below 2^31: the kernel serves */
    bool is_iiu;
} rp__score;

void rp__score_init(rp__score *score, const rp__query *query, const rp__leaf *leaf);
uint32_t rp__score_one(const rp__score *score, uint32_t docid, uint32_t tf);
/* n is at most RP_BLOCK, and so is the room of `fixed`. */
void rp__score_many(const rp__score *score, const uint32_t *docids, const uint32_t *tfs, uint32_t n,
                    uint32_t *fixed);
/* The same where the norms are known. */
void rp__score_normed(const rp__score *score, const uint32_t *docids, const float *norms,
                      const uint32_t *tfs, uint32_t n, uint32_t *fixed);

/* No posting of a block with this bound (codec.h) contributes more. */
uint32_t rp__score_bound(const rp__score *score, uint8_t bound);
/* The least bound that allows a posting to contribute so much; 256: none does. */
uint32_t rp__score_bound_for(const rp__score *score, uint32_t fixed);
/* The posting whose tf/(tf+K), rounded down, is this contributes as much or more. */
uint32_t rp__score_floor(const rp__score *score, uint8_t ratio);

/* ---- 3. Phrases ------------------------------------------------------------------------------ */

typedef struct rp__part rp__part;
typedef struct rp__candidates rp__candidates;

typedef struct rp__phrase_match {
    rp__reader *readers; /* of its words */
    uint32_t n_words, slop;
    uint32_t *order; /* n_distinct words by rising df, then those that come again */
    uint32_t n_distinct;
    uint32_t *sources; /* by word: the one whose reader it shares, mostly itself */
    uint32_t *ranks;   /* by word, of those that are sources: in the document to be looked into */
    uint32_t *offsets, *n, *scratch;
    const uint32_t **at;
    uint32_t *starts; /* of an exact phrase, in one document */
    size_t starts_cap;
    rp__arena *arena;
    rp__part *parts;             /* by word; and where documents were found in those of `order`, */
    uint32_t (*found)[RP_BLOCK]; /* by where they stood at first */
} rp__phrase_match;

rp_status rp__phrase_match_init(rp__phrase_match *match, const rp__query *query,
                                const rp__leaf *leaf, rp__reader *readers, rp__arena *arena);
/* Before documents are found, by probes, which the caller opens; parts are those of its words. */
rp_status rp__phrase_match_open(rp__phrase_match *match, rp__part *parts);
/* Drops candidates that do not hold the words from the i-th of `order` on. */
void rp__phrase_match_find(rp__phrase_match *match, uint32_t i, rp__candidates *c);
/* Sets ranks to those of the document that stood there at first. */
void rp__phrase_match_stand(rp__phrase_match *match, uint32_t slot);
/* How often the phrase stands in the document of match->ranks, which rise from call to call. On
 * failure *bad is the reader of a word. */
rp_status rp__phrase_match_count(rp__phrase_match *match, uint32_t *tf, const rp__reader **bad);

/* ---- 4. Runs and algorithms ------------------------------------------------------------------ */

typedef struct rp__cpu_run {
    const rp__query *query;
    rp__arena *arena;
    rp_error *err;
    rp__reader *readers; /* by word */
    rp__score *scores;   /* by leaf */
    rp__part *parts;     /* chapter 5; NULL: not made */
    size_t n_parts;
    const rp__score_kernel *kernel;
    const rp__given
        *given; /* matches are among them; NULL: anywhere. flat and tree alone read it */
    rp__topk topk;
    uint64_t total;
    bool is_pruned;        /* the total is a lower bound: documents that match were passed over */
    uint64_t read;         /* of lists that are bits, as bits */
    uint64_t searched;     /* documents, each in one list */
    uint64_t prune_budget; /* searched and decoded together at most; past it pruning does not pay */
} rp__cpu_run;

/* A document that matches. */
static inline void rp__cpu_run_hit(rp__cpu_run *run, uint32_t fixed, uint32_t docid)
{
    if (fixed >= run->topk.least)
        rp__topk_push(&run->topk, fixed, docid);
}

/* Candidates are searched for in a list, by an algorithm that prunes. A call costs like some of
 * them. */
static inline void rp__cpu_run_search(rp__cpu_run *run, uint32_t candidates)
{
    run->searched += 8 + candidates;
}

/* Makes room for the k best and, unless the algorithm is lazy, opens the lists of all words. */
rp_status rp__cpu_run_open(rp__cpu_run *run, bool is_lazy);
/* Starts the readers of all words. */
void rp__cpu_run_start(rp__cpu_run *run);
/* To be called now and then by algorithms that prune: what other parts of the query know of the k
 * best. */
void rp__cpu_run_share(rp__cpu_run *run);

/* Postings decoded so far. */
uint64_t rp__cpu_run_postings(const rp__cpu_run *run);
/* Adds the blocks that were decoded of each list to the query's trace, if there is one; once a
 * run. */
void rp__cpu_run_note_blocks(const rp__cpu_run *run);
/* To be called now and then: RP_INTERRUPTED once the query is to stop; RP_DAMAGED once a list has
 * turned out to be; RP_LIMIT once the run has used up its prune_budget. */
rp_status rp__cpu_run_check(const rp__cpu_run *run);
/* The failure of one word, with its name in the message. */
rp_status rp__cpu_run_fail(const rp__cpu_run *run, rp_status status, const rp__word *word);

typedef struct rp__algorithm {
    const char *name;
    bool prunes; /* its total is always a lower bound */
    bool (*applies)(const rp__query *query);
    rp_status (*run)(rp__cpu_run *run); /* hits and total; cpu_run.c does what is around it */
    bool is_lazy; /* it opens lists itself, part by part, when it needs them */
} rp__algorithm;

extern const rp__algorithm rp__and_row, rp__count_row, rp__maxscore_row, rp__maxscore_bmm_row,
    rp__passes_row, rp__windows_row, rp__tree_row;
extern const rp__algorithm rp__wand_row, rp__bmw_row;
extern const rp__algorithm rp__phrases_row, rp__flat_row;
extern const rp__steps rp__cpu_steps_row;

/* Shapes of queries: all children of the one group are words, and all MUST, or all SHOULD (one word
 * alone is both). */
bool rp__algorithm_is_and(const rp__query *query);
bool rp__algorithm_is_or(const rp__query *query);
bool rp__algorithm_is_phrase(const rp__query *query); /* one phrase, and nothing else */
/* Words and phrases with one among them that every match holds. */
bool rp__algorithm_is_flat(const rp__query *query);
/* The rows; all that apply give the same answer. NULL past the last. */
const rp__algorithm *rp__algorithm_at(size_t i);
const rp__algorithm *rp__algorithm_find(const char *name); /* NULL: no such name */
/* The one that answers soonest. */
const rp__algorithm *rp__algorithm_choose(const rp__query *query);
/* Answers by one row, which must apply. */
rp_status rp__cpu_run_by(const rp__algorithm *algorithm, const rp__query *query, rp__arena *arena,
                         rp__answer *answer, rp_error *err);

/* The query's program, with children of a group in the order that narrows soonest. NULL: no
 * memory. */
const rp__op *rp__op_order(const rp__query *query, rp__arena *arena);

/* ---- 5. Parts of a flat query ---------------------------------------------------------------- */

/* One of its words: walked by its reader, or searched by its probe, or first the one and then the
 * other. */
struct rp__part {
    rp__reader *reader;
    rp__score *score;
    const rp__leaf *leaf;
    rp__probe *probe; /* NULL: not open */
    bool is_open;     /* by rp__part_open */
    uint32_t most;    /* no posting of the list contributes more */
    uint32_t here;    /* nor one of a window of docids; of algorithms that go by windows */
    uint32_t block;   /* of the list, where that window begins */
};

/* Makes run->parts, the shortest list first. `most` is not known yet. */
rp_status rp__part_list(rp__cpu_run *run);
/* Opens the list of a part, of an algorithm that is lazy, and its score where there are scores. */
rp_status rp__part_open(rp__cpu_run *run, rp__part *part);
/* Finds `most`, by all bounds of the list. */
void rp__part_bound(const rp__cpu_run *run, rp__part *part);
/* The same of all parts. */
void rp__part_bound_all(rp__cpu_run *run);
/* Makes them of a query that has phrases, by word. */
rp_status rp__part_words(rp__cpu_run *run);
/* Opens the probe of a part, anew if it was open, to be asked about n docids or so. */
rp_status rp__part_probe(rp__cpu_run *run, rp__part *part, uint64_t n);
/* By falling `most`. */
void rp__part_sort_by_most(rp__part *parts, size_t n);
/* What the lists' k-th best postings say enters the k best of an OR at least. */
void rp__part_raise(rp__cpu_run *run);
/* As many documents match an OR at least, of those met or in the longest list. */
uint64_t rp__part_least_total(const rp__cpu_run *run);

/* Documents that may match, on their way through the parts: a block of them at most, in rising
 * order. */
struct rp__candidates {
    uint32_t n;
    _Alignas(64) uint32_t docids[RP_BLOCK_CAPACITY];
    _Alignas(64) uint32_t scores[RP_BLOCK_CAPACITY]; /* of the parts so far */
    _Alignas(64) uint32_t slots[RP_BLOCK_CAPACITY];  /* where they stood at first */
    _Alignas(64) float norms[RP_BLOCK_CAPACITY];     /* where has_norms */
    bool has_norms;
    _Alignas(64) uint32_t kept[RP_BLOCK_CAPACITY], ranks[RP_BLOCK_CAPACITY], tfs[RP_BLOCK_CAPACITY],
        fixed[RP_BLOCK_CAPACITY];
};

/* n documents, at most RP_BLOCK, that score nothing yet. */
void rp__candidates_fill(rp__candidates *c, const uint32_t *docids, uint32_t n);
/* Sets their scores to what the part contributes by these frequencies. */
void rp__candidates_set(rp__candidates *c, const rp__part *part, const uint32_t *tfs);
/* Adds what the part contributes to all, of which the i-th has rank `first` + slots[i] in its
 * list. */
rp_status rp__candidates_score(rp__candidates *c, rp__cpu_run *run, rp__part *part, uint32_t first);
/* The same where it has rank ranks[slots[i]]. */
rp_status rp__candidates_score_at(rp__candidates *c, rp__cpu_run *run, rp__part *part,
                                  const uint32_t ranks[RP_BLOCK]);
/* Drops those that are not in the part's list, and notes the ranks of the others by slots. Searches
 * by its probe. */
void rp__candidates_place(rp__candidates *c, rp__part *part, uint32_t ranks[RP_BLOCK]);
/* Drops those whose score is below `least`. */
void rp__candidates_cut(rp__candidates *c, const rp__score_kernel *kernel, uint32_t least);
/* Adds what the part contributes to those in its list; where `must`, the others go. Searches by its
 * probe. */
rp_status rp__candidates_add(rp__candidates *c, rp__cpu_run *run, rp__part *part, bool must);
/* Drops those that are not in the part's list; c->ranks are of the others. Searches by its
 * probe. */
void rp__candidates_find(rp__candidates *c, rp__part *part);
/* Drops those in the part's list. Searches by its probe. */
void rp__candidates_drop(rp__candidates *c, rp__part *part);
/* The same of the m that c->kept names: drops all others, or them. */
void rp__candidates_keep(rp__candidates *c, uint32_t m);
void rp__candidates_remove(rp__candidates *c, uint32_t m);
/* They all match. */
void rp__candidates_hit(const rp__candidates *c, rp__cpu_run *run);

#endif
