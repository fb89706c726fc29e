/* segment_aux.c: the auxiliary sections of the lists file: for each kind, offsets by list and then the
 * bytes of each. Every number is checked where it is used. */
#include "base/error.h"
#include "index/segment.h"

static rp_status damaged(const rp__section_file *f, rp_error *err)
{
    return rp__error_set(err, RP_DAMAGED,
                         "%s: its auxiliary sections do not fit; build the index again",
                         rp__section_file_name(f));
}

static rp_status open_kind(rp__segment *s, size_t id, rp_error *err)
{
    const rp__section_file *f = s->files[RP_FILE_LISTS];
    uint32_t section = RP_SECTION_AUX + (uint32_t)id;
    if (!rp__section_file_has(f, section))
        return RP_OK;
    rp_status status = rp__section_file_get(f, section, &s->aux[id], &s->aux_bytes[id], err);
    if (status == RP_OK && (!s->aux_lists || s->aux_bytes[id] / sizeof(uint64_t) <= s->n_aux_lists))
        status = damaged(f, err);
    return status;
}

rp_status rp__segment_aux_open(rp__segment *s, rp_error *err)
{
    const rp__section_file *f = s->files[RP_FILE_LISTS];
    rp_status status = RP_OK;
    if (rp__section_file_has(f, RP_SECTION_AUX_LISTS)) {
        const uint8_t *at;
        size_t bytes;
        status = rp__section_file_get(f, RP_SECTION_AUX_LISTS, &at, &bytes, err);
        if (status == RP_OK && bytes % sizeof *s->aux_lists != 0)
            status = damaged(f, err);
        s->aux_lists = (const uint64_t *)(const void *)at;
        s->n_aux_lists = bytes / sizeof *s->aux_lists;
    }
    for (size_t id = 0; id < RP_AUX_KINDS && status == RP_OK; id++)
        status = open_kind(s, id, err);
    return status;
}

/* The number of the list among those that have auxiliary data. */
static bool find_list(const rp__segment *s, uint64_t list_offset, size_t *i)
{
    size_t low = 0, high = s->n_aux_lists;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (s->aux_lists[mid] < list_offset)
            low = mid + 1;
        else
            high = mid;
    }
    *i = low;
    return low < s->n_aux_lists && s->aux_lists[low] == list_offset;
}

rp_status rp__segment_aux(const rp__segment *s, const rp__aux_kind *kind, const rp__term *term,
                          rp__aux *out)
{
    enum { ALIGN = 16 };
    size_t i;
    const uint8_t *at = s->aux[kind->id];
    if (!at || term->tiny || term->df <= RP_BLOCK)
        return RP_NOT_FOUND;
    if (!find_list(s, term->list_offset, &i))
        return RP_DAMAGED;
    const uint64_t *offsets = (const uint64_t *)(const void *)at;
    uint64_t from = offsets[i], to = offsets[i + 1];
    if (from > to || to > s->aux_bytes[kind->id] || from % ALIGN != 0)
        return RP_DAMAGED;
    rp_status status = kind->open(kind, at + from, (size_t)(to - from), term->df,
                                  (uint32_t)s->manifest.meta.docs, out);
    if (status == RP_OK) {
        out->from = at + from;
        out->bytes = (size_t)(to - from);
    }
    return status;
}
