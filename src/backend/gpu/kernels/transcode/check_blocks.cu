/* check_blocks.cu: whether blocks of lists and frames of frequencies are bytes that the CPU would
 * decode. Decoders make something of any bytes, and of short lists and frequencies no directory
 * tells that it is wrong. One thread: a block. Reads its head, and what else of it says whether
 * values lie inside; writes only where they do not. No shared memory. Limits: any bytes; of lists
 * that a codec cuts every 256 postings, and of segments of 64, other cuts are damage. */
#include "backend/gpu/kernels/prim/prim.cuh"

/* Of codes whose blocks lie one after the other. */
PRIM bool check_blocks_bytes(uint32_t code, const sound_bytes &in)
{
    switch (code) {
    case KARG_CODEC_VBYTE:
        return vbyte_is_sound(in);
    case KARG_CODEC_SIMPLE16:
        return simple16_is_sound(in);
    case KARG_CODEC_PFD:
    case KARG_CODE_PFD_64:
        return pfd_is_sound(in);
    case KARG_CODEC_NEWPFD:
    case KARG_CODE_NEWPFD_64:
        return newpfd_is_sound(in);
    case KARG_CODEC_OPTPFD:
        return optpfd_is_sound(in);
    case KARG_CODEC_PARAPFOR:
    case KARG_CODE_PARAPFOR_64:
        return parapfor_is_sound(in);
    case KARG_CODEC_RICE:
        return rice_is_sound(in);
    case KARG_CODEC_EF128:
        return ef128_is_sound(in);
    case KARG_CODEC_INTERPOLATIVE:
        return interpolative_is_sound(in);
    case KARG_CODEC_MIXED:
        return mixed_is_sound(in);
    case KARG_CODE_EFSUM:
        return efsum_is_sound(in);
    case KARG_CODEC_LRC:
        return regression_is_sound(in, 0);
    case KARG_CODEC_LRCSEG:
        return regression_is_sound(in, 4);
    case KARG_CODEC_SEGLRC:
    case KARG_CODEC_HSLRC256:
    case KARG_CODEC_HSLRC128:
        return regression_is_sound(in, 6);
    default:
        return bp128_is_sound(in); /* and the others that are its bytes */
    }
}

PRIM bool check_blocks_cut(uint32_t code, const karg_list *list, uint32_t b)
{
    bool has_line = code == KARG_CODEC_LRC || code == KARG_CODEC_LRCSEG;
    bool is_256 = has_line || code == KARG_CODEC_SEGLRC || code == KARG_CODEC_BP256;
    bool is_64 = code >= KARG_CODE_PFD_64 && code <= KARG_CODE_PARAPFOR_64;
    return (!is_256 || job_rank(list, b) == b * 256) &&
           (!is_64 || job_rank(list, b) == b * KARG_SEGMENT) &&
           (!has_line || prim_load(&list->docs_bytes) >= REGRESSION_TAIL);
}

PRIM bool check_blocks_one(uint32_t code, const karg_list *at, uint32_t b)
{
    block_list list = block_list_open(at);
    uint32_t first = job_rank(at, b), next = job_rank(at, b + 1), n = list.n,
             bytes = list.docs_bytes;
    uint64_t docs = prim_load(&at->docs);
    if (first >= next || next - first > TILE_BLOCK_MAX || !check_blocks_cut(code, at, b))
        return false;
    switch (code) {
    case KARG_CODEC_RAW:
        return raw_is_sound(list, b);
    case KARG_CODEC_BITMAP:
        return bitmap_is_sound(list, b);
    case KARG_CODEC_IIU:
        return iiu_is_sound(list, b);
    case KARG_CODEC_QS:
        return qs_is_sound(at, b);
    case KARG_CODEC_PFD_REC:
        return first % REC_GROUP != 0 || pfd_rec_is_sound({docs, bytes, n}, first / REC_GROUP);
    default:
        break;
    }
    bool has = list.offsets != 0;
    uint32_t from = has ? near_offset(list.offsets, b) : 0;
    uint32_t to = has && b + 1 < list.n_blocks ? near_offset(list.offsets, b + 1) : bytes;
    return from <= to && to <= bytes &&
           check_blocks_bytes(code, {docs + from, to - from, next - first});
}

RP_KERNEL(check_blocks_kernel, karg_transcode)
{
    uint32_t i = prim_block() * prim_block_size() + prim_thread();
    if (i / KARG_TILE_BLOCKS >= a.n_tiles)
        return;
    job_tile t = job_open(a, i / KARG_TILE_BLOCKS);
    uint32_t k = i % KARG_TILE_BLOCKS;
    if (k < t.n && !check_blocks_one(prim_load(&t.job->code), t.list, t.block + k))
        job_damaged(a, t);
}
