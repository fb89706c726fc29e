/* running.c: lists of queries under way. Who submits one and who ends it hold it both: it may end before the submission
 * has returned. It can be cancelled before that too, as the submission itself may answer it. */
#include "serve/running.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"

void rp__running_open(rp__runnings *all)
{
    *all = (rp__runnings){0};
    for (size_t i = 0; i < RP_RUNNING_LISTS; i++)
        rp__thread_lock_init(&all->lists[i].lock);
}

void rp__running_close(rp__runnings *all)
{
    for (size_t i = 0; i < RP_RUNNING_LISTS; i++)
        pthread_mutex_destroy(&all->lists[i].lock);
}

static void release(rp__running *one)
{
    if (atomic_fetch_sub(&one->refs, 1) != 1)
        return;
    rp__free(one->text);
    rp__free(one);
}

static rp__running *add(rp__runnings *all, const rp__running_job *about, const rp_job *job,
                        size_t searches)
{
    rp__running *one = rp__alloc_zero(1, sizeof *one);
    if (!one)
        return NULL;
    atomic_store(&one->refs, 2);
    one->executor = about->executor;
    one->index = about->index;
    one->began_ns = rp__clock_now();
    one->searches = searches;
    strncpy(one->request, about->request, sizeof one->request - 1);
    if (searches == 0 && about->shows_text && (one->text = rp__alloc(job->query_bytes + 1))) {
        memcpy(one->text, job->query, job->query_bytes);
        one->text[job->query_bytes] = 0;
    }
    const size_t number = rp__thread_number() % RP_RUNNING_LISTS;
    rp__running_list *list = one->list = &all->lists[number];
    pthread_mutex_lock(&list->lock);
    one->id = 1 + list->n_ids++ * RP_RUNNING_LISTS + number;
    one->next = list->first;
    if (one->next)
        one->next->before = one;
    list->first = one;
    pthread_mutex_unlock(&list->lock);
    return one;
}

void rp__running_end(rp__running *running)
{
    if (!running)
        return;
    rp__running_list *list = running->list;
    pthread_mutex_lock(&list->lock);
    if (running->before)
        running->before->next = running->next;
    else
        list->first = running->next;
    if (running->next)
        running->next->before = running->before;
    pthread_mutex_unlock(&list->lock);
    release(running);
}

/* Who submits has done so. */
static void leave(rp__running *one, rp_status status)
{
    if (!one)
        return;
    if (status != RP_OK)
        rp__running_end(one);
    release(one);
}

rp_status rp__running_submit(rp__runnings *all, const rp__running_job *about, const rp_job *job,
                             rp__running **running, rp_error *err)
{
    rp__running *one = add(all, about, job, 0);
    *running = one;
    /* from here on *running may be gone */
    rp_status status = rp_executor_submit(about->executor, job, one ? &one->ticket : NULL, err);
    leave(one, status);
    return status;
}

rp_status rp__running_submit_many(rp__runnings *all, const rp__running_job *about,
                                  const rp_job *jobs, size_t n, rp__running **running,
                                  rp_error *err)
{
    rp__running *one = add(all, about, jobs, n);
    *running = one;
    rp_status status =
        rp_executor_submit_many(about->executor, jobs, n, one ? &one->ticket : NULL, err);
    leave(one, status);
    return status;
}

static void write_one(rp__json_writer *w, const rp__running *one, uint64_t now)
{
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_uint(w, "id", one->id);
    rp__json_writer_text(w, "request", one->request);
    rp__json_writer_real(w, "seconds",
                         now > one->began_ns ? (double)(now - one->began_ns) / 1e9 : 0, 6);
    if (one->searches > 0)
        rp__json_writer_uint(w, "searches", one->searches);
    if (one->text)
        rp__json_writer_text(w, "query", one->text);
    rp__json_writer_end(w, '}');
}

void rp__running_write(rp__runnings *all, size_t index, rp__json_writer *w)
{
    const uint64_t now = rp__clock_now();
    rp__json_writer_begin(w, "queries", '[');
    for (size_t i = 0; i < RP_RUNNING_LISTS; i++) {
        pthread_mutex_lock(&all->lists[i].lock);
        for (const rp__running *one = all->lists[i].first; one; one = one->next)
            if (one->index == index)
                write_one(w, one, now);
        pthread_mutex_unlock(&all->lists[i].lock);
    }
    rp__json_writer_end(w, ']');
}

/* With the lock of its list held its executor cannot go: the query has not ended. */
rp_status rp__running_cancel(rp__runnings *all, size_t index, uint64_t id, rp_error *err)
{
    rp_status status = RP_NOT_FOUND;
    for (size_t i = 0; i < RP_RUNNING_LISTS; i++) {
        pthread_mutex_lock(&all->lists[i].lock);
        for (rp__running *one = all->lists[i].first; one; one = one->next)
            if (one->id == id && one->index == index)
                status = rp_executor_cancel(one->executor,
                                            __atomic_load_n(&one->ticket, __ATOMIC_ACQUIRE));
        pthread_mutex_unlock(&all->lists[i].lock);
    }
    if (status != RP_OK)
        return rp__error_set(err, RP_NOT_FOUND, "no query %llu runs; /v1/INDEX/queries lists them",
                             (unsigned long long)id);
    return RP_OK;
}
