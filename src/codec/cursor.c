/* cursor.c: walks a list in rising order, a decoded block at a time, skipping blocks by the
 * directory of their last docids.
 *
 * A jump over blocks may leave the block it lands in undecoded, where the codec can seek in it: many
 * such jumps are followed by another. The next need of the block decodes it.
 *
 * Trusts no byte: docids given rise and are below the universe, or the walk ends with
 * RP_DAMAGED. Invariants: 1 while docid is not RP_NO_DOC, at[slot] == docid and slot < count, or
 * the block is not decoded and count is 0; 2 at[] has whole multiples of RP_BLOCK readable, and past
 * count it holds RP_NO_DOC; 3 a block that is stood on ends with what the directory says, or, not
 * decoded, docid is at most that, so the next block, which starts above that, goes on rising; 4 a
 * jump gives a docid of at least its target, which is above the docid left. */
#include <string.h>

#include "codec/list.h"

enum { NEAR = 16 }; /* blocks looked at together before jumping */

static uint32_t finish(rp__cursor *c, rp_status status)
{
    c->status = status;
    c->block = c->list->n_blocks;
    c->slot = c->count = 0;
    return c->docid = RP_NO_DOC;
}

/* Stands on the first posting of block b. */
static uint32_t enter(rp__cursor *c, uint32_t b)
{
    const rp__list *list = c->list;
    c->at = c->docs;
    if (list->codec) {
        if (rp__list_block(list, b, c->docs, &c->count))
            return finish(c, RP_DAMAGED);
    } else {
        c->count = rp__list_count(list, b);
        c->at = list->docids + (size_t)b * RP_BLOCK;
    }
    if (c->count % RP_BLOCK) { /* inv. 2 */
        if (c->at != c->docs)
            memcpy(c->docs, c->at, c->count * sizeof(uint32_t));
        c->at = c->docs;
        memset(c->docs + c->count, 0xFF, (RP_BLOCK - c->count % RP_BLOCK) * sizeof(uint32_t));
    }
    c->block = b;
    c->slot = 0;
    c->decoded += c->count;
    c->n_read++;
    return c->docid = c->at[0];
}

void rp__cursor_open(rp__cursor *c, const rp__list *list)
{
    c->list = list;
    c->frame = UINT32_MAX;
    c->status = RP_OK;
    c->decoded = 0;
    c->n_read = 0;
    c->at = c->docs;
    if (list->n == 0)
        finish(c, RP_OK);
    else
        enter(c, 0);
}

/* Whether a jump has left the block undecoded. */
static inline bool is_undecoded(const rp__cursor *c)
{
    return c->count == 0 && c->docid != RP_NO_DOC;
}

/* Decodes it then. Where it is damaged, or has no such posting, the posting that was given stands
 * there alone, and the walk ends after it. */
static __attribute__((noinline)) void settle(rp__cursor *c)
{
    uint32_t block = c->block, slot = c->slot, docid = c->docid;
    if (enter(c, block) == RP_NO_DOC || slot >= c->count || c->at[slot] != docid) {
        memset(c->docs, 0xFF, RP_BLOCK_MAX * sizeof(uint32_t));
        c->docs[slot] = docid;
        c->at = c->docs;
        c->block = block;
        c->count = slot + 1;
        c->status = RP_DAMAGED;
    }
    c->slot = slot;
    c->docid = docid;
}

uint32_t rp__cursor_next_block(rp__cursor *c)
{
    if (c->status || c->block + 1 >= c->list->n_blocks)
        return finish(c, c->status);
    return enter(c, c->block + 1);
}

uint32_t rp__cursor_next(rp__cursor *c)
{
    if (is_undecoded(c))
        settle(c);
    if (c->slot + 1 < c->count)
        return c->docid = c->at[++c->slot];
    return rp__cursor_next_block(c);
}

/* ---- Jumping --------------------------------------------------------------------------------- */

/* The last docid of blocks 0 to b; arrays have no directory but themselves. */
static uint32_t last_of(const rp__list *list, uint32_t b)
{
    if (list->last)
        return list->last[b];
    uint32_t end = b + 1 < list->n_blocks ? (b + 1) * RP_BLOCK : list->n;
    return list->docids[end - 1];
}

/* The block after those that entry k of the far level covers. */
static uint32_t far_end(const rp__list *list, uint32_t k)
{
    uint32_t begin = k * RP_LIST_FAR;
    return list->n_blocks - begin > RP_LIST_FAR ? begin + RP_LIST_FAR : list->n_blocks;
}

static uint32_t last_far_of(const rp__list *list, uint32_t k)
{
    return list->last_far ? list->last_far[k] : last_of(list, far_end(list, k) - 1);
}

/* The first of [from, to) whose last docid is at least target, else `to`. */
static inline uint32_t search(const rp__list *list, uint32_t from, uint32_t to, uint32_t target,
                              uint32_t (*last)(const rp__list *, uint32_t))
{
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (last(list, middle) < target)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* The first block from `from` on that may hold target; n_blocks if there is none. Doubles its steps
 * over the far level, then halves what is left of both levels. */
static uint32_t jump(const rp__list *list, uint32_t from, uint32_t target)
{
    uint32_t n_far = (list->n_blocks + RP_LIST_FAR - 1) / RP_LIST_FAR;
    uint32_t low = from / RP_LIST_FAR, high = low, step = 1;
    while (high < n_far && last_far_of(list, high) < target) {
        low = high + 1;
        high = n_far - high > step ? high + step : n_far;
        step *= 2;
    }
    uint32_t k = search(list, low, high, target, last_far_of);
    if (k == n_far)
        return list->n_blocks;
    uint32_t begin = k * RP_LIST_FAR > from ? k * RP_LIST_FAR : from;
    return search(list, begin, far_end(list, k), target, last_of);
}

/* How many of NEAR blocks, given their last docids, end before target. Which one does not cannot be foreseen,
 * so there is no branch; compilers make SIMD of it. */
static uint32_t count_near(const uint32_t *last, uint32_t target)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < NEAR; k++)
        count += last[k] < target;
    return count;
}

static uint32_t find_block(const rp__list *list, uint32_t from, uint32_t target)
{
    const uint32_t *last = list->last;
    if (!last || list->n_blocks - from < NEAR)
        return from < list->n_blocks ? jump(list, from, target) : from;
    if (last[from] >= target || last[from + 1] >= target) /* most steps are short */
        return from + (last[from] < target);
    uint32_t near = count_near(last + from, target);
    return near < NEAR ? from + near : jump(list, from + NEAR, target);
}

/* The first slot of a block, whose last docid is at least target, that is so too. No branch and few
 * steps that wait for each other: which sixteenth, which quarter of it, which one. */
static uint32_t find_slot(const uint32_t *at, uint32_t count, uint32_t target)
{
    const uint32_t *p = at;
    if (count > RP_BLOCK && at[RP_BLOCK - 1] < target)
        p += RP_BLOCK;
    p += 16 * ((p[15] < target) + (p[31] < target) + (p[47] < target) + (p[63] < target) +
               (p[79] < target) + (p[95] < target) + (p[111] < target));
    p += 4 * ((p[3] < target) + (p[7] < target) + (p[11] < target));
    p += (p[0] < target) + (p[1] < target) + (p[2] < target);
    return (uint32_t)(p - at);
}

/* Stands on the first posting of block b from target on without decoding it; false: this codec, or
 * this block, wants it decoded. */
static __attribute__((noinline)) bool seek(rp__cursor *c, uint32_t b, uint32_t target)
{
    const rp__list *list = c->list;
    uint32_t slot, docid;
    if (list->codec->seek(list, b, target, &slot, &docid) || slot >= rp__list_count(list, b) ||
        docid < target || docid > list->last[b] || docid >= list->universe)
        return false;
    c->block = b;
    c->slot = slot;
    c->count = 0;
    c->docid = docid;
    return true;
}

/* rp__cursor_next_geq where the block stood on ends before the target. */
static inline uint32_t leave_for(rp__cursor *c, uint32_t target)
{
    const rp__list *list = c->list;
    uint32_t b = find_block(list, c->block + 1, target);
    if (b == list->n_blocks || c->status)
        return finish(c, c->status);
    if (b > c->block + 1 && list->codec && list->codec->seek && seek(c, b, target))
        return c->docid;
    if (enter(c, b) == RP_NO_DOC)
        return RP_NO_DOC;
    if (c->at[c->count - 1] < target) /* the far level promised more than the block has */
        return finish(c, RP_DAMAGED);
    c->slot = find_slot(c->at, c->count, target);
    return c->docid = c->at[c->slot];
}

/* The same in a block that is decoded. */
static inline uint32_t next_geq_decoded(rp__cursor *c, uint32_t target)
{
    if (c->at[c->count - 1] < target)
        return leave_for(c, target);
    c->slot = find_slot(c->at, c->count, target);
    return c->docid = c->at[c->slot];
}

/* And in one that is not. */
static __attribute__((noinline)) uint32_t next_geq_undecoded(rp__cursor *c, uint32_t target)
{
    if (c->list->last[c->block] < target)
        return leave_for(c, target);
    settle(c);
    return next_geq_decoded(c, target);
}

uint32_t rp__cursor_next_geq(rp__cursor *c, uint32_t docid)
{
    if (docid <= c->docid)
        return c->docid;
    if (c->count == 0) /* inv. 1: it is not the end, where no docid is above */
        return next_geq_undecoded(c, docid);
    return next_geq_decoded(c, docid);
}

/* ---- What stands there ----------------------------------------------------------------------- */

uint32_t rp__cursor_rank(const rp__cursor *c)
{
    return rp__list_begin(c->list, c->block) + c->slot;
}

uint32_t rp__cursor_tf(rp__cursor *c)
{
    uint32_t rank = rp__cursor_rank(c), frame = rank / RP_BLOCK;
    if (c->docid == RP_NO_DOC)
        return 1;
    if (!c->list->codec)
        return c->list->tfs[rank];
    if (frame != c->frame) {
        if (rank >= c->list->n || rp__list_freqs(c->list, frame, c->tfs)) {
            finish(c, RP_DAMAGED);
            return 1;
        }
        c->frame = frame;
    }
    return c->tfs[rank % RP_BLOCK];
}

uint32_t rp__cursor_block(rp__cursor *c, const uint32_t **docids)
{
    if (is_undecoded(c))
        settle(c);
    *docids = c->at + c->slot;
    return c->count - c->slot;
}
