/* test_local_lines.c: searches in the regression codecs, some of which narrow a block by its own line (seglrc, hslrc; Ao et
 * al. 2011, 5.3), lose no docid: lists that are even, in clusters, bent, with one gap, of one line, and up to the last
 * docids that there are. Half of the probes are docids of the list, half are beside them. Rows that intersect two lists,
 * and kernels of PARA; two orders of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "lab/gpu/gpu_bench.h"
#include "lab/gpu/gpu_case_lists.h"
#include "lab/gpu/gpu_case_param.h"
#include "parity/para_pair.h"
#include "unit/codec/list_case.h"

enum { N = 3000, ORDERS = 2, ROWS = 11 /* at least */ };
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
        if (strcmp(row->area, "intersect") == 0 && strstr(row->name, "lrc")) {
            run_row(device, row, source);
            rows++;
        }
    assert_true(rows >= ROWS);
}

/* ---- PARA ---------------------------------------------------------------------------------------- */

static const struct {
    const char *codec;
    rp__kernel_id kernel;
} searches[] = {{"lrc", RP_KERNEL_para_lrc_kernel},
                {"lrcseg", RP_KERNEL_para_lrcseg_kernel},
                {"seglrc", RP_KERNEL_para_seglrc_kernel},
                {"hslrc256", RP_KERNEL_para_hslrc_kernel},
                {"hslrc128", RP_KERNEL_para_hslrc_kernel}};

/* Those of the first list that the second has, by a merge. */
static uint32_t merge(const rp__gpu_source *source, uint32_t *out)
{
    const rp__gpu_source_list *a = &source->lists[0], *b = &source->lists[1];
    uint32_t n = 0;
    for (uint32_t i = 0, j = 0; i < a->n; i++) {
        while (j < b->n && b->docids[j] < a->docids[i])
            j++;
        if (j < b->n && b->docids[j] == a->docids[i])
            out[n++] = a->docids[i];
    }
    return n;
}

static void run_search(rp__device *device, size_t i, const rp__gpu_source *source)
{
    static uint32_t got[N], want[N];
    const rp__gpu_source_list *a = &source->lists[0], *b = &source->lists[1];
    rp__gpu_case_lists set = {0};
    karg_list stored;
    assert_int_equal(rp__gpu_case_lists_add(&set, rp__codec_find(searches[i].codec, 0), b->docids,
                                            NULL, b->n, source->universe),
                     RP_OK);
    assert_int_equal(rp__gpu_case_lists_send(&set, device, 0, 1), RP_OK);
    assert_int_equal(rp__device_copy_out(device, &stored, set.at_lists, sizeof stored), RP_OK);
    assert_int_equal(rp__device_wait(device), RP_OK);
    const karg_para_list list = {.n = b->n};
    const uint32_t n =
        para_pair_run(device, searches[i].kernel, a->docids, a->n, &list, &stored, got);
    assert_int_equal(n, merge(source, want));
    assert_memory_equal(got, want, n * sizeof *got);
    rp__gpu_case_lists_free(&set, device);
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
            const rp__gpu_source source = {.lists = lists,
                                           .n_lists = 2,
                                           .n = n + n_probes,
                                           .pairs = &pair,
                                           .n_pairs = 1,
                                           .universe = docids[n - 1] + 2};
            run_rows(&device, &source);
            for (size_t i = 0; i < sizeof searches / sizeof searches[0]; i++)
                run_search(&device, i, &source);
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
