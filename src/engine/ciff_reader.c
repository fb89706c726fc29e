/* ciff_reader.c: CIFF v1 through one window over the input. Source of the layout: the CIFF proposal
 * (Lin et al. 2020); protobuf's wire format. Zero fields are left out by writers, so an absent docid
 * is a gap of zero, and an absent frequency is one that is refused. */
#include "engine/ciff_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/error.h"
#include "base/utf8.h"
#include "store/store.h"

enum {
    WINDOW = 1 << 18,
    POSTING_MOST = 64, /* bytes of a posting with its key and length: two numbers and their keys */
    STRING_MOST = 1 << 20, /* of an id or a term */
};

/* Wire types. */
enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

struct rp__ciff_reader {
    char path[1024];
    rp__input *input;
    uint8_t *window; /* WINDOW, and zeros behind it so that a number ends */
    size_t at, n;    /* of the window: read, filled */
    uint64_t base;   /* where the window begins in the file */
    bool is_at_end;  /* the input has no more than the window */
    rp__ciff_header header;
    uint64_t end; /* of the message at hand */
    uint64_t lists_read, docs_read;
    int64_t docid; /* of the posting before; -1: none */
    char *string;  /* STRING_MOST + 1 */
};

typedef struct field {
    uint32_t number, type;
    uint64_t value; /* of a VARINT or a FIXED64; of BYTES, how many */
} field;

static uint64_t offset_of(const rp__ciff_reader *r)
{
    return r->base + r->at;
}

static rp_status fault(const rp__ciff_reader *r, uint64_t at, const char *what, rp_error *err)
{
    return rp__error_set(err, RP_INPUT, "%s: byte %" PRIu64 ": %s", r->path, at, what);
}

static rp_status too_many(const rp__ciff_reader *r, const char *what, uint64_t n, rp_error *err)
{
    return rp__error_set(err, RP_LIMIT,
                         "%s: the header tells of %" PRIu64 " %s; an index holds fewer than 2^31",
                         r->path, n, what);
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* Makes at least `want` bytes stand in the window, fewer only at the end of the file. */
static rp_status fill(rp__ciff_reader *r, size_t want, rp_error *err)
{
    if (r->n - r->at >= want || r->is_at_end)
        return RP_OK;
    memmove(r->window, r->window + r->at, r->n - r->at);
    r->base += r->at;
    r->n -= r->at;
    r->at = 0;
    size_t room = WINDOW - r->n, got;
    rp_status s = rp__input_read(r->input, r->window + r->n, room, &got, err);
    if (s != RP_OK)
        return s;
    r->n += got;
    r->is_at_end = got < room;
    memset(r->window + r->n, 0, RP_PAD);
    return RP_OK;
}

/* A number that ends before `end`, a place in the file. */
static rp_status take_varint(rp__ciff_reader *r, uint64_t end, uint64_t *out, rp_error *err)
{
    rp_status s = fill(r, 10, err);
    if (s != RP_OK)
        return s;
    uint64_t from = offset_of(r), value = 0;
    for (unsigned i = 0; i < 10; i++) {
        if (r->at + i >= r->n || from + i >= end)
            return fault(r, from, "a number is cut short", err);
        uint8_t byte = r->window[r->at + i];
        if (i == 9 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7F) << (7 * i);
        if (byte < 0x80) {
            r->at += i + 1;
            *out = value;
            return RP_OK;
        }
    }
    return fault(r, from, "a number has more than 64 bits", err);
}

static rp_status take_string(rp__ciff_reader *r, uint64_t bytes, rp_error *err)
{
    uint64_t from = offset_of(r);
    if (bytes > STRING_MOST)
        return fault(r, from, "a string is over 1 MiB", err);
    for (size_t done = 0; done < bytes;) {
        rp_status s = fill(r, 1, err);
        if (s != RP_OK)
            return s;
        size_t here = r->n - r->at, left = (size_t)bytes - done, n = here < left ? here : left;
        if (n == 0)
            return fault(r, from, "a string is cut short", err);
        memcpy(r->string + done, r->window + r->at, n);
        r->at += n;
        done += n;
    }
    r->string[bytes] = 0;
    if (rp__utf8_check(r->string, (size_t)bytes) != bytes)
        return fault(r, from, "a string is not UTF-8", err);
    return RP_OK;
}

static rp_status pass(rp__ciff_reader *r, uint64_t bytes, rp_error *err)
{
    uint64_t from = offset_of(r);
    while (bytes > 0) {
        rp_status s = fill(r, 1, err);
        if (s != RP_OK)
            return s;
        size_t here = r->n - r->at, n = here < bytes ? here : (size_t)bytes;
        if (n == 0)
            return fault(r, from, "a field is cut short", err);
        r->at += n;
        bytes -= n;
    }
    return RP_OK;
}

/* ---- Messages -------------------------------------------------------------------------------- */

static rp_status begin_message(rp__ciff_reader *r, const char *what, rp_error *err)
{
    uint64_t bytes = 0, from = offset_of(r);
    rp_status s = fill(r, 10, err);
    if (s == RP_OK && r->at == r->n)
        return rp__error_set(err, RP_INPUT,
                             "%s: byte %" PRIu64 ": the file ends where %s should begin", r->path,
                             from, what);
    if (s == RP_OK)
        s = take_varint(r, UINT64_MAX, &bytes, err);
    if (s == RP_OK && bytes > INT32_MAX)
        return fault(r, from, "a message is over 2 GiB", err);
    if (s == RP_OK)
        r->end = offset_of(r) + bytes;
    return s;
}

/* The next field's key and value; of BYTES, how many follow, all inside `end`. */
static rp_status take_field(rp__ciff_reader *r, uint64_t end, field *f, rp_error *err)
{
    uint64_t key = 0, from = offset_of(r);
    rp_status s = take_varint(r, end, &key, err);
    if (s != RP_OK)
        return s;
    *f = (field){(uint32_t)(key >> 3), (uint32_t)(key & 7), 0};
    if (key >> 3 == 0 || key >> 3 > 1U << 29)
        return fault(r, from, "a field has no number that there is", err);
    if (f->type == VARINT || f->type == BYTES)
        s = take_varint(r, end, &f->value, err);
    else if (f->type == FIXED64 || f->type == FIXED32)
        f->value = f->type == FIXED64 ? 8 : 4;
    else
        return fault(r, from, "a field has a type that there is not", err);
    if (s == RP_OK && f->type != VARINT && f->value > end - offset_of(r))
        return fault(r, from, "a field reaches beyond its message", err);
    return s;
}

/* Passes over what take_field left of a field that nobody wants. */
static rp_status pass_field(rp__ciff_reader *r, const field *f, rp_error *err)
{
    return f->type == VARINT ? RP_OK : pass(r, f->value, err);
}

static rp_status take_double(rp__ciff_reader *r, double *out, rp_error *err)
{
    rp_status s = fill(r, 8, err);
    if (s == RP_OK && r->n - r->at < 8)
        return fault(r, offset_of(r), "a field is cut short", err);
    if (s == RP_OK) {
        memcpy(out, r->window + r->at, 8);
        r->at += 8;
    }
    return s;
}

static rp_status take_header(rp__ciff_reader *r, rp_error *err)
{
    uint64_t version = 0, none = 0;
    rp__ciff_header *h = &r->header;
    rp_status s = begin_message(r, "the header", err);
    while (s == RP_OK && offset_of(r) < r->end) {
        field f;
        s = take_field(r, r->end, &f, err);
        uint64_t *const of[] = {&none,           &version,       &h->lists,       &h->docs,
                                &h->total_lists, &h->total_docs, &h->total_tokens};
        if (s == RP_OK && f.type == VARINT && f.number < sizeof of / sizeof of[0])
            *of[f.number] = f.value;
        else if (s == RP_OK && f.type == FIXED64 && f.number == 7)
            s = take_double(r, &h->average_length, err);
        else if (s == RP_OK)
            s = pass_field(r, &f, err);
    }
    if (s != RP_OK)
        return s;
    if (version != 1)
        return fault(r, 0, "no CIFF of version 1", err);
    if (h->lists > INT32_MAX || h->total_lists > INT32_MAX)
        return too_many(r, "lists", h->lists > h->total_lists ? h->lists : h->total_lists, err);
    if (h->docs >= INT32_MAX || h->total_docs >= INT32_MAX)
        return too_many(r, "documents", h->docs > h->total_docs ? h->docs : h->total_docs, err);
    if (h->total_tokens > INT64_MAX)
        return fault(r, 0, "the header tells of less than no tokens", err);
    return RP_OK;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* Up to the first posting, whose key and length are not read yet. */
rp_status rp__ciff_reader_list(rp__ciff_reader *r, rp__ciff_list *out, rp_error *err)
{
    *out = (rp__ciff_list){.at = offset_of(r)};
    r->docid = -1;
    r->string[0] = 0;
    rp_status s = begin_message(r, "a list", err);
    while (s == RP_OK && offset_of(r) < r->end) {
        field f;
        s = fill(r, 1, err);
        if (s == RP_OK && r->at < r->n && r->window[r->at] == (4 << 3 | BYTES))
            break;
        if (s == RP_OK)
            s = take_field(r, r->end, &f, err);
        if (s == RP_OK && f.number == 1 && f.type == BYTES) {
            s = take_string(r, f.value, err);
            out->term_bytes = (size_t)f.value;
        } else if (s == RP_OK && f.type == VARINT && (f.number == 2 || f.number == 3)) {
            *(f.number == 2 ? &out->df : &out->cf) = f.value;
        } else if (s == RP_OK) {
            s = pass_field(r, &f, err);
        }
    }
    out->term = r->string;
    if (s == RP_OK && out->term_bytes == 0)
        return fault(r, out->at, "a list without a term before its postings", err);
    r->lists_read++;
    return s;
}

/* A posting's fields in any order and form, at most POSTING_MOST bytes of them. */
static rp_status take_posting_slowly(rp__ciff_reader *r, uint64_t end, uint64_t *gap, uint64_t *tf,
                                     rp_error *err)
{
    rp_status s = RP_OK;
    *gap = *tf = 0;
    while (s == RP_OK && offset_of(r) < end) {
        field f;
        s = take_field(r, end, &f, err);
        if (s == RP_OK && f.type == VARINT && (f.number == 1 || f.number == 2))
            *(f.number == 1 ? gap : tf) = f.value;
        else if (s == RP_OK)
            s = pass_field(r, &f, err);
    }
    return s;
}

/* Numbers of at most four bytes from p on, as nearly all are; 0: it is longer. */
static unsigned short_varint(const uint8_t *p, uint64_t *out)
{
    uint32_t v = p[0] & 0x7FU;
    if (p[0] < 0x80) {
        *out = v;
        return 1;
    }
    v |= (p[1] & 0x7FU) << 7;
    if (p[1] < 0x80) {
        *out = v;
        return 2;
    }
    v |= (p[2] & 0x7FU) << 14;
    if (p[2] < 0x80) {
        *out = v;
        return 3;
    }
    v |= (p[3] & 0x7FU) << 21;
    *out = v;
    return p[3] < 0x80 ? 4 : 0;
}

/* A posting of the usual form from p on: its length in one byte, then docid and tf. NULL: another form. */
static const uint8_t *read_posting(const uint8_t *p, uint64_t *gap, uint64_t *tf)
{
    /* Both numbers in a byte each: 22 04 08 gap 10 tf. */
    uint64_t word = rp__load64(p);
    if ((word & 0x80FF80FFFFFF) == 0x001000080422) {
        *gap = word >> 24 & 0x7F;
        *tf = word >> 40 & 0x7F;
        return p + 6;
    }
    const uint8_t *end = p + 2 + p[1];
    if (p[0] != (4 << 3 | BYTES) || p[1] > 12 || p[2] != (1 << 3 | VARINT))
        return NULL;
    unsigned n = short_varint(p + 3, gap);
    p += 3 + n;
    if (n == 0 || *p != (2 << 3 | VARINT))
        return NULL;
    n = short_varint(p + 1, tf);
    return n > 0 && p + 1 + n == end ? end : NULL;
}

/* Postings of the usual form that stand in the window, up to the first that may be a fault. */
static size_t take_usual(rp__ciff_reader *r, uint32_t *docids, uint32_t *tfs, size_t cap)
{
    uint64_t here = r->n - r->at, left = r->end - offset_of(r), most = r->header.docs;
    uint64_t docid = (uint64_t)r->docid, gap, tf;
    here = here < left ? here : left;
    if (here < POSTING_MOST || r->docid < 0)
        return 0;
    const uint8_t *p = r->window + r->at, *last = p + (here - POSTING_MOST), *next;
    size_t n = 0;
    for (; n < cap && p <= last; p = next) {
        next = read_posting(p, &gap, &tf);
        if (!next || gap == 0 || tf == 0 || docid + gap >= most)
            break;
        docid += gap;
        docids[n] = (uint32_t)docid;
        tfs[n++] = (uint32_t)tf;
    }
    r->at = (size_t)(p - r->window);
    r->docid = (int64_t)docid;
    return n;
}

/* The next posting of any form; *has is false at the end of the list. */
static rp_status find_posting(rp__ciff_reader *r, uint64_t *gap, uint64_t *tf, bool *has,
                              rp_error *err)
{
    for (field f; offset_of(r) < r->end;) {
        rp_status s = take_field(r, r->end, &f, err);
        *has = true;
        if (s == RP_OK && f.number == 4 && f.type == BYTES)
            return take_posting_slowly(r, offset_of(r) + f.value, gap, tf, err);
        if (s == RP_OK)
            s = pass_field(r, &f, err);
        if (s != RP_OK)
            return s;
    }
    *has = false;
    return RP_OK;
}

static rp_status take_posting(rp__ciff_reader *r, uint32_t *docid, uint32_t *tf, bool *has,
                              rp_error *err)
{
    uint64_t gap, frequency, from = offset_of(r);
    rp_status s = find_posting(r, &gap, &frequency, has, err);
    if (s != RP_OK || !*has)
        return s;
    if (gap > INT32_MAX)
        return fault(r, from, "a docid is negative", err);
    if (gap == 0 && r->docid >= 0)
        return fault(r, from, "docids do not rise", err);
    if (frequency == 0 || frequency > INT32_MAX)
        return fault(r, from, frequency ? "a frequency is negative" : "a frequency is zero", err);
    r->docid = (r->docid < 0 ? 0 : r->docid) + (int64_t)gap;
    if ((uint64_t)r->docid >= r->header.docs)
        return fault(r, from, "a docid that the header's number of documents leaves no room for",
                     err);
    *docid = (uint32_t)r->docid;
    *tf = (uint32_t)frequency;
    return RP_OK;
}

rp_status rp__ciff_reader_postings(rp__ciff_reader *r, uint32_t *docids, uint32_t *tfs, size_t cap,
                                   size_t *n, rp_error *err)
{
    bool has = true;
    for (*n = 0; *n < cap && has;) {
        rp_status s = fill(r, POSTING_MOST, err);
        *n += s == RP_OK ? take_usual(r, docids + *n, tfs + *n, cap - *n) : 0;
        if (s == RP_OK && *n < cap) {
            s = take_posting(r, &docids[*n], &tfs[*n], &has, err);
            *n += s == RP_OK && has;
        }
        if (s != RP_OK)
            return s;
    }
    return RP_OK;
}

/* ---- Documents ------------------------------------------------------------------------------- */

rp_status rp__ciff_reader_doc(rp__ciff_reader *r, rp__ciff_doc *out, rp_error *err)
{
    uint64_t docid = 0, length = 0;
    *out = (rp__ciff_doc){.at = offset_of(r), .id = r->string};
    r->string[0] = 0;
    rp_status s = begin_message(r, "a document", err);
    while (s == RP_OK && offset_of(r) < r->end) {
        field f;
        s = take_field(r, r->end, &f, err);
        if (s == RP_OK && f.number == 2 && f.type == BYTES) {
            s = take_string(r, f.value, err);
            out->id_bytes = (size_t)f.value;
        } else if (s == RP_OK && f.type == VARINT && (f.number == 1 || f.number == 3)) {
            *(f.number == 1 ? &docid : &length) = f.value;
        } else if (s == RP_OK) {
            s = pass_field(r, &f, err);
        }
    }
    if (s != RP_OK)
        return s;
    if (docid != r->docs_read)
        return fault(r, out->at, "documents do not stand in the order of their docids", err);
    if (length > INT32_MAX)
        return fault(r, out->at, "a document's length is negative", err);
    r->docs_read++;
    out->length = (uint32_t)length;
    return RP_OK;
}

rp_status rp__ciff_reader_end(rp__ciff_reader *r, rp_error *err)
{
    rp_status s = fill(r, 1, err);
    if (s == RP_OK && r->at < r->n)
        return fault(r, offset_of(r), "something follows the last document", err);
    return s;
}

/* ---- Opening --------------------------------------------------------------------------------- */

rp_status rp__ciff_reader_open(const char *path, rp__goes_on_fn *goes_on, void *goes_on_arg,
                               rp__ciff_reader **out, rp_error *err)
{
    rp__input_options options = {
        .waits_for_writer = true, .goes_on = goes_on, .goes_on_arg = goes_on_arg};
    *out = NULL;
    rp__ciff_reader *r = rp__alloc_zero(1, sizeof *r);
    if (!r)
        return rp__error_no_memory(err);
    snprintf(r->path, sizeof r->path, "%s", strcmp(path, "-") == 0 ? "standard input" : path);
    r->window = rp__alloc(WINDOW + RP_PAD);
    r->string = rp__alloc(STRING_MOST + 1);
    rp_status s = r->window && r->string ? rp__input_open(path, &options, &r->input, err)
                                         : rp__error_no_memory(err);
    if (s == RP_OK)
        s = take_header(r, err);
    if (s == RP_OK)
        *out = r;
    else
        rp__ciff_reader_close(r);
    return s;
}

void rp__ciff_reader_close(rp__ciff_reader *r)
{
    if (!r)
        return;
    if (r->input)
        rp__input_close(r->input);
    rp__free(r->window);
    rp__free(r->string);
    rp__free(r);
}

const char *rp__ciff_reader_name(const rp__ciff_reader *r)
{
    return r->path;
}

const rp__ciff_header *rp__ciff_reader_header(const rp__ciff_reader *r)
{
    return &r->header;
}

void rp__ciff_reader_progress(const rp__ciff_reader *r, uint64_t *done, uint64_t *of)
{
    *done = rp__input_consumed(r->input);
    *of = rp__input_size(r->input);
}
