/* candidates.cuh: the candidates of a tile of a query's shortest list: documents that are in all
 * lists looked at so far. By a warp.
 *
 * Candidates lie in shared memory, rising, each with its slot in the tile. A list removes those
 * that it does not have. Bits are probed where they lie. A block is decoded only if a candidate
 * lies between its ends: a lane reads the last docid of a block, finds in shared memory how many
 * candidates are up to it, and opens the block if there are any.
 *
 * The record of a term is the host's, and sound; what it points to is not. Blocks are those of
 * list_blocks.cuh and term_lookup.cuh, safe on any bytes. A block whose last docid is not what the
 * directory says sets the query's `damaged`. */
#ifndef RP_KERNELS_CANDIDATES_CUH
#define RP_KERNELS_CANDIDATES_CUH

#include "backend/gpu/kernels/prim/codec/bp128.cuh"
#include "backend/gpu/kernels/prim/codec/ef128.cuh"
#include "backend/gpu/kernels/prim/codec/raw.cuh"
#include "backend/gpu/kernels/prim/warp/term_lookup.cuh"

enum {
    CANDIDATES_TILE = KARG_AND_TILE,
    CANDIDATES_EACH = CANDIDATES_TILE / 32,
    /* blocks that are decoded at a time: those of a tile of the shortest list, or two of another */
    CANDIDATES_ROWS = 2,
    /* needed blocks of 32, below which the next are looked for, not taken in turn */
    CANDIDATES_FEW = 4,
    /* docids between the ends of a block of bits above which it is read by ranges: word by word a
     * step reads 1,024 docids, by ranges two steps read 16,384 */
    CANDIDATES_FAR = 1 << 12,
    CANDIDATES_RANGE = 32 * TERM_HINT, /* docids between hints */
};

/* A block that is needed. */
struct alignas(16) candidates_block {
    uint32_t number, last; /* its last docid, by the directory */
    uint32_t end, zero;    /* candidates up to that */
};

/* Shared memory of a warp. */
struct candidates_scratch {
    block_head heads[32];
    candidates_block blocks[32];
    unsigned char scratch[2 * block_ef128::SCRATCH];
    uint32_t decoded[CANDIDATES_ROWS * KARG_BLOCK];
    uint32_t x[CANDIDATES_TILE];
    uint8_t slots[CANDIDATES_TILE];
};
static_assert(sizeof(candidates_scratch) == KARG_AND_SHARED, "what launches give");
static_assert(CANDIDATES_TILE <= 256 && CANDIDATES_TILE == CANDIDATES_ROWS * KARG_BLOCK,
              "a slot is a byte");

struct candidates_tile {
    candidates_scratch *scratch;
    karg_found *found; /* of the query */
    uint32_t n;        /* candidates */
};

/* By a warp: the first i from `from` on, and before `to`, whose at(i) is at least x, else `to`. */
template <class AT> PRIM uint32_t candidates_search(AT at, uint32_t from, uint32_t to, uint32_t x)
{
    while (from < to) {
        uint32_t step = prim_div_up(to - from + 1, 33), probe = from + (prim_lane() + 1) * step - 1;
        uint32_t below = prim_count(prim_ballot<32>(probe < to && at(probe) < x));
        from += below * step;
        to = prim_min(to, from + step - 1);
    }
    return from;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Lists that are their own directory. */
template <class CODE> struct candidates_code {
    static const bool IS_RAW = false;
};
template <> struct candidates_code<block_raw> {
    static const bool IS_RAW = true;
};

/* The last docid of block b: lists of one block have no directory; raw ones need none. */
template <class CODE> PRIM uint32_t candidates_last(const block_list &list, uint32_t b)
{
    if (list.last)
        return prim_load(&list.last[b]);
    uint32_t rank = prim_min(b * KARG_BLOCK + KARG_BLOCK, list.n) - 1;
    bool is_there = candidates_code<CODE>::IS_RAW && rank < list.docs_bytes / 4;
    return is_there ? prim_load(&block_words(list)[rank]) : UINT32_MAX;
}

/* Opens a block, the i-th of n in scratch memory. There is one after the last, the same, so that
 * rows are whole. */
template <class CODE>
PRIM void candidates_note(const candidates_tile &t, const block_list &list,
                          const candidates_block &block, uint32_t i, uint32_t n)
{
    block_head head = CODE::head(list, block.number);
    t.scratch->blocks[i] = block;
    t.scratch->heads[i] = head;
    if (i + 1 == n && n % CANDIDATES_ROWS)
        t.scratch->heads[n] = head;
}

/* Blocks i and i + 1 of the n in scratch memory, half a warp each, to `to`, with UINT32_MAX past a
 * block's last. */
template <class CODE, uint32_t K>
PRIM void candidates_rows(const candidates_tile &t, const block_list &list, uint32_t i, uint32_t n,
                          uint32_t *to)
{
    const int each = 8, lanes = KARG_BLOCK / each;
    const block_head head[1] = {t.scratch->heads[i + prim_lane() / lanes]};
    auto take = [&](uint32_t r, const block_head &h, uint32_t first, const uint32_t *docids,
                    uint32_t m) {
        const uint32_t run = block_run<CODE, each>();
        uint32_t v[run], last = docids[run - 1];
#pragma unroll
        for (uint32_t k = 0; k < run; k++) {
            v[k] = k < m ? docids[k] : UINT32_MAX;
            last = k + 1 == m ? docids[k] : last;
        }
#pragma unroll
        for (uint32_t k = 0; k < run; k += 4)
            *(uint4 *)(to + r * KARG_BLOCK + first + k) =
                make_uint4(v[k], v[k + 1], v[k + 2], v[k + 3]);
        bool has_last =
            K < BLOCK_ANY ? first == KARG_BLOCK - run : m > 0 && first + m == h.count % 65536;
        if (has_last) {
            uint32_t said = t.scratch->blocks[prim_min(i + r, n - 1)].last;
            if (said != UINT32_MAX && last != said)
                prim_atomic_or(&t.found->damaged, 1);
        }
    };
    block_rows<CODE, each, lanes, 1, K>(list, head, 0, t.scratch->scratch, take);
}

/* Which blocks of the n in scratch memory are not full, or have values of more than 8 bits, or
 * 16. */
struct candidates_wide {
    uint32_t above8, above16;
};
template <class CODE> PRIM candidates_wide candidates_widths(const candidates_tile &t, uint32_t n)
{
    uint32_t key = 0;
    if (prim_lane() < n) {
        block_head head = t.scratch->heads[prim_lane()];
        key = head.count % 65536 == KARG_BLOCK ? CODE::key(head) : BLOCK_ANY;
    }
    uint32_t above8 = prim_ballot<32>(key > 8);
    return {above8, CODE::WIDEST > 8 ? prim_ballot<32>(key > 16) : above8};
}

template <class CODE>
PRIM void candidates_decode(const candidates_tile &t, const block_list &list,
                            const candidates_wide &wide, uint32_t i, uint32_t n, uint32_t *to)
{
    const uint32_t mask = (1U << CANDIDATES_ROWS) - 1;
    if ((wide.above8 >> i & mask) == 0)
        candidates_rows<CODE, 8>(t, list, i, n, to);
    else if (CODE::WIDEST > 8 && (wide.above16 >> i & mask) == 0)
        candidates_rows<CODE, 16>(t, list, i, n, to);
    else
        candidates_rows<CODE, BLOCK_ANY>(t, list, i, n, to);
}

/* ---- The shortest list ----------------------------------------------------------------------- */

template <class CODE>
PRIM void candidates_open_blocks(const candidates_tile &t, const karg_list *from, uint32_t block)
{
    block_list list = block_list_open(from);
    uint32_t n = prim_min(list.n_blocks - block, (uint32_t)CANDIDATES_ROWS),
             b = block + prim_lane();
    if (prim_lane() < n)
        candidates_note<CODE>(t, list, {b, candidates_last<CODE>(list, b), 0, 0}, prim_lane(), n);
    prim_sync_tile();
    candidates_decode<CODE>(t, list, candidates_widths<CODE>(t, n), 0, n, t.scratch->x);
}

/* The docids of a range of bits, TERM_HINT words, from bit `begin` of it on, to those slots of
 * `count` from `slot` on. */
PRIM void candidates_take_range(const karg_term &term, uint32_t range, uint32_t begin,
                                uint32_t slot, uint32_t count, uint32_t *out)
{
    const uint32_t *words = prim_at<const uint32_t>(term.list.docs);
    uint32_t here[TERM_HINT];
#pragma unroll
    for (uint32_t w = 0; w < TERM_HINT; w++) {
        const uint32_t at = range * TERM_HINT + w;
        here[w] = at < term.n_words ? prim_load(&words[at]) : 0;
    }
#pragma unroll
    for (uint32_t w = 0; w < TERM_HINT; w++) {
        uint32_t set = here[w];
        set &= w < begin / 32 ? 0 : w == begin / 32 ? ~prim_mask(begin % 32) : ~0U;
#pragma unroll 1
        for (; set && slot < count; set &= set - 1)
            out[slot++] = term.base + CANDIDATES_RANGE * range + 32 * w + prim_lowest(set);
    }
}

/* Block b, whose bits lie far apart, from the one after docid `base` on: a lane a range, by hints,
 * which say what is in it. Ranges without any are passed over by a search. */
PRIM_APART void candidates_open_far(const karg_term &term, uint32_t b, uint32_t base, uint32_t last,
                                    uint32_t *out)
{
    const uint32_t *hints = prim_at<const uint32_t>(term.hints);
    const uint32_t bit = base + 1 > term.base ? base + 1 - term.base : 0,
                   first = bit / CANDIDATES_RANGE;
    const uint32_t end =
        prim_min((last - term.base) / CANDIDATES_RANGE + 1, prim_div_up(term.n_words, TERM_HINT));
    const uint32_t rank = b * KARG_BLOCK, count = term_count(term.list, b);
    for (uint32_t i = prim_lane(); i < KARG_BLOCK; i += 32)
        out[i] = UINT32_MAX;
    prim_sync_tile();
#pragma unroll 1
    for (uint32_t i = first, done = rank; i < end && done < rank + count;) {
        const uint32_t mine = i + prim_lane();
        const uint32_t from = mine < end ? mine == first ? rank : prim_load(&hints[mine]) : 0;
        const uint32_t to = mine + 1 < end ? prim_load(&hints[mine + 1]) : rank + count;
        const bool is_some = mine < end && from < to;
        if (is_some)
            candidates_take_range(term, mine, mine == first ? bit % CANDIDATES_RANGE : 0,
                                  from - rank, count, out);
        i += 32;
        done = prim_shuffle<32>(to, 31);
        if (i < end && prim_ballot<32>(is_some) == 0) {
            auto before = [&](uint32_t at) { return prim_load(&hints[at]); };
            i = prim_max(i, candidates_search(before, i, end, done + 1) - 1);
        }
    }
}

/* As term_block, of bits. */
PRIM uint32_t candidates_open_block(const karg_term &term, uint32_t b, uint32_t *out,
                                    karg_found *found)
{
    const uint32_t *lasts = prim_at<const uint32_t>(term.list.last);
    const uint32_t last = lasts ? prim_load(&lasts[b]) : 0,
                   base = b && lasts ? prim_load(&lasts[b - 1]) : UINT32_MAX;
    if (last < term.base || last - base <= CANDIDATES_FAR)
        return term_block(term, b, out, found);
    prim_sync_tile();
    candidates_open_far(term, b, base, last, out);
    prim_sync_tile();
    const uint32_t count = term_count(term.list, b);
    const bool is_sound = term_check(term.list, count, last, *(const uint4 *)(out + term_slot()));
    if (!is_sound && prim_lane() == 0)
        prim_atomic_or(&found->damaged, 1);
    return is_sound ? count : 0;
}

/* How many; 0: damaged. */
PRIM uint32_t candidates_open_bits(const candidates_tile &t, const karg_term &term, uint32_t block)
{
    uint32_t n = 0;
    for (uint32_t b = block; b < block + CANDIDATES_ROWS && b * KARG_BLOCK < term.list.n; b++) {
        uint32_t count = candidates_open_block(term, b, t.scratch->x + n, t.found);
        if (count == 0)
            return 0;
        n += count;
    }
    return n;
}

/* Tile number `number` of the list: all of it are candidates. Slots are not written yet. */
PRIM void candidates_open(candidates_tile *t, const karg_term *term, uint32_t number)
{
    uint32_t codec = prim_load(&term->list.codec), block = number * CANDIDATES_ROWS;
    uint32_t n = prim_load(&term->list.n), rank = block * KARG_BLOCK;
    t->n = rank < n ? prim_min(n - rank, (uint32_t)CANDIDATES_TILE) : 0;
    if (t->n == 0)
        return;
    if (codec == KARG_CODEC_BP128)
        candidates_open_blocks<block_bp128>(*t, &term->list, block);
    else if (codec == KARG_CODEC_EF128)
        candidates_open_blocks<block_ef128>(*t, &term->list, block);
    else if (codec == KARG_CODEC_BITMAP)
        t->n = candidates_open_bits(*t, *term, block);
    else
        candidates_open_blocks<block_raw>(*t, &term->list, block);
    prim_sync_tile();
}

/* ---- Tests of single docids ------------------------------------------------------------------ */

/* All of a tile in registers, 32 apart: bit e of `in`: x[e] is a candidate. */
struct candidates_few {
    uint32_t x[CANDIDATES_EACH], in;
};

/* Those from `begin` on and before `end`. */
PRIM candidates_few candidates_load(const candidates_tile &t, uint32_t begin, uint32_t end)
{
    candidates_few f;
    f.in = 0;
#pragma unroll
    for (uint32_t e = 0; e < CANDIDATES_EACH; e++) {
        f.x[e] = t.scratch->x[e * 32 + prim_lane()];
        f.in |= (uint32_t)(e * 32 + prim_lane() < t.n && f.x[e] >= begin && f.x[e] < end) << e;
    }
    return f;
}

/* Those whose bits, from docid `base` on in n words, are set. Loads come before the first is looked
 * at. */
PRIM void candidates_test(candidates_few *f, const uint32_t *words, uint32_t base, uint32_t n)
{
    uint32_t here[CANDIDATES_EACH], in = 0;
#pragma unroll
    for (uint32_t e = 0; e < CANDIDATES_EACH; e++) {
        uint32_t at = f->x[e] - base;
        here[e] =
            f->x[e] >= base && at / 32 < n && (f->in >> e & 1) ? prim_load(&words[at / 32]) : 0;
    }
#pragma unroll
    for (uint32_t e = 0; e < CANDIDATES_EACH; e++)
        in |= (here[e] >> (f->x[e] - base) % 32 & 1) << e;
    f->in = in;
}

/* What is left, with its slots, side by side. */
PRIM void candidates_put(candidates_tile *t, const candidates_few &f)
{
    uint32_t kept = 0;
    prim_sync_tile();
#pragma unroll
    for (uint32_t e = 0; e < CANDIDATES_EACH; e++) {
        bool is_in = f.in >> e & 1;
        uint32_t all = prim_ballot<32>(is_in),
                 place = kept + prim_count(all & prim_mask(prim_lane()));
        if (is_in) {
            t->scratch->x[place] = f.x[e];
            t->scratch->slots[place] = (uint8_t)(e * 32 + prim_lane());
        }
        kept += prim_count(all);
    }
    t->n = kept;
    prim_sync_tile();
}

/* ---- Tests by blocks ------------------------------------------------------------------------- */

/* The first candidate, from slot `from` on, that is above x. */
PRIM uint32_t candidates_above(const candidates_tile &t, uint32_t from, uint32_t x)
{
    uint32_t to = t.n;
    while (from < to) {
        uint32_t middle = (from + to) / 2;
        if (t.scratch->x[middle] <= x)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Of 32 blocks from b on, those that are needed, to scratch memory: how many. *end: candidates up
 * to the last of them all. */
template <class CODE>
PRIM uint32_t candidates_needed(const candidates_tile &t, const block_list &list, uint32_t first,
                                uint32_t from, uint32_t *end)
{
    uint32_t b = first + prim_lane(),
             last = b < list.n_blocks ? candidates_last<CODE>(list, b) : UINT32_MAX;
    uint32_t mine = b < list.n_blocks ? candidates_above(t, from, last) : from;
    uint32_t before = prim_shuffle_up<32>(mine, 1);
    before = prim_lane() == 0 ? from : before;
    uint32_t need = prim_ballot<32>(b < list.n_blocks && before < mine);
    if (need >> prim_lane() & 1)
        candidates_note<CODE>(t, list, {b, last, mine, 0},
                              prim_count(need & prim_mask(prim_lane())), prim_count(need));
    *end = prim_shuffle<32>(mine, prim_min(list.n_blocks - first, 32U) - 1);
    prim_sync_tile();
    return prim_count(need);
}

/* Those 32 side by side that is_kept: to the end of the *kept before them. Not before all are
 * looked at. */
PRIM void candidates_move(const candidates_tile &t, uint32_t x, uint32_t slot, bool is_kept,
                          uint32_t *kept)
{
    uint32_t all = prim_ballot<32>(is_kept),
             place = *kept + prim_count(all & prim_mask(prim_lane()));
    prim_sync_tile();
    if (is_kept) {
        t.scratch->x[place] = x;
        t.scratch->slots[place] = (uint8_t)slot;
    }
    *kept += prim_count(all);
}

/* Of the candidates from slot `from` to `to` - 1: those that are in the decoded blocks, i and the
 * next of n, are kept. */
PRIM void candidates_match(const candidates_tile &t, uint32_t i, uint32_t n, uint32_t from,
                           uint32_t to, uint32_t *ranks, uint32_t *kept)
{
    static_assert(CANDIDATES_ROWS == 2, "a document is in one, or the other");
    const candidates_block one = t.scratch->blocks[i];
    uint32_t other = t.scratch->blocks[prim_min(i + 1, n - 1)].number;
    for (uint32_t s = from; s < to; s += 32) {
        uint32_t at = prim_min(s + prim_lane(), (uint32_t)CANDIDATES_TILE - 1),
                 x = t.scratch->x[at], slot = t.scratch->slots[at];
        bool is_other = i + 1 < n && one.last < x;
        const uint32_t *docids = t.scratch->decoded + (is_other ? KARG_BLOCK : 0);
        uint32_t k = term_find_slot(docids, x);
        bool is_found = s + prim_lane() < to && docids[k] == x;
        if (is_found && ranks)
            ranks[slot] = (is_other ? other : one.number) * KARG_BLOCK + k;
        candidates_move(t, x, slot, is_found, kept);
    }
}

/* Keeps those in the list, and leaves their ranks, if requested, by slot of the tile. */
template <class CODE>
PRIM void candidates_keep_blocks(candidates_tile *t, const karg_list *of, uint32_t *ranks)
{
    block_list list = block_list_open(of);
    auto last = [&](uint32_t b) { return candidates_last<CODE>(list, b); };
    uint32_t at = 0, kept = 0, end, b = candidates_search(last, 0, list.n_blocks, t->scratch->x[0]);
    while (at < t->n && b < list.n_blocks) {
        uint32_t n = candidates_needed<CODE>(*t, list, b, at, &end);
        candidates_wide wide = candidates_widths<CODE>(*t, n);
        for (uint32_t i = 0; i < n; i += CANDIDATES_ROWS) {
            candidates_decode<CODE>(*t, list, wide, i, n, t->scratch->decoded);
            prim_sync_tile();
            uint32_t to = t->scratch->blocks[prim_min(i + CANDIDATES_ROWS, n) - 1].end;
            candidates_match(*t, i, n, at, to, ranks, &kept);
            at = prim_max(at, to);
            prim_sync_tile();
        }
        at = prim_max(at, end);
        b += 32;
        if (n < CANDIDATES_FEW && at < t->n && b < list.n_blocks)
            b = candidates_search(last, b, list.n_blocks, t->scratch->x[at]);
    }
    t->n = kept;
    prim_sync_tile();
}

/* Apart, for it needs more registers than others. */
PRIM_APART void candidates_keep_ef128(candidates_tile *t, const karg_list *of, uint32_t *ranks)
{
    candidates_keep_blocks<block_ef128>(t, of, ranks);
}

/* The same of bits. */
PRIM void candidates_keep_bits(candidates_tile *t, const karg_term *term)
{
    uint32_t base = prim_load(&term->base), n = prim_load(&term->n_words), kept = 0;
    const uint32_t *words = prim_at<const uint32_t>(prim_load(&term->list.docs));
    for (uint32_t s = 0; s < t->n; s += 32) {
        uint32_t i = prim_min(s + prim_lane(), (uint32_t)CANDIDATES_TILE - 1), x = t->scratch->x[i],
                 at = x - base;
        bool is_there = s + prim_lane() < t->n && x >= base && at / 32 < n;
        candidates_move(*t, x, t->scratch->slots[i],
                        is_there && (prim_load(&words[at / 32]) >> at % 32 & 1), &kept);
    }
    t->n = kept;
    prim_sync_tile();
}

PRIM void candidates_keep(candidates_tile *t, const karg_term *term, uint32_t *ranks)
{
    uint32_t codec = prim_load(&term->list.codec);
    if (codec == KARG_CODEC_BITMAP)
        candidates_keep_bits(t, term);
    else if (codec == KARG_CODEC_BP128)
        candidates_keep_blocks<block_bp128>(t, &term->list, ranks);
    else if (codec == KARG_CODEC_EF128)
        candidates_keep_ef128(t, &term->list, ranks);
    else
        candidates_keep_blocks<block_raw>(t, &term->list, ranks);
}

#endif
