/* cmd_bench_gpu.c: riposte bench gpu: every kernel on a card, beside the copy of the same run. */
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "cli/bench_source.h"
#include "cli/figures.h"
#include "cli/verbs.h"
#include "lab/bench.h"
#include "lab/lab.h"

typedef struct bench_gpu_args {
    rp__common_args common;
    const char *gpu, *cases;
    rp__bench_source_args of;
    uint64_t n;
    uint32_t rounds;
    rp__lab_given given;
} bench_gpu_args;

enum { RATIO, BUCKET, THREADS, LEVELS, C, EXCEPTIONS }; /* as rp__lab_param_name has them */

#define PARAM(name_, number, argument_, help_)                                                     \
    {                                                                                              \
        .name = (name_), .kind = RP_OPTION_REAL, .argument = (argument_), .most = 1e9,             \
        .at = offsetof(bench_gpu_args, given.value[number]), .has_value = true,                    \
        .has_at = offsetof(bench_gpu_args, given.has[number]), .help = (help_)                     \
    }

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
     .help = "only cases that begin so, as 'decode bp128'; several with semicolons between"},
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

static const rp__option param_rows[] = {
    PARAM("ratio", RATIO, "N", "intersect: how many times longer one list is than the other"),
    PARAM("bucket", BUCKET, "N", "intersect hs: docids of a bucket, on average at most"),
    PARAM("threads", THREADS, "N", "intersect, decode qs step by step: threads of a block"),
    PARAM("levels", LEVELS, "N", "intersect pmf, decode pfd_rec: levels"),
    PARAM("c", C, "X", "decode qs: low parts have log2(c * mean gap) bits"),
    PARAM("exceptions", EXCEPTIONS, "X",
          "decode pfd, newpfd, parapfor, pfd_rec, lrc and its kin: share of values that become "
          "exceptions"),
    {0},
};

static const rp__option_group groups[] = {
    {"bench", bench_rows, 0},
    {"parameters of cases", param_rows, 0},
    {"lists of an index", rp__bench_source_rows, offsetof(bench_gpu_args, of)},
    {"general", rp__options_common, offsetof(bench_gpu_args, common)},
    {0},
};

typedef struct bench {
    rp__console *console;
    const bench_gpu_args *args;
    rp__lab_gpu *gpu;
    double copy; /* bytes a second */
    rp__bench_source of;
    rp__lab_given given;
    rp__buf out;
    rp__json_writer w;
} bench;

/* Whose steps a kernel takes. */
static const char *origin_of(const rp__lab_case *c)
{
    return c->is_literal ? "literal" : "ours";
}

/* ---- Results --------------------------------------------------------------------------------- */

static void write_launches(rp__json_writer *w, const rp__lab_case_figures *f)
{
    const size_t max = sizeof f->launches / sizeof f->launches[0];
    rp__json_writer_begin(w, "launches", '[');
    for (size_t i = 0; i < f->n_launches && i < max; i++)
        rp__json_writer_real(w, NULL, f->launches[i], 9);
    rp__json_writer_end(w, ']');
}

static void write_case(bench *b, const rp__lab_case *c, const rp__lab_case_figures *f, double share)
{
    rp__json_writer_begin(&b->w, NULL, '{');
    rp__json_writer_text(&b->w, "area", c->area);
    rp__json_writer_text(&b->w, "name", f->name);
    rp__json_writer_text(&b->w, "case", c->name);
    rp__json_writer_text(&b->w, "origin", origin_of(c));
    rp__json_writer_real(&b->w, "median", f->median, 9);
    rp__json_writer_real(&b->w, "best", f->best, 9);
    write_launches(&b->w, f);
    if (f->cpu > 0)
        rp__json_writer_real(&b->w, "cpu", f->cpu, 9);
    rp__json_writer_uint(&b->w, "bytes", f->bytes);
    rp__json_writer_uint(&b->w, "elements", f->elements);
    rp__json_writer_real(&b->w, "share", share, 4);
    rp__json_writer_end(&b->w, '}');
}

static void report(bench *b, const rp__lab_case *c, const rp__lab_case_figures *f)
{
    double rate = (double)f->bytes / f->median, share = b->copy > 0 ? rate / b->copy : 1;
    if (b->console->wants_json) {
        write_case(b, c, f, share);
        return;
    }
    printf("%-10s %-32s %-7s %10.2f %10.2f %9.2f %9.1f %9.2f %7.3f", c->area, f->name, origin_of(c),
           f->median * 1e6, f->best * 1e6, (double)f->bytes / 1e6, rate / 1e9,
           (double)f->elements / f->median / 1e9, share);
    if (f->cpu > 0)
        printf(" %11.1f %7.1f", f->cpu * 1e6, f->cpu / f->median);
    printf("\n");
    rp__console_flush(b->console);
}

/* ---- Reading options ------------------------------------------------------------------------- */

/* Of --cases, the one from `words` on; the next one, or NULL. */
static const char *next_words(const char *words)
{
    const char *end = strchr(words, ';');
    return end ? end + 1 : NULL;
}

static size_t words_bytes(const char *words)
{
    return strcspn(words, ";");
}

static bool begins(const char *area, const char *name, const char *words)
{
    char whole[128];
    snprintf(whole, sizeof whole, "%s %s", area, name);
    return !strncmp(whole, words, words_bytes(words));
}

static bool is_wanted(const bench_gpu_args *args, const rp__lab_case *c)
{
    for (const char *words = args->cases; words; words = next_words(words))
        if (begins(c->area, c->name, words))
            return true;
    return !args->cases;
}

/* A row of PARA may be meant. */
static bool is_para(const char *words)
{
    const char *area = "para ";
    const size_t n = words_bytes(words), most = strlen(area);
    return !strncmp(words, area, n < most ? n : most);
}

static bool wants_para(const bench_gpu_args *args)
{
    for (const char *words = args->cases; words; words = next_words(words))
        if (is_para(words))
            return true;
    return !args->cases;
}

/* The first is the copy that all are compared with. */
static bool is_run(const bench *b, size_t i)
{
    rp__lab_case c;
    return rp__lab_case_get(i, &c) &&
           (i == 0 ||
            (is_wanted(b->args, &c) && (!b->of.lists || rp__lab_case_takes(i, b->of.lists))));
}

/* Whether words are the beginning of a case other than PARA. */
static bool is_case(const char *words)
{
    rp__lab_case c;
    for (size_t i = 0; rp__lab_case_get(i, &c); i++)
        if (begins(c.area, c.name, words))
            return true;
    return false;
}

/* No method of PARA begins so; the message lists them. */
static rp_status refuse_para(const char *words, rp_error *err)
{
    char names[160] = "";
    const char *method;
    for (size_t i = 0, n = 0; (method = rp__bench_para_method(i)) && n < sizeof names; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? "|" : "", method);
    return rp__error_set(err, RP_USAGE, "no case begins with '%.*s'; PARA has %s",
                         (int)words_bytes(words), words, names);
}

/* Words that are of PARA alone: it has such a method, for which there are queries. */
static rp_status check_para(bench *b, const char *words, const rp__call *call, rp_error *err)
{
    const char *method;
    for (size_t i = 0; (method = rp__bench_para_method(i)); i++)
        if (begins("para", method, words))
            return call->n_operands > 1
                       ? RP_OK
                       : rp__console_usage(
                             b->console, err, "riposte bench gpu my.rip queries.tsv --cases para",
                             "--cases '%.*s' needs QUERIES", (int)words_bytes(words), words);
    return refuse_para(words, err);
}

/* Each of --cases must be the beginning of one. */
static rp_status check_cases(bench *b, const rp__call *call, rp_error *err)
{
    rp_status status = RP_OK;
    for (const char *words = b->args->cases; words && status == RP_OK; words = next_words(words)) {
        if (is_case(words))
            continue;
        status = is_para(words) ? check_para(b, words, call, err)
                                : rp__error_set(err, RP_USAGE, "no case begins with '%.*s'",
                                                (int)words_bytes(words), words);
    }
    return status;
}

/* Where words are of PARA alone, the index must have what one of its methods reads. */
static rp_status check_methods(const bench *b, rp_error *err)
{
    for (const char *words = b->args->cases; words; words = next_words(words)) {
        const char *method;
        rp_error why = {.text = ""};
        rp_status status = RP_USAGE;
        if (is_case(words))
            continue;
        for (size_t i = 0; status != RP_OK && (method = rp__bench_para_method(i)); i++)
            if (begins("para", method, words))
                status = rp__bench_para_check(b->of.index, method, &why);
        if (status != RP_OK)
            return rp__error_set(err, status, "%s", why.text);
    }
    return RP_OK;
}

/* A parameter that is given must be that of a case, and in its range. */
static rp_status check_params(const bench *b, rp_error *err)
{
    rp__lab_case c;
    bool is_used[RP_LAB_PARAMS] = {false};
    rp_status status = RP_OK;
    for (size_t i = 0; rp__lab_case_get(i, &c) && status == RP_OK; i++) {
        if (!is_wanted(b->args, &c))
            continue;
        for (size_t p = 0; p < RP_LAB_PARAMS; p++)
            is_used[p] = is_used[p] || rp__lab_case_has(i, p);
        status = rp__lab_case_check(i, &b->args->given, err);
    }
    for (size_t p = 0; p < RP_LAB_PARAMS && status == RP_OK; p++)
        if (b->args->given.has[p] && !is_used[p])
            status = rp__error_set(err, RP_USAGE, "no case that is wanted has the parameter --%s",
                                   rp__lab_param_name(p));
    return status;
}

/* ---- Cases ----------------------------------------------------------------------------------- */

/* A wrong answer, or a lost card, ends the run; a case that the memory has no room for is passed over. */
static rp_status run_case(bench *b, size_t i, rp_error *err)
{
    const bench_gpu_args *args = b->args;
    rp__lab_case c;
    rp__lab_case_figures f;
    rp__lab_given given = args->given;
    if (!rp__lab_case_get(i, &c))
        return RP_NOT_FOUND;
    if (!is_run(b, i))
        return RP_OK;
    given.source = b->of.lists;
    rp_status status = rp__lab_gpu_run_given(b->gpu, i, &given, args->n, args->rounds, &f, err);
    if (status == RP_NO_MEMORY || status == RP_NOT_FOUND) {
        rp__console_note(b->console, "%s %s: %s", c.area, c.name,
                         status == RP_NO_MEMORY ? "no room for it" : "no list that it can have");
        return RP_OK;
    }
    if (status != RP_OK)
        return status;
    report(b, &c, &f);
    if (i == 0)
        b->copy = (double)f.bytes / f.median;
    return RP_OK;
}

/* PARA over the queries, by a method whose lists the index has. */
static rp_status run_para(bench *b, rp__bench_para *para, const char *method, rp_error *err)
{
    enum { ELEMENTS = 1 << 20 };
    const rp__lab_case c = {
        .area = "para", .name = method, .is_literal = rp__bench_para_from(method).is_literal};
    const uint64_t elements = b->args->n < ELEMENTS ? b->args->n : ELEMENTS;
    rp__bench_para_figures p;
    rp_error why = {.text = ""};
    if (!is_wanted(b->args, &c) || rp__bench_para_check(b->of.index, method, &why) != RP_OK)
        return RP_OK;
    rp_status status = rp__bench_para_run(para, method, elements, &p, err);
    if (status != RP_OK)
        return status;
    rp__lab_case_figures f = {.median = p.kernels,
                              .best = p.kernels,
                              .cpu = p.cpu,
                              .bytes = (uint64_t)(4 * (p.elements + p.found)),
                              .elements = (uint64_t)p.elements,
                              .n_launches = 2,
                              .launches = {p.search, p.kernels - p.search}};
    snprintf(f.name, sizeof f.name, "%s", method);
    report(b, &c, &f);
    return RP_OK;
}

static rp_status run_paras(bench *b, rp_error *err)
{
    const rp__bench_para_options options = {
        .gpu = b->args->gpu, .batches = 1, .rounds = b->args->rounds};
    const char *method;
    rp__bench_para *para = NULL;
    if (!b->of.options.queries || !wants_para(b->args))
        return RP_OK;
    rp_status status = rp__bench_para_open(b->of.index, &b->of.queries, &options, &para, err);
    for (size_t i = 0; status == RP_OK && (method = rp__bench_para_method(i)); i++)
        status = run_para(b, para, method, err);
    rp__bench_para_free(para);
    return status;
}

static rp_status run_all(bench *b, rp_error *err)
{
    rp_status status = RP_OK;
    for (size_t i = 0; status == RP_OK; i++)
        status = run_case(b, i, err);
    return status == RP_NOT_FOUND ? run_paras(b, err) : status;
}

/* ---- The verb -------------------------------------------------------------------------------- */

/* Of cases that have them: a line above the table. */
static void print_params(const bench *b)
{
    bool is_any = false;
    for (size_t p = 0; p < RP_LAB_PARAMS; p++) {
        if (!b->args->given.has[p])
            continue;
        printf("%s%s %g",
               is_any ? ", " : "parameters of cases that have them: ", rp__lab_param_name(p),
               b->args->given.value[p]);
        is_any = true;
    }
    if (is_any)
        printf("\n");
}

static void begin_results(bench *b)
{
    if (!b->console->wants_json) {
        printf("%s\n", rp__lab_gpu_name(b->gpu));
        print_params(b);
        printf("%-43s %-7s %10s %10s %9s %9s %9s %7s %11s %7s\n", "case", "origin", "median us",
               "best us", "MB", "GB/s", "G/s", "of copy", "core us", "times");
        return;
    }
    rp__json_writer_begin(&b->w, NULL, '{');
    rp__json_writer_text(&b->w, "schema", "riposte.bench.gpu/1");
    rp__json_writer_text(&b->w, "gpu", rp__lab_gpu_name(b->gpu));
    rp__json_writer_begin(&b->w, "parameters", '{');
    for (size_t p = 0; p < RP_LAB_PARAMS; p++)
        if (b->args->given.has[p])
            rp__json_writer_real(&b->w, rp__lab_param_name(p), b->args->given.value[p], 4);
    rp__json_writer_end(&b->w, '}');
    rp__json_writer_begin(&b->w, "cases", '[');
}

/* A method of PARA that is wanted and whose data the index lacks: `why` says what makes them. */
static bool is_left_out(const bench *b, const char *method, rp_error *why)
{
    const rp__lab_case c = {.area = "para", .name = method};
    return b->of.options.queries && is_wanted(b->args, &c) &&
           rp__bench_para_check(b->of.index, method, why) != RP_OK;
}

static void print_left_out(const bench *b)
{
    const char *method;
    for (size_t i = 0; (method = rp__bench_para_method(i)); i++) {
        rp_error why = {.text = ""};
        if (is_left_out(b, method, &why))
            printf("para %s is left out: %s\n", method, why.text);
    }
}

static void write_left_out(bench *b)
{
    const char *method;
    rp__json_writer_begin(&b->w, "left_out", '[');
    for (size_t i = 0; (method = rp__bench_para_method(i)); i++) {
        rp_error why = {.text = ""};
        if (!is_left_out(b, method, &why))
            continue;
        rp__json_writer_begin(&b->w, NULL, '{');
        rp__json_writer_text(&b->w, "area", "para");
        rp__json_writer_text(&b->w, "case", method);
        rp__json_writer_text(&b->w, "why", why.text);
        rp__json_writer_end(&b->w, '}');
    }
    rp__json_writer_end(&b->w, ']');
}

static rp_status end_results(bench *b, rp_error *err)
{
    if (!b->console->wants_json) {
        print_left_out(b);
        return RP_OK;
    }
    rp__json_writer_end(&b->w, ']');
    write_left_out(b);
    rp__json_writer_end(&b->w, '}');
    return rp__console_reply(b->console, &b->out, err);
}

static rp_status open_bench(bench *b, const rp__call *call, rp_error *err)
{
    rp_status status = check_cases(b, call, err);
    if (status == RP_OK)
        status = check_params(b, err);
    if (status == RP_OK)
        status = rp__bench_source_check(&b->of, b->console, &b->args->of, call, err);
    if (status == RP_OK)
        status = rp__lab_gpu_open(b->args->gpu, &b->gpu, err);
    if (status == RP_OK)
        status = rp__bench_source_open(&b->of, &b->args->of, b->args->n, call, err);
    return status == RP_OK ? check_methods(b, err) : status;
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    bench b = {.console = console, .args = call->args};
    rp__buf_init(&b.out);
    rp__json_writer_init(&b.w, &b.out);
    rp_status status = open_bench(&b, call, err);
    if (status == RP_OK) {
        begin_results(&b);
        status = run_all(&b, err);
    }
    if (status == RP_OK)
        status = end_results(&b, err);
    rp__buf_free(&b.out);
    rp__bench_source_free(&b.of);
    rp__lab_gpu_close(b.gpu);
    return status;
}

const rp__verb rp__cmd_bench_gpu_verb = {
    .name = "bench gpu",
    .summary = "measure kernels on a GPU",
    .operands = {"[DIR]", "[QUERIES]"},
    .details =
        "Each kernel runs on made data, once to have its answer compared with the CPU's, then in "
        "rounds with a cold cache. MB: what it cannot do without, read and written; of copy: the "
        "rate of that over that of the copy kernel in the same run; core us: what one core takes "
        "for the same, reckoned from a part of it where that takes long, and how many times as "
        "long that is. With DIR, kernels that decode, intersect and select run on lists of the "
        "index: with QUERIES on those of their terms, two of a query at a time, and PARA on the "
        "queries (methods whose data it lacks are listed, with what makes them); otherwise on all "
        "of them, the longest with one of about the ratio. Parameters "
        "concern the cases that have them, and stand in their names.",
    .examples = "riposte bench gpu\nriposte bench gpu --cases 'decode bp128' --json\n"
                "riposte bench gpu my.rip queries.tsv --cases 'intersect hs' --bucket 32\n",
    .groups = groups,
    .args_bytes = sizeof(bench_gpu_args),
    .run = run,
};
