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
#include "riposte/index.h"
#include "riposte/status.h"
#include "store/store.h"

/* a batch ends when it has reached either */
enum { RP_BATCH_RECORDS = 1024, RP_BATCH_BYTES = 1 << 20 };

typedef struct rp__corpus_format rp__corpus_format; /* a row: jsonl, tsv, trec, text */

typedef struct rp__record {
    size_t offset, bytes; /* in the batch */
    uint64_t line;        /* of the file, from 1 */
} rp__record;

typedef struct rp__batch {
    const rp__corpus_format *format;
    char path[1024]; /* for messages; all records are of one file */
    /* path + path_id is the id of a plain file: what lies below the folder given */
    size_t path_id;
    rp__buf bytes;
    rp__record *records; /* RP_BATCH_RECORDS */
    size_t n;
} rp__batch;

rp_status rp__batch_init(rp__batch *batch);
void rp__batch_clear(rp__batch *batch, size_t keep); /* gives back bytes of more than `keep` */
void rp__batch_free(rp__batch *batch);

/* One thread at a time. */
typedef struct rp__corpus rp__corpus;
rp_status rp__corpus_open(const char *const *paths, size_t n, const rp_build_options *options,
                          rp__corpus **out, rp_error *err);
/* Has has_room(arg, bytes) called as a record grows, before it has so many bytes; false: that is
 * too many for the memory there is, and the record is RP_NO_MEMORY. */
typedef bool rp__corpus_room_fn(void *arg, uint64_t bytes);
void rp__corpus_watch(rp__corpus *corpus, rp__corpus_room_fn *has_room, void *arg);
/* The next batch; batch->n is 0 at the end. A record over max_line is RP_LIMIT; under
 * RP_ON_ERROR_SKIP it is passed over and told to on_skip. */
rp_status rp__corpus_next(rp__corpus *corpus, rp__batch *batch, rp_error *err);
void rp__corpus_get_progress(const rp__corpus *corpus, uint64_t *bytes, uint64_t *bytes_total,
                             uint64_t *skipped);
/* Who is asked while files are read from now on, as in rp__input_options; NULL: nobody. */
void rp__corpus_set_goes_on(rp__corpus *corpus, rp__goes_on_fn *goes_on, void *arg);
void rp__corpus_close(rp__corpus *corpus);

/* A document; strings are views, valid until the parser's next document or the batch's next
 * filling. */
typedef struct rp__doc {
    const char *id, *title, *text;
    size_t id_bytes, title_bytes, text_bytes;
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
/* Forgets the last document, and gives back what only a large one needs. */
void rp__doc_parser_clear(rp__doc_parser *parser);
void rp__doc_parser_free(rp__doc_parser *parser);

#endif
