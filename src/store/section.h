/* store/section.h: interior of store: the bytes of a section file. docs/format.md describes
 * them. */
#ifndef RP_STORE_SECTION_H
#define RP_STORE_SECTION_H

#include <stdint.h>

#define RP_SECTION_MAGIC     "\x89RIP\r\n\x1a\n"
#define RP_SECTION_MAGIC_END "\n\x1a\n\rPIR\x89"

enum {
    RP_SECTION_VERSION = 1,
    RP_SECTION_ALIGN = 64,
    RP_SECTION_MOST = 64, /* sections of a file */
};

typedef struct rp__section_header {
    char magic[8];
    uint32_t kind, version;
    uint64_t required; /* features a reader must know: RP_FEATURE_ bits */
    uint64_t optional; /* features a reader may pass over */
    uint64_t zero[4];
} rp__section_header;

typedef struct rp__section_entry {
    uint32_t id, zero;
    uint64_t offset, bytes, checksum;
} rp__section_entry;

typedef struct rp__section_footer {
    uint64_t table_offset, n_sections;
    uint64_t header_checksum, table_checksum;
    uint64_t file_bytes, zero;
    uint64_t checksum; /* of the six fields above */
    char magic[8];
} rp__section_footer;

_Static_assert(sizeof(rp__section_header) == 64, "header");
_Static_assert(sizeof(rp__section_entry) == 32, "entry");
_Static_assert(sizeof(rp__section_footer) == 64, "footer");

#endif
