/* corpus.c: files and folders to batches of raw records.
 *
 * Opens one file after the other, skips what is no text, converts the rest to UTF-8,
 * chooses the format and has the format cut records. Does not look into a record (doc_parser.c).
 * Memory is the batch, one read ahead and the longest record.
 * Invariants: 1 a record lies whole in the batch's bytes; 2 where a batch ends depends on the input's
 * bytes alone, because every read but a file's last is CHUNK long; 3 what is read and not yet
 * in a batch waits in `ahead`; 4 all bytes in `ahead` and in batches are valid UTF-8. */
#include "engine/corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/charset.h"
#include "base/count_text.h"
#include "base/error.h"
#include "base/utf8.h"
#include "engine/corpus_format.h"
#include "engine/filetype.h"
#include "engine/sources.h"
#include "store/store.h"

enum {
    CHUNK = 128 << 10,
    KEEP_BYTES = 2 << 20, /* a batch that grew past this for one record is given back */
};
static const uint64_t default_max_line = 256 << 20;

struct rp__corpus {
    rp_build_options options;
    rp__corpus_room_fn *has_room; /* NULL: there is room for any record */
    void *room_arg;
    const rp__corpus_format *forced; /* NULL: each file has its own */
    rp__ids ids;
    rp__field_names fields;
    rp__dropped dropped;  /* columns of tables */
    rp__skip_list *skips; /* the caller's */
    rp__sources sources;
    size_t next; /* of them */
    uint64_t bytes_done, skipped, files;
    char refused[256];       /* the first file that the user named and that is not read */
    rp__goes_on_fn *goes_on; /* may change while a file is open */
    void *goes_on_arg;
    /* The open file. */
    rp__input *input; /* NULL: none */
    const rp__corpus_format *format;
    rp__columns columns;
    rp__charset charset;
    rp__buf raw; /* bytes that must be converted */
    rp__buf ahead;
    uint64_t records; /* of it, in batches so far */
    rp__split split;
    uint64_t line, column; /* of the first unread byte, see rp__record */
    size_t used;           /* bytes of the batch that hold finished records */
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

/* ---- Opening and closing -------------------------------------------------------------------- */

rp_status rp__corpus_find_ids(const char *name, rp__ids *out, rp_error *err)
{
    static const char *const names[] = {[RP_IDS_FIELD] = "field",
                                        [RP_IDS_RELATIVE] = "relative",
                                        [RP_IDS_PATH] = "path",
                                        [RP_IDS_NUMBER] = "number"};
    *out = RP_IDS_AUTO;
    for (size_t i = RP_IDS_FIELD; name && i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            *out = (rp__ids)i;
    if (!name || *out != RP_IDS_AUTO)
        return RP_OK;
    return rp__error_set(err, RP_USAGE,
                         "ids cannot be \"%.40s\"; there are field, relative, path, number", name);
}

rp_status rp__corpus_open(const char *const *paths, size_t n, const rp_build_options *options,
                          rp__skip_list *skips, rp__corpus **out, rp_error *err)
{
    rp__corpus *c = rp__alloc_zero(1, sizeof *c);
    if (!c)
        return rp__error_no_memory(err);
    if (options)
        c->options = *options;
    if (c->options.max_line == 0)
        c->options.max_line = default_max_line;
    c->skips = skips;
    rp__field_names_init(&c->fields, options);
    rp_status status = rp__corpus_find_ids(c->options.ids, &c->ids, err);
    if (status == RP_OK && c->options.format)
        status = rp__corpus_format_find(c->options.format, &c->forced, err);
    if (status == RP_OK)
        status = rp__sources_find(paths, n, c->ids, skips, &c->sources, err);
    if (status != RP_OK) {
        rp__corpus_close(c);
        return status;
    }
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
    rp__buf_free(&c->raw);
    rp__sources_free(&c->sources);
    rp__free(c);
}

void rp__corpus_get_progress(const rp__corpus *c, uint64_t *bytes, uint64_t *bytes_total,
                             uint64_t *skipped)
{
    *bytes = c->bytes_done + (c->input ? rp__input_consumed(c->input) : 0);
    *bytes_total = c->sources.bytes;
    *skipped = c->skipped;
}

uint64_t rp__corpus_files(const rp__corpus *c)
{
    return c->files;
}

const char *rp__corpus_refused(const rp__corpus *c)
{
    return c->refused[0] ? c->refused : NULL;
}

void rp__corpus_merge_dropped(const rp__corpus *c, rp__dropped *to)
{
    rp__dropped_merge(to, &c->dropped);
}

/* ---- Reading a file -------------------------------------------------------------------------- */

static const rp__source *current(const rp__corpus *c)
{
    return &c->sources.at[c->next - 1];
}

static const char *current_path(const rp__corpus *c)
{
    const char *path = rp__sources_path(&c->sources, c->next - 1);
    return strcmp(path, "-") == 0 ? "stdin" : path;
}

/* Bytes that are read and not UTF-8, or not known to be: from `raw` to the end of `to`. */
static rp_status convert(rp__corpus *c, rp__buf *to, rp_error *err)
{
    if (!c->raw.failed)
        rp__charset_put(&c->charset, c->raw.at, c->raw.n, c->split.is_end, to);
    bool is_good = !c->raw.failed && !to->failed;
    c->raw.n = 0;
    c->raw.failed = to->failed = false;
    return is_good ? RP_OK : rp__error_no_memory(err);
}

/* The next CHUNK of the file to the end of `raw`. */
static rp_status read_raw(rp__corpus *c, rp_error *err)
{
    size_t got;
    uint8_t *room = rp__buf_room(&c->raw, CHUNK);
    if (!room) {
        c->raw.failed = false;
        return rp__error_no_memory(err);
    }
    rp_status status = rp__input_read(c->input, room, CHUNK, &got, err);
    if (status != RP_OK)
        return status;
    c->raw.n += got;
    c->split.is_end = got < CHUNK;
    return RP_OK;
}

/* Reads straight to the end of `to`, where text that is UTF-8 stays. The front of a character that the
 * read cuts is held until the next one. */
static rp_status read_bytes(rp__corpus *c, rp__buf *to, rp_error *err)
{
    rp__charset *set = &c->charset;
    size_t held = set->n_held, got;
    uint8_t *room = rp__buf_room(to, CHUNK + sizeof set->held);
    if (!room) {
        to->failed = false;
        return rp__error_no_memory(err);
    }
    memcpy(room, set->held, held);
    rp_status status = rp__input_read(c->input, room + held, CHUNK, &got, err);
    if (status != RP_OK)
        return status;
    c->split.is_end = got < CHUNK;
    size_t n = held + got, open = c->split.is_end ? 0 : rp__charset_open_tail(room, n);
    size_t good = rp__utf8_check((const char *)room, n - open);
    to->n += good;
    set->n_held = 0;
    if (good == n - open) {
        memcpy(set->held, room + good, open);
        set->n_held = open;
        return RP_OK;
    }
    rp__buf_put(&c->raw, room + good, n - good);
    return convert(c, to, err);
}

static rp_status read_chunk(rp__corpus *c, rp__buf *to, rp_error *err)
{
    if (c->charset.kind == RP_CHARSET_BYTES)
        return read_bytes(c, to, err);
    rp_status status = read_raw(c, err);
    return status == RP_OK ? convert(c, to, err) : status;
}

static void close_file(rp__corpus *c)
{
    if (c->charset.kind != RP_CHARSET_BYTES)
        rp__skip_list_remark(c->skips, current_path(c), "read as UTF-16");
    else if (c->charset.foreign > 0)
        rp__skip_list_remark(c->skips, current_path(c), "not UTF-8, read as Windows-1252");
    c->bytes_done += rp__input_consumed(c->input);
    c->files++;
    rp__input_close(c->input);
    c->input = NULL;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static uint64_t count_lines(const char *p, size_t n)
{
    uint64_t lines = 0;
    for (const char *end = p + n; (p = memchr(p, '\n', (size_t)(end - p))); p++)
        lines++;
    return lines;
}

/* Bytes of the last line of [p, p + n), of which `before` came earlier. */
static uint64_t last_column(const char *p, size_t n, uint64_t before)
{
    const char *newline = n > 0 ? memrchr(p, '\n', n) : NULL;
    return newline ? (uint64_t)(p + n - 1 - newline) : before + n;
}

/* The first n unread bytes are done with. */
static void pass_bytes(rp__corpus *c, const char *at, size_t n)
{
    c->line += count_lines(at, n);
    c->column = last_column(at, n, c->column);
}

/* ---- Opening a file -------------------------------------------------------------------------- */

/* The file is not read, or not any further. */
static void skip_file(rp__corpus *c, const char *reason)
{
    rp__skip_list_add(c->skips, current_path(c), reason);
    c->bytes_done += current(c)->bytes;
    rp__input_close(c->input);
    c->input = NULL;
}

/* A record that cannot be read ends the build: always, never, or in files that the user named. */
static bool stops(const rp__corpus *c)
{
    rp_on_error on_error = c->options.on_error;
    return on_error == RP_ON_ERROR_STOP || (on_error == RP_ON_ERROR_AUTO && !current(c)->in_folder);
}

/* Something is wrong with the file from this line on: an error, or a document that is left out. */
static rp_status fault(rp__corpus *c, uint64_t line, rp_status status, const char *what,
                       rp_error *err)
{
    const char *path = current_path(c);
    size_t n = strlen(path), from = n > 100 ? n - 100 : 0;
    bool is_reported = c->options.on_error == RP_ON_ERROR_SKIP;
    char where[160], place[sizeof((rp__batch *)0)->path + 24];
    snprintf(where, sizeof where, "%s%s:%llu", from ? "..." : "", path + from,
             (unsigned long long)line);
    if (stops(c))
        return rp__error_set(err, status, "%s: %s", where, what);
    c->skipped++;
    snprintf(place, sizeof place, "%s:%llu", path, (unsigned long long)line);
    rp__skip_list_leave_out(c->skips, place, what, is_reported);
    if (is_reported && c->options.on_skip)
        c->options.on_skip(c->options.skip_arg, where, what);
    return RP_OK;
}

/* What a fault of the file means for a build: a file that the user did not name is skipped, or left where
 * it is if documents of it are in already. */
static rp_status skip_or_fail(rp__corpus *c, rp_status status, const rp_error *why, rp_error *err)
{
    const char *path = current_path(c), *reason = why->text;
    char rest[160];
    size_t n = strlen(path);
    bool is_fault = status == RP_IO || status == RP_INPUT || status == RP_LIMIT;
    if (!is_fault || !current(c)->in_folder || (c->records > 0 && stops(c))) {
        if (err)
            *err = *why;
        return status;
    }
    if (strncmp(reason, path, n) == 0 && strncmp(reason + n, ": ", 2) == 0)
        reason += n + 2;
    reason = status == RP_INPUT ? "compressed data that is damaged" : reason;
    if (c->records == 0) {
        skip_file(c, reason);
        return RP_OK;
    }
    snprintf(rest, sizeof rest, "%.100s; the rest of the file is left out", reason);
    status = fault(c, c->line, status, rest, err);
    close_file(c);
    return status;
}

static bool goes_on(void *corpus)
{
    const rp__corpus *c = corpus;
    return !c->goes_on || c->goes_on(c->goes_on_arg);
}

/* Why the file whose front is in `raw` is not read; NULL: it is. Where the user or the suffix says that
 * it holds records, NULs and controls are damage, which the records' parser names. */
static const char *refuse_file(rp__corpus *c)
{
    const char *path = current_path(c);
    const rp__corpus_format *named = c->forced ? c->forced : rp__corpus_format_by_suffix(path);
    size_t mark;
    c->charset = (rp__charset){.kind = rp__charset_mark(c->raw.at, c->raw.n, &mark)};
    if (c->charset.kind == RP_CHARSET_UTF32)
        return "UTF-32, which is not read; convert it to UTF-8";
    c->raw.n -= mark;
    memmove(c->raw.at, c->raw.at + mark, c->raw.n);
    if (c->charset.kind != RP_CHARSET_BYTES)
        return NULL;
    return named && !named->is_file ? rp__filetype_refuse_magic(c->raw.at, c->raw.n)
                                    : rp__filetype_refuse(c->raw.at, c->raw.n);
}

/* The file is not read because of what it is. */
static void refuse_whole(rp__corpus *c, const char *reason)
{
    if (!current(c)->in_folder && !c->refused[0])
        snprintf(c->refused, sizeof c->refused, "%.150s: %s", current_path(c), reason);
    skip_file(c, reason);
}

/* The user named a column that the table does not have. */
static rp_status refuse_table(rp__corpus *c, rp_error *err)
{
    static const char *const options[] = {"--id-field", "--title-field", "--text-field"};
    char what[160];
    size_t f = c->columns.missing - 1U;
    snprintf(what, sizeof what, "no column is named \"%.60s\"; %s takes a name of the first row",
             c->fields.at[f][0], options[f]);
    if (stops(c))
        return fault(c, 1, RP_INPUT, what, err);
    refuse_whole(c, what);
    return RP_OK;
}

/* Takes the header of a table off. */
static rp_status begin_table(rp__corpus *c, rp__sniff *sniff, rp_error *err)
{
    sniff->has_suffix = true;
    size_t header = c->format->begin(sniff, &c->columns, &c->dropped);
    if (c->columns.missing)
        return refuse_table(c, err);
    if (c->columns.may_name)
        rp__skip_list_remark(
            c->skips, current_path(c),
            "no name of its first row is known, so that row is read as a document; "
            "--text-field names a column");
    pass_bytes(c, (const char *)c->ahead.at, header);
    c->ahead.n -= header;
    memmove(c->ahead.at, c->ahead.at + header, c->ahead.n);
    return RP_OK;
}

/* By its front, which lies in `ahead`. */
static rp_status choose_format(rp__corpus *c, rp_error *err)
{
    const char *path = current_path(c);
    rp__sniff sniff = {.names = &c->fields,
                       .head = (const char *)c->ahead.at,
                       .n = c->ahead.n,
                       .is_whole = c->split.is_end,
                       .in_folder = current(c)->in_folder};
    c->format = c->forced ? c->forced : rp__corpus_format_guess(path, &sniff);
    const rp__corpus_format *named = rp__corpus_format_by_suffix(path);
    char how[80];
    snprintf(how, sizeof how, "named like %s, but read as plain text", named ? named->name : "");
    if (!c->forced && named && c->format == &rp__corpus_text)
        rp__skip_list_remark(c->skips, path, how);
    c->columns = (rp__columns){0};
    return c->format->begin ? begin_table(c, &sniff, err) : RP_OK;
}

static rp_status read_front(rp__corpus *c, rp_error *err)
{
    rp_status status = read_raw(c, err);
    if (status != RP_OK)
        return status;
    const char *reason = refuse_file(c);
    if (reason) {
        refuse_whole(c, reason);
        return RP_OK;
    }
    status = convert(c, &c->ahead, err);
    if (status == RP_OK && c->ahead.n > 0)
        return choose_format(c, err);
    if (status == RP_OK)
        skip_file(c, "an empty file");
    return status;
}

static rp_status open_next_file(rp__corpus *c, rp_error *err)
{
    c->next++;
    rp__input_options options = {.max_expand = c->options.max_expand,
                                 .waits_for_writer = true,
                                 .goes_on = goes_on,
                                 .goes_on_arg = c};
    rp_error why = {0};
    c->split = (rp__split){0};
    c->charset = (rp__charset){0};
    c->line = 1;
    c->column = 0;
    c->records = 0;
    c->ahead.n = c->raw.n = 0;
    rp_status status =
        rp__input_open(rp__sources_path(&c->sources, c->next - 1), &options, &c->input, &why);
    if (status == RP_OK)
        status = read_front(c, &why);
    return status == RP_OK ? RP_OK : skip_or_fail(c, status, &why, err);
}

/* ---- Cutting records ------------------------------------------------------------------------- */

/* Takes the next n bytes out of the batch: no record of it needs them. */
static void drop(rp__corpus *c, rp__batch *batch, size_t n)
{
    uint8_t *at = batch->bytes.at + c->used;
    if (n == 0)
        return;
    pass_bytes(c, (const char *)at, n);
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
    record->column = last_column(s->at, s->begin, c->column);
    pass_bytes(c, s->at, s->used);
    c->used += s->used;
    c->records++;
}

/* The record that begins `begin` bytes ahead has more than `most`. A summary has one line for all those
 * that are too large for the memory, of which there is now more and now less. */
static rp_status refuse(rp__corpus *c, size_t begin, uint64_t most, rp_error *err)
{
    char what[80], number[RP_COUNT_TEXT_BYTES];
    bool is_memory = most < c->options.max_line;
    if (is_memory && c->options.on_error == RP_ON_ERROR_AUTO && !stops(c))
        snprintf(what, sizeof what, "a document too large for the memory; raise --memory");
    else
        snprintf(what, sizeof what, "a document of over %s bytes; raise %s",
                 rp__count_text(number, most), is_memory ? "--memory" : "--max-line");
    return fault(c, c->line + count_lines(c->split.at, begin), is_memory ? RP_NO_MEMORY : RP_LIMIT,
                 what, err);
}

/* A file of a folder that is one document, and too large. */
static bool skip_large(rp__corpus *c, rp__batch *batch, uint64_t most)
{
    if (!c->format->is_file || !current(c)->in_folder)
        return false;
    skip_file(c, most < c->options.max_line ? "too large; raise --memory"
                                            : "too large; raise --max-line");
    batch->bytes.n = c->used;
    return true;
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
    if (!s->is_passing && skip_large(c, batch, c->options.max_line))
        return RP_OK;
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
    uint64_t most = n < c->options.max_line ? n : c->options.max_line;
    uint64_t needed = (uint64_t)(n + CHUNK) << c->format->has_spare;
    bool fits = !c->has_room || c->has_room(c->room_arg, needed);
    if (!s->is_passing && (n > c->options.max_line || !fits)) {
        if (skip_large(c, batch, most))
            return RP_OK;
        s->at = (const char *)batch->bytes.at + c->used;
        s->is_passing = true;
        s->scanned = 0;
        return refuse(c, 0, most, err);
    }
    rp_error why = {0};
    rp_status status = read_chunk(c, &batch->bytes, &why);
    if (status != RP_OK)
        status = skip_or_fail(c, status, &why, err);
    if (!c->input)
        batch->bytes.n = c->used;
    return status;
}

static bool is_full(const rp__corpus *c, const rp__batch *batch)
{
    return batch->n == RP_BATCH_RECORDS || c->used >= RP_BATCH_BYTES;
}

static rp_status end_file(rp__corpus *c, rp_error *err)
{
    const char *what = c->format->end ? c->format->end(&c->split) : NULL;
    rp_status status = what ? fault(c, c->line, RP_INPUT, what, err) : RP_OK;
    close_file(c);
    return status;
}

/* Records of the open file, until the batch is full or the file ends. */
static rp_status cut_records(rp__corpus *c, rp__batch *batch, rp_error *err)
{
    rp__split *s = &c->split;
    rp_status status = RP_OK;
    while (status == RP_OK && c->input && !is_full(c, batch)) {
        s->at = (const char *)batch->bytes.at + c->used;
        s->n = batch->bytes.n - c->used;
        if (s->n == 0 && s->is_end)
            return end_file(c, err);
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
    batch->first = c->records;
    batch->columns = c->columns;
    batch->stops = stops(c);
    batch->may_rename =
        c->ids == RP_IDS_AUTO &&
        (current(c)->in_folder || c->sources.has_many_paths || c->format->repeats_ids);
    batch->bytes.n = 0;
    c->used = 0;
    if (!rp__buf_room(&batch->bytes, c->ahead.n > CHUNK ? c->ahead.n : CHUNK)) {
        batch->bytes.failed = false;
        return rp__error_no_memory(err);
    }
    rp__buf_put(&batch->bytes, c->ahead.at, c->ahead.n);
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
    while (status == RP_OK && batch->n == 0 && (c->input || c->next < c->sources.n))
        status = c->input ? fill_batch(c, batch, err) : open_next_file(c, err);
    return status;
}
