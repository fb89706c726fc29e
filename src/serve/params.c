/* params.c: a query string or a JSON object to values, by the rows of a table.
 *
 * Nothing is ignored: what no row has, what comes twice and what is not of its kind is refused. Does not know what a
 * parameter means. */
#include "serve/params.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"

void rp__params_init(rp__params *params, const rp__param *rows)
{
    *params = (rp__params){.rows = rows};
}

void rp__params_clear(rp__params *params)
{
    memset(params->at, 0, sizeof params->at);
}

void rp__params_free(rp__params *params)
{
    for (size_t i = 0; i < RP_PARAMS && !params->texts; i++)
        rp__free(params->at[i].text);
    rp__params_clear(params);
}

/* ---- 1. Values ------------------------------------------------------------------------------- */

static bool is_word(const char *word, const char *text, size_t bytes)
{
    return bytes > 0 && word[0] == text[0] && strlen(word) == bytes &&
           memcmp(word, text, bytes) == 0;
}

static void list_names(const rp__param *rows, char *out, size_t cap)
{
    size_t n = 0;
    out[0] = 0;
    for (; rows->name && n < cap; rows++)
        n += (size_t)snprintf(out + n, cap - n, "%s%s", n ? ", " : "", rows->name);
}

static void list_choices(const rp__param *row, char *out, size_t cap)
{
    size_t n = 0;
    out[0] = 0;
    for (size_t i = 0; row->choices[i] && n < cap; i++)
        n += (size_t)snprintf(out + n, cap - n, "%s%s", n ? ", " : "", row->choices[i]);
}

/* The row of a name that was not given before; NULL: err says why not. */
static const rp__param *find_row(rp__params *p, const char *name, size_t bytes, rp__value **value,
                                 rp_error *err)
{
    char known[160];
    for (size_t i = 0; p->rows[i].name; i++) {
        if (!is_word(p->rows[i].name, name, bytes))
            continue;
        *value = &p->at[i];
        if (!p->at[i].is_given)
            return &p->rows[i];
        rp__error_set(err, RP_USAGE, "the parameter %s was given twice; give it once",
                      p->rows[i].name);
        return NULL;
    }
    list_names(p->rows, known, sizeof known);
    rp__error_set(err, RP_USAGE, "unknown parameter \"%.*s\"; %s%s", bytes < 40 ? (int)bytes : 40,
                  name, known[0] ? "choose from " : "there are none", known);
    return NULL;
}

/* Memory for a text and its NUL. */
static char *take_text(rp__params *p, size_t bytes)
{
    char *memory = p->texts;
    if (!memory)
        return rp__alloc(bytes + 1);
    p->texts += bytes + 1;
    return memory;
}

static rp_status put_text(rp__params *p, const rp__param *row, rp__value *value, const char *text,
                          size_t bytes, rp_error *err)
{
    if (bytes > RP_PARAMS_TEXT)
        return rp__error_set(err, RP_LIMIT, "the parameter %s has %zu bytes, more than %d",
                             row->name, bytes, RP_PARAMS_TEXT);
    if (rp__utf8_check(text, bytes) < bytes)
        return rp__error_set(err, RP_USAGE, "the parameter %s is not UTF-8 at byte %zu; send UTF-8",
                             row->name, rp__utf8_check(text, bytes) + 1);
    if (memchr(text, 0, bytes))
        return rp__error_set(err, RP_USAGE, "the parameter %s has a NUL; leave it out", row->name);
    value->text = take_text(p, bytes);
    if (!value->text)
        return rp__error_no_memory(err);
    if (bytes > 0)
        memcpy(value->text, text, bytes);
    value->text[bytes] = 0;
    value->bytes = bytes;
    return RP_OK;
}

static rp_status put_count(const rp__param *row, rp__value *value, const char *text, size_t bytes,
                           rp_error *err)
{
    uint64_t v = 0;
    bool is_count = bytes > 0 && bytes < 20;
    for (size_t i = 0; is_count && i < bytes; i++) {
        is_count = text[i] >= '0' && text[i] <= '9';
        v = v * 10 + (uint64_t)(text[i] - '0');
    }
    if (!is_count || v < row->min || v > row->max)
        return rp__error_set(err, RP_USAGE,
                             "the parameter %s is \"%.*s\"; it is a number from %llu to %llu",
                             row->name, bytes < 24 ? (int)bytes : 24, text,
                             (unsigned long long)row->min, (unsigned long long)row->max);
    value->count = v;
    return RP_OK;
}

static rp_status put_flag(const rp__param *row, rp__value *value, const char *text, size_t bytes,
                          rp_error *err)
{
    value->count = is_word("true", text, bytes) || is_word("1", text, bytes);
    if (value->count || is_word("false", text, bytes) || is_word("0", text, bytes))
        return RP_OK;
    return rp__error_set(err, RP_USAGE, "the parameter %s is \"%.*s\"; it is true or false",
                         row->name, bytes < 24 ? (int)bytes : 24, text);
}

static rp_status find_choice(const rp__param *row, const char *text, size_t bytes, uint8_t *out,
                             rp_error *err)
{
    char known[128];
    for (uint8_t i = 0; row->choices[i]; i++)
        if (is_word(row->choices[i], text, bytes)) {
            *out = i;
            return RP_OK;
        }
    list_choices(row, known, sizeof known);
    return rp__error_set(err, RP_USAGE, "the parameter %s has \"%.*s\"; choose from %s", row->name,
                         bytes < 24 ? (int)bytes : 24, text, known);
}

static rp_status put_name(const rp__param *row, rp__value *value, const char *text, size_t bytes,
                          rp_error *err)
{
    uint8_t name;
    rp_status status = find_choice(row, text, bytes, &name, err);
    if (status != RP_OK)
        return status;
    for (uint8_t i = 0; i < value->n_names; i++)
        if (value->names[i] == name)
            return rp__error_set(err, RP_USAGE, "the parameter %s names %s twice; name it once",
                                 row->name, row->choices[name]);
    value->names[value->n_names++] = name;
    return RP_OK;
}

static rp_status put_names(const rp__param *row, rp__value *value, const char *text, size_t bytes,
                           rp_error *err)
{
    rp_status status = RP_OK;
    for (size_t at = 0; status == RP_OK && at <= bytes;) {
        const char *comma = at < bytes ? memchr(text + at, ',', bytes - at) : NULL;
        size_t end = comma ? (size_t)(comma - text) : bytes;
        status = put_name(row, value, text + at, end - at, err);
        at = end + 1;
    }
    return status;
}

static rp_status put(rp__params *p, const rp__param *row, rp__value *value, const char *text,
                     size_t bytes, rp_error *err)
{
    uint8_t choice = 0;
    rp_status status = RP_OK;
    value->is_given = true;
    switch (row->kind) {
    case RP_PARAM_TEXT:
        return put_text(p, row, value, text, bytes, err);
    case RP_PARAM_COUNT:
        return put_count(row, value, text, bytes, err);
    case RP_PARAM_FLAG:
        return put_flag(row, value, text, bytes, err);
    case RP_PARAM_CHOICE:
        status = find_choice(row, text, bytes, &choice, err);
        value->count = choice;
        return status;
    case RP_PARAM_NAMES:
        return put_names(row, value, text, bytes, err);
    }
    return RP_USAGE;
}

rp_status rp__params_check(const rp__params *params, rp_error *err)
{
    for (size_t i = 0; params->rows[i].name; i++)
        if (params->rows[i].is_required && !params->at[i].is_given)
            return rp__error_set(err, RP_USAGE, "the parameter %s is missing; give it",
                                 params->rows[i].name);
    return RP_OK;
}

/* ---- 2. A query string ----------------------------------------------------------------------- */

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool rp__params_decode(const char *text, size_t bytes, bool has_plus, char *out, size_t *out_bytes)
{
    size_t n = 0;
    for (size_t i = 0; i < bytes; i++) {
        char c = text[i];
        if (c == '%') {
            const bool has_digits = bytes - i > 2;
            int high = has_digits ? digit_of(text[i + 1]) : -1;
            int low = has_digits ? digit_of(text[i + 2]) : -1;
            if (high < 0 || low < 0 || high * 16 + low == 0)
                return false;
            c = (char)(high * 16 + low);
            i += 2;
        } else if (c == '+' && has_plus) {
            c = ' ';
        } else if (c == 0) {
            return false;
        }
        out[n++] = c;
    }
    out[n] = 0;
    *out_bytes = n;
    return true;
}

static rp_status read_pair(rp__params *p, const char *pair, size_t bytes, char *scratch,
                           rp_error *err)
{
    const char *equals = memchr(pair, '=', bytes);
    size_t name_bytes = equals ? (size_t)(equals - pair) : bytes, n;
    size_t value_at = equals ? name_bytes + 1 : bytes;
    rp__value *value = NULL;
    if (!rp__params_decode(pair, name_bytes, true, scratch, &n))
        return rp__error_set(err, RP_USAGE,
                             "a parameter's name is not well encoded; write %%25 for %%");
    const rp__param *row = find_row(p, scratch, n, &value, err);
    if (!row)
        return RP_USAGE;
    if (!rp__params_decode(pair + value_at, bytes - value_at, true, scratch, &n))
        return rp__error_set(err, RP_USAGE,
                             "the parameter %s is not well encoded; write %%25 for %%", row->name);
    if (!equals && row->kind == RP_PARAM_FLAG)
        return put(p, row, value, "true", 4, err); /* its name alone */
    return put(p, row, value, scratch, n, err);
}

rp_status rp__params_read_query(rp__params *params, const char *query, size_t bytes, rp_error *err)
{
    rp_status status = RP_OK;
    char *scratch = bytes > 0 ? rp__alloc(bytes + 1) : NULL;
    if (bytes > 0 && !scratch)
        return rp__error_no_memory(err);
    for (size_t at = 0; status == RP_OK && at < bytes;) {
        const char *amp = memchr(query + at, '&', bytes - at);
        size_t end = amp ? (size_t)(amp - query) : bytes;
        if (end > at)
            status = read_pair(params, query + at, end - at, scratch, err);
        at = end + 1;
    }
    rp__free(scratch);
    return status;
}

/* ---- 3. A JSON object ------------------------------------------------------------------------ */

static rp_status next(rp__json *json, rp__json_type *type, rp_error *err)
{
    rp_status status = rp__json_next(json, type);
    if (status == RP_NO_MEMORY)
        return rp__error_no_memory(err);
    if (status != RP_OK)
        return rp__error_set(err, status, "the body is not JSON at byte %zu: %s",
                             json->fault_offset + 1, json->fault);
    return RP_OK;
}

static rp_status expect(rp__json *json, rp__json_type wants, const char *what, rp_error *err)
{
    rp__json_type type;
    rp_status status = next(json, &type, err);
    if (status == RP_OK && type != wants)
        return rp__error_set(err, RP_USAGE, "the body has something else where it should have %s",
                             what);
    return status;
}

static rp_status refuse_kind(const rp__param *row, rp_error *err)
{
    static const char *const kinds[] = {"a string", "a number", "true or false", "a string",
                                        "an array of strings"};
    return rp__error_set(err, RP_USAGE, "the parameter %s is of another kind; it is %s", row->name,
                         kinds[row->kind]);
}

static rp_status read_array(rp__json *json, const rp__param *row, rp__value *value, rp_error *err)
{
    rp__json_type type = RP_JSON_NULL;
    rp_status status = RP_OK;
    value->is_given = true;
    while (status == RP_OK && (status = next(json, &type, err)) == RP_OK &&
           type != RP_JSON_ARRAY_END)
        status = type == RP_JSON_STRING
                     ? put_name(row, value, json->string, json->string_bytes, err)
                     : refuse_kind(row, err);
    return status;
}

static rp_status read_value(rp__params *p, rp__json *json, const rp__param *row, rp__value *value,
                            rp_error *err)
{
    rp__json_type type;
    rp_status status = next(json, &type, err);
    if (status != RP_OK)
        return status;
    const bool is_text =
        row->kind == RP_PARAM_TEXT || row->kind == RP_PARAM_CHOICE || row->kind == RP_PARAM_NAMES;
    if (type == RP_JSON_ARRAY && row->kind == RP_PARAM_NAMES)
        return read_array(json, row, value, err);
    if ((type == RP_JSON_STRING && is_text) ||
        (type == RP_JSON_NUMBER && row->kind == RP_PARAM_COUNT))
        return put(p, row, value, json->string, json->string_bytes, err);
    if (row->kind == RP_PARAM_FLAG && (type == RP_JSON_TRUE || type == RP_JSON_FALSE))
        return type == RP_JSON_TRUE ? put(p, row, value, "true", 4, err)
                                    : put(p, row, value, "false", 5, err);
    return refuse_kind(row, err);
}

/* After its '{'. */
static rp_status read_object(rp__params *p, rp__json *json, rp_error *err)
{
    rp__json_type type = RP_JSON_NULL;
    rp_status status = RP_OK;
    while (status == RP_OK && (status = next(json, &type, err)) == RP_OK &&
           type != RP_JSON_OBJECT_END) {
        rp__value *value = NULL;
        const rp__param *row = find_row(p, json->string, json->string_bytes, &value, err);
        status = row ? read_value(p, json, row, value, err) : RP_USAGE;
    }
    return status;
}

rp_status rp__params_read_body(rp__params *params, const char *body, size_t bytes, rp_error *err)
{
    rp__json json;
    rp__json_init(&json);
    rp__json_start(&json, body, bytes, RP_PARAMS_DEPTH);
    rp_status status = expect(&json, RP_JSON_OBJECT, "an object", err);
    if (status == RP_OK)
        status = read_object(params, &json, err);
    if (status == RP_OK)
        status = expect(&json, RP_JSON_END, "its end", err);
    rp__json_free(&json);
    return status;
}

rp_status rp__params_list_begin(rp__json *json, const char *body, size_t bytes, const char *key,
                                rp_error *err)
{
    rp__json_type type;
    rp__json_start(json, body, bytes, RP_PARAMS_DEPTH);
    rp_status status = expect(json, RP_JSON_OBJECT, "an object", err);
    if (status == RP_OK)
        status = next(json, &type, err);
    if (status != RP_OK)
        return status;
    if (type != RP_JSON_KEY || !is_word(key, json->string, json->string_bytes))
        return rp__error_set(err, RP_USAGE, "the body is {\"%s\":[...]} and has no other key", key);
    return expect(json, RP_JSON_ARRAY, "an array", err);
}

rp_status rp__params_list_next(rp__json *json, rp__params *params, bool *has, rp_error *err)
{
    rp__json_type type;
    rp_status status = next(json, &type, err);
    *has = false;
    if (status != RP_OK)
        return status;
    if (type == RP_JSON_ARRAY_END) {
        status = expect(json, RP_JSON_OBJECT_END, "no other key", err);
        return status == RP_OK ? expect(json, RP_JSON_END, "its end", err) : status;
    }
    if (type != RP_JSON_OBJECT)
        return rp__error_set(err, RP_USAGE, "the array has something that is no object");
    *has = true;
    return read_object(params, json, err);
}
