/* executor.pml: the executor's tasks, lanes and sleep, for the model checker spin (run it with test_spin.sh).
 *
 * What is done under the executor's lock is one atomic step here; everything else interleaves. Two cores, one card, three
 * jobs, one of which is cancelled and one of which moves from the card to a core; and a drain. Checked: every job that was
 * taken is called back once; drain returns when none is left; nobody sleeps while there is work for it (no invalid end).
 * SMALL leaves out a job. ASK has one job alone, whose submitter waits for it and helps: it answers in place of a core that
 * is idle, and the job needs the card after that. Only there lanes are woken after the lock is released, as they are in
 * fact: otherwise in the same step, since there would be too many states.
 * LOST_WAKE and ENDS_TWICE are mistakes that the checker has to find. */

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
bool is_listed[JOBS]; /* in the list of those that wait for their end */
byte live;
bool is_drained, is_over;

/* Of lanes. */
bool is_idle[LANES];
bool wake[LANES], sleeps[LANES], is_asleep[LANES];

/* Whether there is work: of a core, a job to end, one of its queue, or one that it may steal. */
#define HAS_ENDING  (is_listed[0] || is_listed[1] || is_listed[2])
#define WAITS(j, q) (place[j] == QUEUED && queue[j] == q)
#define ANY(q)      (WAITS(0, q) || WAITS(1, q) || WAITS(2, q))
#define CORE_WORK   (HAS_ENDING || ANY(CPU) || ANY(GPU))
#define CARD_WORK   (ANY(GPU))

/* Each process has a bit for each lane that it is to wake. */
inline wake_word(l) {
    is_idle[l] = false;
    wake[l] = true;
#ifndef LOST_WAKE
    if
#ifdef ASK
    :: sleeps[l] -> woken = woken | (1 << l)
#else
    :: sleeps[l] -> is_asleep[l] = false
#endif
    :: else -> skip
    fi
#endif
}

/* After the lock is released. One that has slept again since then looks at its word. */
inline wake_sleepers() {
#ifdef ASK
    d_step {
        if
        :: woken & 1 -> is_asleep[0] = false
        :: else -> skip
        fi;
        if
        :: woken & 2 -> is_asleep[1] = false
        :: else -> skip
        fi;
        if
        :: woken & 4 -> is_asleep[2] = false
        :: else -> skip
        fi;
        woken = 0
    }
#else
    skip
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

/* A job is parsed and bound without the lock. The executor mostly knows of it only after that; of one whose deadline the
 * timer watches meanwhile, before. */
proctype submit(byte j; byte q) {
    byte woken;
    bool is_known;
    if
    :: true ->
        atomic {
            if
            :: is_drained -> refused[j] = true
            :: else -> live++; is_known = true
            fi
        }
    :: true -> skip
    fi;
    if
    :: refused[j] -> skip
    :: else ->
        atomic {
            if
            :: !is_known && is_drained -> refused[j] = true
            :: else ->
                if
                :: !is_known -> live++
                :: else -> skip
                fi;
                place[j] = QUEUED;
                queue[j] = q;
                wake_takers()
            fi
        }
        wake_sleepers()
    fi
}

proctype cancel(byte j) {
    byte woken;
    atomic {
        if
        :: place[j] == QUEUED ->
            stop[j] = true;
            place[j] = ENDING;
            is_listed[j] = true;
            wake_takers()
        :: place[j] == TAKEN -> stop[j] = true
        :: else -> skip
        fi
    }
    wake_sleepers()
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
        do
        :: atomic { wake[l] -> break }
        :: atomic { !wake[l] -> is_asleep[l] = true }
            (!is_asleep[l])
        od;
        sleeps[l] = false
    fi
}

/* Submits job j for a core, and helps: on a core's lane that is idle it does the first half; the card is to do the second,
 * and before the helper has the lock again it may have. Then the helper ends the job, unless a core has it. */
proctype ask(byte j) {
    byte woken, lane, none;
    none = JOBS;
    atomic {
        lane = LANES;
        if
        :: is_drained -> refused[j] = true
        :: else ->
            live++;
            place[j] = QUEUED;
            queue[j] = CPU;
            if
            :: is_idle[0] && !HAS_ENDING -> lane = 0
            :: !is_idle[0] && is_idle[1] && !HAS_ENDING -> lane = 1
            :: else -> wake_takers()
            fi;
            if
            :: lane < LANES -> is_idle[lane] = false; place[j] = TAKEN
            :: else -> skip
            fi
        fi
    }
    wake_sleepers();
    if
    :: lane < LANES ->
        atomic {
            place[j] = QUEUED;
            queue[j] = GPU;
            wake_takers()
        }
        wake_sleepers();
        atomic {
            is_idle[lane] = true;
            if
            :: place[j] == ENDING -> is_idle[lane] = false; is_listed[j] = false; place[j] = TAKEN
            :: else -> lane = LANES; wake_takers()
            fi
        }
        wake_sleepers();
        if
        :: lane < LANES ->
            end_tasks(j, none);
            atomic { is_idle[lane] = true; wake_takers() }
            wake_sleepers()
        :: else -> skip
        fi
    :: else -> skip
    fi
}

/* Takes under the lock; `mine` is JOBS where there is nothing. Who finds nothing becomes idle under the same lock. */
proctype core(byte l) {
    byte woken, mine, more; /* more: a second job that waits for its end, which the same turn ends */
    bool is_end;
    do
    :: atomic {
            mine = JOBS;
            more = JOBS;
            if
            :: is_listed[0] -> mine = 0
            :: is_listed[1] -> mine = 1
            :: is_listed[2] -> mine = 2
            :: !HAS_ENDING && WAITS(0, CPU) -> mine = 0
            :: !HAS_ENDING && WAITS(1, CPU) -> mine = 1
            :: !HAS_ENDING && WAITS(2, CPU) -> mine = 2
            :: !HAS_ENDING && !ANY(CPU) && WAITS(0, GPU) -> mine = 0
            :: !HAS_ENDING && !ANY(CPU) && WAITS(1, GPU) -> mine = 1
            :: !HAS_ENDING && !ANY(CPU) && WAITS(2, GPU) -> mine = 2
            :: else -> skip
            fi;
            is_end = mine < JOBS && is_listed[mine];
            if
            :: is_end && mine != 0 && is_listed[0] -> more = 0
            :: is_end && mine != 1 && is_listed[1] -> more = 1
            :: is_end && mine != 2 && is_listed[2] -> more = 2
            :: true -> skip
            fi;
            if
            :: mine < JOBS ->
                is_listed[mine] = false;
#ifdef ENDS_TWICE
                if
                :: !is_end -> place[mine] = TAKEN
                :: else -> skip
                fi;
#else
                place[mine] = TAKEN;
#endif
                if
                :: more < JOBS -> is_listed[more] = false; place[more] = TAKEN
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
        wake_sleepers();
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
    byte woken, mine;
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
                :: is_answered[mine] || stop[mine] -> place[mine] = ENDING; is_listed[mine] = true
                :: else -> place[mine] = QUEUED; queue[mine] = CPU
                fi;
                wake_takers()
            }
            wake_sleepers()
        :: else ->
            idle(CARD);
            is_idle[CARD] = false
        fi
    od;
over:
    skip
}

init {
    byte woken;
    atomic {
        run core(0);
        run core(1);
        run card();
#ifdef ASK
        run ask(0)
#else
        run submit(0, CPU);
        run submit(1, GPU);
#ifndef SMALL
        run submit(2, GPU);
#endif
        run cancel(1)
#endif
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
    wake_sleepers()
}
