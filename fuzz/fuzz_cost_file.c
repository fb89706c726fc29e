/* fuzz_cost_file.c: any bytes as a file of cost rules, and what is read of them used for estimates and written again.
 *
 * Checked: a fault has a text; an estimate ends, and is a cost; what is written is read as the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cost_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_cost_file.c: %s\n", what);
    abort();
}

static void estimate(const rp__cost_model *model)
{
    for (int shape = 0; shape < RP_AUTO_SHAPES; shape++)
        for (uint64_t n = 0; n < UINT64_C(1) << 60; n = n * 64 + 1) {
            rp__cost_facts facts = {.shape = (rp__auto_shape)shape, .shortest = n, .second = n};
            rp__policy_job job = {0};
            for (int f = 0; f < RP_COST_FEATURES; f++)
                facts.features[f] = rp__cost_log(n);
            rp__cost_estimate(model, &facts, &job);
            must(job.cpu_ns > 0 && job.gpu_ns > 0 && job.batch_ns <= job.gpu_ns, "no cost");
        }
}

static void write_again(const rp__cost_file *file)
{
    static rp__cost_file back;
    rp__buf text, again;
    rp_error err = {0};
    rp__buf_init(&text);
    rp__buf_init(&again);
    rp__cost_file_write(file, &text);
    must(rp__cost_file_parse("fuzz", (const char *)text.at, text.n, &back, &err) == RP_OK,
         "what was written is not read");
    rp__cost_file_write(&back, &again);
    must(text.n == again.n && memcmp(text.at, again.at, text.n) == 0,
         "what was written is read as another");
    rp__buf_free(&text);
    rp__buf_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static rp__cost_file file;
    rp_error err = {0};
    rp_status status = rp__cost_file_parse("fuzz", (const char *)data, size, &file, &err);
    must((status == RP_OK) == (err.text[0] == 0), "a file is refused without a word");
    if (status != RP_OK)
        return 0;
    estimate(&file.model);
    write_again(&file);
    return 0;
}
