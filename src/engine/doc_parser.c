/* doc_parser.c: one record of a batch to one document, by the batch's format.
 *
 * Owns what the formats decode into, chooses the id, and says where a fault is. What an id may be is
 * the segment builder's to check. */
#include "engine/corpus.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"
#include "engine/corpus_format.h"

enum {
    DEFAULT_JSON_DEPTH = 64,
    KEEP_BYTES = 64 << 10, /* a buffer that grew past this for one document is given back */
    SHOWN_PATH = 100,      /* bytes of a path that a message has room for */
};

rp_status rp__doc_parser_new(const rp_build_options *options, rp__doc_parser **out)
{
    static const rp_build_options defaults;
    const rp_build_options *o = options ? options : &defaults;
    rp__doc_parser *parser = rp__alloc_zero(1, sizeof *parser);
    if (!parser)
        return RP_NO_MEMORY;
    rp__json_init(&parser->json);
    parser->max_json_depth = o->max_json_depth ? o->max_json_depth : DEFAULT_JSON_DEPTH;
    rp__field_names_init(&parser->names, options);
    if (rp__corpus_find_ids(o->ids, &parser->ids, NULL) != RP_OK)
        parser->ids = RP_IDS_AUTO; /* rp__corpus_open refuses it */
    *out = parser;
    return RP_OK;
}

void rp__doc_parser_free(rp__doc_parser *parser)
{
    if (!parser)
        return;
    rp__json_free(&parser->json);
    for (size_t f = 0; f < RP_FIELDS; f++)
        rp__buf_free(&parser->own[f]);
    rp__buf_free(&parser->spare);
    rp__free(parser);
}

rp_status rp__doc_parser_place(const rp__batch *batch, size_t i, size_t offset, rp_status status,
                               const char *what, rp_error *err)
{
    const char *at = (const char *)batch->bytes.at + batch->records[i].offset, *line = at, *newline;
    uint64_t number = batch->records[i].line;
    while ((newline = memchr(line, '\n', offset - (size_t)(line - at)))) {
        line = newline + 1;
        number++;
    }
    size_t column = offset - (size_t)(line - at) + 1, path_bytes = strlen(batch->path);
    if (line == at)
        column += batch->records[i].column;
    bool is_long = path_bytes > SHOWN_PATH;
    return rp__error_set(err, status, "%s%s:%llu:%zu: %s", is_long ? "..." : "",
                         batch->path + (is_long ? path_bytes - SHOWN_PATH : 0),
                         (unsigned long long)number, column, what);
}

static const char *pass_number(const char *p)
{
    while (*p >= '0' && *p <= '9')
        p++;
    return *p == ':' ? p + 1 : p;
}

const char *rp__doc_parser_reason(const rp__batch *batch, const char *message)
{
    size_t n = strlen(batch->path);
    const char *p = message + (n > SHOWN_PATH ? SHOWN_PATH + 3 : n) + 1;
    p = pass_number(pass_number(p));
    return p + (*p == ' ');
}

rp_status rp__doc_parser_fault(const rp__batch *batch, size_t i, size_t offset, rp_status status,
                               const char *what, rp_error *err)
{
    const rp__record *record = &batch->records[i];
    uint8_t byte = offset < record->bytes ? batch->bytes.at[record->offset + offset] : ' ';
    char text[sizeof err->text];
    if (byte >= ' ' && byte <= '~')
        return rp__doc_parser_place(batch, i, offset, status, what, err);
    snprintf(text, sizeof text, "%s (byte 0x%02X)", what, byte);
    return rp__doc_parser_place(batch, i, offset, status, text, err);
}

void rp__doc_parser_clear(rp__doc_parser *parser)
{
    rp__buf_clear(&parser->json.scratch, KEEP_BYTES);
    for (size_t f = 0; f < RP_FIELDS; f++)
        rp__buf_clear(&parser->own[f], KEEP_BYTES);
    rp__buf_clear(&parser->spare, KEEP_BYTES);
}

void rp__doc_parser_merge_dropped(const rp__doc_parser *parser, rp__dropped *to)
{
    rp__dropped_merge(to, &parser->dropped);
}

bool rp__doc_parser_merge_found(const rp__doc_parser *parser, bool *has)
{
    for (size_t f = 0; f < RP_FIELDS; f++)
        has[f] |= parser->is_found[f];
    return parser->has_objects;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void view(const rp__buf *buf, const char **at, size_t *n)
{
    if (buf->n == 0)
        return;
    *at = (const char *)buf->at;
    *n = buf->n;
    while (*n > 0 && is_space((*at)[*n - 1]))
        --*n;
    while (*n > 0 && is_space(**at)) {
        ++*at;
        --*n;
    }
}

rp_status rp__doc_parser_view_own(const rp__doc_parser *parser, rp__doc *doc, rp_error *err)
{
    const rp__buf *own = parser->own;
    if (own[RP_FIELD_ID].failed || own[RP_FIELD_TITLE].failed || own[RP_FIELD_TEXT].failed ||
        parser->spare.failed)
        return rp__error_no_memory(err);
    view(&own[RP_FIELD_TITLE], &doc->title, &doc->title_bytes);
    view(&own[RP_FIELD_TEXT], &doc->text, &doc->text_bytes);
    return RP_OK;
}

/* ---- Ids ------------------------------------------------------------------------------------- */

/* Bytes of a path that an id cannot have, controls and what is not UTF-8, are shown as \xNN. */
static void put_path(rp__buf *out, const char *path)
{
    for (size_t left = strlen(path); left > 0;) {
        uint32_t n = rp__utf8_valid(path, left);
        bool is_c1 = n == 2 && (unsigned char)path[0] == 0xC2 && (unsigned char)path[1] < 0xA0;
        if (n == 0 || (unsigned char)*path < ' ' || *path == 0x7F || is_c1) {
            n = 1;
            rp__buf_printf(out, "\\x%02X", (unsigned)(unsigned char)*path);
        } else {
            rp__buf_put(out, path, n);
        }
        path += n;
        left -= n;
    }
}

void rp__doc_parser_put_path(const rp__batch *batch, size_t i, rp__buf *out)
{
    put_path(out, batch->path + batch->path_id);
    if (!batch->format->is_file)
        rp__buf_printf(out, "#%llu", (unsigned long long)batch->first + i + 1);
}

static rp_status take_path(rp__doc_parser *parser, const rp__batch *batch, size_t i, rp__doc *doc,
                           rp_error *err)
{
    rp__buf *own = &parser->own[RP_FIELD_ID];
    own->n = 0;
    rp__doc_parser_put_path(batch, i, own);
    if (own->failed)
        return rp__error_no_memory(err);
    doc->id = (const char *)own->at;
    doc->id_bytes = own->n;
    return RP_OK;
}

static rp_status choose_id(rp__doc_parser *parser, const rp__batch *batch, size_t i, rp__doc *doc,
                           rp_error *err)
{
    rp__ids ids = parser->ids;
    bool is_path = ids == RP_IDS_RELATIVE || ids == RP_IDS_PATH;
    if (is_path || (ids != RP_IDS_NUMBER && batch->format->is_file))
        return take_path(parser, batch, i, doc, err);
    doc->is_strict = ids == RP_IDS_FIELD && !doc->id;
    if (doc->is_strict)
        return rp__doc_parser_fault(batch, i, 0, RP_INPUT,
                                    "no id; leave --ids out to have such documents numbered", err);
    doc->is_numbered = ids == RP_IDS_NUMBER || !doc->id;
    if (doc->is_numbered) {
        doc->id = "";
        doc->id_bytes = 0;
    }
    return RP_OK;
}

rp_status rp__doc_parser_parse(rp__doc_parser *parser, const rp__batch *batch, size_t i,
                               rp__doc *doc, rp_error *err)
{
    *doc = (rp__doc){.title = "", .text = ""};
    rp__doc_parser_clear(parser);
    rp_status status = batch->format->parse(parser, batch, i, doc, err);
    return status == RP_OK ? choose_id(parser, batch, i, doc, err) : status;
}
