/* service.c: opens indexes and their executors, takes over new generations, and closes old ones. */
#include "serve/service.h"

#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include "serve/routes.h"

/* ---- 1. Generations -------------------------------------------------------------------------- */

static void free_searchers(rp__idle_searchers *idle)
{
    for (size_t i = 0; i < idle->n; i++)
        rp_searcher_free(idle->at[i]);
    pthread_mutex_destroy(&idle->lock);
}

static void close_generation(rp__generation *g)
{
    if (!g)
        return;
    rp__compare_close(&g->compare);
    rp_executor_free(g->executor);
    for (size_t i = 0; i < RP_IDLE_SEARCHERS; i++)
        free_searchers(&g->idle[i]);
    rp_index_close(g->index);
    rp__free(g);
}

static rp_status open_generation(const rp__serve_options *options, const char *dir,
                                 rp__generation **out, rp_error *err)
{
    rp__generation *g = rp__alloc_zero(1, sizeof *g);
    *out = NULL;
    if (!g)
        return rp__error_no_memory(err);
    for (size_t i = 0; i < RP_IDLE_SEARCHERS; i++)
        rp__thread_lock_init(&g->idle[i].lock);
    rp__compare_open(&g->compare);
    atomic_store(&g->refs[0].n, 1);
    g->search = *options->executor.search;
    g->search.processor = "cpu";
    g->search.threads = 1;
    g->search.strict_processor = false;
    g->search.algorithm = NULL;
    rp_status status =
        rp_index_open(dir, &(rp_index_options){.verify = options->verify}, &g->index, err);
    if (status == RP_OK) {
        rp_index_get_info(g->index, &g->info);
        rp__examples_find(g->index, &g->info, &g->examples);
        status = rp_executor_new(g->index, &options->executor, &g->executor, err);
    }
    if (status == RP_OK) {
        rp_executor_report report;
        rp_executor_get_report(g->executor, &report);
        g->has_card = report.has_card;
    }
    if (status != RP_OK) {
        close_generation(g);
        return status;
    }
    *out = g;
    return RP_OK;
}

static size_t own_part(void)
{
    return rp__thread_number() % RP_SERVICE_PARTS;
}

void rp__service_release(rp__generation *generation)
{
    if (generation)
        atomic_fetch_sub(&generation->refs[own_part()].n, 1);
}

/* Of one that is not the newest any more, so that nobody refers to it anew: while others release it the sum may be
 * too large, but never too small. */
static bool is_used(rp__generation *g)
{
    uint32_t n = 0;
    for (size_t i = 0; i < RP_SERVICE_PARTS; i++)
        n += atomic_load(&g->refs[i].n);
    return n > 0;
}

static rp__idle_searchers *own_idle(rp__generation *g)
{
    return &g->idle[rp__thread_number() % RP_IDLE_SEARCHERS];
}

rp_status rp__service_lease(rp__generation *g, rp_searcher **out, rp_error *err)
{
    rp__idle_searchers *idle = own_idle(g);
    pthread_mutex_lock(&idle->lock);
    *out = idle->n > 0 ? idle->at[--idle->n] : NULL;
    pthread_mutex_unlock(&idle->lock);
    return *out ? RP_OK : rp_searcher_new(g->index, &g->search, out, err);
}

void rp__service_give_back(rp__generation *g, rp_searcher *searcher)
{
    rp__idle_searchers *idle = own_idle(g);
    if (!searcher)
        return;
    pthread_mutex_lock(&idle->lock);
    if (idle->n < sizeof idle->at / sizeof *idle->at) {
        idle->at[idle->n++] = searcher;
        searcher = NULL;
    }
    pthread_mutex_unlock(&idle->lock);
    rp_searcher_free(searcher);
}

/* ---- 2. Collections -------------------------------------------------------------------------- */

/* The folder's name without ".rip". */
static rp_status name_collection(rp__collection *c, const char *dir, rp_error *err)
{
    static const char fit[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t end = strlen(dir);
    while (end > 1 && dir[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin > 0 && dir[begin - 1] != '/')
        begin--;
    size_t bytes = end - begin;
    if (bytes > 4 && memcmp(dir + end - 4, ".rip", 4) == 0)
        bytes -= 4;
    bool is_fit = bytes > 0 && bytes < sizeof c->name && dir[begin] != '_' && dir[begin] != '.' &&
                  strspn(dir + begin, fit) >= bytes;
    if (is_fit) {
        memcpy(c->name, dir + begin, bytes);
        c->name[bytes] = 0;
    }
    is_fit = is_fit && !rp__routes_take(c->name);
    c->dir = dir;
    if (is_fit)
        return RP_OK;
    return rp__error_set(err, RP_USAGE,
                         "the index %.100s cannot be served by its name; rename the folder: "
                         "letters, digits, '.', '-' and '_' inside, and no word of a route",
                         dir);
}

/* What tells a folder from the same one after a build into it. */
static void look_at_folder(const char *dir, uint64_t seen[4])
{
    struct stat st;
    memset(seen, 0, 4 * sizeof *seen);
    if (stat(dir, &st) != 0)
        return;
    seen[0] = (uint64_t)st.st_ino;
    seen[1] = (uint64_t)st.st_mtim.tv_sec;
    seen[2] = (uint64_t)st.st_mtim.tv_nsec;
    seen[3] = (uint64_t)st.st_dev;
}

rp__collection *rp__service_find(rp__service *service, const char *name, size_t bytes)
{
    for (size_t i = 0; i < service->n; i++)
        if (strlen(service->at[i].name) == bytes && memcmp(service->at[i].name, name, bytes) == 0)
            return &service->at[i];
    return NULL;
}

static rp_status add_collection(rp__service *service, const char *dir, rp_error *err)
{
    rp__collection *c = &service->at[service->n];
    rp_status status = name_collection(c, dir, err);
    if (status != RP_OK)
        return status;
    if (rp__service_find(service, c->name, strlen(c->name)))
        return rp__error_set(err, RP_USAGE, "two indexes have the name %s; rename a folder",
                             c->name);
    look_at_folder(dir, c->seen);
    status = open_generation(service->options, dir, &c->newest, err);
    service->n += status == RP_OK;
    return status;
}

rp_status rp__service_open(rp__service *service, const rp__serve_options *options, rp_error *err)
{
    rp_status status = RP_OK;
    *service = (rp__service){.options = options};
    for (size_t i = 0; i < RP_SERVICE_PARTS; i++)
        rp__thread_lock_init(&service->locks[i].lock);
    service->at = rp__alloc_zero(options->n_dirs, sizeof *service->at);
    if (!service->at)
        status = rp__error_no_memory(err);
    for (size_t i = 0; status == RP_OK && i < options->n_dirs; i++)
        status = add_collection(service, options->dirs[i], err);
    if (status != RP_OK)
        rp__service_close(service);
    return status;
}

static void stop_generation(rp__generation *g)
{
    rp_executor_drain(g->executor);
    rp__compare_drain(&g->compare);
}

void rp__service_stop(rp__service *service)
{
    for (size_t i = 0; i < service->n; i++) {
        stop_generation(service->at[i].newest);
        for (rp__generation *g = service->at[i].older; g; g = g->older)
            stop_generation(g);
    }
}

void rp__service_close(rp__service *service)
{
    for (size_t i = 0; service->at && i < service->n; i++) {
        close_generation(service->at[i].newest);
        for (rp__generation *g = service->at[i].older, *next; g; g = next) {
            next = g->older;
            close_generation(g);
        }
    }
    rp__free(service->at);
    for (size_t i = 0; i < RP_SERVICE_PARTS; i++)
        pthread_mutex_destroy(&service->locks[i].lock);
    *service = (rp__service){0};
}

rp__generation *rp__service_use(rp__service *service, rp__collection *collection)
{
    const size_t own = own_part();
    pthread_mutex_lock(&service->locks[own].lock);
    rp__generation *g = collection->newest;
    atomic_fetch_add(&g->refs[own].n, 1);
    pthread_mutex_unlock(&service->locks[own].lock);
    return g;
}

/* ---- 3. Taking over -------------------------------------------------------------------------- */

/* True: there was one. */
static bool close_unused(rp__collection *c)
{
    bool has_closed = false;
    for (rp__generation **at = &c->older; *at;) {
        rp__generation *g = *at;
        if (is_used(g)) {
            at = &g->older;
            continue;
        }
        *at = g->older;
        close_generation(g);
        has_closed = true;
    }
    return has_closed;
}

static void take_over(rp__service *service, rp__collection *c)
{
    uint64_t seen[4];
    rp__generation *g = NULL;
    look_at_folder(c->dir, seen);
    if (memcmp(seen, c->seen, sizeof seen) == 0)
        return;
    rp_status status = open_generation(service->options, c->dir, &g, NULL);
    if (status != RP_OK) { /* perhaps a build is under way: the next look tries again */
        atomic_fetch_add(&service->reload_failures, 1);
        return;
    }
    memcpy(c->seen, seen, sizeof seen);
    if (g->info.generation == c->newest->info.generation) {
        close_generation(g);
        return;
    }
    rp__generation *before = c->newest;
    before->older = c->older;
    c->older = before;
    for (size_t i = 0; i < RP_SERVICE_PARTS; i++)
        pthread_mutex_lock(&service->locks[i].lock);
    c->newest = g;
    for (size_t i = 0; i < RP_SERVICE_PARTS; i++)
        pthread_mutex_unlock(&service->locks[i].lock);
    rp__service_release(before);
    atomic_fetch_add(&service->reloads, 1);
}

/* Many threads have allocated what a generation had, and each would keep some of it. */
void rp__service_renew(rp__service *service)
{
    bool has_closed = false;
    for (size_t i = 0; i < service->n; i++) {
        take_over(service, &service->at[i]);
        has_closed |= close_unused(&service->at[i]);
    }
    if (has_closed)
        rp__alloc_trim();
}
