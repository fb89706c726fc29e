/* engine/corpus_format.h: interior of engine: what a format of collections must know.
 *
 * A row finds records in a run of bytes (split) and turns one into a document (parse). Reading
 * files, batches and limits are corpus.c's; nothing outside the rows knows a format by name. */
#ifndef RP_ENGINE_CORPUS_FORMAT_H
#define RP_ENGINE_CORPUS_FORMAT_H

#include "base/json.h"
#include "engine/corpus.h"
#include "engine/dropped.h"
#include "engine/field_names.h"

/* Unread bytes of a file, for a row to find the next record in. All text is valid UTF-8. */
typedef struct rp__split {
    const char *at;
    size_t n;
    bool is_end; /* no more will come */
    /* the front of a record that is too long was dropped: only its end is wanted */
    bool is_passing;
    /* the row's own: bytes after `used` in which no end was found; 0 for a new record */
    size_t scanned;
    /* the row's own, all zero when the file begins; corpus.c never looks at it */
    struct {
        uint64_t depth;
        uint8_t mode;
        bool is_inside, is_passing;
    } state;
    size_t begin, end; /* the record found */
    size_t used;       /* bytes done with: the record and what stands before it, or a gap */
} rp__split;

/* The front of a file, after a byte order mark, for a row to tell its format by. */
typedef struct rp__sniff {
    const rp__field_names *names;
    const char *head;
    size_t n;
    bool is_whole;   /* the file has no more bytes */
    bool has_suffix; /* its name ends as the format's do */
    bool in_folder;  /* it was found in a folder; otherwise the user named it */
} rp__sniff;

struct rp__corpus_format {
    const char *name;
    const char *extensions[4]; /* without the dot; NULL after the last */
    bool is_sure;              /* what it sniffs can be believed without a suffix */
    bool is_file;              /* a file is one document, whose id is the path */
    bool repeats_ids;          /* files often have a record twice */
    bool has_spare;            /* parsing takes as much again as the record, for scratch */
    bool (*sniff)(const rp__sniff *sniff);
    /* (optional) what the front of a table says about its columns; returns the bytes of its header,
     * which is no record. */
    size_t (*begin)(const rp__sniff *sniff, rp__columns *columns, rp__dropped *dropped);
    /* True: a record was found (passing: its end was), `used` > 0. False: none in the bytes; `used`
     * of them are done with, all of them at the end. */
    bool (*split)(rp__split *split);
    /* (optional) what is wrong with a file that ends here; NULL: nothing. */
    const char *(*end)(const rp__split *split);
    /* Fills doc; its strings live in the batch or in the parser. The id may stay NULL: there is
     * none. */
    rp_status (*parse)(rp__doc_parser *parser, const rp__batch *batch, size_t i, rp__doc *doc,
                       rp_error *err);
};

extern const rp__corpus_format rp__corpus_jsonl, rp__corpus_json, rp__corpus_tsv, rp__corpus_csv,
    rp__corpus_trec, rp__corpus_html, rp__corpus_mediawiki, rp__corpus_mbox, rp__corpus_gitlog,
    rp__corpus_text;

/* RP_USAGE: no such name; err lists those there are. */
rp_status rp__corpus_format_find(const char *name, const rp__corpus_format **out, rp_error *err);
/* The row whose suffix the path has (.gz and .zst taken off); NULL: none. */
const rp__corpus_format *rp__corpus_format_by_suffix(const char *path);
/* By content, by suffix if the content agrees or the user named the file; never NULL. */
const rp__corpus_format *rp__corpus_format_guess(const char *path, rp__sniff *sniff);
/* split of the formats with a record a line; lines of blanks are no records. */
bool rp__corpus_format_split_line(rp__split *split);
/* split and end of the formats with a file a record. */
bool rp__corpus_format_split_file(rp__split *split);

/* ---- The parser, as rows see it -------------------------------------------------------------- */

struct rp__doc_parser {
    rp__json json;
    rp__buf own[RP_FIELDS]; /* what had to be decoded */
    rp__buf spare;          /* scratch of a format */
    rp__field_names names;
    rp__dropped dropped;
    rp__ids ids;
    uint32_t max_json_depth;
    bool has_objects, is_found[RP_FIELDS]; /* JSON was read, and a field in it */
};

/* err becomes file:line:column of a byte of the record, what, and the byte itself if it cannot be
 * printed; returns status. */
rp_status rp__doc_parser_fault(const rp__batch *batch, size_t i, size_t offset, rp_status status,
                               const char *what, rp_error *err);
/* Sets title and text to what lies in the parser's own buffers, blanks at their ends taken off. */
rp_status rp__doc_parser_view_own(const rp__doc_parser *parser, rp__doc *doc, rp_error *err);

#endif
