/* dram_bank.c: the timing rules of banks, bank groups, ranks and buses.
 *
 * A command that starts raises the earliest step of those that must wait for it, at the level to
 * which the rule belongs; dram_channel.h asks for the largest of them. */
#include "base/bits.h"
#include "sim/dram_channel.h"

static uint32_t positive(int64_t n)
{
    return n > 0 ? (uint32_t)n : 1;
}

/* n clocks from one command to another, whose lengths are in steps. */
static uint32_t distance(uint32_t steps, uint32_t n, uint32_t first, uint32_t second)
{
    return positive((int64_t)n * steps + first - second);
}

static void set_column_rules(const struct rp__dram_config *config, struct rp__dram_rules *out)
{
    const struct rp__dram_timing *t = &config->timing;
    uint32_t s = config->steps;
    int64_t turn = (int64_t)t->cl - t->cwl;
    out->rd_rd_s = t->ccd_s * s;
    out->rd_rd_l = t->ccd_l * s;
    out->wr_wr_s = t->ccd_s_wr * s;
    out->wr_wr_l = t->ccd_l_wr * s;
    out->rd_wr = t->rtw * s;
    out->wr_rd_s = (t->cwl + t->bl + t->wtr_s) * s;
    out->wr_rd_l = (t->cwl + t->bl + t->wtr_l) * s;
    out->rd_rd_other = (t->bl + t->rtrs) * s;
    out->wr_wr_other = t->bl * s;
    out->rd_wr_other = positive((turn + t->bl + t->rtrs) * (int64_t)s);
    out->wr_rd_other = positive((t->bl + (int64_t)t->rtrs - turn) * (int64_t)s);
    out->read_delay = (t->cl + t->bl) * s;
}

void rp__dram_bank_rules(const struct rp__dram_config *config, struct rp__dram_rules *out)
{
    const struct rp__dram_timing *t = &config->timing;
    uint32_t s = config->steps;
    uint32_t act = config->act_steps, pre = config->pre_steps, column = config->column_steps;
    set_column_rules(config, out);
    out->act_rd = distance(s, t->rcd_rd, act, column);
    out->act_wr = distance(s, t->rcd_wr, act, column);
    out->act_pre = distance(s, t->ras, act, pre);
    out->act_act = t->rc * s;
    out->act_ref = distance(s, t->rc, act, pre);
    out->pre_act = distance(s, t->rp, pre, act);
    out->pre_ref = t->rp * s;
    out->pre_pre = t->ppd * s;
    out->ref_act = distance(s, t->rfc, pre, act);
    out->rd_pre = distance(s, t->rtp, column, pre);
    out->wr_pre = distance(s, t->cwl + t->bl + t->wr, column, pre);
    out->rrd_s = t->rrd_s * s;
    out->rrd_l = t->rrd_l * s;
    out->faw = t->faw * s;
    out->refi = t->refi * s;
    out->act_bus = act;
    out->pre_bus = pre;
    out->column_bus = column;
    out->is_edged = s == 2;
    out->has_two_buses = config->has_two_buses;
    out->has_pseudo = config->has_pseudo;
}

static void delay(uint64_t *at, uint64_t step)
{
    if (*at < step) {
        *at = step;
    }
}

static void take_row_bus(struct rp__dram_channel *c, uint64_t until)
{
    c->row_bus = until;
    if (!c->rules->has_two_buses) {
        c->column_bus = until;
    }
}

static void take_column_bus(struct rp__dram_channel *c, uint64_t until)
{
    c->column_bus = until;
    if (!c->rules->has_two_buses) {
        c->row_bus = until;
    }
}

static void activate(struct rp__dram_channel *c, uint32_t bank, uint32_t row, uint64_t now)
{
    const struct rp__dram_rules *rules = c->rules;
    struct rp__dram_bank *b = &c->banks[bank];
    struct rp__dram_rank *r = &c->ranks[b->rank];
    if (!(c->open & rp__dram_rank_mask(c, b->rank))) {
        r->active_since = now;
    }
    c->open |= 1ULL << bank;
    b->row = row;
    b->hits = 0;
    delay(&b->next_rd, now + rules->act_rd);
    delay(&b->next_wr, now + rules->act_wr);
    delay(&b->next_pre, now + rules->act_pre);
    delay(&b->next_act, now + rules->act_act);
    delay(&c->groups[b->group].next_act, now + rules->rrd_l);
    delay(&r->next_act, now + rules->rrd_s);
    delay(&r->next_prea, now + rules->act_pre);
    delay(&r->next_ref, now + rules->act_ref);
    r->acts[r->n_acts++ & 3U] = now;
    if (r->n_acts >= 4) { /* the next one must wait for the oldest of the last four */
        delay(&r->next_act, r->acts[r->n_acts & 3U] + rules->faw);
    }
    take_row_bus(c, now + rules->act_bus);
    c->counters.act++;
}

/* The rank's last open row is closed. */
static void rest(struct rp__dram_channel *c, uint32_t rank, uint64_t now)
{
    if (!(c->open & rp__dram_rank_mask(c, rank))) {
        c->ranks[rank].active_steps += now - c->ranks[rank].active_since;
    }
}

static void precharge(struct rp__dram_channel *c, uint32_t bank, uint64_t now)
{
    struct rp__dram_bank *b = &c->banks[bank];
    struct rp__dram_rank *r = &c->ranks[b->rank];
    c->open &= ~(1ULL << bank);
    rest(c, b->rank, now);
    delay(&b->next_act, now + c->rules->pre_act);
    delay(&r->next_pre, now + c->rules->pre_pre);
    delay(&r->next_ref, now + c->rules->pre_ref);
    take_row_bus(c, now + c->rules->pre_bus);
    c->counters.pre++;
}

static void read_other_ranks(struct rp__dram_channel *c, uint32_t rank, uint64_t rd, uint64_t wr)
{
    for (uint32_t i = 0; i < c->n_ranks; i++) {
        if (i != rank) {
            delay(&c->ranks[i].next_rd, rd);
            delay(&c->ranks[i].next_wr, wr);
        }
    }
}

static void move_data(struct rp__dram_channel *c, uint32_t bank, bool is_write, uint64_t now)
{
    const struct rp__dram_rules *rules = c->rules;
    struct rp__dram_bank *b = &c->banks[bank];
    struct rp__dram_group *g = &c->groups[b->group];
    struct rp__dram_rank *r = &c->ranks[b->rank];
    uint64_t pre = now + (is_write ? rules->wr_pre : rules->rd_pre);
    b->hits++;
    delay(&b->next_pre, pre);
    delay(&r->next_prea, pre);
    delay(&g->next_rd, now + (is_write ? rules->wr_rd_l : rules->rd_rd_l));
    delay(&r->next_rd, now + (is_write ? rules->wr_rd_s : rules->rd_rd_s));
    if (is_write) {
        delay(&g->next_wr, now + rules->wr_wr_l);
    }
    delay(&r->next_wr, now + (is_write ? rules->wr_wr_s : rules->rd_wr));
    if (c->n_ranks > 1 && !rules->has_pseudo) {
        read_other_ranks(c, b->rank, now + (is_write ? rules->wr_rd_other : rules->rd_rd_other),
                         now + (is_write ? rules->wr_wr_other : rules->rd_wr_other));
    }
    take_column_bus(c, now + rules->column_bus);
    *(is_write ? &c->counters.wr : &c->counters.rd) += 1;
}

static void tell(const struct rp__dram_channel *c, enum rp__dram_kind kind, uint32_t rank,
                 const struct rp__dram_bank *b, uint64_t now)
{
    if (c->config->on_command) {
        struct rp__dram_command command = {
            .step = now, .channel = c->index, .rank = rank, .kind = kind};
        if (b) {
            command.group = b->group - rank * c->n_groups;
            command.bank = b->bank;
            command.row = b->row;
        }
        c->config->on_command(c->config->context, &command);
    }
}

void rp__dram_bank_issue(struct rp__dram_channel *channel, enum rp__dram_kind kind, uint32_t bank,
                         uint32_t row, uint64_t now)
{
    if (kind == RP__DRAM_ACT) {
        activate(channel, bank, row, now);
    } else if (kind == RP__DRAM_PRE) {
        precharge(channel, bank, now);
    } else {
        move_data(channel, bank, kind == RP__DRAM_WR, now);
    }
    tell(channel, kind, channel->banks[bank].rank, &channel->banks[bank], now);
}

void rp__dram_bank_issue_rank(struct rp__dram_channel *channel, enum rp__dram_kind kind,
                              uint32_t rank, uint64_t now)
{
    const struct rp__dram_rules *rules = channel->rules;
    struct rp__dram_rank *r = &channel->ranks[rank];
    uint32_t first = rank * channel->banks_of_rank;
    uint64_t act = now + (kind == RP__DRAM_PREA ? rules->pre_act : rules->ref_act);
    for (uint32_t i = 0; i < channel->banks_of_rank; i++) {
        delay(&channel->banks[first + i].next_act, act);
    }
    if (kind == RP__DRAM_PREA) {
        channel->open &= ~rp__dram_rank_mask(channel, rank);
        rest(channel, rank, now);
        delay(&r->next_pre, now + rules->pre_pre);
        delay(&r->next_ref, now + rules->pre_ref);
        channel->counters.pre++;
    } else {
        delay(&r->next_ref, act);
        channel->counters.ref++;
    }
    take_row_bus(channel, now + rules->pre_bus);
    tell(channel, kind, rank, NULL, now);
}
