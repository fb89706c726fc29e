/* and_bits.cu: a list's docids as bits, and how many of them lie before each 512: what ANDs then look up in one load.
 * One warp: a block of postings, four a lane.
 * Reads the list once; writes by one atomic a word of bits and lane, and a hint where a lane passes a multiple of 512.
 * Limits: codecs of alive.cuh but bits; any bytes: docids past the bits are not set, and make `damaged`, as does a block
 * that does not end as the directory says. Source: docs/format.md, chapter 6, bitmap. */
#include "backend/gpu/kernels/prim/alive.cuh"

/* Docids of a lane, rising: bits, and hints from the docid before them on. */
PRIM void and_bits_set(const karg_bits &a, const uint32_t *docids, uint32_t n, uint32_t before, uint32_t rank)
{
    uint32_t *words = prim_at<uint32_t>(a.bits), *hints = prim_at<uint32_t>(a.hints);
    uint32_t from = before + 1; /* 0 before the first docid of all */
    for (uint32_t k = 0; k < n; k++) {
        if (docids[k] / 32 >= a.n_words || docids[k] < from) {
            prim_atomic_or(&prim_at<karg_found>(a.found)->damaged, 1);
            return;
        }
        prim_atomic_or(&words[docids[k] / 32], 1U << docids[k] % 32);
        for (uint32_t h = prim_div_up(from, 512); h <= docids[k] / 512; h++)
            hints[h] = rank + k;
        from = docids[k] + 1;
    }
}

template <class CODE> PRIM void and_bits_block(const karg_bits &a, uint32_t b, unsigned char *scratch)
{
    const karg_list *of = &prim_at<const karg_word>(a.word)->list;
    block_list list = block_list_open(of);
    uint32_t docids[4], n = block_one<CODE, 4>(list, b, scratch, docids), first = 4 * prim_lane();
    uint32_t before = prim_shuffle_up<32>(docids[3], 1), last = alive_last<CODE>(list, b), count = 0;
    if (prim_lane() == 0)
        before = b ? alive_last<CODE>(list, b - 1) : UINT32_MAX;
    if (first < n)
        count = prim_min(n - first, 4U);
    and_bits_set(a, docids, count, before, b * KARG_BLOCK + first);
    bool is_end = count && first + count == n;
    if (is_end && last != UINT32_MAX && docids[count - 1] != last)
        prim_atomic_or(&prim_at<karg_found>(a.found)->damaged, 1);
}

RP_KERNEL(and_bits_kernel, karg_bits)
{
    uint32_t b = prim_block() * (prim_block_size() / 32) + prim_warp();
    unsigned char *scratch = prim_shared() + prim_warp() * KARG_BITS_SHARED;
    const karg_list *list = &prim_at<const karg_word>(a.word)->list;
    if (b >= prim_load(&list->n_blocks))
        return;
    uint32_t codec = prim_load(&list->codec);
    if (codec == KARG_CODEC_BP128)
        and_bits_block<block_bp128>(a, b, scratch);
    else if (codec == KARG_CODEC_EF128)
        and_bits_block<block_ef128>(a, b, scratch);
    else
        and_bits_block<block_raw>(a, b, scratch);
}
