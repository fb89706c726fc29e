/* fuzz_query.c: any bytes as a query, in any mode and under any limits: an error with a text, or ops
 * that keep their invariants and print to a query that parses to the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/unit/plan/syntax_print.h"
#include "plan/plan.h"

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
    if (status == RP_OK && !options.plain)
        parse_printed(&syntax, &options);
    free(text);
    rp__arena_reset(&arena);
    return 0;
}
