/* index/index.h: the door of index: terms to and from postings on disk.
 *
 * Chapters: 1 an open segment; 2 terms; 3 lists and positions; 4 documents; 5 writing; 6 recoding;
 * 7 lists that are given.
 * An open segment is read only and may be used by any thread. */
#ifndef RP_INDEX_INDEX_H
#define RP_INDEX_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "codec/codec.h"
#include "rank/rank.h"
#include "riposte/index.h"
#include "riposte/status.h"
#include "store/store.h"

/* ---- 1. An open segment ---------------------------------------------------------------------- */

typedef struct rp__segment rp__segment;

typedef struct rp__segment_info {
    rp__rank_stats stats; /* that ranking counts with: not less than what is here */
    uint64_t docs, tokens, terms, postings, generation;
    /* freqs: the code of the frequencies, the codec's own or not */
    const char *codec, *freqs;
    const char *costs;       /* by which auto chose codecs of lists; empty: not recorded */
    const char *stem, *stop; /* stop: its name */
    const char *stop_words;  /* separated by '\n' */
    size_t stop_bytes;
    const char *token_rule; /* cuts text into words; "plain" where none is recorded */
    bool drops_possessive, folds_accents;
    bool has_positions, has_text;
    const rp__aux_kind *aux[RP_AUX_KINDS]; /* n_aux of them */
    uint64_t aux_bytes[RP_AUX_KINDS];
    size_t n_aux;
    uint64_t bytes_aux; /* of bytes_lists: all of them, and where their lists begin */
    uint64_t bytes_terms, bytes_lists, bytes_positions, bytes_docs, bytes_text;
} rp__segment_info;

/* Opens what the manifest of the folder names. `verify`: all checksums now. */
rp_status rp__segment_open(const char *dir, bool verify, rp__segment **out, rp_error *err);
void rp__segment_close(rp__segment *segment); /* NULL is fine */
/* False: a file was cut short since it was opened, and what was read may be zeros that are not in
 * it. Reads mapped memory: call it under the guard. */
bool rp__segment_is_whole(const rp__segment *segment);
const char *
rp__segment_get_path(const rp__segment *segment); /* of its folder, as the user gave it */
const rp__segment_info *rp__segment_get_info(const rp__segment *segment);
/* All checksums, then all structure; calls on_fault for each fault, goes on after it. */
rp_status rp__segment_check(rp__segment *segment, rp_check_fn *on_fault, void *arg, rp_error *err);

/* ---- 2. Terms -------------------------------------------------------------------------------- */

/* A term's entry. Copy freely; valid while the segment is open. */
typedef struct rp__term {
    uint32_t df;
    uint64_t cf;
    const uint8_t *tiny; /* postings inside the dictionary, else NULL */
    uint32_t tiny_bytes;
    uint64_t list_offset, list_bytes, pos_offset, pos_bytes;
} rp__term;

/* RP_NOT_FOUND, or RP_DAMAGED. */
rp_status rp__segment_find(const rp__segment *segment, const char *term, size_t bytes,
                           rp__term *out);

/* Terms that were found before, 64 bytes each: an open index keeps some, who asks many queries
 * more. Any thread. */
typedef struct rp__term_table rp__term_table;
enum { RP_TERM_TABLE_SMALL = 1 << 20, RP_TERM_TABLE_LARGE = 32 << 20 };
/* Of about max_bytes, or fewer where the index has few terms. */
rp_status rp__term_table_new(const rp__segment *segment, size_t max_bytes, rp__term_table **out);
void rp__term_table_free(rp__term_table *table); /* NULL is fine */
/* As rp__segment_find; NULL is no table. */
rp_status rp__term_table_find(rp__term_table *table, const rp__segment *segment, const char *term,
                              size_t bytes, rp__term *out);
/* The words of a text, as they are, will be asked for soon. It changes nothing but time. */
void rp__term_table_expect(const rp__term_table *table, const char *text, size_t bytes);

/* Terms in byte order, from the first that is >= `from`, while they begin with `from` when asked
 * so. */
typedef struct rp__term_iter {
    const rp__segment *segment;
    const uint8_t *at, *end;
    uint64_t left_in_block, block, list_offset, pos_offset;
    char prefix[256];
    size_t prefix_bytes;
    char term[256]; /* the current term, not NUL-ended */
    size_t term_bytes;
    rp__term entry;
} rp__term_iter;

rp_status rp__term_iter_start(rp__term_iter *iter, const rp__segment *segment, const char *prefix,
                              size_t bytes);
/* RP_OK: iter->term and iter->entry are the next; RP_NOT_FOUND: no more; RP_DAMAGED. */
rp_status rp__term_iter_next(rp__term_iter *iter);
/* Passes over the terms that follow and begin with the first n bytes of the current one, n > 0. */
rp_status rp__term_iter_skip(rp__term_iter *iter, size_t n);

/* A term and its documents. */
typedef struct rp__term_top {
    char term[256]; /* not NUL-ended */
    uint32_t term_bytes, df;
} rp__term_top;

/* Of the terms that begin with the prefix those in the most documents, at most *n of them: most
 * documents first, then by bytes. Looks at `visits` terms at most: RP_LIMIT. RP_DAMAGED. */
rp_status rp__term_top_find(const rp__segment *segment, const char *prefix, size_t bytes,
                            uint64_t visits, rp__term_top *out, size_t *n);

/* ---- 3. Lists and positions ------------------------------------------------------------------ */

/* Opens the term's list; tiny ones are decoded into the arena. */
rp_status rp__segment_list(const rp__segment *segment, const rp__term *term, rp__arena *arena,
                           rp__list *out);
/* Asks for the first bytes of that list, which somebody is about to open. */
void rp__segment_expect_list(const rp__segment *s, const rp__term *term);

/* The sections that other memory may want to hold as they are: the lists, each kind of auxiliary
 * data, the codes of lengths. Each has RP_PAD readable behind it. False past the last. */
bool rp__segment_section(const rp__segment *segment, size_t i, const uint8_t **at, size_t *bytes);

/* Auxiliary data of the term's list, which may be opened besides. RP_NOT_FOUND: the index has none
 * of this kind, or the list has at most RP_BLOCK postings. */
rp_status rp__segment_aux(const rp__segment *segment, const rp__aux_kind *kind,
                          const rp__term *term, rp__aux *out);
/* Whether lists' bounds and kths hold for this ranking: they are made of tf/(tf+K), which every
 * BM25 with the same k1, b and statistics has. */
bool rp__segment_bounds_hold(const rp__segment *segment, const rp__rank *rank);
/* What the term's list costs; all but its term. Reads the list's directory, or a tiny list
 * whole. */
rp_status rp__list_cost_get(const rp__segment *segment, const rp__term *term, rp_list_cost *out);

/* Positions of one term's postings: those asked for, and no others. Postings of one frame, taken in
 * rising order, cost least. */
typedef struct rp__positions {
    const rp__segment *segment;
    rp__term term;
    const rp__list *list;
    const rp__block_code *code;
    rp__arena *arena;
    uint32_t frame; /* that is stood in; UINT32_MAX: none */
    /* of each posting of it: where its last position stands among those of the frame */
    uint32_t *ends;
    const uint8_t *in; /* a chunk of it, the bytes of the frame from there on, and its number */
    size_t bytes;
    uint64_t chunk;
    uint32_t rank, n;        /* the posting in `at`, and its positions; UINT32_MAX: none */
    uint64_t before, passed; /* positions passed in frames before this one, and in it */
    uint32_t *at;
    size_t cap;
} rp__positions;

/* RP_USAGE where the index has no positions. */
rp_status rp__positions_open(rp__positions *p, const rp__segment *segment, const rp__term *term,
                             const rp__list *list, rp__arena *arena);
/* The rising positions of posting number `rank`, and RP_BLOCK more that may be read; valid until
 * the next call. RP_DAMAGED also where postings taken in rising order pass more positions than the
 * term's cf: so a walk costs no more than the dictionary says. */
rp_status rp__positions_get(rp__positions *p, uint32_t rank, const uint32_t **at, uint32_t *n);
/* All of a list that is not tiny, as they are stored: of each posting the first position, then how
 * far after the one before each other is, less one. `tfs` are the list's; `out` has cf +
 * RP_BLOCK_CAPACITY. */
rp_status rp__positions_decode(const rp__segment *segment, const rp__term *term,
                               const rp__list *list, const uint32_t *tfs, uint32_t *out);

/* ---- 4. Documents ---------------------------------------------------------------------------- */

/* Exact lengths as codes of 1, 2 or 4 bytes into the table of distinct lengths. */
typedef struct rp__lengths {
    const void *codes;
    uint32_t code_bytes;
    uint32_t n_docs, n_table;
    const uint32_t *table;
} rp__lengths;

void rp__segment_get_lengths(const rp__segment *segment, rp__lengths *out);

/* The code of a document; below n_table whatever the bytes say. */
static inline uint32_t rp__lengths_code(const rp__lengths *l, uint32_t docid)
{
    uint32_t code = l->code_bytes == 1   ? ((const uint8_t *)l->codes)[docid]
                    : l->code_bytes == 2 ? ((const uint16_t *)l->codes)[docid]
                                         : ((const uint32_t *)l->codes)[docid];
    return code < l->n_table ? code : l->n_table - 1;
}

/* The external id, borrowed; not NUL-ended. */
rp_status rp__segment_doc_id(const rp__segment *segment, uint32_t docid, const char **id,
                             size_t *bytes);
/* The document with this id: RP_NOT_FOUND, RP_DAMAGED. By a table of the index, or where it has
 * none by reading all ids. */
rp_status rp__segment_find_doc(const rp__segment *segment, const char *id, size_t bytes,
                               uint32_t *docid);
/* It will be asked for soon: where it is comes to the caches; later, the id itself. Nothing changes
 * but time. */
void rp__segment_expect_doc_place(const rp__segment *segment, uint32_t docid);
void rp__segment_expect_doc_id(const rp__segment *segment, uint32_t docid);

/* Stored text of a document; each string ends with a NUL and is freed with rp__free. */
typedef struct rp__doc_text {
    char *title, *text;
    size_t title_bytes, text_bytes;
} rp__doc_text;

/* At most max_bytes of the title and of the text: memory and, but for a long title, time depend on
 * that and not on the document. Both are empty where nothing is stored. After a failure there is
 * nothing to free. */
rp_status rp__segment_doc_text(const rp__segment *segment, uint32_t docid, rp__zblock *z,
                               uint64_t max_bytes, rp__doc_text *out);

/* ---- 5. Writing ------------------------------------------------------------------------------ */

/* How lists are coded. */
typedef struct rp__coding {
    const rp__codec *codec;
    const rp__block_code *freqs; /* NULL: the codec's own; else that codec codes them apart */
    rp__codec_options options;
} rp__coding;

/* Collects documents in memory up to a budget, spills sorted runs, and merges them into a segment.
 * The bytes depend on the documents and options alone, not on threads or memory.
 * From tokens: doc, token and doc_end for each document. From lists: term and postings for each
 * list, end_lists, then doc and doc_end for each document. */
typedef struct rp__segment_options {
    rp__coding coding;
    const char *aux; /* kinds of auxiliary data, as "lr,hs16"; NULL: none */
    const char *stem, *stop, *stop_words;
    size_t stop_bytes;
    const char *tokens; /* NULL: "plain" */
    bool drops_possessive, folds_accents;
    bool has_positions, has_text;
    bool has_lists;   /* it is filled from lists: no positions, no text */
    uint64_t memory;  /* for everything below this call */
    uint32_t workers; /* inverters */
    bool (*on_progress)(void *arg, uint64_t done, uint64_t of); /* while merging; false: stop */
    void *progress_arg;
} rp__segment_options;

typedef struct rp__segment_builder rp__segment_builder;

rp_status rp__segment_builder_new(const char *dir, const rp__segment_options *options,
                                  rp__segment_builder **out, rp_error *err);
/* Gives the next docid to a document; in order, one thread at a time. RP_INPUT: the id is empty,
 * too long, there already, or not UTF-8 without control characters; then nothing has changed. */
rp_status rp__segment_builder_doc(rp__segment_builder *b, const char *id, size_t id_bytes,
                                  uint32_t *docid, rp_error *err);
/* Likewise to a document without an id: it is called by its number, from 1, or by '#' and that
 * where another document has that number for its id. */
rp_status rp__segment_builder_number(rp__segment_builder *b, uint32_t *docid, rp_error *err);
uint32_t rp__segment_builder_yielded(const rp__segment_builder *b); /* those with a '#', so far */
/* One occurrence of a term, by the worker that has the document; positions rise within a document,
 * docids rise within a worker. RP_LIMIT: it was not taken; make room, then give it again. */
rp_status rp__segment_builder_token(rp__segment_builder *b, uint32_t worker, uint32_t docid,
                                    const char *term, uint32_t bytes, uint32_t position);
/* From lists. Begins the list of a term of 1 to 255 bytes; the order of terms is free, and a list
 * without postings is forgotten. RP_INPUT, here or at the end: the term has a list already. */
rp_status rp__segment_builder_term(rp__segment_builder *b, const char *term, uint32_t bytes,
                                   rp_error *err);
/* More postings of it: docids rise from call to call, frequencies are at least 1. */
rp_status rp__segment_builder_postings(rp__segment_builder *b, const uint32_t *docids,
                                       const uint32_t *tfs, size_t n, rp_error *err);
/* Gives their memory back for the documents. */
rp_status rp__segment_builder_end_lists(rp__segment_builder *b, rp_error *err);
/* The collection that the lists are of, for ranking, where it has more than these documents. */
void rp__segment_builder_totals(rp__segment_builder *b, uint64_t docs, uint64_t tokens);
/* Room for more tokens of the worker: within the budget, by a spill where that is due. */
rp_status rp__segment_builder_make_room(rp__segment_builder *b, uint32_t worker, rp_error *err);
/* Documents of so many bytes are large: while a worker has one, no other may be at work, and
 * reserve is called first. Of those that are not large, one for each worker fits in the slack of
 * the budget. */
bool rp__segment_builder_is_large(const rp__segment_builder *b, uint64_t bytes);
/* Room for so many bytes, and for the least that an inverter needs once `freed` of them are given
 * back; by spilling all inverters where that is due. No other worker may be at work. */
rp_status rp__segment_builder_reserve(rp__segment_builder *b, uint64_t bytes, uint64_t freed,
                                      rp_error *err);
/* Ends the document: its length in tokens. */
rp_status rp__segment_builder_doc_end(rp__segment_builder *b, uint32_t docid, uint32_t length,
                                      rp_error *err);
/* A packed block of stored text of the documents from `docid` on; in order, one thread at a time.
 * Unpacked it is `raw_bytes`: for each document varint title bytes and varint text bytes, then for
 * each document title and text. */
rp_status rp__segment_builder_text(rp__segment_builder *b, uint32_t docid, uint32_t raw_bytes,
                                   const uint8_t *packed, size_t packed_bytes, rp_error *err);
rp_status rp__segment_builder_finish(rp__segment_builder *b, rp_build_stats *stats, rp_error *err);
/* removes what is not published; NULL is fine */
void rp__segment_builder_free(rp__segment_builder *b);

/* Stored text on its way into a block. All zero is empty; reset it. One thread at a time. */
typedef struct rp__text_packer {
    rp__buf sizes, text;
    uint32_t first_docid;
} rp__text_packer;

void rp__text_packer_reset(rp__text_packer *p);
/* Documents in the order of docids. False: no memory. */
bool rp__text_packer_add(rp__text_packer *p, uint32_t docid, const void *title, size_t title_bytes,
                         const void *text, size_t text_bytes);
/* The same for a document whose title and text the caller puts where this points; NULL: no
 * memory. */
uint8_t *rp__text_packer_extend(rp__text_packer *p, uint32_t docid, uint64_t title_bytes,
                                uint64_t text_bytes);
bool rp__text_packer_is_empty(const rp__text_packer *p);
bool rp__text_packer_is_full(const rp__text_packer *p);
/* Appends the packed block, and begins another. */
rp_status rp__text_packer_pack(rp__text_packer *p, rp__zblock *z, rp__buf *packed,
                               uint32_t *raw_bytes);

/* ---- 6. Recoding ----------------------------------------------------------------------------- */

/* Makes the same index in another codec, or in another order of documents: lists are decoded and
 * encoded one by one; positions, documents and text are copied byte for byte, or moved. Calls:
 * order if documents move, copy, then take, encode and write for each batch until one is empty,
 * then finish. Several batches may be encoded at once; all else is for one thread at a time. */
typedef struct rp__recode_options {
    rp__coding coding; /* codec NULL: as it is; then freqs NULL: they too */
    bool moves;        /* documents get another order */
    const char *aux;   /* kinds of auxiliary data, as "lr,hs16"; "none"; NULL: as they are */
    uint64_t memory;   /* for everything below this call */
    uint32_t workers;  /* batches at work at once */
    /* bytes, while copying; false: stop */
    bool (*on_progress)(void *arg, uint64_t done, uint64_t of);
    void *progress_arg;
} rp__recode_options;

typedef struct rp__recoder rp__recoder;
typedef struct rp__recode_batch rp__recode_batch; /* lists on their way */

/* `from` and `to` may be the same folder. RP_NO_MEMORY: the longest list does not fit. */
rp_status rp__recoder_new(const char *from, const char *to, const rp__recode_options *options,
                          rp__recoder **out, rp_error *err);
const rp__segment *rp__recoder_source(const rp__recoder *r); /* what is being recoded */
/* order[i] is the docid of the document that becomes i: a permutation, which must live until the
 * end. */
rp_status rp__recoder_order(rp__recoder *r, const uint32_t *order, rp_error *err);
/* as many of those wanted as memory has room for */
uint32_t rp__recoder_workers(const rp__recoder *r);
rp_status rp__recoder_batch_new(const rp__recoder *r, rp__recode_batch **out, rp_error *err);
void rp__recoder_batch_free(rp__recode_batch *batch); /* NULL is fine */
/* all but the lists and what goes with them */
rp_status rp__recoder_copy(rp__recoder *r, rp_error *err);
/* The terms that follow; *has is false after the last. */
rp_status rp__recoder_take(rp__recoder *r, rp__recode_batch *batch, bool *has, rp_error *err);
rp_status rp__recoder_encode(const rp__recoder *r, rp__recode_batch *batch, rp_error *err);
/* In the order in which batches were taken. */
rp_status rp__recoder_write(rp__recoder *r, const rp__recode_batch *batch, rp_error *err);
void rp__recoder_get_progress(const rp__recoder *r, uint64_t *done, uint64_t *of);
rp_status rp__recoder_finish(rp__recoder *r, rp_build_stats *stats, rp_error *err);
void rp__recoder_free(rp__recoder *r); /* removes what is not published; NULL is fine */

/* ---- 7. Lists that are given ----------------------------------------------------------------- */

/* An index of lists that somebody knows already: no text, no positions. Calls: for each batch,
 * plan each list, then batch_new, then for each list room and add, then write; then finish.
 * Batches may be filled at once; all else is for one thread at a time. The bytes depend on what
 * is given alone. */
enum { RP_GIVEN_ID_MAX = 64, RP_GIVEN_LENGTH_MAX = 65535 };

typedef struct rp__doc_source {
    uint32_t n; /* at least 1 */
    /* Writes the id, 1 to RP_GIVEN_ID_MAX bytes, and returns how many; no two are alike. */
    size_t (*id)(void *arg, uint32_t docid, char *out);
    uint32_t (*length)(void *arg, uint32_t docid); /* tokens, at most RP_GIVEN_LENGTH_MAX */
    void *arg;
} rp__doc_source;

typedef struct rp__list_builder_options {
    rp__coding coding;
    const char *aux; /* kinds of auxiliary data, as "lr,hs16"; NULL: none */
    rp__doc_source docs;
} rp__list_builder_options;

typedef struct rp__list_builder rp__list_builder;
typedef struct rp__list_batch rp__list_batch;

/* Begins the folder and writes the documents. */
rp_status rp__list_builder_new(const char *dir, const rp__list_builder_options *options,
                               rp__list_builder **out, rp_error *err);
/* A batch that is planned: all zero is an empty one. One more list of at most n postings. */
typedef struct rp__list_plan {
    uint64_t postings, encoded; /* encoded: the most bytes of its lists */
    uint32_t longest;
    uint32_t terms;
} rp__list_plan;
void rp__list_builder_plan(const rp__list_builder *b, rp__list_plan *plan, uint32_t n);
/* The most bytes that such a batch comes to hold, and the builder for it. */
uint64_t rp__list_builder_need(const rp__list_builder *b, const rp__list_plan *plan);
rp_status rp__list_builder_batch_new(const rp__list_builder *b, const rp__list_plan *plan,
                                     rp__list_batch **out);
void rp__list_builder_batch_free(rp__list_batch *batch); /* NULL is fine */
/* Where the next list is to be written: docids rising and below the number of documents,
 * frequencies from 1 to the longest document. */
void rp__list_builder_room(rp__list_batch *batch, uint32_t **docids, uint32_t **tfs);
/* Encodes the n >= 1 postings of the term, which has 1 to 255 bytes. RP_LIMIT: more than the codec
 * can hold. */
rp_status rp__list_builder_add(rp__list_batch *batch, const char *term, size_t bytes, uint32_t n);
/* Batches in the order of their terms, in byte order over all of them. */
rp_status rp__list_builder_write(rp__list_builder *b, const rp__list_batch *batch, rp_error *err);
rp_status rp__list_builder_finish(rp__list_builder *b, rp_build_stats *stats, rp_error *err);
void rp__list_builder_free(rp__list_builder *b); /* removes what is not published; NULL is fine */

#endif
