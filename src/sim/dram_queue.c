/* dram_queue.c: the entries of a channel, and queues of them by bank.
 *
 * A queue knows for each bank the oldest entry for the open row (its hit) and the oldest other one
 * (its miss), so that a controller looks at two entries a bank, however long the queue is. */
#include "base/bits.h"
#include "sim/dram_channel.h"

uint16_t rp__dram_queue_entry(struct rp__dram_channel *channel)
{
    uint16_t i = channel->free_entry;
    if (i != RP__DRAM_NONE) {
        channel->free_entry = channel->pool[i].older;
    }
    return i;
}

void rp__dram_queue_release(struct rp__dram_channel *channel, uint16_t entry)
{
    channel->pool[entry].older = channel->free_entry;
    channel->free_entry = entry;
}

void rp__dram_queue_init(struct rp__dram_queue *queue, uint32_t capacity)
{
    *queue = (struct rp__dram_queue){.capacity = capacity};
    for (size_t i = 0; i < RP__DRAM_MAX_BANKS; i++) {
        queue->lists[i] = (struct rp__dram_list){.head = RP__DRAM_NONE,
                                                 .tail = RP__DRAM_NONE,
                                                 .hit = RP__DRAM_NONE,
                                                 .miss = RP__DRAM_NONE};
    }
}

static void set_bit(uint64_t *mask, uint32_t bank, bool is_set)
{
    *mask = (*mask & ~(1ULL << bank)) | (uint64_t)is_set << bank;
}

static bool is_hit(const struct rp__dram_channel *c, const struct rp__dram_entry *e)
{
    return rp__dram_is_open(c, e->bank) && c->banks[e->bank].row == e->row;
}

void rp__dram_queue_push(struct rp__dram_channel *channel, struct rp__dram_queue *queue,
                         uint16_t entry)
{
    struct rp__dram_entry *e = &channel->pool[entry];
    struct rp__dram_list *list = &queue->lists[e->bank];
    const uint64_t bit = 1ULL << e->bank;
    e->prev = list->tail;
    e->next = RP__DRAM_NONE;
    if (list->tail == RP__DRAM_NONE) {
        list->head = entry;
    } else {
        channel->pool[list->tail].next = entry;
    }
    list->tail = entry;
    if (is_hit(channel, e)) {
        list->hit = list->hit == RP__DRAM_NONE ? entry : list->hit;
        queue->hits |= bit;
    } else {
        list->miss = list->miss == RP__DRAM_NONE ? entry : list->miss;
        queue->misses |= bit;
    }
    queue->used |= bit;
    list->n++;
    queue->n++;
}

/* The first entry from `i` on that is a hit, or that is none. */
static uint16_t find(const struct rp__dram_channel *c, uint16_t i, bool hit)
{
    while (i != RP__DRAM_NONE && is_hit(c, &c->pool[i]) != hit) {
        i = c->pool[i].next;
    }
    return i;
}

void rp__dram_queue_remove(struct rp__dram_channel *channel, struct rp__dram_queue *queue,
                           uint16_t entry)
{
    struct rp__dram_entry *e = &channel->pool[entry];
    struct rp__dram_list *list = &queue->lists[e->bank];
    if (list->hit == entry) {
        list->hit = find(channel, e->next, true);
        set_bit(&queue->hits, e->bank, list->hit != RP__DRAM_NONE);
    } else if (list->miss == entry) {
        list->miss = find(channel, e->next, false);
        set_bit(&queue->misses, e->bank, list->miss != RP__DRAM_NONE);
    }
    *(e->prev == RP__DRAM_NONE ? &list->head : &channel->pool[e->prev].next) = e->next;
    *(e->next == RP__DRAM_NONE ? &list->tail : &channel->pool[e->next].prev) = e->prev;
    list->n--;
    queue->n--;
    if (!list->n) {
        queue->used &= ~(1ULL << e->bank);
    }
}

void rp__dram_queue_sort(const struct rp__dram_channel *channel, struct rp__dram_queue *queue,
                         uint32_t bank)
{
    if (!(queue->used >> bank & 1U)) {
        return;
    }
    struct rp__dram_list *list = &queue->lists[bank];
    const bool is_first = is_hit(channel, &channel->pool[list->head]);
    const uint16_t other = find(channel, channel->pool[list->head].next, !is_first);
    list->hit = is_first ? list->head : other;
    list->miss = is_first ? other : list->head;
    set_bit(&queue->hits, bank, list->hit != RP__DRAM_NONE);
    set_bit(&queue->misses, bank, list->miss != RP__DRAM_NONE);
}

void rp__dram_queue_sort_bank(struct rp__dram_channel *channel, uint32_t bank)
{
    rp__dram_queue_sort(channel, &channel->reads, bank);
    rp__dram_queue_sort(channel, &channel->writes, bank);
}

void rp__dram_queue_finish(struct rp__dram_channel *channel, uint16_t entry, uint64_t now)
{
    if (channel->pool[entry].is_write) {
        channel->counters.last_step = now;
        rp__dram_queue_release(channel, entry);
        return;
    }
    struct rp__dram_due due = {.step = now + channel->rules->read_delay, .entry = entry};
    rp__dram_queue_ring_push(&channel->data, &due);
}

bool rp__dram_queue_has(const struct rp__dram_channel *channel, const struct rp__dram_queue *queue,
                        const struct rp__dram_place *place, bool is_write)
{
    uint16_t i = queue->lists[place->bank].head;
    for (; i != RP__DRAM_NONE; i = channel->pool[i].next) {
        const struct rp__dram_entry *e = &channel->pool[i];
        if (e->row == place->row && e->column == place->column && e->is_write == is_write) {
            return true;
        }
    }
    return false;
}

uint16_t rp__dram_queue_fill(struct rp__dram_channel *channel, const struct rp__dram_place *place,
                             bool is_write, uint32_t tag, uint64_t now)
{
    uint16_t i = rp__dram_queue_entry(channel);
    if (i != RP__DRAM_NONE) {
        channel->pool[i] = (struct rp__dram_entry){.arrive = now,
                                                   .accepted = now,
                                                   .order = channel->order++,
                                                   .row = place->row,
                                                   .column = place->column,
                                                   .tag = tag,
                                                   .bank = (uint8_t)place->bank,
                                                   .is_write = is_write,
                                                   .twin = RP__DRAM_NONE,
                                                   .mate = RP__DRAM_ALONE,
                                                   .older = RP__DRAM_NONE,
                                                   .newer = RP__DRAM_NONE};
    }
    return i;
}

void rp__dram_queue_forward(struct rp__dram_channel *channel, uint16_t entry, uint64_t step)
{
    struct rp__dram_due due = {.step = step, .entry = entry};
    channel->counters.forwarded++;
    rp__dram_queue_ring_push(&channel->quick, &due);
}

bool rp__dram_queue_accept(struct rp__dram_channel *channel, const struct rp__dram_place *place,
                           bool is_write, uint32_t tag, uint64_t now, uint16_t *entry)
{
    struct rp__dram_queue *queue = is_write ? &channel->writes : &channel->reads;
    bool is_waiting = rp__dram_queue_has(channel, &channel->writes, place, true);
    if (is_waiting && is_write) {
        channel->counters.merged++;
        return true;
    }
    if (!is_waiting && rp__dram_waiting(queue) == queue->capacity) {
        return false;
    }
    *entry = rp__dram_queue_fill(channel, place, is_write, tag, now);
    if (*entry == RP__DRAM_NONE) {
        return false;
    }
    if (is_waiting) {
        rp__dram_queue_forward(channel, *entry, now + 1);
    } else {
        rp__dram_queue_push(channel, queue, *entry);
    }
    return true;
}

void rp__dram_queue_count(struct rp__dram_channel *channel, struct rp__dram_entry *entry,
                          enum rp__dram_kind kind)
{
    if (!entry->is_counted) {
        entry->is_counted = true;
        *(kind == RP__DRAM_ACT   ? &channel->counters.closed
          : kind == RP__DRAM_PRE ? &channel->counters.conflicts
                                 : &channel->counters.hits) += 1;
    }
}

void rp__dram_queue_ring_push(struct rp__dram_ring *ring, const struct rp__dram_due *due)
{
    ring->at[(ring->head + ring->n++) & ring->mask] = *due;
}
