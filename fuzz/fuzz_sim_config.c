/* fuzz_sim_config.c: any bytes as the configuration of a simulated machine.
 *
 * Checked: a refusal names a line; what is taken builds a machine, or names the key why not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_sim_config.c: %s\n", what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rp__sim_config config;
    rp_error err = {0};
    rp__machine *m = NULL;
    uint8_t bytes[64] = {0};
    rp__sim_memory memory = {.image = bytes, .image_bytes = sizeof bytes, .results_at = 64};
    rp__sim_config_init(&config);
    if (rp__sim_config_parse(&config, (const char *)data, size, &err)) {
        must(strncmp(err.text, "line ", 5) == 0, "a refusal names no line");
        return 0;
    }
    rp_status status = rp__machine_new(&config, &memory, &m, &err);
    must(status == RP_OK || (status == RP_USAGE && strchr(err.text, ':') && !m), err.text);
    rp__machine_free(m);
    return 0;
}
