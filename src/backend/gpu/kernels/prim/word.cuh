/* word.cuh: a word's list by a warp: where documents stand in it, how often the word is in them.
 *
 * Offsets are held within the payload, ranks within the list, docids are any numbers. Bytes that cannot be set the
 * query's `damaged`. */
#ifndef RP_KERNELS_WORD_CUH
#define RP_KERNELS_WORD_CUH

#include "backend/gpu/kernels/prim/freq_bp128.cuh"
#include "backend/gpu/kernels/prim/search.cuh"
#include "backend/gpu/kernels/prim/word_block.cuh"

enum {
    WORD_PROBES = 4,      /* a lane, of a step of a search by a warp */
    WORD_NEAR = 16,       /* numbers that the steps leave */
    WORD_FEW = 4,         /* lanes that ask for docids of one block */
    WORD_HINT = 512 / 32, /* words of bits between hints */
};
#define WORD_NONE UINT32_MAX /* no rank */

/* ---- Search ----------------------------------------------------------------------------------- */

/* By a warp, for all its lanes: a place that has all less than x before it, of n numbers, and less than WORD_NEAR of them
 * behind it. 128 probes a step, since what a step costs is its wait: one does for 2 thousand, two for 250 thousand. */
PRIM_APART uint32_t word_search(const uint32_t *list, uint32_t n, uint32_t x)
{
    uint32_t from = 0, to = n; /* it is from these on, and at most that */
#pragma unroll 1
    while (to - from >= WORD_NEAR) {
        uint32_t step = prim_div_up(to - from + 1, 32 * WORD_PROBES + 1), below = 0, at[WORD_PROBES];
#pragma unroll
        for (uint32_t p = 0; p < WORD_PROBES; p++) {
            uint32_t probe = from + (p * 32 + prim_lane() + 1) * step - 1;
            at[p] = probe < to ? prim_load(&list[probe]) : UINT32_MAX;
        }
#pragma unroll
        for (uint32_t p = 0; p < WORD_PROBES; p++)
            below += prim_count(prim_ballot<32>(at[p] < x));
        from += below * step;
        to = prim_min(to, from + step - 1);
    }
    return prim_min(from, n);
}

/* The numbers that the first step looks at, which do not depend on x, are on their way to the second-level cache. */
PRIM void word_search_soon(const uint32_t *list, uint32_t n)
{
    uint32_t step = prim_div_up(n + 1, 32 * WORD_PROBES + 1);
    if (n >= WORD_NEAR)
#pragma unroll
        for (uint32_t p = 0; p < WORD_PROBES; p++)
            prim_prefetch(&list[prim_min((p * 32 + prim_lane() + 1) * step, n) - 1]);
}

/* By one lane: the first number from `from` on, all before it being less, that is at least x; the nearer, the sooner. */
PRIM_APART uint32_t word_gallop(const uint32_t *list, uint32_t from, uint32_t n, uint32_t x)
{
    uint32_t step = 32;
#pragma unroll 1
    while (from < n && step < n - from && prim_load(&list[from + step]) < x) {
        from += step;
        step *= 2;
    }
    return search_first(list, prim_min(from, n), prim_min(from + step, n), x);
}

/* Of numbers that lanes have, rising: the first that is at least x; 31 also where none is. */
PRIM uint32_t word_first_lane(uint32_t own, uint32_t x)
{
    uint32_t k = 0;
#pragma unroll
    for (uint32_t step = 16; step > 0; step /= 2)
        k += prim_shuffle<32>(own, k + step - 1) < x ? step : 0;
    return k;
}

/* Of a block in shared memory: the first that is at least x, else the last. */
PRIM uint32_t word_find_slot(const uint32_t *docids, uint32_t x)
{
    uint32_t slot = 0;
#pragma unroll
    for (uint32_t step = KARG_BLOCK / 2; step > 0; step /= 2)
        slot += docids[slot + step - 1] < x ? step : 0;
    return slot;
}

/* The slot of the lane's x in a block, four docids a lane, if the lane is one of those asked for; else KARG_BLOCK. Of few
 * lanes each is asked of all others; of many, each looks by itself in shared memory. */
PRIM uint32_t word_match(const uint4 &v, uint32_t x, uint32_t asked, uint32_t *room)
{
    uint32_t slot = KARG_BLOCK;
    if (prim_count(asked) > WORD_FEW) {
        prim_sync_tile();
        word_store(room, v);
        prim_sync_tile();
        if (asked >> prim_lane() & 1) {
            uint32_t place = word_find_slot(room, x);
            slot = room[place] == x ? place : slot;
        }
        return slot;
    }
#pragma unroll 1
    for (; asked; asked &= asked - 1) {
        uint32_t lane = prim_lowest(asked), y = prim_shuffle<32>(x, lane);
        uint32_t place = v.x == y ? 0 : v.y == y ? 1 : v.z == y ? 2 : v.w == y ? 3 : KARG_BLOCK;
        uint32_t there = prim_ballot<32>(place < KARG_BLOCK), at = there ? prim_lowest(there) : 0;
        place = prim_shuffle<32>(place, at);
        slot = there && lane == prim_lane() ? 4 * at + place : slot;
    }
    return slot;
}

/* ---- Frequencies ------------------------------------------------------------------------------ */

/* `k` ranks, then as many parts: the part of slot i, else 0. */
PRIM uint32_t word_part_of(const word_source &in, uint32_t bit, uint32_t k, uint32_t at_width, uint32_t width, uint32_t i)
{
    uint32_t part = 0;
#pragma unroll 1
    for (uint32_t j = 0; j < k; j++)
        if (word_bits(in, bit + j * at_width, at_width) == i)
            part = word_bits(in, bit + k * at_width + j * width, width);
    return part;
}

/* Value i, less one, of the n of a frame in shared memory. Any bytes: what does not lie inside is 0. */
PRIM_APART uint32_t word_tf_at(uint32_t code, const unsigned char *at, uint32_t bytes, uint32_t n, uint32_t i)
{
    const word_source in = word_bits_at(at);
    uint32_t head = word_bits(in, 0, 32);
    optpfd_head o = optpfd_read(head, n);
    if (code == KARG_CODEC_BP128) {
        o = {};
        o.b = head & 255;
        o.bytes = 1;
    }
    uint32_t parts = o.bytes + pack_bytes(n * prim_min(o.b, 33U)), used = pack_bytes(o.k * (o.at_width + o.h));
    if (o.b > 32 || o.b + o.h + o.far_width > 32 || parts > bytes)
        return 0;
    uint32_t value = word_bits(in, 8 * o.bytes + i * o.b, o.b);
    if (o.mode == OPTPFD_BITMAP) {
        uint32_t before = 0, all = 0, mark = word_bits(in, 8 * parts + i, 1);
#pragma unroll 1
        for (uint32_t from = 0; from < n; from += 32) {
            uint32_t here = word_bits(in, 8 * parts + from, prim_min(n - from, 32U));
            all += prim_count(here);
            before += prim_count(here & (i <= from ? 0 : prim_mask(prim_min(i - from, 32U))));
        }
        used = pack_bytes(n) + pack_bytes(all * o.h);
        value += (mark ? word_bits(in, 8 * (parts + pack_bytes(n)) + before * o.h, o.h) : 0) << (o.b & 31);
    } else if (o.k) {
        value += word_part_of(in, 8 * parts, o.k, o.at_width, o.h, i) << (o.b & 31);
    }
    if (o.f)
        value += word_part_of(in, 8 * (parts + used), o.f, o.at_width, o.far_width, i) << ((o.b + o.h) & 31);
    return parts + used + pack_bytes(o.f * (o.at_width + o.far_width)) <= bytes ? value : 0;
}

/* Of the posting of that rank, which is below n. */
PRIM uint32_t word_tf(const karg_list &list, uint32_t rank, karg_found *found)
{
    uint32_t frame = rank / KARG_BLOCK, count = word_count(list, frame), i = rank % KARG_BLOCK;
    if (list.freq_code == KARG_CODEC_RAW)
        return prim_load(prim_at<const uint32_t>(list.freqs) + rank);
    word_bytes in = word_part(list.freqs_bytes, list.freq_offsets, frame, prim_div_up(list.n, KARG_BLOCK));
    uint64_t at = list.freqs + in.from;
    if (!in.is_sound)
        prim_atomic_or(&found->damaged, 1);
    return 1 + (list.freq_code == KARG_CODEC_BP128 ? freq_bp128_at(at, in.n, count, i)
                                                   : freq_optpfd_at(at, in.n, count, i));
}

/* ---- Documents -------------------------------------------------------------------------------- */

/* Where a block is, what it must hold, and where its postings' frequencies are: blocks are frames. */
struct word_head {
    uint32_t block; /* n_blocks: none */
    uint32_t base, last;
    word_bytes in, frame;
};

/* By one lane; the frame is looked for only where frequencies are wanted. */
PRIM word_head word_read(const karg_list &list, uint32_t b, bool wants_tf)
{
    const uint32_t *last = prim_at<const uint32_t>(list.last);
    return {b, b && last ? prim_load(&last[b - 1]) : UINT32_MAX, last ? prim_load(&last[b]) : 0,
            word_part(list.docs_bytes, list.offsets, b, list.n_blocks),
            wants_tf ? word_part(list.freqs_bytes, list.freq_offsets, b, list.n_blocks) : word_bytes{0, 0, false}};
}

/* By a warp whose lanes ask for rising docids: the block that may have each. The first is found by all, and the next
 * 31, one a lane, mostly hold the others. */
PRIM word_head word_place(const karg_list &list, uint32_t x, bool is_asked, bool wants_tf)
{
    const uint32_t *last = prim_at<const uint32_t>(list.last), *offsets = prim_at<const uint32_t>(list.offsets);
    const uint32_t *frames = prim_at<const uint32_t>(list.freq_offsets);
    uint32_t first = word_search(last, list.n_blocks, prim_shuffle<32>(x, prim_lowest(prim_ballot<32>(is_asked))));
    uint32_t b = first + prim_lane();
    bool is_in = b < list.n_blocks;
    uint32_t own = is_in ? prim_load(&last[b]) : UINT32_MAX, at = is_in ? prim_load(&offsets[b]) : list.docs_bytes;
    uint32_t frame = is_in && frames && wants_tf ? prim_load(&frames[b]) : list.freqs_bytes;
    uint32_t before = first ? prim_load(&last[first - 1]) : UINT32_MAX, k = word_first_lane(own, x);
    uint32_t below = prim_shuffle<32>(own, k - 1), from = prim_shuffle<32>(at, k), to = prim_shuffle<32>(at, k + 1);
    uint32_t frame_from = prim_shuffle<32>(frame, k), frame_to = prim_shuffle<32>(frame, k + 1);
    word_head h = {first + k, k ? below : before, prim_shuffle<32>(own, k), word_between(from, to, list.docs_bytes),
                   word_between(frame_from, frame_to, list.freqs_bytes)};
    if (k == 31 && first + k < list.n_blocks) {
        uint32_t far = word_gallop(last, first + k, list.n_blocks, x);
        h = far < list.n_blocks ? word_read(list, far, wants_tf) : h;
        h.block = far;
    }
    h.block = is_asked ? prim_min(h.block, list.n_blocks) : list.n_blocks;
    return h;
}

/* Whether a frame is brought with its block. */
PRIM bool word_has_frame(const karg_list &list, const word_bytes &frame)
{
    return list.freq_code != KARG_CODEC_RAW && frame.is_sound && frame.n <= WORD_FRAME_BYTES;
}

/* A block and its frame, of one lane's head, to rows of the room. */
PRIM void word_stage_both(const karg_list &list, const word_head &h, uint32_t lane, uint32_t row, word_room *room)
{
    uint32_t frame = word_has_frame(list, h.frame) ? h.frame.n : 0;
    word_stage(list.docs + prim_shuffle<32>(h.in.from, lane), prim_shuffle<32>(h.in.n, lane), WORD_BYTES, room->bytes[row]);
    uint64_t at = list.freqs + prim_shuffle<32>(h.frame.from, lane);
    frame = prim_shuffle<32>(frame, lane);
    if (frame)
        word_stage(at, frame, WORD_FRAME_BYTES, room->frames[row]);
}

/* The frequency of slot i of a lane's block, whose frame is in a row; 0: it is not. */
PRIM uint32_t word_staged_tf(const karg_list &list, const word_head &h, uint32_t i, uint32_t row, const word_room *room)
{
    if (!word_has_frame(list, h.frame))
        return 0;
    return word_tf_at(list.freq_code, word_staged(room->frames[row], list.freqs + h.frame.from), h.frame.n,
                      word_count(list, h.block), i) + 1;
}

/* The blocks that the lanes' documents may be in, WORD_ROWS at a time, each once. *tf: how often the word is in the lane's
 * document, if that was seen on the way, else 0. */
PRIM uint32_t word_find_coded(const karg_list &list, uint32_t x, bool is_asked, bool wants_tf, word_room *room,
                              uint32_t *tf, karg_found *found)
{
    word_head h = list.last ? word_place(list, x, is_asked, wants_tf) : word_read(list, 0, wants_tf);
    uint32_t rank = WORD_NONE;
    bool is_there = is_asked && h.block < list.n_blocks, is_sound = !is_there || h.in.is_sound;
    uint32_t open = prim_ballot<32>(is_there && is_sound);
#pragma unroll 1
    while (open) {
        uint32_t chosen = 0, at, u = 0;
        prim_sync_tile();
#pragma unroll 1
        for (; open && u < WORD_ROWS; u++) {
            at = prim_lowest(open);
            chosen |= 1U << at;
            word_stage_both(list, h, at, u, room);
            uint32_t b = prim_shuffle<32>(h.block, at);
            open &= ~prim_ballot<32>(h.block == b);
        }
        prim_copies_wait();
        prim_sync_tile();
#pragma unroll 1
        for (u = 0; chosen; chosen &= chosen - 1, u++) {
            at = prim_lowest(chosen);
            uint32_t b = prim_shuffle<32>(h.block, at), count = word_count(list, b), last = prim_shuffle<32>(h.last, at);
            const unsigned char *in = word_staged(room->bytes[u], list.docs + prim_shuffle<32>(h.in.from, at));
            uint4 v = word_unpack(list.codec, prim_shuffle<32>(h.base, at), count, prim_shuffle<32>(h.in.n, at), in,
                                  room->docids);
            is_sound &= word_check(list, count, last, v);
            uint32_t slot = word_match(v, x, prim_ballot<32>(is_there && h.block == b), room->docids);
            if (slot < KARG_BLOCK) {
                rank = b * KARG_BLOCK + slot;
                *tf = word_staged_tf(list, h, slot, u, room);
            }
        }
    }
    if (!is_sound)
        prim_atomic_or(&found->damaged, 1);
    return rank;
}

PRIM uint32_t word_find_bits(const karg_word &word, uint32_t x, karg_found *found)
{
    const uint32_t *words = prim_at<const uint32_t>(word.list.docs);
    uint32_t bit = x - word.base, at = bit / 32;
    if (x < word.base || at >= word.n_words)
        return WORD_NONE;
    uint32_t here = prim_load(&words[at]);
    if (!(here >> bit % 32 & 1))
        return WORD_NONE;
    uint32_t rank = prim_load(prim_at<const uint32_t>(word.hints) + at / WORD_HINT);
#pragma unroll
    for (uint32_t w = 0; w < WORD_HINT - 1; w++)
        rank += w < at % WORD_HINT ? prim_count(prim_load(&words[at / WORD_HINT * WORD_HINT + w])) : 0;
    rank += prim_count(here & prim_mask(bit % 32));
    if (rank < word.list.n)
        return rank;
    prim_atomic_or(&found->damaged, 1);
    return WORD_NONE;
}

PRIM uint32_t word_find_raw(const karg_list &list, uint32_t x, bool is_asked)
{
    const uint32_t *docids = prim_at<const uint32_t>(list.docs);
    uint32_t first = word_search(docids, list.n, prim_shuffle<32>(x, prim_lowest(prim_ballot<32>(is_asked))));
    uint32_t own = first + prim_lane() < list.n ? prim_load(&docids[first + prim_lane()]) : UINT32_MAX;
    uint32_t k = word_first_lane(own, x), rank = first + k;
    if (k == 31 && rank < list.n)
        rank = word_gallop(docids, rank, list.n, x);
    return is_asked && rank < list.n && prim_load(&docids[rank]) == x ? rank : WORD_NONE;
}

/* By a warp: the rank of each lane's document, if it is asked for and there; some lane asks. *tf: how often the word is in
 * it, or 0, if that is not wanted, or still to be looked for. */
PRIM uint32_t word_find(const karg_word &word, uint32_t x, bool is_asked, bool wants_tf, word_room *room, uint32_t *tf,
                        karg_found *found)
{
    *tf = 0;
    if (word.list.codec == KARG_CODEC_BITMAP)
        return is_asked ? word_find_bits(word, x, found) : WORD_NONE;
    return word.list.codec == KARG_CODEC_RAW ? word_find_raw(word.list, x, is_asked)
                                             : word_find_coded(word.list, x, is_asked, wants_tf, room, tf, found);
}

/* By a warp: block b, brought with its frame to the first rows: four docids a lane, in *v. How many it has; 0: damaged. */
PRIM uint32_t word_open(const karg_word &word, uint32_t b, bool wants_tf, word_room *room, word_head *h, uint4 *v,
                        karg_found *found)
{
    const karg_list &list = word.list;
    if (list.codec == KARG_CODEC_RAW || list.codec == KARG_CODEC_BITMAP) {
        uint32_t n = word_block(word, b, room->docids, found);
        *h = {};
        *v = *(const uint4 *)(room->docids + word_slot());
        return n;
    }
    *h = word_read(list, b, wants_tf);
    uint32_t count = word_count(list, b);
    bool is_sound = h->in.is_sound;
    if (is_sound)
        word_stage_both(list, *h, 0, 0, room);
    prim_copies_wait();
    prim_sync_tile();
    *v = word_unpack(list.codec, h->base, is_sound ? count : 0, h->in.n,
                     word_staged(room->bytes[0], list.docs + h->in.from), room->docids);
    is_sound = word_check(list, count, h->last, *v);
    if (!is_sound && prim_lane() == 0)
        prim_atomic_or(&found->damaged, 1);
    return is_sound ? count : 0;
}

/* Of a block, four docids a lane: the one in a slot, for each lane its own; slots of lanes follow each other. */
PRIM uint32_t word_docid(const uint4 &v, uint32_t slot)
{
    uint32_t lane = slot / 4 & 31;
    uint32_t a = prim_shuffle<32>(v.x, lane), b = prim_shuffle<32>(v.y, lane);
    uint32_t c = prim_shuffle<32>(v.z, lane), d = prim_shuffle<32>(v.w, lane);
    return word_pick(make_uint4(a, b, c, d), slot % 4);
}

#endif
