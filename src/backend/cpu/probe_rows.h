/* backend/cpu/probe_rows.h: interior of cpu: the rows of probe.c, each defined in the file of its
 * name. */
#ifndef RP_BACKEND_CPU_PROBE_ROWS_H
#define RP_BACKEND_CPU_PROBE_ROWS_H

#include "backend/cpu/probe.h"

extern const rp__probe_row rp__probe_merge_row, rp__probe_binary_row, rp__probe_gallop_row,
    rp__probe_skip_row, rp__probe_svs_row, rp__probe_hs_row, rp__probe_bitmap_row,
    rp__probe_unordered_row;
extern const rp__probe_row rp__probe_hs_avx2_row, rp__probe_bitmap_avx2_row,
    rp__probe_blocks_avx2_row, rp__probe_lanes_avx2_row;
extern const rp__probe_row rp__probe_lanes_avx512_row, rp__probe_blocks_avx512_row,
    rp__probe_unordered_avx512_row;

#endif
