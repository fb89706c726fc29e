/* filter.c: RIPOSTE_TESTS='pattern' picks tests by name; linked into every test program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

__attribute__((constructor)) static void set_filter(void)
{
    cmocka_set_test_filter(getenv("RIPOSTE_TESTS"));
}
