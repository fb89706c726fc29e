/* cmd_doctor.c: riposte doctor: what this machine has for the program, and what it lacks, with the reason. */
#include <string.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/json.h"
#include "cli/figures.h"
#include "cli/verbs.h"
#include "riposte/riposte.h"

typedef struct doctor_args {
    rp__common_args common;
    const char *gpu;
} doctor_args;

static const rp__option rows[] = {
    {.name = "gpu",
     .kind = RP_OPTION_TEXT,
     .argument = "NAME",
     .at = offsetof(doctor_args, gpu),
     .help = "ask about the emulated GPU too: emulated"},
    {0},
};

static const rp__option_group groups[] = {
    {"doctor", rows, 0},
    {"general", rp__options_common, offsetof(doctor_args, common)},
    {0},
};

/* From the least to all that the machine has. */
static const char *simd_name(void)
{
    uint32_t features = rp__cpu_features();
    return features & RP_CPU_AVX512 ? "avx512" : features & RP_CPU_AVX2 ? "avx2" : "scalar";
}

static void write_gpus(rp__json_writer *w, const char *gpu)
{
    rp_gpu info;
    rp_error why = {.text = ""};
    rp_status status = RP_OK;
    rp__json_writer_begin(w, "gpus", '[');
    for (size_t i = 0; (status = rp_gpu_get(gpu, i, &info, &why)) == RP_OK; i++) {
        rp__json_writer_begin(w, NULL, '{');
        rp__json_writer_text(w, "name", info.name);
        rp__json_writer_uint(w, "memory", info.memory);
        rp__json_writer_uint(w, "multiprocessors", info.multiprocessors);
        rp__json_writer_bool(w, "is_emulated", info.is_emulated);
        rp__json_writer_end(w, '}');
    }
    rp__json_writer_end(w, ']');
    if (status != RP_NOT_FOUND)
        rp__json_writer_text(w, "no_gpu", why.text);
}

static void print_gpus(const char *gpu)
{
    rp_gpu info;
    rp_error why = {.text = ""};
    rp_status status = RP_OK;
    char memory[RP_FIGURE_BYTES];
    for (size_t i = 0; (status = rp_gpu_get(gpu, i, &info, &why)) == RP_OK; i++)
        printf("gpu %zu      %s, %s, %u multiprocessors\n", i, info.name,
               rp__figures_size(memory, info.memory), info.multiprocessors);
    if (status != RP_NOT_FOUND)
        printf("gpu        none: %s\n", why.text);
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    const doctor_args *args = call->args;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (!console->wants_json) {
        printf("riposte    %s\n", rp_version());
        printf("cpu        %ld cores, %s\n", cores, simd_name());
        print_gpus(args->gpu);
        return RP_OK;
    }
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.doctor/1");
    rp__json_writer_text(&w, "version", rp_version());
    rp__json_writer_uint(&w, "cores", cores > 0 ? (uint64_t)cores : 1);
    rp__json_writer_text(&w, "instructions", simd_name());
    write_gpus(&w, args->gpu);
    rp__json_writer_end(&w, '}');
    rp_status status = rp__console_reply(console, &out, err);
    rp__buf_free(&out);
    return status;
}

const rp__verb rp__cmd_doctor_verb = {
    .name = "doctor",
    .summary = "say what this machine has for searching, and what it lacks",
    .details = "Cores, instruction sets and GPUs; for each thing that is missing, why. Exit code 0 "
               "whatever there is. Takes at most 32 MiB of memory.",
    .examples = "riposte doctor\nriposte doctor --gpu emulated --json\n",
    .groups = groups,
    .args_bytes = sizeof(doctor_args),
    .run = run,
};
