/* score.c: what the postings of a leaf contribute, as fixed-point numbers.
 *
 * The plain loop takes the operations of rank.h in their order; only the product with 2^s is moved
 * into the weight, which changes no bit since it is exact. Whatever the loop does not suit (other
 * rankings, weights or frequencies of 2^31 and more) goes posting by posting through rank.h. */
#include "backend/cpu/cpu_run.h"

void rp__score_init(rp__score *score, const rp__query *query, const rp__leaf *leaf)
{
    float scale = rp__rank_scale(query->fraction_bits);
    *score = (rp__score){.query = query, .weight = leaf->weight, .scale = scale};
    score->scaled_weight = leaf->weight.weight * scale;
    score->is_plain = query->rank->ranking->kind == RP_RANK_BM25 && score->scaled_weight < 0x1p31F;
}

uint32_t rp__score_one(const rp__score *score, uint32_t docid, uint32_t tf)
{
    const rp__query *q = score->query;
    float norm = q->norms[rp__lengths_code(&q->lengths, docid)];
    float contribution =
        q->rank->ranking->kind == RP_RANK_DIRICHLET
            ? rp__rank_dirichlet(score->weight.weight, score->weight.boost, norm, tf)
            : rp__rank_bm25(score->weight.weight, norm, tf);
    return rp__rank_fix(contribution, score->scale);
}

static void gather_norms(const rp__query *q, const uint32_t *docids, uint32_t n, float *norms)
{
    const rp__lengths *l = &q->lengths;
    const uint8_t *narrow = l->codes;
    uint32_t last = l->n_table - 1;
    if (l->code_bytes == 1 && last == UINT8_MAX) {
        for (uint32_t i = 0; i < n; i++)
            norms[i] = q->norms[narrow[docids[i]]];
    } else if (l->code_bytes == 1) {
        for (uint32_t i = 0; i < n; i++)
            norms[i] = q->norms[narrow[docids[i]] < last ? narrow[docids[i]] : last];
    } else {
        for (uint32_t i = 0; i < n; i++)
            norms[i] = q->norms[rp__lengths_code(l, docids[i])];
    }
}

/* False: a frequency is too large for the signed conversion, which is the fast one. */
static bool are_small(const uint32_t *tfs, uint32_t n)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < n; i++)
        all |= tfs[i];
    return all <= INT32_MAX;
}

void rp__score_many(const rp__score *score, const uint32_t *docids, const uint32_t *tfs, uint32_t n,
                    uint32_t *fixed)
{
    if (!score->is_plain || !are_small(tfs, n)) {
        for (uint32_t i = 0; i < n; i++)
            fixed[i] = rp__score_one(score, docids[i], tfs[i]);
        return;
    }
    float norms[RP_BLOCK];
    gather_norms(score->query, docids, n, norms);
    for (uint32_t i = 0; i < n; i++) {
        float t = (float)(int32_t)tfs[i];
        fixed[i] = (uint32_t)(int32_t)(score->scaled_weight * (t / (t + norms[i])));
    }
}
