/* test_zblock.c: blocks come back as they were, the same bytes every time, and damage is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "store/store.h"

static rp__zblock *open_block(void)
{
    rp__zblock *z = NULL;
    assert_int_equal(rp__zblock_new(&z), RP_OK);
    return z;
}

/* A whole block to a size that is known. */
static rp_status unpack(rp__zblock *z, const void *in, size_t n, void *out, size_t expected)
{
    size_t made = expected;
    bool is_at_end = false;
    rp__zblock_begin(z);
    rp_status status = rp__zblock_unpack(z, in, &n, out, &made, &is_at_end);
    return status == RP_OK && is_at_end && made == expected ? RP_OK : RP_DAMAGED;
}

static void test_round_trip(void **state)
{
    (void)state;
    rp__zblock *z = open_block();
    rp__buf packed;
    rp__buf_init(&packed);
    srand(4);
    for (size_t n = 0; n < 70000; n = n * 3 / 2 + 1) {
        uint8_t *in = malloc(n + 1), *out = malloc(n + 1);
        for (size_t i = 0; i < n; i++)
            in[i] = (uint8_t)(rand() % 7 + 'a');
        size_t before = packed.n;
        assert_int_equal(rp__zblock_pack(z, in, n, &packed), RP_OK);
        assert_int_equal(unpack(z, packed.at + before, packed.n - before, out, n), RP_OK);
        assert_memory_equal(in, out, n);
        free(in);
        free(out);
    }
    rp__buf_free(&packed);
    rp__zblock_free(z);
}

/* An index is the same bytes however it was built, so a context's past must not show. */
static void test_packing_forgets(void **state)
{
    (void)state;
    rp__zblock *fresh = open_block(), *used = open_block();
    rp__buf a, b, other;
    rp__buf_init(&a);
    rp__buf_init(&b);
    rp__buf_init(&other);
    char text[20000];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = "the quick brown fox "[i * i % 20];
    for (size_t n = 100; n < sizeof text; n += 1777)
        assert_int_equal(rp__zblock_pack(used, text, n, &other), RP_OK);
    assert_int_equal(rp__zblock_pack(fresh, text, 15000, &a), RP_OK);
    assert_int_equal(rp__zblock_pack(used, text, 15000, &b), RP_OK);
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.at, b.at, a.n);
    rp__buf_free(&a);
    rp__buf_free(&b);
    rp__buf_free(&other);
    rp__zblock_free(fresh);
    rp__zblock_free(used);
}

static void test_damage(void **state)
{
    (void)state;
    rp__zblock *z = open_block();
    rp__buf packed;
    rp__buf_init(&packed);
    uint8_t in[3000], out[3000];
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (uint8_t)(i * i >> 4);
    assert_int_equal(rp__zblock_pack(z, in, sizeof in, &packed), RP_OK);
    assert_int_equal(unpack(z, packed.at, packed.n, out, sizeof out - 1), RP_DAMAGED);
    assert_int_equal(unpack(z, packed.at, packed.n - 1, out, sizeof out), RP_DAMAGED);
    assert_int_equal(unpack(z, packed.at, 0, out, sizeof out), RP_DAMAGED);
    uint8_t big[3001];
    assert_int_equal(unpack(z, packed.at, packed.n, big, sizeof big), RP_DAMAGED);
    srand(5);
    for (int round = 0; round < 5000;
         round++) { /* any bytes are safe; some changes cannot be seen */
        size_t at = (size_t)rand() % packed.n;
        uint8_t old = packed.at[at];
        packed.at[at] = (uint8_t)rand();
        rp_status status = unpack(z, packed.at, packed.n, out, sizeof out);
        assert_true(status == RP_OK || status == RP_DAMAGED);
        packed.at[at] = old;
    }
    assert_int_equal(unpack(z, packed.at, packed.n, out, sizeof out), RP_OK);
    rp__buf_free(&packed);
    rp__zblock_free(z);
}

/* Pieces of any length, in and out, of a block that is longer than a window; the memory that it takes. */
static void test_pieces(void **state)
{
    (void)state;
    enum { BYTES = 9 << 20 };
    rp__zblock *z = open_block();
    rp__buf packed;
    rp__buf_init(&packed);
    uint8_t *in = malloc(BYTES), *out = malloc(BYTES);
    for (size_t i = 0; i < BYTES; i++)
        in[i] = (uint8_t)(i * i >> 11);
    assert_int_equal(rp__zblock_pack(z, in, BYTES, &packed), RP_OK);
    rp__zblock_free(z);
    z = open_block();
    uint64_t before = rp__alloc_in_use();
    rp__alloc_reset_peak();
    bool is_at_end = false;
    rp__zblock_begin(z);
    for (size_t at = 0, done = 0, turn = 1; !is_at_end; turn++) {
        size_t taken = turn * 7919 % 30000, made = turn * 104729 % 70000;
        taken = taken < packed.n - at ? taken : packed.n - at;
        made = made < BYTES - done ? made : BYTES - done;
        assert_int_equal(
            rp__zblock_unpack(z, packed.at + at, &taken, out + done, &made, &is_at_end), RP_OK);
        at += taken;
        done += made;
        assert_true(!is_at_end || (done == BYTES && at == packed.n));
    }
    assert_memory_equal(in, out, BYTES);
    assert_true(rp__alloc_peak() - before < 3 << 20);
    free(in);
    free(out);
    rp__buf_free(&packed);
    rp__zblock_free(z);
}

static void test_no_memory(void **state)
{
    (void)state;
    uint64_t before = rp__alloc_in_use();
    char text[5000];
    memset(text, 'x', sizeof text);
    for (uint64_t n = 1;; n++) {
        rp__zblock *z = NULL;
        rp__buf out;
        rp__buf_init(&out);
        rp__alloc_fail_at(n, true);
        rp_status status = rp__zblock_new(&z);
        if (status == RP_OK)
            status = rp__zblock_pack(z, text, sizeof text, &out);
        rp__alloc_fail_at(0, false);
        rp__buf_free(&out);
        rp__zblock_free(z);
        assert_int_equal(rp__alloc_in_use(), before);
        if (status == RP_OK)
            break;
        assert_int_equal(status, RP_NO_MEMORY);
        assert_true(n < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_packing_forgets),
        cmocka_unit_test(test_damage),     cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests_name("zblock", tests, NULL, NULL);
}
