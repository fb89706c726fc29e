/* prim.cuh: the public header of prim, all that a kernel includes: what kernels are made of,
 * sorted by who works together.
 *
 *   platform.cuh   what CUDA and the emulated device offer to a kernel, under one set of names
 *   thread/        one thread on its own
 *   warp/          the 32 lanes of a warp
 *   codec/         the bit layout of each codec, and how a warp reads it
 *   block/         a block of threads
 *   grid/          all blocks of a launch, and the host */
#ifndef RP_KERNELS_PRIM_CUH
#define RP_KERNELS_PRIM_CUH

#include "backend/gpu/kernels/prim/block/docid_bitmap.cuh"
#include "backend/gpu/kernels/prim/block/topk_block.cuh"
#include "backend/gpu/kernels/prim/codec/bitmap.cuh"
#include "backend/gpu/kernels/prim/codec/bp128.cuh"
#include "backend/gpu/kernels/prim/codec/bp128d4.cuh"
#include "backend/gpu/kernels/prim/codec/bp128t.cuh"
#include "backend/gpu/kernels/prim/codec/ef128.cuh"
#include "backend/gpu/kernels/prim/codec/efsum.cuh"
#include "backend/gpu/kernels/prim/codec/fastpfd.cuh"
#include "backend/gpu/kernels/prim/codec/iiu.cuh"
#include "backend/gpu/kernels/prim/codec/interpolative.cuh"
#include "backend/gpu/kernels/prim/codec/mixed.cuh"
#include "backend/gpu/kernels/prim/codec/newpfd.cuh"
#include "backend/gpu/kernels/prim/codec/optpfd.cuh"
#include "backend/gpu/kernels/prim/codec/parapfor.cuh"
#include "backend/gpu/kernels/prim/codec/pfd.cuh"
#include "backend/gpu/kernels/prim/codec/pfd_rec.cuh"
#include "backend/gpu/kernels/prim/codec/qs.cuh"
#include "backend/gpu/kernels/prim/codec/raw.cuh"
#include "backend/gpu/kernels/prim/codec/regression.cuh"
#include "backend/gpu/kernels/prim/codec/regression_at.cuh"
#include "backend/gpu/kernels/prim/codec/regression_walk.cuh"
#include "backend/gpu/kernels/prim/codec/rice.cuh"
#include "backend/gpu/kernels/prim/codec/vbyte.cuh"
#include "backend/gpu/kernels/prim/grid/intersect_output.cuh"
#include "backend/gpu/kernels/prim/grid/or_queries.cuh"
#include "backend/gpu/kernels/prim/grid/or_stored.cuh"
#include "backend/gpu/kernels/prim/grid/ordered_compaction.cuh"
#include "backend/gpu/kernels/prim/grid/para_batch.cuh"
#include "backend/gpu/kernels/prim/grid/persistent_result.cuh"
#include "backend/gpu/kernels/prim/grid/query_mailbox.cuh"
#include "backend/gpu/kernels/prim/grid/radix_select.cuh"
#include "backend/gpu/kernels/prim/grid/result_writer.cuh"
#include "backend/gpu/kernels/prim/grid/score_heap.cuh"
#include "backend/gpu/kernels/prim/thread/bitpack.cuh"
#include "backend/gpu/kernels/prim/thread/block_bytes.cuh"
#include "backend/gpu/kernels/prim/thread/lower_bound.cuh"
#include "backend/gpu/kernels/prim/thread/lr_line.cuh"
#include "backend/gpu/kernels/prim/thread/near_offset.cuh"
#include "backend/gpu/kernels/prim/thread/packed_values.cuh"
#include "backend/gpu/kernels/prim/thread/scoring.cuh"
#include "backend/gpu/kernels/prim/warp/candidates.cuh"
#include "backend/gpu/kernels/prim/warp/decode_tiles.cuh"
#include "backend/gpu/kernels/prim/warp/delta_decode.cuh"
#include "backend/gpu/kernels/prim/warp/exceptions.cuh"
#include "backend/gpu/kernels/prim/warp/job.cuh"
#include "backend/gpu/kernels/prim/warp/list_blocks.cuh"
#include "backend/gpu/kernels/prim/warp/scan.cuh"
#include "backend/gpu/kernels/prim/warp/skip_directory.cuh"
#include "backend/gpu/kernels/prim/warp/staged_blocks.cuh"
#include "backend/gpu/kernels/prim/warp/term_block.cuh"
#include "backend/gpu/kernels/prim/warp/term_lookup.cuh"
#include "backend/gpu/kernels/prim/warp/term_tfs.cuh"
#include "backend/gpu/kernels/prim/warp/tile.cuh"
#include "backend/gpu/kernels/prim/warp/topk_warp.cuh"
#include "backend/gpu/kernels/prim/warp/warp_search.cuh"

#endif
