/* test_backend_table.c: every processor is known by its name; those that are not there say so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "backend/backend.h"

static void rows_are_found_by_name(void **state)
{
    (void)state;
    static const char *const names[] = {"cpu", "gpu", "iiu"};
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(rp__backend_at(i)->name, names[i]);
        assert_ptr_equal(rp__backend_find(names[i]), rp__backend_at(i));
    }
    assert_null(rp__backend_at(3));
    assert_null(rp__backend_find("tpu"));
    assert_null(rp__backend_find(""));
}

static void the_cpu_is_always_there(void **state)
{
    (void)state;
    assert_int_equal(rp__backend_find("cpu")->probe(NULL), RP_OK);
}

static void processors_that_are_missing_say_why(void **state)
{
    (void)state;
    for (size_t i = 1; i < 3; i++) {
        const rp__backend *row = rp__backend_at(i);
        rp_error err = {.text = ""};
        assert_int_equal(row->probe(&err), RP_UNAVAILABLE);
        assert_non_null(strstr(err.text, row->name));
        memset(&err, 0, sizeof err);
        assert_int_equal(row->run(NULL, NULL, NULL, &err), RP_UNAVAILABLE);
        assert_non_null(strstr(err.text, row->name));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_found_by_name),
        cmocka_unit_test(the_cpu_is_always_there),
        cmocka_unit_test(processors_that_are_missing_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
