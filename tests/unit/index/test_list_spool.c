/* test_list_spool.c: whole lists to runs and, by the merge, to a segment: in any order of terms, through
 * blocks of any size, lists longer than a block, and terms that come twice. */
#include "index/list_spool.h"

#include "unit/index/segment_case.h"

enum { DOCS = 3000 };

static tempdir dir;

/* List number i has the postings that chance gives it; the first one is in every document. */
static uint32_t fill_list(uint32_t i, uint32_t *docids, uint32_t *tfs)
{
    uint64_t seed = i + 1;
    uint32_t n = 0, most = i == 0 ? 1 : 1 + chance_skewed(&seed, DOCS);
    for (uint32_t d = i == 0 ? 0 : chance_below(&seed, most); d < DOCS;
         d += 1 + chance_below(&seed, most)) {
        docids[n] = d;
        tfs[n++] = 1 + chance_skewed(&seed, i % 7 == 0 ? 100000 : 4);
    }
    return n;
}

static uint32_t name_list(uint32_t i, char out[32])
{
    return (uint32_t)snprintf(out, 32, i % 3 ? "t%05u" : "term-%05u-longer", i);
}

static rp_status spool_lists(rp__list_spool *s, const uint32_t *order, uint32_t n, rp_error *err)
{
    static uint32_t docids[DOCS], tfs[DOCS];
    rp_status status = RP_OK;
    for (uint32_t k = 0; k < n && status == RP_OK; k++) {
        char term[32];
        uint32_t bytes = name_list(order[k], term), df = fill_list(order[k], docids, tfs);
        status = rp__list_spool_term(s, term, bytes, err);
        for (uint32_t at = 0; at < df && status == RP_OK;) { /* in pieces of any size */
            uint32_t piece = 1 + (at * 7 + k) % 500, end = at + piece < df ? at + piece : df;
            status = rp__list_spool_postings(s, docids + at, tfs + at, end - at, err);
            at = end;
        }
    }
    return status == RP_OK ? rp__list_spool_end(s, err) : status;
}

/* The runs are walked as the merge would, list by list in the order of terms. */
static void expect_runs(const rp__folder *folder, const rp__list_spool_info *info,
                        const uint32_t *sorted, uint32_t n)
{
    static uint32_t docids[DOCS], tfs[DOCS];
    static rp__run_reader readers[400];
    assert_true(info->n_runs < 400);
    for (size_t r = 0; r < info->n_runs; r++)
        assert_int_equal(rp__run_reader_open(&readers[r], &info->runs[r], folder, 512, NULL),
                         RP_OK);
    for (uint32_t i = 0; i < n; i++) {
        char term[32];
        uint32_t bytes = name_list(sorted[i], term), df = fill_list(sorted[i], docids, tfs);
        uint32_t at = 0, pieces = 0, open = 0;
        for (size_t r = 0; r < info->n_runs; r++) {
            rp__run_reader *in = &readers[r];
            if (in->is_at_end || in->term_bytes != bytes || memcmp(in->term, term, bytes) != 0)
                continue;
            uint32_t docid = 0, gap, tf;
            pieces++;
            open += in->run->open == in->next;
            while (rp__run_reader_has_more(in)) {
                assert_int_equal(rp__run_reader_get(in, &gap, NULL), RP_OK);
                assert_int_equal(rp__run_reader_get(in, &tf, NULL), RP_OK);
                docid += gap;
                assert_true(at < df && docids[at] == docid && tfs[at] == tf);
                at++;
            }
            assert_int_equal(rp__run_reader_next(in, NULL), RP_OK);
        }
        assert_int_equal(at, df);
        assert_true(pieces == open + 1);
    }
    for (size_t r = 0; r < info->n_runs; r++) {
        assert_true(readers[r].is_at_end);
        rp__run_reader_close(&readers[r]);
    }
}

static int by_name(const void *a, const void *b)
{
    char x[32], y[32];
    name_list(*(const uint32_t *)a, x);
    name_list(*(const uint32_t *)b, y);
    return strcmp(x, y);
}

static void test_any_order_and_block(void **state)
{
    (void)state;
    enum { LISTS = 400 };
    static const size_t blocks[] = {RP_LIST_SPOOL_LEAST, 20000, 1 << 20};
    uint32_t order[LISTS], sorted[LISTS];
    for (uint32_t i = 0; i < LISTS; i++)
        order[i] = sorted[i] = i;
    qsort(sorted, LISTS, sizeof *sorted, by_name);
    for (size_t b = 0; b < 3; b++)
        for (int is_sorted = 0; is_sorted < 2; is_sorted++) {
            rp__folder folder;
            rp__list_spool *s;
            rp__list_spool_info info;
            rp_error err = {0};
            assert_int_equal(rp__folder_create(&folder, dir.path, NULL), RP_OK);
            assert_int_equal(rp__list_spool_new(&folder, blocks[b], &s, NULL), RP_OK);
            if (spool_lists(s, is_sorted ? sorted : order, LISTS, &err) != RP_OK)
                fail_msg("%s", err.text);
            rp__list_spool_get(s, &info);
            assert_int_equal(info.longest, DOCS);
            assert_int_equal(info.docs, DOCS);
            assert_true(info.most_tf > 1000);
            assert_int_equal(info.n_runs == 1, b == 2);
            expect_runs(&folder, &info, sorted, LISTS);
            rp__list_spool_free(s);
            assert_int_equal(files_count(dir.path), 0);
            rp__folder_close(&folder);
        }
}

/* ---- Through the builder ----------------------------------------------------------------------- */

static rp__segment_options options_of(uint64_t memory)
{
    return (rp__segment_options){.coding.codec = rp__codec_find("bp128", rp__cpu_features()),
                                 .stem = "none",
                                 .stop = "none",
                                 .has_lists = true,
                                 .memory = memory};
}

static void add_docs(rp__segment_builder *b, uint32_t n)
{
    assert_int_equal(rp__segment_builder_end_lists(b, NULL), RP_OK);
    for (uint32_t i = 0; i < n; i++) {
        char id[16];
        uint32_t docid;
        int bytes = snprintf(id, sizeof id, "d%u", i);
        assert_int_equal(rp__segment_builder_doc(b, id, (size_t)bytes, &docid, NULL), RP_OK);
        assert_int_equal(rp__segment_builder_doc_end(b, docid, i % 90, NULL), RP_OK);
    }
}

static void must_list(rp__segment_builder *b, const char *term, const uint32_t *docids,
                      const uint32_t *tfs, size_t n)
{
    assert_int_equal(rp__segment_builder_term(b, term, (uint32_t)strlen(term), NULL), RP_OK);
    assert_int_equal(rp__segment_builder_postings(b, docids, tfs, n, NULL), RP_OK);
}

static void test_segment(void **state)
{
    (void)state;
    static uint32_t docids[DOCS], tfs[DOCS], got[DOCS + RP_BLOCK_CAPACITY],
        got_tfs[DOCS + RP_BLOCK_CAPACITY];
    rp__segment_options o = options_of(64 << 20);
    rp__segment_builder *b;
    rp__segment *s;
    rp__arena arena;
    rp_error err = {0};
    assert_int_equal(rp__segment_builder_new(tempdir_path(&dir, "ix"), &o, &b, NULL), RP_OK);
    for (uint32_t i = 200; i-- > 0;) {
        char term[32];
        name_list(i, term);
        must_list(b, term, docids, tfs, fill_list(i, docids, tfs));
    }
    must_list(b, "empty", docids, tfs, 0);
    add_docs(b, DOCS);
    rp__segment_builder_totals(b, 5 * DOCS, 1000000);
    if (rp__segment_builder_finish(b, NULL, &err) != RP_OK)
        fail_msg("%s", err.text);
    rp__segment_builder_free(b);
    assert_int_equal(rp__segment_open(tempdir_path(&dir, "ix"), true, &s, NULL), RP_OK);
    if (rp__segment_check(s, NULL, NULL, &err) != RP_OK)
        fail_msg("%s", err.text);
    const rp__segment_info *info = rp__segment_get_info(s);
    assert_true(info->docs == DOCS && info->terms == 200 && !info->has_positions);
    assert_true(info->stats.docs == 5 * DOCS && info->stats.tokens == 1000000);
    assert_true(info->stats.max_length > 89); /* the largest frequency */
    rp__arena_init(&arena, 1 << 20);
    for (uint32_t i = 0; i < 200; i++) {
        char term[32];
        rp__term entry;
        rp__list list;
        uint32_t bytes = name_list(i, term), df = fill_list(i, docids, tfs);
        assert_int_equal(rp__segment_find(s, term, bytes, &entry), RP_OK);
        assert_int_equal(entry.df, df);
        assert_int_equal(rp__segment_list(s, &entry, &arena, &list), RP_OK);
        assert_int_equal(rp__list_decode(&list, got, got_tfs), RP_OK);
        assert_memory_equal(got, docids, df * sizeof *got);
        assert_memory_equal(got_tfs, tfs, df * sizeof *got);
        rp__arena_clear(&arena);
    }
    rp__arena_reset(&arena);
    rp__segment_close(s);
}

static void expect_refusal(rp__segment_builder *b, rp_status status, const char *what)
{
    rp_error err = {0};
    assert_int_equal(rp__segment_builder_finish(b, NULL, &err), status);
    if (!strstr(err.text, what))
        fail_msg("\"%s\" does not say \"%s\"", err.text, what);
    rp__segment_builder_free(b);
    assert_int_equal(files_count(tempdir_path(&dir, "no")), -1);
}

static void test_twice(void **state)
{
    (void)state;
    static const uint32_t docids[] = {0, 1}, tfs[] = {1, 1}, later[] = {2, 3};
    rp__segment_options o = options_of(64 << 20);
    for (int is_far = 0; is_far < 2; is_far++) {
        rp__segment_builder *b;
        assert_int_equal(rp__segment_builder_new(tempdir_path(&dir, "no"), &o, &b, NULL), RP_OK);
        must_list(b, "twice", docids, tfs, 2);
        for (uint32_t i = 0; is_far && i < 2000; i++) { /* until a run is written */
            static uint32_t all[DOCS], ones[DOCS];
            char term[32];
            for (uint32_t d = 0; d < DOCS; d++) {
                all[d] = d;
                ones[d] = 1U << 28;
            }
            snprintf(term, sizeof term, "%u", i);
            must_list(b, term, all, ones, DOCS);
        }
        must_list(b, "twice", later, tfs, 2);
        if (is_far)
            add_docs(b, DOCS);
        if (!is_far) {
            rp_error err = {0};
            assert_int_equal(rp__segment_builder_end_lists(b, &err), RP_INPUT);
            assert_string_equal(err.text, "term \"twice\" has two lists");
            rp__segment_builder_free(b);
            continue;
        }
        expect_refusal(b, RP_INPUT, "term \"twice\" has two lists");
    }
}

static void test_no_such_document(void **state)
{
    (void)state;
    static const uint32_t docids[] = {3, 7}, tfs[] = {1, 1};
    rp__segment_options o = options_of(64 << 20);
    rp__segment_builder *b;
    assert_int_equal(rp__segment_builder_new(tempdir_path(&dir, "no"), &o, &b, NULL), RP_OK);
    must_list(b, "a", docids, tfs, 2);
    add_docs(b, 7);
    expect_refusal(b, RP_INPUT, "a list names document 7, and there are 7");
}

/* Documents that do not fit beside the budget are refused while they come. */
static void test_memory(void **state)
{
    (void)state;
    static const uint32_t docids[] = {3, 7}, tfs[] = {1, 1};
    rp__segment_options o = options_of(16 << 20);
    rp__segment_builder *b;
    rp_error err = {0};
    rp_status status = RP_OK;
    assert_int_equal(rp__segment_builder_new(tempdir_path(&dir, "no"), &o, &b, NULL), RP_OK);
    must_list(b, "a", docids, tfs, 2);
    assert_int_equal(rp__segment_builder_end_lists(b, NULL), RP_OK);
    for (uint32_t i = 0; i < 3000000 && status == RP_OK; i++) {
        uint32_t docid;
        char id[16];
        int bytes = snprintf(id, sizeof id, "%u", i);
        status = rp__segment_builder_doc(b, id, (size_t)bytes, &docid, &err);
        if (status == RP_OK)
            status = rp__segment_builder_doc_end(b, docid, 1, &err);
    }
    assert_int_equal(status, RP_NO_MEMORY);
    assert_non_null(strstr(err.text, "give more"));
    rp__segment_builder_free(b);
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
        cmocka_unit_test(test_any_order_and_block),
        cmocka_unit_test(test_segment),
        cmocka_unit_test(test_twice),
        cmocka_unit_test(test_no_such_document),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
