/* eval.c: joins a run with its judgments, topic by topic, and fills the table of measures. */
#include "riposte/eval.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/record.h"
#include "engine/measures.h"
#include "engine/trec_rows.h"

static const char usual_measures[] =
    "num_ret,num_rel,num_rel_ret,map,gm_map,Rprec,bpref,recip_rank,P_5,P_10,P_20,recall_100,"
    "recall_1000,ndcg,ndcg_cut_10,rbp";

enum { NOT_JUDGED = -1, NAME_BYTES = 32, MEMORY_MAX = 1 << 30 };

/* A measure that was asked for. */
typedef struct column {
    const rp__measure *row;
    double number;
    char name[NAME_BYTES];
} column;

/* A topic's rows in both files. */
typedef struct judged_topic {
    const char *qid;
    size_t judged, judged_end, found, found_end;
} judged_topic;

struct rp_eval {
    rp__trec_rows judgments, run;
    column *columns;
    judged_topic *topics;
    double *values;          /* by topic, then measure */
    int32_t *grades, *ideal; /* room for the topic at hand */
    size_t n_columns, columns_cap, n_topics, topics_cap;
    rp_eval_options options;
};

/* ---- Which measures -------------------------------------------------------------------------- */

static rp_status add_column(rp_eval *e, const rp__measure *row, const char *number, rp_error *err)
{
    if (!rp__alloc_grow(&e->columns, &e->columns_cap, e->n_columns + 1, sizeof *e->columns))
        return rp__error_no_memory(err);
    column *c = &e->columns[e->n_columns++];
    *c = (column){.row = row, .number = number ? strtod(number, NULL) : 0};
    snprintf(c->name, sizeof c->name, "%s%s", row->name, number ? number : "");
    return RP_OK;
}

/* A cut of a ranking is a whole number from 1; a share lies between 0 and 1. */
static bool is_number_for(const rp__measure *row, const char *number)
{
    char *end;
    double value = strtod(number, &end);
    if (*end || end == number || strlen(number) > 8 ||
        strspn(number, "0123456789.") != strlen(number))
        return false;
    if (strchr(row->usual[0], '.'))
        return value >= 0 && value <= 1;
    return value >= 1 && value == floor(value) && !strchr(number, '.');
}

/* One name of the list: a measure; one that takes a number, with it; or without, for all its usual
 * ones. */
static rp_status add_named(rp_eval *e, const char *name, rp_error *err)
{
    for (size_t i = 0; rp__measures_at(i); i++) {
        const rp__measure *row = rp__measures_at(i);
        size_t n = strlen(row->name);
        if (!row->usual && strcmp(name, row->name) == 0)
            return add_column(e, row, NULL, err);
        if (row->usual && strncmp(name, row->name, n) == 0 && is_number_for(row, name + n))
            return add_column(e, row, name + n, err);
        if (row->usual && strlen(name) == n - 1 && strncmp(name, row->name, n - 1) == 0) {
            rp_status s = RP_OK;
            for (size_t k = 0; s == RP_OK && row->usual[k]; k++)
                s = add_column(e, row, row->usual[k], err);
            return s;
        }
    }
    return rp__error_set(err, RP_USAGE, "unknown measure \"%s\"", name);
}

static rp_status add_columns(rp_eval *e, const char *list, rp_error *err)
{
    rp_status s = RP_OK;
    char name[NAME_BYTES];
    while (s == RP_OK && *list) {
        size_t n = strcspn(list, ", ");
        if (n >= sizeof name)
            return rp__error_set(err, RP_USAGE, "unknown measure \"%.*s\"", (int)n, list);
        memcpy(name, list, n);
        name[n] = 0;
        if (n)
            s = add_named(e, name, err);
        list += n + strspn(list + n, ", ");
    }
    if (s == RP_OK && e->n_columns == 0)
        return rp__error_set(err, RP_USAGE, "no measure is named");
    return s;
}

/* ---- Which topics ---------------------------------------------------------------------------- */

static size_t end_of_topic(const rp__trec_rows *rows, size_t from)
{
    size_t to = from;
    while (to < rows->n && strcmp(rows->at[to].qid, rows->at[from].qid) == 0)
        to++;
    return to;
}

/* Both files are sorted by topic. Topics of the run that are not judged count for nothing. */
static rp_status match_topics(rp_eval *e, rp_error *err)
{
    const rp__trec_rows *judgments = &e->judgments, *run = &e->run;
    for (size_t j = 0, r = 0, j_end; j < judgments->n; j = j_end) {
        const char *qid = judgments->at[j].qid;
        j_end = end_of_topic(judgments, j);
        while (r < run->n && strcmp(run->at[r].qid, qid) < 0)
            r++;
        bool has_answer = r < run->n && strcmp(run->at[r].qid, qid) == 0;
        size_t r_end = has_answer ? end_of_topic(run, r) : r;
        if (has_answer || e->options.complete) {
            if (!rp__alloc_grow(&e->topics, &e->topics_cap, e->n_topics + 1, sizeof *e->topics))
                return rp__error_no_memory(err);
            e->topics[e->n_topics++] = (judged_topic){qid, j, j_end, r, r_end};
        }
        r = r_end;
    }
    if (e->n_topics == 0)
        return rp__error_set(err, RP_INPUT, "no topic of the run is judged");
    return RP_OK;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static int32_t grade_of(const rp__trec_rows *judgments, const judged_topic *t, const char *docno)
{
    size_t from = t->judged, to = t->judged_end;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = strcmp(judgments->at[middle].docno, docno);
        if (order == 0)
            return judgments->at[middle].grade;
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return NOT_JUDGED;
}

static int falling(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x < y) - (x > y);
}

static rp__ranking make_ranking(rp_eval *e, const judged_topic *t)
{
    rp__ranking r = {.grades = e->grades,
                     .ideal = e->ideal,
                     .n = t->found_end - t->found,
                     .level = e->options.level,
                     .persistence = e->options.persistence};
    for (size_t i = t->judged; i < t->judged_end; i++) {
        int32_t grade = e->judgments.at[i].grade;
        r.n_relevant += grade >= r.level;
        r.n_other += grade >= 0 && grade < r.level;
        if (grade > 0)
            e->ideal[r.n_ideal++] = grade;
    }
    qsort(e->ideal, r.n_ideal, sizeof *e->ideal, falling);
    for (size_t i = 0; i < r.n; i++) {
        e->grades[i] = grade_of(&e->judgments, t, e->run.at[t->found + i].docno);
        r.n_found += e->grades[i] >= r.level;
    }
    return r;
}

static uint64_t memory_left(const rp_eval *e)
{
    uint64_t held = rp__trec_rows_memory(&e->judgments) + rp__trec_rows_memory(&e->run);
    return held < MEMORY_MAX ? MEMORY_MAX - held : 0;
}

static rp_status fill(rp_eval *e, rp_error *err)
{
    uint64_t need = e->n_topics * (e->n_columns * sizeof *e->values + sizeof *e->topics) +
                    (e->run.n + e->judgments.n) * sizeof *e->grades;
    if (need > memory_left(e))
        return rp__error_set(err, RP_NO_MEMORY, "the files take more than %d MiB of memory",
                             MEMORY_MAX >> 20);
    e->values = rp__alloc_zero(e->n_topics * e->n_columns, sizeof *e->values);
    e->grades = rp__alloc_array(e->run.n + 1, sizeof *e->grades);
    e->ideal = rp__alloc_array(e->judgments.n, sizeof *e->ideal);
    if (!e->values || !e->grades || !e->ideal)
        return rp__error_no_memory(err);
    for (size_t t = 0; t < e->n_topics; t++) {
        rp__ranking ranking = make_ranking(e, &e->topics[t]);
        for (size_t c = 0; c < e->n_columns; c++)
            e->values[t * e->n_columns + c] =
                e->columns[c].row->value(&ranking, e->columns[c].number);
    }
    return RP_OK;
}

static rp_status check_options(rp_eval_options *o, rp_error *err)
{
    o->measures = o->measures ? o->measures : usual_measures;
    o->level = o->level ? o->level : 1;
    o->persistence = o->persistence != 0 ? o->persistence : 0.8;
    if (o->level < 1)
        return rp__error_set(err, RP_USAGE, "level %d: it must be at least 1", o->level);
    if (!(o->persistence > 0 && o->persistence < 1))
        return rp__error_set(err, RP_USAGE, "persistence %g: it must lie between 0 and 1",
                             o->persistence);
    return RP_OK;
}

rp_status rp_eval_files(const char *qrels, const char *run, const rp_eval_options *options,
                        rp_eval **out, rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = NULL;
    if (RP_MISSING(err, qrels, run))
        return RP_USAGE;
    rp_eval *e = rp__alloc_zero(1, sizeof *e);
    if (!e)
        return rp__error_no_memory(err);
    rp_status s = RP_TAKE(&e->options, options, err);
    if (s == RP_OK)
        s = check_options(&e->options, err);
    if (s == RP_OK)
        s = add_columns(e, e->options.measures, err);
    if (s == RP_OK)
        s = rp__trec_rows_read_judgments(&e->judgments, qrels, memory_left(e), err);
    if (s == RP_OK)
        s = rp__trec_rows_read_run(&e->run, run, memory_left(e), err);
    if (s == RP_OK)
        s = match_topics(e, err);
    if (s == RP_OK)
        s = fill(e, err);
    if (s == RP_OK)
        *out = e;
    else
        rp_eval_free(e);
    return s;
}

void rp_eval_free(rp_eval *eval)
{
    if (!eval)
        return;
    rp__trec_rows_free(&eval->judgments);
    rp__trec_rows_free(&eval->run);
    rp__free(eval->columns);
    rp__free(eval->topics);
    rp__free(eval->values);
    rp__free(eval->grades);
    rp__free(eval->ideal);
    rp__free(eval);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

const char *rp_eval_run_name(const rp_eval *eval)
{
    if (!eval)
        return NULL;
    return eval->run.tag ? eval->run.tag : "";
}

size_t rp_eval_n_topics(const rp_eval *eval)
{
    return eval ? eval->n_topics : 0;
}

size_t rp_eval_n_measures(const rp_eval *eval)
{
    return eval ? eval->n_columns : 0;
}

const char *rp_eval_topic(const rp_eval *eval, size_t topic)
{
    return topic < rp_eval_n_topics(eval) ? eval->topics[topic].qid : NULL;
}

/* NULL: there is none of that number, or no eval at all. */
static const column *column_at(const rp_eval *eval, size_t measure)
{
    return measure < rp_eval_n_measures(eval) ? &eval->columns[measure] : NULL;
}

const char *rp_eval_measure(const rp_eval *eval, size_t measure)
{
    const column *c = column_at(eval, measure);
    return c ? c->name : NULL;
}

bool rp_eval_is_count(const rp_eval *eval, size_t measure)
{
    const column *c = column_at(eval, measure);
    return c && c->row->kind == RP_MEASURE_COUNT;
}

bool rp_eval_is_overall(const rp_eval *eval, size_t measure)
{
    const column *c = column_at(eval, measure);
    return c && c->row->kind == RP_MEASURE_GEOMETRIC;
}

double rp_eval_value(const rp_eval *eval, size_t topic, size_t measure)
{
    if (topic >= rp_eval_n_topics(eval) || measure >= rp_eval_n_measures(eval))
        return 0;
    return eval->values[topic * eval->n_columns + measure];
}

double rp_eval_total(const rp_eval *eval, size_t measure)
{
    const column *c = column_at(eval, measure);
    if (!c)
        return 0;
    rp__measure_kind kind = c->row->kind;
    double sum = 0, n = (double)eval->n_topics;
    for (size_t t = 0; t < eval->n_topics; t++) {
        double value = rp_eval_value(eval, t, measure);
        sum += kind == RP_MEASURE_GEOMETRIC ? log(fmax(value, RP_MEASURE_LEAST)) : value;
    }
    return kind == RP_MEASURE_COUNT ? sum : kind == RP_MEASURE_MEAN ? sum / n : exp(sum / n);
}

const char *rp_eval_measure_name(size_t i)
{
    const rp__measure *row = rp__measures_at(i);
    return row ? row->name : NULL;
}
