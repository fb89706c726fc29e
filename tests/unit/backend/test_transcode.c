/* test_transcode.c: lists in every codec and frequency code become docids, frequencies and bits on the device, many in one
 * chain; of damaged ones the flag says what the CPU's decoder says, and nothing outside of memory is touched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/gpu_index.h"
#include "backend/gpu/residency/transcode_term.h"
#include "base/cpu.h"
#include "codec/codec.h"
#include "encoded_list.h"

enum { N_MOST = 1200, LISTS = 12, UNIVERSE = 1 << 30, BITS_UNIVERSE = 40000, ROUNDS = 400 };

typedef struct list {
    uint32_t docids[N_MOST + RP_BLOCK_CAPACITY], tfs[N_MOST + RP_BLOCK_CAPACITY], n, universe;
    uint8_t *bytes;
    size_t used;
    rp__list opened;
    rp__cu_ptr at;
} list;

typedef struct world {
    rp__device device;
    uint32_t random;
    list lists[LISTS];
    size_t n;
    rp__transcode_list made[LISTS];
    uint32_t damaged[LISTS];
} world;

static uint32_t next_random(world *w)
{
    w->random = w->random * 1664525 + 1013904223;
    return w->random >> 8;
}

static int open_world(void **state)
{
    world *w = calloc(1, sizeof *w);
    rp_error err = {.text = ""};
    w->random = 7;
    rp__emulated_device_configure(&(rp__emulated_device_options){.seed = 3});
    assert_int_equal(rp__device_open(&w->device, rp__emulated_device_driver(), 0, &err), RP_OK);
    *state = w;
    return 0;
}

static int close_world(void **state)
{
    world *w = *state;
    rp__device_close(&w->device);
    free(w);
    return (int)rp__emulated_device_in_use();
}

/* ---- Lists ------------------------------------------------------------------------------------------ */

/* Gaps of a list: a run, dense, sparse, huge now and then, or steps in the density. */
static uint32_t draw_gap(world *w, uint32_t shape, uint32_t i)
{
    uint32_t r = next_random(w);
    switch (shape % 5) {
    case 0:
        return 1;
    case 1:
        return 1 + r % 4;
    case 2:
        return 1 + r % 3000;
    case 3:
        return r % 64 ? 1 + r % 9 : 1 + r % (1 << 20);
    default:
        return 1 + r % (i / 128 % 2 ? 700 : 2);
    }
}

static uint32_t draw_tf(world *w, uint32_t shape)
{
    uint32_t r = next_random(w);
    return shape % 3 == 0   ? 1 + (r % 9 == 0)
           : shape % 3 == 1 ? 1 + r % 7
                            : (r % 40 ? 1 + r % 3 : 1 + r % (1 << 17));
}

static void draw(world *w, list *l, uint32_t n, uint32_t shape, uint32_t universe)
{
    uint32_t docid = next_random(w) % 50;
    l->n = 0;
    l->universe = universe;
    for (uint32_t i = 0; i < n && docid < universe; i++) {
        l->docids[l->n] = docid;
        l->tfs[l->n++] = draw_tf(w, shape);
        docid += draw_gap(w, shape, i);
    }
}

/* To the device, which has the list's bytes and RP_PAD behind them, and nothing else. */
static void put(world *w, list *l)
{
    assert_int_equal(rp__device_alloc(&w->device, l->used + RP_PAD, &l->at), RP_OK);
    assert_int_equal(rp__device_copy_in(&w->device, l->at, l->bytes, l->used + RP_PAD), RP_OK);
}

static void add_list(world *w, const rp__codec *codec, uint32_t n, uint32_t shape,
                     uint32_t universe)
{
    list *l = &w->lists[w->n++];
    draw(w, l, n, shape, universe);
    const rp__codec_options options = {.segment = shape % 2 ? KARG_SEGMENT : 0,
                                       .max_size = shape % 4 ? 1 + 37 * (shape % 7) : 0,
                                       .has_exceptions = shape % 5 == 1,
                                       .exceptions = 0.2};
    l->bytes = encoded_list_as(codec, &options, l->docids, l->tfs, l->n, &l->used);
    assert_int_equal(rp__list_open(codec, l->bytes, l->used, l->n, universe, false, &l->opened),
                     RP_OK);
    put(w, l);
}

static void free_lists(world *w)
{
    for (size_t i = 0; i < w->n; i++) {
        rp__device_free(&w->device, w->lists[i].at);
        free(w->lists[i].bytes);
    }
    w->n = 0;
}

static karg_list stored(world *w, const list *l)
{
    karg_list out;
    rp__residency residency = {.n = 1, .is_whole = true};
    rp__gpu_index index = {.device = &w->device, .residency = &residency};
    residency.sections[0] = (rp__gpu_section){.host = l->bytes, .bytes = l->used, .at = l->at};
    assert_true(rp__gpu_index_list(&index, &l->opened, &out));
    out.freq_code = rp__transcode_freq_code(&l->opened);
    return out;
}

/* ---- Chains ------------------------------------------------------------------------------------------ */

typedef enum wish { DOCIDS_AND_TFS, BITS_AND_TFS, ALL } wish;

static rp__cu_ptr words(world *w, size_t n)
{
    rp__cu_ptr at;
    assert_int_equal(rp__device_alloc(&w->device, n * sizeof(uint32_t), &at), RP_OK);
    assert_int_equal(rp__device_fill(&w->device, at, 0, n), RP_OK);
    return at;
}

static void wish_for(world *w, size_t i, wish what)
{
    const list *l = &w->lists[i];
    rp__transcode_list *m = &w->made[i];
    *m = (rp__transcode_list){.list = stored(w, l), .tfs = words(w, l->n)};
    if (what != BITS_AND_TFS)
        m->docids = words(w, l->n);
    if (what != DOCIDS_AND_TFS) {
        m->n_words = l->universe / 32 + 1;
        m->bits = words(w, m->n_words);
        m->hints = words(w, l->universe / 512 + 1);
    }
}

static void run_chain(world *w, wish what)
{
    void *host;
    rp__cu_ptr damaged = words(w, w->n), scratch;
    for (size_t i = 0; i < w->n; i++)
        wish_for(w, i, what);
    rp__transcode_sizes needs = rp__transcode_needs(w->made, w->n);
    assert_int_equal(rp__device_pin(&w->device, needs.host, 0, &host), RP_OK);
    assert_int_equal(rp__device_alloc(&w->device, needs.device, &scratch), RP_OK);
    const rp__transcode to = {.device = &w->device,
                              .stream = w->device.stream,
                              .host = host,
                              .scratch = scratch,
                              .damaged = damaged};
    assert_int_equal(rp__transcode_run(&to, w->made, w->n), RP_OK);
    assert_int_equal(rp__device_copy_out(&w->device, w->damaged, damaged, w->n * sizeof(uint32_t)),
                     RP_OK);
    assert_int_equal(rp__device_wait(&w->device), RP_OK);
    w->device.driver->host_free(host);
    rp__device_free(&w->device, scratch);
    rp__device_free(&w->device, damaged);
}

static void free_made(world *w)
{
    for (size_t i = 0; i < w->n; i++) {
        rp__device_free(&w->device, w->made[i].docids);
        rp__device_free(&w->device, w->made[i].tfs);
        rp__device_free(&w->device, w->made[i].bits);
        rp__device_free(&w->device, w->made[i].hints);
    }
}

static void fetch(world *w, uint32_t *to, rp__cu_ptr from, size_t n)
{
    assert_int_equal(rp__device_copy_out(&w->device, to, from, n * sizeof *to), RP_OK);
    assert_int_equal(rp__device_wait(&w->device), RP_OK);
}

/* ---- Every codec and code ------------------------------------------------------------------------------ */

static const uint32_t lengths[] = {1, 2, 127, 128, 129, 255, 257, 384, 511, 700, 1000, 1152};

static bool is_first_row(size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (!strcmp(rp__codec_at(j)->name, rp__codec_at(i)->name))
            return false;
    return true;
}

static bool is_first_code(size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (!strcmp(rp__block_code_at(j)->name, rp__block_code_at(i)->name))
            return false;
    return true;
}

static void expect_same(world *w, size_t i, const char *codec, const char *code)
{
    static uint32_t got[N_MOST];
    const list *l = &w->lists[i];
    if (w->damaged[i])
        fail_msg("%s with %s: list of %u is said to be damaged", codec, code, l->n);
    fetch(w, got, w->made[i].docids, l->n);
    for (uint32_t k = 0; k < l->n; k++)
        if (got[k] != l->docids[k])
            fail_msg("%s, %u postings: docid %u is %u, not %u", codec, l->n, k, got[k],
                     l->docids[k]);
    fetch(w, got, w->made[i].tfs, l->n);
    for (uint32_t k = 0; k < l->n; k++)
        if (got[k] != l->tfs[k])
            fail_msg("%s with %s, %u postings: frequency %u is %u, not %u", codec, code, l->n, k,
                     got[k], l->tfs[k]);
}

static void check_pair(world *w, const rp__codec *codec, const char *code, uint32_t number)
{
    for (uint32_t i = 0; i < LISTS; i++)
        add_list(w, codec, lengths[i], number + i, UNIVERSE);
    run_chain(w, DOCIDS_AND_TFS);
    for (size_t i = 0; i < w->n; i++)
        expect_same(w, i, codec->name, code);
    free_made(w);
    free_lists(w);
}

static void every_codec_and_code(void **state)
{
    uint32_t features = rp__cpu_features(), pairs = 0, refused = 0;
    for (size_t i = 0; rp__codec_at(i); i++)
        for (size_t j = 0; rp__block_code_at(j); j++) {
            if (!is_first_row(i) || !is_first_code(j))
                continue;
            const char *name = rp__codec_at(i)->name, *code = rp__block_code_at(j)->name;
            const rp__codec *row = rp__codec_find(name, features);
            if (!row->freqs && strcmp(code, "bp128") != 0) {
                print_message("%s with %s: refused, its payload has the frequencies\n", name, code);
                refused++;
                continue;
            }
            rp__codec codec = rp__codec_with_freqs(row, rp__block_code_find(code, features));
            check_pair(*state, &codec, code, pairs++);
        }
    print_message("%u pairs, %u refused\n", pairs, refused);
    assert_true(pairs + refused == 27 * 14); /* with auto, whose lists are in several codecs */
}

/* Frequencies that sum to more than 32 bits, and the largest. */
static void large_frequencies(void **state)
{
    world *w = *state;
    uint32_t features = rp__cpu_features();
    const rp__codec *row = rp__codec_find("bp128", features);
    for (size_t j = 0; rp__block_code_at(j); j++) {
        if (!is_first_code(j))
            continue;
        const char *code = rp__block_code_at(j)->name;
        rp__codec codec = rp__codec_with_freqs(row, rp__block_code_find(code, features));
        for (uint32_t i = 0; i < 4; i++) {
            list *l = &w->lists[w->n++];
            draw(w, l, 100 + 70 * i, i, UNIVERSE);
            for (uint32_t k = 0; k < l->n; k++)
                l->tfs[k] = i == 3 ? UINT32_MAX : 1 + next_random(w) * (k % (i + 2) ? 1U : 97U);
            l->bytes = encoded_list(&codec, l->docids, l->tfs, l->n, &l->used);
            assert_int_equal(
                rp__list_open(&codec, l->bytes, l->used, l->n, UNIVERSE, false, &l->opened), RP_OK);
            put(w, l);
        }
        run_chain(w, DOCIDS_AND_TFS);
        for (size_t i = 0; i < w->n; i++)
            expect_same(w, i, codec.name, code);
        free_made(w);
        free_lists(w);
    }
}

/* ---- Bits ------------------------------------------------------------------------------------------------ */

static void expect_bits(world *w, size_t i)
{
    static uint32_t bits[BITS_UNIVERSE / 32 + 1], want[BITS_UNIVERSE / 32 + 1], tfs[N_MOST];
    static uint32_t hints[BITS_UNIVERSE / 512 + 1];
    const list *l = &w->lists[i];
    assert_int_equal(w->damaged[i], 0);
    fetch(w, bits, w->made[i].bits, w->made[i].n_words);
    fetch(w, hints, w->made[i].hints, BITS_UNIVERSE / 512 + 1);
    fetch(w, tfs, w->made[i].tfs, l->n);
    assert_memory_equal(tfs, l->tfs, l->n * sizeof *tfs);
    memset(want, 0, sizeof want);
    for (uint32_t r = 0; r < l->n; r++)
        want[l->docids[r] / 32] |= 1U << l->docids[r] % 32;
    assert_memory_equal(bits, want, sizeof bits);
    for (uint32_t h = 0, r = 0; h <= l->docids[l->n - 1] / 512; h++) {
        while (l->docids[r] < 512 * h)
            r++;
        assert_int_equal(hints[h], r);
    }
}

static void bits_of_docids(void **state)
{
    static const char *const names[] = {"lrc", "bp128", "iiu", "mixed", "hslrc128", "raw"};
    world *w = *state;
    for (wish what = BITS_AND_TFS; what <= ALL; what++) {
        for (uint32_t i = 0; i < LISTS; i++)
            add_list(w, rp__codec_find(names[i % 6], rp__cpu_features()), lengths[i],
                     (uint32_t[]){0, 1, 4}[i % 3], BITS_UNIVERSE);
        run_chain(w, what);
        for (size_t i = 0; i < w->n; i++)
            expect_bits(w, i);
        free_made(w);
        free_lists(w);
    }
}

/* ---- Damage ------------------------------------------------------------------------------------------------ */

/* One byte, a word of the directory, a run of random bytes, or zeros. */
static void damage(world *w, list *l)
{
    uint32_t kind = next_random(w) % 4, from = next_random(w) % (uint32_t)l->used;
    uint32_t n = kind == 0 ? 1 : 1 + next_random(w) % 24;
    if (kind == 1) {
        from = next_random(w) % (uint32_t)(l->used < 96 ? l->used : 96);
        n = 1 + next_random(w) % 4;
    }
    for (uint32_t i = from; i < from + n && i < l->used; i++)
        l->bytes[i] = kind == 3 ? 0 : (uint8_t)next_random(w);
}

/* What the CPU says of it, and its values. */
static rp_status decode_by_cpu(list *l)
{
    return rp__list_decode(&l->opened, l->docids, l->tfs);
}

/* Lists that the CPU refuses; that the device alone refuses, since no encoder writes them, or since their directory
 * lies where decoding a whole list does not look. */
typedef struct numbers {
    uint32_t damaged, refused;
} numbers;

static void check_damage(world *w, const rp__codec *codec, const char *code, numbers *n)
{
    for (uint32_t i = 0; i < LISTS; i++) {
        add_list(w, codec, lengths[(i + w->random) % LISTS], i + w->random % 5, UNIVERSE);
        list *l = &w->lists[w->n - 1];
        if (i % 4 == 3) /* some stay whole, beside the others */
            continue;
        damage(w, l);
        if (rp__list_open(codec, l->bytes, l->used, l->n, UNIVERSE, false, &l->opened) != RP_OK) {
            rp__device_free(&w->device, l->at); /* the host refuses it */
            free(l->bytes);
            w->n--;
            continue;
        }
        assert_int_equal(rp__device_copy_in(&w->device, l->at, l->bytes, l->used + RP_PAD), RP_OK);
    }
    run_chain(w, DOCIDS_AND_TFS);
    for (size_t i = 0; i < w->n; i++) {
        rp_status status = decode_by_cpu(&w->lists[i]);
        if (status != RP_OK && !w->damaged[i])
            fail_msg("%s with %s, %u postings: the CPU refuses it, the device does not",
                     codec->name, code, w->lists[i].n);
        n->damaged += status != RP_OK;
        n->refused += status == RP_OK && w->damaged[i];
        if (!w->damaged[i])
            expect_same(w, i, codec->name, code);
    }
    free_made(w);
    free_lists(w);
}

static void damaged_lists(void **state)
{
    world *w = *state;
    uint32_t features = rp__cpu_features();
    numbers n = {0, 0};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        size_t i = next_random(w) % 64, j = next_random(w) % 64;
        if (!rp__codec_at(i) || !rp__block_code_at(j))
            continue;
        const rp__codec *row = rp__codec_find(rp__codec_at(i)->name, features);
        const char *code = rp__block_code_at(j)->name;
        rp__codec codec = rp__codec_with_freqs(row, rp__block_code_find(code, features));
        check_damage(w, &codec, code, &n);
    }
    print_message("%u damaged lists, %u that only the device refuses\n", n.damaged, n.refused);
    assert_true(n.damaged > ROUNDS && n.refused < n.damaged / 20);
}

/* A tile of segments that begins elsewhere than its directory says is passed over, and its list is damaged. */
static void segments_that_begin_elsewhere(void **state)
{
    static const char *const names[] = {"pfd", "newpfd", "parapfor"};
    world *w = *state;
    for (uint32_t k = 0; k < 3 * 8; k++) {
        add_list(w, rp__codec_find(names[k % 3], 0), N_MOST, 1, UNIVERSE);
        list *l = &w->lists[w->n - 1];
        assert_non_null(l->opened.first);
        uint32_t b = KARG_TILE_BLOCKS,
                 *first = (uint32_t *)(l->bytes + ((const uint8_t *)l->opened.first - l->bytes));
        assert_int_equal(first[b], b * KARG_SEGMENT);
        first[b] += k / 3 % 4 + 1 - (k < 12 ? 0 : 5);
        assert_int_equal(rp__device_copy_in(&w->device, l->at, l->bytes, l->used + RP_PAD), RP_OK);
        run_chain(w, DOCIDS_AND_TFS);
        assert_true(w->damaged[0]);
        free_made(w);
        free_lists(w);
    }
}

/* ---- Words ------------------------------------------------------------------------------------------ */

static bool is_inside(const list *l, rp__cu_ptr at)
{
    return at >= l->at && at < l->at + l->used + RP_PAD;
}

/* The list may be evicted while what was made of it stays. */
static void expect_alone(const list *l, const karg_term *word)
{
    const karg_list *made = &word->list;
    const rp__cu_ptr parts[] = {made->docs,     made->freqs,   made->last,
                                made->last_far, made->offsets, made->freq_offsets,
                                made->first,    made->bounds,  word->hints};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        assert_false(is_inside(l, parts[i]));
    assert_int_equal(made->n, l->n);
    assert_int_equal(made->n_blocks, (l->n + KARG_BLOCK - 1) / KARG_BLOCK);
}

/* As residency counts their bytes. */
static void expect_sizes(const karg_list *at)
{
    const size_t tfs = rp__transcode_term_array_bytes(at->n);
    assert_int_equal(rp__reprs[RP_REPR_FREQS].bytes(at, 1), tfs);
    assert_int_equal(rp__reprs[RP_REPR_DOCIDS].bytes(at, 1), 2 * tfs);
    assert_int_equal(rp__reprs[RP_REPR_BITS].bytes(at, 1), rp__transcode_term_bits_bytes(at) + tfs);
}

static void words_stand_alone(void **state)
{
    world *w = *state;
    for (size_t i = 0; rp__codec_at(i); i++) {
        const rp__codec *codec = rp__codec_find(rp__codec_at(i)->name, rp__cpu_features());
        const rp__cu_ptr far = (rp__cu_ptr)1 << 60;
        karg_term word;
        add_list(w, codec, N_MOST, (uint32_t)i, BITS_UNIVERSE);
        const karg_list at = stored(w, &w->lists[0]);
        (void)rp__transcode_term_docids(&at, far, far, &word);
        expect_alone(&w->lists[0], &word);
        (void)rp__transcode_term_bits(&at, far, far, &word);
        expect_alone(&w->lists[0], &word);
        assert_int_not_equal(word.list.last, 0);
        expect_sizes(&at);
        free_lists(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_codec_and_code, open_world, close_world),
        cmocka_unit_test_setup_teardown(large_frequencies, open_world, close_world),
        cmocka_unit_test_setup_teardown(bits_of_docids, open_world, close_world),
        cmocka_unit_test_setup_teardown(damaged_lists, open_world, close_world),
        cmocka_unit_test_setup_teardown(segments_that_begin_elsewhere, open_world, close_world),
        cmocka_unit_test_setup_teardown(words_stand_alone, open_world, close_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
