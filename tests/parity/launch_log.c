/* launch_log.c: an observer of the emulated device. Its calls come under the device's lock, one at a time. */
#include "parity/launch_log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/device/kernel_table.h"
#include "backend/gpu/kernels/args.h"

enum { ARGS_MAX = 4096, ADDRESS = 1, COUNTER = 0, PERSISTENT_BLOCKS = 2 };

typedef struct piece {
    uint64_t from, to;
} piece;

static piece *pieces; /* device and pinned memory */
static size_t n_pieces, max_pieces;
static FILE *lines, *all_words;
static const char *prefix;
static launch_counts counts;

/* ---- Memory -------------------------------------------------------------------------------------- */

static void watch_memory(void *at, size_t bytes)
{
    uint64_t from = (uint64_t)(uintptr_t)at;
    for (size_t i = 0; i < n_pieces; i++)
        if (pieces[i].from == from)
            pieces[i--] = pieces[--n_pieces];
    if (bytes == 0)
        return;
    if (n_pieces == max_pieces) {
        max_pieces = max_pieces ? 2 * max_pieces : 64;
        pieces = realloc(pieces, max_pieces * sizeof *pieces);
        if (!pieces)
            abort();
    }
    pieces[n_pieces++] = (piece){from, from + bytes};
}

static bool is_address(uint64_t value)
{
    for (size_t i = 0; i < n_pieces; i++)
        if (value >= pieces[i].from && value <= pieces[i].to)
            return true;
    return false;
}

/* ---- Arguments ----------------------------------------------------------------------------------- */

/* Numbers of queries and launches, and what earlier ones have left in counters. */
static const struct {
    rp__kernel_id kernel;
    size_t at, bytes;
} counters[] = {
#define FIELD(kernel, type, field)                                                                 \
    {                                                                                              \
        RP_KERNEL_##kernel, offsetof(type, field), sizeof(((type *)0)->field)                      \
    }
    FIELD(and_single_kernel, karg_query, number),
    FIELD(and_single_many_kernel, karg_query, number),
    FIELD(or_accumulate_kernel, karg_query, number),
    FIELD(or_accumulate_many_kernel, karg_query, number),
    FIELD(or_accumulate_gather_kernel, karg_query, number),
    FIELD(and_single_persistent_kernel, karg_persistent, first.written),
    FIELD(and_single_persistent_kernel, karg_persistent, first.base),
    FIELD(and_single_persistent_kernel, karg_persistent, first.query.number),
    FIELD(and_single_persistent_kernel, karg_persistent, number),
    FIELD(and_single_persistent_kernel, karg_persistent, launch),
    FIELD(and_batch_topk_kernel, karg_and_topk, number),
    FIELD(and_batch_topk_rank_kernel, karg_and_topk, number),
    FIELD(or_maxscore_kernel, karg_or, number),
    FIELD(or_maxscore_kernel, karg_or, before),
    FIELD(count_or_maxscore_kernel, karg_or, number),
    FIELD(count_or_maxscore_kernel, karg_or, before),
    FIELD(or_topk_kernel, karg_or, number),
    FIELD(or_topk_kernel, karg_or, before),
#undef FIELD
};

static void make_stable(size_t kernel, unsigned char *args, size_t bytes)
{
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        if (counters[i].kernel == kernel)
            memset(args + counters[i].at, COUNTER, counters[i].bytes);
    for (size_t at = 0; at + sizeof(uint64_t) <= bytes; at += sizeof(uint64_t)) {
        uint64_t value;
        memcpy(&value, args + at, sizeof value);
        value = is_address(value) ? ADDRESS : value;
        memcpy(args + at, &value, sizeof value);
    }
}

/* FNV-1a. */
static uint64_t hash(const unsigned char *bytes, size_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++)
        h = (h ^ bytes[i]) * UINT64_C(0x100000001b3);
    return h;
}

static void write_words(const unsigned char *args, size_t bytes)
{
    uint32_t word;
    for (size_t at = 0; at + sizeof word <= bytes; at += sizeof word) {
        memcpy(&word, args + at, sizeof word);
        if (word)
            fprintf(all_words, " %zu:%x", at, word);
    }
    fputc('\n', all_words);
}

static void write_line(FILE *out, size_t kernel, const rp__fiber_launch *launch,
                       const unsigned char *args)
{
    size_t bytes = rp__kernel_table_at(kernel)->args_bytes;
    fprintf(out, "%s %s %u x %u, shared %zu, args %zu %016llx", prefix,
            rp__kernel_table_at(kernel)->name, launch->grid, launch->block, launch->shared_bytes,
            bytes, (unsigned long long)hash(args, bytes));
}

/* ---- The observer -------------------------------------------------------------------------------- */

static void queue_launch(size_t kernel, const rp__fiber_launch *launch)
{
    unsigned char args[ARGS_MAX];
    size_t bytes = rp__kernel_table_at(kernel)->args_bytes;
    counts.launches++;
    if (!lines)
        return;
    if (bytes > sizeof args)
        abort();
    memcpy(args, launch->args, bytes);
    make_stable(kernel, args, bytes);
    write_line(lines, kernel, launch, args);
    fputc('\n', lines);
    if (!all_words)
        return;
    write_line(all_words, kernel, launch, args);
    write_words(args, bytes);
}

static void queue_copy(void)
{
    counts.copies++;
}

/* As many idle blocks as a card has multiprocessors would take gigabytes of stacks. The persistent kernel answers with
 * any number of them. */
static void watch_launch(size_t kernel, rp__fiber_launch *launch)
{
    static karg_persistent args; /* there is one such kernel at a time */
    if (kernel != RP_KERNEL_and_single_persistent_kernel || launch->grid <= PERSISTENT_BLOCKS)
        return;
    memcpy(&args, launch->args, sizeof args);
    if (args.first.query.blocks > PERSISTENT_BLOCKS)
        args.first.query.blocks = PERSISTENT_BLOCKS;
    launch->args = &args;
    launch->grid = PERSISTENT_BLOCKS;
}

void launch_log_begin(uint32_t processors)
{
    static const rp__emulated_device_watcher watcher = {.queue_launch = queue_launch,
                                                        .queue_copy = queue_copy,
                                                        .memory = watch_memory,
                                                        .launch = watch_launch};
    rp__emulated_device_configure(&(rp__emulated_device_options){.processors = processors});
    rp__emulated_device_watch(&watcher);
    counts = (launch_counts){0};
    launch_log_write(NULL, NULL, "");
}

void launch_log_end(void)
{
    rp__emulated_device_watch(NULL);
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    free(pieces);
    pieces = NULL;
    n_pieces = max_pieces = 0;
}

void launch_log_write(FILE *out, FILE *words, const char *text)
{
    lines = out;
    all_words = words;
    prefix = text;
}

launch_counts launch_log_counts(void)
{
    return counts;
}
