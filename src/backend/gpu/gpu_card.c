/* gpu_card.c: a card and what of the index lies on it. */
#include "backend/gpu/gpu_card.h"

rp_status rp__gpu_card_open(rp__gpu_card *c, const rp__driver *driver, int ordinal,
                            const rp__segment *segment, const rp__place *place, rp_error *err)
{
    rp_status status = rp__device_open(&c->device, driver, ordinal, err);
    if (status != RP_OK)
        return status;
    if (place->gpu_timeout)
        c->device.patience = place->gpu_timeout * UINT64_C(1000000);
    c->has_index = rp__gpu_index_open(&c->index, &c->device, segment, place->gpu_memory) == RP_OK;
    if (c->has_index) {
        rp__exec_open(&c->exec, &c->device, &c->index);
        rp__gpu_steps_open(&c->steps, &c->device, &c->index, &c->exec.single.stage.kernel);
    }
    return RP_OK;
}

/* What is open by then; the context is the thread's. */
void rp__gpu_card_close(rp__gpu_card *c)
{
    if (c->device.context) {
        (void)rp__device_enter(&c->device);
        rp__gpu_steps_close(&c->steps);
        rp__exec_close(&c->stepper);
        rp__exec_close(&c->exec);
        rp__gpu_index_close(&c->index);
    }
    rp__device_close(&c->device);
}

bool rp__gpu_card_answers(rp__gpu_card *c)
{
    return c->has_index && !rp__device_is_lost(&c->device);
}
