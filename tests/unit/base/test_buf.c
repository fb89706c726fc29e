/* test_buf.c: bytes in order, growth, formats, and the failure that sticks. */
#include "base/buf.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/bits.h"

static void puts_bytes_in_order(void **state)
{
    (void)state;
    rp__buf buf;
    rp__buf_init(&buf);
    rp__buf_put(&buf, "ab", 2);
    rp__buf_put_byte(&buf, 'c');
    rp__buf_put_zeros(&buf, 2);
    rp__buf_put_u32(&buf, 0x04030201);
    rp__buf_put_u64(&buf, 0x0C0B0A0908070605U);
    rp__buf_put_string(&buf, "end");
    rp__buf_put(&buf, NULL, 0);
    static const uint8_t want[] = "abc\0\0\1\2\3\4\5\6\7\10\11\12\13\14end";
    assert_int_equal(buf.n, sizeof want - 1);
    assert_memory_equal(buf.at, want, buf.n);
    assert_false(buf.failed);
    rp__buf_free(&buf);
    assert_null(buf.at);
}

static void grows_past_many_doublings(void **state)
{
    (void)state;
    rp__buf buf;
    rp__buf_init(&buf);
    for (uint32_t i = 0; i < 100000; i++)
        rp__buf_put_u32(&buf, i);
    assert_int_equal(buf.n, 400000);
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(rp__load32(buf.at + (size_t)i * 4), i);
    rp__buf_free(&buf);
}

/* As printf writes them: around each power of ten, and what is left of others. */
static void writes_digits(void **state)
{
    (void)state;
    char want[RP_BUF_DIGITS + 1];
    uint8_t got[RP_BUF_DIGITS];
    for (uint64_t power = 1, last = 0; power > last; last = power, power *= 10)
        for (uint64_t v = power - 1; v <= power + 1; v++) {
            const int n = snprintf(want, sizeof want, "%" PRIu64, v);
            assert_int_equal(rp__buf_digits(got, v), n);
            assert_memory_equal(got, want, (size_t)n);
        }
    for (uint64_t v = 0; v < 200000000; v += v < 20000 ? 1 : 9973) {
        const int n = snprintf(want, sizeof want, "%" PRIu64, v);
        assert_int_equal(rp__buf_digits(got, v), n);
        assert_memory_equal(got, want, (size_t)n);
    }
    assert_int_equal(rp__buf_digits(got, UINT64_MAX), 20);
    assert_memory_equal(got, "18446744073709551615", 20);
    for (size_t n = 0; n <= 7; n++) {
        memset(got, 'x', sizeof got);
        rp__buf_last_digits(got, 98760321, n);
        assert_memory_equal(got, &"98760321"[8 - n], n);
        assert_int_equal(got[n], 'x');
    }
    rp__buf_last_digits(got, 42, 5);
    assert_memory_equal(got, "00042", 5);
    rp__buf_last_digits(got, UINT64_MAX, 19);
    assert_memory_equal(got, "8446744073709551615", 19);
}

static void room_is_not_counted_until_used(void **state)
{
    (void)state;
    rp__buf buf;
    rp__buf_init(&buf);
    uint8_t *p = rp__buf_room(&buf, 100);
    assert_non_null(p);
    memset(p, 'x', 100);
    assert_int_equal(buf.n, 0);
    buf.n = 3;
    rp__buf_put_byte(&buf, 'y');
    assert_memory_equal(buf.at, "xxxy", 4);
    rp__buf_free(&buf);
}

static void writes_varints_that_read_back(void **state)
{
    (void)state;
    static const uint64_t values[] = {0,     1,          127,        128,       16383,
                                      16384, UINT32_MAX, 1ULL << 63, UINT64_MAX};
    rp__buf buf;
    rp__buf_init(&buf);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        rp__buf_put_varint(&buf, values[i]);
    const uint8_t *p = buf.at, *end = buf.at + buf.n;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        uint64_t v;
        assert_true(rp__bits_varint(&p, end, &v));
        assert_true(v == values[i]);
    }
    assert_ptr_equal(p, end);
    rp__buf_free(&buf);
}

static void prints(void **state)
{
    (void)state;
    rp__buf buf;
    rp__buf_init(&buf);
    rp__buf_printf(&buf, "%s has %d", "cat", 4);
    rp__buf_printf(&buf, "%s", "");
    rp__buf_printf(&buf, "%*s", 5000, "x");
    assert_int_equal(buf.n, 9 + 5000);
    assert_memory_equal(buf.at, "cat has 4 ", 10);
    assert_int_equal(buf.at[buf.n - 1], 'x');
    rp__buf_free(&buf);
}

static void a_failure_sticks(void **state)
{
    (void)state;
    rp__buf buf;
    rp__buf_init(&buf);
    rp__buf_put_string(&buf, "12345678");
    rp__alloc_fail_at(1, false);
    rp__buf_put_string(&buf, "9");
    rp__alloc_fail_at(0, false);
    assert_true(buf.failed);
    assert_int_equal(buf.n, 8);
    rp__buf_put_string(&buf, "more");
    rp__buf_put_varint(&buf, 1);
    rp__buf_put_zeros(&buf, 1);
    rp__buf_printf(&buf, "%d", 1);
    assert_null(rp__buf_room(&buf, 0));
    assert_int_equal(buf.n, 8);
    assert_memory_equal(buf.at, "12345678", 8);
    rp__buf_free(&buf);
    assert_false(buf.failed);
}

static void refuses_sizes_that_overflow(void **state)
{
    (void)state;
    rp__buf buf;
    rp__buf_init(&buf);
    rp__buf_put_byte(&buf, 1);
    assert_null(rp__buf_room(&buf, SIZE_MAX));
    assert_true(buf.failed);
    rp__buf_free(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(puts_bytes_in_order),
        cmocka_unit_test(grows_past_many_doublings),
        cmocka_unit_test(writes_digits),
        cmocka_unit_test(room_is_not_counted_until_used),
        cmocka_unit_test(writes_varints_that_read_back),
        cmocka_unit_test(prints),
        cmocka_unit_test(a_failure_sticks),
        cmocka_unit_test(refuses_sizes_that_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
