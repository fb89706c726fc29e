/* preload_malloc.c: loaded before a program, makes its n-th allocation fail, libraries' too.
 *
 * FAIL_AT=n: the n-th of malloc, calloc, realloc, posix_memalign and aligned_alloc together (1 = first);
 * 0 or nothing: none. FAIL_STICKY=1: all after it as well. COUNT_FILE=path: how many there were is
 * written there at the end. Allocations count from where main begins: what libraries take when they are loaded
 * (a library for TLS: over a thousand) is the same in every program, and not in the program's hands.
 * Source of the way: RocksDB and SQLite do the same inside. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);

static atomic_ulong count;
static unsigned long fail_at;
static bool is_sticky, has_begun;

/* What is loaded before all others is made ready after them. */
__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("FAIL_AT"), *sticky = getenv("FAIL_STICKY");
    fail_at = at ? strtoul(at, NULL, 10) : 0;
    is_sticky = sticky && sticky[0] == '1';
    has_begun = true;
}

static bool must_fail(void)
{
    if (!has_begun)
        return false;
    unsigned long now = atomic_fetch_add(&count, 1) + 1;
    bool fails = fail_at && (now == fail_at || (is_sticky && now > fail_at));
    if (fails)
        errno = ENOMEM;
    return fails;
}

void *malloc(size_t n)
{
    return must_fail() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return must_fail() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return must_fail() ? NULL : __libc_realloc(p, n);
}

void *aligned_alloc(size_t align, size_t n)
{
    return must_fail() ? NULL : __libc_memalign(align, n);
}

int posix_memalign(void **out, size_t align, size_t n)
{
    void *p = must_fail() ? NULL : __libc_memalign(align, n);
    if (!p)
        return ENOMEM;
    *out = p;
    return 0;
}

__attribute__((destructor)) static void write_count(void)
{
    char text[32];
    const char *path = getenv("COUNT_FILE");
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    if (fd < 0)
        return;
    int n = snprintf(text, sizeof text, "%lu\n", atomic_load(&count));
    if (write(fd, text, (size_t)n) != n)
        _exit(99);
    close(fd);
}
