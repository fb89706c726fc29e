/* cmd_get.c: riposte get: documents by their ids. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"
#include "cli/verbs.h"
#include "riposte/index.h"

enum { HELD = 4 << 20 }; /* bytes that an open index and a document on its way take */

typedef struct get_args {
    rp__common_args common;
    uint64_t max_memory;
} get_args;

static const rp__option get_rows[] = {
    {.name = "max-memory",
     .kind = RP_OPTION_SIZE,
     .argument = "SIZE",
     .initial = "64M",
     .least = 1,
     .at = offsetof(get_args, max_memory),
     .help = "most memory for a document or, with --json, for all; one that needs more fails"},
    {0},
};

static const rp__option_group groups[] = {
    {"limits", get_rows, 0},
    {"general", rp__options_common, offsetof(get_args, common)},
    {0},
};

typedef struct job {
    rp__console *console;
    const rp__call *call;
    rp_index *index;
    bool has_text; /* the index stores it */
    uint64_t max_memory;
    rp__buf json;
    rp__json_writer w;
    size_t n_missing, n_found;
    const char *missing; /* the first */
} job;

static void print_document(const rp_document *document)
{
    rp__console_put(stdout, document->id, strlen(document->id));
    fputs(document->title_bytes > 0 ? "  " : "", stdout);
    rp__console_put(stdout, document->title, document->title_bytes);
    putchar('\n');
    for (size_t at = 0, end; at < document->text_bytes; at = end + 1) {
        const char *newline = memchr(document->text + at, '\n', document->text_bytes - at);
        end = newline ? (size_t)(newline - document->text) : document->text_bytes;
        rp__console_put(stdout, document->text + at, end - at);
        putchar('\n');
    }
}

static void write_document(rp__json_writer *w, const rp_document *document)
{
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_text(w, "id", document->id);
    rp__json_writer_uint(w, "docid", document->docid);
    rp__json_writer_uint(w, "length", document->length);
    rp__json_writer_string(w, "title", document->title, document->title_bytes);
    rp__json_writer_string(w, "text", document->text, document->text_bytes);
    rp__json_writer_end(w, '}');
}

static rp_status show(job *j, uint32_t docid, const char *id, rp_error *err)
{
    rp_document document;
    rp_status status =
        rp_index_get_document_start(j->index, docid, (size_t)j->max_memory, &document, err);
    if (status != RP_OK)
        return status;
    j->n_found++;
    if (j->console->wants_json)
        write_document(&j->w, &document);
    else
        print_document(&document);
    if (document.text_bytes == j->max_memory || document.title_bytes == j->max_memory ||
        rp__alloc_in_use() > j->max_memory + HELD)
        status = rp__error_set(err, RP_NO_MEMORY,
                               "document \"%.100s\" takes more than %llu bytes; raise --max-memory",
                               id, (unsigned long long)j->max_memory);
    rp_document_free(&document);
    return status;
}

static rp_status get(job *j, const char *id, rp_error *err)
{
    uint32_t docid;
    rp_status status = rp_index_find(j->index, id, &docid, err);
    if (status == RP_NOT_FOUND) {
        j->missing = j->n_missing++ ? j->missing : id;
        return RP_OK;
    }
    return status == RP_OK ? show(j, docid, id, err) : status;
}

static rp_status reply(job *j, rp_error *err)
{
    uint32_t docid;
    rp__json_writer_end(&j->w, ']');
    rp__json_writer_begin(&j->w, "missing", '[');
    for (size_t i = 1; i < j->call->n_operands; i++)
        if (rp_index_find(j->index, j->call->operands[i], &docid, NULL) == RP_NOT_FOUND)
            rp__json_writer_text(&j->w, NULL, j->call->operands[i]);
    rp__json_writer_end(&j->w, ']');
    rp__json_writer_end(&j->w, '}');
    return rp__console_reply(j->console, &j->json, err);
}

static rp_status get_all(job *j, rp_error *err)
{
    rp_status status = RP_OK;
    rp__json_writer_begin(&j->w, NULL, '{');
    rp__json_writer_text(&j->w, "schema", "riposte.get/1");
    rp__json_writer_bool(&j->w, "has_text", j->has_text);
    rp__json_writer_begin(&j->w, "documents", '[');
    for (size_t i = 1; status == RP_OK && i < j->call->n_operands; i++)
        status = get(j, j->call->operands[i], err);
    if (status == RP_OK && j->console->wants_json)
        status = reply(j, err);
    if (status == RP_OK && j->n_found > 0 && !j->has_text)
        rp__console_note(j->console,
                         "riposte: this index stores no text, only ids; an index that was "
                         "made without --no-store has it");
    if (status != RP_OK || j->n_missing == 0)
        return status;
    if (j->n_missing > 1)
        return rp__error_set(err, RP_NOT_FOUND, "%zu ids have no document; the first is \"%.100s\"",
                             j->n_missing, j->missing);
    return rp__error_set(err, RP_NOT_FOUND, "no document has the id \"%.100s\"", j->missing);
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    const get_args *args = call->args;
    job j = {.console = console, .call = call, .max_memory = args->max_memory};
    rp_status status = rp_index_open(call->operands[0], NULL, &j.index, err);
    if (status != RP_OK)
        return status;
    rp_index_info info;
    rp_index_get_info(j.index, &info);
    j.has_text = info.has_text;
    rp__buf_init(&j.json);
    rp__json_writer_init(&j.w, &j.json);
    status = get_all(&j, err);
    rp__buf_free(&j.json);
    rp_index_close(j.index);
    return status;
}

const rp__verb rp__cmd_get_verb = {
    .name = "get",
    .summary = "print documents by their ids",
    .operands = {"DIR", "ID..."},
    .details = "Prints id and title on a line and then the text that the index has stored; with "
               "--json the documents as they were indexed. An index made with --no-store has no "
               "title and text, which is said. Exit code 1 if an id is not there; the "
               "others are printed all the same.",
    .examples = "riposte get my.rip d1\n"
                "riposte get my.rip d1 d2 --json\n",
    .groups = groups,
    .args_bytes = sizeof(get_args),
    .run = run,
};
