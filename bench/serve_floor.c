/* serve_floor.c: what an HTTP answer costs at the least, for bench/serve_cost.sh.
 *
 *   serve_floor plain PORT THREADS [BYTES]
 *                                         an empty handler of libmicrohttpd: every request gets BYTES (1024) at once
 *   serve_floor suspended PORT THREADS [BYTES]
 *                                         the same by another thread, which resumes the connection
 *   serve_floor library DIR QUERIES SECONDS [THREADS]
 *                                         the library alone: CPU microseconds and queries a second
 *
 * A handler runs until its standard input ends. */
#include <microhttpd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "riposte/riposte.h"
#include "riposte/search.h"
#include "riposte/topics.h"

enum { REPLY = 1024, REPLY_MOST = 1 << 20, QUEUE = 1 << 14, MOST_QUERIES = 1 << 20 };

static char reply[REPLY_MOST];
static size_t reply_bytes = REPLY;

/* ---- Handlers -------------------------------------------------------------------------------- */

/* Connections that wait for their answer. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    struct MHD_Connection *of[QUEUE];
    size_t begin, end;
} waiting = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};

static void *resume_all(void *arg)
{
    (void)arg;
    for (;;) {
        pthread_mutex_lock(&waiting.lock);
        while (waiting.begin == waiting.end)
            pthread_cond_wait(&waiting.moved, &waiting.lock);
        struct MHD_Connection *next = waiting.of[waiting.begin++ % QUEUE];
        pthread_mutex_unlock(&waiting.lock);
        MHD_resume_connection(next);
    }
    return NULL;
}

static void wait_in_line(struct MHD_Connection *connection)
{
    MHD_suspend_connection(connection);
    pthread_mutex_lock(&waiting.lock);
    waiting.of[waiting.end++ % QUEUE] = connection;
    pthread_cond_signal(&waiting.moved);
    pthread_mutex_unlock(&waiting.lock);
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *data_bytes, void **context)
{
    static int seen, asked;
    const int *is_suspended = arg;
    (void)url;
    (void)method;
    (void)version;
    (void)data;
    if (!*context) {
        *context = &seen;
        return MHD_YES;
    }
    if (*data_bytes > 0) {
        *data_bytes = 0;
        return MHD_YES;
    }
    if (*is_suspended && *context == &seen) {
        *context = &asked;
        wait_in_line(connection);
        return MHD_YES;
    }
    struct MHD_Response *r =
        MHD_create_response_from_buffer(reply_bytes, reply, MHD_RESPMEM_PERSISTENT);
    MHD_add_response_header(r, "Content-Type", "application/json");
    const enum MHD_Result result = MHD_queue_response(connection, 200, r);
    MHD_destroy_response(r);
    return result;
}

static int serve(int is_suspended, unsigned port, unsigned threads)
{
    pthread_t resumer;
    char byte;
    if (is_suspended && pthread_create(&resumer, NULL, resume_all, NULL) != 0)
        return 1;
    struct MHD_Daemon *daemon =
        MHD_start_daemon(MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, (uint16_t)port,
                         NULL, NULL, on_request, &is_suspended, MHD_OPTION_THREAD_POOL_SIZE,
                         threads, MHD_OPTION_CONNECTION_LIMIT, 10000U,
                         MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)48 << 10, MHD_OPTION_END);
    if (!daemon)
        return 1;
    printf("listening on http://127.0.0.1:%u\n",
           MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    while (read(0, &byte, 1) > 0)
        ;
    _exit(0); /* the resumer never ends */
}

/* ---- The library ----------------------------------------------------------------------------- */

typedef struct worker {
    const rp_index *index;
    const rp_topic *topics;
    size_t n, first;
    double seconds;
    unsigned long long answered;
} worker;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double cpu_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void *search_all(void *arg)
{
    worker *w = arg;
    const rp_search_options options = {.processor = "cpu"};
    rp_searcher *searcher;
    rp_error err;
    if (rp_searcher_new(w->index, &options, &searcher, &err) != RP_OK)
        return NULL;
    const double end = now() + w->seconds;
    for (size_t i = w->first; i % 64 != 0 || now() < end; i++) {
        const rp_topic *t = &w->topics[i % w->n];
        rp_hits hits = {0};
        w->answered += rp_searcher_search(searcher, t->query, t->query_bytes, &hits, &err) == RP_OK;
        rp_hits_free(&hits);
    }
    rp_searcher_free(searcher);
    return NULL;
}

static int search(const char *dir, const char *queries, double seconds, size_t threads)
{
    static rp_topic topics[MOST_QUERIES];
    pthread_t of[256];
    worker workers[256];
    rp_index *index;
    rp_topics *file;
    rp_error err;
    size_t n = 0;
    bool has = true;
    if (rp_index_open(dir, NULL, &index, &err) != RP_OK ||
        rp_topics_open(queries, NULL, &file, &err) != RP_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    while (n < MOST_QUERIES && rp_topics_next(file, &topics[n], &has, &err) == RP_OK && has)
        n++;
    const double begin = now(), cpu = cpu_seconds();
    threads = threads < 1 ? 1 : threads > 256 ? 256 : threads;
    unsigned long long answered = 0;
    for (size_t i = 0; i < threads; i++) {
        workers[i] = (worker){index, topics, n, i * 64 * 97, seconds, 0};
        pthread_create(&of[i], NULL, search_all, &workers[i]);
    }
    for (size_t i = 0; i < threads; i++) {
        pthread_join(of[i], NULL);
        answered += workers[i].answered;
    }
    printf("%.2f us CPU a query, %.0f queries a second\n",
           (cpu_seconds() - cpu) * 1e6 / (double)answered, (double)answered / (now() - begin));
    rp_topics_close(file);
    rp_index_close(index);
    return 0;
}

int main(int argc, char **argv)
{
    memset(reply, 'x', sizeof reply);
    if (argc == 5 && strcmp(argv[1], "library") != 0)
        reply_bytes = (size_t)atoi(argv[4]) < REPLY_MOST ? (size_t)atoi(argv[4]) : REPLY_MOST;
    if (argc >= 4 && strcmp(argv[1], "plain") == 0)
        return serve(0, (unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]));
    if (argc >= 4 && strcmp(argv[1], "suspended") == 0)
        return serve(1, (unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]));
    if (argc >= 5 && strcmp(argv[1], "library") == 0)
        return search(argv[2], argv[3], atof(argv[4]), argc > 5 ? (size_t)atoi(argv[5]) : 1);
    fprintf(stderr, "serve_floor plain|suspended PORT THREADS [BYTES], or library DIR QUERIES "
                    "SECONDS [THREADS]\n");
    return 2;
}
