/* probe_bitmap.c: the probe of a list that is bits, plain (probe_bitmap.h). */
#include "backend/cpu/probe_bitmap.h"

#include "backend/cpu/probe_rows.h"

bool rp__probe_bitmap_applies(const rp__list *list, const rp__aux *hs)
{
    rp__bitmap_view view;
    (void)hs;
    return rp__bitmap_bits(list, &view);
}

static uint32_t find(rp__probe *probe, const uint32_t *docids, uint32_t n, uint32_t *kept,
                     uint32_t *ranks)
{
    return rp__probe_bitmap_find(probe, docids, n, kept, ranks);
}

const rp__probe_row rp__probe_bitmap_row = {"bitmap", 0, rp__probe_bitmap_applies, find};
