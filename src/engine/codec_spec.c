/* codec_spec.c: "pfd_rec:exceptions=0.1,level=2" to a codec and the options of its encoder.
 *
 * Numbers are plain decimals, read without regard to the locale. An option that the codec does not heed
 * is refused, so that nobody measures what was never set. */
#include "engine/codec_spec.h"

#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "base/error.h"
#include "riposte/index.h"

typedef enum key {
    KEY_EXCEPTIONS,
    KEY_LEVEL,
    KEY_C,
    KEY_SEGMENT,
    KEY_MAX,
    KEY_BY,
    KEY_FOR,
    KEYS
} key;

/* An option: which codecs heed it, and its range, in words. */
static const struct {
    const char *name, *codecs; /* codecs: separated by ", " */
    const char *range;
    double least, most; /* of a number */
} keys[KEYS] = {
    [KEY_EXCEPTIONS] = {"exceptions",
                        "pfd, newpfd, optpfd, parapfor, pfd_rec, lrc, lrcseg, seglrc, hslrc256, "
                        "hslrc128",
                        "0 to 0.6", 0, 0.6},
    [KEY_LEVEL] = {"level", "pfd_rec", "0, 1, 2, 3 or 4", 0, 4},
    [KEY_C] = {"c", "qs", "0.25 to 16", 0.25, 16},
    [KEY_SEGMENT] = {"segment", "pfd, newpfd, parapfor", "64 or 128", 64, 128},
    [KEY_MAX] = {"max", "iiu", "1 to 256", 1, 256},
    [KEY_BY] = {"by", "mixed, auto", "size or speed", 0, 0},
    [KEY_FOR] = {"for", "auto", "avx2 or avx512", 0, 0},
};

/* ---- Names ------------------------------------------------------------------------------------- */

/* Rows of one name stand together, one an instruction set. */
const char *rp_codec_name(size_t i)
{
    const char *last = "";
    for (size_t row = 0; rp__codec_at(row); row++) {
        const char *name = rp__codec_at(row)->name;
        if (strcmp(name, last) == 0)
            continue;
        if (i-- == 0)
            return name;
        last = name;
    }
    return NULL;
}

const char *rp_freqs_name(size_t i)
{
    const char *last = "";
    for (size_t row = 0; rp__block_code_at(row); row++) {
        const char *name = rp__block_code_at(row)->name;
        if (strcmp(name, last) == 0)
            continue;
        if (i-- == 0)
            return name;
        last = name;
    }
    return NULL;
}

typedef struct text {
    char at[240];
    size_t n;
} text;

/* "a, b": what does not fit is left out whole. */
static void append(text *t, const char *item)
{
    size_t room = sizeof t->at - t->n;
    int n = snprintf(t->at + t->n, room, "%s%s", t->n ? ", " : "", item);
    if (n > 0 && (size_t)n < room)
        t->n += (size_t)n;
    t->at[t->n] = 0;
}

static rp_status unknown_codec(const char *name, rp_error *err)
{
    text names = {0};
    for (size_t i = 0; rp_codec_name(i); i++)
        append(&names, rp_codec_name(i));
    return rp__error_set(err, RP_USAGE, "codec \"%s\" is not known; there are: %s", name, names.at);
}

static rp_status unknown_freqs(const char *name, rp_error *err)
{
    text names = {0};
    for (size_t i = 0; rp_freqs_name(i); i++)
        append(&names, rp_freqs_name(i));
    return rp__error_set(err, RP_USAGE, "code \"%s\" for frequencies is not known; there are: %s",
                         name, names.at);
}

/* ---- Options ----------------------------------------------------------------------------------- */

/* Whether a list of names holds the one. */
static bool is_in(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == 0 || at[n] == ','))
            return true;
    return false;
}

static rp_status unknown_key(const char *codec, const char *name, rp_error *err)
{
    text heeded = {0};
    for (size_t k = 0; k < KEYS; k++) {
        char one[64];
        snprintf(one, sizeof one, "%s (%s)", keys[k].name, keys[k].range);
        if (strcmp(keys[k].name, name) == 0)
            return rp__error_set(err, RP_USAGE,
                                 "codec \"%s\" has no option \"%s\", which is for: %s", codec, name,
                                 keys[k].codecs);
        if (is_in(keys[k].codecs, codec))
            append(&heeded, one);
    }
    if (heeded.n == 0)
        return rp__error_set(err, RP_USAGE, "codec \"%s\" takes no options; \"%s\" was given",
                             codec, name);
    return rp__error_set(err, RP_USAGE, "codec \"%s\" has no option \"%s\"; it takes: %s", codec,
                         name, heeded.at);
}

/* Digits, perhaps a point and more digits; at most 15 in all, so that the double is the nearest. */
static bool read_decimal(const char *s, double *out)
{
    enum { DIGITS_MOST = 15 };
    double value = 0, scale = 1;
    size_t digits = 0;
    bool has_point = false;
    for (; *s; s++) {
        if (*s == '.' && !has_point && digits > 0) {
            has_point = true;
            continue;
        }
        if (*s < '0' || *s > '9' || digits++ == DIGITS_MOST)
            return false;
        value = value * 10 + (*s - '0');
        scale *= has_point ? 10 : 1;
    }
    *out = value / scale;
    return digits > 0;
}

/* A whole number in its range. */
static bool set_count(rp__codec_options *o, key k, uint32_t v)
{
    if (k == KEY_MAX) {
        o->max_size = v;
    } else if (k == KEY_SEGMENT) {
        o->segment = v == RP_BLOCK ? 0 : v;
        return v == 64 || v == RP_BLOCK;
    } else {
        o->has_level = true;
        o->level = v;
    }
    return true;
}

/* False: the value is out of range. */
static bool set_number(rp__codec_options *o, key k, const char *value)
{
    double v;
    if (!read_decimal(value, &v) || v < keys[k].least || v > keys[k].most)
        return false;
    if (k == KEY_C) {
        o->c = v;
    } else if (k == KEY_EXCEPTIONS) {
        o->has_exceptions = true;
        o->exceptions = v;
    } else {
        return v == (double)(uint32_t)v && set_count(o, k, (uint32_t)v);
    }
    return true;
}

static bool set_by(rp__codec_options *o, const char *value)
{
    o->by = strcmp(value, "speed") == 0 ? RP_BY_SPEED : RP_BY_SIZE;
    return o->by == RP_BY_SPEED || strcmp(value, "size") == 0;
}

static bool set_for(rp__codec_options *o, const char *value)
{
    o->costs = strcmp(value, "avx2") == 0 ? RP_COSTS_AVX2 : RP_COSTS_AVX512;
    return o->costs == RP_COSTS_AVX2 || strcmp(value, "avx512") == 0;
}

static rp_status set_option(rp__codec_options *o, key k, const char *value, rp_error *err)
{
    if (k == KEY_BY ? set_by(o, value) : k == KEY_FOR ? set_for(o, value) : set_number(o, k, value))
        return RP_OK;
    return rp__error_set(err, RP_USAGE, "codec option %s=\"%s\": give %s", keys[k].name, value,
                         keys[k].range);
}

/* "key=value", which it cuts. */
static rp_status parse_option(const char *codec, char *word, bool is_given[KEYS],
                              rp__codec_options *o, rp_error *err)
{
    char *value = strchr(word, '=');
    if (value)
        *value++ = 0;
    for (size_t k = 0; k < KEYS; k++) {
        if (strcmp(word, keys[k].name) != 0 || !is_in(keys[k].codecs, codec))
            continue;
        if (is_given[k])
            return rp__error_set(err, RP_USAGE, "codec option \"%s\" is given twice", word);
        is_given[k] = true;
        return set_option(o, (key)k, value ? value : "", err);
    }
    return unknown_key(codec, word, err);
}

static rp_status parse_options(const char *codec, char *words, rp__codec_options *o, rp_error *err)
{
    bool is_given[KEYS] = {false};
    rp_status status = RP_OK;
    for (char *word = words; word && status == RP_OK;) {
        char *next = strchr(word, ',');
        if (next)
            *next++ = 0;
        status = parse_option(codec, word, is_given, o, err);
        word = next;
    }
    return status;
}

/* ---- All of it --------------------------------------------------------------------------------- */

static rp_status parse_codec(const char *spec, rp__coding *out, rp_error *err)
{
    char copy[256];
    if (strlen(spec) >= sizeof copy)
        return rp__error_set(err, RP_USAGE, "a codec with its options has at most 255 bytes");
    memcpy(copy, spec, strlen(spec) + 1);
    char *words = strchr(copy, ':');
    if (words)
        *words++ = 0;
    out->codec = rp__codec_find(copy, rp__cpu_features());
    if (!out->codec)
        return unknown_codec(copy, err);
    return words ? parse_options(out->codec->name, words, &out->options, err) : RP_OK;
}

/* Scoring asks for frequencies one by one. Lists of auto have them in a code that is small and gives one
 * at once, where size is not all that counts. */
static const rp__block_code *own_freqs(const rp__coding *coding)
{
    bool by_speed = coding->codec->choose && coding->options.by != RP_BY_SIZE;
    return by_speed ? rp__block_code_find("efsum", rp__cpu_features()) : NULL;
}

rp_status rp__codec_spec_parse(const char *codec, const char *freqs, rp__coding *out, rp_error *err)
{
    *out = (rp__coding){0};
    rp_status status = codec ? parse_codec(codec, out, err) : RP_OK;
    if (status == RP_OK && codec && !freqs)
        out->freqs = own_freqs(out);
    if (status != RP_OK || !freqs)
        return status;
    out->freqs = rp__block_code_find(freqs, rp__cpu_features());
    if (!out->freqs)
        return unknown_freqs(freqs, err);
    if (out->codec && !out->codec->freqs)
        return rp__error_set(err, RP_USAGE,
                             "codec \"%s\" keeps frequencies with the docids; they have no code "
                             "of their own to choose",
                             out->codec->name);
    return RP_OK;
}
