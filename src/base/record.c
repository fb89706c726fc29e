/* record.c: an option record of any release as one of this release. */
#include "base/record.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"

rp_status rp__record_take(void *own, size_t own_bytes, const void *given, rp_error *err)
{
    const uint8_t *bytes = given;
    size_t size = 0;
    memset(own, 0, own_bytes);
    if (!given)
        return RP_OK;
    memcpy(&size, given, sizeof size);
    if (size != 0 && size < sizeof size)
        return rp__error_set(err, RP_USAGE,
                             "options of %zu bytes: their size is 0, or that of the whole record",
                             size);
    for (size_t i = own_bytes; i < size; i++)
        if (bytes[i] != 0)
            return rp__error_set(err, RP_USAGE,
                                 "options of a later release: byte %zu of %zu is set, and this "
                                 "release knows %zu",
                                 i, size, own_bytes);
    memcpy(own, given, size == 0 || size > own_bytes ? own_bytes : size);
    memcpy(own, &own_bytes, sizeof own_bytes);
    return RP_OK;
}
