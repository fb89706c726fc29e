/* strict/strict_calls.h: what kernels compiled for strict mode call: prim_strict.cuh's functions,
 * and accesses that the compiler reports (strict_tsan.c). */
#ifndef STRICT_STRICT_CALLS_H
#define STRICT_STRICT_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As in prim_strict.cuh. */
enum { STRICT_LOAD_PLAIN, STRICT_LOAD_CACHED, STRICT_LOAD_NOW, STRICT_LOOK };
enum { STRICT_ADD, STRICT_SWAP, STRICT_OR, STRICT_MAX };

void rp__strict_fence(const char *where, uint32_t line);
void rp__strict_load(void *to, const void *at, uint32_t bytes, uint32_t kind, const char *where);
void rp__strict_store(void *at, const void *from, uint32_t bytes, uint32_t is_now,
                      const char *where);
uint64_t rp__strict_atomic(void *at, uint32_t bytes, uint32_t what, uint64_t value,
                           const char *where);
void rp__strict_copy16(void *to, const void *from, const char *where);
void rp__strict_copies_wait(const char *where);

/* A plain access; has_size: by one instruction, which wants it aligned. */
void strict_read(const void *at, size_t bytes, bool has_size);
void strict_write(void *at, size_t bytes, bool has_size);

#endif
