/* oracle.c: queries answered by reading every document. See oracle.h.
 *
 * Slow and plain on purpose: the one liberty is that a document's tokens are also kept sorted by
 * term, so that a term is found in it by halving. Recursion over the query's tree is fine here. */
#include "oracle/oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/pattern.h"

enum { MAX_TERMS = 1024, MAX_EXPANSIONS = 1024 }; /* the engine's defaults */

typedef struct token {
    uint32_t term, position;
} token;

typedef struct document {
    token *tokens; /* as they stand; then, from n on, sorted by term */
    uint32_t n;
} document;

typedef struct term {
    char *text;
    uint32_t df;
    uint64_t cf;
    uint32_t last_doc; /* that counted for df, plus 1 */
} term;

struct oracle {
    rp__analyzer *analyzer;
    rp__analyzer_state *state;
    document *docs;
    size_t n_docs, cap_docs;
    term *terms;
    size_t n_terms, cap_terms;
    uint32_t *slots; /* hash table of term + 1 */
    size_t n_slots;
    uint32_t *sorted; /* terms in byte order */
    rp__rank_stats stats;
};

static void *grow(void *array, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return array;
    *cap = *cap ? 2 * *cap : 64;
    array = realloc(array, *cap * size);
    if (!array)
        abort();
    return array;
}

static void *zeros(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    if (!p)
        abort();
    return p;
}

/* ---- Terms ----------------------------------------------------------------------------------- */

static uint64_t hash(const char *text, size_t bytes)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return h ^ (h >> 29);
}

/* The slot of a term, or the free one where it would go. */
static uint32_t *find_slot(const oracle *o, const char *text, size_t bytes)
{
    size_t i = hash(text, bytes) & (o->n_slots - 1);
    for (; o->slots[i]; i = (i + 1) & (o->n_slots - 1)) {
        const char *other = o->terms[o->slots[i] - 1].text;
        if (strlen(other) == bytes && !memcmp(other, text, bytes))
            break;
    }
    return &o->slots[i];
}

static void rehash(oracle *o)
{
    free(o->slots);
    o->n_slots = o->n_slots ? 2 * o->n_slots : 1024;
    o->slots = zeros(o->n_slots, sizeof *o->slots);
    for (size_t i = 0; i < o->n_terms; i++)
        *find_slot(o, o->terms[i].text, strlen(o->terms[i].text)) = (uint32_t)i + 1;
}

static uint32_t add_term(oracle *o, const char *text, size_t bytes)
{
    if (2 * o->n_terms >= o->n_slots)
        rehash(o);
    uint32_t *slot = find_slot(o, text, bytes);
    if (!*slot) {
        o->terms = grow(o->terms, o->n_terms, &o->cap_terms, sizeof *o->terms);
        term *t = &o->terms[o->n_terms++];
        *t = (term){.text = zeros(bytes + 1, 1)};
        memcpy(t->text, text, bytes);
        *slot = (uint32_t)o->n_terms;
    }
    return *slot - 1;
}

/* ---- A collection ---------------------------------------------------------------------------- */

oracle *oracle_new(const char *stem, const char *stop)
{
    oracle *o = zeros(1, sizeof *o);
    const char *words = rp__stopwords_get(stop);
    rp__text_options options = {.stem = stem,
                                .stop_words = words,
                                .stop_bytes = strlen(words),
                                .tokens = "uax29",
                                .drops_possessive = true,
                                .folds_accents = true}; /* as a new index has it */
    if (rp__analyzer_open(&options, &o->analyzer, NULL) != RP_OK ||
        rp__analyzer_state_new(o->analyzer, &o->state) != RP_OK)
        abort();
    return o;
}

void oracle_free(oracle *o)
{
    if (!o)
        return;
    for (size_t i = 0; i < o->n_docs; i++)
        free(o->docs[i].tokens);
    for (size_t i = 0; i < o->n_terms; i++)
        free(o->terms[i].text);
    free(o->docs);
    free(o->terms);
    free(o->slots);
    free(o->sorted);
    rp__analyzer_state_free(o->state);
    rp__analyzer_close(o->analyzer);
    free(o);
}

static int by_term(const void *a, const void *b)
{
    const token *x = a, *y = b;
    if (x->term != y->term)
        return x->term < y->term ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

/* Returns where the next field begins: a word further, so that no phrase spans two fields. */
static uint32_t add_text(oracle *o, document *doc, size_t *cap, const char *text, size_t bytes,
                         uint32_t position)
{
    rp__token t;
    rp__analyzer_begin(o->state, text, bytes);
    while (rp__analyzer_next(o->state, &t)) {
        doc->tokens = grow(doc->tokens, doc->n, cap, sizeof *doc->tokens);
        doc->tokens[doc->n++] = (token){add_term(o, t.term, t.bytes), position + t.position};
    }
    uint32_t words = rp__analyzer_positions(o->state);
    return words ? position + words + 1 : position;
}

static void count(oracle *o, const document *doc)
{
    uint32_t mark = (uint32_t)o->n_docs;
    for (uint32_t i = 0; i < doc->n; i++) {
        term *t = &o->terms[doc->tokens[i].term];
        t->cf++;
        t->df += t->last_doc != mark;
        t->last_doc = mark;
    }
    o->stats.docs++;
    o->stats.tokens += doc->n;
    if (doc->n > o->stats.max_length)
        o->stats.max_length = doc->n;
}

void oracle_add(oracle *o, const char *title, size_t title_bytes, const char *text,
                size_t text_bytes)
{
    document doc = {0};
    size_t cap = 0;
    uint32_t position = add_text(o, &doc, &cap, title, title_bytes, 0);
    add_text(o, &doc, &cap, text, text_bytes, position);
    o->docs = grow(o->docs, o->n_docs, &o->cap_docs, sizeof *o->docs);
    token *both = zeros(2 * (size_t)doc.n, sizeof *both);
    if (doc.n) {
        memcpy(both, doc.tokens, doc.n * sizeof *both);
        memcpy(both + doc.n, doc.tokens, doc.n * sizeof *both);
        qsort(both + doc.n, doc.n, sizeof *both, by_term);
    }
    free(doc.tokens);
    doc.tokens = both;
    o->docs[o->n_docs++] = doc;
    count(o, &doc);
}

static const oracle *sorting;

static int by_text(const void *a, const void *b)
{
    return strcmp(sorting->terms[*(const uint32_t *)a].text,
                  sorting->terms[*(const uint32_t *)b].text);
}

void oracle_finish(oracle *o)
{
    o->sorted = zeros(o->n_terms, sizeof *o->sorted);
    for (uint32_t i = 0; i < o->n_terms; i++)
        o->sorted[i] = i;
    sorting = o;
    qsort(o->sorted, o->n_terms, sizeof *o->sorted, by_text);
    if (!o->n_slots)
        rehash(o);
}

size_t oracle_docs(const oracle *o)
{
    return o->n_docs;
}

size_t oracle_terms(const oracle *o)
{
    return o->n_terms;
}

const char *oracle_term(const oracle *o, size_t i)
{
    return o->terms[o->sorted[i]].text;
}

const char *oracle_token(const oracle *o, size_t doc, size_t j)
{
    const document *d = &o->docs[doc];
    return d->n ? o->terms[d->tokens[j % d->n].term].text : NULL;
}

/* ---- Queries as text ------------------------------------------------------------------------- */

void oracle_node_free(oracle_node *node)
{
    for (size_t i = 0; node && i < node->n_kids; i++)
        oracle_node_free(node->kids[i]);
    free(node);
}

static void put(char *out, size_t cap, const char *text)
{
    size_t n = strlen(out);
    snprintf(out + n, cap - n, "%s", text);
}

static void print_kid(const oracle_node *parent, const oracle_node *kid, char *out, size_t cap)
{
    if (kid->role == ORACLE_NOT)
        put(out, cap, parent->has_signs ? "!" : parent->kind == ORACLE_SIDE ? "-" : "NOT ");
    if (kid->role == ORACLE_MUST && parent->kind == ORACLE_SIDE)
        put(out, cap, "+");
    if (kid->kind < ORACLE_AND) {
        oracle_print(kid, out, cap);
        return;
    }
    put(out, cap, "(");
    oracle_print(kid, out, cap);
    put(out, cap, ")");
    char boost[40] = "";
    if (kid->boost != 1)
        snprintf(boost, sizeof boost, "^%.15g", kid->boost);
    put(out, cap, boost);
}

void oracle_print(const oracle_node *node, char *out, size_t cap)
{
    static const char *const after[] = {
        [ORACLE_PREFIX] = "*", [ORACLE_PHRASE] = "\"", [ORACLE_SIDE] = NULL};
    static const char *const between[2][ORACLE_SIDE + 1] = {
        {[ORACLE_AND] = " AND ", [ORACLE_OR] = " OR ", [ORACLE_SIDE] = " "},
        {[ORACLE_AND] = "&&", [ORACLE_OR] = " || ", [ORACLE_SIDE] = " "}};
    char number[60] = "";
    put(out, cap, node->kind == ORACLE_PHRASE ? "\"" : "");
    put(out, cap, node->text);
    put(out, cap, after[node->kind] ? after[node->kind] : "");
    if (node->slop)
        snprintf(number, sizeof number, "~%u", node->slop);
    put(out, cap, number);
    if (node->kind < ORACLE_AND && node->boost != 1) {
        snprintf(number, sizeof number, "^%.15g", node->boost);
        put(out, cap, number);
    }
    for (size_t i = 0; i < node->n_kids; i++) {
        put(out, cap, i ? between[node->has_signs][node->kind] : "");
        print_kid(node, node->kids[i], out, cap);
    }
}

/* ---- Queries bound to the collection ---------------------------------------------------------- */

/* A leaf has terms, a group has kids. */
typedef struct bound {
    oracle_role role; /* never DEFAULT */
    struct bound **kids;
    size_t n_kids, cap_kids;
    int64_t *terms; /* -1: the collection does not have it */
    uint32_t *offsets;
    size_t n_terms, cap_terms, cap_offsets;
    uint32_t slop;
    double boost;
    rp__weight weight;
} bound;

typedef struct binding {
    const oracle *o;
    rp__rank rank;
    oracle_role by_default;
    size_t n_words;
    bool is_over; /* a limit */
} binding;

static void free_bound(bound *b)
{
    for (size_t i = 0; b && i < b->n_kids; i++)
        free_bound(b->kids[i]);
    if (b) {
        free(b->kids);
        free(b->terms);
        free(b->offsets);
    }
    free(b);
}

static bound *new_bound(oracle_role role, double boost)
{
    bound *b = zeros(1, sizeof *b);
    b->role = role;
    b->boost = boost;
    return b;
}

static void add_kid(bound *b, bound *kid)
{
    b->kids = grow(b->kids, b->n_kids, &b->cap_kids, sizeof *b->kids);
    b->kids[b->n_kids++] = kid;
}

static void add_word(binding *to, bound *b, int64_t t, uint32_t offset)
{
    b->terms = grow(b->terms, b->n_terms, &b->cap_terms, sizeof *b->terms);
    b->offsets = grow(b->offsets, b->n_terms, &b->cap_offsets, sizeof *b->offsets);
    b->terms[b->n_terms] = t;
    b->offsets[b->n_terms++] = offset;
    to->n_words++;
}

static int64_t look_up(const oracle *o, const char *text, size_t bytes)
{
    return (int64_t)*find_slot(o, text, bytes) - 1;
}

/* A group without a kid that is looked for is nothing. */
static bound *drop_if_empty(bound *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n_kids; i++)
        n += b->kids[i]->role != ORACLE_NOT;
    if (n)
        return b;
    free_bound(b);
    return NULL;
}

static bound *bind_word(binding *to, const oracle_node *node, oracle_role role, double boost)
{
    bound *b = new_bound(role, boost);
    rp__token t;
    rp__analyzer_begin(to->o->state, node->text, strlen(node->text));
    while (rp__analyzer_next(to->o->state, &t)) {
        bound *kid = new_bound(role == ORACLE_NOT ? ORACLE_MUST : to->by_default, boost);
        add_word(to, kid, look_up(to->o, t.term, t.bytes), 0);
        add_kid(b, kid);
    }
    return drop_if_empty(b);
}

/* Words of patterns are made of letters that are their own folding. */
static bool is_expansion(const oracle_node *node, const char *prefix, size_t bytes,
                         const char *text)
{
    if (node->kind == ORACLE_WILDCARD)
        return pattern_fits(node->text, text);
    if (node->kind == ORACLE_FUZZY)
        return pattern_distance(node->text, text) <= node->slop;
    return strncmp(text, prefix, bytes) == 0;
}

static bound *bind_pattern(binding *to, const oracle_node *node, oracle_role role, double boost)
{
    const oracle *o = to->o;
    bound *b = new_bound(role, boost);
    char prefix[RP_TEXT_TERM_MAX];
    size_t bytes = rp__analyzer_fold(o->state, node->text, strlen(node->text), prefix);
    for (size_t i = 0; bytes && i < o->n_terms; i++) {
        if (!is_expansion(node, prefix, bytes, oracle_term(o, i)))
            continue;
        bound *kid = new_bound(ORACLE_SHOULD, boost);
        add_word(to, kid, o->sorted[i], 0);
        add_kid(b, kid);
    }
    to->is_over |= b->n_kids > MAX_EXPANSIONS;
    if (bytes && b->n_kids == 0) { /* stays, and matches nothing */
        bound *kid = new_bound(ORACLE_SHOULD, boost);
        add_word(to, kid, -1, 0);
        add_kid(b, kid);
    }
    return drop_if_empty(b);
}

static bound *bind_phrase(binding *to, const oracle_node *node, oracle_role role, double boost)
{
    bound *b = new_bound(role, boost);
    b->slop = node->slop;
    uint32_t first = 0;
    rp__token t;
    rp__analyzer_begin(to->o->state, node->text, strlen(node->text));
    while (rp__analyzer_next(to->o->state, &t)) {
        first = b->n_terms ? first : t.position;
        add_word(to, b, look_up(to->o, t.term, t.bytes), t.position - first);
    }
    if (b->n_terms)
        return b;
    free_bound(b);
    return NULL;
}

/* Parentheses around one thing are nothing but a place for a boost. */
static bound *bind_node(binding *to, const oracle_node *node, oracle_role role, double boost)
{
    role = role == ORACLE_DEFAULT ? to->by_default : role;
    boost *= node->boost;
    if (node->kind == ORACLE_WORD)
        return bind_word(to, node, role, boost);
    if (node->kind == ORACLE_PHRASE)
        return bind_phrase(to, node, role, boost);
    if (node->kind < ORACLE_AND)
        return bind_pattern(to, node, role, boost);
    if (node->n_kids == 1)
        return bind_node(to, node->kids[0], role, boost);
    bound *b = new_bound(role, boost);
    for (size_t i = 0; i < node->n_kids; i++) {
        bound *kid = bind_node(to, node->kids[i], node->kids[i]->role, boost);
        if (kid)
            add_kid(b, kid);
    }
    return drop_if_empty(b);
}

/* The sum of the bounds of all leaves that can add to a score. */
static double weigh(const binding *to, bound *b)
{
    double sum = 0;
    for (size_t i = 0; i < b->n_kids; i++) {
        double one = weigh(to, b->kids[i]);
        sum += b->kids[i]->role == ORACLE_NOT ? 0 : one;
    }
    uint32_t df[ORACLE_TEXT];
    uint64_t cf[ORACLE_TEXT];
    for (size_t i = 0; i < b->n_terms; i++) {
        if (b->terms[i] < 0)
            return sum;
        df[i] = to->o->terms[b->terms[i]].df;
        cf[i] = to->o->terms[b->terms[i]].cf;
    }
    if (b->n_terms)
        b->weight = rp__rank_weight(&to->rank, df, cf, b->n_terms, b->boost);
    return sum + b->weight.bound;
}

/* ---- Evaluation ------------------------------------------------------------------------------ */

/* The tokens of a term in a document, and how many. */
static uint32_t occurrences(const document *doc, int64_t t, const token **out)
{
    const token *at = doc->tokens + doc->n;
    uint32_t low = 0, high = doc->n, n = 0;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if ((int64_t)at[middle].term < t)
            low = middle + 1;
        else
            high = middle;
    }
    *out = at + low;
    while (low + n < doc->n && (int64_t)at[low + n].term == t)
        n++;
    return n;
}

/* The distance of the nearest occurrence of term w to where it belongs, one not picked by those
 * before it; the smaller of two as near. Very large: there is none. */
static uint64_t pick(const document *doc, const bound *b, size_t w, uint32_t start, uint32_t *picks)
{
    const token *at;
    uint32_t n = occurrences(doc, b->terms[w], &at);
    uint64_t best = UINT32_MAX;
    int64_t target = (int64_t)start + b->offsets[w];
    for (uint32_t i = 0; i < n; i++) {
        bool is_free = true;
        for (size_t j = 0; j < w; j++)
            is_free = is_free && picks[j] != at[i].position;
        uint64_t distance = (uint64_t)llabs((int64_t)at[i].position - target);
        if (is_free && distance < best) {
            best = distance;
            picks[w] = at[i].position;
        }
    }
    return best;
}

static uint32_t count_phrase(const document *doc, const bound *b)
{
    const token *at;
    uint32_t n = occurrences(doc, b->terms[0], &at), found = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t picks[ORACLE_TEXT] = {at[i].position};
        uint64_t moved = 0;
        for (size_t w = 1; w < b->n_terms; w++)
            moved += pick(doc, b, w, at[i].position, picks);
        found += moved <= b->slop;
    }
    return found;
}

typedef struct evaluation {
    const document *doc;
    rp__rank_kind kind;
    float norm;
    int32_t fraction_bits;
} evaluation;

static bool evaluate(const evaluation *e, const bound *b, uint32_t *score);

static bool evaluate_group(const evaluation *e, const bound *b, uint32_t *score)
{
    size_t must = 0, must_matched = 0, should_matched = 0;
    for (size_t i = 0; i < b->n_kids; i++) {
        uint32_t one = 0;
        bool matches = evaluate(e, b->kids[i], &one);
        oracle_role role = b->kids[i]->role;
        if (role == ORACLE_NOT && matches)
            return false;
        must += role == ORACLE_MUST;
        must_matched += role == ORACLE_MUST && matches;
        should_matched += role == ORACLE_SHOULD && matches;
        if (role != ORACLE_NOT && matches)
            *score += one;
    }
    return must ? must == must_matched : should_matched > 0;
}

static bool evaluate(const evaluation *e, const bound *b, uint32_t *score)
{
    if (b->n_kids)
        return evaluate_group(e, b, score);
    const token *at;
    uint32_t tf = b->n_terms > 1 ? count_phrase(e->doc, b) : occurrences(e->doc, b->terms[0], &at);
    if (tf)
        *score = rp__rank_contribution(e->kind, &b->weight, e->norm, tf, e->fraction_bits);
    return tf > 0;
}

static int best_first(const void *a, const void *b)
{
    const rp__scored *x = a, *y = b;
    if (x->fixed != y->fixed)
        return x->fixed > y->fixed ? -1 : 1;
    return x->docid < y->docid ? -1 : 1;
}

static void search(const oracle *o, const oracle_node *query, const rp__rank *rank, bool is_or,
                   oracle_answer *out)
{
    binding to = {.o = o, .rank = *rank, .by_default = is_or ? ORACLE_SHOULD : ORACLE_MUST};
    to.rank.stats = o->stats;
    bound *b = bind_node(&to, query, ORACLE_MUST, 1);
    evaluation e = {.kind = rank->ranking->kind};
    e.fraction_bits = rp__rank_fraction_bits(e.kind, b ? weigh(&to, b) : 0);
    *out = (oracle_answer){.fraction_bits = e.fraction_bits};
    out->at = zeros(o->n_docs, sizeof *out->at);
    if (to.is_over || to.n_words > MAX_TERMS)
        out->status = RP_LIMIT;
    for (size_t i = 0; b && out->status == RP_OK && i < o->n_docs; i++) {
        uint32_t score = 0;
        e.doc = &o->docs[i];
        e.norm = rp__rank_norm(&to.rank, e.doc->n);
        if (evaluate(&e, b, &score))
            out->at[out->n++] = (rp__scored){score, (uint32_t)i};
    }
    out->total = out->n;
    qsort(out->at, out->n, sizeof *out->at, best_first);
    free_bound(b);
}

void oracle_search(const oracle *o, const oracle_node *query, const rp__rank *rank, rp_mode mode,
                   size_t from, size_t k, oracle_answer *out)
{
    search(o, query, rank, mode == RP_MODE_OR, out);
    if (mode == RP_MODE_ANDOR && out->status == RP_OK && out->total < k) {
        oracle_answer_free(out);
        search(o, query, rank, true, out);
        out->is_or_fallback = true;
    }
    from = from < out->n ? from : out->n;
    out->n -= from;
    memmove(out->at, out->at + from, out->n * sizeof *out->at);
    if (out->n > k)
        out->n = k;
}

void oracle_answer_free(oracle_answer *answer)
{
    free(answer->at);
    answer->at = NULL;
}
