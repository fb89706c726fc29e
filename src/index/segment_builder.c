/* segment_builder.c: documents in, a published segment out.
 *
 * Invariants: 1 nothing that a reader can see changes before the manifest is renamed; 2 a build that
 * fails removes every file it made; 3 a document is inverted by one worker and never split over two
 * runs, so merged bytes do not depend on workers or memory; 4 the old files go only after the new
 * manifest is durable. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "index/aux_writer.h"
#include "index/doctable.h"
#include "index/inverter.h"
#include "index/manifest.h"
#include "index/merge.h"
#include "index/run.h"
#include "index/segment_writer.h"

typedef struct worker {
    rp__inverter *inverter;
    rp__out *out; /* its runs; NULL before the first spill */
    char file[32];
    rp__run *runs;
    size_t n_runs, cap_runs;
    uint64_t counted; /* bytes of the inverter that are in `inverted` */
} worker;

struct rp__segment_builder {
    rp__folder folder;
    rp__segment_options o;
    rp__meta meta;
    uint64_t replaced; /* generation of the index that is there; 0: none, or it cannot be read */
    bool is_published;
    uint32_t aux; /* kinds */
    char *stop_words;
    rp__doctable_writer *docs;
    worker *workers;
    _Atomic uint64_t inverted; /* bytes of all inverters */
    rp__section_writer *text;
    rp__buf text_index;
    uint64_t text_offset;
    uint64_t begun; /* clock */
};

/* What memory the process needs beside what it allocates through base: code, stacks, libraries. */
static uint64_t slack_bytes(uint64_t memory)
{
    return (8U << 20) + memory / 16;
}

/* ---- Beginning --------------------------------------------------------------------------------- */

typedef struct sweep {
    rp__folder *folder;
    bool clears_temporary; /* files: no reader knows them */
    bool clears_data;      /* files of other generations than `keep` */
    uint64_t keep, most;   /* most: largest generation seen */
    bool has_others;       /* files that no build makes */
} sweep;

static void sweep_name(void *arg, const char *name)
{
    sweep *s = arg;
    uint64_t generation;
    if (strcmp(name, RP_MANIFEST_NAME) == 0)
        return;
    if (!rp__manifest_owns_name(name, &generation)) {
        s->has_others = true;
        return;
    }
    if (generation > s->most)
        s->most = generation;
    if (generation == 0 ? s->clears_temporary : s->clears_data && generation != s->keep)
        rp__folder_remove(s->folder, name);
}

/* Clears what a killed build left, and finds the next generation. Looks before it removes: in a folder
 * that is not ours nothing is touched; beside a manifest that cannot be read, no data. */
static rp_status prepare_folder(rp__segment_builder *b, rp_error *err)
{
    rp__meta old;
    char *words = NULL;
    size_t n;
    rp_status found = rp__manifest_read(&b->folder, &old, &words, &n, err);
    rp__free(words);
    if (found == RP_NO_MEMORY || found == RP_IO)
        return found;
    uint64_t generation = found == RP_OK ? old.generation : 0;
    sweep s = {.folder = &b->folder, .keep = generation, .most = generation};
    rp_status status = rp__folder_list(&b->folder, sweep_name, &s, err);
    if (status != RP_OK)
        return status;
    if (found == RP_NOT_FOUND && s.has_others)
        return rp__error_set(err, RP_USAGE,
                             "%s: the folder is not empty and holds no index; give a new one",
                             b->folder.path);
    b->meta.generation = s.most + 1;
    b->replaced = generation;
    s.clears_temporary = true;
    s.clears_data = found == RP_OK || found == RP_NOT_FOUND;
    return rp__folder_list(&b->folder, sweep_name, &s, err);
}

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

static rp_status open_text(rp__segment_builder *b, rp_error *err)
{
    char name[RP_FILE_NAME_MAX];
    rp__manifest_file_name(RP_FILE_TEXT, b->meta.generation, name);
    rp_status status = rp__section_writer_new(&b->folder, name, RP_FILE_TEXT, &b->text, err);
    if (status == RP_OK)
        rp__section_writer_begin(b->text, RP_SECTION_TEXT_BLOCKS);
    return status;
}

static rp_status copy_options(rp__segment_builder *b, const rp__segment_options *options,
                              rp_error *err)
{
    b->o = *options;
    b->stop_words = rp__alloc(options->stop_bytes + 1);
    if (!b->stop_words)
        return rp__error_no_memory(err);
    if (options->stop_bytes)
        memcpy(b->stop_words, options->stop_words, options->stop_bytes);
    b->o.stop_words = b->stop_words;
    b->meta.flags =
        (options->has_positions ? RP_META_POSITIONS : 0U) | (options->has_text ? RP_META_TEXT : 0U);
    rp_status status = rp__aux_writer_parse(options->aux, &b->aux, err);
    snprintf(b->meta.codec, sizeof b->meta.codec, "%s", options->codec->name);
    snprintf(b->meta.stem, sizeof b->meta.stem, "%s", options->stem);
    snprintf(b->meta.stop, sizeof b->meta.stop, "%s", options->stop);
    return status;
}

rp_status rp__segment_builder_new(const char *dir, const rp__segment_options *options,
                                  rp__segment_builder **out, rp_error *err)
{
    rp__segment_builder *b = rp__alloc_zero(1, sizeof *b);
    if (!b)
        return rp__error_no_memory(err);
    b->folder.fd = -1;
    b->begun = rp__clock_now();
    rp_status status = copy_options(b, options, err);
    if (status == RP_OK)
        status = rp__folder_create(&b->folder, dir, err);
    if (status == RP_OK)
        status = prepare_folder(b, err);
    if (status == RP_OK)
        status = make_workers(b, err);
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

/* ---- Documents --------------------------------------------------------------------------------- */

rp_status rp__segment_builder_doc(rp__segment_builder *b, const char *id, size_t id_bytes,
                                  uint32_t *docid, rp_error *err)
{
    if (id_bytes > RP_DOC_ID_MAX)
        return rp__error_set(err, RP_INPUT, "an id has at most %d bytes, this one has %zu",
                             RP_DOC_ID_MAX, id_bytes);
    rp_status status = rp__doctable_writer_add(b->docs, id, id_bytes, docid);
    if (status == RP_INPUT)
        return rp__error_set(err, status, "id \"%.*s\" was seen before, as document %u",
                             (int)(id_bytes < 100 ? id_bytes : 100), id, *docid);
    if (status == RP_LIMIT)
        return rp__error_set(
            err, status, "an index holds at most %u documents; split the collection", RP_MAX_DOCS);
    return status == RP_OK ? RP_OK : rp__error_no_memory(err);
}

rp_status rp__segment_builder_token(rp__segment_builder *b, uint32_t worker_number, uint32_t docid,
                                    const char *term, uint32_t bytes, uint32_t position)
{
    return rp__inverter_add(b->workers[worker_number].inverter, docid, term, bytes, position);
}

static rp_status spill(rp__segment_builder *b, worker *w, rp_error *err)
{
    if (!w->out) {
        rp_status status = rp__out_create(&b->folder, w->file, 256 * 1024, &w->out, err);
        if (status != RP_OK)
            return status;
    }
    if (rp__inverter_sort(w->inverter) != RP_OK ||
        !rp__alloc_grow(&w->runs, &w->cap_runs, w->n_runs + 1, sizeof *w->runs))
        return rp__error_no_memory(err);
    rp_status status = rp__run_write(w->inverter, w->out, w->file, &w->runs[w->n_runs]);
    w->n_runs++;
    rp__inverter_clear(w->inverter);
    return status == RP_OK ? RP_OK : rp__error_no_memory(err);
}

/* Bytes that one worker's inverter may use now. */
static uint64_t worker_share(const rp__segment_builder *b)
{
    uint64_t inverted = atomic_load_explicit(&b->inverted, memory_order_relaxed);
    uint64_t all = rp__alloc_in_use();
    uint64_t others = (all > inverted ? all - inverted : 0) + slack_bytes(b->o.memory);
    return others >= b->o.memory ? 0 : (b->o.memory - others) / b->o.workers;
}

rp_status rp__segment_builder_doc_end(rp__segment_builder *b, uint32_t worker_number,
                                      uint32_t docid, uint32_t length, rp_error *err)
{
    enum { LEAST = 1 << 20 }; /* a run smaller than this is not worth its seek */
    worker *w = &b->workers[worker_number];
    rp__doctable_writer_set_length(b->docs, docid, length);
    uint64_t bytes = rp__inverter_bytes(w->inverter);
    atomic_fetch_add_explicit(&b->inverted, bytes - w->counted, memory_order_relaxed);
    w->counted = bytes;
    uint64_t share = worker_share(b);
    if (share < LEAST)
        return rp__error_set(err, RP_NO_MEMORY,
                             "--memory %llu MiB is too little for this collection; give more",
                             (unsigned long long)(b->o.memory >> 20));
    rp_status status = rp__inverter_used(w->inverter) > share ? spill(b, w, err) : RP_OK;
    if (bytes > share)
        rp__inverter_trim(w->inverter, share);
    return status;
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
    bool must_spill = rp__alloc_in_use() + merge + slack_bytes(b->o.memory) > b->o.memory;
    size_t n = 0;
    for (uint32_t i = 0; i < b->o.workers; i++)
        must_spill = must_spill || b->workers[i].n_runs > 0;
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

/* Ratios for block bounds are those of the default ranking. */
static rp_status make_norms(rp__segment_builder *b, const rp__lengths *lengths, float **norms)
{
    const rp__ranking *ranking = rp__ranking_at(0);
    rp__rank rank = {.ranking = ranking,
                     .k1 = ranking->k1,
                     .b = ranking->b,
                     .mu = ranking->mu,
                     .stats = {b->meta.docs, b->meta.tokens, b->meta.max_length}};
    b->meta.bound_k1 = rank.k1;
    b->meta.bound_b = rank.b;
    snprintf(b->meta.bound_variant, sizeof b->meta.bound_variant, "%s", ranking->name);
    *norms = rp__alloc_array(lengths->n_table + 1U, sizeof **norms);
    if (!*norms)
        return RP_NO_MEMORY;
    for (uint32_t i = 0; i < lengths->n_table; i++)
        (*norms)[i] = rp__rank_norm(&rank, lengths->table[i]);
    return RP_OK;
}

static size_t window_bytes(const rp__segment_builder *b, size_t n_runs)
{
    enum { LEAST = 4096, MOST = 256 * 1024 };
    uint64_t n = b->o.memory / 8 / (n_runs ? n_runs : 1);
    return n < LEAST ? LEAST : n > MOST ? MOST : (size_t)n;
}

static rp_status write_lists(rp__segment_builder *b, const rp__lengths *lengths,
                             const rp__run *runs, size_t n_runs, rp_error *err)
{
    float *norms = NULL;
    rp__segment_writer *w = NULL;
    rp_status status = RP_OK;
    if (make_norms(b, lengths, &norms) != RP_OK)
        status = rp__error_no_memory(err);
    if (status == RP_OK)
        status = rp__segment_writer_new(&b->folder, b->meta.generation, b->o.codec,
                                        b->o.has_positions, lengths, norms, &w, err);
    if (status == RP_OK)
        status = rp__segment_writer_aux(w, &b->folder, b->aux, err);
    rp__merge merge = {.runs = runs,
                       .n_runs = n_runs,
                       .folder = &b->folder,
                       .buffer = window_bytes(b, n_runs),
                       .has_positions = b->o.has_positions,
                       .on_progress = b->o.on_progress,
                       .progress_arg = b->o.progress_arg};
    if (status == RP_OK)
        status = rp__merge_run(&merge, w, err);
    if (status == RP_OK)
        status = rp__segment_writer_finish(w, &b->meta, err);
    rp__segment_writer_free(w);
    rp__free(norms);
    return status;
}

static rp_status write_text(rp__segment_builder *b, rp_error *err)
{
    rp__meta_file *file = &b->meta.files[RP_FILE_TEXT];
    if (!b->text)
        return RP_OK;
    rp__text_block end = {b->text_offset, (uint32_t)b->meta.docs, 0};
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
    rp__meta_file *file = &b->meta.files[RP_FILE_DOCS];
    b->meta.docs = rp__doctable_writer_docs(b->docs);
    if (rp__doctable_writer_code(b->docs, lengths, &b->meta.tokens) != RP_OK)
        return rp__error_no_memory(err);
    b->meta.max_length = lengths->n_table ? lengths->table[lengths->n_table - 1] : 0;
    rp__manifest_file_name(RP_FILE_DOCS, b->meta.generation, name);
    return rp__doctable_writer_write(b->docs, &b->folder, name, &file->bytes, &file->checksum, err);
}

static void remove_generation(rp__segment_builder *b, uint64_t generation)
{
    for (int kind = RP_FILE_TERMS; generation && kind < RP_FILE_KINDS; kind++) {
        char name[RP_FILE_NAME_MAX];
        rp__manifest_file_name((rp__file_kind)kind, generation, name);
        rp__folder_remove(&b->folder, name);
    }
}

/* The old index's files go by their names, which needs nothing that could fail; the listing finds
 * what lies beside a manifest that could not be read. */
static void remove_replaced(rp__segment_builder *b)
{
    sweep s = {.folder = &b->folder,
               .clears_temporary = true,
               .clears_data = true,
               .keep = b->meta.generation};
    remove_generation(b, b->replaced);
    rp__folder_list(&b->folder, sweep_name, &s, NULL);
}

/* A failure after the rename leaves the new index in place: then its files must stay, and so they do
 * where it cannot be told whether the rename took place. */
static rp_status publish(rp__segment_builder *b, rp_error *err)
{
    rp_status status =
        rp__manifest_publish(&b->folder, &b->meta, b->o.stop_words, b->o.stop_bytes, err);
    if (status == RP_OK) {
        b->is_published = true;
        remove_replaced(b);
        return RP_OK;
    }
    if (!b->folder.has_tried)
        return status;
    rp__meta now;
    char *words = NULL;
    size_t n;
    rp_status seen = rp__manifest_read(&b->folder, &now, &words, &n, NULL);
    rp__free(words);
    b->is_published = seen == RP_OK ? now.generation == b->meta.generation : seen != RP_NOT_FOUND;
    return status;
}

static void fill_stats(const rp__segment_builder *b, rp_build_stats *stats)
{
    if (!stats)
        return;
    stats->docs = b->meta.docs;
    stats->terms = b->meta.terms;
    stats->postings = b->meta.postings;
    stats->tokens = b->meta.tokens;
    stats->memory_peak = rp__alloc_peak();
    stats->seconds = (double)(rp__clock_now() - b->begun) * 1e-9;
    stats->bytes_out = 0;
    stats->runs = 0;
    for (size_t i = 0; i < RP_FILE_KINDS; i++)
        stats->bytes_out += b->meta.files[i].bytes;
    for (uint32_t i = 0; i < b->o.workers; i++)
        stats->runs += b->workers[i].n_runs;
}

rp_status rp__segment_builder_finish(rp__segment_builder *b, rp_build_stats *stats, rp_error *err)
{
    rp__lengths lengths;
    rp__run *runs = NULL;
    size_t n_runs = 0;
    rp_status status = settle_runs(b, &runs, &n_runs, err);
    if (status == RP_OK)
        status = write_docs(b, &lengths, err);
    if (status == RP_OK)
        status = write_text(b, err);
    if (status == RP_OK)
        status = write_lists(b, &lengths, runs, n_runs, err);
    rp__free(runs);
    if (status == RP_OK)
        status = publish(b, err);
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
            rp__folder_remove(&b->folder, w->file);
        rp__free(w->runs);
    }
    rp__section_writer_abandon(b->text);
    if (!b->is_published)
        remove_generation(b, b->meta.generation);
    rp__free(b->workers);
    rp__doctable_writer_free(b->docs);
    rp__buf_free(&b->text_index);
    rp__free(b->stop_words);
    rp__folder_close(&b->folder);
    rp__free(b);
}
