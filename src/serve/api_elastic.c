/* api_elastic.c: Elasticsearch's read API over the indexes: what its clients ask, answered by the same executors.
 *
 * A request has one or more searches; the last one to end writes the reply. What is not supported is refused by name
 * in Elasticsearch's form of an error. */
#include "serve/api_elastic.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "riposte/riposte.h"
#include "serve/elastic_query.h"
#include "serve/elastic_reply.h"
#include "serve/routes.h"
#include "serve/shared_reply.h"

enum {
    MAX_SEARCHES = 256,      /* of one _msearch */
    MAX_DOCUMENT = 64 << 20, /* bytes of a document's text */
};

static const char elastic_version[] = "8.19.0"; /* whose requests these are */

static const char *const operators[] = {"or", "and", "OR", "AND", NULL};
static const char *const forms[] = {"text", "json", NULL};

enum { Q, DEFAULT_OPERATOR, FROM, SIZE, SOURCE, TRACK_TOTAL, TIMEOUT };
const rp__param rp__api_elastic_search_params[] = {
    {.name = "q", .help = "The query (docs/query-language.md), instead of a body."},
    {.name = "default_operator",
     .kind = RP_PARAM_CHOICE,
     .choices = operators,
     .help = "What words side by side mean."},
    {.name = "from", .kind = RP_PARAM_COUNT, .max = 1000000000, .help = "Pass over so many hits."},
    {.name = "size", .kind = RP_PARAM_COUNT, .max = 1000000000, .help = "So many hits: 10."},
    {.name = "_source", .help = "true, false, or fields with commas between."},
    {.name = "track_total_hits", .help = "false: the total is left out."},
    {.name = "timeout", .help = "1ms to 30s: then the hits found by then are the answer."},
    {0},
};

const rp__param rp__api_elastic_count_params[] = {
    {.name = "q", .help = "The query, instead of a body."},
    {.name = "default_operator",
     .kind = RP_PARAM_CHOICE,
     .choices = operators,
     .help = "What words side by side mean."},
    {0},
};

const rp__param rp__api_elastic_document_params[] = {
    {.name = "_source", .help = "true, false, or fields with commas between."},
    {0},
};

enum { FORMAT, VERBOSE };
const rp__param rp__api_elastic_indices_params[] = {
    {.name = "format", .kind = RP_PARAM_CHOICE, .choices = forms, .help = "text or json."},
    {.name = "v", .kind = RP_PARAM_FLAG, .help = "The text begins with the names of its columns."},
    {0},
};

/* ---- 1. Errors ------------------------------------------------------------------------------- */

static const char *type_of(unsigned status, rp_status code)
{
    switch (status) {
    case 400:
        return code == RP_LIMIT ? "illegal_argument_exception" : "parsing_exception";
    case 401:
        return "security_exception";
    case 404:
        return "index_not_found_exception";
    case 405:
        return "method_not_allowed_exception";
    case 413:
        return "content_too_long_exception";
    case 429:
        return "es_rejected_execution_exception";
    case 504:
        return "timeout_exception";
    default:
        return "exception";
    }
}

void rp__api_elastic_write_error(rp__json_writer *w, unsigned status, const rp_error *err)
{
    const char *type = type_of(status, err->code);
    rp__json_writer_begin(w, "error", '{');
    rp__json_writer_begin(w, "root_cause", '[');
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_text(w, "type", type);
    rp__json_writer_text(w, "reason", err->text);
    rp__json_writer_end(w, '}');
    rp__json_writer_end(w, ']');
    rp__json_writer_text(w, "type", type);
    rp__json_writer_text(w, "reason", err->text);
    rp__json_writer_end(w, '}');
    rp__json_writer_uint(w, "status", status);
}

static void begin_reply(rp__request *r, rp__json_writer *w)
{
    rp__json_writer_init(w, &r->reply);
    rp__json_writer_begin(w, NULL, '{');
}

static void end_reply(rp__request *r, rp__json_writer *w)
{
    rp__json_writer_end(w, '}');
    r->status = 200;
    r->type = "application/json";
}

static bool fail(rp__request *r, const rp_error *err)
{
    rp__http_fail_by(r, err);
    return false;
}

/* ---- 2. Searches ----------------------------------------------------------------------------- */

typedef struct search {
    struct searches *all;
    size_t index;
    rp__generation *generation;
    rp__elastic_query query;
    rp_outcome outcome;
    rp__running *running;
    rp_error err; /* what is wrong with it; RP_OK: nothing */
} search;

typedef struct searches {
    rp__request *request;
    bool is_count, is_many;
    _Atomic size_t n_left; /* that have not ended, and one while they are handed over */
    size_t n, cap;
    rp__running *running; /* where they were submitted together */
    search at[];
} searches;

static void free_searches(void *work)
{
    searches *s = work;
    for (size_t i = 0; i < s->n; i++) {
        rp__elastic_query_free(&s->at[i].query);
        rp_hits_free(&s->at[i].outcome.hits);
        rp__service_release(s->at[i].generation);
    }
    rp__free(s);
}

/* NULL: there is no memory, and the request says so. */
static searches *new_searches(rp__request *r, size_t cap)
{
    rp_error err;
    searches *s = rp__alloc_zero(1, sizeof *s + cap * sizeof *s->at);
    if (!s) {
        rp__error_no_memory(&err);
        rp__http_fail_by(r, &err);
        return NULL;
    }
    s->request = r;
    s->cap = cap;
    r->work = s;
    r->release = free_searches;
    return s;
}

static search *add_search(searches *s, size_t index)
{
    rp__service *service = s->request->http->service;
    search *one = &s->at[s->n++];
    one->all = s;
    one->index = index;
    one->generation = rp__service_use(service, &service->at[index]);
    rp__elastic_query_init(&one->query);
    return one;
}

/* The index of a request, where it has one. */
static rp_status need_index(const rp__request *r, rp_error *err)
{
    if (r->has_index)
        return RP_OK;
    return rp__error_set(err, RP_USAGE,
                         "several indexes are served, and a search over all is not supported; name "
                         "one: /INDEX/%s",
                         r->route->name);
}

static bool has_answer(const search *one)
{
    const rp_outcome *o = &one->outcome;
    return one->err.code == RP_OK &&
           (o->status == RP_OK || (o->status == RP_DEADLINE && o->hits.is_partial));
}

static const char *policy_of(const rp__request *r)
{
    const char *name = r->http->options->executor.policy;
    return name ? name : rp_policy_name(0);
}

/* The members of one search's object, or its error: then *err is set. */
static void write_search(search *one, rp__json_writer *w, rp_error *err)
{
    const searches *s = one->all;
    rp__request *r = s->request;
    const bool is_search = !one->query.is_all;
    rp__elastic_answer answer = {.index = r->http->service->at[one->index].name,
                                 .generation = one->generation,
                                 .query = &one->query,
                                 .outcome = is_search ? &one->outcome : NULL,
                                 .policy = policy_of(r)};
    *err = (rp_error){.code = RP_OK};
    if (is_search && one->err.code == RP_OK &&
        (one->outcome.status == RP_OK || one->outcome.status == RP_DEADLINE))
        rp__metrics_time(&r->http->metrics, one->index, &one->outcome);
    if (!has_answer(one)) {
        *err = one->err.code != RP_OK ? one->err : one->outcome.err;
        return;
    }
    if (s->is_count) {
        rp__json_writer_uint(w, "count",
                             is_search ? one->outcome.hits.total : one->generation->info.docs);
        rp__json_writer_uint(w, "generation", one->generation->info.generation);
        rp__elastic_reply_write_shards(w);
    } else if (rp__elastic_reply_write(w, &answer, err) == RP_OK) {
        err->code = RP_OK;
    }
    if (s->is_many)
        r->hits += one->outcome.hits.n;
}

static void write_single(searches *s)
{
    rp__request *r = s->request;
    rp__json_writer w;
    rp_error err;
    search *one = &s->at[0];
    begin_reply(r, &w);
    write_search(one, &w, &err);
    if (err.code != RP_OK) {
        rp__http_fail_by(r, &err);
        return;
    }
    end_reply(r, &w);
    if (!one->query.is_all)
        rp__http_note(r, &one->outcome);
}

static void write_item(search *one, rp__json_writer *w)
{
    rp__metrics *metrics = &one->all->request->http->metrics;
    const size_t begin = w->out->n;
    const rp__json_writer before = *w;
    rp_error err;
    rp__json_writer_begin(w, NULL, '{');
    write_search(one, w, &err);
    if (err.code != RP_OK) { /* what was written of it is void */
        w->out->n = begin;
        *w = before;
        rp__json_writer_begin(w, NULL, '{');
        rp__api_elastic_write_error(w, rp__http_status(err.code), &err);
    } else {
        rp__json_writer_uint(w, "status", 200);
    }
    rp__json_writer_end(w, '}');
    if (err.code == RP_BUSY)
        rp__metrics_reject(metrics, RP_REJECTED_QUEUE);
}

static void write_many(searches *s)
{
    rp__json_writer w;
    uint64_t ns = 0;
    begin_reply(s->request, &w);
    for (size_t i = 0; i < s->n; i++)
        ns += s->at[i].outcome.queued_ns + s->at[i].outcome.answered_ns;
    rp__json_writer_uint(&w, "took", ns / 1000000);
    rp__json_writer_begin(&w, "responses", '[');
    for (size_t i = 0; i < s->n; i++)
        write_item(&s->at[i], &w);
    rp__json_writer_end(&w, ']');
    end_reply(s->request, &w);
}

static void end_one(searches *s)
{
    if (atomic_fetch_sub(&s->n_left, 1) != 1)
        return;
    rp__running_end(s->running);
    if (s->is_many)
        write_many(s);
    else
        write_single(s);
    rp__shared_reply_end(s->request,
                         s->request->status == 200 && !s->at[0].outcome.hits.is_partial);
    rp__http_resume(s->request);
}

static void on_outcome(void *arg, rp_outcome *outcome)
{
    search *one = arg;
    one->outcome = *outcome; /* its hits are the search's now */
    rp__running_end(one->running);
    end_one(one->all);
}

/* There is more to do than the search. */
static bool has_documents(const rp__elastic_query *q)
{
    return q->shows_source || q->has_highlight || q->has_explain;
}

static rp_job make_job(search *one)
{
    static const rp_total exact = RP_TOTAL_EXACT, alone = RP_TOTAL_ONLY;
    const rp__elastic_query *q = &one->query;
    const rp__request *r = one->all->request;
    const bool is_total_only = one->all->is_count || q->size == 0;
    const uint64_t timeout_ms = q->timeout_ms ? q->timeout_ms : r->http->options->timeout_ms;
    return (rp_job){.query = (const char *)q->text.at,
                    .query_bytes = q->text.n,
                    .k = q->size,
                    .from = is_total_only ? 0 : q->from,
                    .trace = q->has_profile,
                    .mode = &q->mode,
                    .total = is_total_only    ? &alone
                             : q->hides_total ? NULL
                                              : &exact,
                    .deadline_ns = r->waiter.deadline_ns ? rp__shared_reply_time_left(r)
                                                         : timeout_ms * 1000000,
                    .done = on_outcome,
                    .arg = one,
                    .here_ns = one->all->is_many || has_documents(q) ? 0 : RP_HTTP_HERE_NS};
}

static rp__running_job about_job(const search *one)
{
    const rp__request *r = one->all->request;
    return (rp__running_job){.executor = one->generation->executor,
                             .index = one->index,
                             .request = r->id,
                             .shows_text = r->http->options->log_queries};
}

/* RP_OK: it will end by itself. */
static rp_status submit(search *one, rp_error *err)
{
    const rp_job job = make_job(one);
    const rp__running_job about = about_job(one);
    return rp__running_submit(&one->all->request->http->runnings, &about, &job, &one->running, err);
}

/* The limit that the library has for hits, where it is not asked. */
static void check_all(search *one)
{
    const rp_search_options *o = one->all->request->http->options->executor.search;
    const size_t max_hits = o->max_k ? o->max_k : 10000;
    if (one->query.size > max_hits || one->query.from > max_hits - one->query.size)
        rp__error_set(&one->err, RP_LIMIT,
                      "from is %zu and size %zu, together more than %zu; raise --max-k",
                      one->query.from, one->query.size, max_hits);
}

/* Whether cores answer all of them, of one index. */
static bool are_together(const searches *s)
{
    bool are = s->is_many && s->n > 0 && !s->at[0].generation->has_card;
    for (size_t i = 1; are && i < s->n; i++)
        are = s->at[i].generation == s->at[0].generation;
    return are;
}

/* Those that are to be searched for, at once. */
static void submit_together(searches *s)
{
    rp_error err = {.code = RP_OK};
    const rp__running_job about = about_job(&s->at[0]);
    rp_job *jobs = rp__alloc_array(s->n, sizeof *jobs);
    bool has_long = false;
    size_t n = 0;
    for (size_t i = 0; jobs && i < s->n; i++) {
        has_long |= has_documents(&s->at[i].query);
        if (s->at[i].err.code == RP_OK && !s->at[i].query.is_all)
            jobs[n++] = make_job(&s->at[i]);
    }
    if (n > 0 && !has_long)
        jobs[0].here_ns = RP_HTTP_HERE_MANY_NS;
    rp_status status = jobs ? RP_OK : rp__error_no_memory(&err);
    if (status == RP_OK && n > 0)
        status = rp__running_submit_many(&s->request->http->runnings, &about, jobs, n, &s->running,
                                         &err);
    rp__free(jobs);
    if (status == RP_OK)
        return; /* they may have ended already */
    s->running = NULL;
    for (size_t i = 0; i < s->n; i++)
        if (s->at[i].err.code == RP_OK && !s->at[i].query.is_all) {
            s->at[i].err = err;
            end_one(s);
        }
}

/* Of a request that is suspended. */
static void run(rp__request *r)
{
    searches *s = r->work;
    const bool together = are_together(s);
    atomic_store(&s->n_left, s->n + 1);
    for (size_t i = 0; i < s->n; i++) {
        search *one = &s->at[i];
        if (one->err.code == RP_OK && one->query.is_all)
            check_all(one);
        else if (one->err.code == RP_OK && (together || submit(one, &one->err) == RP_OK))
            continue; /* it may have ended already */
        end_one(s);
    }
    if (together)
        submit_together(s);
    end_one(s);
}

static bool run_later(rp__request *r)
{
    run(r);
    return true;
}

/* The one search of a request that is suspended. */
static rp_status ask_single(rp__request *r, rp_error *err)
{
    searches *s = r->work;
    atomic_store(&s->n_left, 1);
    return submit(&s->at[0], err);
}

/* What shapes the reply besides the query. */
static void add_to_key(const rp__elastic_query *q, bool is_count, rp__buf *key)
{
    const bool flags[] = {is_count,         q->shows_source, q->shows_title, q->shows_text,
                          q->has_highlight, q->is_html,      q->has_explain, q->hides_total};
    rp__buf_put_varint(key, q->size);
    rp__buf_put_varint(key, q->from);
    rp__buf_put_varint(key, q->fragment);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        rp__buf_put_byte(key, flags[i]);
    rp__buf_put(key, q->before, sizeof q->before);
    rp__buf_put(key, q->after, sizeof q->after);
}

/* One search, which may share its reply with others. */
static bool run_shared(rp__request *r, const search *one)
{
    const rp__elastic_query *q = &one->query;
    const uint64_t timeout_ms = q->timeout_ms ? q->timeout_ms : r->http->options->timeout_ms;
    bool is_answered = false;
    rp__buf key;
    rp__buf_init(&key);
    if (!q->is_all && !q->has_profile &&
        rp__shared_reply_key(r, 'e', one->generation, (const char *)q->text.at, q->text.n, &q->mode,
                             &key)) {
        add_to_key(q, one->all->is_count, &key);
        is_answered = rp__shared_reply_find(r, &key, timeout_ms, ask_single);
    } else {
        run_later(r);
    }
    rp__buf_free(&key);
    return !is_answered;
}

/* ---- 3. One search --------------------------------------------------------------------------- */

/* Parameters of the path, which a body may say otherwise. */
static rp_status read_params(rp__request *r, rp__elastic_query *q, bool is_count, rp_error *err)
{
    const rp__value *at = r->params.at;
    rp_status status = RP_OK;
    if (at[Q].is_given)
        status = rp__elastic_query_set_text(q, at[Q].text, at[Q].bytes,
                                            at[DEFAULT_OPERATOR].count % 2, err);
    if (is_count)
        return status;
    if (at[FROM].is_given)
        q->from = (size_t)at[FROM].count;
    if (at[SIZE].is_given)
        q->size = (size_t)at[SIZE].count;
    if (status == RP_OK && at[SOURCE].is_given)
        status = rp__elastic_query_set_source(q, at[SOURCE].text, err);
    if (status == RP_OK && at[TRACK_TOTAL].is_given)
        status = rp__elastic_query_set_total(q, at[TRACK_TOTAL].text, err);
    if (status == RP_OK && at[TIMEOUT].is_given)
        status = rp__elastic_query_set_timeout(q, at[TIMEOUT].text, err);
    return status;
}

/* So that the log can have it, where it may. */
static void note_query(rp__request *r, const rp__elastic_query *q)
{
    if (!r->http->options->log_queries || q->is_all)
        return;
    r->query_text = rp__alloc(q->text.n + 1);
    if (!r->query_text)
        return;
    memcpy(r->query_text, q->text.at, q->text.n);
    r->query_text[q->text.n] = 0;
}

static bool search_or_count(rp__request *r, bool is_count)
{
    rp_error err = {.code = RP_OK};
    if (need_index(r, &err) != RP_OK)
        return fail(r, &err);
    searches *s = new_searches(r, 1);
    if (!s)
        return false;
    s->is_count = is_count;
    search *one = add_search(s, r->index);
    rp_status status = read_params(r, &one->query, is_count, &err);
    if (status == RP_OK && r->body.n > 0)
        status = rp__elastic_query_read(&one->query, one->generation, is_count,
                                        (const char *)r->body.at, r->body.n, &err);
    if (status == RP_OK && r->body.n > 0 && r->params.at[Q].is_given)
        status =
            rp__error_set(&err, RP_USAGE, "the query is in the path and in the body; send one");
    if (status != RP_OK)
        return fail(r, &err);
    note_query(r, &one->query);
    return run_shared(r, one);
}

bool rp__api_elastic_search(rp__request *request)
{
    return search_or_count(request, false);
}

bool rp__api_elastic_count(rp__request *request)
{
    return search_or_count(request, true);
}

/* ---- 4. Many searches ------------------------------------------------------------------------ */

/* The next line of the body that is not empty; its bytes without the line end. NULL: there is none. */
static const char *next_line(const char **at, const char *end, size_t *bytes)
{
    while (*at < end) {
        const char *begin = *at;
        const char *lf = memchr(begin, '\n', (size_t)(end - begin));
        *bytes = (size_t)((lf ? lf : end) - begin);
        *at = lf ? lf + 1 : end;
        if (*bytes > 0 && begin[*bytes - 1] == '\r')
            --*bytes;
        if (*bytes > 0)
            return begin;
    }
    return NULL;
}

/* The line before a search: {} or {"index":"NAME"}. */
static rp_status read_header(searches *s, const char *line, size_t bytes, rp_error *err)
{
    static const rp__param rows[] = {{.name = "index", .help = "Name of an index."}, {0}};
    rp__request *r = s->request;
    rp__params params;
    size_t index = r->index;
    rp__params_init(&params, rows);
    rp_status status = rp__params_read_body(&params, line, bytes, err);
    const bool is_named = status == RP_OK && params.at[0].is_given;
    rp__collection *c =
        is_named ? rp__service_find(r->http->service, params.at[0].text, params.at[0].bytes) : NULL;
    rp_error none = {.code = RP_OK};
    if (status == RP_OK && is_named && !c)
        rp__error_set(&none, RP_NOT_FOUND, "no such index [%.64s]", params.at[0].text);
    else if (status == RP_OK && !is_named)
        status = need_index(r, err);
    if (c)
        index = (size_t)(c - r->http->service->at);
    if (status == RP_OK)
        add_search(s, index)->err = none;
    rp__params_free(&params);
    return status;
}

static rp_status read_searches(searches *s, rp_error *err)
{
    const rp__buf *body = &s->request->body;
    const char *at = (const char *)body->at, *end = at ? at + body->n : NULL, *line;
    size_t bytes;
    rp_status status = RP_OK;
    while (status == RP_OK && (line = next_line(&at, end, &bytes))) {
        if (s->n == s->cap)
            return rp__error_set(err, RP_LIMIT, "the body has more than %d searches; send fewer",
                                 MAX_SEARCHES);
        status = read_header(s, line, bytes, err);
        if (status != RP_OK)
            return status;
        search *one = &s->at[s->n - 1];
        line = next_line(&at, end, &bytes);
        if (!line)
            return rp__error_set(err, RP_USAGE,
                                 "the last line names an index and has no search "
                                 "behind it; end the body with a line end");
        if (one->err.code == RP_OK)
            rp__elastic_query_read(&one->query, one->generation, false, line, bytes, &one->err);
    }
    if (status == RP_OK && s->n == 0)
        return rp__error_set(err, RP_USAGE, "the body has no search; send pairs of lines");
    return status;
}

/* Memory for no more searches than a body of so many lines can have. */
static size_t max_searches(const rp__buf *body)
{
    size_t lines = 1;
    for (size_t i = 0; i < body->n; i++)
        lines += body->at[i] == '\n';
    return lines < 2 * MAX_SEARCHES ? (lines + 1) / 2 : MAX_SEARCHES;
}

bool rp__api_elastic_msearch(rp__request *request)
{
    rp_error err = {.code = RP_OK};
    searches *s = new_searches(request, max_searches(&request->body));
    if (!s)
        return false;
    s->is_many = true;
    if (read_searches(s, &err) != RP_OK)
        return fail(request, &err);
    return run_later(request);
}

/* ---- 5. Documents ---------------------------------------------------------------------------- */

static void write_document(rp__request *r, const rp_document *document, const rp__elastic_query *q)
{
    rp__json_writer w;
    begin_reply(r, &w);
    rp__json_writer_text(&w, "_index", r->http->service->at[r->index].name);
    rp__json_writer_text(&w, "_id", r->operand);
    rp__json_writer_uint(&w, "generation", r->generation->info.generation);
    if (document)
        rp__json_writer_uint(&w, "_version", 1);
    rp__json_writer_bool(&w, "found", document != NULL);
    if (document && q->shows_source)
        rp__elastic_reply_write_source(&w, document, q->shows_title, q->shows_text);
    end_reply(r, &w);
    if (document)
        return;
    r->status = 404;
    r->result = RP_RESULT_NOT_FOUND;
}

bool rp__api_elastic_document(rp__request *request)
{
    const rp_index *index = request->generation->index;
    rp_document document = {0};
    rp__elastic_query query;
    rp_error err = {.code = RP_OK};
    uint32_t docid;
    rp_status status = RP_OK;
    rp__elastic_query_init(&query);
    if (request->params.at[0].is_given)
        status = rp__elastic_query_set_source(&query, request->params.at[0].text, &err);
    if (status == RP_OK)
        status = rp_index_find(index, request->operand, &docid, &err);
    const bool is_missing = status == RP_NOT_FOUND;
    if (status == RP_OK)
        status = rp_index_get_document_start(index, docid, MAX_DOCUMENT, &document, &err);
    if (status == RP_OK && document.text_bytes == MAX_DOCUMENT)
        status = rp__error_set(&err, RP_LIMIT, "the document has more than %d bytes", MAX_DOCUMENT);
    if (status == RP_OK || is_missing)
        write_document(request, is_missing ? NULL : &document, &query);
    else
        rp__http_fail_by(request, &err);
    rp_document_free(&document);
    rp__elastic_query_free(&query);
    return false;
}

/* ---- 6. The service itself ------------------------------------------------------------------- */

bool rp__api_elastic_root(rp__request *request)
{
    rp__json_writer w;
    begin_reply(request, &w);
    rp__json_writer_text(&w, "name", "riposte");
    rp__json_writer_text(&w, "cluster_name", "riposte");
    rp__json_writer_text(&w, "cluster_uuid", "riposte");
    rp__json_writer_begin(&w, "version", '{');
    rp__json_writer_text(&w, "number", elastic_version);
    rp__json_writer_text(&w, "build_flavor", "default");
    rp__json_writer_text(&w, "riposte", rp_version());
    rp__json_writer_end(&w, '}');
    rp__json_writer_text(&w, "tagline", "Riposte answers the searches of Elasticsearch's clients");
    end_reply(request, &w);
    return false;
}

bool rp__api_elastic_health(rp__request *request)
{
    const rp__http *http = request->http;
    rp__json_writer w;
    begin_reply(request, &w);
    rp__json_writer_text(&w, "cluster_name", "riposte");
    rp__json_writer_text(&w, "status", atomic_load(&http->is_draining) ? "red" : "green");
    rp__json_writer_bool(&w, "timed_out", false);
    rp__json_writer_uint(&w, "number_of_nodes", 1);
    rp__json_writer_uint(&w, "number_of_data_nodes", 1);
    rp__json_writer_uint(&w, "active_primary_shards", http->service->n);
    rp__json_writer_uint(&w, "active_shards", http->service->n);
    rp__json_writer_uint(&w, "relocating_shards", 0);
    rp__json_writer_uint(&w, "initializing_shards", 0);
    rp__json_writer_uint(&w, "unassigned_shards", 0);
    rp__json_writer_uint(&w, "delayed_unassigned_shards", 0);
    rp__json_writer_uint(&w, "number_of_pending_tasks", 0);
    rp__json_writer_uint(&w, "number_of_in_flight_fetch", 0);
    rp__json_writer_uint(&w, "task_max_waiting_in_queue_millis", 0);
    rp__json_writer_uint(&w, "active_shards_percent_as_number", 100);
    end_reply(request, &w);
    return false;
}

enum { COLUMNS = 10, COLUMN_BYTES = 72 };
static const char *const columns[COLUMNS] = {
    "health", "status",     "index",        "uuid",       "pri",
    "rep",    "docs.count", "docs.deleted", "store.size", "pri.store.size"};

static void fill_row(rp__service *service, size_t i, char out[COLUMNS][COLUMN_BYTES])
{
    rp__generation *g = rp__service_use(service, &service->at[i]);
    static const char *const fixed[COLUMNS] = {"green", "open", "", "", "1", "0", "", "0", "", ""};
    for (size_t c = 0; c < COLUMNS; c++)
        snprintf(out[c], COLUMN_BYTES, "%s", fixed[c]);
    snprintf(out[2], COLUMN_BYTES, "%s", service->at[i].name);
    snprintf(out[3], COLUMN_BYTES, "generation-%llu", (unsigned long long)g->info.generation);
    snprintf(out[6], COLUMN_BYTES, "%llu", (unsigned long long)g->info.docs);
    snprintf(out[8], COLUMN_BYTES, "%llub", (unsigned long long)g->info.bytes_total);
    snprintf(out[9], COLUMN_BYTES, "%llub", (unsigned long long)g->info.bytes_total);
    rp__service_release(g);
}

static void write_rows(rp__request *r)
{
    rp__service *service = r->http->service;
    char row[COLUMNS][COLUMN_BYTES];
    if (r->params.at[VERBOSE].count)
        for (size_t c = 0; c < COLUMNS; c++)
            rp__buf_printf(&r->reply, "%s%s", columns[c], c + 1 < COLUMNS ? " " : "\n");
    for (size_t i = 0; i < service->n; i++) {
        fill_row(service, i, row);
        for (size_t c = 0; c < COLUMNS; c++)
            rp__buf_printf(&r->reply, "%s%s", row[c], c + 1 < COLUMNS ? " " : "\n");
    }
    r->type = "text/plain";
    r->status = 200;
}

bool rp__api_elastic_indices(rp__request *request)
{
    const rp__value *form = &request->params.at[FORMAT];
    rp__service *service = request->http->service;
    char row[COLUMNS][COLUMN_BYTES];
    rp__json_writer w;
    if (form->is_given ? form->count == 0 : !request->wants_json) {
        write_rows(request);
        return false;
    }
    rp__json_writer_init(&w, &request->reply);
    rp__json_writer_begin(&w, NULL, '[');
    for (size_t i = 0; i < service->n; i++) {
        fill_row(service, i, row);
        rp__json_writer_begin(&w, NULL, '{');
        for (size_t c = 0; c < COLUMNS; c++)
            rp__json_writer_text(&w, columns[c], row[c]);
        rp__json_writer_end(&w, '}');
    }
    rp__json_writer_end(&w, ']');
    request->type = "application/json";
    request->status = 200;
    return false;
}
