/* fault_ops.h: a row of the table of system calls that asks before each call what shall become of
 * it. For tests only; one thread at a time. */
#ifndef RP_TESTS_FAULT_OPS_H
#define RP_TESTS_FAULT_OPS_H

#include <stddef.h>

typedef enum fault_call {
    FAULT_OPEN,
    FAULT_CLOSE,
    FAULT_READ,
    FAULT_PREAD,
    FAULT_WRITE,
    FAULT_FSYNC,
    FAULT_RENAME,
    FAULT_UNLINK,
    FAULT_MKDIR,
    FAULT_LOCK,
    FAULT_SIZE,
    FAULT_MAP,
    FAULT_UNMAP,
    FAULT_EXCHANGE,
    FAULT_CALLS,
} fault_call;

extern const char *const fault_call_names[FAULT_CALLS];

/* All zero: the call is made. */
typedef struct fault_act {
    int error;      /* it fails with this errno */
    int is_done;    /* ... but has taken effect, as a lost reply of a network file system; or, with
                       no error: it succeeds without having been made (a write: but for at_most) */
    size_t at_most; /* a read or write handles no more bytes than this; 0: all */
} fault_act;

/* `bytes` of a read, pread, write or map; `path` where the call has one (of rename: the target). */
typedef fault_act fault_ask_fn(void *arg, fault_call call, int fd, const char *path, size_t bytes);

void fault_ops_set(fault_ask_fn *ask, void *arg); /* NULL: the real calls again */

#endif
