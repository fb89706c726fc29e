/* test_eval.c: measures worked out by hand, trec_eval's rules for ties and topics, bad lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "riposte/eval.h"

static char folder[] = "/tmp/riposte-eval-XXXXXX";

static const char *put(const char *name, const char *text)
{
    static char path[2][64];
    static size_t turn;
    char *to = path[turn++ % 2];
    snprintf(to, sizeof path[0], "%s/%s", folder, name);
    FILE *f = fopen(to, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return to;
}

static rp_eval *eval_of(const char *qrels, const char *run, const rp_eval_options *options)
{
    rp_error err = {0};
    rp_eval *e = NULL;
    assert_int_equal(rp_eval_files(put("qrels", qrels), put("run", run), options, &e, &err), RP_OK);
    return e;
}

static double total(const char *qrels, const char *run, const char *measure)
{
    rp_eval_options options = {.measures = measure};
    rp_eval *e = eval_of(qrels, run, &options);
    double value = rp_eval_total(e, 0);
    rp_eval_free(e);
    return value;
}

static void assert_near(double a, double b)
{
    assert_true(fabs(a - b) < 1e-12);
}

/* Four judged: a 2, b 1, c 0, d 1. Retrieved in order: c, a, x (not judged), d. */
#define QRELS "1 0 a 2\n1 0 b 1\n1 0 c 0\n1 0 d 1\n"
#define RUN   "1 Q0 c 1 9 t\n1 Q0 a 2 8 t\n1 Q0 x 3 7 t\n1 Q0 d 4 6 t\n"

static void test_by_hand(void **state)
{
    (void)state;
    assert_near(total(QRELS, RUN, "num_ret"), 4);
    assert_near(total(QRELS, RUN, "num_rel"), 3);
    assert_near(total(QRELS, RUN, "num_rel_ret"), 2);
    assert_near(total(QRELS, RUN, "map"), (1 / 2.0 + 2 / 4.0) / 3);
    assert_near(total(QRELS, RUN, "map_cut_2"), 1 / 2.0 / 3);
    assert_near(total(QRELS, RUN, "Rprec"), 1 / 3.0);
    assert_near(total(QRELS, RUN, "bpref"), 0); /* the one judged not relevant stands first */
    assert_near(total(QRELS, RUN, "recip_rank"), 1 / 2.0);
    assert_near(total(QRELS, RUN, "P_5"), 2 / 5.0);
    assert_near(total(QRELS, RUN, "recall_3"), 1 / 3.0);
    assert_near(total(QRELS, RUN, "success_1"), 0);
    assert_near(total(QRELS, RUN, "success_2"), 1);
    double gain = 2 / log2(3) + 1 / log2(5), ideal = 2 + 1 / log2(3) + 1 / log2(4);
    assert_near(total(QRELS, RUN, "ndcg"), gain / ideal);
    assert_near(total(QRELS, RUN, "ndcg_cut_2"), 2 / log2(3) / (2 + 1 / log2(3)));
    assert_near(total(QRELS, RUN, "iprec_at_recall_0.00"), 1 / 2.0);
    assert_near(total(QRELS, RUN, "rbp"), 0.2 * (0.8 + 0.8 * 0.8 * 0.8));
    assert_near(total(QRELS, RUN, "set_F"), 2 * (2 / 4.0) * (2 / 3.0) / (2 / 4.0 + 2 / 3.0));
}

static void test_level_and_persistence(void **state)
{
    (void)state;
    rp_eval_options options = {.measures = "num_rel,rbp", .level = 2, .persistence = 0.5};
    rp_eval *e = eval_of(QRELS, RUN, &options);
    assert_near(rp_eval_total(e, 0), 1);
    assert_near(rp_eval_total(e, 1), 0.25);
    rp_eval_free(e);
}

/* Written ranks count for nothing; equal scores rank by falling docno. */
static void test_ties(void **state)
{
    (void)state;
    assert_near(total("1 0 a 1\n", "1 Q0 a 1 5 t\n1 Q0 b 2 5 t\n", "recip_rank"), 0.5);
    assert_near(total("1 0 b 1\n", "1 Q0 a 1 5 t\n1 Q0 b 2 5 t\n", "recip_rank"), 1);
}

/* Scores that differ only beyond float32 are equal. */
static void test_scores_are_floats(void **state)
{
    (void)state;
    const char run[] = "1 Q0 a 1 16777217.5 t\n1 Q0 b 2 16777217 t\n1 Q0 c 3 0.10000000001 t\n"
                       "1 Q0 d 4 0.1 t\n";
    assert_near(total("1 0 b 1\n", run, "recip_rank"), 1 / 2.0); /* 16777218 is above 16777216 */
    assert_near(total("1 0 d 1\n", run, "recip_rank"), 1 / 3.0);
    assert_near(total("1 0 c 1\n", run, "recip_rank"), 1 / 4.0);
}

static void test_which_topics_count(void **state)
{
    (void)state;
    const char qrels[] = "1 0 a 1\n2 0 a 1\n3 0 a 0\n", run[] = "1 Q0 a 1 1 t\n9 Q0 a 1 1 t\n";
    rp_eval_options options = {.measures = "num_rel,map,gm_map", .complete = true};
    rp_eval *e = eval_of(qrels, run, NULL);
    assert_int_equal(rp_eval_n_topics(e), 1);
    assert_string_equal(rp_eval_topic(e, 0), "1");
    assert_string_equal(rp_eval_run_name(e), "t");
    rp_eval_free(e);
    e = eval_of(qrels, run, &options);
    assert_int_equal(rp_eval_n_topics(e), 3);
    assert_near(rp_eval_total(e, 0), 2);
    assert_near(rp_eval_total(e, 1), 1 / 3.0);
    assert_near(rp_eval_total(e, 2), exp(2 * log(0.00001) / 3));
    rp_eval_free(e);
}

static void test_bad_input(void **state)
{
    (void)state;
    static const struct {
        const char *qrels, *run, *measures, *says;
        rp_status status;
    } cases[] = {
        {"1 0 a\n", RUN, NULL, "qrels:1: 3 columns; expected 4", RP_INPUT},
        {"1 0 a 1\n1 0 b x\n", RUN, NULL, "qrels:2: the grade", RP_INPUT},
        {"1 0 a 99999999999\n", RUN, NULL, "qrels:1: the grade", RP_INPUT},
        {"1 0 a 1\n1 0 a 2\n", RUN, NULL, "qrels:2: document \"a\" again", RP_INPUT},
        {QRELS, "1 Q0 a 1 t\n", NULL, "run:1: 5 columns; expected 6", RP_INPUT},
        {QRELS, "\n1 Q0 a 1 nan t\n", NULL, "run:2: the score", RP_INPUT},
        {QRELS, "1 Q0 a 1 1 t\n1 Q0 b 1 1 t\n1 Q0 a 1 2 t\n", NULL, "run:3: document", RP_INPUT},
        {QRELS, "2 Q0 a 1 1 t\n", NULL, "no topic", RP_INPUT},
        {QRELS, "", NULL, "no topic", RP_INPUT},
        {"", RUN, NULL, "no topic", RP_INPUT},
        {QRELS, RUN, "mapp", "unknown measure \"mapp\"", RP_USAGE},
        {QRELS, RUN, "P_0", "unknown measure", RP_USAGE},
        {QRELS, RUN, "P_1.5", "unknown measure", RP_USAGE},
        {QRELS, RUN, "iprec_at_recall_1.5", "unknown measure", RP_USAGE},
        {QRELS, RUN, " ,", "no measure", RP_USAGE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rp_error err = {0};
        rp_eval *e = NULL;
        rp_eval_options options = {.measures = cases[i].measures};
        assert_int_equal(rp_eval_files(put("qrels", cases[i].qrels), put("run", cases[i].run),
                                       &options, &e, &err),
                         cases[i].status);
        assert_null(e);
        assert_non_null(strstr(err.text, cases[i].says));
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    const char *qrels = put("qrels", QRELS), *run = put("run", RUN);
    rp_status s = RP_NO_MEMORY;
    for (uint64_t n = 1; s != RP_OK; n++) {
        rp_eval *e = NULL;
        uint64_t before = rp__alloc_in_use();
        rp__alloc_fail_at(n, true);
        s = rp_eval_files(qrels, run, NULL, &e, NULL);
        rp__alloc_fail_at(0, false);
        assert_true(s == RP_OK || s == RP_NO_MEMORY);
        rp_eval_free(e);
        assert_int_equal(rp__alloc_in_use(), before);
    }
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(put("qrels", ""));
    unlink(put("run", ""));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_level_and_persistence),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_scores_are_floats),
        cmocka_unit_test(test_which_topics_count),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
