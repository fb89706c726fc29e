/* lab_list.c: rows of codecs, and lists that one of them encoded: chapters 1 and 2 of lab/lab.h. */
#include "lab/lab_list.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/cpu.h"
#include "base/error.h"

_Static_assert((int)RP_LAB_ROOM >= (int)RP_BLOCK_CAPACITY,
               "what decoders may write past the count");

/* ---- 1. Rows --------------------------------------------------------------------------------- */

static const char *isa_of(uint32_t needs)
{
    return needs & RP_CPU_AVX512 ? "avx512" : needs & RP_CPU_AVX2 ? "avx2" : "scalar";
}

static bool can_run(const rp__codec *codec)
{
    return (codec->needs & ~rp__cpu_features()) == 0;
}

bool rp__lab_row_get(size_t i, rp__lab_row *out)
{
    if (RP_MISSING(NULL, out))
        return false;
    const rp__codec *codec = rp__codec_at(i);
    if (!codec)
        return false;
    *out = (rp__lab_row){.name = codec->name,
                         .id = codec->id,
                         .isa = isa_of(codec->needs),
                         .can_run = can_run(codec),
                         .has_decode = codec->decode != NULL,
                         .has_at = codec->at != NULL,
                         .has_find = codec->find != NULL,
                         .has_unordered = codec->unordered != NULL,
                         .has_own_freqs = codec->freqs == NULL};
    return true;
}

rp_status rp__lab_row_find(const char *name, const char *isa, size_t *out, rp_error *err)
{
    if (RP_MISSING(err, name, out))
        return RP_USAGE;
    bool is_best = !isa || strcmp(isa, "best") == 0, has_codec = false;
    const rp__codec *codec;
    for (size_t i = 0; (codec = rp__codec_at(i)); i++) {
        if (strcmp(codec->name, name) != 0)
            continue;
        has_codec = true;
        if (is_best ? !can_run(codec) : strcmp(isa_of(codec->needs), isa) != 0)
            continue;
        if (!can_run(codec))
            return rp__error_set(err, RP_UNAVAILABLE,
                                 "codec %s: %s cannot run here, or RIPOSTE_SIMD hides it", name,
                                 isa);
        *out = i;
        return RP_OK;
    }
    if (has_codec)
        return rp__error_set(err, RP_NOT_FOUND, "codec %s has no row for %s", name, isa);
    return rp__error_set(err, RP_NOT_FOUND, "unknown codec \"%s\"; rp_codec_name lists them", name);
}

/* ---- 2. Lists -------------------------------------------------------------------------------- */

/* What encoding needs beside the list itself. */
typedef struct work {
    uint32_t *ends, *scratch, *ones;
    uint8_t *bounds, *out;
} work;

static bool is_list(const uint32_t *docids, const uint32_t *tfs, size_t n)
{
    bool is = n >= 1 && n < UINT32_MAX && docids[n - 1] < RP_NO_DOC;
    for (size_t i = 0; is && i < n; i++)
        is = (i == 0 || docids[i - 1] < docids[i]) && (!tfs || tfs[i] >= 1);
    return is;
}

static bool take_work(work *w, const rp__codec *codec, const uint32_t *tfs, size_t n)
{
    size_t blocks = rp__list_blocks_bound(codec, n);
    w->ends = rp__alloc_array(blocks, sizeof *w->ends);
    w->scratch = rp__alloc_array(rp__list_scratch(codec, n), sizeof *w->scratch);
    /* No ranking, so no bounds and kths: their bytes still count. */
    w->bounds = rp__alloc_zero(blocks + RP_LIST_KTHS, 1);
    w->out = rp__alloc(rp__list_bound(codec, n));
    w->ones = tfs ? NULL : rp__alloc_array(n, sizeof *w->ones);
    for (size_t i = 0; w->ones && i < n; i++)
        w->ones[i] = 1;
    return w->ends && w->scratch && w->bounds && w->out && (tfs || w->ones);
}

static void drop_work(work *w)
{
    rp__free(w->ones);
    rp__free(w->out);
    rp__free(w->bounds);
    rp__free(w->scratch);
    rp__free(w->ends);
}

/* Keeps what was written, in as many bytes as it has. */
static rp_status keep(const rp__codec *codec, const work *w, const uint32_t *docids, size_t n,
                      rp__lab_list *list)
{
    list->bytes = rp__alloc_zero(list->used + RP_PAD, 1);
    if (!list->bytes)
        return RP_NO_MEMORY;
    memcpy(list->bytes, w->out, list->used);
    return rp__list_open(codec, list->bytes, list->used, (uint32_t)n, docids[n - 1] + 1, false,
                         &list->list);
}

static rp_status encode(const rp__codec *codec, const rp__lab_options *options,
                        const uint32_t *docids, const uint32_t *tfs, size_t n, rp__lab_list *list)
{
    rp__codec_options o = {0};
    if (options)
        o = (rp__codec_options){.has_exceptions = options->has_exceptions,
                                .has_level = options->has_level,
                                .exceptions = options->exceptions,
                                .level = options->level,
                                .c = options->c,
                                .segment = options->segment == RP_BLOCK ? 0 : options->segment,
                                .max_size = options->max_size};
    work w = {0};
    rp_status status = RP_NO_MEMORY;
    if (take_work(&w, codec, tfs, n)) {
        const uint32_t *freqs = tfs ? tfs : w.ones;
        rp__list_parts parts = {
            .ends = w.ends, .bounds = w.bounds, .kths = w.bounds, .options = &o};
        parts.n_blocks = rp__list_cut(codec, &o, docids, freqs, n, w.scratch, w.ends);
        status = rp__list_encode(codec, docids, freqs, n, &parts, w.scratch, w.out, &list->used);
        if (status == RP_OK)
            status = keep(codec, &w, docids, n, list);
    }
    drop_work(&w);
    return status;
}

rp_status rp__lab_list_new(size_t row, const rp__lab_options *options, const uint32_t *docids,
                           const uint32_t *tfs, size_t n, rp__lab_list **out, rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = NULL;
    if (RP_MISSING_ARRAY(err, docids, n))
        return RP_USAGE;
    const rp__codec *codec = rp__codec_at(row);
    if (!codec || !can_run(codec))
        return rp__error_set(err, RP_USAGE, "row %zu: there is none, or it cannot run here", row);
    if (!is_list(docids, tfs, n))
        return rp__error_set(err, RP_USAGE, "a list has rising docids, and frequencies from 1 on");
    rp__lab_list *list = rp__alloc_zero(1, sizeof *list);
    if (!list)
        return rp__error_no_memory(err);
    rp_status status = encode(codec, options, docids, tfs, n, list);
    if (status == RP_OK) {
        *out = list;
        return RP_OK;
    }
    rp__lab_list_free(list);
    if (status == RP_NO_MEMORY)
        return rp__error_no_memory(err);
    return rp__error_set(err, status, "codec %s: a list of %zu postings: %s", codec->name, n,
                         status == RP_LIMIT ? "over what the codec can hold"
                                            : "encoded, but it does not open");
}

void rp__lab_list_free(rp__lab_list *list)
{
    if (!list)
        return;
    rp__free(list->bytes);
    rp__free(list);
}

void rp__lab_list_get_sizes(const rp__lab_list *list, rp__lab_sizes *out)
{
    if (RP_MISSING(NULL, out))
        return;
    *out = (rp__lab_sizes){0};
    if (RP_MISSING(NULL, list))
        return;
    const rp__list *l = &list->list;
    enum { ALIGN = 16 }; /* of each array of the directory */
    uint64_t freqs = l->freqs_bytes;
    if (l->last) { /* else there is a head alone, which has the one bound */
        uint64_t frames = (l->n + RP_BLOCK - 1) / RP_BLOCK;
        freqs += rp__bits_align(l->n_blocks, ALIGN);
        freqs += l->freq_offsets ? rp__bits_align(frames * sizeof(uint32_t), ALIGN) : 0;
    }
    *out = (rp__lab_sizes){.docids = l->docs_bytes,
                           .directory = list->used - l->docs_bytes - freqs,
                           .freqs = freqs,
                           .n = l->n,
                           .blocks = l->n_blocks};
}
