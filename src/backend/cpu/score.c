/* score.c: what the postings of a leaf contribute, as fixed-point numbers.
 *
 * The loop takes the operations of rank.h in their order; only the product with 2^s is moved into the
 * weight, which changes no bit since it is exact. IIU has a loop of its own, by the
 * integers of iiu_score.h. Whatever the loops do not suit (Dirichlet, weights or frequencies of 2^31 and more) goes posting by posting through rank.h.
 * Holds the plain row of kernels; score_avx2.c and score_avx512.c have others. */
#include "backend/cpu/cpu_run.h"

#include "base/cpu.h"

/* ---- Norms ----------------------------------------------------------------------------------- */

/* A width is a loop of its own; codes past the table, which only damaged bytes have, are cut to it. */
void rp__score_norms(const rp__query *query, const uint32_t *docids, uint32_t n, float *norms)
{
    const rp__lengths *l = &query->lengths;
    const float *table = query->norms;
    const uint32_t last = l->n_table - 1;
    if (l->code_bytes == 1) {
        const uint8_t *codes = l->codes;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t code = codes[docids[i]];
            norms[i] = table[code < last ? code : last];
        }
    } else if (l->code_bytes == 2) {
        const uint16_t *codes = l->codes;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t code = codes[docids[i]];
            norms[i] = table[code < last ? code : last];
        }
    } else {
        for (uint32_t i = 0; i < n; i++)
            norms[i] = table[rp__lengths_code(l, docids[i])];
    }
}

/* ---- The plain row --------------------------------------------------------------------------- */

static bool are_small(const uint32_t *tfs, uint32_t n)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < n; i++)
        all |= tfs[i];
    return all <= INT32_MAX;
}

static bool plain_bm25(float scaled_weight, const float *norms, const uint32_t *tfs, uint32_t n,
                       uint32_t *fixed)
{
    if (!are_small(tfs, n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        float t = (float)(int32_t)tfs[i];
        fixed[i] = (uint32_t)(int32_t)(scaled_weight * (t / (t + norms[i])));
    }
    return true;
}

static uint64_t plain_at_least(const uint32_t *scores, uint32_t least)
{
    uint64_t set = 0;
    for (uint32_t i = 0; i < RP_STRETCH; i++)
        set |= (uint64_t)(scores[i] >= least) << i;
    return set;
}

static uint32_t plain_select(const uint32_t *scores, uint32_t n, uint32_t least, uint32_t *kept)
{
    uint32_t m = 0;
    for (uint32_t i = 0; i < n; i++) {
        kept[m] = i;
        m += scores[i] >= least;
    }
    return m;
}

static uint8_t plain_max_byte(const uint8_t *bytes, uint32_t n)
{
    uint8_t max = 0;
    for (uint32_t i = 0; i < n; i++)
        max = bytes[i] > max ? bytes[i] : max;
    return max;
}

/* ---- The rows -------------------------------------------------------------------------------- */

static const rp__score_kernel plain_row = {0, plain_bm25, plain_at_least, plain_select,
                                           plain_max_byte};

static const rp__score_kernel *const rows[] = {
#if defined(__x86_64__)
    &rp__score_avx512_row,
    &rp__score_avx2_row,
#endif
    &plain_row,
};

const rp__score_kernel *rp__score_kernel_at(size_t i)
{
    return i < sizeof rows / sizeof rows[0] ? rows[i] : NULL;
}

const rp__score_kernel *rp__score_kernel_find(uint32_t features)
{
    const size_t last = sizeof rows / sizeof rows[0] - 1;
    size_t i = 0;
    while (i < last && (rows[i]->needs & ~features))
        i++;
    return rows[i];
}

/* ---- A leaf's scores ------------------------------------------------------------------------- */

/* Kernels may take docids for signed numbers. */
static bool suits_kernel(const rp__score *score)
{
    const rp__query *query = score->query;
    return query->rank->ranking->kind == RP_RANK_BM25 && score->scaled_weight < 0x1p31F &&
           query->lengths.n_docs <= INT32_MAX;
}

/* Float arithmetic errs by far less than this share. */
static const double slack = 0x1p-20;

static uint32_t round_up(double fixed)
{
    double up = fixed * (1 + slack) + 1;
    return up < 0x1p32 ? (uint32_t)up : UINT32_MAX;
}

void rp__score_init(rp__score *score, const rp__query *query, const rp__leaf *leaf)
{
    float scale = rp__rank_scale(query->fraction_bits);
    *score = (rp__score){.query = query, .weight = leaf->weight, .scale = scale};
    score->kernel = rp__score_kernel_find(rp__cpu_features());
    score->scaled_weight = leaf->weight.weight * scale;
    score->idf_bar = rp__rank_fix(leaf->weight.weight, scale);
    score->is_plain = suits_kernel(score);
    score->is_iiu = query->rank->ranking->kind == RP_RANK_IIU;
    score->most = round_up(leaf->weight.bound * scale);
    if (query->has_bounds)
        score->of_255 = (double)leaf->weight.weight * scale / 255;
}

uint32_t rp__score_bound(const rp__score *score, uint8_t bound)
{
    if (score->of_255 == 0)
        return score->most;
    uint32_t fixed = round_up(score->of_255 * bound);
    return fixed < score->most ? fixed : score->most;
}

uint32_t rp__score_bound_for(const rp__score *score, uint32_t fixed)
{
    uint32_t low = 0, high = fixed > 0
                                 ? 256
                                 : 0; /* all below low allow too little, all from high on enough */
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (rp__score_bound(score, (uint8_t)middle) < fixed)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* IIU rounds more coarsely, and its frequencies saturate: it promises nothing. */
uint32_t rp__score_floor(const rp__score *score, uint8_t ratio)
{
    if (score->is_iiu)
        return 0;
    double fixed = score->of_255 * ratio * (1 - slack) - 1;
    return fixed > 0 && fixed < 0x1p32 ? (uint32_t)fixed : 0;
}

uint32_t rp__score_one(const rp__score *score, uint32_t docid, uint32_t tf)
{
    const rp__query *q = score->query;
    float norm = q->norms[rp__lengths_code(&q->lengths, docid)];
    if (score->is_iiu)
        return rp__rank_iiu(score->idf_bar, norm, tf);
    float contribution =
        q->rank->ranking->kind == RP_RANK_DIRICHLET
            ? rp__rank_dirichlet(score->weight.weight, score->weight.boost, norm, tf)
            : rp__rank_bm25(score->weight.weight, norm, tf);
    return rp__rank_fix(contribution, score->scale);
}

void rp__score_normed(const rp__score *score, const uint32_t *docids, const float *norms,
                      const uint32_t *tfs, uint32_t n, uint32_t *fixed)
{
    if (score->is_plain && score->kernel->bm25(score->scaled_weight, norms, tfs, n, fixed))
        return;
    if (score->is_iiu)
        for (uint32_t i = 0; i < n; i++)
            fixed[i] = rp__rank_iiu(score->idf_bar, norms[i], tfs[i]);
    else
        for (uint32_t i = 0; i < n; i++)
            fixed[i] = rp__score_one(score, docids[i], tfs[i]);
}

void rp__score_many(const rp__score *score, const uint32_t *docids, const uint32_t *tfs, uint32_t n,
                    uint32_t *fixed)
{
    float norms[RP_BLOCK];
    rp__score_norms(score->query, docids, n, norms);
    rp__score_normed(score, docids, norms, tfs, n, fixed);
}
