/* cli/caret.h: a query on a line, and a caret below the column that an error names. */
#ifndef RP_CLI_CARET_H
#define RP_CLI_CARET_H

#include <stddef.h>

enum { RP_CARET_BYTES = 512 };

/* Two lines, of at most 76 columns each, for a message that begins with "column N:"; "" for any
 * other. */
void rp__caret_draw(const char *query, const char *message, char out[RP_CARET_BYTES]);

#endif
