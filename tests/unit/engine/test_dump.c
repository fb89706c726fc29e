/* test_dump.c: what is told of one list: costs, gaps, the line through it. */
#include "riposte/riposte.h"

#include "unit/index/patch.h"

enum { DOCS = 1000 };

static tempdir dir;
static rp_index *index_;

/* "all" is in every document, "third" in every third, "twice" in two, "late" in the last hundred. */
static int make(void **state)
{
    (void)state;
    rp_builder *b;
    if (tempdir_make(&dir) != 0 ||
        rp_builder_new(dir.path, &(rp_build_options){.aux = "lr,hs16"}, &b, NULL) != RP_OK)
        return -1;
    for (int d = 0; d < DOCS; d++) {
        char id[16], text[80];
        int n = snprintf(id, sizeof id, "%d", d);
        int m = snprintf(text, sizeof text, "all%s%s%s", d % 3 ? "" : " third third",
                         d == 5 || d == 700 ? " twice" : "", d >= 900 ? " late" : "");
        if (rp_builder_add(b, id, (size_t)n, "", 0, text, (size_t)m, NULL) != RP_OK)
            return -1;
    }
    rp_status status = rp_builder_finish(b, NULL, NULL);
    rp_builder_free(b);
    return status == RP_OK && rp_index_open(dir.path, NULL, &index_, NULL) == RP_OK ? 0 : -1;
}

static int clean(void **state)
{
    (void)state;
    rp_index_close(index_);
    tempdir_remove(&dir);
    return 0;
}

static rp_list_info look(const char *word)
{
    rp_list_info info;
    assert_int_equal(rp_index_get_list(index_, word, &info, NULL), RP_OK);
    uint64_t gaps = 0;
    for (size_t b = 0; b < 33; b++)
        gaps += info.gaps[b];
    assert_int_equal(gaps, info.cost.postings);
    assert_string_equal(info.cost.term, info.term);
    assert_int_equal(info.cost.bytes_docids + info.cost.bytes_freqs + info.cost.bytes_directory +
                         info.cost.bytes_positions,
                     info.cost.bytes);
    return info;
}

static void test_straight_lists(void **state)
{
    (void)state;
    rp_list_info all = look("ALL"), third = look("third"), late = look("late");
    assert_string_equal(all.term, "all");
    assert_int_equal(all.gaps[0], DOCS);
    assert_true(all.slope == 1 && all.determination == 1 && all.contraction == 0);
    assert_true(all.first == 0 && all.last == DOCS - 1 && all.has_aux);
    assert_int_equal(third.cost.postings, 334);
    assert_int_equal(third.cf, 668);
    assert_int_equal(third.gaps[2], 333); /* 2 takes two bits; the first gap is 0 */
    assert_true(third.slope == 3 && third.contraction == 0 && third.has_aux);
    assert_int_equal(late.gaps[10], 1);
    assert_int_equal(late.gaps[0], 99);
    assert_false(late.has_aux); /* too short */
}

static void test_tiny_list(void **state)
{
    (void)state;
    rp_list_info twice = look("twice");
    assert_string_equal(twice.cost.codec, "tiny");
    assert_true(twice.first == 5 && twice.last == 700 && twice.cost.blocks == 0);
    assert_true(twice.slope == 695 && twice.local_most == 0);
}

static void test_no_list(void **state)
{
    (void)state;
    rp_list_info info;
    rp_error err = {0};
    assert_int_equal(rp_index_get_list(index_, "zebra", &info, &err), RP_NOT_FOUND);
    assert_non_null(strstr(err.text, "\"zebra\": not in this index"));
    assert_int_equal(rp_index_get_list(index_, "", &info, NULL), RP_NOT_FOUND);
    assert_int_equal(rp_index_get_list(index_, "...", &info, NULL), RP_NOT_FOUND);
}

static void test_damage(void **state)
{
    (void)state;
    patch p;
    size_t n = 0;
    rp_index *damaged;
    rp_list_info info;
    rp_error err = {0};
    patch_open(&p, dir.path, 1);
    uint8_t *lists = patch_section(&p, RP_FILE_LISTS, RP_SECTION_LISTS, &n);
    memset(lists, 0xFF, n);
    patch_apply(&p);
    assert_int_equal(rp_index_open(dir.path, NULL, &damaged, NULL), RP_OK);
    assert_int_equal(rp_index_get_list(damaged, "all", &info, &err), RP_DAMAGED);
    assert_non_null(strstr(err.text, "riposte check"));
    rp_index_close(damaged);
    patch_undo(&p);
    patch_write(&p);
    patch_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_straight_lists),
        cmocka_unit_test(test_tiny_list),
        cmocka_unit_test(test_no_list),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
