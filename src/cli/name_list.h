/* cli/name_list.h: an option's names with commas between. */
#ifndef RP_CLI_NAME_LIST_H
#define RP_CLI_NAME_LIST_H

#include <stdbool.h>

#include "cli/console.h"

enum { RP_NAME_BYTES = 64 };

/* The next name of a list; false at its end. Too long is cut, and then not known. */
bool rp__name_list_next(const char **names, char out[RP_NAME_BYTES]);
/* RP_USAGE unless the list has a name, and all are known and there once; of one that is not known,
 * the message proposes another. */
rp_status rp__name_list_check(rp__console *console, const char *option, const char *names,
                              const char *(*name_at)(size_t i), rp_error *err);

#endif
