/* test_checksum.c: the checksum is on disk, so its values may never change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "store/store.h"

static void test_known_values(void **state)
{
    (void)state;
    uint8_t bytes[1000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7 + 3);
    assert_int_equal(rp__checksum("", 0), 0x2D06800538D394C2U); /* of XXH3's own specification */
    assert_int_equal(rp__checksum("riposte", 7), 0x4585FAF1CDF7165FU);
    assert_int_equal(rp__checksum(bytes, sizeof bytes), 0x6C4F14BD97BD9E82U);
}

static void test_every_bit_counts(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 3, 8, 16, 17, 128, 129, 240, 241, 1024, 1100};
    uint8_t bytes[1100] = {0};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        uint64_t sound = rp__checksum(bytes, sizes[s]);
        for (size_t bit = 0; bit < 8 * sizes[s]; bit++) {
            bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
            assert_int_not_equal(rp__checksum(bytes, sizes[s]), sound);
            bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        }
    }
}

static void test_place_does_not_count(void **state)
{
    (void)state;
    uint8_t room[600];
    for (size_t at = 0; at < 64; at++) {
        for (size_t i = 0; i < 500; i++)
            room[at + i] = (uint8_t)(i ^ i >> 3);
        static uint64_t first;
        uint64_t now = rp__checksum(room + at, 500);
        first = at == 0 ? now : first;
        assert_int_equal(now, first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_every_bit_counts),
        cmocka_unit_test(test_place_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
