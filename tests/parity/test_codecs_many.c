/* test_codecs_many.c: lists without number, each encoded once by every codec and read in every way by
 * every row of it, against the plain arrays.
 *
 * LISTS says how many (seconds' worth if unset, minutes' with RIPOSTE_THOROUGH; the
 * whole proof is LISTS=100000), SEED which,
 * SHARD=i/n which share of them; the lists are the same however they are shared out.
 * The rule: of 33 lists one has a length drawn log-uniformly from 1 to 5,000,000, the others from 1 to
 * 2,000: 10,000 postings on average, and lists are drawn until there are LISTS of them and LISTS times
 * 10,000 postings. The universe is log-uniform from the length to 2^32 - 1, and one in 8 is either end of
 * that. Shapes are equally likely. A list that a row refuses for its limit is drawn again below it. One
 * list in 8 has frequencies of any size, all of which are read; those of the others are 1. */
#include <inttypes.h>
#include <math.h>
#include <time.h>

#include "parity/families.h"
#include "parity/row_check.h"
#include "parity/shard.h"
#include "unit/codec/list_case.h"

enum { LONGEST = 5000000, SHORT_MOST = 2000, ONE_LONG_IN = 33, MEAN = 10000, ONE_WITH_TFS_IN = 8 };
enum { LISTS_HERE = 100, LISTS_THOROUGH = 5000 };

/* ---- Drawing --------------------------------------------------------------------------------- */

typedef struct draw {
    uint64_t rng; /* after what stands below was drawn */
    uint32_t n, universe;
    shape kind;
    bool has_tfs;
} draw;

/* from <= value <= to, each doubling equally likely. */
static uint32_t log_uniform(uint64_t *rng, double from, double to)
{
    double share = (double)(random64(rng) >> 11) * 0x1p-53;
    double v = from * exp2(share * log2((to + 1) / from));
    return v < to ? (uint32_t)v : (uint32_t)to;
}

static draw draw_list(uint64_t seed, uint64_t i)
{
    draw d = {.rng = seed << 32 ^ i};
    (void)random64(&d.rng);
    d.n = log_uniform(&d.rng, 1, random_below(&d.rng, ONE_LONG_IN) ? SHORT_MOST : LONGEST);
    d.universe = log_uniform(&d.rng, d.n, UINT32_MAX);
    uint64_t way = random_below(&d.rng, 16);
    d.universe = way == 0 ? d.n : way == 1 ? UINT32_MAX : d.universe;
    d.kind = (shape)random_below(&d.rng, N_SHAPES);
    d.has_tfs = random_below(&d.rng, ONE_WITH_TFS_IN) == 0;
    return d;
}

/* Below `limit`, unless that is 0. */
static void make_list(list_case *lc, const draw *d, uint32_t limit)
{
    uint64_t rng = d->rng;
    list_case_make(lc, &rng, d->kind, d->n, limit && limit < d->universe ? limit : d->universe);
    for (uint32_t i = 0; i < d->n; i++) {
        uint32_t tf = d->has_tfs ? lc->tfs[i] : 1;
        lc->tfs[i] = limit ? tf % limit | (tf % limit == 0) : tf;
    }
}

/* What an encoder is told: of four lists one something else than nothing. */
static rp__codec_options draw_options(uint64_t *rng)
{
    rp__codec_options o = {0};
    if (random_below(rng, 4))
        return o;
    o.has_exceptions = random64(rng) & 1;
    o.exceptions = (double)random_below(rng, 61) / 100;
    o.has_level = random64(rng) & 1;
    o.level = (uint32_t)random_below(rng, 5);
    o.c = random64(rng) & 1 ? exp2((double)random_below(rng, 7) - 2) : 0;
    o.by = random64(rng) & 1 ? RP_BY_SIZE : RP_BY_SPEED;
    o.segment = random64(rng) & 1 ? 64 : 0;
    o.max_size = random64(rng) & 1 ? 1 + (uint32_t)random_below(rng, 256) : 0;
    return o;
}

/* ---- Checking -------------------------------------------------------------------------------- */

typedef struct tally {
    uint64_t lists, postings;
} tally;

/* The bytes of lc through one row. */
static void check_row(row_check *rc, const rp__codec *row, const list_case *lc, bool positions,
                      bool has_tfs, const char *which)
{
    rp__list list;
    rp_status s = rp__list_open(row, lc->bytes, lc->n_bytes, lc->n, lc->universe, positions, &list);
    if (s != RP_OK)
        fail_msg("%s: %s/%x does not open: %d", which, row->name, row->needs, s);
    if (!row_check_list(rc, &list, lc->docids, has_tfs ? lc->tfs : NULL))
        fail_msg("%s: %s/%x: %s %u: %u, not %u (n %u, universe %u)", which, row->name, row->needs,
                 rc->what, rc->rank, rc->got, rc->want, lc->n, lc->universe);
}

/* One codec, encoded by one of its rows in turn, read by all. `twin`: the list below the limit. */
static void check_family(row_check *rc, const codec_family *f, list_case *lc, list_case *twin,
                         const draw *d, const char *which)
{
    const rp__codec *writer = f->rows[random_below(&rc->rng, f->n)];
    rp__codec_options options = draw_options(&rc->rng);
    bool positions = random64(&rc->rng) & 1;
    lc->is_close = random64(&rc->rng) & 1;
    if (!list_case_fits(lc, writer)) {
        assert_int_equal(list_case_encode_as(lc, writer, positions, &options), RP_LIMIT);
        if (!twin->docids || !list_case_fits(twin, writer)) {
            list_case_free(twin);
            make_list(twin, d, writer->limit);
        }
        lc = twin;
    }
    assert_int_equal(list_case_encode_as(lc, writer, positions, &options), RP_OK);
    for (size_t k = 0; k < f->n; k++)
        check_row(rc, f->rows[k], lc, positions, d->has_tfs, which);
}

static void check_families(row_check *rc, list_case *lc, const draw *d, tally *sum,
                           const char *which)
{
    list_case twin = {0};
    for (size_t i = 0; i < families_here()->n_codecs; i++)
        check_family(rc, &families_here()->codecs[i], lc, &twin, d, which);
    list_case_free(&twin);
    sum->lists++;
    sum->postings += d->n;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void report(const char *what, const row_check *rc, const tally *sum, clock_t begin)
{
    shard s = shard_here();
    print_message("%s: shard %u/%u: %" PRIu64 " lists, %" PRIu64 " postings, %zu rows, %" PRIu64
                  " values compared, %.0f CPU seconds\n",
                  what, s.i, s.n, sum->lists, sum->postings, families_here()->n_rows, rc->compared,
                  (double)(clock() - begin) / CLOCKS_PER_SEC);
}

/* Lists go to the shard that has the fewest postings, so that all end at about the same time. */
static void random_lists(void **unused)
{
    (void)unused;
    shard s = shard_here();
    clock_t begin = clock();
    uint64_t few = getenv("RIPOSTE_THOROUGH") ? LISTS_THOROUGH : LISTS_HERE;
    uint64_t lists = shard_number("LISTS", few), seed = shard_number("SEED", 1), all = 0;
    uint64_t *load = calloc(s.n, sizeof *load);
    tally sum = {0};
    row_check rc;
    row_check_init(&rc, LONGEST, seed);
    for (uint64_t i = 0; i < lists || all < lists * MEAN; i++) {
        draw d = draw_list(seed, i);
        uint32_t least = 0;
        for (uint32_t k = 1; k < s.n; k++)
            least = load[k] < load[least] ? k : least;
        load[least] += d.n + SHORT_MOST / 10;
        all += d.n;
        if (least != s.i)
            continue;
        char which[64];
        snprintf(which, sizeof which, "SEED %" PRIu64 ", list %" PRIu64, seed, i);
        list_case lc;
        make_list(&lc, &d, 0);
        rc.rng = d.rng;
        check_families(&rc, &lc, &d, &sum, which);
        list_case_free(&lc);
    }
    report("random lists", &rc, &sum, begin);
    row_check_free(&rc);
    free(load);
}

static void every_subset_of_sixteen(void **unused)
{
    (void)unused;
    shard s = shard_here();
    clock_t begin = clock();
    tally sum = {0};
    row_check rc;
    row_check_init(&rc, 16, 3);
    for (uint32_t set = 1 + s.i; set < 1U << 16; set += s.n) {
        draw d = {.rng = set, .n = rp__bits_count64(set), .universe = 16, .has_tfs = set % 8 == 0};
        list_case lc;
        make_list(&lc, &d, INT32_MAX);
        for (uint32_t i = 0, n = 0; i < 16; i++)
            if (set >> i & 1)
                lc.docids[n++] = i;
        char which[32];
        snprintf(which, sizeof which, "subset %#x", set);
        rc.rng = set;
        check_families(&rc, &lc, &d, &sum, which);
        list_case_free(&lc);
    }
    report("subsets", &rc, &sum, begin);
    row_check_free(&rc);
}

/* ---- Planted faults -------------------------------------------------------------------------- */

/* A row that is wrong in one function, at rank `fault_at` alone. */
static const rp__codec *sound;
static uint32_t fault_at;

static rp_status bad_block(const rp__list *list, uint32_t b, uint32_t *out)
{
    rp_status s = sound->block(list, b, out);
    uint32_t first = rp__list_block_first(list, b);
    if (fault_at >= first && fault_at < first + rp__list_block_count(list, b))
        out[fault_at - first]--;
    return s;
}

static rp_status bad_decode(const rp__list *list, uint32_t *out)
{
    rp_status s = sound->decode(list, out);
    out[fault_at]--;
    return s;
}

static rp_status bad_at(const rp__list *list, uint32_t i, uint32_t *out)
{
    rp_status s = sound->at(list, i, out);
    *out -= i == fault_at;
    return s;
}

static rp_status bad_find(const rp__list *list, uint32_t target, uint32_t *rank, uint32_t *docid)
{
    rp_status s = sound->find(list, target, rank, docid);
    *rank -= *rank == fault_at;
    return s;
}

static rp_status bad_unordered(const rp__list *list, uint32_t b, uint32_t n_blocks, uint32_t *out)
{
    rp_status s = sound->unordered(list, b, n_blocks, out);
    if (fault_at / RP_BLOCK >= b && fault_at / RP_BLOCK < b + n_blocks)
        out[fault_at - b * RP_BLOCK]--;
    return s;
}

static rp_status bad_tfs(const rp__list *list, uint32_t f, uint32_t *out)
{
    rp_status s = sound->tfs(list, f, out);
    if (fault_at / RP_BLOCK == f)
        out[fault_at % RP_BLOCK]++;
    return s;
}

static rp_status false_alarm(const rp__list *list, uint32_t i, uint32_t *out)
{
    rp_status s = sound->at(list, i, out);
    return i == fault_at ? RP_DAMAGED : s;
}

/* Makes one function of the row wrong; false: it has no such function. */
static bool plant(rp__codec *row, int fault)
{
    switch (fault) {
    case 0:
        return row->block = bad_block, true;
    case 1:
        return row->decode && (row->decode = bad_decode, true);
    case 2:
        return row->at && (row->at = bad_at, true);
    case 3:
        return row->at && (row->at = false_alarm, true);
    case 4:
        return row->find && (row->find = bad_find, true);
    case 5:
        return row->unordered && (row->unordered = bad_unordered, true);
    default:
        return row->tfs && (row->tfs = bad_tfs, true);
    }
}
enum { N_FAULTS = 7 };

/* Each function of a row, wrong alone, is found to be so; how many were planted. */
static size_t plant_in(row_check *rc, const rp__codec *row, const list_case *lc)
{
    rp__list list;
    size_t planted = 0;
    sound = row;
    for (int fault = 0; fault < N_FAULTS; fault++) {
        rp__codec copy = *row;
        bool is_planted = plant(&copy, fault);
        assert_int_equal(
            rp__list_open(&copy, lc->bytes, lc->n_bytes, lc->n, lc->universe, false, &list), RP_OK);
        is_planted &= list.codec == &copy; /* not where each list names another row */
        if (row_check_list(rc, &list, lc->docids, lc->tfs) == is_planted)
            fail_msg("%s/%x: fault %d at %u is %s", row->name, row->needs, fault, fault_at,
                     is_planted ? "not found" : "found where there is none");
        planted += is_planted;
    }
    return planted;
}

static void planted_faults_are_found(void **unused)
{
    (void)unused;
    enum { N = 900 };
    const uint32_t places[] = {1, 127, 128, 700, N - 1};
    const rp__codec *row;
    size_t planted = 0;
    row_check rc;
    row_check_init(&rc, N, 1);
    draw d = {.rng = 5, .n = N, .universe = 1000000, .kind = UNIFORM, .has_tfs = true};
    list_case lc;
    make_list(&lc, &d, INT32_MAX);
    for (uint32_t i = 0; i < N; i++)
        lc.docids[i] += 2 * i + 1; /* one less is still a rising docid */
    lc.universe += 2 * N + 1;
    for (size_t j = 0; (row = codec_here(j)); j++)
        for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
            fault_at = places[k];
            assert_int_equal(list_case_encode(&lc, row, false), RP_OK);
            planted += plant_in(&rc, row, &lc);
        }
    print_message("%zu faults planted and found\n", planted);
    list_case_free(&lc);
    row_check_free(&rc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_faults_are_found),
        cmocka_unit_test(every_subset_of_sixteen),
        cmocka_unit_test(random_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
