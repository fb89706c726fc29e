/* http.c: connections, heads, bodies and replies, over libmicrohttpd with a pool of threads that poll.
 *
 * A request goes through phases: its head is checked, its body is read, its handler runs, its reply is sent. A handler
 * that leaves the answer to others suspends the connection, so that no thread waits for it. Each connection has a time
 * by which its next phase must have come; rp__http_sweep cuts those that are late. */
#include "serve/http.h"

#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/thread.h"
#include "serve/access_log.h"
#include "serve/api_elastic.h"
#include "serve/compress.h"
#include "serve/listener.h"
#include "serve/routes.h"
#include "serve/shared_reply.h"

enum {
    CONNECTION_MEMORY = 48 << 10, /* of the library for a connection: a head and its copy */
    SEND_MS = 60000,              /* until a reply has gone */
    GRACE_MS = 2000,              /* that a client has whose bytes nobody has read */
    READING_MS = 200,             /* that a thread has which may have read them just now */
    BODY_MEMORY = 256 << 20,      /* of all bodies together */
    STREAM_BYTES = 4096,          /* of a reply without an end, at once */
    POLLERS = 16,                 /* threads at the least: each looks at all of its connections for
                                   * any event, so that with few threads a crowd slows all down */
};

static const uint64_t never = UINT64_MAX;

/* A connection. */
typedef struct rp__peer {
    struct rp__peer *next, *before;
    int fd;
    _Atomic uint64_t deadline;
    /* of the sweeper alone: the deadline that it let pass; the last that was over, and since when */
    uint64_t spared, over, over_since;
} rp__peer;

enum { PHASE_HEAD, PHASE_BODY, PHASE_READY, PHASE_SENT };
enum { WAIT_REQUESTED, WAIT_SUSPENDED, WAIT_ANSWERED }; /* of a reply that comes later */

/* ---- 1. Replies ------------------------------------------------------------------------------ */

unsigned rp__http_status(rp_status status)
{
    switch (status) {
    case RP_OK:
        return 200;
    case RP_USAGE:
    case RP_INPUT:
    case RP_LIMIT:
        return 400;
    case RP_NOT_FOUND:
        return 404;
    case RP_BUSY:
        return 429;
    case RP_DEADLINE:
        return 504;
    case RP_UNAVAILABLE:
    case RP_NO_MEMORY:
    case RP_INTERRUPTED:
        return 503;
    case RP_NEGATIVE:
    case RP_IO:
    case RP_DAMAGED:
    case RP_INCOMPATIBLE:
        break;
    }
    return 500;
}

void rp__http_write_error(rp__json_writer *w, const rp_error *err)
{
    static const char start[] = "column ";
    const char *remedy = strstr(err->text, "; ");
    rp__json_writer_begin(w, "error", '{');
    rp__json_writer_text(w, "code", rp_status_name(err->code));
    rp__json_writer_text(w, "message", err->text);
    if (strncmp(err->text, start, sizeof start - 1) == 0)
        rp__json_writer_uint(w, "column", strtoul(err->text + sizeof start - 1, NULL, 10));
    else
        rp__json_writer_text(w, "column", NULL);
    rp__json_writer_text(w, "remedy", remedy ? remedy + 2 : NULL);
    rp__json_writer_end(w, '}');
}

static rp__result result_of(unsigned status)
{
    if (status < 400)
        return RP_RESULT_OK;
    if (status == 404)
        return RP_RESULT_NOT_FOUND;
    if (status == 429)
        return RP_RESULT_REFUSED;
    return status < 500 ? RP_RESULT_INVALID : RP_RESULT_FAILED;
}

void rp__http_fail(rp__request *request, unsigned status, const rp_error *err)
{
    rp__json_writer w;
    rp__buf_clear(&request->reply, 0);
    request->tag[0] = 0;
    rp__json_writer_init(&w, &request->reply);
    rp__json_writer_begin(&w, NULL, '{');
    if (request->is_elastic)
        rp__api_elastic_write_error(&w, status, err);
    else
        rp__http_write_error(&w, err);
    rp__json_writer_end(&w, '}');
    request->status = status;
    request->type = "application/json";
    request->result = result_of(status);
    if (status == 429) {
        request->retry_after = 1;
        rp__metrics_reject(&request->http->metrics, RP_REJECTED_QUEUE);
    }
}

void rp__http_fail_by(rp__request *request, const rp_error *err)
{
    rp__http_fail(request, rp__http_status(err->code), err);
}

static void release_reply(void *bytes)
{
    rp__free(bytes);
}

/* The page of another site that asks, if it may; NULL: none. */
static const char *origin_of(const rp__request *r)
{
    const char *origins = r->http->options->allow_origins;
    const char *origin = origins ? MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND,
                                                               MHD_HTTP_HEADER_ORIGIN)
                                 : NULL;
    return origin && rp__auth_origin_is_ours(origin, origins) ? origin : NULL;
}

static void add_origin(const rp__request *r, struct MHD_Response *response)
{
    const char *origin = origin_of(r);
    if (!origin)
        return;
    MHD_add_response_header(response, "Access-Control-Allow-Origin", origin);
    MHD_add_response_header(response, "Access-Control-Expose-Headers",
                            "ETag, Retry-After, X-Request-Id");
    if (r->status != 204)
        return;
    MHD_add_response_header(response, "Access-Control-Allow-Methods", "GET, POST, DELETE");
    MHD_add_response_header(response, "Access-Control-Allow-Headers",
                            "Authorization, Content-Type, If-None-Match, X-Request-Id");
    MHD_add_response_header(response, "Access-Control-Max-Age", "600");
}

static void add_headers(const rp__request *r, struct MHD_Response *response)
{
    char seconds[16];
    MHD_add_response_header(response, "Content-Type", r->type);
    MHD_add_response_header(response, "X-Request-Id", r->id);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Cache-Control", r->tag[0] ? "no-cache" : "no-store");
    if (r->tag[0])
        MHD_add_response_header(response, "ETag", r->tag);
    if (r->closes || atomic_load(&r->http->is_draining))
        MHD_add_response_header(response, "Connection", "close");
    if (r->is_gzip)
        MHD_add_response_header(response, "Content-Encoding", "gzip");
    MHD_add_response_header(response, "Vary",
                            r->http->options->allow_origins ? "Accept, Accept-Encoding, Origin"
                                                            : "Accept, Accept-Encoding");
    add_origin(r, response);
    if (r->route && r->route->is_html)
        MHD_add_response_header(response, "Content-Security-Policy",
                                "default-src 'self'; img-src data:; frame-ancestors 'none'; "
                                "base-uri 'none'");
    if (r->is_elastic) /* its clients talk to nobody else */
        MHD_add_response_header(response, "X-Elastic-Product", "Elasticsearch");
    if (r->allow)
        MHD_add_response_header(response, "Allow", r->allow);
    if (r->status == 401)
        MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    if (r->retry_after) {
        snprintf(seconds, sizeof seconds, "%u", r->retry_after);
        MHD_add_response_header(response, "Retry-After", seconds);
    }
}

void rp__http_extend(rp__request *request)
{
    atomic_store(&request->peer->deadline, rp__clock_now() + SEND_MS * (uint64_t)1000000);
}

/* The bytes of the reply are the response's from then on. */
static struct MHD_Response *make_response(rp__request *r)
{
    if (r->read)
        return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BYTES, r->read, r->work,
                                                 NULL);
    struct MHD_Response *response =
        MHD_create_response_from_buffer_with_free_callback(r->reply.n, r->reply.at, release_reply);
    if (response)
        r->reply = (rp__buf){0};
    return response;
}

/* Sends the reply of a request that has one. */
static enum MHD_Result send_reply(rp__request *r)
{
    if (r->reply.failed) {
        rp_error err;
        rp__buf_free(&r->reply);
        rp__buf_init(&r->reply);
        rp__error_no_memory(&err);
        rp__http_fail(r, 503, &err);
    }
    if (r->reply.failed)
        return MHD_NO;
    r->phase = PHASE_SENT;
    rp__http_extend(r);
    rp__metrics_answer(&r->http->metrics);
    if (r->generation)
        rp__metrics_count(&r->http->metrics, r->index, r->route->op, r->processor, r->result);
    rp__access_log_put(r);
    r->is_gzip = !r->read && r->takes_gzip && rp__compress_reply(&r->reply);
    struct MHD_Response *response = make_response(r);
    if (!response)
        return MHD_NO;
    add_headers(r, response);
    enum MHD_Result result = MHD_queue_response(r->connection, r->status, response);
    MHD_destroy_response(response);
    return result;
}

/* A reply to a head: the body is not read, and the connection ends. */
static enum MHD_Result refuse(rp__request *r, unsigned status, rp_status code, const char *text)
{
    rp_error err;
    rp__error_set(&err, code, "%s", text);
    r->closes = true;
    rp__http_fail(r, status, &err);
    return send_reply(r);
}

/* 16 digits. */
static void put_hex(char *out, uint64_t v)
{
    for (size_t i = 0; i < 16; i++, v <<= 4)
        out[i] = "0123456789abcdef"[v >> 60];
}

/* FNV-1a. A client that finds two targets with one tag harms nobody but itself. */
static uint64_t hash(uint64_t h, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ (uint8_t)text[i]) * UINT64_C(0x100000001B3);
    return h;
}

/* The service's own number is part of it, since another one may have other options. */
bool rp__http_is_known(rp__request *request)
{
    if (strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0)
        return false;
    memcpy(request->tag, "W/\"", 3);
    put_hex(request->tag + 3, request->generation->info.generation);
    request->tag[19] = '-';
    put_hex(request->tag + 20,
            hash(request->http->id_base, request->target, request->target_bytes));
    memcpy(request->tag + 36, "\"", 2);
    const char *has = MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND,
                                                  MHD_HTTP_HEADER_IF_NONE_MATCH);
    if (!has || !strstr(has, request->tag))
        return false;
    request->status = MHD_HTTP_NOT_MODIFIED;
    request->type = "application/json";
    return true;
}

void rp__http_note(rp__request *request, const rp_outcome *o)
{
    request->processor = o->hits.processor;
    request->hits = o->hits.n;
    request->result = o->hits.is_partial ? RP_RESULT_PARTIAL : RP_RESULT_OK;
    request->plan = (rp__plan_note){.reason = o->reason ? o->reason : "",
                                    .queued_ns = o->queued_ns,
                                    .estimated_ns = o->estimated_ns,
                                    .answered_ns = o->answered_ns,
                                    .postings = o->hits.postings,
                                    .work = o->hits.work,
                                    .together = o->together,
                                    .moves = o->moves};
}

void rp__http_resume(rp__request *request)
{
    struct MHD_Connection *connection = request->connection;
    if (atomic_exchange(&request->wait, WAIT_ANSWERED) == WAIT_SUSPENDED)
        MHD_resume_connection(connection);
}

/* Sends a reply that has come by now; until others come, the connection is suspended. A request that was resumed
 * without a reply asks for itself. */
static enum MHD_Result await_reply(rp__request *r)
{
    for (; atomic_load(&r->wait) == WAIT_ANSWERED; rp__shared_reply_ask(r)) {
        if (r->status != 0)
            return send_reply(r);
        atomic_store(&r->wait, WAIT_REQUESTED);
    }
    struct MHD_Connection *connection = r->connection;
    MHD_suspend_connection(connection);
    if (atomic_exchange(&r->wait, WAIT_SUSPENDED) == WAIT_ANSWERED)
        MHD_resume_connection(connection); /* it came meanwhile, and nobody else will */
    return MHD_YES;
}

/* ---- 2. The head ----------------------------------------------------------------------------- */

static enum MHD_Result add_field(void *arg, enum MHD_ValueKind kind, const char *name,
                                 size_t name_bytes, const char *value, size_t value_bytes)
{
    rp__head *head = arg;
    (void)kind;
    if (head->n == RP_HEAD_FIELDS) {
        head->has_more = true;
        return MHD_NO;
    }
    head->fields[head->n++] =
        (rp__field){name, value ? value : "", name_bytes, value ? value_bytes : 0};
    return MHD_YES;
}

static bool is_plain_id(const char *text)
{
    static const char fit[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t n = strlen(text);
    return n > 0 && n <= RP_REQUEST_ID && strspn(text, fit) == n;
}

/* VERSION-TRACE-PARENT-FLAGS in small hexadecimal digits, of which no trace is all zeros (W3C Trace Context). */
static bool is_trace(const char *text)
{
    static const char digits[] = "0123456789abcdef";
    return strlen(text) == 55 && strspn(text, digits) == 2 && memcmp(text, "ff", 2) != 0 &&
           text[2] == '-' && strspn(text + 3, digits) == 32 && strspn(text + 3, "0") < 32 &&
           text[35] == '-' && strspn(text + 36, digits) == 16 && strspn(text + 36, "0") < 16 &&
           text[52] == '-' && strspn(text + 53, digits) == 2;
}

/* The client's, that of its trace, or one of our own, by the request's number. */
static void name_request(rp__request *r, const rp__head *head, uint64_t number)
{
    const char *id = rp__head_find(head, "x-request-id");
    const char *trace = rp__head_find(head, "traceparent");
    if (id && is_plain_id(id))
        snprintf(r->id, sizeof r->id, "%s", id);
    else if (trace && is_trace(trace))
        snprintf(r->id, sizeof r->id, "%.32s", trace + 3);
    else
        put_hex(r->id, r->http->id_base + number);
}

static enum MHD_Result refuse_route(rp__request *r, rp_error *err)
{
    const unsigned status = err->code == RP_NOT_FOUND ? 404 : r->allow ? 405 : 400;
    rp__http_fail(r, status, err);
    return send_reply(r);
}

/* How much the body may have, or the reply that says that it has too much. */
static enum MHD_Result check_body(rp__request *r)
{
    const rp__serve_options *o = r->http->options;
    const uint64_t limit = r->route->is_msearch ? o->max_msearch : o->max_body;
    char text[160];
    if (r->body_bytes > 0 && strcmp(r->route->method, "POST") != 0 && !r->route->has_body)
        return refuse(r, 400, RP_USAGE, "only a POST has a body; send a POST");
    if (r->body_bytes > limit) {
        rp__metrics_reject(&r->http->metrics, RP_REJECTED_BODY);
        snprintf(text, sizeof text, "the body has %llu bytes, more than %llu; raise --max-%s",
                 (unsigned long long)r->body_bytes, (unsigned long long)limit,
                 r->route->is_msearch ? "msearch" : "body");
        return refuse(r, 413, RP_LIMIT, text);
    }
    r->body_memory = r->body_bytes;
    if (r->body_bytes > 0 &&
        atomic_fetch_add(&r->http->body_memory, r->body_bytes) + r->body_bytes > BODY_MEMORY) {
        rp__metrics_reject(&r->http->metrics, RP_REJECTED_MEMORY);
        return refuse(r, 503, RP_BUSY, "too many bodies are on their way; try again later");
    }
    r->phase = PHASE_BODY;
    atomic_store(&r->peer->deadline,
                 rp__clock_now() + r->http->options->body_ms * (uint64_t)1000000);
    return MHD_YES;
}

static enum MHD_Result check_head(rp__request *r, const rp__head *head)
{
    rp__http *http = r->http;
    char text[160];
    rp_error err = {.text = ""};
    if (head->bytes > http->options->max_head) {
        rp__metrics_reject(&http->metrics, RP_REJECTED_HEAD);
        snprintf(text, sizeof text, "the head has %zu bytes, more than %u; raise --max-head",
                 head->bytes, http->options->max_head);
        return refuse(r, 431, RP_LIMIT, text);
    }
    const char *fault = rp__head_check(head);
    if (fault) {
        rp__metrics_reject(&http->metrics, RP_REJECTED_HEAD);
        return refuse(r, 400, RP_USAGE, fault);
    }
    if (rp__head_find(head, "transfer-encoding"))
        return refuse(r, 411, RP_USAGE,
                      "the body comes in chunks; send its length as Content-Length");
    const char *host = rp__head_find(head, "host");
    if (http->auth.n == 0 && host && !rp__head_host_is_ours(host, http->options->allow_hosts)) {
        rp__metrics_reject(&http->metrics, RP_REJECTED_HOST);
        return refuse(r, 421, RP_USAGE,
                      "the Host is not known; start with --allow-host NAME, or use the address");
    }
    if (strcmp(head->method, "OPTIONS") == 0 &&
        origin_of(r)) { /* a browser asks whether it may ask */
        r->status = 204;
        r->type = "text/plain";
        return send_reply(r);
    }
    if (rp__routes_find(r, &err) != RP_OK)
        return refuse_route(r, &err);
    if (!r->route->is_open && !rp__auth_check(&http->auth, rp__head_find(head, "authorization"))) {
        rp__metrics_reject(&http->metrics, RP_REJECTED_TOKEN);
        return refuse(r, 401, RP_USAGE,
                      "the request has no valid token; send Authorization: Bearer TOKEN");
    }
    rp__head_body_bytes(head, &r->body_bytes);
    return check_body(r);
}

static enum MHD_Result take_head(rp__request *r, const char *method, const char *version)
{
    const union MHD_ConnectionInfo *size =
        MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    rp__head head = {.method = method,
                     .target = r->target,
                     .target_bytes = r->target_bytes,
                     .version = version,
                     .bytes = size ? size->header_size : 0,
                     .is_in_place = r->http->is_in_place};
    strncpy(r->method, method, sizeof r->method - 1);
    MHD_get_connection_values_n(r->connection, MHD_HEADER_KIND, add_field, &head);
    name_request(r, &head, rp__metrics_begin(&r->http->metrics));
    const char *accept = rp__head_find(&head, "accept");
    r->wants_json = accept && !strstr(accept, "text/html") &&
                    (strstr(accept, "application/json") || strstr(accept, "elasticsearch+json"));
    r->takes_gzip = rp__compress_is_taken(rp__head_find(&head, "accept-encoding"));
    return check_head(r, &head);
}

/* ---- 3. Callbacks of the library ------------------------------------------------------------- */

static rp__peer *peer_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* The first line has come. What this returns is the request's from then on. */
static void *on_target(void *arg, const char *target, struct MHD_Connection *connection)
{
    rp__http *http = arg;
    rp__peer *peer = peer_of(connection);
    rp__request *r = peer ? rp__alloc_zero(1, sizeof *r) : NULL;
    size_t bytes = strlen(target);
    if (!r)
        return NULL;
    *r = (rp__request){.http = http, .connection = connection, .peer = peer, .target_bytes = bytes};
    r->target = rp__alloc(bytes + 1);
    r->began_ns = rp__clock_now();
    if (!r->target) {
        rp__free(r);
        return NULL;
    }
    memcpy(r->target, target, bytes + 1);
    rp__buf_init(&r->body);
    rp__buf_init(&r->reply);
    rp__buf_init(&r->gap);
    atomic_store(&peer->deadline, r->began_ns + http->options->head_ms * (uint64_t)1000000);
    return r;
}

static bool has_generation(const rp__request *r)
{
    const rp__route_kind kind = r->route->kind;
    return kind == RP_ROUTE_INDEX || kind == RP_ROUTE_ITEM ||
           (kind > RP_ROUTE_ELASTIC && r->has_index);
}

static enum MHD_Result answer(rp__request *r)
{
    atomic_store(&r->peer->deadline, never);
    rp_error err = {.text = ""};
    r->phase = PHASE_READY;
    if (has_generation(r))
        r->generation = rp__service_use(r->http->service, &r->http->service->at[r->index]);
    if (rp__routes_read(r, &err) != RP_OK) {
        rp__http_fail_by(r, &err);
        return send_reply(r);
    }
    return r->route->handle(r) ? await_reply(r) : send_reply(r);
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *data_bytes, void **context)
{
    rp__request *r = *context;
    (void)arg;
    (void)connection;
    (void)url;
    if (!r)
        return MHD_NO;
    if (r->phase == PHASE_HEAD)
        return take_head(r, method, version);
    if (r->phase == PHASE_READY) { /* it was suspended */
        atomic_store(&r->wait, WAIT_ANSWERED);
        return await_reply(r);
    }
    if (*data_bytes == 0)
        return answer(r);
    if (r->phase != PHASE_BODY || *data_bytes > r->body_bytes - r->body.n)
        return MHD_NO;
    rp__buf_put(&r->body, data, *data_bytes);
    *data_bytes = 0;
    return r->body.failed ? MHD_NO : MHD_YES;
}

static void on_completed(void *arg, struct MHD_Connection *connection, void **context,
                         enum MHD_RequestTerminationCode why)
{
    rp__request *r = *context;
    rp__http *http = arg;
    (void)connection;
    if (!r)
        return;
    *context = NULL;
    if (!r->id[0] && why == MHD_REQUEST_TERMINATED_WITH_ERROR) /* the library refused its head */
        rp__metrics_reject(&http->metrics, RP_REJECTED_HEAD);
    atomic_store(&r->peer->deadline,
                 rp__clock_now() +
                     (http->options->idle_ms + http->options->head_ms) * (uint64_t)1000000);
    if (r->id[0]) /* its head had come */
        rp__metrics_end(&http->metrics);
    if (r->body_memory > 0)
        atomic_fetch_sub(&http->body_memory, r->body_memory);
    if (r->release)
        r->release(r->work);
    rp__service_release(r->generation);
    rp__params_free(&r->params);
    rp__buf_free(&r->body);
    rp__buf_free(&r->reply);
    rp__buf_free(&r->gap);
    rp__free(r->query_text);
    rp__free(r->path);
    rp__free(r->target);
    rp__free(r);
}

static void add_peer(rp__http *http, struct MHD_Connection *connection, void **context)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    rp__peer *peer = info ? rp__alloc_zero(1, sizeof *peer) : NULL;
    *context = peer;
    if (!peer)
        return;
    peer->fd = info->connect_fd;
    atomic_store(&peer->deadline, rp__clock_now() + http->options->head_ms * (uint64_t)1000000);
    pthread_mutex_lock(&http->lock);
    peer->next = http->peers;
    if (peer->next)
        peer->next->before = peer;
    http->peers = peer;
    pthread_mutex_unlock(&http->lock);
    atomic_fetch_add(&http->metrics.connections, 1);
}

/* The library closes the socket after this. */
static void remove_peer(rp__http *http, rp__peer *peer)
{
    if (!peer)
        return;
    pthread_mutex_lock(&http->lock);
    if (peer->before)
        peer->before->next = peer->next;
    else
        http->peers = peer->next;
    if (peer->next)
        peer->next->before = peer->before;
    pthread_mutex_unlock(&http->lock);
    atomic_fetch_sub(&http->metrics.connections, 1);
    rp__free(peer);
}

static void on_connection(void *arg, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode what)
{
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        add_peer(arg, connection, context);
        return;
    }
    remove_peer(arg, *context);
    *context = NULL;
}

/* Whether the service may be the one that is slow. Bytes of the client wait for it: for one deadline,
 * once. Or its thread has read them, and has not set the next deadline yet: for a moment. */
static bool is_spared(rp__peer *peer, uint64_t deadline, uint64_t now)
{
    char byte;
    if (peer->spared != deadline && recv(peer->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0) {
        peer->spared = now + GRACE_MS * (uint64_t)1000000;
        return atomic_compare_exchange_strong(&peer->deadline, &deadline, peer->spared);
    }
    if (peer->over != deadline) {
        peer->over = deadline;
        peer->over_since = now;
    }
    return now - peer->over_since < READING_MS * (uint64_t)1000000;
}

void rp__http_sweep(rp__http *http)
{
    const uint64_t now = rp__clock_now();
    rp__events_tick(http);
    pthread_mutex_lock(&http->lock);
    for (rp__peer *peer = http->peers; peer; peer = peer->next) {
        uint64_t deadline = atomic_load(&peer->deadline);
        if (deadline > now || is_spared(peer, deadline, now) ||
            !atomic_compare_exchange_strong(&peer->deadline, &deadline, never))
            continue;
        rp__metrics_reject(&http->metrics, RP_REJECTED_SLOW);
        shutdown(peer->fd, SHUT_RDWR); /* its thread sees the end and closes it */
    }
    pthread_mutex_unlock(&http->lock);
}

/* ---- 4. Threads ------------------------------------------------------------------------------ */

rp_status rp__http_open(rp__http *http, const rp__serve_options *options, rp__service *service,
                        uint16_t *port, rp_error *err)
{
    *http = (rp__http){.options = options, .service = service, .listener = -1};
    rp__thread_lock_init(&http->lock);
    rp__events_open(&http->events);
    http->is_in_place = strncmp(MHD_get_version(), "0.9.7", 5) == 0;
    http->id_base = rp__clock_now() << 20;
    rp__running_open(&http->runnings);
    rp_status status = rp__metrics_open(&http->metrics, service->n, err);
    if (status == RP_OK)
        status = rp__auth_open(&http->auth, options->token_file, options->token, err);
    if (status == RP_OK && options->cache_bytes > 0)
        status = rp__cache_new((size_t)options->cache_bytes, &http->cache, err);
    if (status == RP_OK)
        status = rp__listener_open(options, http->auth.n > 0, &http->listener, port, err);
    if (status != RP_OK)
        rp__http_close(http);
    return status;
}

static unsigned count_threads(const rp__serve_options *o)
{
    const uint32_t cores = rp__cpu_cores(), limit = o->max_connections;
    const uint32_t n = o->http_threads > 0 ? o->http_threads : cores > POLLERS ? cores : POLLERS;
    return n < limit ? n : limit; /* each has its part of the connections */
}

rp_status rp__http_start(rp__http *http, rp_error *err)
{
    const rp__serve_options *o = http->options;
    http->daemon = MHD_start_daemon(
        MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request, http,
        MHD_OPTION_LISTEN_SOCKET, http->listener, MHD_OPTION_THREAD_POOL_SIZE, count_threads(o),
        MHD_OPTION_CONNECTION_LIMIT, o->max_connections, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
        o->max_per_address, MHD_OPTION_CONNECTION_TIMEOUT, (o->idle_ms + 999) / 1000,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY, MHD_OPTION_URI_LOG_CALLBACK,
        on_target, http, MHD_OPTION_NOTIFY_COMPLETED, on_completed, http,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, http, MHD_OPTION_END);
    if (!http->daemon)
        return rp__error_set(err, RP_NO_MEMORY, "the threads of the service cannot be started");
    return RP_OK;
}

void rp__http_drain(rp__http *http)
{
    enum { STEP_MS = 5 };
    atomic_store(&http->is_draining, true);
    int fd = MHD_quiesce_daemon(http->daemon);
    if (fd >= 0)
        close(fd);
    http->listener = -1;
    for (uint32_t ms = 0; rp__metrics_in_flight(&http->metrics) > 0 && ms < http->options->drain_ms;
         ms += STEP_MS) {
        rp__clock_sleep(STEP_MS * 1000000);
        rp__http_sweep(http);
    }
}

void rp__http_close(rp__http *http)
{
    if (http->daemon) {
        rp__events_tick(http); /* none may be suspended */
        MHD_stop_daemon(http->daemon);
    } else if (http->listener >= 0) {
        close(http->listener);
    }
    rp__auth_close(&http->auth);
    rp__cache_free(http->cache);
    rp__running_close(&http->runnings);
    rp__metrics_close(&http->metrics);
    rp__events_close(&http->events);
    pthread_mutex_destroy(&http->lock);
}
