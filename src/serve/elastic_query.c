/* elastic_query.c: the members of an Elasticsearch search's body. The query itself is elastic_clause.c's. */
#include "serve/elastic_query.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "serve/elastic_clause.h"

enum { MAX_DEPTH = 64, SIZE = 10, MAX_FRAGMENT = 10000, MAX_TIMEOUT_MS = 30000 };

void rp__elastic_query_init(rp__elastic_query *query)
{
    *query = (rp__elastic_query){.is_all = true,
                                 .size = SIZE,
                                 .shows_source = true,
                                 .shows_title = true,
                                 .shows_text = true,
                                 .before = "<em>",
                                 .after = "</em>"};
    rp__buf_init(&query->text);
}

void rp__elastic_query_free(rp__elastic_query *query)
{
    rp__buf_free(&query->text);
}

/* ---- 1. Values ------------------------------------------------------------------------------- */

rp_status rp__elastic_query_set_text(rp__elastic_query *query, const char *text, size_t bytes,
                                     bool is_and, rp_error *err)
{
    query->is_all = false;
    query->mode = is_and ? RP_MODE_AND : RP_MODE_OR;
    rp__buf_clear(&query->text, SIZE_MAX);
    rp__buf_put(&query->text, text, bytes);
    return query->text.failed ? rp__error_no_memory(err) : RP_OK;
}

static rp_status add_source(rp__elastic_query *q, const char *field, size_t bytes, bool is_shown,
                            rp_error *err)
{
    const bool is_any = bytes == 1 && field[0] == '*';
    const bool is_title = bytes == 5 && memcmp(field, "title", 5) == 0;
    const bool is_text = bytes == 4 && memcmp(field, "text", 4) == 0;
    if (!is_any && !is_title && !is_text)
        return rp__error_set(err, RP_USAGE, "_source has the fields title and text, not [%.*s]",
                             bytes < 40 ? (int)bytes : 40, field);
    if (is_any || is_title)
        q->shows_title = is_shown;
    if (is_any || is_text)
        q->shows_text = is_shown;
    return RP_OK;
}

rp_status rp__elastic_query_set_source(rp__elastic_query *query, const char *text, rp_error *err)
{
    rp_status status = RP_OK;
    query->shows_source = strcmp(text, "false") != 0;
    if (!query->shows_source || strcmp(text, "true") == 0)
        return RP_OK;
    query->shows_title = query->shows_text = false;
    for (const char *at = text; status == RP_OK; at++) {
        const size_t bytes = strcspn(at, ",");
        status = add_source(query, at, bytes, true, err);
        at += bytes;
        if (!*at)
            break;
    }
    return status;
}

rp_status rp__elastic_query_set_total(rp__elastic_query *query, const char *text, rp_error *err)
{
    query->hides_total = strcmp(text, "false") == 0;
    if (query->hides_total || strcmp(text, "true") == 0 ||
        (*text && strspn(text, "0123456789") == strlen(text)))
        return RP_OK;
    return rp__error_set(err, RP_USAGE, "track_total_hits is true, false or a number");
}

rp_status rp__elastic_query_set_timeout(rp__elastic_query *query, const char *text, rp_error *err)
{
    char *end;
    const unsigned long long n = strtoull(text, &end, 10);
    const bool has_digit = *text >= '0' && *text <= '9';
    const uint64_t unit = strcmp(end, "ms") == 0 ? 1 : strcmp(end, "s") == 0 ? 1000 : 0;
    if (!has_digit || unit == 0 || n == 0 || n > MAX_TIMEOUT_MS / unit)
        return rp__error_set(err, RP_USAGE, "a timeout is 1ms to 30s: a number with ms or s");
    query->timeout_ms = n * unit;
    return RP_OK;
}

/* The value that comes next, as a text with a NUL. */
static rp_status read_text(rp__elastic_reading *x, const char *what, char *out, size_t cap)
{
    rp_status status = rp__elastic_clause_value(x, what);
    out[0] = 0;
    if (status != RP_OK)
        return status;
    if (x->json.string_bytes >= cap || memchr(x->json.string, 0, x->json.string_bytes))
        return rp__error_set(x->err, RP_USAGE, "[%s] has more than %zu bytes", what, cap - 1);
    memcpy(out, x->json.string, x->json.string_bytes);
    out[x->json.string_bytes] = 0;
    return RP_OK;
}

static rp_status read_flag(rp__elastic_reading *x, const char *what, bool *out)
{
    rp_status status = rp__elastic_clause_value(x, what);
    *out = status == RP_OK && rp__elastic_clause_is(x, "true");
    if (status != RP_OK || *out || rp__elastic_clause_is(x, "false"))
        return status;
    return rp__error_set(x->err, RP_USAGE, "[%s] is true or false", what);
}

/* ---- 2. _source ------------------------------------------------------------------------------ */

/* Fields of an array, after its '[', or one field. */
static rp_status read_fields(rp__elastic_reading *x, rp__json_type type, bool is_shown)
{
    rp_status status = RP_OK;
    if (type == RP_JSON_STRING)
        return add_source(x->out, x->json.string, x->json.string_bytes, is_shown, x->err);
    if (type != RP_JSON_ARRAY)
        return rp__error_set(x->err, RP_USAGE, "_source names fields as strings");
    while (status == RP_OK && (status = rp__elastic_clause_next(x, &type)) == RP_OK &&
           type != RP_JSON_ARRAY_END)
        status = type == RP_JSON_STRING
                     ? add_source(x->out, x->json.string, x->json.string_bytes, is_shown, x->err)
                     : rp__error_set(x->err, RP_USAGE, "_source names fields as strings");
    return status;
}

/* {"includes":[...],"excludes":[...]}, after its '{'. What is excluded comes last. */
static rp_status read_filters(rp__elastic_reading *x)
{
    rp__json_type type = RP_JSON_NULL;
    rp_status status = RP_OK;
    rp__elastic_query includes = {.shows_title = true, .shows_text = true};
    rp__elastic_query excludes = includes;
    rp__elastic_query *out = x->out;
    while (status == RP_OK && (status = rp__elastic_clause_next(x, &type)) == RP_OK &&
           type != RP_JSON_OBJECT_END) {
        const bool is_in =
            rp__elastic_clause_is(x, "includes") || rp__elastic_clause_is(x, "include");
        if (!is_in && !rp__elastic_clause_is(x, "excludes") && !rp__elastic_clause_is(x, "exclude"))
            return rp__elastic_clause_refuse(x, "_source", "includes, excludes");
        if (is_in)
            includes.shows_title = includes.shows_text = false;
        x->out = is_in ? &includes : &excludes;
        status = rp__elastic_clause_next(x, &type);
        if (status == RP_OK)
            status = read_fields(x, type, is_in);
        x->out = out;
    }
    out->shows_title = includes.shows_title && excludes.shows_title;
    out->shows_text = includes.shows_text && excludes.shows_text;
    return status;
}

static rp_status read_source(rp__elastic_reading *x)
{
    rp__json_type type;
    rp_status status = rp__elastic_clause_next(x, &type);
    if (status != RP_OK)
        return status;
    x->out->shows_source = type != RP_JSON_FALSE;
    if (type == RP_JSON_TRUE || type == RP_JSON_FALSE)
        return RP_OK;
    if (type == RP_JSON_OBJECT)
        return read_filters(x);
    x->out->shows_title = x->out->shows_text = false;
    return read_fields(x, type, true);
}

/* ---- 3. Highlights --------------------------------------------------------------------------- */

/* One tag, alone or in an array. */
static rp_status read_tag(rp__elastic_reading *x, char out[RP_ELASTIC_TAG])
{
    rp__json_type type;
    rp_status status = rp__elastic_clause_next(x, &type);
    const bool is_array = status == RP_OK && type == RP_JSON_ARRAY;
    if (is_array)
        status = rp__elastic_clause_next(x, &type);
    if (status != RP_OK)
        return status;
    if (type != RP_JSON_STRING || x->json.string_bytes >= RP_ELASTIC_TAG ||
        memchr(x->json.string, 0, x->json.string_bytes))
        return rp__error_set(x->err, RP_USAGE,
                             "a highlight's tag is one string of at most %d bytes",
                             RP_ELASTIC_TAG - 1);
    memcpy(out, x->json.string, x->json.string_bytes);
    out[x->json.string_bytes] = 0;
    return is_array ? rp__elastic_clause_expect(x, RP_JSON_ARRAY_END, "no second tag") : RP_OK;
}

static rp_status read_fragment(rp__elastic_reading *x)
{
    uint64_t n;
    rp_status status = rp__elastic_clause_count(x, "fragment_size", &n);
    if (status == RP_OK && (n < 1 || n > MAX_FRAGMENT))
        return rp__error_set(x->err, RP_USAGE, "[fragment_size] is a number from 1 to %d",
                             MAX_FRAGMENT);
    if (status == RP_OK)
        x->out->fragment = (size_t)n;
    return status;
}

static rp_status read_pieces(rp__elastic_reading *x)
{
    uint64_t n;
    rp_status status = rp__elastic_clause_count(x, "number_of_fragments", &n);
    if (status == RP_OK && n != 1)
        return rp__error_set(x->err, RP_USAGE,
                             "[number_of_fragments] is 1; others are not supported");
    return status;
}

/* The options of one field, from its '{'. */
static rp_status read_field_options(rp__elastic_reading *x)
{
    rp__json_type type = RP_JSON_NULL;
    rp_status status = rp__elastic_clause_expect(x, RP_JSON_OBJECT, "an object");
    while (status == RP_OK && (status = rp__elastic_clause_next(x, &type)) == RP_OK &&
           type != RP_JSON_OBJECT_END) {
        if (rp__elastic_clause_is(x, "fragment_size"))
            status = read_fragment(x);
        else if (rp__elastic_clause_is(x, "number_of_fragments"))
            status = read_pieces(x);
        else
            status = rp__elastic_clause_refuse(x, "a highlight's field",
                                               "fragment_size, number_of_fragments");
    }
    return status;
}

static rp_status read_highlight_fields(rp__elastic_reading *x)
{
    rp__json_type type = RP_JSON_NULL;
    rp_status status = rp__elastic_clause_expect(x, RP_JSON_OBJECT, "an object of fields");
    while (status == RP_OK && (status = rp__elastic_clause_next(x, &type)) == RP_OK &&
           type != RP_JSON_OBJECT_END) {
        if (!rp__elastic_clause_is(x, "text") && !rp__elastic_clause_is(x, "*"))
            return rp__elastic_clause_refuse(x, "the fields of highlight", "text, *");
        x->out->has_highlight = true;
        status = read_field_options(x);
    }
    return status;
}

static rp_status read_encoder(rp__elastic_reading *x)
{
    rp_status status = rp__elastic_clause_value(x, "encoder");
    x->out->is_html = status == RP_OK && rp__elastic_clause_is(x, "html");
    if (status != RP_OK || x->out->is_html || rp__elastic_clause_is(x, "default"))
        return status;
    return rp__error_set(x->err, RP_USAGE, "[encoder] is default or html");
}

static rp_status read_highlight(rp__elastic_reading *x)
{
    rp__json_type type = RP_JSON_NULL;
    rp_status status = rp__elastic_clause_expect(x, RP_JSON_OBJECT, "an object");
    while (status == RP_OK && (status = rp__elastic_clause_next(x, &type)) == RP_OK &&
           type != RP_JSON_OBJECT_END) {
        if (rp__elastic_clause_is(x, "fields"))
            status = read_highlight_fields(x);
        else if (rp__elastic_clause_is(x, "pre_tags"))
            status = read_tag(x, x->out->before);
        else if (rp__elastic_clause_is(x, "post_tags"))
            status = read_tag(x, x->out->after);
        else if (rp__elastic_clause_is(x, "encoder"))
            status = read_encoder(x);
        else if (rp__elastic_clause_is(x, "fragment_size"))
            status = read_fragment(x);
        else if (rp__elastic_clause_is(x, "number_of_fragments"))
            status = read_pieces(x);
        else
            status = rp__elastic_clause_refuse(x, "highlight",
                                               "fields, pre_tags, post_tags, encoder, "
                                               "fragment_size, number_of_fragments");
    }
    return status;
}

/* ---- 4. The body ----------------------------------------------------------------------------- */

static rp_status read_size(rp__elastic_reading *x, const char *what, size_t *out)
{
    uint64_t n;
    rp_status status = rp__elastic_clause_count(x, what, &n);
    *out = status == RP_OK ? (size_t)n : 0;
    return status;
}

/* A member of a search; its key was read. */
static rp_status read_member(rp__elastic_reading *x)
{
    char text[32];
    rp_status status;
    if (rp__elastic_clause_is(x, "from"))
        return read_size(x, "from", &x->out->from);
    if (rp__elastic_clause_is(x, "size"))
        return read_size(x, "size", &x->out->size);
    if (rp__elastic_clause_is(x, "_source"))
        return read_source(x);
    if (rp__elastic_clause_is(x, "highlight"))
        return read_highlight(x);
    if (rp__elastic_clause_is(x, "explain"))
        return read_flag(x, "explain", &x->out->has_explain);
    if (rp__elastic_clause_is(x, "profile"))
        return read_flag(x, "profile", &x->out->has_profile);
    if (rp__elastic_clause_is(x, "track_total_hits")) {
        status = read_text(x, "track_total_hits", text, sizeof text);
        return status == RP_OK ? rp__elastic_query_set_total(x->out, text, x->err) : status;
    }
    if (rp__elastic_clause_is(x, "timeout")) {
        status = read_text(x, "timeout", text, sizeof text);
        return status == RP_OK ? rp__elastic_query_set_timeout(x->out, text, x->err) : status;
    }
    return rp__elastic_clause_refuse(x, "a search",
                                     "query, from, size, _source, highlight, explain, profile, "
                                     "track_total_hits, timeout");
}

rp_status rp__elastic_query_read(rp__elastic_query *query, rp__generation *generation,
                                 bool is_count, const char *body, size_t bytes, rp_error *err)
{
    rp__elastic_reading x = {.generation = generation, .out = query, .err = err};
    rp__json_type type = RP_JSON_NULL;
    rp__json_init(&x.json);
    rp__json_start(&x.json, body, bytes, MAX_DEPTH);
    rp_status status = rp__elastic_clause_expect(&x, RP_JSON_OBJECT, "an object");
    while (status == RP_OK && (status = rp__elastic_clause_next(&x, &type)) == RP_OK &&
           type != RP_JSON_OBJECT_END) {
        if (rp__elastic_clause_is(&x, "query"))
            status = rp__elastic_clause_read(&x);
        else
            status = is_count ? rp__elastic_clause_refuse(&x, "a count", "query") : read_member(&x);
    }
    if (status == RP_OK)
        status = rp__elastic_clause_expect(&x, RP_JSON_END, "its end");
    rp__json_free(&x.json);
    return status;
}
