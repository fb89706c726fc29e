/* sim/dram_channel.h: the state of one channel, shared by the files dram_*.c.
 *
 * An entry is one column command that waits or whose data are on their way. Entries live in a pool
 * and are named by their index. Times are in steps. */
#ifndef RP_SIM_DRAM_CHANNEL_H
#define RP_SIM_DRAM_CHANNEL_H

#include "sim/dram.h"

enum { RP__DRAM_NONE = 0xffff };
#define RP__DRAM_NEVER UINT64_MAX

/* Least distances in steps, from first step to first step. */
struct rp__dram_rules {
    uint32_t act_rd, act_wr, act_pre, act_act, act_ref, pre_act, pre_ref, pre_pre, ref_act;
    uint32_t rd_pre, wr_pre, rrd_s, rrd_l, faw;
    uint32_t rd_rd_s, rd_rd_l, wr_wr_s, wr_wr_l, rd_wr, wr_rd_s, wr_rd_l;
    uint32_t rd_rd_other, rd_wr_other, wr_rd_other, wr_wr_other; /* another rank */
    uint32_t read_delay, refi;
    uint32_t act_bus, pre_bus, column_bus; /* how long a command has its bus */
    bool is_edged;                         /* two steps a clock: most start on odd steps only */
    bool has_two_buses, has_pseudo;
};

struct rp__dram_bank {
    uint64_t next_act, next_pre, next_rd, next_wr;
    uint32_t row;
    uint32_t hits; /* column commands since the last ACT */
    uint8_t rank, group, bank;
};

struct rp__dram_group {
    uint64_t next_act, next_rd, next_wr;
};

struct rp__dram_rank {
    uint64_t banks; /* of the channel, those of this rank */
    uint64_t next_act, next_rd, next_wr, next_pre, next_prea, next_ref;
    uint64_t acts[4]; /* the last four, a ring */
    uint32_t n_acts;
    uint64_t active_since, active_steps; /* steps with a row open, for the energy */
};

struct rp__dram_entry {
    uint64_t arrive;   /* step of acceptance */
    uint64_t accepted; /* the same of the request's first half */
    uint32_t order;    /* of acceptance, or of activation */
    uint32_t row, column, tag;
    uint16_t prev, next;   /* in its bank's list */
    uint16_t older, newer; /* in its transaction queue; older also links free entries */
    uint16_t twin;         /* compat: the next read of the same address */
    uint16_t mate;         /* the other half of the request, RP__DRAM_ALONE: there is none */
    uint8_t bank;
    bool is_write, is_counted;
};

enum { RP__DRAM_ALONE = 0xffff, RP__DRAM_UNSENT = 0xfffe }; /* mates */

struct rp__dram_list {
    uint16_t head, tail; /* in order of acceptance */
    uint16_t hit, miss;  /* the oldest for the open row; the oldest that is not */
    uint16_t n;
};

/* Entries by bank. */
struct rp__dram_queue {
    uint32_t n, capacity;
    uint64_t used, hits, misses; /* banks whose list has an entry, a hit, a miss */
    /* frfcfs: banks whose latch has a request of this queue. Its ACT was issued, so it has left its
     * place in the queue; it stays the first entry of its list. */
    uint64_t latched;
    uint32_t n_latched;
    struct rp__dram_list lists[RP__DRAM_MAX_BANKS];
};

/* Requests that are done at a known step, steps never falling. */
struct rp__dram_due {
    uint64_t step;
    uint64_t accepted;
    uint32_t tag;
    uint16_t entry; /* of reads */
    bool is_write;
};

struct rp__dram_ring {
    struct rp__dram_due *at;
    uint32_t head, n, mask;
};

/* What a request needs of an address. */
struct rp__dram_place {
    uint32_t channel, bank, row, column; /* bank: of all banks of the channel */
};

/* The command that starts at `step` if no request arrives before that changes it. */
struct rp__dram_plan {
    uint64_t step;
    uint16_t entry; /* RP__DRAM_NONE: there is no plan */
    uint8_t kind;   /* enum rp__dram_kind */
};

struct rp__dram_channel {
    const struct rp__dram_rules *rules;
    uint32_t index, n_banks, n_ranks, n_groups, banks_of_rank;
    uint64_t next;                /* nothing happens before this step */
    uint64_t next_done;           /* no request ends before this step */
    uint64_t wake;                /* the controller has nothing to do before this step */
    uint64_t row_bus, column_bus; /* first free step */
    uint64_t open;                /* banks with an open row */
    struct rp__dram_bank banks[RP__DRAM_MAX_BANKS];
    struct rp__dram_group groups[RP__DRAM_MAX_GROUPS];
    struct rp__dram_rank ranks[RP__DRAM_MAX_RANKS];

    struct rp__dram_entry *pool;
    uint16_t free_entry;
    uint32_t order;
    struct rp__dram_ring data, quick; /* reads on their way; acknowledgements and forwarded reads */

    struct rp__dram_queue reads, writes; /* compat uses `reads` for its bank queues */
    bool is_writing;                     /* write mode */
    uint64_t next_refresh;               /* step at which the next one falls due */

    uint32_t priority, n_priority; /* rank that is refreshed next; refreshes that wait */
    uint64_t changed;          /* frfcfs: step of the last command, or after which a request came */
    struct rp__dram_plan plan; /* frfcfs */

    /* r21: requests whose ACT was issued */
    uint64_t active;
    uint16_t active_entry[RP__DRAM_MAX_BANKS];
    uint32_t active_order;

    /* compat: transactions in order, before they enter a bank queue */
    uint16_t read_head, read_tail, write_head, write_tail;
    uint32_t n_reads, n_writes, draining, visited;
    uint8_t read_filter[256], write_filter[256]; /* pending addresses, by hash */

    /* pseudo-channels: a request of which one half was taken */
    bool has_half, half_is_done, half_is_write;
    struct rp__dram_place half_place;
    uint64_t half_accepted;
    uint16_t half_entry;

    struct rp__dram_counters counters;
    const struct rp__dram_config *config;
};

struct rp__dram_controller {
    const char *name;
    uint32_t first_refresh; /* steps past the interval */
    bool is_staggered;      /* ranks are refreshed in turn, not at once */
    uint32_t answer_delay;  /* clocks to an acknowledgement or a forwarded read */
    bool sets_wake;         /* accept sets wake; otherwise a request wakes in the next step */
    /* Takes one column command over; false: refused. A read's entry goes to *entry. */
    bool (*accept)(struct rp__dram_channel *channel, const struct rp__dram_place *place,
                   bool is_write, uint32_t tag, uint64_t now, uint16_t *entry);
    /* Issues what is to be issued at step `now` and sets wake. */
    void (*tick)(struct rp__dram_channel *channel, uint64_t now);
    /* Changes what the standard says to what this controller's reference has; may be NULL. */
    void (*adjust)(struct rp__dram_config *config);
};

extern const struct rp__dram_controller rp__dram_compat_row, rp__dram_r21_row, rp__dram_frfcfs_row;

/* dram_map.c: where the fields of an address lie. */
struct rp__dram_map {
    uint32_t shift[7], mask[7]; /* by enum rp__dram_field */
};
enum rp__dram_field {
    RP__DRAM_CH,
    RP__DRAM_PC,
    RP__DRAM_BG,
    RP__DRAM_CO,
    RP__DRAM_BA,
    RP__DRAM_RA,
    RP__DRAM_RO
};
void rp__dram_map_set(const struct rp__dram_config *config, struct rp__dram_map *out);

/* dram_bank.c: when a command may start, and what follows from it. */
void rp__dram_bank_rules(const struct rp__dram_config *config, struct rp__dram_rules *out);
void rp__dram_bank_issue(struct rp__dram_channel *channel, enum rp__dram_kind kind, uint32_t bank,
                         uint32_t row, uint64_t now);
void rp__dram_bank_issue_rank(struct rp__dram_channel *channel, enum rp__dram_kind kind,
                              uint32_t rank, uint64_t now);

/* dram_queue.c: entries and their lists. */
uint16_t rp__dram_queue_entry(struct rp__dram_channel *channel); /* RP__DRAM_NONE: none is free */
void rp__dram_queue_release(struct rp__dram_channel *channel, uint16_t entry);
void rp__dram_queue_init(struct rp__dram_queue *queue, uint32_t capacity);
void rp__dram_queue_push(struct rp__dram_channel *channel, struct rp__dram_queue *queue,
                         uint16_t entry);
void rp__dram_queue_remove(struct rp__dram_channel *channel, struct rp__dram_queue *queue,
                           uint16_t entry);
/* The bank's row was opened or closed: finds its hit and its miss again. */
void rp__dram_queue_sort(const struct rp__dram_channel *channel, struct rp__dram_queue *queue,
                         uint32_t bank);
void rp__dram_queue_sort_bank(struct rp__dram_channel *channel, uint32_t bank); /* in both */
/* Its RD or WR was issued: a read's data are on their way, a write is gone. */
void rp__dram_queue_finish(struct rp__dram_channel *channel, uint16_t entry, uint64_t now);
bool rp__dram_queue_has(const struct rp__dram_channel *channel, const struct rp__dram_queue *queue,
                        const struct rp__dram_place *place, bool is_write);
/* A new entry for this; RP__DRAM_NONE: none is free. */
uint16_t rp__dram_queue_fill(struct rp__dram_channel *channel, const struct rp__dram_place *place,
                             bool is_write, uint32_t tag, uint64_t now);
/* A read whose data a waiting write has. */
void rp__dram_queue_forward(struct rp__dram_channel *channel, uint16_t entry, uint64_t step);
/* accept for controllers with one read queue and one write queue. */
bool rp__dram_queue_accept(struct rp__dram_channel *channel, const struct rp__dram_place *place,
                           bool is_write, uint32_t tag, uint64_t now, uint16_t *entry);
void rp__dram_queue_count(struct rp__dram_channel *channel, struct rp__dram_entry *entry,
                          enum rp__dram_kind kind);
void rp__dram_queue_ring_push(struct rp__dram_ring *ring, const struct rp__dram_due *due);

/* dram_standard.c: the row of this name; NULL: there is none. */
const struct rp__dram_controller *rp__dram_standard_controller(const char *name);

/* dram_energy.c */
uint64_t rp__dram_energy_pj(const struct rp__dram_channel *channel, uint64_t now);

static inline uint64_t rp__dram_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t rp__dram_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Entries that have a place in the queue. */
static inline uint32_t rp__dram_waiting(const struct rp__dram_queue *queue)
{
    return queue->n - queue->n_latched;
}

/* The banks of one rank. */
static inline uint64_t rp__dram_rank_mask(const struct rp__dram_channel *c, uint32_t rank)
{
    return c->ranks[rank].banks;
}

/* A command that may start at `step` and needs a rising edge: the first one from `now` on. */
static inline uint64_t rp__dram_edge(const struct rp__dram_rules *rules, uint64_t step,
                                     uint64_t now)
{
    return rules->is_edged ? rp__dram_max(step, now) | 1U : step;
}

/* The first step from `now` on, or before, at which this command may start. */
static inline uint64_t rp__dram_when_column(const struct rp__dram_channel *c, uint32_t bank,
                                            bool is_write, uint64_t now)
{
    const struct rp__dram_bank *b = &c->banks[bank];
    const struct rp__dram_group *g = &c->groups[b->group];
    const struct rp__dram_rank *r = &c->ranks[b->rank];
    uint64_t when = is_write ? rp__dram_max(b->next_wr, rp__dram_max(g->next_wr, r->next_wr))
                             : rp__dram_max(b->next_rd, rp__dram_max(g->next_rd, r->next_rd));
    return rp__dram_edge(c->rules, rp__dram_max(when, c->column_bus), now);
}

static inline uint64_t rp__dram_when_act(const struct rp__dram_channel *c, uint32_t bank,
                                         uint64_t now)
{
    const struct rp__dram_bank *b = &c->banks[bank];
    uint64_t when = rp__dram_max(c->groups[b->group].next_act, c->ranks[b->rank].next_act);
    when = rp__dram_max(rp__dram_max(when, b->next_act), c->row_bus);
    return rp__dram_edge(c->rules, when, now);
}

static inline uint64_t rp__dram_when_pre(const struct rp__dram_channel *c, uint32_t bank)
{
    const struct rp__dram_bank *b = &c->banks[bank];
    return rp__dram_max(rp__dram_max(b->next_pre, c->ranks[b->rank].next_pre), c->row_bus);
}

static inline uint64_t rp__dram_when_prea(const struct rp__dram_channel *c, uint32_t rank)
{
    const struct rp__dram_rank *r = &c->ranks[rank];
    return rp__dram_max(rp__dram_max(r->next_prea, r->next_pre), c->row_bus);
}

static inline uint64_t rp__dram_when_ref(const struct rp__dram_channel *c, uint32_t rank,
                                         uint64_t now)
{
    return rp__dram_edge(c->rules, rp__dram_max(c->ranks[rank].next_ref, c->row_bus), now);
}

/* Of the banks in `banks`, those of ranks that let an ACT, a RD or a WR start now; for the others
 * *wake falls to when their rank first does. Of few banks all: to look at each is as fast, and says
 * better when to wake. */
static inline uint64_t rp__dram_ready(const struct rp__dram_channel *c, enum rp__dram_kind kind,
                                      uint64_t banks, uint64_t now, uint64_t *wake)
{
    uint64_t many = banks & (banks - 1);
    many &= many - 1;
    many &= many - 1;
    uint64_t bus = kind == RP__DRAM_ACT ? c->row_bus : c->column_bus;
    for (uint32_t i = 0; many && i < c->n_ranks; i++) {
        const struct rp__dram_rank *r = &c->ranks[i];
        uint64_t mask = rp__dram_rank_mask(c, i);
        uint64_t when = kind == RP__DRAM_ACT  ? r->next_act
                        : kind == RP__DRAM_RD ? r->next_rd
                                              : r->next_wr;
        when = rp__dram_edge(c->rules, rp__dram_max(when, bus), now);
        if ((banks & mask) && when > now) {
            *wake = rp__dram_min(*wake, when);
            banks &= ~mask;
        }
    }
    return banks;
}

static inline enum rp__dram_kind rp__dram_column_kind(const struct rp__dram_entry *e)
{
    return e->is_write ? RP__DRAM_WR : RP__DRAM_RD;
}

static inline bool rp__dram_is_open(const struct rp__dram_channel *c, uint32_t bank)
{
    return (c->open >> bank & 1U) != 0;
}

#endif
