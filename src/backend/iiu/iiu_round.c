/* iiu_round.c: puts lists where the machine finds them, writes descriptors, runs a machine until all
 * are done, and takes the results. */
#include "backend/iiu/iiu_round.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/error.h"

/* ---- Descriptors ----------------------------------------------------------------------------- */

static rp_status put_operand(rp__iiu_round *round, const rp__iiu_eval *eval, size_t i,
                             rp__image_list *out)
{
    const rp__iiu_operand *operand = &eval->operands[i];
    if (operand->is_set)
        return rp__iiu_memory_put_docs(&round->memory, operand->at, operand->n, eval->arena, out);
    return rp__iiu_memory_put_term(&round->memory, operand->term, operand->idf_bar, eval->arena,
                                   out);
}

/* All but the address of its results. */
static rp_status describe_turn(rp__iiu_round *round, rp__iiu_turn *turn, uint32_t tag)
{
    const rp__iiu_eval *eval = turn->eval;
    rp__descriptor *d = &turn->descriptor;
    rp__image_list lists[2];
    rp_status status = put_operand(round, eval, eval->left, &lists[0]);
    if (status != RP_OK)
        return status;
    *d = (rp__descriptor){.query_type = eval->type,
                          .n_cores = (uint8_t)round->config.cores,
                          .tag = tag,
                          .list0 = lists[0].at,
                          .n_blocks0 = lists[0].n_blocks,
                          .cap = lists[0].n_postings,
                          .dl_table = round->memory.dl_at};
    if (eval->type == RP_SIM_SINGLE)
        return RP_OK;
    status = put_operand(round, eval, eval->right, &lists[1]);
    d->list1 = lists[1].at;
    d->n_blocks1 = lists[1].n_blocks;
    if (eval->type == RP_SIM_OR)
        d->cap += lists[1].n_postings;
    return status;
}

static rp_status describe(rp__iiu_round *round, rp__iiu_turn *turn, uint32_t tag)
{
    rp_status status = describe_turn(round, turn, tag);
    if (status == RP_OK)
        return RP_OK;
    return rp__error_set(&turn->err, status, "a list for the iiu: %s; run 'riposte check'",
                         rp_status_text(status));
}

/* Addresses of results follow each other, each at a line of its own. */
static rp_status place_results(rp__iiu_round *round, rp__iiu_turn *turns, size_t n,
                               rp__sim_memory *memory)
{
    uint64_t bytes = 0;
    *memory = (rp__sim_memory){.image = round->memory.image,
                               .image_bytes = (size_t)round->memory.end,
                               .results_at = rp__sim_results_at((size_t)round->memory.end)};
    for (size_t i = 0; i < n; i++)
        if (turns[i].status == RP_OK) {
            turns[i].descriptor.result = memory->results_at + bytes;
            bytes += rp__bits_align(rp__sim_result_bytes(&turns[i].descriptor), RP_IMAGE_LINE);
        }
    if (!rp__alloc_grow(&round->results, &round->cap_results, (size_t)bytes + RP_IMAGE_LINE, 1))
        return RP_NO_MEMORY;
    memory->results = round->results;
    memory->results_bytes = (size_t)bytes;
    return RP_OK;
}

/* ---- The machine ----------------------------------------------------------------------------- */

static void count(rp_iiu_counters *counters, const rp__machine *machine)
{
    rp__sim_report report;
    rp__machine_report(machine, &report);
    counters->cycles += report.cycles;
    for (uint32_t i = 0; i < RP_SIM_TRAFFICS; i++)
        counters->memory_bytes += RP_IMAGE_LINE * report.counts.requests[i];
}

static rp_status refuse(rp_error *err, const char *why)
{
    return rp__error_set(err, RP_DAMAGED,
                         "the iiu did not answer: %s; run 'riposte check', and if it finds "
                         "nothing, report this",
                         why);
}

/* Whether the index has all documents. */
static bool are_documents(const rp__iiu_eval *eval, const rp__result_slot *at, uint64_t n)
{
    const uint32_t n_docs = eval->query->lengths.n_docs;
    for (uint64_t i = 0; i < n; i++)
        if (at[i].doc >= n_docs)
            return false;
    return true;
}

static rp_status take_results(const rp__machine *machine, const rp__completion *completion,
                              rp__iiu_turn *turn)
{
    const uint64_t n = completion->n_results;
    if (completion->status != RP_SIM_OK)
        return refuse(&turn->err, rp__machine_status_text(completion->status));
    if (n > turn->descriptor.cap)
        return refuse(&turn->err, "it has more results than postings");
    rp__result_slot *found = rp__arena_array(turn->eval->arena, (size_t)n + 1, sizeof *found);
    if (!found)
        return rp__error_no_memory(&turn->err);
    if (rp__machine_results(machine, &turn->descriptor, completion, found) != RP_OK)
        return refuse(&turn->err, "its counts of results make no sense");
    if (!are_documents(turn->eval, found, n))
        return refuse(&turn->err, "it found documents that the index does not have");
    rp__iiu_eval_put(turn->eval, found, (uint32_t)n);
    return RP_OK;
}

static rp_status run_machine(rp__iiu_round *round, rp__machine *machine, rp__iiu_turn *turns,
                             size_t n, rp_error *err)
{
    rp_status status = RP_OK;
    for (size_t i = 0; i < n && status == RP_OK; i++)
        if (turns[i].status == RP_OK) {
            status = rp__machine_submit(machine, &turns[i].descriptor);
            round->counters.operations++;
        }
    if (status == RP_OK)
        status = rp__machine_run(machine, err);
    if (status != RP_OK)
        return status;
    size_t n_done;
    const rp__completion *done = rp__machine_completions(machine, &n_done);
    for (size_t i = 0; i < n_done; i++)
        turns[done[i].tag].status = take_results(machine, &done[i], &turns[done[i].tag]);
    count(&round->counters, machine);
    return RP_OK;
}

rp_status rp__iiu_round_run(rp__iiu_round *round, rp__iiu_turn *turns, size_t n, rp_error *err)
{
    rp__sim_memory memory;
    rp__machine *machine;
    rp__iiu_memory_rewind(&round->memory);
    for (size_t i = 0; i < n; i++)
        if (turns[i].status == RP_OK)
            turns[i].status = describe(round, &turns[i], (uint32_t)i);
    if (place_results(round, turns, n, &memory) != RP_OK)
        return rp__error_no_memory(err);
    rp_status status = rp__machine_new(&round->config, &memory, &machine, err);
    if (status != RP_OK)
        return status;
    status = run_machine(round, machine, turns, n, err);
    rp__machine_free(machine);
    return status;
}
