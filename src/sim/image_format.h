/* image_format.h: the bytes of an image (docs/format.md, "IIU images"). Interior of the room. */
#ifndef RP_SIM_IMAGE_FORMAT_H
#define RP_SIM_IMAGE_FORMAT_H

#include <stdint.h>

#define RP_IMAGE_MAGIC     "\x89IIU1\r\n\x1a"
#define RP_IMAGE_MAGIC_END "\x1a\n\r1UII\x89"

enum { RP_IMAGE_LIST_MAGIC = 0x31554949 }; /* "IIU1" */

/* The first line. */
typedef struct rp__image_head {
    char magic[8];
    uint32_t version, flags; /* bits: 0 widths cover first gaps; 1 blocks of one size; 2 bounds */
    uint32_t n_docs, max_size;
    uint64_t dl_at;
    double k1, b;
    uint32_t zero[3], crc32c; /* of all before it */
} rp__image_head;

/* The last line. */
typedef struct rp__image_tail {
    uint64_t directory_at, directory_bytes; /* entries and names */
    uint64_t n_lists, image_bytes, n_postings;
    uint32_t dl_crc, directory_crc;
    char magic[8];
    uint32_t zero, crc32c; /* of all before it */
} rp__image_tail;

/* Of the directory, one a list; then the names' bytes. */
typedef struct rp__image_entry {
    uint64_t list_at;
    uint32_t name_at, name_bytes; /* from the first byte of names */
} rp__image_entry;

typedef struct rp__image_header {
    uint32_t magic, flags;
    uint64_t n_postings;
    uint32_t n_blocks, idf_bar;
    uint64_t skip_at, meta_at, payload_at, payload_bits;
    uint32_t last_doc, crc32c; /* of all before it, metadata, skip values, payload */
} rp__image_header;

_Static_assert(sizeof(rp__image_head) == 64, "head");
_Static_assert(sizeof(rp__image_tail) == 64, "tail");
_Static_assert(sizeof(rp__image_entry) == 16, "entry");
_Static_assert(sizeof(rp__image_header) == 64, "list header");

#endif
