/* corpus.c: files and folders to batches of raw records.
 *
 * Finds the files, opens one after the other, tells its format and has the format cut records. Does
 * not look into a record (doc_parser.c). Memory is the batch, one read ahead and the longest record.
 * Invariants: 1 a record lies whole in the batch's bytes; 2 where a batch ends depends on the input's
 * bytes alone, because every read but a file's last is CHUNK long; 3 what is read and not yet
 * in a batch waits in `ahead`. */
#include "engine/corpus.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "engine/corpus_format.h"
#include "store/store.h"

enum {
    CHUNK = 128 << 10,
    KEEP_BYTES = 2 << 20, /* a batch that grew past this for one record is given back */
};
static const uint64_t default_max_line = 256 << 20;

typedef struct source {
    size_t path;    /* in names */
    size_t path_id; /* see rp__batch */
    uint64_t bytes;
    bool in_folder;
} source;

struct rp__corpus {
    rp_build_options options;
    rp__corpus_room_fn *has_room; /* NULL: there is room for any record */
    void *room_arg;
    const rp__corpus_format *forced; /* NULL: told by each file */
    rp__buf names;                   /* paths, each ended by a NUL */
    source *sources;
    size_t n_sources, cap_sources, next;
    uint64_t bytes_done, bytes_total, skipped;
    rp__goes_on_fn *goes_on; /* may change while a file is open */
    void *goes_on_arg;
    /* The open file. */
    rp__input *input; /* NULL: none */
    const rp__corpus_format *format;
    rp__buf ahead;
    rp__split split;
    uint64_t line; /* of the first unread byte */
    size_t used;   /* bytes of the batch that hold finished records */
};

/* ---- Batches --------------------------------------------------------------------------------- */

rp_status rp__batch_init(rp__batch *batch)
{
    *batch = (rp__batch){0};
    batch->records = rp__alloc_array(RP_BATCH_RECORDS, sizeof *batch->records);
    return batch->records ? RP_OK : RP_NO_MEMORY;
}

void rp__batch_clear(rp__batch *batch, size_t keep)
{
    batch->n = 0;
    rp__buf_clear(&batch->bytes, keep);
}

void rp__batch_free(rp__batch *batch)
{
    rp__buf_free(&batch->bytes);
    rp__free(batch->records);
    *batch = (rp__batch){0};
}

/* ---- Finding the files ----------------------------------------------------------------------- */

typedef struct finder {
    rp__corpus *corpus;
    size_t given_bytes; /* of the path that the user gave */
    bool is_slashed;    /* which ends with '/' */
    rp_error *err;
    rp_status status;
} finder;

static bool add_source(void *arg, const char *path, uint64_t bytes)
{
    finder *f = arg;
    rp__corpus *c = f->corpus;
    size_t n = strlen(path);
    if (n >= sizeof((rp__batch *)0)->path) {
        f->status =
            rp__error_set(f->err, RP_LIMIT, "...%s: a path of %zu bytes; at most %zu are taken",
                          path + n - 80, n, sizeof((rp__batch *)0)->path - 1);
        return false;
    }
    bool in_folder = n > f->given_bytes;
    source s = {.path = c->names.n, .bytes = bytes, .in_folder = in_folder};
    s.path_id = in_folder ? f->given_bytes + !f->is_slashed : 0;
    rp__buf_put(&c->names, path, n + 1);
    if (c->names.failed ||
        !rp__alloc_grow(&c->sources, &c->cap_sources, c->n_sources + 1, sizeof s)) {
        f->status = rp__error_no_memory(f->err);
        return false;
    }
    c->sources[c->n_sources++] = s;
    return true;
}

static rp_status find_files(rp__corpus *c, const char *path, rp_error *err)
{
    size_t n = strlen(path);
    finder f = {.corpus = c, .given_bytes = n, .err = err, .status = RP_OK};
    f.is_slashed = n > 0 && path[n - 1] == '/';
    if (strcmp(path, "-") == 0) {
        add_source(&f, path, 0);
        return f.status;
    }
    rp_status status = rp__walk(path, add_source, &f, err);
    return f.status != RP_OK ? f.status : status;
}

/* Not known where a file given by name has no size: standard input, a pipe. */
static uint64_t sum_bytes(const rp__corpus *c)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < c->n_sources; i++) {
        if (c->sources[i].bytes == 0 && !c->sources[i].in_folder)
            return 0;
        sum += c->sources[i].bytes;
    }
    return sum;
}

rp_status rp__corpus_open(const char *const *paths, size_t n, const rp_build_options *options,
                          rp__corpus **out, rp_error *err)
{
    rp__corpus *c = rp__alloc_zero(1, sizeof *c);
    if (!c)
        return rp__error_no_memory(err);
    if (options)
        c->options = *options;
    if (c->options.max_line == 0)
        c->options.max_line = default_max_line;
    rp_status status = RP_OK;
    if (c->options.format)
        status = rp__corpus_format_find(c->options.format, &c->forced, err);
    for (size_t i = 0; i < n && status == RP_OK; i++)
        status = find_files(c, paths[i], err);
    if (status != RP_OK) {
        rp__corpus_close(c);
        return status;
    }
    c->bytes_total = sum_bytes(c);
    *out = c;
    return RP_OK;
}

void rp__corpus_set_goes_on(rp__corpus *c, rp__goes_on_fn *goes_on, void *arg)
{
    c->goes_on = goes_on;
    c->goes_on_arg = arg;
}

void rp__corpus_watch(rp__corpus *c, rp__corpus_room_fn *has_room, void *arg)
{
    c->has_room = has_room;
    c->room_arg = arg;
}

void rp__corpus_close(rp__corpus *c)
{
    if (!c)
        return;
    rp__input_close(c->input);
    rp__buf_free(&c->ahead);
    rp__buf_free(&c->names);
    rp__free(c->sources);
    rp__free(c);
}

void rp__corpus_get_progress(const rp__corpus *c, uint64_t *bytes, uint64_t *bytes_total,
                             uint64_t *skipped)
{
    *bytes = c->bytes_done + (c->input ? rp__input_consumed(c->input) : 0);
    *bytes_total = c->bytes_total;
    *skipped = c->skipped;
}

/* ---- Reading a file -------------------------------------------------------------------------- */

static const source *current(const rp__corpus *c)
{
    return &c->sources[c->next - 1];
}

static const char *current_path(const rp__corpus *c)
{
    const char *path = (const char *)c->names.at + current(c)->path;
    return strcmp(path, "-") == 0 ? "stdin" : path;
}

static rp_status read_chunk(rp__corpus *c, rp__buf *to, rp_error *err)
{
    size_t got;
    uint8_t *room = rp__buf_room(to, CHUNK);
    if (!room) {
        to->failed = false;
        return rp__error_no_memory(err);
    }
    rp_status status = rp__input_read(c->input, room, CHUNK, &got, err);
    if (status != RP_OK)
        return status;
    to->n += got;
    c->split.is_end = got < CHUNK;
    return RP_OK;
}

static void close_file(rp__corpus *c)
{
    c->bytes_done += rp__input_consumed(c->input);
    rp__input_close(c->input);
    c->input = NULL;
}

static bool goes_on(void *corpus)
{
    const rp__corpus *c = corpus;
    return !c->goes_on || c->goes_on(c->goes_on_arg);
}

static rp_status open_next_file(rp__corpus *c, rp_error *err)
{
    const source *s = &c->sources[c->next];
    rp__input_options options = {.max_expand = c->options.max_expand,
                                 .waits_for_writer = true,
                                 .goes_on = goes_on,
                                 .goes_on_arg = c};
    rp_status status =
        rp__input_open((const char *)c->names.at + s->path, &options, &c->input, err);
    if (status != RP_OK)
        return status;
    c->next++;
    c->split = (rp__split){0};
    c->line = 1;
    c->ahead.n = 0;
    status = rp__input_as_text(c->input, err);
    if (status == RP_INPUT && c->options.on_error == RP_ON_ERROR_SKIP)
        status = RP_OK; /* each record that is not UTF-8 is refused on its own */
    if (status == RP_OK)
        status = read_chunk(c, &c->ahead, err);
    if (status != RP_OK)
        return status;
    c->format = c->forced ? c->forced
                          : rp__corpus_format_guess(current_path(c), s->in_folder,
                                                    (const char *)c->ahead.at, c->ahead.n);
    return RP_OK;
}

/* ---- Cutting records ------------------------------------------------------------------------- */

static uint64_t count_lines(const char *p, size_t n)
{
    uint64_t lines = 0;
    for (const char *end = p + n; (p = memchr(p, '\n', (size_t)(end - p))); p++)
        lines++;
    return lines;
}

/* Takes the next n bytes out of the batch: no record of it needs them. */
static void drop(rp__corpus *c, rp__batch *batch, size_t n)
{
    uint8_t *at = batch->bytes.at + c->used;
    if (n == 0)
        return;
    c->line += count_lines((const char *)at, n);
    batch->bytes.n -= n;
    memmove(at, at + n, batch->bytes.n - c->used);
}

static void add_record(rp__corpus *c, rp__batch *batch)
{
    const rp__split *s = &c->split;
    rp__record *record = &batch->records[batch->n++];
    record->offset = c->used + s->begin;
    record->bytes = s->end - s->begin;
    record->line = c->line + count_lines(s->at, s->begin);
    c->line += count_lines(s->at, s->used);
    c->used += s->used;
}

/* The record that begins `begin` bytes ahead has more than `most`: an error, or passed over and told. */
static rp_status refuse(rp__corpus *c, size_t begin, uint64_t most, rp_error *err)
{
    const char *path = current_path(c);
    size_t n = strlen(path), from = n > 100 ? n - 100 : 0;
    unsigned long long line = c->line + count_lines(c->split.at, begin);
    char where[160], what[80];
    snprintf(where, sizeof where, "%s%s:%llu", from ? "..." : "", path + from, line);
    bool is_memory = most < c->options.max_line;
    snprintf(what, sizeof what, "a document of over %llu bytes; raise %s", (unsigned long long)most,
             is_memory ? "--memory" : "--max-line");
    if (c->options.on_error != RP_ON_ERROR_SKIP)
        return rp__error_set(err, is_memory ? RP_NO_MEMORY : RP_LIMIT, "%s: %s", where, what);
    c->skipped++;
    if (c->options.on_skip)
        c->options.on_skip(c->options.skip_arg, where, what);
    return RP_OK;
}

/* A record was found, or the end of one that is passed over. */
static rp_status take_found(rp__corpus *c, rp__batch *batch, rp_error *err)
{
    rp__split *s = &c->split;
    rp_status status = RP_OK;
    if (!s->is_passing && s->end - s->begin <= c->options.max_line) {
        add_record(c, batch);
        return RP_OK;
    }
    if (!s->is_passing)
        status = refuse(c, s->begin, c->options.max_line, err);
    s->is_passing = false;
    drop(c, batch, s->used);
    return status;
}

/* No record was found in what there is. */
static rp_status take_more(rp__corpus *c, rp__batch *batch, rp_error *err)
{
    rp__split *s = &c->split;
    drop(c, batch, s->used);
    if (s->is_end)
        return RP_OK;
    size_t n = batch->bytes.n - c->used;
    bool fits = !c->has_room || c->has_room(c->room_arg, n + CHUNK);
    if (!s->is_passing && (n > c->options.max_line || !fits)) {
        s->at = (const char *)batch->bytes.at + c->used;
        s->is_passing = true;
        s->scanned = 0;
        return refuse(c, 0, n < c->options.max_line ? n : c->options.max_line, err);
    }
    return read_chunk(c, &batch->bytes, err);
}

static bool is_full(const rp__corpus *c, const rp__batch *batch)
{
    return batch->n == RP_BATCH_RECORDS || c->used >= RP_BATCH_BYTES;
}

/* Records of the open file, until the batch is full or the file ends. */
static rp_status cut_records(rp__corpus *c, rp__batch *batch, rp_error *err)
{
    rp__split *s = &c->split;
    rp_status status = RP_OK;
    while (status == RP_OK && !is_full(c, batch)) {
        s->at = (const char *)batch->bytes.at + c->used;
        s->n = batch->bytes.n - c->used;
        if (s->n == 0 && s->is_end) {
            close_file(c);
            break;
        }
        s->used = 0;
        bool is_found = s->n > 0 && c->format->split(s);
        status = is_found ? take_found(c, batch, err) : take_more(c, batch, err);
    }
    return status;
}

static rp_status fill_batch(rp__corpus *c, rp__batch *batch, rp_error *err)
{
    snprintf(batch->path, sizeof batch->path, "%s", current_path(c));
    batch->path_id = current(c)->path_id;
    batch->format = c->format;
    batch->bytes.n = 0;
    c->used = 0;
    if (!rp__buf_room(&batch->bytes, CHUNK)) {
        batch->bytes.failed = false;
        return rp__error_no_memory(err);
    }
    rp__buf_put(&batch->bytes, c->ahead.at, c->ahead.n); /* at most a chunk */
    c->ahead.n = 0;
    rp_status status = cut_records(c, batch, err);
    if (status != RP_OK)
        return status;
    rp__buf_put(&c->ahead, batch->bytes.at + c->used, batch->bytes.n - c->used);
    batch->bytes.n = c->used;
    return c->ahead.failed ? rp__error_no_memory(err) : RP_OK;
}

rp_status rp__corpus_next(rp__corpus *c, rp__batch *batch, rp_error *err)
{
    rp_status status = RP_OK;
    rp__batch_clear(batch, KEEP_BYTES);
    while (status == RP_OK && batch->n == 0 && (c->input || c->next < c->n_sources))
        status = c->input ? fill_batch(c, batch, err) : open_next_file(c, err);
    return status;
}
