/* term_lookup.cuh: a term's list by a warp: where documents stand in it, how often the term is in
 * them.
 *
 * Offsets are held within the payload, ranks within the list, docids are any numbers. Bytes that
 * cannot be set the query's `damaged`. */
#ifndef RP_KERNELS_TERM_LOOKUP_CUH
#define RP_KERNELS_TERM_LOOKUP_CUH

#include "backend/gpu/kernels/prim/codec/bp128.cuh"
#include "backend/gpu/kernels/prim/codec/efsum.cuh"
#include "backend/gpu/kernels/prim/warp/term_block.cuh"
#include "backend/gpu/kernels/prim/warp/warp_search.cuh"

enum {
    TERM_PROBES = 4,      /* a lane, of a step of a search by a warp */
    TERM_NEAR = 16,       /* numbers that the steps leave */
    TERM_FEW = 4,         /* lanes that ask for docids of one block */
    TERM_HINT = 512 / 32, /* words of bits between hints */
};
#define TERM_NONE UINT32_MAX /* no rank */

/* ---- Search ---------------------------------------------------------------------------------- */

/* By a warp, for all its lanes: a place that has all less than x before it, of n numbers, and less
 * than TERM_NEAR of them behind it. 128 probes a step, since what a step costs is its wait: one
 * does for 2 thousand, two for 250 thousand. */
PRIM_APART uint32_t term_search(const uint32_t *list, uint32_t n, uint32_t x)
{
    uint32_t from = 0, to = n; /* it is from these on, and at most that */
#pragma unroll 1
    while (to - from >= TERM_NEAR) {
        uint32_t step = prim_div_up(to - from + 1, 32 * TERM_PROBES + 1), below = 0,
                 at[TERM_PROBES];
#pragma unroll
        for (uint32_t p = 0; p < TERM_PROBES; p++) {
            uint32_t probe = from + (p * 32 + prim_lane() + 1) * step - 1;
            at[p] = probe < to ? prim_load(&list[probe]) : UINT32_MAX;
        }
#pragma unroll
        for (uint32_t p = 0; p < TERM_PROBES; p++)
            below += prim_count(prim_ballot<32>(at[p] < x));
        from += below * step;
        to = prim_min(to, from + step - 1);
    }
    return prim_min(from, n);
}

/* The numbers that the first step looks at, which do not depend on x, are on their way to the
 * second-level cache. */
PRIM void term_search_soon(const uint32_t *list, uint32_t n)
{
    uint32_t step = prim_div_up(n + 1, 32 * TERM_PROBES + 1);
    if (n >= TERM_NEAR)
#pragma unroll
        for (uint32_t p = 0; p < TERM_PROBES; p++)
            prim_prefetch(&list[prim_min((p * 32 + prim_lane() + 1) * step, n) - 1]);
}

/* By one lane: the first number from `from` on, all before it being less, that is at least x; the
 * nearer, the sooner. */
PRIM_APART uint32_t term_gallop(const uint32_t *list, uint32_t from, uint32_t n, uint32_t x)
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
PRIM uint32_t term_first_lane(uint32_t own, uint32_t x)
{
    uint32_t k = 0;
#pragma unroll
    for (uint32_t step = 16; step > 0; step /= 2)
        k += prim_shuffle<32>(own, k + step - 1) < x ? step : 0;
    return k;
}

/* Of a block in shared memory: the first that is at least x, else the last. */
PRIM uint32_t term_find_slot(const uint32_t *docids, uint32_t x)
{
    uint32_t slot = 0;
#pragma unroll
    for (uint32_t step = KARG_BLOCK / 2; step > 0; step /= 2)
        slot += docids[slot + step - 1] < x ? step : 0;
    return slot;
}

/* The slot of the lane's x in a block, four docids a lane, if the lane is one of those asked for;
 * else KARG_BLOCK. Of few lanes each is asked of all others; of many, each looks by itself in
 * shared memory. */
PRIM uint32_t term_match(const uint4 &v, uint32_t x, uint32_t requested, uint32_t *scratch)
{
    uint32_t slot = KARG_BLOCK;
    if (prim_count(requested) > TERM_FEW) {
        prim_sync_tile();
        term_store(scratch, v);
        prim_sync_tile();
        if (requested >> prim_lane() & 1) {
            uint32_t place = term_find_slot(scratch, x);
            slot = scratch[place] == x ? place : slot;
        }
        return slot;
    }
#pragma unroll 1
    for (; requested; requested &= requested - 1) {
        uint32_t lane = prim_lowest(requested), y = prim_shuffle<32>(x, lane);
        uint32_t place = v.x == y ? 0 : v.y == y ? 1 : v.z == y ? 2 : v.w == y ? 3 : KARG_BLOCK;
        uint32_t there = prim_ballot<32>(place < KARG_BLOCK), at = there ? prim_lowest(there) : 0;
        place = prim_shuffle<32>(place, at);
        slot = there && lane == prim_lane() ? 4 * at + place : slot;
    }
    return slot;
}

/* ---- Frequencies ----------------------------------------------------------------------------- */

/* `k` ranks, then as many parts: the part of slot i, else 0. */
PRIM uint32_t term_part_of(const term_source &in, uint32_t bit, uint32_t k, uint32_t at_width,
                           uint32_t width, uint32_t i)
{
    uint32_t part = 0;
#pragma unroll 1
    for (uint32_t j = 0; j < k; j++)
        if (term_bits(in, bit + j * at_width, at_width) == i)
            part = term_bits(in, bit + k * at_width + j * width, width);
    return part;
}

/* Bits of a frame in shared memory. */
struct term_frame {
    term_source in;

    PRIM_MEMBER uint32_t bits(uint32_t bit, uint32_t w) const { return term_bits(in, bit, w); }
};

/* Value i, less one, of the n of a frame in shared memory. Any bytes: what does not lie inside is
 * 0. */
PRIM_APART uint32_t term_tf_at(uint32_t code, const unsigned char *at, uint32_t bytes, uint32_t n,
                               uint32_t i)
{
    const term_source in = term_bits_at(at);
    uint32_t head = term_bits(in, 0, 32);
    optpfd_head o = optpfd_read(head, n);
    if (code == KARG_CODE_EFSUM)
        return efsum_value(term_frame{in}, bytes, n, i);
    if (code == KARG_CODEC_BP128) {
        o = {};
        o.b = head & 255;
        o.bytes = 1;
    }
    uint32_t parts = o.bytes + bitpack_bytes(n * prim_min(o.b, 33U)),
             used = bitpack_bytes(o.k * (o.at_width + o.h));
    if (o.b > 32 || o.b + o.h + o.far_width > 32 || parts > bytes)
        return 0;
    uint32_t value = term_bits(in, 8 * o.bytes + i * o.b, o.b);
    if (o.mode == OPTPFD_BITMAP) {
        uint32_t before = 0, all = 0, mark = term_bits(in, 8 * parts + i, 1);
#pragma unroll 1
        for (uint32_t from = 0; from < n; from += 32) {
            uint32_t here = term_bits(in, 8 * parts + from, prim_min(n - from, 32U));
            all += prim_count(here);
            before += prim_count(here & (i <= from ? 0 : prim_mask(prim_min(i - from, 32U))));
        }
        used = bitpack_bytes(n) + bitpack_bytes(all * o.h);
        value += (mark ? term_bits(in, 8 * (parts + bitpack_bytes(n)) + before * o.h, o.h) : 0)
                 << (o.b & 31);
    } else if (o.k) {
        value += term_part_of(in, 8 * parts, o.k, o.at_width, o.h, i) << (o.b & 31);
    }
    if (o.f)
        value += term_part_of(in, 8 * (parts + used), o.f, o.at_width, o.far_width, i)
                 << ((o.b + o.h) & 31);
    return parts + used + bitpack_bytes(o.f * (o.at_width + o.far_width)) <= bytes ? value : 0;
}

/* Of the posting of that rank, which is below n. */
PRIM uint32_t term_tf(const karg_list &list, uint32_t rank, karg_found *found)
{
    uint32_t frame = rank / KARG_BLOCK, count = term_count(list, frame), i = rank % KARG_BLOCK;
    if (list.freq_code == KARG_CODEC_RAW)
        return prim_load(prim_at<const uint32_t>(list.freqs) + rank);
    term_bytes in =
        term_part(list.freqs_bytes, list.freq_offsets, frame, prim_div_up(list.n, KARG_BLOCK));
    uint64_t at = list.freqs + in.from;
    if (!in.is_sound)
        prim_atomic_or(&found->damaged, 1);
    if (list.freq_code == KARG_CODE_EFSUM)
        return 1 + freq_efsum_at(at, in.n, count, i);
    return 1 + (list.freq_code == KARG_CODEC_BP128 ? freq_bp128_at(at, in.n, count, i)
                                                   : freq_optpfd_at(at, in.n, count, i));
}

/* ---- Documents ------------------------------------------------------------------------------- */

/* Where a block is, what it must hold, and where its postings' frequencies are: blocks are
 * frames. */
struct term_head {
    uint32_t block; /* n_blocks: none */
    uint32_t base, last;
    term_bytes in, frame;
};

/* By one lane; the frame is looked for only where frequencies are wanted. */
PRIM term_head term_read(const karg_list &list, uint32_t b, bool needs_tf)
{
    const uint32_t *last = prim_at<const uint32_t>(list.last);
    return {b, b && last ? prim_load(&last[b - 1]) : UINT32_MAX, last ? prim_load(&last[b]) : 0,
            term_part(list.docs_bytes, list.offsets, b, list.n_blocks),
            needs_tf ? term_part(list.freqs_bytes, list.freq_offsets, b, list.n_blocks)
                     : term_bytes{0, 0, false}};
}

/* By a warp whose lanes ask for rising docids: the block that may have each. The first is found by
 * all, and the next 31, one a lane, mostly hold the others. */
PRIM term_head term_place(const karg_list &list, uint32_t x, bool is_requested, bool needs_tf)
{
    const uint32_t *last = prim_at<const uint32_t>(list.last);
    uint32_t first = term_search(last, list.n_blocks,
                                 prim_shuffle<32>(x, prim_lowest(prim_ballot<32>(is_requested))));
    uint32_t b = first + prim_lane();
    bool is_in = b < list.n_blocks;
    uint32_t own = is_in ? prim_load(&last[b]) : UINT32_MAX,
             at = is_in ? near_offset(list.offsets, b) : list.docs_bytes;
    bool has_frame = is_in && list.freq_offsets && needs_tf;
    uint32_t frame = has_frame ? near_offset(list.freq_offsets, b) : list.freqs_bytes;
    uint32_t before = first ? prim_load(&last[first - 1]) : UINT32_MAX, k = term_first_lane(own, x);
    uint32_t below = prim_shuffle<32>(own, k - 1), from = prim_shuffle<32>(at, k),
             to = prim_shuffle<32>(at, k + 1);
    uint32_t frame_from = prim_shuffle<32>(frame, k), frame_to = prim_shuffle<32>(frame, k + 1);
    term_head h = {first + k, k ? below : before, prim_shuffle<32>(own, k),
                   term_between(from, to, list.docs_bytes),
                   term_between(frame_from, frame_to, list.freqs_bytes)};
    if (k == 31 && first + k < list.n_blocks) {
        uint32_t far = term_gallop(last, first + k, list.n_blocks, x);
        h = far < list.n_blocks ? term_read(list, far, needs_tf) : h;
        h.block = far;
    }
    h.block = is_requested ? prim_min(h.block, list.n_blocks) : list.n_blocks;
    return h;
}

/* Whether a frame is brought with its block. */
PRIM bool term_has_frame(const karg_list &list, const term_bytes &frame)
{
    return list.freq_code != KARG_CODEC_RAW && frame.is_sound && frame.n <= TERM_FRAME_BYTES;
}

/* A block and its frame, of one lane's head, to rows of the room. */
PRIM void term_stage_both(const karg_list &list, const term_head &h, uint32_t lane, uint32_t row,
                          term_scratch *scratch)
{
    uint32_t frame = term_has_frame(list, h.frame) ? h.frame.n : 0;
    term_stage(list.docs + prim_shuffle<32>(h.in.from, lane), prim_shuffle<32>(h.in.n, lane),
               TERM_BYTES, scratch->bytes[row]);
    uint64_t at = list.freqs + prim_shuffle<32>(h.frame.from, lane);
    frame = prim_shuffle<32>(frame, lane);
    if (frame)
        term_stage(at, frame, TERM_FRAME_BYTES, scratch->frames[row]);
}

/* The frequency of slot i of a lane's block, whose frame is in a row; 0: it is not. */
PRIM uint32_t term_staged_tf(const karg_list &list, const term_head &h, uint32_t i, uint32_t row,
                             const term_scratch *scratch)
{
    if (!term_has_frame(list, h.frame))
        return 0;
    return term_tf_at(list.freq_code, term_staged(scratch->frames[row], list.freqs + h.frame.from),
                      h.frame.n, term_count(list, h.block), i) +
           1;
}

/* The blocks that the lanes' documents may be in, TERM_ROWS at a time, each once. *tf: how often
 * the term is in the lane's document, if that was seen on the way, else 0. */
PRIM uint32_t term_find_coded(const karg_list &list, uint32_t x, bool is_requested, bool needs_tf,
                              term_scratch *scratch, uint32_t *tf, karg_found *found)
{
    term_head h =
        list.last ? term_place(list, x, is_requested, needs_tf) : term_read(list, 0, needs_tf);
    uint32_t rank = TERM_NONE;
    bool is_there = is_requested && h.block < list.n_blocks, is_sound = !is_there || h.in.is_sound;
    uint32_t open = prim_ballot<32>(is_there && is_sound);
#pragma unroll 1
    while (open) {
        uint32_t chosen = 0, at, u = 0;
        prim_sync_tile();
#pragma unroll 1
        for (; open && u < TERM_ROWS; u++) {
            at = prim_lowest(open);
            chosen |= 1U << at;
            term_stage_both(list, h, at, u, scratch);
            uint32_t b = prim_shuffle<32>(h.block, at);
            open &= ~prim_ballot<32>(h.block == b);
        }
        prim_copies_wait();
        prim_sync_tile();
#pragma unroll 1
        for (u = 0; chosen; chosen &= chosen - 1, u++) {
            at = prim_lowest(chosen);
            uint32_t b = prim_shuffle<32>(h.block, at), count = term_count(list, b),
                     last = prim_shuffle<32>(h.last, at);
            const unsigned char *in =
                term_staged(scratch->bytes[u], list.docs + prim_shuffle<32>(h.in.from, at));
            uint4 v = block_unpack(list.codec, prim_shuffle<32>(h.base, at), count,
                                   prim_shuffle<32>(h.in.n, at), in, scratch->docids);
            is_sound &= term_check(list, count, last, v);
            uint32_t slot =
                term_match(v, x, prim_ballot<32>(is_there && h.block == b), scratch->docids);
            if (slot < KARG_BLOCK) {
                rank = b * KARG_BLOCK + slot;
                *tf = term_staged_tf(list, h, slot, u, scratch);
            }
        }
    }
    if (!is_sound)
        prim_atomic_or(&found->damaged, 1);
    return rank;
}

PRIM uint32_t term_find_bits(const karg_term &term, uint32_t x, karg_found *found)
{
    const uint32_t *words = prim_at<const uint32_t>(term.list.docs);
    uint32_t bit = x - term.base, at = bit / 32;
    if (x < term.base || at >= term.n_words)
        return TERM_NONE;
    uint32_t here = prim_load(&words[at]);
    if (!(here >> bit % 32 & 1))
        return TERM_NONE;
    uint32_t rank = prim_load(prim_at<const uint32_t>(term.hints) + at / TERM_HINT);
#pragma unroll
    for (uint32_t w = 0; w < TERM_HINT - 1; w++)
        rank +=
            w < at % TERM_HINT ? prim_count(prim_load(&words[at / TERM_HINT * TERM_HINT + w])) : 0;
    rank += prim_count(here & prim_mask(bit % 32));
    if (rank < term.list.n)
        return rank;
    prim_atomic_or(&found->damaged, 1);
    return TERM_NONE;
}

PRIM uint32_t term_find_raw(const karg_list &list, uint32_t x, bool is_requested)
{
    const uint32_t *docids = prim_at<const uint32_t>(list.docs);
    uint32_t first = term_search(docids, list.n,
                                 prim_shuffle<32>(x, prim_lowest(prim_ballot<32>(is_requested))));
    uint32_t own =
        first + prim_lane() < list.n ? prim_load(&docids[first + prim_lane()]) : UINT32_MAX;
    uint32_t k = term_first_lane(own, x), rank = first + k;
    if (k == 31 && rank < list.n)
        rank = term_gallop(docids, rank, list.n, x);
    return is_requested && rank < list.n && prim_load(&docids[rank]) == x ? rank : TERM_NONE;
}

/* By a warp: the rank of each lane's document, if it is requested and there; some lane requests
 * one. *tf: how often the term is in it, or 0, if that is not wanted, or still to be looked for. */
PRIM uint32_t term_find(const karg_term &term, uint32_t x, bool is_requested, bool needs_tf,
                        term_scratch *scratch, uint32_t *tf, karg_found *found)
{
    *tf = 0;
    if (term.list.codec == KARG_CODEC_BITMAP)
        return is_requested ? term_find_bits(term, x, found) : TERM_NONE;
    return term.list.codec == KARG_CODEC_RAW
               ? term_find_raw(term.list, x, is_requested)
               : term_find_coded(term.list, x, is_requested, needs_tf, scratch, tf, found);
}

/* By a warp: block b, brought with its frame to the first rows: four docids a lane, in *v. How many
 * it has; 0: damaged. */
PRIM uint32_t term_open(const karg_term &term, uint32_t b, bool needs_tf, term_scratch *scratch,
                        term_head *h, uint4 *v, karg_found *found)
{
    const karg_list &list = term.list;
    if (list.codec == KARG_CODEC_RAW || list.codec == KARG_CODEC_BITMAP) {
        uint32_t n = term_block(term, b, scratch->docids, found);
        *h = {};
        *v = *(const uint4 *)(scratch->docids + term_slot());
        return n;
    }
    *h = term_read(list, b, needs_tf);
    uint32_t count = term_count(list, b);
    bool is_sound = h->in.is_sound;
    if (is_sound)
        term_stage_both(list, *h, 0, 0, scratch);
    prim_copies_wait();
    prim_sync_tile();
    *v = block_unpack(list.codec, h->base, is_sound ? count : 0, h->in.n,
                      term_staged(scratch->bytes[0], list.docs + h->in.from), scratch->docids);
    is_sound = term_check(list, count, h->last, *v);
    if (!is_sound && prim_lane() == 0)
        prim_atomic_or(&found->damaged, 1);
    return is_sound ? count : 0;
}

/* Of a block, four docids a lane: the one in a slot, for each lane its own; slots of lanes follow
 * each other. */
PRIM uint32_t term_docid(const uint4 &v, uint32_t slot)
{
    uint32_t lane = slot / 4 & 31;
    uint32_t a = prim_shuffle<32>(v.x, lane), b = prim_shuffle<32>(v.y, lane);
    uint32_t c = prim_shuffle<32>(v.z, lane), d = prim_shuffle<32>(v.w, lane);
    return term_pick(make_uint4(a, b, c, d), slot % 4);
}

#endif
