/* decode_ops.c: the phase decode: one copy of what the host has for the device, and the lists that are decoded for the
 * query, by one chain of launches (transcode.h).
 *
 * Tiny lists are decoded by the host, copied, and go through the chain as raw ones: so bits are made of them, too. The
 * chain checks every list that it decodes: a list that is damaged never gives a wrong answer. */
#include "backend/gpu/operators/pipeline.h"

/* Tiny lists, auxiliary data, records of lists whose blocks are chosen. */
static rp_status copy_staged(rp__pipeline *p)
{
    uint8_t *from = p->host + p->there.staged;
    karg_list *records = (karg_list *)(void *)(from + p->records_at);
    if (p->staged_bytes == 0)
        return RP_OK;
    for (uint32_t i = 0; i < p->n && p->records_at < p->staged_bytes; i++)
        records[i] = p->lists[i].stored;
    return rp__device_copy_in(p->device, rp__pipe(p, p->at.staged), from, p->staged_bytes);
}

/* Behind docids of chosen blocks are numbers above all docids. */
static rp_status clear_chosen(rp__pipeline *p)
{
    const size_t bytes = p->at.chosen_end - p->at.chosen;
    return bytes == 0 || p->first == 0 ? RP_OK
                                       : rp__device_fill(p->device, rp__pipe(p, p->at.chosen),
                                                         UINT32_MAX, bytes / sizeof(uint32_t));
}

/* Frequencies of a tiny list are there already. */
static rp__transcode_list plan(rp__pipeline *p, rp__pipe_list *l)
{
    const rp__cu_ptr tfs = p->query->k > 0 ? rp__pipe(p, l->tfs) : 0;
    karg_term bits;
    rp__transcode_list made = rp__transcode_term_docids(&l->stored, rp__pipe(p, l->docids),
                                                        l->is_tiny ? 0 : tfs, &l->word);
    made.high_bits = l->high_bits;
    l->word.list.freqs = tfs;
    l->word.weight = l->term->weight;
    if (!p->has_bits)
        return made;
    l->bits = rp__pipe(p, l->bits_at);
    rp__transcode_list marked = rp__transcode_term_bits(&l->stored, l->bits, 0, &bits);
    made.bits = marked.bits;
    made.hints = marked.hints;
    made.last = marked.last;
    made.n_words = marked.n_words;
    return made;
}

static rp_status clear_bits(rp__pipeline *p)
{
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < p->n && status == RP_OK && p->has_bits; i++)
        status = rp__device_fill(p->device, p->lists[i].bits, 0,
                                 rp__transcode_term_bits_bytes(&p->lists[i].stored) / 4);
    return status;
}

static rp_status decode(rp__pipeline *p)
{
    rp__transcode_list *made = rp__arena_array(p->flight->exec->arena, p->n, sizeof *made);
    static const rp__transcode_decoder para_ef = {
        KARG_CODEC_EF128, RP_KERNEL_decode_ef128_literal_kernel, KARG_SHARED_EF128_LITERAL, 0};
    const bool is_para_ef = p->how.rows[RP_PHASE_DECODE]->id == RP_OPERATOR_PARA_EF;
    const rp__qs_steps qs =
        p->high_bits
            ? rp__qs_steps_at((rp__qs_method)(p->how.rows[RP_PHASE_DECODE]->id - RP_OPERATOR_QS),
                              p->high_bits, p->lists[p->n - 1].term->list.n, rp__pipe(p, p->at.qs))
            : (rp__qs_steps){0};
    const rp__transcode to = {.device = p->device,
                              .decoder = is_para_ef ? &para_ef : NULL,
                              .qs = p->high_bits ? &qs : NULL,
                              .stream = p->device->stream,
                              .host = p->host + p->there.transcode,
                              .scratch = rp__pipe(p, p->at.transcode),
                              .damaged = rp__pipe_report(p, RP_REPORT_DAMAGED)};
    uint32_t n = 0;
    if (!made)
        return rp__exec_no_memory(p->flight);
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->lists[i].form != RP_PIPE_DECODED)
            continue;
        made[n++] = plan(p, &p->lists[i]);
        p->device->counters.transcoded_postings += p->lists[i].term->list.n;
    }
    rp_status status = clear_bits(p);
    return status == RP_OK ? rp__transcode_run(&to, made, n) : status;
}

rp_status rp__decode_ops_run(rp__pipeline *p)
{
    rp_status status = copy_staged(p);
    if (status == RP_OK)
        status = clear_chosen(p);
    return status == RP_OK && p->decodes ? decode(p) : status;
}
