/* run_reader.c: reads a run term by term, and a term's stream piece by piece, whether the run is in a
 * file or still in memory. A run file that was cut or damaged is an error, never a wrong index. */
#include <string.h>
#include <xxhash.h>

#include "base/bits.h"
#include "base/error.h"
#include "index/run.h"
#include "index/term_sort.h"

enum { HEAD_MOST = 1 + 255 + 10 };

static rp_status damaged(const rp__run_reader *r, rp_error *err)
{
    return rp__error_set(err, RP_IO, "%s: a spilled run cannot be read back; check the disk",
                         r->run->file[0] ? r->run->file : "memory");
}

rp_status rp__run_reader_open(rp__run_reader *r, const rp__run *run, const rp__folder *folder,
                              size_t buffer, rp_error *err)
{
    *r = (rp__run_reader){.run = run, .buffer = buffer};
    if (!run->inverter) {
        r->hash = XXH3_createState();
        if (!r->hash)
            return rp__error_no_memory(err);
        XXH3_64bits_reset(r->hash);
        rp_status status = rp__in_open(folder, run->file, run->begin, buffer, &r->in, err);
        if (status != RP_OK)
            return status;
    }
    return rp__run_reader_next(r, err);
}

void rp__run_reader_close(rp__run_reader *r)
{
    rp__in_close(r->in);
    XXH3_freeState(r->hash);
    r->in = NULL;
    r->hash = NULL;
}

static rp_status next_in_file(rp__run_reader *r, rp_error *err)
{
    const uint8_t *p;
    size_t got;
    rp__in_skip(r->in, r->viewed);
    r->viewed = 0;
    rp_status status = rp__in_view(r->in, HEAD_MOST, &p, &got, err);
    if (status != RP_OK)
        return status;
    const uint8_t *at = p, *end = p + got;
    if (got < 1 || got < 1U + p[0])
        return damaged(r, err);
    r->term_bytes = *at++;
    memcpy(r->term, at, r->term_bytes);
    at += r->term_bytes;
    if (!rp__bits_varint(&at, end, &r->left))
        return damaged(r, err);
    XXH3_64bits_update(r->hash, p, (size_t)(at - p));
    rp__in_skip(r->in, (size_t)(at - p));
    return RP_OK;
}

static void next_in_memory(rp__run_reader *r)
{
    rp__inverter_term t;
    rp__inverter_get(r->run->inverter, (size_t)r->next, &t);
    memcpy(r->term, t.term, t.bytes);
    r->term_bytes = t.bytes;
    r->left = t.stream_bytes;
    r->slice = t.slice;
    r->level = 0;
}

rp_status rp__run_reader_next(rp__run_reader *r, rp_error *err)
{
    r->p = r->end = NULL;
    if (r->next == r->run->terms) {
        r->is_at_end = true;
        bool is_sound = !r->hash || XXH3_64bits_digest(r->hash) == r->run->checksum;
        return is_sound ? RP_OK : damaged(r, err);
    }
    if (r->in) {
        rp_status status = next_in_file(r, err);
        if (status != RP_OK)
            return status;
    } else {
        next_in_memory(r);
    }
    r->next++;
    r->prefix = rp__term_sort_prefix(r->term, r->term_bytes);
    return RP_OK;
}

static rp_status refill(rp__run_reader *r, rp_error *err)
{
    size_t got;
    if (r->left == 0)
        return damaged(r, err);
    if (r->in) {
        size_t want = r->left < r->buffer ? (size_t)r->left : r->buffer;
        rp__in_skip(r->in, r->viewed);
        r->viewed = 0;
        rp_status status = rp__in_view(r->in, want, &r->p, &got, err);
        if (status != RP_OK)
            return status;
        if (got == 0)
            return damaged(r, err);
        XXH3_64bits_update(r->hash, r->p, got);
        r->viewed = got;
    } else {
        r->p = r->slice;
        r->slice = rp__inverter_slice(r->slice, &r->level, &got);
        if (got > r->left)
            got = (size_t)r->left;
        for (size_t i = 0; i < 512 && got < r->left; i += 64)
            __builtin_prefetch(r->slice + i);
    }
    r->end = r->p + got;
    r->left -= got;
    return RP_OK;
}

rp_status rp__run_reader_number(rp__run_reader *r, uint32_t *out, rp_error *err)
{
    uint32_t v = 0;
    for (uint32_t shift = 0; shift < 35; shift += 7) {
        if (r->p == r->end) {
            rp_status status = refill(r, err);
            if (status != RP_OK)
                return status;
        }
        uint8_t byte = *r->p++;
        v |= (uint32_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *out = v;
            return RP_OK;
        }
    }
    return damaged(r, err);
}
