/* cli/options.h: an option is a row; the same rows parse a command line and print help, manual and
 * completions. A verb's options are groups of rows; a group that several verbs share says in each
 * verb where in that verb's arguments its record lies. */
#ifndef RP_CLI_OPTIONS_H
#define RP_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/console.h"
#include "cli/settings.h"
#include "riposte/status.h"

typedef enum rp__option_kind {
    RP_OPTION_FLAG,    /* bool */
    RP_OPTION_COUNT32, /* uint32_t */
    RP_OPTION_COUNT64, /* uint64_t or size_t */
    RP_OPTION_SIZE,    /* the same, written 64M */
    RP_OPTION_REAL,    /* double */
    RP_OPTION_TEXT,    /* const char *, anything */
    RP_OPTION_NAME,    /* const char *, one of the choices */
    /* const char *, one of the choices, perhaps with a ':' and what the library makes of the
     * rest */
    RP_OPTION_SPEC,
    RP_OPTION_ENUM, /* an enum, the index of the choice */
} rp__option_kind;

typedef struct rp__option {
    const char *name; /* --name; NULL ends the rows */
    char letter;      /* -x; 0: none */
    uint8_t kind;
    bool is_required, has_value;
    const char *argument;       /* as help shows it */
    const char *initial;        /* stored before parsing and shown as the default; NULL: zero */
    double least, most;         /* of a number; most 0: what the type holds */
    const char *const *choices; /* ended by NULL, or */
    const char *(*choice_at)(size_t i); /* a list of the library's */
    size_t at;                          /* where the value is stored in the group's record */
    size_t has_at;                      /* if has_value: of a bool that says it was given */
    const char *help;
} rp__option;

typedef struct rp__option_group {
    const char *title;
    const rp__option *rows; /* NULL ends the groups */
    size_t at;              /* of the group's record in the verb's arguments */
} rp__option_group;

/* The record of the group that every verb has, at offset 0 of its arguments. */
typedef struct rp__common_args {
    bool json, quiet, help;
} rp__common_args;

extern const rp__option rp__options_common[];

typedef struct rp__verb rp__verb;

enum { RP_CALL_GIVEN = 128 }; /* no verb has as many rows */

/* A parsed command line. Operands are argv's own. */
typedef struct rp__call {
    const rp__verb *verb;
    void *args; /* verb->args_bytes, its common record first */
    char **operands;
    size_t n_operands;
    /* names of options that the command line has, each once, in the order of the rows */
    const char *given[RP_CALL_GIVEN];
    size_t n_given;
    rp__settings settings; /* of the verb's file, which arguments may point into; to be freed */
} rp__call;

struct rp__verb {
    const char *name, *summary;
    const char *operands[4]; /* "DIR"; "[VERB]" may be missing; "FILE..." may be repeated */
    const char *details;     /* sentences for the manual; NULL: none */
    const char *examples;    /* a command a line; the first is what a usage error says to try */
    const rp__option_group *groups;
    size_t args_bytes;
    /* options that the command line does not have come from variables, then from the file that the
     * option "config" names */
    bool has_settings;
    bool checks_environment; /* itself; otherwise a bad variable ends the program before */
    rp_status (*run)(rp__console *console, const rp__call *call, rp_error *err);
};

/* Stores defaults, then argv[1..] (argv[0] is the verb), into call. RP_USAGE with what to try. */
rp_status rp__options_parse(const rp__verb *verb, int argc, char **argv, rp__call *call,
                            rp__console *console, rp_error *err);

/* Where the value of a row comes from that the command line does not have; NULL: it has none. */
const char *rp__options_source(const rp__option *row, const rp__settings *settings,
                               const char **value, char *where, size_t cap);

/* The letter that means this row; 0: none, or one that an earlier row of the verb has. */
char rp__options_letter(const rp__verb *verb, const rp__option *row);

/* The i-th choice of a row; NULL past the last. */
const char *rp__options_choice(const rp__option *row, size_t i);

/* The candidate nearest to `word` if it is near enough to be meant; NULL otherwise. `best` is the
 * caller's memory between calls, NULL and SIZE_MAX at first. */
typedef struct rp__nearest {
    const char *name;
    size_t distance;
} rp__nearest;
void rp__options_nearest(rp__nearest *best, const char *word, const char *candidate);

#endif
