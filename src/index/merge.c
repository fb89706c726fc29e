/* merge.c: merges sorted runs term by term, and postings of a term by docid.
 *
 * Runs of different workers interleave in docids, runs of one worker follow each other; either way
 * the run with the least next docid is read until another has a smaller one. A document that was spilled
 * before its end has a part of its posting in several runs of its worker, which are joined in their
 * order. The output depends on the union of the runs alone. */
#include "index/merge.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

typedef struct state {
    const rp__merge *merge;
    rp__segment_writer *w;
    rp__run_reader *readers; /* in the order of the runs */
    rp__run_reader **heap;   /* by term; n_heap runs are not at their end */
    size_t n_heap;
    rp__run_reader **group; /* those that stand on the term being written */
    uint64_t terms_done, terms;
} state;

static bool is_before(const rp__run_reader *a, const rp__run_reader *b)
{
    if (a->prefix != b->prefix)
        return a->prefix < b->prefix;
    uint32_t n = a->term_bytes < b->term_bytes ? a->term_bytes : b->term_bytes;
    int order = memcmp(a->term, b->term, n);
    return order != 0 ? order < 0 : a->term_bytes < b->term_bytes;
}

static bool is_same(const rp__run_reader *a, const rp__run_reader *b)
{
    return a->prefix == b->prefix && a->term_bytes == b->term_bytes &&
           memcmp(a->term, b->term, a->term_bytes) == 0;
}

static void sift_down(state *s, size_t i)
{
    rp__run_reader *r = s->heap[i];
    for (size_t child; (child = 2 * i + 1) < s->n_heap; i = child) {
        if (child + 1 < s->n_heap && is_before(s->heap[child + 1], s->heap[child]))
            child++;
        if (!is_before(s->heap[child], r))
            break;
        s->heap[i] = s->heap[child];
    }
    s->heap[i] = r;
}

static void sift_up(state *s, size_t i)
{
    rp__run_reader *r = s->heap[i];
    for (; i > 0 && is_before(r, s->heap[(i - 1) / 2]); i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = r;
}

static rp__run_reader *pop(state *s)
{
    rp__run_reader *r = s->heap[0];
    s->heap[0] = s->heap[--s->n_heap];
    if (s->n_heap > 0)
        sift_down(s, 0);
    return r;
}

static void push(state *s, rp__run_reader *r)
{
    s->heap[s->n_heap] = r;
    sift_up(s, s->n_heap++);
}

/* The docid of the posting that comes next in a stream, or RP_NO_DOC. */
static rp_status read_docid(rp__run_reader *r, rp_error *err)
{
    uint32_t gap;
    if (!rp__run_reader_has_more(r)) {
        r->docid = RP_NO_DOC;
        return RP_OK;
    }
    rp_status status = rp__run_reader_get(r, &gap, err);
    r->docid += gap;
    return status;
}

/* Positions up to the zero that ends them, a few at a time. */
static rp_status copy_positions(state *s, rp__run_reader *r, rp_error *err)
{
    uint32_t gaps[64], n = 0, v;
    rp_status status;
    while ((status = rp__run_reader_get(r, &v, err)) == RP_OK && v != 0) {
        gaps[n++] = v - 1;
        if (n == sizeof gaps / sizeof *gaps) {
            rp__segment_writer_positions(s->w, gaps, n);
            n = 0;
        }
    }
    rp__segment_writer_positions(s->w, gaps, n);
    return status;
}

static rp_status copy_posting(state *s, rp__run_reader *r, rp_error *err)
{
    uint32_t tf = 0;
    rp_status status = RP_OK;
    if (!s->merge->has_positions)
        status = rp__run_reader_get(r, &tf, err);
    if (status == RP_OK)
        status = rp__segment_writer_posting(s->w, r->docid, tf);
    if (status == RP_OK && s->merge->has_positions)
        status = copy_positions(s, r, err);
    return status == RP_OK ? read_docid(r, err) : status;
}

/* The run of the group, in the order of runs, whose next posting is of the document; NULL: none. */
static rp__run_reader *first_at(const state *s, size_t n, uint32_t docid)
{
    rp__run_reader *first = NULL;
    for (size_t i = 0; i < n; i++)
        if (s->group[i]->docid == docid && (!first || s->group[i] < first))
            first = s->group[i];
    return first;
}

/* Positions of a part of a posting. *end: past the last one of the parts before, then of this. */
static rp_status join_positions(state *s, rp__run_reader *r, uint32_t *end, rp_error *err)
{
    uint32_t at = 0, v;
    rp_status status;
    while ((status = rp__run_reader_get(r, &v, err)) == RP_OK && v != 0) {
        at += v; /* the first of a part counts from the front of the document */
        uint32_t gap = at - *end - 1;
        rp__segment_writer_positions(s->w, &gap, 1);
        *end = at;
    }
    return status;
}

/* One posting whose parts are in several runs of one worker. */
static rp_status join_posting(state *s, size_t n, uint32_t docid, rp_error *err)
{
    rp__run_reader *r = first_at(s, n, docid);
    uint32_t end = 0, tf = 0, worker = r->run->worker;
    rp_status status = rp__segment_writer_posting(s->w, docid, 0);
    for (; r && status == RP_OK; r = first_at(s, n, docid)) {
        if (r->run->worker != worker || s->merge->has_whole_lists)
            return rp__error_set(err, RP_IO, "spilled runs overlap; check the disk");
        if (s->merge->has_positions)
            status = join_positions(s, r, &end, err);
        else if ((status = rp__run_reader_get(r, &tf, err)) == RP_OK)
            rp__segment_writer_more(s->w, tf);
        if (status == RP_OK)
            status = read_docid(r, err);
    }
    return status;
}

/* Those that have no more postings leave the group; returns how many stay. */
static size_t drop_ended(state *s, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (s->group[i]->docid != RP_NO_DOC)
            s->group[kept++] = s->group[i];
    return kept;
}

/* All postings of the runs in the group, by rising docid. */
static rp_status copy_postings(state *s, size_t n, rp_error *err)
{
    rp_status status = RP_OK;
    for (size_t i = 0; i < n && status == RP_OK; i++) {
        s->group[i]->docid = 0;
        status = read_docid(s->group[i], err);
    }
    while (n > 0 && status == RP_OK) {
        size_t least = 0;
        uint32_t limit = RP_NO_DOC; /* smallest docid of the others */
        for (size_t i = 1; i < n; i++)
            if (s->group[i]->docid < s->group[least]->docid)
                least = i;
        for (size_t i = 0; i < n; i++)
            if (i != least && s->group[i]->docid < limit)
                limit = s->group[i]->docid;
        rp__run_reader *r = s->group[least];
        while (status == RP_OK && r->docid < limit)
            status = copy_posting(s, r, err);
        if (r->docid == RP_NO_DOC) {
            s->group[least] = s->group[--n];
        } else if (status == RP_OK) { /* the limit: another run has a part of the same posting */
            status = join_posting(s, n, limit, err);
            n = drop_ended(s, n);
        }
    }
    return status;
}

/* Of whole lists, all but the last piece of one go on in the run after their own. */
static bool is_one_list(const state *s, size_t n)
{
    size_t ends = 0;
    for (size_t i = 0; i < n; i++)
        ends += s->group[i]->run->open != s->group[i]->next;
    return ends == 1;
}

static rp_status merge_term(state *s, rp_error *err)
{
    size_t n = 0;
    s->group[n++] = pop(s);
    while (s->n_heap > 0 && is_same(s->heap[0], s->group[0]))
        s->group[n++] = pop(s);
    if (s->merge->has_whole_lists && n > 1 && !is_one_list(s, n))
        return rp__error_set(err, RP_INPUT, "term \"%.*s\" has two lists",
                             (int)s->group[0]->term_bytes, s->group[0]->term);
    rp__segment_writer_term(s->w, s->group[0]->term, s->group[0]->term_bytes);
    rp__run_reader **kept = s->group + s->merge->n_runs; /* copy_postings shuffles the group */
    memcpy(kept, s->group, n * sizeof *kept);
    rp_status status = copy_postings(s, n, err);
    if (status == RP_OK)
        status = rp__segment_writer_end_term(s->w, err);
    for (size_t i = 0; i < n && status == RP_OK; i++) {
        status = rp__run_reader_next(kept[i], err);
        if (!kept[i]->is_at_end)
            push(s, kept[i]);
        s->terms_done++;
    }
    return status;
}

static rp_status open_readers(state *s, rp_error *err)
{
    const rp__merge *m = s->merge;
    s->readers = rp__alloc_zero(m->n_runs, sizeof *s->readers);
    s->heap = rp__alloc_array(m->n_runs, sizeof *s->heap);
    s->group = rp__alloc_array(m->n_runs * 2, sizeof *s->group);
    if (!s->readers || !s->heap || !s->group)
        return rp__error_no_memory(err);
    for (size_t i = 0; i < m->n_runs; i++) {
        rp_status status =
            rp__run_reader_open(&s->readers[i], &m->runs[i], m->folder, m->buffer, err);
        if (status != RP_OK)
            return status;
        s->terms += m->runs[i].terms;
        if (!s->readers[i].is_at_end)
            push(s, &s->readers[i]);
    }
    return RP_OK;
}

rp_status rp__merge_run(const rp__merge *merge, rp__segment_writer *w, rp_error *err)
{
    enum { TERMS_PER_REPORT = 4096 };
    state s = {.merge = merge, .w = w};
    rp_status status = open_readers(&s, err);
    for (uint64_t n = 0; status == RP_OK && s.n_heap > 0; n++) {
        if (n % TERMS_PER_REPORT == 0 && merge->on_progress &&
            !merge->on_progress(merge->progress_arg, s.terms_done, s.terms))
            status = rp__error_set(err, RP_INTERRUPTED, "interrupted");
        else
            status = merge_term(&s, err);
    }
    if (status == RP_DAMAGED)
        status = rp__error_set(err, RP_IO, "a spilled run names no document; check the disk");
    if (status == RP_NO_MEMORY && err && err->code != RP_NO_MEMORY)
        rp__error_no_memory(err);
    for (size_t i = 0; s.readers && i < merge->n_runs; i++)
        rp__run_reader_close(&s.readers[i]);
    rp__free(s.readers);
    rp__free(s.heap);
    rp__free(s.group);
    return status;
}
