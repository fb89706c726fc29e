/* test_costs.c: what lists cost: parts that add up to the files, and the costliest first. */
#include "riposte/riposte.h"

#include "fault/sample.h"
#include "unit/index/patch.h"

enum { DOCS = 600 };

static tempdir dir;
static char input[240], ix[240];

static rp_index *open_as(const rp_build_options *o)
{
    const char *paths[] = {input};
    rp_index *index = NULL;
    rp_error err = {0};
    if (rp_index_build(paths, 1, ix, o, NULL, &err) != RP_OK ||
        rp_index_open(ix, NULL, &index, &err) != RP_OK)
        fail_msg("%s", err.text);
    return index;
}

static void must_get(const rp_index *index, size_t top, rp_index_costs *out)
{
    rp_error err = {0};
    if (rp_index_get_costs(index, top, out, &err) != RP_OK)
        fail_msg("%s", err.text);
}

static void expect_adds_up(const rp_list_cost *c)
{
    assert_int_equal(c->bytes,
                     c->bytes_docids + c->bytes_freqs + c->bytes_directory + c->bytes_positions);
}

static size_t section_bytes(int kind, uint32_t id)
{
    patch p;
    size_t n = 0;
    rp_index *index;
    rp_index_info info;
    assert_int_equal(rp_index_open(ix, NULL, &index, NULL), RP_OK);
    rp_index_get_info(index, &info);
    patch_open(&p, ix, info.generation);
    rp_index_close(index);
    patch_section(&p, kind, id, &n);
    patch_close(&p);
    return n;
}

static void test_sums(void **state)
{
    (void)state;
    for (size_t i = 0; rp_codec_name(i); i++)
        for (int bare = 0; bare < 2; bare++) {
            rp_build_options o = {.codec = rp_codec_name(i), .no_positions = bare};
            rp_index *index = open_as(&o);
            rp_index_info info;
            rp_index_costs costs;
            rp_index_get_info(index, &info);
            must_get(index, 0, &costs);
            assert_int_equal(costs.n, 0);
            assert_int_equal(costs.n_lists + costs.n_tiny, info.terms);
            assert_int_equal(costs.lists.postings + costs.tiny.postings, info.postings);
            expect_adds_up(&costs.lists);
            expect_adds_up(&costs.tiny);
            assert_true(costs.n_tiny > 100 && costs.n_lists > 100);
            assert_int_equal(costs.tiny.bytes_directory, 0);
            assert_int_equal(costs.tiny.bytes_pruning, 0);
            assert_true(costs.lists.bytes_pruning >= costs.lists.blocks);
            assert_true(costs.lists.bytes_pruning <= costs.lists.blocks + 3 * costs.n_lists);
            assert_int_equal(costs.lists.bytes_docids + costs.lists.bytes_freqs +
                                 costs.lists.bytes_directory,
                             section_bytes(RP_FILE_LISTS, RP_SECTION_LISTS));
            assert_int_equal(costs.lists.bytes_positions,
                             bare ? 0 : section_bytes(RP_FILE_POSITIONS, RP_SECTION_POSITIONS));
            assert_int_equal(costs.tiny.bytes_positions > 0, !bare);
            rp_index_costs_free(&costs);
            rp_index_close(index);
        }
}

/* The same ones come first whatever the number, by falling bytes, then in the order of terms. */
static void test_costliest(void **state)
{
    (void)state;
    rp_index *index = open_as(&(rp_build_options){.codec = "optpfd"});
    rp_index_info info;
    rp_index_costs all, few;
    rp_index_get_info(index, &info);
    must_get(index, SIZE_MAX, &all);
    assert_int_equal(all.n, info.terms);
    for (size_t i = 0; i < all.n; i++) {
        const rp_list_cost *c = &all.at[i];
        rp_term_info term;
        expect_adds_up(c);
        assert_int_equal(rp_index_get_term(index, c->term, &term, NULL), RP_OK);
        assert_int_equal(term.df, c->postings);
        assert_int_equal(term.bytes, c->bytes);
        assert_int_equal(term.blocks, c->blocks);
        assert_string_equal(c->codec, c->blocks ? "optpfd" : "tiny");
        if (i > 0)
            assert_true(c[-1].bytes > c->bytes ||
                        (c[-1].bytes == c->bytes && strcmp(c[-1].term, c->term) < 0));
    }
    for (size_t top = 1; top < 200; top = top * 2 + 1) {
        must_get(index, top, &few);
        assert_int_equal(few.n, top);
        for (size_t i = 0; i < top; i++) {
            assert_string_equal(few.at[i].term, all.at[i].term);
            assert_int_equal(few.at[i].bytes, all.at[i].bytes);
        }
        rp_index_costs_free(&few);
    }
    rp_index_costs_free(&all);
    rp_index_costs_free(&all);
    rp_index_costs_free(NULL);
    rp_index_close(index);
}

static void test_damage(void **state)
{
    (void)state;
    patch p;
    rp_index *index = open_as(NULL);
    rp_index_info info;
    rp_index_costs costs;
    rp_error err = {0};
    size_t n = 0;
    rp_index_get_info(index, &info);
    patch_open(&p, ix, info.generation);
    rp_index_close(index);
    uint8_t *lists = patch_section(&p, RP_FILE_LISTS, RP_SECTION_LISTS, &n);
    memset(lists, 0xFF, n);
    patch_apply(&p);
    assert_int_equal(rp_index_open(ix, NULL, &index, NULL), RP_OK);
    assert_int_equal(rp_index_get_costs(index, 5, &costs, &err), RP_DAMAGED);
    assert_non_null(strstr(err.text, "riposte check"));
    assert_null(costs.at);
    rp_index_close(index);
    patch_close(&p);
}

static int make(void **state)
{
    (void)state;
    if (tempdir_make(&dir) != 0)
        return -1;
    snprintf(input, sizeof input, "%.200s/docs.jsonl", dir.path);
    snprintf(ix, sizeof ix, "%.200s/ix", dir.path);
    sample_write(input, DOCS, 12);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    tempdir_remove(&dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_costliest),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
