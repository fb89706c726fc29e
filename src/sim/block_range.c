/* block_range.c: extension: a query over a range of docids, so that several pairs and cores share
 * an OR.
 *
 * The block scheduler finds the first block and the end of the range in each list by two binary
 * searches on its skip values, and their places in the payload by two reads of metadata: dependent
 * reads, before the lists are opened. Decompression units drop postings outside the range. */
#include <string.h>

#include "base/bits.h"
#include "sim/units.h"

void rp__block_range_begin(rp__block_scheduler *s)
{
    s->range = (rp__block_range){.lo = 0, .hi = s->lists[0].header.n_blocks};
    s->phase = RP_SIM_PHASE_RANGE;
}

static const rp__list_header *header(const rp__block_scheduler *s)
{
    return &s->lists[s->range.list].header;
}

static uint64_t address(const rp__block_scheduler *s)
{
    const rp__block_range *r = &s->range;
    if (r->lo < r->hi)
        return rp__sim_skip_at(header(s), (r->lo + r->hi) >> 1);
    return rp__sim_meta_at(header(s), r->lo);
}

/* Bytes of the value that is read: a skip value, or metadata. */
static uint32_t value_bytes(const rp__block_range *r)
{
    return r->lo < r->hi ? 4 : 8;
}

/* Those of them that lie in its first line. */
static uint32_t in_first_line(const rp__block_scheduler *s)
{
    uint32_t left = 64 - (uint32_t)(address(s) & 63), n = value_bytes(&s->range);
    return left < n ? left : n;
}

/* The search ends at the number of blocks whose skip value is at most the range's first docid, or
 * below its end. */
static void narrow(rp__block_scheduler *s, uint32_t skip)
{
    rp__block_range *r = &s->range;
    uint64_t mid = (r->lo + r->hi) >> 1, bounds = s->query.descriptor.reserved;
    bool is_before = r->is_end ? skip < bounds >> 32 : skip <= (uint32_t)bounds;
    if (is_before)
        r->lo = mid + 1;
    else
        r->hi = mid;
    if (r->lo == r->hi && !r->is_end && r->lo)
        r->lo = --r->hi; /* the block that begins at or before the first docid */
}

/* A block's place is known: the first one of a list, or the one after its last. */
static void set_place(rp__block_scheduler *s, uint64_t bits)
{
    rp__block_range *r = &s->range;
    rp__sim_list *list = &s->lists[r->list];
    if (!r->is_end) {
        list->next_block = (uint32_t)r->lo;
        list->bits = bits;
        list->is_part = true;
    } else {
        list->end_block = (uint32_t)r->lo;
        list->end_bits = bits;
        if (list->end_block < list->next_block || bits < list->bits ||
            bits > list->header.payload_bits)
            rp__sim_blame(&s->answer.status, RP_SIM_BAD_LIST);
        r->list++;
    }
    r->is_end = !r->is_end;
    r->lo = 0;
    r->hi = r->list < 2 ? header(s)->n_blocks : 0;
}

/* A value of an array that begins at any byte may lie in two lines: it takes two reads. */
static void take_line(rp__block_scheduler *s)
{
    rp__block_range *r = &s->range;
    const uint32_t n = value_bytes(r), first = in_first_line(s);
    const uint8_t *bytes = (const uint8_t *)r->words;
    if (!r->parts)
        memcpy(r->value, bytes + (address(s) & 63), first);
    else
        memcpy(r->value + first, bytes, n - first);
    r->is_reading = r->has_line = false;
    r->parts++;
    if (r->parts == 1 && first < n)
        return;
    r->parts = 0;
    if (n == 4)
        narrow(s, rp__load32(r->value));
    else
        set_place(s, rp__load64(r->value) >> 21);
}

static void request_line(rp__block_scheduler *s, rp__sim_clock *clock)
{
    rp__block_range *r = &s->range;
    const uint32_t n = value_bytes(r), first = in_first_line(s);
    rp__sim_read(&s->port, clock, address(s) + (r->parts ? first : 0), RP_SIM_RANGE_TAG,
                 n == 4 ? RP_SIM_TRAFFIC_SKIP : RP_SIM_TRAFFIC_META,
                 (uint8_t)(r->parts ? n - first : first));
    s->in_flight++;
    r->is_reading = true;
}

bool rp__block_range_step(rp__block_scheduler *s, rp__sim_clock *clock)
{
    rp__block_range *r = &s->range;
    if (r->is_reading && !r->has_line)
        return false;
    if (r->has_line)
        take_line(s);
    if (s->answer.status || r->list == 2) {
        rp__block_scheduler_open(s);
        return true;
    }
    if (r->lo == r->hi && r->lo == header(s)->n_blocks) {
        set_place(s, header(s)->payload_bits);
        return true;
    }
    request_line(s, clock);
    return true;
}
