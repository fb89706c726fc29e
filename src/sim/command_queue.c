/* command_queue.c: descriptors that the host sent and no pair has taken: one in, one out a cycle.
 * When it is full the doorbell waits. The queue itself is the link to the query scheduler. */
#include "sim/units.h"

rp__turn rp__command_queue_step(rp__command_queue *queue, rp__sim_clock *clock)
{
    const rp__descriptor *descriptor = rp__link_head(queue->doorbell, clock);
    if (!descriptor)
        return rp__turn_sleep(RP_SIM_IDLE);
    if (!rp__link_space(&queue->out, clock))
        return rp__turn_sleep(RP_SIM_WAIT_OUT);
    *(rp__sim_command *)rp__link_push(&queue->out, clock) =
        (rp__sim_command){*descriptor, clock->now};
    rp__link_pop(queue->doorbell, clock);
    return rp__turn_busy(clock);
}
