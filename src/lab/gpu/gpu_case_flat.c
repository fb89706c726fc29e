/* gpu_case_flat.c: cases of one query of two words, scored: ANDs of a list and one 16 times as long, ORs of both.
 *
 * The persistent kernel has the AND with its launch, and leaves.
 * Row fields: kernel; codec: of the docids, frequencies are in optpfd; width: documents to a posting of the longer
 * list; option: of an AND, documents that a warp has. n is the length of the longer list. */
#include "lab/gpu/gpu_case_flat.h"

#include <string.h>

#include "backend/gpu/gpu_lab.h"
#include "base/alloc.h"
#include "base/bits.h"
#include "base/cpu.h"
#include "base/error.h"
#include "codec/codec.h"

enum { WORDS = 2, RATIO = 16, WARPS = 4, TABLE = 256, SCALE_BITS = 20, BEST = 10 };
enum { ANSWER = sizeof(karg_answer) + KARG_ANSWER_ALL * sizeof(karg_pair) };
static const uint32_t none = UINT32_MAX; /* the score of a document that does not match */

typedef struct flat {
    uint32_t n[WORDS], n_docs;
    uint32_t *docids[WORDS], *tfs[WORDS];
    uint8_t *bytes[WORDS]; /* the lists */
    uint8_t *codes;
    float norms[TABLE];
    uint32_t *scores;    /* the answer, by docid */
    uint64_t total, sum; /* documents that match; of their docids */
    rp__cu_ptr memory[WORDS + 9];
    size_t n_memory;
    karg_query args;
    karg_persistent persistent;
    karg_mailbox *mailbox; /* as the persistent kernel leaves it */
    uint64_t list_bytes, random;
} flat;

static const float weights[WORDS] = {2.5F, 0.75F};

static uint32_t draw(flat *f, uint32_t below)
{
    f->random = f->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((f->random >> 33) * below >> 31);
}

/* ---- Data ------------------------------------------------------------------------------------ */

static rp_status draw_list(flat *f, uint32_t i, uint32_t n, uint32_t gap)
{
    f->n[i] = n;
    f->docids[i] = rp__alloc_array(n + 1, sizeof(uint32_t));
    f->tfs[i] = rp__alloc_array(n + 1, sizeof(uint32_t));
    if (!f->docids[i] || !f->tfs[i])
        return RP_NO_MEMORY;
    uint32_t docid = draw(f, gap);
    for (uint32_t k = 0; k < n; k++, docid += 1 + draw(f, 2 * gap - 1)) {
        f->docids[i][k] = docid;
        f->tfs[i][k] = 1 + (draw(f, 4) ? 0 : draw(f, draw(f, 50) ? 6 : 100000));
        f->n_docs = f->n_docs > docid ? f->n_docs : docid + 1;
    }
    return RP_OK;
}

static uint32_t contribution(const flat *f, uint32_t i, uint32_t k)
{
    float norm = f->norms[f->codes[f->docids[i][k]]];
    return rp__rank_fix(rp__rank_bm25(weights[i], norm, f->tfs[i][k]), rp__rank_scale(SCALE_BITS));
}

/* By walking both lists. */
static void answer(flat *f, bool is_or)
{
    uint32_t k[WORDS] = {0};
    f->total = f->sum = 0;
    memset(f->scores, 0xFF, f->n_docs * sizeof *f->scores);
    while (k[0] < f->n[0] || k[1] < f->n[1]) {
        uint32_t a = k[0] < f->n[0] ? f->docids[0][k[0]] : none;
        uint32_t b = k[1] < f->n[1] ? f->docids[1][k[1]] : none;
        uint32_t docid = a < b ? a : b, score = 0;
        score += a == docid ? contribution(f, 0, k[0]++) : 0;
        score += b == docid ? contribution(f, 1, k[1]++) : 0;
        if (!is_or && a != b)
            continue;
        f->scores[docid] = score;
        f->total++;
        f->sum += docid;
    }
}

static rp_status draw_all(flat *f, const rp__gpu_case *row, uint32_t n)
{
    bool is_or = row->kernel == RP_KERNEL_or_accumulate_kernel;
    rp_status status = draw_list(f, 0, (n + RATIO - 1) / RATIO, RATIO * row->width);
    if (status == RP_OK)
        status = draw_list(f, 1, n, row->width);
    f->codes = rp__alloc_array(f->n_docs + 1, 1);
    f->scores = rp__alloc_array(f->n_docs + 1, sizeof *f->scores);
    if (status != RP_OK || !f->codes || !f->scores)
        return RP_NO_MEMORY;
    for (uint32_t d = 0; d < f->n_docs; d++)
        f->codes[d] = (uint8_t)draw(f, TABLE);
    for (uint32_t i = 0; i < TABLE; i++)
        f->norms[i] = 0.3F + (float)i / 90;
    answer(f, is_or);
    return RP_OK;
}

/* ---- The device ------------------------------------------------------------------------------ */

static rp_status put(flat *f, rp__device *device, const void *data, size_t bytes, uint64_t *at)
{
    rp__cu_ptr memory;
    rp_status status = rp__device_alloc(device, bytes + RP_PAD, &memory);
    if (status != RP_OK)
        return status;
    f->memory[f->n_memory++] = memory;
    *at = memory;
    return data ? rp__device_copy_in(device, memory, data, bytes) : RP_OK;
}

static rp_status encode(flat *f, uint32_t i, const rp__codec *codec, size_t *used)
{
    size_t n = f->n[i], most = rp__list_blocks_bound(codec, n);
    uint32_t *ends = rp__alloc_array(most, sizeof *ends);
    uint32_t *scratch = rp__alloc_array(rp__list_scratch(codec, n), sizeof *scratch);
    uint8_t *bounds = rp__alloc_zero(most, 1);
    f->bytes[i] = rp__alloc_zero(rp__list_bound(codec, n) + RP_PAD, 1);
    rp_status status = ends && scratch && bounds && f->bytes[i] ? RP_OK : RP_NO_MEMORY;
    rp__list_parts parts = {.ends = ends, .bounds = bounds};
    if (status == RP_OK) {
        parts.n_blocks = rp__list_cut(codec, NULL, f->docids[i], f->tfs[i], n, scratch, ends);
        status =
            rp__list_encode(codec, f->docids[i], f->tfs[i], n, &parts, scratch, f->bytes[i], used);
    }
    rp__free(ends);
    rp__free(scratch);
    rp__free(bounds);
    return status;
}

/* As an index of that list alone has it. */
static rp_status put_list(flat *f, rp__device *device, uint32_t i, const rp__codec *codec)
{
    rp__residency residency = {.n = 1, .is_whole = true};
    rp__gpu_index index = {.device = device, .residency = &residency};
    rp__list list;
    size_t used;
    uint64_t at;
    rp_status status = encode(f, i, codec, &used);
    if (status == RP_OK)
        status = put(f, device, f->bytes[i], used + RP_PAD, &at);
    if (status == RP_OK)
        status = rp__list_open(codec, f->bytes[i], used, f->n[i], f->n_docs, false, &list);
    if (status != RP_OK)
        return status;
    residency.sections[0] = (rp__gpu_section){.host = f->bytes[i], .bytes = used, .at = at};
    f->list_bytes += used;
    status = rp__gpu_list_word(&index, &list, &f->args.inline_terms[i]);
    f->args.inline_terms[i].weight = weights[i] * rp__rank_scale(SCALE_BITS);
    f->args.inline_terms[i].before = f->args.n_blocks;
    f->args.n_blocks += list.n_blocks;
    return status;
}

static rp_status put_lists(flat *f, rp__device *device, const rp__gpu_case *row)
{
    uint32_t features = rp__cpu_features();
    const rp__block_code *freqs = rp__block_code_find("optpfd", features);
    const rp__codec codec =
        rp__codec_with_freqs(rp__codec_by_id((uint8_t)row->codec, features), freqs);
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < WORDS && f->n[i] > 0 && status == RP_OK; i++)
        status = put_list(f, device, i, &codec);
    if (row->kernel != RP_KERNEL_or_accumulate_kernel)
        f->args.n_blocks = f->args.inline_terms[1].before;
    return status;
}

static rp_status put_all(flat *f, rp__device *device)
{
    karg_query *a = &f->args;
    size_t marks = (f->n_docs + 31) / 32;
    a->n_terms = WORDS;
    a->end = f->n_docs;
    a->k = BEST;
    a->number = 1;
    a->width = 1;
    a->norms = (karg_norms){.code_bytes = 1, .n_table = TABLE};
    rp_status status = put(f, device, f->codes, f->n_docs, &a->norms.codes);
    if (status == RP_OK)
        status = put(f, device, f->norms, sizeof f->norms, &a->norms.table);
    if (status == RP_OK)
        status = put(f, device, NULL, sizeof(karg_found), &a->found);
    if (status == RP_OK)
        status = rp__device_fill(device, a->found, 0, sizeof(karg_found) / sizeof(uint32_t));
    if (status == RP_OK) /* with room for an answer that is all */
        status = put(f, device, NULL, ANSWER, &a->answer);
    if (status == RP_OK)
        status = put(f, device, NULL, (f->n[0] + (size_t)f->n[1]) * sizeof(karg_pair), &a->pairs);
    if (status == RP_OK)
        status = put(f, device, NULL, (f->n_docs + marks) * sizeof(uint32_t), &a->scores);
    a->marks = a->scores + f->n_docs * sizeof(uint32_t);
    return status == RP_OK ? rp__device_wait(device) : status;
}

/* For the persistent kernel, but not without a query. */
static rp_status put_mailbox(flat *f, rp__device *device, const rp__gpu_case *row)
{
    const uint32_t parts = (f->n[0] + row->option - 1) / row->option;
    karg_query *query = &f->persistent.first.query;
    f->mailbox = rp__alloc_zero(1, sizeof *f->mailbox);
    if (!f->mailbox)
        return RP_NO_MEMORY;
    f->persistent = (karg_persistent){.first.query = f->args, .number = 1, .launch = 1};
    query->docs_per_warp = row->option;
    query->blocks = parts < device->processors ? parts : device->processors;
    rp_status status = put(f, device, f->mailbox, sizeof *f->mailbox, &f->persistent.mailbox);
    if (status == RP_OK)
        status = put(f, device, NULL, sizeof *f->mailbox, &f->persistent.echo);
    return status == RP_OK ? rp__device_wait(device) : status;
}

/* ---- The case -------------------------------------------------------------------------------- */

static void free_flat(const rp__gpu_case *row, rp__device *device, void *state)
{
    flat *f = state;
    (void)row;
    if (!f)
        return;
    for (size_t i = 0; i < f->n_memory; i++)
        rp__device_free(device, f->memory[i]);
    for (uint32_t i = 0; i < WORDS; i++) {
        rp__free(f->docids[i]);
        rp__free(f->tfs[i]);
        rp__free(f->bytes[i]);
    }
    rp__free(f->codes);
    rp__free(f->scores);
    rp__free(f->mailbox);
    rp__free(f);
}

static rp_status make_flat(const rp__gpu_case *row, rp__device *device, uint64_t n, uint64_t seed,
                           void **state)
{
    flat *f = rp__alloc_zero(1, sizeof *f);
    *state = f;
    if (!f)
        return RP_NO_MEMORY;
    f->random = seed + 1;
    rp_status status = draw_all(f, row, (uint32_t)n);
    if (status == RP_OK)
        status = put_lists(f, device, row);
    if (status == RP_OK)
        status = put_all(f, device);
    if (status == RP_OK && row->kernel == RP_KERNEL_and_single_persistent_kernel && f->n[0] > 0)
        status = put_mailbox(f, device, row);
    if (status != RP_OK) {
        free_flat(row, device, f);
        *state = NULL;
    }
    return status;
}

static uint32_t shared_of(uint32_t bytes)
{
    const uint32_t least = KARG_TOPK_SHARED + KARG_ANSWER_MAX_K * (uint32_t)sizeof(uint64_t);
    return bytes > least ? bytes : least;
}

static rp_status run_and(const rp__gpu_case *row, rp__device *device, const flat *f)
{
    karg_query a = f->args;
    uint32_t shared = WARPS * (KARG_SHARED_AND + WORDS * KARG_SHARED_RANKS);
    a.docs_per_warp = row->option;
    uint32_t warps = (f->n[0] + a.docs_per_warp - 1) / a.docs_per_warp;
    a.blocks = (warps + WARPS - 1) / WARPS;
    rp__launch how = {a.blocks, 32 * WARPS, shared_of(shared)};
    return rp__device_launch(device, (rp__kernel_id)row->kernel, how, &a);
}

static rp_status run_or(const rp__gpu_case *row, rp__device *device, const flat *f)
{
    karg_query a = f->args;
    rp__launch how = {(a.n_blocks + WARPS - 1) / WARPS, 32 * WARPS,
                      WARPS * RP_BLOCK * (uint32_t)sizeof(uint32_t)};
    rp_status status =
        rp__device_fill(device, a.scores, 0, f->n_docs + (f->n_docs + (size_t)31) / 32);
    if (status == RP_OK)
        status = rp__device_launch(device, (rp__kernel_id)row->kernel, how, &a);
    uint32_t blocks = (f->n_docs + 32 * WARPS - 1) / (32 * WARPS), most = 16 * device->processors;
    a.blocks = blocks < most ? blocks : most;
    how = (rp__launch){a.blocks, 32 * WARPS, shared_of(0)};
    if (status == RP_OK)
        status = rp__device_launch(device, RP_KERNEL_or_accumulate_gather_kernel, how, &a);
    return status;
}

static rp_status run_persistent(rp__device *device, const flat *f)
{
    enum { PERSISTENT_WARPS = 8 };
    rp_status status =
        rp__device_fill(device, f->persistent.echo, 0, sizeof *f->mailbox / sizeof(uint32_t));
    if (status == RP_OK)
        status = rp__device_launch(
            device, RP_KERNEL_and_single_persistent_kernel,
            (rp__launch){device->processors, 32 * PERSISTENT_WARPS,
                         PERSISTENT_WARPS * KARG_SHARED_PERSISTENT_WARP + KARG_SHARED_PERSISTENT},
            &f->persistent);
    return status;
}

/* Without postings nothing is launched, and the answer is none. */
static rp_status run_flat(const rp__gpu_case *row, rp__device *device, void *state)
{
    const flat *f = state;
    bool is_or = row->kernel == RP_KERNEL_or_accumulate_kernel;
    if (f->n[0] == 0)
        return rp__device_fill(device, f->args.answer, 0, sizeof(karg_answer) / sizeof(uint32_t));
    if (row->kernel == RP_KERNEL_and_single_persistent_kernel)
        return run_persistent(device, f);
    return is_or ? run_or(row, device, f) : run_and(row, device, f);
}

/* Docids that add up to what they should, each with its score: they are those. */
static rp_status compare(const flat *f, const rp__gpu_case *row, const karg_pair *pairs,
                         rp_error *what)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < f->total; i++) {
        uint32_t docid = pairs[i].docid;
        if (docid >= f->n_docs || f->scores[docid] == none || f->scores[docid] != pairs[i].score)
            return rp__error_set(what, RP_DAMAGED, "%s: document %u scores %u", row->name, docid,
                                 pairs[i].score);
        sum += docid;
    }
    return sum == f->sum ? RP_OK
                         : rp__error_set(what, RP_DAMAGED, "%s: a document twice", row->name);
}

/* Whether the answer's best are the best. */
static rp_status compare_best(const flat *f, const rp__gpu_case *row, const uint8_t *answer,
                              rp_error *what)
{
    const karg_pair *pairs = (const karg_pair *)(const void *)(answer + sizeof(karg_answer));
    uint64_t n = f->total <= KARG_ANSWER_ALL ? f->total : BEST, better = 0;
    if (f->total <= KARG_ANSWER_ALL)
        return compare(f, row, pairs, what);
    for (uint32_t d = 0; d < f->n_docs; d++) {
        bool is_last = d == pairs[n - 1].docid;
        better += f->scores[d] != none && !is_last &&
                  (f->scores[d] > pairs[n - 1].score ||
                   (f->scores[d] == pairs[n - 1].score && d < pairs[n - 1].docid));
    }
    for (uint64_t i = 1; i < n; i++)
        if (pairs[i - 1].score < pairs[i].score)
            better = n;
    return better == n - 1 ? RP_OK : rp__error_set(what, RP_DAMAGED, "%s: not the best", row->name);
}

static rp_status check_answer(const flat *f, const rp__gpu_case *row, const uint8_t *bytes,
                              rp_error *what)
{
    karg_answer answer;
    memcpy(&answer, bytes, sizeof answer);
    if (answer.n != f->total || answer.n_pairs != f->total || answer.damaged)
        return rp__error_set(what, RP_DAMAGED, "%s: %u documents, %u pairs, not %llu", row->name,
                             answer.n, answer.n_pairs, (unsigned long long)f->total);
    return compare_best(f, row, bytes, what);
}

/* What the persistent kernel has published, as other kernels' answers have it. */
static rp_status read_mailbox(const flat *f, rp__device *device, uint8_t *bytes)
{
    const uint32_t mask = (1U << KARG_COUNT_BITS) - 1, number = f->args.number;
    karg_answer answer;
    karg_pair *pairs = (karg_pair *)(void *)(bytes + sizeof answer);
    rp_status status =
        rp__device_copy_out(device, f->mailbox, f->persistent.mailbox, sizeof *f->mailbox);
    if (status == RP_OK)
        status = rp__device_wait(device);
    for (uint64_t i = 0; status == RP_OK && i < f->total && f->total <= KARG_ANSWER_ALL; i++) {
        const karg_chunk *pair = &f->mailbox->pairs[i];
        pairs[i] = (karg_pair){.score = pair->a, .docid = pair->b};
        status = pair->number == number && pair->number_too == number ? RP_OK : RP_DAMAGED;
    }
    memcpy(&answer, bytes, sizeof answer);
    uint64_t counts = (uint64_t)answer.n_pairs << 32 | answer.n;
    answer.n = (uint32_t)counts & mask;
    answer.n_pairs = (uint32_t)(counts >> KARG_COUNT_BITS) & mask;
    memcpy(bytes, &answer, sizeof answer);
    if (status == RP_OK && (answer.number != number || f->mailbox->left != f->persistent.launch))
        status = RP_DAMAGED;
    return status;
}

static rp_status check_flat(const rp__gpu_case *row, rp__device *device, void *state,
                            rp_error *what)
{
    const flat *f = state;
    _Alignas(16) uint8_t answer[ANSWER];
    rp_status status = rp__device_copy_out(device, answer, f->args.answer, sizeof answer);
    if (status == RP_OK)
        status = rp__device_wait(device);
    if (status == RP_OK && f->mailbox)
        status = read_mailbox(f, device, answer);
    if (status == RP_OK)
        status = check_answer(f, row, answer, what);
    if (status != RP_OK)
        return status;
    karg_pair *pairs = rp__alloc_array(f->total + 1, sizeof *pairs);
    if (!pairs)
        return RP_NO_MEMORY;
    status = rp__device_copy_out(device, pairs, f->args.pairs, f->total * sizeof *pairs);
    if (status == RP_OK)
        status = rp__device_wait(device);
    if (status == RP_OK)
        status = compare(f, row, pairs, what);
    rp__free(pairs);
    return status;
}

/* The lists, and pairs; of an OR a score a document, which is cleared, added to and read. */
static void cost_flat(const rp__gpu_case *row, const void *state, uint64_t *bytes,
                      uint64_t *elements)
{
    const flat *f = state;
    bool is_or = row->kernel == RP_KERNEL_or_accumulate_kernel;
    *elements = is_or ? f->n[0] + (uint64_t)f->n[1] : f->n[0];
    *bytes = f->list_bytes + f->total * sizeof(karg_pair) + (is_or ? UINT64_C(12) * f->n_docs : 0);
}

/* By the walk that made the answer. */
static rp_status answer_here(const rp__gpu_case *row, void *state, const rp__gpu_peer *peer,
                             double *times)
{
    (void)peer, (void)times;
    answer(state, row->kernel == RP_KERNEL_or_accumulate_kernel);
    return RP_OK;
}

#define FLAT(title, kernel_, codec_, gap, each)                                                    \
    {                                                                                              \
        .area = "flat", .name = (title), .make = make_flat, .run = run_flat, .check = check_flat,  \
        .free = free_flat, .cost = cost_flat, .kernel = RP_KERNEL_##kernel_, .codec = (codec_),    \
        .width = (gap), .option = (each), .cpu = answer_here                                       \
    }

const rp__gpu_case rp__gpu_case_flat[] = {
    FLAT("and raw", and_single_kernel, KARG_CODEC_RAW, 10, 4),
    FLAT("and bp128", and_single_kernel, KARG_CODEC_BP128, 10, 4),
    FLAT("and bp128, 32 a warp", and_single_kernel, KARG_CODEC_BP128, 10, 32),
    FLAT("and ef128", and_single_kernel, KARG_CODEC_EF128, 10, 4),
    FLAT("and optpfd", and_single_kernel, KARG_CODEC_OPTPFD, 10, 4),
    FLAT("and rice", and_single_kernel, KARG_CODEC_RICE, 10, 4),
    FLAT("and bitmap", and_single_kernel, KARG_CODEC_BITMAP, 3, 4),
    FLAT("and bp128, a persistent kernel", and_single_persistent_kernel, KARG_CODEC_BP128, 10, 4),
    FLAT("and bitmap, a persistent kernel", and_single_persistent_kernel, KARG_CODEC_BITMAP, 3, 1),
    FLAT("or raw", or_accumulate_kernel, KARG_CODEC_RAW, 10, 0),
    FLAT("or bp128", or_accumulate_kernel, KARG_CODEC_BP128, 10, 0),
    FLAT("or ef128", or_accumulate_kernel, KARG_CODEC_EF128, 10, 0),
    FLAT("or optpfd", or_accumulate_kernel, KARG_CODEC_OPTPFD, 10, 0),
    FLAT("or rice", or_accumulate_kernel, KARG_CODEC_RICE, 10, 0),
    FLAT("or bitmap", or_accumulate_kernel, KARG_CODEC_BITMAP, 3, 0),
    {0},
};
