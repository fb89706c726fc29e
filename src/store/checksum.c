/* checksum.c: XXH3 with 64 bits, the checksum of every section. */
#include <xxhash.h>

#include "store/store.h"

uint64_t rp__checksum(const void *bytes, size_t n)
{
    return XXH3_64bits(bytes, n);
}

/* Its header and the library are one release: Debian packs them together. */
const char *rp__checksum_version(void)
{
#define TEXT_OF(a)      #a
#define DOTTED(a, b, c) TEXT_OF(a) "." TEXT_OF(b) "." TEXT_OF(c)
    return DOTTED(XXH_VERSION_MAJOR, XXH_VERSION_MINOR, XXH_VERSION_RELEASE);
}
