/* dram_r21.c: the controller of Ramulator 2.1, by its rules.
 *
 * In this order: a column command of a request whose ACT was issued; a refresh that is due; the
 * oldest request whose next command may start now, of the read queue or, in write mode, of the
 * write queue. A request whose ACT was issued leaves its queue. With two buses a column command is
 * chosen first, then a row command. */
#include "base/bits.h"
#include "sim/dram_channel.h"

/* The best request so far, and when the first of the others can start. */
struct choice {
    uint16_t entry;
    enum rp__dram_kind kind;
    uint64_t arrive, wake;
    uint32_t order;
};

static void consider(struct choice *best, const struct rp__dram_channel *c, uint16_t entry,
                     enum rp__dram_kind kind, uint64_t when, uint64_t now)
{
    const struct rp__dram_entry *e = &c->pool[entry];
    if (when > now) {
        best->wake = rp__dram_min(best->wake, when);
    } else if (best->entry == RP__DRAM_NONE || e->arrive < best->arrive ||
               (e->arrive == best->arrive && e->order < best->order)) {
        best->entry = entry;
        best->kind = kind;
        best->arrive = e->arrive;
        best->order = e->order;
    }
}

static void consider_active(const struct rp__dram_channel *c, struct choice *best, uint64_t now)
{
    for (uint64_t left = c->active; left; left &= left - 1) {
        uint32_t bank = rp__bits_lowest64(left);
        const struct rp__dram_entry *e = &c->pool[c->active_entry[bank]];
        consider(best, c, c->active_entry[bank], rp__dram_column_kind(e),
                 rp__dram_when_column(c, bank, e->is_write, now), now);
    }
}

static void consider_hits(const struct rp__dram_channel *c, const struct rp__dram_queue *queue,
                          struct choice *best, uint64_t now)
{
    enum rp__dram_kind kind = queue == &c->writes ? RP__DRAM_WR : RP__DRAM_RD;
    uint64_t left = rp__dram_ready(c, kind, queue->hits, now, &best->wake);
    for (; left; left &= left - 1) {
        uint32_t bank = rp__bits_lowest64(left);
        uint16_t entry = queue->lists[bank].hit;
        bool is_write = c->pool[entry].is_write;
        consider(best, c, entry, rp__dram_column_kind(&c->pool[entry]),
                 rp__dram_when_column(c, bank, is_write, now), now);
    }
}

/* Whether a PRE must not close the row: a request waits for it that is as old, or its ACT was
 * issued. */
static bool keeps_row(const struct rp__dram_channel *c, const struct rp__dram_list *list,
                      uint32_t bank)
{
    return (c->active >> bank & 1U) ||
           (list->hit != RP__DRAM_NONE && c->pool[list->hit].arrive <= c->pool[list->miss].arrive);
}

static void consider_misses(const struct rp__dram_channel *c, const struct rp__dram_queue *queue,
                            struct choice *best, uint64_t now)
{
    uint64_t misses = queue->misses;
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

static void issue(struct rp__dram_channel *c, const struct choice *chosen, uint64_t now)
{
    struct rp__dram_entry *e = &c->pool[chosen->entry];
    struct rp__dram_queue *queue = e->is_write ? &c->writes : &c->reads;
    uint32_t bank = e->bank;
    rp__dram_queue_count(c, e, chosen->kind);
    rp__dram_bank_issue(c, chosen->kind, bank, e->row, now);
    if (chosen->kind == RP__DRAM_PRE) {
        rp__dram_queue_sort_bank(c, bank);
    } else if (chosen->kind == RP__DRAM_ACT) {
        rp__dram_queue_remove(c, queue, chosen->entry);
        rp__dram_queue_sort_bank(c, bank);
        c->active |= 1ULL << bank;
        c->active_entry[bank] = chosen->entry;
        e->order = c->active_order++;
    } else {
        if ((c->active >> bank & 1U) && c->active_entry[bank] == chosen->entry) {
            c->active &= ~(1ULL << bank);
        } else {
            rp__dram_queue_remove(c, queue, chosen->entry);
        }
        rp__dram_queue_finish(c, chosen->entry, now);
    }
}

/* The refresh at the head; true: a command was issued. */
static bool try_refresh(struct rp__dram_channel *c, uint64_t now, uint64_t *wake)
{
    uint32_t rank = c->priority;
    uint64_t mask = rp__dram_rank_mask(c, rank);
    bool is_open = (c->open & mask) != 0;
    if (is_open && (c->active & mask)) {
        return false;
    }
    uint64_t when = is_open ? rp__dram_when_prea(c, rank) : rp__dram_when_ref(c, rank, now);
    if (when > now) {
        *wake = rp__dram_min(*wake, when);
        return false;
    }
    rp__dram_bank_issue_rank(c, is_open ? RP__DRAM_PREA : RP__DRAM_REF, rank, now);
    if (is_open) {
        for (uint32_t i = 0; i < c->banks_of_rank; i++) {
            rp__dram_queue_sort_bank(c, rank * c->banks_of_rank + i);
        }
    } else {
        c->priority = rank + 1 == c->n_ranks ? 0 : rank + 1;
        c->n_priority--;
    }
    return true;
}

/* More than 80 % of the write queue, or nothing to read, starts write mode; less than 20 % and
 * something to read ends it. */
static const struct rp__dram_queue *choose_queue(struct rp__dram_channel *c)
{
    uint32_t n = c->writes.n * 5, capacity = c->writes.capacity;
    if (!c->is_writing) {
        c->is_writing = n > capacity * 4 || c->reads.n == 0;
    } else if (n < capacity && c->reads.n != 0) {
        c->is_writing = false;
    }
    return c->is_writing ? &c->writes : &c->reads;
}

/* What may start on this bus, or on the only one; true: it was issued. */
static bool try_bus(struct rp__dram_channel *c, bool columns, bool rows, uint64_t now,
                    uint64_t *wake)
{
    struct choice best = {.entry = RP__DRAM_NONE, .wake = RP__DRAM_NEVER};
    bool is_refreshed = false;
    if (columns) {
        consider_active(c, &best, now);
    }
    if (best.entry == RP__DRAM_NONE && c->n_priority) {
        is_refreshed = rows && try_refresh(c, now, &best.wake);
    } else if (best.entry == RP__DRAM_NONE) {
        const struct rp__dram_queue *queue = choose_queue(c);
        if (columns) {
            consider_hits(c, queue, &best, now);
        }
        if (rows) {
            consider_misses(c, queue, &best, now);
        }
    }
    *wake = rp__dram_min(*wake, best.wake);
    if (best.entry != RP__DRAM_NONE) {
        issue(c, &best, now);
    }
    return is_refreshed || best.entry != RP__DRAM_NONE;
}

static void tick(struct rp__dram_channel *c, uint64_t now)
{
    bool is_issued;
    if (now == c->next_refresh) {
        c->n_priority += c->n_ranks;
        c->next_refresh += c->rules->refi;
    }
    uint64_t wake = c->next_refresh;
    if (c->rules->has_two_buses) {
        is_issued = try_bus(c, true, false, now, &wake);
        is_issued |= try_bus(c, false, true, now, &wake);
    } else {
        is_issued = try_bus(c, true, true, now, &wake);
    }
    c->wake = is_issued ? now + 1 : wake;
}

const struct rp__dram_controller rp__dram_r21_row = {
    .name = "r21", .answer_delay = 1, .accept = rp__dram_queue_accept, .tick = tick};
