/* cli/manual.h: what the tables say about the program, as text, as a manual page or as Markdown. */
#ifndef RP_CLI_MANUAL_H
#define RP_CLI_MANUAL_H

#include "base/buf.h"
#include "cli/options.h"

/* How a kind of document writes its parts. */
typedef struct rp__manual_format {
    const char *name;
    bool is_whole; /* without a verb: all verbs, not an overview */
    void (*title)(rp__buf *out, const char *name, const char *summary);
    void (*section)(rp__buf *out, const char *name);
    void (*part)(rp__buf *out, const char *name); /* of a section */
    void (*prose)(rp__buf *out, const char *text);
    void (*item)(rp__buf *out, const char *term, const char *text);
    void (*code)(rp__buf *out, const char *text); /* lines to type */
} rp__manual_format;

/* "text", "man", "markdown"; a row without a name is the last. */
extern const rp__manual_format rp__manual_formats[];

/* The manual of a verb, or of the program where verb is NULL. */
void rp__manual_write(rp__buf *out, const rp__verb *verb, const rp__manual_format *format);

/* "riposte index FILE... -o DIR [options]" */
void rp__manual_usage(rp__buf *out, const rp__verb *verb);

#endif
