/* pisa_import.c: the files that PISA and ds2i call a binary collection, to lists and documents.
 *
 * All numbers are u32, little endian; a sequence is how many there are, then the numbers. BASE.docs: a
 * sequence of one, the number of documents, then a sequence of docids for each term; BASE.freqs: a
 * sequence of frequencies for each term; BASE.sizes: one sequence of lengths. BASE.terms and
 * BASE.documents have a name a line; where there is none, a name is its number. A folder that
 * pisa_export.c wrote is taken too. Nothing is trusted, and every error names its place. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/utf8.h"
#include "engine/exchange.h"
#include "store/store.h"

enum {
    WINDOW = 1 << 18,
    WORD = sizeof(uint32_t),
    LINE_MOST = 1 << 20,
    PATH_BYTES = 4096,
};

/* One of the files, through a window. */
typedef struct part {
    rp__input *input; /* NULL: it is not there */
    char path[PATH_BYTES];
    uint8_t *window;
    size_t at, n;
    uint64_t base; /* of the window in the file */
    bool is_at_end;
} part;

/* Names, from a file or made of numbers. */
typedef struct names {
    part part;
    rp__buf line;
    uint64_t read;
} names;

typedef struct source {
    rp__import *im;
    char base[PATH_BYTES]; /* of the files' names */
    part docs, freqs, sizes;
    names terms, documents;
    uint32_t n_docs;
    uint64_t lists;
    uint32_t docids[RP_IMPORT_BATCH], tfs[RP_IMPORT_BATCH];
} source;

/* ---- A file ---------------------------------------------------------------------------------- */

static uint64_t offset_of(const part *p)
{
    return p->base + p->at;
}

static rp_status fault(const part *p, uint64_t at, const char *what, rp_error *err)
{
    return rp__error_set(err, RP_INPUT, "%s: byte %" PRIu64 ": %s", p->path, at, what);
}

/* RP_NOT_FOUND: there is none. */
static rp_status open_part(part *p, const char *base, const char *suffix, rp_error *err)
{
    int n = snprintf(p->path, sizeof p->path, "%s.%s", base, suffix);
    if (n >= (int)sizeof p->path)
        return rp__error_set(err, RP_USAGE, "a path has at most %d bytes", PATH_BYTES - 1);
    rp_status status = rp__input_open_plain(p->path, &p->input, err);
    if (status != RP_OK)
        return status;
    p->window = rp__alloc(WINDOW);
    return p->window ? RP_OK : rp__error_no_memory(err);
}

static void close_part(part *p)
{
    rp__input_close(p->input);
    rp__free(p->window);
}

/* Makes at least `want` bytes stand in the window, fewer only at the end. */
static rp_status fill(part *p, size_t want, rp_error *err)
{
    if (p->n - p->at >= want || p->is_at_end)
        return RP_OK;
    memmove(p->window, p->window + p->at, p->n - p->at);
    p->base += p->at;
    p->n -= p->at;
    p->at = 0;
    size_t room = WINDOW - p->n, got;
    rp_status status = rp__input_read(p->input, p->window + p->n, room, &got, err);
    p->n += status == RP_OK ? got : 0;
    p->is_at_end = status == RP_OK && got < room;
    return status;
}

static rp_status has_more(part *p, bool *out, rp_error *err)
{
    rp_status status = fill(p, 1, err);
    *out = p->at < p->n;
    return status;
}

static rp_status take_words(part *p, uint32_t *out, size_t n, rp_error *err)
{
    rp_status status = fill(p, n * WORD, err);
    if (status == RP_OK && p->n - p->at < n * WORD)
        return fault(p, offset_of(p), "the file is cut short", err);
    if (status == RP_OK) {
        memcpy(out, p->window + p->at, n * WORD);
        p->at += n * WORD;
    }
    return status;
}

/* How many numbers follow, all of them in the file. */
static rp_status take_length(part *p, uint32_t *n, rp_error *err)
{
    uint64_t from = offset_of(p), size = rp__input_size(p->input);
    *n = 0;
    rp_status status = take_words(p, n, 1, err);
    if (status == RP_OK && size > 0 && (uint64_t)*n * WORD > size - offset_of(p))
        return rp__error_set(err, RP_INPUT,
                             "%s: byte %" PRIu64 ": a sequence of %u numbers reaches beyond the "
                             "file",
                             p->path, from, *n);
    return status;
}

static rp_status expect_end(part *p, const char *what, rp_error *err)
{
    bool more;
    rp_status status = has_more(p, &more, err);
    return status == RP_OK && more ? fault(p, offset_of(p), what, err) : status;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static rp_status name_fault(const names *s, const char *what, rp_error *err)
{
    return rp__error_set(err, RP_INPUT, "%s: line %" PRIu64 ": %s", s->part.path, s->read, what);
}

static rp_status read_line(names *s, rp_error *err)
{
    for (bool ends = false; !ends;) {
        rp_status status = fill(&s->part, 1, err);
        if (status != RP_OK)
            return status;
        const uint8_t *at = s->part.window + s->part.at;
        size_t here = s->part.n - s->part.at;
        if (here == 0)
            return s->line.n ? RP_OK : name_fault(s, "there are fewer names than numbers", err);
        const uint8_t *end = memchr(at, '\n', here);
        size_t n = end ? (size_t)(end - at) : here;
        rp__buf_put(&s->line, at, n);
        s->part.at += n + (end != NULL);
        ends = end != NULL;
        if (s->line.n > LINE_MOST)
            return name_fault(s, "a name is over 1 MiB", err);
    }
    return RP_OK;
}

/* The next name, in s->line. */
static rp_status take_name(names *s, rp_error *err)
{
    rp_status status = RP_OK;
    s->line.n = 0;
    if (!s->part.input) {
        rp__buf_printf(&s->line, "%" PRIu64, s->read++);
        return s->line.failed ? rp__error_no_memory(err) : RP_OK;
    }
    s->read++;
    status = read_line(s, err);
    if (status == RP_OK && s->line.failed)
        return rp__error_no_memory(err);
    if (status == RP_OK && s->line.n == 0)
        return name_fault(s, "a name is empty", err);
    if (status == RP_OK && rp__utf8_check((const char *)s->line.at, s->line.n) != s->line.n)
        return name_fault(s, "a name is not UTF-8", err);
    return status;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static rp_status take_postings(source *s, uint32_t n, int64_t *before, rp_error *err)
{
    uint64_t docs_at = offset_of(&s->docs), freqs_at = offset_of(&s->freqs);
    rp_status status = take_words(&s->docs, s->docids, n, err);
    if (status == RP_OK)
        status = take_words(&s->freqs, s->tfs, n, err);
    for (uint32_t i = 0; i < n && status == RP_OK; i++) {
        if (s->docids[i] <= *before)
            return fault(&s->docs, docs_at + i * WORD, "docids do not rise", err);
        if (s->docids[i] >= s->n_docs)
            return fault(&s->docs, docs_at + i * WORD, "there is no document of that number", err);
        if (s->tfs[i] == 0 || s->tfs[i] > INT32_MAX)
            return fault(&s->freqs, freqs_at + i * WORD, "a frequency is zero, or 2^31 or more",
                         err);
        *before = s->docids[i];
    }
    if (status == RP_OK)
        status = rp__import_postings(s->im, s->docids, s->tfs, n, err);
    return status;
}

static rp_status tick(source *s, rp_error *err)
{
    uint64_t of = rp__input_size(s->docs.input) + rp__input_size(s->freqs.input);
    s->im->bytes_in = offset_of(&s->docs) + offset_of(&s->freqs) + offset_of(&s->sizes);
    return rp__import_tick(s->im, s->im->bytes_in, of, err);
}

static rp_status take_list(source *s, rp_error *err)
{
    uint32_t n, n_freqs = 0;
    int64_t before = -1;
    uint64_t from = offset_of(&s->freqs);
    rp_status status = take_length(&s->docs, &n, err);
    if (status == RP_OK)
        status = take_length(&s->freqs, &n_freqs, err);
    if (status == RP_OK && n != n_freqs)
        return rp__error_set(err, RP_INPUT,
                             "%s: byte %" PRIu64 ": %u frequencies of a list of %u docids",
                             s->freqs.path, from, n_freqs, n);
    if (status == RP_OK)
        status = take_name(&s->terms, err);
    if (status == RP_OK)
        status = rp__import_term(s->im, (const char *)s->terms.line.at, s->terms.line.n, err);
    while (status == RP_OK && n > 0) {
        uint32_t piece = n < RP_IMPORT_BATCH ? n : RP_IMPORT_BATCH;
        status = take_postings(s, piece, &before, err);
        n -= piece;
        if (status == RP_OK)
            status = tick(s, err);
    }
    if (status == RP_OK)
        rp__import_end_list(s->im);
    s->lists++;
    return status;
}

static rp_status take_number_of_docs(source *s, rp_error *err)
{
    uint32_t n;
    rp_status status = take_length(&s->docs, &n, err);
    if (status == RP_OK && n != 1)
        return fault(&s->docs, 0, "it does not begin with the number of documents", err);
    if (status == RP_OK)
        status = take_words(&s->docs, &s->n_docs, 1, err);
    if (status == RP_OK && s->n_docs >= INT32_MAX)
        return rp__error_set(err, RP_LIMIT, "%s: %u documents; an index holds fewer than 2^31",
                             s->docs.path, s->n_docs);
    return status;
}

static rp_status take_lists(source *s, rp_error *err)
{
    bool more = true;
    rp_status status = take_number_of_docs(s, err);
    while (status == RP_OK) {
        status = has_more(&s->docs, &more, err);
        if (status != RP_OK || !more)
            break;
        status = take_list(s, err);
    }
    if (status == RP_OK)
        status = expect_end(&s->freqs, "there are more lists of frequencies than of docids", err);
    if (status == RP_OK && s->terms.part.input)
        status = expect_end(&s->terms.part, "there are more terms than lists", err);
    return status == RP_OK ? rp__import_end_lists(s->im, err) : status;
}

/* ---- Documents ------------------------------------------------------------------------------- */

static rp_status take_doc(source *s, rp_error *err)
{
    uint32_t length = 0;
    uint64_t from = offset_of(&s->sizes);
    names *d = &s->documents;
    rp_status status = take_words(&s->sizes, &length, 1, err);
    if (status == RP_OK && length > INT32_MAX)
        return fault(&s->sizes, from, "a length is 2^31 or more", err);
    if (status == RP_OK)
        status = take_name(d, err);
    if (status != RP_OK)
        return status;
    status = rp__import_doc(s->im, (const char *)d->line.at, d->line.n, length, err);
    if (status == RP_INPUT && err)
        return name_fault(d, err->text, err);
    return status == RP_OK ? tick(s, err) : status;
}

static rp_status take_docs(source *s, rp_error *err)
{
    uint32_t n;
    rp_status status = take_length(&s->sizes, &n, err);
    if (status == RP_OK && n != s->n_docs)
        return rp__error_set(err, RP_INPUT, "%s: byte 0: %u lengths of %u documents", s->sizes.path,
                             n, s->n_docs);
    for (uint32_t i = 0; status == RP_OK && i < s->n_docs; i++)
        status = take_doc(s, err);
    if (status == RP_OK)
        status = expect_end(&s->sizes, "something follows the last length", err);
    if (status == RP_OK && s->documents.part.input)
        status = expect_end(&s->documents.part, "there are more names than documents", err);
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static rp_status open_needed(part *p, const char *base, const char *suffix, rp_error *err)
{
    rp_status status = open_part(p, base, suffix, err);
    if (status == RP_NOT_FOUND)
        status = err ? rp__error_set(err, RP_IO, "%s", err->text) : RP_IO;
    return status;
}

static rp_status open_names(source *s, names *n, const char *suffix, rp_error *err)
{
    rp_status status = open_part(&n->part, s->base, suffix, err);
    if (status == RP_OK)
        return rp__input_as_text(n->part.input, err);
    if (status != RP_NOT_FOUND)
        return status;
    rp__import_warn(s->im, "%s: not there; numbers stand for its names", n->part.path);
    return RP_OK;
}

/* The base is in the folder that an export makes, or it is the path itself. */
static rp_status open_docs(source *s, rp_error *err)
{
    int n = snprintf(s->base, sizeof s->base, "%s/" RP_PISA_BASE, s->im->path);
    rp_status status = RP_NOT_FOUND;
    if (n < (int)sizeof s->base)
        status = open_part(&s->docs, s->base, "docs", err);
    if (status != RP_NOT_FOUND && status != RP_IO) /* RP_IO: the path is a file */
        return status;
    snprintf(s->base, sizeof s->base, "%s", s->im->path);
    return open_needed(&s->docs, s->base, "docs", err);
}

static rp_status open_all(source *s, rp_error *err)
{
    rp_status status = open_docs(s, err);
    if (status == RP_OK)
        status = open_needed(&s->freqs, s->base, "freqs", err);
    if (status == RP_OK)
        status = open_needed(&s->sizes, s->base, "sizes", err);
    if (status == RP_OK)
        status = open_names(s, &s->terms, "terms", err);
    return status == RP_OK ? open_names(s, &s->documents, "documents", err) : status;
}

rp_status rp__pisa_import_run(rp__import *im, rp_error *err)
{
    source *s = rp__alloc_zero(1, sizeof *s);
    if (!s)
        return rp__error_no_memory(err);
    s->im = im;
    rp_status status = open_all(s, err);
    if (status == RP_OK)
        status = take_lists(s, err);
    if (status == RP_OK)
        status = take_docs(s, err);
    im->bytes_in = offset_of(&s->docs) + offset_of(&s->freqs) + offset_of(&s->sizes) +
                   offset_of(&s->terms.part) + offset_of(&s->documents.part);
    part *const parts[] = {&s->docs, &s->freqs, &s->sizes, &s->terms.part, &s->documents.part};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        close_part(parts[i]);
    rp__buf_free(&s->terms.line);
    rp__buf_free(&s->documents.line);
    rp__free(s);
    return status;
}
