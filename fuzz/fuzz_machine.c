/* fuzz_machine.c: any descriptor on any image, in machines of several kinds.
 *
 * Bytes 0 to 63 are the descriptor, bytes 64 to 71 choose the machine, the rest is the image, in
 * memory of exactly its size. The result address of the descriptor counts from the first byte of
 * results. Checked: the run ends without a hang, both clocks agree on the completion, every entry
 * of the memory interface is free again, results lie inside their area. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 72, MAX_BYTES = 2048, RESULTS = 4096 };

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_machine.c: %s\n", what);
    abort();
}

static void choose(rp__sim_config *config, const uint8_t *bytes)
{
    rp__sim_config_init(config);
    config->cores = 1 + bytes[0] % 3;
    config->mode = bytes[0] / 3 % 3;
    config->skips = bytes[0] / 9 % 2;
    config->bsu_line = bytes[0] / 18 % 2;
    config->paired = bytes[0] / 72 % 2;
    config->bp128 = bytes[4] / 3 % 3;
    config->memory = bytes[1] % 4;
    config->topk = bytes[1] / 4 % 16;
    config->threshold = config->topk ? bytes[0] / 36 % 2 : 0;
    if (config->memory == RP_SIM_MEMORY_FIXED || config->memory == RP_SIM_MEMORY_RANDOM)
        config->latency = bytes[2] % 64;
    if (config->memory == RP_SIM_MEMORY_RANDOM)
        config->latency_max = config->latency + bytes[3];
    config->dl = bytes[4] % 3;
    config->br_entries = 2 + bytes[5] % 8;
    config->mai_entries = 1 + bytes[6] % 16;
    config->dcu_out = 2 + bytes[7] % 8;
    config->watchdog = 100000;
}

static rp__completion run(const rp__sim_config *config, const rp__sim_memory *memory,
                          const rp__descriptor *descriptor, const uint32_t *order)
{
    rp__machine *m;
    rp_error err = {0};
    size_t n;
    must(rp__machine_new(config, memory, &m, &err) == RP_OK, err.text);
    must(rp__machine_set_order(m, order) == RP_OK, "an order is refused");
    must(rp__machine_submit(m, descriptor) == RP_OK, "no memory");
    must(rp__machine_run(m, &err) == RP_OK, err.text);
    rp__completion record = *rp__machine_completions(m, &n);
    must(n == 1 && record.tag == descriptor->tag, "another query ended");
    must(record.status < RP_SIM_HUNG && record.n_results <= RESULTS / 8, "an impossible result");
    rp__sim_report report;
    rp__machine_report(m, &report);
    must(report.counts.mai_allocated == report.counts.mai_freed, "an entry is not free");
    rp__result_slot slots[RESULTS / 8];
    if (record.status == RP_SIM_OK)
        must(rp__machine_results(m, descriptor, &record, slots) == RP_OK, "no results");
    rp__machine_free(m);
    return record;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD || size > MAX_BYTES)
        return 0;
    rp__descriptor descriptor;
    rp__sim_config config;
    uint8_t results[RESULTS];
    memcpy(&descriptor, data, sizeof descriptor);
    choose(&config, data + 64);
    uint8_t *image = malloc(size - HEAD + 1);
    must(image != NULL, "no memory");
    memcpy(image, data + HEAD, size - HEAD);
    rp__sim_memory memory = {.image = image,
                             .image_bytes = size - HEAD,
                             .results = results,
                             .results_bytes = sizeof results,
                             .results_at = rp__sim_results_at(size - HEAD)};
    descriptor.result += memory.results_at;
    uint32_t order[RP_SIM_REPORT_UNITS];
    for (uint32_t i = 0; i < RP_SIM_REPORT_UNITS; i++)
        order[i] = i;
    memset(results, 0, sizeof results);
    rp__completion awake = run(&config, &memory, &descriptor, NULL);
    if (awake.end < 20000) {
        memset(results, 0, sizeof results);
        rp__completion all = run(&config, &memory, &descriptor, order);
        must(memcmp(&awake, &all, sizeof all) == 0, "the clocks differ");
    }
    free(image);
    return 0;
}
