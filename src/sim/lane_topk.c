/* lane_topk.c: extension: the k best results of a write-back lane, kept in the lane.
 *
 * In hardware a row of k registers that shift, so one result a cycle whatever k is. Here a heap:
 * the worst one on top. Of equal scores the smaller docid is better. */
#include <stdlib.h>
#include <string.h>

#include "sim/units.h"

static bool is_worse(rp__result_slot a, rp__result_slot b)
{
    return a.score < b.score || (a.score == b.score && a.doc > b.doc);
}

static void sink(rp__result_slot *heap, uint32_t n, rp__result_slot slot)
{
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && is_worse(heap[child + 1], heap[child]))
            child++;
        if (!is_worse(heap[child], slot))
            break;
        heap[i] = heap[child];
    }
    heap[i] = slot;
}

void rp__lane_topk_push(rp__write_back *lane, rp__result_slot slot)
{
    uint32_t k = lane->config->topk;
    if (lane->n_best == k) {
        if (is_worse(lane->best[0], slot))
            sink(lane->best, k, slot);
        return;
    }
    uint32_t i = lane->n_best++;
    for (; i && is_worse(slot, lane->best[(i - 1) / 2]); i = (i - 1) / 2)
        lane->best[i] = lane->best[(i - 1) / 2];
    lane->best[i] = slot;
}

/* Best first; places that no result took are empty. */
void rp__lane_topk_sort(rp__write_back *lane)
{
    for (uint32_t n = lane->n_best; n > 1; n--) {
        rp__result_slot worst = lane->best[0];
        sink(lane->best, n - 1, lane->best[n - 1]);
        lane->best[n - 1] = worst;
    }
    for (uint32_t i = lane->n_best; i < lane->config->topk; i++)
        lane->best[i] = (rp__result_slot){RP_SIM_NO_DOC, 0};
}

static int better_first(const void *x, const void *y)
{
    const rp__result_slot *a = x, *b = y;
    if (a->score != b->score)
        return a->score < b->score ? 1 : -1;
    return a->doc < b->doc ? -1 : a->doc > b->doc;
}

rp_status rp__lane_topk_gather(const uint8_t *at, uint64_t n_slots, uint64_t n,
                               rp__result_slot *dst)
{
    uint64_t found = 0;
    for (uint64_t i = 0; i < n_slots; i++) {
        rp__result_slot slot;
        memcpy(&slot, at + 8 * i, sizeof slot);
        if (slot.doc == RP_SIM_NO_DOC)
            continue;
        if (found == n)
            return RP_DAMAGED;
        dst[found++] = slot;
    }
    qsort(dst, (size_t)found, sizeof *dst, better_first);
    return found == n ? RP_OK : RP_DAMAGED;
}
