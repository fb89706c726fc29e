/* checksum.c: XXH3 with 64 bits, the checksum of every section. */
#include <xxhash.h>

#include "store/store.h"

uint64_t rp__checksum(const void *bytes, size_t n)
{
    return XXH3_64bits(bytes, n);
}
