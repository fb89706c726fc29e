/* iiu_partition.c: the cheapest cut of a list into blocks of one width each: the dynamic programme
 * of IIU (Heo et al. 2020, 3.2), C(i) = min over j of C(j) + w(j, i) * (i - j) + 96, exactly, without
 * looking at every j.
 *
 * Seen from i, the width w(j, i) of a block that starts at j falls by steps as j comes nearer: a
 * staircase. On one stair the width w is the same, so of j < k the later one wins where C(k) - w*k <=
 * C(j) - w*j; and as widths only grow with i, it then wins for good and j is dropped. What is left on
 * a stair rises in C - w*j from left to right, so its first start is its best: one look a stair.
 * A start moves to a wider stair at most 64 times, in practice a few; nothing depends on max_size.
 *
 * Costs are kept modulo 2^32: those compared lie within max_size postings of each other. */
#include "codec/iiu_partition.h"

#include <string.h>

#include "base/bits.h"

enum { MOST_STAIRS = 2 * 33 + 2 }; /* each step down lowers one of two widths of 0 to 32 */

typedef struct start {
    uint32_t at, cost; /* a block may start at posting `at`; bits of the best cut before it */
} start;

typedef struct stair {
    uint32_t from, gap, tf; /* its first start; the widths of a block from there to here */
} stair;

typedef struct staircase {
    start *starts; /* head to tail, by `at` */
    uint32_t head, tail, capacity, n_stairs;
    stair stairs[MOST_STAIRS];
} staircase;

size_t rp__iiu_partition_scratch(size_t n, uint32_t max_size)
{
    return n + 2 * (2 * (size_t)max_size + 2);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Adds s to the stair of starts [floor, *tail) and width w, dropping those that it beats for good. */
static inline void add_start(start *starts, uint32_t floor, uint32_t *tail, uint32_t w, start s)
{
    uint32_t key = s.cost - w * s.at;
    while (*tail > floor) {
        start top = starts[*tail - 1];
        if ((int32_t)(top.cost - w * top.at - key) < 0)
            break;
        (*tail)--;
    }
    starts[(*tail)++] = s;
}

/* A posting of these widths joins every block: stairs that are narrower rise, and meet. */
static void raise_stairs(staircase *c, uint32_t gap, uint32_t tf)
{
    uint32_t k = c->n_stairs;
    while (k > 0 && (c->stairs[k - 1].gap < gap || c->stairs[k - 1].tf < tf))
        k--;
    if (k == c->n_stairs)
        return;
    uint32_t read = c->stairs[k].from, n_stairs = k, old_tail = c->tail;
    c->tail = read;
    for (; k < c->n_stairs; k++) {
        uint32_t end = k + 1 < c->n_stairs ? c->stairs[k + 1].from : old_tail;
        stair now = {c->tail, larger(c->stairs[k].gap, gap), larger(c->stairs[k].tf, tf)};
        const stair *below = n_stairs ? &c->stairs[n_stairs - 1] : NULL;
        if (below && below->gap == now.gap && below->tf == now.tf)
            now = *below;
        else
            c->stairs[n_stairs++] = now;
        for (; read < end; read++)
            add_start(c->starts, now.from, &c->tail, now.gap + now.tf, c->starts[read]);
    }
    c->n_stairs = n_stairs;
}

/* Starts before `first` are too far back; at most one is. */
static void drop_far(staircase *c, uint32_t first)
{
    if (c->head == c->tail || c->starts[c->head].at >= first)
        return;
    c->head++;
    uint32_t end = c->n_stairs > 1 ? c->stairs[1].from : c->tail;
    if (c->head == end)
        memmove(c->stairs, c->stairs + 1, --c->n_stairs * sizeof *c->stairs);
    else
        c->stairs[0].from = c->head;
}

/* The next block may start at s, with a posting of these widths. Where its gap counts, the stair
 * before may have the same ones. */
static void push_start(staircase *c, start s, uint32_t gap, uint32_t tf)
{
    if (c->tail == c->capacity) {
        memmove(c->starts, c->starts + c->head, (c->tail - c->head) * sizeof *c->starts);
        for (uint32_t k = 0; k < c->n_stairs; k++)
            c->stairs[k].from -= c->head;
        c->tail -= c->head;
        c->head = 0;
    }
    const stair *below = c->n_stairs ? &c->stairs[c->n_stairs - 1] : NULL;
    if (below && below->gap == gap && below->tf == tf) {
        add_start(c->starts, below->from, &c->tail, gap + tf, s);
        return;
    }
    c->stairs[c->n_stairs++] = (stair){c->tail, gap, tf};
    c->starts[c->tail++] = s;
}

/* The start of the best block that ends before `end`, the nearest of equal ones; *cost gets the cost
 * up to there. */
static uint32_t best_start(const staircase *c, uint32_t end, uint32_t *cost)
{
    uint32_t best = 0, least = 0;
    for (uint32_t k = c->n_stairs; k-- > 0;) {
        start s = c->starts[c->stairs[k].from];
        uint32_t sum = s.cost + (c->stairs[k].gap + c->stairs[k].tf) * (end - s.at);
        if (k + 1 == c->n_stairs || (int32_t)(sum - least) < 0) {
            least = sum;
            best = s.at;
        }
    }
    *cost = least + RP_IIU_BLOCK_COST;
    return best;
}

/* Follows the best starts back from the end. */
static size_t put_ends(const uint32_t *starts, size_t n, uint32_t *ends)
{
    size_t n_blocks = 0;
    for (size_t end = n; end > 0; end = starts[end - 1])
        ends[n_blocks++] = (uint32_t)end;
    for (size_t a = 0, b = n_blocks - 1; a < b; a++, b--) {
        uint32_t swap = ends[a];
        ends[a] = ends[b];
        ends[b] = swap;
    }
    return n_blocks;
}

size_t rp__iiu_partition_cut(const uint32_t *docids, const uint32_t *tfs, size_t n,
                             uint32_t max_size, rp__iiu_cost of, uint32_t *scratch, uint32_t *ends)
{
    staircase c = {.starts = (start *)(void *)(scratch + n), .capacity = 2 * max_size + 2};
    uint32_t cost = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t tf = rp__bits_width(tfs[i]);
        uint32_t gap = rp__bits_width(i > 0 ? docids[i] - docids[i - 1] : docids[0]);
        if (i > 0) {
            raise_stairs(&c, gap, tf);
            drop_far(&c, i + 1 > max_size ? i + 1 - max_size : 0);
        }
        push_start(&c, (start){i, cost}, of == RP_IIU_COST_PAPER ? gap : 0, tf);
        scratch[i] = best_start(&c, i + 1, &cost);
    }
    return put_ends(scratch, n, ends);
}
