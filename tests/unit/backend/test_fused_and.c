/* test_fused_and.c: what the cases of test_gpu_cases do not see of batches of ANDs: words of all codecs in one query,
 * many words, ranges of documents, copied lists, two batches in work, no room, damaged bytes, and a failing device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/exec/fused_and.h"
#include "backend/gpu/gpu_list.h"
#include "backend/gpu/residency/transcode_term.h"
#include "base/cpu.h"
#include "encoded_list.h"
#include "lab/gpu/gpu_case_lists.h"

enum { DOCS = 20000, LISTS = 40, TABLE = 256, SCALE_BITS = 20, PAIRS = 300, PAIRS_MOST = 10000 };

static const uint8_t codecs[] = {KARG_CODEC_BP128,  KARG_CODEC_RAW,    KARG_CODEC_EF128,
                                 KARG_CODEC_BITMAP, KARG_CODEC_OPTPFD, KARG_CODEC_RICE};
enum { CODECS = sizeof codecs };

typedef struct list {
    uint32_t docids[DOCS], tfs[DOCS], n;
    uint8_t *bytes;
    size_t used;
    rp__cu_ptr at, at_docids; /* of its bytes on the device, and of docids that kernels can read */
    karg_term word;
} list;

typedef struct world {
    rp__device device;
    list lists[LISTS];
    uint8_t codes[DOCS];
    float norms[TABLE];
    rp__cu_ptr at_codes, at_table;
    karg_norms at_norms;
} world;

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((random_state >> 33) % below);
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static void send(world *w, list *l)
{
    assert_int_equal(rp__device_copy_in(&w->device, l->at, l->bytes, l->used + RP_PAD), RP_OK);
    assert_int_equal(rp__device_wait(&w->device), RP_OK);
}

/* List i: one docid in 1 + i % 7, in codec i % CODECS; docids of those that kernels do not read are
 * beside them. */
static void make_list(world *w, uint32_t i)
{
    list *l = &w->lists[i];
    uint32_t features = rp__cpu_features();
    const rp__codec codec =
        rp__codec_with_freqs(rp__codec_by_id(codecs[i % CODECS], features),
                             rp__block_code_find(i % 3 ? "optpfd" : "bp128", features));
    for (uint32_t d = draw(1 + i % 7); d < DOCS; d += 1 + draw(1 + 2 * (i % 7))) {
        l->docids[l->n] = d;
        l->tfs[l->n++] = 1 + (draw(3) ? 0 : draw(30));
    }
    l->bytes = encoded_list(&codec, l->docids, l->tfs, l->n, &l->used);
    rp__list opened;
    assert_int_equal(rp__device_alloc(&w->device, l->used + RP_PAD, &l->at), RP_OK);
    send(w, l);
    assert_int_equal(rp__list_open(&codec, l->bytes, l->used, l->n, DOCS, false, &opened), RP_OK);
    rp__residency residency = {.n = 1, .is_whole = true};
    rp__gpu_index index = {.device = &w->device, .residency = &residency};
    residency.sections[0] = (rp__gpu_section){.host = l->bytes, .bytes = l->used, .at = l->at};
    bool is_read = codecs[i % CODECS] != KARG_CODEC_OPTPFD && codecs[i % CODECS] != KARG_CODEC_RICE;
    rp_status status = rp__gpu_list_lookup(&index, &opened, &l->word);
    assert_int_equal(status, is_read ? RP_OK : RP_UNAVAILABLE);
    if (is_read)
        return;
    size_t bytes = l->n * sizeof *l->docids;
    assert_int_equal(rp__device_alloc(&w->device, bytes + RP_PAD, &l->at_docids), RP_OK);
    assert_int_equal(rp__device_copy_in(&w->device, l->at_docids, l->docids, bytes), RP_OK);
    assert_int_equal(rp__device_wait(&w->device), RP_OK);
    l->word = (karg_term){0};
    assert_true(rp__gpu_index_list(&index, &opened, &l->word.list));
    l->word.list.codec = KARG_CODEC_RAW;
    l->word.list.docs = l->at_docids;
    l->word.list.docs_bytes = (uint32_t)bytes;
    l->word.list.offsets = 0;
    l->word.list.freq_code = i % 3 ? KARG_CODEC_OPTPFD : KARG_CODEC_BP128;
}

/* fail_at: a call that fails, counted from the opening on; 0: none. */
static void *open_seeded(uint64_t seed, uint64_t fail_at)
{
    world *w = calloc(1, sizeof *w);
    rp_error err = {.text = ""};
    random_state = 7;
    rp__emulated_device_configure(&(rp__emulated_device_options){
        .seed = seed, .fail_at = fail_at, .fail_code = RP_CU_INVALID});
    assert_int_equal(rp__device_open(&w->device, rp__emulated_device_driver(), 0, &err), RP_OK);
    for (uint32_t i = 0; i < LISTS; i++)
        make_list(w, i);
    for (uint32_t d = 0; d < DOCS; d++)
        w->codes[d] = (uint8_t)draw(TABLE);
    for (uint32_t i = 0; i < TABLE; i++)
        w->norms[i] = 0.5F + (float)i / 50;
    assert_int_equal(rp__device_alloc(&w->device, DOCS, &w->at_codes), RP_OK);
    assert_int_equal(rp__device_alloc(&w->device, sizeof w->norms, &w->at_table), RP_OK);
    assert_int_equal(rp__device_copy_in(&w->device, w->at_codes, w->codes, DOCS), RP_OK);
    assert_int_equal(rp__device_copy_in(&w->device, w->at_table, w->norms, sizeof w->norms), RP_OK);
    assert_int_equal(rp__device_wait(&w->device), RP_OK);
    w->at_norms = (karg_norms){w->at_codes, w->at_table, 1, TABLE};
    return w;
}

static void *open_failing(uint64_t fail_at)
{
    return open_seeded(3, fail_at);
}

static int open_world(void **state)
{
    *state = open_failing(0);
    return 0;
}

static int close_world(void **state)
{
    world *w = *state;
    for (uint32_t i = 0; i < LISTS; i++) {
        rp__device_free(&w->device, w->lists[i].at);
        rp__device_free(&w->device, w->lists[i].at_docids);
        free(w->lists[i].bytes);
    }
    rp__device_free(&w->device, w->at_codes);
    rp__device_free(&w->device, w->at_table);
    rp__device_close(&w->device);
    free(w);
    return (int)rp__emulated_device_in_use();
}

/* ---- Queries --------------------------------------------------------------------------------- */

typedef struct query {
    uint32_t lists[KARG_MAX_TERMS], n;
} query;

static float weight_of(uint32_t i)
{
    return 0.25F + (float)i / 8;
}

/* Any n different lists. */
static query draw_query(uint32_t n)
{
    query q = {.n = 0};
    bool taken[LISTS] = {false};
    while (q.n < n) {
        uint32_t i = draw(LISTS);
        if (!taken[i])
            q.lists[q.n++] = i;
        taken[i] = true;
    }
    return q;
}

static bool add(world *w, rp__fused_and *b, query *q)
{
    karg_and_term words[KARG_MAX_TERMS];
    for (uint32_t i = 1; i < q->n; i++) /* the shortest first; the others in any order */
        if (w->lists[q->lists[i]].n < w->lists[q->lists[0]].n) {
            uint32_t other = q->lists[0];
            q->lists[0] = q->lists[i];
            q->lists[i] = other;
        }
    for (uint32_t i = 0; i < q->n; i++) {
        const list *l = &w->lists[q->lists[i]];
        float scaled = weight_of(q->lists[i]) * rp__rank_scale(SCALE_BITS);
        uint64_t at;
        karg_term *word = rp__fused_and_put(b, sizeof *word, &at);
        if (!word)
            return false;
        *word = l->word;
        words[i] = (karg_and_term){at, scaled, l->n};
    }
    karg_and_term *next = rp__fused_and_next(b);
    if (!next || q->n % 2)
        return rp__fused_and_add(b, words, q->n);
    memcpy(next, words, q->n * sizeof *words); /* where they go, so that nothing is copied */
    return rp__fused_and_add(b, next, q->n);
}

static uint32_t rank_of(const list *l, uint32_t docid)
{
    for (uint32_t low = 0, high = l->n; low < high;) {
        uint32_t middle = (low + high) / 2;
        if (l->docids[middle] == docid)
            return middle;
        if (l->docids[middle] < docid)
            low = middle + 1;
        else
            high = middle;
    }
    return UINT32_MAX;
}

static bool score_of(const world *w, const query *q, uint32_t docid, uint32_t *score)
{
    *score = 0;
    for (uint32_t i = 0; i < q->n; i++) {
        const list *l = &w->lists[q->lists[i]];
        uint32_t rank = rank_of(l, docid);
        if (rank == UINT32_MAX)
            return false;
        float part = rp__rank_bm25(weight_of(q->lists[i]), w->norms[w->codes[docid]], l->tfs[rank]);
        *score += rp__rank_fix(part, rp__rank_scale(SCALE_BITS));
    }
    return true;
}

static void check(const world *w, const rp__fused_and *b, uint32_t i, const query *q)
{
    const rp__fused_and_count *count = rp__fused_and_count_of(b, i);
    const karg_pair *pairs = rp__fused_and_pairs_of(b, i);
    uint32_t total = 0, score;
    rp__scored *room = malloc(rp__topk_room(PAIRS_MOST) * sizeof *room);
    rp__topk best;
    rp__topk_init(&best, room, b->args.k);
    for (uint32_t d = b->args.begin; d < b->args.end; d++)
        if (score_of(w, q, d, &score) && ++total && b->args.k)
            rp__topk_push(&best, score, d);
    rp__topk_finish(&best);
    assert_int_equal(count->n, total);
    assert_int_equal(count->damaged, 0);
    assert_int_equal(count->n_pairs, best.n);
    for (uint32_t p = 0; p < best.n; p++) {
        assert_int_equal(pairs[p].docid, best.at[p].docid);
        assert_int_equal(pairs[p].score, best.at[p].fixed);
    }
    free(room);
}

static const rp__fused_and_limits roomy = {
    .queries = 16, .k = PAIRS_MOST, .bytes = 1 << 17, .elements = 1 << 17, .phase = 8};

/* ---- Tests ----------------------------------------------------------------------------------- */

static void run_and_check(world *w, rp__fused_and *b, uint32_t n_words, uint32_t k, uint32_t begin,
                          uint32_t end)
{
    query queries[4];
    rp__fused_and_begin(b, &w->at_norms, k, begin, end);
    for (uint32_t i = 0; i < 4; i++) {
        queries[i] = draw_query(n_words);
        assert_true(add(w, b, &queries[i]));
    }
    assert_int_equal(rp__fused_and_start(b), RP_OK);
    assert_int_equal(rp__fused_and_finish(b), RP_OK);
    for (uint32_t i = 0; i < 4; i++)
        check(w, b, i, &queries[i]);
}

static void queries_have_words_of_all_codecs(void **state)
{
    world *w = *state;
    rp__fused_and b;
    assert_int_equal(rp__fused_and_open(&b, &w->device, &roomy), RP_OK);
    for (uint32_t n = 1; n <= 5; n++)
        run_and_check(w, &b, n, 10, 0, DOCS);
    run_and_check(w, &b, LISTS, 10, 0, DOCS);
    run_and_check(w, &b, 2, 0, 0, DOCS);
    run_and_check(w, &b, 2, PAIRS, 0, DOCS);
    run_and_check(w, &b, 3, 5, 1000, 1001);
    run_and_check(w, &b, 2, 5, 777, DOCS - 4321);
    rp__fused_and_close(&b);
}

/* Every list that is not a bitmap: answers stay, and a damaged one is not taken. */
static void lists_become_bits(void **state)
{
    const size_t bits = rp__transcode_term_bits_bytes(&(karg_list){.n = DOCS, .universe = DOCS});
    world *w = *state;
    rp__fused_and b;
    rp__cu_ptr rooms[LISTS] = {0};
    karg_term word;
    for (uint32_t i = 0; i < LISTS; i++) {
        list *l = &w->lists[i];
        if (codecs[i % CODECS] == KARG_CODEC_BITMAP)
            continue;
        assert_int_equal(rp__device_alloc(&w->device, bits + 4 * DOCS, &rooms[i]), RP_OK);
        assert_int_equal(
            rp__gpu_case_lists_bits(&w->device, &l->word, rooms[i], rooms[i] + bits, &word), RP_OK);
        uint8_t before = l->bytes[l->word.list.last - l->at];
        l->bytes[l->word.list.last - l->at] ^= 1;
        send(w, l);
        karg_term other;
        rp__cu_ptr room;
        assert_int_equal(rp__device_alloc(&w->device, bits + 4 * DOCS, &room), RP_OK);
        assert_int_equal(rp__gpu_case_lists_bits(&w->device, &l->word, room, room + bits, &other),
                         RP_DAMAGED);
        rp__device_free(&w->device, room);
        l->bytes[l->word.list.last - l->at] = before;
        send(w, l);
        l->word = word;
    }
    assert_int_equal(rp__fused_and_open(&b, &w->device, &roomy), RP_OK);
    for (uint32_t n = 1; n <= 4; n++)
        run_and_check(w, &b, n, 10, 0, DOCS);
    rp__fused_and_close(&b);
    for (uint32_t i = 0; i < LISTS; i++)
        rp__device_free(&w->device, rooms[i]);
}

static void a_copied_list_is_a_list(void **state)
{
    world *w = *state;
    rp__fused_and b;
    query q = {.lists = {6, 8}, .n = 2};
    karg_and_term words[2];
    assert_int_equal(rp__fused_and_open(&b, &w->device, &roomy), RP_OK);
    rp__fused_and_begin(&b, &w->at_norms, 10, 0, DOCS);
    for (uint32_t i = 0; i < 2; i++) {
        const list *l = &w->lists[q.lists[i]];
        uint64_t at, at_word;
        uint32_t *to = rp__fused_and_put(&b, 2 * l->n * sizeof *to, &at);
        karg_term *word = rp__fused_and_put(&b, sizeof *word, &at_word);
        assert_true(to && word);
        memcpy(to, l->docids, l->n * sizeof *to);
        memcpy(to + l->n, l->tfs, l->n * sizeof *to);
        *word = rp__gpu_list_copied(at, at + l->n * sizeof *to, l->n);
        words[i] =
            (karg_and_term){at_word, weight_of(q.lists[i]) * rp__rank_scale(SCALE_BITS), l->n};
    }
    assert_true(rp__fused_and_add(&b, words, 2));
    assert_int_equal(rp__fused_and_start(&b), RP_OK);
    assert_int_equal(rp__fused_and_finish(&b), RP_OK);
    check(w, &b, 0, &q);
    rp__fused_and_close(&b);
}

static void two_are_in_work(void **state)
{
    world *w = *state;
    rp__fused_and b[2];
    query queries[2][3];
    for (uint32_t s = 0; s < 2; s++) {
        assert_int_equal(rp__fused_and_open(&b[s], &w->device, &roomy), RP_OK);
        rp__fused_and_begin(&b[s], &w->at_norms, 7, 0, DOCS);
        for (uint32_t i = 0; i < 3; i++) {
            queries[s][i] = draw_query(2 + i);
            assert_true(add(w, &b[s], &queries[s][i]));
        }
        assert_int_equal(rp__fused_and_start(&b[s]), RP_OK);
    }
    for (uint32_t s = 2; s-- > 0;) {
        assert_int_equal(rp__fused_and_finish(&b[s]), RP_OK);
        for (uint32_t i = 0; i < 3; i++)
            check(w, &b[s], i, &queries[s][i]);
    }
    assert_int_equal(rp__fused_and_start(&b[0]), RP_OK); /* and is closed while it is in work */
    rp__fused_and_close(&b[0]);
    rp__fused_and_close(&b[1]);
}

static void no_room_is_said(void **state)
{
    world *w = *state;
    rp__fused_and b;
    rp__fused_and_limits limits = {.queries = 2, .k = 1, .bytes = 1000, .elements = 1 << 20};
    query q = draw_query(2);
    uint64_t at;
    assert_int_equal(rp__fused_and_open(&b, &w->device, &limits), RP_OK);
    rp__fused_and_begin(&b, &w->at_norms, 1, 0, DOCS);
    assert_null(rp__fused_and_next(&b));
    assert_true(add(w, &b, &q));
    assert_true(add(w, &b, &q));
    assert_false(add(w, &b, &q));
    assert_null(rp__fused_and_put(&b, 1000, &at));
    assert_int_equal(rp__fused_and_start(&b), RP_OK);
    assert_int_equal(rp__fused_and_finish(&b), RP_OK);
    check(w, &b, 1, &q);
    rp__fused_and_begin(&b, &w->at_norms, 1, 0, DOCS);
    assert_int_equal(rp__fused_and_start(&b), RP_OK); /* of nothing */
    assert_int_equal(rp__fused_and_finish(&b), RP_OK);
    rp__fused_and_close(&b);
}

/* Any bytes: the device goes on, and says so where a block does not end as the directory says. */
static void damaged_bytes_are_met(void **state)
{
    world *w = *state;
    rp__fused_and b;
    uint32_t n_damaged = 0;
    assert_int_equal(rp__fused_and_open(&b, &w->device, &roomy), RP_OK);
    for (uint32_t round = 0; round < 40; round++) {
        query q = draw_query(3);
        list *l = &w->lists[q.lists[round % 3]];
        uint8_t *sound = malloc(l->used);
        memcpy(sound, l->bytes, l->used);
        for (uint32_t i = 0; i < 1 + round % 20; i++)
            l->bytes[draw((uint32_t)l->used)] = (uint8_t)draw(256);
        send(w, l);
        rp__fused_and_begin(&b, &w->at_norms, 10, 0, DOCS);
        assert_true(add(w, &b, &q));
        assert_int_equal(rp__fused_and_start(&b), RP_OK);
        assert_int_equal(rp__fused_and_finish(&b), RP_OK);
        n_damaged += rp__fused_and_count_of(&b, 0)->damaged != 0;
        memcpy(l->bytes, sound, l->used);
        send(w, l);
        free(sound);
    }
    assert_true(n_damaged > 0);
    rp__fused_and_close(&b);
}

/* Norms by docid % 8: `first` of those that are multiples of 8, `others` of all else. */
static void set_norms(world *w, uint8_t first, uint8_t others)
{
    for (uint32_t d = 0; d < DOCS; d++)
        w->codes[d] = d % 8 ? others : first;
    assert_int_equal(rp__device_copy_in(&w->device, w->at_codes, w->codes, DOCS), RP_OK);
    assert_int_equal(rp__device_wait(&w->device), RP_OK);
}

/* One query of one list. */
static void ask_list(world *w, rp__fused_and *b, uint32_t i, uint32_t k, uint32_t end)
{
    query q = {.lists = {i}, .n = 1};
    rp__fused_and_begin(b, &w->at_norms, k, 0, end);
    assert_true(add(w, b, &q));
    assert_int_equal(rp__fused_and_start(b), RP_OK);
    assert_int_equal(rp__fused_and_finish(b), RP_OK);
    check(w, b, 0, &q);
}

/* Several blocks rank a query, beside others of a few keys, in any order of blocks and threads. */
static void many_keys_are_ranked(void **state)
{
    static const uint32_t lists[] = {0, 39, 1, 34, 7}; /* of all documents, a third, and so on */
    static const uint32_t ks[] = {33, 100, PAIRS, 1000, 2048, 2049, 5000, 10000};
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        world *w = open_seeded(seed, 0);
        const uint32_t k = ks[seed % 8];
        rp__fused_and b;
        query queries[5];
        assert_int_equal(rp__fused_and_open(&b, &w->device, &roomy), RP_OK);
        rp__fused_and_begin(&b, &w->at_norms, k, 0, DOCS);
        for (uint32_t i = 0; i < 5; i++) {
            queries[i] = i == 3 ? draw_query(2) : (query){.lists = {lists[i]}, .n = 1};
            assert_true(add(w, &b, &queries[i]));
        }
        assert_int_equal(rp__fused_and_start(&b), RP_OK);
        assert_int_equal(rp__fused_and_finish(&b), RP_OK);
        for (uint32_t i = 0; i < 5; i++)
            check(w, &b, i, &queries[i]);
        for (uint32_t at = 4000; at <= 4200; at += 96) /* about as many as one block ranks */
            ask_list(w, &b, 0, k, at);
        rp__fused_and_close(&b);
        close_world((void **)&w);
    }
}

/* Most documents score the same: the smaller docids come first. */
static void many_equal_keys_are_ranked(void **state)
{
    world *w = *state;
    rp__fused_and b;
    assert_int_equal(rp__fused_and_open(&b, &w->device, &roomy), RP_OK);
    set_norms(w, 9, 9);
    ask_list(w, &b, 1, 1000, DOCS);
    assert_true(w->lists[1].n > 9000);
    set_norms(w, 9, 10);
    ask_list(w, &b, 1, 100, DOCS);
    rp__fused_and_close(&b);
}

/* Of 16,384 keys every eighth is in the sample, in any order of parts. Where those are the best, too few reach what they
 * say; where they are the worst, too many do: then all are looked at. */
static void samples_that_mislead_cost_time_alone(void **state)
{
    world *w = *state;
    rp__fused_and b;
    assert_int_equal(w->lists[0].n, DOCS);
    assert_int_equal(rp__fused_and_open(&b, &w->device, &roomy), RP_OK);
    for (uint32_t i = 0; i < 2; i++) {
        set_norms(w, i ? 200 : 1, i ? 1 : 200);
        ask_list(w, &b, 0, 1000, 16384);
        ask_list(w, &b, 0, 33, 16384);
    }
    rp__fused_and_close(&b);
}

/* Each call in turn fails. */
static void a_failing_device_is_said(void **state)
{
    (void)state;
    rp_error err;
    karg_norms norms = {0};
    uint32_t failed = 0;
    for (uint64_t at = 1; at < 60; at++) {
        rp__device device;
        rp__fused_and b = {0};
        rp__emulated_device_configure(
            &(rp__emulated_device_options){.fail_at = at, .fail_code = RP_CU_INVALID});
        if (rp__device_open(&device, rp__emulated_device_driver(), 0, &err) != RP_OK)
            continue;
        rp_status status = rp__fused_and_open(&b, &device, &roomy);
        karg_and_term word = {.n = 0};
        uint64_t address;
        if (status == RP_OK) {
            rp__fused_and_begin(&b, &norms, 3, 0, DOCS);
            karg_term *none = rp__fused_and_put(&b, sizeof *none, &address);
            *none = rp__gpu_list_copied(address, address, 0);
            word.term = address;
            assert_true(rp__fused_and_add(&b, &word, 1));
            status = rp__fused_and_start(&b);
        }
        if (status == RP_OK)
            status = rp__fused_and_finish(&b);
        failed += status != RP_OK;
        rp__fused_and_close(&b);
        rp__device_close(&device);
        assert_int_equal(rp__emulated_device_in_use(), 0);
    }
    assert_true(failed > 5);
}

/* Whatever call of a batch fails, the next one is not told what it left; with a kernel that ranks, and without. */
static void failures_leave_nothing(void **state)
{
    (void)state;
    enum { CALLS = 12 };
    uint32_t failed = 0;
    for (uint32_t i = 0; i < 2 * CALLS; i++) {
        uint32_t k = i % 2 ? PAIRS : 10;
        rp__fused_and b;
        query q;
        world *w = open_failing(0);
        assert_int_equal(rp__fused_and_open(&b, &w->device, &roomy), RP_OK);
        run_and_check(w, &b, 2, k, 0, DOCS);
        uint64_t calls = rp__emulated_device_calls();
        rp__fused_and_close(&b);
        close_world((void **)&w);
        w = open_failing(calls + 1 + i / 2);
        assert_int_equal(rp__fused_and_open(&b, &w->device, &roomy), RP_OK);
        run_and_check(w, &b, 2, k, 0, DOCS);
        rp__fused_and_begin(&b, &w->at_norms, k, 0, DOCS);
        q = draw_query(2);
        assert_true(add(w, &b, &q));
        rp_status status = rp__fused_and_start(&b);
        if (status == RP_OK)
            status = rp__fused_and_finish(&b);
        failed += status != RP_OK;
        if (status == RP_OK)
            check(w, &b, 0, &q);
        else
            (void)rp__fused_and_finish(&b);
        if (rp__emulated_device_calls() > calls + i / 2) /* the failing one is behind us */
            run_and_check(w, &b, 2, k, 0, DOCS);
        rp__fused_and_close(&b);
        close_world((void **)&w);
    }
    assert_true(failed > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(queries_have_words_of_all_codecs, open_world, close_world),
        cmocka_unit_test_setup_teardown(lists_become_bits, open_world, close_world),
        cmocka_unit_test_setup_teardown(a_copied_list_is_a_list, open_world, close_world),
        cmocka_unit_test_setup_teardown(two_are_in_work, open_world, close_world),
        cmocka_unit_test_setup_teardown(no_room_is_said, open_world, close_world),
        cmocka_unit_test_setup_teardown(damaged_bytes_are_met, open_world, close_world),
        cmocka_unit_test(many_keys_are_ranked),
        cmocka_unit_test_setup_teardown(many_equal_keys_are_ranked, open_world, close_world),
        cmocka_unit_test_setup_teardown(samples_that_mislead_cost_time_alone, open_world,
                                        close_world),
        cmocka_unit_test(a_failing_device_is_said),
        cmocka_unit_test(failures_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
