/* shard.h: a share of a long test, for several processes: SHARD=i/n in the environment is the i-th
 * of n, from 0 on; without it a process has all. */
#ifndef RP_TESTS_SHARD_H
#define RP_TESTS_SHARD_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct shard {
    uint32_t i, n;
} shard;

static inline shard shard_here(void)
{
    shard s = {0, 1};
    const char *text = getenv("SHARD");
    if (text && (sscanf(text, "%u/%u", &s.i, &s.n) != 2 || s.i >= s.n)) {
        fprintf(stderr, "SHARD=%s: i/n with i below n is owed\n", text);
        exit(1);
    }
    return s;
}

static inline uint64_t shard_number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

/* Orders of threads on the emulated device, by number: those before `to`, the first of them `from`.
 * There are `few` of them, or twenty with RIPOSTE_THOROUGH. A process has its share, and at least
 * one: where there are more processes than orders, some have the same. */
typedef struct shard_orders {
    uint64_t from, to;
} shard_orders;

static inline shard_orders shard_orders_here(uint64_t few)
{
    const uint64_t all = getenv("RIPOSTE_THOROUGH") ? 20 : few;
    const shard s = shard_here();
    const uint64_t from = all * s.i / s.n, to = all * (s.i + 1) / s.n;
    return (shard_orders){from, to > from ? to : from + 1};
}

#endif
