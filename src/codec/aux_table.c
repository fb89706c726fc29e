/* aux_table.c: the kinds of auxiliary data, by id. Ids are on disk: a new kind takes the next one. */
#include <string.h>

#include "codec/hs.h"
#include "codec/lr.h"

#define HS(id_, bucket_)                                                                           \
    {                                                                                              \
        .id = (id_), .name = "hs" #bucket_, .bucket = (bucket_), .bound = rp__hs_bound,            \
        .fit = rp__hs_fit, .open = rp__hs_open, .range = rp__hs_find, .is_sound = rp__hs_is_sound  \
    }

static const rp__aux_kind kinds[RP_AUX_KINDS] = {
    {.id = 0,
     .name = "lr",
     .bound = rp__lr_bound,
     .fit = rp__lr_fit,
     .open = rp__lr_open,
     .range = rp__lr_find,
     .is_sound = rp__lr_is_sound},
    HS(1, 8),
    HS(2, 16),
    HS(3, 32),
    HS(4, 64),
    HS(5, 128),
    HS(6, 256),
    HS(7, 512),
    HS(8, 1024),
};

const rp__aux_kind *rp__aux_kind_at(size_t i)
{
    return i < RP_AUX_KINDS ? &kinds[i] : NULL;
}

const rp__aux_kind *rp__aux_kind_find(const char *name, size_t bytes)
{
    for (size_t i = 0; i < RP_AUX_KINDS; i++)
        if (strlen(kinds[i].name) == bytes && memcmp(kinds[i].name, name, bytes) == 0)
            return &kinds[i];
    return NULL;
}
