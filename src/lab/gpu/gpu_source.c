/* gpu_source.c: which two lists of a source have a ratio. */
#include "lab/gpu/gpu_source.h"

#include <math.h>
#include <stdbool.h>

typedef struct choice {
    rp__gpu_source_pair pair;
    double distance; /* of its ratio: a logarithm */
    uint32_t n;      /* postings of B */
    bool is_any;
} choice;

static void offer(const rp__gpu_source *s, choice *best, rp__gpu_source_pair pair, uint32_t ratio)
{
    const double near = log2(1.5);
    const uint32_t na = s->lists[pair.a].n, nb = s->lists[pair.b].n;
    const double distance = fabs(log2((double)nb / ((double)na * ratio)));
    bool is_better = !best->is_any || distance < best->distance;
    if (best->is_any && distance <= near && best->distance <= near)
        is_better = nb > best->n;
    if (is_better)
        *best = (choice){pair, distance, nb, true};
}

rp__gpu_source_pair rp__gpu_source_choose(const rp__gpu_source *s, uint32_t ratio)
{
    choice best = {0};
    uint32_t longest = 0;
    for (size_t i = 0; i < s->n_pairs; i++)
        offer(s, &best, s->pairs[i], ratio);
    if (best.is_any)
        return best.pair;
    for (uint32_t i = 1; i < s->n_lists; i++)
        longest = s->lists[i].n > s->lists[longest].n ? i : longest;
    for (uint32_t i = 0; i < s->n_lists; i++)
        if (i != longest || s->n_lists == 1)
            offer(s, &best, (rp__gpu_source_pair){i, longest}, ratio);
    return best.pair;
}
