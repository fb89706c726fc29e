/* units.h: the units of the machine: each a state, the links it has, and one function for a cycle.
 * Interior of the room.
 *
 * A step reads its links as they were when the cycle began, changes its own state, and pushes and
 * pops. It returns what the cycle was spent on and when the unit must be evaluated again. The rule
 * that lets a unit sleep: steps in the next cycles would change nothing, and would give the class
 * that it names, until a link of the unit changes or its timer is due. */
#ifndef RP_SIM_UNITS_H
#define RP_SIM_UNITS_H

#include "sim/items.h"
#include "sim/link.h"

/* What a step says: the cycle of the next evaluation, the class of this cycle, and of those until
 * the next evaluation. */
typedef struct rp__turn {
    uint64_t wake; /* the next cycle; a later one; or RP_SIM_NEVER: when a link changes */
    uint32_t spent, then;
} rp__turn;

/* The unit did something, and may do more in the next cycle. */
static inline rp__turn rp__turn_busy(const rp__sim_clock *clock)
{
    return (rp__turn){clock->now + 1, RP_SIM_BUSY, RP_SIM_BUSY};
}

/* The unit can do nothing until a link changes. */
static inline rp__turn rp__turn_sleep(uint32_t spent)
{
    return (rp__turn){RP_SIM_NEVER, spent, spent};
}

/* How a core is wired for its query. The block scheduler writes it a cycle before the first block,
 * the query scheduler opens and closes it. Units of the core read it. */
typedef struct rp__sim_setup {
    _Alignas(64) uint64_t open; /* cycle from which the core belongs to a query */
    uint64_t close;             /* and before which */
    uint64_t dl_table, result, cap;
    uint32_t idf_bar[2];
    uint8_t query_type;
    uint32_t rank;               /* of the core among those of the query */
    uint64_t first_doc, end_doc; /* postings outside are dropped */
    rp__list_header list1;       /* AND */
} rp__sim_setup;

static inline bool rp__sim_is_open(const rp__sim_setup *setup, const rp__sim_clock *clock)
{
    return clock->now >= setup->open && clock->now < setup->close;
}

/* A unit's way to memory. */
typedef struct rp__sim_port {
    rp__link request, response;
} rp__sim_port;

static inline rp__sim_request *rp__sim_read(rp__sim_port *port, rp__sim_clock *clock,
                                            uint64_t address, uint32_t tag, uint8_t traffic,
                                            uint8_t bytes)
{
    rp__sim_request *request = rp__link_push(&port->request, clock);
    request->address = address & ~UINT64_C(63);
    request->tag = tag;
    request->traffic = traffic;
    request->is_write = false;
    request->bytes = bytes;
    return request;
}

/* ---- Pipes ----------------------------------------------------------------------------------- */

/* Stages that move together: when the last one cannot leave, none moves. What is in the pipe lies
 * in the link behind it, ahead of what was pushed, so that it moves by counting. */
typedef struct rp__sim_pipe {
    uint64_t seen; /* the machine's cycle of the last step */
    uint32_t time; /* the pipe's own, which stops when the pipe stalls; it may wrap */
    uint32_t head, n, latency;
    uint32_t mask; /* of `due`: no more of it is used than the latency needs */
    bool is_stalled;
    uint32_t due[64]; /* of each, in the pipe's time */
} rp__sim_pipe;

static inline void rp__sim_pipe_init(rp__sim_pipe *pipe, uint32_t latency)
{
    *pipe = (rp__sim_pipe){.latency = latency, .mask = 1};
    while (pipe->mask + 1 < latency)
        pipe->mask = 2 * pipe->mask + 1;
}

/* Cycles of the pipe until its oldest posting may leave; 0 or less: it may. */
static inline int32_t rp__sim_pipe_wait(const rp__sim_pipe *pipe)
{
    return (int32_t)(pipe->due[pipe->head] - pipe->time);
}

/* Moves the pipe to this cycle; its last posting leaves if it can. Returns whether one left. */
static inline bool rp__sim_pipe_step(rp__sim_pipe *pipe, rp__link *out, rp__sim_clock *clock)
{
    const uint64_t now = clock->now;
    if (!pipe->is_stalled)
        pipe->time += (uint32_t)(now - pipe->seen);
    pipe->seen = now;
    pipe->is_stalled = false;
    if (!pipe->n || rp__sim_pipe_wait(pipe) > 0)
        return false;
    pipe->is_stalled = !rp__link_space(out, clock);
    if (pipe->is_stalled)
        return false;
    rp__link_push(out, clock);
    pipe->head = (pipe->head + 1) & pipe->mask;
    pipe->n--;
    return true;
}

/* Whether a posting may enter in this cycle. With one stage, the link itself is the stage. */
static inline bool rp__sim_pipe_is_open(const rp__sim_pipe *pipe, const rp__link *out,
                                        const rp__sim_clock *clock)
{
    return !pipe->is_stalled && (pipe->latency > 1 || rp__link_space(out, clock));
}

/* The posting that enters next. */
static inline rp__sim_posting *rp__sim_pipe_next(const rp__sim_pipe *pipe, const rp__link *out)
{
    return rp__link_ahead(out, pipe->n);
}

static inline void rp__sim_pipe_enter(rp__sim_pipe *pipe, rp__link *out, rp__sim_clock *clock)
{
    if (pipe->latency == 1) {
        rp__link_push(out, clock);
        return;
    }
    pipe->due[(pipe->head + pipe->n++) & pipe->mask] = pipe->time + pipe->latency - 1;
}

/* When the pipe moves something out if nothing else happens. */
static inline uint64_t rp__sim_pipe_due(const rp__sim_pipe *pipe, const rp__sim_clock *clock)
{
    if (!pipe->n || pipe->is_stalled)
        return RP_SIM_NEVER;
    return clock->now + (uint64_t)rp__sim_pipe_wait(pipe);
}

/* ---- Host, command queue, query scheduler ---------------------------------------------------- */

typedef struct rp__host {
    const rp__descriptor *descriptors;
    size_t sent, n;
    rp__completion *completions; /* space for n */
    size_t n_completions;
    rp__link doorbell, *done;
} rp__host;

typedef struct rp__command_queue {
    rp__link *doorbell;
    rp__link out; /* its depth is the queue's */
} rp__command_queue;

enum { RP_SIM_MAX_CORES = 8 };

struct rp__core;

typedef struct rp__query_scheduler {
    const rp__sim_config *config;
    const rp__sim_memory *memory;
    rp__link *in;
    rp__link assign[RP_SIM_MAX_CORES], *finish[RP_SIM_MAX_CORES]; /* a pair's */
    rp__link done;                                                /* completions, to the host */
    struct rp__core *cores;
    uint16_t pair_units[RP_SIM_MAX_CORES][2]; /* block reader, block scheduler */
    uint32_t busy_pairs, busy_cores;          /* masks */
    rp__completion running[RP_SIM_MAX_CORES];
    rp__sim_assignment switching; /* an assignment whose wires are being switched */
    uint32_t switch_pair;
    uint64_t switch_due; /* RP_SIM_NEVER: none */
} rp__query_scheduler;

/* ---- Memory ---------------------------------------------------------------------------------- */

enum { RP_SIM_MAX_PORTS = 64 };

typedef struct rp__tlb {
    uint64_t *pages; /* most recent first */
    uint32_t n, capacity, page_bits;
} rp__tlb;

rp_status rp__tlb_init(rp__tlb *tlb, const rp__sim_config *config);
void rp__tlb_reset(rp__tlb *tlb);
/* Whether the page of an address is there; then it is the most recent. */
bool rp__tlb_find(rp__tlb *tlb, uint64_t address);
void rp__tlb_add(rp__tlb *tlb, uint64_t address);

typedef struct rp__mai_entry {
    rp__sim_port *port; /* NULL: a read of a page table */
    uint32_t tag;
    bool is_bad, is_write;
} rp__mai_entry;

typedef struct rp__mai {
    const rp__sim_config *config;
    const rp__sim_memory *memory;
    rp__sim_counts *counts;
    rp__sim_port *ports[RP_SIM_MAX_PORTS];
    uint32_t n_ports, next_port;
    uint64_t ready;         /* ports that may have a request */
    rp__mai_entry *entries; /* config->mai_entries */
    uint32_t *free_entries, n_free;
    uint32_t *bad, n_bad; /* entries that are answered without the memory, in order */
    rp__link to_memory, *from_memory;
    rp__tlb tlb;
    uint32_t walk_left,
        walk_entry; /* reads of the page table to come; entry of the one in flight */
    bool is_walking, walk_waits;
    uint64_t walk_address; /* of the request that missed */
    uint64_t seen;         /* cycle up to which the fill is counted */
    uint32_t fill, bucket; /* counted last */
} rp__mai;

rp_status rp__mai_init(rp__mai *mai, const rp__sim_config *config);
void rp__mai_reset(rp__mai *mai);
void rp__mai_count_fill(rp__mai *mai, uint64_t now); /* up to this cycle */

struct rp__memory_row;

typedef struct rp__memory {
    const struct rp__memory_row *row;
    const rp__sim_config *config;
    const rp__sim_memory *bytes;
    rp__sim_counts *counts;
    rp__link *in, out;
    rp__sim_access *accesses; /* in flight, by entry of the interface */
    struct rp__memory_wait {
        uint64_t due;
        uint32_t entry;
    } * waits; /* ideal, fixed, random: in the order in which they end */
    uint32_t head, n, mask;
    uint64_t order; /* of the next request */
    struct rp__dram *dram;
    uint32_t mhz, channels, burst, commands; /* commands: of columns, a request */
} rp__memory;

rp_status rp__memory_init(rp__memory *memory, const rp__sim_config *config, rp_error *err);
void rp__memory_reset(rp__memory *memory);
void rp__memory_report(const rp__memory *memory, rp__sim_report *report);

/* ---- A pair ---------------------------------------------------------------------------------- */

/* Lines of a list, in the order of their addresses. They are reused in that order too. */
typedef struct rp__sim_stream {
    uint64_t bit, end_bit;                    /* absolute */
    uint64_t first_line, next_line, end_line; /* oldest kept; next to request; past the last */
    struct rp__sim_entry {
        uint64_t words[8];
        uint32_t bits_left;
        bool has_arrived, is_bad;
    } * entries;
    uint32_t capacity, first_slot; /* entry of the oldest line */
} rp__sim_stream;

typedef struct rp__block_reader {
    const rp__sim_config *config;
    rp__sim_counts *counts;
    rp__link open, closed;
    rp__sim_port port;
    struct rp__core *cores;
    uint32_t core_mask, in_flight;
    rp__sim_stream streams[2];
    struct rp__sim_entry *entries; /* br_entries */
    bool is_open, is_ending;
    uint64_t skip_bit, skip_end; /* bits of stream 0 that are dropped as they arrive */
} rp__block_reader;

/* An array in memory, read from front to back through a few lines. */
typedef struct rp__sim_array {
    uint64_t at, end;               /* bytes, absolute */
    uint64_t first_line, next_line; /* line of `at`; next to request */
    uint64_t (*lines)[8];           /* bsch_lines */
    bool *has_arrived;
    uint8_t item, traffic;
} rp__sim_array;

typedef struct rp__sim_list {
    rp__list_header header;
    rp__sim_array skips, metas, bounds;
    uint64_t bits, slot; /* of blocks dispatched so far */
    uint32_t next_block, end_block;
    uint64_t end_bits;                  /* where end_block begins */
    bool has_header, is_ended, is_part; /* is_part: of a range, not all blocks */
} rp__sim_list;

/* The search for the blocks of a range of docids. */
typedef struct rp__block_range {
    uint64_t lo, hi;                   /* blocks; when equal, the block whose metadata is read */
    uint32_t list, parts;              /* parts: lines of a value that have come */
    bool is_end, is_reading, has_line; /* is_end: the end of the range is searched */
    uint8_t value[8];
    uint64_t words[8];
} rp__block_range;

typedef enum rp__sim_phase {
    RP_SIM_PHASE_NONE,
    RP_SIM_PHASE_HEADERS,
    RP_SIM_PHASE_RANGE,
    RP_SIM_PHASE_OPEN,
    RP_SIM_PHASE_BLOCKS,
    RP_SIM_PHASE_LANES,
    RP_SIM_PHASE_READER,
    RP_SIM_PHASE_FINISH
} rp__sim_phase;

typedef struct rp__block_scheduler {
    const rp__sim_config *config;
    const rp__sim_memory *memory;
    rp__sim_counts *counts;
    rp__link *assign, finish;
    rp__block_reader *reader;
    rp__sim_port port;
    struct rp__core *cores;
    uint16_t unit;
    rp__sim_assignment query;
    rp__sim_phase phase;
    rp__sim_list lists[2];
    uint32_t n_lists, headers_sent, in_flight, next_dcu, next_list, next_array, opens_sent;
    uint32_t lanes_left, ends_left; /* masks of lanes; of decompression units */
    rp__sim_finish answer;
    rp__block_range range;
    bool has_bounds;
    uint32_t threshold; /* no result with a smaller score is among the best */
} rp__block_scheduler;

enum { RP_SIM_HEADER_TAG = 1 << 16, RP_SIM_RANGE_TAG = 1 << 17 };

void rp__block_range_begin(rp__block_scheduler *s);
bool rp__block_range_step(rp__block_scheduler *s, rp__sim_clock *clock);
/* Headers and range are known: sets up the cores, or ends the query if something is wrong. */
void rp__block_scheduler_open(rp__block_scheduler *s);

/* ---- A core ---------------------------------------------------------------------------------- */

typedef struct rp__dcu {
    rp__link in, request, lines, out;
    const rp__sim_config *config;
    const rp__sim_setup *setup;
    rp__sim_counts *counts;
    rp__link *abandon;        /* numbers of blocks whose rest nobody needs; NULL: none */
    uint32_t drop_lines;      /* lines of abandoned blocks that are to be dropped */
    uint32_t n_blocks, fetch; /* fetch: the block whose lines are requested */
    uint32_t left, position;  /* postings of the block; bit in the first line */
    uint32_t doc;
    uint32_t n_lines; /* requested and not used up */
    bool may_fetch;   /* false: all lines of all blocks are requested */
    uint8_t status;
    rp__sim_block blocks[2]; /* the one that is decoded, and the next */
    uint32_t block_lines[2]; /* lines requested for each and not used up */
    uint64_t fetch_line;
    rp__sim_pipe pipe;
    uint32_t *gaps, n_gaps, pass; /* bp128: gaps of the block so far; bits to pass before more */
} rp__dcu;

void rp__dcu_drop_line(rp__dcu *dcu, rp__sim_clock *clock);
/* The next w bits of the block; false: a line that they lie in is not here yet. */
bool rp__dcu_take_bits(rp__dcu *dcu, uint32_t w, uint64_t *bits, rp__sim_clock *clock);
void rp__dcu_bp128_begin(rp__dcu *dcu);
/* What lies before the frequencies of a block of bp128; whether some of it came. */
bool rp__dcu_bp128_unpack(rp__dcu *dcu, rp__sim_clock *clock);
/* The next posting of such a block as one of IIU has it: gap, and above it the frequency. */
bool rp__dcu_bp128_take(rp__dcu *dcu, uint64_t *bits, rp__sim_clock *clock);

typedef struct rp__su {
    rp__link out;
    rp__sim_port port;
    rp__link *from_dcu, *from_merge;
    const rp__sim_setup *setup;
    rp__sim_counts *counts;
    uint32_t n_lines, n_fifo, dl, lane; /* but for the lane, of the configuration */
    uint32_t head, n;                   /* of fifo */
    uint8_t *fifo; /* of postings before the pipe, which lie behind those in it: the line of the
                    * constant, or n_lines: needs none */
    struct rp__su_line {
        uint64_t address;
        uint32_t users;
        bool is_used, is_bad;
        bool is_inside; /* all of it is in the memory */
    } * lines;
    uint64_t (*words)[8];           /* of each line */
    uint32_t arrived;               /* lines that are here, a mask */
    uint32_t last_line;             /* that a posting used */
    uint32_t next_line, group_left; /* charge4: postings that share the line requested last */
    uint64_t missing; /* an address that no line has, until the next request; RP_SIM_NEVER: none */
    const rp__sim_memory *memory;
    uint8_t status;
    rp__sim_pipe pipe;
} rp__su;

typedef struct rp__bsu_level {
    uint64_t meta; /* paired */
    uint32_t value;
    bool is_right;
} rp__bsu_level;

/* skips=stream: lines of list1's skip values, read in order. */
typedef struct rp__bsu_stream {
    uint64_t (*lines)[8]; /* bsch_lines */
    bool *has_arrived;
    uint64_t first_line, next_line; /* the current one; the next to request, 0: none yet */
    uint64_t index;                 /* values that are not larger than the last docid */
    uint32_t in_flight;
} rp__bsu_stream;

typedef struct rp__bsu {
    const rp__sim_config *config;
    const rp__sim_setup *setup;
    rp__sim_counts *counts;
    rp__link *in, out;
    rp__sim_port port;
    rp__bsu_level levels[32];
    uint32_t n_levels;
    bool has_searched, is_searching, is_reading, is_found;
    uint32_t base;             /* skip value of the candidate */
    int64_t lo, hi;            /* of the search: signed, because hi may end at -1 */
    int64_t candidate;         /* -1: before the first block */
    uint64_t next_skip;        /* the first docid that needs another search */
    uint32_t depth;            /* levels of this search so far */
    uint32_t parts;            /* lines of a skip value that have arrived */
    uint64_t value_bytes;      /* of it so far */
    uint64_t meta;             /* paired: metadata of the candidate */
    uint64_t line_at, line[8]; /* bsu_line: the line kept; RP_SIM_NEVER: none */
    rp__bsu_stream stream;
    uint8_t status;
} rp__bsu;

bool rp__bsu_stream_request(rp__bsu *bsu, rp__sim_clock *clock);
bool rp__bsu_stream_take(rp__bsu *bsu, rp__sim_clock *clock);
bool rp__bsu_stream_compare(rp__bsu *bsu, uint32_t doc);

typedef struct rp__l1_fetch {
    const rp__sim_config *config;
    const rp__sim_setup *setup;
    const rp__sim_memory *memory;
    rp__sim_counts *counts;
    rp__link *in, out;                 /* candidates, to the merge unit with their block's number */
    rp__link *block, *request, *lines; /* of the second decompression unit */
    rp__sim_port port;
    int64_t current;                     /* block that candidates have; -1: none */
    bool is_reading, has_meta, is_sound; /* is_sound: the current block could be read */
    uint32_t parts;                      /* lines of the metadata that have arrived */
    uint64_t meta;
    rp__sim_line kept[16]; /* lines for the decompression unit, which gets them in order */
    bool has_arrived[16];
    uint32_t head, n; /* of kept */
    uint8_t status;
} rp__l1_fetch;

typedef struct rp__merge_unit {
    const rp__sim_config *config;
    const rp__sim_setup *setup;
    rp__link *candidates, *blocks; /* AND: postings of list0, of list1 */
    rp__link to_su[2], *from_su[2], out;
    rp__link abandon; /* to the second decompression unit */
    int64_t done_block, abandoned;
} rp__merge_unit;

typedef struct rp__write_back {
    rp__link done;
    rp__link threshold; /* the lane's k-th best score, to the block scheduler */
    rp__sim_port port;
    const rp__sim_config *config;
    const rp__sim_setup *setup;
    rp__sim_counts *counts;
    rp__link *from_su, *from_merge;
    uint64_t line_at, mask;
    uint64_t in_block, total; /* results */
    uint32_t in_flight;
    bool has_count, is_ending, is_second; /* is_second: only single terms use this lane */
    uint8_t status;
    uint64_t words[8];
    rp__sim_posting count; /* AND: the block whose count is to be written */
    uint32_t sent;         /* threshold: the last one */
    rp__result_slot *best; /* topk */
    uint32_t n_best, n_written;
} rp__write_back;

typedef struct rp__core {
    rp__sim_setup setup;
    rp__dcu dcus[2];
    rp__su sus[2];
    rp__bsu bsu;
    rp__l1_fetch l1_fetch;
    rp__merge_unit merge_unit;
    rp__write_back write_backs[2];
    uint16_t first_unit, n_units;
} rp__core;

void rp__lane_topk_push(rp__write_back *lane, rp__result_slot slot);
void rp__lane_topk_sort(rp__write_back *lane);
/* The n results that all lanes wrote, best first. RP_DAMAGED: there are not so many. */
rp_status rp__lane_topk_gather(const uint8_t *at, uint64_t n_slots, uint64_t n,
                               rp__result_slot *dst);

/* ---- Runs ------------------------------------------------------------------------------------ */

enum { RP_SIM_RUN = 512 }; /* cycles of a run: at most a line's bits */

/* The second decompression unit and the merge unit of a core are awake: how many cycles from this
 * one on are alike, as long as nobody wakes one of the two; 0: too few. docids gets those that are
 * decoded. */
uint32_t rp__run_ahead_look(const rp__core *core, uint32_t docids[RP_SIM_RUN],
                            const rp__sim_clock *clock);
/* Whether a run goes on although one of the two units was woken: what woke it is not for a cycle of
 * the run. */
bool rp__run_ahead_lasts(const rp__core *core);
/* Makes n >= 1 of these cycles, from `start` on, before any unit is evaluated in this cycle. */
void rp__run_ahead_make(rp__core *core, const uint32_t *docids, uint64_t start, uint32_t n,
                        rp__sim_clock *clock);

/* ---- Steps ----------------------------------------------------------------------------------- */

rp__turn rp__host_step(rp__host *host, rp__sim_clock *clock);
rp__turn rp__command_queue_step(rp__command_queue *queue, rp__sim_clock *clock);
rp__turn rp__query_scheduler_step(rp__query_scheduler *scheduler, rp__sim_clock *clock);
rp__turn rp__mai_step(rp__mai *mai, rp__sim_clock *clock);
rp__turn rp__memory_step(rp__memory *memory, rp__sim_clock *clock);
rp__turn rp__block_reader_step(rp__block_reader *reader, rp__sim_clock *clock);
rp__turn rp__block_scheduler_step(rp__block_scheduler *scheduler, rp__sim_clock *clock);
rp__turn rp__dcu_step(rp__dcu *dcu, rp__sim_clock *clock);
rp__turn rp__su_step(rp__su *su, rp__sim_clock *clock);
rp__turn rp__bsu_step(rp__bsu *bsu, rp__sim_clock *clock);
rp__turn rp__l1_fetch_step(rp__l1_fetch *fetch, rp__sim_clock *clock);
rp__turn rp__merge_unit_step(rp__merge_unit *merge, rp__sim_clock *clock);
rp__turn rp__write_back_step(rp__write_back *lane, rp__sim_clock *clock);

#endif
