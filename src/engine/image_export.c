/* image_export.c: an index as the memory image of IIU: constants of documents and lists as the machine
 * reads them, under the ranking iiu with its usual parameters. The bytes are sim/image.h's. */
#include "base/alloc.h"
#include "base/error.h"
#include "engine/exchange.h"
#include "rank/rank.h"
#include "sim/image.h"
#include "store/store.h"

enum { DOCS = 4096 }; /* whose constants are made at once */

typedef struct target {
    rp__export *ex;
    rp__output *out;
    rp__image_writer writer;
    rp__rank rank;
    uint32_t first, n; /* documents whose constants are to be made, and how many */
    uint32_t dl[DOCS];
} target;

static rp_status check_options(const rp__export *ex, rp_error *err)
{
    if (ex->iiu.max_size > RP_IIU_BLOCK_LARGEST)
        return rp__error_set(err, RP_USAGE,
                             "blocks of at most %u postings; the metadata of a block counts up to "
                             "%d",
                             ex->iiu.max_size, RP_IIU_BLOCK_LARGEST);
    if (ex->iiu.fixed > RP_IIU_BLOCK_LARGEST)
        return rp__error_set(err, RP_USAGE,
                             "blocks of %u postings; the metadata of a block counts up to %d",
                             ex->iiu.fixed, RP_IIU_BLOCK_LARGEST);
    if (ex->iiu.max_size && ex->iiu.fixed)
        return rp__error_set(err, RP_USAGE,
                             "blocks of at most so many postings, or of so many: not both");
    if (ex->iiu.is_bp128 && (ex->iiu.max_size || ex->iiu.fixed || ex->iiu.of != RP_IIU_COST_FREE))
        return rp__error_set(err, RP_USAGE, "blocks of bp128 have 128 postings and no other cost");
    return RP_OK;
}

static void flush(target *t)
{
    rp__output_write(t->out, t->writer.out.at, t->writer.out.n);
    rp__buf_clear(&t->writer.out, 1 << 20);
}

/* ---- Constants of documents ------------------------------------------------------------------ */

static rp_status run_dl(void *arg)
{
    target *t = arg;
    rp__lengths lengths;
    rp__segment_get_lengths(t->ex->index->segment, &lengths);
    for (uint32_t i = 0; i < t->n; i++) {
        const uint32_t length = lengths.table[rp__lengths_code(&lengths, t->first + i)];
        t->dl[i] = (uint32_t)(rp__rank_norm(&t->rank, length) * 0x1p16F);
    }
    return RP_OK;
}

static rp_status write_dl(target *t, rp_error *err)
{
    const uint32_t docs = (uint32_t)t->ex->info->docs;
    rp_status status = RP_OK;
    for (t->first = 0; t->first < docs && status == RP_OK; t->first += t->n) {
        t->n = docs - t->first < DOCS ? docs - t->first : DOCS;
        status = rp__index_handle_guard(t->ex->index, run_dl, t);
        if (status != RP_OK)
            return rp__error_set(err, status, "the lengths of documents were cut short");
        rp__image_writer_dl(&t->writer, t->dl, t->n);
        flush(t);
    }
    return RP_OK;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static rp_status write_list(target *t, rp_error *err)
{
    const rp__export *ex = t->ex;
    const rp__weight weight = rp__rank_weight(&t->rank, &ex->n, &ex->cf, 1, 1.0);
    rp_status status =
        rp__image_writer_list(&t->writer, ex->term, ex->term_bytes, ex->docids, ex->tfs, ex->n,
                              rp__rank_fix(weight.weight, rp__rank_scale(RP_IIU_SCORE_BITS)));
    if (status == RP_LIMIT)
        return rp__error_set(err, status,
                             "a frequency is 2^31 or more, or all terms together are "
                             "4 GiB or more: more than an image can say");
    if (status != RP_OK)
        return rp__error_no_memory(err);
    flush(t);
    return RP_OK;
}

static rp_status write_all(target *t, rp_error *err)
{
    bool has = true;
    rp_status status = write_dl(t, err);
    while (status == RP_OK && !rp__output_has_failed(t->out)) {
        status = rp__export_next(t->ex, &has, err);
        if (status != RP_OK || !has)
            break;
        status = write_list(t, err);
    }
    if (status != RP_OK)
        return status;
    if (rp__image_writer_end(&t->writer) != RP_OK)
        return rp__error_no_memory(err);
    flush(t);
    return RP_OK;
}

static rp_status run(target *t, rp_error *err)
{
    rp__export *ex = t->ex;
    const rp__ranking *row = rp__ranking_find("iiu");
    t->rank = (rp__rank){
        .ranking = row, .k1 = row->k1, .b = row->b, .mu = row->mu, .stats = ex->info->stats};
    rp_status status = rp__rank_check(&t->rank, err);
    if (status == RP_OK)
        status = rp__output_create(ex->path, &t->out, err);
    if (status != RP_OK)
        return status;
    rp__image_writer_begin(&t->writer, &ex->iiu, row->k1, row->b, (uint32_t)ex->info->docs);
    status = write_all(t, err);
    rp__image_writer_free(&t->writer);
    if (status == RP_OK || rp__output_has_failed(t->out))
        return rp__output_finish(t->out, err);
    rp__output_abandon(t->out);
    return status;
}

rp_status rp__image_export_run(rp__export *ex, rp_error *err)
{
    rp_status status = check_options(ex, err);
    if (status != RP_OK)
        return status;
    target *t = rp__alloc_zero(1, sizeof *t);
    if (!t)
        return rp__error_no_memory(err);
    t->ex = ex;
    status = run(t, err);
    rp__free(t);
    return status;
}
