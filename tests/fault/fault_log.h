/* fault_log.h: a log of all that a build does to its folder, and the states in which a loss of
 * power could leave the disk. For tests only; one thread at a time.
 *
 * The model is what POSIX promises and no more: a file's bytes are durable after an fsync of the
 * file, a name after an fsync of its folder (both names of a rename together), and whatever is not
 * durable may be there or not, in any combination; unsynced bytes may also be torn at 512, zero, or
 * stale. */
#ifndef RP_TESTS_FAULT_LOG_H
#define RP_TESTS_FAULT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Faults that a harness must find. */
typedef enum fault_plant {
    FAULT_PLANT_NONE,
    FAULT_PLANT_NO_FILE_SYNC,
    FAULT_PLANT_NO_FOLDER_SYNC,
    FAULT_PLANT_NO_PARENT_SYNC,
    FAULT_PLANT_EARLY_RENAME,  /* the manifest is renamed before the folder is synced */
    FAULT_PLANT_EARLY_REMOVAL, /* old files are removed before the new manifest is durable */
} fault_plant;

typedef enum fault_log_kind {
    FAULT_LOG_CREATE,
    FAULT_LOG_WRITE,
    FAULT_LOG_SYNC,
    FAULT_LOG_RENAME,
    FAULT_LOG_UNLINK,
    FAULT_LOG_MKDIR,
    FAULT_LOG_RMDIR,
} fault_log_kind;

enum { FAULT_PARENT = 0, FAULT_FOLDER = 1, FAULT_OBJECTS = 256, FAULT_NAMES = 64 };

typedef struct fault_log_op {
    fault_log_kind kind;
    uint32_t object, dir; /* dir: whose sync makes it durable; of a write, the file itself */
    char name[40], to[40];
    size_t data, bytes, offset; /* of a write: in the log's data, and in the file */
} fault_log_op;

typedef struct fault_name {
    char name[40];
    uint32_t object;
} fault_name;

typedef struct fault_names {
    fault_name at[FAULT_NAMES];
    size_t n;
    bool has_folder;
} fault_names;

typedef struct fault_object {
    uint64_t inode;
    size_t data, bytes; /* contents that were durable before the log began */
    size_t end;         /* where the next write goes */
} fault_object;

typedef struct fault_log {
    fault_plant plant;
    char folder[300];
    fault_log_op *ops;
    size_t n, cap;
    fault_object objects[FAULT_OBJECTS];
    size_t n_objects;
    fault_names before, now;
    uint8_t *data;
    size_t data_bytes, data_cap;
} fault_log;

/* Logs from here on. `is_orphan`: the folder is there, but was made by a process that was killed
 * before it synced the folder above. */
void fault_log_begin(fault_log *log, const char *folder, bool is_orphan, fault_plant plant);
void fault_log_end(fault_log *log); /* the real calls again */
void fault_log_free(fault_log *log);
/* The first prefix after which the newly published manifest must survive. */
size_t fault_log_published(const fault_log *log);
/* Writes to folder `to` what the disk may hold if power fails after `prefix` operations. */
void fault_log_crash(const fault_log *log, size_t prefix, uint64_t seed, const char *to);

#endif
