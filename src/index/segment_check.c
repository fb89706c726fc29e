/* segment_check.c: reads all of a segment and says what is wrong with it.
 *
 * First the checksums, then what the bytes say: terms rising and found by their prefixes, every list
 * what an encoder would have written, in its place and with true bounds, positions rising and as many
 * as the frequencies say, lengths and sums as in the manifest, ids and text readable. Goes on after a
 * fault, so that one look tells all. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "index/bounds.h"
#include "index/id_table.h"
#include "index/norms.h"
#include "index/segment.h"
#include "index/term_sort.h"
#include "index/text_reader.h"

enum { CHECK_BYTES = 128 << 20 }; /* for a list, beside 8 bytes a document */

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
    uint32_t most;                     /* documents that a term of the block so far has */
    uint64_t aux_lists;                /* lists so far that have auxiliary data */
    uint64_t lists_end, positions_end; /* where the next list and its positions must begin */
    uint32_t *lengths;                 /* by document: the sum of its frequencies */
    float *norms;                      /* by code of length, for bounds; NULL: an unknown ranking */
    rp_status stopped;                 /* why the walk over terms ended */
    bool is_given;                     /* lengths are, and need not be the sums of frequencies */
    bool is_short; /* of memory: something could not be looked at, which is no fault of it */
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

/* A message of store begins with the file's name, which stands before it already. */
static const char *after_name(const char *name, const char *text)
{
    size_t n = strlen(name);
    return strncmp(text, name, n) == 0 && strncmp(text + n, ": ", 2) == 0 ? text + n + 2 : text;
}

static void check_sums(check *c)
{
    for (size_t kind = RP_FILE_TERMS; kind < RP_FILE_KINDS; kind++) {
        const rp__section_file *f = c->s->files[kind];
        for (size_t i = 0; f && i < rp__section_file_count(f); i++) {
            rp_error why = {0};
            if (rp__section_file_verify(f, rp__section_file_id(f, i), &why) != RP_OK)
                fault(c, rp__section_file_name(f), after_name(rp__section_file_name(f), why.text));
        }
    }
}

static void check_positions(check *c, const rp__list *list)
{
    rp__positions p;
    uint32_t tfs[RP_BLOCK_CAPACITY];
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

/* The look-up compares these before it looks at a term. */
static void check_prefix(check *c)
{
    const rp__dictionary *d = &c->s->dictionary;
    if (c->terms % RP_TERMS_PER_BLOCK == 0 &&
        d->prefixes[c->iter.block] != rp__term_sort_prefix(c->iter.term, c->iter.term_bytes))
        term_fault(c, "the prefix of its block is not its own");
}

/* So do suggestions before they read a block. */
static void check_most(check *c)
{
    const rp__dictionary *d = &c->s->dictionary;
    uint32_t df = c->iter.entry.df;
    c->most = c->terms % RP_TERMS_PER_BLOCK == 0 || df > c->most ? df : c->most;
    if (d->mosts && c->iter.left_in_block == 0 && d->mosts[c->iter.block] != c->most)
        term_fault(c, "its block does not have the documents that are noted of it");
}

static void check_order(check *c)
{
    size_t n = c->last_bytes < c->iter.term_bytes ? c->last_bytes : c->iter.term_bytes;
    int order = memcmp(c->last, c->iter.term, n);
    if (c->terms > 0 && (order > 0 || (order == 0 && c->last_bytes >= c->iter.term_bytes)))
        term_fault(c, "terms are out of order");
    memcpy(c->last, c->iter.term, c->iter.term_bytes);
    c->last_bytes = c->iter.term_bytes;
}

static void check_place(check *c)
{
    const rp__term *entry = &c->iter.entry;
    if (entry->tiny)
        return;
    if (entry->list_offset != c->lists_end || entry->pos_offset != c->positions_end)
        term_fault(c, "its list does not begin where the one before ends");
    const rp__segment *s = c->s;
    if (s->aux_lists && entry->df > RP_BLOCK &&
        (c->aux_lists >= s->n_aux_lists || s->aux_lists[c->aux_lists++] != entry->list_offset))
        term_fault(c, "its auxiliary data are not where they should be");
    c->lists_end = entry->list_offset + entry->list_bytes;
    c->positions_end = entry->pos_offset + entry->pos_bytes;
}

/* Bounds and kths are what the writer makes. */
static void check_bounds(check *c, const rp__list *list, const uint32_t *docids,
                         const uint32_t *tfs)
{
    rp__bounds bounds;
    uint8_t kths[RP_LIST_KTHS];
    rp__bounds_init(&bounds, &c->s->docs.lengths, c->norms);
    for (uint32_t b = 0; b < list->n_blocks; b++) {
        uint32_t first = rp__list_block_first(list, b), n = rp__list_block_count(list, b);
        if (list->bounds[b] != rp__bounds_block(&bounds, docids + first, tfs + first, n)) {
            term_fault(c, "the bound of a block is not that of its postings");
            return;
        }
    }
    rp__bounds_kths(&bounds, kths);
    if (list->kths && memcmp(list->kths, kths, sizeof kths) != 0)
        term_fault(c, "what its best postings reach is not so");
}

static void check_aux(check *c, const uint32_t *docids)
{
    const rp__segment_info *info = rp__segment_get_info(c->s);
    for (size_t i = 0; i < info->n_aux; i++) {
        rp__aux aux;
        rp_status status = rp__segment_aux(c->s, info->aux[i], &c->iter.entry, &aux);
        if (status == RP_DAMAGED || (status == RP_OK && !aux.kind->is_sound(&aux, docids)))
            term_fault(c, "a range of its auxiliary data does not hold its docids");
    }
}

static rp_status check_postings(check *c, const rp__list *list)
{
    uint32_t *docids =
        rp__arena_array(&c->arena, (size_t)list->n + RP_BLOCK_CAPACITY, sizeof *docids);
    uint32_t *tfs = rp__arena_array(&c->arena, (size_t)list->n + RP_BLOCK_CAPACITY, sizeof *tfs);
    if (!docids || !tfs)
        return RP_NO_MEMORY;
    rp_status status = rp__list_decode(list, docids, tfs);
    if (status != RP_OK)
        return status;
    uint64_t sum = 0;
    uint32_t most = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        sum += tfs[i];
        c->lengths[docids[i]] += tfs[i];
        most = tfs[i] > most ? tfs[i] : most;
    }
    if (most > c->s->info.stats.max_length)
        term_fault(c, "a frequency is larger than any document is long");
    if (sum != c->iter.entry.cf)
        term_fault(c, "its occurrences are not the sum of its frequencies");
    if (list->codec && c->norms)
        check_bounds(c, list, docids, tfs);
    if (list->codec)
        check_aux(c, docids);
    return RP_OK;
}

static void check_term(check *c)
{
    uint32_t scratch[2 * RP_BLOCK_CAPACITY];
    rp__list list;
    check_order(c);
    check_prefix(c);
    check_most(c);
    check_place(c);
    rp_status status = rp__segment_list(c->s, &c->iter.entry, &c->arena, &list);
    if (status == RP_OK && list.codec)
        status = rp__list_validate(&list, scratch);
    if (status == RP_OK)
        status = check_postings(c, &list);
    if (is_bad(c, status))
        term_fault(c, "its list cannot be read");
    if (status == RP_OK && c->s->positions)
        check_positions(c, &list);
}

/* Each list's data have the length that belongs to them; so do all, if the ends are right. */
static void check_aux_ends(check *c)
{
    const rp__segment *s = c->s;
    if (c->aux_lists != s->n_aux_lists)
        fault(c, "auxiliary data", "there are some of lists that are not there");
    for (size_t id = 0; id < RP_AUX_KINDS; id++) {
        const uint64_t *offsets = (const uint64_t *)(const void *)s->aux[id];
        if (offsets && (offsets[0] != rp__bits_align((s->n_aux_lists + 1) * sizeof *offsets, 16) ||
                        offsets[s->n_aux_lists] != s->aux_bytes[id]))
            fault(c, "auxiliary data", "they do not fill their section");
    }
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
    check_aux_ends(c);
    return RP_OK;
}

static void doc_fault(check *c, uint32_t docid, const char *what)
{
    char where[40];
    snprintf(where, sizeof where, "document %u", docid);
    fault(c, where, what);
}

static void check_length_table(check *c)
{
    const rp__lengths *l = &c->s->docs.lengths;
    for (uint32_t i = 1; i < l->n_table; i++)
        if (l->table[i - 1] >= l->table[i]) {
            fault(c, "lengths of documents", "their table is out of order");
            return;
        }
    if (c->s->manifest.meta.max_length != (l->n_table ? l->table[l->n_table - 1] : 0))
        fault(c, "lengths of documents", "the longest is not what the manifest says");
}

static rp_status walk_ids(void *arg)
{
    check *c = arg;
    const rp__lengths *l = &c->s->docs.lengths;
    uint64_t tokens = 0;
    bool has_lengths =
        c->faults == 0 && !c->is_short && !c->is_given; /* lists that were not read tell nothing */
    check_length_table(c);
    for (uint32_t d = 0; d < c->s->manifest.meta.docs; d++) {
        const char *id;
        size_t bytes;
        uint32_t length = l->table[rp__lengths_code(l, d)];
        if (rp__segment_doc_id(c->s, d, &id, &bytes) != RP_OK || bytes == 0)
            doc_fault(c, d, "its id cannot be read");
        if (has_lengths && length != c->lengths[d])
            doc_fault(c, d, "its length is not the sum of its frequencies");
        tokens += length;
    }
    if (tokens != c->s->manifest.meta.tokens)
        fault(c, "lengths of documents", "they do not add up to the manifest's tokens");
    if (rp__id_table_check(&c->s->docs) != RP_OK)
        fault(c, "ids of documents", "their table does not find every document");
    return RP_OK;
}

static rp_status walk_text_index(void *arg)
{
    check *c = arg;
    const rp__doctable *t = &c->s->docs;
    const rp__text_block *first = t->text_index, *end = first + t->n_text_blocks;
    if ((t->n_text_blocks > 0 && first->first_docid != 0) || end->first_docid != t->n_docs)
        fault(c, "text", "its blocks do not hold every document");
    if (first->offset != 0 || end->offset != t->text_bytes)
        fault(c, "text", "its blocks do not fill their section");
    return RP_OK;
}

static void text_fault(check *c, size_t block, const char *why)
{
    char where[64], what[200];
    snprintf(where, sizeof where, "block %zu of the stored text", block);
    snprintf(what, sizeof what, "its text cannot be read: %s", why);
    fault(c, where, what);
}

/* Unpacks a block to its end, and finds its documents on the way. */
static void check_block(check *c, size_t block, rp__zblock *z)
{
    rp__text_reader *r = NULL;
    const char *why = "";
    uint64_t title, text;
    rp_status status = rp__text_reader_open(&c->s->docs, z, block, &r, &why);
    if (status == RP_OK)
        status = rp__text_reader_seek(r, rp__text_reader_first(r), &title, &text);
    if (status == RP_OK)
        status = rp__text_reader_finish(r);
    if (is_bad(c, status))
        text_fault(c, block, why);
    rp__text_reader_close(r);
}

static void check_text(check *c, rp__zblock *z)
{
    const rp__doctable *t = &c->s->docs;
    if (t->text && rp__mapping_guard(walk_text_index, c) != RP_OK)
        fault(c, "text", "the file was cut short");
    for (size_t i = 0; t->text && i < t->n_text_blocks; i++)
        check_block(c, i, z);
}

static rp_status run_norms(void *arg)
{
    check *c = arg;
    return rp__norms_fill(&c->s->manifest, &c->s->docs.lengths, c->norms);
}

static rp_status begin_check(check *c)
{
    c->lengths = rp__alloc_zero((size_t)c->s->manifest.meta.docs, sizeof *c->lengths);
    c->norms = rp__alloc_array(c->s->docs.lengths.n_table, sizeof *c->norms);
    if (!c->lengths || !c->norms)
        return RP_NO_MEMORY;
    if (rp__mapping_guard(run_norms, c) != RP_OK) {
        rp__free(c->norms);
        c->norms = NULL;
    }
    return RP_OK;
}

static void check_terms(check *c)
{
    const rp__segment *s = c->s;
    if (rp__mapping_guard(walk_terms, c) != RP_OK || c->stopped == RP_DAMAGED) {
        term_fault(c, "the dictionary cannot be read on from here");
        return;
    }
    if (c->terms != s->manifest.meta.terms || c->postings != s->manifest.meta.postings ||
        (c->tokens != s->manifest.meta.tokens && !c->is_given))
        fault(c, "terms", "they do not add up to the manifest's figures");
    if (c->lists_end != s->lists_bytes || c->positions_end != s->positions_bytes)
        fault(c, "lists", "they do not fill their section");
}

rp_status rp__segment_check(rp__segment *s, rp_check_fn *on_fault, void *arg, rp_error *err)
{
    check *c = rp__alloc_zero(1, sizeof *c);
    rp__zblock *z = NULL;
    if (!c)
        return rp__error_no_memory(err);
    *c = (check){.s = s,
                 .on_fault = on_fault,
                 .arg = arg,
                 .err = err,
                 .is_given = s->manifest.meta.flags & RP_META_GIVEN_LENGTHS};
    rp__arena_init(&c->arena, CHECK_BYTES + (size_t)s->manifest.meta.docs * 2 * sizeof(uint32_t));
    rp_status status = begin_check(c);
    if (status == RP_OK)
        status = rp__zblock_new(&z);
    if (status == RP_OK) {
        check_sums(c);
        check_terms(c);
        if (rp__mapping_guard(walk_ids, c) != RP_OK)
            fault(c, "documents", "the file was cut short");
        check_text(c, z);
        status = c->faults ? RP_DAMAGED : c->is_short ? RP_NO_MEMORY : RP_OK;
    }
    if (status == RP_NO_MEMORY)
        rp__error_no_memory(err);
    rp__zblock_free(z);
    rp__arena_reset(&c->arena);
    rp__free(c->lengths);
    rp__free(c->norms);
    rp__free(c);
    return status;
}
