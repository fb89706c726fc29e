/* list_cost.c: the bytes of a list by what they hold. */
#include "base/bits.h"
#include "index/segment.h"

/* Passes over n numbers; how many bytes they take is added to *sum. */
static bool skip(const uint8_t **p, const uint8_t *end, uint32_t n, uint64_t *sum)
{
    const uint8_t *begin = *p;
    uint32_t v;
    for (uint32_t i = 0; i < n; i++)
        if (!rp__bits_varint32(p, end, &v))
            return false;
    *sum += (uint64_t)(*p - begin);
    return true;
}

/* For each posting a gap, a frequency less one, and that many positions and one. */
static rp_status measure_tiny(const rp__segment *s, const rp__term *term, rp_list_cost *out)
{
    const uint8_t *p = term->tiny, *end = p + term->tiny_bytes;
    for (uint32_t i = 0; i < term->df; i++) {
        if (!skip(&p, end, 1, &out->bytes_docids))
            return RP_DAMAGED;
        const uint8_t *at = p;
        uint32_t more;
        if (!skip(&p, end, 1, &out->bytes_freqs) || !rp__bits_varint32(&at, end, &more) ||
            more == UINT32_MAX)
            return RP_DAMAGED;
        if (s->positions && !skip(&p, end, more + 1, &out->bytes_positions))
            return RP_DAMAGED;
    }
    out->codec = "tiny";
    out->bytes = term->tiny_bytes;
    return RP_OK;
}

rp_status rp__list_cost_get(const rp__segment *s, const rp__term *term, rp_list_cost *out)
{
    rp__list list;
    *out = (rp_list_cost){.postings = term->df};
    if (term->tiny)
        return measure_tiny(s, term, out);
    rp_status status = rp__segment_list(s, term, NULL, &list);
    if (status != RP_OK)
        return status;
    out->codec = list.codec->name;
    out->blocks = list.n_blocks;
    out->bytes_docids = list.docs_bytes;
    out->bytes_freqs = list.freq_code ? list.freqs_bytes : 0;
    out->bytes_directory = term->list_bytes - out->bytes_docids - out->bytes_freqs;
    out->bytes_pruning = list.n_blocks + (list.kths ? RP_LIST_KTHS : 0);
    out->bytes_positions = term->pos_bytes;
    out->bytes = term->list_bytes + term->pos_bytes;
    return RP_OK;
}
