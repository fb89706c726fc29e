/* tests/fault/peak.h: runs a program and measures its peak of anonymous memory, exactly.
 *
 * Anonymous memory (heap, stacks, private mappings; not the page cache, not mapped files) shrinks
 * only by munmap, mremap, madvise, brk, or the end of the process. The program is traced and
 * stopped before each of these calls, and RssAnon of /proc/PID/status is read there; so no peak is
 * missed, however short, and the result does not depend on the load of the machine. */
#ifndef TESTS_FAULT_PEAK_H
#define TESTS_FAULT_PEAK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct peak_result {
    int code;           /* exit code; 128 + the signal that ended it */
    uint64_t anonymous; /* bytes at the peak, of all processes that it had, one by one */
    char err[2048];     /* the beginning of what it wrote to stderr */
} peak_result;

/* argv[0] is the path of the program. Its stdin and stdout are /dev/null. False: this machine does
 * not let a process be traced, or the program cannot be started. */
bool peak_run(const char *const *argv, peak_result *out);

/* Why peaks cannot be measured in this build or on this machine: to skip by name; NULL: they
 * can. */
const char *peak_reason(void);

#endif
