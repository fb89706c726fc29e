/* topk.c: the k best of any number of scored documents, in the caller's memory.
 *
 * Better means a higher score or, at the same score, a smaller docid; that order is total, so the outcome
 * does not depend on the order of pushes. A small k is a heap, the worst document kept at at[0]. A large k
 * would pay for sifting: there documents are appended, and whenever twice k stand there the worse half
 * goes, found by partitioning; so a push costs a few steps whatever k is. */
#include "rank/rank.h"

#include <string.h>

enum { HEAP_MOST = 64 }; /* the largest k that is a heap */

static bool is_worse(rp__scored a, rp__scored b)
{
    return a.fixed != b.fixed ? a.fixed < b.fixed : a.docid > b.docid;
}

size_t rp__topk_room(size_t k)
{
    return k > HEAP_MOST ? 2 * k : k;
}

void rp__topk_init(rp__topk *topk, rp__scored *room, size_t k)
{
    *topk = (rp__topk){.at = room, .k = k, .least = k ? 0 : UINT32_MAX};
}

/* ---- Heaps ----------------------------------------------------------------------------------- */

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

/* A document of the worst score kept may still enter, by its docid. */
static void push_heap(rp__topk *topk, rp__scored item)
{
    if (topk->n < topk->k)
        sift_up(topk->at, topk->n++, item);
    else if (topk->k > 0 && is_worse(topk->at[0], item))
        sift_down(topk->at, topk->n, item);
    if (topk->n == topk->k && topk->k > 0)
        rp__topk_raise(topk, topk->at[0].fixed);
}

/* ---- Large k --------------------------------------------------------------------------------- */

static void swap(rp__scored *a, rp__scored *b)
{
    rp__scored t = *a;
    *a = *b;
    *b = t;
}

/* The middle one of three, so that documents in order do no harm. */
static rp__scored pivot_of(const rp__scored *at, size_t n)
{
    rp__scored a = at[0], b = at[n / 2], c = at[n - 1];
    if (is_worse(a, b))
        return is_worse(b, c) ? b : is_worse(a, c) ? c : a;
    return is_worse(a, c) ? a : is_worse(b, c) ? c : b;
}

/* Moves the k best of n to the front. */
static void select_best(rp__scored *at, ptrdiff_t n, ptrdiff_t k)
{
    ptrdiff_t begin = 0, end = n;
    while (end - begin > 1) {
        rp__scored pivot = pivot_of(at + begin, (size_t)(end - begin));
        ptrdiff_t i = begin, j = end - 1;
        while (i <= j) {
            while (is_worse(pivot, at[i]))
                i++;
            while (is_worse(at[j], pivot))
                j--;
            if (i <= j)
                swap(&at[i++], &at[j--]);
        }
        if (k <= j + 1)
            end = j + 1;
        else if (k > i)
            begin = i;
        else
            return;
    }
}

static void drop_worse(rp__topk *topk)
{
    select_best(topk->at, (ptrdiff_t)topk->n, (ptrdiff_t)topk->k);
    topk->n = topk->k;
    rp__scored worst = topk->at[0];
    for (size_t i = 1; i < topk->k; i++)
        worst = is_worse(topk->at[i], worst) ? topk->at[i] : worst;
    rp__topk_raise(topk, worst.fixed);
}

static void push_large(rp__topk *topk, rp__scored item)
{
    if (item.fixed < topk->least)
        return;
    topk->at[topk->n++] = item;
    if (topk->n == 2 * topk->k)
        drop_worse(topk);
}

/* ---- Either ---------------------------------------------------------------------------------- */

void rp__topk_push(rp__topk *topk, uint32_t fixed, uint32_t docid)
{
    if (topk->k > HEAP_MOST)
        push_large(topk, (rp__scored){fixed, docid});
    else
        push_heap(topk, (rp__scored){fixed, docid});
}

static void sort_heap(rp__scored *at, size_t n)
{
    for (size_t end = n; end > 1; end--) {
        rp__scored worst = at[0];
        sift_down(at, end - 1, at[end - 1]);
        at[end - 1] = worst;
    }
}

/* Best first means falling keys. */
static uint32_t digit_of(rp__scored item, uint32_t pass)
{
    uint32_t rising = pass < 4 ? item.docid : ~item.fixed;
    return rising >> 8 * (pass % 4) & 255;
}

/* Digit by digit, the lowest first, by way of the other half of the room. */
static void sort_large(rp__scored *at, rp__scored *other, size_t n)
{
    for (uint32_t pass = 0; pass < 8; pass++) {
        size_t begins[256] = {0}, sum = 0;
        for (size_t i = 0; i < n; i++)
            begins[digit_of(at[i], pass)]++;
        if (n == 0 || begins[digit_of(at[0], pass)] == n)
            continue;
        for (size_t d = 0; d < 256; d++) {
            size_t count = begins[d];
            begins[d] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++)
            other[begins[digit_of(at[i], pass)]++] = at[i];
        memcpy(at, other, n * sizeof *at);
    }
}

void rp__topk_finish(rp__topk *topk)
{
    if (topk->k <= HEAP_MOST) {
        sort_heap(topk->at, topk->n);
        return;
    }
    if (topk->n > topk->k)
        drop_worse(topk);
    sort_large(topk->at, topk->at + topk->k, topk->n);
}
