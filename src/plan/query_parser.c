/* query_parser.c: tokens to a flat program of groups and leaves.
 *
 * Clauses stand side by side; a clause is an OR of ANDs of words, phrases and parenthesised queries,
 * each perhaps excluded. All three levels are the same thing, a chain of operands, and a chain is
 * wrapped into a group only when its second operand arrives: groups are as few as the query allows.
 * Open parentheses are frames on a stack of bounded size; nothing recurses.
 * Does not read words (query_lexer.c), nor analyze or look them up (planner.c).
 * Invariants: 1 every group inside another has at least two children, one of them not excluded;
 * 2 hence n leaves make at most n groups and 3n ops; 3 an operand is the tail of the ops, so
 * wrapping it moves nothing else. */
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/utf8.h"
#include "plan/plan.h"
#include "plan/query_lexer.h"

enum { SIDE_BY_SIDE, OR_CHAIN, AND_CHAIN, LEVELS };

typedef struct chain {
    uint32_t begin, at; /* op and byte of the text where it starts */
    uint32_t n, n_positive;
    uint8_t first_role;
} chain;

/* The query itself, or what is inside one pair of parentheses. */
typedef struct frame {
    chain levels[LEVELS];
    uint32_t at;         /* of the '(' */
    uint32_t operand_at; /* of the operand being read, its sign included */
    const char *after;   /* what wants an operand next; NULL: nothing does */
    bool is_negated;     /* the operand being read is */
    bool has_plus;       /* the clause being read has */
} frame;

typedef struct parser {
    rp__query_lexer lexer;
    const rp_search_options *options;
    uint8_t default_role;
    rp__syntax_op *ops;
    uint32_t n_ops;
    size_t n_leaves;
    frame *frames;
    size_t n_frames;
} parser;

static const char after_left[] = "'('";

#define FAIL(p, offset, code, ...)                                                                 \
    rp__query_lexer_fail((p)->lexer.text, offset, (p)->lexer.err, code, __VA_ARGS__)

static frame *top(parser *p)
{
    return &p->frames[p->n_frames - 1];
}

/* ---- Chains ---------------------------------------------------------------------------------- */

static void push(parser *p, rp__syntax_kind kind)
{
    p->ops[p->n_ops++] = (rp__syntax_op){.kind = (uint8_t)kind, .boost = 1};
}

/* Opens a group before everything from op `begin` on (inv. 3). */
static void wrap(parser *p, uint32_t begin)
{
    push(p, RP_SYNTAX_OPEN);
    rp__syntax_op open = p->ops[p->n_ops - 1];
    memmove(&p->ops[begin + 1], &p->ops[begin], (p->n_ops - 1 - begin) * sizeof open);
    p->ops[begin] = open;
}

static void add_operand(parser *p, chain *c, uint32_t begin, uint32_t at, uint8_t role)
{
    if (c->n == 0) {
        *c = (chain){.begin = begin, .at = at, .first_role = role};
    } else if (c->n == 1) {
        wrap(p, c->begin);
        begin++;
        p->ops[c->begin + 1].role = c->first_role;
    }
    p->ops[begin].role = role;
    c->n++;
    c->n_positive += role != RP_NOT;
}

/* Ends a chain; a chain of one is that one. `is_not`: the one is excluded. */
static rp_status end_chain(parser *p, chain *c, bool *is_not)
{
    *is_not = c->n == 1 && c->first_role == RP_NOT;
    if (c->n > 1 && c->n_positive == 0)
        return FAIL(p, c->at, RP_USAGE, "only excluded words here; add one to look for");
    if (c->n > 1)
        push(p, RP_SYNTAX_CLOSE);
    c->n = 0;
    return RP_OK;
}

/* Ends the chain of a level and makes it an operand of the level above. */
static rp_status fold(parser *p, frame *f, int level)
{
    chain *c = &f->levels[level];
    bool is_not;
    rp_status status = end_chain(p, c, &is_not);
    if (status != RP_OK)
        return status;
    uint8_t role = level == AND_CHAIN ? RP_SHOULD : f->has_plus ? RP_MUST : p->default_role;
    add_operand(p, c - 1, c->begin, c->at, is_not ? RP_NOT : role);
    return RP_OK;
}

static rp_status end_clause(parser *p, frame *f)
{
    rp_status status = fold(p, f, AND_CHAIN);
    if (status == RP_OK)
        status = fold(p, f, OR_CHAIN);
    f->has_plus = false;
    return status;
}

static void end_operand(parser *p, frame *f, uint32_t begin)
{
    add_operand(p, &f->levels[AND_CHAIN], begin, f->operand_at, f->is_negated ? RP_NOT : RP_MUST);
    f->is_negated = false;
    f->after = NULL;
}

/* ---- Operands -------------------------------------------------------------------------------- */

/* Pieces that hold a letter, a digit or a character outside ASCII. */
static size_t count_words(const char *text, size_t bytes)
{
    size_t n = 0;
    bool is_inside = false;
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)text[i], lower = c | 0x20;
        if (c <= 0x20)
            is_inside = false;
        else if (!is_inside &&
                 (c >= 0x80 || (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9'))) {
            is_inside = true;
            n++;
        }
    }
    return n;
}

static rp_status add_leaf(parser *p, const rp__query_lexer_token *token)
{
    static const uint8_t kinds[] = {[RP_TOKEN_WORD] = RP_SYNTAX_WORD,
                                    [RP_TOKEN_PREFIX] = RP_SYNTAX_PREFIX,
                                    [RP_TOKEN_WILDCARD] = RP_SYNTAX_WILDCARD,
                                    [RP_TOKEN_FUZZY] = RP_SYNTAX_FUZZY,
                                    [RP_TOKEN_PHRASE] = RP_SYNTAX_PHRASE};
    if (++p->n_leaves > p->options->max_terms)
        return FAIL(p, token->at, RP_LIMIT, "more than %zu words; raise --max-terms",
                    p->options->max_terms);
    if (token->kind == RP_TOKEN_PHRASE &&
        count_words(p->lexer.text + token->begin, token->end - token->begin) >
            p->options->max_phrase)
        return FAIL(p, token->at, RP_LIMIT, "a phrase of more than %zu words; raise --max-phrase",
                    p->options->max_phrase);
    push(p, kinds[token->kind]);
    rp__syntax_op *op = &p->ops[p->n_ops - 1];
    op->begin = token->begin;
    op->end = token->end;
    op->slop = token->slop;
    op->boost = token->boost;
    end_operand(p, top(p), p->n_ops - 1);
    return RP_OK;
}

static rp_status open_group(parser *p, const rp__query_lexer_token *token)
{
    if (p->n_frames > p->options->max_depth)
        return FAIL(p, token->at, RP_LIMIT, "parentheses deeper than %zu; raise --max-depth",
                    p->options->max_depth);
    p->frames[p->n_frames++] = (frame){.at = token->at, .after = after_left};
    return RP_OK;
}

/* An operator as it was written, for messages. */
static const char *name_of(const parser *p, const rp__query_lexer_token *token)
{
    switch (p->lexer.text[token->at]) {
    case '+':
        return "'+'";
    case '-':
        return "'-'";
    case '!':
        return "'!'";
    case '&':
        return "'&&'";
    case '|':
        return "'||'";
    case 'A':
        return "AND";
    case 'O':
        return "OR";
    default:
        return "NOT";
    }
}

/* The signs and words that come before an operand. */
static rp_status read_sign(parser *p, frame *f, const rp__query_lexer_token *token)
{
    bool is_plus = token->kind == RP_TOKEN_PLUS;
    bool in_chain = f->levels[AND_CHAIN].n || f->levels[OR_CHAIN].n;
    if (f->is_negated || f->has_plus)
        return FAIL(p, token->at, RP_USAGE, "expected a word, a phrase or '(' after %s", f->after);
    if (is_plus && in_chain)
        return FAIL(p, token->at, RP_USAGE, "'+' cannot stand beside AND or OR; use parentheses");
    f->has_plus = is_plus;
    f->is_negated = !is_plus;
    f->operand_at = token->at;
    f->after = name_of(p, token);
    return RP_OK;
}

static rp_status no_operand(parser *p, const frame *f, const rp__query_lexer_token *token)
{
    bool is_end = token->kind == RP_TOKEN_END, is_right = token->kind == RP_TOKEN_RIGHT;
    bool is_root = p->n_frames == 1;
    if (is_right && is_root)
        return FAIL(p, token->at, RP_USAGE, "')' without a '(' before it");
    if (is_right && f->after == after_left)
        return FAIL(p, f->at, RP_USAGE, "nothing between the parentheses");
    if (is_end && !*f->after)
        return rp__error_set(p->lexer.err, RP_USAGE, "the query is empty");
    if (!*f->after)
        return FAIL(p, token->at, RP_USAGE, "expected a word, a phrase or '(' before %s",
                    name_of(p, token));
    return FAIL(p, token->at, RP_USAGE, "expected a word, a phrase or '(' after %s", f->after);
}

static rp_status read_operand(parser *p, const rp__query_lexer_token *token)
{
    frame *f = top(p);
    if (!f->is_negated && !f->has_plus)
        f->operand_at = token->at;
    switch (token->kind) {
    case RP_TOKEN_WORD:
    case RP_TOKEN_PREFIX:
    case RP_TOKEN_WILDCARD:
    case RP_TOKEN_FUZZY:
    case RP_TOKEN_PHRASE:
        return add_leaf(p, token);
    case RP_TOKEN_LEFT:
        return open_group(p, token);
    case RP_TOKEN_NOT:
    case RP_TOKEN_PLUS:
    case RP_TOKEN_MINUS:
        return read_sign(p, f, token);
    default:
        return no_operand(p, f, token);
    }
}

/* ---- Between operands ------------------------------------------------------------------------ */

static rp_status multiply_boost(parser *p, uint32_t begin, const rp__query_lexer_token *token)
{
    for (uint32_t i = begin; i < p->n_ops; i++) {
        if (p->ops[i].kind != RP_SYNTAX_OPEN && p->ops[i].kind != RP_SYNTAX_CLOSE)
            p->ops[i].boost *= token->boost;
        if (p->ops[i].boost > rp__query_lexer_boost_max)
            return FAIL(p, token->boost_at, RP_USAGE, "boosts multiply to more than 1000000");
    }
    return RP_OK;
}

/* Ends the query of a frame: everything in it is one operand that starts at *begin. */
static rp_status end_frame(parser *p, frame *f, uint32_t *begin)
{
    rp_status status = end_clause(p, f);
    if (status != RP_OK)
        return status;
    chain *c = &f->levels[SIDE_BY_SIDE];
    *begin = c->begin;
    if (p->n_frames > 1)
        c->at = f->at;
    bool is_not;
    status = end_chain(p, c, &is_not);
    if (status == RP_OK && is_not)
        return FAIL(p, c->at, RP_USAGE, "only excluded words here; add one to look for");
    return status;
}

static rp_status close_group(parser *p, const rp__query_lexer_token *token)
{
    if (p->n_frames == 1)
        return FAIL(p, token->at, RP_USAGE, "')' without a '(' before it");
    uint32_t begin;
    rp_status status = end_frame(p, top(p), &begin);
    if (status == RP_OK && token->boost != 1)
        status = multiply_boost(p, begin, token);
    if (status != RP_OK)
        return status;
    p->n_frames--;
    end_operand(p, top(p), begin);
    return RP_OK;
}

static rp_status join(parser *p, frame *f, const rp__query_lexer_token *token)
{
    if (f->has_plus)
        return FAIL(p, f->operand_at, RP_USAGE,
                    "'+' cannot stand beside AND or OR; use parentheses");
    f->after = name_of(p, token);
    return token->kind == RP_TOKEN_OR ? fold(p, f, AND_CHAIN) : RP_OK;
}

static rp_status read_next(parser *p, const rp__query_lexer_token *token)
{
    frame *f = top(p);
    if (f->after)
        return read_operand(p, token);
    if (token->kind == RP_TOKEN_AND || token->kind == RP_TOKEN_OR)
        return join(p, f, token);
    if (token->kind == RP_TOKEN_RIGHT)
        return close_group(p, token);
    rp_status status = end_clause(p, f);
    return status == RP_OK ? read_operand(p, token) : status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* The outermost group is always there; closers take their openers' role; `slop` of an opener holds
 * the one around it meanwhile, so that no stack is needed. */
static void finish(parser *p, rp__syntax *out)
{
    if (p->ops[0].kind != RP_SYNTAX_OPEN) {
        wrap(p, 0);
        push(p, RP_SYNTAX_CLOSE);
    }
    p->ops[0].role = RP_MUST;
    uint32_t open = 0, depth = 0;
    for (uint32_t i = 0; i < p->n_ops; i++) {
        rp__syntax_op *op = &p->ops[i];
        if (op->kind == RP_SYNTAX_OPEN) {
            op->slop = open;
            open = i;
            depth++;
            out->depth = depth > out->depth ? depth : out->depth;
        } else if (op->kind == RP_SYNTAX_CLOSE) {
            op->role = p->ops[open].role;
            uint32_t around = p->ops[open].slop;
            p->ops[open].slop = 0;
            open = around;
            depth--;
        }
    }
    out->ops = p->ops;
    out->n_ops = p->n_ops;
}

static rp_status parse(parser *p)
{
    rp__query_lexer_token token;
    for (;;) {
        rp_status status = rp__query_lexer_next(&p->lexer, &token);
        if (status != RP_OK)
            return status;
        if (token.kind == RP_TOKEN_END)
            break;
        status = read_next(p, &token);
        if (status != RP_OK)
            return status;
    }
    frame *f = top(p);
    if (f->after)
        return no_operand(p, f, &token);
    if (p->n_frames > 1)
        return FAIL(p, f->at, RP_USAGE, "'(' is never closed");
    uint32_t begin;
    return end_frame(p, f, &begin);
}

static size_t count_left(const char *text, size_t bytes)
{
    size_t n = 0;
    for (size_t i = 0; i < bytes; i++)
        n += text[i] == '(';
    return n;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

rp_status rp__query_parse(const char *text, size_t bytes, rp_mode mode,
                          const rp_search_options *options, rp__arena *arena, rp__syntax *out,
                          rp_error *err)
{
    *out = (rp__syntax){.text = text};
    if (bytes > options->max_query || bytes > INT32_MAX)
        return rp__error_set(err, RP_LIMIT,
                             "the query has %zu bytes, more than %zu; raise --max-query", bytes,
                             options->max_query);
    size_t valid = rp__utf8_check(text, bytes);
    if (valid < bytes)
        return rp__query_lexer_fail(text, valid, err, RP_USAGE, "byte 0x%02X is not UTF-8",
                                    (unsigned)(unsigned char)text[valid]);
    size_t n_frames = least(count_left(text, bytes), options->max_depth) + 1;
    size_t n_ops = 3 * least(bytes, options->max_terms) + 3;
    parser p = {.lexer = {.text = text, .bytes = (uint32_t)bytes, .options = options, .err = err},
                .options = options,
                .default_role = mode == RP_MODE_OR ? RP_SHOULD : RP_MUST,
                .ops = rp__arena_array(arena, n_ops, sizeof *p.ops),
                .frames = rp__arena_array(arena, n_frames, sizeof *p.frames),
                .n_frames = 1};
    if (!p.ops || !p.frames)
        return rp__error_no_memory(err);
    p.frames[0] = (frame){.after = ""};
    rp_status status = parse(&p);
    if (status == RP_OK)
        finish(&p, out);
    return status;
}

/* ---- Texts without operators ------------------------------------------------------------------- */

#define EACH(c) (0x0101010101010101U * (uint64_t)(c))

/* Top bits of the bytes, all below 0x80, that are below c. */
static inline uint64_t below(uint64_t x, unsigned c)
{
    return ~(x + EACH(0x80 - c));
}

/* Whether eight bytes are lower-case letters, digits and spaces. */
static inline bool are_of_words(uint64_t x)
{
    const uint64_t letters = ~below(x, 'a') & below(x, 'z' + 1);
    const uint64_t digits = ~below(x, '0') & below(x, '9' + 1);
    const uint64_t spaces = ~below(x, ' ') & below(x, ' ' + 1);
    return (((letters | digits | spaces) & ~x) | ~EACH(0x80)) == UINT64_MAX;
}

/* Eight bytes at a time; the last few are filled up with spaces. */
bool rp__query_is_words(const char *text, size_t bytes)
{
    size_t i = 0;
    if (bytes == 0 || text[0] == ' ' || bytes > INT32_MAX)
        return false;
    for (; i + 8 <= bytes; i += 8)
        if (!are_of_words(rp__load64(text + i)))
            return false;
    uint64_t last = EACH(' ');
    memcpy(&last, text + i, bytes - i);
    return are_of_words(last);
}
