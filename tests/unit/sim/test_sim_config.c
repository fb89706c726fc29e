/* test_sim_config.c: configurations as text: what is set, and what is refused with line and key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "sim/sim_config.h"

static void check_refused(const char *text, const char *why)
{
    rp__sim_config config;
    rp_error err;
    rp__sim_config_init(&config);
    assert_int_equal(rp__sim_config_parse(&config, text, strlen(text), &err), RP_USAGE);
    assert_string_equal(err.text, why);
}

static void defaults_are_the_papers(void **state)
{
    (void)state;
    rp__sim_config config;
    rp_error err;
    rp__sim_config_init(&config);
    assert_int_equal(rp__sim_config_check(&config, &err), RP_OK);
    assert_int_equal(config.cores, 8);
    assert_int_equal(config.mai_entries, 128);
    assert_int_equal(config.su_latency, 18);
    assert_int_equal(config.traversal, 32);
    assert_int_equal(config.memory, RP_SIM_MEMORY_DRAM);
}

static void text_is_read(void **state)
{
    (void)state;
    rp__sim_config config;
    rp_error err;
    const char *text = "# a machine\n\n cores = 4 # fewer\nmode=inter\r\ndl=charge4\nstandard=hbm2";
    rp__sim_config_init(&config);
    assert_int_equal(rp__sim_config_parse(&config, text, strlen(text), &err), RP_OK);
    assert_int_equal(config.cores, 4);
    assert_int_equal(config.mode, RP_SIM_MODE_INTER);
    assert_int_equal(config.dl, RP_SIM_DL_CHARGE4);
    assert_string_equal(config.standard, "hbm2");
}

static void every_key_can_be_set(void **state)
{
    (void)state;
    const rp__sim_key *key;
    for (size_t i = 0; (key = rp__sim_config_key(i)); i++) {
        rp__sim_config config;
        uint64_t seen = 0;
        rp_error err;
        char text[64];
        rp__sim_config_init(&config);
        snprintf(text, sizeof text, "%s=%.*s", key->name,
                 (int)(key->choices[0] ? strcspn(key->choices, "|") : 0), key->choices);
        if (!key->choices[0])
            snprintf(text, sizeof text, "%s=%u", key->name, key->max);
        assert_int_equal(rp__sim_config_set(&config, text, &seen, &err), RP_OK);
        assert_int_equal(*(const uint32_t *)(const void *)((const char *)&config + key->offset),
                         key->choices[0] ? 0 : key->max);
        assert_true(strlen(key->text) > 10);
    }
}

static void faults_name_line_and_key(void **state)
{
    (void)state;
    check_refused("cores=0", "line 1: cores: '0' is not a number from 1 to 8");
    check_refused("cores=9", "line 1: cores: '9' is not a number from 1 to 8");
    check_refused("\nchannels=0", "line 2: channels: '0' is not a number from 1 to 32");
    check_refused("# x\nmai_entries=0", "line 2: mai_entries: '0' is not a number from 1 to 1024");
    check_refused("br_entries=", "line 1: br_entries: '' is not a number from 2 to 1024");
    check_refused("br_entries=-4", "line 1: br_entries: '-4' is not a number from 2 to 1024");
    check_refused("seed=99999999999999999999",
                  "line 1: seed: '99999999999999999999' is not a number from 0 to 4294967295");
    check_refused("dl=some", "line 1: dl: 'some' is none of line|charge4|free");
    check_refused("colour=red", "line 1: unknown key 'colour'; riposte sim --list-configs has all");
    check_refused("cores", "line 1: 'cores' is not KEY=VALUE");
    check_refused("standard=", "line 1: standard: '' is none of "
                               "ddr4-2400|ddr5-4800|hbm2|hbm2-pc|hbm3|scm");
    check_refused("\n\nstandard = zz", "line 3: standard: 'zz' is none of "
                                       "ddr4-2400|ddr5-4800|hbm2|hbm2-pc|hbm3|scm");
    check_refused("controller=fcfs", "line 1: controller: 'fcfs' is none of compat|r21|frfcfs");
    check_refused("cores=1\ndl=free\ncores=1", "line 3: cores: it is given twice");
    check_refused("standard=hbm2\nstandard=hbm3", "line 2: standard: it is given twice");
}

static void keys_must_agree(void **state)
{
    (void)state;
    rp__sim_config config;
    rp_error err;
    rp__sim_config_init(&config);
    config.memory = RP_SIM_MEMORY_RANDOM;
    config.latency = 60;
    assert_int_equal(rp__sim_config_check(&config, &err), RP_USAGE);
    assert_string_equal(err.text, "latency: 60 is above latency_max, 50");
    config.latency_max = 60;
    config.dcu_lines = 0;
    assert_int_equal(rp__sim_config_check(&config, &err), RP_USAGE);
    assert_string_equal(err.text, "dcu_lines: 0 is not a number from 2 to 16");
}

static void check_disagrees(const char *text, const char *why)
{
    rp__sim_config config;
    rp_error err;
    rp__sim_config_init(&config);
    assert_int_equal(rp__sim_config_parse(&config, text, strlen(text), &err), RP_OK);
    assert_int_equal(rp__sim_config_check(&config, &err), why ? RP_USAGE : RP_OK);
    if (why)
        assert_string_equal(err.text, why);
}

/* A key that would change nothing is refused. */
static void keys_must_count(void **state)
{
    (void)state;
    check_disagrees("threshold=on", "threshold: it needs topk too, as in topk=10");
    check_disagrees("threshold=on\ntopk=10", NULL);
    check_disagrees("latency=9", "latency: it is only for memory=fixed or random");
    check_disagrees("latency=9\nmemory=fixed", NULL);
    check_disagrees("latency_max=90\nmemory=fixed", "latency_max: it is only for memory=random");
    check_disagrees("seed=9\nmemory=ideal", "seed: it is only for memory=random");
    check_disagrees("seed=9\nlatency_max=90\nmemory=random", NULL);
    check_disagrees("standard=hbm2\nmemory=ideal", "standard: it is only for memory=dram");
    check_disagrees("controller=r21\nmemory=fixed", "controller: it is only for memory=dram");
    check_disagrees("standard=ddr4-2400\nmemory=ideal", NULL); /* the default */
    check_disagrees("channels=2\nmemory=ideal", "channels: it is only for memory=dram");
    check_disagrees("ranks=2\nmemory=random", "ranks: it is only for memory=dram");
    check_disagrees("read_queue=2\nmemory=random", "read_queue: it is only for memory=dram");
    check_disagrees("write_queue=2\nmemory=random", "write_queue: it is only for memory=dram");
    check_disagrees("channels=2\nranks=2\nread_queue=2\nwrite_queue=2\nstandard=hbm3", NULL);
}

/* Whoever chooses a memory over a configuration's does not have to take its keys back, but those
 * that he sets himself must count. */
static void another_memory_leaves_the_keys_of_the_first(void **state)
{
    (void)state;
    static const char hbm[] = "memory=dram\nstandard=hbm2\ncontroller=r21\nchannels=2\ncores=3";
    rp__sim_config config, initial;
    rp_error err;
    uint64_t seen = 0;
    rp__sim_config_init(&initial);
    rp__sim_config_init(&config);
    assert_int_equal(rp__sim_config_parse(&config, hbm, strlen(hbm), &err), RP_OK);
    assert_int_equal(rp__sim_config_set(&config, "memory=dram", &seen, &err), RP_OK);
    assert_string_equal(config.standard, "hbm2");
    seen = 0;
    assert_int_equal(rp__sim_config_set(&config, "memory=ideal", &seen, &err), RP_OK);
    assert_int_equal(rp__sim_config_check(&config, &err), RP_OK);
    initial.cores = 3;
    initial.memory = RP_SIM_MEMORY_IDEAL;
    assert_memory_equal(&config, &initial, sizeof config);
    assert_int_equal(rp__sim_config_set(&config, "standard=hbm2", &seen, &err), RP_OK);
    assert_int_equal(rp__sim_config_check(&config, &err), RP_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_the_papers),
        cmocka_unit_test(text_is_read),
        cmocka_unit_test(every_key_can_be_set),
        cmocka_unit_test(faults_name_line_and_key),
        cmocka_unit_test(keys_must_agree),
        cmocka_unit_test(keys_must_count),
        cmocka_unit_test(another_memory_leaves_the_keys_of_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
