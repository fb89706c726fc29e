/* and.c: a flat AND of words, by small-versus-small, a block of documents at a time.
 *
 * Blocks of the shortest list are searched in the others, from short to long; what is left is scored, or only
 * counted. A list is opened when the first candidate reaches it. Once k hits are known, and the total need not be exact,
 * bounds are looked at: those of the blocks of all lists that the documents of a block of the shortest list
 * may be in. A block whose sum is too low is not decoded; and after every list candidates are dropped that
 * the lists left cannot lift far enough.
 * Where the two shortest lists are both bits, their words are taken together instead. */
#include "backend/cpu/cpu_run.h"

#include "backend/cpu/bitset.h"
#include "backend/cpu/probe_block.h"
#include "base/bits.h"
#include "base/cpu.h"
#include "base/error.h"

enum { WORDS = 64 }; /* of lists that are bits, taken at once */

typedef struct walk {
    rp__cpu_run *run;
    rp__part *first; /* the shortest list */
    bool prunes;
    uint64_t *
        rest; /* rest[i]: the most that parts after i contribute together, to documents of a block of
                       the first; NULL: not known yet */
    rp__bitmap_view bits[2];     /* of the two shortest lists, where they are */
    uint32_t (*ranks)[RP_BLOCK]; /* by part: of candidates, by their slots */
    rp__candidates *c;
} walk;

/* ---- Lists, opened as they are needed -------------------------------------------------------- */

static rp_status open_probe(walk *w, size_t i)
{
    rp__cpu_run *run = w->run;
    rp__part *part = &run->parts[i];
    rp_status status = part->is_open ? RP_OK : rp__part_open(run, part);
    return status == RP_OK ? rp__part_probe(run, part, w->first->reader->list.n) : status;
}

/* Once pruning may pay: what each list contributes at most. */
static rp_status find_bounds(walk *w)
{
    rp__cpu_run *run = w->run;
    rp_status status = RP_OK;
    if (w->rest || !w->prunes || run->topk.least == 0)
        return RP_OK;
    w->rest = rp__arena_array(run->arena, run->n_parts, sizeof *w->rest);
    if (!w->rest)
        return rp__error_no_memory(run->err);
    for (size_t i = 0; i < run->n_parts && status == RP_OK; i++) {
        status = i == 0 || run->parts[i].probe ? RP_OK : open_probe(w, i);
        if (status == RP_OK)
            rp__part_bound(run, &run->parts[i]);
        run->parts[i].here = run->parts[i].most;
    }
    return status;
}

/* ---- Bounds ---------------------------------------------------------------------------------- */

static void sum_rest(const walk *w)
{
    uint64_t sum = 0;
    for (size_t i = w->run->n_parts; i-- > 0; sum += w->run->parts[i].here)
        w->rest[i] = sum;
}

/* What the blocks of a part that documents of [begin, last] may be in allow. */
static void bound_part(const rp__cpu_run *run, rp__part *part, uint32_t begin, uint32_t last)
{
    const rp__list *list = &part->reader->list;
    part->here = part->most;
    if (!list->bounds || !list->last)
        return;
    part->block = rp__probe_block_seek(list, part->block, begin);
    part->here = 0;
    if (part->block == list->n_blocks)
        return;
    uint32_t to = rp__probe_block_seek(list, part->block, last);
    to = to < list->n_blocks ? to + 1 : to;
    part->here = rp__score_bound(
        part->score, run->kernel->max_byte(list->bounds + part->block, to - part->block));
}

/* Whether block b of the shortest list may hold a hit; then w->rest is of its documents. */
static bool may_hold(const walk *w, uint32_t b)
{
    const rp__cpu_run *run = w->run;
    const rp__list *list = &w->first->reader->list;
    w->first->here = rp__score_bound(w->first->score, list->bounds[b]);
    for (size_t i = 1; i < run->n_parts; i++)
        bound_part(run, &run->parts[i], b ? list->last[b - 1] + 1 : 0, list->last[b]);
    sum_rest(w);
    return w->rest[0] + w->first->here >= run->topk.least;
}

/* What the shortest list has to contribute for a document to enter; 0: anything, or nearly so. */
static uint32_t needed(const walk *w)
{
    const uint32_t share = 4; /* less than so much of what the list can contribute drops too few */
    if (!w->rest)
        return 0;
    uint64_t least = w->run->topk.least, rest = w->rest[0];
    return least > rest + w->first->here / share ? (uint32_t)(least - rest) : 0;
}

/* The first block from b on that may hold a hit, by bounds; n_blocks: there is none. */
static uint32_t pass_blocks(const walk *w, uint32_t b)
{
    const rp__list *list = &w->first->reader->list;
    for (size_t i = 1; i < w->run->n_parts; i++)
        w->run->parts[i].here = w->run->parts[i].most;
    sum_rest(w);
    const uint64_t least = w->run->topk.least, rest = w->rest[0];
    const uint32_t bound =
        rp__score_bound_for(w->first->score, least > rest ? (uint32_t)(least - rest) : 0);
    while (b < list->n_blocks && (list->bounds[b] < bound || !may_hold(w, b)))
        b++;
    return b;
}

/* The next block of the shortest list that may hold a hit, decoded. False: there is none. */
static bool find_block(walk *w)
{
    rp__reader *reader = w->first->reader;
    const rp__list *list = &reader->list;
    if (rp__reader_docid(reader) >= w->run->query->end)
        return false;
    if (!w->rest)
        return true;
    if (!list->bounds || !list->last) {
        sum_rest(w);
        return true;
    }
    const uint32_t b = pass_blocks(w, reader->cursor.block);
    if (b > reader->cursor.block) {
        w->run->is_pruned = true;
        if (b == list->n_blocks)
            return false;
        rp__reader_next_geq(reader, list->last[b - 1] + 1);
    }
    return rp__reader_docid(reader) < w->run->query->end;
}

/* ---- Candidates ------------------------------------------------------------------------------ */

/* Drops those that the parts after i, and `more`, cannot lift into the k best. */
static void cut(walk *w, size_t i, uint32_t more)
{
    const uint32_t n = w->c->n;
    const uint64_t rest = w->rest ? w->rest[i] + more : UINT64_MAX;
    if (w->run->topk.least > rest)
        rp__candidates_cut(w->c, w->run->kernel, (uint32_t)(w->run->topk.least - rest));
    w->run->is_pruned |= w->c->n < n;
}

/* Hits among a run of postings of the shortest list, which start at rank `first`. With their frequencies: they
 * are scored at once; else last. Candidates that cannot enter are dropped after every list. */
static rp_status take_postings(walk *w, const uint32_t *docids, const uint32_t *tfs, uint32_t n,
                               uint32_t first)
{
    rp__cpu_run *run = w->run;
    rp__candidates *c = w->c;
    rp_status status = RP_OK;
    rp__candidates_fill(c, docids, n);
    if (tfs && n > 0) {
        rp__candidates_set(c, w->first, tfs);
        cut(w, 0, 0);
    }
    for (size_t i = 1; i < run->n_parts && c->n > 0 && status == RP_OK; i++) {
        status = run->parts[i].probe ? RP_OK : open_probe(w, i);
        if (status == RP_OK)
            status = rp__candidates_add(c, run, &run->parts[i], true);
        if (c->n > 0)
            cut(w, i, tfs ? 0 : w->first->here);
    }
    if (status == RP_OK && c->n > 0 && !tfs)
        status = rp__candidates_score(c, run, w->first, first);
    if (status == RP_OK)
        rp__candidates_hit(c, run);
    return status;
}

/* The same while nothing is pruned: most candidates fail in the lists that follow, so that frequencies are read for
 * those alone that are in all lists. */
static rp_status take_all(walk *w, const uint32_t *docids, uint32_t n, uint32_t first)
{
    rp__cpu_run *run = w->run;
    rp__candidates *c = w->c;
    rp_status status = RP_OK;
    if (!w->ranks)
        w->ranks = rp__arena_array(run->arena, run->n_parts, sizeof *w->ranks);
    if (!w->ranks)
        return rp__error_no_memory(run->err);
    rp__candidates_fill(c, docids, n);
    for (size_t i = 1; i < run->n_parts && c->n > 0 && status == RP_OK; i++) {
        status = run->parts[i].probe ? RP_OK : open_probe(w, i);
        if (status == RP_OK)
            rp__candidates_place(c, &run->parts[i], w->ranks[i]);
    }
    for (size_t i = 1; i < run->n_parts && c->n > 0 && status == RP_OK; i++)
        status = rp__candidates_score_at(c, run, &run->parts[i], w->ranks[i]);
    if (status == RP_OK && c->n > 0)
        status = rp__candidates_score(c, run, w->first, first);
    if (status == RP_OK)
        rp__candidates_hit(c, run);
    return status;
}

/* How many of a run of postings of the shortest list are in all others. */
static rp_status count_postings(walk *w, const uint32_t *docids, uint32_t n)
{
    rp__cpu_run *run = w->run;
    rp__candidates *c = w->c;
    rp_status status = RP_OK;
    for (size_t i = 1; i < run->n_parts && n > 0 && status == RP_OK; i++) {
        status = run->parts[i].probe ? RP_OK : open_probe(w, i);
        n = status == RP_OK ? rp__probe_find(run->parts[i].probe, docids, n, c->kept, NULL) : 0;
        for (uint32_t j = 0; i + 1 < run->n_parts && j < n; j++)
            c->docids[j] = docids[c->kept[j]];
        docids = c->docids;
    }
    run->total += n;
    return status;
}

/* ---- Lists that are bits --------------------------------------------------------------------- */

/* Documents of the first two lists: what all lists say of them. */
static rp_status take_both(walk *w)
{
    rp__cpu_run *run = w->run;
    rp_status status = RP_OK;
    for (size_t i = run->query->k ? 0 : 2; i < run->n_parts && w->c->n > 0 && status == RP_OK; i++)
        status = rp__candidates_add(w->c, run, &run->parts[i], true);
    if (status == RP_OK)
        rp__candidates_hit(w->c, run);
    w->c->n = 0;
    return status;
}

/* The documents of n words from docid `base` on, up to the end of those asked about. */
static rp_status take_words(walk *w, const uint64_t *set, uint32_t n, uint32_t base)
{
    uint32_t docids[RP_BLOCK], m = 0, end = w->run->query->end;
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < n && status == RP_OK; i++) {
        for (uint64_t word = set[i]; word; word &= word - 1) {
            docids[m] = base + 64 * i + rp__bits_lowest64(word);
            m += docids[m] < end;
        }
        if (m > RP_BLOCK - 64 || i + 1 == n) {
            rp__candidates_fill(w->c, docids, m);
            status = take_both(w);
            m = 0;
        }
    }
    return status;
}

static rp_status run_bits(walk *w)
{
    const rp__query *query = w->run->query;
    const rp__bitmap_view *a = &w->bits[0], *b = &w->bits[1];
    const rp__bitset_kernel *kernel = rp__bitset_find(rp__cpu_features());
    uint64_t ends[] = {a->base + 64 * (uint64_t)a->n_words, b->base + 64 * (uint64_t)b->n_words};
    uint64_t end = ends[0] < ends[1] ? ends[0] : ends[1],
             base = a->base > b->base ? a->base : b->base;
    uint64_t set[WORDS];
    rp_status status = RP_OK;
    end = end < query->end ? end : query->end;
    base = base > query->begin ? base : query->begin;
    for (; base < end && status == RP_OK; base += 64 * WORDS) {
        uint32_t n = end - base > 64 * WORDS ? WORDS : (uint32_t)((end - base + 63) / 64);
        uint64_t count =
            kernel->meet(set, a->words + (base - a->base) / 8, b->words + (base - b->base) / 8, n);
        bool is_all = query->k == 0 && w->run->n_parts == 2 && base + 64 * n <= query->end;
        if (is_all)
            w->run->total += count;
        else if (count > 0)
            status = take_words(w, set, n, (uint32_t)base);
        if (status == RP_OK)
            status = rp__cpu_run_check(w->run);
    }
    return status;
}

/* Whether that suits: a word begins with the first document asked about. */
static rp_status look_for_bits(walk *w, bool *are_bits)
{
    const rp__cpu_run *run = w->run;
    *are_bits = run->n_parts > 1 && !w->prunes && run->query->begin % 64 == 0 &&
                rp__bitmap_bits(&run->parts[0].reader->list, &w->bits[0]);
    rp_status status = *are_bits ? open_probe(w, 1) : RP_OK;
    *are_bits =
        status == RP_OK && *are_bits && rp__bitmap_bits(&run->parts[1].reader->list, &w->bits[1]);
    return status;
}

/* ---- The run --------------------------------------------------------------------------------- */

static rp_status open_walk(walk *w)
{
    rp__cpu_run *run = w->run;
    rp_status status = rp__part_list(run);
    if (status != RP_OK)
        return status;
    w->first = &run->parts[0];
    w->prunes = run->query->k > 0 && !run->query->exact_total;
    return rp__part_open(run, w->first);
}

static rp_status open_all_probes(walk *w)
{
    rp_status status = RP_OK;
    for (size_t i = 0; i < w->run->n_parts && status == RP_OK; i++)
        status = w->run->parts[i].probe ? RP_OK : open_probe(w, i);
    return status;
}

/* Block by block of the shortest list. */
static rp_status run_blocks(walk *w)
{
    rp__cpu_run *run = w->run;
    rp__reader *reader = w->first->reader;
    rp_status status = RP_OK;
    rp__reader_start(reader, run->query->begin);
    while (status == RP_OK && find_block(w)) {
        const uint32_t *docids, *tfs = NULL;
        uint32_t first = rp__cursor_rank(&reader->cursor);
        uint32_t n = rp__reader_postings(reader, run->query->end, &docids, needed(w) ? &tfs : NULL);
        status = run->query->k == 0 ? count_postings(w, docids, n)
                 : w->rest          ? take_postings(w, docids, tfs, n, first)
                                    : take_all(w, docids, n, first);
        if (n > 0)
            rp__reader_skip(reader, n);
        if (status == RP_OK)
            status = rp__cpu_run_check(run);
        rp__cpu_run_share(run);
        if (status == RP_OK && rp__reader_docid(reader) < run->query->end)
            status = find_bounds(w);
    }
    return status;
}

static rp_status run_and(rp__cpu_run *run)
{
    rp__candidates c; /* which is too large to be cleared */
    walk w = {.run = run, .c = &c};
    bool are_bits = false;
    rp_status status = open_walk(&w);
    if (status == RP_OK)
        status = look_for_bits(&w, &are_bits);
    if (status == RP_OK && are_bits) {
        run->read = w.first->reader->list.n;
        status = open_all_probes(&w);
        for (size_t i = 0; status == RP_OK && i < 2; i++)
            run->parts[i].reader->cursor.n_read = run->parts[i].reader->list.n_blocks;
        return status == RP_OK ? run_bits(&w) : status;
    }
    return status == RP_OK ? run_blocks(&w) : status;
}

const rp__algorithm rp__and_row = {"and", false, rp__algorithm_is_and, run_and, .is_lazy = true};
