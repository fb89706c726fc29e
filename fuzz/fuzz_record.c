/* fuzz_record.c: any bytes as a record of costs, and what is read of them replayed.
 *
 * Checked: a fault has a text; the replay ends, and accounts for every job. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/replay_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_record.c: %s\n", what);
    abort();
}

static void replay(const rp__replay_cost *costs, size_t n, const rp__policy *policy)
{
    const rp__replay_options o = {.policy = policy,
                                  .costs = costs,
                                  .n_costs = n,
                                  .cores = 2,
                                  .has_card = true,
                                  .jobs = 200,
                                  .gap_ps = 20000000,
                                  .is_poisson = true,
                                  .seed = 1,
                                  .deadline_ns = 1000000,
                                  .max_queued = 16,
                                  .elements = 1 << 20,
                                  .wrong = 3};
    rp__replay_report report;
    must(rp__replay_run(&o, NULL, NULL, &report) == RP_OK, "a record is not replayed");
    must(report.answered + report.refused + report.late == o.jobs, "a job is lost");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rp__replay_cost *costs = NULL;
    size_t n;
    rp_error err = {0};
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = 0;
    rp_status status = rp__replay_record_parse("fuzz", text, size, &costs, &n, &err);
    must(status == RP_OK ? n > 0 : err.text[0] && !costs, "a record is refused without a word");
    for (size_t i = 0; status == RP_OK && rp__policy_at(i); i++)
        replay(costs, n, rp__policy_at(i));
    rp__free(costs);
    free(text);
    return 0;
}
