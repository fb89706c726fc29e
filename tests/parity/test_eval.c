/* test_eval.c: rp_eval against what trec_eval 9.0.4 printed for the runs of the data, to the last
 * printed digit: every topic, every measure that both know. Data that are not there are skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "riposte/eval.h"

/* All that trec_eval has of ours. */
static const char measures[] =
    "num_ret,num_rel,num_rel_ret,map,gm_map,Rprec,bpref,recip_rank,iprec_at_recall,P,recall,"
    "gm_bpref,11pt_avg,ndcg,ndcg_cut,map_cut,success,set_P,set_recall,set_F";

static void make_path(char *out, size_t cap, const char *set, const char *file)
{
    const char *data = getenv("RIPOSTE_DATA");
    snprintf(out, cap, "%s/%s/%s", data ? data : "../shared/data", set, file);
}

static size_t find_measure(const rp_eval *e, const char *name)
{
    size_t m = 0;
    while (m < rp_eval_n_measures(e) && strcmp(rp_eval_measure(e, m), name) != 0)
        m++;
    return m;
}

static void assert_printed(const rp_eval *e, size_t m, double value, const char *expected)
{
    char text[32];
    snprintf(text, sizeof text, rp_eval_is_count(e, m) ? "%.0f" : "%.4f", value);
    assert_string_equal(text, expected);
}

/* Compares each line of the stored output that names a measure of ours; returns how many. */
static size_t compare(const rp_eval *e, const char *path)
{
    char line[8192], name[64], qid[64], value[64];
    size_t compared = 0, topic = 0;
    gzFile in = gzopen(path, "rb");
    assert_non_null(in);
    while (gzgets(in, line, sizeof line)) {
        if (sscanf(line, "%63s %63s %63s", name, qid, value) != 3)
            continue;
        size_t m = find_measure(e, name);
        if (m == rp_eval_n_measures(e))
            continue;
        bool is_total = strcmp(qid, "all") == 0;
        for (size_t left = rp_eval_n_topics(e); !is_total && left; left--) {
            if (strcmp(rp_eval_topic(e, topic), qid) == 0)
                break;
            topic = (topic + 1) % rp_eval_n_topics(e);
        }
        if (!is_total)
            assert_string_equal(rp_eval_topic(e, topic), qid);
        assert_printed(e, m, is_total ? rp_eval_total(e, m) : rp_eval_value(e, topic, m), value);
        compared++;
    }
    gzclose(in);
    return compared;
}

static void check(const char *set, const char *run, const char *stored, bool complete,
                  size_t measures_a_topic)
{
    char qrels_path[1024], run_path[1024], stored_path[1024];
    rp_error err = {0};
    rp_eval *e = NULL;
    make_path(qrels_path, sizeof qrels_path, set, "qrels.txt.gz");
    make_path(run_path, sizeof run_path, set, run);
    make_path(stored_path, sizeof stored_path, set, stored);
    if (access(stored_path, R_OK) != 0) {
        print_message("%s is not there\n", stored_path);
        skip();
    }
    rp_eval_options options = {.measures = measures, .complete = complete};
    assert_int_equal(rp_eval_files(qrels_path, run_path, &options, &e, &err), RP_OK);
    size_t compared = compare(e, stored_path);
    assert_true(compared >= rp_eval_n_measures(e));
    assert_true(compared >= rp_eval_n_topics(e) * measures_a_topic);
    rp_eval_free(e);
}

static void test_reference_runs(void **state)
{
    (void)state;
    check("cranfield", "ref-bm25.run.gz", "ref-bm25.trec_eval.gz", false, 60);
    check("cacm", "ref-bm25.run.gz", "ref-bm25.trec_eval.gz", false, 60);
    check("cisi", "ref-bm25.run.gz", "ref-bm25.trec_eval.gz", false, 60);
    check("scifact", "ref-bm25.run.gz", "ref-bm25.trec_eval.gz", false, 60);
}

static void test_runs_full_of_ties(void **state)
{
    (void)state;
    check("cranfield", "ties.run.gz", "ties.trec_eval.gz", false, 60);
    check("scifact", "ties.run.gz", "ties.trec_eval.gz", false, 60);
}

static void test_complete_averages(void **state)
{
    (void)state;
    check("cranfield", "ties.run.gz", "ties-c.trec_eval.gz", true, 0);
    check("scifact", "ties.run.gz", "ties-c.trec_eval.gz", true, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_runs),
        cmocka_unit_test(test_runs_full_of_ties),
        cmocka_unit_test(test_complete_averages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
