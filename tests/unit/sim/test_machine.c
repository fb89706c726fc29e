/* test_machine.c: the machine's answers against a plain reference, and its two clocks against each
 * other. */
#include "sim_world.h"

static size_t count_of(const char *name, size_t usual, size_t thorough)
{
    const char *text = getenv(name);
    if (text)
        return strtoull(text, NULL, 10);
    return getenv("RIPOSTE_THOROUGH") ? thorough : usual;
}

static void answers_equal_the_reference(void **state)
{
    (void)state;
    size_t n = count_of("RIPOSTE_SIM_QUERIES", 2000, 100000),
           from = count_of("RIPOSTE_SIM_SEED", 1, 1);
    size_t done = 0;
    for (uint64_t seed = from; done < n; seed++) {
        world w;
        world_init(&w, seed);
        rp__machine *m = start(&w, NULL);
        run_and_check(m, &w, seed);
        done += w.n_queries;
        rp__machine_free(m);
        world_free(&w);
    }
}

/* Lists of 10^5 postings, and with RIPOSTE_THOROUGH 100 of them and 5 of 10^7. */
static void check_large(uint32_t n_docs, uint32_t n, uint64_t seed)
{
    rp__random random;
    world w;
    memset(&w, 0, sizeof w);
    rp__random_init(&random, seed);
    draw_config(&w.config, &random);
    w.config.memory = (uint32_t)(seed % 4); /* few lists: each kind has its turn */
    draw_standard(&w.config, &random);
    settle_config(&w.config);
    w.n_lists = 2;
    image_begin(&w.image, n_docs, &random);
    image_add_random(&w.image, &w.lists[0], n, 250, 40, 64, &random);
    image_add_random(&w.image, &w.lists[1], 1 + below(&random, n), 250, 40, 64, &random);
    draw_queries(&w, &random);
    rp__machine *m = start(&w, NULL);
    run_and_check(m, &w, seed);
    rp__machine_free(m);
    world_free(&w);
}

static void large_lists(void **state)
{
    (void)state;
    size_t n = count_of("RIPOSTE_SIM_LARGE", 2, 100);
    for (size_t i = 0; i < n; i++)
        check_large(300000, 100000, 5000 + i);
    for (size_t i = 0; i < 5 && getenv("RIPOSTE_THOROUGH"); i++)
        check_large(20000000, 10000000, 6000 + 39595 * i); /* all modes of dl among them */
}

/* ---- Two clocks ------------------------------------------------------------------------------ */

static void check_same(const rp__machine *a, const rp__machine *b, uint64_t seed)
{
    size_t n, n_b;
    const rp__completion *x = rp__machine_completions(a, &n);
    const rp__completion *y = rp__machine_completions(b, &n_b);
    assert_int_equal(n, n_b);
    assert_memory_equal(x, y, n * sizeof *x);
    rp__sim_report r, s;
    rp__machine_report(a, &r);
    rp__machine_report(b, &s);
    for (uint32_t i = 0; i < r.n_units; i++)
        if (memcmp(&r.units[i], &s.units[i], sizeof r.units[i]) != 0)
            fail_msg("seed %llu: %s %u counts its cycles otherwise", (unsigned long long)seed,
                     rp__sim_stats_kind(r.units[i].kind), r.units[i].index);
    assert_memory_equal(&r.counts, &s.counts, sizeof r.counts);
    assert_int_equal(r.cycles, s.cycles);
    assert_true(r.evaluations <= s.evaluations);
}

/* Units in order, in reverse, or shuffled. */
static void fill_order(uint32_t *order, uint32_t n, uint32_t kind, rp__random *random)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = kind == 1 ? n - 1 - i : i;
    for (uint32_t i = n; kind == 2 && i > 1; i--) {
        uint32_t j = below(random, i), t = order[i - 1];
        order[i - 1] = order[j];
        order[j] = t;
    }
}

/* A run in parts of any number of cycles is the same run. */
static void check_parts(world *w, const rp__machine *whole, rp__random *random, uint64_t seed)
{
    rp_error err;
    memset(w->results, 0, w->results_bytes);
    rp__machine *m = start(w, NULL);
    for (bool is_done = false; !is_done;) {
        const uint64_t most = (uint64_t)1 << below(random, 16), now = rp__machine_now(m);
        assert_int_equal(rp__machine_run_for(m, 1 + below(random, (uint32_t)most), &is_done, &err),
                         RP_OK);
        assert_true(is_done || rp__machine_now(m) > now);
    }
    run_and_check(m, w, seed);
    check_same(whole, m, seed);
    rp__machine_free(m);
}

static size_t check_clocks(uint64_t seed)
{
    world w;
    rp__random random;
    uint32_t order[RP_SIM_REPORT_UNITS];
    rp__random_init(&random, seed);
    world_init(&w, seed);
    rp__machine *awake = start(&w, NULL);
    run_and_check(awake, &w, seed);
    for (uint32_t kind = 0; kind < 3; kind++) {
        fill_order(order, rp__machine_units(awake), kind, &random);
        memset(w.results, 0, w.results_bytes);
        rp__machine *all = start(&w, order);
        run_and_check(all, &w, seed);
        check_same(awake, all, seed);
        rp__machine_free(all);
    }
    check_parts(&w, awake, &random, seed);
    size_t n = w.n_queries;
    rp__machine_free(awake);
    world_free(&w);
    return n;
}

static void clocks_agree(void **state)
{
    (void)state;
    size_t n = count_of("RIPOSTE_SIM_CLOCKS", 400, 2000), done = 0;
    for (uint64_t seed = 1000000; done < n; seed++)
        done += check_clocks(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_equal_the_reference),
        cmocka_unit_test(large_lists),
        cmocka_unit_test(clocks_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
