/* test_energy.c: what the processor has used never becomes less within a moment, where it can be read at all. */
#include "lab/energy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void it_does_not_fall(void **state)
{
    (void)state;
    double before, after;
    if (!rp__energy_read(&before))
        skip();
    assert_true(rp__energy_read(&after));
    assert_true(before > 0 && after >= before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_does_not_fall)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
