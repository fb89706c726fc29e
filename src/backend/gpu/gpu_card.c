/* gpu_card.c: a card and what of the index lies on it. */
#include "backend/gpu/gpu_card.h"

static rp_status open_words(rp__gpu_card *c, const rp__segment *segment)
{
    rp__gpu_ors_open(&c->ors, &c->index, c->left / 4);
    return rp__gpu_words_open(&c->words, &c->index, rp__segment_get_info(segment)->terms,
                              c->left / 4);
}

rp_status rp__gpu_card_open(rp__gpu_card *c, const rp__driver *driver, int ordinal,
                            const rp__segment *segment, const rp__place *place, rp_error *err)
{
    uint64_t most = place->gpu_memory;
    rp_status status = rp__device_open(&c->device, driver, ordinal, err);
    if (status != RP_OK)
        return status;
    if (place->gpu_timeout)
        c->device.patience = place->gpu_timeout * UINT64_C(1000000);
    c->has_index = rp__gpu_index_open(&c->index, &c->device, segment, most) == RP_OK;
    if (!c->has_index)
        return RP_OK;
    uint64_t used = c->index.share->bytes;
    if (most) /* a byte, where nothing is left: 0 would mean any number */
        c->left = most > used ? most - used : 1;
    rp__gpu_query_open(&c->query, &c->device, &c->index, c->left);
    if (c->index.share->is_whole)
        c->has_index = open_words(c, segment) == RP_OK;
    return RP_OK;
}

/* What is open by then; the context is the thread's. */
void rp__gpu_card_close(rp__gpu_card *c)
{
    if (c->device.context) {
        rp__gpu_ors_close(&c->ors);
        rp__gpu_words_close(&c->words);
        (void)rp__device_enter(&c->device);
        rp__gpu_query_close(&c->query);
        rp__gpu_index_close(&c->index);
    }
    rp__device_close(&c->device);
}

bool rp__gpu_card_answers(rp__gpu_card *c)
{
    return c->has_index && !rp__device_is_lost(&c->device);
}

/* ---- Batches ----------------------------------------------------------------------------------- */

rp_status rp__gpu_card_batch_open(rp__gpu_card_batch *b, rp__gpu_card *c, uint32_t of,
                                  rp_error *err)
{
    uint64_t most = c->left ? c->left / 2 / of + 1 : 0;
    *b = (rp__gpu_card_batch){.is_many = c->index.share->is_whole};
    if (b->is_many)
        return rp__gpu_batch_open(&b->many, &c->words, &c->ors, most, err);
    rp_status status = rp__device_twin(&b->device, &c->device, err);
    if (status == RP_OK)
        rp__gpu_query_open(&b->one, &b->device, &c->index, most);
    return status;
}

void rp__gpu_card_batch_close(rp__gpu_card_batch *b)
{
    rp__gpu_batch_close(&b->many);
    if (b->device.context) {
        (void)rp__device_enter(&b->device);
        rp__gpu_query_close(&b->one);
    }
    rp__device_close(&b->device);
}

void rp__gpu_card_batch_start(rp__gpu_card_batch *b, rp__asked *asked, size_t n, rp__arena *arena)
{
    if (b->is_many)
        rp__gpu_batch_start(&b->many, asked, n, arena);
}

void rp__gpu_card_batch_finish(rp__gpu_card_batch *b, rp__asked *asked, size_t n, rp__arena *arena)
{
    rp_error err;
    if (b->is_many)
        rp__gpu_batch_finish(&b->many, asked, n, arena);
    for (size_t i = 0; !b->is_many && i < n; i++)
        if (asked[i].status == RP_OK)
            asked[i].status =
                rp__gpu_query_run(&b->one, &asked[i].query, arena, &asked[i].answer, &err);
}
