/* cli/console.h: how the program speaks: results on standard output, all else on standard error.
 *
 * One thread. Text that came from documents or users passes rp__console_put, which lets nothing
 * through that could steer a terminal. */
#ifndef RP_CLI_CONSOLE_H
#define RP_CLI_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "cli/caret.h"
#include "riposte/status.h"

typedef struct rp__console {
    bool wants_json, is_quiet;
    bool out_is_terminal, err_is_terminal;
    bool has_colour;     /* on standard output */
    bool has_reply;      /* a JSON object is on standard output: an error adds none */
    bool leaves;         /* the program ends without freeing memory */
    int out_errno;       /* of the first flush of standard output that failed; 0: none */
    const char *program; /* what to type to run it again */
    const char *verb;
    char remedy[448];           /* the last line of an error; empty: none */
    char place[RP_CARET_BYTES]; /* lines before it that show where in a query it is; empty: none */
} rp__console;

void rp__console_init(rp__console *console);

/* Columns of the terminal on `stream`; 80 where it is none. */
size_t rp__console_width(FILE *stream);

/* Writes text with controls, invalid UTF-8 and direction marks shown as \xNN; tab and newline
 * become a blank. */
void rp__console_put(FILE *out, const char *text, size_t bytes);
/* The same into a buffer. */
void rp__console_clean(rp__buf *out, const char *text, size_t bytes);

/* A line on standard error, unless quiet. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void rp__console_note(const rp__console *console, const char *format, ...);

/* RP_USAGE: `remedy` is what to type instead (NULL: the verb's help). */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
rp_status
rp__console_usage(rp__console *console, rp_error *err, const char *remedy, const char *format, ...);

/* Writes one JSON object as a line. */
rp_status rp__console_reply(rp__console *console, const rp__buf *json, rp_error *err);

/* Says why the program ends, on standard error and, under --json, as an object. */
void rp__console_fail(rp__console *console, const rp_error *err);

/* So that what is said on standard error next stands below the results on a screen. */
void rp__console_flush(rp__console *console);

/* Flushes; the exit code. A reader that has closed the pipe is no error. */
int rp__console_finish(rp__console *console, rp_status status);

/* Whether a program may end without freeing memory: not where that is looked at, or where functions
 * at the end write what a test has covered. */
bool rp__console_may_leave(void);

/* True once standard output takes no more: a long answer may stop. */
bool rp__console_is_closed(void);

#endif
