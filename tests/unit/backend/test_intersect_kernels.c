/* test_intersect_kernels.c: what the cases of test_gpu_cases do not see: a worked example, a state that is used
 * again, tiles that look back over many others, and lists that do not rise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/device.h"
#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/kernels/args.h"
#include "lab/gpu/gpu_case_lists.h"

enum { MOST = 4096, STATE_FIRST = 2 };

/* One arena of device memory: a, b, out, a_ranks, b_ranks, splits of MOST words each; count; state. */
typedef struct bench {
    rp__device device;
    rp__cu_ptr at;
    karg_intersect args;
} bench;

static void open_bench(bench *b, uint64_t seed)
{
    rp_error err = {.text = ""};
    const size_t words = 6 * MOST + 4 + 2 * MOST;
    *b = (bench){0};
    rp__emulated_device_configure(&(rp__emulated_device_options){.seed = seed});
    assert_int_equal(rp__device_open(&b->device, rp__emulated_device_driver(), 0, &err), RP_OK);
    assert_int_equal(rp__device_alloc(&b->device, words * 4, &b->at), RP_OK);
    assert_int_equal(b->device.driver->fill32(b->at, 0, words, b->device.stream), RP_CU_OK);
    uint64_t *parts[] = {&b->args.a,       &b->args.b,      &b->args.out,  &b->args.a_ranks,
                         &b->args.b_ranks, &b->args.splits, &b->args.count};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        *parts[i] = b->at + 4 * i * MOST;
    b->args.state = b->args.count + 16;
    b->args.capacity = MOST;
}

static void close_bench(bench *b)
{
    rp__device_free(&b->device, b->at);
    rp__device_close(&b->device);
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

static void give(bench *b, const uint32_t *a_docids, uint32_t na, const uint32_t *b_docids,
                 uint32_t nb)
{
    b->args.na = na;
    b->args.nb = nb;
    assert_int_equal(rp__device_copy_in(&b->device, b->args.a, a_docids, na * 4), RP_OK);
    assert_int_equal(rp__device_copy_in(&b->device, b->args.b, b_docids, nb * 4), RP_OK);
    assert_int_equal(rp__device_wait(&b->device), RP_OK);
}

static void launch(bench *b, rp__kernel_id kernel, uint32_t grid, uint32_t threads, uint32_t words)
{
    rp__launch how = {grid, threads, (KARG_SCRATCH + words) * 4};
    assert_int_equal(rp__device_launch(&b->device, kernel, how, &b->args), RP_OK);
    assert_int_equal(rp__device_wait(&b->device), RP_OK);
}

static void take(bench *b, uint64_t at, uint32_t *out, uint32_t n)
{
    assert_int_equal(rp__device_copy_out(&b->device, out, at, n * 4), RP_OK);
    assert_int_equal(rp__device_wait(&b->device), RP_OK);
}

static void assert_words(bench *b, uint64_t at, const uint32_t *want, uint32_t n)
{
    uint32_t got[MOST];
    take(b, at, got, n);
    assert_memory_equal(got, want, n * 4);
}

/* Liu et al. 2018, figure 6: four partitions of four elements; what each has of A ends at 2, 5, 7, 9. */
static void merge_path_of_griffins_figure_6(void **state)
{
    (void)state;
    static const uint32_t a[] = {1, 3, 4, 6, 7, 9, 15, 25, 31}, b[] = {1, 3, 7, 10, 18, 25, 31};
    static const uint32_t points[] = {0, 2, 5, 7, 9}, common[] = {1, 3, 7, 25, 31};
    static const uint32_t a_ranks[] = {0, 1, 4, 7, 8}, b_ranks[] = {0, 1, 2, 5, 6}, n = 5;
    for (uint64_t seed = 0; seed < 10; seed++) {
        bench t;
        open_bench(&t, seed);
        give(&t, a, 9, b, 7);
        t.args.tile = 4;
        t.args.tiles = 4;
        launch(&t, RP_KERNEL_intersect_mpath_splits_kernel, 2, 96, 0);
        assert_words(&t, t.args.splits, points, 5);
        launch(&t, RP_KERNEL_intersect_mpath_kernel, 4, 64, 9);
        assert_words(&t, t.args.count, &n, 1);
        assert_words(&t, t.args.out, common, n);
        assert_words(&t, t.args.a_ranks, a_ranks, n);
        assert_words(&t, t.args.b_ranks, b_ranks, n);
        t.args.splits = 0; /* the same by blocks that find their own points */
        launch(&t, RP_KERNEL_intersect_mpath_kernel, 4, 64, 9);
        assert_words(&t, t.args.out, common, n);
        close_bench(&t);
    }
}

/* Every launch leaves the state for the next, whatever number of tiles that has. */
static void a_state_serves_many_launches(void **state)
{
    (void)state;
    uint32_t a[600], b[300], common[200], n = 0;
    for (uint32_t i = 0; i < 600; i++)
        a[i] = 2 * i;
    for (uint32_t i = 0; i < 300; i++)
        b[i] = 3 * i;
    for (uint32_t x = 0; x < 900; x += 6)
        common[n++] = x;
    bench t;
    open_bench(&t, 3);
    give(&t, a, 600, b, 300);
    for (uint32_t round = 0; round < 20; round++) {
        uint32_t threads = 32U << round % 3, zero = 0;
        t.args.tiles = (600 + 2 * threads - 1) / (2 * threads);
        assert_int_equal(rp__device_copy_in(&t.device, t.args.count, &zero, 4), RP_OK);
        launch(&t, RP_KERNEL_intersect_bs_x2_kernel, t.args.tiles, threads, 2 * threads);
        assert_words(&t, t.args.count, &n, 1);
        assert_words(&t, t.args.out, common, n);
    }
    close_bench(&t);
}

/* A tile whose forerunners have said what they found, but not what stands before them: it looks back by as many
 * as it has threads at a time, as often as it takes. */
static void a_tile_looks_back_over_windows(void **state)
{
    (void)state;
    enum { THREADS = 32, EPOCH = 7 };
    static const uint32_t numbers[] = {1, 31, 32, 33, 64, 65, 500};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        uint32_t number = numbers[k], sum = 0, x = 17;
        uint64_t words[MOST] = {0};
        bench t;
        open_bench(&t, k);
        words[0] = (uint64_t)EPOCH << 32 | number;
        for (uint32_t i = 0; i < number; i++) {
            uint32_t n = i % 5;
            sum += n;
            /* tile 0, and here and there another, knows what stands before it */
            bool is_all = i == 0 || (i % 200 == 150);
            words[STATE_FIRST + i] =
                (uint64_t)(EPOCH + 1) << 33 | (uint64_t)is_all << 32 | (is_all ? sum : n);
        }
        size_t bytes = (STATE_FIRST + number + 1) * sizeof words[0];
        assert_int_equal(rp__device_copy_in(&t.device, t.args.state, words, bytes), RP_OK);
        /* The tile's own element, and no other, is in memory: `a` is moved so that it comes to lie there. */
        give(&t, &x, 1, &x, 1);
        t.args.a -= 4ULL * 2 * THREADS * number;
        t.args.na = 2 * THREADS * number + 1;
        t.args.tiles = number + 1;
        launch(&t, RP_KERNEL_intersect_bs_x2_kernel, 1, THREADS, 2 * THREADS);
        uint32_t all = sum + 1;
        assert_words(&t, t.args.count, &all, 1);
        assert_words(&t, t.args.out + 4ULL * sum, &x, 1);
        close_bench(&t);
    }
}

/* Lists of any words: nothing is read or written outside, and no more is found than there is room for. */
static void lists_that_do_not_rise_are_safe(void **state)
{
    (void)state;
    static const rp__kernel_id kernels[] = {
        RP_KERNEL_intersect_bs_x2_kernel, RP_KERNEL_intersect_is_kernel,
        RP_KERNEL_intersect_tile_kernel,  RP_KERNEL_intersect_tile_ranks_kernel,
        RP_KERNEL_intersect_mpath_kernel,
    };
    for (uint64_t seed = 0; seed < 8; seed++)
        for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
            enum { N = 1000, THREADS = 128, TILE = 11 * THREADS, SLICE = 10 };
            uint32_t a[N], b[N], count;
            bench t;
            open_bench(&t, seed);
            for (uint32_t i = 0; i < N; i++) {
                a[i] = (uint32_t)rand() % 5000;
                b[i] = seed % 2 ? (uint32_t)rand() * 2U : (uint32_t)rand() % 5000;
            }
            give(&t, a, N, b, N);
            t.args.capacity = 700;
            t.args.shift = SLICE;
            t.args.tile = TILE;
            t.args.universe = 5000;
            t.args.splits = 0;
            bool is_tile = kernels[k] == RP_KERNEL_intersect_tile_kernel ||
                           kernels[k] == RP_KERNEL_intersect_tile_ranks_kernel;
            bool is_path = kernels[k] == RP_KERNEL_intersect_mpath_kernel;
            t.args.tiles = is_tile ? 5 : is_path ? 2 * N / TILE + 1 : N / THREADS + 1;
            launch(&t, kernels[k], t.args.tiles, THREADS, 2 * TILE + 1);
            take(&t, t.args.count, &count, 1);
            assert_true(count <= 2 * N);
            uint32_t behind[MOST];
            take(&t, t.args.out, behind, MOST);
            for (uint32_t i = 700; i < MOST; i++)
                assert_int_equal(behind[i], 0);
            close_bench(&t);
        }
}

/* Compressed lists and auxiliary data of any bytes: no more is found than A has, and nothing else is touched. */
static void damaged_bytes_are_safe(void **state)
{
    (void)state;
    enum { NA = 500, NB = 3000, THREADS = 128, SLICE = 10, STAGED = 16 };
    static const struct {
        const char *codec;
        rp__kernel_id kernel;
    } rows[] = {{"bp128", RP_KERNEL_intersect_bp128_kernel},
                {"bp128", RP_KERNEL_intersect_bp128_tile_kernel},
                {"lrc", RP_KERNEL_intersect_lrc_heads_kernel},
                {"lrc", RP_KERNEL_intersect_lrc_at_kernel},
                {"hslrc256", RP_KERNEL_intersect_lrc_hs_kernel},
                {"hslrc128", RP_KERNEL_intersect_lrc_hs_kernel},
                {"raw", RP_KERNEL_intersect_skip_kernel},
                {"raw", RP_KERNEL_intersect_hs_x2_kernel},
                {"raw", RP_KERNEL_intersect_lr_global_kernel},
                {"raw", RP_KERNEL_intersect_lr_local_kernel},
                {"raw", RP_KERNEL_intersect_pmf_kernel},
                {"raw", RP_KERNEL_intersect_pmf_heads_kernel}};
    uint32_t a[NA], b[NB], any[MOST], count;
    for (uint64_t seed = 0; seed < 20; seed++)
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
            bench t;
            rp__gpu_case_lists set = {0};
            open_bench(&t, seed);
            for (uint32_t i = 0; i < NA; i++)
                a[i] = 15 * i + (uint32_t)rand() % 15;
            for (uint32_t i = 0; i < NB; i++)
                b[i] = 3 * i + (uint32_t)rand() % 3;
            for (uint32_t i = 0; i < MOST; i++)
                any[i] = (uint32_t)rand() << rand() % 3 * 8;
            give(&t, a, NA, b, NB);
            assert_int_equal(rp__device_copy_in(&t.device, t.args.splits, any, sizeof any), RP_OK);
            assert_int_equal(
                rp__gpu_case_lists_add(&set, rp__codec_find(rows[k].codec, 0), b, NULL, NB, 3 * NB),
                RP_OK);
            rp__gpu_case_lists_damage(&set, seed);
            assert_int_equal(rp__gpu_case_lists_send(&set, &t.device, 0, 1), RP_OK);
            take(&t, set.at_lists, (uint32_t *)&t.args.list, sizeof t.args.list / 4);
            t.args.aux = t.args.splits;
            bool is_slice = rows[k].kernel == RP_KERNEL_intersect_bp128_tile_kernel;
            t.args.shift = is_slice ? SLICE : 3;
            t.args.n_buckets = MOST - 1;
            t.args.levels = 1;
            t.args.tiles = is_slice ? (3 * NB >> SLICE) + 1 : NA / THREADS + 1;
            launch(&t, rows[k].kernel, t.args.tiles, THREADS, (STAGED + 4) * THREADS);
            take(&t, t.args.count, &count, 1);
            assert_true(count <= NA);
            rp__gpu_case_lists_free(&set, &t.device);
            close_bench(&t);
        }
}

/* Numbers of blocks as a damaged directory chooses them: the short last one first, some twice, and none of the list's. */
static void chosen_blocks_have_places(void **state)
{
    (void)state;
    enum { N = 300, CHOSEN = 6, TILES = 8 };
    const uint32_t blocks[CHOSEN] = {2, 0, 1, 0, 7, 2}, count = CHOSEN;
    const karg_list list = {.n = N, .n_blocks = 3};
    karg_tile tiles[TILES];
    bench t;
    open_bench(&t, 3);
    const karg_chosen args = {.list = t.args.a,
                              .blocks = t.args.b,
                              .count = t.args.count,
                              .tiles = t.args.out,
                              .max = TILES};
    assert_int_equal(rp__device_copy_in(&t.device, args.list, &list, sizeof list), RP_OK);
    assert_int_equal(rp__device_copy_in(&t.device, args.blocks, blocks, sizeof blocks), RP_OK);
    assert_int_equal(rp__device_copy_in(&t.device, args.count, &count, sizeof count), RP_OK);
    assert_int_equal(rp__device_launch(&t.device, RP_KERNEL_intersect_chosen_kernel,
                                       (rp__launch){1, 64, 64}, &args),
                     RP_OK);
    assert_int_equal(rp__device_copy_out(&t.device, tiles, args.tiles, sizeof tiles), RP_OK);
    assert_int_equal(rp__device_wait(&t.device), RP_OK);
    for (size_t i = 0; i < TILES; i++) {
        assert_true(tiles[i].n == 0 || (tiles[i].out % 128 == 0 && tiles[i].block < 3));
        assert_true(tiles[i].capacity == 0 || tiles[i].out + tiles[i].capacity <= N);
        assert_int_equal(tiles[i].n > 0, tiles[i].capacity > 0);
    }
    assert_int_equal(tiles[0].capacity, N - 2 * 128);
    assert_int_equal(tiles[1].capacity, 128);
    close_bench(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merge_path_of_griffins_figure_6),
        cmocka_unit_test(a_state_serves_many_launches),
        cmocka_unit_test(a_tile_looks_back_over_windows),
        cmocka_unit_test(lists_that_do_not_rise_are_safe),
        cmocka_unit_test(damaged_bytes_are_safe),
        cmocka_unit_test(chosen_blocks_have_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
