/* snippet.c: the part of a document that shows the query's words best.
 *
 * The document goes through the index's own analyzer, so that a word is found under its stem. Of all
 * stretches that fit, the one whose distinct words weigh most by idf wins, then the one with more of
 * them, then the first. It lies in the title or in the text, never across. Only the first SCAN_BYTES
 * of each are looked at, which bounds the time for a huge document. Who shows many hits asks with one
 * query for one document after the other: its words are found once.
 * White space is shown as one space; what is left out, as an ellipsis. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"
#include "engine/searcher.h"

enum { SCAN_BYTES = 1 << 20, MATCHES_MAX = 1 << 14, BYTES_DEFAULT = 240, ELLIPSIS_FROM = 32 };

static const char ellipsis[] = "\xE2\x80\xA6"; /* U+2026 */

/* ---- The query's words ------------------------------------------------------------------------- */

typedef struct word {
    const char *text;
    uint32_t bytes;
    uint32_t n; /* in the stretch being weighed */
    double idf;
} word;

/* Distinct words that are looked for, by open addressing, and the query that they are of. */
typedef struct rp__snippet_words {
    word *at;
    uint32_t *slots; /* 1 + index into at; 0: free */
    uint32_t n, mask;
    const char *query;
    size_t query_bytes;
} words;

typedef struct match {
    uint32_t begin, end, word;
} match;

typedef struct job {
    rp_searcher *searcher;
    const char *query;
    size_t query_bytes;
    rp__query bound;
    words *words;
    rp_error err;
} job;

static uint32_t hash_of(const char *text, uint32_t bytes)
{
    uint32_t h = 2166136261U;
    for (uint32_t i = 0; i < bytes; i++)
        h = (h ^ (unsigned char)text[i]) * 16777619U;
    return h ^ h >> 15;
}

/* The slot that holds the word, or where it would go. */
static uint32_t *slot_of(const words *w, const char *text, uint32_t bytes)
{
    for (uint32_t i = hash_of(text, bytes);; i++) {
        uint32_t *slot = &w->slots[i & w->mask];
        if (*slot == 0)
            return slot;
        const word *it = &w->at[*slot - 1];
        if (it->bytes == bytes && memcmp(it->text, text, bytes) == 0)
            return slot;
    }
}

static bool add_leaf(rp__arena *arena, words *w, const rp__query *q, const rp__leaf *leaf)
{
    double docs = (double)q->rank->stats.docs;
    for (uint32_t i = leaf->word; i < leaf->word + leaf->n_words; i++) {
        const rp__word *from = &q->words[i];
        uint32_t *slot = slot_of(w, from->text, from->text_bytes);
        const char *text = *slot ? NULL : rp__arena_copy(arena, from->text, from->text_bytes);
        if (*slot)
            continue;
        if (!text)
            return false;
        w->at[w->n] = (word){.text = text,
                             .bytes = from->text_bytes,
                             .idf = log1p(docs / ((double)from->term.df + 1))};
        *slot = ++w->n;
    }
    return true;
}

/* Empty, with room for the words of a bound query. */
static words *make_words(const job *j)
{
    rp__arena *arena = &j->searcher->shown;
    const rp__query *q = &j->bound;
    words *w = rp__arena_zero(arena, 1, sizeof *w);
    uint32_t n_slots = 16;
    while (n_slots < 2 * q->n_words)
        n_slots *= 2;
    if (!w)
        return NULL;
    w->mask = n_slots - 1;
    w->slots = rp__arena_zero(arena, n_slots, sizeof *w->slots);
    w->at = rp__arena_array(arena, q->n_words, sizeof *w->at);
    w->query = rp__arena_copy(arena, j->query, j->query_bytes);
    w->query_bytes = j->query_bytes;
    return w->slots && w->at && w->query ? w : NULL;
}

/* Binds the query and gathers the words that are not excluded. */
static rp_status gather_words(job *j)
{
    rp_searcher *s = j->searcher;
    const rp__query *q = &j->bound;
    rp_status status =
        rp__searcher_bind(s, j->query, j->query_bytes, s->options.mode, &j->bound, &j->err);
    if (status != RP_OK)
        return status;
    words *w = make_words(j);
    bool has_memory = w != NULL;
    for (size_t i = 0; has_memory && i < q->n_ops; i++) {
        const rp__op *op = &q->ops[i];
        if (op->kind == RP_OP_OPEN && op->role == RP_NOT)
            i = op->leaf;
        else if (op->role != RP_NOT && (op->kind == RP_OP_TERM || op->kind == RP_OP_PHRASE))
            has_memory = add_leaf(&s->shown, w, q, &q->leaves[op->leaf]);
    }
    s->shown_words = has_memory ? w : NULL;
    return has_memory ? RP_OK : RP_NO_MEMORY;
}

/* Those of the last query, if it was this one. */
static rp_status find_words(void *arg)
{
    job *j = arg;
    rp_searcher *s = j->searcher;
    const words *last = s->shown_words;
    rp_status status = RP_OK;
    if (last && last->query_bytes == j->query_bytes &&
        (j->query_bytes == 0 || memcmp(last->query, j->query, j->query_bytes) == 0)) {
        rp__arena_clear(&s->arena);
    } else {
        s->shown_words = NULL;
        rp__arena_clear(&s->shown);
        status = gather_words(j);
    }
    j->words = s->shown_words;
    return status;
}

/* ---- The best stretch -------------------------------------------------------------------------- */

/* A title or a text, with its matches and the best stretch of them. */
typedef struct source {
    const char *text;
    uint32_t bytes;
    bool is_cut; /* the document goes on after it */
    match *matches;
    uint32_t n;
    uint32_t first, n_best; /* matches of the best stretch */
    double weight;
} source;

static uint32_t floor_char(const char *text, uint32_t at)
{
    while (at > 0 && ((unsigned char)text[at] & 0xC0) == 0x80)
        at--;
    return at;
}

static void find_matches(job *j, source *s)
{
    rp__token token;
    rp__analyzer_begin(j->searcher->analyzer, s->text, s->bytes);
    while (j->words->n > 0 && s->n < MATCHES_MAX &&
           rp__analyzer_next(j->searcher->analyzer, &token)) {
        uint32_t slot = *slot_of(j->words, token.term, token.bytes);
        if (slot)
            s->matches[s->n++] = (match){(uint32_t)token.begin, (uint32_t)token.end, slot - 1};
    }
}

static void find_best(job *j, source *s, uint32_t max_bytes)
{
    const double even = 1e-9; /* what sums in another order may differ by */
    double weight = 0;
    uint32_t first = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        word *w = &j->words->at[s->matches[i].word];
        weight += w->n++ == 0 ? w->idf : 0;
        while (first < i && s->matches[i].end - s->matches[first].begin > max_bytes) {
            word *out = &j->words->at[s->matches[first++].word];
            weight -= --out->n == 0 ? out->idf : 0;
        }
        uint32_t n = i - first + 1;
        if (weight > s->weight + even || (weight > s->weight - even && n > s->n_best)) {
            s->weight = weight;
            s->first = first;
            s->n_best = n;
        }
    }
    for (; first < s->n; first++)
        j->words->at[s->matches[first].word].n = 0;
}

static rp_status read_source(job *j, const char *text, size_t bytes, uint32_t max_bytes, source *s)
{
    *s = (source){.text = text, .bytes = bytes < SCAN_BYTES ? (uint32_t)bytes : SCAN_BYTES};
    if (s->bytes < bytes) {
        s->bytes = floor_char(text, s->bytes);
        s->is_cut = true;
    }
    size_t most = s->bytes < MATCHES_MAX ? s->bytes : MATCHES_MAX;
    s->matches = rp__arena_array(&j->searcher->arena, most, sizeof *s->matches);
    if (!s->matches)
        return RP_NO_MEMORY;
    find_matches(j, s);
    find_best(j, s, max_bytes);
    return RP_OK;
}

/* ---- Where to cut ------------------------------------------------------------------------------ */

static bool is_space(char c)
{
    unsigned char u = (unsigned char)c;
    return u <= 0x20 || u == 0x7F;
}

/* Scripts from U+3000 on are mostly written without spaces; the lead byte tells. */
static bool is_wide(char c)
{
    return (unsigned char)c >= 0xE3;
}

/* A word may end or begin between bytes at - 1 and at. */
static bool is_break(const source *s, uint32_t at)
{
    if (at == 0 || at == s->bytes)
        return true;
    char after = s->text[at];
    if (((unsigned char)after & 0xC0) == 0x80)
        return false;
    return is_space(after) || is_space(s->text[at - 1]) || is_wide(after);
}

/* The bytes to show: the best stretch, and what stands around it as far as there is room. */
static void cut(const source *s, uint32_t max_bytes, uint32_t *begin, uint32_t *end)
{
    uint32_t from = 0, to = 0;
    if (s->n_best > 0) {
        from = s->matches[s->first].begin;
        to = s->matches[s->first + s->n_best - 1].end;
    }
    if (to - from >= max_bytes) {
        *begin = from;
        *end = floor_char(s->text, from + max_bytes);
        return;
    }
    uint32_t room = max_bytes - (to - from), after = s->bytes - to;
    uint32_t left = after < room - room / 2 ? room - after : room / 2;
    *begin = from > left ? from - left : 0;
    while (*begin < from && !is_break(s, *begin))
        ++*begin;
    room = max_bytes - (to - *begin);
    *end = after > room ? to + room : s->bytes;
    while (*end > to && !is_break(s, *end))
        --*end;
    if (*end == *begin) /* one endless word */
        *end = floor_char(s->text, *begin + max_bytes < s->bytes ? *begin + max_bytes : s->bytes);
}

/* ---- Writing ----------------------------------------------------------------------------------- */

typedef struct writer {
    rp_snippet *out;
    const match *at, *end; /* matches not yet closed */
    uint32_t n;
    bool wants_space, is_inside;
} writer;

/* Closes the mark that ends at or before byte `i`, unless another match overlaps it and goes on, as
 * pairs of letters do; marks that touch become one. */
static void close_mark(writer *w, uint32_t i)
{
    while (w->is_inside && i >= w->at->end) {
        uint32_t end = w->at++->end;
        if (w->at < w->end && w->at->begin < end)
            continue;
        w->out->marks[w->out->n_marks - 1].end = w->n;
        w->is_inside = false;
    }
}

static void open_mark(writer *w, uint32_t i)
{
    while (!w->is_inside && w->at < w->end && w->at->begin < i)
        w->at++; /* its first byte was no character */
    if (w->is_inside || w->at == w->end || i != w->at->begin)
        return;
    w->is_inside = true;
    size_t n = w->out->n_marks;
    if (n > 0 && w->out->marks[n - 1].end == w->n)
        return;
    w->out->marks[w->out->n_marks++].begin = w->n;
}

static void put(writer *w, const char *bytes, uint32_t n)
{
    memcpy(w->out->text + w->n, bytes, n);
    w->n += n;
}

/* Copies bytes begin to end, white space as one space, what is no UTF-8 as '?'. */
static void copy(writer *w, const source *s, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin, len; i < end; i += len) {
        close_mark(w, i);
        len = rp__utf8_valid(s->text + i, end - i);
        if (is_space(s->text[i])) {
            w->wants_space = w->n > 0;
            continue;
        }
        if (w->wants_space)
            put(w, " ", 1);
        w->wants_space = false;
        open_mark(w, i);
        put(w, len ? s->text + i : "?", len ? len : 1);
        len += len == 0;
    }
    if (w->is_inside)
        w->out->marks[w->out->n_marks - 1].end = w->n;
}

/* `max_bytes` of the document, `dots` on each side for an ellipsis and a space. */
static rp_status write_snippet(const source *s, uint32_t max_bytes, uint32_t dots, rp_snippet *out)
{
    uint32_t begin, end;
    cut(s, max_bytes, &begin, &end);
    out->marks = rp__alloc(s->n_best * sizeof *out->marks + (end - begin) + 2 * dots + 1);
    if (!out->marks)
        return RP_NO_MEMORY;
    out->text = (char *)(out->marks + s->n_best);
    const match *first = s->matches + s->first;
    writer w = {.out = out, .at = first, .end = first + s->n_best};
    if (begin > 0 && dots > 0) {
        put(&w, ellipsis, dots - 1);
        w.wants_space = true;
    }
    copy(&w, s, begin, end);
    if ((end < s->bytes || s->is_cut) && dots > 0) {
        put(&w, " ", 1);
        put(&w, ellipsis, dots - 1);
    }
    out->text[w.n] = 0;
    return RP_OK;
}

static rp_status make(job *j, const rp_document *document, size_t max_bytes, rp_snippet *out)
{
    uint32_t most = max_bytes == 0           ? BYTES_DEFAULT
                    : max_bytes < SCAN_BYTES ? (uint32_t)max_bytes
                                             : SCAN_BYTES;
    uint32_t dots = most < ELLIPSIS_FROM ? 0 : sizeof ellipsis;
    most -= 2 * dots;
    source title, text;
    rp_status status = read_source(j, document->title, document->title_bytes, most, &title);
    if (status == RP_OK)
        status = read_source(j, document->text, document->text_bytes, most, &text);
    if (status != RP_OK)
        return status;
    bool is_title = title.weight > text.weight || text.bytes == 0;
    return write_snippet(is_title ? &title : &text, most, dots, out);
}

rp_status rp_searcher_snippet(rp_searcher *searcher, const char *query, size_t query_bytes,
                              const rp_document *document, size_t max_bytes, rp_snippet *out,
                              rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = (rp_snippet){0};
    if (RP_MISSING(err, searcher, document) || RP_MISSING_ARRAY(err, query, query_bytes) ||
        RP_MISSING_ARRAY(err, document->title, document->title_bytes) ||
        RP_MISSING_ARRAY(err, document->text, document->text_bytes))
        return RP_USAGE;
    job j = {.searcher = searcher, .query = query, .query_bytes = query_bytes};
    rp_status status = rp__searcher_guard(searcher, find_words, &j, &j.err, err);
    if (status != RP_OK)
        return status;
    status = make(&j, document, max_bytes, out);
    return status == RP_OK ? RP_OK : rp__error_no_memory(err);
}

void rp_snippet_free(rp_snippet *snippet)
{
    if (!snippet)
        return;
    rp__free(snippet->marks);
    *snippet = (rp_snippet){0};
}
