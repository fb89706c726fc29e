/* codec/regression.h: interior of codec: how linear a list is, in real numbers: for figures and for
 * the choice of a method. What is stored or searched with is exact and elsewhere (line.h, lr.h). */
#ifndef RP_CODEC_REGRESSION_H
#define RP_CODEC_REGRESSION_H

#include <stddef.h>
#include <stdint.h>

/* How far ranks lie from the inverse of the line: `left` is the most that it gives too much,
 * `right` the most that it gives too little, so that docid x has a rank in [g(x) - left, g(x) +
 * right]. */
typedef struct rp__deviation {
    double left, right;
} rp__deviation;

/* The contraction ratios of a list that is cut every `segment` postings, each with its own line. */
typedef struct rp__contraction {
    double mean, most;
} rp__contraction;

/* Docids rise and n is at least 1 in all of these. One docid lies on its line. */

/* The coefficient of determination R^2 of docids by rank: 1 for a straight line. */
double rp__regression_determination(const uint32_t *docids, size_t n);
rp__deviation rp__regression_deviation(const uint32_t *docids, size_t n);
/* (left + right) / n: the share of a list that a search has to look at. */
double rp__regression_contraction(const uint32_t *docids, size_t n);
rp__contraction rp__regression_local(const uint32_t *docids, size_t n, size_t segment);

#endif
