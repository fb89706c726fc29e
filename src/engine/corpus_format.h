/* engine/corpus_format.h: interior of engine: what a format of collections must know.
 *
 * A row finds records in a run of bytes (split) and turns one into a document (parse). Reading
 * files, batches and limits are corpus.c's; nothing outside the rows knows a format by name. */
#ifndef RP_ENGINE_CORPUS_FORMAT_H
#define RP_ENGINE_CORPUS_FORMAT_H

#include "base/json.h"
#include "engine/corpus.h"

/* Unread bytes of a file, for a row to find the next record in. */
typedef struct rp__split {
    const char *at;
    size_t n;
    bool is_end; /* no more will come */
    /* the front of a record that is too long was dropped: only its end is wanted */
    bool is_passing;
    /* the row's own: bytes after `used` in which no end was found; 0 for a new record */
    size_t scanned;
    size_t begin, end; /* the record found */
    size_t used;       /* bytes done with: the record and what stands before it, or a gap */
} rp__split;

struct rp__corpus_format {
    const char *name;
    const char *extensions[4]; /* without the dot; NULL after the last */
    bool is_sure;              /* what it sniffs can be believed of files met in a folder */
    /* the first bytes of a file, after a byte order mark */
    bool (*sniff)(const char *head, size_t n);
    /* True: a record was found (passing: its end was), `used` > 0. False: none in the bytes; `used`
     * of them are done with, all of them at the end. */
    bool (*split)(rp__split *split);
    /* Fills doc; its strings live in the batch or in the parser. */
    rp_status (*parse)(rp__doc_parser *parser, const rp__batch *batch, size_t i, rp__doc *doc,
                       rp_error *err);
};

extern const rp__corpus_format rp__corpus_jsonl, rp__corpus_tsv, rp__corpus_trec, rp__corpus_text;

/* RP_USAGE: no such name; err lists those there are. */
rp_status rp__corpus_format_find(const char *name, const rp__corpus_format **out, rp_error *err);
/* By the end of the path (.gz and .zst taken off), otherwise by the first bytes; never NULL. */
const rp__corpus_format *rp__corpus_format_guess(const char *path, bool in_folder, const char *head,
                                                 size_t n);
/* split of the formats with a record a line; lines of blanks are no records. */
bool rp__corpus_format_split_line(rp__split *split);

/* ---- The parser, as rows see it -------------------------------------------------------------- */

enum { RP_FIELD_ID, RP_FIELD_TITLE, RP_FIELD_TEXT, RP_FIELDS };

struct rp__doc_parser {
    rp__json json;
    rp__buf own[RP_FIELDS]; /* what had to be decoded */
    /* of JSON fields, the first that is there counts; NULL after the last */
    const char *names[RP_FIELDS][5];
    uint32_t max_json_depth;
};

/* err becomes file:line:column of a byte of the record, what, and the byte itself if it cannot be
 * printed; returns status. */
rp_status rp__doc_parser_fault(const rp__batch *batch, size_t i, size_t offset, rp_status status,
                               const char *what, rp_error *err);
/* RP_INPUT if the record is not UTF-8. */
rp_status rp__doc_parser_check_utf8(const rp__batch *batch, size_t i, rp_error *err);

#endif
