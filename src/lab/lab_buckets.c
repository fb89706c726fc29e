/* lab_buckets.c: how large the buckets of hash segmentation are: chapter 8 of lab/lab.h. Lists are
 * read one at a time. Source: Ao et al. 2011, 4.4: sizes of buckets are binomial where docids lie
 * evenly. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "engine/engine.h"
#include "lab/lab.h"

enum { SMALLEST = 8 };

typedef struct job {
    const rp_index *index;
    rp__lab_buckets *out;
    const char *term; /* NULL: all */
    size_t term_bytes;
    uint32_t min_postings, universe;
    uint64_t n_lists;
    double counted[RP_LAB_BUCKET_KINDS]; /* buckets that mean and variances are of */
    uint32_t *docids;
    uint8_t *bytes; /* of auxiliary data */
    rp__arena arena;
} job;

/* ---- One list -------------------------------------------------------------------------------- */

static const rp__aux_kind *kind_of(uint32_t bucket)
{
    const rp__aux_kind *kind;
    for (size_t i = 0; (kind = rp__aux_kind_at(i)); i++)
        if (kind->bucket == bucket)
            return kind;
    return NULL;
}

static void add_sizes(job *j, size_t k, const rp__aux *aux)
{
    rp__lab_buckets *b = &j->out[k];
    double share = (double)(UINT64_C(1) << aux->shift) / (double)j->universe,
           expected = (double)aux->n * (share < 1 ? share : 1);
    b->buckets += aux->n_buckets;
    for (uint32_t h = 0; h < aux->n_buckets; h++) {
        uint64_t size = aux->starts[h + 1] - aux->starts[h];
        b->empty += size == 0;
        b->largest = size > b->largest ? size : b->largest;
        b->sizes[size < RP_LAB_BUCKET_SIZES ? size : RP_LAB_BUCKET_SIZES - 1]++;
        if (h + 1 == aux->n_buckets)
            continue;
        b->mean += (double)size;
        b->variance += ((double)size - expected) * ((double)size - expected);
        b->binomial += expected * (1 - share);
        j->counted[k]++;
    }
}

static rp_status add_list(job *j, const rp__term *term)
{
    rp__list list;
    rp__aux aux;
    rp__arena_clear(&j->arena);
    rp_status status = rp__segment_list(j->index->segment, term, &j->arena, &list);
    j->docids = rp__arena_array(&j->arena, (size_t)term->df + RP_BLOCK_CAPACITY, sizeof *j->docids);
    const rp__aux_kind *smallest = kind_of(SMALLEST);
    if (!smallest) /* a kind of this build */
        return RP_UNAVAILABLE;
    j->bytes = rp__arena_alloc(&j->arena, smallest->bound(smallest, term->df));
    if (!j->docids || !j->bytes)
        return RP_NO_MEMORY;
    if (status == RP_OK)
        status = rp__list_decode(&list, j->docids, NULL);
    for (size_t k = 0; k < RP_LAB_BUCKET_KINDS && status == RP_OK; k++) {
        const rp__aux_kind *kind = kind_of(j->out[k].bucket);
        if (!kind)
            return RP_UNAVAILABLE;
        size_t used = kind->fit(kind, j->docids, list.n, j->universe, j->bytes);
        status = kind->open(kind, j->bytes, used, list.n, j->universe, &aux);
        if (status == RP_OK)
            add_sizes(j, k, &aux);
    }
    j->n_lists++;
    return status;
}

/* ---- All lists ------------------------------------------------------------------------------- */

static rp_status run(void *arg)
{
    job *j = arg;
    rp__term_iter iter;
    rp__term one;
    if (j->term) {
        rp_status found = rp__segment_find(j->index->segment, j->term, j->term_bytes, &one);
        return found == RP_OK ? add_list(j, &one) : found;
    }
    rp_status status = rp__term_iter_start(&iter, j->index->segment, "", 0);
    while (status == RP_OK && (status = rp__term_iter_next(&iter)) == RP_OK)
        if (iter.entry.df >= j->min_postings)
            status = add_list(j, &iter.entry);
    return status == RP_NOT_FOUND && j->n_lists ? RP_OK : status;
}

static rp_status fail(rp_status status, const char *word, uint32_t min_postings, rp_error *err)
{
    if (status == RP_NO_MEMORY)
        return rp__error_no_memory(err);
    if (status != RP_NOT_FOUND)
        return rp__error_set(err, status, "a list is damaged; run 'riposte check' on the index");
    return word ? rp__error_set(err, status, "term \"%.100s\": not in this index", word)
                : rp__error_set(err, status, "no term is in %u documents or more", min_postings);
}

static rp_status count(job *j, const char *word)
{
    rp__analyzer_state *state = NULL;
    rp__token token;
    rp_status status = RP_OK;
    if (word) {
        status = rp__analyzer_state_new(j->index->analyzer, &state);
        if (status != RP_OK)
            return status;
        rp__analyzer_begin(state, word, strlen(word));
        if (rp__analyzer_next(state, &token)) {
            j->term = token.term;
            j->term_bytes = token.bytes;
        } else {
            status = RP_NOT_FOUND;
        }
    }
    if (status == RP_OK)
        status = rp__index_handle_guard(j->index, run, j);
    rp__analyzer_state_free(state);
    return status;
}

rp_status rp__lab_buckets_count(const rp_index *index, const char *word, uint32_t min_postings,
                                rp__lab_buckets *out, rp_error *err)
{
    if (RP_MISSING(err, index, out))
        return RP_USAGE;
    job j = {.index = index, .out = out, .min_postings = min_postings ? min_postings : 1};
    j.universe = (uint32_t)rp__segment_get_info(index->segment)->docs;
    for (size_t k = 0; k < RP_LAB_BUCKET_KINDS; k++) {
        memset(&out[k], 0, sizeof out[k]);
        out[k].bucket = (uint32_t)SMALLEST << k;
    }
    rp__arena_init(&j.arena, (size_t)16 << 30);
    rp_status status = count(&j, word);
    rp__arena_reset(&j.arena);
    for (size_t k = 0; k < RP_LAB_BUCKET_KINDS; k++) {
        double n = j.counted[k] > 0 ? j.counted[k] : 1;
        out[k].mean /= n;
        out[k].variance /= n;
        out[k].binomial /= n;
    }
    return status == RP_OK ? RP_OK : fail(status, word, j.min_postings, err);
}
