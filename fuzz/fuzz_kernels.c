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

#include "backend/gpu/emulated.h"
#include "backend/gpu/step.h"
#include "backend/gpu/transcode.h"
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
    rp__step step;
} world;

static void take_words(world *w, const rp__step_buffer *from, uint32_t *to)
{
    MUST(rp__step_take(&w->step, from, to) == RP_OK);
}

static void decode(world *w)
{
    rp__step_buffer docids = {0};
    rp_status status = rp__step_decode(&w->step, &w->list, &docids);
    MUST(status == RP_OK || status == RP_DAMAGED || status == RP_UNAVAILABLE);
    MUST(status != RP_OK || w->decoded == RP_OK);
    if (status == RP_OK) {
        uint32_t *got = malloc(w->list.n * sizeof *got);
        take_words(w, &docids, got);
        MUST(memcmp(got, w->docids, w->list.n * sizeof *got) == 0);
        free(got);
    }
    rp__step_free(&w->step, &docids);
}

/* Frequencies alone, by a chain of their own. */
static void decode_tfs(world *w)
{
    rp__transcode_list made = {.tfs = 0};
    size_t bytes = w->list.n * sizeof *w->tfs;
    uint32_t damaged, *got = malloc(bytes);
    MUST(rp__gpu_index_list(&w->index, &w->list, &made.list));
    made.list.freq_code = rp__transcode_freq_code(&w->list);
    MUST(rp__device_alloc(&w->device, bytes, &made.tfs) == RP_OK);
    rp__transcode_sizes needs = rp__transcode_needs(&made, 1);
    rp__transcode to = {.device = &w->device, .stream = w->device.stream};
    MUST(rp__device_pin(&w->device, needs.host, 0, &to.host) == RP_OK);
    MUST(rp__device_alloc(&w->device, needs.device + sizeof damaged, &to.scratch) == RP_OK);
    to.damaged = to.scratch + needs.device;
    MUST(rp__transcode_run(&to, &made, 1) == RP_OK);
    MUST(rp__device_copy_out(&w->device, &damaged, to.damaged, sizeof damaged) == RP_OK);
    MUST(rp__device_copy_out(&w->device, got, made.tfs, bytes) == RP_OK);
    MUST(rp__device_wait(&w->device) == RP_OK);
    MUST(damaged || w->decoded_tfs == RP_OK);
    MUST(damaged || memcmp(got, w->tfs, bytes) == 0);
    w->device.driver->host_free(to.host);
    rp__device_free(&w->device, to.scratch);
    rp__device_free(&w->device, made.tfs);
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

static void search(world *w, rp__intersect_id id, const uint32_t *wanted, uint32_t n)
{
    uint32_t right[WANTED], got[WANTED];
    rp__step_buffer a = {0}, out = {0};
    MUST(rp__step_put(&w->step, wanted, n, &a) == RP_OK);
    rp_status status = rp__step_search(&w->step, id, &a, &w->list, &out);
    MUST(status == RP_OK || status == RP_DAMAGED || status == RP_UNAVAILABLE);
    if (status == RP_OK && w->decoded == RP_OK) {
        uint32_t n_right = find_wanted(w, wanted, n, right);
        MUST(out.n == n_right);
        take_words(w, &out, got);
        MUST(memcmp(got, right, n_right * sizeof *got) == 0);
    }
    rp__step_free(&w->step, &a);
    rp__step_free(&w->step, &out);
}

/* What the word adds to documents: to those wanted, and to all; frequencies are read for it. */
static void score(world *w, const uint32_t *wanted, uint32_t n)
{
    static const float table[1] = {1};
    rp__cu_ptr at = 0;
    rp__step_buffer docids = {0}, scores = {0};
    MUST(rp__device_alloc(&w->device, sizeof table, &at) == RP_OK);
    MUST(rp__device_copy_in(&w->device, at, table, sizeof table) == RP_OK);
    rp__step_word word = {.list = &w->list,
                          .weight = 1024,
                          .norms = {.codes = rp__gpu_index_at(&w->index, codes),
                                    .table = at,
                                    .code_bytes = 1,
                                    .n_table = 1},
                          .n_docs = DOCS};
    MUST(rp__step_put(&w->step, wanted, n, &docids) == RP_OK);
    for (int is_all = 0; is_all < 2; is_all++) {
        MUST(rp__step_clear(&w->step, is_all ? DOCS : n, &scores) == RP_OK);
        rp_status status = rp__step_score(&w->step, &word, is_all ? NULL : &docids, &scores);
        MUST(status == RP_OK || status == RP_DAMAGED || status == RP_UNAVAILABLE);
    }
    rp__step_free(&w->step, &docids);
    rp__step_free(&w->step, &scores);
    rp__device_free(&w->device, at);
}

static void run_all(world *w)
{
    uint32_t wanted[WANTED], n = draw_wanted(w, wanted);
    decode(w);
    decode_tfs(w);
    for (int id = 0; n > 0 && id < RP_INTERSECTS; id++) {
        bool is_sliced = rp__intersect_table[id].tile == RP_INTERSECT_SLICE;
        if (!is_sliced ||
            w->list.universe <= SLICED_MOST) /* a block a slice of it: too long for a fuzzer */
            search(w, (rp__intersect_id)id, wanted, n);
    }
    if (n > 0)
        score(w, wanted, n);
    MUST(!w->device.is_lost);
}

/* A segment of one list. */
static void with_device(world *w, const uint8_t *bytes, size_t n_bytes, uint8_t order)
{
    rp_error err;
    rp__segment segment = {.lists = bytes, .lists_bytes = n_bytes};
    segment.docs.lengths =
        (rp__lengths){.codes = codes, .n_docs = DOCS, .code_bytes = 1, .n_table = 1};
    rp__emulated_configure(&(rp__emulated_options){.seed = order});
    MUST(rp__device_open(&w->device, rp__emulated_driver(), 0, &err) == RP_OK);
    MUST(rp__gpu_index_open(&w->index, &w->device, &segment, 0) == RP_OK);
    MUST(rp__step_open(&w->step, &w->device, &w->index) == RP_OK);
    run_all(w);
    rp__step_close(&w->step);
    rp__gpu_index_close(&w->index);
    rp__device_close(&w->device);
    MUST(rp__emulated_in_use() == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the cpu makes of it. */
static void decode_by_cpu(world *w)
{
    w->docids = malloc((w->list.n + RP_BLOCK_ROOM) * sizeof *w->docids);
    w->tfs = malloc((w->list.n + RP_BLOCK_ROOM) * sizeof *w->tfs);
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
