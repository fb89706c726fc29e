/* trec_run.c: runs: lines of hits, to a file that appears whole or not at all. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/record.h"
#include "engine/docnos.h"
#include "riposte/topics.h"
#include "store/store.h"

enum {
    SCORE_BYTES = 340,                /* "%.7f" of a double has at most 318 */
    NUMBERS_BYTES = SCORE_BYTES + 40, /* of a line: score, rank and blanks */
};

struct rp_run {
    const rp_index *index;
    rp__output *out; /* NULL: `write` takes the lines */
    rp_run_options o;
    bool is_checked; /* no two documents have one docno */
    size_t tag_bytes;
    rp__buf lines;
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
    rp__buf_init(&run->lines);
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

rp_status rp_run_add(rp_run *run, const char *qid, const rp_hits *hits, rp_error *err)
{
    bool is_altered = false;
    if (RP_MISSING(err, run, qid, hits))
        return RP_USAGE;
    if (!run->out && !run->o.write)
        return rp__error_set(err, RP_USAGE, "the run is finished");
    run->lines.n = 0;
    size_t fixed_bytes = strlen(qid) + run->tag_bytes + NUMBERS_BYTES;
    for (size_t i = 0; i < hits->n; i++) {
        size_t most = fixed_bytes + strlen(hits->at[i].name);
        char *from = (char *)rp__buf_room(&run->lines, most);
        if (!from)
            return rp__error_no_memory(err);
        run->lines.n += (size_t)(put_hit(run, from, qid, hits, i, &is_altered) - from);
    }
    if (is_altered && !run->is_checked) {
        rp_status status = rp__docnos_check(run->index, err);
        if (status != RP_OK)
            return status;
        run->is_checked = true;
    }
    if (run->lines.n == 0)
        return RP_OK;
    if (run->o.write)
        run->o.write(run->o.write_arg, (const char *)run->lines.at, run->lines.n);
    else
        rp__output_write(run->out, run->lines.at, run->lines.n);
    return run->out && rp__output_has_failed(run->out) ? rp_run_finish(run, err) : RP_OK;
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
    rp__buf_free(&run->lines);
    rp__free(run);
}
