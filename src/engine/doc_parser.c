/* doc_parser.c: one record of a batch to one document, by the batch's format.
 *
 * Owns what the formats decode into, and says where a fault is. What an id may be is the segment
 * builder's to check. */
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

static const char *const usual_names[RP_FIELDS][5] = {
    [RP_FIELD_ID] = {"id", "_id", "docno", "docid"},
    [RP_FIELD_TITLE] = {"title"},
    [RP_FIELD_TEXT] = {"text", "contents", "content", "body"},
};

rp_status rp__doc_parser_new(const rp_build_options *options, rp__doc_parser **out)
{
    static const rp_build_options defaults;
    const rp_build_options *o = options ? options : &defaults;
    const char *const given[RP_FIELDS] = {o->id_field, o->title_field, o->text_field};
    rp__doc_parser *parser = rp__alloc_zero(1, sizeof *parser);
    if (!parser)
        return RP_NO_MEMORY;
    rp__json_init(&parser->json);
    parser->max_json_depth = o->max_json_depth ? o->max_json_depth : DEFAULT_JSON_DEPTH;
    memcpy(parser->names, usual_names, sizeof usual_names);
    for (size_t f = 0; f < RP_FIELDS; f++)
        if (given[f]) {
            parser->names[f][0] = given[f];
            parser->names[f][1] = NULL;
        }
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
    bool is_long = path_bytes > SHOWN_PATH;
    return rp__error_set(err, status, "%s%s:%llu:%zu: %s", is_long ? "..." : "",
                         batch->path + (is_long ? path_bytes - SHOWN_PATH : 0),
                         (unsigned long long)number, column, what);
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

rp_status rp__doc_parser_check_utf8(const rp__batch *batch, size_t i, rp_error *err)
{
    const rp__record *record = &batch->records[i];
    const char *at = (const char *)batch->bytes.at + record->offset;
    size_t good = rp__utf8_check(at, record->bytes);
    if (good == record->bytes)
        return RP_OK;
    return rp__doc_parser_fault(batch, i, good, RP_INPUT, "invalid UTF-8", err);
}

void rp__doc_parser_clear(rp__doc_parser *parser)
{
    rp__buf_clear(&parser->json.scratch, KEEP_BYTES);
    for (size_t f = 0; f < RP_FIELDS; f++)
        rp__buf_clear(&parser->own[f], KEEP_BYTES);
}

rp_status rp__doc_parser_parse(rp__doc_parser *parser, const rp__batch *batch, size_t i,
                               rp__doc *doc, rp_error *err)
{
    *doc = (rp__doc){.id = "", .title = "", .text = ""};
    rp__doc_parser_clear(parser);
    return batch->format->parse(parser, batch, i, doc, err);
}
