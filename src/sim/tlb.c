/* tlb.c: pages that the memory interface can translate at once; the one unused for longest goes
 * first. Translation itself is the identity: only its time counts. */
#include "base/alloc.h"
#include "sim/units.h"

rp_status rp__tlb_init(rp__tlb *tlb, const rp__sim_config *config)
{
    *tlb = (rp__tlb){.capacity = config->tlb_entries, .page_bits = config->tlb_page_bits};
    tlb->pages = rp__alloc_array(tlb->capacity, sizeof *tlb->pages);
    if (!tlb->pages)
        return RP_NO_MEMORY;
    for (; config->tlb_preload && tlb->n < tlb->capacity; tlb->n++)
        tlb->pages[tlb->n] = tlb->n;
    return RP_OK;
}

void rp__tlb_reset(rp__tlb *tlb)
{
    rp__free(tlb->pages);
    tlb->pages = NULL;
}

static void move_to_front(rp__tlb *tlb, uint32_t i, uint64_t page)
{
    for (; i; i--)
        tlb->pages[i] = tlb->pages[i - 1];
    tlb->pages[0] = page;
}

bool rp__tlb_find(rp__tlb *tlb, uint64_t address)
{
    uint64_t page = address >> tlb->page_bits;
    for (uint32_t i = 0; i < tlb->n; i++)
        if (tlb->pages[i] == page) {
            move_to_front(tlb, i, page);
            return true;
        }
    return false;
}

void rp__tlb_add(rp__tlb *tlb, uint64_t address)
{
    if (tlb->n < tlb->capacity)
        tlb->n++;
    move_to_front(tlb, tlb->n - 1, address >> tlb->page_bits);
}
