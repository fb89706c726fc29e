/* phrases.c: one phrase that is the whole query.
 *
 * A document that holds all words is looked into only if it could be among the k best were every
 * occurrence of the rarest word a match; where the exact total is wanted, always. */
#include "backend/cpu/cpu_run.h"

#include "base/error.h"

typedef struct machine {
    rp__cpu_run *run;
    rp__phrase_match match;
    const rp__score *score;
    bool prunes;
} machine;

static rp_status open_machine(machine *m)
{
    rp__cpu_run *run = m->run;
    const rp__query *query = run->query;
    uint32_t leaf = query->ops[1].leaf;
    const rp__leaf *phrase = &query->leaves[leaf];
    m->score = &run->scores[leaf];
    m->prunes = query->k > 0 && !query->exact_total;
    rp_status status =
        rp__phrase_match_init(&m->match, query, phrase, &run->readers[phrase->word], run->arena);
    return status == RP_OK ? RP_OK : rp__cpu_run_fail(run, status, &query->words[phrase->word]);
}

/* Looks into the document that all words stand on. */
static rp_status take(machine *m, uint32_t docid)
{
    rp__cpu_run *run = m->run;
    const rp__reader *bad;
    uint32_t tf;
    rp_status status = rp__phrase_match_count(&m->match, &run->budget, &tf, &bad);
    if (status != RP_OK)
        return rp__cpu_run_fail(run, status, bad->word);
    if (tf == 0)
        return RP_OK;
    run->total++;
    if (run->query->k > 0)
        rp__cpu_run_hit(run, rp__score_one(m->score, docid, tf), docid);
    return RP_OK;
}

static rp_status run_phrase(rp__cpu_run *run)
{
    const uint32_t steps_between_checks = 1024;
    machine m = {.run = run};
    rp_status status = open_machine(&m);
    if (status != RP_OK)
        return status;
    rp__cpu_run_start(run);
    uint32_t docid = run->query->begin;
    for (uint32_t steps = 1; status == RP_OK; steps++, docid++) {
        docid = rp__phrase_match_next(&m.match, docid);
        if (docid >= run->query->end)
            break;
        status = take(&m, docid);
        if (status == RP_OK && steps % steps_between_checks == 0)
            status = rp__cpu_run_check(run);
    }
    return status;
}

const rp__algorithm rp__phrases_row = {"phrase", false, rp__algorithm_is_phrase, run_phrase};
