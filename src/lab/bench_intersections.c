/* bench_intersections.c: the clock around probes.
 *
 * 1 long lists in their forms; 2 short lists; 3 cells and rounds. Synthetic long lists are uniform; of a short list a third
 * is drawn from its long one, the rest from all documents. Of an index one pair of lists is taken. A round takes every
 * cell once, so that a slow moment of the machine falls on all alike; a sample goes through all short lists, each
 * against its own long one, so that what is near the processor is not there because it was just used, after a pass
 * that is not counted. Time is this thread's CPU time. */
#include "lab/bench_intersections.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "lab/lab_source.h"

enum {
    BUCKET = 8,       /* of the index beside arrays */
    SHORT_MOST = 48,  /* short lists of a ratio, at most */
    SOUGHT = 1 << 18, /* docids of them all, about */
};

/* ---- 1. Long lists --------------------------------------------------------------------------- */

static rp_status draw_longs(rp__bench_intersections *b, rp_error *err)
{
    char name[16];
    rp_status status = RP_OK;
    snprintf(name, sizeof name, "U%u", (unsigned)b->size);
    b->n_longs = RP_BENCH_LONG;
    for (size_t i = 0; status == RP_OK && i < b->n_longs; i++) {
        status = rp__lab_set_make(name, b->seed + i, &b->sets[i], err);
        if (status == RP_OK)
            b->longs[i] = b->sets[i].lists[0];
    }
    return status;
}

static void empty_forms(rp__bench_intersections *b)
{
    for (size_t f = 0; f < b->n_forms; f++)
        for (size_t i = 0; i < RP_BENCH_LONG; i++) {
            rp__bench_form *form = &b->forms[f];
            rp__lab_target_free(form->targets[i]);
            rp__lab_list_free(form->lists[i]);
            form->targets[i] = NULL;
            form->lists[i] = NULL;
        }
}

/* By its name; "arrays" is no codec. */
static rp_status make_form(const rp__bench_intersections *b, rp__bench_form *form, rp_error *err)
{
    bool is_plain = strcmp(form->name, "arrays") == 0;
    size_t row = 0;
    form->bits = 8 * sizeof(uint32_t);
    rp_status status = is_plain ? RP_OK : rp__lab_row_find(form->name, NULL, &row, err);
    for (size_t i = 0; status == RP_OK && i < b->n_longs; i++) {
        const rp__lab_postings *p = &b->longs[i];
        if (!is_plain)
            status = rp__lab_list_new(row, NULL, p->docids, NULL, p->n, &form->lists[i], err);
        if (status == RP_OK)
            status = rp__lab_target_new(form->lists[i], p->docids, p->n, is_plain ? BUCKET : 0,
                                        &form->targets[i], err);
    }
    if (status == RP_OK && !is_plain) {
        rp__lab_sizes sizes;
        rp__lab_list_get_sizes(form->lists[0], &sizes);
        form->bits = 8.0 * (double)(sizes.docids + sizes.directory) / sizes.n;
    }
    return status;
}

static rp_status make_forms(rp__bench_intersections *b, rp_error *err)
{
    rp_status status = RP_OK;
    empty_forms(b);
    for (size_t f = 0; status == RP_OK && f < b->n_forms; f++)
        status = make_form(b, &b->forms[f], err);
    return status;
}

rp_status rp__bench_intersections_open(rp__bench_intersections *b, const char *const *codecs,
                                       rp_error *err)
{
    size_t n = 1;
    while (codecs[n - 1])
        n++;
    if (!(b->forms = rp__alloc_zero(n, sizeof *b->forms)))
        return rp__error_no_memory(err);
    b->n_forms = n;
    for (size_t f = 0; f < n; f++)
        b->forms[f].name = f ? codecs[f - 1] : "arrays";
    if (b->source)
        return RP_OK;
    rp_status status = draw_longs(b, err);
    return status == RP_OK ? make_forms(b, err) : status;
}

void rp__bench_intersections_free(rp__bench_intersections *b)
{
    empty_forms(b);
    for (size_t i = 0; i < RP_BENCH_LONG; i++)
        rp__lab_set_free(&b->sets[i]);
    rp__free(b->forms);
    rp__free(b->cells);
}

/* ---- 2. Short lists -------------------------------------------------------------------------- */

typedef struct session {
    rp__bench_intersections *bench;
    uint32_t n; /* docids of a short list */
    size_t n_lists;
    uint32_t *docids; /* of all short lists */
    uint32_t *found, *want;
    uint64_t *bits; /* of all documents; zeros between calls */
} session;

static bool set_bit(uint64_t *bits, uint32_t docid)
{
    bool is_new = !(bits[docid / 64] >> docid % 64 & 1);
    bits[docid / 64] |= 1ULL << docid % 64;
    return is_new;
}

static void draw_short(session *s, rp__random *random, size_t i)
{
    const rp__lab_postings *p = &s->bench->longs[i % s->bench->n_longs];
    const uint32_t universe = s->bench->sets[0].universe;
    uint32_t *out = s->docids + i * s->n;
    uint32_t left = s->n, common = s->n / 3;
    while (common > 0)
        common -= set_bit(s->bits, p->docids[rp__random_below(random, p->n)]);
    for (left -= s->n / 3; left > 0;)
        left -= set_bit(s->bits, rp__random_below(random, universe));
    for (uint32_t w = 0; w <= universe / 64; w++) {
        for (uint64_t word = s->bits[w]; word; word &= word - 1)
            *out++ = w * 64 + (uint32_t)__builtin_ctzll(word);
        s->bits[w] = 0;
    }
}

static rp_status alloc_session(session *s)
{
    s->docids = rp__alloc_array(s->n * s->n_lists, sizeof *s->docids);
    s->found = rp__alloc_array(s->n, sizeof *s->found);
    s->want = rp__alloc_array(s->n, sizeof *s->want);
    return s->docids && s->found && s->want ? RP_OK : RP_NO_MEMORY;
}

/* The source's pair. */
static rp_status take_pair(session *s, rp_error *err)
{
    rp__bench_intersections *b = s->bench;
    const rp__gpu_source *source = rp__lab_source_at(b->source);
    const rp__gpu_source_pair pair = rp__gpu_source_choose(source, b->ratio);
    const rp__gpu_source_list *a = &source->lists[pair.a], *of = &source->lists[pair.b];
    b->longs[0] = (rp__lab_postings){of->n, of->docids, of->tfs};
    b->n_longs = s->n_lists = 1;
    s->n = a->n;
    if (alloc_session(s) != RP_OK)
        return rp__error_no_memory(err);
    memcpy(s->docids, a->docids, a->n * sizeof *s->docids);
    return make_forms(b, err);
}

static rp_status draw_shorts(session *s, rp_error *err)
{
    const rp__bench_intersections *b = s->bench;
    rp__random random;
    s->n = b->size / b->ratio ? b->size / b->ratio : 1;
    s->n_lists = SOUGHT / s->n;
    s->n_lists = s->n_lists > SHORT_MOST ? SHORT_MOST : s->n_lists;
    s->n_lists = s->n_lists < RP_BENCH_LONG ? RP_BENCH_LONG : s->n_lists;
    s->bits = rp__alloc_zero(b->sets[0].universe / 64 + 1, sizeof *s->bits);
    if (!s->bits || alloc_session(s) != RP_OK)
        return rp__error_no_memory(err);
    rp__random_init(&random, b->seed + b->ratio);
    for (size_t i = 0; i < s->n_lists; i++)
        draw_short(s, &random, i);
    return RP_OK;
}

static void close_session(session *s)
{
    rp__free(s->bits);
    rp__free(s->want);
    rp__free(s->found);
    rp__free(s->docids);
}

/* ---- 3. Cells and rounds --------------------------------------------------------------------- */

static rp_status add_cells(rp__bench_intersections *b, size_t form, uint32_t n)
{
    const rp__lab_target *target = b->forms[form].targets[0];
    rp__bench_cell cell = {.form = form};
    for (; rp__lab_probe_get(cell.probe, &cell.about); cell.probe++) {
        if (!rp__lab_probe_applies(cell.probe, target))
            continue;
        if (!rp__alloc_grow(&b->cells, &b->cap_cells, b->n_cells + 1, sizeof *b->cells))
            return RP_NO_MEMORY;
        cell.is_chosen = rp__lab_probe_choose(target, n) == cell.probe;
        b->cells[b->n_cells++] = cell;
    }
    return RP_OK;
}

static rp_status find(const session *s, const rp__bench_cell *cell, size_t i, uint32_t *out,
                      size_t *found)
{
    const rp__bench_form *form = &s->bench->forms[cell->form];
    return rp__lab_probe_find(cell->probe, form->targets[i % s->bench->n_longs],
                              s->docids + i * s->n, s->n, s->bench->has_ranks, out, found);
}

/* Every docid that a cell finds, against the first cell. */
static rp_status check(session *s, const rp__bench_cell *cell, rp_error *err)
{
    size_t want = 0, found = 0;
    for (size_t i = 0; i < s->n_lists; i++)
        if (find(s, &s->bench->cells[0], i, s->want, &want) || find(s, cell, i, s->found, &found) ||
            want != found || memcmp(s->want, s->found, found * sizeof *s->found) != 0)
            return rp__error_set(err, RP_DAMAGED, "%s of %s found other docids than the merge",
                                 cell->about.name, s->bench->forms[cell->form].name);
    return RP_OK;
}

/* Through all short lists; *found is what they have in common with the long ones. */
static rp_status pass(const session *s, const rp__bench_cell *cell, uint64_t *found)
{
    rp_status status = RP_OK;
    *found = 0;
    for (size_t i = 0; status == RP_OK && i < s->n_lists; i++) {
        size_t here;
        status = find(s, cell, i, NULL, &here);
        *found += here;
    }
    return status;
}

/* One pass brings the long lists as near as they can be; the next one is timed. */
static rp_status sample(session *s, rp__bench_cell *cell)
{
    rp_status status = pass(s, cell, &s->bench->found);
    uint64_t begin = rp__clock_thread();
    if (status == RP_OK)
        status = pass(s, cell, &s->bench->found);
    uint64_t ns = rp__clock_thread() - begin;
    rp__bench_samples_add(&cell->samples, (double)ns / (double)s->bench->sought);
    return status;
}

static rp_status run_session(session *s, rp_error *err)
{
    rp__bench_intersections *b = s->bench;
    rp_status status = b->source ? take_pair(s, err) : draw_shorts(s, err);
    for (size_t f = 0; status == RP_OK && f < b->n_forms; f++)
        if (add_cells(b, f, s->n) != RP_OK)
            status = rp__error_no_memory(err);
    if (status != RP_OK)
        return status;
    b->n_short = s->n;
    b->sought = s->n * (uint64_t)s->n_lists;
    for (size_t c = 0; status == RP_OK && c < b->n_cells; c++)
        status = check(s, &b->cells[c], err);
    for (uint32_t round = 0; round < b->rounds; round++)
        for (size_t c = 0; status == RP_OK && c < b->n_cells; c++)
            status = sample(s, &b->cells[c]);
    return status;
}

rp_status rp__bench_intersections_run(rp__bench_intersections *b, rp_error *err)
{
    session s = {.bench = b};
    b->n_cells = 0;
    rp_status status = run_session(&s, err);
    close_session(&s);
    return status;
}
