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
    &rp__probe_binary_row,
    &rp__probe_gallop_row,
    &rp__probe_skip_row,
    &rp__probe_svs_row,
    &rp__probe_hs_row,
    &rp__probe_bitmap_row,
    &rp__probe_unordered_row,
    X86(rp__probe_hs_avx2_row) X86(rp__probe_bitmap_avx2_row) X86(rp__probe_blocks_avx2_row)
        X86(rp__probe_lanes_avx2_row) X86(rp__probe_lanes_avx512_row)
            X86(rp__probe_blocks_avx512_row) X86(rp__probe_unordered_avx512_row)};

const rp__probe_row *rp__probe_at(size_t i)
{
    return i < sizeof rows / sizeof *rows ? rows[i] : NULL;
}

/* A row, and from and up to how many postings of the list for each docid sought it is taken. */
typedef struct choice {
    const rp__probe_row *row;
    uint64_t least, most;
} choice;

/* The first that applies and can run is taken. By ns for each docid sought, of 1M postings, at 1, 4, 16, 64,
 * 256 and 1024 postings for each (Zen 4; docs/bench-intersections.md):
 *   bits    bitmap 1.1 1.1 1.1 2.2 2.2 2.2
 *   arrays  lanes 0.65 1.25 3.8 14 55 220, hs 2.0 2.0 2.2 5.4 7 7, blocks avx2 2.9 3.3 4.7 14 28 61,
 *           lanes avx2 .86 1.25 5.4 (hs 1.4 1.5 1.9, blocks 1.3 1.8 3.6; Zen 5)
 *   bp128   blocks avx512 1.8 3.0 6.7 16 24 34, avx2 2.9 3.7 7.0 19 27 39, svs 4.8 5.6 9.0 20 30 44
 *   bp128t  unordered 5.4 5.4 6.3 10 21 30, blocks avx512 1.9 3.2 7.0 17 27 36
 * Where nothing else can run, svs does, which is faster than merge and gallop everywhere. */
static const choice choices[] = {
#if defined(__x86_64__)
    {&rp__probe_bitmap_avx2_row, 0, UINT64_MAX},
#endif
    {&rp__probe_bitmap_row, 0, UINT64_MAX},
#if defined(__x86_64__)
    {&rp__probe_unordered_avx512_row, 12, UINT64_MAX},
    {&rp__probe_blocks_avx512_row, 0, UINT64_MAX},
    {&rp__probe_lanes_avx512_row, 0, 6},
    {&rp__probe_lanes_avx2_row, 0, 8},
    {&rp__probe_hs_avx2_row, 0, UINT64_MAX},
    {&rp__probe_blocks_avx2_row, 0, UINT64_MAX},
#endif
    {&rp__probe_svs_row, 0, UINT64_MAX},
};

const rp__probe_row *rp__probe_choose(const rp__list *list, const rp__aux *hs, uint64_t n,
                                      uint32_t features)
{
    const choice *c = choices;
    uint64_t ratio = n ? list->n / n : list->n;
    while ((c->row->needs & ~features) || ratio < c->least || ratio > c->most ||
           !c->row->applies(list, hs))
        c++;
    return c->row; /* svs applies to all */
}

void rp__probe_open(rp__probe *probe, const rp__probe_row *row, const rp__list *list,
                    const rp__aux *hs)
{
    probe->row = row;
    probe->list = list;
    probe->hs = hs;
    probe->status = RP_OK;
    probe->decoded = 0;
    probe->n_read = 0;
    probe->block = probe->count = probe->at = 0;
}
