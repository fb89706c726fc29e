/* exchange_table.c: the formats of other programs' indexes, one row each. */
#include <string.h>

#include "base/error.h"
#include "engine/exchange.h"

static const rp__exchange formats[] = {
    {"ciff", rp__ciff_import_run, rp__ciff_export_run},
    {"pisa", rp__pisa_import_run, rp__pisa_export_run},
    {"iiu", NULL, rp__image_export_run},
};

enum { FORMATS = sizeof formats / sizeof *formats };

const char *rp_exchange_name(size_t i)
{
    return i < FORMATS ? formats[i].name : NULL;
}

rp_status rp__exchange_find(const char *name, const rp__exchange **out, rp_error *err)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(formats[i].name, name) == 0) {
            *out = &formats[i];
            return RP_OK;
        }
    return rp__error_set(err, RP_USAGE, "unknown format \"%s\" of other programs' indexes", name);
}
