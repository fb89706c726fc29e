/* gpu_place.c: the name of a card to its driver and number. The emulated device is used only when it is asked for
 * by name. */
#include "backend/gpu/gpu_place.h"

#include <stdlib.h>
#include <string.h>

#include "backend/gpu/emulated.h"
#include "base/error.h"

rp_status rp__gpu_place_find(const rp__place *place, const rp__driver **driver, int *ordinal,
                             rp_error *err)
{
    const char *name = place->gpu ? place->gpu : getenv("RIPOSTE_GPU");
    *ordinal = 0;
    if (name && !strcmp(name, "emulated")) {
        *driver = rp__emulated_driver();
        return RP_OK;
    }
    char *end = NULL;
    unsigned long number = name ? strtoul(name, &end, 10) : 0;
    if (name && (end == name || *end || number > 1023))
        return rp__error_set(err, RP_USAGE, "no GPU is called '%s'; say 'emulated' or a number",
                             name);
    *ordinal = (int)number;
    return rp__driver_load(driver, err);
}
