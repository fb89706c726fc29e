/* oracle/oracle.h: the right answer to any query, by brute force.
 *
 * It holds every document as its tokens, reads each document for each query, scores all that match
 * and sorts them. It shares with the engine the analyzer and the numbers of rank, and nothing else:
 * it has no index, no codec, no block, no window, no heap, and a tree of its own. */
#ifndef RP_TESTS_ORACLE_ORACLE_H
#define RP_TESTS_ORACLE_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rank/rank.h"
#include "riposte/search.h"
#include "text/text.h"

/* ---- A collection ---------------------------------------------------------------------------- */

typedef struct oracle oracle;

/* Aborts the test program where there is no memory, as all calls here do. */
oracle *oracle_new(const char *stem, const char *stop);
void oracle_free(oracle *o);
/* The docid is the number of documents added before. */
void oracle_add(oracle *o, const char *title, size_t title_bytes, const char *text,
                size_t text_bytes);
/* After the last document, before the first query. */
void oracle_finish(oracle *o);
size_t oracle_docs(const oracle *o);
size_t oracle_terms(const oracle *o);
/* The i-th term in byte order, with a NUL behind. */
const char *oracle_term(const oracle *o, size_t i);
/* The j-th token of a document as a term, modulo their number; NULL if it has none. */
const char *oracle_token(const oracle *o, size_t doc, size_t j);

/* ---- A query --------------------------------------------------------------------------------- */

typedef enum oracle_kind {
    ORACLE_WORD,   /* text, which may be several terms or none */
    ORACLE_PREFIX, /* text without the star */
    ORACLE_PHRASE, /* text without the quotes */
    ORACLE_WILDCARD,
    ORACLE_FUZZY, /* text without '~' and the edits, which are `slop` */
    ORACLE_AND,   /* kids MUST or NOT */
    ORACLE_OR,    /* kids SHOULD or NOT */
    ORACLE_SIDE,  /* side by side; kids DEFAULT, MUST or NOT */
} oracle_kind;

typedef enum oracle_role { ORACLE_DEFAULT, ORACLE_SHOULD, ORACLE_MUST, ORACLE_NOT } oracle_role;

enum { ORACLE_KIDS = 12, ORACLE_TEXT = 512 };

typedef struct oracle_node {
    oracle_kind kind;
    oracle_role role;
    double boost; /* 1 prints nothing */
    uint32_t slop;
    bool has_signs; /* AND, OR and NOT are written &&, || and ! */
    char text[ORACLE_TEXT];
    struct oracle_node *kids[ORACLE_KIDS];
    size_t n_kids;
} oracle_node;

void oracle_node_free(oracle_node *node); /* with its kids; NULL is fine */
/* Appends the query in Riposte's language to the string in out. */
void oracle_print(const oracle_node *node, char *out, size_t cap);

/* ---- An answer ------------------------------------------------------------------------------- */

typedef struct oracle_answer {
    rp_status status; /* RP_OK or RP_LIMIT */
    size_t n;
    rp__scored *at;
    uint64_t total;
    bool is_or_fallback;
    int32_t fraction_bits;
} oracle_answer;

/* `rank` without its statistics, which the oracle counts itself. The hits after the first `from`. */
void oracle_search(const oracle *o, const oracle_node *query, const rp__rank *rank, rp_mode mode,
                   size_t from, size_t k, oracle_answer *out);
void oracle_answer_free(oracle_answer *answer);

#endif
