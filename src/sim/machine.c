/* machine.c: owns the machine's time.
 *
 * Two clocks give the same cycle for every event. `all` evaluates every unit every cycle, in an
 * order that the caller gives. `awake` evaluates a unit only when one of its links changed or its
 * timer is due, jumps over cycles in which nobody is awake, and counts a sleeper's cycles when it
 * wakes, under the class of its last step. units.h has the rule that makes both equal. Runs of
 * alike cycles are made at once (run_ahead.c). */
#include "sim/machine.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/error.h"

/* ---- Freeing --------------------------------------------------------------------------------- */

static void free_port(rp__sim_port *port)
{
    rp__link_reset(&port->request);
    rp__link_reset(&port->response);
}

static void free_array(rp__sim_array *a)
{
    rp__free(a->lines);
    rp__free(a->has_arrived);
}

static void free_pair(rp__pair *p)
{
    for (uint32_t i = 0; i < 2; i++) {
        rp__sim_list *list = &p->scheduler.lists[i];
        free_array(&list->skips);
        free_array(&list->metas);
        free_array(&list->bounds);
    }
    rp__free(p->reader.entries);
    rp__link_reset(&p->reader.open);
    rp__link_reset(&p->reader.closed);
    rp__link_reset(&p->scheduler.finish);
    free_port(&p->reader.port);
    free_port(&p->scheduler.port);
}

static void free_core(rp__core *core)
{
    for (uint32_t i = 0; i < 2; i++) {
        rp__dcu *dcu = &core->dcus[i];
        rp__link_reset(&dcu->in);
        rp__link_reset(&dcu->request);
        rp__link_reset(&dcu->lines);
        rp__link_reset(&dcu->out);
        rp__free(dcu->gaps);
        rp__free(core->sus[i].fifo);
        rp__free(core->sus[i].lines);
        rp__free(core->sus[i].words);
        rp__link_reset(&core->sus[i].out);
        free_port(&core->sus[i].port);
        rp__link_reset(&core->merge_unit.to_su[i]);
        rp__link_reset(&core->write_backs[i].done);
        rp__link_reset(&core->write_backs[i].threshold);
        rp__free(core->write_backs[i].best);
        free_port(&core->write_backs[i].port);
    }
    rp__link_reset(&core->merge_unit.out);
    rp__link_reset(&core->merge_unit.abandon);
    rp__link_reset(&core->bsu.out);
    rp__link_reset(&core->l1_fetch.out);
    free_port(&core->bsu.port);
    rp__free(core->bsu.stream.lines);
    rp__free(core->bsu.stream.has_arrived);
    free_port(&core->l1_fetch.port);
}

void rp__machine_free(rp__machine *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < RP_SIM_MAX_CORES; i++) {
        free_pair(&m->pairs[i]);
        free_core(&m->cores[i]);
        rp__link_reset(&m->scheduler.assign[i]);
    }
    rp__link_reset(&m->host.doorbell);
    rp__link_reset(&m->queue.out);
    rp__link_reset(&m->scheduler.done);
    rp__mai_reset(&m->mai);
    rp__memory_reset(&m->memory);
    rp__free(m->descriptors);
    rp__free(m->host.completions);
    rp__free(m->block);
}

/* ---- Time ------------------------------------------------------------------------------------ */

/* Tells who listens what unit i did up to `now`. */
static __attribute__((noinline)) void tell(const rp__machine *m, uint32_t i, uint64_t now)
{
    const uint64_t counted = m->unit_counts[i].counted;
    if (now > counted)
        m->config.on_spent(m->config.spent_context, i, m->units[i].spent, counted, now - counted);
}

/* Adds the cycles before `now` that are not counted yet to the class that unit i has had since. */
static inline void count(rp__machine *m, uint32_t i, uint64_t now)
{
    rp__unit_counts *counts = &m->unit_counts[i];
    if (m->config.on_spent)
        tell(m, i, now);
    counts->cycles[m->units[i].spent] += now - counts->counted;
    counts->counted = now;
}

/* From this cycle on the unit has another class. Cycles of one class in a row are counted at their
 * end. */
static inline void spend(rp__machine *m, uint32_t i, uint32_t spent, uint64_t now)
{
    if (spent == m->units[i].spent)
        return;
    count(m, i, now);
    m->units[i].spent = spent;
}

static inline void set_timer(rp__machine *m, uint32_t i, uint64_t timer)
{
    const uint64_t bit = UINT64_C(1) << (i & 63);
    m->units[i].timer = timer;
    m->timed[i >> 6] = timer == RP_SIM_NEVER ? m->timed[i >> 6] & ~bit : m->timed[i >> 6] | bit;
    m->next_timer = timer < m->next_timer ? timer : m->next_timer;
}

/* Unit i has another class, or another timer. */
static __attribute__((noinline)) void heed(rp__machine *m, uint32_t i, uint32_t spent,
                                           uint32_t then, uint64_t timer)
{
    spend(m, i, spent, m->clock.now);
    spend(m, i, then, m->clock.now + 1);
    if (timer != m->units[i].timer)
        set_timer(m, i, timer);
}

/* Evaluates unit i. Returns whether it is evaluated in the next cycle too. */
static inline bool evaluate(rp__machine *m, uint32_t i)
{
    const rp__unit *u = &m->units[i];
    const rp__turn turn = u->step(u->state, &m->clock);
    const bool again = turn.wake == m->clock.now + 1;
    const uint64_t timer = again ? RP_SIM_NEVER : turn.wake;
    if (turn.spent != u->spent || turn.then != turn.spent || timer != u->timer)
        heed(m, i, turn.spent, turn.then, timer);
    return again;
}

static void run_cycle_all(rp__machine *m)
{
    memset(m->clock.wake, 0, sizeof m->clock.wake);
    for (uint32_t i = 0; i < m->n_units; i++)
        if (evaluate(m, m->order[i]))
            rp__sim_wake(&m->clock, m->order[i]);
    m->evaluations += m->n_units;
    m->clock.now++;
}

static bool is_complete(const rp__machine *m)
{
    return m->host.n_completions == m->n_descriptors;
}

/* Wakes units whose timer is due. next_timer may name a cycle in which none is any more. */
static void take_timers(rp__machine *m, uint64_t awake[RP_SIM_WAKE_WORDS])
{
    m->next_timer = RP_SIM_NEVER;
    for (uint32_t w = 0; w < RP_SIM_WAKE_WORDS; w++)
        for (uint64_t left = m->timed[w]; left; left &= left - 1) {
            uint64_t timer = m->units[64 * w + rp__bits_lowest64(left)].timer;
            if (timer <= m->clock.now)
                awake[w] |= left & -left;
            else if (timer < m->next_timer)
                m->next_timer = timer;
        }
}

/* Ends a core's run with the cycle before this one: its units are awake again. */
static void end_run(rp__machine *m, uint32_t i)
{
    rp__core_run *r = &m->runs[i];
    rp__run_ahead_make(&m->cores[i], r->docids, r->start, (uint32_t)(m->clock.now - r->start),
                       &m->clock);
    m->running &= ~(1U << i);
    m->watched[r->dcu >> 6] &= ~(UINT64_C(1) << (r->dcu & 63));
    set_timer(m, r->dcu, RP_SIM_NEVER);
}

/* Begins a run if enough cycles from this one on are alike. Returns whether one began. */
static bool begin_run(rp__machine *m, uint32_t i)
{
    rp__core_run *r = &m->runs[i];
    const uint64_t now = m->clock.now;
    const uint32_t cycles = rp__run_ahead_look(&m->cores[i], r->docids, &m->clock);
    if (!cycles)
        return false;
    spend(m, r->dcu, RP_SIM_BUSY, now);
    spend(m, r->dcu + RP_SIM_MERGE - RP_SIM_SECOND_DCU, RP_SIM_BUSY, now);
    r->start = now;
    m->running |= 1U << i;
    m->watched[r->dcu >> 6] |= UINT64_C(1) << (r->dcu & 63);
    set_timer(m, r->dcu, now + cycles);
    m->evaluations++;
    return true;
}

static bool is_running(const rp__machine *m, uint32_t i)
{
    return m->running >> i & 1U;
}

/* Whether a core's run goes on although one of its units was woken. */
static bool goes_on(const rp__machine *m, uint32_t i)
{
    return m->units[m->runs[i].dcu].timer > m->clock.now && rp__run_ahead_lasts(&m->cores[i]);
}

/* Cores whose second decompression unit and merge unit are awake, or woken from a run: these units
 * are taken out of `awake` if a run begins or goes on. */
static void take_runs(rp__machine *m, uint64_t awake[RP_SIM_WAKE_WORDS])
{
    for (uint32_t i = 0; i < m->config.cores; i++) {
        const uint64_t *mask = m->runs[i].mask;
        const uint64_t low = awake[0] & mask[0], high = awake[1] & mask[1];
        if (!(low | high))
            continue;
        if (!is_running(m, i)) {
            if (low != mask[0] || high != mask[1])
                continue;
        } else if (!goes_on(m, i)) {
            end_run(m, i);
            awake[0] |= mask[0];
            awake[1] |= mask[1];
        }
        if (is_running(m, i) || begin_run(m, i)) {
            awake[0] &= ~mask[0];
            awake[1] &= ~mask[1];
        }
    }
}

/* ---- Cycles ---------------------------------------------------------------------------------- */

/* Evaluates the units of a word of `awake`. */
static inline void evaluate_word(rp__machine *m, uint32_t w, uint64_t awake)
{
    uint64_t again = awake;
    for (uint64_t left = awake; left; left &= left - 1) {
        m->evaluations++;
        if (!evaluate(m, 64 * w + rp__bits_lowest64(left)))
            again ^= left & -left;
    }
    m->clock.wake[w] |= again;
}

static inline void run_cycle_awake(rp__machine *m)
{
    uint64_t awake[RP_SIM_WAKE_WORDS] = {m->clock.wake[0], m->clock.wake[1]};
    m->clock.wake[0] = m->clock.wake[1] = 0;
    if (m->next_timer <= m->clock.now)
        take_timers(m, awake);
    if ((awake[0] & m->watched[0]) | (awake[1] & m->watched[1]))
        take_runs(m, awake);
    if (awake[0])
        evaluate_word(m, 0, awake[0]);
    if (awake[1])
        evaluate_word(m, 1, awake[1]);
    m->clock.now++;
    if (!(m->clock.wake[0] | m->clock.wake[1]) && !is_complete(m)) {
        uint64_t limit = m->clock.last_move + m->config.watchdog + 1;
        m->clock.now = m->next_timer < limit ? m->next_timer : limit;
    }
}

static void count_up_to_now(rp__machine *m)
{
    for (uint32_t i = 0; i < m->n_units; i++)
        count(m, i, m->clock.now);
    rp__mai_count_fill(&m->mai, m->clock.now);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

uint32_t rp__machine_units(const rp__machine *m)
{
    return m->n_units;
}

rp_status rp__machine_set_order(rp__machine *m, const uint32_t *order)
{
    m->is_ordered = order != NULL;
    if (order)
        memcpy(m->order, order, m->n_units * sizeof *order);
    return RP_OK;
}

rp_status rp__machine_submit(rp__machine *m, const rp__descriptor *descriptor)
{
    size_t n = m->n_descriptors;
    if (!rp__alloc_grow(&m->descriptors, &m->descriptors_cap, n + 1, sizeof *m->descriptors) ||
        !rp__alloc_grow(&m->host.completions, &m->completions_cap, n + 1,
                        sizeof *m->host.completions))
        return RP_NO_MEMORY;
    m->descriptors[m->n_descriptors++] = *descriptor;
    m->host.descriptors = m->descriptors;
    m->host.n = m->n_descriptors;
    rp__sim_wake(&m->clock, RP_SIM_KIND_HOST);
    return RP_OK;
}

/* Whether the i-th query is among the first n completions. Queries with one tag count in order. */
static bool has_completed(const rp__machine *m, size_t i, size_t n)
{
    uint32_t tag = m->descriptors[i].tag;
    size_t left = 0;
    for (size_t j = 0; j <= i; j++)
        left += m->descriptors[j].tag == tag;
    for (size_t j = 0; j < n && left; j++)
        left -= m->host.completions[j].tag == tag;
    return !left;
}

static rp_status hang(rp__machine *m, rp_error *err)
{
    size_t n = m->host.n_completions;
    m->is_hung = true;
    for (size_t i = 0; i < m->n_descriptors && !is_complete(m); i++)
        if (!has_completed(m, i, n))
            m->host.completions[m->host.n_completions++] = (rp__completion){
                .tag = m->descriptors[i].tag, .status = RP_SIM_HUNG, .end = m->clock.now};
    char text[200];
    rp__machine_describe(m, false, text, sizeof text);
    return rp__error_set(err, RP_LIMIT, "no progress for %u cycles; not idle: %s",
                         m->config.watchdog, text);
}

static bool may_go_on(const rp__machine *m)
{
    return !is_complete(m) && m->clock.now <= m->clock.last_move + m->config.watchdog;
}

rp_status rp__machine_run_for(rp__machine *m, uint64_t cycles, bool *is_done, rp_error *err)
{
    *is_done = false;
    if (m->is_hung)
        return rp__error_set(err, RP_LIMIT, "the machine hangs since its last run");
    if (!m->is_paused && m->clock.last_move < m->clock.now)
        m->clock.last_move = m->clock.now;
    const uint64_t end = cycles < UINT64_MAX - m->clock.now ? m->clock.now + cycles : UINT64_MAX;
    while (m->clock.now < end && may_go_on(m)) {
        if (m->is_ordered)
            run_cycle_all(m);
        else
            run_cycle_awake(m);
    }
    m->is_paused = may_go_on(m);
    if (m->is_paused)
        return RP_OK;
    count_up_to_now(m);
    *is_done = is_complete(m);
    return *is_done ? RP_OK : hang(m, err);
}

rp_status rp__machine_run(rp__machine *m, rp_error *err)
{
    bool is_done;
    return rp__machine_run_for(m, UINT64_MAX, &is_done, err);
}

uint64_t rp__machine_now(const rp__machine *m)
{
    return m->clock.now;
}

const rp__completion *rp__machine_completions(const rp__machine *m, size_t *n)
{
    *n = m->host.n_completions;
    return m->host.completions;
}

void rp__machine_report(const rp__machine *m, rp__sim_report *report)
{
    *report = (rp__sim_report){.cycles = m->clock.now,
                               .queries = m->host.n_completions,
                               .n_units = m->n_units,
                               .counts = m->counts,
                               .evaluations = m->evaluations};
    for (uint32_t i = 0; i < m->n_units; i++) {
        const rp__unit_counts *u = &m->unit_counts[i];
        report->units[i].kind = u->kind;
        report->units[i].index = u->index;
        memcpy(report->units[i].cycles, u->cycles, sizeof u->cycles);
    }
    rp__memory_report(&m->memory, report);
}

/* ---- Results --------------------------------------------------------------------------------- */

/* An AND: each block of list0 has its own place and its count. */
static rp_status gather_blocks(const rp__machine *m, const rp__descriptor *d, uint64_t n,
                               rp__result_slot *dst)
{
    const uint8_t *at = m->bytes.results + (d->result - m->bytes.results_at);
    const uint8_t *counts = at + 8 * d->cap;
    rp__list_header header;
    memcpy(&header, rp__sim_view(&m->bytes, d->list0, sizeof header), sizeof header);
    uint64_t slot = 0, total = 0;
    for (uint32_t b = 0; b < d->n_blocks0; b++) {
        uint64_t meta = rp__load64(rp__sim_view(&m->bytes, rp__sim_meta_at(&header, b), 8));
        uint32_t count = counts[2 * (uint64_t)b] | (uint32_t)counts[2 * (uint64_t)b + 1] << 8;
        if (count > n - total || slot + count > d->cap)
            return RP_DAMAGED;
        memcpy(dst + total, at + 8 * slot, 8 * (size_t)count);
        total += count;
        slot += meta >> 10 & 2047;
    }
    return total == n ? RP_OK : RP_DAMAGED;
}

rp_status rp__machine_results(const rp__machine *m, const rp__descriptor *d,
                              const rp__completion *completion, rp__result_slot *dst)
{
    if (completion->status != RP_SIM_OK || completion->n_results > d->cap)
        return RP_DAMAGED;
    const uint8_t *at = m->bytes.results + (d->result - m->bytes.results_at);
    if (m->config.topk) {
        uint64_t lanes = d->query_type == RP_SIM_SINGLE ? 2 : 1;
        lanes *= rp__bits_count64(completion->cores);
        return rp__lane_topk_gather(at, lanes * m->config.topk, completion->n_results, dst);
    }
    if (d->query_type == RP_SIM_AND)
        return gather_blocks(m, d, completion->n_results, dst);
    if (completion->n_results)
        memcpy(dst, at, 8 * (size_t)completion->n_results);
    return RP_OK;
}
