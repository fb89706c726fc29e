/* emulated_memory.h: the memory of an emulated device, or that the host shares with it: pages that
 * can be read only while they are open. */
#ifndef RP_BACKEND_GPU_DEVICE_EMULATED_MEMORY_H
#define RP_BACKEND_GPU_DEVICE_EMULATED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

typedef struct rp__emulated_memory {
    struct rp__emulated_piece *pieces;
    size_t used;  /* bytes asked for */
    bool is_host; /* of the host: always open */
} rp__emulated_memory;

/* At least `bytes` of memory, full of 0xCD, closed unless it is the host's, with a page behind it
 * that is never readable. NULL: none to be had. *pages: the bytes up to that page. */
void *rp__emulated_memory_take(rp__emulated_memory *m, size_t bytes, size_t *pages);

/* Gives it back: nobody can read it. False: no piece begins there. */
bool rp__emulated_memory_give(rp__emulated_memory *m, void *at);

/* Some piece, or NULL. */
void *rp__emulated_memory_any(const rp__emulated_memory *m);

/* All pieces, or those that lie there; nothing if they are so already. */
void rp__emulated_memory_open(rp__emulated_memory *m);
void rp__emulated_memory_open_at(rp__emulated_memory *m, const void *at, size_t bytes);
void rp__emulated_memory_close(rp__emulated_memory *m);

#endif
