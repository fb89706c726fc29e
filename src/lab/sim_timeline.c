/* sim_timeline.c: buckets of cycles, by unit and class. */
#include "lab/sim_timeline.h"

#include <string.h>

#include "base/alloc.h"

enum { ROW = RP_SIM_TIMELINE_BUCKETS * RP_SIM_CLASSES };

rp_status rp__sim_timeline_init(rp__sim_timeline *t)
{
    *t = (rp__sim_timeline){.width = 1};
    t->cycles = rp__alloc_zero((size_t)RP_SIM_REPORT_UNITS * ROW, sizeof *t->cycles);
    return t->cycles ? RP_OK : RP_NO_MEMORY;
}

void rp__sim_timeline_free(rp__sim_timeline *t)
{
    rp__free(t->cycles);
    *t = (rp__sim_timeline){0};
}

static uint64_t *bucket_of(const rp__sim_timeline *t, uint32_t unit, uint64_t bucket)
{
    return t->cycles + (size_t)unit * ROW + bucket * RP_SIM_CLASSES;
}

/* Two buckets become one. */
static void fold(rp__sim_timeline *t)
{
    for (uint32_t u = 0; u < RP_SIM_REPORT_UNITS; u++) {
        for (uint32_t b = 0; b < RP_SIM_TIMELINE_BUCKETS / 2; b++) {
            uint64_t *to = bucket_of(t, u, b);
            const uint64_t *from = bucket_of(t, u, 2 * b);
            for (uint32_t c = 0; c < RP_SIM_CLASSES; c++)
                to[c] = from[c] + from[RP_SIM_CLASSES + c];
        }
        memset(bucket_of(t, u, RP_SIM_TIMELINE_BUCKETS / 2), 0, ROW / 2 * sizeof(uint64_t));
    }
    t->width *= 2;
}

void rp__sim_timeline_add(void *timeline, uint32_t unit, uint32_t spent, uint64_t from,
                          uint64_t cycles)
{
    rp__sim_timeline *t = timeline;
    uint64_t at = t->offset + from;
    const uint64_t end = at + cycles;
    while (end > t->width * RP_SIM_TIMELINE_BUCKETS)
        fold(t);
    t->end = end > t->end ? end : t->end;
    while (at < end) {
        const uint64_t bucket = at / t->width, next = (bucket + 1) * t->width;
        const uint64_t to = next < end ? next : end;
        bucket_of(t, unit, bucket)[spent] += to - at;
        at = to;
    }
}

uint32_t rp__sim_timeline_count(const rp__sim_timeline *t)
{
    return (uint32_t)((t->end + t->width - 1) / t->width);
}

const uint64_t *rp__sim_timeline_get(const rp__sim_timeline *t, uint32_t unit, uint32_t bucket)
{
    return bucket_of(t, unit, bucket);
}
