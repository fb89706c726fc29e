/* fault_ops.c: the row that asks. A close or unmap that fails still releases, as Linux does. */
#include "fault_ops.h"

#include <errno.h>
#include <stdbool.h>

#include "store/store.h"

const char *const fault_call_names[FAULT_CALLS] = {"open",  "close",  "read",   "pread",   "write",
                                                   "fsync", "rename", "unlink", "mkdir",   "lock",
                                                   "size",  "map",    "unmap",  "exchange"};

static struct {
    fault_ask_fn *ask;
    void *arg;
} row;

static fault_act ask(fault_call call, int fd, const char *path, size_t bytes)
{
    return row.ask(row.arg, call, fd, path, bytes);
}

static bool is_made(fault_act act)
{
    return act.error ? act.is_done : !act.is_done;
}

static int outcome(fault_act act, int result)
{
    if (act.error == 0)
        return result;
    errno = act.error;
    return -1;
}

static size_t shorter(fault_act act, size_t n)
{
    return act.at_most && act.at_most < n ? act.at_most : n;
}

static int ask_open(int dirfd, const char *path, int flags, unsigned mode)
{
    fault_act act = ask(FAULT_OPEN, dirfd, path, 0);
    return act.error ? outcome(act, -1) : rp__store_system.open(dirfd, path, flags, mode);
}

static int ask_close(int fd)
{
    fault_act act = ask(FAULT_CLOSE, fd, NULL, 0);
    return outcome(act, rp__store_system.close(fd));
}

static ssize_t ask_read(int fd, void *buf, size_t n)
{
    fault_act act = ask(FAULT_READ, fd, NULL, n);
    return act.error ? outcome(act, -1) : rp__store_system.read(fd, buf, shorter(act, n));
}

static ssize_t ask_pread(int fd, void *buf, size_t n, off_t at)
{
    fault_act act = ask(FAULT_PREAD, fd, NULL, n);
    return act.error ? outcome(act, -1) : rp__store_system.pread(fd, buf, shorter(act, n), at);
}

static ssize_t ask_write(int fd, const void *buf, size_t n)
{
    fault_act act = ask(FAULT_WRITE, fd, NULL, n);
    if (!act.error && act.is_done)
        return !act.at_most || rp__store_system.write(fd, buf, shorter(act, n)) > 0 ? (ssize_t)n
                                                                                    : -1;
    return act.error ? outcome(act, -1) : rp__store_system.write(fd, buf, shorter(act, n));
}

static int ask_fsync(int fd)
{
    fault_act act = ask(FAULT_FSYNC, fd, NULL, 0);
    return outcome(act, is_made(act) ? rp__store_system.fsync(fd) : 0);
}

static int ask_rename(int dirfd, const char *from, const char *to)
{
    fault_act act = ask(FAULT_RENAME, dirfd, to, 0);
    return outcome(act, is_made(act) ? rp__store_system.rename(dirfd, from, to) : 0);
}

static int ask_exchange(int dirfd, const char *a, const char *b)
{
    fault_act act = ask(FAULT_EXCHANGE, dirfd, b, 0);
    return outcome(act, is_made(act) ? rp__store_system.exchange(dirfd, a, b) : 0);
}

static int ask_unlink(int dirfd, const char *path, int flags)
{
    fault_act act = ask(FAULT_UNLINK, dirfd, path, 0);
    return outcome(act, is_made(act) ? rp__store_system.unlink(dirfd, path, flags) : 0);
}

static int ask_mkdir(int dirfd, const char *path, unsigned mode)
{
    fault_act act = ask(FAULT_MKDIR, dirfd, path, 0);
    return outcome(act, is_made(act) ? rp__store_system.mkdir(dirfd, path, mode) : 0);
}

static int ask_lock(int fd)
{
    fault_act act = ask(FAULT_LOCK, fd, NULL, 0);
    return outcome(act, is_made(act) ? rp__store_system.lock(fd) : 0);
}

static off_t ask_size(int fd)
{
    fault_act act = ask(FAULT_SIZE, fd, NULL, 0);
    return act.error ? outcome(act, -1) : rp__store_system.size(fd);
}

static void *ask_map(int fd, size_t bytes)
{
    fault_act act = ask(FAULT_MAP, fd, NULL, bytes);
    if (act.error == 0)
        return rp__store_system.map(fd, bytes);
    errno = act.error;
    return NULL;
}

static int ask_unmap(void *at, size_t bytes)
{
    fault_act act = ask(FAULT_UNMAP, -1, NULL, bytes);
    return outcome(act, rp__store_system.unmap(at, bytes));
}

static const rp__store_ops asking = {
    .open = ask_open,
    .close = ask_close,
    .read = ask_read,
    .pread = ask_pread,
    .write = ask_write,
    .fsync = ask_fsync,
    .rename = ask_rename,
    .exchange = ask_exchange,
    .unlink = ask_unlink,
    .mkdir = ask_mkdir,
    .lock = ask_lock,
    .size = ask_size,
    .map = ask_map,
    .unmap = ask_unmap,
};

void fault_ops_set(fault_ask_fn *fn, void *arg)
{
    row.ask = fn;
    row.arg = arg;
    rp__store_set_ops(fn ? &asking : NULL);
}
