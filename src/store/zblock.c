/* zblock.c: blocks of stored text, packed by zstd one at a time. A block is a whole frame: it is
 * unpacked alone, in one call or piece by piece. The contexts are made once and reused, which is most of
 * the cost of a small block. */
#include "store/store.h"

#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_customMem: its memory is counted with ours */
#include <zstd.h>

#include "base/alloc.h"

/* Frames of this level have windows of at most 2^WINDOW_LOG bytes. One that claims more is damaged:
 * unpacking takes memory for a window. */
enum { LEVEL = 3, WINDOW_LOG = 21 };

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
    if (!z->pack || !z->unpack ||
        ZSTD_isError(ZSTD_DCtx_setParameter(z->unpack, ZSTD_d_windowLogMax, WINDOW_LOG))) {
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

void rp__zblock_begin(rp__zblock *z)
{
    ZSTD_DCtx_reset(z->unpack, ZSTD_reset_session_only);
}

rp_status rp__zblock_unpack(rp__zblock *z, const void *in, size_t *in_bytes, void *out,
                            size_t *out_bytes, bool *is_at_end)
{
    ZSTD_inBuffer from = {in, *in_bytes, 0};
    ZSTD_outBuffer to = {out, *out_bytes, 0};
    size_t left = ZSTD_decompressStream(z->unpack, &to, &from);
    *in_bytes = from.pos;
    *out_bytes = to.pos;
    *is_at_end = left == 0;
    return ZSTD_isError(left) ? RP_DAMAGED : RP_OK;
}

const char *rp__zblock_version(void)
{
    return ZSTD_versionString();
}
