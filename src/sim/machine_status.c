/* machine_status.c: the statuses of queries, by name and in words. */
#include "sim/sim.h"

static const char *const status_names[] = {
#define RP_SIM_STATUS_NAME(name, sentence) #name,
    RP_SIM_STATUS_MAP(RP_SIM_STATUS_NAME)
#undef RP_SIM_STATUS_NAME
};
static const char *const status_texts[] = {
#define RP_SIM_STATUS_TEXT(name, sentence) sentence,
    RP_SIM_STATUS_MAP(RP_SIM_STATUS_TEXT)
#undef RP_SIM_STATUS_TEXT
};

const char *rp__machine_status_name(uint32_t status)
{
    return status < RP_SIM_STATUSES ? status_names[status] : "unknown";
}

const char *rp__machine_status_text(uint32_t status)
{
    return status < RP_SIM_STATUSES ? status_texts[status] : "unknown";
}
