/* strict_tsan.c: what the compiler's instrumentation calls at each plain access of a kernel.
 *
 * The calls bear the names of the thread sanitizer's runtime; the Makefile renames them in the kernels' objects by
 * tsan_names.txt, so that the runtime itself may be linked too. */
#include "strict/strict_calls.h"

#define ACCESS(bytes)                                                                              \
    void rp__strict_read##bytes(const void *at);                                                   \
    void rp__strict_write##bytes(void *at);                                                        \
    void rp__strict_unaligned_read##bytes(const void *at);                                         \
    void rp__strict_unaligned_write##bytes(void *at);                                              \
    void rp__strict_read##bytes(const void *at)                                                    \
    {                                                                                              \
        strict_read(at, bytes, true);                                                              \
    }                                                                                              \
    void rp__strict_write##bytes(void *at)                                                         \
    {                                                                                              \
        strict_write(at, bytes, true);                                                             \
    }                                                                                              \
    void rp__strict_unaligned_read##bytes(const void *at)                                          \
    {                                                                                              \
        strict_read(at, bytes, false);                                                             \
    }                                                                                              \
    void rp__strict_unaligned_write##bytes(void *at)                                               \
    {                                                                                              \
        strict_write(at, bytes, false);                                                            \
    }

ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

void rp__strict_read_range(const void *at, size_t bytes);
void rp__strict_write_range(void *at, size_t bytes);
void rp__strict_init(void);
void rp__strict_func_entry(const void *from);
void rp__strict_func_exit(void);

void rp__strict_read_range(const void *at, size_t bytes)
{
    strict_read(at, bytes, false);
}

void rp__strict_write_range(void *at, size_t bytes)
{
    strict_write(at, bytes, false);
}

void rp__strict_init(void) {}

void rp__strict_func_entry(const void *from)
{
    (void)from;
}

void rp__strict_func_exit(void) {}
