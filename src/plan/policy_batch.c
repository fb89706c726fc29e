/* policy_batch.c: every query on the card, in batches of whatever has gathered (Ao's PARA). */
#include "plan/policy.h"

const rp__policy rp__policy_batch_row = {
    .name = "batch",
    .paper = "Ao et al. 2011",
    .help = "the card answers all that it can, together with what has gathered meanwhile",
    .batches = true,
    .needs_card = true,
    .takes_algorithms = true,
    .seat = rp__policy_seat_on_card,
    .take = rp__policy_take_own,
};
