/* probe.c: every way to find some rising docids in a list, and which is best for a list.
 *
 * Each file probe_<name>.c is one way. The choice is by what was measured, docs/bench-intersections.md. */
#include "backend/cpu/probe.h"

#include "backend/cpu/probe_rows.h"
#include "base/cpu.h"

/* A row that only x86-64 has. */
#if defined(__x86_64__)
#define X86(row) &row,
#else
#define X86(row)
#endif

static const rp__probe_row *const rows[] = {
    &rp__probe_merge_row,
    &rp__probe_gallop_row,
    &rp__probe_skip_row,
    &rp__probe_svs_row,
    &rp__probe_hs_row,
    &rp__probe_bitmap_row,
    &rp__probe_unordered_row,
    X86(rp__probe_hs_avx2_row) X86(rp__probe_lanes_avx512_row) X86(rp__probe_blocks_avx512_row)
        X86(rp__probe_unordered_avx512_row)};

const rp__probe_row *rp__probe_at(size_t i)
{
    return i < sizeof rows / sizeof *rows ? rows[i] : NULL;
}

const rp__probe_row *rp__probe_choose(const rp__list *list, const rp__aux *hs, uint64_t n,
                                      uint32_t features)
{
    (void)n;
    if (rp__probe_bitmap_row.applies(list, hs))
        return &rp__probe_bitmap_row;
#if defined(__x86_64__)
    if (features & RP_CPU_AVX512)
        return &rp__probe_blocks_avx512_row;
#endif
    return &rp__probe_svs_row;
}

void rp__probe_open(rp__probe *probe, const rp__probe_row *row, const rp__list *list,
                    const rp__aux *hs)
{
    probe->row = row;
    probe->list = list;
    probe->hs = hs;
    probe->status = RP_OK;
    probe->decoded = 0;
    probe->block = probe->count = probe->at = 0;
}
