/* sim_config.c: configurations as text, and the table of their keys. */
#include "sim/sim_config.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "sim/dram.h"

static const rp__sim_key keys[] = {
#define RP_SIM_KEY_ROW(key, fallback, min, max, choices, text)                                     \
    {#key, choices, text, fallback, min, max, offsetof(rp__sim_config, key)},
    RP_SIM_KEYS(RP_SIM_KEY_ROW)
#undef RP_SIM_KEY_ROW
};

enum { N_KEYS = sizeof keys / sizeof keys[0] };

const rp__sim_key *rp__sim_config_key(size_t i)
{
    return i < N_KEYS ? &keys[i] : NULL;
}

const char *rp__sim_config_choice(const rp__sim_key *key, uint32_t value, size_t *bytes)
{
    const char *name = key->choices;
    for (; value && strchr(name, '|'); value--)
        name = strchr(name, '|') + 1;
    *bytes = strcspn(name, "|");
    return name;
}

static uint32_t *field(rp__sim_config *config, const rp__sim_key *key)
{
    return (uint32_t *)(void *)((char *)config + key->offset);
}

void rp__sim_config_init(rp__sim_config *config)
{
    *config = (rp__sim_config){.standard = "ddr4-2400", .controller = "frfcfs"};
    for (size_t i = 0; i < N_KEYS; i++)
        *field(config, &keys[i]) = keys[i].fallback;
}

/* ---- One assignment -------------------------------------------------------------------------- */

typedef struct text {
    const char *at;
    size_t n;
} text;

static text trim(text t)
{
    while (t.n && isspace((unsigned char)t.at[0]))
        t = (text){t.at + 1, t.n - 1};
    while (t.n && isspace((unsigned char)t.at[t.n - 1]))
        t.n--;
    return t;
}

static bool is(text t, const char *word)
{
    return t.n == strlen(word) && memcmp(t.at, word, t.n) == 0;
}

/* The place of a name in "a|b|c"; -1: it is none of them. */
static int32_t choice_of(const char *choices, text value)
{
    for (int32_t i = 0;; i++) {
        size_t n = strcspn(choices, "|");
        if (n == value.n && memcmp(choices, value.at, n) == 0)
            return i;
        if (!choices[n])
            return -1;
        choices += n + 1;
    }
}

static bool number_of(text value, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < value.n; i++) {
        if (value.at[i] < '0' || value.at[i] > '9' || *out > UINT32_MAX)
            return false;
        *out = *out * 10 + (uint64_t)(value.at[i] - '0');
    }
    return value.n > 0;
}

/* The two keys that name a row of another table. */
typedef struct named_key {
    const char *name;
    size_t offset, cap; /* of the text in the config */
    const char *(*choice)(size_t i);
} named_key;

static const named_key named_keys[] = {
    {"standard", offsetof(rp__sim_config, standard), sizeof((rp__sim_config *)0)->standard,
     rp__dram_standard_name},
    {"controller", offsetof(rp__sim_config, controller), sizeof((rp__sim_config *)0)->controller,
     rp__dram_standard_controller_name},
};

enum { N_NAMED = sizeof named_keys / sizeof named_keys[0] };

static rp_status refuse_name(const named_key *key, text value, rp_error *err)
{
    char names[128];
    size_t n = 0;
    for (size_t i = 0; key->choice(i) && n < sizeof names; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? "|" : "", key->choice(i));
    return rp__error_set(err, RP_USAGE, "%s: '%.*s' is none of %s", key->name,
                         (int)(value.n < 40 ? value.n : 40), value.at, names);
}

static rp_status set_name(rp__sim_config *config, const named_key *key, text value, rp_error *err)
{
    const char *name;
    char *dst = (char *)config + key->offset;
    for (size_t i = 0; (name = key->choice(i)); i++)
        if (is(value, name)) {
            memset(dst, 0, key->cap);
            memcpy(dst, value.at, value.n);
            return RP_OK;
        }
    return refuse_name(key, value, err);
}

static rp_status set_key(rp__sim_config *config, const rp__sim_key *key, text value, rp_error *err)
{
    uint64_t number;
    if (key->choices[0]) {
        int32_t i = choice_of(key->choices, value);
        if (i < 0)
            return rp__error_set(err, RP_USAGE, "%s: '%.*s' is none of %s", key->name,
                                 (int)(value.n < 40 ? value.n : 40), value.at, key->choices);
        *field(config, key) = (uint32_t)i;
        return RP_OK;
    }
    if (!number_of(value, &number) || number < key->min || number > key->max)
        return rp__error_set(err, RP_USAGE, "%s: '%.*s' is not a number from %u to %u", key->name,
                             (int)(value.n < 40 ? value.n : 40), value.at, key->min, key->max);
    *field(config, key) = (uint32_t)number;
    return RP_OK;
}

/* Marks the key with this number as set; RP_USAGE: it was. */
static rp_status mark(uint64_t *seen, size_t number, const char *name, rp_error *err)
{
    const uint64_t bit = UINT64_C(1) << number;
    if (*seen & bit)
        return rp__error_set(err, RP_USAGE, "%s: it is given twice", name);
    *seen |= bit;
    return RP_OK;
}

enum { N_ALL = N_KEYS + N_NAMED };

_Static_assert(N_ALL <= 64, "a bit for each key");

/* The number of a key; N_ALL: there is no such key. */
static size_t find_key(text name)
{
    for (size_t i = 0; i < N_KEYS; i++)
        if (is(name, keys[i].name))
            return i;
    for (size_t i = 0; i < N_NAMED; i++)
        if (is(name, named_keys[i].name))
            return N_KEYS + i;
    return N_ALL;
}

/* Where its value lies in a configuration. */
typedef struct place {
    size_t offset, n;
} place;

static place place_of(size_t number)
{
    if (number < N_KEYS)
        return (place){keys[number].offset, sizeof keys[number].fallback};
    return (place){named_keys[number - N_KEYS].offset, named_keys[number - N_KEYS].cap};
}

/* Keys that only some memories read. */
enum {
    TIMED = 1 << RP_SIM_MEMORY_FIXED | 1 << RP_SIM_MEMORY_RANDOM,
    DRAWN = 1 << RP_SIM_MEMORY_RANDOM,
    DRAM = 1 << RP_SIM_MEMORY_DRAM,
};

static const struct {
    const char *name;
    uint32_t memories; /* bit mask */
    const char *text;
} owned_keys[] = {
    {"latency", TIMED, "fixed or random"},
    {"latency_max", DRAWN, "random"},
    {"seed", DRAWN, "random"},
    {"channels", DRAM, "dram"},
    {"ranks", DRAM, "dram"},
    {"read_queue", DRAM, "dram"},
    {"write_queue", DRAM, "dram"},
    {"standard", DRAM, "dram"},
    {"controller", DRAM, "dram"},
};

/* The memory was chosen: keys of others, unless set with it, go back to their defaults. */
static void leave_others(rp__sim_config *config, uint64_t seen)
{
    rp__sim_config initial;
    rp__sim_config_init(&initial);
    for (size_t i = 0; i < sizeof owned_keys / sizeof owned_keys[0]; i++) {
        const size_t number = find_key((text){owned_keys[i].name, strlen(owned_keys[i].name)});
        const place at = place_of(number);
        if (!(owned_keys[i].memories >> config->memory & 1) && !(seen >> number & 1))
            memcpy((char *)config + at.offset, (const char *)&initial + at.offset, at.n);
    }
}

static rp_status set_text(rp__sim_config *config, text line, uint64_t *seen, rp_error *err)
{
    const char *equals = memchr(line.at, '=', line.n);
    if (!equals)
        return rp__error_set(err, RP_USAGE, "'%.*s' is not KEY=VALUE",
                             (int)(line.n < 40 ? line.n : 40), line.at);
    text key = trim((text){line.at, (size_t)(equals - line.at)});
    text value = trim((text){equals + 1, line.n - (size_t)(equals + 1 - line.at)});
    const size_t number = find_key(key);
    if (number == N_ALL)
        return rp__error_set(err, RP_USAGE,
                             "unknown key '%.*s'; riposte sim --list-configs has all",
                             (int)(key.n < 40 ? key.n : 40), key.at);
    const char *name = number < N_KEYS ? keys[number].name : named_keys[number - N_KEYS].name;
    if (mark(seen, number, name, err))
        return RP_USAGE;
    rp_status status = number < N_KEYS ? set_key(config, &keys[number], value, err)
                                       : set_name(config, &named_keys[number - N_KEYS], value, err);
    if (status == RP_OK && is(key, "memory"))
        leave_others(config, *seen);
    return status;
}

rp_status rp__sim_config_set(rp__sim_config *config, const char *assignment, uint64_t *seen,
                             rp_error *err)
{
    return set_text(config, (text){assignment, strlen(assignment)}, seen, err);
}

/* ---- Whole texts ----------------------------------------------------------------------------- */

rp_status rp__sim_config_parse(rp__sim_config *config, const char *bytes, size_t n_bytes,
                               rp_error *err)
{
    uint64_t seen = 0;
    uint32_t number = 0;
    for (size_t at = 0; at < n_bytes;) {
        const char *end = memchr(bytes + at, '\n', n_bytes - at);
        text line = {bytes + at, end ? (size_t)(end - (bytes + at)) : n_bytes - at};
        at += line.n + 1;
        number++;
        const char *comment = line.n ? memchr(line.at, '#', line.n) : NULL;
        if (comment)
            line.n = (size_t)(comment - line.at);
        line = trim(line);
        rp_error why;
        if (line.n && set_text(config, line, &seen, &why))
            return rp__error_set(err, RP_USAGE, "line %u: %s", number, why.text);
    }
    return RP_OK;
}

/* ---- Keys that must agree -------------------------------------------------------------------- */

static bool is_default(const rp__sim_config *config, const char *name)
{
    rp__sim_config initial;
    rp__sim_config_init(&initial);
    const place at = place_of(find_key((text){name, strlen(name)}));
    return memcmp((const char *)config + at.offset, (const char *)&initial + at.offset, at.n) == 0;
}

/* A key that would change nothing is refused, not passed over. */
static rp_status check_use(const rp__sim_config *config, rp_error *err)
{
    if (config->threshold && !config->topk)
        return rp__error_set(err, RP_USAGE, "threshold: it needs topk too, as in topk=10");
    for (size_t i = 0; i < sizeof owned_keys / sizeof owned_keys[0]; i++)
        if (!(owned_keys[i].memories >> config->memory & 1) &&
            !is_default(config, owned_keys[i].name))
            return rp__error_set(err, RP_USAGE, "%s: it is only for memory=%s", owned_keys[i].name,
                                 owned_keys[i].text);
    return RP_OK;
}

rp_status rp__sim_config_check(const rp__sim_config *config, rp_error *err)
{
    for (size_t i = 0; i < N_KEYS; i++) {
        uint32_t value = *field((rp__sim_config *)(uintptr_t)config, &keys[i]);
        if (value != keys[i].fallback && (value < keys[i].min || value > keys[i].max))
            return rp__error_set(err, RP_USAGE, "%s: %u is not a number from %u to %u",
                                 keys[i].name, value, keys[i].min, keys[i].max);
    }
    if (config->memory == RP_SIM_MEMORY_RANDOM && config->latency > config->latency_max)
        return rp__error_set(err, RP_USAGE, "latency: %u is above latency_max, %u", config->latency,
                             config->latency_max);
    return check_use(config, err);
}
