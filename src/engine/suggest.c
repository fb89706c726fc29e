/* suggest.c: the most frequent terms that begin with a prefix. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "engine/engine.h"
#include "plan/expansion.h"
#include "riposte/index.h"

enum { SUGGESTIONS_MOST = 1000 };

typedef struct job {
    const rp_index *index;
    char prefix[RP_TEXT_TERM_MAX];
    size_t bytes;
    rp__term_top *at;
    size_t n;
} job;

static rp_status find_terms(void *arg)
{
    job *j = arg;
    return rp__term_top_find(j->index->segment, j->prefix, j->bytes, RP_EXPANSION_VISITS, j->at,
                             &j->n);
}

static rp_status fold_prefix(job *j, const char *prefix)
{
    rp__analyzer_state *state;
    if (rp__analyzer_state_new(j->index->analyzer, &state) != RP_OK)
        return RP_NO_MEMORY;
    j->bytes = rp__analyzer_fold(state, prefix, strlen(prefix), j->prefix);
    rp__analyzer_state_free(state);
    return RP_OK;
}

/* The records and, behind them, their strings: one piece of memory. */
static rp_status copy_terms(const job *j, rp_suggestions *out)
{
    size_t bytes = 0;
    for (size_t i = 0; i < j->n; i++)
        bytes += j->at[i].term_bytes + 1;
    out->memory = rp__alloc(j->n * sizeof *out->at + bytes + 1);
    if (!out->memory)
        return RP_NO_MEMORY;
    out->at = out->memory;
    out->n = j->n;
    char *text = (char *)(out->at + j->n);
    for (size_t i = 0; i < j->n; i++) {
        memcpy(text, j->at[i].term, j->at[i].term_bytes);
        text[j->at[i].term_bytes] = 0;
        out->at[i] = (rp_suggestion){.term = text, .df = j->at[i].df};
        text += j->at[i].term_bytes + 1;
    }
    return RP_OK;
}

static rp_status suggest(job *j, const char *prefix, rp_suggestions *out)
{
    j->at = rp__alloc_array(j->n, sizeof *j->at);
    rp_status status = j->at ? fold_prefix(j, prefix) : RP_NO_MEMORY;
    if (status == RP_OK)
        status = rp__index_handle_guard(j->index, find_terms, j);
    if (status == RP_OK)
        status = copy_terms(j, out);
    rp__free(j->at);
    return status;
}

rp_status rp_index_suggest(const rp_index *index, const char *prefix, size_t most,
                           rp_suggestions *out, rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = (rp_suggestions){0};
    if (RP_MISSING(err, index, prefix))
        return RP_USAGE;
    if (most > SUGGESTIONS_MOST)
        return rp__error_set(err, RP_LIMIT, "%zu suggestions; at most %d", most, SUGGESTIONS_MOST);
    job j = {.index = index, .n = most};
    rp_status status = suggest(&j, prefix, out);
    if (status == RP_OK)
        return RP_OK;
    if (status == RP_NO_MEMORY)
        return rp__error_no_memory(err);
    if (status == RP_LIMIT)
        return rp__error_set(err, status, "more than %d terms begin with \"%.100s\"; add letters",
                             RP_EXPANSION_VISITS, prefix);
    return rp__error_set(err, status,
                         "terms that begin with \"%.100s\": damaged; run 'riposte "
                         "check' on the index",
                         prefix);
}

void rp_suggestions_free(rp_suggestions *suggestions)
{
    if (!suggestions)
        return;
    rp__free(suggestions->memory);
    *suggestions = (rp_suggestions){0};
}
