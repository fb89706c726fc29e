/* image.c: reads an image and believes nothing that it says: where parts lie, that they lie inside,
 * that sums are right, that blocks follow each other. Lists are checked one by one, when they are
 * used. image_writer.c writes them. */
#include "sim/image.h"

#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "sim/crc32c.h"
#include "sim/image_format.h"
#include "sim/sim.h"

static rp_status damaged(rp_error *err, const char *what)
{
    return rp__error_set(err, RP_DAMAGED, "the image is damaged: %s", what);
}

/* ---- Head and tail --------------------------------------------------------------------------- */

static rp_status open_head(rp__image *image, rp_error *err)
{
    rp__image_head head;
    memcpy(&head, image->bytes, sizeof head);
    if (memcmp(head.magic, RP_IMAGE_MAGIC, sizeof head.magic) != 0)
        return rp__error_set(err, RP_DAMAGED, "no IIU image: its first bytes are others");
    if (head.version != RP_IMAGE_VERSION)
        return rp__error_set(err, RP_INCOMPATIBLE,
                             "an IIU image of version %u; this program reads "
                             "version %d",
                             head.version, RP_IMAGE_VERSION);
    if (rp__crc32c(0, &head, offsetof(rp__image_head, crc32c)) != head.crc32c)
        return damaged(err, "its head has another checksum");
    image->n_docs = head.n_docs;
    image->max_size = head.max_size;
    image->dl_at = head.dl_at;
    image->k1 = head.k1;
    image->b = head.b;
    return RP_OK;
}

static bool lies_inside(uint64_t at, uint64_t bytes, uint64_t end)
{
    return at <= end && bytes <= end - at;
}

static rp_status open_tail(rp__image *image, rp__image_tail *tail, rp_error *err)
{
    const uint64_t end = image->n_bytes - sizeof *tail;
    memcpy(tail, image->bytes + end, sizeof *tail);
    if (memcmp(tail->magic, RP_IMAGE_MAGIC_END, sizeof tail->magic) != 0 ||
        tail->image_bytes != image->n_bytes)
        return damaged(err, "it is cut short, or something follows it");
    if (rp__crc32c(0, tail, offsetof(rp__image_tail, crc32c)) != tail->crc32c)
        return damaged(err, "its tail has another checksum");
    const uint64_t entries = tail->n_lists * sizeof(rp__image_entry);
    if (tail->n_lists > UINT32_MAX || tail->directory_at % RP_IMAGE_LINE ||
        !lies_inside(tail->directory_at, tail->directory_bytes, end) ||
        entries > tail->directory_bytes)
        return damaged(err, "its directory lies elsewhere");
    image->directory_at = tail->directory_at;
    image->names_at = tail->directory_at + entries;
    image->names_bytes = tail->directory_bytes - entries;
    image->n_lists = tail->n_lists;
    image->n_postings = tail->n_postings;
    return RP_OK;
}

static rp_status check_dl(const rp__image *image, uint32_t crc, rp_error *err)
{
    const uint64_t bytes = 4 * (uint64_t)image->n_docs;
    if (image->dl_at % RP_IMAGE_LINE || !lies_inside(image->dl_at, bytes, image->directory_at))
        return damaged(err, "constants of documents lie elsewhere");
    if (rp__crc32c(0, image->bytes + image->dl_at, bytes) != crc)
        return damaged(err, "constants of documents have another checksum");
    for (uint32_t i = 0; i < image->n_docs; i++)
        if (rp__image_dl(image, i) == 0)
            return damaged(err, "the constant of a document is 0");
    return RP_OK;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static rp__image_entry entry_at(const rp__image *image, uint64_t i)
{
    rp__image_entry entry;
    memcpy(&entry, image->bytes + image->directory_at + i * sizeof entry, sizeof entry);
    return entry;
}

void rp__image_name(const rp__image *image, uint64_t i, const char **name, size_t *bytes)
{
    const rp__image_entry entry = entry_at(image, i);
    *name = (const char *)image->bytes + image->names_at + entry.name_at;
    *bytes = entry.name_bytes;
}

static int compare(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    const int order = memcmp(a, b, a_bytes < b_bytes ? a_bytes : b_bytes);
    return order ? order : (a_bytes > b_bytes) - (a_bytes < b_bytes);
}

static rp_status check_names(const rp__image *image, uint32_t crc, rp_error *err)
{
    const uint64_t bytes = image->names_at + image->names_bytes - image->directory_at;
    const char *last = "";
    size_t last_bytes = 0;
    if (rp__crc32c(0, image->bytes + image->directory_at, bytes) != crc)
        return damaged(err, "its directory has another checksum");
    for (uint64_t i = 0; i < image->n_lists; i++) {
        const rp__image_entry entry = entry_at(image, i);
        if (!lies_inside(entry.name_at, entry.name_bytes, image->names_bytes) ||
            entry.list_at % RP_IMAGE_LINE ||
            !lies_inside(entry.list_at, RP_IMAGE_LINE, image->directory_at))
            return damaged(err, "an entry of its directory points outside");
        const char *name = (const char *)image->bytes + image->names_at + entry.name_at;
        if (compare(last, last_bytes, name, entry.name_bytes) >= 0)
            return damaged(err, "names do not rise");
        last = name;
        last_bytes = entry.name_bytes;
    }
    return RP_OK;
}

rp_status rp__image_find(const rp__image *image, const char *name, size_t bytes, uint64_t *i)
{
    uint64_t low = 0, high = image->n_lists;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const char *found;
        size_t found_bytes;
        rp__image_name(image, middle, &found, &found_bytes);
        const int order = compare(name, bytes, found, found_bytes);
        *i = middle;
        if (order == 0)
            return RP_OK;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return RP_NOT_FOUND;
}

rp_status rp__image_open(const uint8_t *bytes, size_t n, rp__image *out, rp_error *err)
{
    rp__image_tail tail;
    *out = (rp__image){.bytes = bytes, .n_bytes = n};
    if (n < sizeof(rp__image_head) + sizeof tail)
        return rp__error_set(err, RP_DAMAGED, "no IIU image: it has only %zu bytes", n);
    rp_status status = open_head(out, err);
    if (status == RP_OK)
        status = open_tail(out, &tail, err);
    if (status == RP_OK)
        status = check_dl(out, tail.dl_crc, err);
    return status == RP_OK ? check_names(out, tail.directory_crc, err) : status;
}

uint32_t rp__image_dl(const rp__image *image, uint32_t docid)
{
    return rp__load32(image->bytes + image->dl_at + 4 * (uint64_t)docid);
}

/* ---- Lists ----------------------------------------------------------------------------------- */

enum { PAIR = 16, ALL_FLAGS = RP_IMAGE_HAS_BOUNDS | RP_IMAGE_PAIRED | RP_IMAGE_BP128 };

/* Skip values, and the bounds after them; or records. */
static uint64_t skip_bytes(const rp__image_header *h)
{
    const uint64_t each = h->flags & RP_IMAGE_PAIRED       ? PAIR
                          : h->flags & RP_IMAGE_HAS_BOUNDS ? 5
                                                           : 4;
    return each * h->n_blocks;
}

static bool has_parts_inside(const rp__image *image, const rp__image_header *h)
{
    const uint64_t end = image->directory_at;
    return h->n_blocks > 0 && h->n_postings >= h->n_blocks &&
           h->n_postings <= (uint64_t)h->n_blocks * RP_IIU_BLOCK_LARGEST &&
           h->n_postings <= image->n_docs && h->last_doc < image->n_docs &&
           h->payload_bits <= 8 * image->n_bytes && lies_inside(h->skip_at, skip_bytes(h), end) &&
           (h->flags & RP_IMAGE_PAIRED ? h->skip_at % PAIR == 0 && h->meta_at == h->skip_at + 8
                                       : lies_inside(h->meta_at, 8 * (uint64_t)h->n_blocks, end)) &&
           lies_inside(h->payload_at, (h->payload_bits + 7) / 8, end);
}

static uint32_t sum_list(const rp__image *image, const rp__image_header *h)
{
    uint32_t crc = rp__crc32c(0, h, offsetof(rp__image_header, crc32c));
    if (!(h->flags & RP_IMAGE_PAIRED))
        crc = rp__crc32c(crc, image->bytes + h->meta_at, 8 * (size_t)h->n_blocks);
    crc = rp__crc32c(crc, image->bytes + h->skip_at, (size_t)skip_bytes(h));
    return rp__crc32c(crc, image->bytes + h->payload_at, (h->payload_bits + 7) / 8);
}

/* Blocks without a gap between them, as many postings as the header says. */
static uint64_t meta_of(const rp__image *image, uint64_t meta_at, uint32_t flags, uint64_t b)
{
    return rp__load64(image->bytes + meta_at + (flags & RP_IMAGE_PAIRED ? PAIR : 8) * b);
}

/* The widths in a block of bp128 are those of its metadata; the block lies in the payload. */
static bool is_sound_block(const rp__image *image, const rp__image_header *h, uint64_t meta)
{
    return !(h->flags & RP_IMAGE_BP128) ||
           rp__image_bp128_is_sound(image->bytes + h->payload_at, meta);
}

static bool has_sound_blocks(const rp__image *image, const rp__image_header *h)
{
    uint64_t bits = 0, postings = 0;
    for (uint32_t b = 0; b < h->n_blocks; b++) {
        const uint64_t meta = meta_of(image, h->meta_at, h->flags, b);
        const uint64_t count = meta >> 10 & 2047;
        if (count == 0 || meta >> 21 != bits)
            return false;
        bits += rp__sim_block_bits(h->flags, meta);
        if (bits > h->payload_bits || !is_sound_block(image, h, meta))
            return false;
        postings += count;
    }
    return bits == h->payload_bits && postings == h->n_postings;
}

rp_status rp__image_get_list(const rp__image *image, uint64_t i, rp__image_list *out, rp_error *err)
{
    const rp__image_entry entry = entry_at(image, i);
    rp__image_header h;
    memcpy(&h, image->bytes + entry.list_at, sizeof h);
    if (h.magic != RP_IMAGE_LIST_MAGIC || h.flags & ~(uint32_t)ALL_FLAGS)
        return damaged(err, "the header of a list has another magic number");
    if (!has_parts_inside(image, &h))
        return damaged(err, "parts of a list lie outside");
    if (sum_list(image, &h) != h.crc32c)
        return damaged(err, "a list has another checksum");
    if (!has_sound_blocks(image, &h))
        return damaged(err, "blocks of a list do not follow each other");
    *out = (rp__image_list){.at = entry.list_at,
                            .skip_at = h.skip_at,
                            .meta_at = h.meta_at,
                            .payload_at = h.payload_at,
                            .payload_bits = h.payload_bits,
                            .n_postings = (uint32_t)h.n_postings,
                            .n_blocks = h.n_blocks,
                            .idf_bar = h.idf_bar,
                            .last_doc = h.last_doc,
                            .flags = h.flags};
    return RP_OK;
}

/* n postings from a bit on. At least a tail's bytes lie behind every payload. */
static rp_status decode_block(const uint8_t *payload, uint64_t meta, uint64_t docid,
                              uint32_t *docids, uint32_t *tfs)
{
    const uint32_t gap = meta & 31, tf = meta >> 5 & 31, n = meta >> 10 & 2047;
    const uint64_t gap_mask = (UINT64_C(1) << gap) - 1, tf_mask = (UINT64_C(1) << tf) - 1;
    uint64_t bit = meta >> 21;
    for (uint32_t i = 0; i < n; i++, bit += gap + tf) {
        const uint64_t step = rp__load64(payload + bit / 8) >> bit % 8 & gap_mask;
        const uint64_t tf_bit = bit + gap;
        tfs[i] = (uint32_t)(rp__load64(payload + tf_bit / 8) >> tf_bit % 8 & tf_mask);
        docid += step;
        if ((i > 0) != (step > 0) || tfs[i] == 0 || docid > UINT32_MAX)
            return RP_DAMAGED;
        docids[i] = (uint32_t)docid;
    }
    return RP_OK;
}

rp_status rp__image_decode(const rp__image *image, const rp__image_list *list, uint32_t *docids,
                           uint32_t *tfs)
{
    uint64_t next = 0;
    for (uint32_t b = 0, done = 0; b < list->n_blocks; b++) {
        const bool is_paired = list->flags & RP_IMAGE_PAIRED;
        const uint64_t meta = meta_of(image, list->meta_at, list->flags, b);
        const uint32_t skip =
            rp__load32(image->bytes + list->skip_at + (is_paired ? PAIR : 4) * (uint64_t)b);
        const uint8_t *payload = image->bytes + list->payload_at;
        if (skip < next ||
            (list->flags & RP_IMAGE_BP128
                 ? rp__image_bp128_decode(payload, meta, skip, docids + done, tfs + done)
                 : decode_block(payload, meta, skip, docids + done, tfs + done)) != RP_OK)
            return RP_DAMAGED;
        done += meta >> 10 & 2047;
        next = (uint64_t)docids[done - 1] + 1;
    }
    return next == (uint64_t)list->last_doc + 1 ? RP_OK : RP_DAMAGED;
}
