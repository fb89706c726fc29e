/* link.c: memory of registered FIFOs. How they behave is in link.h. */
#include "sim/link.h"

#include "base/alloc.h"

rp_status rp__link_init(rp__link *link, uint32_t depth, size_t item_bytes)
{
    return rp__link_init_ahead(link, depth, 0, item_bytes);
}

rp_status rp__link_init_ahead(rp__link *link, uint32_t depth, uint32_t ahead, size_t item_bytes)
{
    uint32_t slots = 1;
    while (slots < depth + ahead)
        slots *= 2;
    *link = (rp__link){.push_cycle = RP_SIM_NEVER,
                       .pop_cycle = RP_SIM_NEVER,
                       .depth = (uint16_t)depth,
                       .wake_fill = (uint16_t)depth,
                       .mask = (uint16_t)(slots - 1),
                       .item_bytes = (uint16_t)item_bytes,
                       .items = rp__alloc_zero(slots, item_bytes)};
    return link->items ? RP_OK : RP_NO_MEMORY;
}

void rp__link_reset(rp__link *link)
{
    rp__free(link->items);
    link->items = NULL;
}
