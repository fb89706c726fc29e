/* and.c: a flat AND of words, by small-versus-small.
 *
 * The shortest list gives candidates; the others are sought by next_geq, from short to long, and a
 * miss moves the shortest list on to where the miss landed. Frequencies are decoded for survivors
 * only. */
#include "backend/cpu/cpu_run.h"

#include "base/error.h"

typedef struct part {
    rp__reader *reader;
    const rp__score *score;
} part;

static part *sort_parts(rp__cpu_run *run, size_t n)
{
    const rp__query *query = run->query;
    part *parts = rp__arena_array(run->arena, n, sizeof *parts);
    for (size_t i = 0; parts && i < n; i++) {
        uint32_t leaf = query->ops[i + 1].leaf;
        part new = {&run->readers[query->leaves[leaf].word], &run->scores[leaf]};
        size_t j = i;
        for (; j > 0 && parts[j - 1].reader->word->term.df > new.reader->word->term.df; j--)
            parts[j] = parts[j - 1];
        parts[j] = new;
    }
    return parts;
}

/* Where the first part that misses docid lands; docid itself if all hold it. */
static uint32_t seek_others(const part *parts, size_t n, uint32_t docid)
{
    for (size_t i = 1; i < n; i++) {
        uint32_t got = rp__reader_next_geq(parts[i].reader, docid);
        if (got != docid)
            return got;
    }
    return docid;
}

static uint32_t score(const part *parts, size_t n, uint32_t docid)
{
    uint32_t fixed = 0;
    for (size_t i = 0; i < n; i++)
        fixed += rp__score_one(parts[i].score, docid, rp__cursor_tf(&parts[i].reader->cursor));
    return fixed;
}

static rp_status run_and(rp__cpu_run *run)
{
    const uint32_t steps_between_checks = 1024;
    size_t n = run->query->n_ops - 2;
    part *parts = sort_parts(run, n);
    if (!parts)
        return rp__error_no_memory(run->err);
    rp__cpu_run_start(run);
    uint32_t docid = rp__reader_docid(parts[0].reader);
    for (uint32_t steps = 1; docid < run->query->end; steps++) {
        uint32_t got = seek_others(parts, n, docid);
        if (got == docid) {
            rp__cpu_run_hit(run, score(parts, n, docid), docid);
            run->total++;
            docid = rp__cursor_next(&parts[0].reader->cursor);
        } else {
            docid = rp__reader_next_geq(parts[0].reader, got);
        }
        rp_status status = steps % steps_between_checks ? RP_OK : rp__cpu_run_check(run);
        if (status != RP_OK)
            return status;
    }
    return RP_OK;
}

const rp__algorithm rp__and_row = {"and", false, rp__algorithm_is_and, run_and};
