/* test_aux_table.c: ids are places, names are found and no others. */
#include "list_case.h"

static void rows_are_found(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < RP_AUX_KINDS; i++) {
        const rp__aux_kind *kind = rp__aux_kind_at(i);
        assert_int_equal(kind->id, i);
        assert_ptr_equal(rp__aux_kind_find(kind->name, strlen(kind->name)), kind);
    }
    assert_null(rp__aux_kind_at(RP_AUX_KINDS));
    assert_string_equal(rp__aux_kind_at(0)->name, "lr");
    assert_string_equal(rp__aux_kind_at(8)->name, "hs1024");
}

static void other_names_are_not(void **unused)
{
    (void)unused;
    const char *const names[] = {"", "l", "lrx", "hs", "hs0", "hs4", "hs9", "hs08", "hs2048", "LR"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_null(rp__aux_kind_find(names[i], strlen(names[i])));
    assert_non_null(rp__aux_kind_find("hs16,lr", 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_found),
        cmocka_unit_test(other_names_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
