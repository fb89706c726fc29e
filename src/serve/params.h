/* serve/params.h: parameters of a request, by the rows of a table: the same rows read a query
 * string and a JSON object, refuse what they do not have, and describe the API.
 *
 * One thread at a time. */
#ifndef RP_SERVE_PARAMS_H
#define RP_SERVE_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "riposte/status.h"

typedef enum rp__param_kind {
    RP_PARAM_TEXT,
    RP_PARAM_COUNT,
    RP_PARAM_FLAG,
    RP_PARAM_CHOICE,
    RP_PARAM_NAMES /* some of the choices: with commas between, or a JSON array */
} rp__param_kind;

typedef struct rp__param {
    const char *name; /* NULL ends the rows */
    rp__param_kind kind;
    bool is_required;
    uint64_t min, max;          /* of a count */
    const char *const *choices; /* ended by NULL */
    const char *help;
} rp__param;

enum {
    RP_PARAMS = 12,          /* rows of a table at most */
    RP_PARAM_CHOICES = 16,   /* of a row at most */
    RP_PARAMS_DEPTH = 64,    /* of a JSON body */
    RP_PARAMS_TEXT = 1 << 20 /* bytes of one text */
};

typedef struct rp__value {
    bool is_given;
    char *text; /* of TEXT: ends with a NUL */
    size_t bytes;
    uint64_t count; /* a flag as 0 or 1; a choice as its index */
    uint8_t n_names, names[RP_PARAM_CHOICES];
} rp__value;

typedef struct rp__params {
    const rp__param *rows;
    char *texts; /* of the caller: where texts go, one after the other; NULL: each has its own */
    rp__value at[RP_PARAMS]; /* in the order of the rows */
} rp__params;

void rp__params_init(rp__params *params, const rp__param *rows);
/* For the next ones of the same rows, whose texts go behind those of the last ones. */
void rp__params_clear(rp__params *params);
void rp__params_free(rp__params *params);

/* "q=two+words&k=10". RP_USAGE: unknown, given twice, not a number, ...; err says what and what to
 * do. */
rp_status rp__params_read_query(rp__params *params, const char *query, size_t bytes, rp_error *err);
/* A JSON object, whole. */
rp_status rp__params_read_body(rp__params *params, const char *body, size_t bytes, rp_error *err);
/* RP_USAGE: one that is required is missing. */
rp_status rp__params_check(const rp__params *params, rp_error *err);

/* The object {"KEY":[{...},{...}]}: begins it; then each of its objects. The reader is the
 * caller's, who frees it. All texts, with a NUL behind each, fit in `bytes`. */
rp_status rp__params_list_begin(rp__json *json, const char *body, size_t bytes, const char *key,
                                rp_error *err);
/* *has false: there is no other, and the body is sound to its end. */
rp_status rp__params_list_next(rp__json *json, rp__params *params, bool *has, rp_error *err);

/* Decodes %XX, and '+' as a blank where has_plus, into `out`, which has `bytes` + 1; it ends with a
 * NUL. False: a '%' without two digits, or a NUL. */
bool rp__params_decode(const char *text, size_t bytes, bool has_plus, char *out, size_t *out_bytes);

#endif
