/* list_cost.c: the bytes of a list by what they hold. */
#include "index/tiny.h"

static rp_status measure_tiny(const rp__segment *s, const rp__term *term, rp_list_cost *out)
{
    rp__tiny tiny;
    rp_status status = rp__tiny_get(s, term, &tiny);
    if (status != RP_OK)
        return status;
    out->codec = "tiny";
    out->bytes_docids = tiny.bytes_docids;
    out->bytes_freqs = tiny.bytes_freqs;
    out->bytes_positions = tiny.bytes_gaps;
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
