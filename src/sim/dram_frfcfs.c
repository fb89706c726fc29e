/* dram_frfcfs.c: our own controller: first ready, then oldest first.
 *
 * The oldest column command that may start goes first, then the oldest ACT or PRE. A row stays open
 * while requests wait for it, until it had its share and an older request waits for another row. A
 * rank whose refresh is due finishes the rows that were opened and not yet used, and starts nothing
 * new; other ranks go on. Writes go out when their queue is nearly full, until it is nearly empty,
 * and whenever there is nothing to read. */
#include "base/bits.h"
#include "sim/dram_channel.h"

/* The best entry so far, and when the first of the others can start. */
struct choice {
    uint16_t entry;
    enum rp__dram_kind kind;
    uint32_t order;
    uint64_t wake;
};

static inline void consider(struct choice *best, const struct rp__dram_channel *c, uint16_t entry,
                            enum rp__dram_kind kind, uint64_t when, uint64_t now)
{
    uint32_t order = c->pool[entry].order;
    if (when > now) {
        best->wake = rp__dram_min(best->wake, when);
    } else if (best->entry == RP__DRAM_NONE || (int32_t)(order - best->order) < 0) {
        best->entry = entry;
        best->kind = kind;
        best->order = order;
    }
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
    uint64_t left = rp__dram_ready(c, kind, queue->hits & banks, now, &best->wake);
    for (; left; left &= left - 1) {
        uint32_t bank = rp__bits_lowest64(left);
        consider(best, c, queue->lists[bank].hit, kind,
                 rp__dram_when_column(c, bank, is_write, now), now);
    }
}

/* Whether a PRE must not close the row: it has requests of this queue and its share is not used up,
 * or they are older; or it was opened for a request that did not have its turn yet. */
static bool keeps_row(const struct rp__dram_channel *c, const struct rp__dram_list *list,
                      uint32_t bank)
{
    if (c->unused & (c->reads.hits | c->writes.hits) & 1ULL << bank) {
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
    uint64_t left = rp__dram_ready(c, RP__DRAM_ACT, misses & ~c->open, now, &best->wake);
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

static bool issue(struct rp__dram_channel *c, const struct choice *best, uint64_t now,
                  uint64_t *wake)
{
    *wake = rp__dram_min(*wake, best->wake);
    if (best->entry == RP__DRAM_NONE) {
        return false;
    }
    struct rp__dram_entry *e = &c->pool[best->entry];
    uint32_t bank = e->bank;
    rp__dram_queue_count(c, e, best->kind);
    rp__dram_bank_issue(c, best->kind, bank, e->row, now);
    if (best->kind == RP__DRAM_ACT || best->kind == RP__DRAM_PRE) {
        rp__dram_queue_sort_bank(c, bank);
    } else {
        rp__dram_queue_remove(c, e->is_write ? &c->writes : &c->reads, best->entry);
        rp__dram_queue_finish(c, best->entry, now);
    }
    return true;
}

/* PRE of all banks of the rank that is due, once no row of it waits for its first use, or REF. */
static bool try_refresh(struct rp__dram_channel *c, uint64_t now, uint64_t *wake)
{
    uint32_t rank = c->priority;
    uint64_t open = c->open & rp__dram_rank_mask(c, rank);
    if (c->unused & open & (c->reads.hits | c->writes.hits)) {
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
 * read, starts a drain; less than 20 % and something to read ends it. */
static bool drains(const struct rp__dram_channel *c)
{
    const uint32_t n = c->writes.n * 5, capacity = c->writes.capacity;
    return !c->reads.n || (c->is_writing ? n >= capacity : n > capacity * 4);
}

/* Column commands: of the queue that does not have its turn only what rows were opened for. */
static void consider_columns(const struct rp__dram_channel *c, bool is_writing, uint64_t banks,
                             struct choice *best, uint64_t now)
{
    const struct rp__dram_queue *queue = is_writing ? &c->writes : &c->reads;
    const struct rp__dram_queue *other = is_writing ? &c->reads : &c->writes;
    if (queue->hits & banks) {
        consider_hits(c, queue, banks, best, now);
    }
    if (other->hits & c->unused) {
        consider_hits(c, other, c->unused, best, now);
    }
}

static bool try_columns(struct rp__dram_channel *c, uint64_t now, uint64_t *wake)
{
    struct choice best = {.entry = RP__DRAM_NONE, .wake = *wake};
    c->is_writing = drains(c);
    consider_columns(c, c->is_writing, ~refreshing(c) | c->unused, &best, now);
    return issue(c, &best, now, wake);
}

static bool try_rows(struct rp__dram_channel *c, uint64_t now, uint64_t *wake)
{
    if (c->n_priority && try_refresh(c, now, wake)) {
        return true;
    }
    struct choice best = {.entry = RP__DRAM_NONE, .wake = *wake};
    c->is_writing = drains(c);
    consider_misses(c, c->is_writing ? &c->writes : &c->reads, ~refreshing(c), &best, now);
    return issue(c, &best, now, wake);
}

/* A command was issued in the step before `step`: no other starts before the step returned, unless
 * a request arrives. */
static uint64_t wake_after(const struct rp__dram_channel *c, uint64_t step)
{
    if (c->n_priority) {
        return step;
    }
    if (!c->reads.n && !c->writes.n) {
        return c->next_refresh;
    }
    struct choice best = {.entry = RP__DRAM_NONE, .wake = c->next_refresh};
    const bool is_writing = drains(c);
    consider_columns(c, is_writing, UINT64_MAX, &best, step);
    if ((is_writing ? c->writes.misses : c->reads.misses) && best.wake > step) {
        consider_misses(c, is_writing ? &c->writes : &c->reads, UINT64_MAX, &best, step);
    }
    return best.entry == RP__DRAM_NONE ? best.wake : step;
}

static void tick(struct rp__dram_channel *c, uint64_t now)
{
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
        wake = wake_after(c, now + 1);
    }
    c->wake = wake;
}

/* No command of a new entry starts before this step. */
static uint64_t first_step(const struct rp__dram_channel *c, const struct rp__dram_entry *e,
                           bool is_writing, uint64_t now)
{
    const bool is_open = rp__dram_is_open(c, e->bank);
    if (is_open && c->banks[e->bank].row == e->row) {
        const bool has_turn = e->is_write == is_writing || c->unused >> e->bank & 1U;
        return has_turn ? rp__dram_when_column(c, e->bank, e->is_write, now) : RP__DRAM_NEVER;
    }
    if (e->is_write != is_writing) {
        return RP__DRAM_NEVER;
    }
    return is_open ? rp__dram_when_pre(c, e->bank) : rp__dram_when_act(c, e->bank, now);
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
    uint64_t step = now + 1;
    if (!c->n_priority && drains(c) == is_writing) {
        step = rp__dram_max(step, first_step(c, &c->pool[*entry], is_writing, step));
    }
    c->wake = rp__dram_min(c->wake, step);
    return true;
}

const struct rp__dram_controller rp__dram_frfcfs_row = {
    .name = "frfcfs", .answer_delay = 1, .sets_wake = true, .accept = accept, .tick = tick};
