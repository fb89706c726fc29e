/* parity/launch_log.h: what the host asks of emulated devices: a line for each launch, and how many
 * commands there were.
 *
 * A line has kernel, grid, block, bytes of shared memory, and the bytes of the arguments with a
 * hash of them. Addresses count as "not 0" in it, and counters that go on from query to query not
 * at all, so it holds what the host decided and nothing that differs from run to run. */
#ifndef RP_TESTS_PARITY_LAUNCH_LOG_H
#define RP_TESTS_PARITY_LAUNCH_LOG_H

#include <stdint.h>
#include <stdio.h>

typedef struct launch_counts {
    uint64_t launches;
    uint64_t copies; /* and fills */
} launch_counts;

/* Devices report so many multiprocessors from now on; no memory of theirs may be in use. */
void launch_log_begin(uint32_t processors);
void launch_log_end(void);

/* Lines go there from now on, each after this text; NULL: nowhere. `words`: with all arguments,
 * too. */
void launch_log_write(FILE *out, FILE *words, const char *text);
/* Since launch_log_begin. */
launch_counts launch_log_counts(void);

#endif
