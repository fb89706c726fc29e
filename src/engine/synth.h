/* engine/synth.h: interior of engine: the parts of a drawn collection.
 *
 * synth_rows.c: what each collection is like; synth_random.c: numbers; synth_lists.c: which
 * documents hold a term; synth_log.c: which terms are asked for. A term is known by its rank: 0 is
 * in most documents. */
#ifndef RP_ENGINE_SYNTH_H
#define RP_ENGINE_SYNTH_H

#include <stddef.h>
#include <stdint.h>

#include "riposte/status.h"
#include "riposte/synth.h"

/* ---- Rows ------------------------------------------------------------------------------------ */

enum { RP_SYNTH_SHARES = 10, RP_SYNTH_TERMS_MOST = 45, RP_SYNTH_TOPICS = 64 };

/* What queries are like. The rarest term is in some number of documents between `least` and a share
 * `rarest`, small ones being the likelier the more `tilt` is above 1, where all orders of magnitude
 * are alike; the others lie between that and the share `other`, but that each is a stop word with a
 * chance that grows with the number of terms.
 * Of expanded queries all have the same number of terms, of weights of their own: a term's share is
 * anywhere between `rarest` and `other`, by orders of magnitude. */
typedef struct rp__synth_queries {
    double shares[RP_SYNTH_SHARES]; /* of queries of 1, 2, ... terms; any unit */
    double least, rarest, other, tilt;
    /* chance in a query of two terms, and how much more for each one more */
    double stop, stop_more;
    /* of an expanded query; 0: it is not one. So many are words of the user's, of great weight;
     * chance that one of the others belongs to no topic of the query's */
    uint32_t expanded, own;
    double stray;
} rp__synth_queries;

typedef struct rp__synth_row {
    const char *name, *prefix; /* prefix of documents' ids */
    uint32_t docs;
    /* Documents that are neighbours form sites, and a term's density differs from site to site.
     * `sites`: how many they would be were they alike; the variance of the density over its squared
     * mean is (1 - p) / (p * evenness + 1 / unevenness) for a term that is in the share p of
     * documents. */
    double sites, evenness, unevenness;
    /* of documents' lengths: mean and deviation of the logarithm */
    double length_log, length_spread;
    /* The share of documents that hold a term is terms / (rank + head). `vocabulary`: the lists of
     * so many terms are drawn, whatever queries ask for; 0: only those asked for */
    double terms, head;
    uint32_t vocabulary;
    const rp__synth_queries *queries;
} rp__synth_row;

const rp__synth_row *rp__synth_rows_at(size_t i); /* NULL past the last */

/* ---- Numbers --------------------------------------------------------------------------------- */

typedef struct rp__synth_random {
    uint64_t state;
} rp__synth_random;

static inline uint64_t rp__synth_mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
}

/* Numbers that belong to `of` and `at`, whatever else was drawn. */
static inline rp__synth_random rp__synth_random_of(uint64_t of, uint64_t at)
{
    return (rp__synth_random){rp__synth_mix(of + 0x9E3779B97F4A7C15U * (at + 1))};
}

static inline uint64_t rp__synth_random_next(rp__synth_random *r)
{
    return rp__synth_mix(r->state += 0x9E3779B97F4A7C15U);
}

/* At least 0, below 1. */
static inline double rp__synth_random_unit(rp__synth_random *r)
{
    return (double)(rp__synth_random_next(r) >> 11) * 0x1p-53;
}

/* Layers of equal area under the curve of the exponential distribution. */
enum { RP_SYNTH_LAYERS = 256 };
typedef struct rp__synth_layers {
    double width[RP_SYNTH_LAYERS + 1], height[RP_SYNTH_LAYERS + 1];
} rp__synth_layers;

void rp__synth_random_layers(rp__synth_layers *out);
/* Exponential of mean 1 where the layer alone does not tell; `bits` chose it. */
double rp__synth_random_tail(rp__synth_random *r, const rp__synth_layers *l, uint64_t bits);
double rp__synth_random_normal(rp__synth_random *r);
double rp__synth_random_gamma(rp__synth_random *r, double shape); /* of mean `shape` */

static inline double rp__synth_random_exponential(rp__synth_random *r, const rp__synth_layers *l)
{
    uint64_t bits = rp__synth_random_next(r);
    size_t i = bits % RP_SYNTH_LAYERS;
    double x = (double)(bits >> 11) * 0x1p-53 * l->width[i];
    return x < l->width[i + 1] ? x : rp__synth_random_tail(r, l, bits);
}

/* ---- Lists ----------------------------------------------------------------------------------- */

enum { RP_SYNTH_TFS = 4096 };

/* A collection. Any thread, read only. */
typedef struct rp__synth_model {
    const rp__synth_row *row;
    uint32_t docs;
    uint64_t seed;
    rp_synth_order order;
    uint32_t n_sites;
    uint32_t *begins; /* of sites, and where the last ends */
    rp__synth_layers layers;
    uint8_t tfs[RP_SYNTH_TFS]; /* as likely as each other */
} rp__synth_model;

rp_status rp__synth_lists_init(rp__synth_model *m, const rp__synth_row *row, uint32_t docs,
                               uint64_t seed, rp_synth_order order);
void rp__synth_lists_reset(rp__synth_model *m);
/* Of documents that hold the term; and the other way. */
double rp__synth_lists_share(const rp__synth_row *row, uint64_t rank);
uint64_t rp__synth_lists_rank(const rp__synth_row *row, double share);
/* The most postings that a list is drawn with. */
uint32_t rp__synth_lists_most(const rp__synth_model *m, uint64_t rank);
/* Draws the list; `scratch` has a place a site. Returns its postings, at least 1. */
uint32_t rp__synth_lists_draw(const rp__synth_model *m, uint64_t rank, double *scratch,
                              uint32_t *docids, uint32_t *tfs);
uint32_t rp__synth_lists_length(const rp__synth_model *m, uint32_t docid); /* of a document */

/* ---- Queries --------------------------------------------------------------------------------- */

enum { RP_SYNTH_WORD_MOST = 20 };

typedef struct rp__synth_term {
    uint64_t rank;
    char word[RP_SYNTH_WORD_MOST]; /* ends with a NUL */
    uint32_t df;                   /* once it is drawn */
} rp__synth_term;

typedef struct rp__synth_log {
    rp__synth_term *terms; /* in byte order of words, each once */
    size_t n_terms;
    uint32_t *ends; /* of each query, in `asked` */
    uint32_t n_queries;
    uint32_t *asked;   /* places in `terms` */
    uint16_t *weights; /* of these, in hundredths; NULL: they have none */
} rp__synth_log;

rp_status rp__synth_log_draw(rp__synth_log *log, const rp__synth_model *m, uint32_t queries);
void rp__synth_log_reset(rp__synth_log *log); /* all zero is fine */
/* A word that bears the rank alone; returns its bytes. */
size_t rp__synth_log_word(uint64_t rank, char out[RP_SYNTH_WORD_MOST]);

#endif
