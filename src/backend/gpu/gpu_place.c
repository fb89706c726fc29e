/* gpu_place.c: names of cards to their drivers and numbers. The emulated device is used only when it is asked for by
 * name. */
#include "backend/gpu/gpu_place.h"

#include <stdlib.h>
#include <string.h>

#include "backend/gpu/emulated.h"
#include "base/error.h"

static const char emulated[] = "emulated";

/* A name and what comes after it; NULL: nothing. */
typedef struct name {
    const char *text;
    size_t bytes;
    const char *rest;
} name;

static name cut(const char *names)
{
    size_t bytes = strcspn(names, ",");
    return (name){names, bytes, names[bytes] ? names + bytes + 1 : NULL};
}

static bool is_emulated(name n)
{
    return n.bytes == strlen(emulated) && !memcmp(n.text, emulated, n.bytes);
}

static bool is_same(name a, name b)
{
    return a.bytes == b.bytes && !memcmp(a.text, b.text, a.bytes);
}

/* The i-th name, and how many before it are the same. */
static bool find_name(const char *names, size_t i, name *out, size_t *same)
{
    *out = cut(names);
    *same = 0;
    for (size_t k = 0; k < i; k++) {
        if (!out->rest)
            return false;
        *out = cut(out->rest);
    }
    name before = cut(names);
    for (size_t k = 0; k < i; k++, before = cut(before.rest))
        *same += is_same(before, *out);
    return true;
}

static rp_status find_number(name n, const rp__driver **driver, int *ordinal, rp_error *err)
{
    char *end = NULL;
    unsigned long number = strtoul(n.text, &end, 10);
    if (n.bytes == 0 || n.text[0] < '0' || n.text[0] > '9' || end != n.text + n.bytes ||
        number > 1023)
        return rp__error_set(err, RP_USAGE, "no GPU is called '%.*s'; say 'emulated' or a number",
                             (int)(n.bytes < 64 ? n.bytes : 64), n.text);
    *ordinal = (int)number;
    return rp__driver_load(driver, err);
}

rp_status rp__gpu_place_find(const rp__place *place, size_t i, const rp__driver **driver,
                             int *ordinal, rp_error *err)
{
    const char *names = place->gpu ? place->gpu : getenv("RIPOSTE_GPU");
    name n;
    size_t same;
    if (!find_name(names ? names : "0", i, &n, &same))
        return RP_NOT_FOUND;
    if (i >= RP_GPU_PLACE_MOST)
        return rp__error_set(err, RP_USAGE, "more than %d GPUs for one search", RP_GPU_PLACE_MOST);
    if (is_emulated(n)) {
        *driver = rp__emulated_driver();
        *ordinal = (int)same;
        rp__emulated_have((uint32_t)same + 1);
        return RP_OK;
    }
    if (same > 0)
        return rp__error_set(err, RP_USAGE, "GPU %.*s is there twice", (int)n.bytes, n.text);
    return find_number(n, driver, ordinal, err);
}
