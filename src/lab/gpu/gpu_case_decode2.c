/* gpu_case_decode2.c: the papers' decoding kernels: rice, the PForDelta family, the regression codes; single docids
 * and frequencies.
 *
 * Lists are drawn as suits a code: gaps of `width` bits, of which some are larger (the exceptions that PForDelta is
 * made for), or falling off by half with each 2^width (those of Rice, and of docids drawn at random). Of few postings
 * widths differ from list to list. */
#include "lab/gpu/gpu_case.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "lab/gpu/gpu_case_lists.h"

enum {
    RESIDENT_WARPS = 128, /* twice as many as a multiprocessor has at a time */
    FEW = 1 << 13,        /* so many postings are cut into short lists, of all widths */
    SHORT_MOST = 700,
    LIST_MOST = 1 << 20,
    /* What a row's `option` says of its lists and its answer, beside the shared bytes of a warp, which are its low bits. */
    BYTES = 0x3FFF,
    LOWS = 1 << 14,    /* of qs, low bits are the answer */
    TILE_14 = 1 << 15, /* tiles of 14 blocks, of 16, or of 8, not of 32 */
    TAILED = 1 << 16,  /* one gap of ten is up to 64 times larger */
    PATCHED = 1 << 17, /* the encoder is asked for a tenth of exceptions */
    DAMAGED = 1 << 18, /* bytes are changed: nothing may be read or written outside */
    SUMMED = 1 << 19,  /* docids stay in registers, their sum is the answer */
    FREQS = 1 << 20,   /* frequencies are the answer */
    NO_LAST = 1 << 21, /* the directory's last docids are not read */
    GAPS = 1 << 22,    /* gaps less one are the answer */
    LEVELS = 1 << 23,  /* the encoder is asked for three levels */
    STEPS = 1 << 24,   /* qs, step by step */
    TILE_16 = 1 << 26,
    TILE_8 = 1 << 27,
    RESIDENT = 1 << 28, /* no more warps than twice what runs at a time */
    NO_FIRST = 1 << 29, /* nor its ranks of blocks */
    AHEAD = 1 << 30,    /* a block has a warp more, which looks ahead */
};

typedef struct work {
    rp__gpu_case_lists set;
    rp__codec_options options;
    uint32_t *tfs; /* as the set has docids */
    rp__cu_ptr out, sum;
    rp__cu_ptr steps_at; /* of qs, step by step */
    rp__qs_steps steps;
} work;

/* ---- Lists --------------------------------------------------------------------------------------- */

static uint32_t draw_gap(const rp__gpu_case *row, uint32_t width, uint64_t *state)
{
    uint64_t r = rp__gpu_case_lists_random(state);
    uint32_t low = (uint32_t)(r >> 32 & ((1ULL << width) - 1));
    if (row->option & TAILED)
        return r % 10 ? low : low << (r >> 8) % 7;
    uint32_t halves = 0;
    for (; r & 1 && halves < 31; r >>= 1)
        halves++;
    return low + (halves << width);
}

/* At most n rising docids; returns how many. */
static uint32_t draw_docids(const rp__gpu_case *row, uint32_t width, uint64_t *state, uint32_t n,
                            uint32_t *out)
{
    uint64_t next = 0;
    for (uint32_t i = 0; i < n; i++) {
        next += draw_gap(row, width, state);
        if (next >= RP_NO_DOC)
            return i;
        out[i] = (uint32_t)next++;
    }
    return n;
}

/* Mostly 1, now and then large. */
static void draw_tfs(uint64_t *state, uint32_t n, uint32_t *out)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t r = rp__gpu_case_lists_random(state);
        uint32_t bits = r % 4 ? 0 : r >> 8 & 31 ? 3 : (uint32_t)(r >> 16) % 31;
        out[i] = 1 + (uint32_t)(r >> 32 & ((1ULL << bits) - 1));
    }
}

/* One list of at most n postings; how many it has. */
static rp_status draw_list(const rp__gpu_case *row, work *w, uint64_t *state, uint32_t width,
                           uint32_t n, uint32_t *docids, uint32_t *got)
{
    const rp__codec *codec = rp__codec_by_id((uint8_t)row->codec, 0);
    uint64_t start = w->set.n_lists ? w->set.starts[w->set.n_lists] : 0;
    *got = draw_docids(row, width, state, n, docids);
    draw_tfs(state, *got, w->tfs + start);
    if (*got == 0)
        return RP_OK;
    return rp__gpu_case_lists_add(&w->set, codec, docids, w->tfs + start, *got,
                                  docids[*got - 1] + 1);
}

static rp_status draw_lists(const rp__gpu_case *row, work *w, uint64_t n, uint64_t seed)
{
    uint64_t state = seed * 2 + n, left = n < RP_GPU_CASE_DISTINCT ? n : RP_GPU_CASE_DISTINCT;
    bool is_few = n <= FEW, is_short = is_few && seed % 2 == 1;
    uint32_t longest = row->option & STEPS ? RP_GPU_CASE_DISTINCT : LIST_MOST, got;
    uint32_t *docids = rp__alloc_array(left < longest ? left : longest, sizeof *docids);
    w->tfs = rp__alloc_array(left + (is_few ? 32 * left : left), sizeof *w->tfs);
    rp_status status = docids && w->tfs ? RP_OK : RP_NO_MEMORY;
    while (left > 0 && status == RP_OK) {
        uint64_t r = rp__gpu_case_lists_random(&state);
        uint32_t most = is_short ? 1 + (uint32_t)(r >> 8) % SHORT_MOST : longest;
        uint32_t width = is_few ? (uint32_t)r % 22 : row->width;
        most = left < most ? (uint32_t)left : most;
        status = draw_list(row, w, &state, width, most, docids, &got);
        left -= got < left ? got : left;
    }
    rp__free(docids);
    return status;
}

/* Lists of a source, and their frequencies as the set has docids. */
static rp_status take_lists(const rp__gpu_case *row, work *w, uint64_t n)
{
    const rp__codec *codec = rp__codec_by_id((uint8_t)row->codec, 0);
    const rp__gpu_source *source = row->given->source;
    const uint32_t limit = codec->limit ? codec->limit : RP_NO_DOC;
    uint32_t list = 0;
    rp_status status = rp__gpu_case_lists_take(&w->set, codec, source, n);
    if (status != RP_OK)
        return status;
    w->tfs = rp__alloc_array(w->set.starts[w->set.n_lists] + 1, sizeof *w->tfs);
    for (size_t i = 0; w->tfs && list < w->set.n_lists; i++) {
        const rp__gpu_source_list *l = &source->lists[i];
        if (l->docids[l->n - 1] < limit)
            memcpy(w->tfs + w->set.starts[list++], l->tfs, l->n * sizeof *l->tfs);
    }
    return w->tfs ? RP_OK : RP_NO_MEMORY;
}

/* ---- qs, step by step ---------------------------------------------------------------------------- */

/* High bits of list i. */
static uint64_t high_bits(const work *w, uint32_t i)
{
    const karg_list *list = &w->set.lists[i];
    uint32_t last = w->set.docids[w->set.starts[i] + list->n - 1];
    uint64_t bits = list->n + ((uint64_t)last >> (w->set.bytes[list->docs - 1] & 31));
    return bits < 8ULL * list->docs_bytes ? bits : 8ULL * list->docs_bytes;
}

/* What steps leave to each other, for the longest list. */
static rp_status make_steps(const rp__gpu_case *row, rp__device *device, work *w)
{
    const rp__qs_method method = (rp__qs_method)row->kernel;
    uint64_t most = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->set.n_lists; i++) {
        most = high_bits(w, i) > most ? high_bits(w, i) : most;
        n = w->set.lists[i].n > n ? w->set.lists[i].n : n;
    }
    rp_status status = rp__device_alloc(device, rp__qs_steps_bytes(method, most, n), &w->steps_at);
    w->steps = rp__qs_steps_at(method, most, n, w->steps_at);
    w->steps.threads = row->given ? row->given->threads : 0;
    return status;
}

/* ---- Cases --------------------------------------------------------------------------------------- */

static void free_work(const rp__gpu_case *row, rp__device *device, void *state)
{
    work *w = state;
    (void)row;
    if (!w)
        return;
    rp__gpu_case_lists_free(&w->set, device);
    rp__device_free(device, w->out);
    rp__device_free(device, w->sum);
    rp__device_free(device, w->steps_at);
    rp__free(w->tfs);
    rp__free(w);
}

/* What the set compares with, in place of a list's docids. */
static void set_answer(const rp__gpu_case *row, const work *w, uint32_t list)
{
    const karg_list *of = &w->set.lists[list];
    uint32_t *docids = w->set.docids + w->set.starts[list];
    if (row->option & FREQS)
        memcpy(docids, w->tfs + w->set.starts[list], of->n * sizeof *docids);
    for (uint32_t i = of->n; i-- > 1 && row->option & GAPS;)
        docids[i] -= docids[i - 1] + 1;
    for (uint32_t i = 0; i < of->n && row->option & LOWS; i++)
        docids[i] &= (1U << (w->set.bytes[of->docs - 1] & 31)) - 1;
}

static uint32_t tile_of(const rp__gpu_case *row)
{
    uint32_t option = row->option;
    return option & TILE_14 ? 14 : option & TILE_16 ? 16 : option & TILE_8 ? 8 : 32;
}

static bool is_in_segments(const rp__gpu_case *row)
{
    return row->kernel == RP_KERNEL_decode_pfd_64_kernel ||
           row->kernel == RP_KERNEL_decode_newpfd_64_kernel ||
           row->kernel == RP_KERNEL_decode_parapfor_64_kernel;
}

/* What the caller wants of the encoder. */
static void give(const rp__gpu_case *row, rp__codec_options *options)
{
    const rp__codec_options *given = row->given ? &row->given->options : &(rp__codec_options){0};
    if (given->has_exceptions) {
        options->has_exceptions = true;
        options->exceptions = given->exceptions;
    }
    if (given->has_level) {
        options->has_level = true;
        options->level = given->level;
    }
    if (given->c > 0)
        options->c = given->c;
}

static rp_status make_parts(const rp__gpu_case *row, rp__device *device, uint64_t n, uint64_t seed,
                            work *w)
{
    w->options = (rp__codec_options){.has_exceptions = row->option & PATCHED,
                                     .exceptions = 0.1,
                                     .has_level = row->option & LEVELS,
                                     .level = 3,
                                     .segment = is_in_segments(row) ? KARG_SEGMENT : 0};
    w->set.options = &w->options;
    const bool is_taken = row->given && row->given->source;
    give(row, &w->options);
    rp_status status = is_taken ? take_lists(row, w, n) : draw_lists(row, w, n, seed);
    for (uint32_t i = 0; i < w->set.n_lists; i++)
        set_answer(row, w, i);
    if (status == RP_OK && row->option & DAMAGED)
        rp__gpu_case_lists_damage(&w->set, seed);
    if (status == RP_OK)
        status = rp__gpu_case_lists_send(&w->set, device, is_taken ? 0 : n,
                                         n > FEW ? tile_of(row) : 1 + (uint32_t)seed % 5);
    if (status == RP_OK)
        status = rp__gpu_case_lists_room(&w->set, device, &w->out);
    if (status == RP_OK)
        status = rp__device_alloc(device, sizeof(uint32_t), &w->sum);
    if (status == RP_OK)
        status = rp__device_fill(device, w->sum, 0, 1);
    if (status == RP_OK && row->option & STEPS)
        status = make_steps(row, device, w);
    return status;
}

static rp_status make(const rp__gpu_case *row, rp__device *device, uint64_t n, uint64_t seed,
                      void **state)
{
    work *w = rp__alloc_zero(1, sizeof *w);
    rp_status status = w ? make_parts(row, device, n, seed, w) : RP_NO_MEMORY;
    if (status != RP_OK) {
        free_work(row, device, w);
        w = NULL;
    }
    *state = w;
    return status;
}

static karg_decode args_of(const work *w)
{
    return (karg_decode){.lists = w->set.at_lists,
                         .tiles = w->set.at_tiles,
                         .docids = w->out,
                         .sum = w->sum,
                         .n_tiles = w->set.n_tiles};
}

static rp_status run(const rp__gpu_case *row, rp__device *device, void *state)
{
    const work *w = state;
    uint32_t shared = row->option & BYTES, warps = 4;
    uint32_t grid = (w->set.n_tiles + warps - 1) / warps;
    uint32_t most = row->option & RESIDENT ? device->processors * RESIDENT_WARPS / warps : grid;
    karg_decode args = args_of(w);
    return rp__device_launch(device, (rp__kernel_id)row->kernel,
                             (rp__launch){grid < most ? grid : most,
                                          32 * (warps + (row->option & AHEAD ? 1 : 0)),
                                          warps * shared},
                             &args);
}

/* ---- Running qs, step by step --------------------------------------------------------------------- */

static rp_status run_steps_of(rp__device *device, const work *w, uint32_t list)
{
    const uint32_t i = list % w->set.n_lists;
    const uint64_t out = list / w->set.n_lists * w->set.starts[w->set.n_lists] + w->set.starts[i];
    return rp__qs_steps_run(&w->steps, device, device->stream,
                            &(rp__qs_list){.list = w->set.at_lists + list * sizeof(karg_list),
                                           .out = w->out + out * sizeof(uint32_t),
                                           .bits = high_bits(w, i),
                                           .n = w->set.lists[i].n});
}

static rp_status run_steps(const rp__gpu_case *row, rp__device *device, void *state)
{
    const work *w = state;
    rp_status status = RP_OK;
    (void)row;
    for (uint32_t list = 0; list < w->set.copies * w->set.n_lists && status == RP_OK; list++)
        status = run_steps_of(device, w, list);
    return status;
}

bool rp__gpu_case_decode2_has_steps(const rp__gpu_case *row)
{
    return row->run == run_steps;
}

/* ---- Answers ------------------------------------------------------------------------------------- */

static rp_status check_sum(const rp__gpu_case *row, rp__device *device, const work *w,
                           rp_error *what)
{
    uint32_t got = 0, sum = rp__gpu_case_lists_sum(&w->set);
    rp_status status = rp__device_copy_out(device, &got, w->sum, sizeof got);
    if (status == RP_OK)
        status = rp__device_wait(device);
    if (status == RP_OK && got != sum && !(row->option & DAMAGED))
        return rp__error_set(what, RP_DAMAGED, "%s: the sum is %u, not %u", row->name, got, sum);
    return status;
}

static rp_status check(const rp__gpu_case *row, rp__device *device, void *state, rp_error *what)
{
    work *w = state;
    if (row->option & SUMMED)
        return check_sum(row, device, w, what);
    return rp__gpu_case_lists_check(&w->set, device, w->out, what);
}

/* Bytes of a list that a kernel reads. */
static uint64_t bytes_read(const rp__gpu_case *row, const karg_list *list)
{
    uint64_t words = list->offsets ? list->n_blocks : 0;
    if (row->option & FREQS)
        return list->freqs_bytes + (list->n + KARG_BLOCK - 1) / KARG_BLOCK * sizeof(uint32_t);
    words += list->first && !(row->option & NO_FIRST) ? list->n_blocks : 0;
    words += list->last && !(row->option & NO_LAST) ? list->n_blocks : 0;
    return list->docs_bytes + words * sizeof(uint32_t);
}

static void cost(const rp__gpu_case *row, const void *state, uint64_t *bytes, uint64_t *elements)
{
    const work *w = state;
    *elements = rp__gpu_case_lists_postings(&w->set);
    *bytes = row->option & SUMMED ? 0 : *elements * sizeof(uint32_t);
    for (uint32_t i = 0; i < w->set.n_lists; i++)
        *bytes += w->set.copies * bytes_read(row, &w->set.lists[i]);
}

static rp_status decode_here(const rp__gpu_case *row, void *state, const rp__gpu_peer *peer,
                             double *times)
{
    work *w = state;
    (void)peer;
    *times = w->set.copies;
    return rp__gpu_case_lists_decode(&w->set,
                                     row->option & FREQS ? RP_GPU_CASE_FREQS : RP_GPU_CASE_DOCIDS);
}

/* ---- Rows ---------------------------------------------------------------------------------------- */

/* Ids of docs/format.md, chapter 7. */
enum {
    BP128 = 3,
    PFD = 5,
    NEWPFD = 6,
    OPTPFD = 7,
    PARAPFOR = 8,
    PFD_REC = 9,
    RICE = 10,
    QS = 11,
    LRC = 19,
    LRCSEG = 20,
    SEGLRC = 21,
    HSLRC256 = 22,
    HSLRC128 = 23,
};

/* Bytes of a warp that has a tile. */
#define GAPS_OF(room) (KARG_SHARED_HEADS + (room))
#define PATCH         ((KARG_SHARED_WORKED + KARG_SHARED_EXCEPTIONS) | AHEAD)
#define SEGMENTS      (KARG_SHARED_WORKED + KARG_SHARED_EXCEPTIONS)
#define LINKS         (KARG_SHARED_WORKED + 2 * KARG_SHARED_EXCEPTIONS)

#define STEP_ROW(what, method, is_of_paper, options)                                               \
    {                                                                                              \
        .area = "decode", .name = what, .make = make, .run = run_steps, .check = check,            \
        .free = free_work, .cost = cost, .kernel = (method), .codec = QS, .width = 6,              \
        .option = STEPS | (options), .is_literal = (is_of_paper) ? &rp__gpu_case_literal : NULL,   \
        .cpu = (options)&DAMAGED ? NULL : decode_here                                              \
    }

#define ANY_ROW(is_of_paper, what, of, code, bits, options)                                        \
    {                                                                                              \
        .area = "decode", .name = what, .make = make, .run = run, .check = check,                  \
        .free = free_work, .cost = cost, .kernel = RP_KERNEL_##of, .codec = (code),                \
        .width = (bits), .option = (options),                                                      \
        .is_literal = (is_of_paper) ? &rp__gpu_case_literal : NULL,                                \
        .cpu = (options)&DAMAGED ? NULL : decode_here                                              \
    }
#define ROW(...)     ANY_ROW(false, __VA_ARGS__)
#define LITERAL(...) ANY_ROW(true, __VA_ARGS__)

const rp__gpu_case rp__gpu_case_decode2[] = {
    ROW("rice", decode_rice_kernel, RICE, 8, GAPS_OF(KARG_SHARED_RICE) | TILE_16),
    ROW("rice, damaged", decode_rice_kernel, RICE, 8, GAPS_OF(KARG_SHARED_RICE) | DAMAGED),
    LITERAL("parapfor", decode_parapfor_kernel, PARAPFOR, 7, PATCH | TAILED | TILE_14),
    LITERAL("parapfor, a tenth patched", decode_parapfor_kernel, PARAPFOR, 7,
            PATCH | TAILED | PATCHED | TILE_14),
    LITERAL("parapfor, damaged", decode_parapfor_kernel, PARAPFOR, 7, PATCH | TAILED | DAMAGED),
    ROW("optpfd", decode_optpfd_kernel, OPTPFD, 7, PATCH | TAILED | TILE_16),
    ROW("optpfd of random docids", decode_optpfd_kernel, OPTPFD, 7, PATCH | TILE_16),
    ROW("optpfd, damaged", decode_optpfd_kernel, OPTPFD, 7, PATCH | TAILED | DAMAGED),
    ROW("pfd", decode_pfd_kernel, PFD, 7, LINKS | TAILED | TILE_16),
    ROW("pfd, damaged", decode_pfd_kernel, PFD, 7, LINKS | TAILED | DAMAGED),
    ROW("newpfd", decode_newpfd_kernel, NEWPFD, 7, GAPS_OF(KARG_SHARED_NEWPFD) | TAILED | TILE_16),
    ROW("newpfd, damaged", decode_newpfd_kernel, NEWPFD, 7,
        GAPS_OF(KARG_SHARED_NEWPFD) | TAILED | DAMAGED),
    ROW("pfd of 64", decode_pfd_64_kernel, PFD, 7, LINKS | TAILED | TILE_16),
    ROW("pfd of 64, damaged", decode_pfd_64_kernel, PFD, 7, LINKS | TAILED | DAMAGED),
    ROW("newpfd of 64", decode_newpfd_64_kernel, NEWPFD, 7,
        GAPS_OF(KARG_SHARED_NEWPFD) | TAILED | TILE_16),
    ROW("newpfd of 64, damaged", decode_newpfd_64_kernel, NEWPFD, 7,
        GAPS_OF(KARG_SHARED_NEWPFD) | TAILED | DAMAGED),
    LITERAL("parapfor of 64", decode_parapfor_64_kernel, PARAPFOR, 7, SEGMENTS | TAILED | TILE_16),
    LITERAL("parapfor of 64, a tenth patched", decode_parapfor_64_kernel, PARAPFOR, 7,
            SEGMENTS | TAILED | PATCHED | TILE_16),
    LITERAL("parapfor of 64, damaged", decode_parapfor_64_kernel, PARAPFOR, 7,
            SEGMENTS | TAILED | DAMAGED),
    ROW("pfd_rec", decode_pfd_rec_kernel, PFD_REC, 7, KARG_SHARED_PFD_REC | TILE_16 | TAILED),
    ROW("pfd_rec, gaps", decode_pfd_rec_gaps_kernel, PFD_REC, 7,
        KARG_SHARED_PFD_REC | TILE_16 | TAILED | GAPS | NO_LAST),
    ROW("pfd_rec, three levels", decode_pfd_rec_kernel, PFD_REC, 7,
        KARG_SHARED_PFD_REC | TILE_16 | TAILED | PATCHED | LEVELS),
    ROW("pfd_rec, damaged", decode_pfd_rec_kernel, PFD_REC, 7,
        KARG_SHARED_PFD_REC | TILE_16 | TAILED | PATCHED | DAMAGED),
    STEP_ROW("qs, naive", RP_QS_NAIVE, true, NO_LAST),
    STEP_ROW("qs, naive, damaged", RP_QS_NAIVE, true, NO_LAST | DAMAGED),
    STEP_ROW("qs, by words", RP_QS_WORDS, false, NO_LAST),
    STEP_ROW("qs, by words, damaged", RP_QS_WORDS, false, NO_LAST | DAMAGED),
    STEP_ROW("qs, Li separate", RP_QS_SEPARATE, true, NO_LAST),
    STEP_ROW("qs, Li separate, damaged", RP_QS_SEPARATE, true, NO_LAST | DAMAGED),
    STEP_ROW("qs, Li merged", RP_QS_MERGED, true, NO_LAST),
    STEP_ROW("qs, Li merged, damaged", RP_QS_MERGED, true, NO_LAST | DAMAGED),
    STEP_ROW("qs, low bits", RP_QS_LOW_BITS, true, NO_LAST | LOWS),
    STEP_ROW("qs, low bits, damaged", RP_QS_LOW_BITS, true, NO_LAST | LOWS | DAMAGED),
    ROW("qs, merged, 2 blocks", decode_qs_merged_x2_kernel, QS, 8, 2 * KARG_SHARED_QS),
    ROW("qs, merged, 1 block", decode_qs_merged_x1_kernel, QS, 8, KARG_SHARED_QS),
    ROW("qs, merged, damaged", decode_qs_merged_x2_kernel, QS, 8, 2 * KARG_SHARED_QS | DAMAGED),
    LITERAL("lrc", decode_lrc_kernel, LRC, 8, KARG_SHARED_REGRESSION | NO_LAST | NO_FIRST | TILE_8),
    LITERAL("lrc, a tenth patched", decode_lrc_kernel, LRC, 8,
            KARG_SHARED_REGRESSION | NO_LAST | NO_FIRST | PATCHED | TILE_8),
    LITERAL("lrc, one by one", decode_lrc_at_kernel, LRC, 8, NO_LAST | NO_FIRST),
    LITERAL("lrc, damaged", decode_lrc_kernel, LRC, 8,
            KARG_SHARED_REGRESSION | NO_LAST | NO_FIRST | PATCHED | DAMAGED),
    LITERAL("lrcseg", decode_lrcseg_kernel, LRCSEG, 8,
            KARG_SHARED_REGRESSION | NO_LAST | NO_FIRST | TILE_8),
    LITERAL("lrcseg, one by one", decode_lrcseg_at_kernel, LRCSEG, 8, NO_LAST | NO_FIRST | PATCHED),
    LITERAL("lrcseg, damaged", decode_lrcseg_kernel, LRCSEG, 8,
            KARG_SHARED_REGRESSION | NO_LAST | NO_FIRST | DAMAGED),
    LITERAL("seglrc", decode_seglrc_kernel, SEGLRC, 8,
            KARG_SHARED_REGRESSION | NO_LAST | NO_FIRST | TILE_8),
    LITERAL("seglrc, one by one", decode_seglrc_at_kernel, SEGLRC, 8, NO_LAST | NO_FIRST),
    LITERAL("seglrc, damaged", decode_seglrc_kernel, SEGLRC, 8,
            KARG_SHARED_REGRESSION | NO_LAST | NO_FIRST | DAMAGED),
    LITERAL("hslrc256", decode_hslrc_kernel, HSLRC256, 8,
            KARG_SHARED_REGRESSION | NO_LAST | TILE_8),
    LITERAL("hslrc128", decode_hslrc_kernel, HSLRC128, 8,
            KARG_SHARED_REGRESSION | NO_LAST | TILE_8),
    LITERAL("hslrc256, one by one", decode_hslrc_at_kernel, HSLRC256, 8, NO_LAST),
    LITERAL("hslrc256, damaged", decode_hslrc_kernel, HSLRC256, 8,
            KARG_SHARED_REGRESSION | NO_LAST | DAMAGED),
    LITERAL("hslrc256, one by one, damaged", decode_hslrc_at_kernel, HSLRC256, 8,
            NO_LAST | DAMAGED),
    ROW("seglrc, summed", decode_seglrc_sum_kernel, SEGLRC, 5,
        KARG_SHARED_REGRESSION | NO_LAST | NO_FIRST | SUMMED | RESIDENT),
    ROW("seglrc, summed, damaged", decode_seglrc_sum_kernel, SEGLRC, 5,
        KARG_SHARED_REGRESSION | NO_LAST | NO_FIRST | SUMMED | PATCHED | DAMAGED),
    ROW("hslrc256, summed", decode_hslrc_sum_kernel, HSLRC256, 5,
        KARG_SHARED_REGRESSION | NO_LAST | SUMMED | TILE_16 | RESIDENT),
    ROW("hslrc128, summed", decode_hslrc_sum_kernel, HSLRC128, 5,
        KARG_SHARED_REGRESSION | NO_LAST | SUMMED | TILE_16 | RESIDENT),
    ROW("hslrc256, summed, patched", decode_hslrc_sum_kernel, HSLRC256, 5,
        KARG_SHARED_REGRESSION | NO_LAST | SUMMED | PATCHED),
    ROW("hslrc256, summed, damaged", decode_hslrc_sum_kernel, HSLRC256, 5,
        KARG_SHARED_REGRESSION | NO_LAST | SUMMED | PATCHED | DAMAGED),
    ROW("bp256", decode_bp256_kernel, KARG_CODEC_BP256, 8, KARG_SHARED_BP256 | TILE_8),
    ROW("bp256, damaged", decode_bp256_kernel, KARG_CODEC_BP256, 8, KARG_SHARED_BP256 | DAMAGED),
    ROW("bp128t", decode_bp128t_kernel, KARG_CODEC_BP128T, 8, KARG_SHARED_BLOCKS | TILE_16),
    ROW("bp128t, damaged", decode_bp128t_kernel, KARG_CODEC_BP128T, 8,
        KARG_SHARED_BLOCKS | DAMAGED),
    ROW("bp128v", decode_bp128v_kernel, KARG_CODEC_BP128V, 8, KARG_SHARED_BLOCKS | TILE_16),
    ROW("bp128v, damaged", decode_bp128v_kernel, KARG_CODEC_BP128V, 8,
        KARG_SHARED_BLOCKS | DAMAGED),
    ROW("bp128d4", decode_bp128d4_kernel, KARG_CODEC_BP128D4, 8, KARG_SHARED_BLOCKS | TILE_16),
    ROW("bp128d4, damaged", decode_bp128d4_kernel, KARG_CODEC_BP128D4, 8,
        KARG_SHARED_BLOCKS | DAMAGED),
    ROW("fastpfd", decode_fastpfd_kernel, KARG_CODEC_FASTPFD, 7,
        KARG_SHARED_FASTPFD | TAILED | TILE_16),
    ROW("fastpfd, damaged", decode_fastpfd_kernel, KARG_CODEC_FASTPFD, 7,
        KARG_SHARED_FASTPFD | TAILED | DAMAGED),
    ROW("simple16", decode_simple16_kernel, KARG_CODEC_SIMPLE16, 7,
        KARG_SHARED_SIMPLE16 | TAILED | TILE_16),
    ROW("simple16, damaged", decode_simple16_kernel, KARG_CODEC_SIMPLE16, 7,
        KARG_SHARED_SIMPLE16 | TAILED | DAMAGED),
    ROW("mixed", decode_mixed_kernel, KARG_CODEC_MIXED, 7, KARG_SHARED_MIXED | TAILED | TILE_16),
    ROW("mixed, damaged", decode_mixed_kernel, KARG_CODEC_MIXED, 7,
        KARG_SHARED_MIXED | TAILED | DAMAGED),
    ROW("interpolative", decode_interpolative_kernel, KARG_CODEC_INTERPOLATIVE, 7, TAILED),
    ROW("interpolative, damaged", decode_interpolative_kernel, KARG_CODEC_INTERPOLATIVE, 7,
        TAILED | DAMAGED),
    ROW("frequencies of bp128, one by one", freqs_at_bp128_kernel, BP128, 8, FREQS),
    ROW("frequencies of optpfd, one by one", freqs_at_optpfd_kernel, OPTPFD, 8, FREQS),
    ROW("frequencies of optpfd, damaged", freqs_at_optpfd_kernel, OPTPFD, 8, FREQS | DAMAGED),
    ROW("frequencies of optpfd, by frames", freqs_frame_optpfd_kernel, OPTPFD, 8,
        KARG_SHARED_EXCEPTIONS | FREQS | TILE_16),
    ROW("frequencies of optpfd, by frames, damaged", freqs_frame_optpfd_kernel, OPTPFD, 8,
        KARG_SHARED_EXCEPTIONS | FREQS | DAMAGED),
    {0},
};
