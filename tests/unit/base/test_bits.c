/* test_bits.c: widths, unaligned words, alignment, and LEB128 on whole and on broken bytes. */
#include "base/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void width_is_the_number_of_bits(void **state)
{
    (void)state;
    assert_int_equal(rp__bits_width(0), 0);
    assert_int_equal(rp__bits_width64(0), 0);
    for (uint32_t b = 0; b < 32; b++) {
        assert_int_equal(rp__bits_width(1U << b), b + 1);
        assert_int_equal(rp__bits_width((1U << b) - 1), b);
    }
    for (uint32_t b = 0; b < 64; b++) {
        assert_int_equal(rp__bits_width64(1ULL << b), b + 1);
        assert_int_equal(rp__bits_lowest64(1ULL << b), b);
        assert_int_equal(rp__bits_lowest64(~0ULL << b), b);
        assert_int_equal(rp__bits_count64(~0ULL << b), 64 - b);
    }
    assert_int_equal(rp__bits_count64(0), 0);
}

static void loads_and_stores_at_any_address(void **state)
{
    (void)state;
    uint8_t bytes[32];
    for (size_t at = 0; at < 16; at++) {
        memset(bytes, 0, sizeof bytes);
        rp__store64(bytes + at, 0x8877665544332211U);
        assert_int_equal(bytes[at], 0x11);
        assert_int_equal(bytes[at + 7], 0x88);
        assert_int_equal(bytes[at + 8], 0);
        assert_true(rp__load64(bytes + at) == 0x8877665544332211U);
        rp__store32(bytes + at, 0xAABBCCDD);
        assert_int_equal(rp__load32(bytes + at), 0xAABBCCDD);
        assert_int_equal(bytes[at + 4], 0x55);
    }
}

static void aligns_upwards(void **state)
{
    (void)state;
    assert_int_equal(rp__bits_align(0, 16), 0);
    assert_int_equal(rp__bits_align(1, 16), 16);
    assert_int_equal(rp__bits_align(16, 16), 16);
    assert_int_equal(rp__bits_align(17, 16), 32);
    assert_int_equal(rp__bits_align(7, 3), 9);
}

static void varint_has_seven_bits_a_byte(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits <= 64; bits++) {
        uint64_t v = bits == 0 ? 0 : bits == 64 ? UINT64_MAX : (1ULL << bits) - 1;
        uint8_t bytes[10];
        size_t n = (size_t)(rp__bits_put_varint(bytes, v) - bytes);
        assert_int_equal(n, bits == 0 ? 1 : (bits + 6) / 7);
        const uint8_t *p = bytes;
        uint64_t back;
        assert_true(rp__bits_varint(&p, bytes + n, &back));
        assert_true(back == v);
        assert_ptr_equal(p, bytes + n);
        for (size_t cut = 0; cut < n; cut++) {
            p = bytes;
            assert_false(rp__bits_varint(&p, bytes + cut, &back));
            assert_true(p <= bytes + cut);
        }
    }
}

static void varint_over_64_bits_is_refused(void **state)
{
    (void)state;
    static const uint8_t two_too_many[10] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 2};
    static const uint8_t endless[12] = {128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0};
    uint64_t v;
    const uint8_t *p = two_too_many;
    assert_false(rp__bits_varint(&p, two_too_many + 10, &v));
    p = endless;
    assert_false(rp__bits_varint(&p, endless + 12, &v));
}

static void varint32_refuses_over_32_bits(void **state)
{
    (void)state;
    uint8_t bytes[10];
    uint32_t v;
    const uint8_t *p = bytes;
    rp__bits_put_varint(bytes, UINT32_MAX);
    assert_true(rp__bits_varint32(&p, bytes + 10, &v));
    assert_int_equal(v, UINT32_MAX);
    uint8_t *end = rp__bits_put_varint(bytes, (uint64_t)UINT32_MAX + 1);
    p = bytes;
    assert_false(rp__bits_varint32(&p, end, &v));
    p = bytes;
    assert_false(rp__bits_varint32(&p, bytes, &v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(width_is_the_number_of_bits),
        cmocka_unit_test(loads_and_stores_at_any_address),
        cmocka_unit_test(aligns_upwards),
        cmocka_unit_test(varint_has_seven_bits_a_byte),
        cmocka_unit_test(varint_over_64_bits_is_refused),
        cmocka_unit_test(varint32_refuses_over_32_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
