/* planner.c: binds a parsed query to an index: words to terms, terms to weights.
 *
 * Ops are copied one by one; a word may become none, one or a group of terms. When a group closes it
 * is dissolved into the one around it wherever that changes neither matches nor scores, so that the
 * processors see flat queries as often as they can. Leaves the running to backend.
 * Invariants: 1 a group that is kept has a child that is not excluded; 2 leaves and words of what
 * vanished are taken back with it. */
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "plan/expansion.h"
#include "plan/plan.h"
#include "plan/query_lexer.h"

void rp__plan_defaults(rp_search_options *options)
{
    static const rp_search_options defaults = {
        .k = 10,
        .threads = 1,
        .max_k = 10000,
        .max_query = 64 << 10,
        .max_terms = 1024,
        .max_expansions = 1024,
        .max_phrase = 64,
        .max_slop = 10000,
        .max_depth = 32,
        .max_memory = 64 << 20,
        .max_work = 40000000,
    };
#define FILL(field) options->field = options->field ? options->field : defaults.field
    FILL(k);
    FILL(threads);
    FILL(max_k);
    FILL(max_query);
    FILL(max_terms);
    FILL(max_expansions);
    FILL(max_phrase);
    FILL(max_slop);
    FILL(max_depth);
    FILL(max_memory);
    FILL(max_work);
#undef FILL
}

/* ---- State ----------------------------------------------------------------------------------- */

typedef struct group {
    uint32_t open;              /* its op */
    uint32_t n_leaves, n_words; /* when it opened (inv. 2) */
    uint32_t n_by_role[RP_NOT + 1];
    uint8_t role;
} group;

typedef struct binder {
    const rp__syntax *syntax;
    const rp__bind_to *to;
    const rp_search_options *options;
    rp__arena *arena;
    rp_error *err;
    uint8_t default_role;
    rp__op *ops;
    rp__leaf *leaves;
    rp__word *words;
    char *texts; /* room for short words */
    size_t n_ops, n_leaves, n_words, cap_ops, cap_leaves, cap_words, texts_left;
    group *groups; /* open now; syntax->depth + 2: a letter's in a word's in the deepest */
    size_t n_groups;
    uint64_t visits; /* terms that patterns may still look at */
    bool has_unknown;
} binder;

/* Where a leaf stands in the query, its quote included. */
static size_t leaf_at(const rp__syntax_op *op)
{
    return op->begin - (op->kind == RP_SYNTAX_PHRASE);
}

#define FAIL(b, op, code, ...)                                                                     \
    rp__query_lexer_fail((b)->syntax->text, leaf_at(op), (b)->err, code, __VA_ARGS__)

/* Room for one more element of an array in the arena; the old copy stays there unused. */
static void *grown(rp__arena *arena, void *array, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return array;
    size_t want = 2 * *cap;
    void *bigger = rp__arena_array(arena, want, size);
    if (!bigger)
        return NULL;
    memcpy(bigger, array, n * size);
    *cap = want;
    return bigger;
}

static rp_status put_op(binder *b, rp__op_kind kind, uint8_t role, uint32_t leaf)
{
    rp__op *ops = grown(b->arena, b->ops, b->n_ops, &b->cap_ops, sizeof *ops);
    if (!ops)
        return rp__error_no_memory(b->err);
    b->ops = ops;
    ops[b->n_ops++] = (rp__op){(uint8_t)kind, role, leaf};
    return RP_OK;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

static rp_status open_group(binder *b, uint8_t role)
{
    b->groups[b->n_groups++] = (group){.open = (uint32_t)b->n_ops,
                                       .n_leaves = (uint32_t)b->n_leaves,
                                       .n_words = (uint32_t)b->n_words,
                                       .role = role};
    return put_op(b, RP_OP_OPEN, role, 0);
}

/* Takes away the opener at `open`; what follows moves up. */
static void drop_opener(binder *b, uint32_t open)
{
    b->n_ops--;
    memmove(&b->ops[open], &b->ops[open + 1], (b->n_ops - open) * sizeof *b->ops);
}

/* Sets the role of every outermost op from `begin` on. Closers get theirs in link. */
static void set_roles(binder *b, size_t begin, uint8_t role)
{
    uint32_t depth = 0;
    for (size_t i = begin; i < b->n_ops; i++) {
        if (b->ops[i].kind == RP_OP_CLOSE)
            depth--;
        else if (depth == 0)
            b->ops[i].role = role;
        depth += b->ops[i].kind == RP_OP_OPEN;
    }
}

/* Moves a group's children into the one around it if nothing changes by that. An OR in an OR, and an
 * AND (with whatever else it has) in an AND, join it; excluding an OR excludes each of it; a group of
 * one is that one. */
static bool dissolve(binder *b, const group *g, group *around)
{
    const uint32_t *n = g->n_by_role;
    uint32_t all = n[RP_SHOULD] + n[RP_MUST] + n[RP_NOT];
    bool is_only_should = n[RP_SHOULD] == all;
    bool keeps_roles =
        (g->role == RP_SHOULD && is_only_should) || (g->role == RP_MUST && n[RP_MUST]);
    if (!keeps_roles && all > 1 && !(g->role == RP_NOT && is_only_should))
        return false;
    drop_opener(b, g->open);
    if (keeps_roles && all > 1) {
        for (int role = RP_SHOULD; role <= RP_NOT; role++)
            around->n_by_role[role] += n[role];
    } else {
        set_roles(b, g->open, g->role);
        around->n_by_role[g->role] += all;
    }
    return true;
}

static rp_status close_group(binder *b)
{
    group *g = &b->groups[--b->n_groups];
    if (g->n_by_role[RP_SHOULD] + g->n_by_role[RP_MUST] == 0) {
        b->n_ops = g->open;
        b->n_leaves = g->n_leaves;
        b->n_words = g->n_words;
        return RP_OK;
    }
    group *around = b->n_groups ? g - 1 : NULL;
    if (around && dissolve(b, g, around))
        return RP_OK;
    if (around)
        around->n_by_role[g->role]++;
    return put_op(b, RP_OP_CLOSE, g->role, 0);
}

/* ---- Leaves ---------------------------------------------------------------------------------- */

/* A word with a NUL behind. */
static const char *copy_text(binder *b, const char *text, size_t bytes)
{
    if (bytes >= b->texts_left)
        return rp__arena_copy(b->arena, text, bytes);
    char *copy = memcpy(b->texts, text, bytes);
    copy[bytes] = 0;
    b->texts += bytes + 1;
    b->texts_left -= bytes + 1;
    return copy;
}

/* Appends a word; its term may be unknown to the index. */
static rp_status put_word(binder *b, const rp__syntax_op *op, const char *text, size_t bytes,
                          uint32_t offset, const rp__term *term)
{
    if (b->n_words >= b->options->max_terms)
        return FAIL(b, op, RP_LIMIT, "more than %zu terms after expansion; raise --max-terms",
                    b->options->max_terms);
    rp__word *words = grown(b->arena, b->words, b->n_words, &b->cap_words, sizeof *words);
    if (!words)
        return rp__error_no_memory(b->err);
    b->words = words;
    const char *copy = copy_text(b, text, bytes);
    if (!copy)
        return rp__error_no_memory(b->err);
    words[b->n_words++] =
        (rp__word){.term = *term, .offset = offset, .text = copy, .text_bytes = (uint32_t)bytes};
    return RP_OK;
}

/* Its weight, which is 0 where the index does not know one of its words. */
static rp_status weigh_leaf(const binder *b, rp__leaf *leaf, double boost)
{
    const rp__word *words = &b->words[leaf->word];
    uint32_t n = leaf->n_words, df;
    uint64_t cf, *cfs = &cf;
    uint32_t *dfs = &df;
    rp__arena_mark mark = rp__arena_get_mark(b->arena);
    if (n > 1) {
        cfs = rp__arena_array(b->arena, n, sizeof *cfs);
        dfs = rp__arena_array(b->arena, n, sizeof *dfs);
        if (!cfs || !dfs)
            return rp__error_no_memory(b->err);
    }
    bool is_known = true;
    for (uint32_t i = 0; i < n; i++) {
        dfs[i] = words[i].term.df;
        cfs[i] = words[i].term.cf;
        is_known = is_known && dfs[i] > 0;
    }
    if (is_known)
        leaf->weight = rp__rank_weight(b->to->rank, dfs, cfs, n, boost);
    if (n > 1)
        rp__arena_rewind(b->arena, mark);
    return RP_OK;
}

/* Makes a leaf of the last n words. */
static rp_status put_leaf(binder *b, const rp__syntax_op *op, uint32_t n, uint8_t role)
{
    rp__leaf *leaves = grown(b->arena, b->leaves, b->n_leaves, &b->cap_leaves, sizeof *leaves);
    if (!leaves)
        return rp__error_no_memory(b->err);
    b->leaves = leaves;
    rp__leaf *leaf = &leaves[b->n_leaves++];
    *leaf =
        (rp__leaf){.word = (uint32_t)b->n_words - n, .n_words = n, .slop = n > 1 ? op->slop : 0};
    rp_status status = weigh_leaf(b, leaf, op->boost);
    if (status != RP_OK)
        return status;
    b->groups[b->n_groups - 1].n_by_role[role]++;
    return put_op(b, n > 1 ? RP_OP_PHRASE : RP_OP_TERM, role, (uint32_t)b->n_leaves - 1);
}

/* The bytes of a leaf without its backslashes: the query's own where it has none. */
static const char *plain_text(binder *b, const rp__syntax_op *op, size_t *bytes)
{
    const char *text = b->syntax->text + op->begin;
    size_t n = op->end - op->begin;
    *bytes = n;
    if (n == 0 || b->options->plain || !memchr(text, '\\', n))
        return text;
    char *copy = rp__arena_copy(b->arena, text, n);
    size_t out = 0;
    for (size_t i = 0; copy && i < n; i++) {
        i += text[i] == '\\' && i + 1 < n;
        copy[out++] = text[i];
    }
    *bytes = out;
    return copy;
}

static rp_status find_word(binder *b, const rp__syntax_op *op, const rp__token *token,
                           uint32_t offset)
{
    rp__term term = {0};
    rp_status status =
        rp__term_table_find(b->to->terms, b->to->segment, token->term, token->bytes, &term);
    if (status == RP_NOT_FOUND)
        term = (rp__term){0}, b->has_unknown = true;
    else if (status != RP_OK)
        return rp__error_set(b->err, status,
                             "terms: the entry of \"%.*s\" cannot be read; run 'riposte check'",
                             (int)token->bytes, token->term);
    if (term.df > 0)
        rp__segment_expect_list(b->to->segment, &term);
    return put_word(b, op, token->term, token->bytes, offset, &term);
}

static rp_status put_expansion(binder *b, const rp__syntax_op *op, const char *text, size_t bytes,
                               const rp__term *term)
{
    rp_status status = put_word(b, op, text, bytes, 0, term);
    return status == RP_OK ? put_leaf(b, op, 1, RP_SHOULD) : status;
}

/* Of a pattern that stands for too many terms. */
static rp_status refuse_expansion(const binder *b, const rp__syntax_op *op)
{
    const int bytes = (int)(op->end - op->begin < 100 ? op->end - op->begin : 100);
    const bool is_fuzzy = op->kind == RP_SYNTAX_FUZZY;
    return FAIL(b, op, RP_LIMIT,
                "\"%.*s%s%s\" stands for more than %zu term%s; %sadd letters or raise "
                "--max-expansions",
                bytes, b->syntax->text + op->begin, op->kind == RP_SYNTAX_PREFIX ? "*" : "",
                !is_fuzzy       ? ""
                : op->slop == 1 ? "~1"
                                : "~2",
                b->options->max_expansions, b->options->max_expansions == 1 ? "" : "s",
                is_fuzzy && op->slop > 1 ? "use ~1, " : "");
}

/* The terms that a pattern stands for; where it stands for none, a term nobody has. */
static rp_status expand(binder *b, const rp__syntax_op *op, rp__expansion *e)
{
    const char *text = b->syntax->text + op->begin;
    int bytes = (int)(op->end - op->begin < 100 ? op->end - op->begin : 100);
    rp_status found = RP_OK;
    for (size_t n = 0; found == RP_OK; n++) {
        found = rp__expansion_next(e, &b->visits);
        if (found == RP_NOT_FOUND && n == 0)
            return put_expansion(b, op, text, op->end - op->begin, &(rp__term){0});
        if (found != RP_OK)
            break;
        if (n == b->options->max_expansions)
            return refuse_expansion(b, op);
        rp_status status = put_expansion(b, op, e->iter.term, e->iter.term_bytes, &e->iter.entry);
        if (status != RP_OK)
            return status;
    }
    if (found == RP_NOT_FOUND)
        return RP_OK;
    if (found == RP_LIMIT)
        return FAIL(
            b, op, RP_LIMIT, "the query's patterns look at more than %d terms; add letters%s",
            RP_EXPANSION_VISITS, op->kind == RP_SYNTAX_WORD ? "" : " before '*', '?' or '~'");
    return rp__error_set(
        b->err, found, "terms: those of \"%.*s\" cannot be read; run 'riposte check'", bytes, text);
}

/* The terms of a pattern, in a group. */
static rp_status expand_group(binder *b, const rp__syntax_op *op, uint8_t role, rp__expansion *e)
{
    rp_status status = open_group(b, role);
    if (status == RP_OK)
        status = expand(b, op, e);
    return status == RP_OK ? close_group(b) : status;
}

/* One of the terms of a word. A letter that texts have in pairs is the OR of those pairs. */
static rp_status bind_token(binder *b, const rp__syntax_op *op, const rp__token *token,
                            uint8_t role)
{
    rp__expansion e;
    uint8_t first;
    if (!rp__analyzer_is_lone(b->to->analyzer, token->term, token->bytes, &first)) {
        rp_status status = find_word(b, op, token, 0);
        return status == RP_OK ? put_leaf(b, op, 1, role) : status;
    }
    rp_status status =
        rp__expansion_start_letter(&e, b->to->segment, token->term, token->bytes, first);
    return status == RP_OK ? expand_group(b, op, role, &e) : status;
}

/* A word: its terms one by one, in a group unless there is only one. */
static rp_status bind_word(binder *b, const rp__syntax_op *op)
{
    size_t bytes;
    const char *text = plain_text(b, op, &bytes);
    if (!text)
        return rp__error_no_memory(b->err);
    uint8_t role = op->role == RP_NOT ? RP_MUST : b->default_role;
    rp_status status = open_group(b, op->role);
    rp__token token;
    rp__analyzer_begin(b->to->analyzer, text, bytes);
    while (status == RP_OK && rp__analyzer_next(b->to->analyzer, &token))
        status = bind_token(b, op, &token, role);
    return status == RP_OK ? close_group(b) : status;
}

static rp_status start_expansion(binder *b, const rp__syntax_op *op, rp__expansion *e)
{
    size_t bytes = op->end - op->begin;
    const char *text = b->syntax->text + op->begin;
    if (op->kind != RP_SYNTAX_WILDCARD) /* which must still know its backslashes */
        text = plain_text(b, op, &bytes);
    if (!text)
        return rp__error_no_memory(b->err);
    rp_status status = rp__expansion_start(e, b->to->segment, b->to->analyzer,
                                           (rp__syntax_kind)op->kind, text, bytes, op->slop);
    if (status == RP_LIMIT)
        return FAIL(b, op, RP_LIMIT, "a word before '~' has at most %d letters", RP_FUZZY_CODES);
    if (status == RP_DAMAGED)
        return rp__error_set(b->err, status, "terms: they cannot be read; run 'riposte check'");
    return status;
}

/* A prefix, a wildcard or a fuzzy word: the OR of its expansions. */
static rp_status bind_pattern(binder *b, const rp__syntax_op *op)
{
    rp__expansion e;
    rp_status status = start_expansion(b, op, &e);
    if (status == RP_NOT_FOUND)
        return RP_OK; /* nothing is left of the word */
    return status == RP_OK ? expand_group(b, op, op->role, &e) : status;
}

/* A phrase: one leaf; dropped words leave their places empty. */
static rp_status bind_phrase(binder *b, const rp__syntax_op *op)
{
    size_t bytes;
    const char *text = plain_text(b, op, &bytes);
    if (!text)
        return rp__error_no_memory(b->err);
    uint32_t n = 0, first = 0;
    rp__token token;
    rp__analyzer_begin(b->to->analyzer, text, bytes);
    while (rp__analyzer_next(b->to->analyzer, &token)) {
        if (n == b->options->max_phrase)
            return FAIL(b, op, RP_LIMIT, "a phrase of more than %zu words; raise --max-phrase",
                        b->options->max_phrase);
        if (n++ == 0)
            first = token.position;
        rp_status status = find_word(b, op, &token, token.position - first);
        if (status != RP_OK)
            return status;
    }
    if (n > 1 && !rp__segment_get_info(b->to->segment)->has_positions)
        return FAIL(b, op, RP_USAGE,
                    "phrases need positions, and this index was made without them");
    if (n == 1) { /* a word */
        const rp__word *word = &b->words[--b->n_words];
        token = (rp__token){.term = word->text, .bytes = word->text_bytes};
        return bind_token(b, op, &token, op->role);
    }
    return n ? put_leaf(b, op, n, op->role) : RP_OK;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static rp_status bind_op(binder *b, const rp__syntax_op *op)
{
    switch (op->kind) {
    case RP_SYNTAX_OPEN:
        return open_group(b, op->role);
    case RP_SYNTAX_CLOSE:
        return close_group(b);
    case RP_SYNTAX_PREFIX:
    case RP_SYNTAX_WILDCARD:
    case RP_SYNTAX_FUZZY:
        return bind_pattern(b, op);
    case RP_SYNTAX_PHRASE:
        return bind_phrase(b, op);
    default:
        return bind_word(b, op);
    }
}

/* If the outermost group holds one group alone, that one is the query. */
static void unwrap_root(binder *b)
{
    const uint32_t *n = b->groups[0].n_by_role;
    if (b->n_ops > 0 && n[RP_SHOULD] + n[RP_MUST] == 1 && n[RP_NOT] == 0 &&
        b->ops[1].kind == RP_OP_OPEN) {
        drop_opener(b, 0);
        b->n_ops--;
    }
}

/* Ties openers to closers and gives both one role; an opener holds the one around it until then. */
static uint32_t link_groups(binder *b)
{
    uint32_t open = 0, depth = 0, deepest = 0;
    for (uint32_t i = 0; i < b->n_ops; i++) {
        rp__op *op = &b->ops[i];
        if (op->kind == RP_OP_OPEN) {
            op->leaf = open;
            open = i;
            depth++;
            deepest = depth > deepest ? depth : deepest;
        } else if (op->kind == RP_OP_CLOSE) {
            uint32_t around = b->ops[open].leaf;
            b->ops[open].leaf = i;
            *op = (rp__op){RP_OP_CLOSE, b->ops[open].role, open};
            open = around;
            depth--;
        }
    }
    return deepest;
}

/* The most that a document can score. */
static double sum_bounds(const binder *b)
{
    double sum = 0;
    for (size_t i = 0; i < b->n_ops; i++) {
        const rp__op *op = &b->ops[i];
        if (op->kind == RP_OP_OPEN && op->role == RP_NOT)
            i = op->leaf;
        else if (op->role != RP_NOT && (op->kind == RP_OP_TERM || op->kind == RP_OP_PHRASE))
            sum += b->leaves[op->leaf].weight.bound;
    }
    return sum;
}

enum { FIRST_CAP = 16, FIRST_TEXTS = 256 };

/* What most queries need, which is allocated at once. */
typedef struct first_room {
    rp__word words[FIRST_CAP];
    rp__leaf leaves[FIRST_CAP];
    rp__op ops[FIRST_CAP];
    char texts[FIRST_TEXTS];
} first_room;

static bool make_room(binder *b)
{
    first_room *room = rp__arena_alloc(b->arena, sizeof *room);
    b->groups = rp__arena_array(b->arena, (size_t)b->syntax->depth + 2, sizeof *b->groups);
    if (!room || !b->groups)
        return false;
    b->cap_ops = b->cap_leaves = b->cap_words = FIRST_CAP;
    b->ops = room->ops;
    b->leaves = room->leaves;
    b->words = room->words;
    b->texts = room->texts;
    b->texts_left = FIRST_TEXTS;
    return true;
}

/* When all ops are there. */
static rp_status finish(binder *b, rp__query *out)
{
    const rp_search_options *o = b->options;
    const rp__segment *segment = b->to->segment;
    unwrap_root(b);
    uint32_t depth = link_groups(b);
    *out = (rp__query){.segment = segment,
                       .rank = b->to->rank,
                       .norms = b->to->norms,
                       .ops = b->ops,
                       .leaves = b->leaves,
                       .words = b->words,
                       .n_ops = b->n_ops,
                       .n_leaves = b->n_leaves,
                       .n_words = b->n_words,
                       .depth = depth ? depth : 1,
                       .fraction_bits =
                           rp__rank_fraction_bits(b->to->rank->ranking->kind, sum_bounds(b)),
                       .k = o->total == RP_TOTAL_ONLY ? 0 : o->k + o->from,
                       .exact_total = o->total != RP_TOTAL_AT_LEAST,
                       .has_unknown = b->has_unknown,
                       .is_or_fallback = b->default_role == RP_SHOULD && o->mode == RP_MODE_ANDOR,
                       .algorithm = o->algorithm};
    rp__segment_get_lengths(segment, &out->lengths);
    out->end = out->lengths.n_docs;
    out->has_bounds = rp__segment_bounds_hold(segment, b->to->rank);
    if (rp__work_bound(out, b->arena, &out->work) != RP_OK)
        return rp__error_no_memory(b->err);
    return RP_OK;
}

static binder begin(const rp__syntax *syntax, const rp__bind_to *to, rp_mode mode,
                    const rp_search_options *options, rp__arena *arena, rp_error *err)
{
    return (binder){.syntax = syntax,
                    .to = to,
                    .options = options,
                    .arena = arena,
                    .err = err,
                    .visits = RP_EXPANSION_VISITS,
                    .default_role = mode == RP_MODE_OR ? RP_SHOULD : RP_MUST};
}

rp_status rp__query_bind(const rp__syntax *syntax, const rp__bind_to *to, rp_mode mode,
                         const rp_search_options *options, rp__arena *arena, rp__query *out,
                         rp_error *err)
{
    binder b = begin(syntax, to, mode, options, arena, err);
    if (!make_room(&b))
        return rp__error_no_memory(err);
    for (size_t i = 0; i < syntax->n_ops; i++) {
        rp_status status = bind_op(&b, &syntax->ops[i]);
        if (status != RP_OK)
            return status;
    }
    return finish(&b, out);
}

/* ---- Plain words ------------------------------------------------------------------------------- */

/* Groups of a plain query's words would all be dissolved: their terms are put side by side at once. */
static rp_status bind_plain_word(binder *b, uint32_t begin, uint32_t end)
{
    const rp__syntax_op op = {.begin = begin, .end = end, .boost = 1};
    rp__token term;
    rp_status status = RP_OK;
    rp__analyzer_begin(b->to->analyzer, b->syntax->text + begin, end - begin);
    while (status == RP_OK && rp__analyzer_next(b->to->analyzer, &term))
        status = bind_token(b, &op, &term, b->default_role);
    return status;
}

/* Whether nothing but the index can be at fault: texts of which it is not known go the long way. */
static bool is_simple(const char *text, size_t bytes, const rp_search_options *options)
{
    if (bytes > options->max_query || bytes / 2 >= options->max_terms)
        return false;
    return options->plain ? rp__utf8_check(text, bytes) == bytes : rp__query_is_words(text, bytes);
}

static rp_status bind_long(const char *text, size_t bytes, const rp__bind_to *to, rp_mode mode,
                           const rp_search_options *options, rp__arena *arena, rp__query *out,
                           rp_error *err)
{
    rp__syntax syntax;
    rp_status status = rp__query_parse(text, bytes, mode, options, arena, &syntax, err);
    return status == RP_OK ? rp__query_bind(&syntax, to, mode, options, arena, out, err) : status;
}

/* The same of a run of letters and digits, which is one word to most analyzers, and never a lone letter. */
static rp_status bind_run(binder *b, uint32_t begin, uint32_t end)
{
    rp__token term;
    const rp__syntax_op op = {.begin = begin, .end = end, .boost = 1};
    if (!rp__analyzer_run(b->to->analyzer, b->syntax->text + begin, end - begin, &term))
        return bind_plain_word(b, begin, end);
    rp_status status = term.bytes > 0 ? find_word(b, &op, &term, 0) : RP_OK;
    return status == RP_OK && term.bytes > 0 ? put_leaf(b, &op, 1, b->default_role) : status;
}

/* The words of a text that is nothing else, which needs no lexer. */
static rp_status bind_words(binder *b, uint32_t bytes)
{
    const char *text = b->syntax->text;
    rp_status status = RP_OK;
    for (uint32_t begin = 0, end; begin < bytes && status == RP_OK; begin = end + 1) {
        for (end = begin; end < bytes && text[end] != ' '; end++)
            ;
        if (end > begin)
            status = bind_run(b, begin, end);
    }
    return status;
}

/* *is_empty: there is no word at all. */
static rp_status bind_plain_words(binder *b, rp__query_lexer *lexer, bool *is_empty)
{
    rp__query_lexer_token token;
    rp_status status = rp__query_lexer_next(lexer, &token);
    *is_empty = status == RP_OK && token.kind == RP_TOKEN_END;
    while (status == RP_OK && token.kind != RP_TOKEN_END) {
        status = bind_plain_word(b, token.begin, token.end);
        if (status == RP_OK)
            status = rp__query_lexer_next(lexer, &token);
    }
    return status;
}

rp_status rp__query_bind_plain(const char *text, size_t bytes, const rp__bind_to *to, rp_mode mode,
                               const rp_search_options *options, rp__arena *arena, rp__query *out,
                               rp_error *err)
{
    rp__syntax syntax = {.text = text, .depth = 1};
    rp__query_lexer lexer = {
        .text = text, .bytes = (uint32_t)bytes, .options = options, .err = err};
    bool is_empty = false;
    if (!is_simple(text, bytes, options))
        return bind_long(text, bytes, to, mode, options, arena, out, err);
    binder b = begin(&syntax, to, mode, options, arena, err);
    rp_status status = make_room(&b) ? open_group(&b, RP_MUST) : rp__error_no_memory(err);
    if (status == RP_OK)
        status = options->plain ? bind_plain_words(&b, &lexer, &is_empty)
                                : bind_words(&b, (uint32_t)bytes);
    if (is_empty)
        return bind_long(text, bytes, to, mode, options, arena, out, err);
    if (status == RP_OK)
        status = close_group(&b);
    return status == RP_OK ? finish(&b, out) : status;
}

/* ---- Kept ------------------------------------------------------------------------------------- */

static void *copy(rp__arena *arena, const void *from, size_t n, size_t size)
{
    void *to = rp__arena_array(arena, n, size);
    if (to && n > 0)
        memcpy(to, from, n * size);
    return to;
}

rp_status rp__query_keep(rp__query *query, rp__arena *arena)
{
    rp__word *words = copy(arena, query->words, query->n_words, sizeof *words);
    query->ops = copy(arena, query->ops, query->n_ops, sizeof *query->ops);
    query->leaves = copy(arena, query->leaves, query->n_leaves, sizeof *query->leaves);
    query->words = words;
    if (!query->ops || !query->leaves || !words)
        return RP_NO_MEMORY;
    for (size_t i = 0; i < query->n_words; i++) {
        words[i].text = NULL;
        words[i].text_bytes = 0;
    }
    return RP_OK;
}
