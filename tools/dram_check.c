/* dram_check.c: replays a trace of DRAM commands and names every timing rule that it breaks.
 *
 *     dram_check STANDARD [KEY=VALUE...] <TRACE
 *
 * A line of the trace is one command: step, channel, rank, bank group, bank, row, and ACT, PRE, PREA
 * (all banks of the rank), RD, WR or REF. Steps rise; where a standard has two steps a clock they
 * are half clocks. This program has its own table of parameters and shares no code with the
 * simulator: it remembers when each bank, group and rank saw each command last, and compares.
 *
 * Keys are the parameters of the table (rcd=16), and `postpone`: clocks that a refresh may be late.
 * Exit: 0 nothing found; 1 rules were broken; 2 bad arguments or a line that is no command. */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CHANNELS = 32, MAX_RANKS = 8, MAX_GROUPS = 8, MAX_BANKS = 16, MAX_SHOWN = 20 };

/* In clocks. act, pre, col: steps that a command occupies its bus; REF as PRE. */
struct standard {
    const char *name;
    int steps, buses, pseudo, groups, banks;
    int act, pre, col;
    int cl, cwl, bl, rcd, rcdw, rp, ras, rc, rrds, rrdl, faw, ccds, ccdl, ccdsw, ccdlw;
    int wtrs, wtrl, rtw, rtrs, wr, rtp, ppd, rfc, refi, postpone;
};

static const struct standard standards[] = {
    {"ddr4-2400", 1, 1,  0, 4, 4, 1, 1, 1, 17, 12, 4,  17, 17, 17,  39,   56,
     4,           6, 26, 4, 6, 4, 6, 3, 9, 11, 1,  18, 9,  1,  420, 9360, 0},
    {"ddr5-4800", 1,  1,  0, 8,  4, 2,  1, 2,  40, 38, 8,  39, 39, 39,  77,   116,
     8,           12, 32, 8, 12, 8, 48, 6, 24, 14, 2,  72, 18, 2,  708, 9360, 0},
    {"hbm2", 1, 2,  0, 4, 4, 2, 1, 1, 14, 4, 2,  14, 14, 14,  34,   48,
     4,      6, 30, 2, 2, 2, 2, 6, 8, 14, 2, 16, 6,  1,  260, 3900, 0},
    {"hbm2-pc", 1, 2,  1, 4, 4, 2, 1, 1, 14, 5, 2,  14, 12, 14,  34,   48,
     4,         4, 15, 2, 4, 2, 4, 6, 8, 13, 0, 16, 5,  1,  260, 3900, 0},
    {"hbm3", 2, 2,  1, 4, 4, 3, 1, 2,  20, 10, 2,  31, 15, 26,  45,   72,
     4,      5, 24, 2, 4, 2, 4, 7, 10, 20, 0,  33, 9,  2,  560, 6240, 0},
};

static const struct {
    const char *name;
    size_t at;
} keys[] = {
    {"act", offsetof(struct standard, act)},     {"pre", offsetof(struct standard, pre)},
    {"col", offsetof(struct standard, col)},     {"cl", offsetof(struct standard, cl)},
    {"cwl", offsetof(struct standard, cwl)},     {"bl", offsetof(struct standard, bl)},
    {"rcd", offsetof(struct standard, rcd)},     {"rcdw", offsetof(struct standard, rcdw)},
    {"rp", offsetof(struct standard, rp)},       {"ras", offsetof(struct standard, ras)},
    {"rc", offsetof(struct standard, rc)},       {"rrds", offsetof(struct standard, rrds)},
    {"rrdl", offsetof(struct standard, rrdl)},   {"faw", offsetof(struct standard, faw)},
    {"ccds", offsetof(struct standard, ccds)},   {"ccdl", offsetof(struct standard, ccdl)},
    {"ccdsw", offsetof(struct standard, ccdsw)}, {"ccdlw", offsetof(struct standard, ccdlw)},
    {"wtrs", offsetof(struct standard, wtrs)},   {"wtrl", offsetof(struct standard, wtrl)},
    {"rtw", offsetof(struct standard, rtw)},     {"rtrs", offsetof(struct standard, rtrs)},
    {"wr", offsetof(struct standard, wr)},       {"rtp", offsetof(struct standard, rtp)},
    {"ppd", offsetof(struct standard, ppd)},     {"rfc", offsetof(struct standard, rfc)},
    {"refi", offsetof(struct standard, refi)},   {"postpone", offsetof(struct standard, postpone)},
};

enum kind { ACT, PRE, PREA, RD, WR, REF, N_KINDS };
static const char *const kind_names[N_KINDS] = {"ACT", "PRE", "PREA", "RD", "WR", "REF"};

struct bank {
    int64_t act, pre, rd, wr; /* the last of each; far in the past at first */
    int64_t row;              /* -1: closed */
};

struct group {
    int64_t act, rd, wr;
};

struct rank {
    struct bank banks[MAX_GROUPS][MAX_BANKS];
    struct group groups[MAX_GROUPS];
    int64_t acts[4]; /* the latest first */
    int64_t act, pre, rd, wr, ref, n_refs;
};

/* The last row command on a rising edge, for the edge that pairs with it. */
struct pairing {
    int64_t edge;
    int rank, group, bank; /* bank -1: all */
};

struct channel {
    struct rank ranks[MAX_RANKS];
    int n_ranks;         /* seen so far */
    int64_t bus_free[2]; /* rows, columns */
    int64_t data_free[MAX_RANKS];
    struct pairing pairing;
};

struct command {
    int64_t step;
    int channel, rank, group, bank;
    int64_t row;
    enum kind kind;
};

struct checker {
    struct standard s;
    struct channel channels[MAX_CHANNELS];
    int64_t commands, faults, last;
    int64_t by_kind[N_KINDS];
    struct command now;
};

/* ---- Findings -------------------------------------------------------------------------------- */

static void object(struct checker *c, const char *rule, int64_t is, int64_t least)
{
    const struct command *m = &c->now;
    if (c->faults++ < MAX_SHOWN) {
        printf("step %lld channel %d rank %d group %d bank %d row %lld %s: %s", (long long)m->step,
               m->channel, m->rank, m->group, m->bank, (long long)m->row, kind_names[m->kind],
               rule);
        if (least) {
            printf(" %lld, at least %lld", (long long)is, (long long)least);
        }
        putchar('\n');
    }
}

/* The command must come at least n clocks after `before`; first and second are the steps that the
 * two commands take, for a rule is from the end of one to the end of the other. */
static void apart(struct checker *c, const char *rule, int64_t before, int n, int first, int second)
{
    int64_t least = (int64_t)n * c->s.steps + first - second;
    if (c->now.step - before < least) {
        object(c, rule, c->now.step - before, least);
    }
}

/* ---- Rules ----------------------------------------------------------------------------------- */

static void check_act(struct checker *c, struct rank *r, const struct bank *b)
{
    const struct standard *s = &c->s;
    const struct command *m = &c->now;
    if (b->row >= 0) {
        object(c, "ACT of an open bank", 0, 0);
    }
    apart(c, "RC", b->act, s->rc, s->act, s->act);
    apart(c, "RP", b->pre, s->rp, s->pre, s->act);
    apart(c, "RFC", r->ref, s->rfc, s->pre, s->act);
    apart(c, "FAW", r->acts[3], s->faw, s->act, s->act);
    apart(c, "RRD_L", r->groups[m->group].act, s->rrdl, s->act, s->act);
    for (int g = 0; g < s->groups; g++) {
        if (g != m->group) {
            apart(c, "RRD_S", r->groups[g].act, s->rrds, s->act, s->act);
        }
    }
}

static void check_pre(struct checker *c, const struct rank *r, const struct bank *b)
{
    const struct standard *s = &c->s;
    apart(c, "RAS", b->act, s->ras, s->act, s->pre);
    apart(c, "RTP", b->rd, s->rtp, s->col, s->pre);
    apart(c, "WR", b->wr, s->cwl + s->bl + s->wr, s->col, s->pre);
    apart(c, "PPD", r->pre, s->ppd, s->pre, s->pre);
}

static void check_column_groups(struct checker *c, const struct rank *r)
{
    const struct standard *s = &c->s;
    bool is_write = c->now.kind == WR;
    for (int g = 0; g < s->groups; g++) {
        bool same = g == c->now.group;
        const struct group *group = &r->groups[g];
        if (is_write) {
            apart(c, same ? "CCD_L_WR" : "CCD_S_WR", group->wr, same ? s->ccdlw : s->ccdsw, 0, 0);
            apart(c, "RTW", group->rd, s->rtw, 0, 0);
        } else {
            apart(c, same ? "CCD_L" : "CCD_S", group->rd, same ? s->ccdl : s->ccds, 0, 0);
            apart(c, same ? "WTR_L" : "WTR_S", group->wr,
                  s->cwl + s->bl + (same ? s->wtrl : s->wtrs), 0, 0);
        }
    }
}

/* Ranks share the data bus and must leave a gap; pseudo-channels have a bus each. */
static void check_other_ranks(struct checker *c, const struct channel *ch)
{
    const struct standard *s = &c->s;
    bool is_write = c->now.kind == WR;
    for (int i = 0; !s->pseudo && i < MAX_RANKS; i++) {
        const struct rank *r = &ch->ranks[i];
        if (i == c->now.rank) {
            continue;
        }
        if (is_write) {
            apart(c, "RTRS (RD, WR)", r->rd, s->cl + s->bl + s->rtrs - s->cwl, 0, 0);
            apart(c, "data bus (WR, WR)", r->wr, s->bl, 0, 0);
        } else {
            apart(c, "RTRS (RD, RD)", r->rd, s->bl + s->rtrs, 0, 0);
            apart(c, "RTRS (WR, RD)", r->wr, s->cwl + s->bl + s->rtrs - s->cl, 0, 0);
        }
    }
}

static void check_data(struct checker *c, struct channel *ch)
{
    const struct standard *s = &c->s;
    int64_t *free = &ch->data_free[s->pseudo ? c->now.rank : 0];
    int64_t start = c->now.step + (int64_t)(c->now.kind == WR ? s->cwl : s->cl) * s->steps;
    if (start < *free) {
        object(c, "data bus", start, *free);
    }
    *free = start + (int64_t)s->bl * s->steps;
}

static void check_column(struct checker *c, struct channel *ch, const struct rank *r,
                         const struct bank *b)
{
    const struct standard *s = &c->s;
    bool is_write = c->now.kind == WR;
    if (b->row != c->now.row) {
        object(c, "the row is not open", 0, 0);
    }
    apart(c, is_write ? "RCD (WR)" : "RCD (RD)", b->act, is_write ? s->rcdw : s->rcd, s->act,
          s->col);
    check_column_groups(c, r);
    check_other_ranks(c, ch);
    check_data(c, ch);
}

static void check_ref(struct checker *c, const struct rank *r)
{
    const struct standard *s = &c->s;
    for (int g = 0; g < s->groups; g++) {
        for (int k = 0; k < s->banks; k++) {
            const struct bank *b = &r->banks[g][k];
            if (b->row >= 0) {
                object(c, "REF with an open bank", 0, 0);
            }
            apart(c, "RP (REF)", b->pre, s->rp, 0, 0);
            apart(c, "RC (REF)", b->act, s->rc, s->act, s->pre);
        }
    }
    apart(c, "RFC (REF)", r->ref, s->rfc, 0, 0);
    int64_t due = (r->n_refs + 1) * s->refi * s->steps;
    if (c->now.step > due + (int64_t)s->postpone * s->steps) {
        object(c, "REFI: the refresh is late", 0, 0);
    }
}

/* One command at a time on a bus, and most start on a rising edge. */
static void check_bus(struct checker *c, struct channel *ch)
{
    const struct standard *s = &c->s;
    enum kind kind = c->now.kind;
    bool is_column = kind == RD || kind == WR;
    int64_t *free = &ch->bus_free[s->buses == 2 && is_column];
    if (c->now.step < *free) {
        object(c, "command bus", c->now.step, *free);
    }
    *free = c->now.step + (kind == ACT ? s->act : is_column ? s->col : s->pre);
    if (s->steps == 2 && kind != PRE && kind != PREA && c->now.step % 2 == 0) {
        object(c, "starts on a falling edge", 0, 0);
    }
}

/* On the falling edge that pairs with a row command, a PRE of that pseudo-channel must be of one
 * bank, and of another one. */
static void check_pairing(struct checker *c, struct channel *ch)
{
    const struct command *m = &c->now;
    const struct pairing *p = &ch->pairing;
    if (c->s.steps != 2 || m->kind == RD || m->kind == WR) {
        return;
    }
    if (m->step == p->edge && m->rank == p->rank &&
        (m->kind == PREA || p->bank < 0 || (m->group == p->group && m->bank == p->bank))) {
        object(c, "PRE on the paired edge", 0, 0);
    }
    if (m->step % 2 == 1) {
        bool is_all = m->kind == PREA || m->kind == REF;
        ch->pairing = (struct pairing){.edge = m->step + (m->kind == ACT ? 3 : 1),
                                       .rank = m->rank,
                                       .group = m->group,
                                       .bank = is_all ? -1 : m->bank};
    }
}

/* ---- State ----------------------------------------------------------------------------------- */

static void close_bank(struct checker *c, struct rank *r, struct bank *b)
{
    if (b->row >= 0) {
        check_pre(c, r, b);
    }
    b->row = -1;
    b->pre = c->now.step;
}

static void replay_row(struct checker *c, struct rank *r, struct bank *b)
{
    const struct command *m = &c->now;
    if (m->kind == ACT) {
        check_act(c, r, b);
        b->row = m->row;
        b->act = r->act = r->groups[m->group].act = m->step;
        memmove(r->acts + 1, r->acts, 3 * sizeof r->acts[0]);
        r->acts[0] = m->step;
    } else if (m->kind == PRE) {
        if (b->row < 0) {
            object(c, "PRE of a closed bank", 0, 0);
        }
        close_bank(c, r, b);
        r->pre = m->step;
    } else {
        check_ref(c, r);
        r->ref = m->step;
        r->n_refs++;
    }
}

static void replay(struct checker *c)
{
    const struct command *m = &c->now;
    struct channel *ch = &c->channels[m->channel];
    struct rank *r = &ch->ranks[m->rank];
    struct bank *b = &r->banks[m->group][m->bank];
    check_bus(c, ch);
    check_pairing(c, ch);
    if (m->kind == PREA) {
        for (int g = 0; g < c->s.groups; g++) {
            for (int k = 0; k < c->s.banks; k++) {
                close_bank(c, r, &r->banks[g][k]);
            }
        }
        r->pre = m->step;
    } else if (m->kind == RD || m->kind == WR) {
        check_column(c, ch, r, b);
        *(m->kind == RD ? &b->rd : &b->wr) = m->step;
        *(m->kind == RD ? &r->rd : &r->wr) = m->step;
        *(m->kind == RD ? &r->groups[m->group].rd : &r->groups[m->group].wr) = m->step;
    } else {
        replay_row(c, r, b);
    }
    if (m->rank >= ch->n_ranks) {
        ch->n_ranks = m->rank + 1;
    }
}

static void init_rank(struct rank *r)
{
    const int64_t past = -((int64_t)1 << 40);
    for (int g = 0; g < MAX_GROUPS; g++) {
        for (int k = 0; k < MAX_BANKS; k++) {
            r->banks[g][k] = (struct bank){past, past, past, past, -1};
        }
        r->groups[g] = (struct group){past, past, past};
    }
    for (int i = 0; i < 4; i++) {
        r->acts[i] = past;
    }
    r->act = r->pre = r->rd = r->wr = r->ref = past;
}

/* At the end no rank may owe a refresh. */
static void check_refreshes(struct checker *c)
{
    int64_t interval = (int64_t)c->s.refi * c->s.steps;
    int64_t owed = (c->last - (int64_t)c->s.postpone * c->s.steps) / interval;
    for (int i = 0; i < MAX_CHANNELS; i++) {
        for (int r = 0; r < c->channels[i].n_ranks; r++) {
            c->now = (struct command){.step = c->last, .channel = i, .rank = r, .kind = REF};
            if (c->channels[i].ranks[r].n_refs < owed) {
                object(c, "REFI: refreshes are missing", c->channels[i].ranks[r].n_refs, owed);
            }
        }
    }
}

/* ---- Input ----------------------------------------------------------------------------------- */

/* A number at *p and the blanks after it; false: none. */
static bool read_number(const char **p, int64_t most, int64_t *out)
{
    int64_t v = 0;
    if (!isdigit((unsigned char)**p)) {
        return false;
    }
    for (; isdigit((unsigned char)**p); (*p)++) {
        v = v * 10 + (**p - '0');
        if (v > most) {
            return false;
        }
    }
    while (**p == ' ') {
        (*p)++;
    }
    *out = v;
    return true;
}

static bool read_command(const struct checker *c, const char *line, struct command *out)
{
    int64_t v[6] = {0};
    const int64_t most[6] = {(int64_t)1 << 50, MAX_CHANNELS - 1, MAX_RANKS - 1,
                             c->s.groups - 1,  c->s.banks - 1,   INT32_MAX};
    for (int i = 0; i < 6; i++) {
        if (!read_number(&line, most[i], &v[i])) {
            return false;
        }
    }
    *out = (struct command){v[0], (int)v[1], (int)v[2], (int)v[3], (int)v[4], v[5], N_KINDS};
    size_t n = strcspn(line, "\r\n");
    for (int k = 0; k < N_KINDS; k++) {
        if (strlen(kind_names[k]) == n && memcmp(kind_names[k], line, n) == 0) {
            out->kind = (enum kind)k;
        }
    }
    return out->kind != N_KINDS;
}

/* Nothing was seen yet. */
static void forget(struct checker *c)
{
    memset(c->channels, 0, sizeof c->channels);
    c->last = 0;
    for (int i = 0; i < MAX_CHANNELS; i++) {
        for (int r = 0; r < MAX_RANKS; r++) {
            init_rank(&c->channels[i].ranks[r]);
        }
    }
}

static int run(struct checker *c, FILE *in)
{
    char line[256];
    struct command m;
    while (fgets(line, sizeof line, in)) {
        if (strcmp(line, "RESET\n") == 0) {
            check_refreshes(c);
            forget(c);
            continue;
        }
        if (!read_command(c, line, &m) || m.step < c->last) {
            fprintf(stderr, "dram_check: command %lld: \"%.*s\" is none, or comes too late\n",
                    (long long)c->commands + 1, (int)strcspn(line, "\n"), line);
            return 2;
        }
        c->now = m;
        c->commands++;
        c->by_kind[m.kind]++;
        c->last = m.step;
        replay(c);
    }
    check_refreshes(c);
    printf("%lld commands (", (long long)c->commands);
    for (int k = 0; k < N_KINDS; k++) {
        printf("%s%s %lld", k ? ", " : "", kind_names[k], (long long)c->by_kind[k]);
    }
    printf("): %lld faults\n", (long long)c->faults);
    return c->faults != 0;
}

static bool set_key(struct standard *s, const char *text)
{
    const char *value = strchr(text, '=');
    char *end;
    long number = value ? strtol(value + 1, &end, 10) : -1;
    if (number < 0 || number > 1000000 || *end || end == value + 1) {
        return false;
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strlen(keys[i].name) == (size_t)(value - text) &&
            memcmp(keys[i].name, text, (size_t)(value - text)) == 0) {
            int v = (int)number;
            memcpy((char *)s + keys[i].at, &v, sizeof v);
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    static struct checker c;
    for (size_t i = 0; argc > 1 && i < sizeof standards / sizeof standards[0]; i++) {
        if (strcmp(standards[i].name, argv[1]) == 0) {
            c.s = standards[i];
        }
    }
    if (!c.s.name) {
        fprintf(stderr, "usage: dram_check STANDARD [KEY=VALUE...] <TRACE\n");
        return 2;
    }
    c.s.postpone = c.s.refi / 8;
    for (int i = 2; i < argc; i++) {
        if (!set_key(&c.s, argv[i])) {
            fprintf(stderr, "dram_check: \"%s\": no such key, or no number\n", argv[i]);
            return 2;
        }
    }
    forget(&c);
    return run(&c, stdin);
}
