/* run.c: writes a sorted inverter as a run. */
#include "index/run.h"

#include <stdio.h>

#include "base/bits.h"

static void write_stream(rp__out *out, const rp__inverter_term *t)
{
    const uint8_t *slice = t->slice;
    uint32_t level = 0;
    for (uint64_t left = t->stream_bytes; left > 0;) {
        size_t bytes;
        const uint8_t *piece = slice;
        slice = rp__inverter_slice(slice, &level, &bytes);
        if (bytes > left)
            bytes = (size_t)left;
        rp__out_write(out, piece, bytes);
        left -= bytes;
    }
}

rp_status rp__run_write(const rp__inverter *inv, rp__out *out, const char *file, rp__run *run)
{
    *run = (rp__run){.begin = rp__out_offset(out), .terms = rp__inverter_terms(inv)};
    snprintf(run->file, sizeof run->file, "%s", file);
    for (size_t i = 0; i < run->terms; i++) {
        rp__inverter_term t;
        uint8_t head[10], length;
        rp__inverter_get(inv, i, &t);
        length = (uint8_t)t.bytes;
        rp__out_write(out, &length, 1);
        rp__out_write(out, t.term, t.bytes);
        rp__out_write(out, head, (size_t)(rp__bits_put_varint(head, t.stream_bytes) - head));
        write_stream(out, &t);
    }
    return RP_OK;
}
