/* fuzz_query.c: any bytes as a query, in any mode and under any limits: an error with a text, or ops
 * that keep their invariants and print to a query that parses to the same. Of its wildcards and fuzzy
 * words, those of the query's words that fit are the ones that the plainest means say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/unit/plan/syntax_print.h"
#include "oracle/pattern.h"
#include "plan/fuzzy.h"
#include "plan/plan.h"
#include "plan/wildcard.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool is_so, const char *what)
{
    if (is_so)
        return;
    fprintf(stderr, "fuzz_query: %s\n", what);
    abort();
}

static rp_status parse(const char *text, size_t bytes, rp_mode mode,
                       const rp_search_options *options, rp__arena *arena, rp__syntax *syntax)
{
    rp_error err = {0};
    rp_status status = rp__query_parse(text, bytes, mode, options, arena, syntax, &err);
    expect(status == RP_OK || (err.text[0] && err.code == status), "a failure without a text");
    expect(status == RP_OK || status == RP_USAGE || status == RP_LIMIT, "an odd status");
    const char *fault = status == RP_OK ? syntax_fault(syntax, bytes, options) : NULL;
    expect(!fault, fault ? fault : "");
    return status;
}

/* A boost may lose its last digits in print, so only the shape is compared. */
static void compare(const rp__syntax *a, const rp__syntax *b)
{
    expect(a->n_ops == b->n_ops && a->depth == b->depth, "printing changes the shape");
    for (size_t i = 0; i < a->n_ops; i++)
        expect(a->ops[i].kind == b->ops[i].kind && a->ops[i].role == b->ops[i].role &&
                   a->ops[i].slop == b->ops[i].slop &&
                   a->ops[i].end - a->ops[i].begin == b->ops[i].end - b->ops[i].begin,
               "printing changes an op");
}

static void parse_printed(const rp__syntax *syntax, const rp_search_options *options)
{
    rp__buf printed;
    rp__buf_init(&printed);
    syntax_print(syntax, &printed);
    rp_search_options deep = *options;
    deep.max_depth = 1 << 20;
    deep.max_query = 1 << 30;
    rp__arena arena;
    rp__arena_init(&arena, 256 << 20);
    rp__syntax again;
    rp_status status =
        parse((const char *)printed.at, printed.n - 1, RP_MODE_OR, &deep, &arena, &again);
    expect(status == RP_OK, "what was printed does not parse");
    compare(syntax, &again);
    rp__arena_reset(&arena);
    rp__buf_free(&printed);
}

/* ---- Patterns -------------------------------------------------------------------------------- */

enum { WORD = 40, STARS = 3, PAIRS = 400 }; /* what the plainest means can do in no time */

/* The bytes of a leaf as a string; false: too long for this, or with a byte that has a meaning. */
static bool copy_word(const rp__syntax *s, const rp__syntax_op *op, char out[WORD + 1])
{
    size_t bytes = op->end - op->begin;
    if (bytes == 0 || bytes > WORD || memchr(s->text + op->begin, 0, bytes) ||
        memchr(s->text + op->begin, '\\', bytes))
        return false;
    memcpy(out, s->text + op->begin, bytes);
    out[bytes] = 0;
    return true;
}

static size_t count_stars(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '*';
    return n;
}

/* Folded as the pieces of a pattern are, which must be all there is to it. */
static bool is_folded(rp__analyzer_state *analyzer, const char *text)
{
    char folded[RP_TEXT_TERM_MAX];
    size_t bytes = strlen(text);
    return rp__analyzer_fold(analyzer, text, bytes, folded) == bytes &&
           memcmp(folded, text, bytes) == 0;
}

static void check_pair(rp__analyzer_state *analyzer, const rp__syntax_op *op, const char *pattern,
                       const char *term)
{
    static rp__fuzzy fuzzy;
    static rp__wildcard wildcard;
    size_t dead;
    if (op->kind == RP_SYNTAX_WILDCARD) {
        rp__wildcard_init(&wildcard, analyzer, pattern, strlen(pattern));
        expect(rp__wildcard_fits(&wildcard, term, strlen(term)) == pattern_fits(pattern, term),
               "a wildcard fits otherwise");
        return;
    }
    uint32_t want = pattern_distance(pattern, term);
    expect(rp__fuzzy_init(&fuzzy, pattern, strlen(pattern), op->slop), "a short word is too long");
    expect(rp__fuzzy_distance(&fuzzy, term, strlen(term), &dead) ==
               (want <= op->slop ? want : op->slop + 1),
           "the distance is another");
    expect(dead <= strlen(term) && (dead == 0 || want > op->slop), "a near word is ruled out");
}

static void check_patterns(const rp__syntax *s)
{
    static rp__analyzer_state *analyzer;
    static rp__analyzer *made;
    char pattern[WORD + 1], term[WORD + 1];
    rp__text_options options = {.stem = "none", .stop_words = ""};
    if (!analyzer)
        expect(rp__analyzer_open(&options, &made, NULL) == RP_OK &&
                   rp__analyzer_state_new(made, &analyzer) == RP_OK,
               "no analyzer");
    size_t left = PAIRS;
    for (size_t i = 0; i < s->n_ops; i++) {
        const rp__syntax_op *op = &s->ops[i];
        bool is_pattern = op->kind == RP_SYNTAX_WILDCARD || op->kind == RP_SYNTAX_FUZZY;
        if (!is_pattern || !copy_word(s, op, pattern) || count_stars(pattern) > STARS ||
            !is_folded(analyzer, pattern))
            continue;
        for (size_t j = 0; j < s->n_ops && left > 0; j++)
            if (s->ops[j].kind >= RP_SYNTAX_WORD && copy_word(s, &s->ops[j], term)) {
                check_pair(analyzer, op, pattern, term);
                left--;
            }
    }
}

/* The first byte picks the mode and the limits. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    rp_search_options options = {.plain = data[0] & 8};
    if (data[0] & 4)
        options = (rp_search_options){.max_depth = 2,
                                      .max_terms = 5,
                                      .max_phrase = 3,
                                      .max_slop = 7,
                                      .max_query = 40,
                                      .plain = data[0] & 8};
    rp__plan_defaults(&options);
    rp__arena arena;
    rp__arena_init(&arena, 8 << 20);
    rp__syntax syntax;
    char *text = malloc(size); /* exactly as long, so that a read past it is seen */
    if (!text)
        return 0;
    memcpy(text, data + 1, size - 1);
    rp_status status =
        parse(text, size - 1, (rp_mode)((data[0] & 3) % 3), &options, &arena, &syntax);
    if (status == RP_OK && !options.plain) {
        parse_printed(&syntax, &options);
        check_patterns(&syntax);
    }
    free(text);
    rp__arena_reset(&arena);
    return 0;
}
