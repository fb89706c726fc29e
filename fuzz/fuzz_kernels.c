/* fuzz_kernels.c: any bytes as a list on the emulated device, through the kernels that read it.
 *
 * Byte 0 is the codec's id (its low 6 bits, so that list inputs of fuzz_codec serve), bytes 1 to 3 are n, bytes 4 to 7
 * the universe, byte 8 the order in which threads run (its lowest bit: the list has positions; the next four: the code of
 * its frequencies, 0: the codec's own); the rest is the list. Its device memory ends where it ends but for RP_PAD, and what
 * lies behind is not to be read.
 * Checked: no kernel leaves that memory, none loses the device; a list that comes out is one that the cpu decodes, to the same
 * docids and frequencies; documents that are searched for in it are found where the cpu finds them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/gpu_candidates.h"
#include "backend/gpu/gpu_list.h"
#include "backend/gpu/operators/intersect_table.h"
#include "backend/gpu/operators/select_table.h"
#include "backend/gpu/residency/transcode.h"
#include "base/bits.h"
#include "index/segment.h"

enum { HEAD = 9, IDS = 64, BYTES_MOST = 1 << 16, WANTED = 64, DOCS = 1024, SLICED_MOST = 1 << 22 };

#define MUST(fact) ((fact) ? (void)0 : broken(#fact, __LINE__))

static _Noreturn void broken(const char *fact, int line)
{
    fprintf(stderr, "fuzz_kernels.c:%d: does not hold: %s\n", line, fact);
    abort();
}

static const uint8_t codes[DOCS + RP_PAD]; /* of lengths, all alike */

/* A list, what the cpu makes of it, and the device. */
typedef struct world {
    rp__list list;
    rp_status decoded, decoded_tfs;
    uint32_t *docids, *tfs;
    rp__device device;
    rp__gpu_index index;
} world;

/* Device memory with the bytes at `from`, or zeros. */
static rp__cu_ptr put(world *w, const void *from, size_t bytes)
{
    rp__cu_ptr at = 0;
    size_t all = rp__bits_align(bytes + RP_PAD, RP_PAD);
    MUST(rp__device_alloc(&w->device, all, &at) == RP_OK);
    MUST(rp__device_fill(&w->device, at, 0, all / sizeof(uint32_t)) == RP_OK);
    if (from)
        MUST(rp__device_copy_in(&w->device, at, from, bytes) == RP_OK);
    MUST(rp__device_wait(&w->device) == RP_OK);
    return at;
}

static void take(world *w, rp__cu_ptr from, void *to, size_t bytes)
{
    MUST(rp__device_copy_out(&w->device, to, from, bytes) == RP_OK);
    MUST(rp__device_wait(&w->device) == RP_OK);
}

/* Docids, or frequencies alone, by a chain of their own. */
static void transcode(world *w, bool wants_tfs)
{
    rp__transcode_list made = {.tfs = 0};
    size_t bytes = w->list.n * sizeof(uint32_t);
    uint32_t damaged, *got = malloc(bytes);
    MUST(rp__gpu_index_list(&w->index, &w->list, &made.list));
    made.list.freq_code = rp__transcode_freq_code(&w->list);
    const rp__cu_ptr at = put(w, NULL, bytes);
    *(wants_tfs ? &made.tfs : &made.docids) = at;
    rp__transcode_sizes needs = rp__transcode_needs(&made, 1);
    rp__transcode to = {.device = &w->device, .stream = w->device.stream};
    MUST(rp__device_pin(&w->device, needs.host, 0, &to.host) == RP_OK);
    MUST(rp__device_alloc(&w->device, needs.device + sizeof damaged, &to.scratch) == RP_OK);
    to.damaged = to.scratch + needs.device;
    MUST(rp__transcode_run(&to, &made, 1) == RP_OK);
    take(w, to.damaged, &damaged, sizeof damaged);
    take(w, at, got, bytes);
    MUST(damaged || (wants_tfs ? w->decoded_tfs : w->decoded) == RP_OK);
    MUST(damaged || memcmp(got, wants_tfs ? w->tfs : w->docids, bytes) == 0);
    w->device.driver->host_free(to.host);
    rp__device_free(&w->device, to.scratch);
    rp__device_free(&w->device, at);
    free(got);
}

/* Docids all over the universe, and some of the list's own. */
static uint32_t draw_wanted(const world *w, uint32_t wanted[WANTED])
{
    uint32_t n = 0, universe = w->list.universe;
    for (uint32_t i = 0; i < WANTED; i++) {
        uint32_t x = (uint32_t)((uint64_t)universe * i / WANTED);
        if (w->decoded == RP_OK && i % 2)
            x = w->docids[(uint64_t)w->list.n * i / WANTED];
        if (n == 0 || x > wanted[n - 1])
            wanted[n++] = x;
    }
    return n;
}

static uint32_t find_wanted(const world *w, const uint32_t *wanted, uint32_t n, uint32_t *found)
{
    uint32_t n_found = 0;
    for (uint32_t i = 0, k = 0; i < n; i++) {
        while (k < w->list.n && w->docids[k] < wanted[i])
            k++;
        if (k < w->list.n && w->docids[k] == wanted[i])
            found[n_found++] = wanted[i];
    }
    return n_found;
}

/* By a row that reads the list in its codec. */
static void search(world *w, rp__intersect_id id, const uint32_t *wanted, uint32_t n)
{
    enum { THREADS = 256, SLICE = 16 };
    uint32_t right[WANTED], got[WANTED], n_got = 0;
    const rp__intersect *row = &rp__intersect_table[id];
    karg_intersect args = {.na = n, .nb = w->list.n, .universe = w->list.universe, .capacity = n};
    rp__launch how;
    if (row->needs != RP_INTERSECT_LIST || strcmp(row->codec, w->list.codec->name) != 0 ||
        !rp__gpu_index_list(&w->index, &w->list, &args.list))
        return;
    rp__intersect_table_cut(id, THREADS, SLICE, &args, &how);
    args.a = put(w, wanted, n * sizeof *wanted);
    args.out = put(w, NULL, n * sizeof *wanted);
    args.count = put(w, NULL, sizeof n_got);
    args.state = put(w, NULL, rp__intersect_state(&args));
    MUST(rp__intersect_table_run(id, &w->device, how, &args) == RP_OK);
    take(w, args.count, &n_got, sizeof n_got);
    take(w, args.out, got, n * sizeof *got);
    if (w->decoded == RP_OK) {
        uint32_t n_right = find_wanted(w, wanted, n, right);
        MUST(n_got == n_right);
        MUST(memcmp(got, right, n_right * sizeof *got) == 0);
    }
    const rp__cu_ptr all[] = {args.a, args.out, args.count, args.state};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        rp__device_free(&w->device, all[i]);
}

static void check_candidates(rp__gpu_candidates *c, const world *w, const uint32_t *right,
                             uint32_t n)
{
    uint32_t *docids = malloc((c->n + 1) * sizeof *docids),
             *scores = malloc((c->n + 1) * sizeof *scores);
    MUST(rp__gpu_candidates_take(c, docids, scores) == RP_OK);
    MUST(w->decoded != RP_OK || (c->n == n && memcmp(docids, right, n * sizeof *docids) == 0));
    free(docids);
    free(scores);
}

static bool is_fair(rp_status status)
{
    return status == RP_OK || status == RP_DAMAGED;
}

/* Candidates that are those of the list, up to the last document. */
static void start(const world *w, const karg_term *word, rp__gpu_candidates *c)
{
    uint32_t n = 0;
    while (w->decoded == RP_OK && n < w->list.n && w->docids[n] < DOCS)
        n++;
    rp_status status = rp__gpu_candidates_start(c, word, 0, DOCS);
    MUST(is_fair(status));
    if (status == RP_OK)
        check_candidates(c, w, w->docids, n);
}

/* Those wanted that are in it, by each way; and their scores, for which frequencies are read. */
static void step(const world *w, const karg_term *word, rp__gpu_candidates *c,
                 const uint32_t *wanted, uint32_t n)
{
    enum { MEET, NARROW, NARROW_AND_SCORE, WAYS };
    uint32_t docids[WANTED], zeros[WANTED] = {0}, right[WANTED];
    const rp__partial partial = {.docids = docids, .scores = zeros, .n = n};
    memcpy(docids, wanted, n * sizeof *docids);
    uint32_t n_right = w->decoded == RP_OK ? find_wanted(w, wanted, n, right) : 0;
    for (int way = 0; way < WAYS; way++) {
        MUST(rp__gpu_candidates_put(c, &partial) == RP_OK);
        rp_status status = way == MEET
                               ? rp__gpu_candidates_meet(c, word)
                               : rp__gpu_candidates_narrow(c, word, 1, way == NARROW_AND_SCORE);
        MUST(is_fair(status));
        if (status == RP_OK)
            check_candidates(c, w, right, n_right);
        MUST(status != RP_OK || is_fair(rp__gpu_candidates_score(c, word)));
    }
}

static void step_all(world *w, const uint32_t *wanted, uint32_t n)
{
    static const float table[1] = {1};
    karg_term word;
    rp__gpu_candidates c;
    uint32_t capacity = w->list.n > WANTED ? w->list.n : WANTED;
    while (n > 0 && wanted[n - 1] >= DOCS)
        n--;
    if (!rp__gpu_list_has_tfs(&w->list) || rp__gpu_list_word(&w->index, &w->list, &word) != RP_OK ||
        n == 0)
        return;
    word.weight = 1024;
    const rp__cu_ptr norms = put(w, table, sizeof table);
    const rp__cu_ptr buffer = put(w, NULL, rp__gpu_candidates_bytes(capacity, 1, DOCS));
    rp__gpu_candidates_open(&c, &w->device);
    MUST(rp__gpu_candidates_begin(&c, buffer, capacity, DOCS,
                                  &(karg_norms){.codes = rp__gpu_index_at(&w->index, codes),
                                                .table = norms,
                                                .code_bytes = 1,
                                                .n_table = 1},
                                  false) == RP_OK);
    start(w, &word, &c);
    step(w, &word, &c, wanted, n);
    rp__gpu_candidates_close(&c);
    rp__device_free(&w->device, buffer);
    rp__device_free(&w->device, norms);
}

static void run_all(world *w)
{
    uint32_t wanted[WANTED], n = draw_wanted(w, wanted);
    transcode(w, false);
    transcode(w, true);
    for (int id = 0; n > 0 && id < RP_INTERSECTS; id++) {
        bool is_sliced = rp__intersect_table[id].tile == RP_INTERSECT_SLICE;
        if (!is_sliced ||
            w->list.universe <= SLICED_MOST) /* a block a slice of it: too long for a fuzzer */
            search(w, (rp__intersect_id)id, wanted, n);
    }
    step_all(w, wanted, n);
    MUST(!w->device.is_lost);
}

/* A segment of one list. */
static void with_device(world *w, const uint8_t *bytes, size_t n_bytes, uint8_t order)
{
    rp_error err;
    rp__segment segment = {.lists = bytes, .lists_bytes = n_bytes};
    segment.docs.lengths =
        (rp__lengths){.codes = codes, .n_docs = DOCS, .code_bytes = 1, .n_table = 1};
    rp__emulated_device_configure(&(rp__emulated_device_options){.seed = order});
    MUST(rp__device_open(&w->device, rp__emulated_device_driver(), 0, &err) == RP_OK);
    MUST(rp__gpu_index_open(&w->index, &w->device, &segment, 0) == RP_OK);
    run_all(w);
    rp__gpu_index_close(&w->index);
    rp__device_close(&w->device);
    MUST(rp__emulated_device_in_use() == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the cpu makes of it. */
static void decode_by_cpu(world *w)
{
    w->docids = malloc((w->list.n + RP_BLOCK_CAPACITY) * sizeof *w->docids);
    w->tfs = malloc((w->list.n + RP_BLOCK_CAPACITY) * sizeof *w->tfs);
    w->decoded = rp__list_decode(&w->list, w->docids, NULL);
    w->decoded_tfs = RP_OK;
    for (uint32_t f = 0; !w->decoded_tfs && (uint64_t)f * RP_BLOCK < w->list.n; f++)
        w->decoded_tfs = rp__list_freqs(&w->list, f, w->tfs + (size_t)f * RP_BLOCK);
}

/* The row with the frequency code of that number, counted from 1; 0, or past the last: its own. */
static rp__codec with_code(const rp__codec *row, uint32_t number)
{
    const rp__block_code *code = row->freqs;
    for (size_t i = 0; number > 0 && rp__block_code_at(i); i++)
        if (rp__block_code_at(i)->needs == 0 && --number == 0)
            code = rp__block_code_at(i);
    return rp__codec_with_freqs(row, code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD || size > BYTES_MOST)
        return 0;
    world w = {0};
    const rp__codec *row = rp__codec_by_id(data[0] % IDS, 0);
    uint32_t n = rp__load32(data) >> 8, universe = rp__load32(data + 4);
    size_t n_bytes = size - HEAD;
    if (!row || n > (n_bytes + 1) * RP_BLOCK_MAX)
        return 0;
    rp__codec codec = with_code(row, data[8] >> 1 & 15);
    uint8_t *bytes = malloc(n_bytes + RP_PAD);
    memcpy(bytes, data + HEAD, n_bytes);
    memset(bytes + n_bytes, 0xEE, RP_PAD);
    if (rp__list_open(&codec, bytes, n_bytes, n, universe, data[8] & 1, &w.list) == RP_OK) {
        decode_by_cpu(&w);
        with_device(&w, bytes, n_bytes, data[8]);
        free(w.docids);
        free(w.tfs);
    }
    free(bytes);
    return 0;
}
