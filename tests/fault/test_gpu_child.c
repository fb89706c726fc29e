/* test_gpu_child.c: a GPU that is used by a process of its own: whatever becomes of that, every query is answered
 * as by the cpu, and the GPU is back soon.
 *
 * RIPOSTE_GPU_FAULTS: how many are planted in a row; fault/gpu_world.h has more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "fault/gpu_world.h"
#include "fault/planted_gpu.h"

#define SECOND UINT64_C(1000000000)

enum { HANG_SECONDS = 60 };

/* ---- Help ---------------------------------------------------------------------------------------- */

static rp_searcher *open_child(void)
{
    return gpu_world_searcher((rp_search_options){.processor = "gpu", .gpu_child = true});
}

/* One whose child runs into what is planted. */
static rp_searcher *open_planted(uint32_t timeout)
{
    rp_error err = {.text = ""};
    rp_searcher *searcher = gpu_world_searcher((rp_search_options){.processor = "cpu"});
    rp__place place = {.gpu = planted_gpu_name(), .gpu_timeout = timeout};
    planted_gpu_plant(PLANT_NOTHING);
    rp__gpu_child *child;
    if (rp__gpu_child_open(gpu_world_index()->segment, planted_gpu_row(), &place, &child, &err))
        fail_msg("%s", err.text);
    searcher->backend = &rp__gpu_child_row;
    searcher->state = child;
    return searcher;
}

static void assert_on(rp_searcher *searcher, const char *processor)
{
    assert_string_equal(gpu_world_search(searcher), processor);
}

/* Asks until the GPU answers again. Seconds, and how many queries were answered meanwhile. */
static double come_back(rp_searcher *searcher, uint64_t *queries)
{
    uint64_t begin = rp__clock_now();
    while (strcmp(gpu_world_search(searcher), "gpu") != 0) {
        ++*queries;
        if (gpu_world_seconds(begin) > HANG_SECONDS)
            fail_msg("the gpu does not come back: %s", gpu_world_state(searcher).fault);
    }
    return gpu_world_seconds(begin);
}

/* Processes whose parent is this one. */
static bool has_children(void)
{
    return waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD;
}

static bool is_alive(int32_t process)
{
    char path[64], line[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    if (!fgets(line, sizeof line, f))
        line[0] = 0;
    fclose(f);
    const char *end = strrchr(line, ')');
    return end && end[2] != 'Z' && end[2] != 'X';
}

static int32_t worker_of(const rp_searcher *searcher)
{
    const int32_t worker = rp__gpu_child_worker(searcher->state);
    assert_true(worker > 0); /* a signal to 0 would go to all of the group */
    return worker;
}

static bool ends(int32_t process)
{
    for (uint64_t begin = rp__clock_now(); is_alive(process);) {
        if (gpu_world_seconds(begin) > HANG_SECONDS)
            return false;
        rp__clock_sleep(1000000);
    }
    return true;
}

/* ---- One child ----------------------------------------------------------------------------------- */

static void it_answers(void **state)
{
    (void)state;
    size_t before = gpu_world_descriptors();
    uint64_t memory = rp__alloc_in_use();
    rp_searcher *searcher = open_child();
    int32_t worker = worker_of(searcher);
    for (int i = 0; i < 50; i++)
        assert_on(searcher, "gpu");
    rp_gpu_state s = gpu_world_state(searcher);
    assert_int_equal(s.answered, 50);
    assert_int_equal(s.faults, 0);
    assert_false(s.is_lost);
    assert_true(is_alive(worker));
    rp_searcher_free(searcher);
    assert_false(is_alive(worker));
    assert_false(has_children());
    assert_int_equal(gpu_world_descriptors(), before);
    assert_int_equal(rp__alloc_in_use(), memory);
}

/* What it cannot answer, and hits that are too many to be handed over, are the cpu's. */
static void the_rest_is_the_cpus(void **state)
{
    (void)state;
    static const char *const others[] = {"a -b", "\"a b\"", "a OR (b c)", "a b*"};
    rp_searcher *searcher = open_child();
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        rp_hits hits;
        rp_error err;
        rp_status status = rp_searcher_search(searcher, others[i], strlen(others[i]), &hits, &err);
        if (status == RP_OK)
            assert_string_equal(hits.processor, "cpu");
        else /* a large index may have no positions */
            assert_true(!gpu_world_is_small());
        rp_hits_free(&hits);
    }
    assert_on(searcher, "gpu");
    assert_int_equal(gpu_world_state(searcher).faults, 0);
    rp_searcher_free(searcher);
}

/* Searchers of one index have one worker; rankings do not mix. */
static void searchers_share_it(void **state)
{
    (void)state;
    rp_error err;
    rp_searcher *first = open_child(), *second = open_child();
    assert_int_equal(rp__gpu_child_worker(first->state), rp__gpu_child_worker(second->state));
    rp_search_options options = {.processor = "gpu",
                                 .gpu = planted_gpu_name(),
                                 .gpu_child = true,
                                 .mode = RP_MODE_AND,
                                 .total = RP_TOTAL_EXACT,
                                 .has_b = true};
    rp_searcher *other, *cpu;
    rp_hits got, expected;
    assert_int_equal(rp_searcher_new(gpu_world_index(), &options, &other, &err), RP_OK);
    options.processor = "cpu";
    options.gpu_child = false;
    assert_int_equal(rp_searcher_new(gpu_world_index(), &options, &cpu, &err), RP_OK);
    for (int i = 0; i < 3; i++) {
        assert_on(first, "gpu");
        assert_int_equal(
            rp_searcher_search(other, gpu_world_query(), strlen(gpu_world_query()), &got, &err),
            RP_OK);
        assert_int_equal(
            rp_searcher_search(cpu, gpu_world_query(), strlen(gpu_world_query()), &expected, &err),
            RP_OK);
        assert_string_equal(got.processor, "gpu");
        assert_int_equal(got.n, expected.n);
        for (size_t h = 0; h < got.n; h++)
            assert_int_equal(got.at[h].fixed, expected.at[h].fixed);
        rp_hits_free(&got);
        rp_hits_free(&expected);
        assert_on(second, "gpu");
    }
    rp_searcher_free(first);
    assert_on(second, "gpu");
    rp_searcher_free(second);
    rp_searcher_free(other);
    rp_searcher_free(cpu);
    assert_false(has_children());
}

static void without_a_gpu_it_says_why(void **state)
{
    (void)state;
    rp_searcher *searcher;
    rp_error err = {.text = ""};
    size_t before = gpu_world_descriptors();
    rp_search_options options = {.processor = "gpu", .gpu_child = true, .gpu = "999"};
    assert_int_equal(rp_searcher_new(gpu_world_index(), &options, &searcher, &err), RP_UNAVAILABLE);
    assert_true(err.text[0]);
    options.processor = "cpu";
    assert_int_equal(rp_searcher_new(gpu_world_index(), &options, &searcher, &err), RP_USAGE);
    assert_false(has_children());
    assert_int_equal(gpu_world_descriptors(), before);
}

/* ---- Faults -------------------------------------------------------------------------------------- */

/* The query that meets it is answered by the cpu, at once or when patience ends. */
static double meet(rp_searcher *searcher, plant what, uint64_t *queries)
{
    uint64_t begin = rp__clock_now();
    planted_gpu_plant(what);
    assert_on(searcher, "cpu");
    print_message("  answered by the cpu after %.3f s: %s\n", gpu_world_seconds(begin),
                  gpu_world_state(searcher).fault);
    return come_back(searcher, queries);
}

static void check_fault(plant what, const char *told, uint32_t timeout)
{
    size_t before = gpu_world_descriptors();
    uint64_t queries = 0;
    rp_searcher *searcher = open_planted(timeout);
    assert_on(searcher, "gpu");
    double seconds = meet(searcher, what, &queries);
    rp_gpu_state s = gpu_world_state(searcher);
    print_message("  back after %.3f s, %llu queries meanwhile\n", seconds,
                  (unsigned long long)queries);
    if (told && !strstr(s.fault, told))
        fail_msg("'%s' is not told: %s", told, s.fault);
    assert_int_equal(s.faults, 1);
    assert_int_equal(s.returns, 1);
    assert_false(s.is_lost);
    rp_searcher_free(searcher);
    assert_false(has_children());
    assert_int_equal(gpu_world_descriptors(), before);
}

static void planted_illegal_address_is_met(void **state)
{
    (void)state;
    check_fault(PLANT_ILLEGAL, "ILLEGAL_ADDRESS", 0);
}

static void planted_trap_is_met(void **state)
{
    (void)state;
    check_fault(PLANT_TRAP, "CUDA_ERROR", 0);
}

static void planted_endless_kernel_is_met(void **state)
{
    (void)state;
    check_fault(PLANT_ENDLESS, "does not come back", 300);
}

static void planted_kill_is_met(void **state)
{
    (void)state;
    check_fault(PLANT_KILL, "signal 9", 0);
}

static void planted_crash_is_met(void **state)
{
    (void)state;
    check_fault(PLANT_CRASH, "signal 6", 0);
}

static void planted_hang_is_met(void **state)
{
    (void)state;
    check_fault(PLANT_HANG, "does not answer", 300);
}

/* Killed while nobody asks. */
static void a_worker_that_is_gone(void **state)
{
    (void)state;
    uint64_t queries = 0;
    rp_searcher *searcher = open_child();
    for (int i = 0; i < 2; i++) {
        int32_t worker = worker_of(searcher);
        assert_int_equal(kill(worker, SIGKILL), 0);
        assert_true(ends(worker));
        (void)come_back(searcher, &queries);
    }
    assert_int_equal(gpu_world_state(searcher).faults, 2);
    rp_searcher_free(searcher);
    assert_false(has_children());
}

/* Again and again, of every kind: delays grow where a worker does not live long. */
static void many_faults(void **state)
{
    (void)state;
    static const plant kinds[] = {PLANT_ILLEGAL, PLANT_KILL, PLANT_TRAP, PLANT_CRASH};
    const char *wanted = getenv("RIPOSTE_GPU_FAULTS");
    uint64_t n = wanted ? strtoul(wanted, NULL, 10) : 3, queries = 0;
    double worst = 0;
    size_t before = gpu_world_descriptors();
    for (uint64_t i = 0; i < n; i++) {
        rp_searcher *searcher = open_planted(0);
        assert_on(searcher, "gpu");
        double seconds = meet(searcher, kinds[i % 4], &queries);
        worst = seconds > worst ? seconds : worst;
        rp_searcher_free(searcher);
    }
    print_message("  %llu faults, back after at most %.3f s\n", (unsigned long long)n, worst);
    assert_int_equal(gpu_world_descriptors(), before);
}

/* ---- What it costs ------------------------------------------------------------------------------- */

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void time_searches(const char *what, rp_searcher *searcher)
{
    enum { N = 2000 };
    static double seconds[N];
    for (size_t i = 0; i < N; i++) {
        uint64_t begin = rp__clock_now();
        assert_on(searcher, "gpu");
        seconds[i] = gpu_world_seconds(begin);
    }
    qsort(seconds, N, sizeof seconds[0], rising);
    print_message("  %s: median %.1f us, p99 %.1f us\n", what, seconds[N / 2] * 1e6,
                  seconds[N * 99 / 100] * 1e6);
    fflush(stdout);
    rp_searcher_free(searcher);
}

/* Only a card's times mean something. A process that used it could not have children that do. */
static void what_it_costs(void **state)
{
    (void)state;
    int status;
    if (!planted_gpu_is_real())
        skip();
    for (int i = 0; i < 2; i++) {
        pid_t process = fork();
        if (process == 0) {
            time_searches("in this process",
                          gpu_world_searcher((rp_search_options){.processor = "gpu"}));
            _exit(0);
        }
        waitpid(process, &status, 0);
        assert_int_equal(status, 0);
        time_searches("in a child", open_child());
    }
}

/* ---- Many queries -------------------------------------------------------------------------------- */

static void batches_are_answered(void **state)
{
    (void)state;
    size_t before = gpu_world_descriptors();
    rp_searcher *searcher = open_child(), *other = open_child();
    for (size_t threads = 1; threads <= 3; threads++) {
        assert_int_equal(gpu_world_batch(searcher, 200, threads), 200);
        assert_on(searcher, "gpu");
        assert_int_equal(gpu_world_batch(other, 50, threads), 50);
    }
    assert_int_equal(gpu_world_state(searcher).answered, 603);
    assert_int_equal(gpu_world_state(searcher).faults, 0);
    rp_searcher_free(searcher);
    rp_searcher_free(other);
    assert_false(has_children());
    assert_int_equal(gpu_world_descriptors(), before);
}

/* Whatever was on its way is answered by the cpu; what comes when the GPU is back, by that. */
static void faults_in_mid_batch(void **state)
{
    (void)state;
    static const plant kinds[] = {PLANT_ILLEGAL, PLANT_KILL, PLANT_HANG, PLANT_ENDLESS};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        uint64_t queries = 0;
        rp_searcher *searcher = open_planted(300);
        assert_int_equal(gpu_world_batch(searcher, 100, 2), 100);
        planted_gpu_plant(kinds[i]);
        size_t by_gpu = gpu_world_batch(searcher, 2000, 2);
        rp_gpu_state s = gpu_world_state(searcher);
        print_message("  %zu of 2000 by the gpu: %s\n", by_gpu, s.fault);
        assert_true(by_gpu < 2000);
        assert_int_equal(s.faults, 1);
        (void)come_back(searcher, &queries);
        assert_int_equal(gpu_world_batch(searcher, 100, 2), 100);
        assert_int_equal(gpu_world_state(searcher).returns, 1);
        rp_searcher_free(searcher);
    }
    assert_false(has_children());
}

/* ---- The ends of others --------------------------------------------------------------------------- */

/* Who dies takes the keeper and the worker along. */
static void a_dead_owner_leaves_nobody(void **state)
{
    (void)state;
    _Atomic int32_t *worker =
        mmap(NULL, sizeof *worker, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int how = 0; how < 2; how++) {
        pid_t owner = fork();
        if (owner == 0) {
            rp_searcher *searcher = open_child();
            (void)gpu_world_search(searcher);
            *worker = worker_of(searcher);
            if (how)
                _exit(0);
            raise(SIGKILL);
        }
        waitpid(owner, NULL, 0);
        assert_true(*worker > 0);
        assert_true(ends(*worker));
        *worker = 0;
    }
    munmap((void *)worker, sizeof *worker);
}

static int32_t parent_of(int32_t process)
{
    char path[64], line[256] = "";
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *f = fopen(path, "r");
    if (f && fgets(line, sizeof line, f) && strrchr(line, ')'))
        sscanf(strrchr(line, ')'), ") %*c %d", &parent);
    if (f)
        fclose(f);
    return parent;
}

/* Its worker goes with it; the next query that finds nobody there has both replaced, once a second at most. */
static void a_killed_keeper_is_replaced(void **state)
{
    (void)state;
    size_t before = gpu_world_descriptors();
    rp_searcher *searcher = open_child(), *other = open_child();
    for (uint64_t i = 0; i < 2; i++) {
        int32_t worker = worker_of(searcher), keeper = parent_of(worker);
        uint64_t queries = 0;
        assert_on(searcher, "gpu");
        assert_int_equal(kill(keeper, SIGKILL), 0);
        assert_true(ends(worker));
        assert_on(searcher, "cpu");
        rp_gpu_state s = gpu_world_state(searcher);
        assert_true(s.is_lost);
        assert_int_equal(s.faults, i + 1);
        assert_non_null(strstr(s.fault, "keeper"));
        (void)come_back(searcher, &queries);
        assert_int_equal(gpu_world_state(other).returns, i + 1);
        assert_int_not_equal(worker_of(searcher), worker);
        assert_on(other, "gpu");
    }
    rp_searcher_free(searcher);
    rp_searcher_free(other);
    assert_false(has_children());
    assert_int_equal(gpu_world_descriptors(), before);
}

/* A process forked from the owner has no part in it. */
static void a_fork_asks_the_cpu(void **state)
{
    (void)state;
    rp_searcher *searcher = open_child();
    int status;
    pid_t other = fork();
    if (other == 0)
        _exit(strcmp(gpu_world_search(searcher), "cpu") != 0);
    waitpid(other, &status, 0);
    assert_int_equal(status, 0);
    assert_on(searcher, "gpu");
    rp_searcher_free(searcher);
}

/* Ctrl-C and its like go to a whole group; the owner decides. */
static void signals_of_the_group_are_the_owners(void **state)
{
    (void)state;
    rp_searcher *searcher = open_child();
    int32_t worker = worker_of(searcher), keeper = parent_of(worker);
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        kill(worker, signals[i]);
        kill(keeper, signals[i]);
    }
    assert_on(searcher, "gpu");
    assert_int_equal(worker_of(searcher), worker);
    rp_searcher_free(searcher);
}

/* ---- Threads -------------------------------------------------------------------------------------- */

enum { THREADS = 4 };
static _Atomic bool is_over;
static rp_searcher *searchers[THREADS];
static _Atomic uint64_t n_queries, n_gpu;

static void *ask(void *arg)
{
    rp_searcher *searcher = arg;
    while (!is_over) {
        bool by_gpu = !strcmp(gpu_world_search(searcher), "gpu");
        n_gpu += by_gpu;
        n_queries++;
    }
    return NULL;
}

/* Faults while several threads ask: none of them sees another answer, or none. */
static void faults_under_load(void **state)
{
    (void)state;
    static const plant kinds[] = {PLANT_ILLEGAL, PLANT_KILL};
    pthread_t threads[THREADS];
    rp_searcher *watcher = open_planted(1000); /* a searcher is one thread's */
    is_over = false;
    for (int i = 0; i < THREADS; i++)
        searchers[i] = open_planted(1000);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask, searchers[i]), 0);
    for (size_t i = 0; i < 2; i++) {
        rp__clock_sleep(SECOND / 5);
        planted_gpu_plant(kinds[i]);
        uint64_t begin = rp__clock_now();
        while (gpu_world_state(watcher).returns != i + 1 && gpu_world_seconds(begin) < HANG_SECONDS)
            rp__clock_sleep(1000000);
        assert_int_equal(gpu_world_state(watcher).returns, i + 1);
    }
    rp__clock_sleep(SECOND / 5);
    is_over = true;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(gpu_world_state(searchers[i]).faults, 2);
        rp_searcher_free(searchers[i]);
    }
    rp_searcher_free(watcher);
    print_message("  %llu queries, %llu by the gpu\n", (unsigned long long)n_queries,
                  (unsigned long long)n_gpu);
    assert_true(n_gpu > 0);
    assert_false(has_children());
}

/* A fork copies one thread, and what others hold is held for ever: it must be nothing that a worker needs. */
static void others_may_be_at_work_before(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    skip(); /* their own locks are held for ever too: of ASan's allocator in gcc 12 */
#endif
    is_over = false;
    for (int i = 0; i < THREADS; i++)
        searchers[i] = gpu_world_searcher((rp_search_options){.processor = "cpu"});
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask, searchers[i]), 0);
    for (int i = 0; i < 10; i++) {
        rp_searcher *searcher = open_child();
        assert_on(searcher, "gpu");
        rp_searcher_free(searcher);
    }
    is_over = true;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        rp_searcher_free(searchers[i]);
    }
    assert_false(has_children());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_answers),
        cmocka_unit_test(the_rest_is_the_cpus),
        cmocka_unit_test(searchers_share_it),
        cmocka_unit_test(without_a_gpu_it_says_why),
        cmocka_unit_test(planted_illegal_address_is_met),
        cmocka_unit_test(planted_trap_is_met),
        cmocka_unit_test(planted_endless_kernel_is_met),
        cmocka_unit_test(planted_kill_is_met),
        cmocka_unit_test(planted_crash_is_met),
        cmocka_unit_test(planted_hang_is_met),
        cmocka_unit_test(a_worker_that_is_gone),
        cmocka_unit_test(many_faults),
        cmocka_unit_test(what_it_costs),
        cmocka_unit_test(batches_are_answered),
        cmocka_unit_test(faults_in_mid_batch),
        cmocka_unit_test(a_dead_owner_leaves_nobody),
        cmocka_unit_test(a_killed_keeper_is_replaced),
        cmocka_unit_test(a_fork_asks_the_cpu),
        cmocka_unit_test(signals_of_the_group_are_the_owners),
        cmocka_unit_test(faults_under_load),
        cmocka_unit_test(others_may_be_at_work_before),
    };
    return cmocka_run_group_tests(tests, gpu_world_open, gpu_world_close);
}
