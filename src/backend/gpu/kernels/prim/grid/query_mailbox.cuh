/* query_mailbox.cuh: how queries reach a persistent kernel while it runs.
 *
 * The host writes a record to a mailbox in its own memory, each word with the record's number
 * beside it, in any order. A reader that finds the number everywhere has the whole record from the
 * same read. The first block of threads to arrive reads this mailbox and copies the record to a
 * mailbox in device memory, which the other blocks read. It adds how many blocks have arrived by
 * then: these share the query, and none waits for a block that is not running. It also decides when
 * all blocks leave: at the host's request, after a long time without a query, or after a fixed
 * lifetime. A block that has no share of a query may miss it, and takes the next. */
#ifndef RP_KERNELS_QUERY_MAILBOX_CUH
#define RP_KERNELS_QUERY_MAILBOX_CUH

#include "backend/gpu/kernels/prim/platform.cuh"

/* Chunks that a lane reads at once: over PCIe all of them, because a second read takes longer than
 * a long one; of device memory, which many blocks read, as many as a record of five terms has. */
enum { MAILBOX_ALL = (KARG_MAIL_CHUNKS + 31) / 32, MAILBOX_NEAR = 3 };

/* Shared memory of a block, behind the scratch memory of its warps. */
struct mailbox_scratch {
    karg_mail mail;    /* the query that it is at */
    karg_found found;  /* `damaged`: of its own documents; 0 at first, and after each query */
    uint64_t counts;   /* persistent_result.cuh: of all */
    uint64_t born;     /* when it began */
    uint32_t n_ranked; /* persistent_result.cuh */
    uint32_t number;   /* of the next record */
    uint32_t place;    /* among the blocks that have come */
    uint32_t zero;
};
static_assert(sizeof(mailbox_scratch) <= KARG_SHARED_PERSISTENT, "as launches have it");

PRIM mailbox_scratch *mailbox_shared()
{
    return (mailbox_scratch *)(prim_shared() +
                               prim_block_size() / 32 * KARG_SHARED_PERSISTENT_WARP);
}

/* By a warp: the record, to shared memory, if one is there whose number is at least `*number`,
 * which becomes its own. */
template <uint32_t AHEAD>
PRIM bool mailbox_take(const karg_mailbox *mailbox, uint32_t *number, karg_mail *record)
{
    const uint4 *chunks = (const uint4 *)mailbox->chunks;
    uint4 seen[AHEAD];
    uint2 *out = (uint2 *)record;
    const uint32_t lane = prim_lane();
#pragma unroll
    for (uint32_t i = 0; i < AHEAD; i++)
        seen[i] = prim_look16(&chunks[prim_min(32 * i + lane, KARG_MAIL_CHUNKS - 1U)]);
    const uint32_t found = prim_shuffle<32>(seen[0].y, 0);
    const uint32_t n = prim_min(prim_shuffle<32>(seen[0].x, 0), (uint32_t)KARG_MAIL_CHUNKS);
    bool is_whole = (int32_t)(found - *number) >= 0 && n >= KARG_MAIL_HEAD;
    auto put = [&](uint32_t at, const uint4 &chunk) {
        is_whole &= at >= n || (chunk.y == found && chunk.w == found);
        if (is_whole && at < n)
            out[at] = make_uint2(chunk.x, chunk.z);
    };
#pragma unroll
    for (uint32_t i = 0; i < AHEAD; i++)
        put(32 * i + lane, seen[i]);
    if (prim_ballot<32>(is_whole) != ~0U)
        return false;
#pragma unroll 1
    for (uint32_t at = 32 * AHEAD + lane; at < prim_div_up(n, 32) * 32; at += 32)
        put(at, prim_look16(&chunks[prim_min(at, n - 1)]));
    prim_sync_tile();
    *number = found;
    return prim_ballot<32>(is_whole) == ~0U;
}

/* By a warp: what is in the record, to the others. */
PRIM void mailbox_tell(karg_mailbox *echo, uint32_t number, const karg_mail *record)
{
    const uint2 *in = (const uint2 *)record;
    const uint32_t n = record->n_chunks;
#pragma unroll 1
    for (uint32_t at = prim_lane(); at < n; at += 32) {
        uint2 both = in[at];
        prim_store_now16((uint4 *)echo->chunks + at, make_uint4(both.x, number, both.y, number));
    }
}

/* By a warp: whether it has run long enough, `since` the last query or in all, and `done` blocks
 * have ended theirs: one that shares the last query may not have seen it yet, and would read the
 * request to leave instead. */
PRIM bool mailbox_is_over(const karg_persistent &a, uint64_t since, uint64_t born, uint32_t done)
{
    uint64_t now = prim_clock();
    bool is_done = prim_look(&prim_at<karg_mailbox>(a.echo)->written) == done;
    return prim_shuffle<32>((uint32_t)(is_done && (now - since > a.idle || now - born > a.life)),
                            0);
}

/* By a warp of the first block, with a query or none: sets how many blocks share it, and publishes
 * it to them. */
PRIM void mailbox_lead(const karg_persistent &a, uint32_t number, uint32_t came, karg_mail *mail)
{
    karg_query *query = &mail->query;
    const uint32_t n_terms = query->n_terms;
    prim_sync_tile(); /* all have read it */
    if (prim_lane() == 0) {
        query->n_terms = prim_min(n_terms, (uint32_t)KARG_INLINE_TERMS);
        query->blocks =
            n_terms
                ? prim_min(came, prim_div_up(query->inline_terms[0].list.n, query->docs_per_warp))
                : 0;
    }
    prim_sync_tile();
    mailbox_tell(prim_at<karg_mailbox>(a.echo), number, mail);
    if (n_terms == 0 && prim_lane() == 0)
        *(volatile uint32_t *)&prim_at<karg_mailbox>(a.mailbox)->left = a.launch;
}

/* By a warp: the next query, or none; returns its number. */
PRIM_APART uint32_t mailbox_next(const karg_persistent &a, mailbox_scratch *scratch)
{
    const uint64_t since = prim_clock();
    const bool is_first = scratch->place == 0;
    const uint32_t done = scratch->mail.written + scratch->mail.query.blocks;
    uint32_t came = 0, number = scratch->number;
    prim_sync_tile(); /* all have read what the next record comes to */
    for (;;) {
        if (is_first)
            came = prim_look(&prim_at<karg_mailbox>(a.echo)->came);
        if (is_first ? mailbox_take<MAILBOX_ALL>(prim_at<const karg_mailbox>(a.mailbox), &number,
                                                 &scratch->mail)
                     : mailbox_take<MAILBOX_NEAR>(prim_at<const karg_mailbox>(a.echo), &number,
                                                  &scratch->mail))
            break;
        if (is_first && mailbox_is_over(a, since, scratch->born, done)) {
            if (prim_lane() == 0) {
                scratch->mail.n_chunks = KARG_MAIL_HEAD;
                scratch->mail.query.n_terms = 0;
            }
            prim_sync_tile();
            break;
        }
        prim_idle();
    }
    if (is_first)
        mailbox_lead(a, number, came, &scratch->mail);
    return number;
}

/* By a block: the query that came with the launch, of which it has the part of its number. */
PRIM void mailbox_open(const karg_persistent &a, mailbox_scratch *scratch)
{
    const uint32_t *in = (const uint32_t *)&a.first;
    for (uint32_t i = prim_thread(); i < sizeof(karg_mail) / 4; i += prim_block_size())
        ((uint32_t *)&scratch->mail)[i] = in[i];
    if (prim_thread() == 0) {
        scratch->found.damaged = 0;
        scratch->born = prim_clock();
        scratch->number = a.number;
        scratch->place = prim_block();
    }
    prim_sync();
}

/* By a block: it has come, and takes its place among those that have. */
PRIM void mailbox_come(const karg_persistent &a, mailbox_scratch *scratch)
{
    prim_sync();
    if (prim_thread() == 0)
        scratch->place = prim_atomic_add(&prim_at<karg_mailbox>(a.echo)->came, 1);
    prim_sync();
}

/* By a block: the next query. False: there is none, and it leaves. */
PRIM bool mailbox_wait(const karg_persistent &a, mailbox_scratch *scratch)
{
    prim_sync(); /* nobody reads the one before */
    if (prim_warp() == 0) {
        uint32_t number = mailbox_next(a, scratch);
        if (prim_lane() == 0)
            scratch->number = number + 1;
    }
    prim_sync();
    return scratch->mail.query.n_terms != 0;
}

/* By a block that leaves: the last one resets the mailbox. */
PRIM void mailbox_leave(const karg_persistent &a)
{
    karg_mailbox *echo = prim_at<karg_mailbox>(a.echo);
    if (prim_thread() == 0 && prim_atomic_add(&echo->gone, 1) == prim_grid_size() - 1) {
        echo->came = 0;
        echo->gone = 0;
    }
}

#endif
