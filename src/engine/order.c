/* order.c: the table of orders, those that need no more than the documents, and sorting.
 *
 * Sorting is by merging, from the bottom up: it is stable, allocates nothing on its way and so may read
 * ids in the mapping. */
#include "engine/order.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/error.h"
#include "base/random.h"

rp_status rp__order_need(const rp__order_job *job, uint64_t bytes, rp_error *err)
{
    uint64_t held = rp__alloc_in_use();
    if (held + bytes + rp__alloc_slack(job->o.memory) <= job->o.memory)
        return RP_OK;
    uint64_t enough =
        (held + bytes + rp__alloc_slack(0)) / 15 * 16; /* slack grows with the whole */
    return rp__error_set(err, RP_NO_MEMORY, "order \"%s\" needs %llu MiB here; give --memory %lluM",
                         job->o.by, (unsigned long long)(bytes >> 20) + 1,
                         (unsigned long long)(enough >> 20) + 1);
}

/* ---- Sorting ----------------------------------------------------------------------------------- */

typedef struct sort {
    const rp__order_job *job;
    rp__order_item *items, *spare;
    bool by_id;
} sort;

/* Negative, 0 or positive; ids that cannot be read are equal, the check of the whole finds them. */
static int compare_ids(const rp__segment *s, uint32_t a, uint32_t b)
{
    const char *x, *y;
    size_t m, n;
    if (rp__segment_doc_id(s, a, &x, &m) != RP_OK || rp__segment_doc_id(s, b, &y, &n) != RP_OK)
        return 0;
    int order = memcmp(x, y, m < n ? m : n);
    return order != 0 ? order : (m > n) - (m < n);
}

static bool is_after(const sort *s, const rp__order_item *a, const rp__order_item *b)
{
    if (a->key != b->key)
        return a->key > b->key;
    return s->by_id && compare_ids(s->job->from, a->docid, b->docid) > 0;
}

/* Two sorted stretches, [low, mid) and [mid, high), into one. */
static void merge(const sort *s, size_t low, size_t mid, size_t high)
{
    const rp__order_item *from = s->items;
    size_t a = low, b = mid;
    for (size_t i = low; i < high; i++) {
        bool takes_b = b < high && (a == mid || is_after(s, &from[a], &from[b]));
        s->spare[i] = takes_b ? from[b++] : from[a++];
    }
}

static rp_status run_sort(void *arg)
{
    sort *s = arg;
    size_t n = s->job->n;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t low = 0; low < n; low += 2 * width) {
            size_t mid = low + width < n ? low + width : n;
            size_t high = mid + width < n ? mid + width : n;
            merge(s, low, mid, high);
        }
        rp__order_item *sorted = s->spare;
        s->spare = s->items;
        s->items = sorted;
    }
    for (size_t i = 0; i < n; i++)
        s->job->order[i] = s->items[i].docid;
    return RP_OK;
}

rp_status rp__order_sort(const rp__order_job *job, rp__order_item *items, bool by_id, rp_error *err)
{
    rp__order_item *spare = rp__alloc_array(job->n, sizeof *spare);
    sort s = {.job = job, .items = items, .spare = spare, .by_id = by_id};
    if (!spare)
        return rp__error_no_memory(err);
    rp_status status = rp__mapping_guard(run_sort, &s);
    rp__free(spare);
    return status == RP_OK ? RP_OK : rp__error_set(err, status, "the index was cut short");
}

/* ---- Orders ------------------------------------------------------------------------------------ */

/* Fisher and Yates' shuffle. */
static rp_status make_random(const rp__order_job *job, rp_error *err)
{
    rp__random random;
    (void)err;
    rp__random_init(&random, job->o.seed);
    for (uint32_t i = 0; i < job->n; i++) {
        uint32_t j = rp__random_below(&random, i + 1);
        job->order[i] = job->order[j];
        job->order[j] = i;
    }
    return RP_OK;
}

typedef struct fill {
    const rp__order_job *job;
    rp__order_item *items;
} fill;

static rp_status fill_lengths(void *arg)
{
    const fill *f = arg;
    rp__lengths lengths;
    rp__segment_get_lengths(f->job->from, &lengths);
    for (uint32_t d = 0; d < f->job->n; d++)
        f->items[d] = (rp__order_item){~(uint64_t)rp__lengths_code(&lengths, d), d};
    return RP_OK;
}

/* The first bytes of an id as a number settle most comparisons. */
static rp_status fill_ids(void *arg)
{
    const fill *f = arg;
    for (uint32_t d = 0; d < f->job->n; d++) {
        const char *id;
        size_t bytes;
        uint64_t key = 0;
        if (rp__segment_doc_id(f->job->from, d, &id, &bytes) != RP_OK)
            return RP_DAMAGED;
        for (size_t i = 0; i < sizeof key; i++)
            key = key << 8 | (i < bytes ? (uint8_t)id[i] : 0U);
        f->items[d] = (rp__order_item){key, d};
    }
    return RP_OK;
}

static rp_status make_sorted(const rp__order_job *job, rp_status (*keys)(void *), bool by_id,
                             rp_error *err)
{
    fill f = {.job = job};
    rp_status status = rp__order_need(job, (uint64_t)job->n * RP_ORDER_SORT_BYTES, err);
    if (status != RP_OK)
        return status;
    f.items = rp__alloc_array(job->n, sizeof *f.items);
    if (!f.items)
        return rp__error_no_memory(err);
    if (rp__mapping_guard(keys, &f) != RP_OK)
        status = rp__error_set(err, RP_DAMAGED, "the index is damaged; run 'riposte check' on it");
    if (status == RP_OK)
        status = rp__order_sort(job, f.items, by_id, err);
    rp__free(f.items);
    return status;
}

/* Codes of lengths rise with them. */
static rp_status make_length(const rp__order_job *job, rp_error *err)
{
    return make_sorted(job, fill_lengths, false, err);
}

static rp_status make_url(const rp__order_job *job, rp_error *err)
{
    return make_sorted(job, fill_ids, true, err);
}

static const rp__order orders[] = {
    {"bp", rp__order_bp},    {"random", make_random},     {"url", make_url},
    {"length", make_length}, {"map", rp__order_file_map}, {"rank", rp__order_file_rank},
};

enum { ORDERS = sizeof orders / sizeof *orders };

const char *rp_order_name(size_t i)
{
    return i < ORDERS ? orders[i].name : NULL;
}

const rp__order *rp__order_find(const char *name)
{
    for (size_t i = 0; i < ORDERS; i++)
        if (strcmp(orders[i].name, name) == 0)
            return &orders[i];
    return NULL;
}
