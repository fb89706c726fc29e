/* analyze.c: what the analyzer of an index, or of options, makes of a text: chapter 9 of
 * riposte/index.h. */
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "engine/builder.h"
#include "engine/engine.h"
#include "riposte/index.h"
#include "text/text.h"

const char *rp_stem_name(size_t i)
{
    return rp__stemming_name(i);
}

const char *rp_stop_name(size_t i)
{
    return rp__stopwords_name(i);
}

const char *rp_tokens_name(size_t i)
{
    return rp__tokens_name(i);
}

/* Terms go into one buffer, which may move: until the end a token has its term's offset. */
typedef struct gathered {
    rp_text_token *at;
    size_t n, cap;
    rp__buf terms;
} gathered;

static bool gather(gathered *g, const rp__token *token)
{
    if (!rp__alloc_grow(&g->at, &g->cap, g->n + 1, sizeof *g->at))
        return false;
    g->at[g->n++] =
        (rp_text_token){.position = token->position, .begin = token->begin, .end = token->end};
    rp__buf_put(&g->terms, token->term, token->bytes);
    rp__buf_put_byte(&g->terms, 0);
    return !g->terms.failed;
}

/* Tokens and terms in one piece of memory. */
static rp_status finish(const gathered *g, rp_text_tokens *out)
{
    size_t bytes = g->n * sizeof *g->at;
    char *memory = rp__alloc(bytes + g->terms.n + 1);
    if (!memory)
        return RP_NO_MEMORY;
    out->memory = memory;
    out->at = (rp_text_token *)(void *)memory;
    out->n = g->n;
    if (g->n == 0)
        return RP_OK;
    memcpy(memory, g->at, bytes);
    memcpy(memory + bytes, g->terms.at, g->terms.n);
    const char *term = memory + bytes;
    for (size_t i = 0; i < out->n; i++) {
        out->at[i].term = term;
        term += strlen(term) + 1;
    }
    return RP_OK;
}

static rp_status analyze(const rp__analyzer *analyzer, const char *text, size_t bytes,
                         rp_text_tokens *out)
{
    gathered g = {0};
    rp__analyzer_state *state;
    rp__token token;
    rp__buf_init(&g.terms);
    rp_status status = rp__analyzer_state_new(analyzer, &state);
    if (status != RP_OK)
        return status;
    rp__analyzer_begin(state, text, bytes);
    while (status == RP_OK && rp__analyzer_next(state, &token))
        status = gather(&g, &token) ? RP_OK : RP_NO_MEMORY;
    out->positions = rp__analyzer_positions(state);
    if (status == RP_OK)
        status = finish(&g, out);
    rp__analyzer_state_free(state);
    rp__buf_free(&g.terms);
    rp__free(g.at);
    return status;
}

rp_status rp_index_analyze(const rp_index *index, const char *text, size_t bytes,
                           rp_text_tokens *out, rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = (rp_text_tokens){0};
    if (RP_MISSING(err, index) || RP_MISSING_ARRAY(err, text, bytes))
        return RP_USAGE;
    rp_status status = analyze(index->analyzer, text, bytes, out);
    return status == RP_OK ? RP_OK : rp__error_no_memory(err);
}

rp_status rp_analyze(const rp_build_options *options, const char *text, size_t bytes,
                     rp_text_tokens *out, rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = (rp_text_tokens){0};
    if (RP_MISSING_ARRAY(err, text, bytes))
        return RP_USAGE;
    rp__build_setup setup;
    rp_status status = rp__builder_setup(options, &setup, err);
    if (status != RP_OK)
        return status;
    status = analyze(setup.analyzer, text, bytes, out);
    rp__builder_setup_reset(&setup);
    return status == RP_OK ? RP_OK : rp__error_no_memory(err);
}

void rp_text_tokens_free(rp_text_tokens *tokens)
{
    if (!tokens)
        return;
    rp__free(tokens->memory);
    *tokens = (rp_text_tokens){0};
}
