/* test_cost_file.c: cost files come back as they were written; any that is damaged, of another release or machine is refused, and
 * the executor that is given one estimates by it. */
#include "engine/cost_file.h"

#include "base/alloc.h"
#include "base/thread.h"
#include "riposte/riposte.h"
#include "unit/tiny_index.h"

static const char *const few[] = {"the quick brown fox", "the lazy dog", "a fox trot"};
static char path[4096];

static rp__cost_rule leaf(int32_t bias)
{
    return (rp__cost_rule){
        .feature = RP_COST_LEAF, .bias = bias, .weights = {1, -2, INT32_MIN, INT32_MAX, 0, 7}};
}

static rp__cost_file sample(void)
{
    rp__cost_file file = {.model = {.feed_ns = 1234}};
    rp__cost_file_here(NULL, &file.about);
    strcpy(file.about.codec, "auto");
    strcpy(file.about.card, "a \"card\"");
    strcpy(file.about.driver, "13.0");
    file.about.rules = 4;
    file.model.trees[RP_COST_CPU][RP_AUTO_AND] = (rp__cost_tree){.n = 1, .rules = {leaf(-5)}};
    file.model.trees[RP_COST_BATCH][RP_AUTO_COUNTED_OR] = (rp__cost_tree){
        .n = 5,
        .rules = {{.feature = RP_COST_K, .low = 1, .high = 2, .threshold = -7},
                  leaf(INT32_MAX),
                  {.feature = RP_COST_SHORTEST, .low = 3, .high = 4, .threshold = INT32_MAX},
                  leaf(INT32_MIN),
                  leaf(0)}};
    return file;
}

static rp__buf text_of(const rp__cost_file *file)
{
    rp__buf text;
    rp__buf_init(&text);
    rp__cost_file_write(file, &text);
    assert_false(text.failed);
    return text;
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    const rp__cost_file file = sample();
    rp__cost_file back;
    rp_error err = {0};
    rp__buf text = text_of(&file);
    if (rp__cost_file_parse("f", (char *)text.at, text.n, &back, &err) != RP_OK)
        fail_msg("%s", err.text);
    assert_memory_equal(&back.about, &file.about, sizeof file.about);
    assert_int_equal(back.model.feed_ns, 1234);
    rp__buf again = text_of(&back);
    assert_int_equal(again.n, text.n);
    assert_memory_equal(again.at, text.at, text.n);
    rp__buf_free(&again);
    rp__buf_free(&text);
}

/* Every beginning of a file is refused, with a reason; so is the file with any byte made another, or it is read. */
static void damage_is_named(void **state)
{
    (void)state;
    const rp__cost_file file = sample();
    rp__cost_file back;
    rp__buf text = text_of(&file);
    for (size_t n = 0; n + 2 < text.n; n++) {
        rp_error err = {0};
        assert_int_equal(rp__cost_file_parse("f", (char *)text.at, n, &back, &err), RP_DAMAGED);
        assert_true(strncmp(err.text, "f: byte ", 8) == 0);
    }
    for (size_t i = 0; i < text.n; i++) {
        rp_error err = {0};
        const uint8_t before = text.at[i];
        text.at[i] ^= 5;
        const rp_status status = rp__cost_file_parse("f", (char *)text.at, text.n, &back, &err);
        assert_true(status == RP_OK || status == RP_DAMAGED || status == RP_INCOMPATIBLE);
        assert_true((status == RP_OK) == (err.text[0] == 0));
        text.at[i] = before;
    }
    rp__buf_free(&text);
}

/* The sample with one text in place of another. */
static void expect_refused(const char *from, const char *to, rp_status wanted, const char *why)
{
    const rp__cost_file file = sample();
    rp__cost_file back;
    rp__buf text = text_of(&file), other;
    rp_error err = {0};
    rp__buf_put_byte(&text, 0);
    const char *at = strstr((char *)text.at, from);
    assert_non_null(at);
    rp__buf_init(&other);
    rp__buf_put(&other, text.at, (size_t)(at - (char *)text.at));
    rp__buf_put_string(&other, to);
    rp__buf_put_string(&other, at + strlen(from));
    assert_int_equal(rp__cost_file_parse("f", (char *)other.at, other.n, &back, &err), wanted);
    if (!strstr(err.text, why))
        fail_msg("'%s' has no '%s'", err.text, why);
    assert_int_equal(back.about.rules, 0);
    rp__buf_free(&other);
    rp__buf_free(&text);
}

static void bad_values_are_refused(void **state)
{
    (void)state;
    expect_refused("1234", "-1", RP_DAMAGED, "below 0");
    expect_refused("1234", "NaN", RP_DAMAGED, "byte");
    expect_refused("1234", "1.5", RP_DAMAGED, "whole number");
    expect_refused("1234", "1e3", RP_DAMAGED, "whole number");
    expect_refused("1234", "null", RP_DAMAGED, "expected a number");
    expect_refused("1234", "99999999999999999999999", RP_DAMAGED, "whole number");
    expect_refused("1234", "99999999999", RP_DAMAGED, "range");
    expect_refused("\"bias\":-5", "\"bias\":2147483648", RP_DAMAGED, "range");
    expect_refused("\"bias\":-5", "\"bias\":-5,\"low\":1", RP_DAMAGED, "neither");
    expect_refused("\"bias\":-5", "\"basis\":-5", RP_DAMAGED, "neither");
    expect_refused("[1,-2,", "[-2,", RP_DAMAGED, "expected a number");
    expect_refused("[1,-2,", "[1,1,-2,", RP_DAMAGED, "too many weights");
    expect_refused("\"results\"", "\"luck\"", RP_DAMAGED, "not known");
    expect_refused("\"and\"", "\"xor\"", RP_DAMAGED, "not known");
    expect_refused("\"low\":1", "\"low\":4", RP_DAMAGED, "no tree");
    expect_refused("\"cpu\":\"", "\"cup\":\"", RP_DAMAGED, "missing");
    expect_refused("\"codec\":\"auto\"", "\"codec\":7", RP_DAMAGED, "expected a string");
    expect_refused("\"batch\",\"shape\":\"counted-or\"", "\"cpu\",\"shape\":\"and\"", RP_DAMAGED,
                   "came before");
    expect_refused(rp_version(), "9.9.9", RP_INCOMPATIBLE, "it is of 9.9.9");
    expect_refused("costs/1", "costs/2", RP_INCOMPATIBLE, "riposte.costs/2");
    expect_refused("}\n", "}\n{}", RP_DAMAGED, "byte");
}

static void machines_are_compared(void **state)
{
    (void)state;
    rp_error err = {0};
    const rp_costs here = sample().about;
    rp_costs other = here;
    assert_int_equal(rp__cost_file_check("f", &other, &here, &err), RP_OK);
    *other.card = *other.driver = *other.codec = 0;
    assert_int_equal(rp__cost_file_check("f", &other, &here, &err), RP_OK);
    strcpy(other.card, "another");
    assert_int_equal(rp__cost_file_check("f", &other, &here, &err), RP_INCOMPATIBLE);
    assert_non_null(strstr(err.text, "the card another"));
    other = here;
    other.cores++;
    assert_int_equal(rp__cost_file_check("f", &other, &here, &err), RP_INCOMPATIBLE);
    other = here;
    strcpy(other.codec, "raw");
    assert_int_equal(rp__cost_file_check("f", &other, &here, &err), RP_INCOMPATIBLE);
    other = here;
    strcpy(other.cpu, "an abacus");
    assert_int_equal(rp__cost_file_check("f", &other, &here, &err), RP_INCOMPATIBLE);
}

static void memory_may_end(void **state)
{
    (void)state;
    const rp__cost_file file = sample();
    rp__cost_file back;
    rp__buf text = text_of(&file);
    rp_status status = RP_NO_MEMORY;
    for (uint64_t i = 1; status != RP_OK && i < 100; i++) {
        rp__alloc_fail_at(i, false);
        status = rp__cost_file_parse("f", (char *)text.at, text.n, &back, NULL);
        rp__alloc_fail_at(0, false);
        assert_true(status == RP_OK || status == RP_NO_MEMORY);
    }
    assert_int_equal(status, RP_OK);
    rp__buf_free(&text);
}

/* ---- The executor ---------------------------------------------------------------------------- */

static void keep_estimate(void *arg, rp_outcome *outcome)
{
    *(uint64_t *)arg = outcome->estimated_ns;
    assert_int_equal(outcome->status, RP_OK);
    rp_hits_free(&outcome->hits);
}

static rp_status estimate(const rp_index *index, const char *costs, uint64_t *ns,
                          rp_executor_report *report, rp_error *err)
{
    const rp_search_options search = {.mode = RP_MODE_AND};
    const rp_executor_options options = {
        .search = &search, .policy = "cpu", .threads = 1, .costs = costs};
    rp_executor *executor;
    rp_status status = rp_executor_new(index, &options, &executor, err);
    if (status != RP_OK)
        return status;
    const rp_job job = {.query = "the fox", .query_bytes = 7, .done = keep_estimate, .arg = ns};
    assert_int_equal(rp_executor_submit(executor, &job, NULL, err), RP_OK);
    rp_executor_drain(executor);
    rp_executor_get_report(executor, report);
    rp_executor_free(executor);
    return RP_OK;
}

static void write_file(const rp__cost_file *file)
{
    rp__buf text = text_of(file);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text.at, 1, text.n, f), text.n);
    fclose(f);
    rp__buf_free(&text);
}

static void executors_estimate_by_it(void **state)
{
    const rp_index *index = &((tiny_index *)*state)->index;
    rp__cost_file file = sample();
    rp_executor_report report;
    rp_error err = {0};
    uint64_t built_in = 0, ns = 0;
    *file.about.card = *file.about.driver = 0;
    file.model.trees[RP_COST_CPU][RP_AUTO_AND] = (rp__cost_tree){
        .n = 1, .rules = {{.feature = RP_COST_LEAF, .bias = rp__cost_log(7654321)}}};
    snprintf(file.about.codec, sizeof file.about.codec, "%s",
             rp__segment_get_info(index->segment)->codec);
    write_file(&file);
    unsetenv("RIPOSTE_COSTS");
    assert_int_equal(estimate(index, NULL, &built_in, &report, &err), RP_OK);
    assert_false(report.has_costs);
    assert_int_equal(estimate(index, path, &ns, &report, &err), RP_OK);
    assert_true(report.has_costs && ns > 7600000 && ns < 7700000 && built_in < 1000000);
    setenv("RIPOSTE_COSTS", path, 1);
    assert_int_equal(estimate(index, NULL, &ns, &report, &err), RP_OK);
    assert_true(report.has_costs && ns > 7600000);
    file.about.cores++; /* of another machine */
    write_file(&file);
    assert_int_equal(estimate(index, NULL, &ns, &report, &err), RP_OK);
    assert_true(!report.has_costs && ns == built_in && strstr(report.costs_fault, "cores"));
    unsetenv("RIPOSTE_COSTS");
    assert_int_equal(estimate(index, path, &ns, &report, &err), RP_INCOMPATIBLE);
    remove(path);
    assert_int_equal(estimate(index, path, &ns, &report, &err), RP_IO);
}

static int set_up(void **state)
{
    static tiny_index tiny;
    tiny_open(&tiny, few, sizeof few / sizeof *few, (tiny_options){0});
    snprintf(path, sizeof path, "%s/costs.json", tiny.dir.path);
    *state = &tiny;
    return 0;
}

static int tear_down(void **state)
{
    tiny_close(*state);
    return 0;
}

/* A file is of a machine, whichever of its cores a thread may use. */
static void machines_have_all_their_cores(void **state)
{
    (void)state;
    rp__thread_cores all;
    rp_costs own, one;
    rp__thread_get_cores(&all);
    rp__cost_file_here(NULL, &own);
    assert_true(rp__thread_keep_to(&all, 0, 1));
    rp__cost_file_here(NULL, &one);
    assert_true(rp__thread_keep_to(&all, 0, all.n));
    assert_int_equal(one.cores, own.cores);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(bad_values_are_refused),
        cmocka_unit_test(machines_are_compared),
        cmocka_unit_test(memory_may_end),
        cmocka_unit_test(executors_estimate_by_it),
        cmocka_unit_test(machines_have_all_their_cores),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
