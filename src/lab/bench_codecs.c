/* bench_codecs.c: the clock around rows of codecs.
 *
 * 1 what is asked of each list; 2 the measures, a row each; 3 encoding and checking; 4 rounds.
 * A round takes every measure in turn and, within it, memcpy and every row once, so that a slow moment
 * of the machine falls on all of them alike. Time is this thread's CPU time. A sample is as many passes
 * over the set as take about a millisecond, after one that is not counted unless it is long. Every sum that comes back is
 * compared with what the plain arrays say. */
#include "lab/bench_codecs.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"

enum {
    STEPS = 1 << 15,  /* lookups of a pass, over all lists */
    STEPS_LEAST = 16, /* of one list */
    SAMPLE_NS = 1000000,
    LONG_NS =
        20 * SAMPLE_NS, /* a pass as long as this ends with other things in the caches anyhow */
    PASSES_MOST = 100000,
    ROUNDS_LEAST = 3,
};

/* ---- 1. What is asked ------------------------------------------------------------------------ */

/* Arguments of lookups in one list, and the sums that they must give. */
typedef struct questions {
    uint32_t *ranks, *targets, *walk16, *walk256;
    uint32_t n_random, n_walk16, n_walk256;
    uint64_t sum[RP_BENCH_MEASURES];
} questions;

typedef struct session {
    rp__bench_codecs *bench;
    questions *asked; /* one a list */
    uint32_t *docids, *tfs;
    uint64_t steps[RP_BENCH_MEASURES]; /* what a pass over the set does: integers, or lookups */
} session;

static uint64_t sum_of(const uint32_t *v, uint32_t n)
{
    return (uint64_t)v[0] + v[n / 2] + v[n - 1];
}

/* Ranks and targets at random; a target lies anywhere between two docids of the list. */
static void ask_random(questions *q, const rp__lab_postings *list, rp__random *random)
{
    for (uint32_t i = 0; i < q->n_random; i++) {
        uint32_t rank = rp__random_below(random, list->n);
        q->ranks[i] = rank;
        q->sum[RP_BENCH_AT] += list->docids[rank];
        rank = rp__random_below(random, list->n);
        uint32_t gap = list->docids[rank] - (rank ? list->docids[rank - 1] : 0);
        q->targets[i] = list->docids[rank] - (gap ? rp__random_below(random, gap) : 0);
        q->sum[RP_BENCH_FIND] += list->docids[rank];
    }
}

/* Targets whose answers lie 1 to 2 * step - 1 postings apart; returns how many there are. */
static uint32_t ask_walk(const rp__lab_postings *list, rp__random *random, uint32_t step,
                         uint32_t most, uint32_t *targets, uint64_t *sum)
{
    uint32_t n = 0;
    uint64_t rank = 1 + rp__random_below(random, 2 * step - 1);
    for (; n < most && rank < list->n; rank += 1 + rp__random_below(random, 2 * step - 1)) {
        targets[n++] = list->docids[rank - 1] + 1;
        *sum += list->docids[rank];
    }
    return n;
}

static rp_status ask(questions *q, const rp__lab_postings *list, uint32_t most, uint64_t seed)
{
    rp__random random;
    rp__random_init(&random, seed);
    q->n_random = most;
    q->ranks = rp__alloc_array(4 * (size_t)most, sizeof *q->ranks);
    if (!q->ranks)
        return RP_NO_MEMORY;
    q->targets = q->ranks + most;
    q->walk16 = q->targets + most;
    q->walk256 = q->walk16 + most;
    ask_random(q, list, &random);
    q->n_walk16 = ask_walk(list, &random, 16, most, q->walk16, &q->sum[RP_BENCH_WALK16]);
    q->n_walk256 = ask_walk(list, &random, 256, most, q->walk256, &q->sum[RP_BENCH_WALK256]);
    q->sum[RP_BENCH_DECODE] = sum_of(list->docids, list->n);
    q->sum[RP_BENCH_FREQS] = q->sum[RP_BENCH_DECODE] + sum_of(list->tfs, list->n);
    return RP_OK;
}

static void count_steps(session *s, const questions *q, uint32_t n)
{
    for (int m = RP_BENCH_DECODE; m <= RP_BENCH_UNORDERED; m++)
        s->steps[m] += n;
    s->steps[RP_BENCH_AT] += q->n_random;
    s->steps[RP_BENCH_FIND] += q->n_random;
    s->steps[RP_BENCH_WALK16] += q->n_walk16;
    s->steps[RP_BENCH_WALK256] += q->n_walk256;
}

static rp_status open_session(session *s, rp__bench_codecs *bench)
{
    const rp__lab_set *set = &bench->set;
    uint32_t most = STEPS / (uint32_t)(set->n_lists < STEPS ? set->n_lists : STEPS);
    size_t room = (size_t)set->longest + RP_LAB_ROOM;
    rp_status status = RP_OK;
    s->bench = bench;
    /* Zeros, so that no page is met for the first time while the clock runs. */
    s->docids = rp__alloc_zero(room, sizeof *s->docids);
    s->tfs = rp__alloc_zero(room, sizeof *s->tfs);
    s->asked = rp__alloc_zero(set->n_lists, sizeof *s->asked);
    if (!s->docids || !s->tfs || !s->asked)
        return RP_NO_MEMORY;
    memset(s->docids, 1, room * sizeof *s->docids);
    memset(s->tfs, 1, room * sizeof *s->tfs);
    for (size_t i = 0; status == RP_OK && i < set->n_lists; i++) {
        status = ask(&s->asked[i], &set->lists[i], most < STEPS_LEAST ? STEPS_LEAST : most, i);
        count_steps(s, &s->asked[i], set->lists[i].n);
    }
    return status;
}

static void close_session(session *s)
{
    for (size_t i = 0; s->asked && i < s->bench->set.n_lists; i++)
        rp__free(s->asked[i].ranks);
    rp__free(s->asked);
    rp__free(s->tfs);
    rp__free(s->docids);
}

/* ---- 2. The measures ------------------------------------------------------------------------- */

typedef rp_status work_fn(session *s, const rp__lab_list *list, const questions *q, uint64_t *sum);

static rp_status work_decode(session *s, const rp__lab_list *list, const questions *q,
                             uint64_t *sum)
{
    (void)q;
    return rp__lab_decode(list, s->docids, NULL, sum);
}

static rp_status work_freqs(session *s, const rp__lab_list *list, const questions *q, uint64_t *sum)
{
    (void)q;
    return rp__lab_decode(list, s->docids, s->tfs, sum);
}

static rp_status work_blocks(session *s, const rp__lab_list *list, const questions *q,
                             uint64_t *sum)
{
    (void)s, (void)q;
    return rp__lab_blocks(list, sum);
}

static rp_status work_unordered(session *s, const rp__lab_list *list, const questions *q,
                                uint64_t *sum)
{
    (void)s, (void)q;
    return rp__lab_unordered(list, sum);
}

static rp_status work_at(session *s, const rp__lab_list *list, const questions *q, uint64_t *sum)
{
    (void)s;
    return rp__lab_at(list, q->ranks, q->n_random, sum);
}

static rp_status work_find(session *s, const rp__lab_list *list, const questions *q, uint64_t *sum)
{
    (void)s;
    return rp__lab_find(list, q->targets, q->n_random, sum);
}

static rp_status work_walk16(session *s, const rp__lab_list *list, const questions *q,
                             uint64_t *sum)
{
    (void)s;
    return rp__lab_walk(list, q->walk16, q->n_walk16, sum);
}

static rp_status work_walk256(session *s, const rp__lab_list *list, const questions *q,
                              uint64_t *sum)
{
    (void)s;
    return rp__lab_walk(list, q->walk256, q->n_walk256, sum);
}

static const struct measure {
    const char *key;
    bool is_rate; /* integers in a nanosecond; otherwise nanoseconds a lookup */
    bool has_sum; /* the arrays say what must come back */
    work_fn *work;
} measures[RP_BENCH_MEASURES] = {
    [RP_BENCH_DECODE] = {"decode", true, true, work_decode},
    [RP_BENCH_FREQS] = {"decode_freqs", true, true, work_freqs},
    [RP_BENCH_BLOCKS] = {"blocks", true, false, work_blocks},
    [RP_BENCH_UNORDERED] = {"unordered", true, false, work_unordered},
    [RP_BENCH_AT] = {"at", false, true, work_at},
    [RP_BENCH_FIND] = {"find", false, true, work_find},
    [RP_BENCH_WALK16] = {"walk16", false, true, work_walk16},
    [RP_BENCH_WALK256] = {"walk256", false, true, work_walk256},
};

const char *rp__bench_codecs_key(rp__bench_measure measure)
{
    return measures[measure].key;
}

const char *rp__bench_codecs_unit(rp__bench_measure measure)
{
    return measures[measure].is_rate ? "Gint/s" : "ns";
}

bool rp__bench_codecs_is_rate(rp__bench_measure measure)
{
    return measures[measure].is_rate;
}

static bool applies(const session *s, const rp__bench_row *row, rp__bench_measure m)
{
    if (s->steps[m] == 0)
        return false;
    return m == RP_BENCH_AT          ? row->about.has_at
           : m == RP_BENCH_UNORDERED ? row->about.has_unordered
                                     : true;
}

/* ---- 3. Encoding and checking ---------------------------------------------------------------- */

static rp_status tell_wrong(const rp__bench_row *row, const char *what, size_t list, rp_error *err)
{
    return rp__error_set(err, RP_DAMAGED, "codec %s (%s): %s of list %zu is not what was encoded",
                         row->about.name, row->about.isa, what, list);
}

static rp_status check_list(session *s, const rp__bench_row *row, size_t i, rp_error *err)
{
    const rp__lab_postings *list = &s->bench->set.lists[i];
    size_t bytes = list->n * sizeof *list->docids;
    uint64_t sum;
    if (rp__lab_decode(row->lists[i], s->docids, s->tfs, &sum) != RP_OK ||
        memcmp(s->docids, list->docids, bytes) != 0 || memcmp(s->tfs, list->tfs, bytes) != 0)
        return tell_wrong(row, "decode", i, err);
    return RP_OK;
}

static rp_status encode_row(session *s, rp__bench_row *row, rp_error *err)
{
    const rp__lab_set *set = &s->bench->set;
    rp_status status = RP_OK;
    row->lists = rp__alloc_zero(set->n_lists, sizeof *row->lists);
    if (!row->lists)
        return rp__error_no_memory(err);
    for (size_t i = 0; status == RP_OK && i < set->n_lists; i++) {
        const rp__lab_postings *list = &set->lists[i];
        rp__lab_sizes sizes;
        status =
            rp__lab_list_new(row->row, NULL, list->docids, list->tfs, list->n, &row->lists[i], err);
        if (status != RP_OK)
            break;
        rp__lab_list_get_sizes(row->lists[i], &sizes);
        row->docids += sizes.docids;
        row->directory += sizes.directory;
        row->freqs += sizes.freqs;
        status = check_list(s, row, i, err);
    }
    return status;
}

/* One pass over the set; its sums are checked. */
static rp_status pass(session *s, const rp__bench_row *row, rp__bench_measure m, rp_error *err)
{
    for (size_t i = 0; i < s->bench->set.n_lists; i++) {
        const questions *q = &s->asked[i];
        uint64_t sum = 0;
        if (measures[m].work(s, row->lists[i], q, &sum) != RP_OK ||
            (measures[m].has_sum && sum != q->sum[m]))
            return tell_wrong(row, measures[m].key, i, err);
    }
    return RP_OK;
}

/* ---- 4. Rounds ------------------------------------------------------------------------------- */

/* So many passes that a sample takes about SAMPLE_NS. */
static uint32_t passes_for(uint64_t ns)
{
    uint64_t n = ns ? SAMPLE_NS / ns + 1 : PASSES_MOST;
    return n < PASSES_MOST ? (uint32_t)n : PASSES_MOST;
}

static rp_status plan_row(session *s, rp__bench_row *row, rp_error *err)
{
    rp_status status = RP_OK;
    for (int m = 0; status == RP_OK && m < RP_BENCH_MEASURES; m++) {
        if (!applies(s, row, (rp__bench_measure)m))
            continue;
        uint64_t begin = rp__clock_thread();
        status = pass(s, row, (rp__bench_measure)m, err);
        row->pass_ns[m] = rp__clock_thread() - begin;
    }
    return status;
}

/* Nanoseconds for each of the steps of a pass. */
static rp_status time_row(session *s, rp__bench_row *row, rp__bench_measure m, double *out,
                          rp_error *err)
{
    uint32_t passes = passes_for(row->pass_ns[m]);
    rp_status status = row->pass_ns[m] < LONG_NS ? pass(s, row, m, err) : RP_OK;
    uint64_t begin = rp__clock_thread();
    for (uint32_t i = 0; status == RP_OK && i < passes; i++)
        status = pass(s, row, m, err);
    uint64_t ns = rp__clock_thread() - begin;
    *out = (double)(ns ? ns : 1) / ((double)s->steps[m] * passes);
    return status;
}

/* Draws of one kind are copied from one of them alone: as near to the core as the source can be, so
 * that nothing is held against memcpy that a decoder, whose input is small, is spared. */
static void copy_set(session *s)
{
    const rp__lab_set *set = &s->bench->set;
    for (size_t i = 0; i < set->n_lists; i++) {
        const rp__lab_postings *list = &set->lists[set->has_twins ? 0 : i];
        memcpy(s->docids, list->docids, list->n * sizeof *list->docids);
        __asm__ volatile("" : : "r"(s->docids) : "memory"); /* it was needed */
    }
}

/* What no decoder can do without: the stores of its output. */
static void fill_set(session *s)
{
    const rp__lab_set *set = &s->bench->set;
    for (size_t i = 0; i < set->n_lists; i++) {
        memset(s->docids, (int)(i % 256), set->lists[i].n * sizeof *s->docids);
        __asm__ volatile("" : : "r"(s->docids) : "memory");
    }
}

static double time_plain(session *s, void (*work)(session *s))
{
    uint64_t begin = rp__clock_thread();
    work(s);
    uint32_t passes = passes_for(rp__clock_thread() - begin);
    begin = rp__clock_thread();
    for (uint32_t i = 0; i < passes; i++)
        work(s);
    uint64_t ns = rp__clock_thread() - begin;
    return (double)(ns ? ns : 1) / ((double)s->steps[RP_BENCH_DECODE] * passes);
}

static rp_status run_round(session *s, rp_error *err)
{
    rp__bench_codecs *b = s->bench;
    double copy = time_plain(s, copy_set);
    rp__bench_samples_add(&b->memcpy_rate, 1 / copy);
    rp__bench_samples_add(&b->memset_rate, 1 / time_plain(s, fill_set));
    for (int m = 0; m < RP_BENCH_MEASURES; m++) {
        for (size_t i = 0; i < b->n_rows; i++) {
            rp__bench_row *row = &b->rows[(i + b->rounds) % b->n_rows];
            double ns;
            if (!applies(s, row, (rp__bench_measure)m))
                continue;
            rp_status status = time_row(s, row, (rp__bench_measure)m, &ns, err);
            if (status != RP_OK)
                return status;
            rp__bench_samples_add(&row->samples[m], measures[m].is_rate ? 1 / ns : ns);
            if (m == RP_BENCH_DECODE)
                rp__bench_samples_add(&row->over_memcpy, copy / ns);
        }
    }
    b->rounds++;
    return RP_OK;
}

static bool has_time(const rp__bench_codecs *b, const rp__bench_effort *effort, uint64_t begin)
{
    if (effort->rounds > 0)
        return b->rounds < effort->rounds;
    if (b->rounds < ROUNDS_LEAST)
        return true;
    double spent = (double)(rp__clock_now() - begin) / 1e9;
    return b->rounds < RP_BENCH_SAMPLES && spent + spent / b->rounds <= effort->seconds;
}

static rp_status measure_all(session *s, const rp__bench_effort *effort, rp_error *err)
{
    rp__bench_codecs *b = s->bench;
    rp_status status = RP_OK;
    for (size_t i = 0; status == RP_OK && i < b->n_rows; i++) {
        status = encode_row(s, &b->rows[i], err);
        if (status == RP_OK)
            status = plan_row(s, &b->rows[i], err);
    }
    uint64_t begin = rp__clock_now();
    while (status == RP_OK && has_time(b, effort, begin))
        status = run_round(s, err);
    return status;
}

static int by_speed_falling(const void *a, const void *b)
{
    rp__bench_summary x, y;
    rp__bench_samples_sum_up(&((const rp__bench_row *)a)->samples[RP_BENCH_DECODE], true, &x);
    rp__bench_samples_sum_up(&((const rp__bench_row *)b)->samples[RP_BENCH_DECODE], true, &y);
    return (x.median < y.median) - (x.median > y.median);
}

/* A row shares the place of the first one of that place if their intervals meet. */
static void give_places(rp__bench_codecs *b)
{
    rp__bench_summary leader = {0}, own;
    qsort(b->rows, b->n_rows, sizeof *b->rows, by_speed_falling);
    for (size_t i = 0; i < b->n_rows; i++) {
        rp__bench_samples_sum_up(&b->rows[i].samples[RP_BENCH_DECODE], true, &own);
        if (i > 0 && own.high >= leader.low) {
            b->rows[i].place = b->rows[i - 1].place;
        } else {
            b->rows[i].place = i + 1;
            leader = own;
        }
    }
}

rp_status rp__bench_codecs_run(rp__bench_codecs *bench, const rp__bench_effort *effort,
                               rp_error *err)
{
    session s = {.bench = bench};
    rp_status status = open_session(&s, bench);
    if (status != RP_OK)
        rp__error_no_memory(err);
    else
        status = measure_all(&s, effort, err);
    close_session(&s);
    if (status == RP_OK)
        give_places(bench);
    return status;
}

void rp__bench_codecs_free(rp__bench_codecs *bench)
{
    for (size_t i = 0; i < bench->n_rows; i++) {
        for (size_t l = 0; bench->rows[i].lists && l < bench->set.n_lists; l++)
            rp__lab_list_free(bench->rows[i].lists[l]);
        rp__free(bench->rows[i].lists);
    }
    rp__free(bench->rows);
    rp__lab_set_free(&bench->set);
    *bench = (rp__bench_codecs){0};
}
