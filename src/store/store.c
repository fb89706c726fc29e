/* store.c: the table of system calls that all of store goes through. */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int system_open(int dirfd, const char *path, int flags, unsigned mode)
{
    return openat(dirfd, path, flags, mode);
}

static off_t system_size(int fd)
{
    return lseek(fd, 0, SEEK_END);
}

static int system_rename(int dirfd, const char *from, const char *to)
{
    return renameat(dirfd, from, dirfd, to);
}

static int system_exchange(int dirfd, const char *a, const char *b)
{
    return renameat2(dirfd, a, dirfd, b, RENAME_EXCHANGE);
}

static int system_mkdir(int dirfd, const char *path, unsigned mode)
{
    return mkdirat(dirfd, path, mode);
}

static int system_lock(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB);
}

static rp_status write_back(void *arg)
{
    volatile uint8_t *byte = arg;
    *byte = *byte;
    return RP_OK;
}

/* A write to a private mapping gives the process its own copy of the page. A cut inside the file's last page
 * then changes nothing here; a cut before it takes the copy away like every other page behind the cut. A
 * failure is no error: the file was cut already, or there is no memory and the page stays the file's. */
static void keep_last_page(uint8_t *at, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), last = (bytes - 1) / page * page;
    if (mprotect(at + last, page, PROT_READ | PROT_WRITE) != 0)
        return;
    (void)rp__mapping_guard(write_back, at + last);
    mprotect(at + last, page, PROT_READ);
}

static void *system_map(int fd, size_t bytes)
{
    uint8_t *at = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED)
        return NULL;
    keep_last_page(at, bytes);
    return at;
}

const rp__store_ops rp__store_system = {
    .open = system_open,
    .close = close,
    .read = read,
    .pread = pread,
    .size = system_size,
    .write = write,
    .fsync = fsync,
    .rename = system_rename,
    .exchange = system_exchange,
    .unlink = unlinkat,
    .mkdir = system_mkdir,
    .lock = system_lock,
    .map = system_map,
    .unmap = munmap,
};

static const rp__store_ops *current = &rp__store_system;

const rp__store_ops *rp__store_get_ops(void)
{
    return current;
}

void rp__store_set_ops(const rp__store_ops *ops)
{
    current = ops ? ops : &rp__store_system;
}

int rp__store_open(int dirfd, const char *path, int flags, unsigned mode)
{
    int fd;
    do
        fd = current->open(dirfd, path, flags, mode);
    while (fd < 0 && errno == EINTR);
    return fd;
}

int rp__store_open_sink(const char *path)
{
    int fd = rp__store_open(AT_FDCWD, path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
    if (fd >= 0)
        fcntl(fd, F_SETFL, O_WRONLY); /* writes wait */
    return fd;
}

int rp__store_fsync(int fd)
{
    int result;
    do
        result = current->fsync(fd);
    while (result != 0 && errno == EINTR);
    return result;
}

const char *rp__store_kind(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return "a regular file";
    case S_IFDIR:
        return "a folder";
    case S_IFIFO:
        return "a FIFO";
    case S_IFSOCK:
        return "a socket";
    case S_IFLNK:
        return "a symbolic link";
    default:
        return "a device";
    }
}
