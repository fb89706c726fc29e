/* sim/image.h: the machine's memory as one run of bytes, or a file: constants of documents, lists,
 * their names.
 *
 * Chapters: 1 lists; 2 writing; 3 reading. docs/format.md, "IIU images", has the bytes. An image is
 * untrusted: reading is memory-safe on any bytes and says RP_DAMAGED for what cannot be. No file is
 * opened here. */
#ifndef RP_SIM_IMAGE_H
#define RP_SIM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "codec/iiu_pack.h"
#include "riposte/status.h"

enum {
    RP_IMAGE_LINE = 64,   /* bytes that memory gives at once */
    RP_IMAGE_VERSION = 1, /* of the file */
    RP_IMAGE_INLINE = 8,  /* a list of one block and so many postings follows its header */
};

/* ---- 1. Lists -------------------------------------------------------------------------------- */

/* Of a list: a byte a block follows the skip values: the largest tf / (tf + constant) of the block
 * in 1/255, rounded up. */
enum { RP_IMAGE_HAS_BOUNDS = 1 };
/* Of a list: a record of 16 bytes a block: skip value, bound, 3 bytes of 0, metadata. */
enum { RP_IMAGE_PAIRED = 2 };
/* Of a list: a block is two of codec bp128: gaps, the first of them 0, then frequencies less 1. */
enum { RP_IMAGE_BP128 = 4 };

/* What a list's header says. Addresses count bytes from the first one of the image. */
typedef struct rp__image_list {
    uint64_t at; /* of the header, a multiple of RP_IMAGE_LINE */
    uint64_t skip_at, meta_at, payload_at, payload_bits;
    uint32_t n_postings, n_blocks, idf_bar, last_doc;
    uint32_t flags; /* RP_IMAGE_HAS_BOUNDS, _PAIRED, _BP128 */
} rp__image_list;

/* The 64 bytes of a header; crc is that of its first 60 bytes and of the arrays. */
void rp__image_writer_put_header(const rp__image_list *list, uint32_t crc,
                                 uint8_t out[RP_IMAGE_LINE]);
/* Appends a header and arrays whose first byte has the address `at`, a multiple of RP_IMAGE_LINE;
 * the bytes are one too. `bounds` has a byte a block; NULL, and where the arrays follow the header
 * without holes: the list has none. `flags`: RP_IMAGE_PAIRED, RP_IMAGE_BP128. A failed allocation
 * is left in `out`. `list` may be NULL. */
void rp__image_writer_put_list(rp__buf *out, uint64_t at, const rp__iiu_blocks *blocks,
                               const uint8_t *bounds, uint32_t flags, uint32_t idf_bar,
                               rp__image_list *list);
/* What rp__iiu_pack does, for RP_IMAGE_BP128. */
uint64_t rp__image_bp128_pack(const rp__iiu_blocks *blocks, uint8_t *meta, uint8_t *skips,
                              uint8_t *bits);
/* Whether such a block begins at a byte and has the widths that its metadata say. */
bool rp__image_bp128_is_sound(const uint8_t *payload, uint64_t meta);
rp_status rp__image_bp128_decode(const uint8_t *payload, uint64_t meta, uint64_t docid,
                                 uint32_t *docids, uint32_t *tfs);

/* ---- 2. Writing ------------------------------------------------------------------------------ */

/* All zero: blocks of at most 256 postings, cut where that is cheapest. */
typedef struct rp__image_options {
    uint32_t max_size; /* postings of a block, 1 to 2047; 0: 256 */
    rp__iiu_cost of;   /* gaps that a block's width covers */
    uint32_t fixed;    /* not 0: every block but the last has so many postings, up to 2047 */
    bool has_bounds;   /* lists have bounds of their blocks */
    bool is_paired;    /* RP_IMAGE_PAIRED */
    bool is_bp128;     /* RP_IMAGE_BP128; fixed: 128 */
} rp__image_options;

/* One thread at a time. The caller takes the bytes of `out` whenever it likes, and clears it. */
typedef struct rp__image_writer {
    rp__image_options options;
    rp__buf out, entries, names;
    uint64_t at; /* address of the next byte */
    uint64_t dl_at, n_lists, n_postings;
    uint32_t dl_crc, dl_left; /* constants that are still to come */
    uint32_t *scratch, *ends;
    uint8_t *bounds;
    uint32_t *dl; /* has_bounds: the constants that have come */
    size_t cap_scratch, cap_ends, cap_bounds, cap_dl, n_dl;
} rp__image_writer;

/* k1 and b are written to the header for readers; nothing else uses them. */
void rp__image_writer_begin(rp__image_writer *w, const rp__image_options *options, double k1,
                            double b, uint32_t n_docs);
/* The constants of the next documents, none of them 0; all of them before the first list. */
void rp__image_writer_dl(rp__image_writer *w, const uint32_t *dl, size_t n);
/* Names rise. n >= 1 rising docids of documents whose constants have come, tfs >= 1. RP_LIMIT: a
 * docid or a frequency is 2^31 or more. */
rp_status rp__image_writer_list(rp__image_writer *w, const char *name, size_t bytes,
                                const uint32_t *docids, const uint32_t *tfs, uint32_t n,
                                uint32_t idf_bar);
rp_status rp__image_writer_end(rp__image_writer *w); /* the rest; RP_NO_MEMORY of any call before */
void rp__image_writer_free(rp__image_writer *w);

/* ---- 3. Reading ------------------------------------------------------------------------------ */

/* Views into the caller's bytes. Any thread, read only. */
typedef struct rp__image {
    const uint8_t *bytes;
    uint64_t n_bytes, dl_at, directory_at, names_at, names_bytes;
    uint64_t n_lists, n_postings;
    uint32_t n_docs, max_size;
    double k1, b;
} rp__image;

/* Checks head, tail, constants and names with their sums. RP_DAMAGED: they are wrong, or no image;
 * RP_INCOMPATIBLE: of another version. */
rp_status rp__image_open(const uint8_t *bytes, size_t n, rp__image *out, rp_error *err);
/* Lists by number, in the order of their names. i < n_lists. */
void rp__image_name(const rp__image *image, uint64_t i, const char **name, size_t *bytes);
/* RP_NOT_FOUND: there is no such list. */
rp_status rp__image_find(const rp__image *image, const char *name, size_t bytes, uint64_t *i);
/* Checks the header, its sum, and that blocks follow each other inside the payload. */
rp_status rp__image_get_list(const rp__image *image, uint64_t i, rp__image_list *out,
                             rp_error *err);
/* All postings; the arrays have list->n_postings. RP_DAMAGED: they do not rise, pass last_doc or a
 * block's skip value, or a frequency is 0. */
rp_status rp__image_decode(const rp__image *image, const rp__image_list *list, uint32_t *docids,
                           uint32_t *tfs);
/* The constant of a document, docid < n_docs. */
uint32_t rp__image_dl(const rp__image *image, uint32_t docid);

#endif
