/* test_bad_input.c: descriptors and lists that make no sense end with a status: no hang, no access
 * outside the image. Random damage of images and descriptors too. */
#include "sim_world.h"

typedef struct bad_case {
    sim_image image;
    case_list a, b;
    rp__descriptor descriptor;
    rp__list_header *header; /* of a */
    uint8_t results[8192];
} bad_case;

static void bad_init(bad_case *c, uint32_t type)
{
    rp__random random;
    rp__random_init(&random, 9);
    memset(c, 0, sizeof *c);
    image_begin(&c->image, 1000, &random);
    image_add_random(&c->image, &c->a, 200, 40, 100, 64, &random);
    image_add_random(&c->image, &c->b, 500, 40, 100, 64, &random);
    c->header = (rp__list_header *)(void *)(c->image.bytes + c->a.header_at);
    c->descriptor = (rp__descriptor){.query_type = (uint8_t)type,
                                     .n_cores = 2,
                                     .tag = 77,
                                     .list0 = c->a.header_at,
                                     .n_blocks0 = c->a.n_blocks,
                                     .list1 = c->b.header_at,
                                     .n_blocks1 = c->b.n_blocks,
                                     .result = rp__sim_results_at(c->image.n),
                                     .cap = type == RP_SIM_OR ? 700 : 200,
                                     .dl_table = c->image.dl_at};
}

static uint32_t bad_run(bad_case *c)
{
    rp__sim_config config;
    rp__machine *m;
    rp_error err;
    rp__sim_config_init(&config);
    config.memory = RP_SIM_MEMORY_FIXED;
    rp__sim_memory memory = {.image = c->image.bytes,
                             .image_bytes = c->image.n,
                             .results = c->results,
                             .results_bytes = sizeof c->results,
                             .results_at = rp__sim_results_at(c->image.n)};
    assert_int_equal(rp__machine_new(&config, &memory, &m, &err), RP_OK);
    assert_int_equal(rp__machine_submit(m, &c->descriptor), RP_OK);
    if (rp__machine_run(m, &err))
        fail_msg("%s", err.text);
    size_t n;
    const rp__completion *record = rp__machine_completions(m, &n);
    assert_int_equal(n, 1);
    assert_int_equal(record->tag, 77);
    uint32_t status = record->status;
    rp__sim_report r;
    rp__machine_report(m, &r);
    check_accounting(&r);
    assert_int_equal(r.counts.mai_allocated, r.counts.mai_freed);
    rp__machine_free(m);
    case_list_free(&c->a);
    case_list_free(&c->b);
    image_free(&c->image);
    return status;
}

#define WITH(type, change, status)                                                                 \
    do {                                                                                           \
        bad_case c;                                                                                \
        bad_init(&c, type);                                                                        \
        change;                                                                                    \
        assert_string_equal(rp__machine_status_name(bad_run(&c)), status);                         \
    } while (0)

static void descriptors(void **state)
{
    (void)state;
    WITH(RP_SIM_SINGLE, (void)0, "OK");
    WITH(RP_SIM_AND, (void)0, "OK");
    WITH(RP_SIM_OR, (void)0, "OK");
    WITH(RP_SIM_SINGLE, c.descriptor.query_type = 3, "BAD_TYPE");
    WITH(RP_SIM_SINGLE, c.descriptor.flags = 1 << 15, "BAD_TYPE");
    WITH(RP_SIM_SINGLE, c.descriptor.n_cores = 0, "BAD_CORES");
    WITH(RP_SIM_SINGLE, c.descriptor.n_cores = 9, "BAD_CORES");
    WITH(RP_SIM_SINGLE, c.descriptor.list0 += 4, "BAD_ADDRESS");
    WITH(RP_SIM_SINGLE, c.descriptor.list0 = UINT64_MAX - 63, "BAD_ADDRESS");
    WITH(RP_SIM_AND, c.descriptor.list1 = (c.image.n + 4096) / 64 * 64, "BAD_ADDRESS");
    WITH(RP_SIM_SINGLE, c.descriptor.list0 = c.image.dl_at, "BAD_MAGIC");
    WITH(RP_SIM_SINGLE, c.descriptor.n_blocks0++, "BAD_BLOCKS");
    WITH(RP_SIM_OR, c.descriptor.n_blocks1 = 0, "BAD_BLOCKS");
    WITH(RP_SIM_SINGLE, c.descriptor.cap = 199, "BAD_CAP");
    WITH(RP_SIM_AND, c.descriptor.cap = 0, "BAD_CAP");
    WITH(RP_SIM_OR, c.descriptor.cap = 500, "BAD_CAP");
    WITH(RP_SIM_SINGLE, c.descriptor.cap = UINT64_MAX / 8 + 2, "BAD_ADDRESS");
    WITH(RP_SIM_SINGLE, c.descriptor.result = 0, "BAD_ADDRESS");
    WITH(RP_SIM_SINGLE, c.descriptor.result += 8192 - 64, "BAD_ADDRESS");
    WITH(RP_SIM_SINGLE, c.descriptor.result += 4, "BAD_ADDRESS");
    WITH(RP_SIM_SINGLE, c.descriptor.dl_table += 2, "BAD_ADDRESS");
    WITH(RP_SIM_SINGLE, c.descriptor.dl_table = UINT64_C(1) << 40, "BAD_ADDRESS");
}

static void change_meta(bad_case *c, uint32_t block, uint64_t flips)
{
    uint8_t *meta = c->image.bytes + c->header->meta_at + 8 * (uint64_t)block;
    rp__store64(meta, rp__load64(meta) ^ flips);
}

static void lists(void **state)
{
    (void)state;
    WITH(RP_SIM_SINGLE, c.header->magic++, "BAD_MAGIC");
    WITH(RP_SIM_SINGLE, c.header->n_blocks++, "BAD_BLOCKS");
    WITH(RP_SIM_SINGLE, c.header->n_postings++; c.descriptor.cap++, "BAD_LIST");
    WITH(RP_SIM_SINGLE, c.header->n_postings = 1, "BAD_LIST");
    WITH(RP_SIM_SINGLE, c.header->payload_bits--, "BAD_LIST");
    WITH(RP_SIM_SINGLE, c.header->payload_bits = UINT64_MAX, "BAD_ADDRESS");
    WITH(RP_SIM_SINGLE, c.header->payload_at = c.image.n - 1, "BAD_ADDRESS");
    WITH(RP_SIM_SINGLE, c.header->skip_at = UINT64_MAX - 3, "BAD_ADDRESS");
    WITH(RP_SIM_OR, c.header->meta_at = c.image.n, "BAD_ADDRESS");
    WITH(RP_SIM_SINGLE, change_meta(&c, 3, 31), "BAD_LIST");                /* another width */
    WITH(RP_SIM_SINGLE, change_meta(&c, 3, UINT64_C(1) << 60), "BAD_LIST"); /* past the payload */
    WITH(RP_SIM_SINGLE, change_meta(&c, 0, UINT64_C(1) << 21), "BAD_LIST"); /* not at its place */
    WITH(RP_SIM_OR, change_meta(&c, 5, UINT64_C(2047) << 10), "BAD_LIST");  /* another count */
    WITH(RP_SIM_AND, memset(c.image.bytes + c.header->payload_at, 0, 40), "BAD_LIST");
    WITH(RP_SIM_SINGLE, memset(c.image.bytes + c.image.dl_at, 0, 4000), "BAD_NORM");
}

/* list1 of an AND is read past the block scheduler. */
static void fetched_blocks(void **state)
{
    (void)state;
    WITH(RP_SIM_AND, c.descriptor.list0 = c.b.header_at; c.descriptor.n_blocks0 = c.b.n_blocks;
         c.descriptor.list1 = c.a.header_at; c.descriptor.n_blocks1 = c.a.n_blocks;
         c.descriptor.cap = 500; memset(c.image.bytes + c.header->meta_at, 0xff, 64), "BAD_LIST");
}

/* Any byte of the image and of the descriptor may change: the machine ends, and every entry of the
 * memory interface is free again. */
static void random_damage(void **state)
{
    (void)state;
    rp__random random;
    rp__random_init(&random, 3);
    size_t n = getenv("RIPOSTE_THOROUGH") ? 100000 : 1500;
    for (size_t i = 0; i < n; i++) {
        bad_case c;
        bad_init(&c, below(&random, 3));
        uint64_t from = c.image.dl_at + 4000; /* lists and headers come after the constants */
        for (uint32_t k = below(&random, 4); k < 5; k++) {
            uint64_t at = from + rp__random_next(&random) % (c.image.n - from);
            c.image.bytes[at] ^= (uint8_t)(1 << below(&random, 8));
        }
        if (below(&random, 3) == 0)
            ((uint8_t *)&c.descriptor)[8 + below(&random, 56)] ^= (uint8_t)(1 << below(&random, 8));
        assert_true(bad_run(&c) < RP_SIM_HUNG);
    }
}

/* Every unit is there by kind, number and what it did, also where the text is cut anywhere. */
static void check_description(const rp__machine *m)
{
    char text[RP_SIM_STATES_BYTES], part[RP_SIM_STATES_BYTES];
    const size_t n = rp__machine_describe(m, true, text, sizeof text);
    assert_int_equal(n, strlen(text));
    for (uint32_t kind = 0; kind < RP_SIM_KINDS; kind++)
        assert_non_null(strstr(text, rp__sim_stats_kind(kind)));
    if (!strstr(text, "block_scheduler 0 wait-memory, 1-7 idle") || !strstr(text, "write_back 0-"))
        fail_msg("%s", text);
    for (size_t cap = 1; cap <= n; cap++) {
        assert_int_equal(rp__machine_describe(m, true, part, cap), cap - 1);
        assert_memory_equal(part, text, cap - 1);
    }
}

/* A memory that takes longer than the watchdog waits. */
static void a_hang_is_reported(void **state)
{
    (void)state;
    rp__sim_config config;
    rp__machine *m;
    rp_error err;
    bad_case c;
    for (uint32_t all = 0; all < 2; all++) {
        bad_init(&c, RP_SIM_SINGLE);
        rp__sim_config_init(&config);
        config.memory = RP_SIM_MEMORY_FIXED;
        config.latency = 5000;
        config.watchdog = 1000;
        rp__sim_memory memory = {.image = c.image.bytes,
                                 .image_bytes = c.image.n,
                                 .results = c.results,
                                 .results_bytes = sizeof c.results,
                                 .results_at = rp__sim_results_at(c.image.n)};
        assert_int_equal(rp__machine_new(&config, &memory, &m, &err), RP_OK);
        uint32_t order[RP_SIM_REPORT_UNITS];
        for (uint32_t i = 0; i < rp__machine_units(m); i++)
            order[i] = i;
        rp__machine_set_order(m, all ? order : NULL);
        assert_int_equal(rp__machine_submit(m, &c.descriptor), RP_OK);
        bool is_done = true;
        assert_int_equal(rp__machine_run_for(m, all ? 500 : 2, &is_done, &err), RP_OK);
        assert_false(is_done);
        assert_int_equal(rp__machine_run(m, &err), RP_LIMIT);
        assert_true(rp__machine_now(m) < 1100); /* parts do not put the watchdog off */
        assert_non_null(strstr(err.text, "no progress for 1000 cycles; not idle: "));
        assert_non_null(strstr(err.text, "block_scheduler 0 wait-memory"));
        assert_null(strstr(err.text, " idle;"));
        check_description(m);
        size_t n;
        const rp__completion *record = rp__machine_completions(m, &n);
        assert_int_equal(n, 1);
        assert_int_equal(record->status, RP_SIM_HUNG);
        rp__sim_report r;
        rp__machine_report(m, &r);
        check_accounting(&r);
        assert_int_equal(rp__machine_run(m, &err), RP_LIMIT);
        rp__machine_free(m);
        case_list_free(&c.a);
        case_list_free(&c.b);
        image_free(&c.image);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors),        cmocka_unit_test(lists),
        cmocka_unit_test(fetched_blocks),     cmocka_unit_test(random_damage),
        cmocka_unit_test(a_hang_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
