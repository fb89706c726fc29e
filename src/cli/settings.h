/* cli/settings.h: options of a verb that are not on the command line: from the environment, or from
 * a file of lines "name = value". */
#ifndef RP_CLI_SETTINGS_H
#define RP_CLI_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

#include "riposte/status.h"

typedef struct rp__setting {
    const char *name, *value; /* inside the text */
    uint32_t line;
} rp__setting;

typedef struct rp__settings {
    char *text;
    rp__setting *at;
    size_t n;
} rp__settings;

/* Cuts a text into settings. Empty lines and those that begin with '#' say nothing; blanks around
 * names and values do not count. RP_INPUT: a line is no setting, or a name comes twice; `path` and
 * the line are in the message. */
rp_status rp__settings_parse(const char *text, size_t bytes, const char *path, rp__settings *out,
                             rp_error *err);
rp_status rp__settings_read(const char *path, rp__settings *out, rp_error *err);
void rp__settings_free(rp__settings *settings); /* all zero is fine */

/* NULL: it has none of this name. */
const rp__setting *rp__settings_find(const rp__settings *settings, const char *name);
/* The variable of an option: RIPOSTE_MAX_BODY for max-body; NULL: it is not set, or empty. */
const char *rp__settings_variable(const char *option, char *name, size_t cap);

#endif
