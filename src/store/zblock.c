/* zblock.c: blocks of stored text, packed by zstd one at a time. A block is a whole frame: it is
 * unpacked alone and to a size known before. The contexts are made once and reused, which is most of
 * the cost of a small block. */
#include "store/store.h"

#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_customMem: its memory is counted with ours */
#include <zstd.h>

#include "base/alloc.h"

enum { LEVEL = 3 };

struct rp__zblock {
    ZSTD_CCtx *pack;
    ZSTD_DCtx *unpack;
};

static void *take(void *unused, size_t bytes)
{
    (void)unused;
    return rp__alloc(bytes);
}

static void give(void *unused, void *p)
{
    (void)unused;
    rp__free(p);
}

static const ZSTD_customMem memory = {take, give, NULL};

rp_status rp__zblock_new(rp__zblock **out)
{
    rp__zblock *z = rp__alloc_zero(1, sizeof *z);
    if (!z)
        return RP_NO_MEMORY;
    z->pack = ZSTD_createCCtx_advanced(memory);
    z->unpack = ZSTD_createDCtx_advanced(memory);
    if (!z->pack || !z->unpack) {
        rp__zblock_free(z);
        return RP_NO_MEMORY;
    }
    *out = z;
    return RP_OK;
}

void rp__zblock_free(rp__zblock *z)
{
    if (!z)
        return;
    ZSTD_freeCCtx(z->pack);
    ZSTD_freeDCtx(z->unpack);
    rp__free(z);
}

rp_status rp__zblock_pack(rp__zblock *z, const void *bytes, size_t n, rp__buf *out)
{
    size_t cap = ZSTD_compressBound(n);
    uint8_t *p = ZSTD_isError(cap) ? NULL : rp__buf_room(out, cap);
    if (!p)
        return RP_NO_MEMORY;
    size_t used = ZSTD_compressCCtx(z->pack, p, cap, bytes, n, LEVEL);
    if (ZSTD_isError(used))
        return RP_NO_MEMORY; /* the room is enough, so nothing else can be amiss */
    out->n += used;
    return RP_OK;
}

rp_status rp__zblock_unpack(rp__zblock *z, const void *bytes, size_t n, void *out, size_t expected)
{
    size_t got = ZSTD_decompressDCtx(z->unpack, out, expected, bytes, n);
    return got == expected ? RP_OK : RP_DAMAGED; /* an error is a size that cannot be */
}
