/* ciff_import.c: a CIFF file to lists and documents. What its header says of the whole is held against
 * what is in it, and believed only of a collection that the file has a part of. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "engine/ciff_reader.h"
#include "engine/exchange.h"

typedef struct source {
    rp__import *im;
    rp__ciff_reader *reader;
    const char *name; /* for messages */
    uint64_t odd;     /* lists that tell another df or cf than they have */
    uint32_t docids[RP_IMPORT_BATCH], tfs[RP_IMPORT_BATCH];
} source;

static rp_status tick(source *s, rp_error *err)
{
    uint64_t of;
    rp__ciff_reader_progress(s->reader, &s->im->bytes_in, &of);
    return rp__import_tick(s->im, s->im->bytes_in, of, err);
}

/* A refusal that knows no place gets one. */
static rp_status place(const source *s, uint64_t at, rp_status status, rp_error *err)
{
    if (status != RP_INPUT || !err)
        return status;
    return rp__error_set(err, status, "%s: byte %" PRIu64 ": %s", s->name, at, err->text);
}

static rp_status take_list(source *s, rp_error *err)
{
    rp__ciff_list list;
    size_t n = 0;
    uint64_t df = 0, cf = 0;
    rp_status status = rp__ciff_reader_list(s->reader, &list, err);
    if (status == RP_OK)
        status = rp__import_term(s->im, list.term, list.term_bytes, err);
    while (status == RP_OK) {
        status = rp__ciff_reader_postings(s->reader, s->docids, s->tfs, RP_IMPORT_BATCH, &n, err);
        if (status != RP_OK || n == 0)
            break;
        for (size_t i = 0; i < n; i++)
            cf += s->tfs[i];
        df += n;
        status = rp__import_postings(s->im, s->docids, s->tfs, n, err);
        if (status == RP_OK)
            status = tick(s, err);
    }
    s->odd += (list.df && list.df != df) || (list.cf && list.cf != cf);
    if (status == RP_OK)
        rp__import_end_list(s->im);
    return status;
}

static rp_status take_doc(source *s, rp_error *err)
{
    rp__ciff_doc doc;
    rp_status status = rp__ciff_reader_doc(s->reader, &doc, err);
    if (status == RP_OK)
        status =
            place(s, doc.at, rp__import_doc(s->im, doc.id, doc.id_bytes, doc.length, err), err);
    return status == RP_OK ? tick(s, err) : status;
}

/* ---- What the header says -------------------------------------------------------------------- */

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fabs(b) + 1e-9;
}

/* All documents are here, so everything can be counted. */
static void check_whole(const source *s, const rp__ciff_header *h)
{
    const rp__import *im = s->im;
    double average = im->docs ? (double)im->tokens / (double)im->docs : 0;
    if (h->total_docs != h->docs)
        rp__import_warn(im,
                        "%s: the header tells of %" PRIu64 " documents in all, fewer than the "
                        "%" PRIu64 " that are here, which are taken",
                        s->name, h->total_docs, im->docs);
    if (h->total_tokens != im->tokens)
        rp__import_warn(im,
                        "%s: the header tells of %" PRIu64 " tokens, the documents have %" PRIu64
                        ", which are taken",
                        s->name, h->total_tokens, im->tokens);
    else if (!is_near(h->average_length, average))
        rp__import_warn(im,
                        "%s: the header tells of an average length of %g, the documents have %g, "
                        "which is taken",
                        s->name, h->average_length, average);
}

/* Some documents are here: ranking counts with the whole collection. */
static void take_totals(source *s, const rp__ciff_header *h)
{
    double given = h->average_length * (double)h->total_docs;
    bool has_average = given > 0 && given < 0x1p62;
    uint64_t tokens = h->total_tokens;
    if (tokens == 0 && has_average)
        tokens = (uint64_t)(given + 0.5);
    if (tokens == 0 && s->im->docs)
        tokens = (uint64_t)((double)s->im->tokens / (double)s->im->docs * (double)h->total_docs);
    if (h->total_tokens == 0)
        rp__import_warn(s->im,
                        "%s: the header does not tell the tokens of the collection; %" PRIu64
                        " are taken by the average length of %s",
                        s->name, tokens, has_average ? "its documents" : "those that are here");
    rp__segment_builder_totals(s->im->segment, h->total_docs, tokens);
}

static void settle(source *s)
{
    const rp__ciff_header *h = rp__ciff_reader_header(s->reader);
    if (s->odd)
        rp__import_warn(
            s->im, "%s: %" PRIu64 " list%s another df or cf than %s postings, which are taken",
            s->name, s->odd, s->odd == 1 ? " tells" : "s tell", s->odd == 1 ? "its" : "their");
    if (h->docs < h->total_docs)
        take_totals(s, h);
    else
        check_whole(s, h);
}

static rp_status read_all(source *s, rp_error *err)
{
    const rp__ciff_header *h = rp__ciff_reader_header(s->reader);
    rp_status status = RP_OK;
    for (uint64_t i = 0; i < h->lists && status == RP_OK; i++)
        status = take_list(s, err);
    if (status == RP_OK)
        status = rp__import_end_lists(s->im, err);
    for (uint64_t i = 0; i < h->docs && status == RP_OK; i++)
        status = take_doc(s, err);
    return status == RP_OK ? rp__ciff_reader_end(s->reader, err) : status;
}

rp_status rp__ciff_import_run(rp__import *im, rp_error *err)
{
    source s = {.im = im};
    rp_status status = rp__ciff_reader_open(im->path, rp__import_goes_on, im, &s.reader, err);
    if (status != RP_OK)
        return status;
    s.name = rp__ciff_reader_name(s.reader);
    status = read_all(&s, err);
    if (status == RP_OK) {
        uint64_t of;
        rp__ciff_reader_progress(s.reader, &im->bytes_in, &of);
        settle(&s);
    }
    rp__ciff_reader_close(s.reader);
    return status;
}
