/* test_local_lines.c: rows that narrow a block by its own line (hslrc; Ao et al. 2011, 5.3) lose no docid: lists that are
 * even, in clusters, bent, with one gap, of one line, and up to the last docids that there are. Half of the probes are
 * docids of the list, half are beside them. Two orders of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "lab/gpu/gpu_bench.h"
#include "lab/gpu/gpu_case_param.h"
#include "unit/codec/list_case.h"

enum { N = 3000, ORDERS = 2 };
enum { EVEN, CLUSTERS, BENT, ONE_GAP, LINE, LAST, FORMS };

static uint32_t gap_of(uint64_t *rng, uint32_t form, uint32_t i)
{
    switch (form) {
    case EVEN:
        return 1 + (uint32_t)random_below(rng, 40);
    case CLUSTERS:
        return random_below(rng, 50) ? 1 + (uint32_t)random_below(rng, 2)
                                     : 1 + (uint32_t)random_below(rng, 9000);
    case BENT:
        return i < N / 3 ? 300 + (uint32_t)random_below(rng, 9) : i < 2 * N / 3 ? 1 : 1 + i / 64;
    case ONE_GAP:
        return i == N / 2 ? 1U << 31 : 1 + (uint32_t)random_below(rng, 3);
    case LINE:
        return 7;
    default:
        return 1 + (uint32_t)random_below(rng, 2800000); /* with luck 2^32 and no more */
    }
}

/* Rising docids to `docids`, and some of them and of their neighbours to `probes`. */
static uint32_t draw(uint64_t *rng, uint32_t form, uint32_t *docids, uint32_t *probes,
                     uint32_t *n_probes)
{
    uint64_t docid = random_below(rng, 1000);
    uint32_t n = 0, k = 0;
    for (uint32_t i = 0; i < N && docid < UINT32_MAX - 1; i++, docid += gap_of(rng, form, i))
        docids[n++] = (uint32_t)docid;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t probe = docids[i] + (uint32_t)random_below(rng, 2);
        if (k == 0 || probe > probes[k - 1])
            probes[k++] = probe;
    }
    *n_probes = k;
    return n;
}

static void run_row(rp__device *device, const rp__gpu_case *row, const rp__gpu_source *source)
{
    rp__gpu_case_given given;
    rp__gpu_case with;
    rp_error err = {.text = ""};
    void *state = NULL;
    const rp__gpu_params params = {0};
    assert_int_equal(rp__gpu_case_param_apply(row, &params, source, &given, &with, &err), RP_OK);
    assert_int_equal(with.make(&with, device, N, 1, &state), RP_OK);
    assert_int_equal(with.run(&with, device, state), RP_OK);
    if (with.check(&with, device, state, &err) != RP_OK)
        fail_msg("%s: %s", row->name, err.text);
    with.free(&with, device, state);
}

static void run_rows(rp__device *device, const rp__gpu_source *source)
{
    const rp__gpu_case *row;
    size_t rows = 0;
    for (size_t i = 0; (row = rp__gpu_case_at(i)); i++)
        if (strcmp(row->area, "intersect") == 0 && strncmp(row->name, "hslrc", 5) == 0) {
            run_row(device, row, source);
            rows++;
        }
    assert_true(rows >= 2);
}

static void no_docid_is_lost(void **unused)
{
    (void)unused;
    uint64_t rng = 15;
    static uint32_t docids[N], probes[N], tfs[N];
    for (uint64_t seed = 0; seed < ORDERS; seed++) {
        rp__device device;
        rp_error err = {.text = ""};
        rp__emulated_device_configure(&(rp__emulated_device_options){.seed = seed});
        assert_int_equal(rp__gpu_bench_open(&(rp__place){.gpu = "emulated"}, &device, &err), RP_OK);
        for (uint32_t form = 0; form < FORMS; form++) {
            uint32_t n_probes, n = draw(&rng, form, docids, probes, &n_probes);
            const rp__gpu_source_list lists[] = {{probes, tfs, n_probes}, {docids, tfs, n}};
            const rp__gpu_source_pair pair = {0, 1};
            run_rows(&device, &(rp__gpu_source){.lists = lists,
                                                .n_lists = 2,
                                                .n = n + n_probes,
                                                .pairs = &pair,
                                                .n_pairs = 1,
                                                .universe = docids[n - 1] + 2});
        }
        rp__device_close(&device);
        assert_int_equal(rp__emulated_device_in_use(), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_docid_is_lost)};
    cmocka_set_test_filter(getenv("RIPOSTE_TESTS"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
