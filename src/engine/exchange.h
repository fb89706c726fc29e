/* engine/exchange.h: interior of engine: indexes of other programs, in and out.
 *
 * A format is a row of exchange_table.c. Its reader hands lists and then documents to an import
 * (import.c), its writer takes terms and then documents from an export (export.c). */
#ifndef RP_ENGINE_EXCHANGE_H
#define RP_ENGINE_EXCHANGE_H

#include "engine/engine.h"
#include "index/index.h"
#include "riposte/index.h"
#include "sim/image.h"

/* ---- In -------------------------------------------------------------------------------------- */

enum { RP_IMPORT_BATCH = 1024 }; /* postings that a reader hands over at once */

/* One thread at a time. */
typedef struct rp__import {
    const char *path;
    rp__segment_builder *segment;
    rp_progress_fn *on_progress;
    rp_warn_fn *on_warning;
    void *progress_arg, *warning_arg;
    uint64_t postings, reported; /* read; when progress was told last */
    uint64_t docs, tokens;       /* handed over */
    uint64_t too_long, empty;    /* lists left out: of a term over 255 bytes, without a posting */
    bool is_left_out;            /* the open list */
    uint64_t in_list;            /* postings of the open list */
    uint64_t bytes_in;           /* of the files, for statistics */
    uint64_t bytes_total;        /* of the files, as progress was told of last; 0: not known */
} rp__import;

/* Begins a list. A term that is too long is left out with its postings, and counted. */
rp_status rp__import_term(rp__import *im, const char *term, size_t bytes, rp_error *err);
rp_status rp__import_postings(rp__import *im, const uint32_t *docids, const uint32_t *tfs, size_t n,
                              rp_error *err);
void rp__import_end_list(rp__import *im);
/* after the last, before documents */
rp_status rp__import_end_lists(rp__import *im, rp_error *err);
/* The next document. RP_INPUT without a place: rp__segment_builder_doc refuses the id. */
rp_status rp__import_doc(rp__import *im, const char *id, size_t bytes, uint32_t length,
                         rp_error *err);
/* Tells progress now and then; false comes back as RP_INTERRUPTED. */
rp_status rp__import_tick(rp__import *im, uint64_t done, uint64_t of, rp_error *err);
bool rp__import_goes_on(void *im); /* the same, always told, for rp__input_options */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void rp__import_warn(const rp__import *im, const char *format, ...);

/* ---- Out ------------------------------------------------------------------------------------- */

/* One thread at a time. */
typedef struct rp__export {
    const char *path;
    const rp_index *index;
    const rp__segment_info *info;
    rp_progress_fn *on_progress;
    rp_warn_fn *on_warning;
    void *progress_arg, *warning_arg;
    rp__image_options iiu; /* of the format iiu */
    rp__term_iter iter;
    rp__arena arena;
    /* The term that rp__export_next found. */
    char term[256];
    size_t term_bytes;
    uint32_t n;
    uint64_t cf;
    uint32_t *docids, *tfs;
    size_t cap_docids, cap_tfs;
    /* The document that rp__export_doc found. */
    char *id;
    size_t id_bytes, cap_id;
    uint32_t length;
    uint64_t postings, reported, terms;
} rp__export;

/* Terms in order; *has is false after the last. */
rp_status rp__export_next(rp__export *ex, bool *has, rp_error *err);
rp_status rp__export_doc(rp__export *ex, uint32_t docid, rp_error *err);
void rp__export_warn(const rp__export *ex, const char *what);

/* ---- Formats --------------------------------------------------------------------------------- */

typedef struct rp__exchange {
    const char *name;
    /* (optional) all lists, all documents */
    rp_status (*import)(rp__import *im, rp_error *err);
    rp_status (*export)(rp__export *ex, rp_error *err);
} rp__exchange;

/* RP_USAGE: there is none of that name. */
rp_status rp__exchange_find(const char *name, const rp__exchange **out, rp_error *err);

#define RP_PISA_BASE                                                                               \
    "inv" /* the base of the files' names in the folder that an export to PISA makes */

rp_status rp__ciff_import_run(rp__import *im, rp_error *err);
rp_status rp__ciff_export_run(rp__export *ex, rp_error *err);
rp_status rp__pisa_import_run(rp__import *im, rp_error *err);
rp_status rp__pisa_export_run(rp__export *ex, rp_error *err);
rp_status rp__image_export_run(rp__export *ex, rp_error *err);

#endif
