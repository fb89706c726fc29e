/* lab_queries.c: searches without the names of their hits, and what a query asks: chapter 5 of
 * lab/lab.h. The answer is the one that searcher.c gives, by the same calls. */
#include <string.h>

#include "base/error.h"
#include "engine/searcher.h"
#include "lab/lab.h"

typedef struct job {
    rp_searcher *searcher;
    const char *query;
    size_t query_bytes;
    rp__lab_answer answer;
    rp__lab_question question;
    rp_error err;
} job;

static rp_status run_search(void *arg)
{
    job *j = arg;
    rp_mode mode;
    rp__query bound;
    rp__answer answer;
    rp_status status =
        rp__searcher_answer(j->searcher, j->query, j->query_bytes, &mode, &bound, &answer, &j->err);
    if (status != RP_OK)
        return status;
    rp__lab_hit *hits = rp__arena_array(&j->searcher->arena, answer.n + 1, sizeof *hits);
    if (!hits)
        return RP_NO_MEMORY;
    for (size_t i = 0; i < answer.n; i++)
        hits[i] = (rp__lab_hit){answer.at[i].docid, answer.at[i].fixed};
    j->answer = (rp__lab_answer){answer.n,        hits,
                                 answer.total,    answer.total_is_exact,
                                 answer.postings, j->searcher->processor};
    return RP_OK;
}

rp_status rp__lab_search(rp_searcher *searcher, const char *query, size_t query_bytes,
                         rp__lab_answer *out, rp_error *err)
{
    if (RP_MISSING(err, searcher, out) || RP_MISSING_ARRAY(err, query, query_bytes))
        return RP_USAGE;
    job j = {.searcher = searcher, .query = query, .query_bytes = query_bytes};
    rp__placement_begin(searcher);
    rp_status status = rp__searcher_guard(searcher, run_search, &j, &j.err, err);
    rp__placement_end(searcher);
    *out = status == RP_OK ? j.answer : (rp__lab_answer){0};
    return status;
}

static bool is_repeated(const rp__query *query, size_t i)
{
    const rp__word *word = &query->words[i];
    for (size_t k = 0; k < i; k++)
        if (query->words[k].text_bytes == word->text_bytes &&
            memcmp(query->words[k].text, word->text, word->text_bytes) == 0)
            return true;
    return false;
}

static void add_length(rp__lab_question *q, uint64_t df)
{
    const bool is_first = q->words++ == 0;
    if (is_first || df < q->shortest) {
        q->second = is_first ? df : q->shortest;
        q->shortest = df;
    } else if (q->words == 2 || df < q->second) {
        q->second = df;
    }
    if (df > q->longest)
        q->longest = df;
}

static rp_status run_look(void *arg)
{
    job *j = arg;
    rp__query query;
    rp_status status =
        rp__searcher_bind(j->searcher, j->query, j->query_bytes, RP_MODE_OR, &query, &j->err);
    for (size_t i = 0; status == RP_OK && i < query.n_words; i++) {
        const uint64_t df = query.words[i].term.df;
        if (is_repeated(&query, i))
            continue;
        j->question.known += df > 0;
        j->question.postings += df;
        add_length(&j->question, df);
    }
    if (status == RP_OK) {
        j->question.in_pair = rp__auto_processor_count_pair(&query);
        j->question.weighed = rp__auto_processor_weigh(j->question.postings, j->question.longest);
    }
    return status;
}

rp_status rp__lab_query_look(rp_searcher *searcher, const char *query, size_t query_bytes,
                             rp__lab_question *out, rp_error *err)
{
    if (RP_MISSING(err, searcher, out) || RP_MISSING_ARRAY(err, query, query_bytes))
        return RP_USAGE;
    job j = {.searcher = searcher, .query = query, .query_bytes = query_bytes};
    rp_status status = rp__searcher_guard(searcher, run_look, &j, &j.err, err);
    *out = status == RP_OK ? j.question : (rp__lab_question){0};
    return status;
}
