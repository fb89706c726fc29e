/* test_count_text.c: where the commas stand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/count_text.h"

static void test_commas(void **state)
{
    (void)state;
    static const struct {
        uint64_t v;
        const char *text;
    } rows[] = {{0, "0"},
                {999, "999"},
                {1000, "1,000"},
                {123456, "123,456"},
                {1234567, "1,234,567"},
                {UINT64_MAX, "18,446,744,073,709,551,615"}};
    char out[RP_COUNT_TEXT_BYTES];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(rp__count_text(out, rows[i].v), rows[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_commas)};
    return cmocka_run_group_tests_name("count_text", tests, NULL, NULL);
}
