/* and.c: a flat AND of words, by small-versus-small, a block of documents at a time.
 *
 * Blocks of the shortest list are searched in the others, from short to long; what is left is scored. Once
 * k hits are known, and the total need not be exact, the shortest list is scored first: blocks whose bound
 * is too low are not decoded, and documents that the others cannot lift far enough are not searched for.
 * Where the two shortest lists are both bits, their words are taken together instead. */
#include "backend/cpu/cpu_run.h"

#include "backend/cpu/bitset.h"
#include "base/bits.h"
#include "base/cpu.h"
#include "base/error.h"

enum { WORDS = 64 }; /* of lists that are bits, taken at once */

typedef struct walk {
    rp__cpu_run *run;
    rp__part *first; /* the shortest list */
    uint64_t others; /* the most that all others contribute */
    bool prunes;
    rp__bitmap_view bits[2]; /* of the two shortest lists, where they are */
    rp__candidates *c;
} walk;

/* What the shortest list has to contribute for a document to enter; 0: anything, or nearly so. */
static uint32_t needed(const walk *w)
{
    const uint32_t share = 4; /* less than so much of what the list can contribute drops too few */
    uint64_t least = w->run->topk.least, most = w->first->most;
    return w->prunes && least > w->others + most / share ? (uint32_t)(least - w->others) : 0;
}

/* The next block of the shortest list that may hold a hit, decoded. False: there is none. */
static bool find_block(walk *w)
{
    rp__reader *reader = w->first->reader;
    const rp__list *list = &reader->list;
    uint32_t bound = rp__score_bound_for(w->first->score, needed(w));
    uint32_t b = reader->cursor.block;
    if (rp__reader_docid(reader) >= w->run->query->end)
        return false;
    if (!list->bounds || !list->last || bound == 0)
        return true;
    while (b < list->n_blocks && list->bounds[b] < bound)
        b++;
    if (b > reader->cursor.block) {
        w->run->is_pruned = true;
        if (b == list->n_blocks)
            return false;
        rp__reader_next_geq(reader, list->last[b - 1] + 1);
    }
    return rp__reader_docid(reader) < w->run->query->end;
}

/* Hits among a run of postings of the shortest list, which start at rank `first`. With their frequencies: they
 * are scored at once, and those that contribute less than `need` dropped. */
static rp_status take_postings(walk *w, const uint32_t *docids, const uint32_t *tfs, uint32_t n,
                               uint32_t first, uint32_t need)
{
    rp__cpu_run *run = w->run;
    rp__candidates *c = w->c;
    rp_status status = RP_OK;
    rp__candidates_fill(c, docids, n);
    if (tfs && n > 0) {
        rp__candidates_set(c, w->first, tfs);
        rp__candidates_cut(c, run->kernel, need);
        run->is_pruned |= c->n < n;
    }
    for (size_t i = 1; i < run->n_parts && c->n > 0 && status == RP_OK; i++)
        status = rp__candidates_add(c, run, &run->parts[i], true);
    if (status == RP_OK && c->n > 0 && run->query->k > 0 && !tfs)
        status = rp__candidates_score(c, run, w->first, first);
    if (status == RP_OK)
        rp__candidates_hit(c, run);
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
static bool are_bits(walk *w)
{
    const rp__cpu_run *run = w->run;
    return run->n_parts > 1 && !w->prunes && run->query->begin % 64 == 0 &&
           rp__bitmap_bits(&run->parts[0].reader->list, &w->bits[0]) &&
           rp__bitmap_bits(&run->parts[1].reader->list, &w->bits[1]);
}

/* ---- The run --------------------------------------------------------------------------------- */

static rp_status open_walk(walk *w)
{
    rp__cpu_run *run = w->run;
    rp_status status = rp__part_list(run);
    for (size_t i = 1; i < run->n_parts && status == RP_OK; i++) {
        w->others += run->parts[i].most;
        status = rp__part_probe(run, &run->parts[i], run->parts[0].reader->list.n);
    }
    if (status != RP_OK)
        return status;
    w->first = &run->parts[0];
    w->prunes = run->query->k > 0 && !run->query->exact_total;
    return RP_OK;
}

static rp_status run_and(rp__cpu_run *run)
{
    rp__candidates c; /* which is too large to be cleared */
    walk w = {.run = run, .c = &c};
    rp_status status = open_walk(&w);
    if (status == RP_OK && are_bits(&w)) {
        run->read = w.first->reader->list.n;
        for (size_t i = 0; i < 2; i++)
            run->parts[i].reader->cursor.n_read = run->parts[i].reader->list.n_blocks;
        status = rp__part_probe(run, w.first, w.first->reader->list.n);
        return status == RP_OK ? run_bits(&w) : status;
    }
    if (status == RP_OK)
        rp__reader_start(w.first->reader, run->query->begin);
    while (status == RP_OK && find_block(&w)) {
        rp__reader *reader = w.first->reader;
        const uint32_t *docids, *tfs = NULL;
        uint32_t need = needed(&w), first = rp__cursor_rank(&reader->cursor);
        uint32_t n = rp__reader_postings(reader, run->query->end, &docids, need ? &tfs : NULL);
        status = take_postings(&w, docids, tfs, n, first, need);
        if (n > 0)
            rp__reader_skip(reader, n);
        if (status == RP_OK)
            status = rp__cpu_run_check(run);
        rp__cpu_run_share(run);
    }
    return status;
}

const rp__algorithm rp__and_row = {"and", false, rp__algorithm_is_and, run_and};
