/* plan/plan.h: the door of plan: query text to a bound query.
 *
 * 1 the parser: text to syntax, errors with a column; 2 the binder: words to terms and weights; 3
 * what a bound query may cost; 4 which processor is likely to answer it sooner. No recursion on the
 * query's depth. Everything is made in one arena, whose cap bounds a query. */
#ifndef RP_PLAN_PLAN_H
#define RP_PLAN_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "backend/backend.h"
#include "base/arena.h"
#include "riposte/search.h"
#include "riposte/status.h"
#include "text/text.h"

/* ---- 1. Syntax ------------------------------------------------------------------------------- */

typedef enum rp__syntax_kind {
    RP_SYNTAX_OPEN,
    RP_SYNTAX_CLOSE,
    RP_SYNTAX_WORD,
    RP_SYNTAX_PREFIX,
    RP_SYNTAX_WILDCARD,
    RP_SYNTAX_FUZZY,
    RP_SYNTAX_PHRASE,
} rp__syntax_kind;

/* Like rp__op, with words as written. Juxtaposed clauses have the default operator's role. */
typedef struct rp__syntax_op {
    uint8_t kind, role;
    uint32_t begin, end; /* bytes of the query: the prefix without '*', the phrase without quotes */
    uint32_t slop;       /* of a phrase; of a fuzzy word its edits */
    double boost;        /* product of all around it; 1 */
} rp__syntax_op;

typedef struct rp__syntax {
    const char *text;
    rp__syntax_op *ops; /* one group */
    size_t n_ops;
    uint32_t depth;
} rp__syntax;

/* `options` must have its defaults filled in (rp__plan_defaults). RP_USAGE: err has
 * "column N: ..."; RP_LIMIT: a limit, named with its option. */
rp_status rp__query_parse(const char *text, size_t bytes, rp_mode mode,
                          const rp_search_options *options, rp__arena *arena, rp__syntax *out,
                          rp_error *err);

/* ---- 2. Binding ------------------------------------------------------------------------------ */

/* Fills in defaults for what is zero. */
void rp__plan_defaults(rp_search_options *options);

/* Analyzes words (one that is several terms becomes a group of them), expands prefixes, wildcards
 * and fuzzy words (expansion.h), looks terms up, weighs leaves and picks the fraction bits. Words
 * that the analyzer drops vanish, and groups that hold nothing else with them. Repeated words stay
 * repeated. RP_USAGE: a phrase without positions. */
typedef struct rp__bind_to {
    const rp__segment *segment;
    rp__term_table *terms; /* (optional) */
    const rp__rank *rank;
    const float *norms;
    rp__analyzer_state *analyzer;
} rp__bind_to;
rp_status rp__query_bind(const rp__syntax *syntax, const rp__bind_to *to, rp_mode mode,
                         const rp_search_options *options, rp__arena *arena, rp__query *out,
                         rp_error *err);

/* Whether a text is lower-case letters, digits and spaces alone: plain words, whatever the options
 * say. */
bool rp__query_is_words(const char *text, size_t bytes);
/* Both at once, of plain words (options->plain, or rp__query_is_words), which are most of what is
 * asked: the same query and the same messages, in a fifth of the time. */
rp_status rp__query_bind_plain(const char *text, size_t bytes, const rp__bind_to *to, rp_mode mode,
                               const rp_search_options *options, rp__arena *arena, rp__query *out,
                               rp_error *err);

/* Copies what a processor needs of a bound query into an arena, and no more: many are to stay in
 * the caches. Words have no texts then. */
rp_status rp__query_keep(rp__query *query, rp__arena *arena);

/* ---- 3. Work --------------------------------------------------------------------------------- */

/* An upper bound of what a bound query costs; rp__query_bind leaves it in query->work. It depends
 * on the query and the dictionary, whoever answers. RP_NO_MEMORY: the arena has no room left. */
rp_status rp__work_bound(const rp__query *query, rp__arena *arena, uint64_t *work);
/* RP_LIMIT: it is more than options->max_work. Queries are bound whatever their work is. */
rp_status rp__work_limit(uint64_t work, const rp_search_options *options, rp_error *err);

/* ---- 4. The processor `auto` ----------------------------------------------------------------- */

/* What decides are the postings of blocks that an AND or a phrase may read, which are one for each
 * posting of the shortest list, in every list; of an OR those of all lists but the longest, and a
 * 256th of that one, which MaxScore seldom reads; and those of all lists of a term or an OR that is
 * counted. */
typedef enum rp__auto_shape {
    RP_AUTO_TERM,
    RP_AUTO_AND,
    RP_AUTO_OR,
    RP_AUTO_COUNTED_OR, /* with an exact total */
    RP_AUTO_PHRASE,
    RP_AUTO_OTHER, /* a GPU refuses it */
    RP_AUTO_SHAPES
} rp__auto_shape;

/* How queries come: one soon after another, one after a pause, many at once. */
typedef enum rp__auto_pace {
    RP_AUTO_BURST,
    RP_AUTO_LONE,
    RP_AUTO_BATCH,
    RP_AUTO_PACES
} rp__auto_pace;

typedef struct rp__auto_facts {
    rp__auto_shape shape;
    uint64_t longest, postings; /* postings of this list, and of all lists */
    uint64_t in_blocks;         /* postings of blocks that an AND may read */
    uint64_t in_pair;           /* the same if no list were longer than the second */
    uint64_t k;                 /* 0: the total alone is wanted */
    uint64_t threads;           /* of the CPU that share the query */
    uint64_t idle_us; /* since the last query that pauses count from; UINT64_MAX: there was none */
    bool in_batch, is_attached; /* a card is open */
} rp__auto_facts;

#define RP_AUTO_NEVER UINT64_MAX

typedef struct rp__auto_tuning {
    /* from which a card answers; RP_AUTO_NEVER */
    uint64_t min_postings[RP_AUTO_PACES][RP_AUTO_SHAPES];
    uint64_t max_k[RP_AUTO_PACES]; /* above it the CPU answers */
    /* from such a k on, terms and ORs go to a card with so many times fewer postings */
    uint64_t deep_k, deep_share;
    uint64_t lone_us;                 /* a query is a lone one after such a pause */
    uint64_t work_ps[RP_AUTO_SHAPES]; /* picoseconds of a core for a unit of work (chapter 3) */
    uint64_t attach_us;               /* of a core, for which opening a card pays */
} rp__auto_tuning;

extern const rp__auto_tuning rp__auto_processor_tuning;

/* Postings of blocks that a bound query may read if it is an AND. */
uint64_t rp__auto_processor_count(const rp__query *query);
/* The same if none of its lists were longer than the second shortest. */
uint64_t rp__auto_processor_count_pair(const rp__query *query);
/* Postings that MaxScore is likely to read of lists with so many, and so many in the longest. */
uint64_t rp__auto_processor_weigh(uint64_t postings, uint64_t longest);
/* Shape, lists and k of a bound query; the other facts are zero. */
void rp__auto_processor_look(const rp__query *query, rp__auto_facts *out);
/* Postings that decide, of these facts. */
uint64_t rp__auto_processor_reading(const rp__auto_facts *facts);
/* Nanoseconds that a core is likely to need for so much work of a shape. A hundred seconds at
 * most. */
uint64_t rp__auto_processor_estimate(rp__auto_shape shape, uint64_t work,
                                     const rp__auto_tuning *tuning);
bool rp__auto_processor_is_for_card(const rp__auto_facts *facts, const rp__auto_tuning *tuning);

#endif
