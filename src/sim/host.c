/* host.c: the host's side: sends one descriptor a cycle, and takes completion records. */
#include "sim/units.h"

rp__turn rp__host_step(rp__host *host, rp__sim_clock *clock)
{
    const rp__completion *record;
    bool moved = false;
    while ((record = rp__link_head(host->done, clock))) {
        host->completions[host->n_completions++] = *record;
        rp__link_pop(host->done, clock);
        moved = true;
    }
    bool has_more = host->sent < host->n;
    if (has_more && rp__link_space(&host->doorbell, clock)) {
        *(rp__descriptor *)rp__link_push(&host->doorbell, clock) = host->descriptors[host->sent++];
        moved = true;
    }
    if (moved)
        return rp__turn_busy(clock);
    return rp__turn_sleep(has_more ? RP_SIM_WAIT_OUT : RP_SIM_IDLE);
}
