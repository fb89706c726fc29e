/* list.c: the bytes of a posting list: a directory of flat arrays, the docids' payload and the
 * frequencies' payload (docs/format.md, "Lists"); writing, opening, decoding and validating them.
 *
 * Knows no codec by name. Does not walk (cursor.c) and does not know where a list lies.
 * Invariants: 1 one function, `layout_of`, places the parts for writer and reader; 2 open proves
 * that every array is inside the bytes, so that indexing by block or frame needs no check; 3 what
 * the arrays say is checked where it is used. */
#include "codec/list.h"

#include <string.h>

#include "base/bits.h"
#include "codec/gaps.h"

enum {
    HEAD_SHORT = 4,
    HEAD_LONG = 16,
    HEAD_CLOSE = 12, /* of a list whose parts lie close, without the number of blocks */
    ALIGN = 16,
    ALIGN_CLOSE = 4,
    FLAG_FIRST = 1,   /* array `first`: the row cuts, or the list is in segments */
    FLAG_POS = 2,     /* array `pos_offsets` */
    FLAG_OFFSETS = 4, /* array `offsets` */
    FLAG_PAIRED = 8,  /* frequencies lie with the docids: no array `freq_offsets` */
    FLAG_KTHS = 16,   /* `kths` behind the bounds: only indexes of before have none */
    FLAG_CLOSE = 32,  /* parts lie close together, and offsets are narrow */
};
#define FLAG_LONG 0x80000000U              /* always set; byte 3 of a short list is below 128 */
enum { LONG_MARK = 0x80, NAME_SHIFT = 8 }; /* byte 3 of a long list; the name in its flags */

static uint64_t align(uint64_t v)
{
    return rp__bits_align(v, ALIGN);
}

static uint64_t align_close(uint64_t v)
{
    return rp__bits_align(v, ALIGN_CLOSE);
}

static size_t frames_of(size_t n)
{
    return (n + RP_BLOCK - 1) / RP_BLOCK;
}

/* ---- Layout of a long list ------------------------------------------------------------------- */

/* Offsets of the parts from the start of the list; of narrow offsets that of the first entry. */
typedef struct layout {
    uint64_t last, last_far, offsets, freq_offsets, pos_offsets, first, bounds, kths, docs;
} layout;

/* All but FLAG_KTHS, FLAG_CLOSE, and FLAG_FIRST of a list in segments. name: that the list bears, 0 where it does not. */
static uint32_t flags_of(const rp__codec *codec, bool has_positions, uint8_t name)
{
    return FLAG_LONG | (uint32_t)name << NAME_SHIFT | (codec->cut ? FLAG_FIRST : 0U) |
           (has_positions ? FLAG_POS : 0U) | (codec->has_offsets ? FLAG_OFFSETS : 0U) |
           (codec->freqs ? 0U : FLAG_PAIRED);
}

/* Bytes of the bases before n narrow offsets. */
static uint64_t bases_bytes(uint64_t n)
{
    return (n - 1) / RP_LIST_FAR * sizeof(uint32_t);
}

/* Without last_far where that would be the end of `last`. */
static layout layout_close(uint32_t flags, uint64_t n, uint64_t n_blocks)
{
    layout at;
    uint64_t words = sizeof(uint32_t), frames = frames_of(n);
    uint64_t n_far = n_blocks > RP_LIST_FAR ? (n_blocks + RP_LIST_FAR - 1) / RP_LIST_FAR : 0;
    at.last = HEAD_CLOSE + (flags & FLAG_FIRST ? words : 0);
    at.last_far = at.last + n_blocks * words;
    at.pos_offsets = at.last_far + n_far * words;
    at.first = at.pos_offsets + (flags & FLAG_POS ? frames * words : 0);
    at.offsets = at.first + (flags & FLAG_FIRST ? n_blocks * words : 0);
    at.freq_offsets = at.offsets;
    if (flags & FLAG_OFFSETS) {
        at.offsets += bases_bytes(n_blocks);
        at.freq_offsets = align_close(at.offsets + n_blocks * sizeof(uint16_t));
    }
    at.bounds = at.freq_offsets;
    if (!(flags & FLAG_PAIRED)) {
        at.freq_offsets += bases_bytes(frames);
        at.bounds = at.freq_offsets + frames * sizeof(uint16_t);
    }
    at.kths = at.bounds + n_blocks;
    at.docs = align_close(at.kths + (flags & FLAG_KTHS ? RP_LIST_KTHS : 0));
    return at;
}

static layout layout_of(uint32_t flags, uint64_t n, uint64_t n_blocks)
{
    layout at;
    if (flags & FLAG_CLOSE)
        return layout_close(flags, n, n_blocks);
    uint64_t by_block = align(n_blocks * sizeof(uint32_t));
    uint64_t by_frame = align(frames_of(n) * sizeof(uint32_t));
    uint64_t by_far = align((n_blocks + RP_LIST_FAR - 1) / RP_LIST_FAR * sizeof(uint32_t));
    at.last = HEAD_LONG;
    at.last_far = at.last + by_block;
    at.offsets = at.last_far + by_far;
    at.freq_offsets = at.offsets + (flags & FLAG_OFFSETS ? by_block : 0);
    at.pos_offsets = at.freq_offsets + (flags & FLAG_PAIRED ? 0 : by_frame);
    at.first = at.pos_offsets + (flags & FLAG_POS ? by_frame : 0);
    at.bounds = at.first + (flags & FLAG_FIRST ? by_block : 0);
    at.kths = at.bounds + n_blocks;
    at.docs = at.bounds + align(n_blocks + (flags & FLAG_KTHS ? RP_LIST_KTHS : 0));
    return at;
}

/* ---- Writing --------------------------------------------------------------------------------- */

size_t rp__list_blocks_bound(const rp__codec *codec, size_t n)
{
    return frames_of(n) * codec->max_blocks_per_128;
}

size_t rp__list_cut(const rp__codec *codec, const rp__codec_options *options,
                    const uint32_t *docids, const uint32_t *tfs, size_t n, uint32_t *scratch,
                    uint32_t *ends)
{
    rp__encoding e = {.options = options, .docids = docids, .tfs = tfs, .n = n, .scratch = scratch};
    if (codec->cut)
        return codec->cut(codec, &e, ends);
    size_t size = options && options->segment && codec->segment ? codec->segment : RP_BLOCK;
    size_t n_blocks = (n + size - 1) / size;
    for (size_t b = 0; b < n_blocks; b++)
        ends[b] = (uint32_t)(b + 1 < n_blocks ? (b + 1) * size : n);
    return n_blocks;
}

/* Offsets while they are made narrow. */
static size_t wide_bytes(const rp__codec *codec, size_t n)
{
    size_t most = rp__list_blocks_bound(codec, n);
    most *= codec->segment ? RP_BLOCK / codec->segment : 1;
    return (most > frames_of(n) ? most : frames_of(n)) * sizeof(uint32_t);
}

size_t rp__list_bound(const rp__codec *codec, size_t n)
{
    uint32_t flags = flags_of(codec, true, 0) | FLAG_KTHS | (codec->segment ? FLAG_FIRST : 0U);
    layout at = layout_of(flags, n, rp__list_blocks_bound(codec, n));
    size_t freqs = codec->freqs ? frames_of(n) * codec->freqs->bound(RP_BLOCK) : 0;
    return at.docs + align(codec->bound(codec, n)) + align(freqs) + wide_bytes(codec, n);
}

size_t rp__list_scratch(const rp__codec *codec, size_t n)
{
    size_t own = codec->scratch ? codec->scratch(codec, n) : 0;
    return own > RP_BLOCK ? own : RP_BLOCK; /* at least a frame of frequencies less one */
}

/* How a list is coded: its docids, its frequencies (NULL: with them), and the name that it bears (0:
 * none, the index has one for all). */
typedef struct coding {
    const rp__codec *codec;
    const rp__block_code *freqs;
    uint8_t name;
} coding;

/* Takes one from each. Two loops, for compilers that make SIMD only of a count they know. */
static void take_one(const uint32_t *v, size_t n, uint32_t *restrict out)
{
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (size_t k = 0; k < 16; k++)
            out[i + k] = v[i + k] - 1;
    for (; i < n; i++)
        out[i] = v[i] - 1;
}

/* The frames of frequencies less one, unless they lie with the docids; offsets NULL: there is one
 * frame. */
static rp_status encode_freqs(const rp__block_code *code, const rp__codec_options *options,
                              const uint32_t *tfs, size_t n, uint32_t *scratch, uint32_t *offsets,
                              uint8_t *out, size_t *used)
{
    const rp__codec_options by = {.by = options ? options->by : RP_BY_OWN};
    size_t at = 0;
    for (size_t f = 0; code && f * RP_BLOCK < n; f++) {
        const uint32_t *frame = tfs + f * RP_BLOCK;
        size_t count = n - f * RP_BLOCK < RP_BLOCK ? n - f * RP_BLOCK : RP_BLOCK;
        if (at > UINT32_MAX)
            return RP_LIMIT;
        if (offsets)
            offsets[f] = (uint32_t)at;
        take_one(frame, count, scratch);
        at += code->encode(&by, scratch, count, out + at);
    }
    *used = at;
    return RP_OK;
}

/* Zeros after `used` bytes up to the next boundary; returns where that is. */
static size_t pad(uint8_t *out, size_t used, bool is_close)
{
    size_t end = is_close ? align_close(used) : align(used);
    memset(out + used, 0, end - used);
    return end;
}

static rp__encoding encoding_of(const uint32_t *docids, const uint32_t *tfs, size_t n,
                                const rp__list_parts *parts, uint32_t *scratch)
{
    return (rp__encoding){.options = parts->options,
                          .docids = docids,
                          .tfs = tfs,
                          .n = n,
                          .ends = parts->ends,
                          .n_blocks = parts->n_blocks,
                          .scratch = scratch};
}

static rp_status encode_short(const coding *c, const uint32_t *docids, const uint32_t *tfs,
                              size_t n, const rp__list_parts *parts, uint32_t *scratch,
                              uint8_t *out, size_t *used)
{
    size_t docs_bytes, freqs_bytes;
    uint32_t offset;
    rp__encoding e = encoding_of(docids, tfs, n, parts, scratch);
    e.offsets = &offset;
    e.out = out + HEAD_SHORT;
    rp_status s = c->codec->encode(c->codec, &e);
    docs_bytes = e.used;
    if (s == RP_OK && docs_bytes > UINT16_MAX)
        s = RP_LIMIT;
    if (s == RP_OK)
        s = encode_freqs(c->freqs, parts->options, tfs, n, scratch, NULL,
                         out + HEAD_SHORT + docs_bytes, &freqs_bytes);
    if (s)
        return s;
    rp__store32(out,
                (uint32_t)docs_bytes | (uint32_t)parts->bounds[0] << 16 | (uint32_t)c->name << 24);
    *used = pad(out, HEAD_SHORT + docs_bytes + freqs_bytes, parts->is_close);
    return RP_OK;
}

/* The arrays that need no encoding, at their places. */
static void put_directory(const uint32_t *docids, size_t n, const rp__list_parts *parts,
                          uint32_t flags, const layout *at, uint8_t *out)
{
    uint32_t *last = (uint32_t *)(void *)(out + at->last);
    uint32_t *last_far = (uint32_t *)(void *)(out + at->last_far);
    uint32_t *first = (uint32_t *)(void *)(out + at->first);
    for (size_t b = 0; b < parts->n_blocks; b++) {
        last[b] = docids[parts->ends[b] - 1];
        if (at->last_far != at->pos_offsets || !(flags & FLAG_CLOSE))
            last_far[b / RP_LIST_FAR] = last[b];
        if (flags & FLAG_FIRST)
            first[b] = b ? parts->ends[b - 1] : 0;
    }
    if (flags & FLAG_POS)
        memcpy(out + at->pos_offsets, parts->pos_offsets, frames_of(n) * sizeof(uint32_t));
    memcpy(out + at->bounds, parts->bounds, parts->n_blocks);
    if (flags & FLAG_KTHS)
        memcpy(out + at->kths, parts->kths, RP_LIST_KTHS);
}

/* False: an entry is too far from its base. `wide` begins with 0. */
static bool make_narrow(const uint32_t *wide, size_t n, uint8_t *out)
{
    uint32_t base = 0;
    for (size_t i = 0; i < n; i++) {
        if (i % RP_LIST_FAR == 0 && i > 0) {
            base = wide[i];
            rp__store32(out - sizeof base * (i / RP_LIST_FAR), base);
        }
        uint32_t rest = wide[i] - base;
        if (rest > UINT16_MAX)
            return false;
        memcpy(out + i * sizeof(uint16_t), &(uint16_t){(uint16_t)rest}, sizeof(uint16_t));
    }
    return true;
}

/* RP_NOT_FOUND: parts cannot lie close. `wide` is for offsets that are to be narrow. */
static rp_status encode_parts(const coding *c, const uint32_t *docids, const uint32_t *tfs,
                              size_t n, const rp__list_parts *parts, uint32_t flags,
                              uint32_t *scratch, uint32_t *wide, uint8_t *out, size_t *used)
{
    bool is_close = flags & FLAG_CLOSE;
    layout at = layout_of(flags, n, parts->n_blocks);
    size_t docs_bytes, freqs_bytes;
    memset(out, 0, at.docs);
    put_directory(docids, n, parts, flags, &at, out);
    rp__encoding e = encoding_of(docids, tfs, n, parts, scratch);
    e.offsets = is_close ? wide : (uint32_t *)(void *)(out + at.offsets);
    e.out = out + at.docs;
    rp_status s = c->codec->encode(c->codec, &e);
    docs_bytes = e.used;
    if (s)
        return s;
    if (is_close && flags & FLAG_OFFSETS && !make_narrow(wide, parts->n_blocks, out + at.offsets))
        return RP_NOT_FOUND;
    size_t freqs = pad(out, at.docs + docs_bytes, is_close);
    s = encode_freqs(c->freqs, parts->options, tfs, n, scratch,
                     is_close ? wide : (uint32_t *)(void *)(out + at.freq_offsets), out + freqs,
                     &freqs_bytes);
    if (s)
        return s;
    if (is_close && c->freqs && !make_narrow(wide, frames_of(n), out + at.freq_offsets))
        return RP_NOT_FOUND;
    *used = pad(out, freqs + freqs_bytes, is_close);
    if (*used > UINT32_MAX)
        return RP_LIMIT;
    const uint32_t sizes[] = {(uint32_t)docs_bytes, (uint32_t)freqs_bytes};
    rp__store32(out, flags);
    memcpy(out + (is_close ? 4 : 8), sizes, sizeof sizes);
    if (!is_close || flags & FLAG_FIRST)
        rp__store32(out + (is_close ? HEAD_CLOSE : 4), (uint32_t)parts->n_blocks);
    return RP_OK;
}

static rp_status encode_long(const coding *c, const uint32_t *docids, const uint32_t *tfs, size_t n,
                             const rp__list_parts *parts, uint32_t *scratch, uint32_t *wide,
                             uint8_t *out, size_t *used)
{
    uint32_t flags =
        flags_of(c->codec, parts->pos_offsets != NULL, c->name) | (parts->kths ? FLAG_KTHS : 0U);
    flags |= parts->n_blocks != frames_of(n) ? FLAG_FIRST : 0U;
    rp_status s = RP_NOT_FOUND;
    if (parts->is_close)
        s = encode_parts(c, docids, tfs, n, parts, flags | FLAG_CLOSE, scratch, wide, out, used);
    return s == RP_NOT_FOUND
               ? encode_parts(c, docids, tfs, n, parts, flags, scratch, wide, out, used)
               : s;
}

/* What a row that chooses takes for this list. It tries rows in `out`, where a list of its own bound
 * would have docids and offsets. */
static const rp__codec *choose(const rp__codec *codec, const uint32_t *docids, const uint32_t *tfs,
                               size_t n, const rp__list_parts *parts, uint32_t *scratch,
                               uint8_t *out)
{
    layout at = layout_of(flags_of(codec, true, 0) | FLAG_KTHS, n, parts->n_blocks);
    rp__encoding e = encoding_of(docids, tfs, n, parts, scratch);
    e.offsets = (uint32_t *)(void *)(out + at.offsets);
    e.out = out + at.docs;
    return codec->choose(codec, &e);
}

rp_status rp__list_encode(const rp__codec *codec, const uint32_t *docids, const uint32_t *tfs,
                          size_t n, const rp__list_parts *parts, uint32_t *scratch, uint8_t *out,
                          size_t *used)
{
    coding c = {codec, codec->freqs, 0};
    if (codec->choose) {
        c.codec = choose(codec, docids, tfs, n, parts, scratch, out);
        c.name = c.codec->id;
    }
    if (n <= RP_BLOCK && parts->n_blocks == 1)
        return encode_short(&c, docids, tfs, n, parts, scratch, out, used);
    uint32_t *wide = (uint32_t *)(void *)(out + rp__list_bound(codec, n) - wide_bytes(codec, n));
    return encode_long(&c, docids, tfs, n, parts, scratch, wide, out, used);
}

/* ---- Opening --------------------------------------------------------------------------------- */

void rp__list_from_arrays(const uint32_t *docids, const uint32_t *tfs, uint32_t n,
                          uint32_t universe, rp__list *list)
{
    *list = (rp__list){.n = n,
                       .n_blocks = (uint32_t)frames_of(n),
                       .universe = universe,
                       .docids = docids,
                       .tfs = tfs};
}

static rp_status open_short(const uint8_t *in, size_t in_bytes, rp__list *list)
{
    size_t docs_bytes = rp__load32(in) & UINT16_MAX;
    if (list->n > RP_BLOCK || in_bytes - HEAD_SHORT < docs_bytes)
        return RP_DAMAGED;
    list->n_blocks = 1;
    list->bounds = in + 2;
    list->docs = in + HEAD_SHORT;
    list->docs_bytes = docs_bytes;
    list->freqs = list->docs + docs_bytes;
    list->freqs_bytes = in_bytes - HEAD_SHORT - docs_bytes;
    return RP_OK;
}

static bool is_block_count(const rp__codec *codec, uint32_t flags, uint32_t n, uint32_t n_blocks)
{
    if (!codec->cut && codec->segment && flags & FLAG_FIRST)
        return n_blocks == ((uint64_t)n + codec->segment - 1) / codec->segment;
    if (!codec->cut)
        return n_blocks == frames_of(n);
    return n_blocks >= 1 && n_blocks <= n && n_blocks <= rp__list_blocks_bound(codec, n);
}

static const uint32_t *words(const uint8_t *in, uint64_t offset)
{
    return (const uint32_t *)(const void *)(in + offset);
}

/* Of a list whose parts lie close: as many blocks as its head says, or, where the row does not cut, as it must have. */
static void read_head(const uint8_t *in, uint32_t flags, rp__list *list)
{
    bool is_close = flags & FLAG_CLOSE, has_blocks = !is_close || flags & FLAG_FIRST;
    list->docs_bytes = rp__load32(in + (is_close ? 4 : 8));
    list->freqs_bytes = rp__load32(in + (is_close ? 8 : 12));
    list->n_blocks =
        has_blocks ? rp__load32(in + (is_close ? HEAD_CLOSE : 4)) : (uint32_t)frames_of(list->n);
}

static rp_status open_long(const uint8_t *in, size_t in_bytes, uint32_t flags, rp__list *list)
{
    if (in_bytes < HEAD_LONG || (uintptr_t)in % ALIGN_CLOSE)
        return RP_DAMAGED;
    read_head(in, flags, list);
    if (!is_block_count(list->codec, flags, list->n, list->n_blocks))
        return RP_DAMAGED;
    bool is_close = flags & FLAG_CLOSE;
    layout at = layout_of(flags, list->n, list->n_blocks);
    uint64_t freqs = at.docs + (is_close ? align_close(list->docs_bytes) : align(list->docs_bytes));
    if (freqs + list->freqs_bytes > in_bytes)
        return RP_DAMAGED;
    list->last = words(in, at.last);
    list->last_far = words(in, at.last_far);
    if (is_close && list->n_blocks <= RP_LIST_FAR)
        list->last_far = list->last + list->n_blocks - 1;
    const uint32_t *offsets = flags & FLAG_OFFSETS ? words(in, at.offsets) : NULL,
                   *freq_offsets = flags & FLAG_PAIRED ? NULL : words(in, at.freq_offsets);
    if (is_close) {
        list->near_offsets = (const uint16_t *)(const void *)offsets;
        list->near_freqs = (const uint16_t *)(const void *)freq_offsets;
    } else {
        list->offsets = offsets;
        list->freq_offsets = freq_offsets;
    }
    list->pos_offsets = flags & FLAG_POS ? words(in, at.pos_offsets) : NULL;
    list->first = flags & FLAG_FIRST ? words(in, at.first) : NULL;
    if (list->first && list->first[0] != 0) /* so blocks that all have a count have n in all */
        return RP_DAMAGED;
    list->bounds = in + at.bounds;
    list->kths = flags & FLAG_KTHS ? in + at.kths : NULL;
    list->docs = in + at.docs;
    list->freqs = in + freqs;
    return RP_OK;
}

rp_status rp__list_open(const rp__codec *codec, const uint8_t *in, size_t in_bytes, uint32_t n,
                        uint32_t universe, bool has_positions, rp__list *list)
{
    *list = (rp__list){.codec = codec, .freq_code = codec->freqs, .n = n, .universe = universe};
    if (n == 0 || n > universe || in_bytes < HEAD_SHORT)
        return RP_DAMAGED;
    bool is_long = in[3] == LONG_MARK;
    uint8_t name = 0;
    if (codec->named) {
        name = is_long ? in[1] : in[3];
        const rp__codec *row = codec->named(codec, name);
        if (!row)
            return RP_DAMAGED;
        list->codec = row;
    }
    uint32_t flags = flags_of(list->codec, has_positions, name),
             free = FLAG_KTHS | (list->codec->cut ? 0U : FLAG_CLOSE) |
                    (list->codec->segment ? FLAG_FIRST : 0U);
    rp_status s = RP_DAMAGED;
    if (is_long && (rp__load32(in) & ~free) == flags)
        s = open_long(in, in_bytes, rp__load32(in), list);
    else if (!is_long && in[3] == name)
        s = open_short(in, in_bytes, list);
    return s == RP_OK && list->codec->open ? list->codec->open(list) : s;
}

/* ---- Reading --------------------------------------------------------------------------------- */

uint32_t rp__list_block_first(const rp__list *list, uint32_t b)
{
    return rp__list_begin(list, b);
}

uint32_t rp__list_block_count(const rp__list *list, uint32_t b)
{
    return rp__list_count(list, b);
}

uint8_t rp__list_bound_max(const rp__list *list, uint32_t from, uint32_t to)
{
    enum { LANES = 16 }; /* a count they know, for compilers that make SIMD of no other */
    const uint8_t *bounds = list->bounds;
    uint8_t lanes[LANES] = {0}, most = 0;
    if (!bounds)
        return UINT8_MAX;
    for (; to - from >= LANES; from += LANES)
        for (uint32_t i = 0; i < LANES; i++)
            lanes[i] = bounds[from + i] > lanes[i] ? bounds[from + i] : lanes[i];
    for (uint32_t i = 0; i < LANES; i++)
        most = lanes[i] > most ? lanes[i] : most;
    for (; from < to; from++)
        most = bounds[from] > most ? bounds[from] : most;
    return most;
}

rp_status rp__list_block(const rp__list *list, uint32_t b, uint32_t *out, uint32_t *count)
{
    *count = rp__list_count(list, b);
    if (*count == 0 || list->codec->block(list, b, out))
        return RP_DAMAGED;
    uint32_t last = out[*count - 1];
    if (last >= list->universe || (list->last && last != list->last[b]))
        return RP_DAMAGED;
    return RP_OK;
}

/* Adds one to each; false: one of them was the largest number. Two loops, for compilers that make
 * SIMD only of a count they know. */
static bool add_one(uint32_t *v, size_t n)
{
    uint32_t zeros = 0;
    if (n == RP_BLOCK) {
        for (size_t i = 0; i < RP_BLOCK; i++)
            zeros |= ++v[i] == 0;
    } else {
        for (size_t i = 0; i < n; i++)
            zeros |= ++v[i] == 0;
    }
    return zeros == 0;
}

static uint32_t freq_offset(const rp__list *list, uint32_t f)
{
    return list->near_freqs ? rp__list_near(list->near_freqs, f) : list->freq_offsets[f];
}

rp_status rp__list_freq_bytes(const rp__list *list, uint32_t f, const uint8_t **in,
                              size_t *in_bytes)
{
    bool has = list->freq_offsets || list->near_freqs;
    size_t from = has ? freq_offset(list, f) : 0, to = list->freqs_bytes;
    if (has && f + 1 < frames_of(list->n))
        to = freq_offset(list, f + 1);
    if (from > to || to > list->freqs_bytes)
        return RP_DAMAGED;
    *in = list->freqs + from;
    *in_bytes = to - from;
    return RP_OK;
}

static uint32_t frame_count(const rp__list *list, uint32_t f)
{
    return list->n - f * RP_BLOCK < RP_BLOCK ? list->n - f * RP_BLOCK : RP_BLOCK;
}

rp_status rp__list_freqs(const rp__list *list, uint32_t f, uint32_t *out)
{
    const uint8_t *in;
    size_t in_bytes;
    uint32_t count = frame_count(list, f);
    if (!list->codec) {
        memcpy(out, list->tfs + (size_t)f * RP_BLOCK, count * sizeof(uint32_t));
        return RP_OK;
    }
    if (!list->freq_code)
        return list->codec->tfs(list, f, out);
    if (rp__list_freq_bytes(list, f, &in, &in_bytes) ||
        list->freq_code->decode(in, in_bytes, out, count))
        return RP_DAMAGED;
    return add_one(out, count) ? RP_OK : RP_DAMAGED;
}

rp_status rp__list_tf(const rp__list *list, uint32_t i, uint32_t *tf)
{
    const uint8_t *in;
    size_t in_bytes;
    uint32_t f = i / RP_BLOCK, slot = i % RP_BLOCK, frame[RP_BLOCK_CAPACITY];
    if (!list->codec) {
        *tf = list->tfs[i];
        return RP_OK;
    }
    if (list->freq_code && list->freq_code->at) {
        if (rp__list_freq_bytes(list, f, &in, &in_bytes) ||
            list->freq_code->at(in, in_bytes, frame_count(list, f), slot, tf))
            return RP_DAMAGED;
        return ++*tf ? RP_OK : RP_DAMAGED;
    }
    if (rp__list_freqs(list, f, frame))
        return RP_DAMAGED;
    *tf = frame[slot];
    return RP_OK;
}

/* A row decodes all blocks by a directory that may not rise, and looks at the universe at the end
 * alone. */
static bool ends_inside(const rp__list *list)
{
    bool inside = true;
    for (uint32_t b = 0; list->last && b < list->n_blocks; b++)
        inside &= list->last[b] < list->universe;
    return inside;
}

static rp_status decode_all(const rp__list *list, uint32_t *out)
{
    if (!list->codec) {
        memcpy(out, list->docids, list->n * sizeof(uint32_t));
        return RP_OK;
    }
    if (list->codec->decode)
        return ends_inside(list) ? list->codec->decode(list, out) : RP_DAMAGED;
    for (uint32_t b = 0; b < list->n_blocks; b++) {
        uint32_t count, first = rp__list_begin(list, b);
        if (first > list->n || rp__list_block(list, b, out + first, &count))
            return RP_DAMAGED;
    }
    return RP_OK;
}

rp_status rp__list_decode(const rp__list *list, uint32_t *docids, uint32_t *tfs)
{
    rp_status s = decode_all(list, docids);
    for (uint32_t f = 0; !s && tfs && f < frames_of(list->n); f++)
        s = rp__list_freqs(list, f, tfs + (size_t)f * RP_BLOCK);
    return s;
}

/* ---- Validating ------------------------------------------------------------------------------ */

static rp_status validate_arrays(const rp__list *list)
{
    for (uint32_t i = 0; list->tfs && i < list->n; i++)
        if (list->tfs[i] == 0)
            return RP_DAMAGED;
    if (list->n && list->docids[list->n - 1] >= list->universe)
        return RP_DAMAGED;
    return rp__gaps_rising(list->docids, list->n, UINT32_MAX);
}

static bool is_directory_true(const rp__list *list)
{
    for (uint32_t b = 0; list->last_far && b < list->n_blocks; b++) {
        bool closes = b % RP_LIST_FAR == RP_LIST_FAR - 1 || b + 1 == list->n_blocks;
        if (closes && list->last_far[b / RP_LIST_FAR] != list->last[b])
            return false;
    }
    return (!rp__list_has_offsets(list) || rp__list_offset(list, 0) == 0) &&
           ((!list->freq_offsets && !list->near_freqs) || freq_offset(list, 0) == 0);
}

rp_status rp__list_validate(const rp__list *list, uint32_t *scratch)
{
    rp_status s = RP_OK;
    uint32_t count;
    if (!list->codec)
        return validate_arrays(list);
    if (!is_directory_true(list))
        return RP_DAMAGED;
    for (uint32_t b = 0; !s && b < list->n_blocks; b++)
        s = rp__list_block(list, b, scratch, &count);
    for (uint32_t f = 0; !s && f < frames_of(list->n); f++)
        s = rp__list_freqs(list, f, scratch + RP_BLOCK_CAPACITY);
    return s;
}
