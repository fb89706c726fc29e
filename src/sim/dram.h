/* sim/dram.h: main memory, clock by clock: channels, a controller for each, banks and their timing.
 *
 * A machine offers requests of 64 bytes before a clock, ticks, and takes what is done. Time is
 * counted from 1: the first tick is clock 1. A controller is a row (compat: DRAMsim3's rules; r21:
 * Ramulator 2.1's; frfcfs: ours), a standard is data (dram_standard.c). No data pass through: the
 * machine has them. The same calls give the same clocks on any host. One thread at a time. */
#ifndef RP_SIM_DRAM_H
#define RP_SIM_DRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RP__DRAM_MAX_CHANNELS = 32,
    RP__DRAM_MAX_RANKS = 8, /* or pseudo-channels */
    RP__DRAM_MAX_GROUPS = 32,
    RP__DRAM_MAX_BANKS = 64, /* of one channel */
};

/* Least distances between commands, in clocks; JEDEC's names without their t. */
struct rp__dram_timing {
    uint32_t cl, cwl, bl; /* read and write latency; clocks of data of one column command */
    uint32_t rcd_rd, rcd_wr, rp, ras, rc;
    uint32_t rrd_s, rrd_l, faw;                /* other bank group, same bank group, four ACT */
    uint32_t ccd_s, ccd_l, ccd_s_wr, ccd_l_wr; /* RD to RD; WR to WR */
    uint32_t wtr_s, wtr_l;                     /* from the end of write data to RD */
    uint32_t rtw;                              /* RD to WR of one rank */
    uint32_t rtrs;                             /* gap on the data bus between two ranks */
    uint32_t wr, rtp, ppd;                     /* write data to PRE; RD to PRE; PRE to PRE */
    uint32_t rfc, refi;
};

/* Currents of one device in mA, and what dram_energy.c needs beside them. */
struct rp__dram_power {
    uint32_t vdd_mv, devices; /* devices of a rank */
    uint32_t idd0, idd2n, idd3n, idd4r, idd4w, idd5;
};

enum rp__dram_kind {
    RP__DRAM_ACT,
    RP__DRAM_PRE,
    RP__DRAM_PREA,
    RP__DRAM_RD,
    RP__DRAM_WR,
    RP__DRAM_REF
};

/* One command. `step` is in steps (half clocks where the standard has two a clock). A command for a
 * whole rank (PREA, REF) has group, bank and row 0. */
struct rp__dram_command {
    uint64_t step;
    uint32_t channel, rank, group, bank, row;
    enum rp__dram_kind kind;
};

struct rp__dram_config {
    char standard[16], controller[16];
    uint32_t channels, ranks, groups, banks; /* banks of a group; ranks are pseudo-channels if... */
    bool has_pseudo;                         /* ...this is set: then a request is two commands */
    uint32_t rows, columns;                  /* columns: lines of 64 bytes of a row */
    char map[24];       /* address bits from bit 6 upward: ch pc bg co ba ra ro, each once */
    uint32_t clock_mhz; /* of the command clock */
    uint32_t steps;     /* of one clock: 1, or 2 where commands start on both edges */
    bool has_two_buses; /* row and column commands in one clock */
    uint32_t act_steps, pre_steps, column_steps; /* steps that a command takes; REF as PRE */
    uint32_t read_queue, write_queue;            /* of one channel, in column commands */
    uint32_t bank_queue;                         /* compat: commands that wait for one bank */
    uint32_t row_hits; /* compat, frfcfs: hits before another row's turn */
    struct rp__dram_timing timing;
    struct rp__dram_power power;
    bool is_validated; /* there are reference figures for this standard */
    bool never_sleeps; /* controllers look at every step: the reference of those that skip some */
    /* Gets every command as it is issued; NULL: none. */
    void (*on_command)(void *context, const struct rp__dram_command *command);
    void *context;
};

struct rp__dram_counters {
    uint64_t reads, writes; /* requests accepted */
    /* Of the column commands that they need: reads served by a write that waits; writes absorbed
     * by one; reads served by another read's data; accepted, not issued or not delivered yet. */
    uint64_t forwarded, merged, joined, waiting;
    uint64_t hits, closed, conflicts; /* of column commands, by the first command they needed */
    uint64_t act, pre, rd, wr, ref;   /* commands; a PRE of all banks is one */
    uint64_t bus_busy;                /* data bus, in clocks, summed over channels */
    uint64_t bytes;                   /* by RD and WR */
    uint64_t read_latency;            /* steps from acceptance to delivery, summed */
    uint64_t last_step;               /* of the last delivery or WR */
    uint64_t energy_pj;               /* up to now */
};

struct rp__dram_done {
    uint32_t tag;
    bool is_write;
    uint64_t accepted, done; /* in steps */
};

/* The i-th standard's and controller's name; NULL past the last. */
const char *rp__dram_standard_name(size_t i);
const char *rp__dram_standard_controller_name(size_t i);
/* Fills `config` with this standard as this controller sees it; false: no such name. */
bool rp__dram_standard_set(struct rp__dram_config *config, const char *standard,
                           const char *controller);
/* NULL: the config can be simulated; else what is wrong with it. */
const char *rp__dram_map_fault(const struct rp__dram_config *config);

/* A setting by name, as "cl" or "read_queue": the i-th name, NULL past the last; its value; and
 * another value, false where no setting has this name. rp__dram_map_fault says if it can be. */
const char *rp__dram_key_name(size_t i);
uint32_t rp__dram_key_get(const struct rp__dram_config *config, size_t i);
bool rp__dram_key_set(struct rp__dram_config *config, const char *name, uint32_t value);

struct rp__dram;

/* NULL: no memory, or the config has a fault. Free what this returns. */
struct rp__dram *rp__dram_new(const struct rp__dram_config *config);
void rp__dram_free(struct rp__dram *dram); /* NULL is fine */

/* Offers a request before the next tick. false: refused, a queue is full; offer the same request
 * again later. (With pseudo-channels half of it may have been taken: until the other half is, its
 * channel refuses all others.) The tag comes back by rp__dram_take. */
bool rp__dram_send(struct rp__dram *dram, uint64_t address, bool is_write, uint32_t tag);
/* One clock. */
void rp__dram_tick(struct rp__dram *dram);
/* The next request that is done (a read with its data; a write that was taken over), in an order
 * that depends on nothing but the calls; false: none. */
bool rp__dram_take(struct rp__dram *dram, uint32_t *tag);
bool rp__dram_take_done(struct rp__dram *dram, struct rp__dram_done *out);

uint64_t rp__dram_now(const struct rp__dram *dram); /* clocks ticked so far */
/* The earliest clock whose tick can do anything if nothing is sent before; more than now. */
uint64_t rp__dram_next_event(const struct rp__dram *dram);
/* No request is done before this clock if nothing is sent before; more than now. */
uint64_t rp__dram_next_done(const struct rp__dram *dram);
/* Ticks until `cycle` is the clock ticked last; the same as ticking one by one. */
void rp__dram_jump(struct rp__dram *dram, uint64_t cycle);
void rp__dram_counters(const struct rp__dram *dram, struct rp__dram_counters *out);

#endif
