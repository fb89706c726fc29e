/* test_figures.c: the paper's examples: Figure 4's layout, Figure 8's walk, Figure 11's traversal,
 * both orders of an intersection, the flush of the longer list of a union. */
#include "sim_laws.h"

#include "sim/units.h"

static void make(rp__link *link, uint32_t depth, size_t item)
{
    assert_int_equal(rp__link_init(link, depth, item), RP_OK);
}

/* ---- Whole queries --------------------------------------------------------------------------- */

static void put_plain(sim_image *image, case_list *list, const uint32_t *docids,
                      const uint32_t *tfs, uint32_t n, const uint32_t *ends, uint32_t n_blocks)
{
    *list = (case_list){.docids = malloc(4 * (size_t)n),
                        .tfs = malloc(4 * (size_t)n),
                        .n = n,
                        .n_blocks = n_blocks,
                        .idf_bar = 3 << 16};
    memcpy(list->docids, docids, 4 * (size_t)n);
    memcpy(list->tfs, tfs, 4 * (size_t)n);
    image_put_list(image, list, ends, 64);
}

/* Runs one query on the paper's machine with a memory of fixed latency, and checks its answer. */
static rp__completion run_one(const sim_image *image, uint32_t type, const case_list *a,
                              const case_list *b, const char *setting, rp__sim_report *report)
{
    uint8_t results[4096] = {0};
    rp__result_slot want[256], got[256];
    rp__sim_config config;
    uint64_t seen = 0;
    rp_error err;
    rp__machine *m;
    rp__sim_config_init(&config);
    assert_int_equal(rp__sim_config_set(&config, "memory=fixed", &seen, &err), RP_OK);
    assert_int_equal(rp__sim_config_set(&config, setting, &seen, &err), RP_OK);
    rp__sim_memory memory = {.image = image->bytes,
                             .image_bytes = image->n,
                             .results = results,
                             .results_bytes = sizeof results,
                             .results_at = rp__sim_results_at(image->n)};
    rp__descriptor d = {.query_type = (uint8_t)type,
                        .n_cores = 1,
                        .list0 = a->header_at,
                        .n_blocks0 = a->n_blocks,
                        .list1 = b->header_at,
                        .n_blocks1 = b->n_blocks,
                        .result = memory.results_at,
                        .cap = 256,
                        .dl_table = image->dl_at};
    assert_int_equal(rp__machine_new(&config, &memory, &m, &err), RP_OK);
    assert_int_equal(rp__machine_submit(m, &d), RP_OK);
    assert_int_equal(rp__machine_run(m, &err), RP_OK);
    size_t n;
    rp__completion record = *rp__machine_completions(m, &n);
    assert_int_equal(record.status, RP_SIM_OK);
    assert_int_equal(record.n_results, plain_answer(image, type, a, b, want));
    assert_int_equal(rp__machine_results(m, &d, &record, got), RP_OK);
    assert_memory_equal(got, want, 8 * (size_t)record.n_results);
    rp__machine_report(m, report);
    check_accounting(report);
    check_memory(report);
    check_time(&config, &record, type, a->n, record.n_results, false);
    rp__machine_free(m);
    return record;
}

static const uint32_t figure_4_docids[] = {7, 10, 15, 54, 72, 134, 170, 221, 294, 417, 500, 542};
static const uint32_t figure_4_tfs[] = {11, 2, 1, 1, 5, 3, 1, 2, 4, 1, 3, 7};

/* One block: 7 bits for gaps (the first is 0), 4 for frequencies; header, skip value, metadata and
 * payload are a line each. */
static void figure_4(void **state)
{
    (void)state;
    rp__random random;
    sim_image image;
    case_list list;
    rp__sim_report r;
    const uint32_t ends[] = {12};
    rp__random_init(&random, 4);
    image_begin(&image, 600, &random);
    put_plain(&image, &list, figure_4_docids, figure_4_tfs, 12, ends, 1);
    assert_int_equal(list.payload_bits, 12 * 11);
    run_one(&image, RP_SIM_SINGLE, &list, &list, "dl=free", &r);
    assert_int_equal(r.counts.payload_bits, 12 * 11);
    assert_int_equal(r.counts.requests[RP_SIM_TRAFFIC_INDEX], 1);
    assert_int_equal(r.counts.requests[RP_SIM_TRAFFIC_META], 2);
    assert_int_equal(r.counts.requests[RP_SIM_TRAFFIC_SKIP], 1);
    assert_int_equal(r.counts.requests[RP_SIM_TRAFFIC_RESULT], 2);
    case_list_free(&list);
    image_free(&image);
}

/* A short and a long list: the order is the caller's; both give the same documents. The short one
 * first reads one block of the long one for each of its documents, and not the others. */
static void both_orders_of_an_intersection(void **state)
{
    (void)state;
    rp__random random;
    sim_image image;
    case_list rare, common;
    rp__sim_report r;
    uint32_t docids[200], tfs[200], ends[20];
    for (uint32_t i = 0; i < 200; i++) {
        docids[i] = 3 * i;
        tfs[i] = 1 + i % 5;
    }
    for (uint32_t i = 0; i < 20; i++)
        ends[i] = 10 * (i + 1);
    const uint32_t rare_docids[] = {33, 100, 300, 302}, rare_ends[] = {4};
    rp__random_init(&random, 4);
    image_begin(&image, 600, &random);
    put_plain(&image, &common, docids, tfs, 200, ends, 20);
    put_plain(&image, &rare, rare_docids, figure_4_tfs, 4, rare_ends, 1);
    rp__completion record = run_one(&image, RP_SIM_AND, &rare, &common, "dl=line", &r);
    assert_int_equal(record.n_results, 2);
    assert_int_equal(r.counts.l1_blocks, 3);
    record = run_one(&image, RP_SIM_AND, &common, &rare, "dl=line", &r);
    assert_int_equal(record.n_results, 2);
    assert_int_equal(r.counts.l1_blocks, 1);
    assert_int_equal(r.counts.dropped, 11 + 99); /* before 33, after 302 */
    case_list_free(&rare);
    case_list_free(&common);
    image_free(&image);
}

/* The short list of a union ends early: what is left of the long one flows on at one a cycle. */
static void the_longer_list_is_flushed(void **state)
{
    (void)state;
    rp__random random;
    sim_image image;
    case_list brief, rest;
    rp__sim_report r;
    uint32_t docids[200], tfs[200];
    const uint32_t ends[] = {100, 200}, brief_ends[] = {1};
    for (uint32_t i = 0; i < 200; i++) {
        docids[i] = i + 1;
        tfs[i] = 1;
    }
    rp__random_init(&random, 4);
    image_begin(&image, 600, &random);
    put_plain(&image, &brief, docids, tfs, 1, brief_ends, 1);
    put_plain(&image, &rest, docids, tfs, 200, ends, 2);
    rp__completion a = run_one(&image, RP_SIM_OR, &brief, &rest, "dl=free", &r);
    rp__completion b = run_one(&image, RP_SIM_OR, &rest, &brief, "dl=free", &r);
    assert_int_equal(a.n_results, 200);
    assert_int_equal(b.n_results, 200);
    assert_int_equal(a.end - a.start, b.end - b.start);
    uint64_t merge[RP_SIM_CLASSES];
    rp__sim_stats_sum(&r, RP_SIM_KIND_MERGE, merge);
    assert_int_equal(merge[RP_SIM_BUSY], 201); /* and the end */
    case_list_free(&brief);
    case_list_free(&rest);
    image_free(&image);
}

/* ---- Figure 8 -------------------------------------------------------------------------------- */

typedef struct reader_bench {
    rp__sim_config config;
    rp__sim_counts counts;
    rp__core core;
    rp__block_reader reader;
    rp__sim_clock clock;
    uint64_t requested[8], served[8]; /* cycles, by line and by order */
    uint32_t n_requested, n_served;
} reader_bench;

static void bench_init(reader_bench *b)
{
    memset(b, 0, sizeof *b);
    rp__sim_config_init(&b->config);
    b->config.br_entries = 2;
    b->reader.config = &b->config;
    b->reader.counts = &b->counts;
    b->reader.cores = &b->core;
    b->reader.entries = calloc(2, sizeof *b->reader.entries);
    make(&b->reader.open, 2, sizeof(rp__sim_open));
    make(&b->reader.closed, 2, 1);
    make(&b->reader.port.request, 2, sizeof(rp__sim_request));
    make(&b->reader.port.response, 2, sizeof(rp__sim_line));
    for (uint32_t i = 0; i < 2; i++) {
        make(&b->core.dcus[i].request, 2, sizeof(rp__sim_line_request));
        make(&b->core.dcus[i].lines, 2, sizeof(rp__sim_line));
    }
}

static void bench_free(reader_bench *b)
{
    free(b->reader.entries);
    rp__link_reset(&b->reader.open);
    rp__link_reset(&b->reader.closed);
    rp__link_reset(&b->reader.port.request);
    rp__link_reset(&b->reader.port.response);
    for (uint32_t i = 0; i < 2; i++) {
        rp__link_reset(&b->core.dcus[i].request);
        rp__link_reset(&b->core.dcus[i].lines);
    }
}

static void request(reader_bench *b, uint32_t dcu, uint64_t line, uint32_t block, uint16_t bits)
{
    *(rp__sim_line_request *)rp__link_push(&b->core.dcus[dcu].request, &b->clock) =
        (rp__sim_line_request){.line = line, .number = block, .bits = bits};
}

/* One cycle of the memory and the units around the reader. */
static void bench_cycle(reader_bench *b)
{
    rp__link *requests = &b->reader.port.request;
    if (rp__link_head(requests, &b->clock)) {
        b->requested[b->n_requested++] = b->clock.now - 1;
        rp__link_pop(requests, &b->clock);
    }
    for (uint32_t i = 0; i < b->n_requested; i++)
        if (b->requested[i] + 39 == b->clock.now) {
            rp__sim_line *line = rp__link_push(&b->reader.port.response, &b->clock);
            line->tag = i % 2;
            line->is_bad = false;
        }
    for (uint32_t i = 0; i < 2; i++)
        if (rp__link_head(&b->core.dcus[i].lines, &b->clock)) {
            b->served[b->n_served++] = b->clock.now - 1;
            rp__link_pop(&b->core.dcus[i].lines, &b->clock);
        }
    rp__block_reader_step(&b->reader, &b->clock);
    b->clock.now++;
}

/* Two entries. Block 0 is in line 0, block 1 in lines 0 and 1, block 2 in line 1. Both units wait
 * for line 0, which is requested in cycle 0 and comes in cycle 40; it is served in cycle 41, and
 * to the second unit in 42. Then its entry is free, and line 2 is requested at once. */
static void figure_8(void **state)
{
    (void)state;
    reader_bench b;
    bench_init(&b);
    b.clock.now = UINT64_MAX / 2;
    *(rp__sim_open *)rp__link_push(&b.reader.open, &b.clock) =
        (rp__sim_open){.bit = 0, .n_bits = 3 * 512, .cores = 1, .stream = 0, .n_streams = 1};
    b.clock.now++;
    rp__block_reader_step(&b.reader, &b.clock); /* takes the list */
    b.clock.now = 0;
    request(&b, 0, 0, 0, 300);
    request(&b, 1, 0, 1, 212);
    request(&b, 1, 1, 1, 400);
    for (uint32_t i = 0; i < 60; i++)
        bench_cycle(&b);
    assert_int_equal(b.requested[0], 0);
    assert_int_equal(b.requested[1], 1);
    assert_int_equal(b.served[0], 41);
    assert_int_equal(b.served[1], 42);
    assert_int_equal(b.requested[2], 42);
    assert_int_equal(b.served[2], 43); /* the rest of block 1 */
    assert_int_equal(b.n_requested, 3);
    bench_free(&b);
}

/* ---- Figure 11 ------------------------------------------------------------------------------- */

static const uint32_t skips[] = {1, 8, 19, 37, 48, 54, 76};

typedef struct search_bench {
    rp__sim_config config;
    rp__sim_counts counts;
    rp__sim_setup setup;
    rp__link in;
    rp__bsu bsu;
    rp__sim_clock clock;
    uint32_t read[16], n_read; /* values that the search read from memory */
} search_bench;

static void search_cycle(search_bench *b)
{
    rp__link *requests = &b->bsu.port.request;
    const rp__sim_request *request = rp__link_head(requests, &b->clock);
    if (request) {
        rp__sim_line *line = rp__link_push(&b->bsu.port.response, &b->clock);
        line->is_bad = false;
        memcpy(line->words, skips, sizeof skips);
        b->read[b->n_read++] = skips[(b->bsu.lo + b->bsu.hi) >> 1];
        rp__link_pop(requests, &b->clock);
    }
    rp__bsu_step(&b->bsu, &b->clock);
    b->clock.now++;
}

static rp__sim_candidate search(search_bench *b, uint32_t doc)
{
    *(rp__sim_posting *)rp__link_push(&b->in, &b->clock) = (rp__sim_posting){.doc = doc};
    b->clock.now++;
    for (uint32_t i = 0; i < 100 && !rp__link_head(&b->bsu.out, &b->clock); i++)
        search_cycle(b);
    const rp__sim_candidate *head = rp__link_head(&b->bsu.out, &b->clock);
    assert_non_null(head);
    rp__sim_candidate out = *head;
    rp__link_pop(&b->bsu.out, &b->clock);
    b->clock.now++;
    return out;
}

static void search_init(search_bench *b)
{
    memset(b, 0, sizeof *b);
    rp__sim_config_init(&b->config);
    b->setup = (rp__sim_setup){.close = RP_SIM_NEVER, .query_type = RP_SIM_AND};
    b->setup.list1.n_blocks = 7;
    b->setup.list1.last_doc = 100;
    make(&b->in, 2, sizeof(rp__sim_posting));
    make(&b->bsu.out, 2, sizeof(rp__sim_candidate));
    make(&b->bsu.port.request, 2, sizeof(rp__sim_request));
    make(&b->bsu.port.response, 2, sizeof(rp__sim_line));
    b->bsu.config = &b->config;
    b->bsu.counts = &b->counts;
    b->bsu.setup = &b->setup;
    b->bsu.in = &b->in;
    b->bsu.line_at = RP_SIM_NEVER;
}

static void search_free(search_bench *b)
{
    rp__link_reset(&b->in);
    rp__link_reset(&b->bsu.out);
    rp__link_reset(&b->bsu.port.request);
    rp__link_reset(&b->bsu.port.response);
}

static void figure_11(void **state)
{
    (void)state;
    search_bench b;
    search_init(&b);
    rp__sim_candidate got = search(&b, 40);
    assert_int_equal(got.block, 3);
    assert_int_equal(got.base, 37);
    assert_int_equal(b.n_read, 3);
    const uint32_t path[] = {37, 54, 48, 76};
    assert_memory_equal(b.read, path, 3 * sizeof *path);
    assert_int_equal(b.counts.levels_cached, 0);
    got = search(&b, 64);
    assert_int_equal(got.block, 5);
    assert_int_equal(got.base, 54);
    assert_int_equal(b.n_read, 4);
    assert_int_equal(b.read[3], 76);
    assert_int_equal(b.counts.levels_cached, 2);
    assert_int_equal(b.counts.levels_read, 4);
    got = search(&b, 70); /* the same block: no search */
    assert_int_equal(got.block, 5);
    assert_int_equal(b.counts.searches, 2);
    assert_int_equal(b.counts.same_block, 1);
    search_free(&b);
}

/* The line buffer, an extension, answers the lower levels. */
static void the_line_buffer_saves_reads(void **state)
{
    (void)state;
    search_bench b;
    search_init(&b);
    b.config.bsu_line = 1;
    assert_int_equal(search(&b, 40).block, 3);
    assert_int_equal(b.n_read, 1);
    assert_int_equal(search(&b, 64).block, 5);
    assert_int_equal(b.n_read, 1);
    search_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_4),
        cmocka_unit_test(figure_8),
        cmocka_unit_test(figure_11),
        cmocka_unit_test(the_line_buffer_saves_reads),
        cmocka_unit_test(both_orders_of_an_intersection),
        cmocka_unit_test(the_longer_list_is_flushed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
