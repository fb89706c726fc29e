/* test_dropped.c: each name once, sorted, and no more than fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "engine/dropped.h"

static void expect(rp__dropped *d, const char *want)
{
    rp__buf out;
    rp__buf_init(&out);
    rp__dropped_put(d, &out);
    rp__buf_put_byte(&out, 0);
    assert_string_equal((char *)out.at, want);
    rp__buf_free(&out);
}

static void test_names(void **state)
{
    (void)state;
    rp__dropped d = {0}, other = {0};
    expect(&d, "");
    for (int i = 0; i < 3; i++) {
        rp__dropped_add(&d, "date", 4);
        rp__dropped_add(&d, "author", 6);
        rp__dropped_add(&d, "", 0);
    }
    rp__dropped_add(&d, "auth", 4);
    expect(&d, "\"\", \"auth\", \"author\", \"date\"");
    rp__dropped_add(&other, "url", 3);
    rp__dropped_add(&other, "date", 4);
    rp__dropped_merge(&d, &other);
    expect(&d, "\"\", \"auth\", \"author\", \"date\", \"url\"");
}

static void test_bounds(void **state)
{
    (void)state;
    rp__dropped d = {0};
    char name[100];
    memset(name, 'x', sizeof name);
    memcpy(name + RP_DROPPED_BYTES - 1, "\xC3\xA9", 2); /* not cut in two */
    rp__dropped_add(&d, name, sizeof name);
    assert_int_equal(d.bytes[0], RP_DROPPED_BYTES - 1);
    for (int i = 0; i < RP_DROPPED_NAMES; i++) {
        snprintf(name, sizeof name, "%d", i);
        rp__dropped_add(&d, name, strlen(name));
    }
    assert_int_equal(d.n, RP_DROPPED_NAMES);
    assert_true(d.has_more);
    rp__buf out;
    rp__buf_init(&out);
    rp__dropped_put(&d, &out);
    assert_memory_equal(out.at + out.n - 9, " and more", 9);
    assert_int_equal(rp__utf8_check((char *)out.at, out.n), out.n);
    rp__buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests_name("dropped", tests, NULL, NULL);
}
