/* recoder.c: a segment's lists from one codec to another, or for documents in another order; positions,
 * documents and text are copied, or moved by list_mover.c and doc_mover.c.
 *
 * The source is not trusted: every section that is read is held against its checksum, so that damage is
 * not sealed anew. The folder is begun before the source is opened: where both are one, nobody can
 * publish there in between.
 * Invariants: 1 a batch's memory is had before anything mapped is read, and nothing is allocated under
 * the guard but what the batch owns; 2 bytes depend on the source, the coding and the order alone, not on
 * workers or memory. */
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "index/aux_writer.h"
#include "index/coding.h"
#include "index/doc_mover.h"
#include "index/list_coder.h"
#include "index/list_mover.h"
#include "index/norms.h"
#include "index/segment.h"

enum {
    BATCH_TERMS = 1024,
    BATCH_BYTES = 1 << 20, /* of encoded lists, and of positions, unless one alone is longer */
    BATCH_REST = 1 << 20,  /* what a batch holds beside what grows with the longest list */
};

typedef struct item {
    rp__term entry; /* its tiny list is in the batch's text */
    size_t text;    /* where its term begins there */
    size_t tiny;    /* and its tiny list, which is in `tinies` once it is coded */
    uint32_t bytes; /* of the term */
} item;

struct rp__recode_batch {
    rp__list_coder coder;
    rp__list_mover mover;   /* where documents move */
    uint32_t *docids, *tfs; /* of one list; with auxiliary data, docids of all */
    uint8_t *encoded, *positions;
    size_t used, n_docids, pos_used; /* of encoded, docids and positions */
    uint64_t read;        /* bytes of the lists, and of positions that move, as they were */
    rp__buf text, tinies; /* tinies: tiny lists as they will be */
    size_t n;
    item items[BATCH_TERMS];
};

struct rp__recoder {
    rp__draft draft;
    rp__segment *from;
    rp__coding coding;
    float *norms;
    bool moves;
    const uint32_t *order; /* by new docid the old one, the caller's; NULL: they stay */
    uint32_t *place;       /* by old docid the new one */
    rp__lengths lengths;   /* of the documents where they will be; may be `codes` */
    uint8_t *codes;
    rp__list_coder sizes; /* never encodes: it knows how large things get */
    uint32_t longest;     /* postings of the longest list that is not tiny */
    uint64_t most_cf;     /* positions of the one with most */
    size_t cap, pos_cap;  /* bytes of a batch's encoded lists and positions */
    size_t docids_cap;    /* docids that a batch keeps */
    uint64_t memory;
    uint32_t workers;
    rp__term_iter iter;
    bool has_term, is_at_end; /* has_term: the iterator stands on a term that no batch has */
    rp__dictionary_writer *dictionary;
    rp__section_writer *lists, *positions; /* positions NULL: they are copied, or there are none */
    uint32_t aux_kinds;
    rp__aux_writer *aux; /* NULL: none */
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
    to->has_stats = from->has_stats;
    to->stats = from->stats;
    to->analysis = from->analysis;
    to->meta = from->meta;
    to->meta.generation = generation;
    memset(to->meta.files, 0, sizeof to->meta.files);
    rp__coding_describe(&r->coding, to);
    return RP_OK;
}

static rp_status choose_coding(rp__recoder *r, const rp__coding *requested, rp_error *err)
{
    r->coding = *requested;
    if (requested->codec)
        return RP_OK;
    rp_status status = rp__coding_find(&r->from->manifest, r->from->folder.path, &r->coding, err);
    if (status == RP_OK && requested->freqs && !r->coding.codec->freqs)
        return rp__error_set(err, RP_USAGE, "codec \"%s\" keeps frequencies with the docids",
                             r->coding.codec->name);
    if (requested->freqs)
        r->coding.freqs = requested->freqs;
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

static rp_status run_measure(void *arg)
{
    rp__recoder *r = arg;
    rp_status status = rp__term_iter_start(&r->iter, r->from, "", 0);
    while (status == RP_OK && (status = rp__term_iter_next(&r->iter)) == RP_OK)
        if (!r->iter.entry.tiny) {
            const rp__term *entry = &r->iter.entry;
            r->longest = entry->df > r->longest ? entry->df : r->longest;
            r->most_cf = entry->cf > r->most_cf ? entry->cf : r->most_cf;
        }
    if (status == RP_NOT_FOUND)
        status = rp__term_iter_start(&r->iter, r->from, "", 0);
    return status;
}

static size_t at_least(uint64_t bytes)
{
    return bytes > BATCH_BYTES ? (size_t)bytes : BATCH_BYTES;
}

/* Bytes of one batch with the longest list in it. */
static uint64_t batch_bytes(rp__recoder *r)
{
    uint64_t room = (uint64_t)r->longest + RP_BLOCK_CAPACITY;
    r->cap = at_least(rp__list_coder_bound(&r->sizes, r->longest));
    r->docids_cap = r->longest;
    if (r->aux_kinds && r->docids_cap < BATCH_BYTES / sizeof(uint32_t))
        r->docids_cap = BATCH_BYTES / sizeof(uint32_t);
    uint64_t bytes = BATCH_REST + r->cap + rp__list_coder_bytes(&r->sizes, r->longest) +
                     (r->docids_cap + RP_BLOCK_CAPACITY + room) * sizeof(uint32_t);
    if (!r->moves)
        return bytes;
    uint64_t cf = r->from->positions ? r->most_cf : 0;
    r->pos_cap = r->from->positions ? at_least(rp__list_mover_bound(r->longest, cf)) : 0;
    return bytes + rp__list_mover_bytes(r->longest, cf) + r->pos_cap;
}

/* Bytes that all batches share and that are not there yet. */
static uint64_t shared_bytes(const rp__recoder *r)
{
    enum { GROWTH = 2 }; /* arrays grow by doubling */
    uint64_t bytes = 0, docs = r->from->docs.n_docs;
    uint64_t lists = r->from->manifest.meta.postings / RP_BLOCK; /* of more than a block */
    for (size_t i = 0; i < RP_AUX_KINDS; i++)
        if (r->aux_kinds >> i & 1)
            bytes += GROWTH * (lists * 2 * sizeof(uint64_t) +
                               rp__aux_kind_at(i)->bound(rp__aux_kind_at(i), r->longest));
    if (!r->moves)
        return bytes;
    uint64_t moved = rp__doc_mover_bytes((uint32_t)docs);
    return bytes + docs * (2 * sizeof(uint32_t) + r->from->docs.lengths.code_bytes) + moved;
}

/* How many batches there is room for. */
static rp_status plan_memory(rp__recoder *r, const rp__recode_options *o, rp_error *err)
{
    if (rp__mapping_guard(run_measure, r) != RP_OK)
        return damaged(r, err);
    rp__list_coder_init(&r->sizes, &r->coding, &r->lengths, r->norms);
    r->memory = o->memory;
    uint64_t one = batch_bytes(r), held = rp__alloc_in_use() + shared_bytes(r);
    uint64_t taken = held + rp__alloc_slack(o->memory);
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
    for (int kind = RP_FILE_POSITIONS; kind < RP_FILE_KINDS && r->moves && status == RP_OK; kind++)
        if (r->from->files[kind])
            status = verify_file(r->from->files[kind], err);
    if (status == RP_OK)
        status = rp__norms_new(&r->from->manifest, &r->from->docs.lengths, &r->norms, err);
    if (status != RP_OK)
        return status;
    r->lengths = r->from->docs.lengths;
    return RP_OK;
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
    if (status != RP_OK)
        return status;
    rp__section_writer_begin(r->lists, RP_SECTION_LISTS);
    if (r->aux_kinds)
        status =
            rp__aux_writer_new(&r->draft.folder, r->aux_kinds, r->lengths.n_docs, &r->aux, err);
    if (status != RP_OK || !r->moves || !r->from->positions)
        return status;
    rp__draft_name(&r->draft, RP_FILE_POSITIONS, name);
    status = rp__section_writer_new(&r->draft.folder, name, RP_FILE_POSITIONS, &r->positions, err);
    if (status == RP_OK)
        rp__section_writer_begin(r->positions, RP_SECTION_POSITIONS);
    return status;
}

rp_status rp__recoder_new(const char *from, const char *to, const rp__recode_options *o,
                          rp__recoder **out, rp_error *err)
{
    rp__recoder *r = rp__alloc_zero(1, sizeof *r);
    if (!r)
        return rp__error_no_memory(err);
    r->begun = rp__clock_now();
    r->moves = o->moves;
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

const rp__segment *rp__recoder_source(const rp__recoder *r)
{
    return r->from;
}

static rp_status run_place(void *arg)
{
    rp__recoder *r = arg;
    const rp__lengths *l = &r->from->docs.lengths;
    for (uint32_t i = 0; i < l->n_docs; i++) {
        r->place[r->order[i]] = i;
        memcpy(r->codes + (size_t)i * l->code_bytes,
               (const uint8_t *)l->codes + (size_t)r->order[i] * l->code_bytes, l->code_bytes);
    }
    return RP_OK;
}

rp_status rp__recoder_order(rp__recoder *r, const uint32_t *order, rp_error *err)
{
    size_t n = r->from->docs.n_docs;
    r->order = order;
    r->place = rp__alloc_array(n, sizeof *r->place);
    r->codes = rp__alloc_zero(n + RP_PAD, r->lengths.code_bytes);
    if (!r->place || !r->codes)
        return rp__error_no_memory(err);
    if (rp__mapping_guard(run_place, r) != RP_OK)
        return damaged(r, err);
    r->lengths.codes = r->codes;
    return RP_OK;
}

/* ---- Files without lists ----------------------------------------------------------------------- */

static const rp__file_kind kept[] = {RP_FILE_POSITIONS, RP_FILE_DOCS, RP_FILE_TEXT};

enum { KEPT = sizeof kept / sizeof *kept };

static bool tick(void *arg, uint64_t bytes)
{
    rp__recoder *r = arg;
    r->done += bytes;
    return !r->on_progress || r->on_progress(r->progress_arg, r->done, r->of);
}

static rp_status copy_files(rp__recoder *r, rp_error *err)
{
    rp_status status = RP_OK;
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

rp_status rp__recoder_copy(rp__recoder *r, rp_error *err)
{
    r->of = r->from->lists_bytes;
    for (size_t i = 0; i < KEPT; i++)
        r->of += r->from->manifest.meta.files[kept[i]].bytes;
    if (!r->moves)
        return copy_files(r, err);
    rp__doc_mover mover = {.from = r->from,
                           .order = r->order,
                           .memory = r->memory,
                           .draft = &r->draft,
                           .goes_on = tick,
                           .arg = r};
    return rp__doc_mover_run(&mover, err);
}

/* ---- Lists ------------------------------------------------------------------------------------- */

rp_status rp__recoder_batch_new(const rp__recoder *r, rp__recode_batch **out, rp_error *err)
{
    rp__recode_batch *b = rp__alloc_zero(1, sizeof *b);
    if (!b)
        return rp__error_no_memory(err);
    rp__list_coder_init(&b->coder, &r->coding, &r->lengths, r->norms);
    b->docids = rp__alloc_array(r->docids_cap + RP_BLOCK_CAPACITY, sizeof *b->docids);
    b->tfs = rp__alloc_array((size_t)r->longest + RP_BLOCK_CAPACITY, sizeof *b->tfs);
    b->encoded = rp__alloc(r->cap);
    b->positions = rp__alloc(r->pos_cap);
    if (!b->docids || !b->tfs || !b->encoded || !b->positions ||
        !rp__list_coder_reserve(&b->coder, r->longest) ||
        (r->moves && !rp__list_mover_init(&b->mover, r->from, r->place, r->longest, r->most_cf))) {
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
    rp__list_mover_reset(&b->mover);
    rp__free(b->docids);
    rp__free(b->tfs);
    rp__free(b->encoded);
    rp__free(b->positions);
    rp__buf_free(&b->text);
    rp__buf_free(&b->tinies);
    rp__free(b);
}

static void take_term(rp__recode_batch *b, const rp__term_iter *iter)
{
    item *it = &b->items[b->n];
    *it = (item){.entry = iter->entry,
                 .text = b->text.n,
                 .tiny = b->text.n + iter->term_bytes,
                 .bytes = (uint32_t)iter->term_bytes};
    rp__buf_put(&b->text, iter->term, iter->term_bytes);
    rp__buf_put(&b->text, iter->entry.tiny, iter->entry.tiny_bytes);
    rp__buf_reserve(&b->text, RP_PAD);
    b->n++;
}

typedef struct take_job {
    rp__recoder *r;
    rp__recode_batch *b;
} take_job;

/* What is left of a batch. */
typedef struct room {
    size_t encoded, docids, positions;
} room;

/* Takes what a list may need, known beforehand. False: it does not fit. */
static bool take_room(const rp__recoder *r, const rp__term *entry, room *left)
{
    size_t encoded = rp__list_coder_bound(&r->sizes, entry->df);
    size_t docids = r->aux_kinds ? entry->df : 0;
    size_t positions = r->positions ? (size_t)rp__list_mover_bound(entry->df, entry->cf) : 0;
    if (encoded > left->encoded || docids > left->docids || positions > left->positions)
        return false;
    left->encoded -= encoded;
    left->docids -= docids;
    left->positions -= positions;
    return true;
}

/* Terms until the batch is full. */
static rp_status run_take(void *arg)
{
    rp__recoder *r = ((take_job *)arg)->r;
    rp__recode_batch *b = ((take_job *)arg)->b;
    room left = {r->cap, r->docids_cap, r->pos_cap};
    for (; b->n < BATCH_TERMS; r->has_term = false) {
        rp_status status = r->has_term ? RP_OK : rp__term_iter_next(&r->iter);
        if (status == RP_NOT_FOUND)
            r->is_at_end = true;
        if (status != RP_OK)
            return status == RP_NOT_FOUND ? RP_OK : status;
        r->has_term = true;
        const rp__term *entry = &r->iter.entry;
        if (!entry->tiny && (entry->df > r->longest || entry->cf > r->most_cf))
            return RP_DAMAGED; /* it was not so when the terms were measured */
        if (!entry->tiny && !take_room(r, entry, &left))
            return RP_OK;
        take_term(b, &r->iter);
    }
    return RP_OK;
}

rp_status rp__recoder_take(rp__recoder *r, rp__recode_batch *b, bool *has, rp_error *err)
{
    b->n = b->used = b->n_docids = b->pos_used = b->text.n = b->tinies.n = 0;
    b->read = 0;
    rp_status status = RP_OK;
    if (!r->is_at_end)
        status = rp__mapping_guard(run_take, &(take_job){r, b});
    if (b->text.failed)
        return rp__error_no_memory(err);
    *has = b->n > 0;
    return status == RP_OK ? RP_OK : damaged(r, err);
}

/* The postings of a list into docids and b->tfs; where its positions will begin, by frame. */
static rp_status decode_list(const rp__recoder *r, const rp__term *entry, rp__recode_batch *b,
                             uint32_t *docids, const uint32_t **frames)
{
    static const uint32_t first_frame = 0; /* of a short list, which keeps no offsets */
    rp__list list;
    uint64_t cf = 0;
    rp_status status = rp__segment_list(r->from, entry, NULL, &list);
    if (status == RP_OK)
        status = rp__list_decode(&list, docids, b->tfs);
    if (status != RP_OK)
        return status;
    for (uint32_t i = 0; i < list.n; i++)
        cf += b->tfs[i];
    *frames = list.pos_offsets ? list.pos_offsets : &first_frame;
    return cf == entry->cf ? RP_OK : RP_DAMAGED;
}

/* The same in the new order, and the positions themselves. */
static rp_status move_list(const rp__recoder *r, rp__term *entry, rp__recode_batch *b,
                           uint32_t *docids, const uint32_t **frames)
{
    size_t used;
    rp_status status = rp__list_mover_move(&b->mover, entry, docids, b->tfs);
    if (status != RP_OK || !r->positions)
        return status;
    status = rp__list_mover_positions(&b->mover, entry, b->positions + b->pos_used, &used);
    b->read += entry->pos_bytes;
    entry->pos_bytes = used;
    b->pos_used += used;
    *frames = b->mover.frames;
    return status;
}

static rp_status recode_list(const rp__recoder *r, rp__recode_batch *b, rp__term *entry)
{
    const uint32_t *frames = NULL;
    uint32_t *docids = b->docids + b->n_docids;
    size_t used;
    rp_status status = r->moves ? move_list(r, entry, b, docids, &frames)
                                : decode_list(r, entry, b, docids, &frames);
    if (status != RP_OK)
        return status;
    status = rp__list_coder_encode(&b->coder, docids, b->tfs, entry->df,
                                   r->from->positions ? frames : NULL, b->encoded + b->used, &used);
    if (status != RP_OK)
        return status;
    b->n_docids += r->aux_kinds ? entry->df : 0;
    b->read += entry->list_bytes;
    entry->list_bytes = used;
    b->used += used;
    return RP_OK;
}

/* Into the form of new indexes, whatever that of the source is. */
static rp_status recode_tiny(const rp__recoder *r, rp__recode_batch *b, item *it)
{
    uint8_t bytes[RP_TINY_BYTES];
    rp__tiny tiny;
    rp__term *entry = &it->entry;
    entry->tiny = b->text.at + it->tiny; /* text ends with padding */
    rp_status status = rp__tiny_get_whole(r->from, entry, &tiny);
    if (status != RP_OK)
        return status;
    if (r->moves)
        rp__list_mover_tiny(&b->mover, entry->df, &tiny);
    it->tiny = b->tinies.n;
    entry->tiny_bytes =
        rp__tiny_put(tiny.docids, tiny.tfs, entry->df, r->from->positions ? tiny.gaps : NULL,
                     r->from->manifest.meta.docs, bytes);
    rp__buf_put(&b->tinies, bytes, entry->tiny_bytes);
    return b->tinies.failed ? RP_NO_MEMORY : RP_OK;
}

typedef struct encode_job {
    const rp__recoder *r;
    rp__recode_batch *b;
} encode_job;

static rp_status run_encode(void *arg)
{
    const encode_job *job = arg;
    rp_status status = RP_OK;
    for (size_t i = 0; i < job->b->n && status == RP_OK; i++) {
        item *it = &job->b->items[i];
        status = it->entry.tiny ? recode_tiny(job->r, job->b, it)
                                : recode_list(job->r, job->b, &it->entry);
    }
    return status;
}

rp_status rp__recoder_encode(const rp__recoder *r, rp__recode_batch *b, rp_error *err)
{
    rp_status status = rp__mapping_guard(run_encode, &(encode_job){r, b});
    if (b->tinies.failed)
        return rp__error_no_memory(err);
    if (status == RP_LIMIT)
        return rp__error_set(err, status, "a list is more than codec \"%s\" can hold",
                             r->coding.codec->name);
    return status == RP_OK ? RP_OK : damaged(r, err);
}

/* Auxiliary data of the list that is written next; *docids is advanced past its docids. */
static rp_status write_aux(rp__recoder *r, const rp__term *entry, const uint32_t **docids)
{
    const uint32_t *at = *docids;
    *docids += entry->df;
    if (entry->df <= RP_BLOCK)
        return RP_OK;
    return rp__aux_writer_add(r->aux, rp__section_writer_offset(r->lists), at, entry->df);
}

rp_status rp__recoder_write(rp__recoder *r, const rp__recode_batch *b, rp_error *err)
{
    const uint8_t *list = b->encoded;
    const uint32_t *docids = b->docids;
    for (size_t i = 0; i < b->n; i++) {
        const item *it = &b->items[i];
        const char *term = (const char *)b->text.at + it->text;
        rp__term entry = it->entry;
        if (entry.tiny)
            entry.tiny = b->tinies.at + it->tiny;
        else if (r->aux && write_aux(r, &entry, &docids) != RP_OK)
            return rp__error_no_memory(err);
        rp__section_writer_put(r->lists, list, entry.list_bytes); /* none of a tiny one */
        list += entry.list_bytes;
        if (rp__dictionary_writer_add(r->dictionary, term, it->bytes, &entry) != RP_OK)
            return rp__error_no_memory(err);
        r->postings += entry.df;
    }
    if (r->positions)
        rp__section_writer_put(r->positions, b->positions, b->pos_used);
    r->done += b->read;
    return RP_OK;
}

void rp__recoder_get_progress(const rp__recoder *r, uint64_t *done, uint64_t *of)
{
    *done = r->done;
    *of = r->of;
}

/* ---- Finishing --------------------------------------------------------------------------------- */

static rp_status finish_file(rp__section_writer **out, rp__meta_file *file, rp_error *err)
{
    rp_status status = rp__section_writer_finish(*out, &file->bytes, &file->checksum, err);
    *out = NULL;
    return status;
}

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
    if (status == RP_OK)
        status = finish_file(&r->lists, lists, err);
    if (status != RP_OK || !r->positions)
        return status;
    rp__section_writer_end(r->positions);
    return finish_file(&r->positions, &meta->files[RP_FILE_POSITIONS], err);
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
    rp__section_writer_abandon(r->positions);
    rp__aux_writer_free(r->aux);
    rp__free(r->place);
    rp__free(r->codes);
    rp__list_coder_reset(&r->sizes);
    rp__segment_close(r->from);
    rp__free(r->norms);
    rp__draft_end(&r->draft);
    rp__free(r);
}
