/* manifest.c: writes, publishes and reads the manifest; knows the names of the files of an index. */
#include "index/manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

static const char *const kind_names[RP_FILE_KINDS] = {"manifest",  "terms", "lists",
                                                      "positions", "docs",  "text"};

void rp__manifest_file_name(rp__file_kind kind, uint64_t generation, char out[RP_FILE_NAME_MAX])
{
    snprintf(out, RP_FILE_NAME_MAX, "%s.%08" PRIx64 ".rp", kind_names[kind], generation);
}

static bool is_data_name(const char *name, uint64_t *generation)
{
    for (size_t kind = RP_FILE_TERMS; kind < RP_FILE_KINDS; kind++) {
        size_t n = strlen(kind_names[kind]);
        if (strncmp(name, kind_names[kind], n) != 0 || name[n] != '.')
            continue;
        const char *digits = name + n + 1;
        size_t n_digits = strspn(digits, "0123456789abcdef");
        if (n_digits < 8 || n_digits > 16 || strcmp(digits + n_digits, ".rp") != 0)
            continue;
        *generation = strtoull(digits, NULL, 16);
        return true;
    }
    return false;
}

/* "run.12.tmp", "aux.3.tmp" */
static bool is_temporary_name(const char *name)
{
    if (strncmp(name, "run.", 4) != 0 && strncmp(name, "aux.", 4) != 0)
        return false;
    size_t n_digits = strspn(name + 4, "0123456789");
    return n_digits > 0 && strcmp(name + 4 + n_digits, ".tmp") == 0;
}

bool rp__manifest_owns_name(const char *name, uint64_t *generation)
{
    *generation = 0;
    return strcmp(name, RP_MANIFEST_NEW) == 0 || is_temporary_name(name) ||
           is_data_name(name, generation);
}

static void put_section(rp__section_writer *w, uint32_t id, const void *bytes, size_t n)
{
    rp__section_writer_begin(w, id);
    rp__section_writer_put(w, bytes, n);
    rp__section_writer_end(w);
}

rp_status rp__manifest_publish(rp__folder *folder, const rp__manifest *m, rp_error *err)
{
    rp__section_writer *w;
    rp_status status = rp__section_writer_new(folder, RP_MANIFEST_NEW, RP_FILE_MANIFEST, &w, err);
    if (status != RP_OK)
        return status;
    rp__section_writer_require(w, RP_FEATURE_KTHS | RP_FEATURE_TINY_BITS | RP_FEATURE_CLOSE |
                                      (m->freqs[0] ? RP_FEATURE_FREQS : 0U) |
                                      (m->has_stats ? RP_FEATURE_STATS : 0U) |
                                      (m->analysis.tokens[0] ? RP_FEATURE_ANALYSIS : 0U));
    put_section(w, RP_SECTION_META, &m->meta, sizeof m->meta);
    put_section(w, RP_SECTION_STOP_WORDS, m->stop_words, m->stop_bytes);
    if (m->freqs[0])
        put_section(w, RP_SECTION_FREQS, m->freqs, strlen(m->freqs));
    rp__meta_stats stats = {m->stats.docs, m->stats.tokens, m->stats.max_length, 0};
    if (m->has_stats)
        put_section(w, RP_SECTION_STATS, &stats, sizeof stats);
    if (m->analysis.tokens[0])
        put_section(w, RP_SECTION_ANALYSIS, &m->analysis, sizeof m->analysis);
    if (m->costs[0])
        put_section(w, RP_SECTION_COSTS, m->costs, strlen(m->costs));
    status = rp__section_writer_finish(w, NULL, NULL, err);
    if (status == RP_OK)
        status = rp__folder_publish(folder, RP_MANIFEST_NEW, RP_MANIFEST_NAME, err);
    if (status != RP_OK)
        rp__folder_remove(folder, RP_MANIFEST_NEW);
    return status;
}

static bool is_text(const char *s, size_t cap)
{
    return memchr(s, 0, cap) != NULL;
}

static rp_status nonsense(const rp__section_file *f, rp_error *err)
{
    return rp__error_set(err, RP_DAMAGED, "%s: the manifest makes no sense; build the index again",
                         rp__section_file_name(f));
}

static rp_status check_meta(const rp__section_file *f, const rp__meta *m, rp_error *err)
{
    if (m->docs <= RP_MAX_DOCS && is_text(m->codec, sizeof m->codec) &&
        is_text(m->stem, sizeof m->stem) && is_text(m->stop, sizeof m->stop) &&
        is_text(m->bound_variant, sizeof m->bound_variant))
        return RP_OK;
    return nonsense(f, err);
}

static rp_status wrong_size(const rp__section_file *f, rp_error *err)
{
    return rp__error_set(err, RP_DAMAGED, "%s: the manifest has another size than it should",
                         rp__section_file_name(f));
}

/* Copies first and then verifies, so that a file that is cut short meanwhile is found. */
static rp_status copy_section(const rp__section_file *f, uint32_t id, void *to, const void *from,
                              size_t bytes, rp_error *err)
{
    if (rp__mapping_copy(to, from, bytes) != RP_OK)
        return rp__error_set(err, RP_DAMAGED, "%s: cut short while it was read",
                             rp__section_file_name(f));
    return rp__section_file_verify(f, id, err);
}

static rp_status read_meta(const rp__section_file *f, rp__manifest *out, rp_error *err)
{
    const uint8_t *at;
    size_t bytes;
    rp_status status = rp__section_file_get(f, RP_SECTION_META, &at, &bytes, err);
    if (status != RP_OK)
        return status;
    if (bytes != sizeof out->meta)
        return wrong_size(f, err);
    status = copy_section(f, RP_SECTION_META, &out->meta, at, bytes, err);
    return status == RP_OK ? check_meta(f, &out->meta, err) : status;
}

static rp_status read_stop_words(const rp__section_file *f, rp__manifest *out, rp_error *err)
{
    const uint8_t *at;
    size_t bytes;
    rp_status status = rp__section_file_get(f, RP_SECTION_STOP_WORDS, &at, &bytes, err);
    if (status != RP_OK)
        return status;
    if (bytes > RP_STOP_WORDS_MAX)
        return wrong_size(f, err);
    out->stop_words = rp__alloc(bytes + 1);
    if (!out->stop_words)
        return rp__error_no_memory(err);
    out->stop_words[bytes] = 0;
    out->stop_bytes = bytes;
    return copy_section(f, RP_SECTION_STOP_WORDS, out->stop_words, at, bytes, err);
}

static bool has_section(const rp__section_file *f, uint32_t id)
{
    for (size_t i = 0; i < rp__section_file_count(f); i++)
        if (rp__section_file_id(f, i) == id)
            return true;
    return false;
}

/* There if, and only if, the header says so: a reader that knew nothing of it would be misled. */
static rp_status read_freqs(const rp__section_file *f, rp__manifest *out, rp_error *err)
{
    const uint8_t *at;
    size_t bytes;
    if (!(rp__section_file_required(f) & RP_FEATURE_FREQS))
        return has_section(f, RP_SECTION_FREQS) ? nonsense(f, err) : RP_OK;
    rp_status status = rp__section_file_get(f, RP_SECTION_FREQS, &at, &bytes, err);
    if (status != RP_OK)
        return status;
    if (bytes == 0 || bytes >= sizeof out->freqs)
        return wrong_size(f, err);
    return copy_section(f, RP_SECTION_FREQS, out->freqs, at, bytes, err);
}

/* The collection has at least what the index has of it. */
static rp_status read_stats(const rp__section_file *f, rp__manifest *out, rp_error *err)
{
    const uint8_t *at;
    size_t bytes;
    rp__meta_stats stats;
    if (!(rp__section_file_required(f) & RP_FEATURE_STATS))
        return has_section(f, RP_SECTION_STATS) ? nonsense(f, err) : RP_OK;
    rp_status status = rp__section_file_get(f, RP_SECTION_STATS, &at, &bytes, err);
    if (status != RP_OK)
        return status;
    if (bytes != sizeof stats)
        return wrong_size(f, err);
    status = copy_section(f, RP_SECTION_STATS, &stats, at, bytes, err);
    if (status != RP_OK)
        return status;
    if (stats.docs < out->meta.docs || stats.docs > RP_MAX_DOCS ||
        stats.max_length < out->meta.max_length)
        return nonsense(f, err);
    out->has_stats = true;
    out->stats = (rp__rank_stats){stats.docs, stats.tokens, stats.max_length};
    return RP_OK;
}

/* There if, and only if, the header says so: queries must be analyzed as the documents were. */
static rp_status read_analysis(const rp__section_file *f, rp__manifest *out, rp_error *err)
{
    const uint8_t *at;
    size_t bytes;
    rp__meta_analysis *a = &out->analysis;
    if (!(rp__section_file_required(f) & RP_FEATURE_ANALYSIS))
        return has_section(f, RP_SECTION_ANALYSIS) ? nonsense(f, err) : RP_OK;
    rp_status status = rp__section_file_get(f, RP_SECTION_ANALYSIS, &at, &bytes, err);
    if (status != RP_OK)
        return status;
    if (bytes != sizeof *a)
        return wrong_size(f, err);
    status = copy_section(f, RP_SECTION_ANALYSIS, a, at, bytes, err);
    if (status != RP_OK)
        return status;
    bool is_sound = a->tokens[0] && is_text(a->tokens, sizeof a->tokens) && a->zero == 0 &&
                    (a->flags & ~(uint32_t)RP_ANALYSIS_FLAGS) == 0;
    return is_sound ? RP_OK : nonsense(f, err);
}

static rp_status read_costs(const rp__section_file *f, rp__manifest *out, rp_error *err)
{
    const uint8_t *at;
    size_t bytes;
    if (!has_section(f, RP_SECTION_COSTS))
        return RP_OK;
    rp_status status = rp__section_file_get(f, RP_SECTION_COSTS, &at, &bytes, err);
    if (status != RP_OK)
        return status;
    if (bytes == 0 || bytes >= sizeof out->costs)
        return wrong_size(f, err);
    status = copy_section(f, RP_SECTION_COSTS, out->costs, at, bytes, err);
    if (status != RP_OK)
        return status;
    return is_text(out->costs, sizeof out->costs) ? RP_OK : nonsense(f, err);
}

rp_status rp__manifest_read(const rp__folder *folder, rp__manifest *out, rp_error *err)
{
    rp__section_file *f;
    *out = (rp__manifest){0};
    rp_status status =
        rp__section_file_open(folder, RP_MANIFEST_NAME, RP_FILE_MANIFEST, 0, 0, &f, err);
    if (status != RP_OK)
        return status;
    out->has_tiny_bits = rp__section_file_required(f) & RP_FEATURE_TINY_BITS;
    out->is_close = rp__section_file_required(f) & RP_FEATURE_CLOSE;
    status = read_meta(f, out, err);
    if (status == RP_OK)
        status = read_stop_words(f, out, err);
    if (status == RP_OK)
        status = read_freqs(f, out, err);
    if (status == RP_OK)
        status = read_stats(f, out, err);
    if (status == RP_OK)
        status = read_analysis(f, out, err);
    if (status == RP_OK)
        status = read_costs(f, out, err);
    rp__section_file_close(f);
    if (status != RP_OK)
        rp__manifest_reset(out);
    return status;
}

rp__rank_stats rp__manifest_stats(const rp__manifest *m)
{
    rp__rank_stats own = {m->meta.docs, m->meta.tokens, m->meta.max_length};
    return m->has_stats ? m->stats : own;
}

void rp__manifest_reset(rp__manifest *m)
{
    rp__free(m->stop_words);
    *m = (rp__manifest){0};
}
