/* bench_answers.c: times single calls of the library, without the start of a process. */
#include "lab/bench_answers.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "lab/times.h"
#include "riposte/search.h"

enum { WORD = 32, TEXT_BYTES = 4096, TRIES = 1000 };

typedef struct sample {
    char *id;
    uint32_t docid;
    char word[WORD], prefix[WORD];
} sample;

typedef struct bench {
    const rp_index *index;
    rp_searcher *searcher;
    rp__random random;
    uint64_t n_docs;
    sample *samples;
    uint64_t *times; /* nanoseconds */
    size_t n;
} bench;

/* ---- What is asked for ------------------------------------------------------------------------- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A word of 4 to 12 letters, from some place of a text on; false: there is none. */
static bool pick_word(bench *b, const char *text, size_t bytes, char *out)
{
    size_t at = bytes ? rp__random_below(&b->random, (uint32_t)bytes) : 0;
    while (at < bytes && is_letter(text[at]))
        at++;
    for (size_t end; at < bytes; at = end + 1) {
        for (end = at; end < bytes && is_letter(text[end]);)
            end++;
        if (end - at < 4 || end - at > 12)
            continue;
        memcpy(out, text + at, end - at);
        out[end - at] = 0;
        return true;
    }
    return false;
}

static bool pick_term(bench *b, char *out)
{
    rp_suggestions terms;
    if (rp_index_suggest(b->index, "", 1000, &terms, NULL) != RP_OK)
        return false;
    const bool has_terms = terms.n > 0;
    if (has_terms)
        snprintf(out, WORD, "%s", terms.at[rp__random_below(&b->random, (uint32_t)terms.n)].term);
    rp_suggestions_free(&terms);
    return has_terms;
}

static void spoil(bench *b, char *word)
{
    word[rp__random_below(&b->random, (uint32_t)strlen(word))] =
        (char)('a' + rp__random_below(&b->random, 26));
}

static rp_status draw(bench *b, sample *s, rp_error *err)
{
    rp_status status = RP_OK;
    bool has_word = false;
    for (int i = 0; status == RP_OK && !has_word && i < TRIES; i++) {
        rp_document document;
        s->docid = rp__random_below(&b->random, (uint32_t)b->n_docs);
        status = rp_index_get_document_start(b->index, s->docid, TEXT_BYTES, &document, err);
        if (status != RP_OK)
            break;
        has_word = pick_word(b, document.text, document.text_bytes, s->word);
        rp__free(s->id);
        s->id = document.id;
        document.id = NULL;
        bool has_text = document.text_bytes > 0;
        rp_document_free(&document);
        has_word = has_word || (!has_text && pick_term(b, s->word));
    }
    if (status != RP_OK)
        return status;
    if (!has_word)
        return rp__error_set(err, RP_INPUT, "the documents have no words to ask for");
    snprintf(s->prefix, sizeof s->prefix, "%.*s", 1 + (int)rp__random_below(&b->random, 4),
             s->word);
    spoil(b, s->word);
    return RP_OK;
}

/* ---- Calls ------------------------------------------------------------------------------------- */

static rp_status call_find(bench *b, const sample *s, rp_error *err)
{
    uint32_t docid;
    return rp_index_find(b->index, s->id, &docid, err);
}

static rp_status call_document(bench *b, const sample *s, rp_error *err)
{
    rp_document document;
    rp_status status = rp_index_get_document(b->index, s->docid, &document, err);
    rp_document_free(&document);
    return status;
}

static rp_status call_suggest(bench *b, const sample *s, rp_error *err)
{
    rp_suggestions suggestions;
    rp_status status = rp_index_suggest(b->index, s->prefix, 10, &suggestions, err);
    rp_suggestions_free(&suggestions);
    return status;
}

static rp_status call_fuzzy(bench *b, const sample *s, int edits, rp_error *err)
{
    char query[WORD + 16];
    rp_hits hits;
    snprintf(query, sizeof query, "%s~%d", s->word, edits);
    rp_status status = rp_searcher_search(b->searcher, query, strlen(query), &hits, err);
    rp_hits_free(&hits);
    return status;
}

static rp_status call(bench *b, size_t row, const sample *s, rp_error *err)
{
    return row == 0   ? call_find(b, s, err)
           : row == 1 ? call_document(b, s, err)
           : row == 2 ? call_suggest(b, s, err)
                      : call_fuzzy(b, s, (int)row - 2, err);
}

/* Asks for all of them; those that are answered have a time each. */
static rp_status ask_all(bench *b, size_t row, rp__bench_answer *out, rp_error *err)
{
    out->n = out->refused = 0;
    for (size_t i = 0; i < b->n; i++) {
        uint64_t begin = rp__clock_now();
        rp_status status = call(b, row, &b->samples[i], err);
        if (status == RP_OK)
            b->times[out->n++] = rp__clock_now() - begin;
        out->refused += status == RP_LIMIT;
        if (status != RP_OK && status != RP_LIMIT)
            return status;
    }
    return RP_OK;
}

static rp_status time_row(bench *b, size_t row, rp__bench_answer *out, rp_error *err)
{
    rp_status status = ask_all(b, row, out, err);
    uint64_t begin = rp__clock_thread();
    if (status == RP_OK)
        status = ask_all(b, row, out, err);
    out->cpu = (double)(rp__clock_thread() - begin) / 1000 / (double)b->n;
    if (status != RP_OK)
        return status;
    rp__times_sort(b->times, out->n);
    out->median = rp__times_in(b->times, out->n, 0.5, RP_TIMES_US);
    out->p90 = rp__times_in(b->times, out->n, 0.9, RP_TIMES_US);
    out->p99 = rp__times_in(b->times, out->n, 0.99, RP_TIMES_US);
    out->most = rp__times_in(b->times, out->n, 1, RP_TIMES_US);
    return RP_OK;
}

/* ---- The whole --------------------------------------------------------------------------------- */

static rp_status prepare(bench *b, rp_error *err)
{
    rp_index_info info;
    rp_index_get_info(b->index, &info);
    b->n_docs = info.docs;
    b->samples = rp__alloc_zero(b->n + 1, sizeof *b->samples);
    b->times = rp__alloc_zero(b->n + 1, sizeof *b->times);
    if (!b->samples || !b->times)
        return rp__error_no_memory(err);
    if (info.docs == 0)
        return rp__error_set(err, RP_INPUT, "the index has no documents");
    rp_status status = rp_searcher_new(b->index, NULL, &b->searcher, err);
    for (size_t i = 0; status == RP_OK && i < b->n; i++)
        status = draw(b, &b->samples[i], err);
    return status;
}

rp_status rp__bench_answers_run(const rp_index *index, rp__bench_answers *bench_, rp_error *err)
{
    static const char *const names[RP_BENCH_ANSWERS] = {"find", "document", "suggest", "word~1",
                                                        "word~2"};
    bench b = {.index = index, .n = bench_->samples};
    rp__random_init(&b.random, bench_->seed);
    rp_status status = prepare(&b, err);
    for (size_t i = 0; status == RP_OK && i < RP_BENCH_ANSWERS; i++) {
        bench_->rows[i] = (rp__bench_answer){.name = names[i]};
        status = time_row(&b, i, &bench_->rows[i], err);
    }
    for (size_t i = 0; b.samples && i < b.n; i++)
        rp__free(b.samples[i].id);
    rp__free(b.samples);
    rp__free(b.times);
    rp_searcher_free(b.searcher);
    return status;
}
