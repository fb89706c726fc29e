/* list_spool.c: lists to runs through one block of memory.
 *
 * Terms and their streams grow from the front of the block, entries that name them from its back; where
 * the two meet, the block is full. Lists that come in the order of terms are not sorted. */
#include "index/list_spool.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/error.h"
#include "index/term_sort.h"

enum { POSTING_MOST = 10, TERM_MOST = 255, OUT_BYTES = 256 * 1024 };

#define FILE_NAME "run.0.tmp"

struct rp__list_spool {
    const rp__folder *folder;
    rp__out *out; /* NULL: nothing is written yet, or all is */
    rp__run *runs;
    size_t n_runs, cap_runs;
    uint8_t *block, *w; /* w: where the next byte goes */
    rp__sort_term *top,
        *end; /* entries from the newest on, to behind the oldest; a tag is the bytes of a stream */
    uint8_t *stream; /* of the open list; NULL: none is open */
    uint32_t before; /* docid of its last posting in the block */
    uint64_t length; /* its postings */
    bool is_rising;  /* the entries came in the order of terms, none twice */
    rp__list_spool_info info;
};

rp_status rp__list_spool_new(const rp__folder *folder, size_t bytes, rp__list_spool **out,
                             rp_error *err)
{
    rp__list_spool *s = rp__alloc_zero(1, sizeof *s);
    bytes = bytes / sizeof(rp__sort_term) * sizeof(rp__sort_term);
    if (s)
        s->block = rp__alloc(bytes);
    if (!s || !s->block) {
        rp__free(s);
        return rp__error_no_memory(err);
    }
    s->folder = folder;
    s->w = s->block;
    s->top = s->end = (rp__sort_term *)(void *)(s->block + bytes);
    s->is_rising = true;
    *out = s;
    return RP_OK;
}

static size_t room(const rp__list_spool *s)
{
    return (size_t)((const uint8_t *)s->top - s->w);
}

/* ---- Writing a run ------------------------------------------------------------------------------- */

static bool is_same(const rp__sort_term *a, const rp__sort_term *b)
{
    return a->prefix == b->prefix && a->bytes == b->bytes &&
           memcmp(a->term, b->term, a->bytes) == 0;
}

/* The entries by rising term from `top` on. */
static rp_status sort(rp__list_spool *s, rp_error *err)
{
    size_t n = (size_t)(s->end - s->top);
    if (!s->is_rising)
        rp__term_sort(s->top, n);
    for (size_t i = 0; s->is_rising && i < n / 2; i++) {
        rp__sort_term t = s->top[i];
        s->top[i] = s->top[n - 1 - i];
        s->top[n - 1 - i] = t;
    }
    for (size_t i = 1; !s->is_rising && i < n; i++)
        if (is_same(&s->top[i - 1], &s->top[i]))
            return rp__error_set(err, RP_INPUT, "term \"%.*s\" has two lists", (int)s->top[i].bytes,
                                 s->top[i].term);
    return RP_OK;
}

static rp_status write_run(rp__list_spool *s, const char *open, rp_error *err)
{
    rp__run_writer w;
    if (!s->out) {
        rp_status status = rp__out_create(s->folder, FILE_NAME, OUT_BYTES, &s->out, err);
        if (status != RP_OK)
            return status;
    }
    if (!rp__alloc_grow(&s->runs, &s->cap_runs, s->n_runs + 1, sizeof *s->runs) ||
        rp__run_writer_begin(&w, s->out, FILE_NAME) != RP_OK)
        return rp__error_no_memory(err);
    for (const rp__sort_term *t = s->top; t < s->end; t++) {
        rp__run_writer_term(&w, t->term, t->bytes, t->tag);
        rp__run_writer_bytes(&w, (const uint8_t *)t->term + t->bytes, t->tag);
        if (t->term == open)
            w.run.open = w.run.terms;
    }
    rp__run_writer_end(&w, &s->runs[s->n_runs++]);
    return RP_OK;
}

/* An open list with postings goes on in the next run, from which the merge takes it up. */
static rp_status spill(rp__list_spool *s, rp_error *err)
{
    char term[TERM_MOST];
    uint32_t bytes = 0;
    const char *open = NULL;
    if (s->stream) {
        bytes = s->top->bytes;
        memcpy(term, s->top->term, bytes);
        s->top->tag = (uint32_t)(s->w - s->stream);
        open = s->top->term;
        if (s->top->tag == 0) {
            s->top++;
            open = NULL;
        }
    }
    rp_status status = sort(s, err);
    if (status == RP_OK && s->top < s->end)
        status = write_run(s, open, err);
    s->w = s->block;
    s->top = s->end;
    s->is_rising = true;
    if (bytes == 0)
        return status;
    memcpy(s->w, term, bytes);
    *--s->top = (rp__sort_term){rp__term_sort_prefix(term, bytes), (const char *)s->w, bytes, 0};
    s->w += bytes;
    s->stream = s->w;
    s->before = 0;
    return status;
}

/* ---- Lists --------------------------------------------------------------------------------------- */

static void end_list(rp__list_spool *s)
{
    if (!s->stream)
        return;
    s->top->tag = (uint32_t)(s->w - s->stream);
    if (s->length > s->info.longest)
        s->info.longest = s->length;
    if (s->length == 0) {
        s->w -= s->top->bytes;
        s->top++;
    }
    s->stream = NULL;
}

static bool is_before(const rp__sort_term *a, const rp__sort_term *b)
{
    if (a->prefix != b->prefix)
        return a->prefix < b->prefix;
    int order = memcmp(a->term, b->term, a->bytes < b->bytes ? a->bytes : b->bytes);
    return order != 0 ? order < 0 : a->bytes < b->bytes;
}

rp_status rp__list_spool_term(rp__list_spool *s, const char *term, uint32_t bytes, rp_error *err)
{
    end_list(s);
    if (room(s) < sizeof *s->top + TERM_MOST) {
        rp_status status = spill(s, err);
        if (status != RP_OK)
            return status;
    }
    memcpy(s->w, term, bytes);
    rp__sort_term t = {rp__term_sort_prefix(term, bytes), (const char *)s->w, bytes, 0};
    s->is_rising = s->is_rising && (s->top == s->end || is_before(s->top, &t));
    *--s->top = t;
    s->w += bytes;
    s->stream = s->w;
    s->before = 0;
    s->length = 0;
    return RP_OK;
}

static inline uint8_t *put_number(uint8_t *p, uint32_t v)
{
    for (; v >= 0x80; v >>= 7)
        *p++ = (uint8_t)(v | 0x80);
    *p = (uint8_t)v;
    return p + 1;
}

rp_status rp__list_spool_postings(rp__list_spool *s, const uint32_t *docids, const uint32_t *tfs,
                                  size_t n, rp_error *err)
{
    uint32_t most_tf = s->info.most_tf;
    for (size_t i = 0; i < n;) {
        size_t here = room(s) / POSTING_MOST, end = n - i < here ? n : i + here;
        if (here == 0) {
            rp_status status = spill(s, err);
            if (status != RP_OK)
                return status;
            continue;
        }
        uint8_t *w = s->w;
        uint32_t before = s->before;
        for (; i < end; i++) {
            w = put_number(w, docids[i] - before);
            w = put_number(w, tfs[i]);
            before = docids[i];
            most_tf = tfs[i] > most_tf ? tfs[i] : most_tf;
        }
        s->w = w;
        s->before = before;
    }
    s->info.most_tf = most_tf;
    s->length += n;
    if (n > 0 && docids[n - 1] >= s->info.docs)
        s->info.docs = docids[n - 1] + 1;
    return RP_OK;
}

rp_status rp__list_spool_end(rp__list_spool *s, rp_error *err)
{
    end_list(s);
    rp_status status = spill(s, err);
    rp__free(s->block);
    s->block = NULL;
    if (status == RP_OK && s->out) {
        status = rp__out_finish(s->out, false, err);
        s->out = NULL;
    }
    s->info.runs = s->runs;
    s->info.n_runs = s->n_runs;
    return status;
}

void rp__list_spool_get(const rp__list_spool *s, rp__list_spool_info *out)
{
    *out = s->info;
}

void rp__list_spool_free(rp__list_spool *s)
{
    if (!s)
        return;
    rp__out_abandon(s->out);
    if (s->n_runs > 0)
        rp__folder_remove(s->folder, FILE_NAME);
    rp__free(s->runs);
    rp__free(s->block);
    rp__free(s);
}
