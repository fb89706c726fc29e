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

static void consider(struct choice *best, const struct rp__dram_channel *c, uint16_t entry,
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
    enum rp__dram_kind kind = queue == &c->writes ? RP__DRAM_WR : RP__DRAM_RD;
    uint64_t left = rp__dram_ready(c, kind, queue->hits & banks, now, &best->wake);
    for (; left; left &= left - 1) {
        uint32_t bank = rp__bits_lowest64(left);
        uint16_t entry = queue->lists[bank].hit;
        const struct rp__dram_entry *e = &c->pool[entry];
        consider(best, c, entry, rp__dram_column_kind(e),
                 rp__dram_when_column(c, bank, e->is_write, now), now);
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

/* More than 80 % of the write queue, or nothing to read, starts a drain; less than 20 % and
 * something to read ends it. */
static const struct rp__dram_queue *choose_queue(struct rp__dram_channel *c)
{
    uint32_t n = c->writes.n * 5, capacity = c->writes.capacity;
    if (c->is_writing) {
        c->is_writing = n >= capacity || !c->reads.n;
    } else {
        c->is_writing = n > capacity * 4 || !c->reads.n;
    }
    return c->is_writing ? &c->writes : &c->reads;
}

/* Of the other queue only what rows were opened for. */
static bool try_columns(struct rp__dram_channel *c, uint64_t now, uint64_t *wake)
{
    struct choice best = {.entry = RP__DRAM_NONE, .wake = RP__DRAM_NEVER};
    const struct rp__dram_queue *queue = choose_queue(c);
    const struct rp__dram_queue *other = queue == &c->reads ? &c->writes : &c->reads;
    consider_hits(c, queue, ~refreshing(c) | c->unused, &best, now);
    consider_hits(c, other, c->unused, &best, now);
    return issue(c, &best, now, wake);
}

static bool try_rows(struct rp__dram_channel *c, uint64_t now, uint64_t *wake)
{
    struct choice best = {.entry = RP__DRAM_NONE, .wake = RP__DRAM_NEVER};
    if (c->n_priority && try_refresh(c, now, wake)) {
        return true;
    }
    consider_misses(c, choose_queue(c), ~refreshing(c), &best, now);
    return issue(c, &best, now, wake);
}

/* A command was issued at `now`: the next step that can have another. Of a channel with one read or
 * nothing to do that is known without looking at the steps until then. */
static uint64_t wake_after(struct rp__dram_channel *c, uint64_t now)
{
    if (c->n_priority || c->writes.n || c->reads.n > 1 || (c->reads.n && c->is_writing)) {
        return now + 1;
    }
    c->rests_since = c->reads.n ? 0 : now;
    if (!c->reads.n) {
        return c->next_refresh;
    }
    uint32_t bank = rp__bits_lowest64(c->reads.used);
    uint64_t when = c->reads.hits               ? rp__dram_when_column(c, bank, false, now + 1)
                    : rp__dram_is_open(c, bank) ? rp__dram_when_pre(c, bank)
                                                : rp__dram_when_act(c, bank, now + 1);
    return rp__dram_min(rp__dram_max(when, now + 1), c->next_refresh);
}

static void tick(struct rp__dram_channel *c, uint64_t now)
{
    if (c->rests_since && now > c->rests_since + 1) {
        c->is_writing = true; /* what choose_queue says of empty queues */
    }
    c->rests_since = 0;
    if (now == c->next_refresh) {
        c->n_priority += c->n_ranks;
        c->next_refresh += c->rules->refi;
    }
    uint64_t wake = c->next_refresh;
    bool is_issued = try_columns(c, now, &wake);
    if (!is_issued || c->rules->has_two_buses) {
        is_issued |= try_rows(c, now, &wake);
    }
    c->wake = is_issued ? wake_after(c, now) : wake;
}

const struct rp__dram_controller rp__dram_frfcfs_row = {
    .name = "frfcfs", .answer_delay = 1, .accept = rp__dram_queue_accept, .tick = tick};
