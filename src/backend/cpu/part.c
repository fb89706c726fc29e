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
        const uint32_t leaf = query->ops[i + 1].leaf, word = query->leaves[leaf].word;
        const uint32_t df = query->words[word].term.df;
        size_t j = i;
        for (; j > 0 && parts[j - 1].reader->word->term.df > df; j--)
            parts[j] = parts[j - 1];
        parts[j] = (rp__part){.reader = &run->readers[word],
                              .score = &run->scores[leaf],
                              .leaf = &query->leaves[leaf]};
    }
    run->parts = parts;
    run->n_parts = n;
    return RP_OK;
}

rp_status rp__part_open(rp__cpu_run *run, rp__part *part)
{
    rp_status status = rp__reader_open(part->reader, run->query, run->arena);
    part->is_open = true;
    if (run->query->k > 0)
        rp__score_init(part->score, run->query, part->leaf);
    return status == RP_OK ? RP_OK : rp__cpu_run_fail(run, status, part->reader->word);
}

void rp__part_bound(const rp__cpu_run *run, rp__part *part)
{
    const rp__list *list = &part->reader->list;
    uint8_t bound = list->bounds ? run->kernel->max_byte(list->bounds, list->n_blocks) : UINT8_MAX;
    part->most = rp__score_bound(part->score, bound);
}

void rp__part_bound_all(rp__cpu_run *run)
{
    for (size_t i = 0; i < run->n_parts; i++)
        rp__part_bound(run, &run->parts[i]);
}

rp_status rp__part_words(rp__cpu_run *run)
{
    const rp__query *query = run->query;
    rp__part *parts = rp__arena_zero(run->arena, query->n_words, sizeof *parts);
    if (!parts)
        return rp__error_no_memory(run->err);
    for (size_t leaf = 0; leaf < query->n_leaves; leaf++)
        for (uint32_t i = 0; i < query->leaves[leaf].n_words; i++) {
            uint32_t word = query->leaves[leaf].word + i;
            parts[word] = (rp__part){.reader = &run->readers[word],
                                     .score = &run->scores[leaf],
                                     .leaf = &query->leaves[leaf]};
        }
    run->parts = parts;
    run->n_parts = query->n_words;
    return RP_OK;
}

/* The part's buckets, where the index has some; NULL: it has none. */
static const rp__aux *find_buckets(rp__cpu_run *run, const rp__part *part)
{
    const rp__segment *segment = run->query->segment;
    const rp__segment_info *info = rp__segment_get_info(segment);
    for (size_t i = 0; i < info->n_aux; i++) {
        rp__aux *hs = info->aux[i]->bucket ? rp__arena_alloc(run->arena, sizeof *hs) : NULL;
        if (hs && rp__segment_aux(segment, info->aux[i], &part->reader->word->term, hs) == RP_OK)
            return hs;
    }
    return NULL;
}

rp_status rp__part_probe(rp__cpu_run *run, rp__part *part, uint64_t n)
{
    const rp__list *list = &part->reader->list;
    const uint64_t decoded = part->probe ? part->probe->decoded : 0;
    const uint32_t n_read = part->probe ? part->probe->n_read : 0;
    const rp__aux *hs = part->probe ? part->probe->hs : find_buckets(run, part);
    if (!part->probe)
        part->probe = rp__arena_alloc(run->arena, sizeof *part->probe);
    if (!part->probe)
        return rp__error_no_memory(run->err);
    rp__probe_open(part->probe, rp__probe_choose(list, hs, n, rp__cpu_features()), list, hs);
    part->probe->decoded = decoded;
    part->probe->n_read = n_read;
    return RP_OK;
}

void rp__part_sort_by_most(rp__part *parts, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        rp__part part = parts[i];
        size_t j = i;
        for (; j > 0 && parts[j - 1].most < part.most; j--)
            parts[j] = parts[j - 1];
        parts[j] = part;
    }
}

static bool is_whole(const rp__query *query)
{
    return query->begin == 0 && query->end == query->lengths.n_docs;
}

void rp__part_raise(rp__cpu_run *run)
{
    const rp__query *query = run->query;
    uint32_t k = query->k <= 10 ? 0 : query->k <= 100 ? 1 : 2;
    if (query->k > 1000 || !(is_whole(query) || query->floor))
        return;
    for (size_t i = 0; i < run->n_parts; i++) {
        const uint8_t *kths = run->parts[i].reader->list.kths;
        if (kths)
            rp__topk_raise(&run->topk, rp__score_floor(run->parts[i].score, kths[k]));
    }
}

uint64_t rp__part_least_total(const rp__cpu_run *run)
{
    uint64_t least = run->total;
    for (size_t i = 0; is_whole(run->query) && i < run->n_parts; i++)
        if (run->parts[i].reader->list.n > least)
            least = run->parts[i].reader->list.n;
    return least;
}
