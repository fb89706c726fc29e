/* recoder.c: a segment's lists from one codec to another; positions, documents and text are copied.
 *
 * The source is not trusted: every section that is read is held against its checksum, so that damage is
 * not sealed anew. The folder is begun before the source is opened: where both are one, nobody can
 * publish there in between.
 * Invariants: 1 a batch's memory is had before anything mapped is read, and nothing is allocated under
 * the guard but what the batch owns; 2 bytes depend on the source and the coding alone, not on workers or
 * memory. */
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "index/aux_writer.h"
#include "index/coding.h"
#include "index/draft.h"
#include "index/list_coder.h"
#include "index/norms.h"
#include "index/segment.h"

enum {
    BATCH_TERMS = 1024,
    BATCH_BYTES = 1 << 20, /* of encoded lists, at most, unless one alone is longer */
    BATCH_REST = 1 << 20,  /* what a batch holds beside what grows with the longest list */
};

typedef struct item {
    rp__term entry; /* its tiny list is in the batch's text */
    size_t text;    /* where its term begins there, and its tiny list follows */
    uint32_t bytes; /* of the term */
} item;

struct rp__recode_batch {
    rp__list_coder coder;
    uint32_t *docids, *tfs;
    uint8_t *encoded;
    size_t used;   /* of encoded */
    uint64_t read; /* bytes of the lists as they were */
    rp__buf text;
    size_t n;
    item items[BATCH_TERMS];
};

struct rp__recoder {
    rp__draft draft;
    rp__segment *from;
    rp__coding coding;
    uint32_t aux_kinds;
    rp__aux_writer *aux; /* NULL: none */
    float *norms;
    rp__list_coder sizes; /* never encodes: it knows how large things get */
    uint32_t longest;     /* postings of the longest list that is not tiny */
    size_t cap;           /* bytes of a batch's encoded lists */
    uint32_t workers;
    rp__term_iter iter;
    bool has_term, is_at_end; /* has_term: the iterator stands on a term that no batch has */
    rp__dictionary_writer *dictionary;
    rp__section_writer *lists;
    uint64_t postings;
    uint64_t done, of; /* bytes */
    bool (*on_progress)(void *arg, uint64_t done, uint64_t of);
    void *progress_arg;
    uint64_t begun; /* clock */
};

static rp_status damaged(const rp__recoder *r, rp_error *err)
{
    return rp__error_set(err, RP_DAMAGED, "%s: the index is damaged; run 'riposte check %s'",
                         r->from->folder.path, r->from->folder.path);
}

/* ---- Beginning --------------------------------------------------------------------------------- */

static rp_status verify_file(const rp__section_file *f, rp_error *err)
{
    rp_status status = RP_OK;
    for (size_t i = 0; i < rp__section_file_count(f) && status == RP_OK; i++)
        status = rp__section_file_verify(f, rp__section_file_id(f, i), err);
    return status;
}

/* A manifest like the source's but for the codec, the generation and the files. */
static rp_status describe(rp__recoder *r, rp_error *err)
{
    const rp__manifest *from = &r->from->manifest;
    rp__manifest *to = &r->draft.manifest;
    uint64_t generation = to->meta.generation;
    to->stop_words = rp__alloc(from->stop_bytes + 1);
    if (!to->stop_words)
        return rp__error_no_memory(err);
    memcpy(to->stop_words, from->stop_words, from->stop_bytes + 1);
    to->stop_bytes = from->stop_bytes;
    to->meta = from->meta;
    to->has_stats = from->has_stats;
    to->stats = from->stats;
    to->meta.generation = generation;
    memset(to->meta.files, 0, sizeof to->meta.files);
    rp__coding_describe(&r->coding, to);
    return RP_OK;
}

static rp_status choose_coding(rp__recoder *r, const rp__coding *wanted, rp_error *err)
{
    r->coding = *wanted;
    if (wanted->codec)
        return RP_OK;
    rp_status status = rp__coding_find(&r->from->manifest, r->from->folder.path, &r->coding, err);
    if (status == RP_OK && wanted->freqs && !r->coding.codec->freqs)
        return rp__error_set(err, RP_USAGE, "codec \"%s\" keeps frequencies with the docids",
                             r->coding.codec->name);
    if (wanted->freqs)
        r->coding.freqs = wanted->freqs;
    return status;
}

static rp_status choose_aux(rp__recoder *r, const char *names, rp_error *err)
{
    if (names)
        return rp__aux_writer_parse(strcmp(names, "none") == 0 ? NULL : names, &r->aux_kinds, err);
    for (size_t id = 0; id < RP_AUX_KINDS; id++)
        r->aux_kinds |= r->from->aux[id] ? 1U << id : 0;
    return RP_OK;
}

/* The most that the writer of auxiliary data comes to hold: of the longest list, and 8 bytes a list and
 * kind, in arrays that double. */
static uint64_t aux_bytes(const rp__recoder *r)
{
    enum { BYTES_PER_POSTING = 2, GROWTH = 2 };
    uint64_t lists = r->from->manifest.meta.postings / RP_BLOCK, arrays = RP_AUX_KINDS + 1;
    uint64_t bytes = BYTES_PER_POSTING * (uint64_t)r->longest + arrays * lists * sizeof(uint64_t);
    return r->aux ? GROWTH * bytes : 0;
}

static rp_status run_measure(void *arg)
{
    rp__recoder *r = arg;
    rp_status status = rp__term_iter_start(&r->iter, r->from, "", 0);
    while (status == RP_OK && (status = rp__term_iter_next(&r->iter)) == RP_OK)
        if (!r->iter.entry.tiny && r->iter.entry.df > r->longest)
            r->longest = r->iter.entry.df;
    if (status == RP_NOT_FOUND)
        status = rp__term_iter_start(&r->iter, r->from, "", 0);
    return status;
}

/* How many batches there is room for, each with the longest list in it. */
static rp_status plan_memory(rp__recoder *r, const rp__recode_options *o, rp_error *err)
{
    if (rp__mapping_guard(run_measure, r) != RP_OK)
        return damaged(r, err);
    rp__list_coder_init(&r->sizes, &r->coding, &r->from->docs.lengths, r->norms);
    size_t bound = rp__list_coder_bound(&r->sizes, r->longest);
    r->cap = bound > BATCH_BYTES ? bound : BATCH_BYTES;
    uint64_t one = BATCH_REST + r->cap + rp__list_coder_bytes(&r->sizes, r->longest) +
                   2 * ((uint64_t)r->longest + RP_BLOCK_ROOM) * sizeof(uint32_t);
    uint64_t held = rp__alloc_in_use() + aux_bytes(r), taken = held + rp__alloc_slack(o->memory);
    uint64_t room = o->memory > taken ? (o->memory - taken) / one : 0;
    if (room == 0) { /* slack grows by a sixteenth of the whole */
        uint64_t enough = (held + one + rp__alloc_slack(0)) / 15 * 16;
        return rp__error_set(err, RP_NO_MEMORY,
                             "a list of %u postings does not fit in memory; give --memory %lluM",
                             r->longest, (unsigned long long)(enough >> 20) + 1);
    }
    r->workers = room < o->workers ? (uint32_t)room : o->workers;
    return RP_OK;
}

static rp_status open_source(rp__recoder *r, const char *from, rp_error *err)
{
    rp_status status = rp__segment_open(from, false, &r->from, err);
    if (status == RP_OK)
        status = verify_file(r->from->files[RP_FILE_TERMS], err);
    if (status == RP_OK)
        status = verify_file(r->from->files[RP_FILE_LISTS], err);
    if (status == RP_OK)
        status = rp__norms_new(&r->from->manifest, &r->from->docs.lengths, &r->norms, err);
    return status;
}

static rp_status open_outputs(rp__recoder *r, rp_error *err)
{
    char name[RP_FILE_NAME_MAX];
    rp__draft_name(&r->draft, RP_FILE_TERMS, name);
    rp_status status = rp__dictionary_writer_new(&r->draft.folder, name, r->from->positions != NULL,
                                                 &r->dictionary, err);
    if (status != RP_OK)
        return status;
    rp__draft_name(&r->draft, RP_FILE_LISTS, name);
    status = rp__section_writer_new(&r->draft.folder, name, RP_FILE_LISTS, &r->lists, err);
    if (status == RP_OK)
        rp__section_writer_begin(r->lists, RP_SECTION_LISTS);
    if (status == RP_OK && r->aux_kinds)
        status = rp__aux_writer_new(&r->draft.folder, r->aux_kinds,
                                    (uint32_t)r->from->manifest.meta.docs, &r->aux, err);
    return status;
}

rp_status rp__recoder_new(const char *from, const char *to, const rp__recode_options *o,
                          rp__recoder **out, rp_error *err)
{
    rp__recoder *r = rp__alloc_zero(1, sizeof *r);
    if (!r)
        return rp__error_no_memory(err);
    r->begun = rp__clock_now();
    r->on_progress = o->on_progress;
    r->progress_arg = o->progress_arg;
    rp_status status = rp__draft_begin(&r->draft, to, err);
    if (status == RP_OK)
        status = open_source(r, from, err);
    if (status == RP_OK)
        status = choose_coding(r, &o->coding, err);
    if (status == RP_OK)
        status = choose_aux(r, o->aux, err);
    if (status == RP_OK)
        status = describe(r, err);
    if (status == RP_OK)
        status = open_outputs(r, err);
    if (status == RP_OK)
        status = plan_memory(r, o, err);
    if (status != RP_OK) {
        rp__recoder_free(r);
        return status;
    }
    *out = r;
    return RP_OK;
}

uint32_t rp__recoder_workers(const rp__recoder *r)
{
    return r->workers;
}

/* ---- Files that stay as they are --------------------------------------------------------------- */

static const rp__file_kind kept[] = {RP_FILE_POSITIONS, RP_FILE_DOCS, RP_FILE_TEXT};

enum { KEPT = sizeof kept / sizeof *kept };

static bool tick(void *arg, uint64_t bytes)
{
    rp__recoder *r = arg;
    r->done += bytes;
    return !r->on_progress || r->on_progress(r->progress_arg, r->done, r->of);
}

rp_status rp__recoder_copy(rp__recoder *r, rp_error *err)
{
    rp_status status = RP_OK;
    r->of = r->from->lists_bytes;
    for (size_t i = 0; i < KEPT; i++)
        r->of += r->from->manifest.meta.files[kept[i]].bytes;
    for (size_t i = 0; i < KEPT && status == RP_OK; i++) {
        const rp__section_file *file = r->from->files[kept[i]];
        char name[RP_FILE_NAME_MAX];
        if (!file)
            continue;
        rp__draft_name(&r->draft, kept[i], name);
        status = rp__section_file_copy(file, &r->draft.folder, name, tick, r, err);
        r->draft.manifest.meta.files[kept[i]] = r->from->manifest.meta.files[kept[i]];
    }
    return status;
}

/* ---- Lists ------------------------------------------------------------------------------------- */

rp_status rp__recoder_batch_new(const rp__recoder *r, rp__recode_batch **out, rp_error *err)
{
    rp__recode_batch *b = rp__alloc_zero(1, sizeof *b);
    if (!b)
        return rp__error_no_memory(err);
    size_t room = (size_t)r->longest + RP_BLOCK_ROOM;
    rp__list_coder_init(&b->coder, &r->coding, &r->from->docs.lengths, r->norms);
    b->docids = rp__alloc_array(room, sizeof *b->docids);
    b->tfs = rp__alloc_array(room, sizeof *b->tfs);
    b->encoded = rp__alloc(r->cap + RP_PAD); /* it is read again where there is auxiliary data */
    if (!b->docids || !b->tfs || !b->encoded || !rp__list_coder_reserve(&b->coder, r->longest)) {
        rp__recoder_batch_free(b);
        return rp__error_no_memory(err);
    }
    *out = b;
    return RP_OK;
}

void rp__recoder_batch_free(rp__recode_batch *b)
{
    if (!b)
        return;
    rp__list_coder_reset(&b->coder);
    rp__free(b->docids);
    rp__free(b->tfs);
    rp__free(b->encoded);
    rp__buf_free(&b->text);
    rp__free(b);
}

static void take_term(rp__recode_batch *b, const rp__term_iter *iter)
{
    item *it = &b->items[b->n];
    *it = (item){.entry = iter->entry, .text = b->text.n, .bytes = (uint32_t)iter->term_bytes};
    rp__buf_put(&b->text, iter->term, iter->term_bytes);
    rp__buf_put(&b->text, iter->entry.tiny, iter->entry.tiny_bytes);
    b->n++;
}

typedef struct take_job {
    rp__recoder *r;
    rp__recode_batch *b;
} take_job;

/* Terms until the batch is full. What their lists may need is known beforehand. */
static rp_status run_take(void *arg)
{
    rp__recoder *r = ((take_job *)arg)->r;
    rp__recode_batch *b = ((take_job *)arg)->b;
    for (size_t room = r->cap; b->n < BATCH_TERMS; r->has_term = false) {
        rp_status status = r->has_term ? RP_OK : rp__term_iter_next(&r->iter);
        if (status == RP_NOT_FOUND)
            r->is_at_end = true;
        if (status != RP_OK)
            return status == RP_NOT_FOUND ? RP_OK : status;
        r->has_term = true;
        const rp__term *entry = &r->iter.entry;
        if (!entry->tiny && entry->df > r->longest)
            return RP_DAMAGED; /* it was not so when the terms were measured */
        size_t bound = entry->tiny ? 0 : rp__list_coder_bound(&r->sizes, entry->df);
        if (bound > room)
            return RP_OK;
        room -= bound;
        take_term(b, &r->iter);
    }
    return RP_OK;
}

rp_status rp__recoder_take(rp__recoder *r, rp__recode_batch *b, bool *has, rp_error *err)
{
    b->n = b->used = b->text.n = 0;
    b->read = 0;
    rp_status status = RP_OK;
    if (!r->is_at_end)
        status = rp__mapping_guard(run_take, &(take_job){r, b});
    if (b->text.failed)
        return rp__error_no_memory(err);
    *has = b->n > 0;
    return status == RP_OK ? RP_OK : damaged(r, err);
}

static rp_status recode_list(const rp__recoder *r, rp__recode_batch *b, rp__term *entry)
{
    static const uint32_t first_frame = 0; /* of a short list, which keeps no offsets */
    rp__list list;
    size_t used;
    uint64_t cf = 0;
    rp_status status = rp__segment_list(r->from, entry, NULL, &list);
    if (status == RP_OK)
        status = rp__list_decode(&list, b->docids, b->tfs);
    if (status != RP_OK)
        return status;
    for (uint32_t i = 0; i < list.n; i++)
        cf += b->tfs[i];
    if (cf != entry->cf)
        return RP_DAMAGED;
    const uint32_t *pos_offsets = list.pos_offsets ? list.pos_offsets : &first_frame;
    status =
        rp__list_coder_encode(&b->coder, b->docids, b->tfs, list.n,
                              r->from->positions ? pos_offsets : NULL, b->encoded + b->used, &used);
    if (status != RP_OK)
        return status;
    b->read += entry->list_bytes;
    entry->list_bytes = used;
    b->used += used;
    return RP_OK;
}

typedef struct encode_job {
    const rp__recoder *r;
    rp__recode_batch *b;
} encode_job;

static rp_status run_encode(void *arg)
{
    const encode_job *job = arg;
    rp_status status = RP_OK;
    for (size_t i = 0; i < job->b->n && status == RP_OK; i++)
        if (!job->b->items[i].entry.tiny)
            status = recode_list(job->r, job->b, &job->b->items[i].entry);
    return status;
}

rp_status rp__recoder_encode(const rp__recoder *r, rp__recode_batch *b, rp_error *err)
{
    rp_status status = rp__mapping_guard(run_encode, &(encode_job){r, b});
    if (status == RP_LIMIT)
        return rp__error_set(err, status, "a list is more than codec \"%s\" can hold",
                             r->coding.codec->name);
    return status == RP_OK ? RP_OK : damaged(r, err);
}

/* The list as it was just encoded gives its docids back. */
static rp_status add_aux(rp__recoder *r, rp__recode_batch *b, const rp__term *entry,
                         const uint8_t *at)
{
    rp__list list;
    rp_status status =
        rp__list_open(&b->coder.codec, at, entry->list_bytes, entry->df,
                      (uint32_t)r->from->manifest.meta.docs, r->from->positions != NULL, &list);
    if (status == RP_OK)
        status = rp__list_decode(&list, b->docids, NULL);
    if (status != RP_OK)
        return status;
    return rp__aux_writer_add(r->aux, rp__section_writer_offset(r->lists), b->docids, entry->df);
}

rp_status rp__recoder_write(rp__recoder *r, rp__recode_batch *b, rp_error *err)
{
    const uint8_t *list = b->encoded;
    for (size_t i = 0; i < b->n; i++) {
        const item *it = &b->items[i];
        const char *term = (const char *)b->text.at + it->text;
        rp__term entry = it->entry;
        if (entry.tiny)
            entry.tiny = (const uint8_t *)term + it->bytes;
        rp_status status = RP_OK;
        if (r->aux && entry.df > RP_BLOCK)
            status = add_aux(r, b, &entry, list);
        rp__section_writer_put(r->lists, list, entry.list_bytes); /* none of a tiny one */
        list += entry.list_bytes;
        if (status == RP_OK)
            status = rp__dictionary_writer_add(r->dictionary, term, it->bytes, &entry);
        if (status != RP_OK)
            return status == RP_NO_MEMORY ? rp__error_no_memory(err) : damaged(r, err);
        r->postings += entry.df;
    }
    r->done += b->read;
    return RP_OK;
}

void rp__recoder_get_progress(const rp__recoder *r, uint64_t *done, uint64_t *of)
{
    *done = r->done;
    *of = r->of;
}

/* ---- Finishing --------------------------------------------------------------------------------- */

static rp_status finish_files(rp__recoder *r, rp_error *err)
{
    rp__meta *meta = &r->draft.manifest.meta;
    rp__meta_file *terms = &meta->files[RP_FILE_TERMS], *lists = &meta->files[RP_FILE_LISTS];
    if (rp__dictionary_writer_terms(r->dictionary) != meta->terms || r->postings != meta->postings)
        return damaged(r, err);
    rp_status status =
        rp__dictionary_writer_finish(r->dictionary, &terms->bytes, &terms->checksum, err);
    if (status != RP_OK)
        return status;
    rp__section_writer_end(r->lists);
    if (r->aux)
        status = rp__aux_writer_finish(r->aux, r->lists, err);
    rp__aux_writer_free(r->aux); /* its files too */
    r->aux = NULL;
    if (status != RP_OK)
        return status;
    status = rp__section_writer_finish(r->lists, &lists->bytes, &lists->checksum, err);
    r->lists = NULL;
    return status;
}

static rp_status run_is_whole(void *arg)
{
    return rp__segment_is_whole(arg) ? RP_OK : RP_DAMAGED;
}

static void fill_stats(const rp__recoder *r, rp_build_stats *stats)
{
    const rp__meta *meta = &r->draft.manifest.meta;
    *stats = (rp_build_stats){
        .docs = meta->docs,
        .terms = meta->terms,
        .postings = meta->postings,
        .tokens = meta->tokens,
        .bytes_out = rp__draft_bytes(&r->draft),
        .memory_peak = rp__alloc_peak(),
        .seconds = (double)(rp__clock_now() - r->begun) * 1e-9,
    };
    for (size_t i = 0; i < RP_FILE_KINDS; i++)
        stats->bytes_in += r->from->manifest.meta.files[i].bytes;
}

rp_status rp__recoder_finish(rp__recoder *r, rp_build_stats *stats, rp_error *err)
{
    rp_status status = finish_files(r, err);
    if (status == RP_OK && rp__mapping_guard(run_is_whole, r->from) != RP_OK)
        status = damaged(r, err);
    if (status == RP_OK)
        status = rp__draft_publish(&r->draft, err);
    if (status == RP_OK && stats)
        fill_stats(r, stats);
    return status;
}

void rp__recoder_free(rp__recoder *r)
{
    if (!r)
        return;
    rp__dictionary_writer_free(r->dictionary);
    rp__section_writer_abandon(r->lists);
    rp__aux_writer_free(r->aux);
    rp__list_coder_reset(&r->sizes);
    rp__segment_close(r->from);
    rp__free(r->norms);
    rp__draft_end(&r->draft);
    rp__free(r);
}
