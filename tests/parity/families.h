/* families.h: the rows of the codec tables that run here, by code and by codec: the plain row, and
 * all that must do as it does. */
#ifndef RP_TESTS_FAMILIES_H
#define RP_TESTS_FAMILIES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "codec/codec.h"

enum { FAMILY_ROWS = 8, FAMILIES = 64 };

typedef struct code_family {
    const rp__block_code *plain, *rows[FAMILY_ROWS]; /* plain among them */
    size_t n;
} code_family;

typedef struct codec_family {
    const rp__codec *plain, *rows[FAMILY_ROWS];
    size_t n;
} codec_family;

typedef struct families {
    code_family codes[FAMILIES];
    codec_family codecs[FAMILIES];
    size_t n_codes, n_codecs, n_rows; /* n_rows: of codecs */
} families;

static inline bool family_runs(uint32_t needs)
{
    return (needs & ~rp__cpu_features()) == 0;
}

static inline void families_of_codes(families *all)
{
    const rp__block_code *plain, *row;
    for (size_t i = 0; (plain = rp__block_code_at(i)); i++) {
        if (plain->needs)
            continue;
        code_family *f = &all->codes[all->n_codes++];
        f->plain = plain;
        for (size_t j = 0; (row = rp__block_code_at(j)); j++)
            if (family_runs(row->needs) && strcmp(row->name, plain->name) == 0)
                f->rows[f->n++] = row;
    }
}

static inline void families_of_codecs(families *all)
{
    const rp__codec *plain, *row;
    for (size_t i = 0; (plain = rp__codec_at(i)); i++) {
        if (plain->needs)
            continue;
        codec_family *f = &all->codecs[all->n_codecs++];
        f->plain = plain;
        for (size_t j = 0; (row = rp__codec_at(j)); j++)
            if (family_runs(row->needs) && row->id == plain->id)
                f->rows[f->n++] = row;
        all->n_rows += f->n;
    }
}

/* All of them, found once. */
static inline const families *families_here(void)
{
    static families all;
    if (all.n_codes == 0) {
        families_of_codes(&all);
        families_of_codecs(&all);
    }
    return &all;
}

#endif
