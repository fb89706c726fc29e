/* algorithm_spec.c: reads "name:key=value,key=value" by an algorithm's table of options. */
#include "backend/algorithm_spec.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* A part of the spec. */
typedef struct part {
    const char *at;
    size_t n;
} part;

/* What may be said, for a message: as long as that may be. */
typedef struct list {
    char at[sizeof((rp_error *)0)->text];
    size_t n, max; /* bytes, less the NUL */
    bool is_cut;
} list;

bool rp__algorithm_spec_is(const char *spec, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(spec, name, n) == 0 && (spec[n] == 0 || spec[n] == ':');
}

/* ---- Messages ---------------------------------------------------------------------------------- */

/* "a|b": what does not fit is left out whole. */
static void append(list *l, const char *item)
{
    const size_t left = l->max + 1 - l->n;
    int n = snprintf(l->at + l->n, left, "%s%s", l->n ? "|" : "", item);
    if (n > 0 && (size_t)n < left)
        l->n += (size_t)n;
    else
        l->is_cut = true;
    l->at[l->n] = 0;
}

static rp_status unknown_option(part name, const rp__algorithm_option *options, size_t n,
                                rp_error *err)
{
    list there = {.max = sizeof there.at - 64};
    for (size_t i = 0; i < n; i++)
        append(&there, options[i].name);
    return rp__error_set(err, RP_USAGE, "no option \"%.*s\"; choose from %s",
                         (int)(name.n < 32 ? name.n : 32), name.at, there.at);
}

static list values_of(const rp__algorithm_option *option, size_t max)
{
    list there = {.max = max};
    for (size_t i = 0; option->value_at && option->value_at(i); i++)
        append(&there, option->value_at(i));
    if (!option->value_at)
        snprintf(there.at, sizeof there.at, "%u to %u", option->min, option->max);
    return there;
}

/* The value is left out where the list would not fit beside it. */
static rp_status refuse_value(const rp__algorithm_option *option, part value, rp_error *err)
{
    const char more[] = "|...", choose[] = ": choose ";
    const size_t head = strlen(option->name) + sizeof choose;
    const size_t shown = value.n < 24 ? value.n : 24;
    list there = values_of(option, sizeof there.at - head - shown - 1);
    if (!there.is_cut)
        return rp__error_set(err, RP_USAGE, "%s=%.*s%s%s", option->name, (int)shown, value.at,
                             choose, there.at);
    there = values_of(option, sizeof there.at - head);
    if (there.is_cut)
        there = values_of(option, sizeof there.at - head - sizeof more);
    return rp__error_set(err, RP_USAGE, "%s%s%s%s", option->name, choose, there.at,
                         there.is_cut ? more : "");
}

/* ---- Parts ------------------------------------------------------------------------------------- */

static bool is_equal(part p, const char *name)
{
    return strlen(name) == p.n && memcmp(p.at, name, p.n) == 0;
}

/* What is before the separator; *rest is what is behind it, or nothing. */
static part cut(part whole, char separator, part *rest)
{
    const char *end = whole.n ? memchr(whole.at, separator, whole.n) : NULL;
    const size_t n = end ? (size_t)(end - whole.at) : whole.n;
    *rest = end ? (part){end + 1, whole.n - n - 1} : (part){whole.at + whole.n, 0};
    return (part){whole.at, n};
}

/* Which of the names; false: none. */
static bool find_name(const rp__algorithm_option *option, part value, uint32_t *out)
{
    const char *name;
    for (uint32_t i = 0; (name = option->value_at(i)); i++) {
        *out = i;
        if (is_equal(value, name))
            return true;
    }
    return false;
}

/* False: it is no whole number, or out of range. */
static bool read_number(const rp__algorithm_option *option, part value, uint32_t *out)
{
    uint64_t number = 0;
    for (size_t i = 0; i < value.n; i++) {
        if (value.at[i] < '0' || value.at[i] > '9' || number > UINT32_MAX)
            return false;
        number = number * 10 + (uint64_t)(value.at[i] - '0');
    }
    *out = (uint32_t)number;
    return value.n > 0 && number >= option->min && number <= option->max;
}

/* ---- The whole --------------------------------------------------------------------------------- */

/* "key=value". */
static rp_status parse_one(part one, const rp__algorithm_option *options, size_t n,
                           rp__algorithm_spec *out, rp_error *err)
{
    part value, name = cut(one, '=', &value);
    size_t i = 0;
    while (i < n && !is_equal(name, options[i].name))
        i++;
    if (i == n)
        return unknown_option(name, options, n, err);
    if (out->is_given[i])
        return rp__error_set(err, RP_USAGE, "option \"%s\" is given twice", options[i].name);
    out->is_given[i] = true;
    bool is_known = options[i].value_at ? find_name(&options[i], value, &out->values[i])
                                        : read_number(&options[i], value, &out->values[i]);
    return is_known ? RP_OK : refuse_value(&options[i], value, err);
}

rp_status rp__algorithm_spec_parse(const char *spec, const rp__algorithm_option *options, size_t n,
                                   rp__algorithm_spec *out, rp_error *err)
{
    const char *colon = strchr(spec, ':');
    part rest = {colon, colon ? strlen(colon) : 0};
    rp_status status = RP_OK;
    *out = (rp__algorithm_spec){0};
    for (size_t i = 0; i < n; i++)
        out->values[i] = options[i].initial;
    for (bool has_more = colon; has_more && status == RP_OK;) {
        rest.at++; /* past the colon or comma, behind which there must be one */
        rest.n--;
        const size_t bytes = cut(rest, ',', &(part){0}).n;
        status = parse_one((part){rest.at, bytes}, options, n, out, err);
        rest = (part){rest.at + bytes, rest.n - bytes};
        has_more = rest.n > 0;
    }
    return status;
}
