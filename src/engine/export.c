/* export.c: an index for other programs: what all formats share. Terms and documents come out of mapped
 * memory one at a time, under the guard, into memory of the export's own. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/record.h"
#include "engine/exchange.h"

enum { POSTINGS_A_TICK = 1 << 18 };

static rp_status damaged(const rp__export *ex, rp_status status, rp_error *err)
{
    (void)ex;
    if (status == RP_NO_MEMORY)
        return rp__error_no_memory(err);
    return rp__error_set(err, RP_DAMAGED, "the index is damaged; run 'riposte check' on it");
}

/* ---- Terms ----------------------------------------------------------------------------------- */

static rp_status run_next(void *arg)
{
    rp__export *ex = arg;
    return rp__term_iter_next(&ex->iter);
}

static rp_status run_decode(void *arg)
{
    rp__export *ex = arg;
    rp__list list;
    rp__arena_clear(&ex->arena);
    rp_status status = rp__segment_list(ex->index->segment, &ex->iter.entry, &ex->arena, &list);
    return status == RP_OK ? rp__list_decode(&list, ex->docids, ex->tfs) : status;
}

static rp_status tick(rp__export *ex, rp_error *err)
{
    rp_progress p = {.phase = "writing",
                     .bytes = ex->postings,
                     .bytes_total = ex->info->postings,
                     .memory = rp__alloc_in_use()};
    if (ex->postings / POSTINGS_A_TICK == ex->reported || !ex->on_progress)
        return RP_OK;
    ex->reported = ex->postings / POSTINGS_A_TICK;
    return ex->on_progress(ex->progress_arg, &p)
               ? RP_OK
               : rp__error_set(err, RP_INTERRUPTED, "interrupted");
}

static rp_status read_list(rp__export *ex, rp_error *err)
{
    size_t n = ex->iter.entry.df, room = n + RP_BLOCK_CAPACITY;
    if (n > ex->info->docs)
        return damaged(ex, RP_DAMAGED, err);
    if (!rp__alloc_grow(&ex->docids, &ex->cap_docids, room, sizeof *ex->docids) ||
        !rp__alloc_grow(&ex->tfs, &ex->cap_tfs, room, sizeof *ex->tfs))
        return rp__error_no_memory(err);
    rp_status status = rp__index_handle_guard(ex->index, run_decode, ex);
    if (status != RP_OK)
        return damaged(ex, status, err);
    ex->n = (uint32_t)n;
    ex->cf = 0;
    for (size_t i = 0; i < n; i++)
        ex->cf += ex->tfs[i];
    ex->postings += n;
    return tick(ex, err);
}

rp_status rp__export_next(rp__export *ex, bool *has, rp_error *err)
{
    rp_status status = rp__index_handle_guard(ex->index, run_next, ex);
    *has = status == RP_OK;
    if (status == RP_NOT_FOUND)
        return ex->terms == ex->info->terms ? RP_OK : damaged(ex, RP_DAMAGED, err);
    if (status != RP_OK || ex->terms++ == ex->info->terms)
        return damaged(ex, status, err);
    memcpy(ex->term, ex->iter.term, ex->iter.term_bytes);
    ex->term_bytes = ex->iter.term_bytes;
    return read_list(ex, err);
}

/* ---- Documents ------------------------------------------------------------------------------- */

typedef struct doc_job {
    rp__export *ex;
    uint32_t docid;
    size_t bytes;
} doc_job;

/* Allocates nothing: where there is no room for the id it tells how long it is. */
static rp_status run_doc(void *arg)
{
    doc_job *job = arg;
    rp__export *ex = job->ex;
    const char *id;
    rp__lengths lengths;
    rp_status status = rp__segment_doc_id(ex->index->segment, job->docid, &id, &job->bytes);
    if (status != RP_OK || job->bytes > ex->cap_id)
        return status;
    if (job->bytes)
        memcpy(ex->id, id, job->bytes);
    rp__segment_get_lengths(ex->index->segment, &lengths);
    ex->length = lengths.table[rp__lengths_code(&lengths, job->docid)];
    return RP_OK;
}

rp_status rp__export_doc(rp__export *ex, uint32_t docid, rp_error *err)
{
    doc_job job = {.ex = ex, .docid = docid};
    for (int tries = 0; tries < 2; tries++) {
        rp_status status = rp__index_handle_guard(ex->index, run_doc, &job);
        if (status != RP_OK)
            return damaged(ex, status, err);
        ex->id_bytes = job.bytes;
        if (job.bytes <= ex->cap_id)
            return RP_OK;
        if (!rp__alloc_grow(&ex->id, &ex->cap_id, job.bytes, 1))
            return rp__error_no_memory(err);
    }
    return damaged(ex, RP_DAMAGED, err); /* it grew since the first look */
}

/* ---- The whole ------------------------------------------------------------------------------- */

void rp__export_warn(const rp__export *ex, const char *what)
{
    if (ex->on_warning)
        ex->on_warning(ex->warning_arg, what);
}

static rp_status run_start(void *arg)
{
    rp__export *ex = arg;
    return rp__term_iter_start(&ex->iter, ex->index->segment, "", 0);
}

static rp_status run_export(const rp__exchange *format, rp__export *ex, rp_error *err)
{
    rp__arena_init(&ex->arena, 1 << 20);
    rp_status status = rp__index_handle_guard(ex->index, run_start, ex);
    status = status == RP_OK ? format->export(ex, err) : damaged(ex, status, err);
    rp__arena_reset(&ex->arena);
    rp__free(ex->docids);
    rp__free(ex->tfs);
    rp__free(ex->id);
    return status;
}

rp_status rp_index_export(const char *format, const char *dir, const char *path,
                          const rp_export_options *options, rp_error *err)
{
    if (RP_MISSING(err, format, dir, path))
        return RP_USAGE;
    rp_export_options o;
    const rp__exchange *row;
    rp_index *index = NULL;
    rp_status status = RP_TAKE(&o, options, err);
    if (status == RP_OK)
        status = rp__exchange_find(format, &row, err);
    if (status == RP_OK)
        status = rp_index_open(dir, &(rp_index_options){.verify = true}, &index, err);
    if (status != RP_OK)
        return status;
    rp__export *ex = rp__alloc_zero(1, sizeof *ex);
    if (ex) {
        *ex = (rp__export){.path = path,
                           .index = index,
                           .info = rp__segment_get_info(index->segment),
                           .on_progress = o.on_progress,
                           .progress_arg = o.progress_arg,
                           .on_warning = o.on_warning,
                           .warning_arg = o.warning_arg,
                           .iiu = {.max_size = o.iiu_max,
                                   .of = o.iiu_paper_cost ? RP_IIU_COST_PAPER : RP_IIU_COST_FREE,
                                   .fixed = o.iiu_fixed,
                                   .has_bounds = o.iiu_bounds,
                                   .is_paired = o.iiu_paired,
                                   .is_bp128 = o.iiu_bp128}};
        status = run_export(row, ex, err);
    } else {
        status = rp__error_no_memory(err);
    }
    rp__free(ex);
    rp_index_close(index);
    return status;
}
