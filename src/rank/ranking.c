/* ranking.c: the table of rankings: one row a named variant.
 *
 * A BM25 variant is its idf, whether the weight has the constant factor (k1 + 1), and its usual
 * parameters. Every row has sound values of all three parameters, used or not: all are checked. What a
 * posting contributes is the same for all rows of a kind (rank.h); docs/ranking.md has the formulas
 * and their sources. */
#include "rank/rank.h"

#include <math.h>
#include <string.h>

static double robertson_odds(uint64_t docs, uint64_t df)
{
    return log(((double)(docs - df) + 0.5) / ((double)df + 0.5));
}

static double lucene_idf(uint64_t docs, uint64_t df)
{
    return log(1.0 + ((double)(docs - df) + 0.5) / ((double)df + 0.5));
}

/* A word in more than half of the documents still counts for something. */
static double pisa_idf(uint64_t docs, uint64_t df)
{
    return fmax(1e-6, robertson_odds(docs, df));
}

static double robertson_idf(uint64_t docs, uint64_t df)
{
    return fmax(0.0, robertson_odds(docs, df));
}

static double atire_idf(uint64_t docs, uint64_t df)
{
    return log((double)docs / (double)df);
}

static const rp__ranking rankings[] = {
    {"lucene", RP_RANK_BM25, 1.2, 0.75, 1000, lucene_idf, false},
    {"pisa", RP_RANK_BM25, 0.9, 0.4, 1000, pisa_idf, true},
    {"robertson", RP_RANK_BM25, 1.2, 0.75, 1000, robertson_idf, true},
    {"atire", RP_RANK_BM25, 0.9, 0.4, 1000, atire_idf, true},
    {"dirichlet", RP_RANK_DIRICHLET, 0, 0, 1000, NULL, false},
    {"iiu", RP_RANK_IIU, 1.2, 0.75, 1000, lucene_idf, false},
};

const rp__ranking *rp__ranking_at(size_t i)
{
    return i < sizeof rankings / sizeof rankings[0] ? &rankings[i] : NULL;
}

const rp__ranking *rp__ranking_find(const char *name)
{
    const rp__ranking *row;
    for (size_t i = 0; (row = rp__ranking_at(i)); i++)
        if (!strcmp(row->name, name))
            return row;
    return NULL;
}
