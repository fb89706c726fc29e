/* cmd_eval.c: riposte eval: how good a run is, printed as trec_eval prints. */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "cli/verbs.h"
#include "riposte/eval.h"

typedef struct eval_args {
    rp__common_args common;
    const char *metrics;
    bool per_query, complete;
    uint32_t level;
    double persistence;
} eval_args;

static const rp__option eval_rows[] = {
    {.name = "metrics",
     .letter = 'm',
     .kind = RP_OPTION_TEXT,
     .argument = "LIST",
     .at = offsetof(eval_args, metrics),
     .help = "measures parted by commas, such as map,ndcg_cut_10,P_20; P alone is P at all the "
             "usual cuts"},
    {.name = "per-query",
     .letter = 'q',
     .kind = RP_OPTION_FLAG,
     .at = offsetof(eval_args, per_query),
     .help = "each topic's values too"},
    {.name = "complete",
     .letter = 'c',
     .kind = RP_OPTION_FLAG,
     .at = offsetof(eval_args, complete),
     .help = "average over all judged topics: one that the run leaves out counts as empty"},
    {.name = "level",
     .letter = 'l',
     .kind = RP_OPTION_COUNT32,
     .argument = "GRADE",
     .initial = "1",
     .least = 1,
     .most = 127,
     .at = offsetof(eval_args, level),
     .help = "the least grade that is relevant"},
    {.name = "persistence",
     .kind = RP_OPTION_REAL,
     .argument = "P",
     .initial = "0.8",
     .least = 0.01,
     .most = 0.99,
     .at = offsetof(eval_args, persistence),
     .help = "of rbp"},
    {0},
};

static const rp__option_group groups[] = {
    {"eval", eval_rows, 0},
    {"general", rp__options_common, offsetof(eval_args, common)},
    {0},
};

static void print_value(const rp_eval *eval, size_t measure, const char *topic, double value)
{
    printf("%-22s\t", rp_eval_measure(eval, measure));
    rp__console_put(stdout, topic, strlen(topic));
    if (rp_eval_is_count(eval, measure))
        printf("\t%.0f\n", value);
    else
        printf("\t%6.4f\n", value);
}

static void print_text(const rp_eval *eval, bool per_query)
{
    for (size_t t = 0; per_query && t < rp_eval_n_topics(eval); t++)
        for (size_t m = 0; m < rp_eval_n_measures(eval); m++)
            if (!rp_eval_is_overall(eval, m))
                print_value(eval, m, rp_eval_topic(eval, t), rp_eval_value(eval, t, m));
    const char *name = rp_eval_run_name(eval);
    printf("%-22s\tall\t", "runid");
    rp__console_put(stdout, name, strlen(name));
    printf("\n%-22s\tall\t%zu\n", "num_q", rp_eval_n_topics(eval));
    for (size_t m = 0; m < rp_eval_n_measures(eval); m++)
        print_value(eval, m, "all", rp_eval_total(eval, m));
}

static void write_value(rp__json_writer *w, const rp_eval *eval, size_t m, double value)
{
    if (rp_eval_is_count(eval, m))
        rp__json_writer_uint(w, rp_eval_measure(eval, m), (uint64_t)value);
    else
        rp__json_writer_real(w, rp_eval_measure(eval, m), value, 6);
}

static rp_status write_json(rp__console *console, const rp_eval *eval, bool per_query,
                            rp_error *err)
{
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.eval/1");
    rp__json_writer_text(&w, "run", rp_eval_run_name(eval));
    rp__json_writer_uint(&w, "topics", rp_eval_n_topics(eval));
    rp__json_writer_begin(&w, "all", '{');
    for (size_t m = 0; m < rp_eval_n_measures(eval); m++)
        write_value(&w, eval, m, rp_eval_total(eval, m));
    rp__json_writer_end(&w, '}');
    if (per_query)
        rp__json_writer_begin(&w, "queries", '[');
    for (size_t t = 0; per_query && t < rp_eval_n_topics(eval); t++) {
        rp__json_writer_begin(&w, NULL, '{');
        rp__json_writer_text(&w, "qid", rp_eval_topic(eval, t));
        for (size_t m = 0; m < rp_eval_n_measures(eval); m++)
            if (!rp_eval_is_overall(eval, m))
                write_value(&w, eval, m, rp_eval_value(eval, t, m));
        rp__json_writer_end(&w, '}');
    }
    if (per_query)
        rp__json_writer_end(&w, ']');
    rp__json_writer_end(&w, '}');
    rp_status status = rp__console_reply(console, &out, err);
    rp__buf_free(&out);
    return status;
}

/* The measure that was meant by a name that is none; a number behind it does not matter. */
static void suggest(rp__console *console, const rp_error *err)
{
    const char *name = strchr(err->text, '"');
    rp__nearest near = {0};
    char word[64] = "";
    if (name)
        snprintf(word, sizeof word, "%.*s", (int)strcspn(name + 1, "\"0123456789"), name + 1);
    for (size_t i = 0; rp_eval_measure_name(i); i++)
        rp__options_nearest(&near, word, rp_eval_measure_name(i));
    if (near.name)
        snprintf(console->remedy, sizeof console->remedy, "--metrics %s%s", near.name,
                 near.name[strlen(near.name) - 1] == '_' ? "10" : "");
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    const eval_args *args = call->args;
    rp_eval_options options = {.measures = args->metrics,
                               .complete = args->complete,
                               .level = (int)args->level,
                               .persistence = args->persistence};
    rp_eval *eval = NULL;
    rp_status status = rp_eval_files(call->operands[0], call->operands[1], &options, &eval, err);
    if (status == RP_USAGE)
        suggest(console, err);
    if (status == RP_OK && console->wants_json)
        status = write_json(console, eval, args->per_query, err);
    else if (status == RP_OK)
        print_text(eval, args->per_query);
    rp_eval_free(eval);
    return status;
}

const rp__verb rp__cmd_eval_verb = {
    .name = "eval",
    .summary = "measure a run against judgments",
    .operands = {"QRELS", "RUN"},
    .details =
        "Prints what trec_eval prints, by its rules: scores count as float32, equal scores rank "
        "by falling document id, ranks written in the run count for nothing, and the average is "
        "over topics that are in both files. Files may be compressed; - is standard input. "
        "Measures: num_ret num_rel num_rel_ret map gm_map Rprec bpref gm_bpref recip_rank P_K "
        "recall_K ndcg ndcg_cut_K map_cut_K success_K iprec_at_recall_R 11pt_avg set_P set_recall "
        "set_F rbp. Both files are read into memory, at most 1 GiB in all; larger ones end with "
        "exit "
        "code 7.",
    .examples = "riposte eval qrels.txt my.run\n"
                "riposte eval qrels.txt my.run --metrics map,ndcg_cut_10 --per-query\n"
                "riposte batch my.rip topics.tsv | riposte eval qrels.txt -\n",
    .groups = groups,
    .args_bytes = sizeof(eval_args),
    .run = run,
};
