/* bench_query_set.c: reads topics, asks the index about each, and keeps what was chosen. */
#include "lab/bench_query_set.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/random.h"
#include "lab/lab.h"

typedef struct reader {
    rp__bench_query_set *set;
    const rp__bench_choice *choice;
    rp_searcher *counter; /* of documents that have all words */
} reader;

static rp_status is_chosen(const reader *r, const rp_topic *topic, bool *out, rp_error *err)
{
    const rp__bench_choice *c = r->choice;
    rp__lab_question question;
    rp__lab_answer answer;
    *out = false;
    rp_status status =
        rp__lab_query_look(r->counter, topic->query, topic->query_bytes, &question, err);
    if (status != RP_OK || (c->known && question.known < question.words) ||
        question.words < c->words_least || (c->words_most && question.words > c->words_most))
        return status;
    if (c->min_hits > 0)
        status = rp__lab_search(r->counter, topic->query, topic->query_bytes, &answer, err);
    *out = status == RP_OK && (c->min_hits == 0 || answer.total >= c->min_hits);
    return status;
}

static rp_status add(rp__bench_query_set *set, const rp_topic *topic, rp_error *err)
{
    size_t n = topic->query_bytes;
    char *phrase = rp__alloc(n + 2);
    if (!phrase || !rp__alloc_grow(&set->at, &set->cap, set->n + 1, sizeof *set->at)) {
        rp__free(phrase);
        return rp__error_no_memory(err);
    }
    phrase[0] = phrase[n + 1] = '"';
    memcpy(phrase + 1, topic->query, n);
    set->at[set->n++] = (rp__bench_query){*topic, phrase, n + 2};
    return RP_OK;
}

static rp_status read_all(reader *r, rp_error *err)
{
    rp__bench_query_set *set = r->set;
    rp_topic topic;
    bool has, chosen;
    rp_error why = {0};
    rp_status status;
    while ((status = rp_topics_next(set->topics, &topic, &has, err)) == RP_OK && has) {
        set->read++;
        status = is_chosen(r, &topic, &chosen, &why);
        if (status != RP_OK)
            return rp__error_set(err, status == RP_USAGE ? RP_INPUT : status, "%s:%" PRIu64 ": %s",
                                 rp_topics_name(set->topics), topic.line, why.text);
        if (chosen && (status = add(set, &topic, err)) != RP_OK)
            return status;
    }
    return status;
}

/* Keeps `want` of the queries in their order, each as likely as any other. */
static void sample(rp__bench_query_set *set, uint64_t want, uint64_t seed)
{
    rp__random random;
    size_t n = set->n, kept = 0;
    rp__random_init(&random, seed);
    for (size_t i = 0; i < n; i++) {
        if (rp__random_below(&random, (uint32_t)(n - i)) < want - kept)
            set->at[kept++] = set->at[i];
        else
            rp__free(set->at[i].phrase);
    }
    set->n = kept;
}

rp_status rp__bench_query_set_read(rp__bench_query_set *set, const char *path, const char *format,
                                   const rp_index *index, bool plain,
                                   const rp__bench_choice *choice, rp_error *err)
{
    rp_search_options options = {
        .mode = RP_MODE_AND, .plain = plain, .total = RP_TOTAL_ONLY, .max_work = UINT64_MAX};
    reader r = {.set = set, .choice = choice};
    *set = (rp__bench_query_set){0};
    rp_status status = rp_topics_open(path, format, &set->topics, err);
    if (status == RP_OK)
        status = rp_searcher_new(index, &options, &r.counter, err);
    if (status == RP_OK)
        status = read_all(&r, err);
    rp_searcher_free(r.counter);
    if (status == RP_OK && choice->sample > 0 && choice->sample < set->n)
        sample(set, choice->sample, choice->seed);
    if (status == RP_OK && set->n == 0)
        status = rp__error_set(err, RP_NOT_FOUND,
                               "%s: none of %" PRIu64 " queries is left; choose more loosely",
                               rp_topics_name(set->topics), set->read);
    return status;
}

void rp__bench_query_set_free(rp__bench_query_set *set)
{
    for (size_t i = 0; i < set->n; i++)
        rp__free(set->at[i].phrase);
    rp__free(set->at);
    rp_topics_close(set->topics);
    *set = (rp__bench_query_set){0};
}
