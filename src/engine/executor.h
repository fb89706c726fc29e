/* engine/executor.h: interior of engine: what the files of the executor share.
 *
 * A task is a job that was taken. Under the lock it is in one place: free; being bound by who
 * submits it; in a queue; with who answers it; in the list of those that end; or kept
 * (executor_kept.c). One that was taken from its home and is not enlisted yet is free, too, and its
 * thread's alone. Whoever has it may use it without the lock, but for its place, and for its
 * deadline where the timer knows it. */
#ifndef RP_ENGINE_EXECUTOR_H
#define RP_ENGINE_EXECUTOR_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/conjunction.h"
#include "engine/cost_file.h"
#include "engine/executor_ready.h"
#include "engine/searcher.h"
#include "plan/job_queue.h"
#include "riposte/executor.h"

enum {
    RP_EXECUTOR_THREADS = 256, /* at most */
    RP_EXECUTOR_GROUP = 1024,  /* tasks that the card is given at once */
    RP_EXECUTOR_HOMES = 64,    /* of tasks: by cores */
    RP_EXECUTOR_WOKEN = 4,     /* lanes that are woken after the lock is released */
};

typedef enum rp__task_place {
    RP_TASK_FREE,
    RP_TASK_BOUND, /* enlisted, with who submits it; the timer does not know it */
    RP_TASK_QUEUED,
    RP_TASK_TAKEN, /* with a lane, or with who submits it and may answer it */
    RP_TASK_ENDING,
    RP_TASK_KEPT /* by a core for short jobs: its ticket and deadline are rp__kept_task's */
} rp__task_place;

enum { RP_STOP_NONE, RP_STOP_CANCELLED, RP_STOP_DEADLINE };

enum { RP_DECISIONS = 8 }; /* of a task that are kept: the first ones */

/* A task that is answered list by list. */
typedef struct rp__task_steps {
    bool is_on;          /* it is; otherwise by one processor, at once */
    bool moves;          /* the other processor goes on */
    bool by_card;        /* the card has done some of them */
    uint32_t n_met;      /* lists so far; 0: it has not begun */
    rp__partial partial; /* candidates of a task that has begun and waits */
    rp__arena_mark mark; /* where binding ended in its searcher's arena */
    rp__conjunction lists;
} rp__task_steps;

typedef struct rp__task {
    /* What is looked at under the lock comes first: few lines of a cache. */
    rp__waiting waiting;   /* first: a queue's job is its task */
    struct rp__task *next; /* of a list */
    uint64_t ticket;       /* 0: it is free */
    size_t group_k;        /* while it waits: its k, if a batch can hold it; SIZE_MAX: none can */
    uint64_t seated, taken;
    rp__task_place place;
    uint32_t home;         /* where it was last: the list that it is in while it is free */
    _Atomic uint32_t stop; /* RP_STOP_ */
    bool has_answer;       /* hits are to be named */
    bool on_card;          /* the card has it, or gave the answer */

    rp_searcher *searcher;       /* its own, on the plain processor; made with its first job */
    const rp__rank *rank;        /* that of all tasks, so that a card sees that they are alike */
    const rp__cost_model *costs; /* of the executor; NULL: built-in rules */
    char *text;                  /* of the query */
    size_t bytes, room;
    rp_mode mode;
    rp__query bound;
    rp__auto_shape shape;
    rp__task_steps steps;
    rp__answer answer;
    rp__answer first; /* of andor's AND, where the OR follows */
    /* Of a task that is cut by docids: its parts, and how many of them have not ended. */
    struct rp__task *parts, *sibling;
    uint32_t n_parts, n_left;
    _Atomic uint32_t floor; /* k documents are known to score so much */
    struct rp__task *whole; /* of which it is a part; NULL: of none */
    rp_fallback fallback;   /* why the card did not */
    rp_gpu_counters spent;  /* in vain */
    uint32_t n_decisions;   /* RP_DECISIONS at most: in their order, or of parts of the query */
    rp__decision decisions[RP_DECISIONS];
    void (*done)(void *arg, rp_outcome *outcome);
    void *arg;
    rp_outcome outcome;
    /* Of a task that stands for some of a group of jobs: the group, and how many jobs count as
     * waiting with it. */
    struct rp__group *group; /* NULL: it is a job */
    size_t weight;
    uint64_t group_ticket; /* with which it is cancelled; 0: its own alone */
} rp__task;

typedef struct rp__task_list {
    rp__task *first, *last;
    size_t n;
} rp__task_list;

/* What others look at, of all lanes side by side: cores write it, and each line of the cache that
 * one has written costs the next a while. */
typedef struct rp__lane_state {
    uint64_t busy_until; /* as estimated */
    bool is_idle, is_busy;
} rp__lane_state;

/* Tasks that are free, last used on cores whose numbers have the same remainder. Whoever submits
 * takes one without the executor's lock. */
typedef struct rp__task_home {
    pthread_mutex_t lock; /* taken with the executor's, or alone */
    rp__task_list free;
    char apart[64]; /* from the next one: a line of a cache */
} rp__task_home;

/* A thread, or who stands in for it while it has no work. */
typedef struct rp__lane {
    struct rp_executor *executor;
    pthread_t thread;
    bool is_card;
    rp__lane_state *state;
    _Atomic uint32_t wake; /* not 0: look for work */
    _Atomic uint32_t sleeps;
    struct rp__card *card; /* what the card's lane works with; NULL: it is a core's, or lost */
    char apart[64];        /* from the next one's words: a line of a cache */
} rp__lane;

/* A task that a core keeps for short jobs, which who submits them answers (executor_kept.c). */
typedef struct rp__kept_task {
    pthread_mutex_t answering; /* of who answers with the task */
    rp__task *task;            /* NULL: none yet */
    uint64_t tickets;
    pthread_mutex_t lock; /* of all below */
    uint64_t ticket;      /* of the job that is under way; 0: none */
    uint64_t deadline;    /* its */
    rp_executor_report report;
    uint8_t apart[64]; /* other threads' are in other lines of the cache */
} rp__kept_task;

struct rp_executor {
    const rp_index *index;
    rp_searcher *plain;    /* whose branches tasks have */
    rp_searcher *on_card;  /* the card's lane's; NULL: there is no card */
    rp__term_table *terms; /* of all tasks */
    const rp__policy *policy;
    /* of a GPU, as the user named it: what the card does is done by it, and cores have a choice of
     * their own; NULL: another one, or none */
    const char *algorithm;
    rp__cost_file *costs; /* NULL: built-in rules */
    size_t max_queued;
    uint64_t elements, spin_ns;
    uint64_t ratio; /* of the policy's view */
    bool goes_back;
    bool is_bounded; /* so many threads were asked for: not one more answers queries */

    rp__task_home homes[RP_EXECUTOR_HOMES]; /* by the core where a task was last */

    pthread_mutex_t lock; /* of all below */
    pthread_cond_t ended; /* a task did */
    rp__job_queue queues[RP_QUEUES];
    rp__task_list ending;
    rp__task *tasks;
    struct rp__group *groups; /* of which some job has not ended */
    size_t n_tasks, n_live, n_queued;
    _Atomic size_t n_waiting; /* jobs: n_queued, with all that tasks stand for */
    uint64_t tickets, numbers;
    _Atomic size_t n_here; /* threads that answer what they submit, whoever has its task now */
    _Atomic bool is_drained;
    bool is_over, has_card;
    rp__lane *lanes;                    /* of cores, then the card's */
    rp__lane_state *states;             /* of lanes, in their order */
    _Atomic uint32_t n_standing_by;     /* idle cores that look for work; the others sleep */
    size_t n_cores, n_lanes, n_busy;    /* lanes */
    size_t n_idle_cores;                /* of them, those that wait for work */
    rp__lane *woken[RP_EXECUTOR_WOKEN]; /* that sleep, and are to be woken by who has the lock */
    size_t n_woken;
    rp_executor_report report;

    pthread_t timer;
    bool has_timer;
    pthread_cond_t timer_moved;
    _Atomic uint64_t next_deadline; /* that the timer waits for; RP_POLICY_NEVER */

    uint8_t apart[64];
    rp__kept_task kept[RP_EXECUTOR_HOMES]; /* not under the lock */
};

/* All are called with the lock held, but where it says otherwise. */

/* Without the lock: takes it. */
void rp__executor_lock(rp_executor *executor);
/* Releases the lock, and then wakes who was to be woken: that takes longer than it is held. */
void rp__executor_unlock(rp_executor *executor);

void rp__executor_tasks_append(rp__task_list *list, rp__task *task);
rp__task *rp__executor_tasks_pop(rp__task_list *list); /* NULL: it is empty */
/* All tasks are free, and belong to nobody. */
void rp__executor_tasks_free_all(rp_executor *executor);
/* With or without the lock: a free one for the calling thread, rather one of its core's; NULL:
 * there is none. Nobody else knows of it yet. */
rp__task *rp__executor_tasks_find_free(rp_executor *executor);
/* One more lives: it has a ticket now. */
void rp__executor_tasks_enlist(rp_executor *executor, rp__task *task);
/* A free one that is enlisted, whatever waits and though the executor is drained. */
rp__task *rp__executor_tasks_take(rp_executor *executor);
/* With or without the lock: one that is not enlisted. */
void rp__executor_tasks_give_back(rp_executor *executor, rp__task *task);
/* A free one with a ticket for the calling thread; NULL: *status and err say why not. */
rp__task *rp__executor_submit_begin(rp_executor *executor, rp_status *status, rp_error *err);
/* Back to the free ones, and one less lives. */
void rp__executor_tasks_release(rp_executor *executor, rp__task *task);
/* `now` is what the clock says, or said a moment ago. */
void rp__executor_look(rp_executor *executor, uint64_t now, rp__policy_view *out);
/* Asks the policy for a seat, and puts the task there; false: it is refused. */
bool rp__executor_seat(rp_executor *executor, rp__task *task);
/* The same of a task whose submitter waits for it. *begun: no queue has it, but the caller, for a
 * core: all lanes are idle, nothing waits, and the cores' queue is where it would wait. */
bool rp__executor_seat_alone(rp_executor *executor, rp__task *task, bool *begun);
/* Into a queue, whatever the policy says. */
void rp__executor_put(rp_executor *executor, rp__task *task, rp__policy_queue_kind queue,
                      const char *reason);
/* A task leaves its queue: a lane has it. */
void rp__executor_begin(rp_executor *executor, rp__task *task, bool is_card, uint64_t now);
/* After that, with or without the lock: what is said of it later. */
void rp__executor_note_begin(rp__task *task);
/* What the policy gives to a lane; NULL: nothing now. */
rp__task *rp__executor_take(rp_executor *executor, bool is_card);
/* Whoever has the task is done with it: notes how long its last decision took. */
void rp__executor_leave(rp__task *task, uint64_t now);
/* The task has an outcome, but for its hits' names: a core ends it. Of a part: the whole task may
 * have. Who had it has left it. */
void rp__executor_end_soon(rp_executor *executor, rp__task *task);
/* A task that waits in a queue and was stopped waits for its end. */
void rp__executor_unseat(rp_executor *executor, rp__task *task);
/* Wakes lanes for which there is work. */
void rp__executor_wake(rp_executor *executor);
void rp__executor_set_busy(rp__lane *lane, bool is_busy);
void rp__executor_set_idle(rp__lane *lane, bool is_idle);
/* A lane without work, rather one that looks for some than one that sleeps; NULL: there is none. */
rp__lane *rp__executor_find_idle(rp_executor *executor, bool is_card);
/* The task that a lane would be given now; NULL: none. */
rp__task *rp__executor_next(const rp_executor *executor, const rp__policy_take *take);
void rp__executor_wake_lane(rp__lane *lane);
/* Waits for work, without the lock meanwhile. */
void rp__executor_idle(rp__lane *lane);
/* Cuts a task by docids, as its seat says, and puts the parts into queues. False: it cannot be
 * cut. */
bool rp__executor_share(rp_executor *executor, rp__task *task);
/* A part has its answer or failed. */
void rp__executor_share_end(rp_executor *executor, rp__task *part);
/* To the queue of the other processor, which goes on with its lists. */
void rp__executor_move(rp_executor *executor, rp__task *task);
/* The card is gone: the cores have its tasks. */
void rp__executor_lose_card(rp_executor *executor);

/* Who submits a task and waits for it does what is to be done for it, in place of lanes without
 * work, until another lane has it or it has ended. */
void rp__executor_ask_help(rp_executor *executor, rp__task *task);
/* The same of one that it has begun for a core. */
void rp__executor_ask_begun(rp_executor *executor, rp__task *task);
/* As rp_executor_submit, of a record of this release. `ready` (optional): its query, bound before;
 * `helps`: the caller waits for the end, and helps. */
rp_status rp__executor_submit_job(rp_executor *executor, const rp_job *job,
                                  const rp__executor_ready *ready, bool helps, uint64_t *ticket,
                                  rp_error *err);

/* Answers a task that is bound and that the timer knows in the calling thread, without a queue, and
 * releases it. Without the lock. */
void rp__executor_here_run(rp_executor *executor, rp__task *task, uint64_t *ticket);
/* The executor stays until the thread leaves, though its task may end elsewhere. Without the lock,
 * as long as a task of the thread lives; and with it. */
void rp__executor_here_enter(rp_executor *executor);
void rp__executor_here_leave(rp_executor *executor);
extern const char rp__executor_here_reason[];
/* As here_run without releasing it. False: it is elsewhere now. */
bool rp__executor_here_finish(rp_executor *executor, rp__task *task, const char *reason);
/* Answers jobs of a task's group, until none is left. Without the lock. */
void rp__executor_group_run(rp_executor *executor, rp__task *task);
/* With the lock: a task of a group has nothing left to do. */
void rp__executor_group_leave(rp_executor *executor, rp__task *task);
/* With the lock: stops all that is left of the group of a ticket, wherever it is; false: nothing
 * is. */
bool rp__executor_group_stop(rp_executor *executor, uint64_t ticket);
/* Without the lock: makes a task that the calling thread has fit for a job: parses and binds its
 * query, notes when it arrived, and forgets what stopped the task before. Its deadline is the
 * caller's. */
rp_status rp__executor_submit_prepare(rp_executor *executor, rp__task *task, const rp_job *job,
                                      const rp__executor_ready *ready, uint64_t arrived,
                                      rp_error *err);
/* Puts the task's ticket there, unless that is NULL: at once, as another thread may look for it. */
void rp__executor_submit_tell(const rp__task *task, uint64_t *ticket);
/* So many nanoseconds after it arrived; 0: RP_POLICY_NEVER. */
uint64_t rp__executor_submit_deadline(uint64_t arrived, uint64_t deadline_ns);
/* Without the lock: does what is left to do for a task. False: it is elsewhere now. */
bool rp__executor_core_finish(rp_executor *executor, rp__task *task);
/* Counts what has ended. Without the lock where the report is the caller's. */
void rp__executor_core_count(rp_executor_report *report, rp_status status, bool on_card);
/* Adds what another report has counted of jobs that need no card. */
void rp__executor_core_add(rp_executor_report *all, const rp_executor_report *more);
/* Why a job that was stopped (RP_STOP_) ended. */
rp_status rp__executor_core_stopped(uint32_t stop, rp_error *err);

/* Tasks that wait for their end, one after the other as their list goes, or one that was begun
 * now, on a core's lane. */
void rp__executor_core_turn(rp__lane *lane, rp__task *first, bool is_new);
/* What the policy gives to the card now, on the card's lane. False: nothing. `leaves`: a batch may
 * be left in flight, which the next turn finishes. */
bool rp__executor_card_turn(rp__lane *lane, bool leaves);
/* What threads run. */
void *rp__executor_core_run(void *lane);
void *rp__executor_card_run(void *lane);
void *rp__executor_timer_run(void *executor);
/* A task has a deadline. */
void rp__executor_timer_add(rp_executor *executor, const rp__task *task);
/* The calling thread has the task, and the timer stops it at its deadline. What stopped the task
 * before is forgotten. */
void rp__executor_timer_limit(rp_executor *executor, rp__task *task, uint64_t deadline);
/* Without the lock, after rp__executor_submit_prepare: stops a task again that the timer had
 * stopped before. */
void rp__executor_timer_check(rp__task *task);

/* Without the lock: answers a job with the task that the calling thread's core keeps, if it is
 * short. False: nothing was done, and it goes the common way. */
bool rp__executor_kept_answer(rp_executor *executor, const rp_job *job, uint64_t *ticket,
                              rp_status *status, rp_error *err);
void rp__executor_kept_open(rp_executor *executor);
void rp__executor_kept_close(rp_executor *executor);
/* Without the lock: waits for those that are answered; the executor is drained, so none follows. */
void rp__executor_kept_drain(rp_executor *executor);
/* False: no kept task has that ticket. */
bool rp__executor_kept_cancel(rp_executor *executor, uint64_t ticket);
/* Stops what is late; returns the next deadline. */
uint64_t rp__executor_kept_stop_late(rp_executor *executor, uint64_t now);
/* Adds what was done with kept tasks. */
void rp__executor_kept_report(rp_executor *executor, rp_executor_report *out);

/* Without the lock: parses and binds the task's text in its mode. */
rp_status rp__executor_submit_bind(const rp_executor *executor, rp__task *task, rp_error *err);

/* Without the lock: goes on with a task whose steps are on, by the steps of a processor. False: it
 * is to be answered by `run` instead. True: *status is RP_OK, and the task has its answer or is to
 * be moved (steps.moves); or it is a failure, of which the answer says what was done, and why a
 * device could not. */
bool rp__executor_steps_run(rp_executor *executor, rp__task *task, const rp__backend *backend,
                            void *state, rp_status *status, rp_error *err);
/* Without the lock: the answer of a task whose parts have all ended. */
void rp__executor_share_join(rp_executor *executor, rp__task *task);
/* Candidates are given up: the task is to be answered from its beginning, at once. */
void rp__executor_steps_drop(rp__task *task);

#endif
