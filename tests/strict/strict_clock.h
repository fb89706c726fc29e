/* strict/strict_clock.h: which writes of other warps a warp may rely on: a vector clock.
 *
 * Entry w of a clock is how far warp w is known: writes of w that bear at most this number are
 * visible. */
#ifndef STRICT_STRICT_CLOCK_H
#define STRICT_STRICT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct strict_clock {
    uint32_t *at; /* an entry a warp of the grid; NULL: all 0 */
} strict_clock;

/* the greater of each entry */
void strict_clock_join(strict_clock *to, const strict_clock *from, uint32_t n);
void strict_clock_copy(strict_clock *to, const strict_clock *from, uint32_t n);
void strict_clock_set(strict_clock *clock, uint32_t warp, uint32_t number, uint32_t n);
uint32_t strict_clock_get(const strict_clock *clock, uint32_t warp);
void strict_clock_free(strict_clock *clock);

/* Clocks by address: what was known to those who wrote a word by an atomic or a prim_store_now. */
typedef struct strict_table {
    struct strict_entry *entries;
    uint32_t n, room; /* room: 0 or a power of two */
} strict_table;

/* NULL: there is none */
strict_clock *strict_table_at(strict_table *table, uintptr_t address, bool is_made);
void strict_table_free(strict_table *table);

#endif
