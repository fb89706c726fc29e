/* run.c: writes runs: of a sorted inverter, or of any streams. */
#include "index/run.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "base/bits.h"

rp_status rp__run_writer_begin(rp__run_writer *w, rp__out *out, const char *file)
{
    *w = (rp__run_writer){.out = out, .hash = XXH3_createState()};
    if (!w->hash)
        return RP_NO_MEMORY;
    XXH3_64bits_reset(w->hash);
    w->run.begin = rp__out_offset(out);
    snprintf(w->run.file, sizeof w->run.file, "%s", file);
    return RP_OK;
}

void rp__run_writer_bytes(rp__run_writer *w, const uint8_t *bytes, size_t n)
{
    XXH3_64bits_update(w->hash, bytes, n);
    rp__out_write(w->out, bytes, n);
}

void rp__run_writer_term(rp__run_writer *w, const char *term, uint32_t bytes, uint64_t stream_bytes)
{
    uint8_t head[1 + 255 + 10], *end;
    head[0] = (uint8_t)bytes;
    memcpy(head + 1, term, bytes);
    end = rp__bits_put_varint(head + 1 + bytes, stream_bytes);
    rp__run_writer_bytes(w, head, (size_t)(end - head));
    w->run.terms++;
}

void rp__run_writer_end(rp__run_writer *w, rp__run *run)
{
    w->run.checksum = XXH3_64bits_digest(w->hash);
    XXH3_freeState(w->hash);
    *run = w->run;
}

static void write_stream(rp__run_writer *w, const rp__inverter_term *t)
{
    const uint8_t *slice = t->slice;
    uint32_t level = 0;
    for (uint64_t left = t->stream_bytes; left > 0;) {
        size_t bytes;
        const uint8_t *piece = slice;
        slice = rp__inverter_slice(slice, &level, &bytes);
        if (bytes > left)
            bytes = (size_t)left;
        rp__run_writer_bytes(w, piece, bytes);
        left -= bytes;
    }
}

rp_status rp__run_write(const rp__inverter *inv, rp__out *out, const char *file, rp__run *run)
{
    rp__run_writer w;
    size_t n = rp__inverter_terms(inv);
    if (rp__run_writer_begin(&w, out, file) != RP_OK)
        return RP_NO_MEMORY;
    for (size_t i = 0; i < n; i++) {
        rp__inverter_term t;
        rp__inverter_get(inv, i, &t);
        rp__run_writer_term(&w, t.term, t.bytes, t.stream_bytes);
        write_stream(&w, &t);
    }
    rp__run_writer_end(&w, run);
    return RP_OK;
}
