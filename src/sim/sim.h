/* sim/sim.h: the door of sim: IIU, the search accelerator, simulated cycle by cycle.
 *
 * Chapters: 1 configuration; 2 memory and lists; 3 descriptors and completion records; 4 the
 * machine; 5 the report.
 * The same input gives the same cycles on every host. docs/iiu.md describes units, clocks and keys.
 * Source: Heo et al. 2020, "IIU: Specialized Architecture for Inverted Index Search", 4. */
#ifndef RP_SIM_SIM_H
#define RP_SIM_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "riposte/status.h"
#include "sim/sim_config.h"
#include "sim/sim_stats.h"

/* ---- 1. Configuration: sim/sim_config.h ------------------------------------------------------ */

/* ---- 2. Memory and lists --------------------------------------------------------------------- */

enum { RP_SIM_LINE = 64, RP_SIM_MAGIC = 0x31554949 /* "IIU1" */ };

/* Header of a list, at a multiple of 64: the machine reads it from memory. Addresses are byte
 * offsets into the image; the arrays may begin at any byte, but for those of a paired list. */
typedef struct rp__list_header {
    uint32_t magic, flags;
    uint64_t n_postings;
    uint32_t n_blocks, idf_bar; /* idf times k1 + 1, 16 fraction bits */
    uint64_t skip_at;           /* u32 a block: docid of its first posting */
    uint64_t meta_at; /* u64 a block: 5 bits gap width, 5 tf width, 11 count, 43 bit offset */
    uint64_t payload_at, payload_bits;
    uint32_t last_doc, crc32c; /* the machine does not check the sum */
} rp__list_header;

/* Of a header: a byte a block follows the skip values: the largest tf / (tf + constant) of the
 * block in 1/255, rounded up. Read by the extension `threshold`. */
enum { RP_SIM_HAS_BOUNDS = 1 };

/* Extension `paired`: a record of 16 bytes a block, at multiples of 16: skip value, bound, 3 bytes
 * of 0, metadata; meta_at is skip_at + 8. */
enum { RP_SIM_PAIRED = 2 };
/* Extension `bp128`: a block is two blocks of codec bp128, gaps and then frequencies less 1: a byte
 * with the width, then all values, to a whole byte. */
enum { RP_SIM_BP128 = 4 };

/* Where things of block i are. */
static inline uint64_t rp__sim_skip_at(const rp__list_header *h, uint64_t i)
{
    return h->skip_at + (h->flags & RP_SIM_PAIRED ? 16 : 4) * i;
}
static inline uint64_t rp__sim_meta_at(const rp__list_header *h, uint64_t i)
{
    return h->meta_at + (h->flags & RP_SIM_PAIRED ? 16 : 8) * i;
}

/* Bits of a block with this metadata. */
static inline uint64_t rp__sim_block_bits(uint32_t flags, uint64_t meta)
{
    const uint64_t n = meta >> 10 & 2047, gap = meta & 31, tf = meta >> 5 & 31;
    if (flags & RP_SIM_BP128)
        return 16 + ((n * gap + 7) & ~UINT64_C(7)) + ((n * tf + 7) & ~UINT64_C(7));
    return n * (gap + tf);
}

/* What the machine can address: the image from 0; a second part of it, if mapped_bytes is not 0,
 * from mapped_at on; results from results_at on. They follow each other in this order, at multiples
 * of 64. All is borrowed until the machine is freed. A line that begins inside a part may end
 * outside it; what is missing reads as 0. */
typedef struct rp__sim_memory {
    const uint8_t *image;
    size_t image_bytes;
    const uint8_t *mapped;
    size_t mapped_bytes;
    uint64_t mapped_at;
    uint8_t *results;
    size_t results_bytes;
    uint64_t results_at;
} rp__sim_memory;

/* The smallest results_at for an image. */
static inline uint64_t rp__sim_results_at(size_t image_bytes)
{
    return ((uint64_t)image_bytes + 4095) & ~UINT64_C(4095);
}

/* ---- 3. Descriptors and completion records --------------------------------------------------- */

typedef enum rp__query_type { RP_SIM_SINGLE, RP_SIM_AND, RP_SIM_OR } rp__query_type;

/* Extension: an OR of the docids from reserved & 2^32-1 up to, without, reserved >> 32. So a host
 * can cut an OR into several descriptors with their own result buffers, for as many cores. */
enum { RP_SIM_RANGE = 1 };

/* One query, 64 bytes. An OR uses one core, whatever n_cores says. */
typedef struct rp__descriptor {
    uint8_t query_type, n_cores; /* n_cores: 1 to the machine's */
    uint16_t flags;              /* RP_SIM_RANGE, or 0 */
    uint32_t tag;
    uint64_t list0;                /* address of a header; of an AND the shorter list */
    uint32_t n_blocks0, n_blocks1; /* must be the headers' */
    uint64_t list1;                /* AND, OR */
    uint64_t result, cap;          /* address (a multiple of 8) and number of slots */
    uint64_t dl_table;             /* address (a multiple of 4): u32 a document, 16 fraction bits */
    uint64_t reserved;             /* RP_SIM_RANGE: first docid, and in the upper half the end */
} rp__descriptor;

/* With the extension `topk`, each lane writes topk slots, best first, those without a result with
 * this docid; a single term has two lanes a core, AND and OR one. cap is at least lanes * topk. */
#define RP_SIM_NO_DOC UINT32_MAX

/* A result slot. Single terms and ORs fill slots 0 to n_results - 1. An AND has a slot for each
 * posting of list0: results of block b begin at the number of postings before the block, and a u16
 * at address result + 8 * cap + 2 * b counts them. */
typedef struct rp__result_slot {
    uint32_t doc, score;
} rp__result_slot;

/* Bytes of the result area of a descriptor. */
static inline uint64_t rp__sim_result_bytes(const rp__descriptor *d)
{
    return 8 * d->cap + (d->query_type == RP_SIM_AND ? 2 * (uint64_t)d->n_blocks0 : 0);
}

/* X(name, sentence); of several faults the first in this list is reported. */
#define RP_SIM_STATUS_MAP(X)                                                                       \
    X(OK, "done")                                                                                  \
    X(BAD_TYPE, "the query type or a flag is unknown")                                             \
    X(BAD_CORES, "the number of cores is 0 or above the machine's")                                \
    X(BAD_MAGIC, "a list header has a wrong magic number")                                         \
    X(BAD_BLOCKS, "the number of blocks differs from the list header's")                           \
    X(BAD_LIST, "a block is empty, its postings are not where they belong, or docids do not rise") \
    X(BAD_ADDRESS, "an address lies outside the image or the results, or is misaligned")           \
    X(BAD_CAP, "the result buffer is too small")                                                   \
    X(BAD_NORM, "a document's constant is 0")                                                      \
    X(HUNG, "the machine made no progress")

typedef enum rp__sim_status {
#define RP_SIM_STATUS_ENUM(name, sentence) RP_SIM_##name,
    RP_SIM_STATUS_MAP(RP_SIM_STATUS_ENUM)
#undef RP_SIM_STATUS_ENUM
        RP_SIM_STATUSES
} rp__sim_status;

/* One completed query, 64 bytes. Cycles are core cycles. */
typedef struct rp__completion {
    uint32_t tag, status; /* rp__sim_status */
    uint64_t n_results;
    uint64_t arrival;        /* the command queue took the descriptor */
    uint64_t start;          /* the query scheduler gave it a pair and cores */
    uint64_t first, last;    /* the block scheduler dispatched its first and its last block */
    uint64_t end;            /* its last result is in memory */
    uint32_t cores, padding; /* bit mask of the cores it had */
} rp__completion;

/* ---- 4. The machine -------------------------------------------------------------------------- */

typedef struct rp__machine rp__machine; /* one thread at a time */

/* The config must be sound (rp__sim_config_check). RP_NO_MEMORY, or RP_USAGE with a text. */
rp_status rp__machine_new(const rp__sim_config *config, const rp__sim_memory *memory,
                          rp__machine **out, rp_error *err);
void rp__machine_free(rp__machine *machine);

/* Adds a query that the host sends as soon as the command queue has space, in the order of the
 * calls. Any bytes are allowed: what is wrong with them becomes a status of the completion. */
rp_status rp__machine_submit(rp__machine *machine, const rp__descriptor *descriptor);

/* Runs until every query is complete. RP_LIMIT: no progress for config.watchdog cycles; err says
 * so, queries that are not complete get RP_SIM_HUNG, and the machine only gives its report from
 * now on. */
rp_status rp__machine_run(rp__machine *machine, rp_error *err);
/* The same in parts: this one ends after so many cycles, or more where nothing happens in between.
 * is_done: every query is complete. Parts change no cycle; a report in between is behind. */
rp_status rp__machine_run_for(rp__machine *machine, uint64_t cycles, bool *is_done, rp_error *err);
uint64_t rp__machine_now(const rp__machine *machine); /* the cycle that comes next */

/* Queries in the order of their completion. Valid until the next call on the machine. */
const rp__completion *rp__machine_completions(const rp__machine *machine, size_t *n);

/* Copies the results of a complete query in rising order of docids, with topk best first, of all
 * lanes; dst has space for n_results. RP_DAMAGED: counts in memory make no sense. */
rp_status rp__machine_results(const rp__machine *machine, const rp__descriptor *descriptor,
                              const rp__completion *completion, rp__result_slot *dst);

/* Evaluates all units every cycle in this order (n = rp__machine_units), or only those that are
 * awake (NULL, the default). Before the first run. The order is copied. */
rp_status rp__machine_set_order(rp__machine *machine, const uint32_t *order);
uint32_t rp__machine_units(const rp__machine *machine);

const char *rp__machine_status_name(uint32_t status); /* "BAD_MAGIC" */
const char *rp__machine_status_text(uint32_t status);

/* ---- 5. The report --------------------------------------------------------------------------- */

/* What each unit did last, in words, with or without those that are idle: for a person who looks
 * for the reason of a hang. Takes up to RP_SIM_STATES_BYTES; what does not fit in cap, which is at
 * least 1, is left out. Returns the bytes written, without the NUL. */
enum { RP_SIM_STATES_BYTES = 2048 };
size_t rp__machine_describe(const rp__machine *machine, bool has_idle, char *text, size_t cap);

/* Counters since the machine began. */
void rp__machine_report(const rp__machine *machine, rp__sim_report *report);

#endif
