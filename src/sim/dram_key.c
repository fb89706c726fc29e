/* dram_key.c: the settings of a memory by name, for configurations, options and reports. */
#include <string.h>

#include "sim/dram.h"

static const struct {
    const char *name;
    size_t at;
} keys[] = {
#define KEY(field)                                                                                 \
    {                                                                                              \
#field, offsetof(struct rp__dram_config, field)                                            \
    }
#define TIMING(field)                                                                              \
    {                                                                                              \
#field, offsetof(struct rp__dram_config, timing.field)                                     \
    }
    KEY(channels), KEY(ranks),     KEY(groups),     KEY(banks),       KEY(rows),
    KEY(columns),  KEY(clock_mhz), KEY(read_queue), KEY(write_queue), KEY(bank_queue),
    KEY(row_hits), KEY(steps),     KEY(act_steps),  KEY(pre_steps),   KEY(column_steps),
    TIMING(cl),    TIMING(cwl),    TIMING(bl),      TIMING(rcd_rd),   TIMING(rcd_wr),
    TIMING(rp),    TIMING(ras),    TIMING(rc),      TIMING(rrd_s),    TIMING(rrd_l),
    TIMING(faw),   TIMING(ccd_s),  TIMING(ccd_l),   TIMING(ccd_s_wr), TIMING(ccd_l_wr),
    TIMING(wtr_s), TIMING(wtr_l),  TIMING(rtw),     TIMING(rtrs),     TIMING(wr),
    TIMING(rtp),   TIMING(ppd),    TIMING(rfc),     TIMING(refi),
#undef TIMING
#undef KEY
};

const char *rp__dram_key_name(size_t i)
{
    return i < sizeof keys / sizeof keys[0] ? keys[i].name : NULL;
}

uint32_t rp__dram_key_get(const struct rp__dram_config *config, size_t i)
{
    uint32_t value;
    memcpy(&value, (const char *)config + keys[i].at, sizeof value);
    return value;
}

bool rp__dram_key_set(struct rp__dram_config *config, const char *name, uint32_t value)
{
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(keys[i].name, name) == 0) {
            memcpy((char *)config + keys[i].at, &value, sizeof value);
            return true;
        }
    }
    return false;
}
