/* dram_traffic.c: memory under defined traffic. */
#include "lab/dram_traffic.h"

#include "base/alloc.h"

enum { BUCKETS = 1 << 16, LINE = 64 };

struct loop {
    const struct rp__dram_config *config;
    const struct rp__dram_traffic *traffic;
    struct rp__dram *dram;
    uint64_t random, drawn; /* state of the generator; requests drawn */
    uint64_t reads, writes; /* of them, with sequential addresses */
    uint64_t address;       /* of the request to be sent next */
    bool is_write, has_next;
    uint64_t in_flight, done, generated;
    double credit;  /* requests of an open loop, with a fraction */
    uint32_t *born; /* open loop: the clock in which a request was made */
    uint32_t *accepted_hist, *generated_hist;
    struct rp__dram_measured *out;
};

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* Whether request i is a write: spread evenly, or by its random number. */
static bool is_write(const struct rp__dram_traffic *t, uint64_t i, uint64_t random)
{
    if (t->pattern == RP__DRAM_RAND) {
        return t->write_percent == 25 ? (random >> 40 & 3U) == 0
                                      : (random >> 40) % 100 < t->write_percent;
    }
    return i * t->write_percent / 100 != (i + 1) * t->write_percent / 100;
}

static void make_request(struct loop *loop)
{
    const struct rp__dram_traffic *t = loop->traffic;
    uint64_t i = loop->drawn++, random = 0;
    if (t->pattern == RP__DRAM_RAND) {
        random = draw(&loop->random);
    }
    loop->is_write = t->write_percent && is_write(t, i, random);
    loop->has_next = true;
    switch (t->pattern) {
    case RP__DRAM_RAND:
        loop->address = random & ((1ULL << 33) - 1) & ~63ULL;
        break;
    case RP__DRAM_STRIDE:
        loop->address = i * t->stride;
        break;
    case RP__DRAM_STREAMS:
        loop->address = i % t->streams * ((1ULL << 28) + (1ULL << 17)) + i / t->streams * LINE;
        break;
    case RP__DRAM_SEQ:
        loop->address = loop->is_write ? (1ULL << 32) + loop->writes * LINE : loop->reads * LINE;
        break;
    }
    *(loop->is_write ? &loop->writes : &loop->reads) += 1;
}

/* Whether another request may be offered now. */
static bool is_due(const struct loop *loop)
{
    const struct rp__dram_traffic *t = loop->traffic;
    if (loop->drawn - loop->has_next >= t->n) {
        return false;
    }
    return t->load ? loop->drawn - loop->has_next < loop->generated : loop->in_flight < t->window;
}

static void offer(struct loop *loop)
{
    for (uint32_t i = 0; i < loop->config->channels && is_due(loop); i++) {
        if (!loop->has_next) {
            make_request(loop);
        }
        if (!rp__dram_send(loop->dram, loop->address, loop->is_write,
                           (uint32_t)(loop->drawn - 1))) {
            return;
        }
        loop->has_next = false;
        loop->in_flight++;
    }
}

/* Requests of an open loop that this clock brings. The sum is a double, as in the loop that made
 * the reference figures: its rounding decides in which clock a request comes. */
static void generate(struct loop *loop, uint64_t clock)
{
    const struct rp__dram_config *c = loop->config;
    double peak = c->has_pseudo ? c->channels * c->ranks / (2.0 * c->timing.bl)
                                : (double)c->channels / c->timing.bl;
    loop->credit += loop->traffic->load / 100.0 * peak;
    for (; loop->credit >= 1.0; loop->credit -= 1.0) {
        if (loop->generated < loop->traffic->n) {
            loop->born[loop->generated++] = (uint32_t)clock;
        }
    }
}

static void record(uint32_t *hist, uint64_t *sum, uint64_t latency)
{
    *sum += latency;
    hist[latency < BUCKETS ? latency : BUCKETS - 1]++;
}

static void collect(struct loop *loop)
{
    struct rp__dram_done done;
    while (rp__dram_take_done(loop->dram, &done)) {
        loop->in_flight--;
        loop->done++;
        if (done.is_write) {
            loop->out->writes++;
            continue;
        }
        loop->out->reads++;
        record(loop->accepted_hist, &loop->out->latency_sum, done.done - done.accepted);
        if (loop->traffic->load) {
            uint64_t born = (uint64_t)loop->born[done.tag] * loop->config->steps;
            record(loop->generated_hist, &loop->out->generated_sum, done.done - born);
        }
    }
}

/* The smallest latency that 99 % of the reads do not exceed. */
static uint64_t percentile(const uint32_t *hist, uint64_t n)
{
    uint64_t seen = 0, i = 0;
    while (i < BUCKETS - 1 && (seen += hist[i]) * 100 < n * 99) {
        i++;
    }
    return i;
}

/* Lets the writes that wait go out. A controller may keep some for ever: two refreshes without a WR
 * end it. */
static void drain(struct loop *loop)
{
    struct rp__dram_counters now;
    uint64_t written = UINT64_MAX, last = 0;
    uint64_t halves = loop->config->has_pseudo ? 2 : 1;
    rp__dram_counters(loop->dram, &now);
    while (
        now.wr < now.writes * halves - now.merged &&
        (now.wr != written || rp__dram_now(loop->dram) < last + 2ULL * loop->config->timing.refi)) {
        if (now.wr != written) {
            written = now.wr;
            last = rp__dram_now(loop->dram);
        }
        rp__dram_jump(loop->dram, rp__dram_next_event(loop->dram));
        rp__dram_counters(loop->dram, &now);
    }
}

static void run(struct loop *loop)
{
    const struct rp__dram_traffic *t = loop->traffic;
    do {
        if (t->load) {
            generate(loop, rp__dram_now(loop->dram));
        }
        offer(loop);
        if (is_due(loop) || t->load) {
            rp__dram_tick(loop->dram);
        } else {
            rp__dram_jump(loop->dram, rp__dram_next_event(loop->dram));
        }
        collect(loop);
    } while (loop->done < t->n);
    loop->out->done_steps = rp__dram_now(loop->dram) * loop->config->steps;
    drain(loop);
    rp__dram_counters(loop->dram, &loop->out->counters);
    loop->out->steps = loop->out->counters.last_step;
    loop->out->latency_p99 = percentile(loop->accepted_hist, loop->out->reads);
    loop->out->generated_p99 = percentile(loop->generated_hist, loop->out->reads);
}

bool rp__dram_traffic_run(const struct rp__dram_config *config,
                          const struct rp__dram_traffic *traffic, struct rp__dram_measured *out)
{
    struct loop loop = {.config = config,
                        .traffic = traffic,
                        .out = out,
                        .random = traffic->seed ? traffic->seed : 88172645463325252ULL};
    *out = (struct rp__dram_measured){0};
    loop.dram = rp__dram_new(config);
    loop.accepted_hist = rp__alloc_zero(BUCKETS, sizeof *loop.accepted_hist);
    loop.generated_hist = rp__alloc_zero(BUCKETS, sizeof *loop.generated_hist);
    loop.born = rp__alloc_array(traffic->load ? traffic->n : 1, sizeof *loop.born);
    bool is_ok = loop.dram && loop.accepted_hist && loop.generated_hist && loop.born;
    if (is_ok) {
        run(&loop);
    }
    rp__free(loop.born);
    rp__free(loop.generated_hist);
    rp__free(loop.accepted_hist);
    rp__dram_free(loop.dram);
    return is_ok;
}
