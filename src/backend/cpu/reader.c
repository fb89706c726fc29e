/* reader.c: one word's postings as runs of docids with their frequencies.
 *
 * A run lies inside one block of the codec and one frame of frequencies, so that scoring loops see
 * two plain arrays. It does not score and does not know of groups. */
#include "backend/cpu/cpu_run.h"

void rp__reader_init(rp__reader *reader, const rp__word *word)
{
    reader->word = word;
    reader->positions.segment = NULL;
    reader->list = (rp__list){.n = 0};
    reader->cursor.docid = RP_NO_DOC;
    reader->cursor.status = RP_OK;
    reader->cursor.decoded = 0;
    reader->cursor.n_read = 0;
    reader->cursor.frame = UINT32_MAX;
}

rp_status rp__reader_open(rp__reader *reader, const rp__query *query, rp__arena *arena)
{
    const rp__term *term = &reader->word->term;
    return term->df ? rp__segment_list(query->segment, term, arena, &reader->list) : RP_OK;
}

void rp__reader_start(rp__reader *reader, uint32_t docid)
{
    if (reader->list.n == 0)
        return;
    rp__cursor_open(&reader->cursor, &reader->list);
    rp__reader_next_geq(reader, docid);
}

rp_status rp__reader_open_positions(rp__reader *reader, const rp__query *query, rp__arena *arena)
{
    return rp__positions_open(&reader->positions, query->segment, &reader->word->term,
                              &reader->list, arena);
}

static uint32_t count_below(const uint32_t *docids, uint32_t n, uint32_t end)
{
    if (docids[n - 1] < end)
        return n;
    uint32_t low = 0, high = n - 1; /* docids[high] >= end */
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (docids[middle] < end)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The frequencies from the current posting on, and how many lie in its frame. */
static const uint32_t *view_tfs(rp__cursor *c, uint32_t *n)
{
    uint32_t rank = rp__cursor_rank(c);
    if (!c->list->codec)
        return c->list->tfs + rank;
    (void)rp__cursor_tf(c); /* decodes the frame */
    uint32_t slot = rank % RP_BLOCK;
    if (*n > RP_BLOCK - slot)
        *n = RP_BLOCK - slot;
    return c->tfs + slot;
}

uint32_t rp__reader_postings(rp__reader *reader, uint32_t end, const uint32_t **docids,
                             const uint32_t **tfs)
{
    rp__cursor *c = &reader->cursor;
    if (c->docid >= end)
        return 0;
    uint32_t n = rp__cursor_block(c, docids);
    if (n > RP_BLOCK)
        n = RP_BLOCK;
    n = count_below(*docids, n, end);
    if (tfs)
        *tfs = view_tfs(c, &n);
    return c->status == RP_OK ? n : 0;
}

/* Decoding a frame costs as much as looking at so many postings one by one. */
enum { RANKS_A_FRAME = 4 };

rp_status rp__reader_tfs(rp__reader *reader, const uint32_t *ranks, uint32_t n, uint32_t *tfs)
{
    const rp__list *list = &reader->list;
    rp__cursor *c = &reader->cursor;
    uint32_t i = 0;
    for (; !list->codec && i < n; i++)
        tfs[i] = list->tfs[ranks[i]];
    while (i < n) {
        uint32_t frame = ranks[i] / RP_BLOCK, end = i + 1;
        while (end < n && ranks[end] / RP_BLOCK == frame)
            end++;
        bool is_decoded = frame == c->frame;
        if (!is_decoded && end - i >= RANKS_A_FRAME) {
            if (rp__list_freqs(list, frame, c->tfs))
                return RP_DAMAGED;
            c->frame = frame;
            is_decoded = true;
        }
        for (; i < end; i++) {
            if (is_decoded)
                tfs[i] = c->tfs[ranks[i] % RP_BLOCK];
            else if (rp__list_tf(list, ranks[i], &tfs[i]))
                return RP_DAMAGED;
        }
    }
    return RP_OK;
}

void rp__reader_skip(rp__reader *reader, uint32_t n)
{
    rp__cursor *c = &reader->cursor;
    const uint32_t *docids;
    if (n < rp__cursor_block(c, &docids))
        rp__cursor_next_geq(c, docids[n]);
    else
        rp__cursor_next_block(c);
}
