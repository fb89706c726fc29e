/* fault_log.c: the row that logs, and the disk after a loss of power. */
#include "fault_log.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fault_world.h"
#include "store/store.h"

enum { SECTOR = 512, PAGE = 4096, FDS = 1024, NOT_OURS = -1 };

static fault_log *current;
static int object_of[FDS]; /* of an open descriptor */

/* ---- The log ----------------------------------------------------------------------------------- */

static size_t add_data(fault_log *log, const void *bytes, size_t n)
{
    size_t at = log->data_bytes;
    if (at + n > log->data_cap) {
        log->data_cap = 2 * (at + n) + PAGE;
        log->data = realloc(log->data, log->data_cap);
        assert_non_null(log->data);
    }
    if (n)
        memcpy(log->data + at, bytes, n);
    log->data_bytes += n;
    return at;
}

static fault_log_op *add_op(fault_log *log, fault_log_kind kind, uint32_t object, uint32_t dir)
{
    if (log->n == log->cap) {
        log->cap = 2 * log->cap + 64;
        log->ops = realloc(log->ops, log->cap * sizeof *log->ops);
        assert_non_null(log->ops);
    }
    fault_log_op *op = &log->ops[log->n++];
    *op = (fault_log_op){.kind = kind, .object = object, .dir = dir};
    return op;
}

static void set_name(char out[40], const char *name)
{
    assert_true(strlen(name) < 40);
    strcpy(out, name);
}

static int find_name(const fault_names *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->at[i].name, name) == 0)
            return (int)i;
    return -1;
}

static void put_name(fault_names *names, const char *name, uint32_t object)
{
    int i = find_name(names, name);
    if (i < 0) {
        assert_true(names->n < FAULT_NAMES);
        i = (int)names->n++;
        set_name(names->at[i].name, name);
    }
    names->at[i].object = object;
}

static void drop_name(fault_names *names, const char *name)
{
    int i = find_name(names, name);
    if (i >= 0)
        names->at[i] = names->at[--names->n];
}

/* What an operation does to names; writes and syncs do nothing. */
static void apply_names(const fault_log_op *op, fault_names *names)
{
    switch (op->kind) {
    case FAULT_LOG_CREATE:
        put_name(names, op->name, op->object);
        break;
    case FAULT_LOG_RENAME:
        drop_name(names, op->name);
        put_name(names, op->to, op->object);
        break;
    case FAULT_LOG_UNLINK:
        drop_name(names, op->name);
        break;
    case FAULT_LOG_MKDIR:
        names->has_folder = true;
        break;
    case FAULT_LOG_RMDIR:
        names->has_folder = false;
        break;
    case FAULT_LOG_WRITE:
    case FAULT_LOG_SYNC:
        break;
    }
}

/* An inode's number may be used again, so the newest object that has it is meant. */
static int find_object(const fault_log *log, int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return NOT_OURS;
    for (size_t i = log->n_objects; i-- > 0;)
        if (log->objects[i].inode == st.st_ino)
            return (int)i;
    return NOT_OURS;
}

static uint32_t add_object(fault_log *log, uint64_t inode)
{
    assert_true(log->n_objects < FAULT_OBJECTS);
    log->objects[log->n_objects] = (fault_object){.inode = inode};
    return (uint32_t)log->n_objects++;
}

static uint64_t inode_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? st.st_ino : 0;
}

/* ---- The row ----------------------------------------------------------------------------------- */

static int log_open(int dirfd, const char *path, int flags, unsigned mode)
{
    fault_log *log = current;
    int fd = rp__store_system.open(dirfd, path, flags, mode);
    if (fd < 0)
        return fd;
    assert_true(fd < FDS);
    if (flags & O_CREAT) {
        struct stat st;
        assert_int_equal(fstat(fd, &st), 0);
        uint32_t object = add_object(log, st.st_ino);
        fault_log_op *op = add_op(log, FAULT_LOG_CREATE, object, FAULT_FOLDER);
        set_name(op->name, path);
        apply_names(op, &log->now);
    }
    object_of[fd] = find_object(log, fd);
    return fd;
}

static int log_close(int fd)
{
    object_of[fd] = NOT_OURS;
    return rp__store_system.close(fd);
}

static ssize_t log_write(int fd, const void *buf, size_t n)
{
    ssize_t got = rp__store_system.write(fd, buf, n);
    if (got <= 0 || object_of[fd] == NOT_OURS)
        return got;
    uint32_t object = (uint32_t)object_of[fd];
    fault_log_op *op = add_op(current, FAULT_LOG_WRITE, object, object);
    op->bytes = (size_t)got;
    op->offset = current->objects[object].end;
    op->data = add_data(current, buf, op->bytes);
    current->objects[object].end += op->bytes;
    return got;
}

static bool is_swallowed(const fault_log *log, int object)
{
    bool is_late = log->n > 0 && log->ops[log->n - 1].kind == FAULT_LOG_RENAME;
    switch (log->plant) {
    case FAULT_PLANT_NO_FILE_SYNC:
        return object > FAULT_FOLDER;
    case FAULT_PLANT_NO_FOLDER_SYNC:
        return object == FAULT_FOLDER;
    case FAULT_PLANT_NO_PARENT_SYNC:
        return object == FAULT_PARENT;
    case FAULT_PLANT_EARLY_RENAME:
        return object == FAULT_FOLDER && !is_late;
    default:
        return false;
    }
}

static int log_fsync(int fd)
{
    int object = object_of[fd];
    if (object != NOT_OURS && !is_swallowed(current, object))
        add_op(current, FAULT_LOG_SYNC, (uint32_t)object, (uint32_t)object);
    return 0;
}

static void log_removal(fault_log *log, const char *name)
{
    fault_log_op *op = add_op(log, FAULT_LOG_UNLINK, 0, FAULT_FOLDER);
    set_name(op->name, name);
    apply_names(op, &log->now);
}

static void remove_early(fault_log *log)
{
    for (size_t i = 0; i < log->before.n; i++)
        if (strncmp(log->before.at[i].name, "manifest", 8) != 0)
            log_removal(log, log->before.at[i].name);
}

static int log_rename(int dirfd, const char *from, const char *to)
{
    fault_log *log = current;
    int i = find_name(&log->now, from);
    if (log->plant == FAULT_PLANT_EARLY_REMOVAL)
        remove_early(log);
    int result = rp__store_system.rename(dirfd, from, to);
    if (result != 0 || i < 0)
        return result;
    fault_log_op *op = add_op(log, FAULT_LOG_RENAME, log->now.at[i].object, FAULT_FOLDER);
    set_name(op->name, from);
    set_name(op->to, to);
    apply_names(op, &log->now);
    return result;
}

static int log_unlink(int dirfd, const char *path, int flags)
{
    int result = rp__store_system.unlink(dirfd, path, flags);
    if (result == 0 && flags & AT_REMOVEDIR)
        add_op(current, FAULT_LOG_RMDIR, FAULT_FOLDER, FAULT_PARENT);
    else if (result == 0)
        log_removal(current, path);
    return result;
}

static int log_mkdir(int dirfd, const char *path, unsigned mode)
{
    int result = rp__store_system.mkdir(dirfd, path, mode);
    if (result == 0) {
        add_op(current, FAULT_LOG_MKDIR, FAULT_FOLDER, FAULT_PARENT);
        current->objects[FAULT_FOLDER].inode = inode_of(path);
    }
    return result;
}

/* ---- Begin and end ------------------------------------------------------------------------------ */

static void take_file(fault_log *log, const char *name)
{
    char path[600];
    size_t n = 0;
    snprintf(path, sizeof path, "%s/%s", log->folder, name);
    uint8_t *bytes = fault_read(path, &n);
    assert_non_null(bytes);
    uint32_t object = add_object(log, inode_of(path));
    log->objects[object].data = add_data(log, bytes, n);
    log->objects[object].bytes = log->objects[object].end = n;
    put_name(&log->before, name, object);
    free(bytes);
}

void fault_log_begin(fault_log *log, const char *folder, bool is_orphan, fault_plant plant)
{
    static rp__store_ops row;
    *log = (fault_log){.plant = plant};
    snprintf(log->folder, sizeof log->folder, "%s", folder);
    char parent[300];
    snprintf(parent, sizeof parent, "%s", folder);
    *strrchr(parent, '/') = 0;
    add_object(log, inode_of(parent));
    add_object(log, inode_of(folder));
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.')
            take_file(log, e->d_name);
    log->before.has_folder = d && !is_orphan;
    if (d)
        closedir(d);
    if (is_orphan)
        add_op(log, FAULT_LOG_MKDIR, FAULT_FOLDER, FAULT_PARENT);
    log->now = log->before;
    current = log;
    for (size_t i = 0; i < FDS; i++)
        object_of[i] = NOT_OURS;
    row = rp__store_system;
    row.open = log_open;
    row.close = log_close;
    row.write = log_write;
    row.fsync = log_fsync;
    row.rename = log_rename;
    row.unlink = log_unlink;
    row.mkdir = log_mkdir;
    rp__store_set_ops(&row);
}

void fault_log_end(fault_log *log)
{
    (void)log;
    current = NULL;
    rp__store_set_ops(NULL);
}

void fault_log_free(fault_log *log)
{
    free(log->ops);
    free(log->data);
}

size_t fault_log_published(const fault_log *log)
{
    size_t i = 0;
    while (i < log->n && log->ops[i].kind != FAULT_LOG_RENAME)
        i++;
    while (i < log->n && (log->ops[i].kind != FAULT_LOG_SYNC || log->ops[i].object != FAULT_FOLDER))
        i++;
    return i < log->n ? i + 1 : log->n;
}

/* ---- The disk after a loss of power -------------------------------------------------------------- */

/* How likely, of 100, unsynced names and bytes are to have reached the disk in one state. */
typedef struct weather {
    uint64_t random;
    unsigned names, bytes;
    size_t synced[FAULT_OBJECTS]; /* one past the last sync before the crash; 0: none */
} weather;

static bool is_lucky(weather *w, unsigned of_100)
{
    return fault_below(&w->random, 100) < of_100;
}

typedef struct image {
    uint8_t *at;
    size_t bytes;
} image;

static void put_bytes(image *m, size_t offset, const uint8_t *from, size_t n)
{
    if (n == 0)
        return;
    if (offset + n > m->bytes) {
        m->at = realloc(m->at, offset + n);
        assert_non_null(m->at);
        memset(m->at + m->bytes, 0, offset + n - m->bytes);
        m->bytes = offset + n;
    }
    if (from)
        memcpy(m->at + offset, from, n);
    else
        memset(m->at + offset, 0, n);
}

static void put_sectors(image *m, const fault_log_op *op, const uint8_t *from, weather *w)
{
    for (size_t i = 0; i < op->bytes; i += SECTOR)
        if (is_lucky(w, 50))
            put_bytes(m, op->offset + i, from + i, op->bytes - i < SECTOR ? op->bytes - i : SECTOR);
}

/* One page holds what lay at some other place of the disk before. */
static void put_stale(image *m, const fault_log *log, const fault_log_op *op, weather *w)
{
    put_bytes(m, op->offset, log->data + op->data, op->bytes);
    size_t page = fault_below(&w->random, (op->bytes + PAGE - 1) / PAGE) * PAGE;
    size_t n = op->bytes - page < PAGE ? op->bytes - page : PAGE;
    size_t from = fault_below(&w->random, log->data_bytes - n + 1);
    put_bytes(m, op->offset + page, log->data + from, n);
}

static void put_unsynced(image *m, const fault_log *log, const fault_log_op *op, weather *w)
{
    const uint8_t *from = log->data + op->data;
    if (is_lucky(w, w->bytes)) {
        put_bytes(m, op->offset, from, op->bytes);
        return;
    }
    switch (fault_below(&w->random, 5)) {
    case 0: /* lost */
        break;
    case 1: /* torn */
        put_bytes(m, op->offset, from,
                  fault_below(&w->random, op->bytes / SECTOR + 1) * SECTOR % (op->bytes + 1));
        break;
    case 2:
        put_sectors(m, op, from, w);
        break;
    case 3: /* the size came, the bytes did not */
        put_bytes(m, op->offset, NULL, op->bytes);
        break;
    default:
        put_stale(m, log, op, w);
    }
}

static void write_object(const fault_log *log, size_t prefix, uint32_t object, weather *w,
                         const char *path)
{
    image m = {0};
    const fault_object *o = &log->objects[object];
    put_bytes(&m, 0, log->data + o->data, o->bytes);
    for (size_t i = 0; i < prefix; i++) {
        const fault_log_op *op = &log->ops[i];
        if (op->kind != FAULT_LOG_WRITE || op->object != object)
            continue;
        if (i < w->synced[object])
            put_bytes(&m, op->offset, log->data + op->data, op->bytes);
        else
            put_unsynced(&m, log, op, w);
    }
    fault_write(path, m.at, m.bytes);
    free(m.at);
}

static weather make_weather(const fault_log *log, size_t prefix, uint64_t seed)
{
    static const unsigned odds[] = {0, 20, 50, 80, 100};
    weather w = {.random = seed};
    w.names = odds[fault_below(&w.random, 5)];
    w.bytes = odds[fault_below(&w.random, 5)];
    for (size_t i = 0; i < prefix; i++)
        if (log->ops[i].kind == FAULT_LOG_SYNC)
            w.synced[log->ops[i].object] = i + 1;
    return w;
}

void fault_log_crash(const fault_log *log, size_t prefix, uint64_t seed, const char *to)
{
    weather w = make_weather(log, prefix, seed);
    fault_names names = log->before;
    for (size_t i = 0; i < prefix; i++)
        if (i < w.synced[log->ops[i].dir] || is_lucky(&w, w.names))
            apply_names(&log->ops[i], &names);
    if (!names.has_folder)
        return;
    assert_int_equal(mkdir(to, 0777), 0);
    for (size_t i = 0; i < names.n; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", to, names.at[i].name);
        write_object(log, prefix, names.at[i].object, &w, path);
    }
}
