/* order_file.c: orders that a file tells: ids in their new order, or a score for each document.
 *
 * Files are read line by line, plain or compressed; a line that is wrong is named. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "engine/order.h"

enum { CHUNK = 1 << 16, LINE_MOST = 2 << 20 };

/* ---- Lines ------------------------------------------------------------------------------------- */

typedef struct lines {
    const char *path;
    rp__input *input;
    rp__buf window;
    size_t at;       /* of the next line in it */
    uint64_t number; /* of the line that was given last */
    bool is_at_end;  /* of the file: the window has the rest */
} lines;

static rp_status fault(const lines *l, const char *what, rp_error *err)
{
    return rp__error_set(err, RP_INPUT, "%s:%" PRIu64 ": %s", l->path, l->number, what);
}

/* More of the file behind what is left of the window. */
static rp_status read_more(lines *l, rp_error *err)
{
    size_t got;
    memmove(l->window.at, l->window.at + l->at, l->window.n - l->at);
    l->window.n -= l->at;
    l->at = 0;
    if (l->window.n > LINE_MOST)
        return fault(l, "the line after it is longer than 2 MiB", err);
    uint8_t *room = rp__buf_room(&l->window, CHUNK + 1);
    if (!room)
        return rp__error_no_memory(err);
    rp_status status = rp__input_read(l->input, room, CHUNK, &got, err);
    if (status == RP_OK)
        l->window.n += got;
    l->is_at_end = got < CHUNK;
    return status;
}

/* The next line, ended by a NUL in place of its newline; NULL: there is none. */
static rp_status next_line(lines *l, char **line, size_t *bytes, rp_error *err)
{
    uint8_t *end;
    for (;;) {
        size_t left = l->window.n - l->at;
        end = left ? memchr(l->window.at + l->at, '\n', left) : NULL;
        if (end || l->is_at_end)
            break;
        rp_status status = read_more(l, err);
        if (status != RP_OK)
            return status;
    }
    *line = NULL;
    if (!end && l->at == l->window.n)
        return RP_OK;
    end = end ? end : l->window.at + l->window.n;
    *line = (char *)l->window.at + l->at;
    *bytes = (size_t)(end - l->window.at) - l->at;
    l->at += *bytes + (end < l->window.at + l->window.n);
    if (*bytes > 0 && end[-1] == '\r')
        --*bytes;
    (*line)[*bytes] = 0;
    l->number++;
    return RP_OK;
}

static bool goes_on(void *watch)
{
    return rp__recode_report(watch, 0, 0);
}

static rp_status open_lines(lines *l, const rp__order_job *job, const char *path, rp_error *err)
{
    rp__input_options options = {.goes_on = goes_on, .goes_on_arg = job->watch};
    *l = (lines){.path = path};
    if (!rp__buf_room(&l->window, CHUNK + 1))
        return rp__error_no_memory(err);
    return rp__input_open_text(path, &options, &l->input, err);
}

static void close_lines(lines *l)
{
    if (l->input)
        rp__input_close(l->input);
    rp__buf_free(&l->window);
}

/* ---- Documents by their ids -------------------------------------------------------------------- */

/* Open addressing: docid + 1, 0 is free; at most half full. */
typedef struct ids {
    const rp__order_job *job;
    uint32_t *slots;
    size_t n_slots; /* a power of two */
    const char *id; /* that is looked for */
    size_t bytes;
    uint32_t docid; /* that was found; RP_NO_DOC: none */
} ids;

static rp_status run_add_all(void *arg)
{
    ids *t = arg;
    for (uint32_t d = 0; d < t->job->n; d++) {
        const char *id;
        size_t bytes;
        if (rp__segment_doc_id(t->job->from, d, &id, &bytes) != RP_OK)
            return RP_DAMAGED;
        size_t at = rp__checksum(id, bytes) & (t->n_slots - 1);
        while (t->slots[at] != 0)
            at = (at + 1) & (t->n_slots - 1);
        t->slots[at] = d + 1;
    }
    return RP_OK;
}

static rp_status run_find(void *arg)
{
    ids *t = arg;
    size_t at = rp__checksum(t->id, t->bytes) & (t->n_slots - 1);
    for (; t->slots[at] != 0; at = (at + 1) & (t->n_slots - 1)) {
        const char *id;
        size_t bytes;
        if (rp__segment_doc_id(t->job->from, t->slots[at] - 1, &id, &bytes) != RP_OK)
            return RP_DAMAGED;
        if (bytes == t->bytes && memcmp(id, t->id, bytes) == 0)
            break;
    }
    t->docid = t->slots[at] ? t->slots[at] - 1 : RP_NO_DOC;
    return RP_OK;
}

static rp_status damaged(rp_error *err)
{
    return rp__error_set(err, RP_DAMAGED, "the index is damaged; run 'riposte check' on it");
}

static size_t slots_for(uint32_t n)
{
    size_t slots = 16;
    while (slots < 2 * (size_t)n)
        slots *= 2;
    return slots;
}

static rp_status table_ids(ids *t, const rp__order_job *job, rp_error *err)
{
    *t = (ids){.job = job, .n_slots = slots_for(job->n)};
    t->slots = rp__alloc_zero(t->n_slots, sizeof *t->slots);
    if (!t->slots)
        return rp__error_no_memory(err);
    return rp__mapping_guard(run_add_all, t) == RP_OK ? RP_OK : damaged(err);
}

/* RP_INPUT where there is no such document. */
static rp_status find_document(ids *t, const lines *l, const char *id, size_t bytes, rp_error *err)
{
    t->id = id;
    t->bytes = bytes;
    if (rp__mapping_guard(run_find, t) != RP_OK)
        return damaged(err);
    if (t->docid != RP_NO_DOC)
        return RP_OK;
    return rp__error_set(err, RP_INPUT, "%s:%" PRIu64 ": no document has the id \"%.*s\"", l->path,
                         l->number, (int)(bytes < 100 ? bytes : 100), id);
}

/* ---- Seen documents ---------------------------------------------------------------------------- */

/* False: it was marked before. */
static bool mark(uint64_t *seen, uint32_t docid)
{
    uint64_t bit = 1ULL << docid % 64;
    bool is_new = !(seen[docid / 64] & bit);
    seen[docid / 64] |= bit;
    return is_new;
}

static uint32_t first_unseen(const uint64_t *seen, uint32_t n)
{
    uint32_t d = 0;
    while (d < n && seen[d / 64] >> d % 64 & 1)
        d++;
    return d;
}

typedef struct name_job {
    const rp__order_job *job;
    uint32_t docid;
    char text[100];
} name_job;

static rp_status run_name(void *arg)
{
    name_job *j = arg;
    const char *id;
    size_t bytes;
    rp_status status = rp__segment_doc_id(j->job->from, j->docid, &id, &bytes);
    if (status == RP_OK)
        memcpy(j->text, id, bytes < sizeof j->text - 1 ? bytes : sizeof j->text - 1);
    return status;
}

static rp_status missing(const rp__order_job *job, const char *path, const uint64_t *seen,
                         uint64_t n, rp_error *err)
{
    name_job j = {.job = job, .docid = first_unseen(seen, job->n)};
    if (rp__mapping_guard(run_name, &j) != RP_OK)
        return damaged(err);
    return rp__error_set(err, RP_INPUT,
                         "%s: %" PRIu64 " of %u documents are missing, the first is \"%s\"", path,
                         job->n - n, job->n, j.text);
}

/* ---- Orders ------------------------------------------------------------------------------------ */

static rp_status read_map(const rp__order_job *job, lines *l, ids *t, uint64_t *seen, rp_error *err)
{
    uint32_t n = 0;
    for (;;) {
        char *line;
        size_t bytes;
        rp_status status = next_line(l, &line, &bytes, err);
        if (status != RP_OK)
            return status;
        if (!line)
            break;
        status = find_document(t, l, line, bytes, err);
        if (status != RP_OK)
            return status;
        if (!mark(seen, t->docid))
            return rp__error_set(err, RP_INPUT, "%s:%" PRIu64 ": id \"%.100s\" comes twice",
                                 l->path, l->number, line);
        job->order[n++] = t->docid;
    }
    return n == job->n ? RP_OK : missing(job, l->path, seen, n, err);
}

rp_status rp__order_file_map(const rp__order_job *job, rp_error *err)
{
    lines l = {0};
    ids t = {0};
    if (!job->o.map)
        return rp__error_set(err, RP_USAGE, "order \"map\" needs a file; give --map FILE");
    uint64_t bytes = slots_for(job->n) * sizeof(uint32_t) + job->n / 8 + 2 * LINE_MOST;
    rp_status status = rp__order_need(job, bytes, err);
    if (status != RP_OK)
        return status;
    uint64_t *seen = rp__alloc_zero(job->n / 64 + 1, sizeof *seen);
    status = seen ? open_lines(&l, job, job->o.map, err) : rp__error_no_memory(err);
    if (status == RP_OK)
        status = table_ids(&t, job, err);
    if (status == RP_OK)
        status = read_map(job, &l, &t, seen, err);
    close_lines(&l);
    rp__free(t.slots);
    rp__free(seen);
    return status;
}

/* A key that falls as the score rises. */
static rp_status read_score(const lines *l, const char *text, uint64_t *key, rp_error *err)
{
    char *end;
    double score = strtod(text, &end);
    if (end == text || *end || !isfinite(score))
        return fault(l, "the score is not a number", err);
    uint64_t bits;
    score += 0.0; /* -0 and 0 are the same */
    memcpy(&bits, &score, sizeof bits);
    bits = bits >> 63 ? ~bits : bits | 1ULL << 63;
    *key = ~bits;
    return RP_OK;
}

/* Which document the line is of, and its score's text. */
static rp_status split_line(const rp__order_job *job, const lines *l, ids *t, char *line,
                            const char **score, rp_error *err)
{
    char *tab = strrchr(line, '\t');
    *score = tab ? tab + 1 : line;
    if (tab)
        return find_document(t, l, line, (size_t)(tab - line), err);
    if (l->number > job->n)
        return fault(l, "there are more lines than documents", err);
    t->docid = (uint32_t)(l->number - 1);
    return RP_OK;
}

static rp_status read_scores(const rp__order_job *job, lines *l, ids *t, uint64_t *seen,
                             rp__order_item *items, rp_error *err)
{
    uint64_t n = 0;
    for (;; n++) {
        char *line;
        const char *score;
        size_t bytes;
        rp_status status = next_line(l, &line, &bytes, err);
        if (status != RP_OK)
            return status;
        if (!line)
            break;
        status = split_line(job, l, t, line, &score, err);
        if (status != RP_OK)
            return status;
        if (!mark(seen, t->docid))
            return fault(l, "the document has a score already", err);
        items[t->docid].docid = t->docid;
        status = read_score(l, score, &items[t->docid].key, err);
        if (status != RP_OK)
            return status;
    }
    return n == job->n ? RP_OK : missing(job, l->path, seen, n, err);
}

rp_status rp__order_file_rank(const rp__order_job *job, rp_error *err)
{
    lines l = {0};
    ids t = {0};
    if (!job->o.scores)
        return rp__error_set(err, RP_USAGE, "order \"rank\" needs a file; give --scores FILE");
    uint64_t bytes = slots_for(job->n) * sizeof(uint32_t) + job->n / 8 + 2 * LINE_MOST +
                     (uint64_t)job->n * RP_ORDER_SORT_BYTES;
    rp_status status = rp__order_need(job, bytes, err);
    if (status != RP_OK)
        return status;
    uint64_t *seen = rp__alloc_zero(job->n / 64 + 1, sizeof *seen);
    rp__order_item *items = rp__alloc_array(job->n, sizeof *items);
    status = seen && items ? open_lines(&l, job, job->o.scores, err) : rp__error_no_memory(err);
    if (status == RP_OK)
        status = table_ids(&t, job, err);
    if (status == RP_OK)
        status = read_scores(job, &l, &t, seen, items, err);
    close_lines(&l);
    rp__free(t.slots);
    rp__free(seen);
    if (status == RP_OK)
        status = rp__order_sort(job, items, false, err);
    rp__free(items);
    return status;
}
