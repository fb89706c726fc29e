/* part.c: the words of a flat query, shortest list first, each with what it may contribute. */
#include "backend/cpu/cpu_run.h"

#include "base/cpu.h"
#include "base/error.h"

rp_status rp__part_list(rp__cpu_run *run)
{
    const rp__query *query = run->query;
    size_t n = query->n_ops - 2;
    rp__part *parts = rp__arena_array(run->arena, n, sizeof *parts);
    if (!parts)
        return rp__error_no_memory(run->err);
    for (size_t i = 0; i < n; i++) {
        uint32_t leaf = query->ops[i + 1].leaf;
        rp__part new = {.reader = &run->readers[query->leaves[leaf].word],
                        .score = &run->scores[leaf]};
        const rp__list *list = &new.reader->list;
        new.most = rp__score_bound(new.score, rp__list_bound_max(list, 0, list->n_blocks));
        size_t j = i;
        for (; j > 0 && parts[j - 1].reader->list.n > new.reader->list.n; j--)
            parts[j] = parts[j - 1];
        parts[j] = new;
    }
    run->parts = parts;
    run->n_parts = n;
    return RP_OK;
}

rp_status rp__part_probe(rp__cpu_run *run, rp__part *part, uint64_t n)
{
    const rp__list *list = &part->reader->list;
    part->probe = rp__arena_alloc(run->arena, sizeof *part->probe);
    if (!part->probe)
        return rp__error_no_memory(run->err);
    rp__probe_open(part->probe, rp__probe_choose(list, NULL, n, rp__cpu_features()), list, NULL);
    return RP_OK;
}
