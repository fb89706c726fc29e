/* engine/filetype.h: interior of engine: is a file text? */
#ifndef RP_ENGINE_FILETYPE_H
#define RP_ENGINE_FILETYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RP_FILETYPE_HEAD_BYTES = 64 << 10 }; /* that are looked at */

/* Why the file that begins with these bytes is no text; NULL: it is. A static string. */
const char *rp__filetype_refuse(const uint8_t *head, size_t n);
/* The same by the first bytes alone, which name a type: controls and NULs count for nothing. */
const char *rp__filetype_refuse_magic(const uint8_t *head, size_t n);

#endif
