/* pisa_export.c: an index as a folder with the five files of PISA's binary collection; pisa_import.c has
 * their form. The folder appears, or replaces the one that is there, when all of them are whole. */
#include <string.h>

#include "base/error.h"
#include "engine/exchange.h"
#include "store/store.h"

enum { DOCS = 0, FREQS, SIZES, TERMS, DOCUMENTS, PARTS };

static const char *const names[PARTS] = {RP_PISA_BASE ".docs", RP_PISA_BASE ".freqs",
                                         RP_PISA_BASE ".sizes", RP_PISA_BASE ".terms",
                                         RP_PISA_BASE ".documents"};

typedef struct target {
    rp__export *ex;
    rp__output_folder *folder;
    rp__output *out[PARTS];
} target;

static void put_words(rp__output *out, const uint32_t *words, size_t n)
{
    rp__output_write(out, words, n * sizeof *words);
}

static void put_word(rp__output *out, uint32_t word)
{
    put_words(out, &word, 1);
}

static rp_status put_line(rp__output *out, const char *text, size_t bytes, const char *what,
                          rp_error *err)
{
    if (memchr(text, '\n', bytes))
        return rp__error_set(err, RP_LIMIT, "%s \"%.*s\" has a line break, which PISA cannot hold",
                             what, (int)(bytes < 80 ? bytes : 80), text);
    rp__output_write(out, text, bytes);
    rp__output_write(out, "\n", 1);
    return RP_OK;
}

static rp_status write_lists(target *t, rp_error *err)
{
    rp__export *ex = t->ex;
    bool has = true;
    rp_status status = RP_OK;
    put_word(t->out[DOCS], 1);
    put_word(t->out[DOCS], (uint32_t)ex->info->docs);
    while (status == RP_OK && !rp__output_folder_has_failed(t->folder)) {
        status = rp__export_next(ex, &has, err);
        if (status != RP_OK || !has)
            break;
        put_word(t->out[DOCS], ex->n);
        put_words(t->out[DOCS], ex->docids, ex->n);
        put_word(t->out[FREQS], ex->n);
        put_words(t->out[FREQS], ex->tfs, ex->n);
        status = put_line(t->out[TERMS], ex->term, ex->term_bytes, "term", err);
    }
    return status;
}

static rp_status write_docs(target *t, rp_error *err)
{
    rp__export *ex = t->ex;
    rp_status status = RP_OK;
    put_word(t->out[SIZES], (uint32_t)ex->info->docs);
    for (uint32_t d = 0;
         d < ex->info->docs && status == RP_OK && !rp__output_folder_has_failed(t->folder); d++) {
        status = rp__export_doc(ex, d, err);
        if (status != RP_OK)
            break;
        put_word(t->out[SIZES], ex->length);
        status = put_line(t->out[DOCUMENTS], ex->id, ex->id_bytes, "document", err);
    }
    return status;
}

rp_status rp__pisa_export_run(rp__export *ex, rp_error *err)
{
    target t = {.ex = ex};
    if (strcmp(ex->path, "-") == 0)
        return rp__error_set(err, RP_USAGE, "PISA's form is a folder of five files; give a name");
    rp_status status = rp__output_folder_create(ex->path, names, PARTS, &t.folder, err);
    for (size_t i = 0; i < PARTS && status == RP_OK; i++)
        t.out[i] = rp__output_folder_file(t.folder, i);
    if (status == RP_OK)
        status = write_lists(&t, err);
    if (status == RP_OK)
        status = write_docs(&t, err);
    if (status == RP_OK &&
        (ex->info->stats.docs != ex->info->docs || ex->info->stats.tokens != ex->info->tokens))
        rp__export_warn(ex, "the figures of the collection that this index is a part of have no "
                            "place in PISA's files");
    if (status == RP_OK)
        return rp__output_folder_finish(t.folder, err);
    rp__output_folder_abandon(t.folder);
    return status;
}
