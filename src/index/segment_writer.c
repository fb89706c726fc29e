/* segment_writer.c: turns the postings of one term after another into the bytes of a segment.
 *
 * A list's docids and frequencies stand in memory until the term ends, because a codec owns the whole
 * list; positions go out as they come, in chunks of RP_BLOCK values. Tiny lists go into the dictionary. */
#include "index/segment_writer.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/cpu.h"
#include "base/error.h"
#include "index/aux_writer.h"
#include "index/dictionary.h"
#include "index/list_coder.h"
#include "index/manifest.h"
#include "index/tiny.h"

struct rp__segment_writer {
    const rp__block_code *pos_code;
    bool has_positions;
    rp__lengths lengths;
    rp__list_coder coder;
    rp__dictionary_writer *dictionary;
    rp__section_writer *lists, *positions;
    rp__aux_writer *aux; /* NULL: none */
    uint64_t postings;
    /* The open term. */
    char term[256];
    uint32_t term_bytes;
    uint64_t cf, pos_begin;
    size_t n, cap, cap_frames;
    uint32_t *docids, *tfs, *pos_offsets;
    uint32_t gaps[RP_BLOCK];
    size_t n_gaps;
    bool has_flushed; /* some positions of this term are written */
    uint8_t *encoded;
    size_t cap_encoded;
};

static rp_status open_outputs(rp__segment_writer *w, const rp__folder *folder, uint64_t generation,
                              rp_error *err)
{
    char name[RP_FILE_NAME_MAX];
    rp__manifest_file_name(RP_FILE_TERMS, generation, name);
    rp_status status =
        rp__dictionary_writer_new(folder, name, w->has_positions, &w->dictionary, err);
    if (status != RP_OK)
        return status;
    rp__manifest_file_name(RP_FILE_LISTS, generation, name);
    status = rp__section_writer_new(folder, name, RP_FILE_LISTS, &w->lists, err);
    if (status != RP_OK)
        return status;
    rp__section_writer_begin(w->lists, RP_SECTION_LISTS);
    if (!w->has_positions)
        return RP_OK;
    rp__manifest_file_name(RP_FILE_POSITIONS, generation, name);
    status = rp__section_writer_new(folder, name, RP_FILE_POSITIONS, &w->positions, err);
    if (status == RP_OK)
        rp__section_writer_begin(w->positions, RP_SECTION_POSITIONS);
    return status;
}

rp_status rp__segment_writer_new(const rp__folder *folder, uint64_t generation,
                                 const rp__coding *coding, bool has_positions,
                                 const rp__lengths *lengths, const float *norms,
                                 rp__segment_writer **out, rp_error *err)
{
    rp__segment_writer *w = rp__alloc_zero(1, sizeof *w);
    if (!w)
        return rp__error_no_memory(err);
    w->pos_code = rp__block_code_find("bp128", rp__cpu_features());
    w->has_positions = has_positions;
    w->lengths = *lengths;
    rp__list_coder_init(&w->coder, coding, &w->lengths, norms);
    rp_status status = open_outputs(w, folder, generation, err);
    if (status != RP_OK) {
        rp__segment_writer_free(w);
        return status;
    }
    *out = w;
    return RP_OK;
}

rp_status rp__segment_writer_aux(rp__segment_writer *w, const rp__folder *folder, uint32_t kinds,
                                 rp_error *err)
{
    return kinds ? rp__aux_writer_new(folder, kinds, w->lengths.n_docs, &w->aux, err) : RP_OK;
}

rp_status rp__segment_writer_reserve(rp__segment_writer *w, uint64_t n, uint64_t memory,
                                     rp_error *err)
{
    enum { POSTING_BYTES = 2 * sizeof(uint32_t), AUX_BYTES = 2 };
    uint64_t bound = rp__list_coder_bound(&w->coder, n);
    uint64_t need = n * (POSTING_BYTES + (w->aux ? AUX_BYTES : 0U)) + bound +
                    rp__list_coder_bytes(&w->coder, n);
    uint64_t held = rp__alloc_in_use();
    if (held + need + rp__alloc_slack(memory) >
        memory) { /* slack grows by a sixteenth of the whole */
        uint64_t enough = (held + need + rp__alloc_slack(0)) / 15 * 16;
        return rp__error_set(err, RP_NO_MEMORY,
                             "a list of %llu postings does not fit in memory; give --memory %lluM",
                             (unsigned long long)n, (unsigned long long)(enough >> 20) + 1);
    }
    size_t cap = w->cap;
    bool has_room = rp__alloc_grow(&w->tfs, &cap, n, sizeof *w->tfs) &&
                    rp__alloc_grow(&w->docids, &w->cap, n, sizeof *w->docids) &&
                    rp__alloc_grow(&w->encoded, &w->cap_encoded, bound, 1) &&
                    rp__list_coder_reserve(&w->coder, n);
    return has_room ? RP_OK : rp__error_no_memory(err);
}

void rp__segment_writer_term(rp__segment_writer *w, const char *term, uint32_t bytes)
{
    memcpy(w->term, term, bytes);
    w->term_bytes = bytes;
    w->n = 0;
    w->cf = 0;
    w->n_gaps = 0;
    w->has_flushed = false;
    w->pos_begin = w->positions ? rp__section_writer_offset(w->positions) : 0;
}

static void flush_gaps(rp__segment_writer *w)
{
    uint8_t out[1 + RP_BLOCK * sizeof(uint32_t) + RP_PAD];
    if (w->n_gaps == 0)
        return;
    size_t used = w->pos_code->encode(NULL, w->gaps, w->n_gaps, out);
    rp__section_writer_put(w->positions, out, used);
    w->n_gaps = 0;
    w->has_flushed = true;
}

/* A frame of positions begins with every RP_BLOCK postings. */
static rp_status begin_frame(rp__segment_writer *w)
{
    size_t frame = w->n / RP_BLOCK;
    if (w->n > 0)
        flush_gaps(w);
    if (!rp__alloc_grow(&w->pos_offsets, &w->cap_frames, frame + 1, sizeof *w->pos_offsets))
        return RP_NO_MEMORY;
    uint64_t offset = rp__section_writer_offset(w->positions) - w->pos_begin;
    if (offset > UINT32_MAX)
        return RP_LIMIT;
    w->pos_offsets[frame] = (uint32_t)offset;
    return RP_OK;
}

static bool grow_postings(rp__segment_writer *w)
{
    size_t cap = w->cap;
    if (!rp__alloc_grow(&w->tfs, &cap, w->n + 1, sizeof *w->tfs))
        return false;
    return rp__alloc_grow(&w->docids, &w->cap, w->n + 1, sizeof *w->docids);
}

rp_status rp__segment_writer_posting(rp__segment_writer *w, uint32_t docid, uint32_t tf)
{
    if (docid >= w->lengths.n_docs)
        return RP_DAMAGED;
    if (w->n == w->cap && !grow_postings(w))
        return RP_NO_MEMORY;
    if (w->positions && w->n % RP_BLOCK == 0) {
        rp_status status = begin_frame(w);
        if (status != RP_OK)
            return status;
    }
    w->docids[w->n] = docid;
    w->tfs[w->n++] = tf;
    w->cf += tf;
    return RP_OK;
}

void rp__segment_writer_more(rp__segment_writer *w, uint32_t tf)
{
    w->tfs[w->n - 1] += tf;
    w->cf += tf;
}

void rp__segment_writer_positions(rp__segment_writer *w, const uint32_t *gaps, uint32_t n)
{
    rp__segment_writer_more(w, n);
    for (uint32_t i = 0; i < n; i++) {
        if (w->n_gaps == RP_BLOCK)
            flush_gaps(w);
        w->gaps[w->n_gaps++] = gaps[i];
    }
}

static bool is_tiny(const rp__segment_writer *w)
{
    return w->n <= RP_TINY_DF && !w->has_flushed && w->n_gaps <= RP_TINY_POSITIONS;
}

static rp_status add_tiny(rp__segment_writer *w, rp__term *entry)
{
    uint8_t bytes[RP_TINY_BYTES];
    entry->tiny_bytes = rp__tiny_put(w->docids, w->tfs, (uint32_t)w->n,
                                     w->positions ? w->gaps : NULL, w->lengths.n_docs, bytes);
    entry->tiny = bytes;
    rp_status status = rp__dictionary_writer_add(w->dictionary, w->term, w->term_bytes, entry);
    entry->tiny = NULL;
    return status;
}

static rp_status add_list(rp__segment_writer *w, rp__term *entry)
{
    size_t used;
    if (!rp__list_coder_reserve(&w->coder, w->n) ||
        !rp__alloc_grow(&w->encoded, &w->cap_encoded, rp__list_coder_bound(&w->coder, w->n), 1))
        return RP_NO_MEMORY;
    if (w->positions)
        flush_gaps(w);
    rp_status status =
        rp__list_coder_encode(&w->coder, w->docids, w->tfs, w->n,
                              w->positions ? w->pos_offsets : NULL, w->encoded, &used);
    if (status != RP_OK)
        return status;
    if (w->aux && w->n > RP_BLOCK)
        status = rp__aux_writer_add(w->aux, rp__section_writer_offset(w->lists), w->docids,
                                    (uint32_t)w->n);
    if (status != RP_OK)
        return status;
    rp__section_writer_put(w->lists, w->encoded, used);
    entry->list_bytes = used;
    if (w->positions)
        entry->pos_bytes = rp__section_writer_offset(w->positions) - w->pos_begin;
    return rp__dictionary_writer_add(w->dictionary, w->term, w->term_bytes, entry);
}

rp_status rp__segment_writer_end_term(rp__segment_writer *w, rp_error *err)
{
    rp__term entry = {.df = (uint32_t)w->n, .cf = w->cf};
    w->postings += w->n;
    rp_status status = is_tiny(w) ? add_tiny(w, &entry) : add_list(w, &entry);
    if (status == RP_NO_MEMORY)
        return rp__error_set(err, status,
                             "a list of %zu postings does not fit in memory; raise --memory", w->n);
    if (status != RP_OK)
        return rp__error_set(err, status, "the list of a term passes 4 GiB; split the collection");
    return RP_OK;
}

static rp_status finish_file(rp__section_writer **out, rp__meta_file *file, rp_error *err)
{
    if (!*out)
        return RP_OK;
    rp_status status = rp__section_writer_finish(*out, &file->bytes, &file->checksum, err);
    *out = NULL;
    return status;
}

rp_status rp__segment_writer_finish(rp__segment_writer *w, rp__meta *meta, rp_error *err)
{
    rp__section_writer_end(w->lists);
    if (w->positions)
        rp__section_writer_end(w->positions);
    rp__meta_file *terms = &meta->files[RP_FILE_TERMS];
    meta->terms = rp__dictionary_writer_terms(w->dictionary);
    meta->postings = w->postings;
    rp_status status =
        rp__dictionary_writer_finish(w->dictionary, &terms->bytes, &terms->checksum, err);
    if (status == RP_OK && w->aux)
        status = rp__aux_writer_finish(w->aux, w->lists, err);
    if (status == RP_OK)
        status = finish_file(&w->lists, &meta->files[RP_FILE_LISTS], err);
    if (status == RP_OK)
        status = finish_file(&w->positions, &meta->files[RP_FILE_POSITIONS], err);
    return status;
}

void rp__segment_writer_free(rp__segment_writer *w)
{
    if (!w)
        return;
    rp__dictionary_writer_free(w->dictionary);
    rp__section_writer_abandon(w->lists);
    rp__section_writer_abandon(w->positions);
    rp__aux_writer_free(w->aux);
    rp__free(w->docids);
    rp__free(w->tfs);
    rp__free(w->pos_offsets);
    rp__list_coder_reset(&w->coder);
    rp__free(w->encoded);
    rp__free(w);
}
