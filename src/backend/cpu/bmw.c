/* bmw.c: a flat OR of words, document at a time, by the bounds of lists and of their blocks.
 *
 * As wand.c, but before lists are brought to the pivot's document, the bounds of the blocks that would hold
 * it are added up; where they do not reach, all documents up to the first end of these blocks are passed
 * over. Blocks are looked at by the directory of last docids; readers do not move for it.
 * Source: Ding and Suel 2011, Faster top-k document retrieval using block-max indexes. */
#include "backend/cpu/wand.h"

/* The first block from b on that ends at docid or after it; n_blocks: there is none. Doubles its steps, then
 * halves. */
static uint32_t find_block(const rp__list *list, uint32_t b, uint32_t docid)
{
    const uint32_t *last = list->last;
    uint32_t n = list->n_blocks, low = b, high = b, step = 1;
    while (high < n && last[high] < docid) {
        low = high + 1;
        high = n - high > step ? high + step : n;
        step *= 2;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (last[middle] < docid)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Looks at the block that would hold docid; a list without a directory is one block. */
static void look_at(rp__wand_list *list, uint32_t docid)
{
    const rp__list *l = &list->reader->list;
    if (!l->last) {
        list->block_end = RP_NO_DOC;
        list->block_bound = list->bound;
        return;
    }
    list->block = find_block(l, list->block, docid);
    bool is_past = list->block == l->n_blocks;
    list->block_end = is_past ? RP_NO_DOC : l->last[list->block];
    list->block_bound = is_past ? 0 : rp__score_bound(list->score, l->bounds[list->block]);
}

/* What the first n lists can have together at docid. */
static uint64_t sum_blocks(rp__wand *w, size_t n, uint32_t docid)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        rp__wand_list *list = w->order[i];
        if (list->block_end < docid)
            look_at(list, docid);
        sum += list->block_bound;
    }
    return sum;
}

/* No document of these blocks, which are those of the first n lists, can enter: the list with the largest
 * bound goes on past the end of the first, or to where a further list begins. */
static void pass_blocks(rp__wand *w, size_t n)
{
    uint32_t end = n < w->n ? w->order[n]->docid - 1 : RP_NO_DOC - 1;
    size_t best = 0;
    for (size_t i = 0; i < n; i++) {
        end = w->order[i]->block_end < end ? w->order[i]->block_end : end;
        best = w->order[i]->bound > w->order[best]->bound ? i : best;
    }
    rp__wand_move(w, best, end + 1);
}

/* The first n lists stand on one document; what they can have, block by block, is replaced by what they
 * have. */
static void take_document(rp__wand *w, size_t n, uint64_t bound)
{
    uint32_t fixed = 0;
    for (size_t i = 0; i < n && bound >= w->run->topk.least; i++) {
        uint32_t one = rp__wand_score(w->order[i]);
        bound = bound - w->order[i]->block_bound + one;
        fixed += one;
    }
    if (bound >= w->run->topk.least)
        rp__cpu_run_hit(w->run, fixed, w->order[0]->docid);
    w->run->total++;
    rp__wand_pass(w);
}

static void step(rp__wand *w, size_t pivot)
{
    uint32_t docid = w->order[pivot]->docid;
    size_t n = pivot + 1;
    while (n < w->n && w->order[n]->docid == docid)
        n++;
    uint64_t bound = sum_blocks(w, n, docid);
    if (bound < w->run->topk.least)
        pass_blocks(w, n);
    else if (w->order[0]->docid == docid)
        take_document(w, n, bound);
    else
        rp__wand_gather(w, pivot);
}

static rp_status run_bmw(rp__cpu_run *run)
{
    const uint32_t steps_between_checks = 1024;
    rp__wand w;
    rp_status status = rp__wand_open(&w, run);
    for (size_t i = 0; status == RP_OK && i < w.n; i++)
        look_at(w.order[i], w.order[i]->docid);
    size_t pivot;
    for (uint32_t steps = 1; status == RP_OK && (pivot = rp__wand_pivot(&w)) < w.n; steps++) {
        step(&w, pivot);
        if (steps % steps_between_checks)
            continue;
        rp__cpu_run_share(run);
        status = rp__cpu_run_check(run);
    }
    return status;
}

const rp__algorithm rp__bmw_row = {"bmw", true, rp__algorithm_is_or, run_bmw, false};
