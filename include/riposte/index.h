/* riposte/index.h: open an index and ask what is in it; build one.
 *
 * Chapters: 1 open and close; 2 what an index holds; 3 check; 4 build from files; 5 build from
 * memory; 6 the same index in another codec; 7 indexes of other programs; 8 the same index in
 * another order; 9 what becomes of a text. */
#ifndef RIPOSTE_INDEX_H
#define RIPOSTE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "riposte/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1. Open and close ---------------------------------------------------------------------- */

/* An open index. Any thread may use it, it is read only. A build that replaces the index on disk
 * does not disturb one that is open. */
typedef struct rp_index rp_index;

typedef struct rp_index_options {
    size_t size; /* as status.h says: 0, or sizeof this record */
    bool verify; /* check the checksum of every section before the first answer */
} rp_index_options;

/* Opens the index in folder `dir`. `options` may be NULL. Close what this returns. */
rp_status rp_index_open(const char *dir, const rp_index_options *options, rp_index **out,
                        rp_error *err);
void rp_index_close(rp_index *index); /* NULL is fine */

/* ---- 2. What an index holds ------------------------------------------------------------------ */

/* Strings are borrowed from the index and live until it is closed. */
typedef struct rp_index_info {
    uint64_t docs, terms, postings, tokens;
    /* that ranking counts with: more in an index of a part (chapter 7) */
    uint64_t total_docs, total_tokens;
    double average_length;                   /* tokens a document, of these */
    uint64_t generation;                     /* rises with every build into the same folder */
    const char *codec, *freqs, *stem, *stop; /* freqs: the code of the frequencies */
    uint32_t format_version;
    bool has_positions, has_text;
    uint64_t bytes_terms, bytes_lists, bytes_positions, bytes_docs, bytes_text, bytes_total;
    uint64_t bytes_aux; /* of bytes_lists: auxiliary data */
    /* how text was cut into words: as in rp_build_options, or "plain", as before there were rules */
    const char *token_rule;
    bool drops_possessive, folds_accents;
    /* of codec auto by speed: for which instruction set its lists were chosen, "avx2" or "avx512";
     * empty: by size, not auto, or not recorded */
    const char *costs;
} rp_index_info;

void rp_index_get_info(const rp_index *index, rp_index_info *out); /* without an index: all zero */

/* Auxiliary data of one kind. */
typedef struct rp_aux_info {
    const char *name; /* "lr", "hs16"; lives for ever */
    uint64_t bytes;
} rp_aux_info;

bool rp_index_get_aux(const rp_index *index, size_t i, rp_aux_info *out); /* false: past the last */

/* One document. `id`, `title` and `text` end with a NUL; title and text are empty where the index
 * stores none. Free with rp_document_free. */
typedef struct rp_document {
    uint32_t docid, length; /* length in tokens */
    char *id, *title, *text;
    size_t title_bytes, text_bytes;
} rp_document;

rp_status rp_index_get_document(const rp_index *index, uint32_t docid, rp_document *out,
                                rp_error *err);
/* The same with at most max_bytes of the title and of the text: snippets need 1 MiB of each. The
 * call takes 4 MiB beside them, whatever the document's size; a whole document may have 4 GiB, also
 * in a small file. */
rp_status rp_index_get_document_start(const rp_index *index, uint32_t docid, size_t max_bytes,
                                      rp_document *out, rp_error *err);
void rp_document_free(rp_document *document); /* NULL is fine */

/* The docid of the document whose id this is, by a table of the index: one or two microseconds. In
 * an index of an older program all ids are read. RP_NOT_FOUND if there is none. */
rp_status rp_index_find(const rp_index *index, const char *id, uint32_t *docid, rp_error *err);

/* Terms that begin alike. Strings live until the suggestions are freed. */
typedef struct rp_suggestion {
    const char *term; /* as the index has it: folded, and stemmed where it stems */
    uint32_t df;      /* documents that hold it */
} rp_suggestion;

typedef struct rp_suggestions {
    size_t n;
    rp_suggestion *at; /* most documents first, equal ones in the order of terms */
    void *memory;      /* Riposte's own */
} rp_suggestions;

/* The terms that begin with a prefix, folded as the index folds, and are in the most documents: at
 * most `most` of them, 1,000 or fewer (RP_LIMIT). None is an answer too. Free the suggestions. */
rp_status rp_index_suggest(const rp_index *index, const char *prefix, size_t most,
                           rp_suggestions *out, rp_error *err);
void rp_suggestions_free(rp_suggestions *suggestions); /* NULL and all zero are fine */

/* One term's statistics, as the analyzer of the index sees the word. RP_NOT_FOUND if it has
 * none. */
typedef struct rp_term_info {
    uint32_t df;            /* documents that hold it */
    uint64_t cf;            /* its occurrences */
    uint64_t bytes, blocks; /* what its list costs; 0 blocks: inside the dictionary */
} rp_term_info;

rp_status rp_index_get_term(const rp_index *index, const char *word, rp_term_info *out,
                            rp_error *err);

/* What a list costs. A tiny list lies inside the dictionary, any other begins with a directory. */
typedef struct rp_list_cost {
    const char *term;  /* ends with a NUL; NULL in a sum of lists */
    const char *codec; /* "tiny" inside the dictionary; NULL in a sum of lists */
    uint64_t postings, blocks;
    uint64_t bytes;                     /* of all its parts */
    uint64_t bytes_docids, bytes_freqs; /* a short list's padding counts with its frequencies */
    uint64_t bytes_directory, bytes_positions; /* a long one's with its directory */
    /* of the directory: what says how good the postings are, to pass over some */
    uint64_t bytes_pruning;
} rp_list_cost;

/* What one list looks like. Beside the costs: how wide its gaps are, and how straight it is, which
 * tells what codecs and searches can make of it. */
typedef struct rp_list_info {
    char term[256];
    rp_list_cost cost; /* its term is the one above */
    uint64_t cf;
    uint32_t first, last; /* docids */
    uint64_t gaps[33];    /* gaps[b]: gaps that less one take b bits; the first is docid + 1 */
    double slope, determination; /* of the line through its docids by rank: docids a posting; R^2 */
    double contraction;          /* the share of it that a search by that line has to look at */
    double local_mean, local_most; /* the same, of pieces of 256 postings with a line each */
    bool has_aux;                  /* the kinds that the index has, it has too */
} rp_list_info;

/* The list of a word as the analyzer of the index sees it. Decodes it. RP_NOT_FOUND if it has
 * none. */
rp_status rp_index_get_list(const rp_index *index, const char *word, rp_list_info *out,
                            rp_error *err);

typedef struct rp_index_costs {
    uint64_t n_lists, n_tiny; /* lists apart from the dictionary, and inside it */
    rp_list_cost lists, tiny; /* the sums of both */
    size_t n;
    rp_list_cost *at; /* the costliest, by falling bytes; equal ones in the order of terms */
    void *memory;     /* Riposte's own */
} rp_index_costs;

/* Looks at the directory of every list. At most `top` lists in *out. Free the costs. */
rp_status rp_index_get_costs(const rp_index *index, size_t top, rp_index_costs *out, rp_error *err);
void rp_index_costs_free(rp_index_costs *costs); /* NULL and all zero are fine */

/* ---- 3. Check -------------------------------------------------------------------------------- */

/* Called for each fault found; `where` names file and section. */
typedef void rp_check_fn(void *arg, const char *where, const char *what);

/* Reads everything: checksums, then every list, position and document. RP_OK: sound. RP_DAMAGED: at
 * least one fault, the first of which is in err. `on_fault` may be NULL. */
rp_status rp_index_check(const char *dir, rp_check_fn *on_fault, void *arg, rp_error *err);

/* ---- 4. Build from files --------------------------------------------------------------------- */

/* At a record that cannot be read: stop in files that are named and leave it out in folders; leave
 * it out; stop. */
typedef enum rp_on_error { RP_ON_ERROR_AUTO = 0, RP_ON_ERROR_SKIP, RP_ON_ERROR_STOP } rp_on_error;

typedef struct rp_progress {
    /* "reading", "merging", "recoding", "writing", "bisecting", "reordering" */
    const char *phase;
    uint64_t docs, tokens; /* so far; 0 where none are read */
    /* of input as stored (compressed), or other steps; total 0: not known */
    uint64_t bytes, bytes_total;
    uint64_t memory;  /* bytes in use by the build */
    uint64_t skipped; /* documents left out because of errors */
} rp_progress;

/* Called now and then, also while input is awaited, always from the calling thread. Return false to
 * stop: RP_INTERRUPTED. */
typedef bool rp_progress_fn(void *arg, const rp_progress *progress);

/* Called for a document that is left out under RP_ON_ERROR_SKIP; `where` is file:line. One call at
 * a time, but with several threads from any of them. */
typedef void rp_skip_fn(void *arg, const char *where, const char *what);

/* Called for what is odd but no reason to stop. */
typedef void rp_warn_fn(void *arg, const char *what);

/* All zero or NULL: the default named beside each field. */
typedef struct rp_build_options {
    size_t size; /* as status.h says: 0, or sizeof this record */
    /* "auto"; rp_codec_name lists them. Options: "pfd:exceptions=0.1", see below */
    const char *codec;
    /* how frequencies are coded: the codec's own way; rp_freqs_name lists them */
    const char *freqs;
    /* auxiliary data of long lists: none; "lr", "hs8" to "hs1024", or some: "lr,hs16" */
    const char *aux;
    const char *stem; /* "none"; rp_stem_name lists them */
    const char *stop; /* "none"; rp_stop_name lists them; or a file with a word a line */
    /* by content and suffix; "jsonl", "json", "trec", "mediawiki", "html", "mbox", "gitlog", "csv",
     * "tsv", "text" */
    const char *format;
    const char *id_field, *title_field, *text_field; /* JSON and tables: the usual names */
    uint64_t memory;      /* bytes in all, a hard total: 1 GiB. Documents of an eighth of it fit */
    uint32_t threads;     /* 1 */
    bool no_positions;    /* phrases are then refused */
    bool no_store;        /* no text: no snippets */
    rp_on_error on_error; /* RP_ON_ERROR_AUTO */
    uint64_t max_line;    /* bytes of one document: 256 MiB */
    uint64_t max_expand;  /* bytes out for a byte in, after 64 MiB out: 1000 */
    uint32_t max_json_depth; /* 64 */
    rp_progress_fn *on_progress;
    void *progress_arg;
    rp_skip_fn *on_skip;
    void *skip_arg;
    /* how text is cut into words: "uax29"; rp_tokens_name lists them. By "uax29" and "split" Chinese,
     * Japanese and Korean go by pairs of letters; by "bigram" every script does */
    const char *tokens;
    bool keep_possessive; /* otherwise the 's of a word is dropped */
    bool no_fold;         /* otherwise letters lose their accents */
    /* where ids come from: the field, otherwise a number; of a file that is one document, its path.
     * "field": a record without id is an error; "relative", "path": the path below the folder given
     * or as given, and #N where a file has many records; "number" */
    const char *ids;
    /* called at the end, from the calling thread: files that were skipped or read as another
     * encoding and records that RP_ON_ERROR_AUTO left out, a line a reason; fields that were not
     * indexed */
    rp_warn_fn *on_note;
    void *note_arg;
} rp_build_options;

typedef struct rp_build_stats {
    uint64_t docs, skipped, terms, postings, tokens, bytes_in, bytes_out, runs, memory_peak;
    double seconds;
    uint64_t files, files_skipped; /* of input: read, and not read */
} rp_build_stats;

/* Indexes files and folders ("-" is standard input) into folder `dir`, replacing an index that is
 * there. Files that are not text are skipped, and in folders also what is no file or cannot be
 * read; DIR.skipped lists them and the records that are left out, each with its reason. RP_INPUT:
 * there is no document, and a file that was named is not text or the index in `dir` has documents.
 * After a failure the old index, if any, is as it was. `stats` may be NULL. */
rp_status rp_index_build(const char *const *paths, size_t n_paths, const char *dir,
                         const rp_build_options *options, rp_build_stats *stats, rp_error *err);

/* The i-th codec's name, best known default first; NULL past the last. Options of an encoder
 * beyond the name follows a colon, separated by commas: exceptions=0 to 0.6, the share of values
 * that are patched (pfd, newpfd, optpfd, parapfor, pfd_rec); level=0 to 4, of recursion (pfd_rec);
 * c=0.25 to 16, a factor of the mean gap (qs); by=size or speed, what a codec that chooses prefers
 * (mixed: size; auto: speed, with frequencies in efsum, or by size in mixed); for=avx2 or avx512, by
 * whose costs auto chooses (avx2, whatever the builder has). Readers need to know nothing of it. */
const char *rp_codec_name(size_t i);
/* The i-th code that frequencies may be in; NULL past the last. Codec "iiu" keeps them in its own
 * way. */
const char *rp_freqs_name(size_t i);

/* The i-th stemmer, stop list or way to cut text into words, the default first; NULL past the last.
 * Stemmers are those of libstemmer; most have a stop list of the same name. */
const char *rp_stem_name(size_t i);
const char *rp_stop_name(size_t i);
const char *rp_tokens_name(size_t i);

/* ---- 5. Build from memory -------------------------------------------------------------------- */

/* One thread at a time. */
typedef struct rp_builder rp_builder;

rp_status rp_builder_new(const char *dir, const rp_build_options *options, rp_builder **out,
                         rp_error *err);
/* Strings need no NUL. An id has 1 byte to 1 MiB of UTF-8 without control characters (RP_INPUT),
 * title and text have at most max_line bytes each (RP_LIMIT). The docid is the number of documents
 * added before. These two, and an argument that is NULL, refuse this document alone. After any
 * other failure the builder can only be freed, and says so again. */
rp_status rp_builder_add(rp_builder *builder, const char *id, size_t id_bytes, const char *title,
                         size_t title_bytes, const char *text, size_t text_bytes, rp_error *err);
/* Publishes the index. Nothing is on disk for readers before this returns RP_OK. */
rp_status rp_builder_finish(rp_builder *builder, rp_build_stats *stats, rp_error *err);
/* Frees; without a finish it removes what was begun. NULL is fine. */
void rp_builder_free(rp_builder *builder);

/* ---- 6. The same index in another codec ------------------------------------------------------ */

/* All zero or NULL: the default named beside each field. */
typedef struct rp_recode_options {
    size_t size;       /* as status.h says: 0, or sizeof this record */
    const char *codec; /* as in rp_build_options; the one that the index has */
    const char *freqs; /* the codec's own way; without a codec: as the index has them */
    const char *aux;   /* as in rp_build_options, or "none"; what the index has */
    /* bytes beside the mapped pages of `dir`: 1 GiB. The longest list must fit */
    uint64_t memory;
    uint32_t threads; /* 1; fewer work where memory is short */
    rp_progress_fn *on_progress;
    void *progress_arg;
} rp_recode_options;

/* Writes the index of folder `dir` into folder `to`, which may be the same, with its lists in
 * another codec; an index that is there is replaced. All else stays as it is, and so do all
 * answers: the files are those that a build in that codec would have made. After a failure the old
 * index, if any, is as it was. `stats` may be NULL; bytes_in are those of the index as it was. */
rp_status rp_index_recode(const char *dir, const char *to, const rp_recode_options *options,
                          rp_build_stats *stats, rp_error *err);

/* ---- 7. Indexes of other programs ------------------------------------------------------------ */

/* The i-th format: "ciff", "pisa", and "iiu", which is for export alone; NULL past the last. */
const char *rp_exchange_name(size_t i);

/* All zero or NULL: the default named beside each field. */
typedef struct rp_import_options {
    size_t size;                     /* as status.h says: 0, or sizeof this record */
    const char *codec, *freqs, *aux; /* as in rp_build_options */
    /* what the other program did to words, and queries go through: "none" */
    const char *stem, *stop;
    uint64_t memory; /* bytes in all, a hard total: 1 GiB. The longest list must fit */
    rp_progress_fn *on_progress;
    void *progress_arg;
    rp_warn_fn *on_warning;
    void *warning_arg;
    /* what else it did: as in rp_build_options, but unless set: "plain", no, no */
    const char *tokens;
    bool drop_possessive, fold;
} rp_import_options;

/* Makes an index in folder `dir`, replacing one that is there, of one that another program wrote:
 * terms, docids, frequencies, ids and lengths as they are given, neither positions nor text. `path`
 * is a CIFF file ("-": standard input), plain, gzip or zstd; or the common part of the names of
 * PISA's files, or a folder that rp_index_export made of them. Where a CIFF file has only some
 * documents of a collection, ranking counts with the whole as the file tells it. After a failure
 * the old index, if any, is as it was. `stats` may be NULL. */
rp_status rp_index_import(const char *format, const char *path, const char *dir,
                          const rp_import_options *options, rp_build_stats *stats, rp_error *err);

typedef struct rp_export_options {
    size_t size; /* as status.h says: 0, or sizeof this record */
    rp_progress_fn *on_progress;
    void *progress_arg;
    rp_warn_fn *on_warning;
    void *warning_arg;
    uint32_t iiu_max;    /* of "iiu": postings of the largest block, 1 to 2047: 256 */
    uint32_t iiu_fixed;  /* of "iiu": blocks of so many postings, in place of the cheapest cut */
    bool iiu_paper_cost; /* of "iiu": a block's width covers its first gap too, as in the paper */
    bool iiu_bounds;     /* of "iiu": blocks have bounds, by which the machine may skip them */
    bool iiu_paired;     /* of "iiu": skip values lie beside metadata; for riposte sim's `paired` */
    bool iiu_bp128;      /* of "iiu": blocks of codec bp128, of 128 postings; for `bp128` */
} rp_export_options;

/* Writes the index of folder `dir` for other programs: all but positions and text. A CIFF file
 * ("-": standard output) is packed by gzip if its name ends in .gz. PISA's five files are in a
 * folder: `path`/inv is the common part of their names. "iiu" is the memory image of the
 * accelerator IIU (docs/format.md), which cannot be imported. The file or folder appears under its
 * name whole or not at all, and replaces an older one in one step; a folder only if it holds
 * nothing but these five files (RP_USAGE). `options` may be NULL. */
rp_status rp_index_export(const char *format, const char *dir, const char *path,
                          const rp_export_options *options, rp_error *err);

/* ---- 8. The same index in another order ------------------------------------------------------ */

/* All zero or NULL: the default named beside each field. */
typedef struct rp_reorder_options {
    size_t size;    /* as status.h says: 0, or sizeof this record */
    const char *by; /* "bp"; rp_order_name lists them */
    uint64_t seed;  /* of "random": 0 is a seed like any other */
    /* of "map": a file with the id of each document, a line each, in the new order */
    const char *map;
    const char *scores; /* of "rank": a file with lines "id TAB score" or, by docid, "score" */
    const char *codec, *freqs; /* as in rp_recode_options */
    /* bytes beside the mapped pages of `dir`: 1 GiB. What does not fit is refused */
    uint64_t memory;
    uint32_t threads; /* 1; the index is the same for any number */
    rp_progress_fn *on_progress;
    void *progress_arg;
} rp_reorder_options;

/* The i-th order's name; NULL past the last. "bp" is recursive graph bisection (Dhulipala et al.
 * 2016): documents with the same terms get docids that are near, so that lists take fewer bytes.
 * "random" depends on the seed alone; "url" sorts by the bytes of ids; "length" has the longest
 * first; "rank" the highest score; of these three, documents that are equal stay in the order they
 * are in. */
const char *rp_order_name(size_t i);

/* Writes the index of folder `dir` into folder `to`, which may be the same, with other docids; an
 * index that is there is replaced. It is the index that a build of the documents in that order
 * makes: scores are the same, and documents of equal score come by their new docids. After a
 * failure the old index, if any, is as it was. `stats` may be NULL; bytes_in are those of the index
 * as it was. */
rp_status rp_index_reorder(const char *dir, const char *to, const rp_reorder_options *options,
                           rp_build_stats *stats, rp_error *err);

/* ---- 9. What becomes of a text --------------------------------------------------------------- */

typedef struct rp_text_token {
    const char *term;  /* ends with a NUL */
    size_t position;   /* counts every word of the text from 0, words that are left out too */
    size_t begin, end; /* the bytes of the text that it came from */
} rp_text_token;

typedef struct rp_text_tokens {
    size_t n;
    rp_text_token *at;
    size_t positions; /* all words, those that are left out included */
    void *memory;     /* Riposte's own */
} rp_text_tokens;

/* The terms of a text, as the index makes them of documents and queries. Free the tokens. */
rp_status rp_index_analyze(const rp_index *index, const char *text, size_t bytes,
                           rp_text_tokens *out, rp_error *err);
/* The same, as an index that is built with these options would; NULL: the defaults. */
rp_status rp_analyze(const rp_build_options *options, const char *text, size_t bytes,
                     rp_text_tokens *out, rp_error *err);
void rp_text_tokens_free(rp_text_tokens *tokens); /* NULL and all zero are fine */

#ifdef __cplusplus
}
#endif
#endif
