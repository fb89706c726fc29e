/* dram_compat.c: the controller of DRAMsim3, by its rules.
 *
 * Transactions wait in a read queue and a write buffer. Each clock one of them may enter the queue
 * of its bank, in order but past those whose bank's queue is full: a read, or a write while the
 * buffer drains. Banks are visited in turn, from the one after the last that issued. In a bank's
 * queue the first command that may start wins: a column command for the open row, ACT, or PRE if it
 * is for the head and no command waits for the open row, or that row had its share. A refresh
 * closes the banks one by one and keeps its rank's queues waiting.
 *
 * One rule is ours: where a write must wait for a read of its address, a read moves instead;
 * DRAMsim3 can wait for ever there. */
#include "base/bits.h"
#include "sim/dram_channel.h"

static uint8_t hash(uint32_t bank, uint32_t row, uint32_t column)
{
    return (uint8_t)((bank * 31U + row * 17U + column * 7U) ^ row >> 8);
}

static void filter_change(struct rp__dram_channel *c, const struct rp__dram_entry *e, int by)
{
    uint8_t *filter = e->is_write ? c->write_filter : c->read_filter;
    uint8_t *at = &filter[hash(e->bank, e->row, e->column)];
    *at = (uint8_t)(*at + by);
}

static bool is_at(const struct rp__dram_entry *e, const struct rp__dram_place *place)
{
    return e->bank == place->bank && e->row == place->row && e->column == place->column;
}

/* A transaction of this address that waits, in its transaction queue or in its bank's. */
static uint16_t find_pending(const struct rp__dram_channel *c, const struct rp__dram_place *place,
                             bool is_write)
{
    const uint8_t *filter = is_write ? c->write_filter : c->read_filter;
    if (!filter[hash(place->bank, place->row, place->column)]) {
        return RP__DRAM_NONE;
    }
    uint16_t i = is_write ? c->write_head : c->read_head;
    while (i != RP__DRAM_NONE && !is_at(&c->pool[i], place)) {
        i = c->pool[i].newer;
    }
    if (i == RP__DRAM_NONE) {
        i = c->reads.lists[place->bank].head;
        while (i != RP__DRAM_NONE &&
               !(is_at(&c->pool[i], place) && c->pool[i].is_write == is_write)) {
            i = c->pool[i].next;
        }
    }
    return i;
}

static void append(struct rp__dram_channel *c, uint16_t entry, bool is_write)
{
    uint16_t *head = is_write ? &c->write_head : &c->read_head;
    uint16_t *tail = is_write ? &c->write_tail : &c->read_tail;
    c->pool[entry].older = *tail;
    c->pool[entry].newer = RP__DRAM_NONE;
    *(*tail == RP__DRAM_NONE ? head : &c->pool[*tail].newer) = entry;
    *tail = entry;
    *(is_write ? &c->n_writes : &c->n_reads) += 1;
    filter_change(c, &c->pool[entry], 1);
}

static void unlink_transaction(struct rp__dram_channel *c, uint16_t entry)
{
    struct rp__dram_entry *e = &c->pool[entry];
    uint16_t *head = e->is_write ? &c->write_head : &c->read_head;
    uint16_t *tail = e->is_write ? &c->write_tail : &c->read_tail;
    *(e->older == RP__DRAM_NONE ? head : &c->pool[e->older].newer) = e->newer;
    *(e->newer == RP__DRAM_NONE ? tail : &c->pool[e->newer].older) = e->older;
    *(e->is_write ? &c->n_writes : &c->n_reads) -= 1;
}

static bool accept_write(struct rp__dram_channel *c, const struct rp__dram_place *place,
                         uint32_t tag, uint64_t now, uint16_t *entry)
{
    if (find_pending(c, place, true) != RP__DRAM_NONE) {
        c->counters.merged++;
        return true;
    }
    *entry = rp__dram_queue_fill(c, place, true, tag, now);
    if (*entry != RP__DRAM_NONE) {
        append(c, *entry, true);
    }
    return *entry != RP__DRAM_NONE;
}

static bool accept(struct rp__dram_channel *c, const struct rp__dram_place *place, bool is_write,
                   uint32_t tag, uint64_t now, uint16_t *entry)
{
    if (is_write ? c->n_writes == c->writes.capacity : c->n_reads == c->reads.capacity) {
        return false;
    }
    if (is_write) {
        return accept_write(c, place, tag, now, entry);
    }
    *entry = rp__dram_queue_fill(c, place, false, tag, now);
    if (*entry == RP__DRAM_NONE) {
        return false;
    }
    uint16_t same = find_pending(c, place, false);
    if (find_pending(c, place, true) != RP__DRAM_NONE) {
        rp__dram_queue_forward(c, *entry, now + 2 * (uint64_t)c->config->steps);
    } else if (same != RP__DRAM_NONE) {
        c->pool[*entry].twin = c->pool[same].twin;
        c->pool[same].twin = *entry;
        c->counters.joined++;
    } else {
        append(c, *entry, false);
    }
    return true;
}

static void deliver(struct rp__dram_channel *c, uint16_t entry, uint64_t now)
{
    for (uint16_t i = entry; i != RP__DRAM_NONE; i = c->pool[i].twin) {
        struct rp__dram_due due = {.step = now + c->rules->read_delay, .entry = i};
        rp__dram_queue_ring_push(&c->data, &due);
    }
}

/* A command of an entry. */
struct pick {
    uint16_t entry;
    enum rp__dram_kind kind;
};

static bool is_column(const struct pick *pick)
{
    return pick->kind == RP__DRAM_RD || pick->kind == RP__DRAM_WR;
}

static void issue(struct rp__dram_channel *c, const struct pick *pick, uint64_t now)
{
    uint16_t entry = pick->entry;
    enum rp__dram_kind kind = pick->kind;
    struct rp__dram_entry *e = &c->pool[entry];
    uint32_t bank = e->bank;
    rp__dram_queue_count(c, e, kind);
    rp__dram_bank_issue(c, kind, bank, e->row, now);
    if (kind == RP__DRAM_ACT || kind == RP__DRAM_PRE) {
        rp__dram_queue_sort(c, &c->reads, bank);
        return;
    }
    rp__dram_queue_remove(c, &c->reads, entry);
    filter_change(c, e, -1);
    if (kind == RP__DRAM_RD) {
        deliver(c, entry, now);
    } else {
        c->counters.last_step = now;
        rp__dram_queue_release(c, entry);
    }
}

/* An earlier read of the same address must go first. */
static bool has_earlier_read(const struct rp__dram_channel *c, uint16_t entry)
{
    const struct rp__dram_entry *e = &c->pool[entry];
    for (uint16_t i = e->prev; i != RP__DRAM_NONE; i = c->pool[i].prev) {
        if (!c->pool[i].is_write && c->pool[i].row == e->row && c->pool[i].column == e->column) {
            return true;
        }
    }
    return false;
}

/* The first column command for the open row that may start now. */
static bool find_hit(const struct rp__dram_channel *c, uint32_t bank, uint64_t now, uint64_t *wake,
                     struct pick *out)
{
    uint32_t row = c->banks[bank].row;
    uint64_t when[2] = {rp__dram_when_column(c, bank, false, now),
                        rp__dram_when_column(c, bank, true, now)};
    for (uint16_t i = c->reads.lists[bank].hit; i != RP__DRAM_NONE; i = c->pool[i].next) {
        const struct rp__dram_entry *e = &c->pool[i];
        if (e->row != row) {
            continue;
        }
        if (when[e->is_write] > now) {
            *wake = rp__dram_min(*wake, when[e->is_write]);
        } else if (!e->is_write || !has_earlier_read(c, i)) {
            *out = (struct pick){i, rp__dram_column_kind(e)};
            return true;
        }
    }
    return false;
}

static bool find_row(uint16_t entry, enum rp__dram_kind kind, uint64_t when, uint64_t now,
                     uint64_t *wake, struct pick *out)
{
    if (when > now) {
        *wake = rp__dram_min(*wake, when);
        return false;
    }
    *out = (struct pick){entry, kind};
    return true;
}

static bool find_in_bank(const struct rp__dram_channel *c, uint32_t bank, uint64_t now,
                         uint64_t *wake, struct pick *out)
{
    const struct rp__dram_list *list = &c->reads.lists[bank];
    if (!rp__dram_is_open(c, bank)) {
        return find_row(list->head, RP__DRAM_ACT, rp__dram_when_act(c, bank, now), now, wake, out);
    }
    bool may_close = list->head == list->miss &&
                     (list->hit == RP__DRAM_NONE || c->banks[bank].hits >= c->config->row_hits);
    if (may_close &&
        find_row(list->head, RP__DRAM_PRE, rp__dram_when_pre(c, bank), now, wake, out)) {
        return true;
    }
    return list->hit != RP__DRAM_NONE && find_hit(c, bank, now, wake, out);
}

/* One command of the banks in `mask`, in turn. */
static bool find(struct rp__dram_channel *c, uint64_t mask, uint64_t now, uint64_t *wake,
                 struct pick *out)
{
    uint64_t after = c->visited + 1 >= 64 ? 0 : ~0ULL << (c->visited + 1);
    uint64_t banks = c->reads.used & mask;
    banks = (banks & c->open) | rp__dram_ready(c, RP__DRAM_ACT, banks & ~c->open, now, wake);
    uint64_t part[2] = {banks & after, banks & ~after};
    for (size_t i = 0; i < 2; i++) {
        for (uint64_t left = part[i]; left; left &= left - 1) {
            uint32_t bank = rp__bits_lowest64(left);
            if (find_in_bank(c, bank, now, wake, out)) {
                c->visited = bank;
                return true;
            }
        }
    }
    return false;
}

/* With two buses a second command follows in the same clock, if the next one found belongs on the
 * other bus; if not, its bank had its turn all the same. */
static void issue_second(struct rp__dram_channel *c, uint64_t mask, bool was_column, uint64_t now)
{
    struct pick pick;
    uint64_t wake = RP__DRAM_NEVER;
    c->row_bus = c->column_bus = now;
    if (find(c, mask, now, &wake, &pick) && is_column(&pick) != was_column) {
        issue(c, &pick, now);
    }
}

/* One PRE or the REF of the rank whose refresh is due first. */
static bool try_refresh(struct rp__dram_channel *c, uint64_t now, uint64_t *wake)
{
    uint32_t rank = c->priority;
    for (uint64_t left = c->open & rp__dram_rank_mask(c, rank); left; left &= left - 1) {
        uint32_t bank = rp__bits_lowest64(left);
        uint64_t when = rp__dram_when_pre(c, bank);
        if (when <= now) {
            rp__dram_bank_issue(c, RP__DRAM_PRE, bank, 0, now);
            rp__dram_queue_sort(c, &c->reads, bank);
            return true;
        }
        *wake = rp__dram_min(*wake, when);
    }
    if (c->open & rp__dram_rank_mask(c, rank)) {
        return false;
    }
    uint64_t when = rp__dram_when_ref(c, rank, now);
    if (when > now) {
        *wake = rp__dram_min(*wake, when);
        return false;
    }
    rp__dram_bank_issue_rank(c, RP__DRAM_REF, rank, now);
    c->priority = rank + 1 == c->n_ranks ? 0 : rank + 1;
    c->n_priority--;
    return true;
}

/* Moves the first transaction whose bank has room; a write only if no read of its address waits. */
static bool move_first(struct rp__dram_channel *c, uint16_t head, bool *must_wait)
{
    for (uint16_t i = head; i != RP__DRAM_NONE; i = c->pool[i].newer) {
        struct rp__dram_entry *e = &c->pool[i];
        if (c->reads.lists[e->bank].n >= c->config->bank_queue) {
            continue;
        }
        struct rp__dram_place place = {.bank = e->bank, .row = e->row, .column = e->column};
        if (e->is_write && find_pending(c, &place, false) != RP__DRAM_NONE) {
            *must_wait = true;
            return false;
        }
        unlink_transaction(c, i);
        rp__dram_queue_push(c, &c->reads, i);
        return true;
    }
    return false;
}

static bool move_transaction(struct rp__dram_channel *c)
{
    bool must_wait = false;
    if (!c->draining &&
        (c->n_writes == c->writes.capacity || (c->n_writes > 8 && c->reads.n == 0))) {
        c->draining = c->n_writes;
    }
    if (c->draining) {
        bool is_moved = move_first(c, c->write_head, &must_wait);
        c->draining = must_wait ? 0 : c->draining - is_moved;
        if (!must_wait) {
            return is_moved;
        }
    }
    return move_first(c, c->read_head, &must_wait);
}

static void tick(struct rp__dram_channel *c, uint64_t now)
{
    struct pick pick = {RP__DRAM_NONE, RP__DRAM_PRE};
    bool is_issued = false;
    uint64_t mask = ~0ULL;
    if (now == c->next_refresh) {
        c->n_priority++;
        c->next_refresh += c->rules->refi / c->n_ranks;
    }
    uint64_t wake = c->next_refresh;
    if (c->n_priority) {
        mask = ~rp__dram_rank_mask(c, c->priority);
        is_issued = try_refresh(c, now, &wake);
    }
    if (!is_issued && find(c, mask, now, &wake, &pick)) {
        issue(c, &pick, now);
        is_issued = true;
    }
    if (is_issued && c->rules->has_two_buses) {
        issue_second(c, mask, is_column(&pick), now);
    }
    bool is_moved = move_transaction(c);
    c->wake = is_issued || is_moved ? now + 1 : wake;
}

/* Commands of one clock, and the gap between ranks also between a read and a write. */
static void adjust(struct rp__dram_config *config)
{
    struct rp__dram_timing *t = &config->timing;
    config->act_steps = config->pre_steps = config->column_steps = 1;
    config->steps = 1;
    t->rtw = t->cl + t->bl + t->rtrs - t->cwl;
    t->ppd = 0;
}

const struct rp__dram_controller rp__dram_compat_row = {.name = "compat",
                                                        .answer_delay = 2,
                                                        .first_refresh = 1,
                                                        .is_staggered = true,
                                                        .accept = accept,
                                                        .tick = tick,
                                                        .adjust = adjust};
