/* gpu_budget.c: counts bytes. Drivers do not say how large a piece of memory is that is freed: addresses are kept, a
 * few for each device, and looked through. No call of a driver is made under the lock: it might not come back. */
#include "backend/gpu/gpu_budget.h"

#include "base/alloc.h"

void rp__gpu_budget_open(rp__gpu_budget *b, uint64_t most)
{
    *b = (rp__gpu_budget){.most = most};
    pthread_mutex_init(&b->lock, NULL);
}

void rp__gpu_budget_close(rp__gpu_budget *b)
{
    if (b->most)
        pthread_mutex_destroy(&b->lock);
    rp__free(b->taken);
    *b = (rp__gpu_budget){0};
}

bool rp__gpu_budget_take(rp__gpu_budget *b, uint64_t bytes)
{
    pthread_mutex_lock(&b->lock);
    bool is_left = bytes <= b->most - b->used &&
                   rp__alloc_grow(&b->taken, &b->cap, b->n + b->n_open + 1, sizeof *b->taken);
    if (is_left) {
        b->used += bytes;
        b->n_open++;
    }
    pthread_mutex_unlock(&b->lock);
    return is_left;
}

void rp__gpu_budget_put(rp__gpu_budget *b, rp__cu_ptr at, uint64_t bytes)
{
    pthread_mutex_lock(&b->lock);
    b->taken[b->n++] = (struct rp__gpu_taken){at, bytes};
    b->n_open--;
    pthread_mutex_unlock(&b->lock);
}

void rp__gpu_budget_undo(rp__gpu_budget *b, uint64_t bytes)
{
    pthread_mutex_lock(&b->lock);
    b->used -= bytes;
    b->n_open--;
    pthread_mutex_unlock(&b->lock);
}

void rp__gpu_budget_give(rp__gpu_budget *b, rp__cu_ptr at)
{
    size_t i = 0;
    pthread_mutex_lock(&b->lock);
    while (i < b->n && b->taken[i].at != at)
        i++;
    if (i < b->n) {
        b->used -= b->taken[i].bytes;
        b->taken[i] = b->taken[--b->n];
    }
    pthread_mutex_unlock(&b->lock);
}
