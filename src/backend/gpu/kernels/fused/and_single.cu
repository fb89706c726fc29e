/* and_single.cu: one AND: the documents that are in all lists of a query, their BM25 scores, and
 * the best of them.
 * Owns:   a warp owns `docs_per_warp` documents of the shortest list, one a lane. A warp has few of
 *         them, so that the waits of many warps overlap. Where there are very few, several warps
 *         share the same documents and look for them in different lists. Consecutive parts go to
 *         different blocks. The persistent kernel serves queries from its mailbox.
 * Moves:  the block of the shortest list that holds the documents; of each other list some words of
 *         its directory and the blocks that are needed with their frequencies, or one word of bits.
 *         Pairs leave a block of threads together. Shared: KARG_SHARED_AND bytes a warp, and
 *         KARG_SHARED_RANKS a term.
 * Limits: KARG_MAX_TERMS terms; codecs of karg_term; any bytes (term_block.cuh).
 * Source: Ding et al. 2009, 4 and 5. */
#include "backend/gpu/kernels/prim/prim.cuh"

/* Shared memory of a warp: its documents, by lane. */
struct alignas(16) and_single_scratch {
    term_scratch blocks;
    float norms[KARG_STAGED_NORMS];
    uint32_t sums[32], codes[32]; /* scores so far; codes of lengths */
    /* in the list of the first term, and its frequency, or 0; then those of the other terms */
    uint32_t ranks[2][32];
};
static_assert(sizeof(and_single_scratch) == KARG_SHARED_AND + KARG_SHARED_RANKS,
              "as launches have it");

PRIM and_single_scratch *and_single_open(const karg_query &a)
{
    return (and_single_scratch *)(prim_shared() +
                                  prim_warp() * (KARG_SHARED_AND + a.n_terms * KARG_SHARED_RANKS));
}

/* The table of norms is on its way to shared memory, if it is small. */
PRIM void and_single_stage_norms(const karg_norms &norms, and_single_scratch *scratch)
{
    if (norms.n_table <= KARG_STAGED_NORMS)
#pragma unroll 1
        for (uint32_t i = prim_lane(); i < prim_div_up(norms.n_table, 4); i += 32)
            prim_copy16(scratch->norms + 4 * i, prim_at<const float>(norms.table) + 4 * i);
}

PRIM float and_single_norm(const karg_norms &norms, uint32_t code,
                           const and_single_scratch *scratch)
{
    return norms.n_table <= KARG_STAGED_NORMS ? scratch->norms[prim_min(code, norms.n_table - 1)]
                                              : score_norm(norms, code);
}

/* Adds the contributions of terms whose frequencies are still missing to the sums of documents that
 * match. A lane loads the frequency of one term in one document, so that all loads are in flight
 * together. */
PRIM void and_single_late(const karg_query &a, const karg_term *terms, uint32_t matches,
                          uint64_t late, and_single_scratch *scratch, karg_found *found)
{
    uint32_t n = prim_count(matches), lane = prim_lane(),
             order = prim_count(matches & prim_mask(lane));
    uint32_t *lanes = scratch->blocks.docids;
    prim_copies_wait(); /* of norms */
    prim_sync_tile();
    if (matches >> lane & 1)
        lanes[order] = lane;
    prim_sync_tile();
#pragma unroll 1
    for (; late; late &= late - 1) {
        uint32_t i = prim_lowest64(late);
        if (lane < n) {
            uint32_t at = lanes[lane], rank = scratch->ranks[2 * i][at],
                     tf = scratch->ranks[2 * i + 1][at];
            if (tf == 0) {
                tf = term_tf(terms[i].list, rank, found);
                scratch->sums[at] += score_fixed(
                    terms[i].weight, and_single_norm(a.norms, scratch->codes[at], scratch), tf);
            }
        }
    }
    prim_sync_tile();
}

/* A warp's share: documents from `first` on, UINT32_MAX: none; and of the terms after the first one
 * in `width` from `term` on. */
struct and_single_share {
    uint32_t first, term;
};

/* Joins what the warps of the same documents found in the first of them; the others have no matches
 * then. */
PRIM void and_single_join(const karg_query &a, uint32_t term, uint32_t *matches, uint32_t *score,
                          and_single_scratch *scratch)
{
    scratch->sums[prim_lane()] = *score;
    scratch->codes[prim_lane()] = *matches;
    prim_sync();
    uint32_t all = term == 1 ? *matches : 0, sum = *score;
#pragma unroll 1
    for (uint32_t w = 1; all && w < a.width; w++) {
        scratch = (and_single_scratch *)((unsigned char *)scratch + KARG_SHARED_AND +
                                         a.n_terms * KARG_SHARED_RANKS);
        all &= scratch->codes[0];
        sum += scratch->sums[prim_lane()];
    }
    *matches = all;
    *score = sum;
}

/* By a block, each warp its share. `out` is where documents go. */
template <class Out>
PRIM void and_single_part(const karg_query &a, const karg_term *terms, and_single_share part,
                          bool is_final, const Out &out)
{
    karg_found *found = out.found();
    and_single_scratch *scratch = and_single_open(a);
    uint32_t x = 0, score = 0, matches = 0, lane = prim_lane();
    if (part.first < terms[0].list.n) {
        term_head h;
        uint4 v;
        if (a.pairs)
            and_single_stage_norms(a.norms, scratch);
        if (part.term < a.n_terms && terms[part.term].list.last)
            term_search_soon(prim_at<const uint32_t>(terms[part.term].list.last),
                             terms[part.term].list.n_blocks);
        const bool needs_tf = a.pairs != 0;
        bool is_counted = needs_tf && part.term == 1; /* the first term */
        uint32_t n = term_open(terms[0], part.first / KARG_BLOCK, is_counted, &scratch->blocks, &h,
                               &v, found);
        uint32_t slot = part.first % KARG_BLOCK + lane, code = 0, rank = part.first + lane, tf = 0,
                 i = 0;
        bool is_match = lane < a.docs_per_warp && slot < n;
        x = term_docid(v, slot);
        is_match &= x >= a.begin && x < a.end;
        if (is_match && needs_tf)
            code = score_code_any(a.norms, x);
        if (is_match && is_counted)
            tf = term_staged_tf(terms[0].list, h, slot, 0, &scratch->blocks);
        uint64_t late = 0; /* terms, a bit each, whose frequencies some lane lacks */
        matches = prim_ballot<32>(is_match);
#pragma unroll 1
        for (uint32_t next = part.term;; next += a.width) {
            if (is_counted) {
                score +=
                    tf ? score_fixed(terms[i].weight, and_single_norm(a.norms, code, scratch), tf)
                       : 0;
                scratch->ranks[2 * i][lane] = rank;
                scratch->ranks[2 * i + 1][lane] = tf;
                late |= (uint64_t)(prim_ballot<32>(is_match && tf == 0) != 0) << i;
            }
            i = next;
            if (i >= a.n_terms || matches == 0)
                break;
            is_counted = needs_tf;
            rank = term_find(terms[i], x, is_match, needs_tf, &scratch->blocks, &tf, found);
            is_match = rank != TERM_NONE;
            matches = prim_ballot<32>(is_match);
        }
        if (matches && late) {
            scratch->codes[lane] = code;
            scratch->sums[lane] = score;
            and_single_late(a, terms, matches, late, scratch, found);
            score = scratch->sums[lane];
        }
    }
    if (a.width > 1)
        and_single_join(a, part.term, &matches, &score, scratch);
    prim_copies_wait(); /* norms that nobody has read may still be on their way to scratch memory */
    prim_sync();        /* what follows writes to the scratch memory of all warps */
    out.put(x, matches >> lane & 1, score, is_final, (uint32_t *)prim_shared());
}

/* By block number `block` of those that share the query. */
template <class Out>
PRIM void and_single(const karg_query &a, const karg_term *terms, uint32_t block, const Out &out)
{
    const uint32_t groups = prim_block_size() / 32 / a.width, group = prim_warp() / a.width;
    const uint32_t parts = prim_div_up(terms[0].list.n, a.docs_per_warp), step = a.blocks * groups;
#pragma unroll 1
    for (uint32_t round = 0; round < parts; round += step) {
        uint32_t part = round + group * a.blocks + block;
        bool is_there = group < groups && part < parts;
        and_single_part(a, terms,
                        {is_there ? part * a.docs_per_warp : UINT32_MAX, 1 + prim_warp() % a.width},
                        round + step >= parts, out);
        prim_sync();
    }
    out.end((uint32_t *)prim_shared());
}

/* Output of a launch of its own. */
struct and_single_found {
    const karg_query &a;
    PRIM_MEMBER karg_found *found() const { return prim_at<karg_found>(a.found); }
    PRIM_MEMBER void put(uint32_t docid, bool is_match, uint32_t score, bool,
                         uint32_t *shared) const
    {
        result_put_block(a, docid, is_match, score, shared);
    }
    PRIM_MEMBER void end(uint32_t *shared) const { result_end(a, shared); }
};

RP_KERNEL(and_single_kernel, karg_query)
{
    and_single(a, a.inline_terms, prim_block(), and_single_found{a});
}
RP_KERNEL(and_single_many_kernel, karg_query)
{
    and_single(a, prim_at<const karg_term>(a.terms), prim_block(), and_single_found{a});
}

/* Output of the persistent kernel. */
struct and_single_mailbox {
    const karg_persistent &a;
    PRIM_MEMBER karg_found *found() const { return &mailbox_shared()->found; }
    PRIM_MEMBER void put(uint32_t docid, bool is_match, uint32_t score, bool is_final,
                         uint32_t *shared) const
    {
        persistent_put(a, mailbox_shared(), docid, is_match, score, is_final, shared);
    }
    PRIM_MEMBER void end(uint32_t *shared) const { persistent_end(a, mailbox_shared(), shared); }
};

RP_KERNEL_BOUNDED(and_single_persistent_kernel, karg_persistent, 32 * KARG_PERSISTENT_WARPS, 1)
{
    bool has_come = false;
    mailbox_open(a, mailbox_shared());
    do {
        const karg_query &query = mailbox_shared()->mail.query;
        if (mailbox_shared()->place < query.blocks)
            and_single(query, query.inline_terms, mailbox_shared()->place, and_single_mailbox{a});
        if (!has_come)
            mailbox_come(a, mailbox_shared());
        has_come = true;
    } while (mailbox_wait(a, mailbox_shared()));
    mailbox_leave(a);
}
