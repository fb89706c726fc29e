/* parity/format_reader.h: a second reader of indexes, written from docs/format.md alone, to prove
 * that the page says enough. Plain, slow, and not for untrusted bytes. For tests only.
 *
 * Reads codecs bp128, vbyte, raw, optpfd, rice and bitmap, and auto where lists name these.
 * Includes nothing of src. */
#ifndef RP_TESTS_FORMAT_READER_H
#define RP_TESTS_FORMAT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct format_file {
    uint8_t *at;
    size_t bytes;
    uint64_t checksum; /* of the footer */
} format_file;

typedef struct format_index {
    format_file files[6]; /* by kind */
    uint64_t generation, docs, tokens, terms, postings;
    uint32_t longest;
    bool has_tiny_bits;
    uint64_t unit;                         /* of which lists are multiples */
    bool has_positions, has_text, is_told; /* is_told: lengths need not be sums of frequencies */
    uint64_t total_docs, total_tokens;     /* for ranking */
    uint32_t total_longest;
    double k1, b;
    char token_rule[16];
    bool drops_possessive, folds_accents;
    char variant[16], codec[16], freqs[16], stem[16], stop[64]; /* freqs: empty, the codec's own */
    /* Where the walk over terms is. */
    uint64_t next_term;
    const uint8_t *p;
    uint64_t list_offset, pos_offset;
    uint64_t next_aux; /* lists of more than 128 postings so far */
    char why[200];     /* the first thing that is not as the page says */
} format_index;

/* One term with all that is known of it. `positions` of posting i begin at starts[i]. */
typedef struct format_term {
    uint8_t term[255];
    size_t bytes;
    uint32_t df;
    uint64_t cf;
    bool is_tiny;
    uint32_t *docids, *tfs, *positions, *starts;
} format_term;

/* False: see why. Close it in any case. */
bool format_open(format_index *ix, const char *dir);
void format_close(format_index *ix);

/* Terms in order; `t` is all zero before the first call and keeps its memory. False: no more, or
 * why. */
bool format_next(format_index *ix, format_term *t);
void format_term_free(format_term *t);

/* How many kinds of auxiliary data the index has. */
uint32_t format_aux_kinds(const format_index *ix);

const uint8_t *format_id(const format_index *ix, uint32_t docid, size_t *bytes);
/* The document with this id, by the table of ids; UINT32_MAX: there is none, or no table. */
uint32_t format_find(const format_index *ix, const uint8_t *id, size_t bytes);
/* The most documents that a term of the block of the i-th term has; 0: the index does not say. */
uint32_t format_most(const format_index *ix, uint64_t i);
uint32_t format_length(const format_index *ix, uint32_t docid);
/* Title and, behind it, text; free it. NULL: there is none, or why. */
char *format_text(format_index *ix, uint32_t docid, size_t *title_bytes, size_t *text_bytes);
/* The stop words. */
const uint8_t *format_stop_words(const format_index *ix, size_t *bytes);

#endif
