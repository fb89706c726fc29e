/* cmd_bench_gpu.c: riposte bench gpu: every kernel on a card, beside the copy of the same run. */
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "cli/figures.h"
#include "cli/verbs.h"
#include "lab/lab.h"

typedef struct bench_gpu_args {
    rp__common_args common;
    const char *gpu, *cases;
    uint64_t n;
    uint32_t rounds;
} bench_gpu_args;

static const rp__option bench_rows[] = {
    {.name = "gpu",
     .kind = RP_OPTION_TEXT,
     .argument = "NAME",
     .at = offsetof(bench_gpu_args, gpu),
     .help =
         "which GPU: a number, or emulated, whose times mean nothing; otherwise RIPOSTE_GPU, or 0"},
    {.name = "cases",
     .kind = RP_OPTION_TEXT,
     .argument = "WORDS",
     .at = offsetof(bench_gpu_args, cases),
     .help = "only cases that begin so, as 'decode bp128'"},
    {.name = "size",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "67108864",
     .least = 1,
     .most = 1 << 30,
     .at = offsetof(bench_gpu_args, n),
     .help = "elements of a case, about"},
    {.name = "rounds",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "9",
     .least = 1,
     .most = 64,
     .at = offsetof(bench_gpu_args, rounds),
     .help = "how often each is timed, each time with a cold cache"},
    {0},
};

static const rp__option_group groups[] = {
    {"bench", bench_rows, 0},
    {"general", rp__options_common, offsetof(bench_gpu_args, common)},
    {0},
};

typedef struct bench {
    rp__console *console;
    rp__lab_gpu *gpu;
    double copy; /* bytes a second */
    rp__buf out;
    rp__json_writer w;
} bench;

/* Whose steps a kernel takes. */
static const char *origin_of(const rp__lab_case *c)
{
    return c->is_literal ? "literal" : "ours";
}

static void report(bench *b, const rp__lab_case *c, const rp__lab_case_figures *f)
{
    double rate = (double)f->bytes / f->median, share = b->copy > 0 ? rate / b->copy : 1;
    if (b->console->wants_json) {
        rp__json_writer_begin(&b->w, NULL, '{');
        rp__json_writer_text(&b->w, "area", c->area);
        rp__json_writer_text(&b->w, "name", c->name);
        rp__json_writer_text(&b->w, "origin", origin_of(c));
        rp__json_writer_real(&b->w, "median", f->median, 9);
        rp__json_writer_real(&b->w, "best", f->best, 9);
        if (f->cpu > 0)
            rp__json_writer_real(&b->w, "cpu", f->cpu, 9);
        rp__json_writer_uint(&b->w, "bytes", f->bytes);
        rp__json_writer_uint(&b->w, "elements", f->elements);
        rp__json_writer_real(&b->w, "share", share, 4);
        rp__json_writer_end(&b->w, '}');
        return;
    }
    printf("%-10s %-32s %-7s %10.2f %10.2f %9.2f %9.1f %9.2f %7.3f", c->area, c->name, origin_of(c),
           f->median * 1e6, f->best * 1e6, (double)f->bytes / 1e6, rate / 1e9,
           (double)f->elements / f->median / 1e9, share);
    if (f->cpu > 0)
        printf(" %11.1f %7.1f", f->cpu * 1e6, f->cpu / f->median);
    printf("\n");
    rp__console_flush(b->console);
}

static bool is_wanted(const bench_gpu_args *args, const rp__lab_case *c)
{
    char name[128];
    snprintf(name, sizeof name, "%s %s", c->area, c->name);
    return !args->cases || !strncmp(name, args->cases, strlen(args->cases));
}

static rp_status check_cases(const bench_gpu_args *args, rp_error *err)
{
    rp__lab_case c;
    for (size_t i = 0; rp__lab_case_get(i, &c); i++)
        if (is_wanted(args, &c))
            return RP_OK;
    return rp__error_set(err, RP_USAGE, "no case begins with '%s'", args->cases);
}

/* A wrong answer, or a lost card, ends the run; a case that the memory has no room for is passed over. */
static rp_status run_case(bench *b, const bench_gpu_args *args, size_t i, rp_error *err)
{
    rp__lab_case c;
    rp__lab_case_figures f;
    if (!rp__lab_case_get(i, &c))
        return RP_NOT_FOUND;
    if (i > 0 && !is_wanted(args, &c)) /* the first is the copy that all are compared with */
        return RP_OK;
    rp_status status = rp__lab_gpu_run(b->gpu, i, args->n, args->rounds, &f, err);
    if (status == RP_NO_MEMORY) {
        rp__console_note(b->console, "%s %s: no room for it", c.area, c.name);
        return RP_OK;
    }
    if (status != RP_OK)
        return status;
    report(b, &c, &f);
    if (i == 0)
        b->copy = (double)f.bytes / f.median;
    return RP_OK;
}

static rp_status run_all(bench *b, const bench_gpu_args *args, rp_error *err)
{
    rp_status status = RP_OK;
    for (size_t i = 0; status == RP_OK; i++)
        status = run_case(b, args, i, err);
    return status == RP_NOT_FOUND ? RP_OK : status;
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    const bench_gpu_args *args = call->args;
    bench b = {.console = console};
    rp_status status = check_cases(args, err);
    if (status == RP_OK)
        status = rp__lab_gpu_open(args->gpu, &b.gpu, err);
    if (status != RP_OK)
        return status;
    rp__buf_init(&b.out);
    rp__json_writer_init(&b.w, &b.out);
    if (console->wants_json) {
        rp__json_writer_begin(&b.w, NULL, '{');
        rp__json_writer_text(&b.w, "schema", "riposte.bench.gpu/1");
        rp__json_writer_text(&b.w, "gpu", rp__lab_gpu_name(b.gpu));
        rp__json_writer_begin(&b.w, "cases", '[');
    } else {
        printf("%s\n%-43s %-7s %10s %10s %9s %9s %9s %7s %11s %7s\n", rp__lab_gpu_name(b.gpu),
               "case", "origin", "median us", "best us", "MB", "GB/s", "G/s", "of copy", "core us",
               "times");
    }
    status = run_all(&b, args, err);
    if (console->wants_json) {
        rp__json_writer_end(&b.w, ']');
        rp__json_writer_end(&b.w, '}');
        if (status == RP_OK)
            status = rp__console_reply(console, &b.out, err);
    }
    rp__buf_free(&b.out);
    rp__lab_gpu_close(b.gpu);
    return status;
}

const rp__verb rp__cmd_bench_gpu_verb = {
    .name = "bench gpu",
    .summary = "measure kernels on a GPU",
    .details =
        "Each kernel runs on made data, once to have its answer compared with the CPU's, then in "
        "rounds with a cold cache. MB: what it cannot do without, read and written; of copy: the "
        "rate of that over that of the copy kernel in the same run; core us: what one core takes "
        "for the same, reckoned from a part of it where that takes long, and how many times as "
        "long that is.",
    .examples = "riposte bench gpu\nriposte bench gpu --cases 'decode bp128' --json\n",
    .groups = groups,
    .args_bytes = sizeof(bench_gpu_args),
    .run = run,
};
