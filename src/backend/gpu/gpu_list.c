/* gpu_list.c: which lists kernels of queries read, and where. */
#include "backend/gpu/gpu_list.h"

#include <string.h>

#include "base/bits.h"
#include "codec/codec.h"

static bool is_named(const rp__block_code *code, const char *name)
{
    return code && !strcmp(code->name, name);
}

bool rp__gpu_list_has_docids(const rp__list *list)
{
    static const uint8_t read[] = {KARG_CODEC_RAW,  KARG_CODEC_BP128, KARG_CODEC_OPTPFD,
                                   KARG_CODEC_RICE, KARG_CODEC_EF128, KARG_CODEC_BITMAP};
    return list->codec && memchr(read, list->codec->id, sizeof read);
}

bool rp__gpu_list_has_tfs(const rp__list *list)
{
    return list->codec &&
           (is_named(list->freq_code, "efsum") || is_named(list->freq_code, "optpfd") ||
            is_named(list->freq_code, "bp128"));
}

uint32_t rp__gpu_list_freq_code(const rp__list *list)
{
    return is_named(list->freq_code, "efsum")   ? KARG_CODE_EFSUM
           : is_named(list->freq_code, "bp128") ? KARG_CODEC_BP128
                                                : KARG_CODEC_OPTPFD;
}

void rp__gpu_list_count_decoded(const rp__list *list, rp_gpu_counters *counters)
{
    if (!list->codec)
        return;
    counters->host_decoded_lists++;
    counters->host_decoded_postings += list->n;
}

/* Bits are words of 32 to the kernels; a list of them that is not dense is raw. */
static rp_status point_at_bits(const rp__list *list, karg_term *out)
{
    enum { HEAD = 8, SPARSE = 1 };
    rp__bitmap_view bits;
    out->list.docs += HEAD;
    if (!rp__bitmap_bits(list, &bits)) {
        out->list.codec = KARG_CODEC_RAW;
        bool is_raw = list->docs_bytes >= HEAD + list->n * sizeof(uint32_t) &&
                      rp__load32(list->docs) == SPARSE && rp__load32(list->docs + 4) == 0;
        return is_raw ? RP_OK : RP_DAMAGED;
    }
    out->hints = out->list.docs + 8 * (uint64_t)bits.n_words;
    out->base = bits.base;
    out->n_words = 2 * bits.n_words;
    return RP_OK;
}

rp_status rp__gpu_list_point(const rp__list *list, const karg_list *at, karg_term *out)
{
    *out = (karg_term){.list = *at};
    if (!rp__gpu_list_has_docids(list))
        return RP_UNAVAILABLE;
    out->list.freq_code = rp__gpu_list_freq_code(list);
    if (out->list.codec == KARG_CODEC_BITMAP)
        return point_at_bits(list, out);
    bool is_short =
        out->list.codec == KARG_CODEC_RAW && list->docs_bytes < list->n * sizeof(uint32_t);
    return is_short ? RP_DAMAGED : RP_OK;
}

/* Kernels of batches read rice and optpfd only to make docids of them; those of tiles do not read ef128. */
uint8_t rp__gpu_list_readers(const rp__list *list)
{
    if (!rp__gpu_list_has_docids(list) || !rp__gpu_list_has_tfs(list))
        return 0;
    uint32_t id = list->codec->id;
    bool is_looked_up = id != KARG_CODEC_OPTPFD && id != KARG_CODEC_RICE;
    return (uint8_t)((is_looked_up ? RP_READS_LOOKUP : 0) |
                     (id != KARG_CODEC_EF128 ? RP_READS_TILES : 0));
}

uint8_t rp__gpu_list_reads(const rp__list *list, const karg_list *at, karg_term *out)
{
    if (rp__gpu_list_has_tfs(list) && rp__gpu_list_point(list, at, out) == RP_OK)
        return rp__gpu_list_readers(list);
    *out = (karg_term){.list = *at};
    return 0;
}

rp_status rp__gpu_list_word(const rp__gpu_index *index, const rp__list *list, karg_term *out)
{
    karg_list at;
    return rp__gpu_index_list(index, list, &at) ? rp__gpu_list_point(list, &at, out) : RP_DAMAGED;
}

rp_status rp__gpu_list_lookup(const rp__gpu_index *index, const rp__list *list, karg_term *out)
{
    karg_list at;
    if (!rp__gpu_index_list(index, list, &at))
        return RP_DAMAGED;
    return rp__gpu_list_reads(list, &at, out) & RP_READS_LOOKUP ? RP_OK : RP_UNAVAILABLE;
}

karg_term rp__gpu_list_copied(uint64_t docids, uint64_t tfs, uint32_t n)
{
    return (karg_term){.list = {.docs = docids,
                                .freqs = tfs,
                                .n = n,
                                .n_blocks = n / RP_BLOCK + (n % RP_BLOCK > 0),
                                .docs_bytes = n * (uint32_t)sizeof(uint32_t),
                                .codec = KARG_CODEC_RAW,
                                .freq_code = KARG_CODEC_RAW}};
}
