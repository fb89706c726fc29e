/* test_gpu_maker.c: lists of every codec that kernels know are made into docids, frequencies and bits, many in one run;
 * bytes arrive whatever their number and order; damaged lists are told from others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/emulated.h"
#include "backend/gpu/gpu_list.h"
#include "backend/gpu/gpu_maker.h"
#include "base/cpu.h"
#include "codec/codec.h"
#include "encoded_list.h"

enum { DOCS = 9000, LISTS = 18, SPARSE = 40 };

static const uint8_t codecs[] = {KARG_CODEC_RICE,   KARG_CODEC_OPTPFD, KARG_CODEC_BP128,
                                 KARG_CODEC_BITMAP, KARG_CODEC_EF128,  KARG_CODEC_RAW};

typedef struct list {
    uint32_t docids[DOCS], tfs[DOCS], n;
    uint8_t *bytes;
    size_t used;
    rp__cu_ptr at, room;
    karg_list stored;
    karg_word own, word;
} list;

typedef struct world {
    rp__device device;
    rp__gpu_maker maker;
    list lists[LISTS];
} world;

/* List i has a docid in about 1 + i % 5 or, every fourth, in SPARSE times that; the first has one block. */
static void draw(list *l, uint32_t i)
{
    uint32_t each = 1 + i % 5, random = i + 1;
    for (uint32_t d = i; d < DOCS && (i > 0 || l->n < 100);) {
        random = random * 1664525 + 1013904223;
        l->docids[l->n] = d;
        l->tfs[l->n++] = 1 + (random >> 20) % (i % 2 ? 3 : 40);
        d += 1 + (random >> 8) % (each * (i % 4 == 3 ? SPARSE : 1));
    }
}

static void make_list(world *w, uint32_t i)
{
    list *l = &w->lists[i];
    uint32_t features = rp__cpu_features();
    const rp__codec codec =
        rp__codec_with_freqs(rp__codec_by_id(codecs[i % sizeof codecs], features),
                             rp__block_code_find(i % 3 ? "optpfd" : "bp128", features));
    rp__list opened;
    draw(l, i);
    l->bytes = encoded_list(&codec, l->docids, l->tfs, l->n, &l->used);
    assert_int_equal(rp__device_alloc(&w->device, l->used + RP_PAD, &l->at), RP_OK);
    assert_int_equal(rp__device_alloc(&w->device, 1 << 17, &l->room), RP_OK);
    assert_int_equal(rp__list_open(&codec, l->bytes, l->used, l->n, DOCS, false, &opened), RP_OK);
    rp__gpu_share share = {.n = 1, .is_whole = true};
    rp__gpu_index index = {.device = &w->device, .share = &share};
    share.sections[0] = (rp__gpu_section){.host = l->bytes, .bytes = l->used, .at = l->at};
    assert_int_equal(rp__gpu_list_word(&index, &opened, &l->own), RP_OK);
    assert_true(rp__gpu_index_list(&index, &opened, &l->stored));
    l->stored.freq_code = rp__transcode_freq_code(&opened);
}

static int open_world(void **state)
{
    world *w = calloc(1, sizeof *w);
    rp_error err = {.text = ""};
    rp__emulated_configure(&(rp__emulated_options){.seed = 5});
    assert_int_equal(rp__device_open(&w->device, rp__emulated_driver(), 0, &err), RP_OK);
    for (uint32_t i = 0; i < LISTS; i++)
        make_list(w, i);
    *state = w;
    return 0;
}

static int close_world(void **state)
{
    world *w = *state;
    rp__gpu_maker_close(&w->maker);
    assert_int_equal(rp__device_enter(&w->device), RP_OK);
    for (uint32_t i = 0; i < LISTS; i++) {
        rp__device_free(&w->device, w->lists[i].at);
        rp__device_free(&w->device, w->lists[i].room);
        free(w->lists[i].bytes);
    }
    rp__device_close(&w->device);
    free(w);
    return (int)rp__emulated_in_use();
}

/* ---- What is made -------------------------------------------------------------------------------- */

static void fetch(world *w, void *to, uint64_t from, size_t bytes)
{
    assert_int_equal(rp__device_copy_out(&w->device, to, from, bytes), RP_OK);
    assert_int_equal(rp__device_wait(&w->device), RP_OK);
}

static void send_lists(world *w)
{
    assert_int_equal(rp__gpu_maker_enter(&w->maker, &w->device), RP_OK);
    for (uint32_t i = LISTS; i-- > 0;) /* in any order */
        assert_int_equal(rp__gpu_maker_send(&w->maker, w->lists[i].at, w->lists[i].bytes,
                                            w->lists[i].used + RP_PAD),
                         RP_OK);
}

/* All lists at once: bits where asked for and possible, else docids, or of bitmaps frequencies alone. */
static const uint32_t *make(world *w, bool wants_bits)
{
    rp__transcode_list made[LISTS];
    const uint32_t *damaged;
    send_lists(w);
    for (uint32_t i = 0; i < LISTS; i++) {
        list *l = &w->lists[i];
        uint64_t tfs = l->room + (wants_bits ? rp__transcode_word_bits_bytes(&l->stored)
                                             : rp__transcode_word_array_bytes(l->n));
        assert_int_equal(rp__gpu_maker_clear(&w->maker, l->room, 1 << 17), RP_OK);
        if (l->own.list.codec == KARG_CODEC_BITMAP)
            made[i] = rp__transcode_word_tfs(&l->stored, &l->own, tfs, &l->word);
        else if (wants_bits)
            made[i] = rp__transcode_word_bits(&l->stored, l->room, tfs, &l->word);
        else
            made[i] = rp__transcode_word_docids(&l->stored, l->room, tfs, &l->word);
    }
    assert_int_equal(rp__gpu_maker_run(&w->maker, made, LISTS, &damaged), RP_OK);
    return damaged;
}

static void expect_tfs(world *w, const list *l)
{
    uint32_t got[DOCS];
    fetch(w, got, l->word.list.freqs, l->n * sizeof *got);
    assert_memory_equal(got, l->tfs, l->n * sizeof *got);
    assert_int_equal(l->word.list.freq_code, KARG_CODEC_RAW);
}

static void docids_and_frequencies(void **state)
{
    world *w = *state;
    uint32_t got[DOCS];
    const uint32_t *damaged = make(w, false);
    for (uint32_t i = 0; i < LISTS; i++) {
        const list *l = &w->lists[i];
        assert_int_equal(damaged[i], 0);
        expect_tfs(w, l);
        if (l->own.list.codec == KARG_CODEC_BITMAP)
            continue;
        assert_int_equal(l->word.list.codec, KARG_CODEC_RAW);
        fetch(w, got, l->word.list.docs, l->n * sizeof *got);
        assert_memory_equal(got, l->docids, l->n * sizeof *got);
    }
}

static void bits_and_hints(void **state)
{
    world *w = *state;
    const uint32_t *damaged = make(w, true);
    for (uint32_t i = 0; i < LISTS; i++) {
        const list *l = &w->lists[i];
        uint32_t bits[DOCS / 32 + 1], want[DOCS / 32 + 1] = {0}, hints[DOCS / 512 + 1];
        assert_int_equal(damaged[i], 0);
        expect_tfs(w, l);
        if (l->own.list.codec == KARG_CODEC_BITMAP)
            continue;
        fetch(w, bits, l->word.list.docs, sizeof bits);
        fetch(w, hints, l->word.hints, sizeof hints);
        for (uint32_t r = 0; r < l->n; r++) {
            want[l->docids[r] / 32] |= 1U << l->docids[r] % 32;
            uint32_t h = l->docids[r] / 512;
            assert_true(hints[h] <= r && (r == 0 || l->docids[r - 1] / 512 == h || hints[h] == r));
        }
        assert_memory_equal(bits, want, sizeof bits);
    }
}

static void damaged_lists_are_told(void **state)
{
    world *w = *state;
    for (uint32_t i = 0; i < LISTS; i++) {
        list *l = &w->lists[i];
        if (l->own.list.last == 0 || l->own.list.codec == KARG_CODEC_BITMAP)
            continue;
        uint8_t *last = l->bytes + (l->own.list.last - l->at);
        *last ^= 1;
        const uint32_t *damaged = make(w, i % 2);
        for (uint32_t j = 0; j < LISTS; j++)
            assert_int_equal(damaged[j] != 0, j == i);
        *last ^= 1;
    }
}

/* ---- What is sent -------------------------------------------------------------------------------- */

static void bytes_arrive(void **state)
{
    world *w = *state;
    enum { ALL = 3 << 19, PART = 9973 };
    uint8_t *from = malloc(ALL), *got = malloc(ALL);
    const uint32_t *damaged;
    rp__cu_ptr at;
    for (size_t i = 0; i < ALL; i++)
        from[i] = (uint8_t)(i * 2654435761U >> 20);
    assert_int_equal(rp__device_alloc(&w->device, ALL, &at), RP_OK);
    assert_int_equal(rp__gpu_maker_enter(&w->maker, &w->device), RP_OK);
    for (size_t i = 0; i < ALL; i += PART) {
        size_t n = ALL - i < PART ? ALL - i : PART;
        assert_int_equal(rp__gpu_maker_send(&w->maker, at + i, from + i, n), RP_OK);
    }
    assert_int_equal(rp__gpu_maker_run(&w->maker, NULL, 0, &damaged), RP_OK);
    fetch(w, got, at, ALL);
    assert_memory_equal(got, from, ALL);
    rp__device_free(&w->device, at);
    free(from);
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(docids_and_frequencies, open_world, close_world),
        cmocka_unit_test_setup_teardown(bits_and_hints, open_world, close_world),
        cmocka_unit_test_setup_teardown(damaged_lists_are_told, open_world, close_world),
        cmocka_unit_test_setup_teardown(bytes_arrive, open_world, close_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
