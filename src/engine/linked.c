/* linked.c: which libraries this one is linked with, and which versions of them run. */
#include "base/error.h"
#include "riposte/riposte.h"
#include "store/store.h"
#include "text/text.h"

/* libstemmer does not say which version it is. */
static const struct {
    const char *name;
    const char *(*version)(void);
} rows[] = {
    {"zstd", rp__zblock_version},
    {"zlib", rp__input_zlib_version},
    {"xxhash", rp__checksum_version},
    {"utf8proc", rp__unicode_version},
    {"libstemmer", NULL},
};

bool rp_linked_get(size_t i, rp_linked *out)
{
    if (!out)
        return false;
    *out = (rp_linked){0};
    if (i >= sizeof rows / sizeof *rows)
        return false;
    *out = (rp_linked){rows[i].name, rows[i].version ? rows[i].version() : ""};
    return true;
}
