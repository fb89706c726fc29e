/* reseal.h: makes the checksums of damaged files right again, so that what lies behind them is put
 * to the test. For tests and fuzz targets only.
 *
 * Walks a section file by its own table as far as that makes sense; what makes none stays as it
 * is. */
#ifndef RP_TESTS_FAULT_RESEAL_H
#define RP_TESTS_FAULT_RESEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "index/format.h"
#include "store/section.h"
#include "store/store.h"

/* The files of an index by kind; a file that is not there has NULL and 0. */
typedef struct reseal_files {
    uint8_t *at[RP_FILE_KINDS];
    size_t bytes[RP_FILE_KINDS];
} reseal_files;

/* Where the table lies; 0 entries if it cannot be told. */
static inline uint8_t *reseal_table(const uint8_t *at, size_t n, size_t *entries)
{
    rp__section_footer footer;
    *entries = 0;
    if (n < sizeof(rp__section_header) + sizeof footer)
        return NULL;
    memcpy(&footer, at + n - sizeof footer, sizeof footer);
    size_t room = n - sizeof footer;
    if (footer.table_offset > room || footer.table_offset % 8 != 0 ||
        footer.n_sections > RP_SECTION_MOST ||
        footer.n_sections * sizeof(rp__section_entry) != room - footer.table_offset)
        return NULL;
    *entries = (size_t)footer.n_sections;
    return (uint8_t *)(uintptr_t)(at + footer.table_offset);
}

/* The i-th entry of a table, which may stand at any address. */
static inline rp__section_entry reseal_entry(const uint8_t *table, size_t i)
{
    rp__section_entry e;
    memcpy(&e, table + i * sizeof e, sizeof e);
    return e;
}

/* The bytes of a section of the file, or NULL. */
static inline uint8_t *reseal_section(uint8_t *at, size_t n, uint32_t id, size_t *bytes)
{
    size_t entries;
    const uint8_t *table = reseal_table(at, n, &entries);
    for (size_t i = 0; i < entries; i++) {
        rp__section_entry e = reseal_entry(table, i);
        if (e.id != id || e.offset > n || e.bytes > n - e.offset)
            continue;
        *bytes = (size_t)e.bytes;
        return at + e.offset;
    }
    return NULL;
}

/* Sections, table, header, footer; the footer's checksum, which the manifest keeps. */
static inline uint64_t reseal_file(uint8_t *at, size_t n)
{
    size_t entries;
    rp__section_footer footer;
    uint8_t *table = reseal_table(at, n, &entries);
    for (size_t i = 0; i < entries; i++) {
        rp__section_entry e = reseal_entry(table, i);
        if (e.offset <= n && e.bytes <= n - e.offset)
            e.checksum = rp__checksum(at + e.offset, (size_t)e.bytes);
        memcpy(table + i * sizeof e, &e, sizeof e);
    }
    if (n < sizeof(rp__section_header) + sizeof footer)
        return 0;
    memcpy(&footer, at + n - sizeof footer, sizeof footer);
    footer.header_checksum = rp__checksum(at, sizeof(rp__section_header));
    if (table)
        footer.table_checksum = rp__checksum(table, entries * sizeof(rp__section_entry));
    footer.file_bytes = n;
    footer.checksum = rp__checksum(&footer, offsetof(rp__section_footer, checksum));
    memcpy(footer.magic, RP_SECTION_MAGIC_END, sizeof footer.magic);
    memcpy(at + n - sizeof footer, &footer, sizeof footer);
    return footer.checksum;
}

/* All files, and what the manifest says of their sizes and checksums. */
static inline void reseal_all(reseal_files *f)
{
    size_t bytes = 0;
    uint8_t *meta = reseal_section(f->at[RP_FILE_MANIFEST], f->bytes[RP_FILE_MANIFEST],
                                   RP_SECTION_META, &bytes);
    for (int kind = RP_FILE_TERMS; kind < RP_FILE_KINDS; kind++) {
        rp__meta_file seal = {.bytes = f->bytes[kind]};
        if (!f->at[kind])
            continue;
        seal.checksum = reseal_file(f->at[kind], f->bytes[kind]);
        if (meta && bytes == sizeof(rp__meta))
            memcpy(meta + offsetof(rp__meta, files) + (size_t)kind * sizeof seal, &seal,
                   sizeof seal);
    }
    if (f->at[RP_FILE_MANIFEST])
        reseal_file(f->at[RP_FILE_MANIFEST], f->bytes[RP_FILE_MANIFEST]);
}

#endif
