/* gpu_child_steps.c: a flat AND step by step, at the process that uses the GPU.
 *
 * Each step is a question of its own, and the run stays with the worker until it is closed. Candidates are there too, and
 * come and go through the shared memory of the slot, a piece at a time. A worker that is lost takes its run with it: every later step
 * is refused, and the query is answered elsewhere from its beginning. */
#include "engine/gpu_child_steps.h"

#include "base/error.h"
#include "engine/gpu_child.h"

typedef struct steps {
    const rp__gpu_child *child;
    rp__slot *slot;
    const rp__query *query;
    rp__arena *arena;
    rp_error *err;
    uint32_t phase;      /* of the worker that has the run */
    bool has_candidates; /* the worker does */
    rp__step_mail last;  /* what came of the last step */
} steps;

static rp_status note(steps *s, rp_fallback why)
{
    if (why) {
        s->last.status = RP_UNAVAILABLE;
        s->last.fallback = why;
        return rp__gpu_child_refuse(s->child, s->err);
    }
    s->last = s->slot->step;
    return s->last.status == RP_OK ? RP_OK
                                   : rp__error_set(s->err, s->last.status, "%s", s->slot->err.text);
}

static rp_status ask(steps *s, rp__step_mail mail)
{
    const _Atomic uint32_t *stop = mail.kind == RP_MAIL_CLOSE ? NULL : s->query->stop;
    return note(s, rp__gpu_child_step(s->child, s->phase, &mail, stop));
}

static rp_status ask_traced(steps *s, const char *stage, rp__step_mail mail)
{
    rp__trace *trace = s->query->trace;
    const uint64_t begin = rp__trace_begin(trace), decoded = s->last.postings;
    const uint64_t uploaded = s->last.gpu.uploaded_bytes;
    rp_status status = ask(s, mail);
    rp__trace_end(trace, &(rp__trace_event){.stage = stage,
                                            .processor = "gpu",
                                            .begin = begin,
                                            .elements = s->last.postings - decoded,
                                            .bytes = s->last.gpu.uploaded_bytes - uploaded});
    return status;
}

/* Of the candidates that there are. */
static rp_status go_on(steps *s, const char *stage, rp__step_mail mail)
{
    return s->has_candidates ? ask_traced(s, stage, mail) : RP_USAGE;
}

/* ---- As rp__steps has them --------------------------------------------------------------------- */

static rp_status open_steps(void *state, const rp__query *query, rp__arena *arena, void **out,
                            rp_error *err)
{
    const rp__gpu_child *child = state;
    steps *s = rp__arena_zero(arena, 1, sizeof *s);
    *out = NULL;
    if (!s)
        return rp__error_no_memory(err);
    *s = (steps){.child = child,
                 .slot = rp__gpu_child_slot(child),
                 .query = query,
                 .arena = arena,
                 .err = err};
    rp_status status = note(s, rp__gpu_child_open_run(child, query, arena->cap, &s->phase));
    if (status == RP_OK)
        *out = s;
    return status;
}

static rp_status start_list(void *run, uint32_t leaf)
{
    steps *s = run;
    s->has_candidates = true;
    return ask_traced(s, "start", (rp__step_mail){.kind = RP_MAIL_START, .first = leaf});
}

static rp_status meet_list(void *run, uint32_t leaf)
{
    return go_on(run, "meet", (rp__step_mail){.kind = RP_MAIL_MEET, .first = leaf});
}

static rp_status score_list(void *run, uint32_t leaf)
{
    return go_on(run, "score", (rp__step_mail){.kind = RP_MAIL_SCORE, .first = leaf});
}

static rp_status narrow_lists(void *run, uint32_t first, uint32_t last)
{
    return go_on(run, "narrow",
                 (rp__step_mail){.kind = RP_MAIL_NARROW, .first = first, .last = last});
}

static uint32_t count_candidates(const void *run)
{
    const steps *s = run;
    return s->has_candidates ? s->last.n : 0;
}

static void report(const void *run, rp__answer *answer)
{
    const steps *s = run;
    answer->postings = s->last.postings;
    answer->gpu = s->last.gpu;
    answer->fallback = s->last.status == RP_OK ? RP_FALLBACK_NONE : s->last.fallback;
}

static rp_status select_best(void *run, rp__answer *answer)
{
    steps *s = run;
    rp__batch_item asked = {.query = *s->query};
    rp_status status = go_on(s, "select", (rp__step_mail){.kind = RP_MAIL_SELECT});
    if (status == RP_OK) {
        rp__mailbox_take(s->slot, &asked, 1, s->arena);
        *answer = asked.answer;
        status = s->last.status = asked.status;
        s->last.fallback = asked.answer.fallback;
        s->has_candidates = false;
        if (status != RP_OK)
            rp__error_set(s->err, status, "%s", s->slot->err.text);
    }
    report(s, answer);
    return status;
}

/* One message at least. */
static rp_status put_partial(void *run, const rp__partial *partial)
{
    steps *s = run;
    const uint32_t max = rp__mailbox_piece_max(s->slot);
    uint32_t first = 0, last;
    rp_status status;
    s->has_candidates = true;
    s->last.postings = partial->postings;
    s->last.gpu = partial->gpu;
    do {
        last = partial->n - first < max ? partial->n : first + max;
        rp__mailbox_put_piece(s->slot, partial, first, last);
        status = ask_traced(s, "put",
                            (rp__step_mail){.kind = RP_MAIL_PUT,
                                            .first = first,
                                            .last = last,
                                            .n = partial->n,
                                            .postings = partial->postings,
                                            .gpu = partial->gpu});
        first = last;
    } while (status == RP_OK && last < partial->n);
    return status;
}

/* With the first piece comes the number of all. */
static rp_status take_partial(void *run, rp__partial *partial)
{
    steps *s = run;
    const uint32_t max = rp__mailbox_piece_max(s->slot);
    rp_status status = go_on(s, "take", (rp__step_mail){.kind = RP_MAIL_TAKE, .last = max});
    *partial = (rp__partial){.postings = s->last.postings, .gpu = s->last.gpu};
    if (status != RP_OK)
        return status;
    const uint32_t n = s->last.n;
    partial->docids = rp__arena_array(s->arena, n + (size_t)1, sizeof *partial->docids);
    partial->scores = rp__arena_array(s->arena, n + (size_t)1, sizeof *partial->scores);
    partial->n = n;
    s->has_candidates = false;
    if (!partial->docids || !partial->scores) {
        s->last.fallback = RP_FALLBACK_HOST_MEMORY;
        return s->last.status = rp__error_no_memory(s->err);
    }
    rp__mailbox_get_piece(s->slot, partial, 0, s->last.last);
    for (uint32_t at = s->last.last, end; at < n && status == RP_OK; at = end) {
        end = n - at < max ? n : at + max;
        status = ask(s, (rp__step_mail){.kind = RP_MAIL_TAKE, .first = at, .last = end});
        if (status == RP_OK)
            rp__mailbox_get_piece(s->slot, partial, at, end);
    }
    return status;
}

/* A worker that is lost has no run any more. */
static void close_steps(void *run)
{
    steps *s = run;
    rp_error none;
    s->err = &none;
    (void)ask(s, (rp__step_mail){.kind = RP_MAIL_CLOSE});
}

const rp__steps rp__gpu_child_steps_row = {.open = open_steps,
                                           .start = start_list,
                                           .meet = meet_list,
                                           .score = score_list,
                                           .narrow = narrow_lists,
                                           .select = select_best,
                                           .count = count_candidates,
                                           .put = put_partial,
                                           .take = take_partial,
                                           .report = report,
                                           .close = close_steps};
