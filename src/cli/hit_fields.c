/* hit_fields.c: writes the fields of a hit by their names. */
#include "cli/hit_fields.h"

#include <string.h>

#include "base/error.h"
#include "cli/name_list.h"

enum { SHOWN = (1 << 20) + 1 }; /* bytes of title and text; snippets are made of the first 1 MiB */

typedef enum field { RANK, ID, DOCID, SCORE, FIXED, LENGTH, TITLE, SNIPPET, TEXT, FIELDS } field;

static const char *const names[] = {"rank",   "id",    "docid",   "score", "fixed",
                                    "length", "title", "snippet", "text",  NULL};

const char *rp__hit_fields_name(size_t i)
{
    return names[i];
}

static field find(const char *name)
{
    int i = RANK;
    while (i < FIELDS && strcmp(names[i], name) != 0)
        i++;
    return (field)i;
}

static bool has_field(const rp__answer *answer, const char *wanted)
{
    char name[RP_NAME_BYTES];
    for (const char *at = answer->fields; at && rp__name_list_next(&at, name);)
        if (strcmp(name, wanted) == 0)
            return true;
    return false;
}

size_t rp__hit_fields_bytes(const rp__answer *answer)
{
    return has_field(answer, names[TEXT]) && answer->max_memory > SHOWN ? answer->max_memory
                                                                        : SHOWN;
}

static void write_piece(rp__json_writer *w, const char *text, size_t bytes, bool is_marked)
{
    if (bytes == 0)
        return;
    rp__json_writer_begin(w, NULL, '[');
    rp__json_writer_string(w, NULL, text, bytes);
    rp__json_writer_uint(w, NULL, is_marked);
    rp__json_writer_end(w, ']');
}

/* The text once more, cut at its marks: who shows it needs not count bytes. */
static void write_pieces(rp__json_writer *w, const rp_snippet *snippet)
{
    uint32_t at = 0;
    rp__json_writer_begin(w, "pieces", '[');
    for (size_t i = 0; i < snippet->n_marks; i++) {
        uint32_t begin = snippet->marks[i].begin, end = snippet->marks[i].end;
        write_piece(w, snippet->text + at, begin - at, false);
        write_piece(w, snippet->text + begin, end - begin, true);
        at = end;
    }
    write_piece(w, snippet->text + at, strlen(snippet->text + at), false);
    rp__json_writer_end(w, ']');
}

static void write_marks(rp__json_writer *w, const rp_snippet *snippet)
{
    rp__json_writer_begin(w, "marks", '[');
    for (size_t i = 0; i < snippet->n_marks; i++) {
        rp__json_writer_begin(w, NULL, '[');
        rp__json_writer_uint(w, NULL, snippet->marks[i].begin);
        rp__json_writer_uint(w, NULL, snippet->marks[i].end);
        rp__json_writer_end(w, ']');
    }
    rp__json_writer_end(w, ']');
}

static rp_status write_snippet(rp__json_writer *w, const rp__hit_view *view, rp_error *err)
{
    const rp__answer *answer = view->answer;
    rp_snippet snippet = {0};
    rp_status status = rp_searcher_snippet(answer->searcher, answer->query, strlen(answer->query),
                                           view->document, 0, &snippet, err);
    if (status == RP_OK && snippet.text) {
        rp__json_writer_begin(w, "snippet", '{');
        rp__json_writer_text(w, "text", snippet.text);
        write_marks(w, &snippet);
        write_pieces(w, &snippet);
        rp__json_writer_end(w, '}');
    }
    rp_snippet_free(&snippet);
    return status;
}

static rp_status write_field(rp__json_writer *w, const rp__hit_view *view, field which,
                             rp_error *err)
{
    const rp_document *document = view->document;
    switch (which) {
    case RANK:
        rp__json_writer_uint(w, names[which], view->rank);
        break;
    case ID:
        rp__json_writer_text(w, names[which], view->hit->name);
        break;
    case DOCID:
        rp__json_writer_uint(w, names[which], view->hit->docid);
        break;
    case SCORE:
        rp__json_writer_real(w, names[which], view->hit->score, 7);
        break;
    case FIXED:
        rp__json_writer_uint(w, names[which], view->hit->fixed);
        break;
    case LENGTH:
        rp__json_writer_uint(w, names[which], document->length);
        break;
    case TITLE:
        rp__json_writer_string(w, names[which], document->title, document->title_bytes);
        break;
    case SNIPPET:
        return write_snippet(w, view, err);
    case TEXT:
    case FIELDS:
        rp__json_writer_string(w, names[TEXT], document->text, document->text_bytes);
        break;
    }
    return RP_OK;
}

/* A text that was cut short is not shown. */
static rp_status check_text(const rp__hit_view *view, rp_error *err)
{
    const rp__answer *answer = view->answer;
    if (!has_field(answer, names[TEXT]) ||
        view->document->text_bytes < rp__hit_fields_bytes(answer))
        return RP_OK;
    return rp__error_set(err, RP_NO_MEMORY,
                         "document \"%.100s\" takes more than %zu bytes; raise --max-memory",
                         view->hit->name, answer->max_memory);
}

rp_status rp__hit_fields_write(rp__json_writer *w, const rp__hit_view *view, rp_error *err)
{
    const rp__answer *answer = view->answer;
    rp_status status = check_text(view, err);
    char name[RP_NAME_BYTES];
    for (const char *at = answer->fields; status == RP_OK && at && rp__name_list_next(&at, name);)
        status = write_field(w, view, find(name), err);
    for (int i = RANK; status == RP_OK && !answer->fields && i < TEXT; i++)
        if (i != SNIPPET || answer->has_snippets)
            status = write_field(w, view, (field)i, err);
    return status;
}
