/* test_papers.c: the lists that the papers work through, in every codec and row; and those of their
 * encodings that are spelled out, to the bit. Others stand with their codecs: Griffin's Figure 4 in
 * test_ef128.c, Li's Figure 2 in test_qs.c, IIU's Figures 4 and 5 in test_iiu.c. */
#include "parity/families.h"
#include "parity/row_check.h"
#include "unit/codec/list_case.h"

typedef struct paper_list {
    const char *where;
    uint32_t n, docids[12], tfs[12];
} paper_list;

static const paper_list lists[] = {
    {"Griffin, Figure 3", 9, {100, 121, 163, 172, 185, 214, 282, 300, 347}, {0}},
    {"Griffin, Figure 4", 6, {5, 6, 8, 15, 18, 33}, {0}},
    {"Griffin, Figure 6, A", 9, {1, 3, 4, 6, 7, 9, 15, 25, 31}, {0}},
    {"Griffin, Figure 6, B", 7, {1, 3, 7, 10, 18, 25, 31}, {0}},
    {"Li, Figure 2: six up to 32", 6, {5, 6, 8, 15, 18, 32}, {0}},
    {"Li, Figure 3, rising", 4, {16, 32, 64, 128}, {0}},
    {"IIU, Figure 4",
     12,
     {7, 10, 15, 54, 72, 134, 170, 221, 294, 417, 500, 542},
     {11, 2, 1, 1, 5, 3, 1, 2, 4, 1, 3, 7}},
};

static void every_row_has_the_papers_lists(void **unused)
{
    (void)unused;
    const families *all = families_here();
    row_check rc;
    row_check_init(&rc, 12, 1);
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (size_t i = 0; i < all->n_codecs; i++) {
            uint32_t docids[12], tfs[12], n = lists[k].n;
            for (uint32_t j = 0; j < n; j++) {
                docids[j] = lists[k].docids[j];
                tfs[j] = lists[k].tfs[j] ? lists[k].tfs[j] : 1;
            }
            list_case lc = {.n = n, .universe = docids[n - 1] + 1, .docids = docids, .tfs = tfs};
            assert_int_equal(list_case_encode(&lc, all->codecs[i].plain, false), RP_OK);
            for (size_t r = 0; r < all->codecs[i].n; r++) {
                rp__list list;
                assert_int_equal(rp__list_open(all->codecs[i].rows[r], lc.bytes, lc.n_bytes, n,
                                               lc.universe, false, &list),
                                 RP_OK);
                if (!row_check_list(&rc, &list, docids, tfs))
                    fail_msg("%s: %s: %s %u", lists[k].where, all->codecs[i].plain->name, rc.what,
                             rc.rank);
            }
            free(lc.bytes);
            free(lc.bounds);
        }
    row_check_free(&rc);
}

/* The bytes are these, and every row reads them back. */
static void check_bytes(const char *name, const rp__codec_options *options, const uint32_t *values,
                        size_t n, const uint8_t *want, size_t n_want)
{
    const families *all = families_here();
    size_t found = 0;
    for (size_t i = 0; i < all->n_codes; i++)
        for (size_t r = 0; strcmp(all->codes[i].plain->name, name) == 0 && r < all->codes[i].n;
             r++) {
            const rp__block_code *row = all->codes[i].rows[r];
            uint8_t out[256 + RP_PAD] = {0};
            uint32_t got[RP_BLOCK_CAPACITY];
            assert_int_equal(row->encode(options, values, n, out), n_want);
            assert_memory_equal(out, want, n_want);
            assert_int_equal(row->decode(out, n_want, got, n), RP_OK);
            assert_memory_equal(got, values, n * sizeof *got);
            found++;
        }
    assert_true(found >= 1);
}

/* Griffin, Figure 3: eight gaps in 5 bits; 42, 68 and 47 do not fit. Their slots hold the way to the
 * next of them, less one (3, 1, and nothing); their values stand at the end. */
static void linked_exceptions(void **unused)
{
    (void)unused;
    const uint32_t gaps[] = {21, 42, 9, 13, 29, 68, 18, 47};
    const rp__codec_options three_of_eight = {.has_exceptions = true, .exceptions = 0.375};
    const uint64_t slots =
        21 | 3 << 5 | 9 << 10 | 13 << 15 | 29ULL << 20 | 1ULL << 25 | 18ULL << 30 | 0ULL << 35;
    /* the width and bytes of a value, three of them (less one), the first at 1 */
    uint8_t want[11] = {5 | 1 << 6, 2, 1, 0, 0, 0, 0, 0, 42, 68, 47};
    memcpy(want + 3, &slots, 5);
    check_bytes("pfd", &three_of_eight, gaps, 8, want, sizeof want);
}

/* Li, Figure 3: four numbers of 8 bits take four bytes. */
static void four_numbers_in_four_bytes(void **unused)
{
    (void)unused;
    const uint32_t numbers[] = {128, 64, 32, 16};
    const uint8_t want[] = {8, 128, 64, 32, 16};
    check_bytes("bp128", NULL, numbers, 4, want, sizeof want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_the_papers_lists),
        cmocka_unit_test(linked_exceptions),
        cmocka_unit_test(four_numbers_in_four_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
