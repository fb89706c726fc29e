/* cli/verbs.h: the verbs of the program, in the order in which help lists them. */
#ifndef RP_CLI_VERBS_H
#define RP_CLI_VERBS_H

#include "cli/options.h"

/* Each is the row of its own file. */
extern const rp__verb rp__cmd_index_verb, rp__cmd_search_verb, rp__cmd_batch_verb,
    rp__cmd_eval_verb, rp__cmd_bench_serve_verb, rp__cmd_stats_verb, rp__cmd_check_verb,
    rp__cmd_recode_verb, rp__cmd_reorder_verb, rp__cmd_dump_verb, rp__cmd_import_verb,
    rp__cmd_export_verb, rp__cmd_synth_verb, rp__cmd_sim_verb, rp__cmd_bench_verb,
    rp__cmd_bench_codecs_verb, rp__cmd_bench_queries_verb, rp__cmd_bench_answers_verb,
    rp__cmd_bench_intersections_verb, rp__cmd_bench_cuts_verb, rp__cmd_bench_gpu_verb,
    rp__cmd_bench_para_verb, rp__cmd_bench_dram_verb, rp__cmd_load_verb, rp__cmd_calibrate_verb,
    rp__cmd_demo_verb, rp__cmd_doctor_verb, rp__cmd_version_verb, rp__cmd_help_verb,
    rp__cmd_completion_verb, rp__cmd_get_verb, rp__cmd_suggest_verb, rp__cmd_analyze_verb,
    rp__cmd_serve_verb;

/* The i-th verb; NULL after the last. */
const rp__verb *rp__verbs_at(size_t i);
/* The verb that the first words name, the longest there is, and how many words that takes; NULL:
 * none. */
const rp__verb *rp__verbs_find(char *const *words, size_t n_words, size_t *used);
/* The "codecs" of "bench codecs"; NULL: the verb is one word. */
const char *rp__verbs_second_word(const rp__verb *verb);
/* RP_USAGE for a name that is no verb, with the nearest that is. */
rp_status rp__verbs_refuse(rp__console *console, const char *name, rp_error *err);

#endif
