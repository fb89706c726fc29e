/* test_list_builder.c: lists that are told come back as they were, in every codec; the index is sound. */
#include "base/alloc.h"
#include "base/cpu.h"
#include "index/index.h"
#include "tempdir.h"
#include "unit/files.h"

enum { DOCS = 3000, TERMS = 7 };

/* How many postings each has: tiny ones, short ones, and long ones. */
static const uint32_t counts[TERMS] = {1, 8, 9, 128, 129, 1000, DOCS};

static tempdir dir;

static size_t name_it(void *arg, uint32_t docid, char *out)
{
    (void)arg;
    return (size_t)snprintf(out, RP_GIVEN_ID_MAX, "d%u", docid);
}

static uint32_t measure_it(void *arg, uint32_t docid)
{
    (void)arg;
    return 10 + docid % 90;
}

static void fill(uint32_t term, uint32_t *docids, uint32_t *tfs)
{
    for (uint32_t i = 0; i < counts[term]; i++) {
        docids[i] = (uint32_t)((uint64_t)i * DOCS / counts[term]);
        tfs[i] = 1 + (i * 7 + term) % 9;
    }
}

static size_t name_term(uint32_t term, char out[16])
{
    return (size_t)snprintf(out, 16, "term%u", term);
}

/* Terms [from, to) as one batch. */
static void write_batch(rp__list_builder *b, uint32_t from, uint32_t to)
{
    rp__list_plan plan = {0};
    rp__list_batch *batch;
    for (uint32_t t = from; t < to; t++)
        rp__list_builder_plan(b, &plan, counts[t]);
    assert_int_equal(plan.terms, to - from);
    uint64_t before = rp__alloc_in_use();
    assert_int_equal(rp__list_builder_batch_new(b, &plan, &batch), RP_OK);
    for (uint32_t t = from; t < to; t++) {
        uint32_t *docids, *tfs;
        char term[16];
        size_t bytes = name_term(t, term);
        rp__list_builder_room(batch, &docids, &tfs);
        fill(t, docids, tfs);
        assert_int_equal(rp__list_builder_add(batch, term, bytes, counts[t]), RP_OK);
    }
    assert_true(rp__alloc_in_use() - before <= rp__list_builder_need(b, &plan));
    assert_int_equal(rp__list_builder_write(b, batch, NULL), RP_OK);
    rp__list_builder_batch_free(batch);
}

static rp__list_builder *begin(const char *path, const char *codec, const char *aux)
{
    rp__list_builder *b;
    rp_error err = {0};
    rp__list_builder_options o = {.coding.codec = rp__codec_find(codec, rp__cpu_features()),
                                  .aux = aux,
                                  .docs = {DOCS, name_it, measure_it, NULL}};
    if (rp__list_builder_new(path, &o, &b, &err) != RP_OK)
        fail_msg("%s", err.text);
    return b;
}

static void expect_lists(const char *path, uint64_t postings)
{
    static uint32_t docids[DOCS + RP_BLOCK_CAPACITY], tfs[DOCS + RP_BLOCK_CAPACITY];
    static uint32_t got[DOCS + RP_BLOCK_CAPACITY], got_tfs[DOCS + RP_BLOCK_CAPACITY];
    rp__segment *s;
    rp__arena arena;
    assert_int_equal(rp__segment_open(path, true, &s, NULL), RP_OK);
    assert_int_equal(rp__segment_check(s, NULL, NULL, NULL), RP_OK);
    const rp__segment_info *info = rp__segment_get_info(s);
    assert_true(info->stats.docs == DOCS && info->terms == TERMS && info->postings == postings);
    assert_true(!info->has_positions && !info->has_text);
    rp__arena_init(&arena, 1 << 24);
    for (uint32_t t = 0; t < TERMS; t++) {
        char term[16];
        rp__term entry;
        rp__list list;
        fill(t, docids, tfs);
        assert_int_equal(rp__segment_find(s, term, name_term(t, term), &entry), RP_OK);
        assert_int_equal(entry.df, counts[t]);
        assert_int_equal(entry.tiny != NULL, counts[t] <= 8);
        assert_int_equal(rp__segment_list(s, &entry, &arena, &list), RP_OK);
        assert_int_equal(rp__list_decode(&list, got, got_tfs), RP_OK);
        assert_memory_equal(got, docids, counts[t] * sizeof *docids);
        assert_memory_equal(got_tfs, tfs, counts[t] * sizeof *tfs);
    }
    rp__arena_reset(&arena);
    rp__segment_close(s);
}

static void test_every_codec(void **state)
{
    (void)state;
    for (size_t i = 0; rp__codec_at(i); i++) {
        char path[300];
        rp_build_stats stats;
        const char *name = rp__codec_at(i)->name;
        if (rp__codec_find(name, rp__cpu_features()) != rp__codec_at(i))
            continue;
        snprintf(path, sizeof path, "%s/%s", dir.path, name);
        rp__list_builder *b = begin(path, name, "lr,hs16");
        write_batch(b, 0, 3);
        write_batch(b, 3, TERMS);
        assert_int_equal(rp__list_builder_finish(b, &stats, NULL), RP_OK);
        rp__list_builder_free(b);
        expect_lists(path, stats.postings);
    }
}

/* How lists are put into batches leaves no trace. */
static void test_batches(void **state)
{
    (void)state;
    char one[300], two[300];
    snprintf(one, sizeof one, "%s/one", dir.path);
    snprintf(two, sizeof two, "%s/two", dir.path);
    rp__list_builder *b = begin(one, "bp128", NULL);
    write_batch(b, 0, TERMS);
    assert_int_equal(rp__list_builder_finish(b, NULL, NULL), RP_OK);
    rp__list_builder_free(b);
    b = begin(two, "bp128", NULL);
    for (uint32_t t = 0; t < TERMS; t++)
        write_batch(b, t, t + 1);
    assert_int_equal(rp__list_builder_finish(b, NULL, NULL), RP_OK);
    rp__list_builder_free(b);
    files_expect_equal_folders(one, two);
}

static void test_nothing_is_left(void **state)
{
    (void)state;
    char path[300];
    rp_error err = {0};
    rp__list_builder *b = NULL;
    snprintf(path, sizeof path, "%s/none", dir.path);
    rp__list_builder_free(begin(path, "vbyte", "lr"));
    assert_false(files_exist(path));
    rp__list_builder_options o = {.coding.codec = rp__codec_find("vbyte", 0),
                                  .aux = "lx",
                                  .docs = {DOCS, name_it, measure_it, NULL}};
    assert_int_equal(rp__list_builder_new(path, &o, &b, &err), RP_USAGE);
    assert_false(files_exist(path));
    rp__list_builder_free(NULL);
    rp__list_builder_batch_free(NULL);
}

static int set_up(void **state)
{
    (void)state;
    return tempdir_make(&dir);
}

static int tear_down(void **state)
{
    (void)state;
    tempdir_remove(&dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_codec),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
