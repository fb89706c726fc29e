/* api_v1.c: what the service answers under /v1, and its health.
 *
 * A search becomes a job of the index's executor; who answers the job writes the reply. The other handlers answer at
 * once: they take microseconds. */
#include "serve/api_v1.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include "riposte/riposte.h"
#include "serve/routes.h"
#include "serve/search_reply.h"
#include "serve/shared_reply.h"

enum {
    MAX_SEARCHES = 256, /* of one msearch */
    REPLY_BYTES = 2000, /* that most replies fit into */
    MAX_TIMEOUT_MS = 30000,
    MAX_DOCUMENT = 64 << 20, /* bytes of a document's text */
};

static const char *const modes[] = {"or", "and", "andor", NULL}; /* in rp_mode's order */

enum { Q, FROM, K, MODE, FIELDS, SNIPPET, TIMELINE, TIMEOUT_MS, POLICY };
const rp__param rp__api_v1_search_params[] = {
    {.name = "q", .is_required = true, .help = "The query (docs/query-language.md)."},
    {.name = "from",
     .kind = RP_PARAM_COUNT,
     .max = 1000000000,
     .help = "Pass over so many of the best hits."},
    {.name = "k", .kind = RP_PARAM_COUNT, .min = 1, .max = 1000000000, .help = "So many hits."},
    {.name = "mode",
     .kind = RP_PARAM_CHOICE,
     .choices = modes,
     .help = "What words side by side mean: any, all, or all where that gives k hits."},
    {.name = "fields",
     .kind = RP_PARAM_NAMES,
     .choices = rp__search_reply_fields,
     .help = "Fields of a hit: rank, id, docid, score and fixed unless others are named."},
    {.name = "snippet",
     .kind = RP_PARAM_FLAG,
     .help = "Add length, title and the part of the text that shows the words, in pieces."},
    {.name = "timeline",
     .kind = RP_PARAM_FLAG,
     .help = "Add where the policy sent the query, why, and how long that took."},
    {.name = "timeout_ms",
     .kind = RP_PARAM_COUNT,
     .min = 1,
     .max = MAX_TIMEOUT_MS,
     .help = "Milliseconds after which the hits found by then are the answer."},
    {.name = "policy", .help = "A policy that answers instead of the service's, to compare."},
    {0},
};

enum { PREFIX, SUGGEST_K };
const rp__param rp__api_v1_suggest_params[] = {
    {.name = "prefix", .is_required = true, .help = "How the terms begin."},
    {.name = "k", .kind = RP_PARAM_COUNT, .min = 1, .max = 1000, .help = "So many terms: 10."},
    {0},
};

enum { EXPLAIN_Q, EXPLAIN_ID };
const rp__param rp__api_v1_explain_params[] = {
    {.name = "q", .is_required = true, .help = "The query."},
    {.name = "id", .is_required = true, .help = "The id of a document."},
    {0},
};

const rp__param rp__api_v1_no_params[] = {{0}};

/* ---- 1. Replies ------------------------------------------------------------------------------ */

static void begin_reply(rp__request *r, rp__json_writer *w, const char *schema)
{
    rp__buf_reserve(&r->reply, REPLY_BYTES);
    rp__json_writer_init(w, &r->reply);
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_text(w, "schema", schema);
    rp__json_writer_text(w, "index", r->http->service->at[r->index].name);
}

static void end_reply(rp__request *r, rp__json_writer *w)
{
    rp__json_writer_end(w, '}');
    r->status = 200;
    r->type = "application/json";
}

/* ---- 2. Searches ----------------------------------------------------------------------------- */

static void choose_fields(rp__search *s, const rp__params *p)
{
    const rp__value *chosen = &p->at[FIELDS];
    const bool has_snippet = p->at[SNIPPET].count;
    bool has_own = false;
    s->n_fields = chosen->n_names;
    for (size_t i = 0; i < chosen->n_names; i++) {
        s->fields[i] = chosen->names[i];
        has_own |= chosen->names[i] == RP_HIT_SNIPPET;
    }
    if (chosen->n_names == 0)
        for (int i = RP_HIT_RANK; i <= (has_snippet ? RP_HIT_SNIPPET : RP_HIT_FIXED); i++)
            s->fields[s->n_fields++] = (uint8_t)i;
    else if (has_snippet && !has_own)
        s->fields[s->n_fields++] = RP_HIT_SNIPPET;
}

static void read_search(const rp__http *http, const rp__params *p, rp__search *out)
{
    *out = (rp__search){.query = p->at[Q].text,
                        .query_bytes = p->at[Q].bytes,
                        .from = (size_t)p->at[FROM].count,
                        .k = (size_t)p->at[K].count,
                        .mode = (rp_mode)p->at[MODE].count,
                        .has_mode = p->at[MODE].is_given,
                        .has_timeline = p->at[TIMELINE].count,
                        .policy = p->at[POLICY].text,
                        .timeout_ms = p->at[TIMEOUT_MS].is_given ? p->at[TIMEOUT_MS].count
                                                                 : http->options->timeout_ms};
    choose_fields(out, p);
}

static const char *policy_of(const rp__request *r, const rp__search *s)
{
    const char *name = s->policy ? s->policy : r->http->options->executor.policy;
    return name ? name : rp_policy_name(0);
}

static rp_job make_job(const rp__search *s, void (*done)(void *arg, rp_outcome *outcome), void *arg)
{
    return (rp_job){.query = s->query,
                    .query_bytes = s->query_bytes,
                    .k = s->k,
                    .from = s->from,
                    .trace = s->has_timeline,
                    .mode = s->has_mode ? &s->mode : NULL,
                    .deadline_ns = s->timeout_ms * 1000000,
                    .done = done,
                    .arg = arg};
}

static rp__running_job about_job(const rp__request *r)
{
    return (rp__running_job){.executor = r->generation->executor,
                             .index = r->index,
                             .request = r->id,
                             .shows_text = r->http->options->log_queries};
}

static rp_status submit(rp__request *r, const rp__search *s, uint64_t here_ns,
                        void (*done)(void *arg, rp_outcome *outcome), void *arg,
                        rp__running **running, rp_error *err)
{
    rp_job job = make_job(s, done, arg);
    rp__generation *g = r->generation;
    rp__running_job about = about_job(r);
    job.here_ns = here_ns;
    if (s->policy) {
        rp_status status = rp__compare_get(&g->compare, g->index, &r->http->options->executor,
                                           s->policy, &about.executor, err);
        if (status != RP_OK)
            return status;
    }
    return rp__running_submit(&r->http->runnings, &about, &job, running, err);
}

/* Documents and snippets take longer than a short search. */
static bool has_documents(const rp__search *s)
{
    bool has = false;
    for (size_t i = 0; i < s->n_fields; i++)
        has |= s->fields[i] >= RP_HIT_LENGTH;
    return has;
}

/* Whether there are hits to show: all of them, or those that were found in time. */
static bool has_answer(const rp_outcome *o)
{
    return o->status == RP_OK || (o->status == RP_DEADLINE && o->hits.is_partial);
}

/* The members of one search's object: its answer, or its error. */
static rp_status write_answer(rp__request *r, rp__json_writer *w, const rp__search *s,
                              rp_outcome *o, rp_error *err)
{
    rp_status status = RP_OK;
    if (has_answer(o))
        status = rp__search_reply_write(w, r->generation, s, o, policy_of(r, s), err);
    else
        *err = o->err;
    if (o->status == RP_OK || o->status == RP_DEADLINE)
        rp__metrics_time(&r->http->metrics, r->index, o);
    return has_answer(o) ? status : o->status;
}

static void on_search(void *arg, rp_outcome *outcome)
{
    rp__request *r = arg;
    rp__search s;
    rp__json_writer w;
    rp_error err = {.text = ""};
    rp__running_end(r->running);
    read_search(r->http, &r->params, &s);
    begin_reply(r, &w, "riposte.search/1");
    r->gap_at = r->reply.n + strlen(",\"query\":");
    if (write_answer(r, &w, &s, outcome, &err) == RP_OK) {
        end_reply(r, &w);
        rp__http_note(r, outcome);
        if (outcome->hits.is_partial)
            r->tag[0] = 0; /* another time there may be more */
    } else {
        rp__http_fail_by(r, &err);
    }
    rp__shared_reply_end(r, r->status == 200 && !outcome->hits.is_partial);
    rp_hits_free(&outcome->hits);
    rp__http_resume(r);
}

/* The query as the reply shows it. */
static void write_gap(rp__request *r, const rp__search *s)
{
    rp__json_writer w;
    rp__json_writer_init(&w, &r->gap);
    rp__json_writer_string(&w, NULL, s->query, s->query_bytes);
}

/* What else shapes a reply. */
static void add_to_key(const rp__request *r, const rp__search *s, rp__buf *key)
{
    rp__buf_put_varint(key, s->k ? s->k : r->http->options->executor.search->k);
    rp__buf_put_varint(key, s->from);
    rp__buf_put(key, s->fields, s->n_fields);
}

/* Submits the search of a request. */
static rp_status ask_search(rp__request *r, rp_error *err)
{
    rp__search s;
    read_search(r->http, &r->params, &s);
    if (r->waiter.deadline_ns)
        s.timeout_ms = rp__shared_reply_time_left(r) / 1000000;
    return submit(r, &s, has_documents(&s) ? 0 : RP_HTTP_HERE_NS, on_search, r, &r->running, err);
}

/* So that the log can have it, where it may. */
static void note_query(rp__request *r, const rp__search *s)
{
    if (!r->http->options->log_queries)
        return;
    r->query_text = rp__alloc(s->query_bytes + 1);
    if (r->query_text)
        memcpy(r->query_text, s->query, s->query_bytes + 1);
}

bool rp__api_v1_search(rp__request *request)
{
    rp__search s;
    rp__buf key;
    rp_error err = {.text = ""};
    bool is_answered = false;
    read_search(request->http, &request->params, &s);
    note_query(request, &s);
    if (!s.has_timeline && !s.policy && rp__http_is_known(request))
        return false;
    rp__buf_init(&key);
    if (!s.has_timeline && !s.policy &&
        rp__shared_reply_key(request, 'v', request->generation, s.query, s.query_bytes,
                             s.has_mode ? &s.mode : NULL, &key)) {
        write_gap(request, &s);
        add_to_key(request, &s, &key);
        is_answered = rp__shared_reply_find(request, &key, s.timeout_ms, ask_search);
    } else {
        if (ask_search(request, &err) != RP_OK) {
            rp__http_fail_by(request, &err);
            rp__http_resume(request);
        }
    }
    rp__buf_free(&key);
    return !is_answered;
}

/* ---- 3. Many searches ------------------------------------------------------------------------ */

/* Searches are answered in any order. The thread that has read the request answers the first ones in their order, and
 * writes their answers where the reply has them; each of the others has memory of its own until all have one.
 * Invariant: until none is left, nobody but the reader touches the reply, `n_written` and `writer`. */
typedef struct item {
    struct many *many;
    rp__search search;
    rp__running *running; /* where it was submitted by itself */
    rp__buf reply;
    size_t hits;
} item;

typedef struct many {
    rp__request *request;
    _Atomic size_t n_left; /* searches that have not ended, and one while they are handed over */
    size_t n, cap;
    item *at;
    rp__running *running; /* where they were submitted together */
    char *texts;          /* of all searches */
    uint32_t reader;      /* the number of its thread */
    size_t n_written;     /* answers that the reply has */
    rp__json_writer writer;
} many;

static void free_many(void *work)
{
    many *m = work;
    for (size_t i = 0; i < m->n; i++)
        rp__buf_free(&m->at[i].reply);
    rp__free(m->at);
    rp__free(m->texts);
    rp__free(m);
}

static void write_item(rp__request *r, rp__json_writer *w, const item *it, rp_outcome *outcome)
{
    rp_error err;
    rp__json_writer_begin(w, NULL, '{');
    const rp__json_writer begun = *w;
    const size_t bytes = w->out->n;
    rp_status status = write_answer(r, w, &it->search, outcome, &err);
    if (status != RP_OK) { /* what was written of it is void */
        *w = begun;
        w->out->n = bytes;
        rp__json_writer_uint(w, "status", rp__http_status(err.code));
        rp__http_write_error(w, &err);
    }
    rp__json_writer_end(w, '}');
    if (status != RP_OK && err.code == RP_BUSY)
        rp__metrics_reject(&r->http->metrics, RP_REJECTED_QUEUE);
}

/* An answer, to where it belongs or to its own memory. */
static void put_item(item *it, rp_outcome *outcome)
{
    many *m = it->many;
    rp__json_writer own;
    if (m->reader == rp__thread_number() && it == &m->at[m->n_written]) {
        m->n_written++;
        write_item(m->request, &m->writer, it, outcome);
        return;
    }
    rp__buf_reserve(&it->reply, REPLY_BYTES);
    rp__json_writer_init(&own, &it->reply);
    write_item(m->request, &own, it, outcome);
}

static void begin_many(many *m)
{
    m->reader = rp__thread_number();
    rp__buf_reserve(&m->request->reply, (m->n + 1) * REPLY_BYTES);
    begin_reply(m->request, &m->writer, "riposte.msearch/1");
    rp__json_writer_begin(&m->writer, "answers", '[');
}

static void end_many(many *m)
{
    rp__request *r = m->request;
    size_t bytes = REPLY_BYTES;
    for (size_t i = m->n_written; i < m->n; i++)
        bytes += m->at[i].reply.n + 1;
    rp__buf_reserve(&r->reply, bytes);
    for (size_t i = m->n_written; i < m->n; i++) {
        const rp__buf *reply = &m->at[i].reply;
        if (i > 0)
            rp__buf_put_byte(&r->reply, ',');
        rp__buf_put(&r->reply, reply->at, reply->n);
        r->reply.failed |= reply->failed;
    }
    for (size_t i = 0; i < m->n; i++)
        r->hits += m->at[i].hits;
    rp__json_writer_end(&m->writer, ']');
    end_reply(r, &m->writer);
}

static void end_one(many *m)
{
    if (atomic_fetch_sub(&m->n_left, 1) != 1)
        return;
    rp__running_end(m->running);
    end_many(m);
    rp__http_resume(m->request);
}

static void on_item(void *arg, rp_outcome *outcome)
{
    item *it = arg;
    rp__running_end(it->running);
    it->hits = outcome->hits.n;
    put_item(it, outcome);
    rp_hits_free(&outcome->hits);
    end_one(it->many);
}

static rp_status add_item(many *m, const rp__params *params, rp_error *err)
{
    if (m->n == MAX_SEARCHES)
        return rp__error_set(err, RP_LIMIT, "the body has more than %d searches; send fewer",
                             MAX_SEARCHES);
    if (!rp__alloc_grow(&m->at, &m->cap, m->n + 1, sizeof *m->at))
        return rp__error_no_memory(err);
    item *it = &m->at[m->n++];
    *it = (item){.many = m};
    read_search(m->request->http, params, &it->search);
    return RP_OK;
}

/* All searches of the body; false: err says what is wrong with one. */
static bool read_many(many *m, const rp__buf *body, rp_error *err)
{
    rp__json json;
    rp__params params;
    bool has = true;
    m->texts = rp__alloc(body->n);
    if (!m->texts)
        return rp__error_no_memory(err) == RP_OK;
    rp__params_init(&params, rp__api_v1_search_params);
    params.texts = m->texts;
    rp__json_init(&json);
    rp_status status =
        rp__params_list_begin(&json, (const char *)body->at, body->n, "searches", err);
    while (status == RP_OK && has) {
        rp__params_clear(&params);
        status = rp__params_list_next(&json, &params, &has, err);
        if (status == RP_OK && has)
            status = rp__params_check(&params, err);
        if (status == RP_OK && has)
            status = add_item(m, &params, err);
    }
    rp__json_free(&json);
    return status == RP_OK;
}

/* Where cores answer all: at once. */
static void submit_together(rp__request *r, many *m)
{
    rp_error err = {.text = ""};
    const rp__running_job about = about_job(r);
    rp_job *jobs = rp__alloc_array(m->n, sizeof *jobs);
    rp_status status = jobs ? RP_OK : rp__error_no_memory(&err);
    bool has_long = false;
    for (size_t i = 0; jobs && i < m->n; i++) {
        jobs[i] = make_job(&m->at[i].search, on_item, &m->at[i]);
        has_long |= has_documents(&m->at[i].search);
    }
    if (jobs && !has_long)
        jobs[0].here_ns = RP_HTTP_HERE_MANY_NS;
    if (status == RP_OK)
        status = rp__running_submit_many(&r->http->runnings, &about, jobs, m->n, &m->running, &err);
    rp__free(jobs);
    if (status == RP_OK)
        return;
    rp__http_fail_by(r, &err);
    rp__http_resume(r);
}

/* Where a policy places each of them. */
static void submit_each(rp__request *r, many *m)
{
    for (size_t i = 0; i < m->n; i++) {
        item *it = &m->at[i];
        rp_outcome outcome = {.status = RP_OK};
        outcome.status = submit(r, &it->search, 0, on_item, it, &it->running, &outcome.err);
        if (outcome.status == RP_OK)
            continue; /* it may have ended already */
        put_item(it, &outcome);
        end_one(m);
    }
    end_one(m);
}

static void submit_many(rp__request *r, many *m)
{
    bool has_policy = false;
    for (size_t i = 0; i < m->n; i++)
        has_policy |= m->at[i].search.policy != NULL;
    const bool is_together = m->n > 0 && !has_policy && !r->generation->has_card;
    atomic_store(&m->n_left, m->n + !is_together);
    begin_many(m);
    if (is_together)
        submit_together(r, m);
    else
        submit_each(r, m);
}

bool rp__api_v1_msearch(rp__request *request)
{
    rp_error err = {.text = ""};
    many *m = rp__alloc_zero(1, sizeof *m);
    if (!m) {
        rp__error_no_memory(&err);
        rp__http_fail_by(request, &err);
        return false;
    }
    m->request = request;
    request->work = m;
    request->release = free_many;
    if (!read_many(m, &request->body, &err)) {
        rp__http_fail_by(request, &err);
        return false;
    }
    submit_many(request, m);
    return true;
}

/* ---- 4. Terms, documents, scores ------------------------------------------------------------- */

bool rp__api_v1_suggest(rp__request *request)
{
    const rp__params *p = &request->params;
    const size_t k = p->at[SUGGEST_K].is_given ? (size_t)p->at[SUGGEST_K].count : 10;
    rp_suggestions s = {0};
    rp_error err = {.text = ""};
    rp__json_writer w;
    if (rp__http_is_known(request))
        return false;
    if (rp_index_suggest(request->generation->index, p->at[PREFIX].text, k, &s, &err) != RP_OK) {
        rp__http_fail_by(request, &err);
        return false;
    }
    begin_reply(request, &w, "riposte.suggest/1");
    rp__json_writer_text(&w, "prefix", p->at[PREFIX].text);
    rp__json_writer_begin(&w, "terms", '[');
    for (size_t i = 0; i < s.n; i++) {
        rp__json_writer_begin(&w, NULL, '{');
        rp__json_writer_text(&w, "term", s.at[i].term);
        rp__json_writer_uint(&w, "df", s.at[i].df);
        rp__json_writer_end(&w, '}');
    }
    rp__json_writer_end(&w, ']');
    end_reply(request, &w);
    rp_suggestions_free(&s);
    return false;
}

bool rp__api_v1_document(rp__request *request)
{
    const rp_index *index = request->generation->index;
    rp_document document = {0};
    rp_error err = {.text = ""};
    rp__json_writer w;
    uint32_t docid;
    if (rp__http_is_known(request))
        return false;
    rp_status status = rp_index_find(index, request->operand, &docid, &err);
    if (status == RP_OK)
        status = rp_index_get_document_start(index, docid, MAX_DOCUMENT, &document, &err);
    if (status == RP_OK && document.text_bytes == MAX_DOCUMENT)
        status = rp__error_set(&err, RP_LIMIT, "the document has more than %d bytes", MAX_DOCUMENT);
    if (status == RP_OK) {
        begin_reply(request, &w, "riposte.document/1");
        rp__json_writer_uint(&w, "generation", request->generation->info.generation);
        rp__json_writer_text(&w, "id", document.id);
        rp__json_writer_uint(&w, "docid", document.docid);
        rp__json_writer_uint(&w, "length", document.length);
        rp__json_writer_string(&w, "title", document.title, document.title_bytes);
        rp__json_writer_string(&w, "text", document.text, document.text_bytes);
        end_reply(request, &w);
    } else {
        rp__http_fail_by(request, &err);
    }
    rp_document_free(&document);
    return false;
}

static void write_nodes(rp__json_writer *w, const rp_explanation *tree)
{
    rp__json_writer_begin(w, "explain", '[');
    for (size_t i = 0; i < tree->n; i++) {
        const rp_explain_node *node = &tree->at[i];
        rp__json_writer_begin(w, NULL, '{');
        rp__json_writer_uint(w, "level", node->level);
        rp__json_writer_text(w, "label", node->label);
        rp__json_writer_bool(w, "matches", node->matches);
        rp__json_writer_real(w, "score", node->score, 7);
        rp__json_writer_uint(w, "fixed", node->fixed);
        rp__json_writer_uint(w, "tf", node->tf);
        rp__json_writer_uint(w, "df", node->df);
        rp__json_writer_real(w, "weight", (double)node->weight, 9);
        rp__json_writer_real(w, "norm", (double)node->norm, 9);
        rp__json_writer_end(w, '}');
    }
    rp__json_writer_end(w, ']');
}

bool rp__api_v1_explain(rp__request *request)
{
    const rp__value *q = &request->params.at[EXPLAIN_Q], *id = &request->params.at[EXPLAIN_ID];
    rp__generation *g = request->generation;
    rp_searcher *searcher = NULL;
    rp_explanation tree = {0};
    rp_error err = {.text = ""};
    rp__json_writer w;
    uint32_t docid = 0;
    if (rp__http_is_known(request))
        return false;
    rp_status status = rp_index_find(g->index, id->text, &docid, &err);
    if (status == RP_OK)
        status = rp__service_lease(g, &searcher, &err);
    if (status == RP_OK)
        status = rp_searcher_explain(searcher, q->text, q->bytes, docid, &tree, &err);
    if (status == RP_OK) {
        begin_reply(request, &w, "riposte.explain/1");
        rp__json_writer_string(&w, "query", q->text, q->bytes);
        rp__json_writer_text(&w, "id", id->text);
        rp__json_writer_uint(&w, "docid", docid);
        write_nodes(&w, &tree);
        end_reply(request, &w);
    } else {
        rp__http_fail_by(request, &err);
    }
    rp_explanation_free(&tree);
    rp__service_give_back(g, searcher);
    return false;
}

bool rp__api_v1_stats(rp__request *request)
{
    const rp_index_info *info = &request->generation->info;
    rp__json_writer w;
    if (rp__http_is_known(request))
        return false;
    begin_reply(request, &w, "riposte.stats/1");
    rp__json_writer_uint(&w, "generation", info->generation);
    rp__json_writer_uint(&w, "docs", info->docs);
    rp__json_writer_uint(&w, "terms", info->terms);
    rp__json_writer_uint(&w, "postings", info->postings);
    rp__json_writer_uint(&w, "tokens", info->tokens);
    rp__json_writer_real(&w, "average_length", info->average_length, 6);
    rp__json_writer_text(&w, "codec", info->codec);
    rp__json_writer_text(&w, "stem", info->stem);
    rp__json_writer_text(&w, "stop", info->stop);
    rp__json_writer_bool(&w, "has_positions", info->has_positions);
    rp__json_writer_bool(&w, "has_text", info->has_text);
    rp__json_writer_uint(&w, "bytes_total", info->bytes_total);
    end_reply(request, &w);
    return false;
}

/* ---- 5. Queries under way --------------------------------------------------------------------- */

bool rp__api_v1_queries(rp__request *request)
{
    rp__json_writer w;
    begin_reply(request, &w, "riposte.queries/1");
    rp__running_write(&request->http->runnings, request->index, &w);
    end_reply(request, &w);
    return false;
}

bool rp__api_v1_cancel(rp__request *request)
{
    rp__json_writer w;
    rp_error err = {.text = ""};
    const size_t n = strlen(request->operand);
    const bool is_id = n < 20 && strspn(request->operand, "0123456789") == n;
    const uint64_t id = is_id ? strtoull(request->operand, NULL, 10) : 0;
    if (rp__running_cancel(&request->http->runnings, request->index, id, &err) != RP_OK) {
        rp__http_fail_by(request, &err);
        return false;
    }
    begin_reply(request, &w, "riposte.cancel/1");
    rp__json_writer_uint(&w, "id", id);
    end_reply(request, &w);
    return false;
}

/* ---- 6. The service itself ------------------------------------------------------------------- */

bool rp__api_v1_health(rp__request *request)
{
    rp__buf_put_string(&request->reply, "ok\n");
    request->type = "text/plain";
    request->status = 200;
    return false;
}

bool rp__api_v1_ready(rp__request *request)
{
    const bool is_draining = atomic_load(&request->http->is_draining);
    rp__buf_put_string(&request->reply, is_draining ? "the service ends\n" : "ready\n");
    request->type = "text/plain";
    request->status = is_draining ? 503 : 200;
    return false;
}

bool rp__api_v1_metrics(rp__request *request)
{
    rp__metrics_write(&request->http->metrics, request->http->service, request->http->cache,
                      &request->reply);
    request->type = "text/plain; version=0.0.4";
    request->status = 200;
    return false;
}
