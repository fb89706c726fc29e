/* trec_run.c: runs: lines of hits, to a file that appears whole or not at all.
 *
 * Several threads may make the lines of many answers: each takes the next slice of them, and the slices are written in
 * their order. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/pool.h"
#include "base/record.h"
#include "engine/docnos.h"
#include "riposte/topics.h"
#include "store/store.h"

enum {
    SCORE_BYTES = 340,                /* "%.7f" of a double has at most 318 */
    NUMBERS_BYTES = SCORE_BYTES + 40, /* of a line: score, rank and blanks */
    SLICE_HITS = 8192,                /* after so many a slice takes no more answers */
    MAX_THREADS = 16,
};

/* Answers whose lines one thread makes. */
typedef struct slice {
    size_t first, end;
    bool is_altered; /* a docno is not its document's id */
    bool has_failed; /* there is no memory */
    rp__buf lines;
} slice;

struct rp_run {
    const rp_index *index;
    rp__output *out; /* NULL: `write` takes the lines */
    rp_run_options o;
    bool is_checked; /* no two documents have one docno */
    size_t tag_bytes;
    rp__pool *pool; /* of n_threads; NULL: the caller makes all lines */
    uint32_t n_threads;
    const rp_run_answer *answers; /* of the call */
    slice slices[MAX_THREADS];
    size_t n_slices;
    atomic_size_t next_slice;
    char tag[];
};

rp_status rp_run_new(const rp_index *index, const char *path, const rp_run_options *options,
                     rp_run **out, rp_error *err)
{
    rp_run_options own, *o = &own;
    if (out)
        *out = NULL;
    if (RP_MISSING(err, index, out))
        return RP_USAGE;
    rp_status status = RP_TAKE(o, options, err);
    if (status != RP_OK)
        return status;
    const char *tag = o->tag ? o->tag : "riposte";
    if (!path && !o->write)
        return rp__error_set(err, RP_USAGE, "a run needs a path, or a function that takes it");
    if (tag[0] == 0 || strpbrk(tag, " \t\n\v\f\r"))
        return rp__error_set(err, RP_USAGE, "the tag of a run must be one word");
    rp_run *run = rp__alloc_zero(1, sizeof *run + strlen(tag) + 1);
    if (!run)
        return rp__error_no_memory(err);
    run->index = index;
    run->o = *o;
    run->tag_bytes = strlen(tag);
    memcpy(run->tag, tag, run->tag_bytes + 1);
    for (size_t i = 0; i < MAX_THREADS; i++)
        rp__buf_init(&run->slices[i].lines);
    status = o->write ? RP_OK : rp__output_create(path, &run->out, err);
    if (status == RP_OK)
        *out = run;
    else
        rp_run_free(run);
    return status;
}

/* ---- Lines ------------------------------------------------------------------------------------- */

static char *put_bytes(char *to, const char *bytes, size_t n)
{
    memcpy(to, bytes, n);
    return to + n;
}

static char *put_name(char *to, const char *name, bool *is_altered)
{
    for (; *name; name++) {
        *to = rp__docnos_byte(*name);
        *is_altered = *is_altered || *to != *name;
        to++;
    }
    return to;
}

/* At least `least` digits, at most 20. */
static char *put_digits(char *to, uint64_t n, size_t least)
{
    char digits[20];
    size_t i = sizeof digits;
    for (; n > 0 || sizeof digits - i < least; n /= 10)
        digits[--i] = (char)('0' + n % 10);
    return put_bytes(to, digits + i, sizeof digits - i);
}

/* As by %.7f, which took most of the time of a run: fixed / 2^fraction_bits is rounded to even at the
 * seventh decimal. */
static char *put_score(char *to, const rp_hit *hit, int32_t fraction_bits)
{
    const uint64_t unit = 10000000;
    if (fraction_bits < 1 || fraction_bits > 30)
        return to + snprintf(to, SCORE_BYTES, "%.7f", hit->score);
    uint64_t n = hit->fixed * unit, rest = n & ((UINT64_C(1) << fraction_bits) - 1);
    uint64_t half = UINT64_C(1) << (fraction_bits - 1);
    n >>= fraction_bits;
    n += rest > half || (rest == half && n % 2);
    to = put_digits(to, n / unit, 1);
    *to++ = '.';
    return put_digits(to, n % unit, 7);
}

static char *put_hit(const rp_run *run, char *to, const char *qid, const rp_hits *hits, size_t i,
                     bool *is_altered)
{
    bool is_trec = run->o.format == RP_RUN_TREC, ignored = false;
    to = put_name(to, qid, &ignored);
    to = is_trec ? put_bytes(to, " Q0 ", 4) : put_bytes(to, "\t", 1);
    to = put_name(to, hits->at[i].name, is_altered);
    *to++ = is_trec ? ' ' : '\t';
    to = put_digits(to, i + 1, 1);
    if (is_trec) {
        *to++ = ' ';
        to = put_score(to, &hits->at[i], hits->fraction_bits);
        *to++ = ' ';
        to = put_bytes(to, run->tag, run->tag_bytes);
    }
    *to++ = '\n';
    return to;
}

static void put_answer(const rp_run *run, slice *s, const rp_run_answer *answer)
{
    size_t fixed_bytes = strlen(answer->qid) + run->tag_bytes + NUMBERS_BYTES;
    const rp_hits *hits = answer->hits;
    for (size_t i = 0; i < hits->n && !s->has_failed; i++) {
        char *from = (char *)rp__buf_room(&s->lines, fixed_bytes + strlen(hits->at[i].name));
        s->has_failed = from == NULL;
        if (from)
            s->lines.n += (size_t)(put_hit(run, from, answer->qid, hits, i, &s->is_altered) - from);
    }
}

/* ---- Many answers ------------------------------------------------------------------------------ */

/* Makes lines of slices until none is left. */
static void make_lines(void *arg, uint32_t worker)
{
    rp_run *run = arg;
    (void)worker;
    for (size_t i; (i = atomic_fetch_add(&run->next_slice, 1)) < run->n_slices;) {
        slice *s = &run->slices[i];
        s->lines.n = 0;
        s->is_altered = s->has_failed = false;
        for (size_t j = s->first; j < s->end; j++)
            put_answer(run, s, &run->answers[j]);
    }
}

/* Cuts answers from `first` on into a slice for each thread, and returns the first that is in none. */
static size_t cut_slices(rp_run *run, size_t first, size_t n)
{
    for (run->n_slices = 0; run->n_slices < run->n_threads && first < n; run->n_slices++) {
        slice *s = &run->slices[run->n_slices];
        s->first = first;
        for (size_t hits = 0; first < n && hits < SLICE_HITS; first++)
            hits += run->answers[first].hits->n;
        s->end = first;
    }
    atomic_store(&run->next_slice, 0);
    return first;
}

/* Without a pool the caller makes all lines, which takes longer and gives the same. */
static void set_threads(rp_run *run, size_t threads)
{
    uint32_t n = threads < MAX_THREADS ? (uint32_t)threads : MAX_THREADS;
    n = n > 0 ? n : 1;
    if (n == run->n_threads)
        return;
    rp__pool_free(run->pool);
    run->pool = NULL;
    run->n_threads = n;
    if (n > 1 && rp__pool_new(n, &run->pool) != RP_OK)
        run->pool = NULL;
}

/* What is wrong with the lines of a slice, before they are written. */
static rp_status check_slice(rp_run *run, const slice *s, rp_error *err)
{
    if (s->has_failed)
        return rp__error_no_memory(err);
    if (!s->is_altered || run->is_checked)
        return RP_OK;
    rp_status status = rp__docnos_check(run->index, err);
    run->is_checked = status == RP_OK;
    return status;
}

static rp_status write_slices(rp_run *run, rp_error *err)
{
    rp_status status = RP_OK;
    for (size_t i = 0; i < run->n_slices && status == RP_OK; i++) {
        const rp__buf *lines = &run->slices[i].lines;
        status = check_slice(run, &run->slices[i], err);
        if (status != RP_OK || lines->n == 0)
            continue;
        if (run->o.write)
            run->o.write(run->o.write_arg, (const char *)lines->at, lines->n);
        else
            rp__output_write(run->out, lines->at, lines->n);
        if (run->out && rp__output_has_failed(run->out))
            status = rp_run_finish(run, err);
    }
    return status;
}

rp_status rp_run_add_many(rp_run *run, const rp_run_answer *answers, size_t n, size_t threads,
                          rp_error *err)
{
    rp_status status = RP_OK;
    if (RP_MISSING(err, run, answers))
        return RP_USAGE;
    if (!run->out && !run->o.write)
        return rp__error_set(err, RP_USAGE, "the run is finished");
    for (size_t i = 0; i < n; i++)
        if (!answers[i].qid || !answers[i].hits)
            return rp__error_set(err, RP_USAGE, "answer %zu lacks its qid or its hits", i);
    set_threads(run, threads);
    run->answers = answers;
    for (size_t next = 0; next < n && status == RP_OK;) {
        next = cut_slices(run, next, n);
        if (run->pool && run->n_slices > 1)
            rp__pool_run(run->pool, make_lines, run);
        else
            make_lines(run, 0);
        status = write_slices(run, err);
    }
    return status;
}

rp_status rp_run_add(rp_run *run, const char *qid, const rp_hits *hits, rp_error *err)
{
    if (RP_MISSING(err, run, qid, hits))
        return RP_USAGE;
    return rp_run_add_many(run, &(rp_run_answer){.qid = qid, .hits = hits}, 1, run->n_threads, err);
}

rp_status rp_run_finish(rp_run *run, rp_error *err)
{
    if (RP_MISSING(err, run))
        return RP_USAGE;
    rp__output *out = run->out;
    run->out = NULL;
    return out ? rp__output_finish(out, err) : RP_OK;
}

void rp_run_free(rp_run *run)
{
    if (!run)
        return;
    rp__output_abandon(run->out);
    rp__pool_free(run->pool);
    for (size_t i = 0; i < MAX_THREADS; i++)
        rp__buf_free(&run->slices[i].lines);
    rp__free(run);
}
