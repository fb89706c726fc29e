/* cli/environment.h: the environment variables that the program heeds, one row each. */
#ifndef RP_CLI_ENVIRONMENT_H
#define RP_CLI_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "riposte/status.h"

typedef struct rp__environment_row {
    const char *name, *help;
    bool (*is_known)(const char *value); /* NULL: any value is */
    const char *values;                  /* what is known, for a message; NULL: anything */
    bool is_secret;                      /* its value is not shown */
} rp__environment_row;

/* NULL: past the last. */
const rp__environment_row *rp__environment_at(size_t i);
/* NULL: none has this name. */
const rp__environment_row *rp__environment_find(const char *name);
/* The value of a variable; NULL where it is not set, or empty. */
const char *rp__environment_value(const rp__environment_row *row);
/* RP_USAGE: a variable has a value that is not known. */
rp_status rp__environment_check(const rp__environment_row *row, rp_error *err);
/* The same for all rows; the first fault. */
rp_status rp__environment_check_all(rp_error *err);

#endif
