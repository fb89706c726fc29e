/* sim_config.h: every latency, depth and capacity of the machine, by key. Part of the door.
 *
 * A configuration is text: one KEY=VALUE a line, # begins a comment. The table below is the list of
 * keys; docs/iiu.md explains them. */
#ifndef RP_SIM_SIM_CONFIG_H
#define RP_SIM_SIM_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "riposte/status.h"

/* X(key, default, min, max, choices, text): choices are names for the values from 0 on, or "". */
#define RP_SIM_KEYS(X)                                                                             \
    X(cores, 8, 1, 8, "", "cores, and pairs of a block reader and a block scheduler")              \
    X(mode, 2, 0, 2, "intra|inter|hybrid", "cores of a query: all, one, or what it says")          \
    X(shrink, 0, 0, 1, "off|on", "a query may start on fewer cores than it says")                  \
    X(command_queue, 16, 2, 1024, "", "descriptors that wait")                                     \
    X(switch_latency, 1, 1, 1000, "", "cycles to switch the interconnect")                         \
    X(br_entries, 64, 2, 1024, "", "lines of a block reader; an OR gives each list half")          \
    X(bsch_lines, 4, 2, 64, "", "lines of each array that a block scheduler keeps")                \
    X(dispatch_depth, 2, 2, 64, "",                                                                \
      "places for blocks before a decompression unit; one remains free")                           \
    X(dcu_lines, 2, 2, 16, "", "line buffers of a decompression unit")                             \
    X(dcu_latency, 2, 1, 64, "", "cycles from a posting's bits to the unit's output")              \
    X(dcu_out, 16, 2, 1024, "", "postings after a decompression unit")                             \
    X(su_latency, 18, 1, 64, "", "stages of a scoring unit")                                       \
    X(su_fifo, 32, 2, 1024, "", "postings that wait for their document's constant")                \
    X(su_lines, 4, 1, 32, "", "lines of document constants in a scoring unit")                     \
    X(su_out, 2, 2, 1024, "", "scores after a scoring unit")                                       \
    X(merge_out, 2, 2, 1024, "", "postings after a merge unit, on each side")                      \
    X(traversal, 32, 1, 32, "", "levels in the traversal cache of a binary search unit")           \
    X(candidates, 4, 2, 1024, "", "candidates between the search and the fetch of blocks")         \
    X(abandon, 1, 0, 1, "off|on",                                                                  \
      "AND: the rest of a block is dropped when no candidate needs it")                            \
    X(port_depth, 2, 2, 64, "", "requests that a unit's memory port keeps")                        \
    X(mai_entries, 128, 1, 1024, "", "requests in flight")                                         \
    X(mai_accept, 2, 1, 64, "", "requests accepted a cycle")                                       \
    X(mai_return, 2, 1, 64, "", "responses returned a cycle")                                      \
    X(mai_out, 8, 2, 1024, "", "requests between interface and memory")                            \
    X(tlb_entries, 128, 1, 1024, "", "pages in the TLB")                                           \
    X(tlb_page_bits, 30, 12, 40, "", "log2 of the bytes of a page")                                \
    X(tlb_walk, 3, 1, 8, "", "dependent reads of a TLB miss")                                      \
    X(tlb_preload, 1, 0, 1, "off|on", "the first pages are in the TLB at the start")               \
    X(dl, 0, 0, 2, "line|charge4|free", "what reading a document's constant costs")                \
    X(memory, 3, 0, 3, "ideal|fixed|random|dram", "the memory behind the interface")               \
    X(latency, 50, 0, 100000, "", "fixed: cycles; random: the fewest")                             \
    X(latency_max, 50, 0, 100000, "", "random: the most cycles")                                   \
    X(seed, 1, 0, UINT32_MAX, "", "random: where chance begins")                                   \
    X(channels, 0, 1, 32, "", "dram: channels; by default the standard's")                         \
    X(ranks, 0, 1, 8, "", "dram: ranks; by default the standard's")                                \
    X(read_queue, 0, 1, 1024, "", "dram: reads that wait in a channel; by default the standard's") \
    X(write_queue, 0, 1, 1024, "", "dram: writes, likewise")                                       \
    X(core_mhz, 1000, 1, 100000, "", "clock of the machine; the memory standard has its own")      \
    X(watchdog, 1000000, 1000, UINT32_MAX, "", "cycles without progress that end a run")           \
    X(topk, 0, 1, 1024, "", "extension: each lane keeps its k best results and writes only those") \
    X(threshold, 0, 0, 1, "off|on",                                                                \
      "extension: topk skips blocks of a single term by their bounds")                             \
    X(skips, 0, 0, 1, "search|stream",                                                             \
      "extension: stream: skip values of list1 are read in order")                                 \
    X(bsu_line, 0, 0, 1, "off|on", "extension: the search keeps the last line of skip values")     \
    X(ranges, 1, 1, 64, "", "extension: ranges of docids that an OR is cut into, a core each")     \
    X(paired, 0, 0, 1, "off|on",                                                                   \
      "extension: lists whose skip values lie beside their metadata are read")                     \
    X(bp128, 0, 1, 32, "", "extension: blocks of bp128 are read; gaps unpacked in a cycle")

struct rp__dram_command;

enum { RP_SIM_MODE_INTRA, RP_SIM_MODE_INTER, RP_SIM_MODE_HYBRID };
enum { RP_SIM_SKIPS_SEARCH, RP_SIM_SKIPS_STREAM };
enum { RP_SIM_DL_LINE, RP_SIM_DL_CHARGE4, RP_SIM_DL_FREE };
enum { RP_SIM_MEMORY_IDEAL, RP_SIM_MEMORY_FIXED, RP_SIM_MEMORY_RANDOM, RP_SIM_MEMORY_DRAM };

typedef struct rp__sim_config {
#define RP_SIM_KEY_FIELD(key, fallback, min, max, choices, text) uint32_t key;
    RP_SIM_KEYS(RP_SIM_KEY_FIELD)
#undef RP_SIM_KEY_FIELD
    char standard[16], controller[16]; /* of memory=dram: keys too */
    /* memory=dram: gets every command as it is issued; NULL: none. */
    void (*on_command)(void *context, const struct rp__dram_command *command);
    void *context;
    /* Gets what each unit did, by its number in the report: `cycles` of a class from cycle `from`
     * on; of a unit in the order of time. NULL: nobody. */
    void (*on_spent)(void *context, uint32_t unit, uint32_t spent, uint64_t from, uint64_t cycles);
    void *spent_context;
} rp__sim_config;

/* The paper's machine. */
void rp__sim_config_init(rp__sim_config *config);
/* One "KEY=VALUE". `seen` has a bit for each key that was set so far, first 0. RP_USAGE: a key is
 * unknown, or there twice, or has another value; err names it. With another memory, what the config
 * had for the one before goes back to its default; keys that are seen stay. */
rp_status rp__sim_config_set(rp__sim_config *config, const char *assignment, uint64_t *seen,
                             rp_error *err);
/* Many lines, on top of what config has; each key once. RP_USAGE: err names line and key. */
rp_status rp__sim_config_parse(rp__sim_config *config, const char *text, size_t n_bytes,
                               rp_error *err);
/* Whether the keys agree with each other, and none is set that would change nothing. */
rp_status rp__sim_config_check(const rp__sim_config *config, rp_error *err);

/* The i-th key for a list of them; false: past the last. Static strings. */
typedef struct rp__sim_key {
    const char *name, *choices, *text;
    uint32_t fallback, min, max;
    size_t offset; /* of the uint32_t in the config */
} rp__sim_key;
const rp__sim_key *rp__sim_config_key(size_t i); /* NULL past the last */
/* Of a key with choices, the name of a value; not terminated. */
const char *rp__sim_config_choice(const rp__sim_key *key, uint32_t value, size_t *bytes);

#endif
