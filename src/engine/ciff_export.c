/* ciff_export.c: an index as a CIFF v1 file: header, lists in the order of terms, documents.
 *
 * A message stands behind its length, so every list is measured before it is written. As in all of
 * protobuf, a field that is zero is left out: docid 0, and the length of an empty document. */
#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "base/buf.h"
#include "base/error.h"
#include "engine/exchange.h"
#include "store/store.h"

enum {
    VARINT = 0,
    FIXED64 = 1,
    BYTES = 2,
    POSTING_MOST = 16,
    CHUNK = 1 << 14,
};

static const char description[] = "exported by Riposte";

typedef struct target {
    rp__export *ex;
    rp__output *out;
    rp__buf message; /* of small ones, all of it; of a list, what stands before its postings */
    uint8_t chunk[CHUNK + POSTING_MOST];
} target;

/* ---- Fields ---------------------------------------------------------------------------------- */

static void put_number(rp__buf *b, unsigned field, uint64_t v)
{
    if (v == 0)
        return;
    rp__buf_put_byte(b, (uint8_t)(field << 3 | VARINT));
    rp__buf_put_varint(b, v);
}

static void put_string(rp__buf *b, unsigned field, const char *s, size_t n)
{
    if (n == 0)
        return;
    rp__buf_put_byte(b, (uint8_t)(field << 3 | BYTES));
    rp__buf_put_varint(b, n);
    rp__buf_put(b, s, n);
}

static void put_double(rp__buf *b, unsigned field, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    if (bits == 0)
        return;
    rp__buf_put_byte(b, (uint8_t)(field << 3 | FIXED64));
    rp__buf_put_u64(b, bits);
}

static void write_length(target *t, uint64_t bytes)
{
    uint8_t length[10];
    rp__output_write(t->out, length, (size_t)(rp__bits_put_varint(length, bytes) - length));
}

static rp_status write_message(target *t, uint64_t more, rp_error *err)
{
    if (t->message.failed)
        return rp__error_no_memory(err);
    write_length(t, t->message.n + more);
    rp__output_write(t->out, t->message.at, t->message.n);
    return RP_OK;
}

static rp_status too_large(const char *what, rp_error *err)
{
    return rp__error_set(err, RP_LIMIT, "%s is 2^31 or more, which CIFF cannot hold", what);
}

/* ---- Messages -------------------------------------------------------------------------------- */

static rp_status write_header(target *t, rp_error *err)
{
    const rp__segment_info *info = t->ex->info;
    rp__buf *b = &t->message;
    if (info->terms > INT32_MAX)
        return too_large("the number of terms", err);
    if (info->stats.tokens > INT64_MAX)
        return too_large("half the number of tokens", err);
    put_number(b, 1, 1);
    put_number(b, 2, info->terms);
    put_number(b, 3, info->docs);
    put_number(b, 4, info->terms);
    put_number(b, 5, info->stats.docs);
    put_number(b, 6, info->stats.tokens);
    put_double(b, 7, info->stats.docs ? (double)info->stats.tokens / (double)info->stats.docs : 0);
    put_string(b, 8, description, sizeof description - 1);
    return write_message(t, 0, err);
}

static unsigned varint_bytes(uint32_t v)
{
    return (rp__bits_width(v | 1) + 6) / 7;
}

/* Bytes of a posting without its key and its length, which are one byte each. */
static unsigned posting_bytes(uint32_t gap, uint32_t tf)
{
    return (gap ? 1 + varint_bytes(gap) : 0) + 1 + varint_bytes(tf);
}

static uint64_t measure_postings(const rp__export *ex)
{
    uint64_t sum = 0;
    for (uint32_t i = 0, before = 0; i < ex->n; before = ex->docids[i++])
        sum += 2 + posting_bytes(ex->docids[i] - before, ex->tfs[i]);
    return sum;
}

static uint8_t *put_posting(uint8_t *p, uint32_t gap, uint32_t tf)
{
    *p++ = 4 << 3 | BYTES;
    *p++ = (uint8_t)posting_bytes(gap, tf);
    if (gap) {
        *p++ = 1 << 3 | VARINT;
        p = rp__bits_put_varint(p, gap);
    }
    *p++ = 2 << 3 | VARINT;
    return rp__bits_put_varint(p, tf);
}

static void write_postings(target *t)
{
    const rp__export *ex = t->ex;
    uint8_t *p = t->chunk;
    for (uint32_t i = 0, before = 0; i < ex->n; before = ex->docids[i++]) {
        p = put_posting(p, ex->docids[i] - before, ex->tfs[i]);
        if (p - t->chunk >= CHUNK) {
            rp__output_write(t->out, t->chunk, (size_t)(p - t->chunk));
            p = t->chunk;
        }
    }
    rp__output_write(t->out, t->chunk, (size_t)(p - t->chunk));
}

static rp_status write_list(target *t, rp_error *err)
{
    const rp__export *ex = t->ex;
    uint64_t postings = measure_postings(ex);
    for (uint32_t i = 0; i < ex->n; i++)
        if (ex->tfs[i] > INT32_MAX)
            return too_large("a frequency", err);
    t->message.n = 0;
    put_string(&t->message, 1, ex->term, ex->term_bytes);
    put_number(&t->message, 2, ex->n);
    put_number(&t->message, 3, ex->cf);
    if (t->message.n + postings > INT32_MAX)
        return too_large("the size of a list", err);
    rp_status status = write_message(t, postings, err);
    if (status == RP_OK)
        write_postings(t);
    return status;
}

static rp_status write_doc(target *t, uint32_t docid, rp_error *err)
{
    rp_status status = rp__export_doc(t->ex, docid, err);
    if (status != RP_OK)
        return status;
    if (t->ex->length > INT32_MAX)
        return too_large("the length of a document", err);
    t->message.n = 0;
    put_number(&t->message, 1, docid);
    put_string(&t->message, 2, t->ex->id, t->ex->id_bytes);
    put_number(&t->message, 3, t->ex->length);
    return write_message(t, 0, err);
}

static rp_status write_all(target *t, rp_error *err)
{
    bool has = true;
    rp_status status = write_header(t, err);
    while (status == RP_OK && !rp__output_has_failed(t->out)) {
        status = rp__export_next(t->ex, &has, err);
        if (status != RP_OK || !has)
            break;
        status = write_list(t, err);
    }
    for (uint32_t d = 0; d < t->ex->info->docs && status == RP_OK; d++)
        status = rp__output_has_failed(t->out) ? RP_IO : write_doc(t, d, err);
    return status;
}

rp_status rp__ciff_export_run(rp__export *ex, rp_error *err)
{
    target t = {.ex = ex};
    rp_status status = rp__output_create(ex->path, &t.out, err);
    if (status != RP_OK)
        return status;
    status = write_all(&t, err);
    rp__buf_free(&t.message);
    if (status == RP_OK || rp__output_has_failed(t.out))
        return rp__output_finish(t.out, err);
    rp__output_abandon(t.out);
    return status;
}
