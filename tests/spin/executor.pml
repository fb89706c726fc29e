/* executor.pml: the executor's tasks, lanes and sleep, for the model checker spin (run it with test_spin.sh).
 *
 * What is done under the executor's lock is one atomic step here; everything else interleaves. Two cores, one card, three
 * jobs, one of which is cancelled and one of which moves from the card to a core; and a drain. Checked: every job that was
 * taken is called back once; drain returns when none is left; nobody sleeps while there is work for it (no invalid end).
 * SMALL leaves out a job. LOST_WAKE is a mistake that the checker has to find. */

#define JOBS 3
#define LANES 3 /* two cores and the card */
#define CARD 2
#define CPU 0
#define GPU 1

mtype = { FREE, QUEUED, TAKEN, ENDING, ENDED };

mtype place[JOBS] = FREE;
byte queue[JOBS];
bool stop[JOBS], refused[JOBS], is_answered[JOBS];
byte called[JOBS];
byte live;
bool is_drained, is_over;

/* Of lanes. */
bool is_idle[LANES];
bool wake[LANES], sleeps[LANES], is_asleep[LANES];

/* Whether there is work: of a core, a job to end, one of its queue, or one that it may steal. */
#define HAS_ENDING  (place[0] == ENDING || place[1] == ENDING || place[2] == ENDING)
#define WAITS(j, q) (place[j] == QUEUED && queue[j] == q)
#define ANY(q)      (WAITS(0, q) || WAITS(1, q) || WAITS(2, q))
#define CORE_WORK   (HAS_ENDING || ANY(CPU) || ANY(GPU))
#define CARD_WORK   (ANY(GPU))

/* Under the lock: sets the word. The lane that sleeps is woken outside of it, in the next step of this process. */
inline wake_word(l) {
    is_idle[l] = false;
    wake[l] = true;
#ifndef LOST_WAKE
    if
    :: sleeps[l] -> is_asleep[l] = false
    :: else -> skip
    fi
#endif
}

inline wake_takers() {
    if
    :: CORE_WORK && is_idle[0] -> wake_word(0)
    :: CORE_WORK && !is_idle[0] && is_idle[1] -> wake_word(1)
    :: else -> skip
    fi;
    if
    :: CARD_WORK && is_idle[CARD] -> wake_word(CARD)
    :: else -> skip
    fi
}

proctype submit(byte j; byte q) {
    atomic {
        if
        :: is_drained -> refused[j] = true
        :: else -> live++
        fi
    }
    if
    :: refused[j] -> skip
    :: else ->
        /* here it is parsed and bound, without the lock */
        atomic {
            place[j] = QUEUED;
            queue[j] = q;
            wake_takers()
        }
    fi
}

proctype cancel(byte j) {
    atomic {
        if
        :: place[j] == QUEUED ->
            stop[j] = true;
            place[j] = ENDING;
            wake_takers()
        :: place[j] == TAKEN -> stop[j] = true
        :: else -> skip
        fi
    }
}

/* Calls back without the lock, one after the other; then both are free at once. */
inline end_tasks(j, k) {
    called[j]++;
    assert(called[j] == 1);
    if
    :: k < JOBS ->
        called[k]++;
        assert(called[k] == 1)
    :: else -> skip
    fi;
    atomic {
        place[j] = ENDED;
        live--;
        if
        :: k < JOBS -> place[k] = ENDED; live--
        :: else -> skip
        fi
    }
}

/* Waits for work; is_over wakes all. */
inline idle(l) {
    /* unlocked: first it looks at the word for a while, then sleeps */
    if
    :: wake[l] -> skip
    :: true ->
        sleeps[l] = true;
        atomic {
            if
            :: wake[l] -> skip
            :: else -> is_asleep[l] = true
            fi
        }
        (!is_asleep[l]);
        sleeps[l] = false
    fi
}

/* Takes under the lock; `mine` is JOBS where there is nothing. Who finds nothing becomes idle under the same lock. */
proctype core(byte l) {
    byte mine, more; /* more: a second job that waits for its end, which the same turn ends */
    do
    :: atomic {
            mine = JOBS;
            more = JOBS;
            if
            :: place[0] == ENDING -> mine = 0
            :: place[1] == ENDING -> mine = 1
            :: place[2] == ENDING -> mine = 2
            :: !HAS_ENDING && WAITS(0, CPU) -> mine = 0
            :: !HAS_ENDING && WAITS(1, CPU) -> mine = 1
            :: !HAS_ENDING && WAITS(2, CPU) -> mine = 2
            :: !HAS_ENDING && !ANY(CPU) && WAITS(0, GPU) -> mine = 0
            :: !HAS_ENDING && !ANY(CPU) && WAITS(1, GPU) -> mine = 1
            :: !HAS_ENDING && !ANY(CPU) && WAITS(2, GPU) -> mine = 2
            :: else -> skip
            fi;
            if
            :: mine < JOBS && place[mine] == ENDING && mine != 0 && place[0] == ENDING -> more = 0
            :: mine < JOBS && place[mine] == ENDING && mine != 1 && place[1] == ENDING -> more = 1
            :: mine < JOBS && place[mine] == ENDING && mine != 2 && place[2] == ENDING -> more = 2
            :: true -> skip
            fi;
            if
            :: mine < JOBS ->
                place[mine] = TAKEN;
                if
                :: more < JOBS -> place[more] = TAKEN
                :: else -> skip
                fi;
                if
                :: CORE_WORK -> wake_takers() /* there is more than this lane can do */
                :: else -> skip
                fi
            :: mine == JOBS && is_over -> goto over
            :: else -> wake[l] = false; is_idle[l] = true
            fi
        }
        if
        :: mine < JOBS -> end_tasks(mine, more)
        :: else ->
            idle(l);
            is_idle[l] = false
        fi
    od;
over:
    skip
}

/* What it cannot answer, a core does. */
proctype card() {
    byte mine;
    do
    :: atomic {
            mine = JOBS;
            if
            :: is_over -> goto over
            :: !is_over && WAITS(0, GPU) -> mine = 0
            :: !is_over && WAITS(1, GPU) -> mine = 1
            :: !is_over && WAITS(2, GPU) -> mine = 2
            :: else -> skip
            fi;
            if
            :: mine < JOBS -> place[mine] = TAKEN
            :: else -> wake[CARD] = false; is_idle[CARD] = true
            fi
        }
        if
        :: mine < JOBS ->
            if
            :: true -> is_answered[mine] = true
            :: true -> skip /* it falls back */
            fi;
            atomic {
                if
                :: is_answered[mine] || stop[mine] -> place[mine] = ENDING
                :: else -> place[mine] = QUEUED; queue[mine] = CPU
                fi;
                wake_takers()
            }
        :: else ->
            idle(CARD);
            is_idle[CARD] = false
        fi
    od;
over:
    skip
}

init {
    atomic {
        run core(0);
        run core(1);
        run card();
        run submit(0, CPU);
        run submit(1, GPU);
#ifndef SMALL
        run submit(2, GPU);
#endif
        run cancel(1)
    }
    /* drain */
    is_drained = true;
    (live == 0);
    assert(place[0] != QUEUED && place[1] != QUEUED && place[2] != QUEUED);
    assert(place[0] == FREE || called[0] == 1);
    assert(place[1] == FREE || called[1] == 1);
    assert(place[2] == FREE || called[2] == 1);
    /* free */
    atomic {
        is_over = true;
        wake_word(0);
        wake_word(1);
        wake_word(CARD)
    }
}
