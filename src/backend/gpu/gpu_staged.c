/* gpu_staged.c: what the device is to read of a query: its words, and tiny lists, which are decoded here.
 *
 * Up to so many words travel with the launch; few bytes of lists are read from the host's memory, more are copied. A
 * kernel that stays may keep what it has read: what it reads there lies elsewhere each time, until the stage is full. */
#include "backend/gpu/gpu_asked.h"

#include "backend/gpu/gpu_list.h"
#include "base/bits.h"
#include "codec/codec.h"

enum {
    READ_MOST = 4096, /* bytes that the device reads from the host's memory, and has no copy of */
    STAY_MOST = 256 << 10, /* and a kernel that stays, before it has to leave */
    ALIGN = RP_EXEC_STAGE_ALIGN,
};

typedef rp__gpu_asked run;
typedef rp__gpu_asked_word word;

void rp__gpu_staged_lay_out(run *r)
{
    bool is_near = r->n <= KARG_WORDS_NEAR;
    r->staged = is_near ? 0 : rp__bits_align(r->n * sizeof(karg_word), ALIGN);
    for (uint32_t i = 0; i < r->n; i++) {
        word *w = &r->words[i];
        size_t bytes =
            rp__bits_align((w->list.n + (size_t)RP_BLOCK_ROOM) * sizeof(uint32_t), ALIGN);
        w->docids = r->staged;
        r->staged += w->list.codec ? 0 : bytes;
        w->tfs = r->staged;
        r->staged += w->list.codec || r->query->k == 0 ? 0 : bytes;
    }
    size_t asked = r->is_or && !r->is_tiled ? r->end - r->query->begin : 0;
    size_t pairs = r->query->k && !r->is_tiled ? r->most : 0;
    r->is_copied = !is_near || r->staged > READ_MOST;
    r->pairs = ALIGN + (r->is_copied ? r->staged : 0);
    r->scores = rp__bits_align(r->pairs + pairs * sizeof(karg_pair), ALIGN);
    r->bytes = r->scores + (asked + (asked + 31) / 32) * sizeof(uint32_t);
}

void rp__gpu_staged_place(run *r)
{
    rp__exec_stage *room = &r->q->room;
    r->staged_from = RP_EXEC_STAGE_STAGED;
    if (!r->is_resident || r->staged == 0)
        return;
    if (room->stayed + r->staged > STAY_MOST) {
        rp__persistent_kernel_dismiss(&room->resident);
        room->stayed = 0;
    }
    r->staged_from += room->stayed;
    room->stayed += rp__bits_align(r->staged, ALIGN);
}

size_t rp__gpu_staged_end(const run *r)
{
    bool is_kept = r->is_resident && r->staged > 0;
    return RP_EXEC_STAGE_STAGED + (is_kept ? STAY_MOST : r->staged);
}

uint64_t rp__gpu_staged_at(const run *r, size_t at)
{
    const rp__exec_stage *room = &r->q->room;
    return (r->is_copied ? room->scratch.at + ALIGN : room->stage_at + r->staged_from) + at;
}

static uint32_t *staged_words(const run *r, size_t at)
{
    return (uint32_t *)(void *)(r->q->room.stage + r->staged_from + at);
}

const karg_word *rp__gpu_staged_words(const run *r)
{
    return r->n <= KARG_WORDS_NEAR ? r->args.near : (const karg_word *)(void *)staged_words(r, 0);
}

static rp_status decode_tfs(const rp__list *list, uint32_t *out)
{
    rp_status status = RP_OK;
    for (uint32_t f = 0; status == RP_OK && (uint64_t)f * RP_BLOCK < list->n; f++)
        status = rp__list_freqs(list, f, out + (size_t)f * RP_BLOCK);
    return status;
}

static uint32_t count_blocks(const word *w)
{
    return (w->list.n + RP_BLOCK - 1) / RP_BLOCK;
}

/* A list that is decoded here is raw. */
static rp_status stage_tiny(const run *r, const word *w, karg_word *out)
{
    const rp__list *list = &w->list;
    *out = (karg_word){.list = {.docs = rp__gpu_staged_at(r, w->docids),
                                .docs_bytes = list->n * (uint32_t)sizeof(uint32_t),
                                .freqs = r->query->k > 0 ? rp__gpu_staged_at(r, w->tfs) : 0,
                                .freq_code = KARG_CODEC_RAW,
                                .codec = KARG_CODEC_RAW,
                                .n = list->n,
                                .n_blocks = count_blocks(w),
                                .universe = UINT32_MAX}};
    rp_status status = rp__list_decode(list, staged_words(r, w->docids), NULL);
    return status == RP_OK && r->query->k > 0 ? decode_tfs(list, staged_words(r, w->tfs)) : status;
}

static rp_status stage_word(run *r, const word *w, karg_word *out)
{
    rp_status status = RP_OK;
    if (!w->list.codec)
        status = stage_tiny(r, w, out);
    else if (w->is_transcoded)
        *out = w->made;
    else
        status = rp__gpu_list_point(&w->list, &w->stored->at, out);
    out->weight = w->leaf->weight.weight * rp__rank_scale(r->query->fraction_bits);
    return status == RP_DAMAGED ? rp__gpu_asked_refuse(r, RP_FALLBACK_DAMAGED) : status;
}

rp_status rp__gpu_staged_fill(run *r)
{
    bool is_near = r->n <= KARG_WORDS_NEAR;
    karg_word *words = is_near ? r->args.near : (karg_word *)(void *)staged_words(r, 0);
    rp_status status = RP_OK;
    for (uint32_t i = 0; status == RP_OK && i < r->n; i++) {
        status = stage_word(r, &r->words[i], &words[i]);
        words[i].before = r->args.n_blocks;
        r->args.n_blocks += count_blocks(&r->words[i]);
    }
    return status;
}
