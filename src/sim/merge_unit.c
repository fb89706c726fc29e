/* merge_unit.c: brings two lists together, one output a cycle.
 *
 * AND: before scoring, compares a candidate with the postings of its block and drops the smaller;
 * a match goes to both scoring units, whose scores are added after. When the next candidate has
 * another block, the decompression unit abandons this one, and what it decoded ahead is dropped.
 * OR: after scoring, passes the smaller docid on, or both as one. An end counts as the largest
 * docid, so when one list is over the other is flushed.
 * Source: Heo et al. 2020, 4.2. */
#include "sim/units.h"

/* ---- Before scoring: AND --------------------------------------------------------------------- */

static bool pass(rp__merge_unit *merge, const rp__sim_posting *first, const rp__sim_posting *second,
                 rp__sim_clock *clock)
{
    if (!rp__link_space(&merge->to_su[0], clock) || !rp__link_space(&merge->to_su[1], clock))
        return false;
    *(rp__sim_posting *)rp__link_push(&merge->to_su[0], clock) = *first;
    *(rp__sim_posting *)rp__link_push(&merge->to_su[1], clock) = *second;
    return true;
}

/* A candidate that matches nothing; if it is its block's last, that is passed on. */
static bool drop_candidate(rp__merge_unit *merge, const rp__sim_posting *candidate,
                           rp__sim_clock *clock)
{
    rp__sim_posting mark = *candidate;
    mark.flags = (uint8_t)(mark.flags | RP_SIM_NONE);
    if (mark.flags & (RP_SIM_LAST | RP_SIM_END) && !pass(merge, &mark, &mark, clock))
        return false;
    rp__link_pop(merge->candidates, clock);
    return true;
}

static bool drop_posting(rp__merge_unit *merge, const rp__sim_posting *posting,
                         rp__sim_clock *clock)
{
    if (posting->flags & RP_SIM_LAST)
        merge->done_block = posting->block;
    rp__link_pop(merge->blocks, clock);
    return true;
}

/* No candidate needs this posting's block any more. */
static bool drop_stale(rp__merge_unit *merge, const rp__sim_posting *posting, rp__sim_clock *clock)
{
    bool is_new = merge->config->abandon && merge->abandoned != (int64_t)posting->block;
    if (is_new && !(posting->flags & RP_SIM_LAST)) {
        if (!rp__link_space(&merge->abandon, clock))
            return false;
        *(uint32_t *)rp__link_push(&merge->abandon, clock) = posting->block;
        merge->abandoned = posting->block;
    }
    return drop_posting(merge, posting, clock);
}

static bool match(rp__merge_unit *merge, const rp__sim_posting *candidate,
                  const rp__sim_posting *posting, rp__sim_clock *clock)
{
    rp__sim_posting second = *candidate;
    second.value = posting->value;
    if (!pass(merge, candidate, &second, clock))
        return false;
    rp__link_pop(merge->candidates, clock);
    return drop_posting(merge, posting, clock);
}

/* The end of list0 waits for the end of list1's blocks; what those still give is dropped. */
static bool end(rp__merge_unit *merge, const rp__sim_posting *candidate,
                const rp__sim_posting *posting, rp__sim_clock *clock)
{
    if (!posting)
        return false;
    if (!(posting->flags & RP_SIM_END))
        return drop_stale(merge, posting, clock);
    rp__sim_posting mark = *candidate;
    rp__sim_blame(&mark.status, posting->status);
    if (!pass(merge, &mark, &mark, clock))
        return false;
    rp__link_pop(merge->candidates, clock);
    rp__link_pop(merge->blocks, clock);
    merge->done_block = merge->abandoned = -1;
    return true;
}

static bool intersect(rp__merge_unit *merge, rp__sim_clock *clock)
{
    const rp__sim_candidate *head = rp__link_head(merge->candidates, clock);
    if (!head)
        return false;
    const rp__sim_posting *candidate = &head->posting;
    const rp__sim_posting *posting = rp__link_head(merge->blocks, clock);
    if (candidate->flags & RP_SIM_END)
        return end(merge, candidate, posting, clock);
    if (candidate->flags & RP_SIM_NONE || (int64_t)head->block == merge->done_block)
        return drop_candidate(merge, candidate, clock);
    if (!posting)
        return false;
    if (posting->block != head->block)
        return drop_stale(merge, posting, clock);
    if (posting->doc < candidate->doc)
        return drop_posting(merge, posting, clock);
    if (posting->doc > candidate->doc)
        return drop_candidate(merge, candidate, clock);
    return match(merge, candidate, posting, clock);
}

/* ---- After scoring: AND and OR --------------------------------------------------------------- */

static bool is_before(const rp__sim_posting *a, const rp__sim_posting *b)
{
    if (b->flags & RP_SIM_END)
        return !(a->flags & RP_SIM_END);
    return !(a->flags & RP_SIM_END) && a->doc < b->doc;
}

static bool unite(rp__merge_unit *merge, rp__sim_clock *clock)
{
    const rp__sim_posting *a = rp__link_head(merge->from_su[0], clock);
    const rp__sim_posting *b = rp__link_head(merge->from_su[1], clock);
    if (!a || !b || !rp__link_space(&merge->out, clock))
        return false;
    rp__sim_posting *out = rp__link_push(&merge->out, clock);
    bool takes_a = !is_before(b, a), takes_b = !is_before(a, b);
    *out = takes_a ? *a : *b;
    if (takes_a && takes_b) {
        out->value += b->value;
        rp__sim_blame(&out->status, b->status);
    }
    if (takes_a)
        rp__link_pop(merge->from_su[0], clock);
    if (takes_b)
        rp__link_pop(merge->from_su[1], clock);
    return true;
}

rp__turn rp__merge_unit_step(rp__merge_unit *merge, rp__sim_clock *clock)
{
    bool is_open = rp__sim_is_open(merge->setup, clock);
    if (!is_open || merge->setup->query_type == RP_SIM_SINGLE)
        return rp__turn_sleep(RP_SIM_IDLE);
    bool is_and = merge->setup->query_type == RP_SIM_AND;
    bool moved = is_and && intersect(merge, clock);
    moved |= unite(merge, clock);
    if (moved)
        return rp__turn_busy(clock);
    bool is_full = !rp__link_space(&merge->out, clock) ||
                   (is_and && (!rp__link_space(&merge->to_su[0], clock) ||
                               !rp__link_space(&merge->to_su[1], clock)));
    return rp__turn_sleep(is_full ? RP_SIM_WAIT_OUT : RP_SIM_WAIT_IN);
}
