/* gpu_word.c: which codecs kernels of queries read, and where in a list they begin. */
#include "backend/gpu/gpu_word.h"

#include <string.h>

#include "codec/codec.h"

static bool is_named(const rp__block_code *code, const char *name)
{
    return code && !strcmp(code->name, name);
}

bool rp__gpu_word_has_docids(const rp__list *list)
{
    static const uint8_t read[] = {KARG_CODEC_RAW,  KARG_CODEC_BP128, KARG_CODEC_OPTPFD,
                                   KARG_CODEC_RICE, KARG_CODEC_EF128, KARG_CODEC_BITMAP};
    return list->codec && memchr(read, list->codec->id, sizeof read);
}

bool rp__gpu_word_has_tfs(const rp__list *list)
{
    return list->codec &&
           (is_named(list->freq_code, "optpfd") || is_named(list->freq_code, "bp128"));
}

uint32_t rp__gpu_word_freq_code(const rp__list *list)
{
    return is_named(list->freq_code, "bp128") ? KARG_CODEC_BP128 : KARG_CODEC_OPTPFD;
}

/* A list of bits that is not dense is raw behind its head. */
static rp_status point_at_bits(const rp__list *list, karg_word *out)
{
    enum { HEAD = 8 };
    rp__bitmap_view bits;
    if (!rp__bitmap_bits(list, &bits)) {
        if (list->docs_bytes < HEAD + list->n * sizeof(uint32_t))
            return RP_DAMAGED;
        out->list.codec = KARG_CODEC_RAW;
        out->list.docs += HEAD;
        out->list.docs_bytes -= HEAD;
        return RP_OK;
    }
    out->hints = out->list.docs + HEAD + 8 * (uint64_t)bits.n_words;
    out->base = bits.base;
    out->n_words = 2 * bits.n_words;
    return RP_OK;
}

rp_status rp__gpu_word_open(const rp__gpu_index *index, const rp__list *list, karg_word *out)
{
    *out = (karg_word){0};
    if (!rp__gpu_word_has_docids(list))
        return RP_UNAVAILABLE;
    if (!rp__gpu_index_list(index, list, &out->list))
        return RP_DAMAGED;
    out->list.freq_code = rp__gpu_word_freq_code(list);
    if (out->list.codec == KARG_CODEC_BITMAP)
        return point_at_bits(list, out);
    bool is_short =
        out->list.codec == KARG_CODEC_RAW && list->docs_bytes < list->n * sizeof(uint32_t);
    return is_short ? RP_DAMAGED : RP_OK;
}
