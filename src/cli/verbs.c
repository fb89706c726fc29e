/* verbs.c: the table of verbs. A new verb is a file cmd_<verb>.c and a row here; a verb of two words,
 * as "bench codecs", is cmd_bench_codecs.c. */
#include "cli/verbs.h"

#include <string.h>

#include "base/error.h"

static const rp__verb *const verbs[] = {
    &rp__cmd_index_verb,
    &rp__cmd_search_verb,
    &rp__cmd_get_verb,
    &rp__cmd_suggest_verb,
    &rp__cmd_batch_verb,
    &rp__cmd_serve_verb,
    &rp__cmd_eval_verb,
    &rp__cmd_bench_serve_verb,
    &rp__cmd_stats_verb,
    &rp__cmd_analyze_verb,
    &rp__cmd_dump_verb,
    &rp__cmd_check_verb,
    &rp__cmd_recode_verb,
    &rp__cmd_reorder_verb,
    &rp__cmd_import_verb,
    &rp__cmd_export_verb,
    &rp__cmd_synth_verb,
    &rp__cmd_sim_verb,
    &rp__cmd_bench_verb,
    &rp__cmd_bench_codecs_verb,
    &rp__cmd_bench_queries_verb,
    &rp__cmd_bench_answers_verb,
    &rp__cmd_bench_intersections_verb,
    &rp__cmd_bench_cuts_verb,
    &rp__cmd_bench_gpu_verb,
    &rp__cmd_bench_para_verb,
    &rp__cmd_bench_dram_verb,
    &rp__cmd_load_verb,
    &rp__cmd_calibrate_verb,
    &rp__cmd_demo_verb,
    &rp__cmd_doctor_verb,
    &rp__cmd_help_verb,
    &rp__cmd_version_verb,
    &rp__cmd_completion_verb,
    NULL,
};

const rp__verb *rp__verbs_at(size_t i)
{
    return verbs[i];
}

/* Whether the verb's name is the first words, and how many they are; 0: it is not. */
static size_t match(const rp__verb *verb, char *const *words, size_t n_words)
{
    const char *name = verb->name;
    for (size_t n = 0; n < n_words; n++) {
        size_t bytes = strlen(words[n]);
        if (strncmp(name, words[n], bytes) != 0 || (name[bytes] != ' ' && name[bytes] != 0))
            return 0;
        if (name[bytes] == 0)
            return n + 1;
        name += bytes + 1;
    }
    return 0;
}

const rp__verb *rp__verbs_find(char *const *words, size_t n_words, size_t *used)
{
    const rp__verb *best = NULL;
    *used = 0;
    for (size_t i = 0; verbs[i]; i++) {
        size_t n = match(verbs[i], words, n_words);
        if (n > *used) {
            *used = n;
            best = verbs[i];
        }
    }
    return best;
}

const char *rp__verbs_second_word(const rp__verb *verb)
{
    const char *blank = strchr(verb->name, ' ');
    return blank ? blank + 1 : NULL;
}

rp_status rp__verbs_refuse(rp__console *console, const char *name, rp_error *err)
{
    rp__nearest near = {0};
    for (size_t i = 0; verbs[i]; i++)
        rp__options_nearest(&near, name, verbs[i]->name);
    snprintf(console->remedy, sizeof console->remedy, "riposte %s", near.name ? near.name : "help");
    return rp__error_set(err, RP_USAGE, "unknown verb \"%s\"", name);
}
