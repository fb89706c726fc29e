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

rp_status rp__manifest_publish(rp__folder *folder, const rp__meta *meta, const char *stop_words,
                               size_t stop_bytes, rp_error *err)
{
    rp__section_writer *w;
    rp_status status = rp__section_writer_new(folder, RP_MANIFEST_NEW, RP_FILE_MANIFEST, &w, err);
    if (status != RP_OK)
        return status;
    rp__section_writer_begin(w, RP_SECTION_META);
    rp__section_writer_put(w, meta, sizeof *meta);
    rp__section_writer_end(w);
    rp__section_writer_begin(w, RP_SECTION_STOP_WORDS);
    rp__section_writer_put(w, stop_words, stop_bytes);
    rp__section_writer_end(w);
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

static rp_status check_meta(const rp__section_file *f, const rp__meta *m, rp_error *err)
{
    if (m->docs <= RP_MAX_DOCS && is_text(m->codec, sizeof m->codec) &&
        is_text(m->stem, sizeof m->stem) && is_text(m->stop, sizeof m->stop) &&
        is_text(m->bound_variant, sizeof m->bound_variant))
        return RP_OK;
    return rp__error_set(err, RP_DAMAGED, "%s: the manifest makes no sense; build the index again",
                         rp__section_file_name(f));
}

typedef struct copy_job {
    void *to;
    const void *from;
    size_t bytes;
} copy_job;

static rp_status run_copy(void *arg)
{
    const copy_job *job = arg;
    if (job->bytes)
        memcpy(job->to, job->from, job->bytes);
    return RP_OK;
}

/* Copies both sections and then verifies them, so that a file that is cut short meanwhile is found. */
static rp_status copy_sections(const rp__section_file *f, const copy_job *meta,
                               const copy_job *words, rp_error *err)
{
    copy_job jobs[2] = {*meta, *words};
    if (rp__mapping_guard(run_copy, &jobs[0]) != RP_OK ||
        rp__mapping_guard(run_copy, &jobs[1]) != RP_OK)
        return rp__error_set(err, RP_DAMAGED, "%s: cut short while it was read",
                             rp__section_file_name(f));
    rp_status status = rp__section_file_verify(f, RP_SECTION_META, err);
    return status == RP_OK ? rp__section_file_verify(f, RP_SECTION_STOP_WORDS, err) : status;
}

static rp_status read_sections(const rp__section_file *f, rp__meta *meta, char **stop_words,
                               size_t *stop_bytes, rp_error *err)
{
    const uint8_t *at, *words;
    size_t bytes, n;
    rp_status status;
    if ((status = rp__section_file_get(f, RP_SECTION_META, &at, &bytes, err)) != RP_OK ||
        (status = rp__section_file_get(f, RP_SECTION_STOP_WORDS, &words, &n, err)) != RP_OK)
        return status;
    if (bytes != sizeof *meta)
        return rp__error_set(err, RP_DAMAGED, "%s: the manifest has another size than it should",
                             rp__section_file_name(f));
    char *copy = rp__alloc(n + 1);
    if (!copy)
        return rp__error_no_memory(err);
    copy[n] = 0;
    status = copy_sections(f, &(copy_job){meta, at, bytes}, &(copy_job){copy, words, n}, err);
    if (status == RP_OK)
        status = check_meta(f, meta, err);
    if (status != RP_OK) {
        rp__free(copy);
        return status;
    }
    *stop_words = copy;
    *stop_bytes = n;
    return RP_OK;
}

rp_status rp__manifest_read(const rp__folder *folder, rp__meta *meta, char **stop_words,
                            size_t *stop_bytes, rp_error *err)
{
    rp__section_file *f;
    rp_status status =
        rp__section_file_open(folder, RP_MANIFEST_NAME, RP_FILE_MANIFEST, 0, 0, &f, err);
    if (status != RP_OK)
        return status;
    status = read_sections(f, meta, stop_words, stop_bytes, err);
    rp__section_file_close(f);
    return status;
}
