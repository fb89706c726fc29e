/* query_lists.c: what the lists of a query's terms cost, without searching. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "engine/engine.h"
#include "engine/searcher.h"

typedef struct job {
    rp_searcher *searcher;
    const char *query;
    size_t query_bytes;
    rp_query_lists out;
    rp_error err;
} job;

/* A word's list, unless the index has none or it is there already: a term may come twice. */
static rp_status add_list(job *j, const rp__word *word, char *text)
{
    rp_query_lists *lists = &j->out;
    rp_list_cost *cost = &lists->at[lists->n];
    if (word->term.df == 0)
        return RP_OK;
    for (size_t i = 0; i < lists->n; i++)
        if (strlen(lists->at[i].term) == word->text_bytes &&
            memcmp(lists->at[i].term, word->text, word->text_bytes) == 0)
            return RP_OK;
    rp_status status = rp__list_cost_get(j->searcher->index->segment, &word->term, cost);
    if (status != RP_OK)
        return status;
    memcpy(text, word->text, word->text_bytes);
    text[word->text_bytes] = 0;
    cost->term = text;
    lists->n++;
    return RP_OK;
}

static rp_status run_job(void *arg)
{
    job *j = arg;
    rp_searcher *s = j->searcher;
    rp_mode mode = s->options.mode == RP_MODE_ANDOR ? RP_MODE_AND : s->options.mode;
    rp__query bound;
    rp_status status = rp__searcher_bind(s, j->query, j->query_bytes, mode, &bound, &j->err);
    size_t bytes = 0;
    for (size_t i = 0; status == RP_OK && i < bound.n_words; i++)
        bytes += sizeof *j->out.at + bound.words[i].text_bytes + 1;
    if (status != RP_OK || bytes == 0)
        return status;
    j->out.memory = rp__alloc(bytes);
    if (!j->out.memory)
        return RP_NO_MEMORY;
    j->out.at = j->out.memory;
    char *text = (char *)(j->out.at + bound.n_words);
    for (size_t i = 0; status == RP_OK && i < bound.n_words; i++) {
        status = add_list(j, &bound.words[i], text);
        text += bound.words[i].text_bytes + 1;
    }
    return status;
}

rp_status rp_searcher_lists(rp_searcher *searcher, const char *query, size_t query_bytes,
                            rp_query_lists *out, rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = (rp_query_lists){0};
    if (RP_MISSING(err, searcher) || RP_MISSING_ARRAY(err, query, query_bytes))
        return RP_USAGE;
    job j = {.searcher = searcher, .query = query, .query_bytes = query_bytes};
    rp_status status = rp__searcher_guard(searcher, run_job, &j, &j.err, err);
    if (status == RP_OK)
        *out = j.out;
    else
        rp_query_lists_free(&j.out);
    return status;
}

void rp_query_lists_free(rp_query_lists *lists)
{
    if (!lists)
        return;
    rp__free(lists->memory);
    *lists = (rp_query_lists){0};
}
