/* partial_list.c: some blocks of a list with a directory of their own. The bytes are untrusted: offsets are held within
 * their payload, and searches in the directory end whatever it says. */
#include "backend/gpu/residency/partial_list.h"

#include <string.h>

#include "base/bits.h"

enum { ALIGN = 16 };
#define NONE UINT32_MAX /* no block of the list: an empty one */

/* Blocks of RP_BLOCK with bytes of their own, and their frequencies likewise; raw docids are one array to kernels. */
bool rp__partial_list_can(const rp__list *list)
{
    return list->codec && list->codec->code && list->codec->id != KARG_CODEC_RAW && list->last &&
           rp__list_has_offsets(list) && (list->freq_offsets || list->near_freqs) && !list->first;
}

/* ---- Which blocks ------------------------------------------------------------------------------ */

/* The first number from `from` on that is at least x, else n: in steps that double, then halve. */
static uint32_t seek(const uint32_t *list, uint32_t from, uint32_t n, uint32_t x)
{
    uint64_t step = 1, lo = from, hi = from;
    while (hi < n && list[hi] < x) {
        lo = hi + 1;
        hi += step;
        step *= 2;
    }
    hi = hi < n ? hi : n;
    while (lo < hi) {
        uint64_t middle = lo + (hi - lo) / 2;
        if (list[middle] < x)
            lo = middle + 1;
        else
            hi = middle;
    }
    return (uint32_t)lo;
}

/* Whether last docids rise, from the one before them on. */
static bool rises(const uint32_t *last, uint32_t from, uint32_t to)
{
    bool is_so = true;
    for (uint32_t b = from ? from : 1; b < to; b++)
        is_so &= last[b - 1] < last[b];
    return is_so;
}

static uint32_t far_begin(uint32_t g)
{
    return g * RP_LIST_FAR;
}

static uint32_t far_end(const rp__list *list, uint32_t g)
{
    return list->n_blocks - far_begin(g) < RP_LIST_FAR ? list->n_blocks : far_begin(g + 1);
}

/* Whether the directory of group g says what that of groups does. */
static bool is_group_true(const rp__list *list, uint32_t g)
{
    const uint32_t from = far_begin(g), to = far_end(list, g);
    return rises(list->last, from, to) && list->last_far[g] == list->last[to - 1] &&
           (g == 0 || list->last_far[g - 1] == list->last[from - 1]);
}

/* Block b, after an empty one, unless the one before is there. */
static void add_block(rp__partial_list *s, uint32_t b)
{
    const uint32_t before = s->n > 0 ? s->blocks[s->n - 1].number : NONE;
    if (b == before)
        return;
    if (b > 0 && b - 1 != before)
        s->blocks[s->n++] = (rp__partial_block){.number = NONE};
    s->blocks[s->n++] = (rp__partial_block){.number = b};
    s->n_needed++;
}

/* Blocks that the docids may be in. False: the directory is damaged where it was read. The CPU, which goes another way
 * through it, may find that too, where these blocks do not show it. */
static bool find_blocks(rp__partial_list *s, const uint32_t *docids, uint32_t n, uint32_t limit)
{
    const rp__list *list = s->of;
    const uint32_t n_far = (list->n_blocks + RP_LIST_FAR - 1) / RP_LIST_FAR;
    uint32_t g = 0, checked = NONE, b = 0;
    if (!rises(list->last_far, 0, n_far))
        return false;
    for (uint32_t i = 0; i < n && s->n_needed <= limit; i++) {
        g = seek(list->last_far, g, n_far, docids[i]);
        if (g == n_far)
            return true;
        if (g != checked && !is_group_true(list, g))
            return false;
        checked = g;
        b = seek(list->last, b > far_begin(g) ? b : far_begin(g), far_end(list, g), docids[i]);
        add_block(s, b);
    }
    return true;
}

/* ---- Where parts lie --------------------------------------------------------------------------- */

/* Of offsets the wide or the narrow ones. */
static bool find_part(const uint32_t *wide, const uint16_t *near, uint32_t i, uint32_t n,
                      size_t total, uint32_t *from, uint32_t *bytes)
{
    uint32_t to = (uint32_t)total;
    if (i + 1 < n)
        to = near ? rp__list_near(near, i + 1) : wide[i + 1];
    *from = near ? rp__list_near(near, i) : wide[i];
    *bytes = to - *from;
    return *from <= to && to <= total;
}

static bool add_up(rp__partial_list *s)
{
    const rp__list *list = s->of;
    uint64_t docs = 0, freqs = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        rp__partial_block *b = &s->blocks[i];
        if (b->number == NONE)
            continue;
        if (!find_part(list->offsets, list->near_offsets, b->number, list->n_blocks,
                       list->docs_bytes, &b->docs, &b->docs_bytes) ||
            (s->has_freqs &&
             !find_part(list->freq_offsets, list->near_freqs, b->number, list->n_blocks,
                        list->freqs_bytes, &b->freqs, &b->freqs_bytes)))
            return false;
        docs += b->docs_bytes;
        freqs += b->freqs_bytes;
    }
    s->docs_bytes = (uint32_t)docs;
    s->freqs_bytes = (uint32_t)freqs;
    return docs <= list->docs_bytes && freqs <= list->freqs_bytes;
}

static void lay_out(rp__partial_list *s)
{
    uint64_t by_block = rp__bits_align(s->n * sizeof(uint32_t), ALIGN);
    uint64_t far = (s->n + RP_LIST_FAR - 1) / RP_LIST_FAR;
    s->last = 0;
    s->last_far = by_block;
    s->offsets = s->last_far + rp__bits_align(far * sizeof(uint32_t), ALIGN);
    s->freq_offsets = s->offsets + by_block;
    s->bounds = s->freq_offsets + by_block;
    s->docs = s->bounds + rp__bits_align(s->n, ALIGN);
    s->freqs = s->docs + rp__bits_align(s->docs_bytes, ALIGN);
    s->bytes = s->freqs + s->freqs_bytes + RP_PAD;
}

rp_status rp__partial_list_plan(rp__partial_list *s, const rp__list *list, bool has_freqs,
                                const uint32_t *docids, uint32_t n, rp__arena *arena)
{
    uint32_t limit = list->n_blocks / 2;
    *s = (rp__partial_list){.of = list, .has_freqs = has_freqs};
    s->blocks =
        rp__arena_array(arena, 2 * ((size_t)(n < limit ? n : limit) + 1), sizeof *s->blocks);
    if (!s->blocks)
        return RP_NO_MEMORY;
    if (!find_blocks(s, docids, n, limit))
        return RP_DAMAGED;
    if (s->n_needed > limit)
        return RP_NOT_FOUND;
    if (s->n == 0) /* none of them is in the list: one empty block says so too */
        s->blocks[s->n++] = (rp__partial_block){.number = NONE};
    if (!add_up(s))
        return RP_DAMAGED;
    lay_out(s);
    return RP_OK;
}

/* ---- Its bytes --------------------------------------------------------------------------------- */

/* An empty block ends where the next one's predecessor does; one alone is before all docids. */
static uint32_t last_of(const rp__partial_list *s, uint32_t i)
{
    if (s->blocks[i].number != NONE)
        return s->of->last[s->blocks[i].number];
    return i + 1 < s->n ? s->of->last[s->blocks[i + 1].number - 1] : 0;
}

static void fill_directory(const rp__partial_list *s, uint8_t *at)
{
    uint32_t *last = (uint32_t *)(void *)(at + s->last);
    uint32_t *last_far = (uint32_t *)(void *)(at + s->last_far);
    uint32_t *offsets = (uint32_t *)(void *)(at + s->offsets);
    uint32_t *freq_offsets = (uint32_t *)(void *)(at + s->freq_offsets);
    uint32_t docs = 0, freqs = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const rp__partial_block *b = &s->blocks[i];
        last_far[i / RP_LIST_FAR] = last[i] = last_of(s, i);
        offsets[i] = docs;
        freq_offsets[i] = freqs;
        at[s->bounds + i] = b->number == NONE ? 0 : s->of->bounds[b->number];
        docs += b->docs_bytes;
        freqs += b->freqs_bytes;
    }
}

static rp_status put_payload(const rp__partial_list *s, rp__uploader *uploader)
{
    static const uint8_t zeros[RP_PAD];
    rp_status status = RP_OK;
    for (uint32_t i = 0; status == RP_OK && i < s->n; i++)
        status =
            rp__uploader_put(uploader, s->of->docs + s->blocks[i].docs, s->blocks[i].docs_bytes);
    if (status == RP_OK)
        status = rp__uploader_put(uploader, zeros, s->freqs - s->docs - s->docs_bytes);
    for (uint32_t i = 0; status == RP_OK && i < s->n; i++)
        status =
            rp__uploader_put(uploader, s->of->freqs + s->blocks[i].freqs, s->blocks[i].freqs_bytes);
    return status == RP_OK ? rp__uploader_put(uploader, zeros, RP_PAD) : status;
}

/* All blocks count as full, but the list's last one. */
static uint32_t postings_in(const rp__partial_list *s)
{
    uint32_t b = s->blocks[s->n - 1].number;
    bool is_end = b != NONE && b + 1 == s->of->n_blocks;
    return (s->n - 1) * RP_BLOCK + (is_end ? s->of->n - b * RP_BLOCK : RP_BLOCK);
}

rp_status rp__partial_list_put(const rp__partial_list *s, rp__uploader *uploader, rp__cu_ptr to,
                               rp__arena *arena, karg_list *out)
{
    uint8_t *directory = rp__arena_zero(arena, s->docs, 1);
    if (!directory)
        return RP_NO_MEMORY;
    fill_directory(s, directory);
    rp__uploader_begin(uploader, to);
    rp_status status = rp__uploader_put(uploader, directory, s->docs);
    if (status == RP_OK)
        status = put_payload(s, uploader);
    if (status == RP_OK)
        status = rp__uploader_send(uploader);
    *out = (karg_list){.docs = to + s->docs,
                       .freqs = to + s->freqs,
                       .last = to + s->last,
                       .last_far = to + s->last_far,
                       .offsets = to + s->offsets,
                       .freq_offsets = to + s->freq_offsets,
                       .bounds = to + s->bounds,
                       .n = postings_in(s),
                       .n_blocks = s->n,
                       .universe = s->of->universe,
                       .docs_bytes = s->docs_bytes,
                       .freqs_bytes = s->freqs_bytes,
                       .codec = s->of->codec->id};
    return status;
}
