/* gpu_derive.c: bits by kernels/and_bits.cu: those from docid 0 on, hints behind them, then what the kernel tells, and
 * the word that it is given. */
#include "backend/gpu/gpu_derive.h"

#include "base/bits.h"

enum {
    ALIGN = 256,
    WARPS = 4,
    HINT = 512, /* docids between hints */
};

typedef struct layout {
    size_t n_words, hints, found, word, bytes;
} layout;

static layout lay_out(uint32_t universe)
{
    layout l = {.n_words = universe / 32 + 1};
    l.hints = rp__bits_align(l.n_words * sizeof(uint32_t), ALIGN);
    l.found = l.hints + rp__bits_align((universe / HINT + 1) * sizeof(uint32_t), ALIGN);
    l.word = l.found + sizeof(karg_found);
    l.bytes = rp__bits_align(l.word + sizeof(karg_word), ALIGN);
    return l;
}

size_t rp__gpu_derive_bits_bytes(uint32_t universe)
{
    return lay_out(universe).bytes;
}

rp_status rp__gpu_derive_bits(rp__device *device, const karg_word *word, rp__cu_ptr room,
                              karg_word *out)
{
    layout l = lay_out(word->list.universe);
    karg_found found = {0};
    karg_bits args = {.word = room + l.word,
                      .bits = room,
                      .hints = room + l.hints,
                      .found = room + l.found,
                      .n_words = (uint32_t)l.n_words};
    rp__launch how = {(word->list.n_blocks + WARPS - 1) / WARPS, 32 * WARPS,
                      WARPS * KARG_BITS_SHARED};
    rp_status status = rp__device_fill(device, room, 0, l.word / sizeof(uint32_t));
    if (status == RP_OK)
        status = rp__device_copy_in(device, room + l.word, word, sizeof *word);
    if (status == RP_OK)
        status = rp__device_launch(device, RP_KERNEL_and_bits_kernel, how, &args);
    if (status == RP_OK)
        status = rp__device_copy_out(device, &found, args.found, sizeof found);
    if (status == RP_OK)
        status = rp__device_wait(device);
    *out = *word;
    out->list.codec = KARG_CODEC_BITMAP;
    out->list.docs = args.bits;
    out->hints = args.hints;
    out->base = 0;
    out->n_words = args.n_words;
    return status == RP_OK && found.damaged ? RP_DAMAGED : status;
}
