/* policy_gpu.c: every query on the card, one at a time. */
#include "plan/policy.h"

const rp__policy rp__policy_gpu_row = {
    .name = "gpu",
    .help = "the card answers all that it can, one at a time",
    .needs_card = true,
    .takes_algorithms = true,
    .seat = rp__policy_seat_on_card,
    .take = rp__policy_take_own,
};
