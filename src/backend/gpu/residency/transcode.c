/* transcode.c: jobs, tiles and launches of a chain that transcodes lists.
 *
 * A job is the docids or the frequencies of a list. Jobs lie in this order: docids, then frequencies, both by decoder, then
 * frequencies that lie in payloads. So each launch has a run of tiles. Docids come before frequencies, because of a
 * list whose bits alone are wanted they lie where its frequencies go. */
#include "backend/gpu/residency/transcode.h"

#include "base/bits.h"

enum { WARPS = 4, THREADS = 256, CODES = 256 };

/* ---- Decoders ---------------------------------------------------------------------------------- */

static const rp__transcode_decoder decoders[] = {
    {KARG_CODEC_RAW, RP_KERNEL_decode_raw_kernel, KARG_SHARED_BLOCKS, 0},
    {KARG_CODEC_VBYTE, RP_KERNEL_decode_vbyte_kernel, KARG_SHARED_BLOCKS, 0},
    {KARG_CODEC_BP128, RP_KERNEL_decode_bp128_kernel, KARG_SHARED_BP128, 1},
    {KARG_CODEC_SIMPLE16, RP_KERNEL_decode_simple16_kernel, KARG_SHARED_SIMPLE16, 0},
    {KARG_CODEC_PFD, RP_KERNEL_decode_pfd_kernel, KARG_SHARED_WORKED + 2 * KARG_SHARED_EXCEPTIONS,
     0},
    {KARG_CODEC_NEWPFD, RP_KERNEL_decode_newpfd_kernel, KARG_SHARED_HEADS + KARG_SHARED_NEWPFD, 0},
    {KARG_CODEC_OPTPFD, RP_KERNEL_decode_optpfd_kernel, KARG_SHARED_WORKED + KARG_SHARED_EXCEPTIONS,
     1},
    {KARG_CODEC_PARAPFOR, RP_KERNEL_decode_parapfor_kernel,
     KARG_SHARED_WORKED + KARG_SHARED_EXCEPTIONS, 1},
    {KARG_CODEC_PFD_REC, RP_KERNEL_decode_pfd_rec_kernel, KARG_SHARED_PFD_REC, 0},
    {KARG_CODEC_RICE, RP_KERNEL_decode_rice_kernel, KARG_SHARED_HEADS + KARG_SHARED_RICE, 0},
    {KARG_CODEC_QS, RP_KERNEL_decode_qs_merged_x2_kernel, 2 * KARG_SHARED_QS, 0},
    {KARG_CODEC_EF128, RP_KERNEL_decode_ef128_kernel, KARG_SHARED_EF128_STAGED, 1},
    {KARG_CODEC_INTERPOLATIVE, RP_KERNEL_decode_interpolative_kernel, 0, 0},
    {KARG_CODEC_BP128T, RP_KERNEL_decode_bp128t_kernel, KARG_SHARED_BLOCKS, 0},
    {KARG_CODEC_BP256, RP_KERNEL_decode_bp256_kernel, KARG_SHARED_BP256, 0},
    {KARG_CODEC_IIU, RP_KERNEL_decode_iiu_kernel, KARG_SHARED_IIU, 0},
    {KARG_CODEC_BITMAP, RP_KERNEL_decode_bitmap_kernel, KARG_SHARED_BITMAP, 0},
    {KARG_CODEC_BP128V, RP_KERNEL_decode_bp128v_kernel, KARG_SHARED_BLOCKS, 0},
    {KARG_CODEC_BP128D4, RP_KERNEL_decode_bp128d4_kernel, KARG_SHARED_BLOCKS, 0},
    {KARG_CODEC_FASTPFD, RP_KERNEL_decode_fastpfd_kernel, KARG_SHARED_FASTPFD, 0},
    {KARG_CODEC_LRC, RP_KERNEL_decode_lrc_kernel, KARG_SHARED_REGRESSION, 0},
    {KARG_CODEC_LRCSEG, RP_KERNEL_decode_lrcseg_kernel, KARG_SHARED_REGRESSION, 0},
    {KARG_CODEC_SEGLRC, RP_KERNEL_decode_seglrc_kernel, KARG_SHARED_REGRESSION, 0},
    {KARG_CODEC_HSLRC256, RP_KERNEL_decode_hslrc_kernel, KARG_SHARED_REGRESSION, 0},
    {KARG_CODEC_HSLRC128, RP_KERNEL_decode_hslrc_kernel, KARG_SHARED_REGRESSION, 0},
    {KARG_CODEC_MIXED, RP_KERNEL_decode_mixed_kernel, KARG_SHARED_MIXED, 0},
    {KARG_CODE_PFD_64, RP_KERNEL_decode_pfd_64_kernel,
     KARG_SHARED_WORKED + 2 * KARG_SHARED_EXCEPTIONS, 0},
    {KARG_CODE_NEWPFD_64, RP_KERNEL_decode_newpfd_64_kernel, KARG_SHARED_HEADS + KARG_SHARED_NEWPFD,
     0},
    {KARG_CODE_PARAPFOR_64, RP_KERNEL_decode_parapfor_64_kernel,
     KARG_SHARED_WORKED + KARG_SHARED_EXCEPTIONS, 0},
    {KARG_CODE_EFSUM, RP_KERNEL_decode_efsum_kernel, KARG_SHARED_EFSUM, 0},
};
enum { N_DECODERS = sizeof decoders / sizeof decoders[0] };

const rp__transcode_decoder *rp__transcode_find(uint32_t code)
{
    for (size_t i = 0; i < N_DECODERS; i++)
        if (decoders[i].code == code)
            return &decoders[i];
    return NULL;
}

rp_status rp__transcode_decode(rp__device *device, rp__cu_stream stream,
                               const rp__transcode_decoder *decoder, const karg_decode *args)
{
    rp__launch how = {(args->n_tiles + WARPS - 1) / WARPS, 32 * (WARPS + decoder->ahead),
                      decoder->shared * WARPS};
    return rp__device_launch_on(device, stream, decoder->kernel, how, args);
}

uint32_t rp__transcode_docid_code(const karg_list *list)
{
    if (!list->first)
        return list->codec;
    return list->codec == KARG_CODEC_PFD        ? KARG_CODE_PFD_64
           : list->codec == KARG_CODEC_NEWPFD   ? KARG_CODE_NEWPFD_64
           : list->codec == KARG_CODEC_PARAPFOR ? KARG_CODE_PARAPFOR_64
                                                : list->codec;
}

uint32_t rp__transcode_freq_code(const rp__list *list)
{
    if (!list->freq_code)
        return 0;
    const rp__codec *codec = rp__codec_find(list->freq_code->name, 0);
    return codec ? codec->id : KARG_CODE_EFSUM;
}

bool rp__transcode_can(const karg_list *list)
{
    return rp__transcode_find(list->codec) &&
           (list->freq_code ? rp__transcode_find(list->freq_code) != NULL
                            : list->codec == KARG_CODEC_IIU);
}

/* ---- Jobs ---------------------------------------------------------------------------------------- */

/* What jobs are of. */
typedef enum kind { DOCIDS, FREQS, FREQS_IN_PAYLOAD, KINDS } kind;

/* Tiles that one decoder has. */
typedef struct run {
    const rp__transcode_decoder *decoder;
    kind kind;
    uint32_t from, to;
} run;

/* A chain in the making. */
typedef struct chain {
    const rp__transcode *to;
    const rp__transcode_list *from;
    karg_list *lists; /* in the host's memory, as are jobs */
    karg_job *jobs;
    karg_transcode args;
    uint64_t ones; /* UINT32_MAX: the directory of frequencies */
    uint32_t n_ones, n_tiles;
    uint32_t tiles[KINDS + 1]; /* where those of a kind begin */
    run runs[2 * N_DECODERS];
    uint32_t n_runs;
    bool has_bits;
} chain;

static uint32_t frames_of(const karg_list *list)
{
    return (list->n + KARG_BLOCK - 1) / KARG_BLOCK;
}

static uint32_t tiles_of(uint32_t n_blocks)
{
    return (n_blocks + KARG_TILE_BLOCKS - 1) / KARG_TILE_BLOCKS;
}

/* The code of a list's job of a kind; 0: there is no such job. */
static uint32_t code_of(const rp__transcode_list *l, kind k)
{
    if (k == DOCIDS)
        return l->docids || l->bits ? rp__transcode_docid_code(&l->list) : 0;
    if (!l->tfs || (l->list.freq_code == 0) != (k == FREQS_IN_PAYLOAD))
        return 0;
    return k == FREQS ? l->list.freq_code : l->list.codec;
}

/* The list as a decoder of its frequencies reads it. */
static karg_list freqs_as_docids(const karg_list *list, uint64_t ones)
{
    return (karg_list){.docs = list->freqs,
                       .docs_bytes = list->freqs_bytes,
                       .last = ones,
                       .offsets = list->freq_offsets,
                       .n = list->n,
                       .n_blocks = frames_of(list),
                       .universe = UINT32_MAX,
                       .codec = list->freq_code};
}

static void add_job(chain *c, const rp__transcode_list *l, uint32_t owner, kind k)
{
    karg_job *job = &c->jobs[c->args.n_jobs];
    karg_list *list = &c->lists[c->args.n_jobs++];
    *list = k == FREQS ? freqs_as_docids(&l->list, c->ones) : l->list;
    *job = (karg_job){.out = k == DOCIDS && l->docids ? l->docids : l->tfs,
                      .tiles = c->n_tiles,
                      .owner = owner,
                      .code = k == DOCIDS ? rp__transcode_docid_code(list) : list->codec};
    if (k == DOCIDS) {
        job->bits = l->bits;
        job->hints = l->hints;
        job->last = l->last;
        job->n_words = l->n_words;
        c->has_bits = c->has_bits || l->bits;
    }
    c->n_tiles += tiles_of(list->n_blocks);
    c->args.docids = job->out < c->args.docids ? job->out : c->args.docids;
}

/* Jobs of a kind and a code. */
static void add_run(chain *c, const rp__transcode_list *lists, size_t n, kind k, uint32_t code)
{
    uint32_t from = c->n_tiles;
    for (size_t i = 0; i < n; i++)
        if (code_of(&lists[i], k) == code)
            add_job(c, &lists[i], (uint32_t)i, k);
    const rp__transcode_decoder *named = c->to->decoder;
    const bool is_named = named && named->code == code && k == DOCIDS;
    if (k != FREQS_IN_PAYLOAD)
        c->runs[c->n_runs++] =
            (run){is_named ? named : rp__transcode_find(code), k, from, c->n_tiles};
}

static void add_kind(chain *c, const rp__transcode_list *lists, size_t n, kind k)
{
    bool has[CODES] = {false};
    c->tiles[k] = c->n_tiles;
    for (size_t i = 0; i < n; i++)
        has[code_of(&lists[i], k)] = true;
    for (uint32_t code = 1; code < CODES; code++)
        if (has[code])
            add_run(c, lists, n, k, code);
}

static size_t records_bytes(size_t n)
{
    return 2 * n * (sizeof(karg_list) + sizeof(karg_job));
}

/* Entries of the directory of frequencies: of the longest list. */
static uint32_t count_ones(const rp__transcode_list *lists, size_t n)
{
    uint32_t limit = 0;
    for (size_t i = 0; i < n; i++)
        if (code_of(&lists[i], FREQS) && frames_of(&lists[i].list) > limit)
            limit = frames_of(&lists[i].list);
    return limit;
}

static size_t ones_bytes(uint32_t n_ones)
{
    return rp__bits_align(n_ones * sizeof(uint32_t), RP_TRANSCODE_ALIGN);
}

rp__transcode_sizes rp__transcode_needs(const rp__transcode_list *lists, size_t n)
{
    size_t tiles = 0;
    for (size_t i = 0; i < n; i++)
        for (kind k = 0; k < KINDS; k++)
            if (code_of(&lists[i], k))
                tiles += tiles_of(k == FREQS ? frames_of(&lists[i].list) : lists[i].list.n_blocks);
    return (rp__transcode_sizes){.host = records_bytes(n),
                                 .device = records_bytes(n) + ones_bytes(count_ones(lists, n)) +
                                           tiles * sizeof(karg_tile)};
}

/* Records in the host's memory, and where all of it lies on the device: records, ones, tiles. */
static void plan(chain *c, const rp__transcode_list *lists, size_t n)
{
    c->lists = c->to->host;
    c->jobs = (karg_job *)(void *)(c->lists + 2 * n);
    c->args.lists = c->to->scratch;
    c->args.jobs = c->args.lists + 2 * n * sizeof(karg_list);
    c->args.damaged = c->to->damaged;
    c->args.docids = UINT64_MAX;
    c->ones = c->to->scratch + records_bytes(n);
    c->n_ones = count_ones(lists, n);
    c->args.tiles = c->ones + ones_bytes(c->n_ones);
    for (kind k = 0; k < KINDS; k++)
        add_kind(c, lists, n, k);
    c->tiles[KINDS] = c->n_tiles;
}

/* ---- Launches -------------------------------------------------------------------------------------- */

static rp_status prepare(const chain *c, size_t n)
{
    rp__device *d = c->to->device;
    const rp__driver *driver = d->driver;
    rp__cu_stream stream = c->to->stream;
    if (rp__device_is_lost(d))
        return RP_UNAVAILABLE;
    rp_status status =
        rp__device_check(d, driver->copy_in(c->args.lists, c->to->host, records_bytes(n), stream));
    if (status == RP_OK)
        status = rp__device_check(d, driver->fill32(c->to->damaged, 0, n, stream));
    if (status == RP_OK && c->n_ones)
        status = rp__device_check(d, driver->fill32(c->ones, UINT32_MAX, c->n_ones, stream));
    return status;
}

/* A kernel of karg_transcode over tiles from `from` to `to` - 1: so many threads a tile. */
static rp_status launch(const chain *c, rp__kernel_id kernel, uint32_t from, uint32_t to,
                        uint32_t threads)
{
    karg_transcode args = c->args;
    args.from = from;
    args.n_tiles = to - from;
    uint64_t grid = ((uint64_t)args.n_tiles * threads + THREADS - 1) / THREADS;
    return rp__device_launch_on(c->to->device, c->to->stream, kernel,
                                (rp__launch){(uint32_t)grid, THREADS, 0}, &args);
}

/* Docids of all lists in qs, step by step. */
static rp_status decode_qs(const chain *c)
{
    rp_status status = RP_OK;
    for (uint32_t j = 0; j < c->args.n_jobs && status == RP_OK; j++) {
        const karg_job *job = &c->jobs[j];
        const rp__qs_list list = {.list = c->args.lists + j * sizeof(karg_list),
                                  .out = job->out,
                                  .bits = c->from[job->owner].high_bits,
                                  .n = c->lists[j].n};
        if (job->code == KARG_CODEC_QS)
            status = rp__qs_steps_run(c->to->qs, c->to->device, c->to->stream, &list);
    }
    return status;
}

/* One launch for each code of a kind. */
static rp_status decode(const chain *c, kind k)
{
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < c->n_runs && status == RP_OK; i++) {
        const run *r = &c->runs[i];
        karg_decode args = {.lists = c->args.lists,
                            .tiles = c->args.tiles + r->from * sizeof(karg_tile),
                            .docids = c->args.docids,
                            .n_tiles = r->to - r->from};
        if (r->kind == k && c->to->qs && r->decoder->code == KARG_CODEC_QS)
            status = decode_qs(c);
        else if (r->kind == k)
            status = rp__transcode_decode(c->to->device, c->to->stream, r->decoder, &args);
    }
    return status;
}

static rp_status launch_all(const chain *c)
{
    const uint32_t *at = c->tiles;
    rp_status status = launch(c, RP_KERNEL_make_tiles_kernel, 0, c->n_tiles, 1);
    if (status == RP_OK)
        status = launch(c, RP_KERNEL_check_blocks_kernel, 0, c->n_tiles, KARG_TILE_BLOCKS);
    if (status == RP_OK)
        status = decode(c, DOCIDS);
    if (status == RP_OK)
        status = launch(c, RP_KERNEL_check_lists_kernel, at[DOCIDS], at[FREQS], 32);
    if (status == RP_OK && c->has_bits)
        status = launch(c, RP_KERNEL_docids_to_bits_kernel, at[DOCIDS], at[FREQS], 32);
    if (status == RP_OK)
        status = decode(c, FREQS);
    if (status == RP_OK)
        status = launch(c, RP_KERNEL_freq_differences_kernel, at[FREQS], at[FREQS_IN_PAYLOAD], 32);
    if (status == RP_OK)
        status = launch(c, RP_KERNEL_decode_iiu_tfs_kernel, at[FREQS_IN_PAYLOAD], at[KINDS], 32);
    return status;
}

rp_status rp__transcode_run(const rp__transcode *to, const rp__transcode_list *lists, size_t n)
{
    chain c = {.to = to, .from = lists};
    for (size_t i = 0; i < n; i++)
        if (!rp__transcode_can(&lists[i].list))
            return RP_UNAVAILABLE;
    if (n == 0)
        return RP_OK;
    plan(&c, lists, n);
    rp_status status = prepare(&c, n);
    return status == RP_OK ? launch_all(&c) : status;
}
