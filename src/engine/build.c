/* build.c: building from files, by one thread or several.
 *
 * Each worker takes the next batch of records, parses it on its own, waits for its turn to give out
 * docids (so they follow the input), inverts on its own, and waits for its turn to write stored text.
 * So the work is shared, and everything that decides the index's bytes happens in input order.
 * Invariants: 1 a worker that holds batch n passes both turns on, even after a failure; 2 a worker that
 * has a large document, or reads one, is alone: no other has a batch. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/count_text.h"
#include "base/error.h"
#include "base/thread.h"
#include "engine/builder.h"
#include "engine/corpus.h"
#include "engine/dropped.h"
#include "engine/field_names.h"
#include "engine/ingest.h"
#include "engine/skip_list.h"

typedef struct build {
    rp__build_setup setup;
    rp__segment_builder *segment;
    rp__corpus *corpus;
    rp__skip_list skips;    /* of the one who reads the corpus */
    rp__skip_list left_out; /* records, of the one whose turn it is */
    uint64_t
        renamed; /* documents that got another id than their own; of the one whose turn it is */
    char first_renamed[256];
    uint32_t yielded; /* documents whose number is the id of another */
    rp__dropped dropped;
    bool has_json, has_field[RP_FIELDS]; /* some document was JSON, and had the field */
    pthread_mutex_t lock;
    pthread_cond_t moved;
    bool is_reading;                /* a worker has the corpus, and not the lock */
    bool is_alone;                  /* a worker has a large document, or reads one */
    uint64_t bytes, bytes_total;    /* of input: read, and in all */
    uint64_t batches;               /* taken from the corpus */
    uint64_t docid_turn, text_turn; /* batch whose turn it is */
    bool is_at_end;
    rp_status status; /* of the first failure, in input order where it is a document's */
    rp_error err;
    uint64_t docs, tokens, skipped, skipped_unread; /* unread: records too long to be cut out */
} build;

/* A parsed document: where its parts begin in the worker's text. The last of a batch, which alone can be
 * large, is not copied there. */
typedef struct parsed {
    size_t offset, id_bytes, title_bytes, text_bytes;
    uint64_t line;
    bool is_numbered; /* its id is the number of the document */
    bool is_strict;   /* see rp__doc */
    uint32_t docid;   /* RP_NO_DOC: left out */
    rp_status status;
    size_t message; /* of a bad one: where its message begins in the worker's text */
} parsed;

typedef struct worker {
    build *b;
    bool is_caller;  /* on the thread that called, which alone reports progress */
    uint64_t number; /* of the batch */
    bool is_alone;   /* with it */
    rp__batch batch;
    rp__doc_parser *parser;
    rp__ingest ingest;
    rp__buf text;
    parsed *docs;
    rp__doc last; /* the batch's last document: it stays in the batch and the parser */
} worker;

static void fail(build *b, rp_status status, const rp_error *err)
{
    pthread_mutex_lock(&b->lock);
    if (b->status == RP_OK) {
        b->status = status;
        b->err = *err;
    }
    pthread_mutex_unlock(&b->lock);
}

static bool has_failed(build *b)
{
    pthread_mutex_lock(&b->lock);
    bool failed = b->status != RP_OK;
    pthread_mutex_unlock(&b->lock);
    return failed;
}

static void wait_turn(build *b, const uint64_t *turn, uint64_t number)
{
    pthread_mutex_lock(&b->lock);
    while (*turn != number)
        pthread_cond_wait(&b->moved, &b->lock);
    pthread_mutex_unlock(&b->lock);
}

static void pass_turn(build *b, uint64_t *turn)
{
    pthread_mutex_lock(&b->lock);
    ++*turn;
    pthread_cond_broadcast(&b->moved);
    pthread_mutex_unlock(&b->lock);
}

static bool report(build *b, const char *phase)
{
    const rp_build_options *o = &b->setup.o;
    if (!o->on_progress)
        return true;
    rp_progress p = {.phase = phase, .memory = rp__alloc_in_use()};
    pthread_mutex_lock(&b->lock);
    p.bytes = b->bytes;
    p.bytes_total = b->bytes_total;
    p.docs = b->docs;
    p.tokens = b->tokens;
    p.skipped = b->skipped + b->skipped_unread;
    pthread_mutex_unlock(&b->lock);
    return o->on_progress(o->progress_arg, &p);
}

/* Reports where this thread may; false: the build is to stop. */
static bool goes_on(void *arg)
{
    worker *w = arg;
    rp_error err = {0};
    if (w->is_caller && !report(w->b, "reading"))
        fail(w->b, rp__error_set(&err, RP_INTERRUPTED, "interrupted; nothing was changed"), &err);
    return !has_failed(w->b);
}

/* With the lock, which is given up meanwhile. The caller's thread wakes up to report: another worker may
 * wait for input as long as it likes. */
static void wait_for_corpus(worker *w)
{
    enum { TICK_NS = 100000000 };
    build *b = w->b;
    while ((b->is_reading || b->is_alone) && b->status == RP_OK) {
        if (!w->is_caller) {
            pthread_cond_wait(&b->moved, &b->lock);
            continue;
        }
        rp__thread_wait(&b->moved, &b->lock, TICK_NS);
        pthread_mutex_unlock(&b->lock);
        goes_on(w);
        pthread_mutex_lock(&b->lock);
    }
}

/* Bytes of memory that a record of so many will take: decoded, and then stored. Buffers that grow have
 * up to a quarter too much. */
static uint64_t bytes_for(const build *b, uint64_t record)
{
    return record / 4 + record + record / 4 +
           (b->setup.segment.has_text ? rp__ingest_store_bytes(record) : 0);
}

/* A large record waits until its reader is alone. Called while the corpus is read. */
static bool has_room(void *arg, uint64_t bytes)
{
    build *b = arg;
    if (!rp__segment_builder_is_large(b->segment, bytes))
        return true;
    pthread_mutex_lock(&b->lock);
    b->is_alone = true;
    while (b->text_turn != b->batches)
        pthread_cond_wait(&b->moved, &b->lock);
    pthread_mutex_unlock(&b->lock);
    uint64_t freed = b->setup.segment.has_text ? bytes : 0;
    return rp__segment_builder_reserve(b->segment, bytes_for(b, bytes), freed, NULL) == RP_OK;
}

/* With the lock, which is given up while the batch is read. */
static void read_batch(worker *w)
{
    build *b = w->b;
    rp_error err = {0};
    b->is_reading = true;
    pthread_mutex_unlock(&b->lock);
    rp__corpus_set_goes_on(b->corpus, goes_on, w);
    rp_status status = rp__corpus_next(b->corpus, &w->batch, &err);
    pthread_mutex_lock(&b->lock);
    b->is_reading = false;
    rp__corpus_get_progress(b->corpus, &b->bytes, &b->bytes_total, &b->skipped_unread);
    b->is_at_end = status != RP_OK || w->batch.n == 0;
    if (status != RP_OK && b->status == RP_OK) {
        b->status = status;
        b->err = err;
    }
    w->number = b->batches;
    b->batches += !b->is_at_end;
    w->is_alone = b->is_alone = b->is_alone && !b->is_at_end;
    pthread_cond_broadcast(&b->moved);
}

/* False: no more batches, or the build has failed. */
static bool take_batch(worker *w)
{
    build *b = w->b;
    pthread_mutex_lock(&b->lock);
    wait_for_corpus(w);
    bool has_batch = !b->is_at_end && b->status == RP_OK;
    if (has_batch) {
        read_batch(w);
        has_batch = !b->is_at_end;
    }
    pthread_mutex_unlock(&b->lock);
    return has_batch;
}

/* The batch is done: gives back what only a large document needs, then lets the others go on. */
static void end_batch(worker *w)
{
    build *b = w->b;
    size_t keep = (size_t)(b->setup.o.memory / 64 / b->setup.o.threads);
    w->last = (rp__doc){0};
    rp__doc_parser_clear(w->parser);
    rp__batch_clear(&w->batch, keep);
    rp__buf_clear(&w->text, keep);
    pthread_mutex_lock(&b->lock);
    b->text_turn++;
    if (w->is_alone)
        b->is_alone = false;
    pthread_cond_broadcast(&b->moved);
    pthread_mutex_unlock(&b->lock);
}

static void keep_bad(worker *w, parsed *p, bool is_strict, rp_status status, const rp_error *err)
{
    p->status = status;
    p->is_strict = is_strict;
    p->message = w->text.n;
    rp__buf_put(&w->text, err->text, strlen(err->text) + 1);
}

static void keep_good(worker *w, parsed *p, const rp__doc *doc)
{
    p->is_numbered = doc->is_numbered;
    if (p == &w->docs[w->batch.n - 1]) {
        w->last = *doc;
        return;
    }
    p->offset = w->text.n;
    p->id_bytes = doc->id_bytes;
    p->title_bytes = doc->title_bytes;
    p->text_bytes = doc->text_bytes;
    rp__buf_put(&w->text, doc->id, doc->id_bytes);
    rp__buf_put(&w->text, doc->title, doc->title_bytes);
    rp__buf_put(&w->text, doc->text, doc->text_bytes);
}

static rp_status parse_batch(worker *w, rp_error *err)
{
    w->text.n = 0;
    for (size_t i = 0; i < w->batch.n; i++) {
        rp__doc doc;
        parsed *p = &w->docs[i];
        *p = (parsed){.line = w->batch.records[i].line, .docid = RP_NO_DOC};
        rp_error why = {0};
        rp_status status = rp__doc_parser_parse(w->parser, &w->batch, i, &doc, &why);
        if (status == RP_INPUT || status == RP_LIMIT)
            keep_bad(w, p, doc.is_strict, status, &why);
        else if (status != RP_OK)
            return *err = why, status;
        else
            keep_good(w, p, &doc);
        if (w->text.failed)
            return rp__error_no_memory(err);
    }
    return RP_OK;
}

/* One call at a time, whether the corpus leaves a document out or a worker does. */
static void tell_skip(void *arg, const char *where, const char *what)
{
    build *b = arg;
    pthread_mutex_lock(&b->lock);
    if (b->setup.o.on_skip)
        b->setup.o.on_skip(b->setup.o.skip_arg, where, what);
    pthread_mutex_unlock(&b->lock);
}

/* A document that cannot be taken: an error with a remedy; or it is left out, and the caller is told under
 * RP_ON_ERROR_SKIP. `is_strict`: RP_ON_ERROR_AUTO does not leave it out. */
static rp_status refuse(worker *w, const parsed *p, bool is_strict, rp_status status,
                        const char *what, const char *remedy, rp_error *err)
{
    build *b = w->b;
    bool is_reported = b->setup.o.on_error == RP_ON_ERROR_SKIP;
    if (w->batch.stops || (is_strict && !is_reported))
        return rp__error_set(err, status, "%s; %s", what, remedy);
    char where[1100];
    snprintf(where, sizeof where, "%s:%llu", w->batch.path, (unsigned long long)p->line);
    rp__skip_list_leave_out(&b->left_out, where, rp__doc_parser_reason(&w->batch, what),
                            is_reported);
    if (is_reported)
        tell_skip(b, where, what);
    pthread_mutex_lock(&b->lock);
    b->skipped++;
    pthread_mutex_unlock(&b->lock);
    return RP_OK;
}

static rp__doc doc_of(const worker *w, const parsed *p)
{
    if (p == &w->docs[w->batch.n - 1])
        return w->last;
    const char *at = (const char *)w->text.at + p->offset;
    return (rp__doc){.id = at,
                     .id_bytes = p->id_bytes,
                     .title = at + p->id_bytes,
                     .title_bytes = p->title_bytes,
                     .text = at + p->id_bytes + p->title_bytes,
                     .text_bytes = p->text_bytes};
}

/* The document gets its path and number for an id, because its own cannot be taken; and another number
 * behind them until no document has that id. */
static rp_status give_other_id(worker *w, parsed *p, rp_error *why)
{
    build *b = w->b;
    rp__buf id;
    rp_status status = RP_INPUT;
    rp__buf_init(&id);
    rp__doc_parser_put_path(&w->batch, (size_t)(p - w->docs), &id);
    size_t bytes = id.n;
    for (uint64_t n = 2; status == RP_INPUT; n++) {
        status = id.failed ? rp__error_no_memory(why)
                           : rp__segment_builder_doc(b->segment, (const char *)id.at, id.n,
                                                     &p->docid, why);
        if (status == RP_OK && b->renamed++ == 0)
            snprintf(b->first_renamed, sizeof b->first_renamed, "%.*s", (int)id.n,
                     (const char *)id.at);
        id.n = bytes;
        rp__buf_printf(&id, "#%llu", (unsigned long long)n);
    }
    rp__buf_free(&id);
    return status;
}

static rp_status give_docid(worker *w, parsed *p, rp_error *err)
{
    build *b = w->b;
    rp_error why = {0};
    if (p->status != RP_OK)
        return refuse(w, p, p->is_strict, p->status, (const char *)w->text.at + p->message,
                      "use --on-error=skip to go on without it", err);
    if (p->is_numbered)
        return rp__segment_builder_number(b->segment, &p->docid, err);
    rp__doc doc = doc_of(w, p);
    rp_status status = rp__segment_builder_doc(b->segment, doc.id, doc.id_bytes, &p->docid, &why);
    if (status == RP_INPUT && w->batch.may_rename)
        status = give_other_id(w, p, &why);
    if (status != RP_INPUT)
        return *err = why, status;
    p->docid = RP_NO_DOC;
    rp__doc_parser_place(&w->batch, (size_t)(p - w->docs), 0, RP_INPUT, why.text, &why);
    return refuse(w, p, true, RP_INPUT, why.text,
                  "use --ids number or --ids path, or --on-error=skip to go on without it", err);
}

static rp_status give_docids(worker *w, rp_error *err)
{
    rp_status status = RP_OK;
    for (size_t i = 0; i < w->batch.n && status == RP_OK; i++)
        status = give_docid(w, &w->docs[i], err);
    return status;
}

static rp_status invert_batch(worker *w, rp_error *err)
{
    for (size_t i = 0; i < w->batch.n; i++) {
        const parsed *p = &w->docs[i];
        if (p->docid == RP_NO_DOC)
            continue;
        rp__doc doc = doc_of(w, p);
        rp_status status = rp__ingest_add(&w->ingest, p->docid, &doc, err);
        if (status != RP_OK)
            return status;
    }
    return rp__ingest_end_block(&w->ingest, err);
}

static void count_batch(worker *w)
{
    build *b = w->b;
    pthread_mutex_lock(&b->lock);
    for (size_t i = 0; i < w->batch.n; i++)
        b->docs += w->docs[i].docid != RP_NO_DOC;
    b->tokens += w->ingest.tokens;
    w->ingest.tokens = 0;
    pthread_mutex_unlock(&b->lock);
}

static void process_batch(worker *w)
{
    build *b = w->b;
    rp_error err = {0};
    rp_status status = parse_batch(w, &err);
    wait_turn(b, &b->docid_turn, w->number);
    if (status == RP_OK && !has_failed(b))
        status = give_docids(w, &err);
    if (status != RP_OK)
        fail(b, status, &err);
    pass_turn(b, &b->docid_turn);
    if (status == RP_OK && !has_failed(b))
        status = invert_batch(w, &err);
    wait_turn(b, &b->text_turn, w->number);
    if (status == RP_OK && !has_failed(b))
        status = rp__ingest_write_blocks(&w->ingest, &err);
    if (status != RP_OK)
        fail(b, status, &err);
    count_batch(w);
    end_batch(w);
}

static bool report_merge(void *arg, uint64_t done, uint64_t of)
{
    (void)done;
    (void)of;
    return report(arg, "merging");
}

static rp_status start_worker(worker *w, build *b, uint32_t number)
{
    rp_status status = rp__batch_init(&w->batch);
    if (status == RP_OK)
        status = rp__doc_parser_new(&b->setup.o, &w->parser);
    if (status == RP_OK)
        status = rp__ingest_init(&w->ingest, b->segment, number, b->setup.segment.has_text,
                                 b->setup.analyzer);
    w->docs = rp__alloc_array(RP_BATCH_RECORDS, sizeof *w->docs);
    return w->docs ? status : RP_NO_MEMORY;
}

static void stop_worker(worker *w)
{
    build *b = w->b;
    pthread_mutex_lock(&b->lock);
    if (w->parser) {
        rp__doc_parser_merge_dropped(w->parser, &b->dropped);
        b->has_json |= rp__doc_parser_merge_found(w->parser, b->has_field);
    }
    pthread_mutex_unlock(&b->lock);
    rp__batch_free(&w->batch);
    rp__doc_parser_free(w->parser);
    rp__ingest_reset(&w->ingest);
    rp__buf_free(&w->text);
    rp__free(w->docs);
}

static void run_worker(void *arg, uint32_t number)
{
    build *b = arg;
    worker w = {.b = b, .is_caller = number + 1 == b->setup.o.threads};
    rp_error err = {0};
    if (start_worker(&w, b, number) != RP_OK)
        fail(b, rp__error_no_memory(&err), &err);
    while (take_batch(&w)) {
        process_batch(&w);
        goes_on(&w);
    }
    stop_worker(&w);
}

static void tell_dropped(build *b, rp__buf *line)
{
    rp__corpus_merge_dropped(b->corpus, &b->dropped);
    if (b->dropped.n == 0)
        return;
    rp__buf_put_string(line, "fields that are not indexed: ");
    rp__dropped_put(&b->dropped, line);
    rp__buf_put_string(line, "; --text-field names the one to index");
    rp__buf_put_byte(line, 0);
    if (!line->failed)
        b->setup.o.on_note(b->setup.o.note_arg, (const char *)line->at);
}

/* A misspelt name of a field would otherwise pass in silence: numbers and no titles are no fault. */
static void tell_not_found(const build *b)
{
    const rp_build_options *o = &b->setup.o;
    const char *const given[] = {o->id_field, o->title_field};
    static const char *const options[] = {"--id-field", "--title-field"};
    _Static_assert(RP_FIELD_ID == 0 && RP_FIELD_TITLE == 1, "given[] is in order");
    char text[256];
    for (size_t f = 0; f < sizeof given / sizeof *given; f++)
        if (b->has_json && given[f] && !b->has_field[f]) {
            snprintf(text, sizeof text, "warning: no JSON record has the field \"%.100s\" of %s",
                     given[f], options[f]);
            o->on_note(o->note_arg, text);
        }
}

/* The index is published: what there is to say about its input. */
static void tell_notes(build *b)
{
    const rp_build_options *o = &b->setup.o;
    rp__buf line;
    char text[512], number[RP_COUNT_TEXT_BYTES];
    rp__skip_list_merge(&b->skips, &b->left_out);
    rp__skip_list_finish(&b->skips, o->on_note, o->note_arg);
    if (!o->on_note)
        return;
    rp__buf_init(&line);
    tell_dropped(b, &line);
    rp__buf_free(&line);
    tell_not_found(b);
    if (b->renamed > 0) {
        snprintf(text, sizeof text,
                 "%s document%s whose id was seen before or is not valid: indexed under path and "
                 "number (the first is %s)",
                 rp__count_text(number, b->renamed), b->renamed == 1 ? "" : "s", b->first_renamed);
        o->on_note(o->note_arg, text);
    }
    if (b->yielded > 0) {
        snprintf(
            text, sizeof text,
            "%s document%s without an id: '#' stands before the number, which another document "
            "has for its id",
            rp__count_text(number, b->yielded), b->yielded == 1 ? "" : "s");
        o->on_note(o->note_arg, text);
    }
    if (b->docs == 0)
        o->on_note(o->note_arg, "warning: the input has no documents, the index is empty");
}

/* Nothing was found to index: an error where that is not what the user can want. */
static rp_status check_empty(const build *b, const char *dir, rp_error *err)
{
    const char *refused = rp__corpus_refused(b->corpus);
    rp_index_info info = {0};
    rp_index *index = NULL;
    char number[RP_COUNT_TEXT_BYTES];
    if (b->docs > 0)
        return RP_OK;
    if (refused)
        return rp__error_set(err, RP_INPUT, "%s; there is nothing else to index", refused);
    if (rp_index_open(dir, NULL, &index, NULL) == RP_OK)
        rp_index_get_info(index, &info);
    rp_index_close(index);
    if (info.docs == 0)
        return RP_OK;
    return rp__error_set(
        err, RP_INPUT,
        "the input has no documents, and the index %.100s has %s of them: it stays; remove "
        "it first if an empty one is wanted",
        dir, rp__count_text(number, info.docs));
}

static rp_status run_build(build *b, const char *const *paths, size_t n_paths, const char *dir,
                           rp_build_stats *stats, rp_error *err)
{
    rp_build_options corpus = b->setup.o;
    corpus.on_skip = tell_skip;
    corpus.skip_arg = b;
    b->setup.segment.on_progress = report_merge;
    b->setup.segment.progress_arg = b;
    rp_status status = rp__corpus_open(paths, n_paths, &corpus, &b->skips, &b->corpus, err);
    if (status == RP_OK)
        status = rp__segment_builder_new(dir, &b->setup.segment, &b->segment, err);
    if (status != RP_OK)
        return status;
    rp__corpus_watch(b->corpus, has_room, b);
    status = rp__thread_run(b->setup.o.threads, run_worker, b);
    if (status != RP_OK)
        return rp__error_no_memory(err);
    if (b->status != RP_OK) {
        if (err)
            *err = b->err;
        return b->status;
    }
    status = check_empty(b, dir, err);
    b->yielded = rp__segment_builder_yielded(b->segment);
    if (status == RP_OK)
        status = rp__segment_builder_finish(b->segment, stats, err);
    if (stats && status == RP_OK) {
        stats->skipped = b->skipped + b->skipped_unread;
        stats->bytes_in = b->bytes;
        stats->files_skipped = b->skips.skipped;
        stats->files = rp__corpus_files(b->corpus);
    }
    if (status == RP_OK)
        tell_notes(b);
    return status;
}

rp_status rp_index_build(const char *const *paths, size_t n_paths, const char *dir,
                         const rp_build_options *options, rp_build_stats *stats, rp_error *err)
{
    if (RP_MISSING(err, dir) || RP_MISSING_ARRAY(err, paths, n_paths))
        return RP_USAGE;
    for (size_t i = 0; i < n_paths; i++)
        if (RP_MISSING(err, paths[i]))
            return RP_USAGE;
        else if (!paths[i][0])
            return rp__error_set(err, RP_USAGE, "path %zu of the input is empty", i + 1);
    build b = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};
    if (stats)
        *stats = (rp_build_stats){0};
    rp__skip_list_init(&b.skips, dir);
    rp__skip_list_init(&b.left_out, NULL);
    rp__alloc_reset_peak();
    rp_status status = rp__builder_setup(options, &b.setup, err);
    uint64_t limit = rp__alloc_set_limit(b.setup.o.memory);
    if (status == RP_OK)
        status = run_build(&b, paths, n_paths, dir, stats, err);
    rp__alloc_set_limit(limit);
    rp__corpus_close(b.corpus);
    rp__skip_list_free(&b.skips);
    rp__skip_list_free(&b.left_out);
    rp__segment_builder_free(b.segment);
    rp__builder_setup_reset(&b.setup);
    return status;
}
