/* gpu_derive.c: bits by kernels/and_bits.cu: those from docid 0 on, hints behind them, then what the kernel tells, and
 * the word that it is given. Docids by the codec's own kernel: those, then the list and its tiles. */
#include "backend/gpu/gpu_derive.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "codec/codec.h"

enum {
    ALIGN = 256,
    WARPS = 4,
    HINT = 512,       /* docids between hints */
    TILE_BLOCKS = 16, /* of a tile of a decoding kernel */
};

/* ---- Bits ------------------------------------------------------------------------------------ */

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

/* ---- Docids ---------------------------------------------------------------------------------- */

/* Codecs that cut every RP_BLOCK, their kernels, and bytes of shared memory that these need at most a warp. */
static const struct {
    uint8_t codec;
    rp__kernel_id kernel;
    uint32_t shared;
} ways[] = {
    {KARG_CODEC_OPTPFD, RP_KERNEL_decode_optpfd_kernel, KARG_SHARED_HEADS + KARG_SHARED_PATCH},
    {KARG_CODEC_RICE, RP_KERNEL_decode_rice_kernel, KARG_SHARED_HEADS + KARG_SHARED_RICE},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static size_t way_of(const rp__list *list)
{
    size_t i = 0;
    while (i < WAYS && (!list->codec || list->codec->id != ways[i].codec))
        i++;
    return i;
}

bool rp__gpu_derive_has(const rp__list *list)
{
    return way_of(list) < WAYS;
}

static uint32_t tiles_of(uint32_t n)
{
    return n / (TILE_BLOCKS * RP_BLOCK) + 1;
}

static size_t docids_end(uint32_t n)
{
    return rp__bits_align(n * sizeof(uint32_t) + RP_PAD, ALIGN);
}

size_t rp__gpu_derive_docids_bytes(uint32_t n)
{
    return rp__bits_align(docids_end(n) + sizeof(karg_list) + tiles_of(n) * sizeof(karg_tile),
                          ALIGN);
}

/* Tiles of the list, one after the other; how many. */
static uint32_t lay_tiles(const karg_list *list, karg_tile *out)
{
    uint32_t n = 0;
    for (uint32_t b = 0; b < list->n_blocks; b += TILE_BLOCKS, n++) {
        uint32_t blocks = list->n_blocks - b, rank = b * RP_BLOCK, room = list->n - rank;
        out[n] = (karg_tile){.block = b,
                             .n = blocks < TILE_BLOCKS ? blocks : TILE_BLOCKS,
                             .room = room < TILE_BLOCKS * RP_BLOCK ? room : TILE_BLOCKS * RP_BLOCK,
                             .out = rank};
    }
    return n;
}

static rp_status decode(rp__device *device, size_t way, const karg_list *list, rp__cu_ptr room)
{
    rp__cu_ptr at = room + docids_end(list->n), at_tiles = at + sizeof *list;
    karg_tile *tiles = rp__alloc_zero(tiles_of(list->n), sizeof *tiles);
    if (!tiles)
        return RP_NO_MEMORY;
    karg_decode args = {
        .lists = at, .tiles = at_tiles, .docids = room, .n_tiles = lay_tiles(list, tiles)};
    rp__launch how = {(args.n_tiles + WARPS - 1) / WARPS, 32 * WARPS, WARPS * ways[way].shared};
    rp_status status = rp__device_copy_in(device, at, list, sizeof *list);
    if (status == RP_OK)
        status = rp__device_copy_in(device, at_tiles, tiles, args.n_tiles * sizeof *tiles);
    if (status == RP_OK)
        status = rp__device_fill(device, room, 0, docids_end(list->n) / sizeof(uint32_t));
    if (status == RP_OK)
        status = rp__device_launch(device, ways[way].kernel, how, &args);
    if (status == RP_OK)
        status = rp__device_wait(device);
    rp__free(tiles);
    return status;
}

rp_status rp__gpu_derive_docids(const rp__gpu_index *index, const rp__list *list, rp__cu_ptr room,
                                karg_word *out)
{
    const char *freqs = list->freq_code ? list->freq_code->name : "";
    size_t way = way_of(list);
    *out = (karg_word){0};
    if (way == WAYS || (strcmp(freqs, "optpfd") != 0 && strcmp(freqs, "bp128") != 0))
        return RP_UNAVAILABLE;
    if (!rp__gpu_index_list(index, list, &out->list))
        return RP_DAMAGED;
    rp_status status = decode(index->device, way, &out->list, room);
    out->list.codec = KARG_CODEC_RAW;
    out->list.docs = room;
    out->list.docs_bytes = list->n * (uint32_t)sizeof(uint32_t);
    out->list.offsets = 0;
    out->list.freq_code = strcmp(freqs, "bp128") ? KARG_CODEC_OPTPFD : KARG_CODEC_BP128;
    return status;
}
