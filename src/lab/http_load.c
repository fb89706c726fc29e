/* http_load.c: generators, each a thread with its own connections, its share of the rate and an epoll.
 *
 * A request takes a free connection when it is due; where none is free it waits, and its latency counts from when it was
 * due. A connection that the service ends is made anew; what was asked on it has failed. */
#include "lab/http_load.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/random.h"
#include "base/thread.h"
#include "lab/arrivals.h"
#include "lab/histogram.h"
#include "lab/http_reply.h"

enum {
    GENERATOR_RATE = 20000, /* requests a second that one generator is given at most */
    CONNECT_SECONDS = 5,
    EVENTS = 256,
    READ_BYTES = 16 << 10,
    KEPT_BYTES = 1 << 20,   /* of a connection's buffer */
    REPLY_MOST = 256 << 20, /* bytes */
    RETRY_NS = 50000000,    /* between attempts to connect again */
    GRACE_NS = 1000000000,  /* times GRACES: for the last replies */
    GRACES = 35,
};

typedef enum link_state { LINK_FREE, LINK_BUSY, LINK_CONNECTING, LINK_DOWN } link_state;

/* A connection. */
typedef struct tcp_link {
    int fd;
    link_state state;
    uint64_t due; /* of its request; down: when to try again */
    const char *request;
    size_t request_bytes, sent;
    bool waits_to_send;
    rp__buf in;
} tcp_link;

typedef struct run {
    const rp__http_asks *asks;
    const rp__http_load_options *options;
    struct sockaddr_storage address;
    socklen_t address_bytes;
    uint32_t generators;
    uint64_t begin;
    uint64_t jobs; /* of an open loop */
} run;

typedef struct generator {
    const run *run;
    uint32_t number;
    int epoll, timer;
    tcp_link *links;
    uint32_t n_links, n_busy, n_down;
    /* A ring of links: the one that was free first is used next, so that none is idle for so long
     * that the service ends it while a request is on its way there. */
    uint32_t *free;
    uint32_t first_free, n_free;
    uint64_t free_since; /* when a link was last put into an empty ring */
    uint64_t next;       /* request */
    uint64_t due;        /* of it */
    double at;           /* the same, in nanoseconds from the begin */
    rp__random random;
    uint64_t armed; /* what the timer is set to */
    uint64_t last;  /* end of a request */
    uint64_t lag_sum, lag_most;
    rp_status status;
    rp__histogram times;
    rp__http_load_figures counts;
} generator;

/* ---- 1. Connections -------------------------------------------------------------------------- */

static int open_socket(const run *r, int flags)
{
    const int one = 1;
    const int fd = socket(r->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
    if (fd >= 0)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

/* A first connection: waited for, so that a service that is not there is named. */
static int connect_first(const run *r)
{
    const struct timeval most = {.tv_sec = CONNECT_SECONDS};
    const int fd = open_socket(r, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
    if (connect(fd, (const struct sockaddr *)&r->address, r->address_bytes) == 0 &&
        fcntl(fd, F_SETFL, O_NONBLOCK) == 0)
        return fd;
    const int why = errno == EINPROGRESS ? ETIMEDOUT : errno;
    close(fd);
    errno = why;
    return -1;
}

static void set_address(run *r, const struct addrinfo *found)
{
    memcpy(&r->address, found->ai_addr, found->ai_addrlen);
    r->address_bytes = found->ai_addrlen;
}

/* Of a name's addresses the first that somebody listens at: localhost may be ::1 or 127.0.0.1. */
static rp_status find_address(const rp__url *url, run *r, rp_error *err)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found;
    const int failed = getaddrinfo(url->host, url->port, &hints, &found);
    int fd = -1;
    if (failed)
        return rp__error_set(err, RP_IO, "%.100s: %s", url->host, gai_strerror(failed));
    for (const struct addrinfo *at = found; found->ai_next && at && fd < 0; at = at->ai_next) {
        set_address(r, at);
        fd = connect_first(r);
    }
    if (fd < 0)
        set_address(r, found); /* the only one; or none listens, as connecting will say */
    else
        close(fd);
    freeaddrinfo(found);
    return RP_OK;
}

static void watch(generator *g, tcp_link *l, int op, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.u64 = (uint64_t)(l - g->links)};
    epoll_ctl(g->epoll, op, l->fd, &e);
}

static uint32_t *free_at(const generator *g, uint32_t i)
{
    return &g->free[(g->first_free + i) % g->n_links];
}

static void set_free(generator *g, tcp_link *l, uint64_t now)
{
    if (g->n_free == 0)
        g->free_since = now;
    l->state = LINK_FREE;
    *free_at(g, g->n_free++) = (uint32_t)(l - g->links);
}

static tcp_link *take_free(generator *g)
{
    tcp_link *l = &g->links[*free_at(g, 0)];
    g->first_free = (g->first_free + 1) % g->n_links;
    g->n_free--;
    return l;
}

static void set_down(generator *g, tcp_link *l, uint64_t now)
{
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
    l->state = LINK_DOWN;
    l->due = now + RETRY_NS;
    g->n_down++;
}

static void reconnect(generator *g, tcp_link *l, uint64_t now)
{
    g->n_down--;
    g->counts.reconnected++;
    rp__buf_clear(&l->in, KEPT_BYTES);
    l->fd = open_socket(g->run, SOCK_NONBLOCK);
    l->state = LINK_CONNECTING;
    if (l->fd < 0 ||
        (connect(l->fd, (const struct sockaddr *)&g->run->address, g->run->address_bytes) != 0 &&
         errno != EINPROGRESS)) {
        set_down(g, l, now);
        return;
    }
    watch(g, l, EPOLL_CTL_ADD, EPOLLOUT);
}

static void end_connecting(generator *g, tcp_link *l, uint64_t now)
{
    int fault = 0;
    socklen_t bytes = sizeof fault;
    if (getsockopt(l->fd, SOL_SOCKET, SO_ERROR, &fault, &bytes) != 0 || fault != 0) {
        set_down(g, l, now);
        return;
    }
    watch(g, l, EPOLL_CTL_MOD, EPOLLIN);
    l->waits_to_send = false;
    set_free(g, l, now);
}

static void leave_ring(generator *g, const tcp_link *l)
{
    const uint32_t number = (uint32_t)(l - g->links);
    uint32_t i = 0;
    while (*free_at(g, i) != number)
        i++;
    for (g->n_free--; i < g->n_free; i++)
        *free_at(g, i) = *free_at(g, i + 1);
}

/* The service has ended the connection, or what it sent is no reply. */
static void lose(generator *g, tcp_link *l, uint64_t now)
{
    if (l->state == LINK_BUSY) {
        g->n_busy--;
        g->counts.failed++;
        g->counts.lost++;
        g->last = now;
    } else if (l->state == LINK_FREE) {
        leave_ring(g, l);
    }
    set_down(g, l, now);
}

/* ---- 2. Requests and replies ----------------------------------------------------------------- */

static void send_more(generator *g, tcp_link *l, uint64_t now)
{
    const ssize_t n = send(l->fd, l->request + l->sent, l->request_bytes - l->sent, MSG_NOSIGNAL);
    if (n < 0 && errno != EAGAIN && errno != EINTR) {
        lose(g, l, now);
        return;
    }
    l->sent += n > 0 ? (size_t)n : 0;
    const bool waits = l->sent < l->request_bytes;
    if (waits != l->waits_to_send)
        watch(g, l, EPOLL_CTL_MOD, waits ? EPOLLIN | EPOLLOUT : EPOLLIN);
    l->waits_to_send = waits;
}

static void ask(generator *g, uint64_t due, uint64_t now)
{
    tcp_link *l = take_free(g);
    l->state = LINK_BUSY;
    l->due = due;
    l->sent = 0;
    l->request = rp__http_asks_at(g->run->asks, g->next, &l->request_bytes);
    g->next += g->run->generators;
    g->n_busy++;
    g->counts.requests++;
    send_more(g, l, now);
}

/* No string of JSON has quotes that are not escaped, so this is found nowhere else. */
static bool is_partial(const char *body, size_t bytes)
{
    static const char mark[] = "\"is_partial\":true";
    return bytes > 0 && memmem(body, bytes, mark, sizeof mark - 1) != NULL;
}

static void count_reply(generator *g, const tcp_link *l, const rp__http_reply *reply, uint64_t now)
{
    rp__http_load_figures *c = &g->counts;
    c->statuses[reply->status]++;
    c->reply_bytes += reply->head_bytes + reply->body_bytes;
    c->answered += reply->status == 200;
    c->refused += reply->status == 429;
    c->failed += reply->status != 200 && reply->status != 429;
    if (reply->status == 200) {
        rp__histogram_add(&g->times, now - l->due);
        c->partial +=
            is_partial((const char *)l->in.at + reply->head_bytes, (size_t)reply->body_bytes);
    }
    g->last = now;
}

/* What has come makes a whole reply, or not yet. */
static void take_reply(generator *g, tcp_link *l, uint64_t now)
{
    rp__http_reply reply;
    const rp__http_reply_state state = rp__http_reply_read((const char *)l->in.at, l->in.n, &reply);
    if (l->in.n == 0 || state == RP_HTTP_REPLY_PART)
        return;
    if (state == RP_HTTP_REPLY_BAD || reply.body_bytes > REPLY_MOST || reply.status < 200 ||
        l->state != LINK_BUSY) {
        lose(g, l, now);
        return;
    }
    const size_t whole = reply.head_bytes + (size_t)reply.body_bytes;
    if (l->in.n < whole)
        return;
    count_reply(g, l, &reply, now);
    g->n_busy--;
    /* more than was asked for, or an answer before all was asked */
    if (reply.closes || l->in.n > whole || l->sent < l->request_bytes) {
        set_down(g, l, now);
        l->due = now;
        return;
    }
    rp__buf_clear(&l->in, KEPT_BYTES);
    set_free(g, l, now);
}

static void read_link(generator *g, tcp_link *l, uint64_t now)
{
    uint8_t *room = rp__buf_room(&l->in, READ_BYTES);
    if (!room) {
        g->status = RP_NO_MEMORY;
        return;
    }
    const ssize_t n = recv(l->fd, room, READ_BYTES, 0);
    if (n > 0) {
        l->in.n += (size_t)n;
        take_reply(g, l, now);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        lose(g, l, now);
    }
}

/* ---- 3. The loop ----------------------------------------------------------------------------- */

static void draw_next(generator *g)
{
    const rp__http_load_options *o = g->run->options;
    g->at += rp__arrivals_gap(&g->random, o->is_poisson, 1e9 * g->run->generators / o->rate);
    g->due = g->run->begin + (uint64_t)g->at;
}

static uint64_t end_of(const run *r)
{
    return r->begin + (uint64_t)(r->options->seconds * 1e9);
}

static bool has_more(const generator *g, uint64_t now)
{
    return g->run->options->is_closed ? now < end_of(g->run) : g->next < g->run->jobs;
}

static void ask_all_that_are_due(generator *g, uint64_t now)
{
    const bool is_closed = g->run->options->is_closed;
    while (g->n_free > 0 && has_more(g, now) && (is_closed || g->due <= now)) {
        const uint64_t ready = g->due > g->free_since ? g->due : g->free_since;
        const uint64_t lag = is_closed || now < ready ? 0 : now - ready;
        g->lag_sum += lag;
        g->lag_most = lag > g->lag_most ? lag : g->lag_most;
        ask(g, is_closed ? now : g->due, now);
        if (!is_closed)
            draw_next(g);
        now = rp__clock_now();
    }
}

/* When there is something to do of which no connection has an event. */
static uint64_t next_look(const generator *g, uint64_t now)
{
    uint64_t at = now + RETRY_NS;
    if (!g->run->options->is_closed && g->n_free > 0 && has_more(g, now) && g->due < at)
        at = g->due;
    return at;
}

static void arm(generator *g, uint64_t at)
{
    if (at == g->armed)
        return;
    g->armed = at;
    const struct itimerspec when = {
        .it_value = {.tv_sec = (time_t)(at / 1000000000), .tv_nsec = (long)(at % 1000000000)}};
    timerfd_settime(g->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

static void revive(generator *g, uint64_t now)
{
    for (uint32_t i = 0; i < g->n_links && g->n_down > 0; i++)
        if (g->links[i].state == LINK_DOWN && g->links[i].due <= now)
            reconnect(g, &g->links[i], now);
}

static void on_event(generator *g, const struct epoll_event *e, uint64_t now)
{
    uint64_t expired;
    if (e->data.u64 == UINT64_MAX) {
        if (read(g->timer, &expired, sizeof expired) > 0)
            g->armed = 0;
        return;
    }
    tcp_link *l = &g->links[e->data.u64];
    if (l->fd < 0)
        return;
    if (l->state == LINK_CONNECTING) {
        end_connecting(g, l, now);
        return;
    }
    if (e->events & EPOLLOUT && l->state == LINK_BUSY && l->sent < l->request_bytes)
        send_more(g, l, now);
    if (l->fd >= 0 && e->events & (EPOLLIN | EPOLLHUP | EPOLLERR))
        read_link(g, l, now);
}

static void loop(generator *g)
{
    struct epoll_event events[EVENTS];
    const uint64_t latest = end_of(g->run) + GRACE_NS * (uint64_t)GRACES;
    uint64_t now = rp__clock_now();
    while (g->status == RP_OK && (g->n_busy > 0 || has_more(g, now)) && now < latest) {
        revive(g, now);
        ask_all_that_are_due(g, now);
        now = rp__clock_now();
        const uint64_t look = next_look(g, now);
        if (look > now)
            arm(g, look);
        const int n = epoll_wait(g->epoll, events, EVENTS, look > now ? -1 : 0);
        now = rp__clock_now();
        for (int i = 0; i < n; i++)
            on_event(g, &events[i], now);
    }
    g->counts.failed += g->n_busy; /* never answered */
    if (!g->run->options->is_closed && g->next < g->run->jobs) {
        const uint64_t left =
            (g->run->jobs - g->next + g->run->generators - 1) / g->run->generators;
        g->counts.requests += left; /* that found no connection */
        g->counts.failed += left;
    }
}

/* ---- 4. Generators --------------------------------------------------------------------------- */

static rp_status open_generator(generator *g, const run *r, uint32_t number, const rp__url *url,
                                rp_error *err)
{
    const uint32_t all = r->options->connections;
    g->run = r;
    g->number = number;
    g->next = number;
    g->epoll = epoll_create1(EPOLL_CLOEXEC);
    g->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    g->n_links = all / r->generators + (number < all % r->generators);
    g->links = rp__alloc_zero(g->n_links, sizeof *g->links);
    g->free = rp__alloc_array(g->n_links, sizeof *g->free);
    rp__random_init(&g->random, r->options->seed + number);
    for (uint32_t i = 0; i < g->n_links && g->links; i++) {
        rp__buf_init(&g->links[i].in);
        g->links[i].fd = -1;
    }
    if (!g->links || !g->free)
        return rp__error_no_memory(err);
    if (g->epoll < 0 || g->timer < 0)
        return rp__error_set(err, RP_IO, "no descriptor for the generator: %s", strerror(errno));
    struct epoll_event timer = {.events = EPOLLIN, .data.u64 = UINT64_MAX};
    epoll_ctl(g->epoll, EPOLL_CTL_ADD, g->timer, &timer);
    for (uint32_t i = 0; i < g->n_links; i++) {
        tcp_link *l = &g->links[i];
        l->fd = connect_first(r);
        if (l->fd < 0)
            return rp__error_set(err, RP_IO, "%.100s: no connection: %s; is it served?",
                                 url->authority, strerror(errno));
        watch(g, l, EPOLL_CTL_ADD, EPOLLIN);
        set_free(g, l, rp__clock_now());
    }
    return RP_OK;
}

static void close_generator(generator *g)
{
    for (uint32_t i = 0; i < g->n_links && g->links; i++) {
        if (g->links[i].fd >= 0)
            close(g->links[i].fd);
        rp__buf_free(&g->links[i].in);
    }
    if (g->epoll >= 0)
        close(g->epoll);
    if (g->timer >= 0)
        close(g->timer);
    rp__free(g->links);
    rp__free(g->free);
}

static void generate(void *arg, uint32_t worker)
{
    generator *g = (generator *)arg + worker;
    if (!g->run->options->is_closed) {
        g->at = 1e9 / g->run->options->rate * worker;
        g->due = g->run->begin + (uint64_t)g->at;
        if (g->run->options->is_poisson)
            draw_next(g);
    }
    loop(g);
}

static uint32_t count_generators(const rp__http_load_options *o)
{
    const uint32_t cores = rp__cpu_cores();
    uint32_t n = o->generators;
    if (n == 0 && o->is_closed)
        n = (cores + 3) / 4;
    else if (n == 0)
        n = o->rate < (double)GENERATOR_RATE * cores ? (uint32_t)(o->rate / GENERATOR_RATE) + 1
                                                     : cores;
    return n < o->connections ? n : o->connections;
}

/* ---- 5. Figures ------------------------------------------------------------------------------ */

static void add_counts(rp__http_load_figures *out, const rp__http_load_figures *c)
{
    out->requests += c->requests;
    out->answered += c->answered;
    out->partial += c->partial;
    out->refused += c->refused;
    out->failed += c->failed;
    out->lost += c->lost;
    out->reconnected += c->reconnected;
    out->reply_bytes += c->reply_bytes;
    for (size_t i = 0; i < RP_HTTP_LOAD_STATUSES; i++)
        out->statuses[i] += c->statuses[i];
}

static double seconds_at(const rp__histogram *h, double share)
{
    return (double)rp__histogram_at(h, share) / 1e9;
}

static void fill(const run *r, const generator *all, rp__histogram *times,
                 rp__http_load_figures *out)
{
    uint64_t last = r->begin, lag_sum = 0, lag_most = 0;
    for (uint32_t i = 0; i < r->generators; i++) {
        const generator *g = &all[i];
        add_counts(out, &g->counts);
        rp__histogram_merge(times, &g->times);
        last = g->last > last ? g->last : last;
        lag_sum += g->lag_sum;
        lag_most = g->lag_most > lag_most ? g->lag_most : lag_most;
    }
    out->generators = r->generators;
    out->seconds = (double)(last - r->begin) / 1e9;
    out->times.mean = times->n ? (double)times->sum / (double)times->n / 1e9 : 0;
    out->times.p50 = seconds_at(times, 0.5);
    out->times.p80 = seconds_at(times, 0.8);
    out->times.p90 = seconds_at(times, 0.9);
    out->times.p95 = seconds_at(times, 0.95);
    out->times.p99 = seconds_at(times, 0.99);
    out->times.p999 = seconds_at(times, 0.999);
    out->times.most = (double)times->most / 1e9;
    out->times.generator_mean = out->requests ? (double)lag_sum / (double)out->requests / 1e9 : 0;
    out->times.generator_most = (double)lag_most / 1e9;
}

static rp_status run_all(run *r, generator *all, const rp__url *url, rp_error *err)
{
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < r->generators; i++)
        all[i].epoll = all[i].timer = -1;
    for (uint32_t i = 0; i < r->generators && status == RP_OK; i++)
        status = open_generator(&all[i], r, i, url, err);
    if (status != RP_OK)
        return status;
    r->begin = rp__clock_now() + 1000000;
    status = rp__thread_run(r->generators, generate, all);
    for (uint32_t i = 0; i < r->generators && status == RP_OK; i++)
        status = all[i].status;
    return status == RP_OK ? RP_OK : rp__error_no_memory(err);
}

rp_status rp__http_load_run(const rp__url *url, const rp__http_asks *asks,
                            const rp__http_load_options *options, rp__http_load_figures *out,
                            rp_error *err)
{
    run r = {.asks = asks,
             .options = options,
             .generators = count_generators(options),
             .jobs = (uint64_t)(options->rate * options->seconds)};
    *out = (rp__http_load_figures){0};
    rp_status status = find_address(url, &r, err);
    if (status != RP_OK)
        return status;
    generator *all = rp__alloc_zero(r.generators, sizeof *all);
    rp__histogram *times = rp__alloc_zero(1, sizeof *times);
    if (!all || !times)
        status = rp__error_no_memory(err);
    else
        status = run_all(&r, all, url, err);
    if (status == RP_OK)
        fill(&r, all, times, out);
    for (uint32_t i = 0; i < r.generators && all; i++)
        close_generator(&all[i]);
    rp__free(all);
    rp__free(times);
    return status;
}
