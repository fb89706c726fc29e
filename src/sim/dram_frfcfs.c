/* dram_frfcfs.c: our own controller: first ready, then oldest first.
 *
 * The oldest column command that may start goes first, then the oldest ACT or PRE. Each bank has a
 * latch for the request whose ACT was issued: it gives its place in the queue to another one, and
 * its row is not closed before its column command. A row stays open while requests wait for it,
 * until it had its share and an older request waits for another row. A rank whose refresh is due
 * finishes what is latched, and starts nothing new; other ranks go on. Writes go out when their
 * queue is nearly full, until it is nearly empty, and whenever there is nothing to read. */
#include "base/bits.h"
#include "sim/dram_channel.h"

/* The best entry so far: of those that can start first, the oldest; of column commands and others
 * that can, a column command. */
struct choice {
    uint16_t entry;
    enum rp__dram_kind kind;
    uint32_t order;
    uint64_t when;  /* that it can start; at `now` or before: now */
    uint64_t blind; /* entries that were not looked at may start from here on */
};

static struct choice no_choice(const struct rp__dram_channel *c)
{
    return (struct choice){
        .entry = RP__DRAM_NONE, .when = RP__DRAM_NEVER, .blind = c->next_refresh};
}

static inline bool is_row(enum rp__dram_kind kind)
{
    return kind == RP__DRAM_ACT || kind == RP__DRAM_PRE;
}

static inline void consider(struct choice *best, const struct rp__dram_channel *c, uint16_t entry,
                            enum rp__dram_kind kind, uint64_t when, uint64_t now)
{
    when = rp__dram_max(when, now);
    if (when > best->when) {
        return;
    }
    uint32_t order = c->pool[entry].order;
    if (when < best->when ||
        (is_row(kind) == is_row(best->kind) && (int32_t)(order - best->order) < 0)) {
        best->entry = entry;
        best->kind = kind;
        best->order = order;
        best->when = when;
    }
}

static uint64_t latched(const struct rp__dram_channel *c)
{
    return c->reads.latched | c->writes.latched;
}

/* The banks of ranks that wait for their refresh. */
static uint64_t refreshing(const struct rp__dram_channel *c)
{
    return c->n_priority ? rp__dram_rank_mask(c, c->priority) : 0;
}

static void consider_hits(const struct rp__dram_channel *c, const struct rp__dram_queue *queue,
                          uint64_t banks, struct choice *best, uint64_t now)
{
    const bool is_write = queue == &c->writes;
    const enum rp__dram_kind kind = is_write ? RP__DRAM_WR : RP__DRAM_RD;
    uint64_t left = queue->hits & banks;
    for (; left; left &= left - 1) {
        uint32_t bank = rp__bits_lowest64(left);
        consider(best, c, queue->lists[bank].hit, kind,
                 rp__dram_when_column(c, bank, is_write, now), now);
    }
}

/* Whether a PRE must not close the row: it has requests of this queue and its share is not used up,
 * or they are older; or what it was opened for is still latched. */
static bool keeps_row(const struct rp__dram_channel *c, const struct rp__dram_list *list,
                      uint32_t bank)
{
    if (latched(c) >> bank & 1U) {
        return true;
    }
    return list->hit != RP__DRAM_NONE &&
           (c->banks[bank].hits < c->config->row_hits ||
            (int32_t)(c->pool[list->hit].order - c->pool[list->miss].order) < 0);
}

static void consider_misses(const struct rp__dram_channel *c, const struct rp__dram_queue *queue,
                            uint64_t banks, struct choice *best, uint64_t now)
{
    uint64_t misses = queue->misses & banks;
    uint64_t left = misses & ~c->open;
    for (; left; left &= left - 1) {
        uint32_t bank = rp__bits_lowest64(left);
        consider(best, c, queue->lists[bank].miss, RP__DRAM_ACT, rp__dram_when_act(c, bank, now),
                 now);
    }
    for (left = misses & c->open; left; left &= left - 1) {
        uint32_t bank = rp__bits_lowest64(left);
        const struct rp__dram_list *list = &queue->lists[bank];
        if (!keeps_row(c, list, bank)) {
            consider(best, c, list->miss, RP__DRAM_PRE, rp__dram_when_pre(c, bank), now);
        }
    }
}

/* After a column command for the bank: what is latched is the oldest of its queue, so it was that. */
static void unlatch(struct rp__dram_queue *queue, uint32_t bank)
{
    queue->n_latched -= (uint32_t)(queue->latched >> bank & 1U);
    queue->latched &= ~(1ULL << bank);
}

static void issue(struct rp__dram_channel *c, uint16_t entry, enum rp__dram_kind kind, uint64_t now)
{
    struct rp__dram_entry *e = &c->pool[entry];
    struct rp__dram_queue *queue = e->is_write ? &c->writes : &c->reads;
    uint32_t bank = e->bank;
    rp__dram_queue_count(c, e, kind);
    rp__dram_bank_issue(c, kind, bank, e->row, now);
    if (kind == RP__DRAM_ACT) {
        queue->latched |= 1ULL << bank;
        queue->n_latched++;
    }
    if (is_row(kind)) {
        rp__dram_queue_sort_bank(c, bank);
    } else {
        unlatch(queue, bank);
        rp__dram_queue_remove(c, queue, entry);
        rp__dram_queue_finish(c, entry, now);
    }
}

/* Issues the choice if it can start now; otherwise *wake falls to when one may. */
static bool issue_choice(struct rp__dram_channel *c, const struct choice *best, uint64_t now,
                         uint64_t *wake)
{
    if (best->when > now) {
        *wake = rp__dram_min(*wake, rp__dram_min(best->when, best->blind));
        return false;
    }
    issue(c, best->entry, best->kind, now);
    return true;
}

/* PRE of all banks of the rank that is due, once nothing of it is latched, or REF. */
static bool try_refresh(struct rp__dram_channel *c, uint64_t now, uint64_t *wake)
{
    uint32_t rank = c->priority;
    uint64_t open = c->open & rp__dram_rank_mask(c, rank);
    if (latched(c) & open) {
        return false;
    }
    uint64_t when = open ? rp__dram_when_prea(c, rank) : rp__dram_when_ref(c, rank, now);
    if (when > now) {
        *wake = rp__dram_min(*wake, when);
        return false;
    }
    rp__dram_bank_issue_rank(c, open ? RP__DRAM_PREA : RP__DRAM_REF, rank, now);
    for (uint64_t left = open; left; left &= left - 1) {
        rp__dram_queue_sort_bank(c, rp__bits_lowest64(left));
    }
    if (!open) {
        c->priority = rank + 1 == c->n_ranks ? 0 : rank + 1;
        c->n_priority--;
    }
    return true;
}

/* Whether writes have their turn in the next step: more than 80 % of their queue, or nothing to
 * read, starts a drain; less than 20 % and something to read ends it. What is latched waits in no
 * queue. */
static bool drains(const struct rp__dram_channel *c)
{
    const uint32_t n = rp__dram_waiting(&c->writes) * 5, capacity = c->writes.capacity;
    return n &&
           (!rp__dram_waiting(&c->reads) || (c->is_writing ? n >= capacity : n > capacity * 4));
}

/* Column commands: of the queue that does not have its turn, and of banks that are not among
 * `banks`, only what is latched. */
static void consider_columns(const struct rp__dram_channel *c, bool is_writing, uint64_t banks,
                             struct choice *best, uint64_t now)
{
    const struct rp__dram_queue *queue = is_writing ? &c->writes : &c->reads;
    const struct rp__dram_queue *other = is_writing ? &c->reads : &c->writes;
    if (queue->hits & (banks | queue->latched)) {
        consider_hits(c, queue, banks | queue->latched, best, now);
    }
    if (other->latched) {
        consider_hits(c, other, other->latched, best, now);
    }
}

static bool try_columns(struct rp__dram_channel *c, uint64_t now, uint64_t *wake)
{
    struct choice best = no_choice(c);
    c->is_writing = drains(c);
    consider_columns(c, c->is_writing, ~refreshing(c), &best, now);
    return issue_choice(c, &best, now, wake);
}

static bool try_rows(struct rp__dram_channel *c, uint64_t now, uint64_t *wake)
{
    if (c->n_priority && try_refresh(c, now, wake)) {
        return true;
    }
    struct choice best = no_choice(c);
    c->is_writing = drains(c);
    consider_misses(c, c->is_writing ? &c->writes : &c->reads, ~refreshing(c), &best, now);
    return issue_choice(c, &best, now, wake);
}

/* ---- What comes next ------------------------------------------------------------------------- */

/* The next command of an entry that has its turn. */
static enum rp__dram_kind next_kind(const struct rp__dram_channel *c,
                                    const struct rp__dram_entry *e)
{
    if (!rp__dram_is_open(c, e->bank)) {
        return RP__DRAM_ACT;
    }
    return c->banks[e->bank].row == e->row ? rp__dram_column_kind(e) : RP__DRAM_PRE;
}

static uint64_t next_step(const struct rp__dram_channel *c, const struct rp__dram_entry *e,
                          enum rp__dram_kind kind, uint64_t step)
{
    const uint64_t when = kind == RP__DRAM_ACT ? rp__dram_when_act(c, e->bank, step)
                          : kind == RP__DRAM_PRE
                              ? rp__dram_when_pre(c, e->bank)
                              : rp__dram_when_column(c, e->bank, e->is_write, step);
    return rp__dram_max(when, step);
}

/* Plans a command, unless it is not alone on its step. Returns the step. */
static uint64_t plan(struct rp__dram_channel *c, uint16_t entry, enum rp__dram_kind kind,
                     uint64_t when, uint64_t blind)
{
    const bool is_alone = when < blind && !c->rules->has_two_buses && !c->config->never_sleeps;
    c->plan = (struct rp__dram_plan){when, is_alone ? entry : RP__DRAM_NONE, (uint8_t)kind};
    return rp__dram_min(when, blind);
}

/* The only entry: there is nothing to choose from. */
static uint64_t plan_alone(struct rp__dram_channel *c, uint16_t entry, uint64_t step)
{
    const struct rp__dram_entry *e = &c->pool[entry];
    const enum rp__dram_kind kind = next_kind(c, e);
    return plan(c, entry, kind, next_step(c, e, kind, step), c->next_refresh);
}

/* A command was issued in the step before `step`, for this entry: no other starts before the step
 * returned, unless a request arrives. */
static uint64_t wake_after(struct rp__dram_channel *c, uint16_t entry, uint64_t step)
{
    const uint32_t n = c->reads.n + c->writes.n;
    c->plan.entry = RP__DRAM_NONE;
    if (c->n_priority) {
        return step;
    }
    if (!n) {
        return c->next_refresh;
    }
    if (n == 1 && entry != RP__DRAM_NONE) {
        return plan_alone(c, entry, step);
    }
    const bool is_writing = drains(c);
    struct choice best = no_choice(c);
    consider_columns(c, is_writing, UINT64_MAX, &best, step);
    if (best.when > step) {
        consider_misses(c, is_writing ? &c->writes : &c->reads, UINT64_MAX, &best, step);
    }
    return plan(c, best.entry, best.kind, best.when, best.blind);
}

/* What tick does where the command is known. */
static void follow_plan(struct rp__dram_channel *c, uint64_t now)
{
    const uint16_t entry = c->plan.entry;
    const enum rp__dram_kind kind = (enum rp__dram_kind)c->plan.kind;
    c->is_writing = drains(c);
    issue(c, entry, kind, now);
    c->changed = now;
    c->wake = wake_after(c, is_row(kind) ? entry : RP__DRAM_NONE, now + 1);
}

static void tick(struct rp__dram_channel *c, uint64_t now)
{
    if (c->plan.entry != RP__DRAM_NONE && c->plan.step == now) {
        follow_plan(c, now);
        return;
    }
    if (now == c->next_refresh) {
        c->n_priority += c->n_ranks;
        c->next_refresh += c->rules->refi;
    }
    uint64_t wake = c->next_refresh;
    bool is_issued = try_columns(c, now, &wake);
    if (!is_issued || c->rules->has_two_buses) {
        is_issued |= try_rows(c, now, &wake);
    }
    if (is_issued) {
        c->changed = now;
        wake = wake_after(c, RP__DRAM_NONE, now + 1);
    }
    c->wake = wake;
}

/* No command of a new entry starts before this step. */
static uint64_t first_step(const struct rp__dram_channel *c, const struct rp__dram_entry *e,
                           bool is_writing, uint64_t now)
{
    const bool is_open = rp__dram_is_open(c, e->bank);
    if (is_open && c->banks[e->bank].row == e->row) {
        return e->is_write == is_writing ? rp__dram_when_column(c, e->bank, e->is_write, now)
                                         : RP__DRAM_NEVER;
    }
    if (e->is_write != is_writing) {
        return RP__DRAM_NEVER;
    }
    return is_open ? rp__dram_when_pre(c, e->bank) : rp__dram_when_act(c, e->bank, now);
}

/* Whether the plan would be another one with this new entry, whose first command starts at `step`
 * or later: a request for an open row may keep a PRE from closing it. */
static bool changes_plan(const struct rp__dram_channel *c, const struct rp__dram_entry *e,
                         uint64_t step)
{
    return step <= c->plan.step ||
           (c->plan.kind == RP__DRAM_PRE && c->pool[c->plan.entry].bank == e->bank);
}

/* Steps that were skipped since the last change would have said whose turn it is, so that is made
 * up for first. A request that changes whose turn it is, or comes before a refresh, wakes the
 * controller in the next step, another one when its first command may start. */
static bool accept(struct rp__dram_channel *c, const struct rp__dram_place *place, bool is_write,
                   uint32_t tag, uint64_t now, uint16_t *entry)
{
    if (now > c->changed) {
        c->is_writing = drains(c);
    }
    const uint32_t n = c->reads.n + c->writes.n;
    const bool is_writing = drains(c);
    if (!rp__dram_queue_accept(c, place, is_write, tag, now, entry)) {
        return false;
    }
    c->changed = now;
    if (c->reads.n + c->writes.n == n) {
        return true; /* it is merged or forwarded */
    }
    const struct rp__dram_entry *e = &c->pool[*entry];
    uint64_t step = now + 1;
    if (!n && !c->n_priority) {
        step = plan_alone(c, *entry, step);
    } else if (!c->n_priority && drains(c) == is_writing) {
        step = rp__dram_max(step, first_step(c, e, is_writing, step));
        if (c->plan.entry != RP__DRAM_NONE && changes_plan(c, e, step)) {
            c->plan.entry = RP__DRAM_NONE;
        }
    } else {
        c->plan.entry = RP__DRAM_NONE;
    }
    c->wake = rp__dram_min(c->wake, step);
    return true;
}

const struct rp__dram_controller rp__dram_frfcfs_row = {
    .name = "frfcfs", .answer_delay = 1, .sets_wake = true, .accept = accept, .tick = tick};
