/* pool.c: threads that wait on a condition for the next piece of work.
 *
 * Invariant: `turn` counts pieces of work; a thread has done the ones up to its own count, so nobody does
 * a piece twice and nobody misses one, because the next begins after `busy` is 0. */
#include "base/pool.h"

#include <pthread.h>
#include <stdbool.h>

#include "base/alloc.h"

typedef struct worker {
    pthread_t thread;
    rp__pool *pool;
    uint32_t number;
} worker;

struct rp__pool {
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t begin, end;
    rp__thread_fn *fn;
    void *arg;
    uint64_t turn;
    uint32_t busy; /* threads that have not finished the piece at work */
    bool is_over;
    uint32_t n; /* workers */
    worker *workers;
};

static void *run_worker(void *p)
{
    const worker *w = p;
    rp__pool *pool = w->pool;
    uint64_t done = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->turn == done && !pool->is_over)
            pthread_cond_wait(&pool->begin, &pool->lock);
        if (pool->turn == done)
            break;
        done = pool->turn;
        pthread_mutex_unlock(&pool->lock);
        pool->fn(pool->arg, w->number);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->end);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

rp_status rp__pool_new(uint32_t n, rp__pool **out)
{
    rp__pool *pool = rp__alloc_zero(1, sizeof *pool);
    *out = NULL;
    if (!pool)
        return RP_NO_MEMORY;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->end, NULL);
    pool->workers = rp__alloc_array(n, sizeof *pool->workers);
    for (uint32_t i = 0; pool->workers && i < n; i++) {
        worker *w = &pool->workers[i];
        *w = (worker){.pool = pool, .number = i};
        if (pthread_create(&w->thread, NULL, run_worker, w) != 0)
            break;
        pool->n++;
    }
    if (!pool->workers || pool->n < n) {
        rp__pool_free(pool);
        return RP_NO_MEMORY;
    }
    *out = pool;
    return RP_OK;
}

void rp__pool_free(rp__pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->is_over = true;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->n; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->end);
    pthread_cond_destroy(&pool->begin);
    pthread_mutex_destroy(&pool->lock);
    rp__free(pool->workers);
    rp__free(pool);
}

void rp__pool_run(rp__pool *pool, rp__thread_fn *fn, void *arg)
{
    pthread_mutex_lock(&pool->lock);
    pool->fn = fn;
    pool->arg = arg;
    pool->busy = pool->n;
    pool->turn++;
    pthread_cond_broadcast(&pool->begin);
    while (pool->busy > 0)
        pthread_cond_wait(&pool->end, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}
