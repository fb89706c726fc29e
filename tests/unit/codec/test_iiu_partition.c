/* test_iiu_partition.c: the cut of iiu is the cheapest there is: against every cut of short lists and
 * against the plain dynamic programme; and it takes a fraction of that one's time. */

#include "list_case.h"
#include "plain_partition.h"

enum { LONGEST = 400000 };
static uint32_t docids[LONGEST], tfs[LONGEST], ends[LONGEST], starts[LONGEST];
static uint32_t scratch[LONGEST + 2 * (2 * RP_IIU_BLOCK_LARGEST + 2)];
static uint64_t costs[LONGEST + 1];
static uint8_t widths[2 * LONGEST];

/* Gaps and frequencies of widths that come in stretches, so that there is something to cut. */
static void make_list(uint64_t *rng, size_t n)
{
    uint32_t next = 0, gap_width = 1, tf_width = 1, top = 1 + (uint32_t)random_below(rng, 18);
    for (size_t i = 0; i < n; i++) {
        if (random_below(rng, 30) == 0)
            gap_width = (uint32_t)random_below(rng, top + 1);
        if (random_below(rng, 30) == 0)
            tf_width = (uint32_t)random_below(rng, 20);
        bool is_odd_one = random_below(rng, 40) == 0;
        next += 1 + (uint32_t)random_below(rng, 1ULL << (is_odd_one ? top : gap_width));
        docids[i] = next;
        tfs[i] = 1 + (uint32_t)random_below(rng, 1ULL << tf_width);
    }
}

static uint64_t cost_of(const uint32_t *at, size_t n_blocks, rp__iiu_cost of)
{
    uint64_t cost = 0;
    for (size_t b = 0; b < n_blocks; b++)
        cost += block_cost(docids, tfs, b ? at[b - 1] : 0, at[b], of);
    return cost;
}

static uint64_t cut(size_t n, uint32_t max_size, rp__iiu_cost of)
{
    size_t n_blocks = rp__iiu_partition_cut(docids, tfs, n, max_size, of, scratch, ends);
    assert_int_equal(ends[n_blocks - 1], n);
    for (size_t b = 0; b < n_blocks; b++) {
        uint32_t count = ends[b] - (b ? ends[b - 1] : 0);
        assert_true(count >= 1 && count <= max_size);
    }
    return cost_of(ends, n_blocks, of);
}

static void no_cut_of_short_lists_is_cheaper(void **unused)
{
    (void)unused;
    uint64_t rng = 1;
    for (int round = 0; round < 300; round++) {
        size_t n = 1 + random_below(&rng, round % 10 ? 10 : 16);
        uint32_t max_size = round % 3 ? 256 : 1 + (uint32_t)random_below(&rng, 6);
        rp__iiu_cost of = round % 2 ? RP_IIU_COST_PAPER : RP_IIU_COST_FREE;
        make_list(&rng, n);
        for (size_t i = 0; i < n; i++)
            tfs[i] = (uint32_t)random64(&rng) >> random_below(&rng, 32) | 1; /* of any width */
        uint64_t least = UINT64_MAX;
        for (uint32_t set = 0; set < 1U << (n - 1); set++) {
            uint32_t at[16];
            size_t n_blocks = 0;
            bool fits = true;
            for (uint32_t i = 1; i <= n; i++)
                if (i == n || set >> (i - 1) & 1) {
                    fits = fits && i - (n_blocks ? at[n_blocks - 1] : 0) <= max_size;
                    at[n_blocks++] = i;
                }
            uint64_t cost = fits ? cost_of(at, n_blocks, of) : UINT64_MAX;
            least = cost < least ? cost : least;
        }
        assert_int_equal(cut(n, max_size, of), least);
    }
}

static void as_the_plain_programme(void **unused)
{
    (void)unused;
    const uint32_t sizes[] = {1, 2, 7, 64, 255, 256, 2047};
    uint64_t rng = 2;
    for (int round = 0; round < 100000; round++) {
        size_t n = random_length(&rng, round % 500 ? 256 : 5000);
        uint32_t max_size = sizes[round % 7];
        rp__iiu_cost of = round / 7 % 2 ? RP_IIU_COST_PAPER : RP_IIU_COST_FREE;
        make_list(&rng, n);
        uint64_t want = plain_partition(docids, tfs, n, max_size, of, widths, costs, starts);
        assert_int_equal(cut(n, max_size, of), want);
        size_t end = n;
        size_t n_blocks = rp__iiu_partition_cut(docids, tfs, n, max_size, of, scratch, ends);
        while (n_blocks-- > 0) { /* the same cuts, not only the same cost */
            assert_int_equal(ends[n_blocks], end);
            end = starts[end - 1];
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_cut_of_short_lists_is_cheaper),
        cmocka_unit_test(as_the_plain_programme),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
