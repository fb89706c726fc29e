/* coding.c: which codec, and which code for the frequencies, to and from their names. */
#include "index/coding.h"

#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "base/error.h"

rp__codec rp__coding_row(const rp__coding *coding)
{
    return coding->freqs ? rp__codec_with_freqs(coding->codec, coding->freqs) : *coding->codec;
}

/* Names of the columns of costs. */
static const char *const columns[] = {
    [RP_COSTS_AVX2] = "avx2",
    [RP_COSTS_AVX512] = "avx512",
};

/* The column that a codec chooses by; empty: by none. */
static const char *name_costs(const rp__coding *coding)
{
    const rp__codec_options *o = &coding->options;
    if (!coding->codec->choose || o->by == RP_BY_SIZE)
        return "";
    return columns[o->costs ? o->costs : RP_COSTS_DEFAULT];
}

static rp__codec_costs find_costs(const char *name)
{
    for (rp__codec_costs c = RP_COSTS_AVX2; c <= RP_COSTS_AVX512; c++)
        if (strcmp(columns[c], name) == 0)
            return c;
    return RP_COSTS_OWN;
}

void rp__coding_describe(const rp__coding *coding, rp__manifest *m)
{
    const rp__block_code *own = coding->codec->freqs, *freqs = coding->freqs;
    bool is_own = !own || !freqs || strcmp(own->name, freqs->name) == 0;
    memset(m->meta.codec, 0, sizeof m->meta.codec); /* a longer name may have been here */
    snprintf(m->meta.codec, sizeof m->meta.codec, "%s", coding->codec->name);
    snprintf(m->freqs, sizeof m->freqs, "%s", is_own ? "" : freqs->name);
    snprintf(m->costs, sizeof m->costs, "%s", name_costs(coding));
}

rp_status rp__coding_find(const rp__manifest *m, const char *dir, rp__coding *out, rp_error *err)
{
    uint32_t features = rp__cpu_features();
    *out = (rp__coding){.codec = rp__codec_find(m->meta.codec, features),
                        .options = {.costs = find_costs(m->costs)}};
    if (!out->codec)
        return rp__error_set(err, RP_INCOMPATIBLE,
                             "%s: codec \"%s\" is not known to this program; use a newer Riposte",
                             dir, m->meta.codec);
    if (!m->freqs[0])
        return RP_OK;
    out->freqs = rp__block_code_find(m->freqs, features);
    if (!out->freqs || !out->codec->freqs)
        return rp__error_set(err, RP_INCOMPATIBLE,
                             "%s: frequencies \"%s\" of codec \"%s\" are not known to this "
                             "program; use a newer Riposte",
                             dir, m->freqs, m->meta.codec);
    return RP_OK;
}
