/* corpus_jsonl.c: a JSON object a line. Known fields by their usual names or by the names given; other
 * fields are passed over whatever they hold, and their names are kept for a note. Of a field's names the
 * first counts, wherever in the object it stands; of a key that is there twice, the last. An array of
 * strings is a text of several paragraphs. */
#include "engine/corpus_jsonl.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum { ABSENT = 255, SNIFF_DEPTH = 1024 };

/* What is known of the object so far. */
typedef struct object {
    rp__doc_parser *parser;
    const rp__batch *batch;
    size_t i;
    rp__doc *doc;
    const char *at[RP_FIELDS];
    size_t bytes[RP_FIELDS];
    uint8_t name[RP_FIELDS]; /* which of the field's names it came by; ABSENT */
} object;

/* ---- Telling --------------------------------------------------------------------------------- */

static bool is_integer(const char *s, size_t n)
{
    return !memchr(s, '.', n) && !memchr(s, 'e', n) && !memchr(s, 'E', n);
}

/* Passes the value of a field. *fits: the field may have such a value; otherwise it may not be passed. */
static rp_status look_at_value(rp__json *json, size_t f, bool *fits)
{
    rp__json_type type = RP_JSON_END;
    rp_status status = rp__json_next(json, &type);
    if (f == RP_FIELD_ID)
        *fits = type == RP_JSON_STRING ||
                (type == RP_JSON_NUMBER && is_integer(json->string, json->string_bytes));
    else
        *fits = type == RP_JSON_STRING || type == RP_JSON_NULL || type == RP_JSON_ARRAY;
    if (status != RP_OK || type != RP_JSON_ARRAY || !*fits)
        return status;
    while ((status = rp__json_next(json, &type)) == RP_OK && type == RP_JSON_STRING)
        continue;
    *fits = type == RP_JSON_ARRAY_END;
    return status;
}

/* Reads the keys of the object that json has just opened. *has_text: a field of text is among them, or of
 * a title, if that will do; and in a folder all are what they must be. */
static rp_status look_for_text(rp__json *json, const rp__sniff *s, bool or_title, bool *has_text)
{
    rp__json_type type = RP_JSON_OBJECT;
    rp_status status;
    while ((status = rp__json_next(json, &type)) == RP_OK && type == RP_JSON_KEY) {
        uint8_t rank;
        bool fits = true;
        size_t f = rp__field_names_find(s->names, json->string, json->string_bytes, &rank);
        *has_text |= f == RP_FIELD_TEXT || (or_title && f == RP_FIELD_TITLE);
        status =
            f == RP_FIELDS || !s->in_folder ? rp__json_skip(json) : look_at_value(json, f, &fits);
        if (status == RP_OK && !fits) {
            *has_text = false;
            return RP_OK;
        }
        if (status != RP_OK)
            break;
    }
    return status;
}

bool rp__corpus_jsonl_has_text(const rp__sniff *s, const char *at, size_t n, bool or_title,
                               bool is_cut)
{
    rp__json json;
    rp__json_type type;
    bool has_text = false;
    rp__json_init(&json);
    rp__json_start(&json, at, n, SNIFF_DEPTH);
    rp_status status = rp__json_next(&json, &type);
    bool is_object = status == RP_OK && type == RP_JSON_OBJECT;
    if (is_object)
        status = look_for_text(&json, s, or_title, &has_text);
    if (status == RP_OK && is_object && has_text)
        status = rp__json_next(&json, &type);
    bool is_good = status == RP_OK || (is_cut && json.fault_offset == n);
    rp__json_free(&json);
    if (status == RP_NO_MEMORY) /* not known: whoever parses it will say so */
        return is_object;
    return is_object && is_good && has_text;
}

/* The first line is an object with a known field. */
static bool sniff(const rp__sniff *s)
{
    rp__split line = {.at = s->head, .n = s->n, .is_end = true};
    if (!rp__corpus_format_split_line(&line))
        return false;
    bool is_cut = line.used == s->n && !s->is_whole; /* longer than what is there of the file */
    return rp__corpus_jsonl_has_text(s, s->head + line.begin, line.end - line.begin, true, is_cut);
}

/* ---- Parsing --------------------------------------------------------------------------------- */

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

static rp_status wrong_type(const object *o, size_t f, size_t offset, rp_error *err)
{
    char what[128];
    snprintf(what, sizeof what, "field \"%.40s\" must be a string%s",
             o->parser->names.at[f][o->name[f]],
             f == RP_FIELD_ID ? " or an integer" : " or an array of strings");
    return rp__doc_parser_fault(o->batch, o->i, offset, RP_INPUT, what, err);
}

/* The rest of an array of strings, one a line. */
static rp_status read_strings(object *o, size_t f, rp_error *err)
{
    rp__json *json = &o->parser->json;
    rp__buf *own = &o->parser->own[f];
    rp__json_type type;
    rp_status status;
    own->n = 0;
    size_t offset = (size_t)(json->at - json->begin);
    while ((status = rp__json_next(json, &type)) == RP_OK && type == RP_JSON_STRING) {
        if (own->n > 0)
            rp__buf_put_byte(own, '\n');
        rp__buf_put(own, json->string, json->string_bytes);
        offset = (size_t)(json->at - json->begin);
    }
    if (status != RP_OK)
        return fault(o, err, status);
    if (type != RP_JSON_ARRAY_END)
        return wrong_type(o, f, offset, err);
    o->at[f] = (const char *)own->at;
    o->bytes[f] = own->n;
    return own->failed ? rp__error_no_memory(err) : RP_OK;
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
    if (f != RP_FIELD_ID && type == RP_JSON_ARRAY)
        return read_strings(o, f, err);
    if (f != RP_FIELD_ID && type == RP_JSON_NULL) {
        o->bytes[f] = 0;
        return RP_OK;
    }
    return wrong_type(o, f, offset, err);
}

/* A field that is not indexed. Weights of terms are no text, and an index without them would answer
 * wrongly. */
static rp_status drop_field(object *o, rp_error *err)
{
    rp__json *json = &o->parser->json;
    bool is_vector = json->string_bytes == 6 && memcmp(json->string, "vector", 6) == 0;
    while (is_vector && json->at < json->end && (*json->at == ' ' || *json->at == '\t'))
        json->at++;
    o->doc->is_strict = is_vector && json->at < json->end && *json->at == '{';
    if (o->doc->is_strict)
        return rp__doc_parser_fault(
            o->batch, o->i, (size_t)(json->at - json->begin), RP_INPUT,
            "field \"vector\" has weights of terms; impacts are not supported yet", err);
    rp__dropped_add(&o->parser->dropped, json->string, json->string_bytes);
    rp_status status = rp__json_skip(json);
    return status == RP_OK ? RP_OK : fault(o, err, status);
}

/* All keys of the object, up to its end and that of the line. */
static rp_status read_object(object *o, rp_error *err)
{
    rp__json *json = &o->parser->json;
    rp__json_type type = RP_JSON_OBJECT;
    rp_status status;
    while ((status = rp__json_next(json, &type)) == RP_OK && type == RP_JSON_KEY) {
        uint8_t name = ABSENT;
        size_t f = rp__field_names_find(&o->parser->names, json->string, json->string_bytes, &name);
        if (f == RP_FIELDS || name > o->name[f]) {
            status = drop_field(o, err);
        } else {
            if (o->name[f] != ABSENT && name != o->name[f])
                rp__dropped_add(&o->parser->dropped, o->parser->names.at[f][o->name[f]],
                                strlen(o->parser->names.at[f][o->name[f]]));
            o->name[f] = name;
            status = read_field(o, f, err);
        }
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
    for (const char *const *name = o->parser->names.at[f]; *name; name++)
        n += snprintf(what + n, sizeof what - (size_t)n, " %.24s", *name);
    snprintf(what + n, sizeof what - (size_t)n, "; name the field with --%s-field", field);
    return rp__doc_parser_fault(o->batch, o->i, 0, RP_INPUT, what, err);
}

/* An object is open. */
static rp_status parse_object(object *o, rp_error *err)
{
    rp__doc *doc = o->doc;
    rp_status status = read_object(o, err);
    if (status != RP_OK)
        return status;
    o->parser->has_objects = true;
    for (size_t f = 0; f < RP_FIELDS; f++)
        o->parser->is_found[f] |= o->name[f] != ABSENT;
    doc->is_strict = o->name[RP_FIELD_ID] == ABSENT && o->parser->ids == RP_IDS_FIELD;
    if (doc->is_strict)
        return missing(o, RP_FIELD_ID, "id", err);
    if (o->name[RP_FIELD_TEXT] == ABSENT && o->name[RP_FIELD_TITLE] == ABSENT)
        return missing(o, RP_FIELD_TEXT, "text", err);
    doc->id = o->name[RP_FIELD_ID] == ABSENT ? NULL : o->at[RP_FIELD_ID];
    doc->id_bytes = o->bytes[RP_FIELD_ID];
    doc->title = o->bytes[RP_FIELD_TITLE] ? o->at[RP_FIELD_TITLE] : "";
    doc->title_bytes = o->bytes[RP_FIELD_TITLE];
    doc->text = o->bytes[RP_FIELD_TEXT] ? o->at[RP_FIELD_TEXT] : "";
    doc->text_bytes = o->bytes[RP_FIELD_TEXT];
    return RP_OK;
}

/* A string is read: it is the text of a document. */
static rp_status parse_string(object *o, rp_error *err)
{
    rp__json_type type;
    rp__doc *doc = o->doc;
    keep(o, RP_FIELD_TEXT);
    doc->text = o->bytes[RP_FIELD_TEXT] ? o->at[RP_FIELD_TEXT] : "";
    doc->text_bytes = o->bytes[RP_FIELD_TEXT];
    rp_status status = rp__json_next(&o->parser->json, &type);
    return status == RP_OK ? RP_OK : fault(o, err, status);
}

/* Whether the value begins with a letter: what it should be instead is then all there is to say. */
static bool is_word(const rp__json *json)
{
    const char *p = json->begin;
    while (p < json->end && (*p == ' ' || *p == '\t'))
        p++;
    return p < json->end && ((*p | ' ') >= 'a' && (*p | ' ') <= 'z');
}

rp_status rp__corpus_jsonl_parse(rp__doc_parser *parser, const rp__batch *batch, size_t i,
                                 const char *expected, bool takes_strings, rp__doc *doc,
                                 rp_error *err)
{
    object o = {
        .parser = parser, .batch = batch, .i = i, .doc = doc, .name = {ABSENT, ABSENT, ABSENT}};
    const rp__record *record = &batch->records[i];
    rp__json_type type;
    rp__json_start(&parser->json, (const char *)batch->bytes.at + record->offset, record->bytes,
                   parser->max_json_depth);
    rp_status status = rp__json_next(&parser->json, &type);
    if (status != RP_OK && !is_word(&parser->json))
        return fault(&o, err, status);
    if (status == RP_OK && type == RP_JSON_OBJECT)
        return parse_object(&o, err);
    if (status == RP_OK && type == RP_JSON_STRING && takes_strings)
        return parse_string(&o, err);
    return rp__doc_parser_fault(batch, i, 0, RP_INPUT, expected, err);
}

static rp_status parse(rp__doc_parser *parser, const rp__batch *batch, size_t i, rp__doc *doc,
                       rp_error *err)
{
    return rp__corpus_jsonl_parse(parser, batch, i, "expected a JSON object, one a line, in braces",
                                  false, doc, err);
}

const rp__corpus_format rp__corpus_jsonl = {
    .name = "jsonl",
    .extensions = {"jsonl", "ndjson"},
    .is_sure = true,
    .sniff = sniff,
    .split = rp__corpus_format_split_line,
    .parse = parse,
};
