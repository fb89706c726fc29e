/* gpu_place.c: names of cards to their drivers and numbers. The emulated device is used only when it is asked for by
 * name. */
#include "backend/gpu/gpu_place.h"

#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "base/error.h"

static const char emulated[] = "emulated";

/* One of several, which ends at a comma or at the end. */
typedef struct name {
    const char *text;
    size_t bytes;
} name;

static name name_at(const char *text)
{
    return (name){text, strcspn(text, ",")};
}

/* To the next; false: it is the last. */
static bool advance(name *n)
{
    if (!n->text[n->bytes])
        return false;
    *n = name_at(n->text + n->bytes + 1);
    return true;
}

static bool is_emulated(name n)
{
    return n.bytes == strlen(emulated) && !memcmp(n.text, emulated, n.bytes);
}

static bool is_same(name a, name b)
{
    return a.bytes == b.bytes && !memcmp(a.text, b.text, a.bytes);
}

/* How many before it are the same. */
static size_t count_before(const char *names, name n)
{
    size_t same = 0;
    for (name at = name_at(names); at.text < n.text; (void)advance(&at))
        same += is_same(at, n);
    return same;
}

static bool is_number(name n, int *ordinal)
{
    char *end = NULL;
    unsigned long number = strtoul(n.text, &end, 10);
    *ordinal = (int)number;
    return n.text[0] >= '0' && n.text[0] <= '9' && end == n.text + n.bytes && number <= 1023;
}

/* All of them, so that a wrong one is reported whatever becomes of the others. */
static rp_status check_names(const char *names, rp_error *err)
{
    name n = name_at(names);
    size_t i = 0;
    do {
        int ordinal, shown = (int)(n.bytes < 64 ? n.bytes : 64);
        if (i++ == RP_GPU_PLACE_MAX)
            return rp__error_set(err, RP_USAGE, "more than %d GPUs for one search",
                                 RP_GPU_PLACE_MAX);
        if (is_emulated(n))
            continue;
        if (!is_number(n, &ordinal))
            return rp__error_set(err, RP_USAGE,
                                 "no GPU is called '%.*s'; say 'emulated' or a number", shown,
                                 n.text);
        if (count_before(names, n) > 0)
            return rp__error_set(err, RP_USAGE, "GPU %.*s is there twice", shown, n.text);
    } while (advance(&n));
    return RP_OK;
}

rp_status rp__gpu_place_find(const rp__place *place, size_t i, const rp__driver **driver,
                             int *ordinal, rp_error *err)
{
    const char *set = getenv("RIPOSTE_GPU"), *names = place->gpu ? place->gpu : "0";
    if (!place->gpu && set && *set)
        names = set;
    rp_status status = check_names(names, err);
    if (status != RP_OK)
        return status;
    name n = name_at(names);
    for (; i > 0; i--)
        if (!advance(&n))
            return RP_NOT_FOUND;
    if (!is_emulated(n)) {
        (void)is_number(n, ordinal);
        return rp__driver_load(driver, err);
    }
    *ordinal = (int)count_before(names, n);
    *driver = rp__emulated_device_driver();
    rp__emulated_device_have((uint32_t)*ordinal + 1);
    return RP_OK;
}
