/* backend/gpu/operators/operator_table.h: interior of operators: the methods by which operators
 * of a query work, one row each; and the choice of one for each phase. docs/operators.md has the
 * papers that they come from, and whether a method takes a paper's own steps; a test compares that
 * with rp__operator_table_is_literal.
 *
 * A query goes through four phases: decode, intersect (of an AND), score, select. The user names
 * a row for each: "operators:intersect=pmf,levels=2,select=sort,mode=stepped". */
#ifndef RP_BACKEND_GPU_OPERATORS_OPERATOR_TABLE_H
#define RP_BACKEND_GPU_OPERATORS_OPERATOR_TABLE_H

#include "backend/algorithm_spec.h"
#include "backend/backend.h"

typedef enum rp__operator_phase {
    RP_PHASE_DECODE,
    RP_PHASE_INTERSECT,
    RP_PHASE_SCORE,
    RP_PHASE_SELECT,
    RP_PHASES
} rp__operator_phase;

/* What a row is, where its phase's own table has no row for it. */
enum {
    RP_OPERATOR_AUTO = 1000, /* chosen by lengths and form */
    RP_OPERATOR_PARA_EF,     /* decode: ef128 by Griffin's Algorithm 1 */
    RP_OPERATOR_QS,          /* decode: qs by steps of Li: and rp__qs_method */
    RP_OPERATOR_DING =
        RP_OPERATOR_QS + 8, /* intersect: heads, the blocks that they choose, then these */
    RP_OPERATOR_LOOKUP,     /* score: candidates are looked up in each list */
    RP_OPERATOR_ACCUMULATE, /* score: an accumulator a document */
    RP_OPERATOR_HOST,       /* select: by the host, of all candidates */
};

typedef struct rp__operator {
    const char *name;
    uint32_t id; /* of rp__intersect_table, rp__select_table; a codec's; or one of the above */
    const char *codec; /* (optional) the one in which it reads lists; NULL: any, once decoded */
    const char *aux;   /* (optional) the kind of auxiliary data that it reads */
    uint32_t max_k;    /* of select; 0: any */
    bool is_literal;   /* where its phase's own table has no row for it */
} rp__operator;

/* The i-th row of a phase, its default first; NULL past the last. */
const rp__operator *rp__operator_table_at(rp__operator_phase phase, size_t i);
/* Whether it takes the steps of its paper, and no others; otherwise it is ours. */
bool rp__operator_table_is_literal(rp__operator_phase phase, const rp__operator *row);

/* What a query's operators are. */
typedef struct rp__operator_choice {
    const rp__operator *rows[RP_PHASES];
    uint32_t levels; /* of pmf and ding */
    bool is_stepped; /* the host waits after each operator, and traces it; otherwise once */
} rp__operator_choice;

/* RP_USAGE: an option or value that there is not; the message lists what there is. */
rp_status rp__operator_table_parse(const char *spec, rp__operator_choice *out, rp_error *err);
/* The same, and whether the choice can answer such queries. */
rp_status rp__operator_table_check(const char *spec, const rp__algorithm_use *use, rp_error *err);
/* What stands before the codec of an index in messages: "in ", or that of `auto`. */
const char *rp__operator_table_codec_words(const char *codec);

#endif
