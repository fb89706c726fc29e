/* auto_tuning.c: thresholds by name. */
#include "lab/auto_tuning.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "engine/searcher.h"

static const char *const paces[RP_AUTO_PACES] = {
    [RP_AUTO_BURST] = "burst", [RP_AUTO_LONE] = "lone", [RP_AUTO_BATCH] = "batch"};
static const char *const shapes[RP_AUTO_SHAPES] = {[RP_AUTO_TERM] = "term",
                                                   [RP_AUTO_AND] = "and",
                                                   [RP_AUTO_OR] = "or",
                                                   [RP_AUTO_COUNTED_OR] = "counted-or",
                                                   [RP_AUTO_PHRASE] = "phrase"};

/* What is for all paces. */
static const struct {
    const char *key;
    size_t offset;
} common[] = {{"deep-k", offsetof(rp__auto_tuning, deep_k)},
              {"deep-share", offsetof(rp__auto_tuning, deep_share)},
              {"lone-us", offsetof(rp__auto_tuning, lone_us)},
              {"attach-us", offsetof(rp__auto_tuning, attach_us)}};

enum {
    KEY_BYTES = 32,
    COLUMNS = RP_AUTO_SHAPES, /* of a pace: its shapes but for the last, then k */
    KEYS = RP_AUTO_PACES * COLUMNS + sizeof common / sizeof *common
};

/* The i-th threshold and its key. */
static uint64_t *value_at(rp__auto_tuning *t, size_t i, char key[KEY_BYTES])
{
    const size_t pace = i / COLUMNS, at = i % COLUMNS, n_paced = RP_AUTO_PACES * COLUMNS;
    if (i >= n_paced) {
        snprintf(key, KEY_BYTES, "%s", common[i - n_paced].key);
        return (uint64_t *)((char *)t + common[i - n_paced].offset);
    }
    const bool is_k = at == COLUMNS - 1;
    snprintf(key, KEY_BYTES, "%s.%s", paces[pace], is_k ? "k" : shapes[at]);
    return is_k ? &t->max_k[pace] : &t->min_postings[pace][at];
}

static bool read_value(const char *text, size_t bytes, uint64_t *out)
{
    char *end = NULL;
    if (bytes == 5 && memcmp(text, "never", 5) == 0) {
        *out = RP_AUTO_NEVER;
        return true;
    }
    *out = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    return end == text + bytes;
}

/* One "key=value". */
static rp_status read_one(const char *text, size_t bytes, rp__auto_tuning *t, rp_error *err)
{
    const char *equals = memchr(text, '=', bytes);
    const size_t key_bytes = equals ? (size_t)(equals - text) : bytes;
    char key[KEY_BYTES];
    uint64_t *value = NULL;
    for (size_t i = 0; i < KEYS; i++) {
        uint64_t *one = value_at(t, i, key);
        if (strlen(key) == key_bytes && memcmp(key, text, key_bytes) == 0)
            value = one;
    }
    if (equals && value && read_value(equals + 1, bytes - key_bytes - 1, value))
        return RP_OK;
    return rp__error_set(err, RP_USAGE,
                         "'%.*s' is no threshold of auto, as burst.and=512 or lone.or=never",
                         (int)(bytes < 64 ? bytes : 64), text);
}

rp_status rp__auto_tuning_new(const char *text, rp__auto_tuning **out, rp_error *err)
{
    rp_status status = RP_OK;
    rp__auto_tuning *t = *out = rp__alloc(sizeof *t);
    if (!t)
        return rp__error_no_memory(err);
    *t = rp__auto_processor_tuning;
    while (text && *text && status == RP_OK) {
        size_t bytes = strcspn(text, ",");
        status = read_one(text, bytes, t, err);
        text += bytes + (text[bytes] == ',');
    }
    if (status == RP_OK && t->deep_share == 0)
        status = rp__error_set(err, RP_USAGE, "deep-share is 0; say 1 or more");
    return status;
}

void rp__auto_tuning_free(rp__auto_tuning *tuning)
{
    rp__free(tuning);
}

void rp__auto_tuning_put(const rp__auto_tuning *tuning, rp__buf *out)
{
    rp__auto_tuning copy = *tuning;
    char key[KEY_BYTES];
    for (size_t i = 0; i < KEYS; i++) {
        const uint64_t value = *value_at(&copy, i, key);
        rp__buf_printf(out, "%s%s=", i ? "," : "", key);
        if (value == RP_AUTO_NEVER)
            rp__buf_printf(out, "never");
        else
            rp__buf_printf(out, "%" PRIu64, value);
    }
}

void rp__auto_tuning_apply(const rp__auto_tuning *tuning, rp_searcher *searcher)
{
    searcher->placement.tuning = tuning;
}
