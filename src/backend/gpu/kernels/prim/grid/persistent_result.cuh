/* persistent_result.cuh: how the documents that match a query leave a persistent kernel, with as
 * few waits as possible.
 *
 * Each block of threads reserves output space with one atomic add. The block that completes the
 * count publishes the result to the host. Pairs travel on their own, each with the query's number
 * beside it, by which the host recognizes it. The counter is never reset: the host states its value
 * before the query. The last block waits for the others only if there are more pairs than the
 * host's buffer takes, because then it selects the best ones. */
#ifndef RP_KERNELS_PERSISTENT_RESULT_CUH
#define RP_KERNELS_PERSISTENT_RESULT_CUH

#include "backend/gpu/kernels/prim/grid/query_mailbox.cuh"
#include "backend/gpu/kernels/prim/grid/result_writer.cuh"

PRIM void persistent_tell(const karg_query &a, uint64_t counts)
{
    *prim_at<uint4>(a.answer) = make_uint4((uint32_t)counts, (uint32_t)(counts >> 32), 0, a.number);
}

/* One thread: n documents, of which some are pairs; the block's last ones are final. How many pairs
 * there were before. */
PRIM uint32_t persistent_add(karg_mailbox *echo, mailbox_scratch *scratch, uint32_t n,
                             uint32_t pairs, bool is_final)
{
    const karg_query &a = scratch->mail.query;
    uint64_t own = (uint64_t)pairs << KARG_COUNT_BITS | n;
    if (is_final)
        own |= (uint64_t)(1U << 8 | (scratch->found.damaged != 0)) << 2 * KARG_COUNT_BITS;
    uint64_t before = own ? prim_atomic_add64(&echo->counts, own) - scratch->mail.base : 0,
             all = before + own;
    if (is_final) {
        uint32_t n_pairs = (uint32_t)(all >> KARG_COUNT_BITS) & prim_mask(KARG_COUNT_BITS);
        bool is_last = all >> (2 * KARG_COUNT_BITS + 8) == a.blocks,
             is_sound = (all >> 2 * KARG_COUNT_BITS & 255) == 0;
        bool must_rank = is_last && is_sound && n_pairs > KARG_ANSWER_ALL;
        if (is_last && !must_rank)
            persistent_tell(a, scratch->mail.base + all);
        scratch->counts = scratch->mail.base + all;
        scratch->n_ranked = must_rank ? n_pairs : 0;
        scratch->found.damaged = 0;
    }
    return (uint32_t)(before >> KARG_COUNT_BITS) & prim_mask(KARG_COUNT_BITS);
}

/* By a block: a document a thread, if it matches, and its score. `shared`: a word a warp, and one
 * more. */
PRIM void persistent_put(const karg_persistent &s, mailbox_scratch *scratch, uint32_t docid,
                         bool is_match, uint32_t score, bool is_final, uint32_t *shared)
{
    const karg_query &a = scratch->mail.query;
    bool is_pair = result_is_pair(a, is_match, score);
    result_counts c = result_count_block(is_match, is_pair, shared);
    uint32_t *from = shared + prim_block_size() / 32;
    if (prim_thread() == 0)
        *from = persistent_add(prim_at<karg_mailbox>(s.echo), scratch, c.all, c.pairs, is_final);
    prim_sync();
    uint32_t place = *from + c.before;
    if (is_pair && place < KARG_ANSWER_ALL)
        prim_store_now16((uint4 *)&prim_at<karg_mailbox>(s.mailbox)->pairs[place],
                         make_uint4(score, a.number, docid, a.number));
    if (is_pair)
        prim_at<karg_pair>(a.pairs)[place] = {score, docid};
}

/* By a block, after its last documents. `shared`: as of result_end. */
PRIM void persistent_end(const karg_persistent &s, mailbox_scratch *scratch, uint32_t *shared)
{
    const karg_query &a = scratch->mail.query;
    uint32_t *written = &prim_at<karg_mailbox>(s.echo)->written;
    const uint32_t n = scratch->n_ranked;
    prim_fence();
    prim_sync();
    if (prim_thread() == 0)
        prim_atomic_add(written, 1);
    if (n == 0)
        return;
    if (prim_thread() == 0)
        while (prim_look(written) - scratch->mail.written != a.blocks)
            prim_idle();
    prim_sync();
    prim_fence();
    result_rank(a, n, shared);
    prim_sync();
    if (prim_thread() == 0)
        persistent_tell(a, scratch->counts);
}

#endif
