/* reorder.c: the same index with other docids: an order of its documents is made, then all is moved. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/record.h"
#include "engine/builder.h"
#include "engine/codec_spec.h"
#include "engine/order.h"

static rp_status find_order(rp_reorder_options *o, const rp__order **out, rp_error *err)
{
    o->by = o->by ? o->by : "bp";
    *out = rp__order_find(o->by);
    if (*out)
        return RP_OK;
    return rp__error_set(err, RP_USAGE, "order \"%.40s\" is not known; the best is \"bp\"", o->by);
}

/* The order is made from the recoder's own source, which nobody can replace in between. */
static rp_status move_all(const rp__order *order, rp__order_job *job, rp__recoder *recoder,
                          rp_build_stats *stats, rp_error *err)
{
    job->from = rp__recoder_source(recoder);
    job->n = (uint32_t)rp__segment_get_info(job->from)->docs;
    job->order = rp__alloc_array(job->n, sizeof *job->order);
    if (!job->order)
        return rp__error_no_memory(err);
    rp_status status = order->make(job, err);
    if (status == RP_OK)
        status = rp__recoder_order(recoder, job->order, err);
    return status == RP_OK ? rp__recode_finish(recoder, job->watch, stats, err) : status;
}

rp_status rp_index_reorder(const char *dir, const char *to, const rp_reorder_options *options,
                           rp_build_stats *stats, rp_error *err)
{
    if (RP_MISSING(err, dir, to))
        return RP_USAGE;
    rp__order_job job = {0};
    rp_status status = RP_TAKE(&job.o, options, err);
    rp__recode_watch watch = {"reordering", job.o.on_progress, job.o.progress_arg};
    rp__recode_options inner = {
        .moves = true, .on_progress = rp__recode_report, .progress_arg = &watch};
    const rp__order *order = NULL;
    rp__recoder *recoder = NULL;
    job.watch = &watch;
    if (stats)
        *stats = (rp_build_stats){0};
    rp__alloc_reset_peak();
    if (status == RP_OK)
        status = rp__builder_check_limits(&job.o.memory, &job.o.threads, err);
    uint64_t limit = rp__alloc_set_limit(job.o.memory);
    if (status == RP_OK)
        status = find_order(&job.o, &order, err);
    if (status == RP_OK)
        status = rp__codec_spec_parse(job.o.codec, job.o.freqs, &inner.coding, err);
    inner.memory = job.o.memory;
    inner.workers = job.o.threads;
    if (status == RP_OK)
        status = rp__recoder_new(dir, to, &inner, &recoder, err);
    if (status == RP_OK)
        status = move_all(order, &job, recoder, stats, err);
    rp__alloc_set_limit(limit);
    rp__recoder_free(recoder);
    rp__free(job.order);
    return status;
}
