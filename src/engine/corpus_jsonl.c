/* corpus_jsonl.c: a JSON object a line. Known fields by their usual names or by the names given; other
 * fields are passed over whatever they hold. Of a field's names the first counts, wherever in the
 * object it stands; of a key that is there twice, the last. */
#include "engine/corpus_format.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum { ABSENT = 255 };

/* What is known of the object so far. */
typedef struct object {
    rp__doc_parser *parser;
    const rp__batch *batch;
    size_t i;
    const char *at[RP_FIELDS];
    size_t bytes[RP_FIELDS];
    uint8_t name[RP_FIELDS]; /* which of the field's names it came by; ABSENT */
} object;

static bool sniff(const char *head, size_t n)
{
    size_t i = 0;
    while (i < n && strchr(" \t\r\n", head[i]) && head[i])
        i++;
    return i < n && head[i] == '{';
}

static rp_status fault(const object *o, rp_error *err, rp_status status)
{
    const rp__json *json = &o->parser->json;
    if (status == RP_NO_MEMORY)
        return rp__error_no_memory(err);
    char what[128];
    snprintf(what, sizeof what, "%s%s", json->fault,
             status == RP_LIMIT ? "; raise --max-json-depth" : "");
    return rp__doc_parser_fault(o->batch, o->i, json->fault_offset, status, what, err);
}

/* The field that the key names, and by which name; RP_FIELDS: none. */
static size_t find_field(const rp__doc_parser *parser, uint8_t *name)
{
    const rp__json *json = &parser->json;
    for (size_t f = 0; f < RP_FIELDS; f++)
        for (uint8_t k = 0; parser->names[f][k]; k++)
            if (strlen(parser->names[f][k]) == json->string_bytes &&
                memcmp(parser->names[f][k], json->string, json->string_bytes) == 0) {
                *name = k;
                return f;
            }
    return RP_FIELDS;
}

/* A string that was decoded lies in the scratch that the next one takes: the field keeps the scratch
 * and gives its own buffer for it. */
static void keep(object *o, size_t f)
{
    rp__json *json = &o->parser->json;
    rp__buf *own = &o->parser->own[f];
    if (json->string == (const char *)json->scratch.at) {
        rp__buf scratch = json->scratch;
        json->scratch = *own;
        *own = scratch;
    }
    o->at[f] = json->string;
    o->bytes[f] = json->string_bytes;
}

static bool is_integer(const char *s, size_t n)
{
    return !memchr(s, '.', n) && !memchr(s, 'e', n) && !memchr(s, 'E', n);
}

static rp_status read_field(object *o, size_t f, rp_error *err)
{
    rp__json *json = &o->parser->json;
    rp__json_type type;
    while (json->at < json->end && (*json->at == ' ' || *json->at == '\t'))
        json->at++;
    size_t offset = (size_t)(json->at - json->begin);
    rp_status status = rp__json_next(json, &type);
    if (status != RP_OK)
        return fault(o, err, status);
    if (type == RP_JSON_STRING || (f == RP_FIELD_ID && type == RP_JSON_NUMBER &&
                                   is_integer(json->string, json->string_bytes))) {
        keep(o, f);
        return RP_OK;
    }
    if (f != RP_FIELD_ID && type == RP_JSON_NULL) {
        o->bytes[f] = 0;
        return RP_OK;
    }
    char what[128];
    snprintf(what, sizeof what, "field \"%.40s\" must be a string%s",
             o->parser->names[f][o->name[f]], f == RP_FIELD_ID ? " or an integer" : "");
    return rp__doc_parser_fault(o->batch, o->i, offset, RP_INPUT, what, err);
}

/* All keys of the object, up to its end and that of the line. */
static rp_status read_object(object *o, rp_error *err)
{
    rp__json *json = &o->parser->json;
    rp__json_type type = RP_JSON_OBJECT;
    rp_status status;
    while ((status = rp__json_next(json, &type)) == RP_OK && type == RP_JSON_KEY) {
        uint8_t name = ABSENT;
        size_t f = find_field(o->parser, &name);
        if (f == RP_FIELDS || name > o->name[f]) {
            status = rp__json_skip(json);
            if (status != RP_OK)
                break;
            continue;
        }
        o->name[f] = name;
        status = read_field(o, f, err);
        if (status != RP_OK)
            return status;
    }
    if (status == RP_OK)
        status = rp__json_next(json, &type);
    return status == RP_OK ? RP_OK : fault(o, err, status);
}

static rp_status missing(const object *o, size_t f, const char *field, rp_error *err)
{
    char what[192];
    int n = snprintf(what, sizeof what, "no %s; looked for", field);
    for (const char *const *name = o->parser->names[f]; *name; name++)
        n += snprintf(what + n, sizeof what - (size_t)n, " %.24s", *name);
    snprintf(what + n, sizeof what - (size_t)n, "; name the field with --%s-field", field);
    return rp__doc_parser_fault(o->batch, o->i, 0, RP_INPUT, what, err);
}

static rp_status parse(rp__doc_parser *parser, const rp__batch *batch, size_t i, rp__doc *doc,
                       rp_error *err)
{
    object o = {.parser = parser, .batch = batch, .i = i, .name = {ABSENT, ABSENT, ABSENT}};
    const rp__record *record = &batch->records[i];
    rp__json_type type;
    rp__json_start(&parser->json, (const char *)batch->bytes.at + record->offset, record->bytes,
                   parser->max_json_depth);
    rp_status status = rp__json_next(&parser->json, &type);
    if (status != RP_OK)
        return fault(&o, err, status);
    if (type != RP_JSON_OBJECT)
        return rp__doc_parser_fault(batch, i, 0, RP_INPUT,
                                    "expected a JSON object, one a line, in braces", err);
    status = read_object(&o, err);
    if (status != RP_OK)
        return status;
    if (o.name[RP_FIELD_ID] == ABSENT)
        return missing(&o, RP_FIELD_ID, "id", err);
    if (o.name[RP_FIELD_TEXT] == ABSENT && o.name[RP_FIELD_TITLE] == ABSENT)
        return missing(&o, RP_FIELD_TEXT, "text", err);
    doc->id = o.at[RP_FIELD_ID];
    doc->id_bytes = o.bytes[RP_FIELD_ID];
    doc->title = o.bytes[RP_FIELD_TITLE] ? o.at[RP_FIELD_TITLE] : "";
    doc->title_bytes = o.bytes[RP_FIELD_TITLE];
    doc->text = o.bytes[RP_FIELD_TEXT] ? o.at[RP_FIELD_TEXT] : "";
    doc->text_bytes = o.bytes[RP_FIELD_TEXT];
    return RP_OK;
}

const rp__corpus_format rp__corpus_jsonl = {
    .name = "jsonl",
    .extensions = {"jsonl", "json", "ndjson"},
    .is_sure = true,
    .sniff = sniff,
    .split = rp__corpus_format_split_line,
    .parse = parse,
};
