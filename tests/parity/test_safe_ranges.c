/* test_safe_ranges.c: ranges by regression (lr) and by buckets (hs) never lose a docid, on the CPU and
 * on the emulated device (Ao et al. 2011, 4.3: the safe search range).
 *
 * Every subset of 0 to 11, then lists that are uniform, in clusters, bent, and with one gap. The CPU's
 * range of a docid must hold its rank; the device must find each docid that the list has, by kernels
 * of two lists and by those of PARA, since they look in the range alone. Two orders of threads share the subsets, and 200,000 probes or more are
 * made on each; with RIPOSTE_THOROUGH=1 both take all subsets, and there are 10,000,000 probes on
 * each. */
#include <stdlib.h>

#include "backend/gpu/device/device.h"
#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/intersect.h"
#include "parity/para_pair.h"
#include "unit/codec/aux_case.h"

enum {
    SUBSET = 12,
    LONGEST = 100000,
    THREADS = 32,
    SMALLEST_BUCKET = 8,
    ORDERS = 2,
};

static uint64_t probes_wanted(void)
{
    return getenv("RIPOSTE_THOROUGH") ? 10000000 : 200000;
}

/* ---- Lists ------------------------------------------------------------------------------------- */

enum { EVEN, CLUSTERS, BENT, ONE_GAP, FORMS };

static uint32_t gap_of(uint64_t *rng, uint32_t form, uint32_t i, uint32_t n)
{
    switch (form) {
    case EVEN:
        return 1 + (uint32_t)random_below(rng, 40);
    case CLUSTERS:
        return random_below(rng, 50) ? 1 + (uint32_t)random_below(rng, 2)
                                     : 1 + (uint32_t)random_below(rng, 9000);
    case BENT: /* steep, then flat, then steeper with every docid */
        return i < n / 3 ? 300 + (uint32_t)random_below(rng, 9) : i < 2 * n / 3 ? 1 : 1 + i / 64;
    default:
        return i == n / 2 ? 1U << 31 : 1 + (uint32_t)random_below(rng, 3);
    }
}

static uint32_t draw_list(uint64_t *rng, uint32_t form, uint32_t n, uint32_t *docids)
{
    uint32_t docid = (uint32_t)random_below(rng, 1000);
    for (uint32_t i = 0; i < n; i++)
        docids[i] = docid += gap_of(rng, form, i, n);
    return docid + 1 + (uint32_t)random_below(rng, 1000);
}

/* About n of the list's docids and those beside them, rising, no two alike; returns how many. */
static uint32_t draw_probes(uint64_t *rng, const uint32_t *docids, uint32_t n, uint32_t *out)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x =
            docids[i] + (uint32_t)random_below(rng, 3) % 2 * (uint32_t)random_below(rng, 3);
        if (k == 0 || x > out[k - 1])
            out[k++] = x;
    }
    return k;
}

/* ---- On the CPU -------------------------------------------------------------------------------- */

static void every_subset_on_the_cpu(void **state)
{
    (void)state;
    const rp__aux_kind *kind;
    uint64_t rng = 1;
    for (uint32_t set = 1; set < 1U << SUBSET; set++) {
        uint32_t docids[SUBSET], n = 0;
        for (uint32_t x = 0; x < SUBSET; x++)
            if (set >> x & 1)
                docids[n++] = x;
        for (size_t k = 0; (kind = rp__aux_kind_at(k)); k++) {
            aux_case ac;
            aux_case_fit(&ac, kind, docids, n, SUBSET);
            assert_true(kind->is_sound(&ac.aux, docids));
            for (uint32_t x = 0; x <= SUBSET + 2; x++)
                assert_ranges(&ac, x);
            assert_ranges(&ac, (uint32_t)random64(&rng));
            assert_ranges(&ac, UINT32_MAX);
            aux_case_free(&ac);
        }
    }
}

static void probe_list(const rp__aux_kind *kind, const uint32_t *docids, uint32_t n,
                       uint32_t universe, uint64_t probes, uint64_t *rng)
{
    aux_case ac;
    aux_case_fit(&ac, kind, docids, n, universe);
    for (uint64_t i = 0; i < probes; i++) {
        uint32_t near = docids[random_below(rng, n)] + (uint32_t)random_below(rng, 3) - 1;
        assert_ranges(&ac, i % 4 ? near : (uint32_t)random_below(rng, universe));
    }
    aux_case_free(&ac);
}

static void random_probes_on_the_cpu(void **state)
{
    (void)state;
    const rp__aux_kind *kind;
    uint64_t rng = 2, done = 0, a_list = probes_wanted() / (FORMS * (uint64_t)RP_AUX_KINDS * 2);
    uint32_t *docids = malloc(LONGEST * sizeof *docids);
    for (uint32_t round = 0; round < 3; round++)
        for (uint32_t form = 0; form < FORMS; form++)
            for (size_t k = 0; (kind = rp__aux_kind_at(k)); k++, done += a_list) {
                uint32_t n = round ? random_length(&rng, 3000) : LONGEST;
                uint32_t universe = draw_list(&rng, form, n, docids);
                probe_list(kind, docids, n, universe, a_list, &rng);
            }
    free(docids);
    print_message("%llu probes of the cpu\n", (unsigned long long)done);
    assert_true(done >= probes_wanted());
}

/* ---- On the device ----------------------------------------------------------------------------- */

/* How a kernel works: which, elements of A a thread (0: it is one of PARA), and the auxiliary data that
 * it needs. */
static const struct method {
    rp__kernel_id kernel;
    uint32_t each;
    bool is_hs;
} methods[] = {
    {RP_KERNEL_intersect_lr_global_kernel, 2, false},
    {RP_KERNEL_intersect_lr_local_kernel, 2, false},
    {RP_KERNEL_intersect_hs_x1_kernel, 1, true},
    {RP_KERNEL_intersect_hs_x2_kernel, 2, true},
    {RP_KERNEL_para_lr_kernel, 0, false},
    {RP_KERNEL_para_lr_local_kernel, 0, false},
    {RP_KERNEL_para_hs_kernel, 0, true},
};
enum { METHODS = sizeof methods / sizeof methods[0] };

/* Device memory of one pair of lists: A, B, auxiliary data, what is found, how many, and state. */
typedef struct bench {
    rp__device device;
    uint32_t most;
    size_t aux_most;
    rp__cu_ptr a, b, aux, out, count, state;
    uint32_t *got;
} bench;

static rp__cu_ptr take_memory(bench *b, size_t bytes)
{
    rp__cu_ptr at;
    assert_int_equal(rp__device_alloc(&b->device, bytes + 64, &at), RP_OK);
    assert_int_equal(rp__device_fill(&b->device, at, 0, bytes / 4 + 16), RP_OK);
    return at;
}

static void open_bench(bench *b, uint32_t most, uint64_t seed)
{
    rp_error err = {.text = ""};
    *b = (bench){.most = most, .aux_most = 0};
    for (size_t k = 0; rp__aux_kind_at(k); k++) {
        size_t bound = rp__aux_kind_at(k)->bound(rp__aux_kind_at(k), most);
        b->aux_most = bound > b->aux_most ? bound : b->aux_most;
    }
    rp__emulated_device_configure(&(rp__emulated_device_options){.seed = seed});
    assert_int_equal(rp__device_open(&b->device, rp__emulated_device_driver(), 0, &err), RP_OK);
    b->a = take_memory(b, most * sizeof(uint32_t));
    b->b = take_memory(b, most * sizeof(uint32_t));
    b->aux = take_memory(b, b->aux_most);
    b->out = take_memory(b, most * sizeof(uint32_t));
    b->count = take_memory(b, sizeof(uint32_t));
    b->state = take_memory(b, (most / THREADS + 3) * sizeof(uint64_t));
    b->got = malloc(most * sizeof *b->got);
}

static void close_bench(bench *b)
{
    const rp__cu_ptr at[] = {b->a, b->b, b->aux, b->out, b->count, b->state};
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++)
        rp__device_free(&b->device, at[i]);
    free(b->got);
    rp__device_close(&b->device);
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

/* Auxiliary data as kernels have them: all of lr; of hs the starts. */
static void put_aux(bench *b, const aux_case *ac)
{
    const uint8_t *from = ac->aux.starts ? (const uint8_t *)ac->aux.starts : ac->bytes;
    size_t bytes = ac->n_bytes - (size_t)(from - ac->bytes);
    assert_int_equal(rp__device_copy_in(&b->device, b->aux, from, bytes), RP_OK);
}

/* What the device has found of A's docids is what a merge finds. */
static void expect_merge(const bench *b, uint32_t found, const uint32_t *a, uint32_t na,
                         const aux_case *ac, const char *name)
{
    uint32_t n = 0;
    for (uint32_t i = 0, j = 0; i < na; i++) {
        while (j < ac->n && ac->docids[j] < a[i])
            j++;
        if (j == ac->n || ac->docids[j] != a[i])
            continue;
        if (n >= found || b->got[n] != a[i])
            fail_msg("%s with %s: docid %u of rank %u is outside its range", name,
                     ac->aux.kind->name, a[i], j);
        n++;
    }
    assert_int_equal(found, n);
}

/* Returns how many are found. */
static uint32_t probe_by_pair(bench *b, const struct method *m, const aux_case *ac,
                              const uint32_t *a, uint32_t na)
{
    karg_intersect args = {.a = b->a,
                           .b = b->b,
                           .aux = b->aux,
                           .shift = ac->aux.shift,
                           .n_buckets = ac->aux.n_buckets,
                           .out = b->out,
                           .count = b->count,
                           .state = b->state,
                           .na = na,
                           .nb = ac->n,
                           .universe = ac->universe,
                           .capacity = na};
    rp__launch how;
    uint32_t found = 0;
    assert_int_equal(rp__device_copy_in(&b->device, b->a, a, na * sizeof *a), RP_OK);
    rp__intersect_cut_docids(THREADS, m->each, &args, &how);
    assert_int_equal(rp__device_launch(&b->device, m->kernel, how, &args), RP_OK);
    assert_int_equal(rp__device_copy_out(&b->device, &found, b->count, sizeof found), RP_OK);
    assert_int_equal(rp__device_copy_out(&b->device, b->got, b->out, na * sizeof *b->got), RP_OK);
    assert_int_equal(rp__device_wait(&b->device), RP_OK);
    return found;
}

static uint32_t probe_by_para(bench *b, const struct method *m, const aux_case *ac,
                              const uint32_t *a, uint32_t na)
{
    const karg_para_list list = {.docids = b->b,
                                 .aux = b->aux,
                                 .n = ac->n,
                                 .shift = ac->aux.shift,
                                 .n_buckets = ac->aux.n_buckets};
    return para_pair_run(&b->device, m->kernel, a, na, &list, NULL, b->got);
}

static void probe_on_device(bench *b, const struct method *m, const aux_case *ac, const uint32_t *a,
                            uint32_t na)
{
    put_aux(b, ac);
    assert_int_equal(rp__device_copy_in(&b->device, b->b, ac->docids, ac->n * sizeof *a), RP_OK);
    const uint32_t found =
        m->each > 0 ? probe_by_pair(b, m, ac, a, na) : probe_by_para(b, m, ac, a, na);
    expect_merge(b, found, a, na, ac, rp__kernel_table_at(m->kernel)->name);
}

static const rp__aux_kind *kind_of(const struct method *m, uint32_t bucket)
{
    const rp__aux_kind *kind;
    if (!m->is_hs)
        return rp__aux_kind_find("lr", 2);
    for (size_t k = 0; (kind = rp__aux_kind_at(k)); k++)
        if (kind->bucket == bucket)
            return kind;
    fail_msg("no buckets of %u", bucket);
    return NULL;
}

static void every_subset_on_the_device(void **state)
{
    (void)state;
    uint32_t all[SUBSET];
    for (uint32_t x = 0; x < SUBSET; x++)
        all[x] = x;
    for (uint64_t seed = 0; seed < ORDERS; seed++) {
        bench b;
        open_bench(&b, 64, seed);
        for (uint32_t set = 1; set < 1U << SUBSET; set++) {
            if (set % ORDERS != seed && !getenv("RIPOSTE_THOROUGH"))
                continue;
            uint32_t docids[SUBSET], n = 0;
            for (uint32_t x = 0; x < SUBSET; x++)
                if (set >> x & 1)
                    docids[n++] = x;
            for (uint32_t m = 0; m < METHODS; m++) {
                aux_case ac;
                aux_case_fit(&ac, kind_of(&methods[m], SMALLEST_BUCKET), docids, n, SUBSET);
                probe_on_device(&b, &methods[m], &ac, all, SUBSET);
                aux_case_free(&ac);
            }
        }
        close_bench(&b);
    }
}

static void random_probes_on_the_device(void **state)
{
    (void)state;
    uint64_t rng = 3, done = 0;
    uint32_t *docids = malloc(LONGEST * sizeof *docids), *a = malloc(LONGEST * sizeof *a);
    for (uint32_t round = 0; done < probes_wanted(); round++) {
        bench b;
        open_bench(&b, LONGEST, round);
        for (uint32_t form = 0; form < FORMS; form++)
            for (uint32_t m = 0; m < METHODS; m++) {
                uint32_t n = round % 4 == 3 ? LONGEST : random_length(&rng, 8000);
                uint32_t universe = draw_list(&rng, form, n, docids);
                uint32_t na = draw_probes(&rng, docids, n, a);
                aux_case ac;
                aux_case_fit(&ac, kind_of(&methods[m], SMALLEST_BUCKET << round % 8), docids, n,
                             universe);
                probe_on_device(&b, &methods[m], &ac, a, na);
                aux_case_free(&ac);
                done += na;
            }
        close_bench(&b);
    }
    free(docids);
    free(a);
    print_message("%llu probes of the device\n", (unsigned long long)done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_subset_on_the_cpu),
        cmocka_unit_test(random_probes_on_the_cpu),
        cmocka_unit_test(every_subset_on_the_device),
        cmocka_unit_test(random_probes_on_the_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
