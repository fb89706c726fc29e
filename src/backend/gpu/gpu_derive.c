/* gpu_derive.c: bits, docids and frequencies by kernels/and_lists.cu. Of bits those from docid 0 on come first, then hints. */
#include "backend/gpu/gpu_derive.h"

#include "base/bits.h"
#include "codec/codec.h"

enum {
    ALIGN = RP_GPU_DERIVE_ALIGN,
    WARPS = 4,
    HINT = 512, /* docids between hints */
};

static uint32_t bit_words(uint32_t universe)
{
    return universe / 32 + 1;
}

static size_t hints_at(uint32_t universe)
{
    return rp__bits_align(bit_words(universe) * sizeof(uint32_t), ALIGN);
}

size_t rp__gpu_derive_bits_bytes(uint32_t universe)
{
    return hints_at(universe) + rp__bits_align((universe / HINT + 1) * sizeof(uint32_t), ALIGN);
}

size_t rp__gpu_derive_words_bytes(uint32_t n)
{
    return rp__bits_align(n * sizeof(uint32_t), ALIGN);
}

static void set_tfs(karg_word *word, rp__cu_ptr tfs)
{
    word->list.freqs = tfs;
    word->list.freqs_bytes = word->list.n * (uint32_t)sizeof(uint32_t);
    word->list.freq_offsets = 0;
    word->list.freq_code = KARG_CODEC_RAW;
}

karg_made rp__gpu_derive_bits(const karg_word *word, rp__cu_ptr room, rp__cu_ptr tfs,
                              uint32_t before, karg_word *out)
{
    uint32_t universe = word->list.universe;
    karg_made made = {.word = *word,
                      .tfs = tfs,
                      .bits = room,
                      .hints = room + hints_at(universe),
                      .n_words = bit_words(universe),
                      .before = before};
    *out = *word;
    out->list.codec = KARG_CODEC_BITMAP;
    out->list.docs = made.bits;
    out->hints = made.hints;
    out->base = 0;
    out->n_words = made.n_words;
    set_tfs(out, tfs);
    return made;
}

karg_made rp__gpu_derive_docids(const karg_word *word, rp__cu_ptr room, rp__cu_ptr tfs,
                                uint32_t before, karg_word *out)
{
    karg_made made = {.word = *word, .docids = room, .tfs = tfs, .before = before};
    *out = *word;
    out->list.codec = KARG_CODEC_RAW;
    out->list.docs = room;
    out->list.docs_bytes = word->list.n * (uint32_t)sizeof(uint32_t);
    out->list.offsets = 0;
    set_tfs(out, tfs);
    return made;
}

karg_made rp__gpu_derive_tfs(const karg_word *word, rp__cu_ptr tfs, uint32_t before, karg_word *out)
{
    *out = *word;
    set_tfs(out, tfs);
    return (karg_made){.word = *word, .tfs = tfs, .before = before};
}

rp_status rp__gpu_derive_make(rp__device *device, rp__cu_stream stream, rp__cu_ptr lists,
                              rp__cu_ptr found, uint32_t n_lists, uint32_t n_blocks)
{
    karg_lists args = {.lists = lists, .found = found, .n_lists = n_lists, .n_blocks = n_blocks};
    rp__launch how = {(n_blocks + WARPS - 1) / WARPS, 32 * WARPS, WARPS * KARG_LISTS_SHARED};
    return rp__device_launch_on(device, stream, RP_KERNEL_and_lists_kernel, how, &args);
}
