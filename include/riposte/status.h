/* riposte/status.h: how every Riposte call says whether it worked.
 *
 * A call that can fail returns rp_status: RP_OK is 0, failures are negative. Calls whose failure a
 * person must understand also take an rp_error, owned by the caller and allowed to be NULL; its
 * text says what went wrong, where, and what to do.
 *
 * In all headers, pointers to options, statistics, reports and callbacks may be NULL. Arrays and
 * strings with a length may be NULL where the length is 0. Any other pointer may be NULL only if
 * its declaration says so. Where it may not, a call returns RP_USAGE and names the argument; a call
 * without a status returns 0, false or NULL, or leaves its record all zero. After any failure a new
 * handle is NULL, and a record that has a free function is empty: both may be freed, a record also
 * twice.
 *
 * Every record of options begins with its size, so that programs run with other releases than the
 * one they were compiled against. All zero is right: size 0 means this release's sizeof. A program
 * that sets it gets, from an earlier library, RP_USAGE if it uses a field that this library does
 * not have, and from a later one the defaults of the fields that it does not have itself. */
#ifndef RIPOSTE_STATUS_H
#define RIPOSTE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* X(code, value, exit, sentence); exit is the status with which the program `riposte` ends, but 143
 * where SIGTERM interrupted it. */
#define RP_STATUS_MAP(X)                                                                           \
    X(RP_OK, 0, 0, "done")                                                                         \
    X(RP_NEGATIVE, -1, 1, "ran, with a negative result")                                           \
    X(RP_USAGE, -2, 2, "the call or its options make no sense")                                    \
    X(RP_INPUT, -3, 3, "the input data are malformed")                                             \
    X(RP_IO, -4, 4, "reading or writing failed")                                                   \
    X(RP_DAMAGED, -5, 5, "the index is damaged")                                                   \
    X(RP_INCOMPATIBLE, -6, 5, "the index needs another version of Riposte")                        \
    X(RP_UNAVAILABLE, -7, 6, "the processor asked for is not there")                               \
    X(RP_NO_MEMORY, -8, 7, "memory or its budget is used up")                                      \
    X(RP_LIMIT, -9, 3, "a limit was passed")                                                       \
    X(RP_INTERRUPTED, -10, 130, "interrupted")                                                     \
    X(RP_NOT_FOUND, -11, 1, "not found")                                                           \
    X(RP_DEADLINE, -12, 8, "the time for it was over")                                             \
    X(RP_BUSY, -13, 9, "too much waits already")

typedef enum rp_status {
#define RP_STATUS_ENUM(code, value, exit_code, sentence) code = (value),
    RP_STATUS_MAP(RP_STATUS_ENUM)
#undef RP_STATUS_ENUM
} rp_status;

/* What went wrong, for a person. Caller-owned; `text` always ends with a NUL. */
typedef struct rp_error {
    rp_status code;
    char text[256];
} rp_error;

/* The name ("RP_IO") and the sentence of a status; "unknown" for a value that is none. Static
 * strings. */
const char *rp_status_name(rp_status status);
const char *rp_status_text(rp_status status);

/* The exit code of the program for a status. */
int rp_status_exit(rp_status status);

#ifdef __cplusplus
}
#endif
#endif
