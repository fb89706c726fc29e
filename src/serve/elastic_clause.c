/* elastic_clause.c: queries of Elasticsearch to text in Riposte's query language.
 *
 * A leaf becomes a word, a phrase or words in parentheses; a bool becomes a row with "+" and "-". The text is read in
 * mode "or", or, where one match alone is asked for, in the mode of its operator. A bool inside a bool is kept on a
 * stack: no function recurses. What the library cannot answer is refused by name. */
#include "serve/elastic_clause.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { MAX_BOOLS = 16, MAX_BOOST_TEXT = 32 };

typedef enum clause_role { MUST, FILTER, MUST_NOT, SHOULD } clause_role;
static const char *const role_names[] = {"must", "filter", "must_not", "should"};

/* A bool whose members are being read. */
typedef struct bool_frame {
    rp__buf musts, shoulds; /* rows of clauses; musts has what is excluded too */
    size_t n_musts, n_shoulds;
    clause_role role; /* of the clause that is read now */
    bool is_in_array, has_min;
    uint64_t min_should; /* minimum_should_match */
    char boost[MAX_BOOST_TEXT];
} bool_frame;

typedef struct clauses {
    rp__elastic_reading *x;
    bool_frame frames[MAX_BOOLS];
    size_t n;
    rp__buf atom;    /* the clause that was read last */
    bool has_failed; /* memory was missing */
} clauses;

/* ---- 1. Tokens ------------------------------------------------------------------------------- */

bool rp__elastic_clause_is(const rp__elastic_reading *x, const char *word)
{
    return strlen(word) == x->json.string_bytes &&
           memcmp(word, x->json.string, x->json.string_bytes) == 0;
}

rp_status rp__elastic_clause_next(rp__elastic_reading *x, rp__json_type *type)
{
    rp_status status = rp__json_next(&x->json, type);
    if (status == RP_NO_MEMORY)
        return rp__error_no_memory(x->err);
    if (status != RP_OK)
        return rp__error_set(x->err, RP_USAGE, "the body is not JSON at byte %zu: %s",
                             x->json.fault_offset + 1, x->json.fault);
    return RP_OK;
}

rp_status rp__elastic_clause_refuse(rp__elastic_reading *x, const char *where, const char *known)
{
    return rp__error_set(x->err, RP_USAGE, "[%.*s] is not supported in %s; choose from %s",
                         x->json.string_bytes < 40 ? (int)x->json.string_bytes : 40, x->json.string,
                         where, known);
}

rp_status rp__elastic_clause_expect(rp__elastic_reading *x, rp__json_type wants, const char *what)
{
    rp__json_type type;
    rp_status status = rp__elastic_clause_next(x, &type);
    if (status == RP_OK && type != wants)
        return rp__error_set(x->err, RP_USAGE,
                             "the body has something else where it should have %s", what);
    return status;
}

/* A token that is a string, a number, true or false: its bytes are in json.string. */
static rp_status take_value(rp__elastic_reading *x, rp__json_type type, const char *what)
{
    if (type == RP_JSON_STRING || type == RP_JSON_NUMBER)
        return RP_OK;
    if (type != RP_JSON_TRUE && type != RP_JSON_FALSE)
        return rp__error_set(x->err, RP_USAGE, "[%s] should be one value", what);
    x->json.string = type == RP_JSON_TRUE ? "true" : "false";
    x->json.string_bytes = strlen(x->json.string);
    return RP_OK;
}

rp_status rp__elastic_clause_value(rp__elastic_reading *x, const char *what)
{
    rp__json_type type;
    rp_status status = rp__elastic_clause_next(x, &type);
    return status == RP_OK ? take_value(x, type, what) : status;
}

rp_status rp__elastic_clause_count(rp__elastic_reading *x, const char *what, uint64_t *out)
{
    *out = 0;
    rp_status status = rp__elastic_clause_value(x, what);
    if (status != RP_OK)
        return status;
    for (size_t i = 0; i < x->json.string_bytes; i++) {
        if (!isdigit((unsigned char)x->json.string[i]) || i > 9)
            return rp__error_set(x->err, RP_USAGE, "[%s] is no whole number that is supported",
                                 what);
        *out = *out * 10 + (uint64_t)(x->json.string[i] - '0');
    }
    return RP_OK;
}

/* As "^2.5"; the library checks its range. */
static rp_status read_boost(rp__elastic_reading *x, char out[MAX_BOOST_TEXT])
{
    char text[MAX_BOOST_TEXT - 8];
    char *end;
    rp_status status = rp__elastic_clause_value(x, "boost");
    if (status != RP_OK)
        return status;
    snprintf(text, sizeof text, "%.*s", (int)x->json.string_bytes, x->json.string);
    const double boost = strtod(text, &end);
    if (x->json.string_bytes >= sizeof text || *end || end == text || !(boost >= 0 && boost <= 1e6))
        return rp__error_set(x->err, RP_USAGE, "[boost] is a number from 0 to 1000000");
    snprintf(out, MAX_BOOST_TEXT, "^%.9f", boost);
    return RP_OK;
}

/* ---- 2. Leaves ------------------------------------------------------------------------------- */

/* What a leaf says. */
typedef struct leaf {
    const char *name; /* "match" */
    rp__buf text;
    bool has_text, is_and;
    uint64_t slop;
    char boost[MAX_BOOST_TEXT];
} leaf;

static bool has_field(const rp__elastic_reading *x)
{
    return rp__elastic_clause_is(x, "text") || rp__elastic_clause_is(x, "_all") ||
           rp__elastic_clause_is(x, "*");
}

static rp_status check_field(rp__elastic_reading *x)
{
    if (has_field(x))
        return RP_OK;
    return rp__error_set(
        x->err, RP_USAGE, "the field [%.*s] cannot be searched alone; the index has one: text",
        x->json.string_bytes < 40 ? (int)x->json.string_bytes : 40, x->json.string);
}

static rp_status read_operator(rp__elastic_reading *x, bool *is_and)
{
    rp_status status = rp__elastic_clause_value(x, "operator");
    if (status != RP_OK)
        return status;
    *is_and = rp__elastic_clause_is(x, "and") || rp__elastic_clause_is(x, "AND");
    if (*is_and || rp__elastic_clause_is(x, "or") || rp__elastic_clause_is(x, "OR"))
        return RP_OK;
    return rp__error_set(x->err, RP_USAGE, "an operator is and, or");
}

/* Of a match: any word, or all. */
static rp_status read_min_of_match(rp__elastic_reading *x, bool *is_and)
{
    rp_status status = rp__elastic_clause_value(x, "minimum_should_match");
    if (status != RP_OK)
        return status;
    *is_and |= rp__elastic_clause_is(x, "100%");
    if (rp__elastic_clause_is(x, "1") || rp__elastic_clause_is(x, "100%"))
        return RP_OK;
    return rp__error_set(x->err, RP_USAGE, "[minimum_should_match] of a match is 1 or \"100%%\"");
}

/* The token that was read last. */
static rp_status keep_text(rp__elastic_reading *x, rp__json_type type, leaf *l)
{
    rp_status status = take_value(x, type, l->name);
    if (status != RP_OK)
        return status;
    rp__buf_clear(&l->text, SIZE_MAX);
    rp__buf_put(&l->text, x->json.string, x->json.string_bytes);
    l->has_text = true;
    return l->text.failed ? rp__error_no_memory(x->err) : RP_OK;
}

/* A member of the object that a leaf is; its key was read. */
static rp_status read_option(rp__elastic_reading *x, leaf *l)
{
    const bool is_match = strcmp(l->name, "match") == 0;
    const bool is_phrase = strcmp(l->name, "match_phrase") == 0;
    const bool is_string = strcmp(l->name, "query_string") == 0;
    const bool has_query = is_match || is_phrase || is_string;
    rp__json_type type;
    if (rp__elastic_clause_is(x, has_query ? "query" : "value")) {
        rp_status status = rp__elastic_clause_next(x, &type);
        return status == RP_OK ? keep_text(x, type, l) : status;
    }
    if (rp__elastic_clause_is(x, "boost"))
        return read_boost(x, l->boost);
    if (is_match && rp__elastic_clause_is(x, "operator"))
        return read_operator(x, &l->is_and);
    if (is_match && rp__elastic_clause_is(x, "minimum_should_match"))
        return read_min_of_match(x, &l->is_and);
    if (is_string && rp__elastic_clause_is(x, "default_operator"))
        return read_operator(x, &l->is_and);
    if (is_phrase && rp__elastic_clause_is(x, "slop"))
        return rp__elastic_clause_count(x, "slop", &l->slop);
    if (is_string && rp__elastic_clause_is(x, "default_field")) {
        rp_status status = rp__elastic_clause_value(x, "default_field");
        return status == RP_OK ? check_field(x) : status;
    }
    return rp__elastic_clause_refuse(x, l->name,
                                     is_match    ? "query, operator, minimum_should_match, boost"
                                     : is_phrase ? "query, slop, boost"
                                     : is_string ? "query, default_operator, default_field, boost"
                                                 : "value, boost");
}

static rp_status read_options(rp__elastic_reading *x, leaf *l)
{
    rp__json_type type = RP_JSON_NULL;
    rp_status status = RP_OK;
    while (status == RP_OK && (status = rp__elastic_clause_next(x, &type)) == RP_OK &&
           type != RP_JSON_OBJECT_END)
        status = read_option(x, l);
    if (status == RP_OK && !l->has_text)
        return rp__error_set(
            x->err, RP_USAGE, "[%s] says no %s", l->name,
            strcmp(l->name, "term") == 0 || strcmp(l->name, "prefix") == 0 ? "value" : "query");
    return status;
}

/* {"FIELD":"words"} or {"FIELD":{"query":"words",...}}, from its '{' to its '}'. */
static rp_status read_field(rp__elastic_reading *x, leaf *l)
{
    rp_status status = rp__elastic_clause_expect(x, RP_JSON_OBJECT, "an object with a field");
    if (status == RP_OK)
        status = rp__elastic_clause_expect(x, RP_JSON_KEY, "the name of a field");
    if (status == RP_OK)
        status = check_field(x);
    rp__json_type type = RP_JSON_NULL;
    if (status == RP_OK)
        status = rp__elastic_clause_next(x, &type);
    if (status == RP_OK)
        status = type == RP_JSON_OBJECT ? read_options(x, l) : keep_text(x, type, l);
    return status == RP_OK ? rp__elastic_clause_expect(x, RP_JSON_OBJECT_END, "no second field")
                           : status;
}

/* ---- 3. Text --------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Characters of a word, none of which means anything. */
static void put_word(rp__buf *out, const char *word, size_t bytes)
{
    const bool is_operator = (bytes == 3 && memcmp(word, "AND", 3) == 0) ||
                             (bytes == 2 && memcmp(word, "OR", 2) == 0) ||
                             (bytes == 3 && memcmp(word, "NOT", 3) == 0);
    for (size_t i = 0; i < bytes; i++) {
        if (ispunct((unsigned char)word[i]) || (i == 0 && is_operator))
            rp__buf_put_byte(out, '\\');
        rp__buf_put_byte(out, (uint8_t)word[i]);
    }
}

/* RP_USAGE: a word of an "and" inside another query is several terms, which the mode "or" would combine. */
static rp_status check_one_term(rp__elastic_reading *x, const char *word, size_t bytes)
{
    rp_text_tokens tokens = {0};
    if (!x->generation)
        return RP_OK;
    rp_status status = rp_index_analyze(x->generation->index, word, bytes, &tokens, x->err);
    if (status == RP_OK && tokens.n > 1)
        status =
            rp__error_set(x->err, RP_USAGE,
                          "\"%.*s\" is several words to the index, which operator and inside a "
                          "bool does not support; write them apart",
                          bytes < 40 ? (int)bytes : 40, word);
    rp_text_tokens_free(&tokens);
    return status;
}

/* All words, with `sign` before each; n: how many. */
static rp_status put_words(rp__elastic_reading *x, rp__buf *out, const leaf *l, const char *sign,
                           size_t *n)
{
    const char *text = (const char *)l->text.at;
    rp_status status = RP_OK;
    *n = 0;
    for (size_t at = 0; status == RP_OK && at < l->text.n;) {
        size_t end = at;
        while (end < l->text.n && !is_blank(text[end]))
            end++;
        if (end > at) {
            rp__buf_put_string(out, *n ? " " : "");
            rp__buf_put_string(out, sign);
            put_word(out, text + at, end - at);
            if (*sign)
                status = check_one_term(x, text + at, end - at);
            ++*n;
        }
        at = end + 1;
    }
    return status;
}

static rp_status write_phrase(rp__buf *out, const leaf *l)
{
    rp__buf_put_byte(out, '"');
    for (size_t i = 0; i < l->text.n; i++) {
        if (l->text.at[i] && strchr("\"\\*?", l->text.at[i]))
            rp__buf_put_byte(out, '\\');
        rp__buf_put_byte(out, l->text.at[i]);
    }
    rp__buf_put_byte(out, '"');
    if (l->slop > 0)
        rp__buf_printf(out, "~%llu", (unsigned long long)l->slop);
    return RP_OK;
}

/* One that is not alone must be right by itself: it may not close a parenthesis that it did not open. */
static rp_status write_query_string(rp__elastic_reading *x, rp__buf *out, const leaf *l)
{
    rp_searcher *searcher = NULL;
    rp_key key = {0};
    if (l->is_and)
        return rp__error_set(x->err, RP_USAGE,
                             "default_operator and is not supported inside a bool; write AND");
    rp_status status = x->generation ? rp__service_lease(x->generation, &searcher, x->err) : RP_OK;
    if (status == RP_OK && x->generation) {
        status = rp_query_key(searcher, (const char *)l->text.at, l->text.n, &(rp_mode){RP_MODE_OR},
                              &key, x->err);
        rp__service_give_back(x->generation, searcher);
    }
    rp_key_free(&key);
    rp__buf_put_byte(out, '(');
    rp__buf_put(out, l->text.at, l->text.n);
    rp__buf_put_byte(out, ')');
    return status;
}

/* The leaf as one atom. Alone, it is the whole query and has its own mode. */
static rp_status write_leaf(clauses *c, const leaf *l, bool is_alone)
{
    rp__elastic_reading *x = c->x;
    const bool is_one = strcmp(l->name, "term") == 0 || strcmp(l->name, "prefix") == 0;
    size_t n = 1;
    rp_status status = RP_OK;
    rp__buf_clear(&c->atom, SIZE_MAX);
    if (is_alone && l->is_and)
        x->out->mode = RP_MODE_AND;
    if (strcmp(l->name, "match_phrase") == 0) {
        status = write_phrase(&c->atom, l);
    } else if (strcmp(l->name, "query_string") == 0 && is_alone && !l->boost[0]) {
        rp__buf_put(&c->atom, l->text.at, l->text.n);
    } else if (strcmp(l->name, "query_string") == 0) {
        status = write_query_string(x, &c->atom, l);
    } else {
        rp__buf_put_string(&c->atom, is_one ? "" : "(");
        status = put_words(x, &c->atom, l, l->is_and && !is_alone ? "+" : "", &n);
        rp__buf_put_string(&c->atom, !is_one ? ")" : l->name[0] == 'p' ? "*" : "");
    }
    if (status == RP_OK && (n == 0 || l->text.n == 0))
        return rp__error_set(x->err, RP_USAGE, "[%s] has no word", l->name);
    if (status == RP_OK && is_one && n > 1)
        return rp__error_set(x->err, RP_USAGE, "[%s] has one word; use match for several", l->name);
    rp__buf_put_string(&c->atom, l->boost);
    return status;
}

static rp_status read_leaf(clauses *c, const char *name)
{
    const bool is_alone = c->n == 0;
    leaf l = {.name = name};
    rp__buf_init(&l.text);
    rp_status status;
    if (strcmp(name, "query_string") == 0) {
        status = rp__elastic_clause_expect(c->x, RP_JSON_OBJECT, "an object");
        if (status == RP_OK)
            status = read_options(c->x, &l);
    } else {
        status = read_field(c->x, &l);
    }
    if (status == RP_OK)
        status = write_leaf(c, &l, is_alone);
    rp__buf_free(&l.text);
    return status;
}

/* {} after match_all: it stands alone. */
static rp_status read_all(clauses *c)
{
    if (c->n > 0)
        return rp__error_set(c->x->err, RP_USAGE,
                             "[match_all] is supported alone, not inside a bool");
    c->x->out->is_all = true;
    rp_status status = rp__elastic_clause_expect(c->x, RP_JSON_OBJECT, "an object");
    return status == RP_OK
               ? rp__elastic_clause_expect(c->x, RP_JSON_OBJECT_END, "no option of match_all")
               : status;
}

/* ---- 4. Bools -------------------------------------------------------------------------------- */

/* The atom, as a clause of the innermost bool. */
static void add_clause(clauses *c)
{
    bool_frame *f = &c->frames[c->n - 1];
    const bool is_should = f->role == SHOULD;
    rp__buf *out = is_should ? &f->shoulds : &f->musts;
    rp__buf_put_string(out, is_should             ? " "
                            : f->role == MUST     ? " +"
                            : f->role == MUST_NOT ? " -"
                                                  : " +(");
    rp__buf_put(out, c->atom.at, c->atom.n);
    if (f->role == FILTER)
        rp__buf_put_string(out, ")^0");
    f->n_musts += f->role == MUST || f->role == FILTER;
    f->n_shoulds += is_should;
}

static rp_status check_bool(clauses *c, const bool_frame *f, bool needs_should)
{
    rp_error *err = c->x->err;
    if (f->n_musts + f->n_shoulds == 0)
        return rp__error_set(err, RP_USAGE,
                             "a bool without must, filter and should is not supported: something "
                             "to look for must be there");
    if (f->has_min && f->min_should > 1)
        return rp__error_set(err, RP_USAGE,
                             "[minimum_should_match] of a bool is 0 or 1; others are not "
                             "supported");
    if (needs_should && f->n_shoulds == 0)
        return rp__error_set(err, RP_USAGE, "[minimum_should_match] asks for more than should has");
    if (!needs_should && f->n_musts == 0)
        return rp__error_set(err, RP_USAGE, "[minimum_should_match] 0 needs a must or a filter");
    return RP_OK;
}

static void free_frame(clauses *c, bool_frame *f)
{
    c->has_failed |= f->musts.failed || f->shoulds.failed;
    rp__buf_free(&f->musts);
    rp__buf_free(&f->shoulds);
}

/* Ends the innermost bool: it is the atom now. */
static rp_status write_bool(clauses *c)
{
    bool_frame *f = &c->frames[--c->n];
    const bool needs_should = f->has_min ? f->min_should > 0 : f->n_musts == 0;
    rp_status status = check_bool(c, f, needs_should);
    rp__buf_clear(&c->atom, SIZE_MAX);
    rp__buf_put_byte(&c->atom, '(');
    rp__buf_put(&c->atom, f->musts.at, f->musts.n);
    if (f->n_shoulds > 0 && f->n_musts > 0 && needs_should) {
        rp__buf_put_string(&c->atom, " +(");
        rp__buf_put(&c->atom, f->shoulds.at, f->shoulds.n);
        rp__buf_put_byte(&c->atom, ')');
    } else {
        rp__buf_put(&c->atom, f->shoulds.at, f->shoulds.n);
    }
    rp__buf_put_byte(&c->atom, ')');
    rp__buf_put_string(&c->atom, f->boost);
    free_frame(c, f);
    return status;
}

static rp_status open_bool(clauses *c)
{
    if (c->n == MAX_BOOLS)
        return rp__error_set(c->x->err, RP_LIMIT, "more than %d bools inside each other",
                             MAX_BOOLS);
    c->frames[c->n] = (bool_frame){.role = MUST};
    rp__buf_init(&c->frames[c->n].musts);
    rp__buf_init(&c->frames[c->n].shoulds);
    c->n++;
    return rp__elastic_clause_expect(c->x, RP_JSON_OBJECT, "an object");
}

/* What comes next: another query of the innermost bool (its '{' was read), or the bool has ended. */
typedef enum step { STEP_QUERY, STEP_BOOL_END } step;

/* The key of a bool's member was read. has_query: a query of it follows, after its '{'. */
static rp_status read_member(clauses *c, bool *has_query)
{
    rp__elastic_reading *x = c->x;
    bool_frame *f = &c->frames[c->n - 1];
    rp__json_type type;
    *has_query = false;
    for (size_t i = 0; i < sizeof role_names / sizeof *role_names; i++) {
        if (!rp__elastic_clause_is(x, role_names[i]))
            continue;
        f->role = (clause_role)i;
        rp_status status = rp__elastic_clause_next(x, &type);
        f->is_in_array = status == RP_OK && type == RP_JSON_ARRAY;
        if (status != RP_OK || f->is_in_array)
            return status;
        *has_query = type == RP_JSON_OBJECT;
        return *has_query ? RP_OK
                          : rp__error_set(x->err, RP_USAGE, "[%s] is a query or an array of them",
                                          role_names[i]);
    }
    if (rp__elastic_clause_is(x, "boost"))
        return read_boost(x, f->boost);
    if (!rp__elastic_clause_is(x, "minimum_should_match"))
        return rp__elastic_clause_refuse(
            x, "bool", "must, filter, should, must_not, minimum_should_match, boost");
    f->has_min = true;
    return rp__elastic_clause_count(x, "minimum_should_match", &f->min_should);
}

/* Goes on inside the innermost bool until one of its queries begins, or it ends. */
static rp_status walk_bool(clauses *c, step *out)
{
    rp__elastic_reading *x = c->x;
    for (;;) {
        bool_frame *f = &c->frames[c->n - 1];
        rp__json_type type;
        bool has_query = false;
        rp_status status = rp__elastic_clause_next(x, &type);
        if (status == RP_OK && f->is_in_array && type == RP_JSON_ARRAY_END) {
            f->is_in_array = false;
            continue;
        }
        if (status == RP_OK && f->is_in_array && type != RP_JSON_OBJECT)
            status = rp__error_set(x->err, RP_USAGE, "[%s] has something that is no query",
                                   role_names[f->role]);
        has_query = f->is_in_array;
        *out = STEP_QUERY;
        if (status == RP_OK && !f->is_in_array && type == RP_JSON_OBJECT_END) {
            *out = STEP_BOOL_END;
            return RP_OK;
        }
        if (status == RP_OK && !f->is_in_array)
            status = read_member(c, &has_query);
        if (status != RP_OK || has_query)
            return status;
    }
}

/* ---- 5. A query ------------------------------------------------------------------------------ */

/* After a query's '{': its one key. is_open: it is a bool, whose members follow. */
static rp_status read_one(clauses *c, bool *is_open)
{
    static const char *const leaves[] = {"match", "match_phrase", "prefix",
                                         "term",  "query_string", NULL};
    *is_open = false;
    rp_status status = rp__elastic_clause_expect(c->x, RP_JSON_KEY, "the name of a query");
    if (status != RP_OK)
        return status;
    for (size_t i = 0; leaves[i]; i++)
        if (rp__elastic_clause_is(c->x, leaves[i]))
            return read_leaf(c, leaves[i]);
    if (rp__elastic_clause_is(c->x, "match_all"))
        return read_all(c);
    *is_open = rp__elastic_clause_is(c->x, "bool");
    return *is_open ? open_bool(c)
                    : rp__elastic_clause_refuse(c->x, "a query",
                                                "match, match_phrase, prefix, term, bool, "
                                                "query_string, match_all");
}

static rp_status read_clauses(clauses *c)
{
    bool is_open = false;
    step next = STEP_QUERY;
    rp_status status = rp__elastic_clause_expect(c->x, RP_JSON_OBJECT, "a query");
    while (status == RP_OK) {
        if (next == STEP_QUERY)
            status = read_one(c, &is_open);
        else
            status = write_bool(c);
        if (status == RP_OK && (next == STEP_BOOL_END || !is_open)) {
            status =
                rp__elastic_clause_expect(c->x, RP_JSON_OBJECT_END, "no second query; use a bool");
            if (status == RP_OK && c->n > 0)
                add_clause(c);
        }
        if (status != RP_OK || c->n == 0)
            break;
        status = walk_bool(c, &next);
    }
    return status;
}

rp_status rp__elastic_clause_read(rp__elastic_reading *x)
{
    clauses c = {.x = x};
    rp__buf_init(&c.atom);
    x->out->is_all = false;
    x->out->mode = RP_MODE_OR;
    rp_status status = read_clauses(&c);
    rp__buf_clear(&x->out->text, SIZE_MAX);
    rp__buf_put(&x->out->text, c.atom.at, c.atom.n);
    c.has_failed |= c.atom.failed || x->out->text.failed;
    for (size_t i = 0; i < c.n; i++)
        free_frame(&c, &c.frames[i]);
    rp__buf_free(&c.atom);
    return status == RP_OK && c.has_failed ? rp__error_no_memory(x->err) : status;
}
