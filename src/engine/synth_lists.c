/* synth_lists.c: which documents hold a term, straight in rising order.
 *
 * Documents lie in sites, each with a density of the term of its own. Every RP_SYNTH_TOPICS documents that
 * follow each other have one of each topic, in an order that is drawn; the documents of the term's own topic
 * hold it more often, so that terms of one topic meet. Distances between postings are geometric: one
 * exponential number each.
 * Invariant: a list depends on the model and its rank alone. */
#include <math.h>
#include <stdbool.h>

#include "base/alloc.h"
#include "engine/synth.h"

enum {
    SITE_DOCS_LEAST = 64, /* on average */
    SETTLE = 8,           /* steps towards the wanted share */
    TF_MOST = 50,         /* documents are at least as long */
};

static const double density_most = 0.98;
static const double home_part = 0.96, home_most = 0.68; /* of postings; of documents there */
static const double rank_slope = 0.3, rank_evenness = 400;
static const double topic_part = 0.5; /* of sites are dense because of the topic */

/* What numbers are drawn for. */
enum { FOR_SITES = 1, FOR_TOPICS, FOR_DENSITY, FOR_TERM, FOR_LENGTHS };

static uint64_t purpose(const rp__synth_model *m, uint64_t what)
{
    return rp__synth_mix(m->seed ^ what << 56);
}

/* ---- The collection ---------------------------------------------------------------------------- */

/* Sites' sizes have a logarithm that is normal, of deviation 1, so that e times as many are as even. */
static rp_status make_sites(rp__synth_model *m)
{
    double wanted = m->row->sites * exp(1), most = (double)m->docs / SITE_DOCS_LEAST + 1, sum = 0;
    rp__synth_random r = rp__synth_random_of(purpose(m, FOR_SITES), 0);
    m->n_sites = (uint32_t)(wanted < most ? wanted : most);
    m->begins = rp__alloc_array(m->n_sites + 1U, sizeof *m->begins);
    double *sizes = rp__alloc_array(m->n_sites, sizeof *sizes);
    if (!m->begins || !sizes) {
        rp__free(sizes);
        return RP_NO_MEMORY;
    }
    for (uint32_t s = 0; s < m->n_sites; s++)
        sum += sizes[s] = exp(rp__synth_random_normal(&r));
    double before = 0;
    for (uint32_t s = 0; s < m->n_sites; s++) {
        m->begins[s] = (uint32_t)(before / sum * m->docs);
        before += sizes[s];
    }
    m->begins[m->n_sites] = m->docs;
    rp__free(sizes);
    return RP_OK;
}

/* Frequencies less one are geometric: mostly few, of one term in thirty many. */
static void make_tfs(rp__synth_model *m)
{
    for (uint32_t i = 0, tf = 1; i < RP_SYNTH_TFS; i++) {
        double above = 1 - (i + 0.5) / RP_SYNTH_TFS; /* the share that has at least as many */
        while (tf < TF_MOST && 0.97 * pow(0.4, tf) + 0.03 * pow(0.9, tf) > above)
            tf++;
        m->tfs[i] = (uint8_t)tf;
    }
}

rp_status rp__synth_lists_init(rp__synth_model *m, const rp__synth_row *row, uint32_t docs,
                               uint64_t seed, rp_synth_order order)
{
    *m = (rp__synth_model){.row = row, .docs = docs, .seed = rp__synth_mix(seed), .order = order};
    rp__synth_random_layers(&m->layers);
    make_tfs(m);
    return make_sites(m);
}

void rp__synth_lists_reset(rp__synth_model *m)
{
    rp__free(m->begins);
    *m = (rp__synth_model){0};
}

uint32_t rp__synth_lists_length(const rp__synth_model *m, uint32_t docid)
{
    uint64_t bits = rp__synth_mix(purpose(m, FOR_LENGTHS) + 0x9E3779B97F4A7C15U * (docid + 1ULL));
    double sum = 0; /* of four uniform numbers: nearly normal */
    for (int i = 0; i < 4; i++, bits >>= 16)
        sum += (double)(bits & 0xFFFF) * 0x1p-16;
    double length = exp(m->row->length_log + m->row->length_spread * (sum - 2) * sqrt(3));
    return length < TF_MOST ? TF_MOST : length > 60000 ? 60000 : (uint32_t)length;
}

/* ---- Terms ------------------------------------------------------------------------------------- */

double rp__synth_lists_share(const rp__synth_row *row, uint64_t rank)
{
    return row->terms / ((double)rank + row->head);
}

uint64_t rp__synth_lists_rank(const rp__synth_row *row, double share)
{
    double rank = row->terms / share - row->head;
    return rank > 0 ? (uint64_t)rank : 0;
}

uint32_t rp__synth_lists_most(const rp__synth_model *m, uint64_t rank)
{
    enum { DEVIATIONS = 8, REST = 16 }; /* a list that wants more is cut */
    double n = rp__synth_lists_share(m->row, rank) * m->docs;
    n += DEVIATIONS * sqrt(n) + REST;
    return n < m->docs ? (uint32_t)n : m->docs;
}

/* How much denser documents of the term's own topic are than all. */
static double home_factor(double share)
{
    double factor = home_part * RP_SYNTH_TOPICS;
    factor = factor * share > home_most ? home_most / share : factor;
    return factor < 1 ? 1 : factor;
}

static double capped(double density)
{
    return density < density_most ? density : density_most;
}

/* A site's density in documents of the term's own topic, and in the others, which hold what is left. */
typedef struct parts {
    double home, rest;
} parts;

static parts divide(double density, double factor)
{
    double home = capped(density * factor);
    return (parts){home, capped((RP_SYNTH_TOPICS * density - home) / (RP_SYNTH_TOPICS - 1))};
}

/* How dense a site is next to others, the mean being 1. Numbers that belong to a topic are drawn alike for
 * all its terms, so that they are dense in the same sites. */
static double draw_density(const rp__synth_model *m, uint64_t rank, uint32_t site, double variance)
{
    rp__synth_random own = rp__synth_random_of(purpose(m, FOR_DENSITY) ^ rank << 20, site);
    uint64_t topic = purpose(m, FOR_TOPICS) ^ rank % RP_SYNTH_TOPICS << 20;
    if (rp__synth_random_unit(&own) < topic_part)
        own = rp__synth_random_of(topic, site);
    return rp__synth_random_gamma(&own, 1 / variance) * variance;
}

static double middle_of(const rp__synth_model *m, uint32_t site)
{
    return ((double)m->begins[site] + (double)m->begins[site + 1]) / 2 / m->docs;
}

/* Before they are settled: each site's density next to the share. */
static void draw_densities(const rp__synth_model *m, uint64_t rank, double share, double *out)
{
    double evenness = m->order == RP_SYNTH_RANK ? rank_evenness : m->row->evenness;
    double variance = (1 - share) / (share * evenness + 1 / m->row->unevenness);
    double slope = m->order == RP_SYNTH_RANK ? rank_slope * sqrt(1 - share) : 0;
    for (uint32_t s = 0; s < m->n_sites; s++) {
        out[s] = share * (1 + slope * (1 - 2 * middle_of(m, s)));
        if (m->order != RP_SYNTH_RANDOM)
            out[s] *= draw_density(m, rank, s, variance);
    }
}

/* Multiplies densities until the list has its share, whatever is cut off at the most. */
static void settle(const rp__synth_model *m, double share, double factor, double *densities)
{
    for (int step = 0; step < SETTLE; step++) {
        double sum = 0, home = 1.0 / RP_SYNTH_TOPICS;
        for (uint32_t s = 0; s < m->n_sites; s++) {
            parts p = divide(densities[s], factor);
            sum += (m->begins[s + 1] - m->begins[s]) * (home * p.home + (1 - home) * p.rest);
        }
        double more = sum > 0 ? share * m->docs / sum : 1;
        for (uint32_t s = 0; s < m->n_sites; s++)
            densities[s] *= more;
    }
}

/* ---- Postings ---------------------------------------------------------------------------------- */

/* Steps through [at, end) such that each place is met with the same chance. */
typedef struct walk {
    uint64_t at, end;
    double stretch; /* exponential numbers to distances; 0: meets none */
} walk;

static void step(walk *w, rp__synth_random *r, const rp__synth_layers *l)
{
    double far = rp__synth_random_exponential(r, l) * w->stretch;
    w->at = far < (double)(w->end - w->at) ? w->at + (uint64_t)far : w->end;
}

static walk begin_walk(uint64_t begin, uint64_t end, double density, rp__synth_random *r,
                       const rp__synth_layers *l)
{
    walk w = {begin, end, density > 0 ? -1 / log1p(-density) : 0};
    if (density > 0)
        step(&w, r, l);
    else
        w.at = end;
    return w;
}

static void step_on(walk *w, rp__synth_random *r, const rp__synth_layers *l)
{
    w->at++;
    step(w, r, l);
}

typedef struct drawing {
    const rp__synth_model *m;
    rp__synth_random random;
    uint64_t topics; /* the order of topics belongs to it */
    uint32_t topic;
    uint32_t n, cap;
    uint32_t *docids;
} drawing;

/* The document of the topic among those numbered `group`. */
static inline uint64_t home_doc(const drawing *d, uint64_t group)
{
    uint64_t order = rp__synth_mix(d->topics + group);
    return group * RP_SYNTH_TOPICS + ((order ^ d->topic) & (RP_SYNTH_TOPICS - 1));
}

/* Where the walk over groups stands: a document of the site, or the site's end. */
static inline uint64_t home_at(drawing *d, walk *home, uint32_t begin, uint32_t end)
{
    for (; home->at < home->end; step_on(home, &d->random, &d->m->layers)) {
        uint64_t doc = home_doc(d, home->at);
        if (doc >= begin && doc < end)
            return doc;
    }
    return end;
}

/* Both walks over a site, merged. */
static void draw_mixed(drawing *d, walk all, walk home, uint32_t begin, uint32_t end)
{
    const rp__synth_layers *l = &d->m->layers;
    uint64_t doc = home_at(d, &home, begin, end);
    while (d->n < d->cap && (all.at < end || doc < end)) {
        uint64_t next = all.at < doc ? all.at : doc;
        d->docids[d->n++] = (uint32_t)next;
        if (all.at == next)
            step_on(&all, &d->random, l);
        if (doc == next) {
            step_on(&home, &d->random, l);
            doc = home_at(d, &home, begin, end);
        }
    }
}

static void draw_plain(drawing *d, walk all)
{
    const rp__synth_layers *l = &d->m->layers;
    rp__synth_random random = d->random; /* in registers */
    uint32_t n = d->n;
    for (; all.at < all.end && n < d->cap; step_on(&all, &random, l))
        d->docids[n++] = (uint32_t)all.at;
    d->n = n;
    d->random = random;
}

static void draw_site(drawing *d, uint32_t site, parts p)
{
    uint32_t begin = d->m->begins[site], end = d->m->begins[site + 1];
    double more = p.home > p.rest ? (p.home - p.rest) / (1 - p.rest) : 0; /* beside the rest */
    if (begin == end)
        return;
    walk all = begin_walk(begin, end, p.rest, &d->random, &d->m->layers);
    if (more <= 0) {
        draw_plain(d, all);
        return;
    }
    walk groups = begin_walk(begin / RP_SYNTH_TOPICS, (end - 1) / RP_SYNTH_TOPICS + 1, more,
                             &d->random, &d->m->layers);
    draw_mixed(d, all, groups, begin, end);
}

static void draw_tfs(const rp__synth_model *m, rp__synth_random *r, uint32_t n, uint32_t *tfs)
{
    enum { PER_NUMBER = 5 }; /* of 12 bits */
    for (uint32_t i = 0; i < n;) {
        uint64_t bits = rp__synth_random_next(r);
        for (int j = 0; j < PER_NUMBER && i < n; j++, bits >>= 12)
            tfs[i++] = m->tfs[bits % RP_SYNTH_TFS];
    }
}

uint32_t rp__synth_lists_draw(const rp__synth_model *m, uint64_t rank, double *scratch,
                              uint32_t *docids, uint32_t *tfs)
{
    double share = rp__synth_lists_share(m->row, rank), factor = home_factor(share);
    drawing d = {.m = m,
                 .random = rp__synth_random_of(purpose(m, FOR_TERM), rank),
                 .topics = purpose(m, FOR_TOPICS),
                 .topic = (uint32_t)(rank % RP_SYNTH_TOPICS),
                 .cap = rp__synth_lists_most(m, rank),
                 .docids = docids};
    draw_densities(m, rank, share, scratch);
    settle(m, share, factor, scratch);
    for (uint32_t s = 0; s < m->n_sites; s++)
        draw_site(&d, s, divide(scratch[s], factor));
    if (d.n == 0)
        docids[d.n++] = (uint32_t)(rp__synth_random_unit(&d.random) * m->docs);
    draw_tfs(m, &d.random, d.n, tfs);
    return d.n;
}
