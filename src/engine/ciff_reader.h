/* engine/ciff_reader.h: interior of engine: a CIFF v1 file, message by message, a posting at a
 * time.
 *
 * A file is messages of protobuf, each behind its length: a header, postings lists, documents.
 * Nothing in it is trusted: every fault is RP_INPUT with the byte where it stands (RP_LIMIT where a
 * number is larger than an index can be), counted in the unpacked file. One thread at a time. */
#ifndef RP_ENGINE_CIFF_READER_H
#define RP_ENGINE_CIFF_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "riposte/status.h"
#include "store/store.h"

typedef struct rp__ciff_reader rp__ciff_reader;

typedef struct rp__ciff_header {
    uint64_t lists, docs;             /* in this file */
    uint64_t total_lists, total_docs; /* in the collection that it is of */
    uint64_t total_tokens;
    double average_length;
} rp__ciff_header;

typedef struct rp__ciff_list {
    const char *term; /* valid until the first posting is read */
    size_t term_bytes;
    uint64_t df, cf; /* as the list says before its postings; 0: it does not */
    uint64_t at;     /* byte of the file */
} rp__ciff_list;

typedef struct rp__ciff_doc {
    const char *id; /* valid until the next call */
    size_t id_bytes;
    uint32_t length;
    uint64_t at;
} rp__ciff_doc;

/* Opens and reads the header. A FIFO is waited for; goes_on as in rp__input_options. */
rp_status rp__ciff_reader_open(const char *path, rp__goes_on_fn *goes_on, void *goes_on_arg,
                               rp__ciff_reader **out, rp_error *err);
void rp__ciff_reader_close(rp__ciff_reader *reader);             /* NULL is fine */
const char *rp__ciff_reader_name(const rp__ciff_reader *reader); /* of the file, for messages */
const rp__ciff_header *rp__ciff_reader_header(const rp__ciff_reader *reader);
/* Bytes of the file itself read so far, and its size; 0: not known. */
void rp__ciff_reader_progress(const rp__ciff_reader *reader, uint64_t *done, uint64_t *of);

/* The next of header->lists lists; then all its postings must be read. */
rp_status rp__ciff_reader_list(rp__ciff_reader *reader, rp__ciff_list *out, rp_error *err);
/* The list's next postings, up to `cap` of them; none: it is at its end. Docids rise and are below
 * header->docs. */
rp_status rp__ciff_reader_postings(rp__ciff_reader *reader, uint32_t *docids, uint32_t *tfs,
                                   size_t cap, size_t *n, rp_error *err);
/* The next of header->docs documents, whose docids are 0, 1, 2, ... */
rp_status rp__ciff_reader_doc(rp__ciff_reader *reader, rp__ciff_doc *out, rp_error *err);
/* RP_INPUT if something follows the last document. */
rp_status rp__ciff_reader_end(rp__ciff_reader *reader, rp_error *err);

#endif
