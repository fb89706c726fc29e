/* image_writer.c: makes an image from front to back: head, constants of documents, lists, directory,
 * tail. Whoever calls puts the bytes where they belong. */
#include "sim/image.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "sim/crc32c.h"
#include "sim/image_format.h"

enum { DEFAULT_SIZE = 256, BP128_SIZE = 128, PAIR = 16 };

/* ---- Lists ----------------------------------------------------------------------------------- */

void rp__image_writer_put_header(const rp__image_list *list, uint32_t crc,
                                 uint8_t out[RP_IMAGE_LINE])
{
    const rp__image_header header = {.magic = RP_IMAGE_LIST_MAGIC,
                                     .flags = list->flags,
                                     .n_postings = list->n_postings,
                                     .n_blocks = list->n_blocks,
                                     .idf_bar = list->idf_bar,
                                     .skip_at = list->skip_at,
                                     .meta_at = list->meta_at,
                                     .payload_at = list->payload_at,
                                     .payload_bits = list->payload_bits,
                                     .last_doc = list->last_doc,
                                     .crc32c = crc};
    memcpy(out, &header, sizeof header);
}

/* Skip values, and the bounds after them. */
static uint64_t skip_bytes(const rp__image_list *list)
{
    return (list->flags & RP_IMAGE_HAS_BOUNDS ? 5 : 4) * (uint64_t)list->n_blocks;
}

/* A short list's arrays follow the header without holes; those of others begin lines. */
static void place_arrays(rp__image_list *list)
{
    if (list->n_blocks == 1 && list->n_postings <= RP_IMAGE_INLINE) {
        list->meta_at = list->at + RP_IMAGE_LINE;
        list->skip_at = list->meta_at + 8;
        list->payload_at = list->skip_at + 4;
        list->flags &= RP_IMAGE_BP128;
        return;
    }
    list->skip_at = list->at + RP_IMAGE_LINE;
    if (list->flags & RP_IMAGE_PAIRED) {
        list->meta_at = list->skip_at + 8;
        list->payload_at =
            rp__bits_align(list->skip_at + PAIR * (uint64_t)list->n_blocks, RP_IMAGE_LINE);
        return;
    }
    list->meta_at = rp__bits_align(list->skip_at + skip_bytes(list), RP_IMAGE_LINE);
    list->payload_at = rp__bits_align(list->meta_at + 8 * (uint64_t)list->n_blocks, RP_IMAGE_LINE);
}

/* A line behind the payload lets a unit read one ahead; a short list needs none. */
static uint64_t end_of(const rp__image_list *list)
{
    const uint64_t end =
        rp__bits_align(list->payload_at + (list->payload_bits + 7) / 8, RP_IMAGE_LINE);
    return list->n_postings <= RP_IMAGE_INLINE ? end : end + RP_IMAGE_LINE;
}

static uint32_t sum_list(const rp__image_list *list, const uint8_t *bytes)
{
    uint32_t crc = rp__crc32c(0, bytes, offsetof(rp__image_header, crc32c));
    if (list->flags & RP_IMAGE_PAIRED) {
        crc = rp__crc32c(crc, bytes + (list->skip_at - list->at), PAIR * (size_t)list->n_blocks);
    } else {
        crc = rp__crc32c(crc, bytes + (list->meta_at - list->at), 8 * (size_t)list->n_blocks);
        crc = rp__crc32c(crc, bytes + (list->skip_at - list->at), (size_t)skip_bytes(list));
    }
    return rp__crc32c(crc, bytes + (list->payload_at - list->at),
                      (size_t)(list->payload_bits + 7) / 8);
}

/* A whole list at the widest, and the 8 bytes that packing writes behind it. */
static size_t list_bound(uint32_t n, size_t n_blocks)
{
    return 5 * RP_IMAGE_LINE + (PAIR + 4) * n_blocks + (size_t)n * 8 + 8;
}

static void pair_up(uint8_t *records, const uint8_t *metas, const uint8_t *skips,
                    const uint8_t *bounds, size_t n_blocks)
{
    for (size_t b = 0; b < n_blocks; b++) {
        uint8_t *record = records + PAIR * b;
        memcpy(record, skips + 4 * b, 4);
        record[4] = bounds ? bounds[b] : 0;
        memcpy(record + 8, metas + 8 * b, 8);
    }
}

void rp__image_writer_put_list(rp__buf *out, uint64_t at, const rp__iiu_blocks *blocks,
                               const uint8_t *bounds, uint32_t flags, uint32_t idf_bar,
                               rp__image_list *list)
{
    const uint32_t n = blocks->ends[blocks->n_blocks - 1];
    rp__image_list l = {.at = at,
                        .n_postings = n,
                        .n_blocks = (uint32_t)blocks->n_blocks,
                        .idf_bar = idf_bar,
                        .last_doc = blocks->docids[n - 1],
                        .flags = flags | (bounds ? RP_IMAGE_HAS_BOUNDS : 0U)};
    const size_t bound = list_bound(n, blocks->n_blocks), apart = 12 * blocks->n_blocks;
    uint8_t *to = rp__buf_room(out, bound + apart);
    if (!to)
        return;
    memset(to, 0, bound + apart);
    place_arrays(&l);
    const bool is_paired = l.flags & RP_IMAGE_PAIRED;
    uint8_t *metas = is_paired ? to + bound : to + (l.meta_at - at);
    uint8_t *skips = is_paired ? metas + 8 * blocks->n_blocks : to + (l.skip_at - at);
    uint8_t *payload = to + (l.payload_at - at);
    l.payload_bits = l.flags & RP_IMAGE_BP128 ? rp__image_bp128_pack(blocks, metas, skips, payload)
                                              : rp__iiu_pack(blocks, metas, skips, payload);
    if (is_paired)
        pair_up(to + (l.skip_at - at), metas, skips, bounds, blocks->n_blocks);
    else if (l.flags & RP_IMAGE_HAS_BOUNDS)
        memcpy(skips + 4 * blocks->n_blocks, bounds, blocks->n_blocks);
    rp__image_writer_put_header(&l, 0, to);
    rp__image_writer_put_header(&l, sum_list(&l, to), to);
    out->n += (size_t)(end_of(&l) - at);
    if (list)
        *list = l;
}

/* ---- The file -------------------------------------------------------------------------------- */

static void put(rp__image_writer *w, const void *bytes, size_t n)
{
    rp__buf_put(&w->out, bytes, n);
    w->at += n;
}

static void align(rp__image_writer *w)
{
    const uint64_t to = rp__bits_align(w->at, RP_IMAGE_LINE);
    rp__buf_put_zeros(&w->out, (size_t)(to - w->at));
    w->at = to;
}

void rp__image_writer_begin(rp__image_writer *w, const rp__image_options *options, double k1,
                            double b, uint32_t n_docs)
{
    *w = (rp__image_writer){.options = *options, .dl_left = n_docs, .dl_at = RP_IMAGE_LINE};
    rp__buf_init(&w->out);
    rp__buf_init(&w->entries);
    rp__buf_init(&w->names);
    if (w->options.is_bp128)
        w->options.fixed = BP128_SIZE;
    if (!w->options.max_size)
        w->options.max_size = DEFAULT_SIZE;
    rp__image_head head = {.magic = RP_IMAGE_MAGIC,
                           .version = RP_IMAGE_VERSION,
                           .flags =
                               (w->options.of == RP_IIU_COST_PAPER) | (w->options.fixed ? 2U : 0U) |
                               (w->options.has_bounds ? 4U : 0U) |
                               (w->options.is_paired ? 8U : 0U) | (w->options.is_bp128 ? 16U : 0U),
                           .n_docs = n_docs,
                           .max_size = w->options.fixed ? w->options.fixed : w->options.max_size,
                           .dl_at = w->dl_at,
                           .k1 = k1,
                           .b = b};
    head.crc32c = rp__crc32c(0, &head, offsetof(rp__image_head, crc32c));
    put(w, &head, sizeof head);
}

/* A failed allocation is left in `out`. */
static void keep_dl(rp__image_writer *w, const uint32_t *dl, size_t n)
{
    if (!rp__alloc_grow(&w->dl, &w->cap_dl, w->n_dl + n, sizeof *w->dl)) {
        w->out.failed = true;
        return;
    }
    memcpy(w->dl + w->n_dl, dl, n * sizeof *dl);
    w->n_dl += n;
}

void rp__image_writer_dl(rp__image_writer *w, const uint32_t *dl, size_t n)
{
    if (w->options.has_bounds && n > 0)
        keep_dl(w, dl, n);
    w->dl_crc = rp__crc32c(w->dl_crc, dl, n * sizeof *dl);
    w->dl_left -= (uint32_t)n;
    put(w, dl, n * sizeof *dl);
    if (w->dl_left == 0)
        align(w);
}

static size_t cut(rp__image_writer *w, const uint32_t *docids, const uint32_t *tfs, uint32_t n)
{
    const rp__image_options *o = &w->options;
    if (!o->fixed)
        return rp__iiu_partition_cut(docids, tfs, n, o->max_size, o->of, w->scratch, w->ends);
    size_t n_blocks = 0;
    for (uint64_t end = o->fixed; end < (uint64_t)n + o->fixed; end += o->fixed)
        w->ends[n_blocks++] = (uint32_t)(end < n ? end : n);
    return n_blocks;
}

static void bound_blocks(rp__image_writer *w, const rp__iiu_blocks *blocks)
{
    for (size_t b = 0, i = 0; b < blocks->n_blocks; b++) {
        uint64_t bound = 0;
        for (; i < blocks->ends[b]; i++) {
            const uint64_t tf = (uint64_t)blocks->tfs[i] << 16;
            const uint64_t sum = tf + w->dl[blocks->docids[i]];
            const uint64_t ratio = (255 * tf + sum - 1) / sum;
            bound = ratio > bound ? ratio : bound;
        }
        w->bounds[b] = (uint8_t)bound;
    }
}

static bool is_in_range(const uint32_t *docids, const uint32_t *tfs, uint32_t n)
{
    uint32_t any = docids[n - 1];
    for (uint32_t i = 0; i < n; i++)
        any |= tfs[i];
    return any <= INT32_MAX;
}

rp_status rp__image_writer_list(rp__image_writer *w, const char *name, size_t bytes,
                                const uint32_t *docids, const uint32_t *tfs, uint32_t n,
                                uint32_t idf_bar)
{
    if (!is_in_range(docids, tfs, n))
        return RP_LIMIT;
    const size_t scratch = rp__iiu_partition_scratch(n, w->options.max_size);
    if (!rp__alloc_grow(&w->scratch, &w->cap_scratch, scratch, sizeof *w->scratch) ||
        !rp__alloc_grow(&w->ends, &w->cap_ends, n, sizeof *w->ends) ||
        !rp__alloc_grow(&w->bounds, &w->cap_bounds, n, 1) || w->out.failed)
        return RP_NO_MEMORY;
    const rp__iiu_blocks blocks = {docids, tfs, w->ends, cut(w, docids, tfs, n), w->options.of};
    const rp__image_entry entry = {w->at, (uint32_t)w->names.n, (uint32_t)bytes};
    const size_t before = w->out.n;
    const uint32_t flags =
        (w->options.is_paired ? RP_IMAGE_PAIRED : 0U) | (w->options.is_bp128 ? RP_IMAGE_BP128 : 0U);
    if (w->names.n + bytes > UINT32_MAX)
        return RP_LIMIT;
    if (w->options.has_bounds)
        bound_blocks(w, &blocks);
    rp__image_writer_put_list(&w->out, w->at, &blocks, w->options.has_bounds ? w->bounds : NULL,
                              flags, idf_bar, NULL);
    rp__buf_put(&w->entries, &entry, sizeof entry);
    rp__buf_put(&w->names, name, bytes);
    w->at += w->out.n - before;
    w->n_lists++;
    w->n_postings += n;
    return w->out.failed || w->entries.failed || w->names.failed ? RP_NO_MEMORY : RP_OK;
}

rp_status rp__image_writer_end(rp__image_writer *w)
{
    align(w);
    rp__image_tail tail = {.directory_at = w->at,
                           .directory_bytes = w->entries.n + w->names.n,
                           .n_lists = w->n_lists,
                           .n_postings = w->n_postings,
                           .dl_crc = w->dl_crc,
                           .magic = RP_IMAGE_MAGIC_END};
    tail.directory_crc = rp__crc32c(0, w->entries.at, w->entries.n);
    tail.directory_crc = rp__crc32c(tail.directory_crc, w->names.at, w->names.n);
    put(w, w->entries.at, w->entries.n);
    put(w, w->names.at, w->names.n);
    align(w);
    tail.image_bytes = w->at + sizeof tail;
    tail.crc32c = rp__crc32c(0, &tail, offsetof(rp__image_tail, crc32c));
    put(w, &tail, sizeof tail);
    return w->out.failed || w->entries.failed || w->names.failed ? RP_NO_MEMORY : RP_OK;
}

void rp__image_writer_free(rp__image_writer *w)
{
    rp__buf_free(&w->out);
    rp__buf_free(&w->entries);
    rp__buf_free(&w->names);
    rp__free(w->scratch);
    rp__free(w->ends);
    rp__free(w->bounds);
    rp__free(w->dl);
    *w = (rp__image_writer){0};
}
