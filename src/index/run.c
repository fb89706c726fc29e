/* run.c: writes a sorted inverter as a run. */
#include "index/run.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "base/bits.h"

static void put(rp__out *out, XXH3_state_t *hash, const void *bytes, size_t n)
{
    XXH3_64bits_update(hash, bytes, n);
    rp__out_write(out, bytes, n);
}

static void write_head(rp__out *out, XXH3_state_t *hash, const rp__inverter_term *t)
{
    uint8_t head[1 + 255 + 10], *end;
    head[0] = (uint8_t)t->bytes;
    memcpy(head + 1, t->term, t->bytes);
    end = rp__bits_put_varint(head + 1 + t->bytes, t->stream_bytes);
    put(out, hash, head, (size_t)(end - head));
}

static void write_stream(rp__out *out, XXH3_state_t *hash, const rp__inverter_term *t)
{
    const uint8_t *slice = t->slice;
    uint32_t level = 0;
    for (uint64_t left = t->stream_bytes; left > 0;) {
        size_t bytes;
        const uint8_t *piece = slice;
        slice = rp__inverter_slice(slice, &level, &bytes);
        if (bytes > left)
            bytes = (size_t)left;
        put(out, hash, piece, bytes);
        left -= bytes;
    }
}

rp_status rp__run_write(const rp__inverter *inv, rp__out *out, const char *file, rp__run *run)
{
    XXH3_state_t *hash = XXH3_createState();
    if (!hash)
        return RP_NO_MEMORY;
    XXH3_64bits_reset(hash);
    *run = (rp__run){.begin = rp__out_offset(out), .terms = rp__inverter_terms(inv)};
    snprintf(run->file, sizeof run->file, "%s", file);
    for (size_t i = 0; i < run->terms; i++) {
        rp__inverter_term t;
        rp__inverter_get(inv, i, &t);
        write_head(out, hash, &t);
        write_stream(out, hash, &t);
    }
    run->checksum = XXH3_64bits_digest(hash);
    XXH3_freeState(hash);
    return RP_OK;
}
