/* executor_tasks.c: lists of tasks, and those that are free.
 *
 * A task has memory that it used before. So a thread is given one that was used on its core, in
 * whose caches that memory is, and of these the last one. Cores share lists where they are many.
 * Each list has a lock of its own, so that who submits needs the executor's but once. */
#include "base/thread.h"
#include "engine/executor.h"

void rp__executor_tasks_append(rp__task_list *list, rp__task *task)
{
    task->next = NULL;
    if (list->last)
        list->last->next = task;
    else
        list->first = task;
    list->last = task;
    list->n++;
}

rp__task *rp__executor_tasks_pop(rp__task_list *list)
{
    rp__task *task = list->first;
    if (!task)
        return NULL;
    list->first = task->next;
    if (!list->first)
        list->last = NULL;
    list->n--;
    return task;
}

static void prepend(rp__task_list *list, rp__task *task)
{
    task->next = list->first;
    list->first = task;
    if (!list->last)
        list->last = task;
    list->n++;
}

void rp__executor_tasks_free_all(rp_executor *e)
{
    for (size_t i = 0; i < e->n_tasks; i++) {
        e->tasks[i].home = (uint32_t)(i % RP_EXECUTOR_HOMES);
        rp__executor_tasks_append(&e->homes[e->tasks[i].home].free, &e->tasks[i]);
    }
}

rp__task *rp__executor_tasks_find_free(rp_executor *e)
{
    const uint32_t home = rp__thread_core() % RP_EXECUTOR_HOMES;
    rp__task *task = NULL;
    for (uint32_t i = 0; i < RP_EXECUTOR_HOMES && !task; i++) {
        rp__task_home *at = &e->homes[(home + i) % RP_EXECUTOR_HOMES];
        rp__thread_lock(&at->lock);
        task = rp__executor_tasks_pop(&at->free);
        pthread_mutex_unlock(&at->lock);
    }
    if (!task)
        return NULL;
    task->home = home;
    task->group = NULL;
    task->weight = 1;
    return task;
}

void rp__executor_tasks_enlist(rp_executor *e, rp__task *task)
{
    task->place = RP_TASK_BOUND;
    task->ticket = ++e->tickets * e->n_tasks + (uint64_t)(task - e->tasks);
    e->n_live++;
}

rp__task *rp__executor_tasks_take(rp_executor *e)
{
    rp__task *t = rp__executor_tasks_find_free(e);
    if (t)
        rp__executor_tasks_enlist(e, t);
    return t;
}

void rp__executor_tasks_give_back(rp_executor *e, rp__task *task)
{
    rp__task_home *at = &e->homes[task->home];
    rp__thread_lock(&at->lock);
    prepend(&at->free, task);
    pthread_mutex_unlock(&at->lock);
}

void rp__executor_tasks_release(rp_executor *e, rp__task *task)
{
    task->place = RP_TASK_FREE;
    task->ticket = task->group_ticket = 0;
    rp__executor_tasks_give_back(e, task);
    if (--e->n_live == 0)
        pthread_cond_broadcast(&e->ended);
}
