/* engine/corpus.h: interior of engine: collections to documents.
 *
 * Reading is cut in two so that threads can share it: a batch is raw records, taken in order by one
 * thread; parsing a record of a batch into a document can be done by any thread that has a parser.
 * Where batches end depends on the input alone. */
#ifndef RP_ENGINE_CORPUS_H
#define RP_ENGINE_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "engine/skip_list.h"
#include "riposte/index.h"
#include "riposte/status.h"
#include "store/store.h"

/* a batch ends when it has reached either */
enum { RP_BATCH_RECORDS = 1024, RP_BATCH_BYTES = 1 << 20 };

typedef struct rp__corpus_format rp__corpus_format; /* a row: jsonl, csv, html, text, ... */

/* Where ids come from. */
typedef enum rp__ids {
    RP_IDS_AUTO,     /* the field, otherwise a number; of a file that is one document, its path */
    RP_IDS_FIELD,    /* the same, and a record without id is a fault */
    RP_IDS_RELATIVE, /* the path below the folder given, and #N where a file has many records */
    RP_IDS_PATH,     /* the whole path, likewise */
    RP_IDS_NUMBER,   /* a number */
} rp__ids;

/* RP_USAGE: no such name; NULL is RP_IDS_AUTO. */
rp_status rp__corpus_find_ids(const char *name, rp__ids *out, rp_error *err);

/* What the columns of a table are for: RP_FIELD_*, or RP_FIELDS for those left out. */
enum { RP_COLUMNS_MAX = 256 };
typedef struct rp__columns {
    bool has_header;
    bool has_digits;   /* in a cell whose name is not known */
    bool has_blanks;   /* likewise */
    bool may_name;     /* there is no header, but the first row looks like one */
    uint8_t missing;   /* a field, plus 1, whose name the user gave and no column has; 0: none */
    uint16_t n, known; /* columns of a header, and those whose name is known */
    uint8_t roles[RP_COLUMNS_MAX];
} rp__columns;

typedef struct rp__record {
    size_t offset, bytes; /* in the batch */
    uint64_t line;        /* of the file, from 1 */
    uint64_t column;      /* bytes of that line before it */
} rp__record;

typedef struct rp__batch {
    const rp__corpus_format *format;
    char path[1024]; /* for messages; all records are of one file */
    /* path + path_id is the id of a plain file: what lies below the folder given */
    size_t path_id;
    uint64_t first;  /* records of the file before this batch */
    bool may_rename; /* a document whose id cannot be taken gets its path and number for one */
    bool stops;      /* a record that cannot be read ends the build; otherwise it is left out */
    rp__columns columns;
    rp__buf bytes;
    rp__record *records; /* RP_BATCH_RECORDS */
    size_t n;
} rp__batch;

rp_status rp__batch_init(rp__batch *batch);
void rp__batch_clear(rp__batch *batch, size_t keep); /* gives back bytes of more than `keep` */
void rp__batch_free(rp__batch *batch);

/* One thread at a time. Files that are skipped go to `skips`, which lives as long as the corpus. */
typedef struct rp__corpus rp__corpus;
rp_status rp__corpus_open(const char *const *paths, size_t n, const rp_build_options *options,
                          rp__skip_list *skips, rp__corpus **out, rp_error *err);
/* Has has_room(arg, bytes) called as a record grows, before it has so many bytes; false: that is
 * too many for the memory there is, and the record is RP_NO_MEMORY. */
typedef bool rp__corpus_room_fn(void *arg, uint64_t bytes);
void rp__corpus_watch(rp__corpus *corpus, rp__corpus_room_fn *has_room, void *arg);
/* The next batch; batch->n is 0 at the end. A record over max_line is RP_LIMIT; where options do
 * not stop at it, it is passed over, and under RP_ON_ERROR_SKIP told to on_skip. */
rp_status rp__corpus_next(rp__corpus *corpus, rp__batch *batch, rp_error *err);
void rp__corpus_get_progress(const rp__corpus *corpus, uint64_t *bytes, uint64_t *bytes_total,
                             uint64_t *skipped);
uint64_t rp__corpus_files(const rp__corpus *corpus); /* read to their end */
/* The first file that the user named and that is not read, with the reason; NULL: there is none. */
const char *rp__corpus_refused(const rp__corpus *corpus);
struct rp__dropped;
/* Adds the names of table columns that were left out. */
void rp__corpus_merge_dropped(const rp__corpus *corpus, struct rp__dropped *to);
/* Who is asked while files are read from now on, as in rp__input_options; NULL: nobody. */
void rp__corpus_set_goes_on(rp__corpus *corpus, rp__goes_on_fn *goes_on, void *arg);
void rp__corpus_close(rp__corpus *corpus);

/* A document; strings are views, valid until the parser's next document or the batch's next
 * filling. */
typedef struct rp__doc {
    const char *id, *title, *text;
    size_t id_bytes, title_bytes, text_bytes;
    bool is_numbered; /* its id is the number of the document, which is not known yet */
    bool is_strict;   /* refused by a rule that holds for folders too */
} rp__doc;

/* One thread at a time. */
typedef struct rp__doc_parser rp__doc_parser;
rp_status rp__doc_parser_new(const rp_build_options *options, rp__doc_parser **out);
/* RP_INPUT: malformed; err begins with file:line:column. */
rp_status rp__doc_parser_parse(rp__doc_parser *parser, const rp__batch *batch, size_t i,
                               rp__doc *doc, rp_error *err);
/* err becomes file:line:column of a byte of the record, and what; returns status. */
rp_status rp__doc_parser_place(const rp__batch *batch, size_t i, size_t offset, rp_status status,
                               const char *what, rp_error *err);
/* A message without the place that rp__doc_parser_place put before it. */
const char *rp__doc_parser_reason(const rp__batch *batch, const char *message);
/* Adds the id by path: what lies below the folder, and #N unless the file is one document. */
void rp__doc_parser_put_path(const rp__batch *batch, size_t i, rp__buf *out);
/* Forgets the last document, and gives back what only a large one needs. */
void rp__doc_parser_clear(rp__doc_parser *parser);
/* Adds the names of fields that were not indexed. */
void rp__doc_parser_merge_dropped(const rp__doc_parser *parser, struct rp__dropped *to);
/* Sets what JSON records had of the fields: has[f] is true for those that one of them has. False:
 * no record was JSON. */
bool rp__doc_parser_merge_found(const rp__doc_parser *parser, bool *has);
void rp__doc_parser_free(rp__doc_parser *parser);

#endif
