/* import.c: an index of another program becomes one of ours: what all formats share. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/record.h"
#include "engine/builder.h"
#include "engine/exchange.h"

enum { TERM_MOST = 255, POSTINGS_A_TICK = 1 << 18, DOCS_A_TICK = 1 << 14 };

/* Faults that show only when lists come together have no place but the file. */
static rp_status name_file(const rp__import *im, rp_status status, rp_error *err)
{
    if (status != RP_INPUT || !err)
        return status;
    return rp__error_set(err, status, "%s: %s", im->path, err->text);
}

/* ---- What readers call ----------------------------------------------------------------------- */

rp_status rp__import_term(rp__import *im, const char *term, size_t bytes, rp_error *err)
{
    im->in_list = 0;
    im->is_left_out = bytes > TERM_MOST;
    im->too_long += im->is_left_out;
    if (im->is_left_out)
        return RP_OK;
    return name_file(im, rp__segment_builder_term(im->segment, term, (uint32_t)bytes, err), err);
}

rp_status rp__import_postings(rp__import *im, const uint32_t *docids, const uint32_t *tfs, size_t n,
                              rp_error *err)
{
    im->postings += n;
    im->in_list += n;
    if (im->is_left_out)
        return RP_OK;
    return name_file(im, rp__segment_builder_postings(im->segment, docids, tfs, n, err), err);
}

void rp__import_end_list(rp__import *im)
{
    im->empty += im->in_list == 0 && !im->is_left_out;
}

rp_status rp__import_end_lists(rp__import *im, rp_error *err)
{
    return name_file(im, rp__segment_builder_end_lists(im->segment, err), err);
}

rp_status rp__import_doc(rp__import *im, const char *id, size_t bytes, uint32_t length,
                         rp_error *err)
{
    uint32_t docid;
    rp_status status = rp__segment_builder_doc(im->segment, id, bytes, &docid, err);
    if (status == RP_OK)
        status = rp__segment_builder_doc_end(im->segment, docid, length, err);
    im->docs++;
    im->tokens += length;
    return status;
}

static bool report_reading(const rp__import *im)
{
    rp_progress p = {.phase = "reading",
                     .docs = im->docs,
                     .bytes = im->bytes_in,
                     .bytes_total = im->bytes_total,
                     .memory = rp__alloc_in_use()};
    return !im->on_progress || im->on_progress(im->progress_arg, &p);
}

rp_status rp__import_tick(rp__import *im, uint64_t done, uint64_t of, rp_error *err)
{
    uint64_t now = im->postings / POSTINGS_A_TICK + im->docs / DOCS_A_TICK;
    im->bytes_in = done;
    im->bytes_total = of;
    if (now == im->reported)
        return RP_OK;
    im->reported = now;
    return report_reading(im)
               ? RP_OK
               : rp__error_set(err, RP_INTERRUPTED, "interrupted; nothing was changed");
}

bool rp__import_goes_on(void *im)
{
    return report_reading(im);
}

void rp__import_warn(const rp__import *im, const char *format, ...)
{
    char text[400];
    va_list args;
    if (!im->on_warning)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    im->on_warning(im->warning_arg, text);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static bool report_merge(void *arg, uint64_t done, uint64_t of)
{
    const rp__import *im = arg;
    rp_progress p = {
        .phase = "merging", .bytes = done, .bytes_total = of, .memory = rp__alloc_in_use()};
    return !im->on_progress || im->on_progress(im->progress_arg, &p);
}

static void tell_left_out(const rp__import *im)
{
    if (im->too_long)
        rp__import_warn(im, "%s: %" PRIu64 " term%s over %d bytes left out with %s", im->path,
                        im->too_long, im->too_long == 1 ? "" : "s", TERM_MOST,
                        im->too_long == 1 ? "its list" : "their lists");
    if (im->empty)
        rp__import_warn(im, "%s: %" PRIu64 " term%s without a posting left out", im->path,
                        im->empty, im->empty == 1 ? "" : "s");
}

static rp_status run_import(const rp__exchange *format, rp__import *im, const char *dir,
                            const rp_build_options *options, rp_build_stats *stats, rp_error *err)
{
    rp__build_setup setup;
    rp_status status = rp__builder_setup(options, &setup, err);
    if (status != RP_OK)
        return status;
    uint64_t limit = rp__alloc_set_limit(setup.o.memory);
    setup.segment.has_lists = true;
    setup.segment.on_progress = report_merge;
    setup.segment.progress_arg = im;
    status = rp__segment_builder_new(dir, &setup.segment, &im->segment, err);
    if (status == RP_OK)
        status = format->import(im, err);
    if (status == RP_OK)
        tell_left_out(im);
    if (status == RP_OK)
        status = name_file(im, rp__segment_builder_finish(im->segment, stats, err), err);
    rp__alloc_set_limit(limit);
    rp__segment_builder_free(im->segment);
    rp__builder_setup_reset(&setup);
    if (status == RP_OK && stats)
        stats->bytes_in = im->bytes_in;
    return status;
}

rp_status rp_index_import(const char *format, const char *path, const char *dir,
                          const rp_import_options *options, rp_build_stats *stats, rp_error *err)
{
    if (RP_MISSING(err, format, path, dir))
        return RP_USAGE;
    rp_import_options o;
    const rp__exchange *row;
    rp_status status = RP_TAKE(&o, options, err);
    if (status == RP_OK)
        status = rp__exchange_find(format, &row, err);
    if (status != RP_OK)
        return status;
    if (!row->import)
        return rp__error_set(err, RP_USAGE, "no index can be made of the format %s", format);
    if (stats)
        *stats = (rp_build_stats){0};
    rp__import im = {.path = path,
                     .on_progress = o.on_progress,
                     .progress_arg = o.progress_arg,
                     .on_warning = o.on_warning,
                     .warning_arg = o.warning_arg};
    rp_build_options build = {.codec = o.codec,
                              .freqs = o.freqs,
                              .aux = o.aux,
                              .stem = o.stem,
                              .stop = o.stop,
                              .tokens = o.tokens ? o.tokens : "plain",
                              .keep_possessive = !o.drop_possessive,
                              .no_fold = !o.fold,
                              .memory = o.memory,
                              .on_progress = o.on_progress,
                              .progress_arg = o.progress_arg,
                              .no_positions = true,
                              .no_store = true};
    rp__alloc_reset_peak();
    return run_import(row, &im, dir, &build, stats, err);
}
