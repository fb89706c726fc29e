/* topk.c: the k best of any number of scored documents, by a heap in the caller's memory.
 *
 * The worst document kept lies at at[0]. Better means a higher score or, at the same score, a smaller
 * docid; that order is total, so the outcome does not depend on the order of pushes. */
#include "rank/rank.h"

static bool is_worse(rp__scored a, rp__scored b)
{
    return a.fixed != b.fixed ? a.fixed < b.fixed : a.docid > b.docid;
}

void rp__topk_init(rp__topk *topk, rp__scored *room, size_t k)
{
    *topk = (rp__topk){.at = room, .k = k};
}

static void sift_up(rp__scored *at, size_t i, rp__scored item)
{
    for (size_t parent; i > 0 && is_worse(item, at[parent = (i - 1) / 2]); i = parent)
        at[i] = at[parent];
    at[i] = item;
}

static void sift_down(rp__scored *at, size_t n, rp__scored item)
{
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && is_worse(at[child + 1], at[child]))
            child++;
        if (!is_worse(at[child], item))
            break;
        at[i] = at[child];
    }
    at[i] = item;
}

void rp__topk_push(rp__topk *topk, uint32_t fixed, uint32_t docid)
{
    rp__scored item = {fixed, docid};
    if (topk->n < topk->k)
        sift_up(topk->at, topk->n++, item);
    else if (topk->k > 0 && is_worse(topk->at[0], item))
        sift_down(topk->at, topk->n, item);
    if (topk->n == topk->k && topk->k > 0)
        topk->threshold = topk->at[0].fixed;
}

void rp__topk_finish(rp__topk *topk)
{
    for (size_t n = topk->n; n > 1; n--) {
        rp__scored worst = topk->at[0];
        sift_down(topk->at, n - 1, topk->at[n - 1]);
        topk->at[n - 1] = worst;
    }
}
