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

enum { RP_SYNTH_TERMS_MOST = 10, RP_SYNTH_TOPICS = 64 };

/* What queries are like. The rarest term is in some number of documents between `least` and a share
 * `rarest`, small ones being the likelier the more `tilt` is above 1, where all orders of magnitude
 * are alike; the others lie between that and the share `other`, but that each is a stop word with a
 * chance that grows with the number of terms. */
typedef struct rp__synth_queries {
    double shares[RP_SYNTH_TERMS_MOST]; /* of queries of 1, 2, ... terms; any unit */
    double least, rarest, other, tilt;
    /* chance in a query of two terms, and how much more for each one more */
    double stop, stop_more;
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
double rp__synth_lists_share(uint64_t rank); /* of documents that hold the term */
uint64_t rp__synth_lists_rank(double share); /* the other way */
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
    uint32_t *asked; /* places in `terms` */
} rp__synth_log;

rp_status rp__synth_log_draw(rp__synth_log *log, const rp__synth_model *m, uint32_t queries);
void rp__synth_log_reset(rp__synth_log *log); /* all zero is fine */
/* A word that bears the rank alone; returns its bytes. */
size_t rp__synth_log_word(uint64_t rank, char out[RP_SYNTH_WORD_MOST]);

#endif
