/* segment_builder.c: documents or lists in, a published segment out. What becomes of the folder is
 * draft.c's.
 *
 * Invariants: 1 a document is inverted by one worker, and runs of one worker that have parts of it follow
 * each other, so merged bytes do not depend on workers or memory; 2 an inverter grows by make_room
 * alone, which spills what would pass the worker's share. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"
#include "index/aux_writer.h"
#include "index/coding.h"
#include "index/doctable.h"
#include "index/draft.h"
#include "index/inverter.h"
#include "index/list_spool.h"
#include "index/merge.h"
#include "index/norms.h"
#include "index/run.h"
#include "index/segment_writer.h"

enum { INVERTER_LEAST = 6 << 20 }; /* bytes; less makes runs that are not worth their seek */

typedef struct worker {
    rp__inverter *inverter;
    rp__out *out; /* its runs; NULL before the first spill */
    char file[32];
    rp__run *runs;
    size_t n_runs, cap_runs;
    uint64_t counted; /* bytes of the inverter that are in `inverted` */
} worker;

struct rp__segment_builder {
    rp__draft draft;
    rp__segment_options o;
    uint32_t aux; /* kinds */
    rp__doctable_writer *docs;
    worker *workers;
    _Atomic uint64_t inverted; /* bytes of all inverters */
    rp__list_spool *spool;     /* NULL: it is filled from tokens */
    rp__section_writer *text;
    rp__buf text_index;
    uint64_t text_offset;
    uint64_t begun; /* clock */
};

/* ---- Beginning --------------------------------------------------------------------------------- */

static rp_status make_workers(rp__segment_builder *b, rp_error *err)
{
    b->workers = rp__alloc_zero(b->o.workers, sizeof *b->workers);
    if (!b->workers)
        return rp__error_no_memory(err);
    for (uint32_t i = 0; i < b->o.workers; i++) {
        snprintf(b->workers[i].file, sizeof b->workers[i].file, "run.%u.tmp", i);
        if (rp__inverter_new(b->o.has_positions, &b->workers[i].inverter) != RP_OK)
            return rp__error_no_memory(err);
    }
    return RP_OK;
}

static rp_status too_little(const rp__segment_builder *b, rp_error *err)
{
    return rp__error_set(err, RP_NO_MEMORY,
                         "--memory %llu MiB is too little for this collection; give more",
                         (unsigned long long)(b->o.memory >> 20));
}

/* Bytes of the budget that are not in use. */
static uint64_t free_bytes(const rp__segment_builder *b)
{
    uint64_t used = rp__alloc_in_use() + rp__alloc_slack(b->o.memory);
    return used < b->o.memory ? b->o.memory - used : 0;
}

/* A larger block than that makes nothing faster: the kernel has to find the pages of it. */
static rp_status make_spool(rp__segment_builder *b, rp_error *err)
{
    enum { LEAST = 1 << 20, MOST = 64 << 20 };
    uint64_t bytes = free_bytes(b) / 2;
    if (bytes < LEAST)
        return too_little(b, err);
    return rp__list_spool_new(&b->draft.folder, bytes < MOST ? (size_t)bytes : MOST, &b->spool,
                              err);
}

static rp_status open_text(rp__segment_builder *b, rp_error *err)
{
    char name[RP_FILE_NAME_MAX];
    rp__draft_name(&b->draft, RP_FILE_TEXT, name);
    rp_status status = rp__section_writer_new(&b->draft.folder, name, RP_FILE_TEXT, &b->text, err);
    if (status == RP_OK)
        rp__section_writer_begin(b->text, RP_SECTION_TEXT_BLOCKS);
    return status;
}

/* Nothing is recorded of the plain analysis, which every reader has. */
static void describe_analysis(const rp__segment_options *o, rp__meta_analysis *to)
{
    const char *tokens = o->tokens ? o->tokens : RP_TOKENS_NONE;
    uint32_t flags = (o->drops_possessive ? RP_ANALYSIS_POSSESSIVE : 0U) |
                     (o->folds_accents ? RP_ANALYSIS_ACCENTS : 0U);
    if (flags == 0 && strcmp(tokens, RP_TOKENS_NONE) == 0)
        return;
    snprintf(to->tokens, sizeof to->tokens, "%s", tokens);
    to->flags = flags;
}

/* What the manifest will say of the options. */
static rp_status describe(rp__segment_builder *b, rp_error *err)
{
    const rp__segment_options *o = &b->o;
    rp__manifest *m = &b->draft.manifest;
    m->stop_words = rp__alloc(o->stop_bytes + 1);
    if (!m->stop_words)
        return rp__error_no_memory(err);
    if (o->stop_bytes)
        memcpy(m->stop_words, o->stop_words, o->stop_bytes);
    m->stop_bytes = o->stop_bytes;
    m->meta.flags = (o->has_positions ? RP_META_POSITIONS : 0U) |
                    (o->has_text ? RP_META_TEXT : 0U) | (o->has_lists ? RP_META_GIVEN_LENGTHS : 0U);
    rp__coding_describe(&o->coding, m);
    describe_analysis(o, &m->analysis);
    snprintf(m->meta.stem, sizeof m->meta.stem, "%s", o->stem);
    snprintf(m->meta.stop, sizeof m->meta.stop, "%s", o->stop);
    return rp__aux_writer_parse(o->aux, &b->aux, err);
}

rp_status rp__segment_builder_new(const char *dir, const rp__segment_options *options,
                                  rp__segment_builder **out, rp_error *err)
{
    rp__segment_builder *b = rp__alloc_zero(1, sizeof *b);
    if (!b)
        return rp__error_no_memory(err);
    b->o = *options;
    b->begun = rp__clock_now();
    rp_status status = rp__draft_begin(&b->draft, dir, err);
    if (status == RP_OK)
        status = describe(b, err);
    if (status == RP_OK)
        status = options->has_lists ? make_spool(b, err) : make_workers(b, err);
    if (status == RP_OK && rp__doctable_writer_new(&b->docs) != RP_OK)
        status = rp__error_no_memory(err);
    if (status == RP_OK && options->has_text)
        status = open_text(b, err);
    if (status != RP_OK) {
        rp__segment_builder_free(b);
        return status;
    }
    *out = b;
    return RP_OK;
}

/* ---- Lists ------------------------------------------------------------------------------------- */

rp_status rp__segment_builder_term(rp__segment_builder *b, const char *term, uint32_t bytes,
                                   rp_error *err)
{
    return rp__list_spool_term(b->spool, term, bytes, err);
}

rp_status rp__segment_builder_postings(rp__segment_builder *b, const uint32_t *docids,
                                       const uint32_t *tfs, size_t n, rp_error *err)
{
    return rp__list_spool_postings(b->spool, docids, tfs, n, err);
}

void rp__segment_builder_totals(rp__segment_builder *b, uint64_t docs, uint64_t tokens)
{
    b->draft.manifest.has_stats = true;
    b->draft.manifest.stats = (rp__rank_stats){.docs = docs, .tokens = tokens};
}

rp_status rp__segment_builder_end_lists(rp__segment_builder *b, rp_error *err)
{
    return rp__list_spool_end(b->spool, err);
}

/* ---- Documents --------------------------------------------------------------------------------- */

/* An id is printed on lines of TREC runs and in messages, so it is text without control characters. */
static rp_status check_id(const char *id, size_t bytes, rp_error *err)
{
    if (bytes == 0)
        return rp__error_set(err, RP_INPUT, "the id is empty");
    if (bytes > RP_DOC_ID_MAX)
        return rp__error_set(err, RP_INPUT, "an id has at most %d bytes, this one has %zu",
                             RP_DOC_ID_MAX, bytes);
    for (size_t i = 0; i < bytes; i++)
        if ((unsigned char)id[i] < ' ' || id[i] == 0x7F)
            return rp__error_set(err, RP_INPUT, "the id has a control character");
    if (rp__utf8_check(id, bytes) < bytes)
        return rp__error_set(err, RP_INPUT, "the id is not UTF-8");
    return RP_OK;
}

static rp_status cannot_add(rp_status status, rp_error *err)
{
    if (status == RP_LIMIT)
        return rp__error_set(
            err, status, "an index holds at most %u documents; split the collection", RP_MAX_DOCS);
    return status == RP_OK ? RP_OK : rp__error_no_memory(err);
}

rp_status rp__segment_builder_number(rp__segment_builder *b, uint32_t *docid, rp_error *err)
{
    return cannot_add(rp__doctable_writer_add_number(b->docs, docid), err);
}

uint32_t rp__segment_builder_yielded(const rp__segment_builder *b)
{
    return rp__doctable_writer_yielded(b->docs);
}

rp_status rp__segment_builder_doc(rp__segment_builder *b, const char *id, size_t id_bytes,
                                  uint32_t *docid, rp_error *err)
{
    if (check_id(id, id_bytes, err) != RP_OK)
        return RP_INPUT;
    rp_status status = rp__doctable_writer_add(b->docs, id, id_bytes, docid);
    if (status == RP_INPUT)
        return rp__error_set(err, status, "id \"%.*s\" was seen before, as document %u",
                             (int)(id_bytes < 100 ? id_bytes : 100), id, *docid + 1);
    return cannot_add(status, err);
}

rp_status rp__segment_builder_token(rp__segment_builder *b, uint32_t worker_number, uint32_t docid,
                                    const char *term, uint32_t bytes, uint32_t position)
{
    return rp__inverter_add(b->workers[worker_number].inverter, docid, term, bytes, position);
}

/* What the inverter has taken in becomes a run; tokens that wait go on waiting. */
static rp_status spill(rp__segment_builder *b, worker *w, rp_error *err)
{
    if (!w->out) {
        rp_status status = rp__out_create(&b->draft.folder, w->file, 256 * 1024, &w->out, err);
        if (status != RP_OK)
            return status;
    }
    if (rp__inverter_sort(w->inverter) != RP_OK ||
        !rp__alloc_grow(&w->runs, &w->cap_runs, w->n_runs + 1, sizeof *w->runs))
        return rp__error_no_memory(err);
    rp_status status = rp__run_write(w->inverter, w->out, w->file, &w->runs[w->n_runs]);
    w->runs[w->n_runs++].worker = (uint32_t)(w - b->workers);
    rp__inverter_clear(w->inverter);
    return status == RP_OK ? RP_OK : rp__error_no_memory(err);
}

static void count_inverter(rp__segment_builder *b, worker *w)
{
    uint64_t bytes = rp__inverter_bytes(w->inverter);
    if (bytes != w->counted)
        atomic_fetch_add_explicit(&b->inverted, bytes - w->counted, memory_order_relaxed);
    w->counted = bytes;
}

/* Bytes that the worker's inverter may hold now. The slack of the budget is for what is not foreseen; the
 * least that an inverter needs comes before it. */
static uint64_t worker_share(const rp__segment_builder *b, const worker *w)
{
    uint64_t inverted = atomic_load_explicit(&b->inverted, memory_order_relaxed);
    uint64_t all = rp__alloc_in_use();
    uint64_t others = (all > inverted ? all - inverted : 0) + rp__alloc_slack(b->o.memory);
    uint64_t fair = others < b->o.memory ? (b->o.memory - others) / b->o.workers : 0;
    if (fair >= INVERTER_LEAST)
        return fair;
    uint64_t unused = w->counted + (all < b->o.memory ? b->o.memory - all : 0);
    uint64_t least = unused < INVERTER_LEAST ? unused : INVERTER_LEAST;
    return fair > least ? fair : least;
}

rp_status rp__segment_builder_make_room(rp__segment_builder *b, uint32_t worker_number,
                                        rp_error *err)
{
    worker *w = &b->workers[worker_number];
    rp_status status = RP_OK;
    count_inverter(b, w);
    uint64_t share = worker_share(b, w);
    if (rp__inverter_need(w->inverter) > share && rp__inverter_terms(w->inverter) > 0)
        status = spill(b, w, err);
    if (status != RP_OK)
        return status;
    if (w->counted > share)
        rp__inverter_trim(w->inverter, share);
    if (rp__inverter_need(w->inverter) > share)
        return too_little(b, err);
    return rp__inverter_drain(w->inverter) == RP_OK ? RP_OK : rp__error_no_memory(err);
}

bool rp__segment_builder_is_large(const rp__segment_builder *b, uint64_t bytes)
{
    return bytes > b->o.memory / 64 / b->o.workers;
}

rp_status rp__segment_builder_reserve(rp__segment_builder *b, uint64_t bytes, uint64_t freed,
                                      rp_error *err)
{
    rp_status status = RP_OK;
    bytes += freed < INVERTER_LEAST ? INVERTER_LEAST - freed : 0;
    if (rp__alloc_in_use() + bytes <= b->o.memory)
        return RP_OK;
    for (uint32_t i = 0; i < b->o.workers && status == RP_OK; i++) {
        worker *w = &b->workers[i];
        if (rp__inverter_terms(w->inverter) > 0)
            status = spill(b, w, err);
        rp__inverter_trim(w->inverter, 0);
        count_inverter(b, w);
    }
    if (status != RP_OK)
        return status;
    return rp__alloc_in_use() + bytes <= b->o.memory ? RP_OK : too_little(b, err);
}

rp_status rp__segment_builder_doc_end(rp__segment_builder *b, uint32_t docid, uint32_t length,
                                      rp_error *err)
{
    rp__doctable_writer_set_length(b->docs, docid, length);
    if (b->spool)
        return free_bytes(b) > 0 ? RP_OK : too_little(b, err);
    return RP_OK;
}

rp_status rp__segment_builder_text(rp__segment_builder *b, uint32_t docid, uint32_t raw_bytes,
                                   const uint8_t *packed, size_t packed_bytes, rp_error *err)
{
    rp__text_block block = {b->text_offset, docid, raw_bytes};
    rp__buf_put(&b->text_index, &block, sizeof block);
    rp__section_writer_put(b->text, packed, packed_bytes);
    b->text_offset += packed_bytes;
    return b->text_index.failed ? rp__error_no_memory(err) : RP_OK;
}

/* ---- Finishing --------------------------------------------------------------------------------- */

/* Runs stay in memory only if no worker has spilled and the merge finds room beside them. */
static rp_status settle_runs(rp__segment_builder *b, rp__run **runs, size_t *n_runs, rp_error *err)
{
    enum { MERGE_BYTES_PER_DOC = 32, AUX_BYTES_PER_DOC = 2 }; /* of the longest list */
    uint64_t per_doc = MERGE_BYTES_PER_DOC + (b->aux ? AUX_BYTES_PER_DOC : 0U);
    uint64_t merge = rp__doctable_writer_docs(b->docs) * per_doc;
    bool must_spill = rp__alloc_in_use() + merge + rp__alloc_slack(b->o.memory) > b->o.memory;
    size_t n = 0;
    for (uint32_t i = 0; i < b->o.workers; i++) {
        rp_status status = rp__segment_builder_make_room(b, i, err); /* the last tokens wait */
        if (status != RP_OK)
            return status;
        must_spill = must_spill || b->workers[i].n_runs > 0;
    }
    for (uint32_t i = 0; i < b->o.workers; i++)
        n += b->workers[i].n_runs + 1;
    *runs = rp__alloc_zero(n, sizeof **runs);
    if (!*runs)
        return rp__error_no_memory(err);
    *n_runs = 0;
    for (uint32_t i = 0; i < b->o.workers; i++) {
        worker *w = &b->workers[i];
        bool is_empty = rp__inverter_is_empty(w->inverter);
        if (!is_empty && must_spill) {
            rp_status status = spill(b, w, err);
            if (status != RP_OK)
                return status;
        } else if (!is_empty) {
            if (rp__inverter_sort(w->inverter) != RP_OK)
                return rp__error_no_memory(err);
            (*runs)[(*n_runs)++] =
                (rp__run){.inverter = w->inverter, .terms = rp__inverter_terms(w->inverter)};
        }
        if (w->n_runs)
            memcpy(*runs + *n_runs, w->runs, w->n_runs * sizeof **runs);
        *n_runs += w->n_runs;
        if (must_spill) {
            rp__inverter_free(w->inverter);
            w->inverter = NULL;
        }
        if (w->out) {
            rp_status status = rp__out_finish(w->out, false, err);
            w->out = NULL;
            if (status != RP_OK)
                return status;
        }
    }
    return RP_OK;
}

/* The runs of lists, all of which are in the file. */
static rp_status settle_lists(rp__segment_builder *b, rp__run **runs, size_t *n_runs, rp_error *err)
{
    rp__list_spool_info info;
    rp__list_spool_get(b->spool, &info);
    if (info.docs > rp__doctable_writer_docs(b->docs))
        return rp__error_set(err, RP_INPUT, "a list names document %u, and there are %u",
                             info.docs - 1, rp__doctable_writer_docs(b->docs));
    *runs = rp__alloc_array(info.n_runs, sizeof **runs);
    if (!*runs)
        return rp__error_no_memory(err);
    if (info.n_runs)
        memcpy(*runs, info.runs, info.n_runs * sizeof **runs);
    *n_runs = info.n_runs;
    return RP_OK;
}

/* Ranking counts with the collection of which these lists are, and with no frequency that is larger than a
 * document: lengths that were told may be shorter than what they stand for. */
static void settle_stats(rp__segment_builder *b)
{
    rp__manifest *m = &b->draft.manifest;
    rp__list_spool_info info;
    rp__list_spool_get(b->spool, &info);
    rp__rank_stats stats = rp__manifest_stats(m);
    stats.docs = stats.docs > m->meta.docs ? stats.docs : m->meta.docs;
    stats.max_length = info.most_tf > m->meta.max_length ? info.most_tf : m->meta.max_length;
    m->has_stats = stats.docs != m->meta.docs || stats.tokens != m->meta.tokens ||
                   stats.max_length != m->meta.max_length;
    m->stats = stats;
}

static size_t window_bytes(const rp__segment_builder *b, size_t n_runs)
{
    enum { LEAST = 4096, MOST = 256 * 1024 };
    uint64_t n = b->o.memory / 8 / (n_runs ? n_runs : 1);
    return n < LEAST ? LEAST : n > MOST ? MOST : (size_t)n;
}

/* Beside the windows that the merge will open. */
static rp_status reserve_longest(const rp__segment_builder *b, rp__segment_writer *w, size_t n_runs,
                                 rp_error *err)
{
    rp__list_spool_info info;
    rp__list_spool_get(b->spool, &info);
    uint64_t windows = n_runs * (uint64_t)window_bytes(b, n_runs);
    uint64_t rest = windows < b->o.memory ? b->o.memory - windows : 0;
    return rp__segment_writer_reserve(w, info.longest, rest, err);
}

static rp_status write_lists(rp__segment_builder *b, const rp__lengths *lengths,
                             const rp__run *runs, size_t n_runs, rp_error *err)
{
    float *norms = NULL;
    rp__segment_writer *w = NULL;
    rp__meta *meta = &b->draft.manifest.meta;
    rp__norms_choose(meta);
    if (b->spool)
        settle_stats(b);
    rp_status status = rp__norms_new(&b->draft.manifest, lengths, &norms, err);
    if (status == RP_OK)
        status = rp__segment_writer_new(&b->draft.folder, meta->generation, &b->o.coding,
                                        b->o.has_positions, lengths, norms, &w, err);
    if (status == RP_OK)
        status = rp__segment_writer_aux(w, &b->draft.folder, b->aux, err);
    if (status == RP_OK && b->spool)
        status = reserve_longest(b, w, n_runs, err);
    rp__merge merge = {.runs = runs,
                       .n_runs = n_runs,
                       .folder = &b->draft.folder,
                       .buffer = window_bytes(b, n_runs),
                       .has_positions = b->o.has_positions,
                       .has_whole_lists = b->spool != NULL,
                       .on_progress = b->o.on_progress,
                       .progress_arg = b->o.progress_arg};
    if (status == RP_OK)
        status = rp__merge_run(&merge, w, err);
    if (status == RP_OK)
        status = rp__segment_writer_finish(w, meta, err);
    rp__segment_writer_free(w);
    rp__free(norms);
    return status;
}

static rp_status write_text(rp__segment_builder *b, rp_error *err)
{
    const rp__meta *meta = &b->draft.manifest.meta;
    rp__meta_file *file = &b->draft.manifest.meta.files[RP_FILE_TEXT];
    if (!b->text)
        return RP_OK;
    rp__text_block end = {b->text_offset, (uint32_t)meta->docs, 0};
    rp__buf_put(&b->text_index, &end, sizeof end);
    if (b->text_index.failed)
        return rp__error_no_memory(err);
    rp__section_writer_end(b->text);
    rp__section_writer_begin(b->text, RP_SECTION_TEXT_INDEX);
    rp__section_writer_put(b->text, b->text_index.at, b->text_index.n);
    rp__section_writer_end(b->text);
    rp_status status = rp__section_writer_finish(b->text, &file->bytes, &file->checksum, err);
    b->text = NULL;
    return status;
}

static rp_status write_docs(rp__segment_builder *b, rp__lengths *lengths, rp_error *err)
{
    char name[RP_FILE_NAME_MAX];
    rp__meta *meta = &b->draft.manifest.meta;
    rp__meta_file *file = &meta->files[RP_FILE_DOCS];
    meta->docs = rp__doctable_writer_docs(b->docs);
    if (rp__doctable_writer_code(b->docs, lengths, &meta->tokens) != RP_OK)
        return rp__error_no_memory(err);
    meta->max_length = lengths->n_table ? lengths->table[lengths->n_table - 1] : 0;
    rp__draft_name(&b->draft, RP_FILE_DOCS, name);
    return rp__doctable_writer_write(b->docs, &b->draft.folder, name, &file->bytes, &file->checksum,
                                     err);
}

static void fill_stats(const rp__segment_builder *b, rp_build_stats *stats)
{
    const rp__meta *meta = &b->draft.manifest.meta;
    if (!stats)
        return;
    stats->docs = meta->docs;
    stats->terms = meta->terms;
    stats->postings = meta->postings;
    stats->tokens = meta->tokens;
    stats->memory_peak = rp__alloc_peak();
    stats->seconds = (double)(rp__clock_now() - b->begun) * 1e-9;
    stats->bytes_out = rp__draft_bytes(&b->draft);
    stats->runs = 0;
    for (uint32_t i = 0; b->workers && i < b->o.workers; i++)
        stats->runs += b->workers[i].n_runs;
    rp__list_spool_info lists = {0};
    if (b->spool)
        rp__list_spool_get(b->spool, &lists);
    stats->runs += lists.n_runs;
}

rp_status rp__segment_builder_finish(rp__segment_builder *b, rp_build_stats *stats, rp_error *err)
{
    rp__lengths lengths;
    rp__run *runs = NULL;
    size_t n_runs = 0;
    rp_status status =
        b->spool ? settle_lists(b, &runs, &n_runs, err) : settle_runs(b, &runs, &n_runs, err);
    if (status == RP_OK)
        status = write_docs(b, &lengths, err);
    if (status == RP_OK)
        status = write_text(b, err);
    if (status == RP_OK)
        status = write_lists(b, &lengths, runs, n_runs, err);
    rp__free(runs);
    if (status == RP_OK)
        status = rp__draft_publish(&b->draft, err);
    if (status == RP_OK)
        fill_stats(b, stats);
    return status;
}

void rp__segment_builder_free(rp__segment_builder *b)
{
    if (!b)
        return;
    for (uint32_t i = 0; b->workers && i < b->o.workers; i++) {
        worker *w = &b->workers[i];
        rp__inverter_free(w->inverter);
        rp__out_abandon(w->out);
        if (w->n_runs > 0)
            rp__folder_remove(&b->draft.folder, w->file);
        rp__free(w->runs);
    }
    rp__list_spool_free(b->spool);
    rp__section_writer_abandon(b->text);
    rp__free(b->workers);
    rp__doctable_writer_free(b->docs);
    rp__buf_free(&b->text_index);
    rp__draft_end(&b->draft);
    rp__free(b);
}
