/* dram_map.c: which bits of an address are channel, bank, row and column, and whether a
 * configuration can be simulated at all. */
#include <string.h>

#include "base/bits.h"
#include "sim/dram_channel.h"

static const char *const names[] = {"ch", "pc", "bg", "co", "ba", "ra", "ro"};
enum { N_FIELDS = sizeof names / sizeof names[0] };

static uint32_t field_of(const char *token)
{
    uint32_t i = 0;
    while (i < N_FIELDS && memcmp(names[i], token, 2) != 0) {
        i++;
    }
    return i;
}

/* How many values a field has. */
static void set_sizes(const struct rp__dram_config *config, uint32_t sizes[N_FIELDS])
{
    sizes[RP__DRAM_CH] = config->channels;
    sizes[RP__DRAM_PC] = config->has_pseudo ? config->ranks : 1;
    sizes[RP__DRAM_BG] = config->groups;
    sizes[RP__DRAM_CO] = config->columns;
    sizes[RP__DRAM_BA] = config->banks;
    sizes[RP__DRAM_RA] = config->has_pseudo ? 1 : config->ranks;
    sizes[RP__DRAM_RO] = config->rows;
}

void rp__dram_map_set(const struct rp__dram_config *config, struct rp__dram_map *out)
{
    uint32_t sizes[N_FIELDS], shift = 6;
    set_sizes(config, sizes);
    *out = (struct rp__dram_map){0};
    for (const char *at = config->map; *at; at += 2) {
        uint32_t field = field_of(at);
        out->shift[field] = shift;
        out->mask[field] = sizes[field] - 1;
        shift += rp__bits_width(sizes[field] - 1);
    }
}

static bool is_power(uint32_t n, uint32_t limit)
{
    return n && n <= limit && !(n & (n - 1));
}

/* Every field of more than one value is named once. */
static bool map_is_whole(const struct rp__dram_config *config)
{
    uint32_t sizes[N_FIELDS], seen = 0;
    const char *at = config->map;
    set_sizes(config, sizes);
    if (!memchr(config->map, 0, sizeof config->map)) {
        return false;
    }
    for (; at[0] && at[1]; at += 2) {
        uint32_t field = field_of(at);
        if (field == N_FIELDS || (seen >> field & 1U)) {
            return false;
        }
        seen |= 1U << field;
    }
    for (uint32_t i = 0; i < N_FIELDS; i++) {
        if (sizes[i] > 1 && !(seen >> i & 1U)) {
            return false;
        }
    }
    return !at[0];
}

static const char *timing_fault(const struct rp__dram_config *config)
{
    const struct rp__dram_timing *t = &config->timing;
    const uint32_t *all = (const uint32_t *)t;
    for (size_t i = 0; i < sizeof *t / sizeof *all; i++) {
        if (all[i] > 1000000) {
            return "a timing parameter is over 1000000";
        }
    }
    if (!t->cl || !t->bl || !t->rp || !t->rcd_rd || !t->rcd_wr || !t->ras || !t->rtw || !t->rtp) {
        return "a timing parameter is 0";
    }
    uint32_t longest =
        config->act_steps > config->column_steps ? config->act_steps : config->column_steps;
    if (longest > 8 || !config->pre_steps || !config->act_steps || !config->column_steps ||
        config->pre_steps > 8 || t->rp * config->steps + config->pre_steps <= longest) {
        return "a command takes no steps, or too many";
    }
    return t->refi / config->ranks <= t->rfc + t->rc ? "refreshes leave no time" : NULL;
}

const char *rp__dram_map_fault(const struct rp__dram_config *config)
{
    if (!is_power(config->channels, RP__DRAM_MAX_CHANNELS) ||
        !is_power(config->ranks, RP__DRAM_MAX_RANKS) || !is_power(config->groups, 32) ||
        !is_power(config->banks, 64) || config->ranks * config->groups > RP__DRAM_MAX_GROUPS ||
        config->ranks * config->groups * config->banks > RP__DRAM_MAX_BANKS) {
        return "channels, ranks, groups or banks are not powers of two, or too many";
    }
    if (!is_power(config->rows, 1U << 24) || !is_power(config->columns, 1U << 16)) {
        return "rows or columns are not a power of two, or too many";
    }
    if (!map_is_whole(config)) {
        return "the address map does not name every field once";
    }
    if (!config->read_queue || !config->write_queue || !config->bank_queue ||
        config->read_queue > 4096 || config->write_queue > 4096 || config->bank_queue > 64) {
        return "a queue has no place, or too many";
    }
    if (config->has_pseudo && (config->read_queue < 2 || config->write_queue < 2)) {
        return "a queue has no place for both halves of a request";
    }
    if (!config->clock_mhz || config->clock_mhz > 100000 ||
        (config->steps != 1 && config->steps != 2)) {
        return "no such clock";
    }
    return timing_fault(config);
}
