/* test_dictionary.c: every term is found with what was put in; no other term is found; numbers that do
 * not fit are damage. Terms in ranges are test_term_iter.c. */
#include "index/dictionary.h"

#include "unit/index/segment_case.h"

/* n terms of which some are tiny, some not. */
static plain_index *make_plain(uint32_t n)
{
    plain_index *p = plain_new();
    for (uint32_t i = 0; i < n; i++) {
        char term[256];
        size_t bytes = plain_make_term(i, term);
        for (uint32_t d = 0; d < 1 + i % 13; d++)
            plain_add(p, d, term, bytes, d + i % 7);
    }
    plain_sort(p);
    return p;
}

static void expect_absent(const rp__segment *s, plain_index *p, const char *term, size_t bytes)
{
    rp__term t;
    if (bytes <= 255 && plain_find(p, term, bytes))
        return;
    assert_int_equal(rp__segment_find(s, term, bytes, &t), RP_NOT_FOUND);
}

/* Neighbours of a term on both sides: shorter, longer, one byte less and more at each end. */
static void expect_no_neighbours(const rp__segment *s, plain_index *p, const plain_term *t)
{
    char near[300];
    memcpy(near, t->term, t->bytes);
    near[t->bytes] = 0;
    expect_absent(s, p, near, t->bytes - 1);
    expect_absent(s, p, near, t->bytes + 1);
    near[t->bytes] = (char)0xFF;
    expect_absent(s, p, near, t->bytes + 1);
    near[t->bytes - 1]--;
    expect_absent(s, p, near, t->bytes);
    expect_absent(s, p, near, t->bytes + 1);
    near[t->bytes - 1] = (char)(near[t->bytes - 1] + 2);
    expect_absent(s, p, near, t->bytes);
    near[t->bytes - 1]--;
    near[0]++;
    expect_absent(s, p, near, t->bytes);
}

static void test_look_up(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 15, 16, 17, 31, 32, 33, 1000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int has_positions = 0; has_positions < 2; has_positions++) {
            segment_case c;
            plain_index *p = make_plain(sizes[i]);
            assert_int_equal(p->n, sizes[i]);
            segment_case_open(&c, "bp128", has_positions, p, 20);
            expect_segment(c.segment, p, has_positions);
            for (size_t t = 0; t < p->n; t++)
                expect_no_neighbours(c.segment, p, p->terms[t]);
            expect_absent(c.segment, p, "", 0);
            expect_absent(c.segment, p, "\0", 1);
            expect_absent(c.segment, p, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 10);
            expect_absent(c.segment, p, (char[300]){'x'}, 300);
            segment_case_close(&c);
            plain_free(p);
        }
}

/* Blocks whose first terms have the same first 8 bytes: the search looks into the blocks. */
static void test_common_beginnings(void **state)
{
    (void)state;
    segment_case c;
    plain_index *p = plain_new();
    for (uint32_t i = 0; i < 2000; i++) {
        char term[256];
        int bytes = snprintf(term, sizeof term, "%s%u",
                             i % 3 ? "eight--b" : "a-very-long-beginning", i * 7919 % 10007);
        plain_add(p, i % 5, term, (size_t)bytes, 0);
    }
    segment_case_open(&c, "bp128", true, p, 5);
    expect_segment(c.segment, p, true);
    for (size_t t = 0; t < p->n; t++)
        expect_no_neighbours(c.segment, p, p->terms[t]);
    expect_absent(c.segment, p, "eight--b", 8);
    expect_absent(c.segment, p, "eight--a", 8);
    expect_absent(c.segment, p, "eight--c", 8);
    segment_case_close(&c);
    plain_free(p);
}

static void test_find_block(void **state)
{
    (void)state;
    segment_case c;
    plain_index *p = plain_new();
    size_t block;
    for (uint32_t i = 0; i < 40; i++) {
        char term[8];
        snprintf(term, sizeof term, "t%02u", i);
        plain_add(p, 0, term, 3, i);
    }
    segment_case_open(&c, "bp128", true, p, 1);
    static const struct {
        const char *term;
        size_t block;
    } want[] = {{"", 0},    {"a", 0},   {"t00", 0},  {"t15", 0},  {"t150", 0},
                {"t16", 1}, {"t31", 1}, {"t319", 1}, {"t32", 2},  {"t39", 2},
                {"z", 2},   {"t", 0},   {"t3", 1},   {"t2999", 1}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_int_equal(rp__dictionary_find_block(&c.segment->dictionary, want[i].term,
                                                   strlen(want[i].term), &block),
                         RP_OK);
        assert_int_equal(block, want[i].block);
    }
    segment_case_close(&c);
    plain_free(p);
}

static void test_number_of_terms(void **state)
{
    (void)state;
    segment_case c;
    rp__dictionary d;
    rp_error err;
    plain_index *p = make_plain(33);
    segment_case_open(&c, "bp128", true, p, 20);
    const rp__section_file *f = c.segment->files[RP_FILE_TERMS];
    for (uint64_t n = 0; n < 70; n++)
        assert_int_equal(rp__dictionary_open(&d, f, n, 20, RP_LIST_UNIT, true, &err),
                         n > 32 && n <= 48 ? RP_OK : RP_DAMAGED);
    assert_int_equal(rp__dictionary_open(&d, f, UINT64_MAX, 20, RP_LIST_UNIT, true, &err),
                     RP_DAMAGED);
    assert_non_null(strstr(err.text, "number of terms"));
    segment_case_close(&c);
    plain_free(p);
}

/* Blocks cut anywhere, or with any byte changed, are walked without harm: to the end, or to damage. */
static void test_damage(void **state)
{
    (void)state;
    segment_case c;
    plain_index *p = make_plain(40);
    segment_case_open(&c, "bp128", true, p, 20);
    rp__dictionary *d = &c.segment->dictionary;
    size_t n = d->blocks_bytes, walks = 0, damaged = 0;
    uint8_t *copy = malloc(n);
    const uint8_t *sound = d->blocks;
    for (size_t at = 0; at < n; at++)
        for (int way = 0; way < 3; way++, walks++) {
            rp__term_iter iter;
            memcpy(copy, sound, n);
            copy[at] = way == 0 ? (uint8_t)~copy[at] : way == 1 ? 0xFF : copy[at] ^ 0x80;
            d->blocks = copy;
            rp_status status = rp__term_iter_start(&iter, c.segment, "", 0);
            while (status == RP_OK)
                status = rp__term_iter_next(&iter);
            assert_true(status == RP_NOT_FOUND || status == RP_DAMAGED);
            damaged += status == RP_DAMAGED;
        }
    assert_true(damaged > walks / 4);
    d->blocks = sound;
    free(copy);
    segment_case_close(&c);
    plain_free(p);
}

/* A term in more documents than the index has: nobody gets to see its entry. */
static void test_too_many_documents(void **state)
{
    (void)state;
    enum { DOCS = 20 };
    segment_case c;
    rp__term_iter iter;
    plain_index *p = plain_new();
    for (uint32_t doc = 0; doc < DOCS; doc++)
        plain_add(p, doc, "all", 3, 0);
    segment_case_open(&c, "bp128", true, p, DOCS);
    for (uint64_t missing = 0; missing < 2; missing++) {
        c.segment->dictionary.n_docs = DOCS - missing;
        assert_int_equal(rp__term_iter_start(&iter, c.segment, "", 0), RP_OK);
        assert_int_equal(rp__term_iter_next(&iter), missing ? RP_DAMAGED : RP_OK);
    }
    segment_case_close(&c);
    plain_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_look_up),    cmocka_unit_test(test_common_beginnings),
        cmocka_unit_test(test_find_block), cmocka_unit_test(test_number_of_terms),
        cmocka_unit_test(test_damage),     cmocka_unit_test(test_too_many_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
