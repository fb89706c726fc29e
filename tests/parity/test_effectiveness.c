/* test_effectiveness.c: real test collections, indexed and searched, against reference figures.
 *
 * Metrics follow trec_eval: 1,000 hits a topic, averages over topics with a relevant document, ties
 * by falling docno, linear gains in nDCG. The reference is an independent program checked with
 * trec_eval 9.0.4 (README of the data). Collections that are not there are skipped by name. */
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
#include <zlib.h>

#include "riposte/riposte.h"

enum { DEPTH = 1000, CUT = 10, LINE = 16384 };

typedef struct metrics {
    double map, ndcg, p;
} metrics;

typedef struct reference {
    const char *name;
    size_t topics;
    metrics low, high; /* k1 0.9 b 0.4; k1 1.2 b 0.75 */
    double unstemmed;  /* MAP, k1 1.2 b 0.75, no stemming */
} reference;

static const reference cranfield = {
    "cranfield", 225, {.3869, .4034, .2884}, {.4113, .4235, .3009}, .3874};
static const reference cacm = {"cacm", 52, {.3121, .4549, .3173}, {.3091, .4591, .3288}, .2954};
static const reference cisi = {"cisi", 76, {.2029, .3621, .3355}, {.2168, .3810, .3513}, .1985};
static const reference scifact = {
    "scifact", 300, {.6382, .6769, .0880}, {.6407, .6828, .0903}, .6293};

/* ---- Files ----------------------------------------------------------------------------------- */

static void make_path(char *out, size_t cap, const char *name, const char *file)
{
    const char *data = getenv("RIPOSTE_DATA");
    snprintf(out, cap, "%s/%s/%s", data ? data : "../shared/data", name, file);
}

static gzFile open_file(const char *name, const char *file)
{
    char path[1024];
    make_path(path, sizeof path, name, file);
    gzFile in = gzopen(path, "rb");
    assert_non_null(in);
    return in;
}

/* One judgment; the key is "qid docno". */
typedef struct judgment {
    char key[64];
    int grade;
} judgment;

typedef struct judgments {
    judgment *at;
    size_t n;
} judgments;

static int by_key(const void *a, const void *b)
{
    return strcmp(((const judgment *)a)->key, ((const judgment *)b)->key);
}

static judgments read_judgments(const char *name)
{
    judgments j = {calloc(10000, sizeof *j.at), 0};
    char line[LINE], qid[30], docno[30];
    gzFile in = open_file(name, "qrels.txt.gz");
    while (gzgets(in, line, sizeof line)) {
        assert_true(j.at && j.n < 10000);
        judgment *to = &j.at[j.n++];
        assert_int_equal(sscanf(line, "%29s %*s %29s %d", qid, docno, &to->grade), 3);
        snprintf(to->key, sizeof to->key, "%s %s", qid, docno);
    }
    gzclose(in);
    qsort(j.at, j.n, sizeof *j.at, by_key);
    return j;
}

static int grade_of(const judgments *j, const char *qid, const char *docno)
{
    judgment key;
    snprintf(key.key, sizeof key.key, "%s %s", qid, docno);
    const judgment *found = bsearch(&key, j->at, j->n, sizeof *j->at, by_key);
    return found && found->grade > 0 ? found->grade : 0;
}

/* Puts a backslash before whatever the query language might read as its own: punctuation, and
 * capitals because of AND, OR and NOT. */
static void escape(const char *text, char *out)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c > ' ' && c < 0x7F && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9'))
            *out++ = '\\';
        *out++ = *text;
    }
    *out = 0;
}

/* ---- Metrics --------------------------------------------------------------------------------- */

static int as_trec_eval(const void *a, const void *b)
{
    const rp_hit *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return -strcmp(x->name, y->name);
}

static int falling(const void *a, const void *b)
{
    return *(const int *)b - *(const int *)a;
}

/* The gain of the best order there is, and the number of relevant documents. */
static double ideal_gain(const judgments *j, const char *qid, size_t *n_relevant)
{
    static int grades[10000];
    size_t bytes = strlen(qid);
    *n_relevant = 0;
    for (size_t i = 0; i < j->n; i++)
        if (!strncmp(j->at[i].key, qid, bytes) && j->at[i].key[bytes] == ' ' && j->at[i].grade > 0)
            grades[(*n_relevant)++] = j->at[i].grade;
    qsort(grades, *n_relevant, sizeof grades[0], falling);
    double gain = 0;
    for (size_t i = 0; i < *n_relevant && i < CUT; i++)
        gain += grades[i] / log2((double)i + 2);
    return gain;
}

/* Adds one topic; false if nothing is relevant to it. */
static bool add_topic(const judgments *j, const char *qid, rp_hits *hits, metrics *sum)
{
    size_t n_relevant, found = 0, found_at_cut = 0;
    double ideal = ideal_gain(j, qid, &n_relevant), gain = 0, precision = 0;
    if (n_relevant == 0)
        return false;
    qsort(hits->at, hits->n, sizeof *hits->at, as_trec_eval);
    for (size_t i = 0; i < hits->n; i++) {
        int grade = grade_of(j, qid, hits->at[i].name);
        if (grade == 0)
            continue;
        precision += (double)++found / (double)(i + 1);
        if (i < CUT) {
            gain += grade / log2((double)i + 2);
            found_at_cut++;
        }
    }
    sum->map += precision / (double)n_relevant;
    sum->ndcg += gain / ideal;
    sum->p += (double)found_at_cut / CUT;
    return true;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static metrics run_topics(const reference *r, const rp_index *index, double k1, double b)
{
    rp_error err = {.text = ""};
    rp_searcher *searcher;
    rp_search_options options = {
        .k = DEPTH, .has_k1 = true, .has_b = true, .k1 = k1, .b = b, .variant = "lucene"};
    assert_int_equal(rp_searcher_new(index, &options, &searcher, &err), RP_OK);
    judgments j = read_judgments(r->name);
    gzFile in = open_file(r->name, "topics.tsv.gz");
    static char line[LINE], query[2 * LINE];
    metrics sum = {0};
    size_t n = 0;
    while (gzgets(in, line, sizeof line)) {
        rp_hits hits;
        char *tab = strchr(line, '\t');
        assert_non_null(tab);
        *tab = 0;
        escape(tab + 1, query);
        if (rp_searcher_search(searcher, query, strlen(query), &hits, &err) != RP_OK)
            fail_msg("%s topic %s: %s", r->name, line, err.text);
        n += add_topic(&j, line, &hits, &sum);
        rp_hits_free(&hits);
    }
    gzclose(in);
    free(j.at);
    rp_searcher_free(searcher);
    assert_int_equal(n, r->topics);
    double each = 1 / (double)n;
    return (metrics){sum.map * each, sum.ndcg * each, sum.p * each};
}

static rp_index *build(const reference *r, const char *stem, const char *dir)
{
    rp_error err = {.text = ""};
    char path[1024];
    make_path(path, sizeof path, r->name, "docs.jsonl.gz");
    const char *paths[] = {path};
    /* the reference cuts text at all that is no letter, digit or apostrophe in a word */
    rp_build_options options = {
        .stem = stem, .stop = "lucene", .tokens = "split", .no_store = true};
    rp_index *index = NULL;
    if (rp_index_build(paths, 1, dir, &options, NULL, &err) != RP_OK ||
        rp_index_open(dir, NULL, &index, &err) != RP_OK)
        fail_msg("%s: %s", r->name, err.text);
    return index;
}

static bool is_near(double got, double want)
{
    return fabs(got - want) <= 0.005;
}

/* The figures are printed before any of them can fail. */
static bool check(const char *name, const char *what, metrics got, metrics want)
{
    print_message("%-9s %-16s MAP %.4f (%.4f)  nDCG@10 %.4f (%.4f)  P@10 %.4f (%.4f)\n", name, what,
                  got.map, want.map, got.ndcg, want.ndcg, got.p, want.p);
    return is_near(got.map, want.map) && is_near(got.ndcg, want.ndcg) && is_near(got.p, want.p);
}

static void check_collection(const reference *r)
{
    char path[1024], dir[] = "/tmp/riposte-effect-XXXXXX", command[64];
    make_path(path, sizeof path, r->name, "docs.jsonl.gz");
    if (access(path, R_OK) != 0) {
        print_message("%s: no %s; set RIPOSTE_DATA\n", r->name, path);
        skip();
    }
    assert_non_null(mkdtemp(dir));
    rp_index *index = build(r, "porter", dir);
    bool is_good = check(r->name, "k1 0.9 b 0.4", run_topics(r, index, 0.9, 0.4), r->low);
    is_good &= check(r->name, "k1 1.2 b 0.75", run_topics(r, index, 1.2, 0.75), r->high);
    rp_index_close(index);
    index = build(r, "none", dir);
    double map = run_topics(r, index, 1.2, 0.75).map;
    print_message("%-9s %-16s MAP %.4f (%.4f)\n", r->name, "no stemming", map, r->unstemmed);
    is_good &= is_near(map, r->unstemmed);
    rp_index_close(index);
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    assert_int_equal(system(command), 0);
    assert_true(is_good);
}

static void cranfield_is_as_the_reference(void **state)
{
    (void)state;
    check_collection(&cranfield);
}

static void cacm_is_as_the_reference(void **state)
{
    (void)state;
    check_collection(&cacm);
}

static void cisi_is_as_the_reference(void **state)
{
    (void)state;
    check_collection(&cisi);
}

static void scifact_is_as_the_reference(void **state)
{
    (void)state;
    check_collection(&scifact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cranfield_is_as_the_reference),
        cmocka_unit_test(cacm_is_as_the_reference),
        cmocka_unit_test(cisi_is_as_the_reference),
        cmocka_unit_test(scifact_is_as_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
