/* segment.c: opens what a manifest names, and looks up terms, lists and documents in it. */
#include "index/segment.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/error.h"
#include "index/coding.h"
#include "index/id_table.h"
#include "index/tiny.h"

enum { GENERATIONS_MOST = 1000 }; /* that builds publish while an index is opened */

static void close_files(rp__segment *s)
{
    for (size_t i = 0; i < RP_FILE_KINDS; i++) {
        rp__section_file_close(s->files[i]);
        s->files[i] = NULL;
    }
    rp__manifest_reset(&s->manifest);
}

static bool has_file(const rp__segment *s, rp__file_kind kind)
{
    if (kind == RP_FILE_POSITIONS)
        return s->manifest.meta.flags & RP_META_POSITIONS;
    if (kind == RP_FILE_TEXT)
        return s->manifest.meta.flags & RP_META_TEXT;
    return true;
}

static void see_others(void *arg, const char *name)
{
    uint64_t generation;
    if (!rp__manifest_owns_name(name, &generation))
        *(bool *)arg = true;
}

/* Files that no build makes are likely to be what the index should be made of. */
static rp_status refuse_folder(rp__segment *s, rp_error *err)
{
    const char *path = s->folder.path;
    bool has_others = false;
    rp__folder_list(&s->folder, see_others, &has_others, NULL);
    if (!has_others)
        return rp__error_set(err, RP_DAMAGED,
                             "%s: no index here; build one with 'riposte index FILE... -o %s'",
                             path, path);
    return rp__error_set(err, RP_DAMAGED,
                         "%s: this folder is no index; to search the files in it, build one with "
                         "'riposte index %s -o NEW.rip'",
                         path, path);
}

/* RP_NOT_FOUND: a file is gone, as when a new build was published after the manifest was read. */
static rp_status open_files(rp__segment *s, rp_error *err)
{
    rp_status status = rp__manifest_read(&s->folder, &s->manifest, err);
    if (status == RP_NOT_FOUND)
        return refuse_folder(s, err);
    if (status != RP_OK)
        return status;
    for (int kind = RP_FILE_TERMS; kind < RP_FILE_KINDS && status == RP_OK; kind++) {
        char name[RP_FILE_NAME_MAX];
        const rp__meta_file *file = &s->manifest.meta.files[kind];
        if (!has_file(s, (rp__file_kind)kind))
            continue;
        rp__manifest_file_name((rp__file_kind)kind, s->manifest.meta.generation, name);
        status = rp__section_file_open(&s->folder, name, (uint32_t)kind, file->bytes,
                                       file->checksum, &s->files[kind], err);
    }
    return status;
}

/* A build may replace what the manifest named a moment ago, again and again. A file is missing if the manifest that is
 * read after that names it still. */
static rp_status open_generation(rp__segment *s, rp_error *err)
{
    uint64_t before = 0;
    for (uint32_t tries = 0; tries < GENERATIONS_MOST; tries++) {
        rp_status status = open_files(s, err);
        if (status != RP_NOT_FOUND)
            return status;
        const uint64_t generation = s->manifest.meta.generation;
        close_files(s);
        if (tries > 0 && generation == before)
            break;
        before = generation;
    }
    return rp__error_set(err, RP_DAMAGED,
                         "%s: a file that the manifest names is missing; build the index again",
                         s->folder.path);
}

static rp_status open_parts(rp__segment *s, rp_error *err)
{
    rp__coding coding;
    rp_status status = rp__coding_find(&s->manifest, s->folder.path, &coding, err);
    if (status != RP_OK)
        return status;
    s->codec = rp__coding_row(&coding);
    if ((status = rp__dictionary_open(&s->dictionary, s->files[RP_FILE_TERMS],
                                      s->manifest.meta.terms, s->manifest.meta.docs,
                                      s->manifest.is_close ? RP_LIST_UNIT : RP_LIST_UNIT_OLD,
                                      has_file(s, RP_FILE_POSITIONS), err)) != RP_OK ||
        (status = rp__doctable_open(&s->docs, s->files[RP_FILE_DOCS], s->files[RP_FILE_TEXT],
                                    (uint32_t)s->manifest.meta.docs, err)) != RP_OK ||
        (status = rp__section_file_get(s->files[RP_FILE_LISTS], RP_SECTION_LISTS, &s->lists,
                                       &s->lists_bytes, err)) != RP_OK ||
        (status = rp__segment_aux_open(s, err)) != RP_OK)
        return status;
    if (has_file(s, RP_FILE_POSITIONS))
        status = rp__section_file_get(s->files[RP_FILE_POSITIONS], RP_SECTION_POSITIONS,
                                      &s->positions, &s->positions_bytes, err);
    return status;
}

static void fill_aux(rp__segment *s)
{
    rp__segment_info *info = &s->info;
    info->bytes_aux = s->n_aux_lists * sizeof *s->aux_lists;
    for (size_t id = 0; id < RP_AUX_KINDS; id++)
        if (s->aux[id]) {
            info->aux[info->n_aux] = rp__aux_kind_at(id);
            info->aux_bytes[info->n_aux++] = s->aux_bytes[id];
            info->bytes_aux += s->aux_bytes[id];
        }
}

static void fill_info(rp__segment *s)
{
    const rp__meta *m = &s->manifest.meta;
    const rp__meta_analysis *analysis = &s->manifest.analysis;
    s->info = (rp__segment_info){
        .stats = rp__manifest_stats(&s->manifest),
        .docs = m->docs,
        .tokens = m->tokens,
        .terms = m->terms,
        .postings = m->postings,
        .generation = m->generation,
        .codec = m->codec,
        .freqs = s->codec.freqs ? s->codec.freqs->name : m->codec,
        .costs = s->manifest.costs,
        .stem = m->stem,
        .stop = m->stop,
        .stop_words = s->manifest.stop_words,
        .stop_bytes = s->manifest.stop_bytes,
        .token_rule = analysis->tokens[0] ? analysis->tokens : RP_TOKENS_NONE,
        .drops_possessive = (analysis->flags & RP_ANALYSIS_POSSESSIVE) != 0,
        .folds_accents = (analysis->flags & RP_ANALYSIS_ACCENTS) != 0,
        .has_positions = has_file(s, RP_FILE_POSITIONS),
        .has_text = has_file(s, RP_FILE_TEXT),
        .bytes_terms = m->files[RP_FILE_TERMS].bytes,
        .bytes_lists = m->files[RP_FILE_LISTS].bytes,
        .bytes_positions = m->files[RP_FILE_POSITIONS].bytes,
        .bytes_docs = m->files[RP_FILE_DOCS].bytes,
        .bytes_text = m->files[RP_FILE_TEXT].bytes,
    };
    fill_aux(s);
}

static rp_status verify_all(const rp__segment *s, rp_error *err)
{
    for (size_t kind = RP_FILE_TERMS; kind < RP_FILE_KINDS; kind++) {
        const rp__section_file *f = s->files[kind];
        for (size_t i = 0; f && i < rp__section_file_count(f); i++) {
            rp_status status = rp__section_file_verify(f, rp__section_file_id(f, i), err);
            if (status != RP_OK)
                return status;
        }
    }
    return RP_OK;
}

rp_status rp__segment_open(const char *dir, bool verify, rp__segment **out, rp_error *err)
{
    rp__segment *s = rp__alloc_zero(1, sizeof *s);
    if (!s)
        return rp__error_no_memory(err);
    s->folder.fd = -1;
    rp_status status = rp__folder_open(&s->folder, dir, err);
    if (status == RP_OK)
        status = open_generation(s, err);
    if (status == RP_OK)
        status = open_parts(s, err);
    if (status == RP_OK && verify)
        status = verify_all(s, err);
    if (status != RP_OK) {
        rp__segment_close(s);
        return status;
    }
    fill_info(s);
    *out = s;
    return RP_OK;
}

void rp__segment_close(rp__segment *s)
{
    if (!s)
        return;
    close_files(s);
    rp__folder_close(&s->folder);
    rp__free(s);
}

const char *rp__segment_get_path(const rp__segment *s)
{
    return s->folder.path;
}

bool rp__segment_is_whole(const rp__segment *s)
{
    bool is_whole = true;
    for (size_t kind = RP_FILE_TERMS; kind < RP_FILE_KINDS; kind++)
        is_whole = is_whole && (!s->files[kind] || rp__section_file_is_whole(s->files[kind]));
    return is_whole;
}

bool rp__segment_section(const rp__segment *s, size_t i, const uint8_t **at, size_t *bytes)
{
    rp__lengths lengths;
    if (i == 0) {
        *at = s->lists;
        *bytes = s->lists_bytes;
        return true;
    }
    if (i <= s->info.n_aux) {
        size_t id = s->info.aux[i - 1]->id;
        *at = s->aux[id];
        *bytes = s->aux_bytes[id];
        return true;
    }
    rp__segment_get_lengths(s, &lengths);
    *at = lengths.codes;
    *bytes = (size_t)lengths.n_docs * lengths.code_bytes;
    return i == s->info.n_aux + 1;
}

const rp__segment_info *rp__segment_get_info(const rp__segment *s)
{
    return &s->info;
}

rp_status rp__segment_find(const rp__segment *s, const char *term, size_t bytes, rp__term *out)
{
    return rp__dictionary_find(&s->dictionary, term, bytes, out);
}

static rp_status open_tiny(const rp__segment *s, const rp__term *term, rp__arena *arena,
                           rp__list *out)
{
    rp__tiny *tiny = rp__arena_array(arena, 1, sizeof *tiny);
    if (!tiny)
        return RP_NO_MEMORY;
    rp_status status = rp__tiny_get(s, term, tiny);
    rp__list_from_arrays(tiny->docids, tiny->tfs, term->df, (uint32_t)s->manifest.meta.docs, out);
    return status;
}

rp_status rp__segment_list(const rp__segment *s, const rp__term *term, rp__arena *arena,
                           rp__list *out)
{
    if (term->tiny)
        return open_tiny(s, term, arena, out);
    if (term->df > s->manifest.meta.docs || term->list_offset > s->lists_bytes ||
        term->list_bytes > s->lists_bytes - term->list_offset)
        return RP_DAMAGED;
    return rp__list_open(&s->codec, s->lists + term->list_offset, (size_t)term->list_bytes,
                         term->df, (uint32_t)s->manifest.meta.docs, s->positions != NULL, out);
}

/* A list's head and where its directory begins; a tiny one was read with its entry. */
void rp__segment_expect_list(const rp__segment *s, const rp__term *term)
{
    enum { LINE = 64 };
    if (term->tiny || term->list_offset >= s->lists_bytes)
        return;
    __builtin_prefetch(s->lists + term->list_offset);
    __builtin_prefetch(s->lists + term->list_offset + LINE); /* the padding is larger */
}

bool rp__segment_bounds_hold(const rp__segment *s, const rp__rank *rank)
{
    const rp__meta *m = &s->manifest.meta;
    const rp__ranking *ranking = rp__ranking_find(m->bound_variant);
    const rp__rank_stats *stats = &s->info.stats;
    return ranking && ranking->kind == RP_RANK_BM25 &&
           (rank->ranking->kind == RP_RANK_BM25 || rank->ranking->kind == RP_RANK_IIU) &&
           rank->k1 == m->bound_k1 && rank->b == m->bound_b && rank->stats.docs == stats->docs &&
           rank->stats.tokens == stats->tokens;
}

void rp__segment_get_lengths(const rp__segment *s, rp__lengths *out)
{
    *out = s->docs.lengths;
}

rp_status rp__segment_doc_id(const rp__segment *s, uint32_t docid, const char **id, size_t *bytes)
{
    return rp__doctable_id(&s->docs, docid, id, bytes);
}

rp_status rp__segment_find_doc(const rp__segment *s, const char *id, size_t bytes, uint32_t *docid)
{
    return rp__id_table_find(&s->docs, id, bytes, docid);
}

void rp__segment_expect_doc_place(const rp__segment *s, uint32_t docid)
{
    rp__doctable_expect_place(&s->docs, docid);
}

void rp__segment_expect_doc_id(const rp__segment *s, uint32_t docid)
{
    rp__doctable_expect_id(&s->docs, docid);
}

rp_status rp__segment_doc_text(const rp__segment *s, uint32_t docid, rp__zblock *z,
                               uint64_t max_bytes, rp__doc_text *out)
{
    return rp__doctable_text(&s->docs, docid, z, max_bytes, out);
}
