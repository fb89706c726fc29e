/* segment_check.c: reads all of a segment and says what is wrong with it.
 *
 * First the checksums, then what the bytes say: terms rising, every list what an encoder would have
 * written, positions rising and as many as the frequencies say, sums as in the manifest, ids and text
 * readable. Goes on after a fault, so that one look tells all. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "index/segment.h"

typedef struct check {
    rp__segment *s;
    rp_check_fn *on_fault;
    void *arg;
    rp_error *err;
    uint64_t faults;
    rp__arena arena;
    rp__term_iter iter;
    char last[256];
    size_t last_bytes;
    uint64_t terms, postings, tokens;
    rp_status stopped; /* why the walk over terms ended */
    bool is_short;     /* of memory: something could not be looked at, which is no fault of it */
} check;

static void fault(check *c, const char *where, const char *what)
{
    if (c->faults++ == 0)
        rp__error_set(c->err, RP_DAMAGED, "%.120s: %.120s", where, what);
    if (c->on_fault)
        c->on_fault(c->arg, where, what);
}

static void term_fault(check *c, const char *what)
{
    char where[400];
    snprintf(where, sizeof where, "term \"%.*s\"", (int)c->iter.term_bytes, c->iter.term);
    fault(c, where, what);
}

static bool is_bad(check *c, rp_status status)
{
    c->is_short |= status == RP_NO_MEMORY;
    return status != RP_OK && status != RP_NO_MEMORY;
}

static void check_sums(check *c)
{
    for (size_t kind = RP_FILE_TERMS; kind < RP_FILE_KINDS; kind++) {
        const rp__section_file *f = c->s->files[kind];
        for (size_t i = 0; f && i < rp__section_file_count(f); i++) {
            rp_error why = {0};
            if (rp__section_file_verify(f, rp__section_file_id(f, i), &why) != RP_OK)
                fault(c, rp__section_file_name(f), why.text);
        }
    }
}

static void check_positions(check *c, const rp__list *list)
{
    rp__positions p;
    uint32_t tfs[RP_BLOCK_ROOM];
    rp_status status = rp__positions_open(&p, c->s, &c->iter.entry, list, &c->arena);
    for (uint32_t i = 0; i < list->n && status == RP_OK; i++) {
        const uint32_t *at;
        uint32_t n, tf;
        if (list->codec && i % RP_BLOCK == 0)
            status = rp__list_freqs(list, i / RP_BLOCK, tfs);
        tf = list->codec ? tfs[i % RP_BLOCK] : list->tfs[i];
        if (status == RP_OK)
            status = rp__positions_get(&p, i, &at, &n);
        if (status == RP_OK && n != tf)
            status = RP_DAMAGED;
    }
    if (is_bad(c, status))
        term_fault(c, "its positions cannot be read");
}

static uint64_t sum_freqs(const rp__list *list)
{
    uint32_t tfs[RP_BLOCK_ROOM];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        if (list->codec && i % RP_BLOCK == 0 && rp__list_freqs(list, i / RP_BLOCK, tfs) != RP_OK)
            return 0;
        sum += list->codec ? tfs[i % RP_BLOCK] : list->tfs[i];
    }
    return sum;
}

static void check_term(check *c)
{
    uint32_t scratch[2 * RP_BLOCK_ROOM];
    rp__list list;
    const rp__term *entry = &c->iter.entry;
    size_t n = c->last_bytes < c->iter.term_bytes ? c->last_bytes : c->iter.term_bytes;
    int order = memcmp(c->last, c->iter.term, n);
    if (c->terms > 0 && (order > 0 || (order == 0 && c->last_bytes >= c->iter.term_bytes)))
        term_fault(c, "terms are out of order");
    memcpy(c->last, c->iter.term, c->iter.term_bytes);
    c->last_bytes = c->iter.term_bytes;
    rp_status status = rp__segment_list(c->s, entry, &c->arena, &list);
    if (status == RP_OK && list.codec)
        status = rp__list_validate(&list, scratch);
    if (is_bad(c, status))
        term_fault(c, "its list cannot be read");
    if (status != RP_OK)
        return;
    if (sum_freqs(&list) != entry->cf)
        term_fault(c, "its occurrences are not the sum of its frequencies");
    if (c->s->positions)
        check_positions(c, &list);
}

static rp_status walk_terms(void *arg)
{
    check *c = arg;
    rp_status status = rp__term_iter_start(&c->iter, c->s, "", 0);
    while (status == RP_OK && (status = rp__term_iter_next(&c->iter)) == RP_OK) {
        rp__arena_clear(&c->arena);
        check_term(c);
        c->terms++;
        c->postings += c->iter.entry.df;
        c->tokens += c->iter.entry.cf;
    }
    c->stopped = status;
    return RP_OK;
}

static rp_status walk_ids(void *arg)
{
    check *c = arg;
    const rp__lengths *l = &c->s->docs.lengths;
    uint64_t tokens = 0;
    for (uint32_t d = 0; d < c->s->meta.docs; d++) {
        const char *id;
        size_t bytes;
        if (rp__segment_doc_id(c->s, d, &id, &bytes) != RP_OK || bytes == 0) {
            char where[40];
            snprintf(where, sizeof where, "document %u", d);
            fault(c, where, "its id cannot be read");
        }
        tokens += l->table[rp__lengths_code(l, d)];
    }
    if (tokens != c->s->meta.tokens)
        fault(c, "lengths of documents", "they do not add up to the manifest's tokens");
    return RP_OK;
}

typedef struct copy_job {
    uint32_t *to;
    const uint32_t *from;
} copy_job;

static rp_status run_copy(void *arg)
{
    const copy_job *job = arg;
    *job->to = *job->from;
    return RP_OK;
}

/* The first document of each block, which unpacks all of it, and the last, which finds the end. */
static void check_text(check *c, rp__zblock *z)
{
    const rp__doctable *t = &c->s->docs;
    rp__buf buf;
    size_t title;
    rp__buf_init(&buf);
    for (size_t i = 0; t->text && i < 2 * t->n_text_blocks; i++) {
        uint32_t docid = 0;
        char where[40];
        copy_job job = {&docid, &t->text_index[i / 2 + i % 2].first_docid};
        rp_status status = rp__mapping_guard(run_copy, &job);
        docid -= (uint32_t)(i % 2);
        buf.n = 0;
        if (status == RP_OK)
            status = rp__segment_doc_text(c->s, docid, z, &buf, &title);
        if (!is_bad(c, status))
            continue;
        snprintf(where, sizeof where, "document %u", docid);
        fault(c, where, "its text cannot be read");
    }
    rp__buf_free(&buf);
}

rp_status rp__segment_check(rp__segment *s, rp_check_fn *on_fault, void *arg, rp_error *err)
{
    check *c = rp__alloc_zero(1, sizeof *c);
    rp__zblock *z = NULL;
    if (!c || rp__zblock_new(&z) != RP_OK) {
        rp__free(c);
        return rp__error_no_memory(err);
    }
    *c = (check){.s = s, .on_fault = on_fault, .arg = arg, .err = err};
    rp__arena_init(&c->arena, (size_t)1 << 32);
    check_sums(c);
    if (rp__mapping_guard(walk_terms, c) != RP_OK || c->stopped == RP_DAMAGED)
        term_fault(c, "the dictionary cannot be read on from here");
    else if (c->terms != s->meta.terms || c->postings != s->meta.postings ||
             c->tokens != s->meta.tokens)
        fault(c, "terms", "they do not add up to the manifest's figures");
    if (rp__mapping_guard(walk_ids, c) != RP_OK)
        fault(c, "documents", "the file was cut short");
    check_text(c, z);
    rp_status status = c->faults ? RP_DAMAGED : c->is_short ? rp__error_no_memory(err) : RP_OK;
    rp__zblock_free(z);
    rp__arena_reset(&c->arena);
    rp__free(c);
    return status;
}
