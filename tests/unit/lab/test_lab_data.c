/* test_lab_data.c: sets of lists: drawn, read from an index, renumbered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "lab/lab.h"
#include "riposte/riposte.h"
#include "tempdir.h"

static void must_make(const char *name, uint64_t seed, rp__lab_set *set)
{
    rp_error err;
    if (rp__lab_set_make(name, seed, set, &err) != RP_OK)
        fail_msg("%s", err.text);
}

static void check_set(const rp__lab_set *set)
{
    uint64_t n = 0;
    uint32_t longest = 0;
    for (size_t l = 0; l < set->n_lists; l++) {
        const rp__lab_postings *list = &set->lists[l];
        n += list->n;
        longest = list->n > longest ? list->n : longest;
        assert_true(list->docids[list->n - 1] < set->universe);
        for (uint32_t i = 0; i < list->n; i++) {
            assert_true(i == 0 || list->docids[i - 1] < list->docids[i]);
            assert_true(list->tfs[i] >= 1);
        }
    }
    assert_int_equal(n, set->n);
    assert_int_equal(longest, set->longest);
}

static void test_drawn(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t n_lists;
        uint32_t n;
    } sets[] = {{"U128", 16, 128},    {"U10K", 16, 10000},    {"C10K", 16, 10000},
                {"U100K", 2, 100000}, {"C300000", 1, 300000}, {"U1M", 1, 1000000}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        rp__lab_set set;
        must_make(sets[i].name, 1, &set);
        check_set(&set);
        assert_int_equal(set.n_lists, sets[i].n_lists);
        assert_int_equal(set.longest, sets[i].n);
        assert_int_equal(set.n, set.n_lists * (uint64_t)sets[i].n);
        assert_int_equal(set.universe, 25200000);
        assert_int_equal(set.has_twins, set.n_lists > 1);
        rp__lab_set_free(&set);
        rp__lab_set_free(&set);
    }
}

/* Small gaps: over half of the numbers, so what is left out is drawn. */
static void test_dense(void **state)
{
    (void)state;
    rp__lab_set set;
    must_make("C12M", 3, &set);
    check_set(&set);
    rp__lab_set_free(&set);
}

static uint64_t print_of(const rp__lab_set *set)
{
    uint64_t h = 0;
    for (size_t l = 0; l < set->n_lists; l++)
        for (uint32_t i = 0; i < set->lists[l].n; i++)
            h = (h ^ set->lists[l].docids[i] ^ (uint64_t)set->lists[l].tfs[i] << 32) *
                0x9E3779B97F4A7C15U;
    return h;
}

static void test_seed(void **state)
{
    (void)state;
    rp__lab_set a, b, c;
    must_make("C10K", 5, &a);
    must_make("C10K", 5, &b);
    must_make("C10K", 6, &c);
    assert_true(print_of(&a) == print_of(&b));
    assert_true(print_of(&a) != print_of(&c));
    rp__lab_set_free(&a);
    rp__lab_set_free(&b);
    rp__lab_set_free(&c);
}

/* Clustered lists have many short gaps; uniform ones have the geometric share. */
static void test_shape(void **state)
{
    (void)state;
    for (int is_clustered = 0; is_clustered < 2; is_clustered++) {
        rp__lab_set set;
        must_make(is_clustered ? "C100K" : "U100K", 1, &set);
        uint64_t ones = 0, tf_ones = 0;
        for (size_t l = 0; l < set.n_lists; l++)
            for (uint32_t i = 1; i < set.lists[l].n; i++) {
                ones += set.lists[l].docids[i] - set.lists[l].docids[i - 1] < 16;
                tf_ones += set.lists[l].tfs[i] == 1;
            }
        double share = (double)ones / (double)set.n, tf_share = (double)tf_ones / (double)set.n;
        if (is_clustered)
            assert_true(share > 0.2);
        else
            assert_true(share > 0.05 && share < 0.07);     /* 15 of 252 */
        assert_true(tf_share > 0.575 && tf_share < 0.595); /* 0.97 * 0.6 + 0.03 * 0.1 */
        rp__lab_set_free(&set);
    }
}

static void test_names(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",      "U",  "U0",   "U127", "U13M", "V10K", "U10k",
        "U10KK", "Z1", "U-5K", "U 5K", "U05K", "real", "U99999999999999999999"};
    rp__lab_set set;
    rp_error err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(rp__lab_set_is_name(bad[i]));
        assert_int_equal(rp__lab_set_make(bad[i], 1, &set, &err), RP_NOT_FOUND);
        assert_int_equal(set.n_lists, 0);
    }
    assert_true(rp__lab_set_is_name("Z") && rp__lab_set_is_name("C5M") &&
                rp__lab_set_is_name("U128"));
}

/* ---- Lists of an index ----------------------------------------------------------------------- */

enum { DOCS = 3000 };

/* Word k is in every (k + 1)-th document, twice in every tenth. */
static rp_index *make_index(tempdir *dir)
{
    rp_builder *b;
    rp_index *index;
    assert_int_equal(tempdir_make(dir), 0);
    assert_int_equal(rp_builder_new(dir->path, NULL, &b, NULL), RP_OK);
    for (unsigned d = 0; d < DOCS; d++) {
        char id[16], text[256];
        int n = 0, id_bytes = snprintf(id, sizeof id, "%u", d);
        for (unsigned k = 0; k < 4; k++)
            if (d % (k + 1) == 0)
                n +=
                    snprintf(text + n, sizeof text - (size_t)n, d % 10 ? "w%u " : "w%u w%u ", k, k);
        assert_int_equal(rp_builder_add(b, id, (size_t)id_bytes, "", 0, text, (size_t)n, NULL),
                         RP_OK);
    }
    assert_int_equal(rp_builder_finish(b, NULL, NULL), RP_OK);
    rp_builder_free(b);
    assert_int_equal(rp_index_open(dir->path, NULL, &index, NULL), RP_OK);
    return index;
}

static void test_load(void **state)
{
    (void)state;
    tempdir dir;
    rp_index *index = make_index(&dir);
    rp__lab_set set;
    rp_error err;
    assert_int_equal(rp__lab_set_load(index, 1000, &set, &err), RP_OK);
    check_set(&set);
    assert_int_equal(set.n_lists, 3); /* w0, w1, w2: 3000, 1500, 1000 */
    assert_int_equal(set.universe, DOCS);
    for (uint32_t l = 0; l < 3; l++) {
        assert_int_equal(set.lists[l].n, DOCS / (l + 1));
        for (uint32_t i = 0; i < set.lists[l].n; i++) {
            uint32_t d = i * (l + 1);
            assert_int_equal(set.lists[l].docids[i], d);
            assert_int_equal(set.lists[l].tfs[i], d % 10 ? 1 : 2);
        }
    }
    rp__lab_set_free(&set);
    assert_int_equal(rp__lab_set_load(index, DOCS + 1, &set, &err), RP_NOT_FOUND);
    assert_int_equal(set.n_lists, 0);
    rp_index_close(index);
    tempdir_remove(&dir);
}

/* One permutation for all lists: a document keeps its words and their frequencies. */
static void test_permute(void **state)
{
    (void)state;
    tempdir dir;
    rp_index *index = make_index(&dir);
    rp__lab_set set, again;
    static uint8_t old_words[DOCS], new_words[DOCS];
    assert_int_equal(rp__lab_set_load(index, 1, &set, NULL), RP_OK);
    assert_int_equal(rp__lab_set_load(index, 1, &again, NULL), RP_OK);
    for (size_t l = 0; l < set.n_lists; l++)
        for (uint32_t i = 0; i < set.lists[l].n; i++)
            old_words[set.lists[l].docids[i]] |= (uint8_t)(set.lists[l].tfs[i] << 2 * l);
    assert_int_equal(rp__lab_set_permute(&set, 9, NULL), RP_OK);
    assert_int_equal(rp__lab_set_permute(&again, 9, NULL), RP_OK);
    assert_true(print_of(&set) == print_of(&again));
    check_set(&set);
    for (size_t l = 0; l < set.n_lists; l++)
        for (uint32_t i = 0; i < set.lists[l].n; i++)
            new_words[set.lists[l].docids[i]] |= (uint8_t)(set.lists[l].tfs[i] << 2 * l);
    uint32_t balance[256] = {0}, moved = 0;
    for (uint32_t d = 0; d < DOCS; d++) {
        balance[old_words[d]]++;
        balance[new_words[d]]--;
        moved += old_words[d] != new_words[d];
    }
    for (int w = 0; w < 256; w++)
        assert_int_equal(balance[w], 0);
    assert_true(moved > DOCS / 2);
    rp__lab_set_free(&again);
    rp__lab_set_free(&set);
    rp_index_close(index);
    tempdir_remove(&dir);
}

static void test_no_memory(void **state)
{
    (void)state;
    tempdir dir;
    rp_index *index = make_index(&dir);
    uint64_t before = rp__alloc_in_use();
    rp_status status = RP_NO_MEMORY;
    for (uint64_t n = 1; status == RP_NO_MEMORY; n++) {
        rp__lab_set set;
        rp__alloc_fail_at(n, false);
        status =
            n % 2 ? rp__lab_set_make("U1K", 1, &set, NULL) : rp__lab_set_load(index, 1, &set, NULL);
        if (status == RP_OK)
            status = rp__lab_set_permute(&set, 1, NULL);
        rp__alloc_fail_at(0, false);
        assert_true(status == RP_OK || status == RP_NO_MEMORY);
        rp__lab_set_free(&set);
        assert_int_equal(rp__alloc_in_use(), before);
    }
    rp_index_close(index);
    tempdir_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drawn),   cmocka_unit_test(test_dense),
        cmocka_unit_test(test_seed),    cmocka_unit_test(test_shape),
        cmocka_unit_test(test_names),   cmocka_unit_test(test_load),
        cmocka_unit_test(test_permute), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
