/* intersect_table.c: the table of intersections, and launches. What each does is in its kernel's file; which is best for
 * which lists, in docs/kernels.md. */
#include "backend/gpu/operators/intersect_table.h"

enum { SPLIT_THREADS = 128 };

#define ANY_ROW(is_of_paper, id, name_, kernel_, tile_, needs_, each_, codec_)                     \
    [RP_INTERSECT_##id] = {.name = (name_),                                                        \
                           .kernel = RP_KERNEL_intersect_##kernel_##_kernel,                       \
                           .tile = RP_INTERSECT_##tile_,                                           \
                           .needs = (needs_),                                                      \
                           .each = (each_),                                                        \
                           .codec = (codec_),                                                      \
                           .is_literal = (is_of_paper)}
#define ROW(...)     ANY_ROW(false, __VA_ARGS__)
#define LITERAL(...) ANY_ROW(true, __VA_ARGS__)

enum {
    B = RP_INTERSECT_B,
    LR = RP_INTERSECT_LR,
    HS = RP_INTERSECT_HS,
    LIST = RP_INTERSECT_LIST,
    SPLITS = RP_INTERSECT_SPLITS,
    BITS = RP_INTERSECT_A_BITS | RP_INTERSECT_B_BITS,
};

const rp__intersect rp__intersect_table[RP_INTERSECTS] = {
    LITERAL(BS, "bs", bs_plain, A, B, 1, NULL),
    ROW(BS_X1, "bs-ends x1", bs_x1, A, B, 1, NULL),
    ROW(BS_X2, "bs-ends x2", bs_x2, A, B, 2, NULL),
    LITERAL(IS, "is", is_plain, A, B, 1, NULL),
    ROW(IS_8, "is-8", is, A, B, 2, NULL),
    LITERAL(LR_GLOBAL, "lr", lr_global, A, B | LR, 2, NULL),
    LITERAL(LR_LOCAL, "lr local", lr_local, A, B | LR, 2, NULL),
    LITERAL(HS_X1, "hs x1", hs_x1, A, B | HS, 1, NULL),
    LITERAL(HS_X2, "hs x2", hs_x2, A, B | HS, 2, NULL),
    ROW(SKIP, "skip", skip, A, B | LIST, 2, "raw"),
    LITERAL(PMF, "pmf", pmf, A, B | SPLITS, 4, NULL),
    LITERAL(PMF_HEADS, "pmf heads", pmf_heads, A, RP_INTERSECT_HEADS | SPLITS, 4, NULL),
    LITERAL(MPATH, "mpath", mpath, PATH, B, TUNE_MPATH_STEPS, NULL),
    LITERAL(MPATH_TWO, "mpath two", mpath, PATH, B | SPLITS, TUNE_MPATH_STEPS, NULL),
    ROW(TILE, "tile", tile, SLICE, B, 0, NULL),
    ROW(TILE_RANKS, "tile ranks", tile_ranks, SLICE, B, 0, NULL),
    ROW(TILE_MARKS, "tile marks", tile_marks, SLICE, B, 0, NULL),
    ROW(BITS_PROBE, "bits probe", bits_probe, A, RP_INTERSECT_B_BITS, 4, NULL),
    ROW(BITS_AND, "bits and", bits_and, BITS, BITS, 0, NULL),
    ROW(BITS_MARKS, "bits marks", bits_marks, BITS, BITS, 0, NULL),
    ROW(BP128, "bp128", bp128, A, LIST, 1, "bp128"),
    ROW(BP128_TILE, "bp128 tile", bp128_tile, SLICE, LIST, 0, "bp128"),
    LITERAL(LRC_HEADS, "lrc heads", lrc_heads, A, LIST | LR, 1, "lrc"),
    LITERAL(LRC_AT, "lrc at", lrc_at, A, LIST | LR, 1, "lrc"),
    LITERAL(HSLRC256, "hslrc256", lrc_hs, A, LIST, 1, "hslrc256"),
    LITERAL(HSLRC128, "hslrc128", lrc_hs, A, LIST, 1, "hslrc128"),
    ROW(LRCSEG, "lrcseg", regression_lrcseg, A, LIST, 1, "lrcseg"),
    ROW(SEGLRC, "seglrc", regression_seglrc, A, LIST, 1, "seglrc"),
};

/* ---- Cutting -------------------------------------------------------------------------------------- */

static uint32_t div_up(uint64_t a, uint32_t b)
{
    return (uint32_t)((a + b - 1) / b);
}

/* Words of shared memory beside those that all rows of its kind have. */
static void add_shared(uint32_t words, rp__launch *how)
{
    how->shared += words * (uint32_t)sizeof(uint32_t);
}

void rp__intersect_table_cut(rp__intersect_id id, uint32_t threads, uint32_t option,
                             karg_intersect *args, rp__launch *how)
{
    const rp__intersect *row = &rp__intersect_table[id];
    switch (row->tile) {
    case RP_INTERSECT_A:
        args->levels = row->needs & SPLITS ? option : 0;
        rp__intersect_cut_docids(threads, row->each, args, how);
        add_shared(id == RP_INTERSECT_BP128 ? threads / 32 * KARG_BLOCK : 0, how);
        break;
    case RP_INTERSECT_SLICE:
        rp__intersect_cut_slices(threads, option, args, how);
        add_shared(id == RP_INTERSECT_TILE_RANKS ? 2U << args->shift >> 5 : 0, how);
        break;
    case RP_INTERSECT_PATH:
        args->tile = threads * row->each;
        rp__intersect_cut(div_up((uint64_t)args->na + args->nb, args->tile), threads,
                          2 * args->tile + 1, args, how);
        break;
    case RP_INTERSECT_BITS:
        rp__intersect_cut(div_up(args->universe, threads * 128), threads,
                          KARG_STAGED / 32 * threads, args, how);
        break;
    }
}

/* Splitters of a level of pmf. */
static uint32_t splitters(const karg_intersect *args, uint32_t level)
{
    return (args->na >> (TUNE_PMF_FINEST + TUNE_PMF_FAN * level)) + 1;
}

size_t rp__intersect_table_splits(const karg_intersect *args)
{
    size_t n = args->tiles + (size_t)1;
    for (uint32_t level = 0; level < args->levels; level++)
        n += splitters(args, level);
    return n * sizeof(uint32_t);
}

/* ---- Running -------------------------------------------------------------------------------------- */

static rp_status find_splits(const rp__intersect *row, rp__device *device, karg_intersect *args)
{
    const uint32_t warps = SPLIT_THREADS / 32;
    uint64_t ends = (uint64_t)args->tiles + 1;
    if (row->tile == RP_INTERSECT_PATH)
        return rp__device_launch(device, RP_KERNEL_intersect_mpath_splits_kernel,
                                 (rp__launch){div_up(ends, warps), SPLIT_THREADS, 0}, args);
    rp_status status = RP_OK;
    for (uint32_t level = args->levels; status == RP_OK && level-- > 0;) {
        args->level = level;
        status = rp__device_launch(
            device, RP_KERNEL_intersect_pmf_splits_kernel,
            (rp__launch){div_up(splitters(args, level), SPLIT_THREADS), SPLIT_THREADS, 0}, args);
    }
    return status;
}

rp_status rp__intersect_table_run(rp__intersect_id id, rp__device *device, rp__launch how,
                                  const karg_intersect *args)
{
    const rp__intersect *row = &rp__intersect_table[id];
    karg_intersect own = *args;
    rp_status status = row->needs & SPLITS ? find_splits(row, device, &own) : RP_OK;
    return status == RP_OK ? rp__device_launch(device, row->kernel, how, &own) : status;
}
