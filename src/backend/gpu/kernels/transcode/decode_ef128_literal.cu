/* decode_ef128_literal.cu: docids of lists in ef128, to device memory; literal.
 * One block of 128 threads: a tile, a block of ef128 at a time. One thread: first a word of the
 * high bits, whose ones it counts and then hands out to threads; then one docid.
 * Reads high bits twice, low bits once; writes 4 bytes a thread, coalesced. Counts, tasks and a
 * look-up table of the ones of a byte are in shared memory, KARG_SHARED_EF128_LITERAL bytes a warp.
 * Limits: 128 threads; tiles of a list's blocks; any bytes.
 * Source: Liu et al. 2018 (Griffin), 3.1.1, Algorithm 1, over blocks of 128 as there. Docids count
 * from the block's base on; blocks that the format keeps in another way (docs/format.md: docids in
 * a row, packed gaps) are none of the paper's. */
#include "backend/gpu/kernels/prim/prim.cuh"

enum { THREADS = KARG_BLOCK, HIGH_WORDS = block_ef128::HIGH / 32 };

struct alignas(16) para_ef {
    uint32_t sums[HIGH_WORDS];  /* ps_array: ones up to and with a word's */
    uint32_t words[KARG_BLOCK]; /* index_array: which word has a docid's one */
    uint32_t scratch[THREADS / 32 + 1];
    unsigned char ones[256][8]; /* of a byte, where its k-th one is */
};

static_assert(sizeof(para_ef) <= KARG_SHARED_EF128_LITERAL * THREADS / 32, "what a launch gives");

PRIM void make_table(para_ef *s)
{
    for (uint32_t byte = prim_thread(); byte < 256; byte += THREADS) {
        uint32_t left = byte;
        for (uint32_t k = 0; k < 8; k++, left &= left - 1)
            s->ones[byte][k] = (unsigned char)(left ? prim_lowest(left) : 0);
    }
    prim_sync();
}

/* A block's high bits. */
struct high_bits {
    bitpack_bits at;
    uint32_t bits;

    PRIM_MEMBER uint32_t word(uint32_t i) const
    {
        return 32 * i < bits ? bitpack_word(at, 32 * i) & prim_mask(prim_min(bits - 32 * i, 32U))
                             : 0;
    }
};

/* Lines 2 and 3: ones of words, summed; by the first warp. */
PRIM void count_ones(const high_bits &high, para_ef *s)
{
    if (prim_warp() == 0) {
        uint32_t sum = scan_add<32>(prim_count(high.word(prim_lane())));
        if (prim_lane() < HIGH_WORDS)
            s->sums[prim_lane()] = sum;
    }
    prim_sync();
}

/* Lines 4 to 8: the word of each docid. */
PRIM void schedule(para_ef *s)
{
    if (prim_thread() < HIGH_WORDS) {
        uint32_t before = prim_thread() ? s->sums[prim_thread() - 1] : 0,
                 count = s->sums[prim_thread()] - before;
        for (uint32_t k = 0; k < count && before + k < KARG_BLOCK; k++)
            s->words[before + k] = prim_thread();
    }
    prim_sync();
}

/* Bit of a word that is its k-th one, by the table. */
PRIM uint32_t find_one(const para_ef *s, uint32_t word, uint32_t k)
{
    for (uint32_t bit = 0; bit < 32; bit += 8) {
        uint32_t byte = word >> bit & 255, n = prim_count(byte);
        if (k < n)
            return bit + s->ones[byte][k];
        k -= n;
    }
    return 0;
}

/* Line 9: the high part of this thread's docid. */
PRIM uint32_t recover(const high_bits &high, const para_ef *s)
{
    uint32_t i = prim_thread();
    if (i >= s->sums[HIGH_WORDS - 1])
        return 0;
    uint32_t w = s->words[i], before = w ? s->sums[w - 1] : 0;
    return 32 * w + find_one(s, high.word(w), i - before) - i;
}

PRIM uint32_t docid_of(const block_list &list, const block_head &head, para_ef *s)
{
    uint32_t form = head.shape & 255, i = prim_thread(), all;
    uint64_t at = (uint64_t)list.words + head.at;
    if (form == block_ef128::PLAIN) {
        uint32_t w = head.shape >> 8,
                 gap = i < head.count ? bitpack_one(bitpack_at(at), i * w, w) : 0;
        return head.base + i + gap + scan_block(gap, s->scratch, &all);
    }
    if (form >= block_ef128::ZEROS)
        return head.base + i;
    high_bits high = {bitpack_at(at + bitpack_bytes(head.count * form)), head.shape >> 8};
    count_ones(high, s);
    schedule(s);
    uint32_t low = i < head.count ? bitpack_one(bitpack_at(at), i * form, form) : 0;
    return head.base + i + (recover(high, s) << form | low);
}

RP_KERNEL_BOUNDED(decode_ef128_literal_kernel, karg_decode, 128, 4)
{
    para_ef *s = (para_ef *)prim_shared();
    make_table(s);
    for (uint32_t number = prim_block(); number < a.n_tiles; number += prim_grid_size()) {
        karg_tile tile = block_tile(a, number);
        block_list list = block_list_open(prim_at<const karg_list>(a.lists) + tile.list);
        uint32_t *out = prim_at<uint32_t>(a.docids) + tile.out;
        for (uint32_t b = 0; b < tile.n; b++) {
            block_head head = block_ef128::head(list, tile.block + b);
            uint32_t docid = docid_of(list, head, s), slot = b * KARG_BLOCK + prim_thread();
            if (prim_thread() < head.count && slot < tile.capacity)
                out[slot] = docid;
            prim_sync();
        }
    }
}
