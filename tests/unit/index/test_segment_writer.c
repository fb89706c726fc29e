/* test_segment_writer.c: postings to dictionary, lists and positions: where a list is tiny, where a
 * frame begins, what its bounds are; for every codec, with positions and without. */
#include "unit/index/segment_case.h"

/* A term with `df` postings that share `cf` occurrences, the first taking what is left over. */
static void add_term(plain_index *p, const char *term, uint32_t df, uint32_t cf)
{
    for (uint32_t d = 0; d < df; d++) {
        uint32_t tf = d == 0 ? cf - (df - 1) : 1;
        for (uint32_t i = 0; i < tf; i++)
            plain_add(p, d * 2, term, strlen(term), i * 3);
    }
}

static rp__term find(const rp__segment *s, const char *term)
{
    rp__term t;
    assert_int_equal(rp__segment_find(s, term, strlen(term), &t), RP_OK);
    return t;
}

static void test_tiny_boundary(void **state)
{
    (void)state;
    for (int has_positions = 0; has_positions < 2; has_positions++) {
        segment_case c;
        plain_index *p = plain_new();
        add_term(p, "one", 1, 1);
        add_term(p, "df8", RP_TINY_DF, RP_TINY_DF);
        add_term(p, "df9", RP_TINY_DF + 1, RP_TINY_DF + 1);
        add_term(p, "df8cf24", RP_TINY_DF, RP_TINY_POSITIONS);
        add_term(p, "df8cf25", RP_TINY_DF, RP_TINY_POSITIONS + 1);
        add_term(p, "df1cf24", 1, RP_TINY_POSITIONS);
        add_term(p, "df1cf25", 1, RP_TINY_POSITIONS + 1);
        add_term(p, "df1cf152", 1, RP_BLOCK + RP_TINY_POSITIONS); /* some are written already */
        add_term(p, "df9cf9999", 9, 9999);
        segment_case_open(&c, "bp128", has_positions, p, 40);
        expect_segment(c.segment, p, has_positions);
        assert_non_null(find(c.segment, "one").tiny);
        assert_non_null(find(c.segment, "df8").tiny);
        assert_null(find(c.segment, "df9").tiny);
        assert_non_null(find(c.segment, "df8cf24").tiny);
        assert_non_null(find(c.segment, "df1cf24").tiny);
        /* Without positions there is nothing but the number of postings to count. */
        assert_int_equal(find(c.segment, "df8cf25").tiny != NULL, !has_positions);
        assert_int_equal(find(c.segment, "df1cf25").tiny != NULL, !has_positions);
        assert_int_equal(find(c.segment, "df1cf152").tiny != NULL, !has_positions);
        assert_null(find(c.segment, "df9cf9999").tiny);
        segment_case_close(&c);
        plain_free(p);
    }
}

/* Lists lie one after another in the order of terms, each a multiple of RP_LIST_UNIT bytes. */
static void test_places(void **state)
{
    (void)state;
    static const uint32_t dfs[] = {9, 3, 127, 128, 1, 129, 256, 257, 8200};
    segment_case c;
    plain_index *p = plain_new();
    uint64_t list_offset = 0, pos_offset = 0;
    for (size_t i = 0; i < sizeof dfs / sizeof *dfs; i++) {
        char term[2] = {(char)('a' + i), 0};
        add_term(p, term, dfs[i], dfs[i] + 5);
    }
    segment_case_open(&c, "vbyte", true, p, 16401);
    expect_segment(c.segment, p, true);
    for (size_t i = 0; i < sizeof dfs / sizeof *dfs; i++) {
        rp__term t = find(c.segment, (char[2]){(char)('a' + i), 0});
        if (t.tiny)
            continue;
        assert_int_equal(t.list_offset, list_offset);
        assert_int_equal(t.pos_offset, pos_offset);
        assert_int_equal(t.list_bytes % RP_LIST_UNIT, 0);
        list_offset += t.list_bytes;
        pos_offset += t.pos_bytes;
    }
    assert_int_equal(list_offset, c.segment->lists_bytes);
    assert_int_equal(pos_offset, c.segment->positions_bytes);
    segment_case_close(&c);
    plain_free(p);
}

static void add_token(void *arg, uint32_t docid, const char *term, uint32_t bytes,
                      uint32_t position)
{
    plain_add(arg, docid, term, bytes, position);
}

static void test_random(void **state)
{
    (void)state;
    for (size_t i = 0; rp_codec_name(i); i++)
        for (int has_positions = 0; has_positions < 2; has_positions++) {
            segment_case c;
            plain_index *p = plain_new();
            uint64_t seed = i;
            for (uint32_t d = 0; d < 800; d++)
                plain_document(&seed, d, chance_below(&seed, 80), d % 2 ? 40 : 3000, add_token, p);
            segment_case_open(&c, rp_codec_name(i), has_positions, p, 900);
            expect_segment(c.segment, p, has_positions);
            segment_case_close(&c);
            plain_free(p);
        }
}

static void test_no_terms(void **state)
{
    (void)state;
    for (uint32_t n_docs = 0; n_docs < 2; n_docs++) {
        segment_case c;
        rp__term t;
        plain_index *p = plain_new();
        segment_case_open(&c, "bp128", true, p, n_docs);
        expect_segment(c.segment, p, true);
        assert_int_equal(rp__segment_find(c.segment, "a", 1, &t), RP_NOT_FOUND);
        segment_case_close(&c);
        plain_free(p);
    }
}

static int by_falling(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* The 10th, 100th, 1000th largest of n ratios, rounded down and no further; 0 where there are fewer. */
static void expect_kths(const uint8_t *kths, float *ratios, size_t n)
{
    qsort(ratios, n, sizeof *ratios, by_falling);
    for (size_t i = 0, k = 10; i < RP_LIST_KTHS; i++, k *= 10) {
        double ratio = k <= n ? (double)ratios[k - 1] : 0;
        assert_true(kths[i] / 255.0 <= ratio && (kths[i] + 1) / 255.0 > ratio);
    }
}

/* A block's bound is the largest tf/(tf+K) in it, rounded up and no further. */
static void test_bounds(void **state)
{
    (void)state;
    enum { DOCS = 1000 };
    segment_case c;
    plain_index *p = plain_new();
    uint64_t seed = 4;
    for (uint32_t d = 0; d < DOCS; d++) {
        for (uint32_t i = 0, n = chance_below(&seed, 9) + 1; i < n; i++)
            plain_add(p, d, "word", 4, i);
        for (uint32_t i = 0, n = chance_below(&seed, 90); i < n; i++)
            plain_add(p, d, "filling", 7, 20 + i);
    }
    segment_case_begin(&c, "bp128", true, p, DOCS);
    float *norms = c.norms;
    c.norms = NULL;
    plain_sort(p);
    for (size_t i = 0; i < p->n; i++)
        segment_case_put_term(&c, p->terms[i]);
    uint8_t want[DOCS / RP_BLOCK + 1];
    float ratios[DOCS];
    const plain_term *word = plain_find(p, "word", 4);
    for (uint32_t b = 0; b * RP_BLOCK < word->n; b++) {
        float most = 0;
        for (uint32_t i = b * RP_BLOCK; i < word->n && i < (b + 1) * RP_BLOCK; i++) {
            float tf = (float)word->postings[i].n;
            float ratio = tf / (tf + norms[rp__lengths_code(&c.lengths, word->postings[i].docid)]);
            most = ratio > most ? ratio : most;
            ratios[i] = ratio;
        }
        want[b] = rp__rank_block_bound(most);
        assert_true((float)want[b] / 255 >= most && (float)(want[b] - 1) / 255 < most);
    }
    segment_case_end(&c);
    free(norms);
    rp__term t = find(c.segment, "word");
    rp__arena arena;
    rp__list list;
    rp__arena_init(&arena, 1 << 20);
    assert_int_equal(rp__segment_list(c.segment, &t, &arena, &list), RP_OK);
    assert_int_equal(list.n_blocks, DOCS / RP_BLOCK + 1);
    assert_memory_equal(list.bounds, want, list.n_blocks);
    expect_kths(list.kths, ratios, word->n);
    rp__arena_reset(&arena);
    segment_case_close(&c);
    plain_free(p);
}

static void test_no_such_document(void **state)
{
    (void)state;
    segment_case c;
    plain_index *p = plain_new();
    segment_case_begin(&c, "bp128", false, p, 5);
    rp__segment_writer_term(c.w, "t", 1);
    assert_int_equal(rp__segment_writer_posting(c.w, 4, 1), RP_OK);
    assert_int_equal(rp__segment_writer_posting(c.w, 5, 1), RP_DAMAGED);
    rp__segment_writer_free(c.w);
    rp__segment_writer_free(NULL);
    assert_int_equal(files_count(c.dir.path), 0);
    rp__doctable_writer_free(c.docs);
    free(c.norms);
    rp__folder_close(&c.folder);
    tempdir_remove(&c.dir);
    plain_free(p);
}

/* The longest list must fit, and it is said how much would do. */
static void test_reserve(void **state)
{
    (void)state;
    plain_index plain = {0};
    segment_case c;
    rp_error err = {0};
    unsigned long long enough = 0;
    segment_case_begin(&c, "bp128", false, &plain, 10);
    assert_int_equal(rp__segment_writer_reserve(c.w, 10000000, 64 << 20, &err), RP_NO_MEMORY);
    const char *told = strstr(err.text, "--memory ");
    assert_non_null(told);
    assert_int_equal(sscanf(told, "--memory %lluM", &enough), 1);
    assert_true(enough > 150 && enough < 400);
    assert_int_equal(rp__segment_writer_reserve(c.w, 10000000, enough << 20, &err), RP_OK);
    segment_case_end(&c);
    segment_case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiny_boundary), cmocka_unit_test(test_places),
        cmocka_unit_test(test_random),        cmocka_unit_test(test_no_terms),
        cmocka_unit_test(test_bounds),        cmocka_unit_test(test_no_such_document),
        cmocka_unit_test(test_reserve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
