/* norms.c: the K of every length, for the ranking that a manifest names. */
#include "index/norms.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"

void rp__norms_choose(rp__meta *meta)
{
    const rp__ranking *ranking = rp__ranking_at(0);
    meta->bound_k1 = ranking->k1;
    meta->bound_b = ranking->b;
    snprintf(meta->bound_variant, sizeof meta->bound_variant, "%s", ranking->name);
}

rp_status rp__norms_fill(const rp__manifest *manifest, const rp__lengths *lengths, float *out)
{
    const rp__meta *m = &manifest->meta;
    const rp__ranking *ranking = rp__ranking_find(m->bound_variant);
    if (!ranking)
        return RP_INCOMPATIBLE;
    rp__rank rank = {.ranking = ranking,
                     .k1 = m->bound_k1,
                     .b = m->bound_b,
                     .mu = ranking->mu,
                     .stats = rp__manifest_stats(manifest)};
    for (uint32_t i = 0; i < lengths->n_table; i++)
        out[i] = rp__rank_norm(&rank, lengths->table[i]);
    return RP_OK;
}

typedef struct fill_job {
    const rp__manifest *manifest;
    const rp__lengths *lengths;
    float *out;
} fill_job;

static rp_status run_norms(void *arg)
{
    const fill_job *job = arg;
    return rp__norms_fill(job->manifest, job->lengths, job->out);
}

rp_status rp__norms_new(const rp__manifest *manifest, const rp__lengths *lengths, float **out,
                        rp_error *err)
{
    fill_job job = {manifest, lengths, rp__alloc_array(lengths->n_table + 1U, sizeof *job.out)};
    if (!job.out)
        return rp__error_no_memory(err);
    rp_status status = rp__mapping_guard(run_norms, &job);
    if (status == RP_OK) {
        *out = job.out;
        return RP_OK;
    }
    rp__free(job.out);
    if (status == RP_INCOMPATIBLE)
        return rp__error_set(err, status,
                             "ranking \"%s\", for which block bounds hold, is not known to this "
                             "program; use a newer Riposte",
                             manifest->meta.bound_variant);
    return rp__error_set(err, status, "the lengths of documents were cut short");
}
