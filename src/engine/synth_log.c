/* synth_log.c: queries: how many terms, of which topic, how common each; and the words that terms bear.
 *
 * The vocabulary is never made: a term is its rank, and only those that are asked for come to be. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/synth.h"

enum { FOR_LOG = 64, SYLLABLES = 100 };

static const double stop_least = 0.25, stop_most = 0.95; /* shares of stop words */
static const double stop_chance_most = 0.6;

/* ---- Words ------------------------------------------------------------------------------------- */

/* The commonest hundred terms have one syllable, the next ten thousand two. Within a length the order is
 * mixed by a factor that has no divisor in common with powers of ten; ranks are below 2^37. */
size_t rp__synth_log_word(uint64_t rank, char out[RP_SYNTH_WORD_MOST])
{
    static const char consonants[] = "bcdfghjklmnprstvwxyz", vowels[] = "aeiou";
    const uint64_t factor = 61803399;
    uint64_t of_length = SYLLABLES;
    size_t n = 1;
    for (; rank >= of_length; n++) {
        rank -= of_length;
        of_length *= SYLLABLES;
    }
    uint64_t v = rank * factor % of_length;
    for (size_t i = n; i-- > 0; v /= SYLLABLES) {
        out[2 * i] = consonants[v % SYLLABLES / 5];
        out[2 * i + 1] = vowels[v % 5];
    }
    out[2 * n] = 0;
    return 2 * n;
}

static int by_word(const void *a, const void *b)
{
    return strcmp(((const rp__synth_term *)a)->word, ((const rp__synth_term *)b)->word);
}

/* ---- Queries ----------------------------------------------------------------------------------- */

static uint32_t draw_count(const rp__synth_queries *q, rp__synth_random *r)
{
    double sum = 0;
    for (size_t i = 0; i < RP_SYNTH_SHARES; i++)
        sum += q->shares[i];
    double at = rp__synth_random_unit(r) * sum;
    uint32_t k = 0;
    while (k + 1 < RP_SYNTH_SHARES && at >= q->shares[k])
        at -= q->shares[k++];
    return k + 1;
}

static double draw_share(rp__synth_random *r, double least, double most, double tilt)
{
    double at = pow(rp__synth_random_unit(r), tilt);
    return least < most ? least * pow(most / least, at) : most;
}

/* Common terms belong to no topic in particular; others are one of the query's. */
static uint64_t rank_of(const rp__synth_model *m, double share, uint64_t topic)
{
    uint64_t rank = rp__synth_lists_rank(m->row, share);
    return rank < RP_SYNTH_TOPICS ? rank : rank - rank % RP_SYNTH_TOPICS + topic;
}

static bool is_among(uint64_t rank, const uint64_t *ranks, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (ranks[i] == rank)
            return true;
    return false;
}

/* Adds the term, or the next one like it that is not there. */
static void add_rank(uint64_t rank, uint64_t *ranks, uint32_t n)
{
    while (is_among(rank, ranks, n))
        rank += rank < RP_SYNTH_TOPICS ? 1 : RP_SYNTH_TOPICS;
    ranks[n] = rank;
}

static void shuffle(rp__synth_random *r, uint64_t *ranks, uint32_t n)
{
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = (uint32_t)(rp__synth_random_unit(r) * i);
        uint64_t swap = ranks[i - 1];
        ranks[i - 1] = ranks[j];
        ranks[j] = swap;
    }
}

/* Words of the user's weigh 1 to 3, the others less, by orders of magnitude. */
static uint32_t draw_expanded(const rp__synth_model *m, rp__synth_random *r, uint64_t *ranks,
                              uint16_t *weights)
{
    const rp__synth_queries *q = m->row->queries;
    const uint64_t topic = rp__synth_random_next(r) % RP_SYNTH_TOPICS;
    for (uint32_t i = 0; i < q->expanded; i++) {
        const double share = draw_share(r, q->rarest, q->other, 1);
        const bool is_stray = i >= q->own && rp__synth_random_unit(r) < q->stray;
        const uint64_t of = is_stray ? rp__synth_random_next(r) % RP_SYNTH_TOPICS : topic;
        const double unit = rp__synth_random_unit(r);
        add_rank(rank_of(m, share, of), ranks, i);
        weights[i] = (uint16_t)(100 * (i < q->own ? 1 + 2 * unit : 0.05 * pow(20, unit)));
    }
    return q->expanded;
}

/* Returns how many terms it has; `ranks` has room for the most, and so has `weights`, which only those of expanded
 * queries are put to. */
static uint32_t draw_query(const rp__synth_model *m, uint64_t number, uint64_t *ranks,
                           uint16_t *weights)
{
    const rp__synth_queries *q = m->row->queries;
    rp__synth_random r = rp__synth_random_of(m->seed ^ FOR_LOG, number);
    if (q->expanded)
        return draw_expanded(m, &r, ranks, weights);
    uint32_t k = draw_count(q, &r);
    uint64_t topic = rp__synth_random_next(&r) % RP_SYNTH_TOPICS;
    double rarest = draw_share(&r, q->least / m->docs, k == 1 ? q->other : q->rarest, q->tilt);
    double stop = k == 1 ? 0 : q->stop + q->stop_more * (k - 2);
    stop = stop > stop_chance_most ? stop_chance_most : stop;
    add_rank(rank_of(m, rarest, topic), ranks, 0);
    for (uint32_t i = 1; i < k; i++) {
        bool is_stop = rp__synth_random_unit(&r) < stop;
        double share = is_stop ? stop_least + (stop_most - stop_least) * rp__synth_random_unit(&r)
                               : draw_share(&r, rarest, q->other, 1);
        add_rank(rank_of(m, share, topic), ranks, i);
    }
    shuffle(&r, ranks, k);
    return k;
}

/* ---- The log ----------------------------------------------------------------------------------- */

static int by_rank(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* One term for each rank among those asked for, which are sorted by this. */
static rp_status make_terms(rp__synth_log *log, uint64_t *ranks, size_t n)
{
    size_t n_terms = 0;
    qsort(ranks, n, sizeof *ranks, by_rank);
    for (size_t i = 0; i < n; i++)
        n_terms += i == 0 || ranks[i] != ranks[i - 1];
    log->terms = rp__alloc_zero(n_terms, sizeof *log->terms);
    if (!log->terms)
        return RP_NO_MEMORY;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && ranks[i] == ranks[i - 1])
            continue;
        rp__synth_term *term = &log->terms[log->n_terms++];
        term->rank = ranks[i];
        rp__synth_log_word(term->rank, term->word);
    }
    qsort(log->terms, log->n_terms, sizeof *log->terms, by_word);
    return RP_OK;
}

static uint32_t place_of(const rp__synth_log *log, uint64_t rank)
{
    rp__synth_term key;
    rp__synth_log_word(rank, key.word);
    const rp__synth_term *at = bsearch(&key, log->terms, log->n_terms, sizeof *log->terms, by_word);
    return (uint32_t)(at - log->terms);
}

/* Queries are drawn twice, for their terms and again for where those came to stand. */
static rp_status fill_log(rp__synth_log *log, const rp__synth_model *m, uint64_t *ranks)
{
    uint64_t query[RP_SYNTH_TERMS_MOST];
    uint16_t weights[RP_SYNTH_TERMS_MOST];
    size_t n = 0, n_all = 0;
    for (uint32_t i = 0; i < log->n_queries; i++)
        n += draw_query(m, i, ranks + n, weights);
    for (n_all = n; n_all < n + m->row->vocabulary; n_all++)
        ranks[n_all] = n_all - n;
    rp_status status = make_terms(log, ranks, n_all);
    log->asked = rp__alloc_array(n, sizeof *log->asked);
    log->weights = m->row->queries->expanded ? rp__alloc_zero(n, sizeof *log->weights) : NULL;
    if (status != RP_OK || !log->asked || (m->row->queries->expanded && !log->weights))
        return RP_NO_MEMORY;
    n = 0;
    for (uint32_t i = 0; i < log->n_queries; i++) {
        uint32_t k = draw_query(m, i, query, log->weights ? log->weights + n : weights);
        for (uint32_t j = 0; j < k; j++)
            log->asked[n++] = place_of(log, query[j]);
        log->ends[i] = (uint32_t)n;
    }
    return RP_OK;
}

rp_status rp__synth_log_draw(rp__synth_log *log, const rp__synth_model *m, uint32_t queries)
{
    *log = (rp__synth_log){.n_queries = queries};
    const size_t each = m->row->queries->expanded ? RP_SYNTH_TERMS_MOST : RP_SYNTH_SHARES;
    uint64_t *ranks = rp__alloc_array(queries * each + m->row->vocabulary, sizeof *ranks);
    log->ends = rp__alloc_array(queries, sizeof *log->ends);
    rp_status status = ranks && log->ends ? fill_log(log, m, ranks) : RP_NO_MEMORY;
    rp__free(ranks);
    if (status != RP_OK)
        rp__synth_log_reset(log);
    return status;
}

void rp__synth_log_reset(rp__synth_log *log)
{
    rp__free(log->terms);
    rp__free(log->ends);
    rp__free(log->asked);
    rp__free(log->weights);
    *log = (rp__synth_log){0};
}
