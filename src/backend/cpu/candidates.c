/* candidates.c: documents that may match, narrowed part by part.
 *
 * Scores are added in any order, since they are integers; frequencies are read for documents that are
 * still there, and no others. */
#include "backend/cpu/cpu_run.h"

#include <string.h>

void rp__candidates_keep(rp__candidates *c, uint32_t m)
{
    for (uint32_t i = 0; i < m && m < c->n; i++) {
        c->docids[i] = c->docids[c->kept[i]];
        c->scores[i] = c->scores[c->kept[i]];
        c->slots[i] = c->slots[c->kept[i]];
    }
    for (uint32_t i = 0; c->has_norms && i < m && m < c->n; i++)
        c->norms[i] = c->norms[c->kept[i]];
    c->n = m;
}

#define FOUR(i)    (i), (i) + 1, (i) + 2, (i) + 3
#define SIXTEEN(i) FOUR(i), FOUR((i) + 4), FOUR((i) + 8), FOUR((i) + 12)

/* Where documents stand at first: copied, since a loop of so few steps is not made faster by compilers. */
static const uint32_t in_order[RP_BLOCK] = {SIXTEEN(0),  SIXTEEN(16), SIXTEEN(32), SIXTEEN(48),
                                            SIXTEEN(64), SIXTEEN(80), SIXTEEN(96), SIXTEEN(112)};

void rp__candidates_fill(rp__candidates *c, const uint32_t *docids, uint32_t n)
{
    memcpy(c->docids, docids, n * sizeof *docids);
    memset(c->scores, 0, n * sizeof *c->scores);
    memcpy(c->slots, in_order, n * sizeof *c->slots);
    c->n = n;
    c->has_norms = false;
}

/* A document's norm is the same for all parts. */
static const float *norms_of(rp__candidates *c, const rp__query *query)
{
    if (!c->has_norms)
        rp__score_norms(query, c->docids, c->n, c->norms);
    c->has_norms = true;
    return c->norms;
}

void rp__candidates_set(rp__candidates *c, const rp__part *part, const uint32_t *tfs)
{
    const float *norms = norms_of(c, part->score->query);
    rp__score_normed(part->score, c->docids, norms, tfs, c->n, c->scores);
}

/* What the part contributes to all, whose ranks are in c->ranks. */
static rp_status score_all(rp__candidates *c, rp__cpu_run *run, rp__part *part)
{
    if (rp__reader_tfs(part->reader, c->ranks, c->n, c->tfs))
        return rp__cpu_run_fail(run, RP_DAMAGED, part->reader->word);
    rp__score_normed(part->score, c->docids, norms_of(c, run->query), c->tfs, c->n, c->fixed);
    for (uint32_t i = 0; i < c->n; i++)
        c->scores[i] += c->fixed[i];
    return RP_OK;
}

rp_status rp__candidates_score(rp__candidates *c, rp__cpu_run *run, rp__part *part, uint32_t first)
{
    for (uint32_t i = 0; i < c->n; i++)
        c->ranks[i] = first + c->slots[i];
    return score_all(c, run, part);
}

rp_status rp__candidates_score_at(rp__candidates *c, rp__cpu_run *run, rp__part *part,
                                  const uint32_t ranks[RP_BLOCK])
{
    for (uint32_t i = 0; i < c->n; i++)
        c->ranks[i] = ranks[c->slots[i]];
    return score_all(c, run, part);
}

void rp__candidates_place(rp__candidates *c, rp__part *part, uint32_t ranks[RP_BLOCK])
{
    const uint32_t m = rp__probe_find(part->probe, c->docids, c->n, c->kept, c->ranks);
    for (uint32_t i = 0; i < m; i++)
        ranks[c->slots[c->kept[i]]] = c->ranks[i];
    rp__candidates_keep(c, m);
}

void rp__candidates_find(rp__candidates *c, rp__part *part)
{
    rp__candidates_keep(c, rp__probe_find(part->probe, c->docids, c->n, c->kept, c->ranks));
}

void rp__candidates_remove(rp__candidates *c, uint32_t found)
{
    uint32_t m = 0;
    for (uint32_t i = 0, next = 0; found > 0 && i < c->n; i++) {
        if (next < found && c->kept[next] == i) {
            next++;
            continue;
        }
        c->docids[m] = c->docids[i];
        c->scores[m] = c->scores[i];
        c->norms[m] = c->norms[i];
        c->slots[m++] = c->slots[i];
    }
    c->n = found > 0 ? m : c->n;
}

void rp__candidates_drop(rp__candidates *c, rp__part *part)
{
    rp__candidates_remove(c, rp__probe_find(part->probe, c->docids, c->n, c->kept, NULL));
}

void rp__candidates_hit(const rp__candidates *c, rp__cpu_run *run)
{
    run->total += c->n;
    for (uint32_t i = 0; i < c->n; i++)
        rp__cpu_run_hit(run, c->scores[i], c->docids[i]);
}

void rp__candidates_cut(rp__candidates *c, const rp__score_kernel *kernel, uint32_t least)
{
    if (least > 0)
        rp__candidates_keep(c, kernel->select(c->scores, c->n, least, c->kept));
}

/* What the part adds to the m documents that c->kept names, whose ranks are known. */
static rp_status score_kept(rp__candidates *c, rp__part *part, uint32_t m)
{
    uint32_t docids[RP_BLOCK];
    float norms[RP_BLOCK];
    const float *all = c->has_norms ? c->norms : NULL;
    if (rp__reader_tfs(part->reader, c->ranks, m, c->tfs))
        return RP_DAMAGED;
    for (uint32_t i = 0; i < m; i++)
        docids[i] = c->docids[c->kept[i]];
    for (uint32_t i = 0; all && i < m; i++)
        norms[i] = all[c->kept[i]];
    if (!all)
        rp__score_norms(part->score->query, docids, m, norms);
    rp__score_normed(part->score, docids, norms, c->tfs, m, c->fixed);
    for (uint32_t i = 0; i < m; i++)
        c->scores[c->kept[i]] += c->fixed[i];
    return RP_OK;
}

rp_status rp__candidates_add(rp__candidates *c, rp__cpu_run *run, rp__part *part, bool must)
{
    bool is_scored = run->query->k > 0;
    uint32_t m = rp__probe_find(part->probe, c->docids, c->n, c->kept, is_scored ? c->ranks : NULL);
    if (is_scored && m > 0 && score_kept(c, part, m))
        return rp__cpu_run_fail(run, RP_DAMAGED, part->reader->word);
    if (must)
        rp__candidates_keep(c, m);
    return RP_OK;
}
