/* probe_bitmap_avx2.c: the probe of a list that is bits, with the shifts and counts of bits that processors with
 * AVX2 have (probe_bitmap.h). */
#include "backend/cpu/probe_bitmap.h"

#include "backend/cpu/probe_rows.h"
#include "base/cpu.h"

static uint32_t find(rp__probe *probe, const uint32_t *docids, uint32_t n, uint32_t *kept,
                     uint32_t *ranks)
{
    return rp__probe_bitmap_find(probe, docids, n, kept, ranks);
}

const rp__probe_row rp__probe_bitmap_avx2_row = {"bitmap", RP_CPU_AVX2, rp__probe_bitmap_applies,
                                                 find};
