/* test_device_heap.c: pieces of a range against a plain model: they never overlap, never pass the range, and what is
 * free can be taken; evictions take what they may, cheapest first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "backend/gpu/residency/device_heap.h"
#include "base/alloc.h"
#include "oracle/chance.h"

enum { GRAINS = 512, GRAIN = RP_DEVICE_HEAP_GRAIN, PIECES = 256, STEPS = 20000 };
static const uint64_t base = 1 << 20;
static const rp__device_heap_spared all_may_go = {UINT64_MAX, UINT64_MAX};

/* Who has each grain: 0 nobody, otherwise number of the piece + 1. */
typedef struct model {
    rp__device_heap heap;
    rp__piece *pieces[PIECES]; /* NULL: none */
    uint16_t grains[GRAINS];
    size_t n_evicted;
} model;

static size_t number_of(const model *m, const rp__piece *p)
{
    size_t i = 0;
    while (m->pieces[i] != p)
        assert_true(++i < PIECES);
    return i;
}

static void clear(model *m, size_t number)
{
    for (size_t g = 0; g < GRAINS; g++)
        m->grains[g] = m->grains[g] == number + 1 ? 0 : m->grains[g];
    m->pieces[number] = NULL;
}

static void on_evict(void *arg, rp__piece *piece)
{
    model *m = arg;
    assert_ptr_equal(piece->owner, m);
    assert_int_equal(piece->state, RP_PIECE_KEPT);
    clear(m, number_of(m, piece));
    m->n_evicted++;
}

static void open_model(model *m)
{
    *m = (model){0};
    const rp__device_heap_owner owner = {on_evict, m};
    assert_true(rp__device_heap_open(&m->heap, base, GRAINS * GRAIN + 100, 64, owner));
    assert_int_equal(m->heap.bytes, GRAINS * GRAIN);
}

static void add(model *m, rp__piece *p, uint64_t bytes)
{
    size_t number = 0;
    while (m->pieces[number])
        assert_true(++number < PIECES);
    assert_true(p->bytes >= bytes && p->bytes % GRAIN == 0 && p->at % GRAIN == 0);
    assert_true(p->at >= base && p->at + p->bytes <= base + GRAINS * GRAIN);
    m->pieces[number] = p;
    for (uint64_t g = (p->at - base) / GRAIN; g < (p->at - base + p->bytes) / GRAIN; g++) {
        assert_int_equal(m->grains[g], 0);
        m->grains[g] = (uint16_t)(number + 1);
    }
}

/* The longest run of grains that nobody has; those of kept pieces too. */
static size_t longest_run(const model *m, bool with_kept)
{
    size_t best = 0, run = 0;
    for (size_t g = 0; g < GRAINS; g++) {
        const rp__piece *p = m->grains[g] ? m->pieces[m->grains[g] - 1] : NULL;
        bool is_there = !p || (with_kept && p->state == RP_PIECE_KEPT);
        run = is_there ? run + 1 : 0;
        best = run > best ? run : best;
    }
    return best;
}

static void take(model *m)
{
    uint64_t bytes = 1 + chance_below(chance_below(8) ? 8 * GRAIN : 100 * GRAIN);
    size_t need = (bytes + GRAIN - 1) / GRAIN, there = longest_run(m, false);
    rp__piece *p = rp__device_heap_take(&m->heap, bytes);
    assert_int_equal(p != NULL, need <= there);
    if (p)
        add(m, p, bytes);
    if (p && chance_below(2))
        rp__device_heap_keep(&m->heap, p, 1 + chance_below(100), 1, m);
}

static void evict(model *m)
{
    uint64_t bytes = 1 + chance_below(40 * GRAIN);
    size_t need = (bytes + GRAIN - 1) / GRAIN, there = longest_run(m, true);
    rp__piece *p = rp__device_heap_evict(&m->heap, bytes, UINT64_MAX, all_may_go);
    assert_int_equal(p != NULL, need <= there);
    if (!p)
        return;
    rp__device_heap_trim(&m->heap, p, bytes);
    assert_int_equal(p->bytes, need * GRAIN);
    add(m, p, bytes);
}

static void check(const model *m)
{
    uint64_t used = 0;
    for (size_t g = 0; g < GRAINS; g++)
        used += m->grains[g] ? GRAIN : 0;
    assert_int_equal(m->heap.in_use, used);
    assert_true(m->heap.stats.peak <= m->heap.bytes);
}

static size_t count(const model *m)
{
    size_t n = 0;
    for (size_t i = 0; i < PIECES; i++)
        n += m->pieces[i] != NULL;
    return n;
}

static void as_a_plain_model(void **state)
{
    (void)state;
    model m;
    chance_seed(14);
    open_model(&m);
    for (size_t step = 0; step < STEPS; step++) {
        size_t which = chance_below(PIECES);
        if (chance_below(3) && count(&m) < PIECES - 1)
            take(&m);
        else if (chance_below(3) == 0 && count(&m) < PIECES - 1)
            evict(&m);
        else if (m.pieces[which]) {
            rp__device_heap_give(&m.heap, m.pieces[which]);
            clear(&m, which);
        }
        check(&m);
    }
    for (size_t i = 0; i < PIECES; i++)
        if (m.pieces[i]) {
            rp__device_heap_give(&m.heap, m.pieces[i]);
            clear(&m, i);
        }
    check(&m);
    assert_true(m.n_evicted > 100);
    assert_int_equal(longest_run(&m, false), GRAINS);
    rp__piece *all = rp__device_heap_take(&m.heap, GRAINS * GRAIN);
    assert_non_null(all);
    assert_null(rp__device_heap_take(&m.heap, 1));
    rp__device_heap_close(&m.heap);
}

/* What is used stays; what is marked stays; what is worth more than is offered stays. */
static void the_cheapest_goes(void **state)
{
    (void)state;
    model m;
    open_model(&m);
    rp__piece *pieces[4];
    for (size_t i = 0; i < 4; i++) {
        pieces[i] = rp__device_heap_take(&m.heap, GRAINS * GRAIN / 4);
        add(&m, pieces[i], 1);
        rp__device_heap_keep(&m.heap, pieces[i], i + 1, 1, &m);
        for (size_t t = 0; t < 5 + (i == 2 ? 0 : i); t++)
            rp__device_heap_touch(&m.heap, i + 1);
    }
    assert_null(
        rp__device_heap_evict(&m.heap, 1, 5 * pieces[2]->bytes, all_may_go)); /* not worth it */
    pieces[0]->mark = pieces[2]->mark = 7;
    pieces[3]->mark = 6;
    pieces[3]->found = 5;
    rp__piece *got = rp__device_heap_evict(&m.heap, 1, UINT64_MAX, (rp__device_heap_spared){7, 5});
    assert_int_equal(got->at, base + GRAINS * GRAIN / 4);
    add(&m, got, 1);
    got = rp__device_heap_evict(&m.heap, 1, UINT64_MAX, all_may_go);
    assert_int_equal(got->at, base); /* touched as often as the third, and first */
    assert_int_equal(m.n_evicted, 2);
    rp__device_heap_close(&m.heap);
}

/* Scratch that is idle is worth what its key says. */
static void scratch_has_a_price(void **state)
{
    (void)state;
    model m;
    open_model(&m);
    rp__piece *scratch = rp__device_heap_take(&m.heap, GRAINS * GRAIN);
    add(&m, scratch, 1);
    rp__device_heap_keep(&m.heap, scratch, 64 * scratch->bytes, 0, &m);
    for (size_t i = 0; i < 100; i++)
        assert_null(rp__device_heap_evict(&m.heap, 1, 64 * scratch->bytes, all_may_go));
    assert_ptr_equal(rp__device_heap_evict(&m.heap, 1, 64 * scratch->bytes + 1, all_may_go),
                     scratch);
    rp__device_heap_close(&m.heap);
}

/* After those who offer little have looked in vain, a few of them still look. */
static void who_offers_little_looks_now_and_then(void **state)
{
    (void)state;
    enum { TOUCHES = 10 };
    model m;
    open_model(&m);
    rp__piece *p = rp__device_heap_take(&m.heap, GRAINS * GRAIN);
    add(&m, p, 1);
    rp__device_heap_keep(&m.heap, p, 1, 1, &m);
    for (size_t t = 0; t < TOUCHES; t++)
        rp__device_heap_touch(&m.heap, 1);
    for (size_t i = 0; i < 100; i++)
        assert_null(rp__device_heap_evict(&m.heap, p->bytes, 2 * p->bytes, all_may_go));
    rp__admission_halve(&m.heap.touches);
    rp__admission_halve(&m.heap.touches);
    rp__admission_halve(&m.heap.touches);
    size_t n = 1;
    while (!rp__device_heap_evict(&m.heap, p->bytes, 2 * p->bytes, all_may_go))
        assert_in_range(++n, 1, 32);
    assert_true(n > 1);
    rp__device_heap_close(&m.heap);
}

static void memory_may_be_missing(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 2; i++) {
        model m = {0};
        rp__alloc_fail_at(i, false);
        assert_false(rp__device_heap_open(&m.heap, base, GRAIN, 64, m.heap.owner));
    }
    rp__alloc_fail_at(0, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_a_plain_model),
        cmocka_unit_test(the_cheapest_goes),
        cmocka_unit_test(scratch_has_a_price),
        cmocka_unit_test(who_offers_little_looks_now_and_then),
        cmocka_unit_test(memory_may_be_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
