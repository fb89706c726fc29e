/* search_reply.c: hits, their documents and snippets, and corrections as JSON. Documents are read
 * only where a field needs them. Does not search. */
#include "serve/search_reply.h"

#include <string.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/error.h"
#include "serve/timeline_reply.h"

enum {
    SHOWN = (1 << 20) + 1, /* bytes of title and text; snippets are made of the first 1 MiB */
    MAX_REPLY = 64 << 20,  /* bytes of all hits */
};

const char *const rp__search_reply_fields[] = {"rank",   "id",    "docid",   "score", "fixed",
                                               "length", "title", "snippet", "text",  NULL};

/* What the reply is written with. */
typedef struct writing {
    rp__json_writer *w;
    rp__generation *generation;
    const rp__search *search;
    rp_searcher *searcher;
    size_t begin; /* of the answer in its buffer */
    bool has_document, has_text, has_all_scalars;
} writing;

static bool is_too_long(const writing *x)
{
    return x->w->out->n - x->begin > MAX_REPLY;
}

/* What every answer has is put into room of the buffer: keys as they stand in the reply, with the sign before them. */
#define PUT(p, text) (memcpy(p, text, sizeof(text) - 1), (p) + sizeof(text) - 1)

static void write_piece(rp__json_writer *w, const char *text, size_t bytes, bool is_marked)
{
    if (bytes == 0)
        return;
    rp__json_writer_begin(w, NULL, '[');
    rp__json_writer_string(w, NULL, text, bytes);
    rp__json_writer_uint(w, NULL, is_marked);
    rp__json_writer_end(w, ']');
}

static void write_marks(rp__json_writer *w, const rp_snippet *snippet)
{
    rp__json_writer_begin(w, "marks", '[');
    for (size_t i = 0; i < snippet->n_marks; i++) {
        rp__json_writer_begin(w, NULL, '[');
        rp__json_writer_uint(w, NULL, snippet->marks[i].begin);
        rp__json_writer_uint(w, NULL, snippet->marks[i].end);
        rp__json_writer_end(w, ']');
    }
    rp__json_writer_end(w, ']');
}

/* The text cut at its marks: never markup. */
static void write_pieces(rp__json_writer *w, const rp_snippet *snippet)
{
    uint32_t at = 0;
    rp__json_writer_begin(w, "pieces", '[');
    for (size_t i = 0; i < snippet->n_marks; i++) {
        write_piece(w, snippet->text + at, snippet->marks[i].begin - at, false);
        write_piece(w, snippet->text + snippet->marks[i].begin,
                    snippet->marks[i].end - snippet->marks[i].begin, true);
        at = snippet->marks[i].end;
    }
    write_piece(w, snippet->text + at, strlen(snippet->text + at), false);
    rp__json_writer_end(w, ']');
}

static rp_status write_snippet(const writing *x, const rp_document *document, rp_error *err)
{
    rp_snippet snippet = {0};
    rp_status status = rp_searcher_snippet(x->searcher, x->search->query, x->search->query_bytes,
                                           document, 0, &snippet, err);
    if (status == RP_OK && snippet.text) {
        rp__json_writer_begin(x->w, "snippet", '{');
        rp__json_writer_text(x->w, "text", snippet.text);
        write_marks(x->w, &snippet);
        write_pieces(x->w, &snippet);
        rp__json_writer_end(x->w, '}');
    }
    rp_snippet_free(&snippet);
    return status;
}

static rp_status write_field(const writing *x, rp__hit_field field, size_t rank, const rp_hit *hit,
                             const rp_document *document, rp_error *err)
{
    const char *name = rp__search_reply_fields[field];
    switch (field) {
    case RP_HIT_RANK:
        rp__json_writer_uint(x->w, name, rank);
        break;
    case RP_HIT_ID:
        rp__json_writer_text(x->w, name, hit->name);
        break;
    case RP_HIT_DOCID:
        rp__json_writer_uint(x->w, name, hit->docid);
        break;
    case RP_HIT_SCORE:
        rp__json_writer_real(x->w, name, hit->score, 7);
        break;
    case RP_HIT_FIXED:
        rp__json_writer_uint(x->w, name, hit->fixed);
        break;
    case RP_HIT_LENGTH:
        rp__json_writer_uint(x->w, name, document->length);
        break;
    case RP_HIT_TITLE:
        rp__json_writer_string(x->w, name, document->title, document->title_bytes);
        break;
    case RP_HIT_SNIPPET:
        return write_snippet(x, document, err);
    case RP_HIT_TEXT:
    case RP_HIT_FIELDS:
        rp__json_writer_string(x->w, name, document->text, document->text_bytes);
        break;
    }
    return RP_OK;
}

static rp_status write_hit(const writing *x, size_t rank, const rp_hit *hit, rp_error *err)
{
    const size_t max_bytes = x->has_text ? x->generation->search.max_memory : SHOWN;
    rp_document document = {0};
    rp_status status = RP_OK;
    if (x->has_document)
        status = rp_index_get_document_start(x->generation->index, hit->docid,
                                             max_bytes > SHOWN ? max_bytes : SHOWN, &document, err);
    if (status != RP_OK)
        return status;
    rp__json_writer_begin(x->w, NULL, '{');
    for (size_t i = 0; status == RP_OK && i < x->search->n_fields; i++)
        status = write_field(x, (rp__hit_field)x->search->fields[i], rank, hit, &document, err);
    rp__json_writer_end(x->w, '}');
    rp_document_free(&document);
    if (status == RP_OK && is_too_long(x))
        return rp__error_set(err, RP_LIMIT, "the reply has more than %d bytes; ask for a smaller k",
                             MAX_REPLY);
    return status;
}

/* With seven decimals, as rp__json_writer_decimals rounds: halves to even. A score is fixed / 2^bits, so it needs no
 * arithmetic of doubles. Most are below 10, and have eight digits. */
static inline uint8_t *put_score(uint8_t *p, const rp_hit *hit, int32_t bits)
{
    enum { DECIMALS = 7, UNIT = 10000000, MAX_BITS = 32 };
    if (bits < 1 || bits > MAX_BITS)
        return p + rp__json_writer_decimals(p, hit->score, DECIMALS);
    const uint64_t scaled = (uint64_t)hit->fixed * UNIT, half = UINT64_C(1) << (bits - 1);
    const uint64_t last = (scaled + half - 1 + (scaled >> bits & 1)) >> bits;
    if (last < RP_BUF_EIGHT_DIGITS) {
        const uint64_t digits = rp__buf_eight_digits((uint32_t)last);
        *p = (uint8_t)digits;
        rp__store64(p + 1, (digits & ~UINT64_C(0xFF)) | '.');
        return p + 2 + DECIMALS;
    }
    p += rp__buf_digits(p, last / UNIT);
    *p = '.';
    rp__store64(p + 1, rp__buf_eight_digits((uint32_t)(last % UNIT)) >> 8);
    return p + 1 + DECIMALS;
}

/* A hit without its document, as it is put into room of the reply. */
typedef struct scalars {
    const rp_hit *hit;
    size_t rank, name_bytes;
    int32_t fraction_bits;
    bool has_special; /* its name has bytes that a string does not have as they are */
} scalars;

static inline uint8_t *put_scalar(uint8_t *p, rp__hit_field field, scalars *s)
{
    switch (field) {
    case RP_HIT_RANK:
        p = PUT(p, ",\"rank\":");
        return p + rp__buf_digits(p, s->rank);
    case RP_HIT_ID:
        p = PUT(p, ",\"id\":\"");
        s->has_special |= !rp__json_writer_copy_plain(p, s->hit->name, s->name_bytes);
        return PUT(p + s->name_bytes, "\"");
    case RP_HIT_DOCID:
        p = PUT(p, ",\"docid\":");
        return p + rp__buf_digits(p, s->hit->docid);
    case RP_HIT_SCORE:
        p = PUT(p, ",\"score\":");
        return put_score(p, s->hit, s->fraction_bits);
    default:
        p = PUT(p, ",\"fixed\":");
        return p + rp__buf_digits(p, s->hit->fixed);
    }
}

/* All of them in their order, for which the compiler has one line of code. */
static uint8_t *put_scalars(uint8_t *p, scalars *s)
{
    p = put_scalar(p, RP_HIT_RANK, s);
    p = put_scalar(p, RP_HIT_ID, s);
    p = put_scalar(p, RP_HIT_DOCID, s);
    p = put_scalar(p, RP_HIT_SCORE, s);
    return put_scalar(p, RP_HIT_FIXED, s);
}

static bool asks_for_scalars(const rp__search *s)
{
    static const uint8_t fields[] = {RP_HIT_RANK, RP_HIT_ID, RP_HIT_DOCID, RP_HIT_SCORE,
                                     RP_HIT_FIXED};
    return s->n_fields == sizeof fields && memcmp(s->fields, fields, sizeof fields) == 0;
}

/* The same as write_hit for hits that are scalars and a plain name, of which most replies are. False: they are not, and
 * nothing is written. */
static bool put_hit(const writing *x, size_t rank, const rp_hit *hit, int32_t fraction_bits,
                    bool is_first)
{
    enum { FIELD = 48 }; /* bytes of a scalar with its key, at most */
    scalars s = {hit, rank, strlen(hit->name), fraction_bits, false};
    uint8_t *const begin =
        rp__buf_room(x->w->out, (x->search->n_fields + 1) * (FIELD + s.name_bytes));
    if (!begin || !(hit->score < 1e9) || is_too_long(x))
        return false;
    uint8_t *const open = begin + !is_first, *p = open; /* a comma before it, unless it is first */
    if (x->has_all_scalars)
        p = put_scalars(p, &s);
    else
        for (size_t i = 0; i < x->search->n_fields; i++)
            p = put_scalar(p, (rp__hit_field)x->search->fields[i], &s);
    *begin = ',';
    *open = '{'; /* in place of the first comma */
    *p++ = '}';
    if (!s.has_special)
        x->w->out->n += (size_t)(p - begin);
    return !s.has_special;
}

static rp_status write_hits(const writing *x, const rp_hits *hits, rp_error *err)
{
    rp_status status = RP_OK;
    rp__json_writer_begin(x->w, "hits", '[');
    size_t i = 0;
    while (!x->has_document && i < hits->n &&
           put_hit(x, x->search->from + i + 1, &hits->at[i], hits->fraction_bits, i == 0))
        i++;
    if (i > 0)
        rp__json_writer_note_item(x->w);
    for (; status == RP_OK && i < hits->n; i++)
        status = write_hit(x, x->search->from + i + 1, &hits->at[i], err);
    rp__json_writer_end(x->w, ']');
    return status;
}

/* Of words that no document has. */
static rp_status write_corrections(const writing *x, rp_error *err)
{
    rp_corrections corrections = {0};
    rp_status status = rp_searcher_correct(x->searcher, x->search->query, x->search->query_bytes,
                                           &corrections, err);
    if (corrections.n > 0)
        rp__json_writer_begin(x->w, "corrections", '[');
    for (size_t i = 0; i < corrections.n; i++) {
        const rp_correction *c = &corrections.at[i];
        rp__json_writer_begin(x->w, NULL, '{');
        rp__json_writer_text(x->w, "word", c->word);
        rp__json_writer_text(x->w, "instead", c->instead);
        rp__json_writer_uint(x->w, "edits", c->edits);
        rp__json_writer_uint(x->w, "df", c->df);
        rp__json_writer_end(x->w, '}');
    }
    if (corrections.n > 0)
        rp__json_writer_end(x->w, ']');
    rp_corrections_free(&corrections);
    return status;
}

static uint8_t *put_flag(uint8_t *p, bool flag)
{
    return flag ? PUT(p, "true") : PUT(p, "false");
}

/* A name of the program's own, of at most NAME bytes; NULL: null. */
static uint8_t *put_name(uint8_t *p, const char *name)
{
    if (!name)
        return PUT(p, "null");
    p = PUT(p, "\"");
    p = (uint8_t *)stpcpy((char *)p, name);
    return PUT(p, "\"");
}

static uint8_t *put_seconds(uint8_t *p, double seconds)
{
    const size_t n = rp__json_writer_decimals(p, seconds, 9);
    return n > 0 ? p + n : PUT(p, "null");
}

/* It follows others, as what is below does. */
static void put_generation(rp__buf *out, uint64_t generation)
{
    uint8_t *const begin = rp__buf_room(out, 2 * RP_BUF_DIGITS), *p = begin;
    if (!begin)
        return;
    p = PUT(p, ",\"generation\":");
    out->n += (size_t)(p - begin) + rp__buf_digits(p, generation);
}

static void put_totals(const writing *x, const rp_hits *hits)
{
    enum {
        KEYS = 256,
        NAME = 64,
        NUMBERS = 6,
        ROOM = KEYS + 2 * NAME + NUMBERS * RP_JSON_DECIMALS
    };
    uint8_t *const begin = rp__buf_room(x->w->out, ROOM), *p = begin;
    if (!begin)
        return;
    if (hits->has_no_words)
        p = PUT(p, ",\"has_no_words\":true");
    p = put_name(PUT(p, ",\"processor\":"), hits->processor);
    if (hits->fallback)
        p = put_name(PUT(p, ",\"fallback\":"), rp_fallback_name(hits->fallback));
    p = put_seconds(PUT(p, ",\"seconds\":"), hits->seconds);
    p = PUT(p, ",\"from\":");
    p += rp__buf_digits(p, x->search->from);
    p = PUT(p, ",\"total\":");
    p += rp__buf_digits(p, hits->total);
    p = put_flag(PUT(p, ",\"total_is_exact\":"), hits->total_is_exact);
    p = put_flag(PUT(p, ",\"is_or_fallback\":"), hits->is_or_fallback);
    p = put_flag(PUT(p, ",\"is_partial\":"), hits->is_partial);
    p = PUT(p, ",\"postings\":");
    p += rp__buf_digits(p, hits->postings);
    p = PUT(p, ",\"work\":");
    p += rp__buf_digits(p, hits->work);
    p = PUT(p, ",\"fraction_bits\":");
    p += rp__buf_digits(p, (uint64_t)hits->fraction_bits);
    x->w->out->n += (size_t)(p - begin);
}

rp_status rp__search_reply_write(rp__json_writer *w, rp__generation *generation,
                                 const rp__search *search, const rp_outcome *outcome,
                                 const char *policy, rp_error *err)
{
    writing x = {.w = w, .generation = generation, .search = search, .begin = w->out->n};
    const uint64_t begin = search->has_timeline ? rp__clock_now() : 0;
    for (size_t i = 0; i < search->n_fields; i++) {
        x.has_document |= search->fields[i] >= RP_HIT_LENGTH;
        x.has_text |= search->fields[i] == RP_HIT_TEXT;
    }
    x.has_all_scalars = asks_for_scalars(search);
    rp_status status = RP_OK;
    if (x.has_document || search->has_timeline || outcome->hits.has_unknown)
        status = rp__service_lease(generation, &x.searcher, err);
    if (status != RP_OK)
        return status;
    rp__json_writer_string(w, "query", search->query, search->query_bytes);
    put_generation(w->out, generation->info.generation);
    if (outcome->hits.has_unknown)
        status = write_corrections(&x, err);
    put_totals(&x, &outcome->hits);
    const uint64_t made = search->has_timeline ? rp__clock_now() : 0;
    if (status == RP_OK)
        status = write_hits(&x, &outcome->hits, err);
    if (status == RP_OK && search->has_timeline) {
        const rp__snippets_time snippets = {.began_ns = made - begin,
                                            .took_ns = rp__clock_now() - made,
                                            .n = x.has_document ? outcome->hits.n : 0};
        status = rp__timeline_reply_write(w, x.searcher, search, outcome, policy, &snippets, err);
    }
    rp__service_give_back(generation, x.searcher);
    return status;
}
