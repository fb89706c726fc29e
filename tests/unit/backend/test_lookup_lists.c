/* test_lookup_lists.c: lists for one launch alone lie within the transient memory that was asked for them. */
#include "unit/tiny_index.h"

#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/residency/lookup_lists.h"

enum { DOCS = 3000, LISTS = 3 };

static const char *const words[LISTS] = {"a", "b", "c"};
static const char *const texts[] = {"a", "a b", "a b c"}; /* of every third document */

typedef struct world {
    tiny_index tiny;
    rp__device device;
    rp__gpu_index index;
    rp__lease other, lease; /* the other one has whatever was free */
    rp__arena arena;
} world;

/* Lists come and go, and no memory is free. */
static void open_world(world *w)
{
    static const char *docs[DOCS];
    rp_error err = {.text = ""};
    rp__piece *piece;
    for (size_t i = 0; i < DOCS; i++)
        docs[i] = texts[i % LISTS];
    tiny_open(&w->tiny, docs, DOCS, (tiny_options){0});
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    assert_int_equal(rp__device_open(&w->device, rp__emulated_device_driver(), 0, &err), RP_OK);
    assert_int_equal(rp__gpu_index_open(&w->index, &w->device, w->tiny.index.segment, 16 << 10),
                     RP_OK);
    rp__residency *r = w->index.residency;
    assert_false(r->is_whole);
    assert_int_equal(rp__lease_open(&w->other, r, &w->device, w->device.stream, false), RP_OK);
    assert_int_equal(rp__lease_open(&w->lease, r, &w->device, w->device.stream, false), RP_OK);
    rp__lease_begin(&w->other);
    while (rp__lease_take(&w->other, RP_DEVICE_HEAP_GRAIN, RP_NEED_FREE, 0, 0, &piece) == RP_OK)
        continue;
    assert_true(r->heap.in_use == r->heap.bytes);
    rp__arena_init(&w->arena, 1 << 20);
}

static void close_world(world *w)
{
    rp__arena_reset(&w->arena);
    rp__lease_close(&w->lease);
    rp__lease_close(&w->other);
    rp__gpu_index_close(&w->index);
    rp__device_close(&w->device);
    tiny_close(&w->tiny);
}

/* What a launch takes of transient memory for the first n lists is what it says that it needs. */
static void check_need(world *w, size_t n, bool is_plain)
{
    rp__term terms[LISTS];
    const rp__term *pointers[LISTS];
    rp__lookup_lists lists;
    uint64_t transient = 0;
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(rp__segment_find(w->tiny.index.segment, words[i], 1, &terms[i]), RP_OK);
        assert_null(terms[i].tiny);
        pointers[i] = &terms[i];
    }
    if (is_plain)
        rp__lookup_lists_begin_plain(&lists, &w->lease, &w->index, &w->arena);
    else
        rp__lookup_lists_begin(&lists, &w->lease, &w->index, &w->arena);
    rp__lease_begin(&w->lease);
    assert_int_equal(rp__lookup_lists_open(&lists, pointers, n), RP_OK);
    rp__lease_acquire(&w->lease);
    assert_int_equal(rp__lookup_lists_need(&lists, &transient), RP_OK);
    assert_true(transient > 0);
    const rp__cu_ptr from = UINT64_C(1) << 40;
    rp__cu_ptr at = from;
    assert_int_equal(rp__lookup_lists_take(&lists, &at), RP_OK);
    assert_int_equal(at - from, transient);
    rp__lease_end(&w->lease);
}

static void what_is_taken_is_what_was_needed(void **state)
{
    (void)state;
    world w = {0};
    open_world(&w);
    for (size_t n = 1; n <= LISTS; n++) {
        check_need(&w, n, true); /* transcoded */
        check_need(&w, n, false);
    }
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_taken_is_what_was_needed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
