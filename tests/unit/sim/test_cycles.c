/* test_cycles.c: exact time: golden cycle counts of 200 queries, what each latency and depth does
 * to them, and the machine's limits on an ideal memory.
 *
 * RIPOSTE_SIM_GOLDEN=1 writes tests/golden/iiu-cycles.txt anew: a change of it must have a reason.
 * */
#include "sim_laws.h"

enum { SETTINGS = 4, QUERIES = 50, LISTS = 10 };

static const char golden_path[] = "tests/golden/iiu-cycles.txt";

/* The paper's machine; small buffers before a slow memory; narrow units before a fast one; few
 * entries, many pages. */
static const char *const settings[SETTINGS] = {
    "read_queue=4\nwrite_queue=4\nranks=1\nchannels=2\nmai_out=3\n",
    "memory=fixed\nlatency=30\ncores=2\nbr_entries=4\nbsch_lines=2\nmai_entries=9\ntraversal=3\nsu_"
    "fifo=4\n"
    "su_lines=2\ndcu_out=3\ncommand_queue=3\nshrink=on\ncandidates=2\n",
    "memory=ideal\ndl=free\nbr_entries=6\ndcu_out=2\nmai_accept=1\nmai_return=1\nmai_out=2\n",
    "memory=random\nlatency=5\nlatency_max=90\ntlb_entries=3\ntlb_page_bits=12\ntlb_preload=off\n"
    "mai_entries=3\ncores=3\nmode=intra\n",
};

typedef struct bench {
    sim_image image;
    case_list lists[LISTS];
    rp__descriptor queries[QUERIES];
    size_t results_bytes;
} bench;

static void bench_init(bench *b)
{
    static const uint32_t sizes[LISTS] = {3, 20, 60, 150, 300, 500, 900, 1500, 2500, 4000};
    rp__random random;
    rp__random_init(&random, 17);
    image_begin(&b->image, 6000, &random);
    for (uint32_t i = 0; i < LISTS; i++)
        image_add_random(&b->image, &b->lists[i], sizes[i], 20 + 30 * i, 40, 64, &random);
    uint64_t at = rp__sim_results_at(b->image.n), begin = at;
    for (uint32_t i = 0; i < QUERIES; i++) {
        const case_list *x = &b->lists[i % 9], *y = &b->lists[i % 9 + 1 + i % (9 - i % 9)];
        uint64_t cap = i % 3 == RP_SIM_OR ? (uint64_t)x->n + y->n : x->n;
        b->queries[i] = (rp__descriptor){.query_type = (uint8_t)(i % 3),
                                         .n_cores = (uint8_t)(1 + i % 2),
                                         .tag = i,
                                         .list0 = x->header_at,
                                         .n_blocks0 = x->n_blocks,
                                         .list1 = y->header_at,
                                         .n_blocks1 = y->n_blocks,
                                         .result = at,
                                         .cap = cap,
                                         .dl_table = b->image.dl_at};
        at += (rp__sim_result_bytes(&b->queries[i]) + 7) / 8 * 8;
    }
    b->results_bytes = (size_t)(at - begin);
}

static void bench_free(bench *b)
{
    for (uint32_t i = 0; i < LISTS; i++)
        case_list_free(&b->lists[i]);
    image_free(&b->image);
}

/* The cycles in which each query arrives in the command queue, and ends. */
typedef struct times {
    uint64_t arrival[QUERIES], end[QUERIES];
} times;

/* Of the list with this header. */
static uint64_t n_postings(const bench *b, uint64_t header_at)
{
    for (uint32_t i = 0; i < LISTS; i++)
        if (b->lists[i].header_at == header_at)
            return b->lists[i].n;
    fail_msg("no list has this header");
    return 0;
}

static void bench_run(const bench *b, const rp__sim_config *config, times *out)
{
    uint8_t *results = calloc(1, b->results_bytes);
    rp__sim_memory memory = {.image = b->image.bytes,
                             .image_bytes = b->image.n,
                             .results = results,
                             .results_bytes = b->results_bytes,
                             .results_at = rp__sim_results_at(b->image.n)};
    rp__machine *m;
    rp_error err;
    if (rp__machine_new(config, &memory, &m, &err))
        fail_msg("%s", err.text);
    for (uint32_t i = 0; i < QUERIES; i++)
        assert_int_equal(rp__machine_submit(m, &b->queries[i]), RP_OK);
    assert_int_equal(rp__machine_run(m, &err), RP_OK);
    size_t n;
    const rp__completion *records = rp__machine_completions(m, &n);
    for (size_t i = 0; i < n; i++) {
        const rp__descriptor *d = &b->queries[records[i].tag];
        assert_int_equal(records[i].status, RP_SIM_OK);
        check_time(config, &records[i], d->query_type, n_postings(b, d->list0),
                   records[i].n_results, false);
        out->arrival[records[i].tag] = records[i].arrival;
        out->end[records[i].tag] = records[i].end;
    }
    rp__sim_report report;
    rp__machine_report(m, &report);
    check_accounting(&report);
    check_memory(&report);
    rp__machine_free(m);
    free(results);
}

static void configure(rp__sim_config *config, uint32_t setting)
{
    rp_error err;
    rp__sim_config_init(config);
    if (rp__sim_config_parse(config, settings[setting], strlen(settings[setting]), &err))
        fail_msg("%s", err.text);
}

static void golden_cycles(void **state)
{
    (void)state;
    bench b;
    bench_init(&b);
    bool is_new = getenv("RIPOSTE_SIM_GOLDEN") != NULL;
    FILE *file = fopen(golden_path, is_new ? "w" : "r");
    assert_non_null(file);
    for (uint32_t k = 0; k < SETTINGS; k++) {
        times cycles;
        rp__sim_config config;
        configure(&config, k);
        bench_run(&b, &config, &cycles);
        for (uint32_t i = 0; i < QUERIES; i++) {
            unsigned setting = k, tag = i;
            unsigned long long want = cycles.end[i];
            if (is_new)
                fprintf(file, "%u %u %llu\n", setting, tag, want);
            else
                assert_int_equal(fscanf(file, "%u %u %llu", &setting, &tag, &want), 3);
            assert_true(setting == k && tag == i);
            assert_int_equal(cycles.end[i], want);
        }
    }
    fclose(file);
    bench_free(&b);
}

/* Keys that are no latency, depth or capacity; the seed of the random memory is none either. No list
 * here is of bp128. */
static bool is_measure(const rp__sim_key *key)
{
    static const char *const others[] = {"bp128", "cores", "ranges", "seed", "topk", "watchdog"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(key->name, others[i]) == 0)
            return false;
    return !key->choices[0];
}

static bool changes_a_cycle(const bench *b, const rp__sim_key *key, const times golden[SETTINGS])
{
    for (uint32_t k = 0; k < SETTINGS; k++)
        for (int32_t step = -1; step <= 1; step += 2) {
            times cycles;
            rp__sim_config config;
            rp_error err;
            configure(&config, k);
            uint32_t *value = (uint32_t *)(void *)((char *)&config + key->offset);
            *value += (uint32_t)step;
            if (rp__sim_config_check(&config, &err))
                continue;
            bench_run(b, &config, &cycles);
            if (memcmp(&cycles, &golden[k], sizeof cycles) != 0)
                return true;
        }
    return false;
}

static void every_measure_counts(void **state)
{
    (void)state;
    bench b;
    times golden[SETTINGS];
    bench_init(&b);
    for (uint32_t k = 0; k < SETTINGS; k++) {
        rp__sim_config config;
        configure(&config, k);
        bench_run(&b, &config, &golden[k]);
    }
    const rp__sim_key *key;
    for (size_t i = 0; (key = rp__sim_config_key(i)); i++)
        if (is_measure(key) && !changes_a_cycle(&b, key, golden))
            fail_msg("%s: one more or one less changes no cycle", key->name);
    bench_free(&b);
}

/* ---- Limits ---------------------------------------------------------------------------------- */

static uint64_t run_alone(const sim_image *image, const char *text, uint32_t type, uint32_t cores,
                          const case_list *x, const case_list *y, rp__sim_report *report)
{
    rp__sim_config config;
    rp_error err;
    rp__machine *m;
    rp__sim_config_init(&config);
    assert_int_equal(rp__sim_config_parse(&config, text, strlen(text), &err), RP_OK);
    uint64_t cap = (uint64_t)x->n + y->n;
    uint8_t *results = calloc(cap, 8);
    rp__sim_memory memory = {.image = image->bytes,
                             .image_bytes = image->n,
                             .results = results,
                             .results_bytes = 8 * (size_t)cap,
                             .results_at = rp__sim_results_at(image->n)};
    rp__descriptor d = {.query_type = (uint8_t)type,
                        .n_cores = (uint8_t)cores,
                        .list0 = x->header_at,
                        .n_blocks0 = x->n_blocks,
                        .list1 = y->header_at,
                        .n_blocks1 = y->n_blocks,
                        .result = memory.results_at,
                        .cap = cap,
                        .dl_table = image->dl_at};
    assert_int_equal(rp__machine_new(&config, &memory, &m, &err), RP_OK);
    assert_int_equal(rp__machine_submit(m, &d), RP_OK);
    assert_int_equal(rp__machine_run(m, &err), RP_OK);
    size_t n;
    const rp__completion *record = rp__machine_completions(m, &n);
    assert_int_equal(record->status, RP_SIM_OK);
    uint64_t cycles = record->end - record->start;
    check_time(&config, record, type, x->n, record->n_results, false);
    rp__machine_report(m, report);
    check_accounting(report);
    check_memory(report);
    rp__machine_free(m);
    free(results);
    return cycles;
}

static uint64_t run_ideal(const sim_image *image, uint32_t type, uint32_t cores, const case_list *x,
                          const case_list *y)
{
    rp__sim_report report;
    return run_alone(image,
                     "memory=ideal\ndl=free\nmai_accept=64\nmai_return=64\nmai_entries=1024\n"
                     "mai_out=1024\nport_depth=8\nbr_entries=1024\n",
                     type, cores, x, y, &report);
}

/* Cycles from the assignment to the first result in memory, and the end of the last block: the
 * fill. */
enum { FILL = 90 };

static void an_ideal_memory_leaves_the_units(void **state)
{
    (void)state;
    rp__random random;
    sim_image image;
    case_list x, y;
    rp__random_init(&random, 23);
    image_begin(&image, 300000, &random);
    image_add_random(&image, &x, 150000, 120, 16, 64, &random);
    image_add_random(&image, &y, 40000, 120, 16, 64, &random);
    for (uint32_t cores = 1; cores <= 8; cores++) {
        uint64_t cycles = run_ideal(&image, RP_SIM_SINGLE, cores, &x, &y);
        uint64_t bound = (x.n + 2 * cores - 1) / (2 * cores);
        assert_true(cycles >= bound);
        if ((double)(cycles - FILL) > 1.02 * (double)bound)
            fail_msg("%u cores: %llu cycles, bound %llu", cores, (unsigned long long)cycles,
                     (unsigned long long)bound);
    }
    rp__result_slot *all = malloc(8 * ((size_t)x.n + y.n));
    uint64_t n = plain_answer(&image, RP_SIM_OR, &x, &y, all);
    free(all);
    uint64_t cycles = run_ideal(&image, RP_SIM_OR, 1, &x, &y);
    assert_true(cycles >= n && cycles <= n + FILL);
    assert_int_equal(cycles, run_ideal(&image, RP_SIM_OR, 8, &x, &y)); /* whatever the cores */
    case_list_free(&x);
    case_list_free(&y);
    image_free(&image);
}

/* Eight cores without the cost of document constants want more than DDR4 gives. Results are 8 bytes
 * a posting and the list 1, so seven requests of eight are writes, more than in any row of a
 * reference. By DRAMsim3's rules, whose mixes `compat` repeats to the clock, 88 % of sequential
 * writes among sequential reads reach 71.0 GB/s: riposte bench dram --controller compat --traffic
 * seq --window 128 --writes 88. At least 93 % of that, and no more than the bound of refreshes. */
static void a_single_term_saturates_the_memory(void **state)
{
    (void)state;
    static const char *const keys[] = {"dl=free\n", "dl=free\ncontroller=compat\n"};
    rp__random random;
    sim_image image;
    case_list x;
    rp__sim_report r;
    rp__random_init(&random, 29);
    image_begin(&image, 400000, &random);
    image_add_random(&image, &x, 200000, 250, 16, 64, &random);
    for (size_t i = 0; i < 2; i++) {
        uint64_t cycles = run_alone(&image, keys[i], RP_SIM_SINGLE, 8, &x, &x, &r);
        double requests = (double)r.counts.mai_allocated;
        double bandwidth = 64.0 * requests / (double)cycles; /* GB/s at 1 GHz */
        double writes = (double)r.counts.memory_writes / requests;
        assert_true(writes > 0.87 && writes < 0.885);
        assert_true(bandwidth >= 0.93 * 71.0 && bandwidth <= 73.35);
    }
    case_list_free(&x);
    image_free(&image);
}

/* ---- Layouts --------------------------------------------------------------------------------- */

/* One query of two lists, the first of them short, that lie as these flags say. */
static rp__sim_report run_layout(uint32_t flags, uint32_t type, const char *keys)
{
    rp__random random;
    rp__sim_config config;
    rp__sim_report report;
    rp__machine *m;
    rp_error err;
    sim_image image;
    case_list lists[2];
    rp__random_init(&random, 77);
    image_begin(&image, 100000, &random);
    image.flags = flags;
    image_add_random(&image, &lists[0], 300, 20, 30, 64, &random);
    image_add_random(&image, &lists[1], 50000, 200, 30, 64, &random);
    const uint32_t first = type == RP_SIM_SINGLE;
    rp__descriptor d = {.query_type = (uint8_t)type,
                        .n_cores = 1,
                        .list0 = lists[first].header_at,
                        .n_blocks0 = lists[first].n_blocks,
                        .list1 = lists[1].header_at,
                        .n_blocks1 = lists[1].n_blocks,
                        .result = rp__sim_results_at(image.n),
                        .cap = lists[first].n,
                        .dl_table = image.dl_at};
    uint8_t *results = calloc(1, (size_t)rp__sim_result_bytes(&d));
    rp__sim_memory memory = {.image = image.bytes,
                             .image_bytes = image.n,
                             .results = results,
                             .results_bytes = (size_t)rp__sim_result_bytes(&d),
                             .results_at = d.result};
    rp__sim_config_init(&config);
    if (rp__sim_config_parse(&config, keys, strlen(keys), &err) ||
        rp__machine_new(&config, &memory, &m, &err))
        fail_msg("%s", err.text);
    assert_int_equal(rp__machine_submit(m, &d), RP_OK);
    assert_int_equal(rp__machine_run(m, &err), RP_OK);
    rp__machine_report(m, &report);
    check_accounting(&report);
    check_memory(&report);
    size_t n;
    const rp__completion *record = rp__machine_completions(m, &n);
    assert_int_equal(record->status, RP_SIM_OK);
    check_time(&config, record, type, lists[first].n, record->n_results, false);
    rp__machine_free(m);
    free(results);
    for (size_t i = 0; i < 2; i++)
        case_list_free(&lists[i]);
    image_free(&image);
    return report;
}

/* Metadata of a paired list come with the skip values that the search reads. */
static void paired_lists_need_no_read_of_metadata(void **state)
{
    (void)state;
    static const char *const searches[] = {"", "bsu_line=on\n", "skips=stream\n"};
    for (size_t i = 0; i < 3; i++) {
        char keys[100];
        snprintf(keys, sizeof keys, "memory=fixed\ndl=free\nabandon=off\npaired=on\n%s",
                 searches[i]);
        rp__sim_report apart = run_layout(0, RP_SIM_AND, keys),
                       paired = run_layout(RP_SIM_PAIRED, RP_SIM_AND, keys);
        assert_true(apart.counts.l1_blocks > 100);
        assert_int_equal(apart.counts.l1_blocks, paired.counts.l1_blocks);
        assert_int_equal(apart.counts.requests[RP_SIM_TRAFFIC_L1] - apart.counts.l1_blocks,
                         paired.counts.requests[RP_SIM_TRAFFIC_L1]);
        assert_true(paired.cycles < apart.cycles);
    }
}

/* A block of n postings takes ceil(n / gaps) cycles more than one of IIU, without waiting. */
static void bp128_takes_the_cycles_of_its_gaps(void **state)
{
    (void)state;
    static const char keys[] = "memory=ideal\ndl=free\ncores=1\nbp128=%u\n";
    uint64_t last = UINT64_MAX;
    for (uint32_t gaps = 1; gaps <= 32; gaps *= 2) {
        char text[100];
        snprintf(text, sizeof text, keys, gaps);
        uint64_t iiu = run_layout(0, RP_SIM_SINGLE, text).cycles,
                 cycles = run_layout(RP_SIM_BP128, RP_SIM_SINGLE, text).cycles;
        uint64_t more = 25000 / gaps; /* of each of two units */
        assert_true(cycles > iiu + more && cycles < last);
        assert_true(cycles < iiu + more + 25000 / 10);
        last = cycles;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_cycles),
        cmocka_unit_test(every_measure_counts),
        cmocka_unit_test(an_ideal_memory_leaves_the_units),
        cmocka_unit_test(a_single_term_saturates_the_memory),
        cmocka_unit_test(paired_lists_need_no_read_of_metadata),
        cmocka_unit_test(bp128_takes_the_cycles_of_its_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
