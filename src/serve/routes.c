/* routes.c: the table of routes. */
#include "serve/routes.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "riposte/riposte.h"
#include "serve/api_elastic.h"
#include "serve/api_v1.h"
#include "serve/page.h"

#define PAGE_FILE(file)                                                                            \
    {                                                                                              \
        .method = "GET", .name = file, .op = RP_OP_OTHER, .is_open = true,                         \
        .handle = rp__page_file, .params = rp__api_v1_no_params, .summary = "A file of the page."  \
    }

static const rp__route table[] = {
    {.method = "GET",
     .name = "search",
     .kind = RP_ROUTE_INDEX,
     .op = RP_OP_SEARCH,
     .handle = rp__api_v1_search,
     .params = rp__api_v1_search_params,
     .summary = "The best documents for a query.",
     .schema = "riposte.search/1"},
    {.method = "POST",
     .name = "search",
     .kind = RP_ROUTE_INDEX,
     .op = RP_OP_SEARCH,
     .handle = rp__api_v1_search,
     .params = rp__api_v1_search_params,
     .summary = "The same, with the parameters as a JSON object.",
     .schema = "riposte.search/1"},
    {.method = "POST",
     .name = "msearch",
     .kind = RP_ROUTE_INDEX,
     .op = RP_OP_MSEARCH,
     .is_msearch = true,
     .handle = rp__api_v1_msearch,
     .params = rp__api_v1_search_params,
     .summary = "Many searches at once: {\"searches\":[{...},...]}, each with the parameters of a "
                "search.",
     .schema = "riposte.msearch/1"},
    {.method = "GET",
     .name = "suggest",
     .kind = RP_ROUTE_INDEX,
     .op = RP_OP_SUGGEST,
     .handle = rp__api_v1_suggest,
     .params = rp__api_v1_suggest_params,
     .summary = "The most frequent terms that begin with some letters.",
     .schema = "riposte.suggest/1"},
    {.method = "GET",
     .name = "explain",
     .kind = RP_ROUTE_INDEX,
     .op = RP_OP_EXPLAIN,
     .handle = rp__api_v1_explain,
     .params = rp__api_v1_explain_params,
     .summary = "How a document came by its score for a query.",
     .schema = "riposte.explain/1"},
    {.method = "GET",
     .name = "docs",
     .kind = RP_ROUTE_ITEM,
     .op = RP_OP_DOCS,
     .handle = rp__api_v1_document,
     .params = rp__api_v1_no_params,
     .summary = "A document by its id.",
     .schema = "riposte.document/1"},
    {.method = "GET",
     .name = "stats",
     .kind = RP_ROUTE_INDEX,
     .op = RP_OP_STATS,
     .handle = rp__api_v1_stats,
     .params = rp__api_v1_no_params,
     .summary = "What the index holds.",
     .schema = "riposte.stats/1"},
    {.method = "GET",
     .name = "queries",
     .kind = RP_ROUTE_INDEX,
     .op = RP_OP_OTHER,
     .handle = rp__api_v1_queries,
     .params = rp__api_v1_no_params,
     .summary = "The queries that are being answered.",
     .schema = "riposte.queries/1"},
    {.method = "DELETE",
     .name = "queries",
     .kind = RP_ROUTE_ITEM,
     .op = RP_OP_OTHER,
     .handle = rp__api_v1_cancel,
     .params = rp__api_v1_no_params,
     .summary = "Cancels a query: who asked gets a 503.",
     .schema = "riposte.cancel/1"},
    {.method = "GET",
     .name = "healthz",
     .op = RP_OP_OTHER,
     .is_open = true,
     .handle = rp__api_v1_health,
     .params = rp__api_v1_no_params,
     .summary = "The service runs."},
    {.method = "GET",
     .name = "readyz",
     .op = RP_OP_OTHER,
     .is_open = true,
     .handle = rp__api_v1_ready,
     .params = rp__api_v1_no_params,
     .summary = "The service takes requests; 503 while it ends."},
    {.method = "GET",
     .name = "metrics",
     .op = RP_OP_OTHER,
     .handle = rp__api_v1_metrics,
     .params = rp__api_v1_no_params,
     .summary = "Counters and histograms for Prometheus."},
    {.method = "GET",
     .name = "",
     .kind = RP_ROUTE_ELASTIC,
     .op = RP_OP_OTHER,
     .handle = rp__api_elastic_root,
     .params = rp__api_v1_no_params,
     .summary = "Elasticsearch: which release this is like, where Accept asks for JSON.",
     .schema = "elastic"},
    {.method = "GET",
     .name = "_search",
     .kind = RP_ROUTE_ELASTIC_INDEX,
     .op = RP_OP_SEARCH,
     .has_body = true,
     .handle = rp__api_elastic_search,
     .params = rp__api_elastic_search_params,
     .summary = "Elasticsearch: the best documents for a query.",
     .schema = "elastic"},
    {.method = "POST",
     .name = "_search",
     .kind = RP_ROUTE_ELASTIC_INDEX,
     .op = RP_OP_SEARCH,
     .has_body = true,
     .handle = rp__api_elastic_search,
     .params = rp__api_elastic_search_params,
     .summary = "The same.",
     .schema = "elastic"},
    {.method = "POST",
     .name = "_msearch",
     .kind = RP_ROUTE_ELASTIC_INDEX,
     .op = RP_OP_MSEARCH,
     .has_body = true,
     .is_msearch = true,
     .handle = rp__api_elastic_msearch,
     .params = rp__api_v1_no_params,
     .summary = "Elasticsearch: many searches, as lines of JSON.",
     .schema = "elastic"},
    {.method = "GET",
     .name = "_count",
     .kind = RP_ROUTE_ELASTIC_INDEX,
     .op = RP_OP_COUNT,
     .has_body = true,
     .handle = rp__api_elastic_count,
     .params = rp__api_elastic_count_params,
     .summary = "Elasticsearch: how many documents match.",
     .schema = "elastic"},
    {.method = "POST",
     .name = "_count",
     .kind = RP_ROUTE_ELASTIC_INDEX,
     .op = RP_OP_COUNT,
     .has_body = true,
     .handle = rp__api_elastic_count,
     .params = rp__api_elastic_count_params,
     .summary = "The same.",
     .schema = "elastic"},
    {.method = "GET",
     .name = "_doc",
     .kind = RP_ROUTE_ELASTIC_ITEM,
     .op = RP_OP_DOCS,
     .handle = rp__api_elastic_document,
     .params = rp__api_elastic_document_params,
     .summary = "Elasticsearch: a document by its id.",
     .schema = "elastic"},
    {.method = "GET",
     .name = "_cluster/health",
     .kind = RP_ROUTE_ELASTIC,
     .op = RP_OP_OTHER,
     .handle = rp__api_elastic_health,
     .params = rp__api_v1_no_params,
     .summary = "Elasticsearch: the service takes requests.",
     .schema = "elastic"},
    {.method = "GET",
     .name = "_cat/indices",
     .kind = RP_ROUTE_ELASTIC,
     .op = RP_OP_OTHER,
     .handle = rp__api_elastic_indices,
     .params = rp__api_elastic_indices_params,
     .summary = "Elasticsearch: the indexes as a table, or as JSON."},
    {.method = "GET",
     .name = "",
     .op = RP_OP_SEARCH,
     .handle = rp__page_show,
     .params = rp__page_params,
     .summary = "The page for people: a form, and the hits of a query as HTML.",
     .is_html = true},
    PAGE_FILE("style.css"),
    PAGE_FILE("app.js"),
    PAGE_FILE("timeline.js"),
    PAGE_FILE("dashboard.js"),
    {.method = "GET",
     .name = "v1/events",
     .op = RP_OP_OTHER,
     .handle = rp__events_listen,
     .params = rp__api_v1_no_params,
     .summary = "Figures of the service, a sample a second, as server-sent events."},
    {.method = "GET",
     .name = "openapi.json",
     .op = RP_OP_OTHER,
     .handle = rp__routes_print,
     .params = rp__api_v1_no_params,
     .summary = "This description.",
     .schema = "openapi"},
};

const rp__route *rp__routes_at(size_t i)
{
    return i < sizeof table / sizeof *table ? &table[i] : NULL;
}

/* ---- 1. Finding ------------------------------------------------------------------------------ */

typedef struct place {
    const char *name; /* of the route: a part of the path */
    size_t name_bytes;
    bool has_index, is_elastic;
    const char *rest; /* behind it and its '/'; NULL: nothing */
} place;

static bool is_part(const char *name, const char *part, size_t bytes)
{
    return strlen(name) == bytes && memcmp(name, part, bytes) == 0;
}

static bool is_route_name(const char *part, size_t bytes)
{
    for (size_t i = 0; rp__routes_at(i); i++)
        if ((rp__routes_at(i)->kind == RP_ROUTE_INDEX || rp__routes_at(i)->kind == RP_ROUTE_ITEM) &&
            is_part(rp__routes_at(i)->name, part, bytes))
            return true;
    return false;
}

static bool is_root_name(const char *path, size_t bytes)
{
    for (size_t i = 0; rp__routes_at(i); i++)
        if (rp__routes_at(i)->kind == RP_ROUTE_ROOT && is_part(rp__routes_at(i)->name, path, bytes))
            return true;
    return false;
}

bool rp__routes_take(const char *name)
{
    for (size_t i = 0; rp__routes_at(i); i++)
        if (is_part(name, rp__routes_at(i)->name, strcspn(rp__routes_at(i)->name, "/")))
            return true;
    return strcmp(name, "v1") == 0;
}

static size_t part_bytes(const char *part, const char *end)
{
    const char *slash = memchr(part, '/', (size_t)(end - part));
    return slash ? (size_t)(slash - part) : (size_t)(end - part);
}

/* The path of a client of Elasticsearch: "/" where it wants JSON; /_NAME; /INDEX/_NAME. */
static bool is_elastic(const rp__request *r, const char *path, const char *end)
{
    const size_t n = part_bytes(path + 1, end);
    if (n == 0)
        return r->wants_json && path + 1 == end;
    if (is_part("v1", path + 1, n))
        return false;
    return path[1] == '_' || rp__service_find(r->http->service, path + 1, n) ||
           (path + n + 2 < end && path[n + 2] == '_');
}

/* The part before /_NAME names an index, if there is one. */
static rp_status look_at_elastic(rp__request *r, const char *path, const char *end, place *out,
                                 rp_error *err)
{
    const char *part = path + 1;
    size_t n = part_bytes(part, end);
    const bool is_any = is_part("_all", part, n) && part + n < end;
    r->is_elastic = out->is_elastic = true;
    if (is_any || (n > 0 && part[0] != '_')) {
        rp__collection *c = is_any ? NULL : rp__service_find(r->http->service, part, n);
        if (!c && !(is_any && r->http->service->n == 1))
            return rp__error_set(err, RP_NOT_FOUND,
                                 "no such index [%.*s]; /_cat/indices lists them; several at once "
                                 "are not supported",
                                 n < 64 ? (int)n : 64, part);
        r->index = c ? (size_t)(c - r->http->service->at) : 0;
        out->has_index = true;
        part += n + (part + n < end);
        n = part_bytes(part, end);
    }
    r->has_index = out->has_index || r->http->service->n == 1;
    out->name = part;
    out->name_bytes = (size_t)(end - part);
    if (out->has_index && part + n < end) {
        out->name_bytes = n;
        out->rest = part + n + 1;
    }
    return RP_OK;
}

/* The path, of `bytes`, to the name of a route and its index. */
static rp_status look_at(rp__request *r, const char *path, size_t bytes, place *out, rp_error *err)
{
    static const char start[] = "/v1/";
    const char *end = path + bytes;
    if (is_elastic(r, path, end))
        return look_at_elastic(r, path, end, out, err);
    if (is_root_name(path + 1, bytes - 1) || bytes < sizeof start - 1 ||
        memcmp(path, start, sizeof start - 1) != 0) {
        *out = (place){.name = path + 1, .name_bytes = bytes - 1};
        return RP_OK;
    }
    const char *part = path + sizeof start - 1;
    const char *slash = memchr(part, '/', (size_t)(end - part));
    size_t n = slash ? (size_t)(slash - part) : (size_t)(end - part);
    if (!is_route_name(part, n)) {
        rp__collection *c = rp__service_find(r->http->service, part, n);
        if (!c || !slash)
            return rp__error_set(err, RP_NOT_FOUND,
                                 "there is no index \"%.*s\" here; /metrics lists them",
                                 n < 64 ? (int)n : 64, part);
        r->index = (size_t)(c - r->http->service->at);
        out->has_index = true;
        part = slash + 1;
        slash = memchr(part, '/', (size_t)(end - part));
        n = slash ? (size_t)(slash - part) : (size_t)(end - part);
    } else if (r->http->service->n > 1) {
        return rp__error_set(err, RP_NOT_FOUND,
                             "several indexes are served; name one: /v1/INDEX/%.*s",
                             n < 64 ? (int)n : 64, part);
    }
    out->name = part;
    out->name_bytes = n;
    out->rest = slash ? slash + 1 : NULL;
    out->has_index = true;
    return RP_OK;
}

static bool fits_elastic(const rp__route *route, const place *at)
{
    const bool is_item = route->kind == RP_ROUTE_ELASTIC_ITEM;
    return route->kind >= RP_ROUTE_ELASTIC && is_item == (at->rest && at->rest[0]) &&
           (!is_item || at->has_index) && !(route->kind == RP_ROUTE_ELASTIC && at->has_index) &&
           is_part(route->name, at->name, at->name_bytes);
}

static bool fits(const rp__route *route, const place *at)
{
    if (at->is_elastic)
        return fits_elastic(route, at);
    return route->kind < RP_ROUTE_ELASTIC && (route->kind != RP_ROUTE_ROOT) == at->has_index &&
           (route->kind == RP_ROUTE_ITEM) == (at->rest && at->rest[0] && at->rest[0] != '?') &&
           is_part(route->name, at->name, at->name_bytes);
}

static rp_status decode_operand(rp__request *r, const char *rest, size_t bytes, rp_error *err)
{
    size_t n;
    r->path = rp__alloc(bytes + 1);
    if (!r->path)
        return rp__error_no_memory(err);
    if (!rp__params_decode(rest, bytes, false, r->path, &n))
        return rp__error_set(err, RP_USAGE, "the path is not well encoded; write %%25 for %%");
    r->operand = r->path;
    return RP_OK;
}

rp_status rp__routes_find(rp__request *r, rp_error *err)
{
    const char *question = strchr(r->target, '?');
    const size_t bytes = question ? (size_t)(question - r->target) : strlen(r->target);
    const char *method = strcmp(r->method, "HEAD") == 0 ? "GET" : r->method;
    static const char *const allowed[] = {"GET, HEAD", "POST", "GET, HEAD, POST", "DELETE"};
    unsigned seen = 0;
    place at = {.name = ""};
    r->query = question ? question + 1 : "";
    r->query_bytes = strlen(r->query);
    rp_status status = look_at(r, r->target, bytes, &at, err);
    for (size_t i = 0; status == RP_OK && rp__routes_at(i); i++) {
        const rp__route *route = rp__routes_at(i);
        if (!fits(route, &at))
            continue;
        seen |= strcmp(route->method, "GET") == 0 ? 1 : strcmp(route->method, "POST") == 0 ? 2 : 4;
        if (strcmp(route->method, method) != 0)
            continue;
        r->route = route;
        return route->kind == RP_ROUTE_ITEM || route->kind == RP_ROUTE_ELASTIC_ITEM
                   ? decode_operand(r, at.rest, (size_t)(r->target + bytes - at.rest), err)
                   : RP_OK;
    }
    if (status != RP_OK)
        return status;
    if (seen == 0 && at.is_elastic)
        return rp__error_set(err, RP_USAGE,
                             "%s %.*s is not supported; of Elasticsearch there are _search, "
                             "_msearch, _count, _doc, _cat/indices and _cluster/health",
                             r->method, bytes < 64 ? (int)bytes : 64, r->target);
    if (seen == 0)
        return rp__error_set(err, RP_NOT_FOUND, "nothing is here; /openapi.json says what is");
    r->allow = allowed[seen - 1];
    return rp__error_set(err, RP_USAGE, "this takes another method; send %s", r->allow);
}

rp_status rp__routes_read(rp__request *r, rp_error *err)
{
    const rp__route *route = r->route;
    const bool is_query = strcmp(route->method, "POST") != 0 || r->is_elastic;
    rp__params_init(&r->params, is_query ? route->params : rp__api_v1_no_params);
    rp_status status = rp__params_read_query(&r->params, r->query, r->query_bytes, err);
    if (status == RP_OK && !is_query && !route->is_msearch) {
        r->params.rows = route->params;
        status = rp__params_read_body(&r->params, (const char *)r->body.at, r->body.n, err);
    }
    return status == RP_OK ? rp__params_check(&r->params, err) : status;
}

/* ---- 2. /openapi.json ------------------------------------------------------------------------ */

static void write_type(rp__json_writer *w, const char *key, const rp__param *row)
{
    static const char *const types[] = {"string", "integer", "boolean", "string", "array"};
    rp__json_writer_begin(w, key, '{');
    rp__json_writer_text(w, "description", row->help);
    rp__json_writer_text(w, "type", types[row->kind]);
    if (row->kind == RP_PARAM_COUNT) {
        rp__json_writer_uint(w, "minimum", row->min);
        rp__json_writer_uint(w, "maximum", row->max);
    }
    if (row->kind == RP_PARAM_NAMES) {
        rp__json_writer_begin(w, "items", '{');
        rp__json_writer_text(w, "type", "string");
    }
    if (row->choices) {
        rp__json_writer_begin(w, "enum", '[');
        for (size_t i = 0; row->choices[i]; i++)
            rp__json_writer_text(w, NULL, row->choices[i]);
        rp__json_writer_end(w, ']');
    }
    if (row->kind == RP_PARAM_NAMES)
        rp__json_writer_end(w, '}');
    rp__json_writer_end(w, '}');
}

static void write_param(rp__json_writer *w, const char *where, const rp__param *row)
{
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_text(w, "name", row->name);
    rp__json_writer_text(w, "in", where);
    rp__json_writer_bool(w, "required", row->is_required);
    rp__json_writer_text(w, "description", row->help);
    if (row->kind == RP_PARAM_NAMES) {
        rp__json_writer_text(w, "style", "form");
        rp__json_writer_bool(w, "explode", false);
    }
    write_type(w, "schema", row);
    rp__json_writer_end(w, '}');
}

static bool has_item(const rp__route *route)
{
    return route->kind == RP_ROUTE_ITEM || route->kind == RP_ROUTE_ELASTIC_ITEM;
}

static bool has_index(const rp__route *route)
{
    return route->kind != RP_ROUTE_ROOT && route->kind != RP_ROUTE_ELASTIC;
}

static void write_parameters(rp__json_writer *w, const rp__route *route)
{
    static const rp__param index = {
        .name = "index", .is_required = true, .help = "Name of an index."};
    static const rp__param id = {.name = "id", .is_required = true, .help = "Id of a document."};
    rp__json_writer_begin(w, "parameters", '[');
    if (has_index(route))
        write_param(w, "path", &index);
    if (has_item(route))
        write_param(w, "path", &id);
    const bool is_query = strcmp(route->method, "GET") == 0 || route->kind >= RP_ROUTE_ELASTIC;
    for (const rp__param *row = route->params; row->name && is_query; row++)
        write_param(w, "query", row);
    rp__json_writer_end(w, ']');
}

/* Of a search; of msearch, an array of them. */
static void write_request_body(rp__json_writer *w, const rp__route *route)
{
    rp__json_writer_begin(w, "requestBody", '{');
    rp__json_writer_bool(w, "required", true);
    rp__json_writer_begin(w, "content", '{');
    rp__json_writer_begin(w, "application/json", '{');
    rp__json_writer_begin(w, "schema", '{');
    if (route->kind >= RP_ROUTE_ELASTIC) {
        rp__json_writer_text(w, "type", "object");
    } else if (route->is_msearch) {
        rp__json_writer_text(w, "type", "object");
        rp__json_writer_begin(w, "properties", '{');
        rp__json_writer_begin(w, "searches", '{');
        rp__json_writer_text(w, "type", "array");
        rp__json_writer_begin(w, "items", '{');
        rp__json_writer_text(w, "$ref", "#/components/schemas/Search");
        rp__json_writer_end(w, '}');
        rp__json_writer_end(w, '}');
        rp__json_writer_end(w, '}');
    } else {
        rp__json_writer_text(w, "$ref", "#/components/schemas/Search");
    }
    for (int i = 0; i < 4; i++)
        rp__json_writer_end(w, '}');
}

static void write_response(rp__json_writer *w, const char *code, const char *what, const char *type)
{
    rp__json_writer_begin(w, code, '{');
    rp__json_writer_text(w, "description", what);
    rp__json_writer_begin(w, "content", '{');
    rp__json_writer_begin(w, type, '{');
    rp__json_writer_begin(w, "schema", '{');
    rp__json_writer_text(w, "type", strcmp(type, "text/*") == 0 ? "string" : "object");
    for (int i = 0; i < 4; i++)
        rp__json_writer_end(w, '}');
}

static void write_route(rp__json_writer *w, const rp__route *route)
{
    rp__json_writer_begin(w,
                          strcmp(route->method, "GET") == 0    ? "get"
                          : strcmp(route->method, "POST") == 0 ? "post"
                                                               : "delete",
                          '{');
    rp__json_writer_text(w, "summary", route->summary);
    write_parameters(w, route);
    if (strcmp(route->method, "POST") == 0)
        write_request_body(w, route);
    rp__json_writer_begin(w, "responses", '{');
    write_response(w, "200", route->schema ? route->schema : "Text.",
                   route->schema ? "application/json" : "text/*");
    write_response(w, "default", "riposte.error/1", "application/json");
    rp__json_writer_end(w, '}');
    rp__json_writer_end(w, '}');
}

/* The path of the i-th route, and all of its methods, which follow each other in the table. */
static size_t write_path(rp__json_writer *w, const rp__route *first, size_t i)
{
    char path[64];
    if (first->kind == RP_ROUTE_ELASTIC && !first->name[0])
        return i + 1; /* the page's path is the same */
    snprintf(path, sizeof path, "%s%s%s",
             !has_index(first)                 ? "/"
             : first->kind >= RP_ROUTE_ELASTIC ? "/{index}/"
                                               : "/v1/{index}/",
             first->name, has_item(first) ? "/{id}" : "");
    rp__json_writer_begin(w, path, '{');
    for (; rp__routes_at(i) && strcmp(rp__routes_at(i)->name, first->name) == 0 &&
           rp__routes_at(i)->kind == first->kind;
         i++)
        write_route(w, rp__routes_at(i));
    rp__json_writer_end(w, '}');
    return i;
}

static void write_search_schema(rp__json_writer *w)
{
    rp__json_writer_begin(w, "components", '{');
    rp__json_writer_begin(w, "schemas", '{');
    rp__json_writer_begin(w, "Search", '{');
    rp__json_writer_text(w, "type", "object");
    rp__json_writer_begin(w, "required", '[');
    rp__json_writer_text(w, NULL, "q");
    rp__json_writer_end(w, ']');
    rp__json_writer_bool(w, "additionalProperties", false);
    rp__json_writer_begin(w, "properties", '{');
    for (const rp__param *row = rp__api_v1_search_params; row->name; row++)
        write_type(w, row->name, row);
    for (int i = 0; i < 4; i++)
        rp__json_writer_end(w, '}');
}

bool rp__routes_print(rp__request *request)
{
    rp__json_writer w;
    rp__json_writer_init(&w, &request->reply);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "openapi", "3.0.3");
    rp__json_writer_begin(&w, "info", '{');
    rp__json_writer_text(&w, "title", "Riposte");
    rp__json_writer_text(&w, "version", rp_version());
    rp__json_writer_end(&w, '}');
    rp__json_writer_begin(&w, "paths", '{');
    const rp__route *route;
    for (size_t i = 0; (route = rp__routes_at(i));)
        i = write_path(&w, route, i);
    rp__json_writer_end(&w, '}');
    write_search_schema(&w);
    rp__json_writer_end(&w, '}');
    request->type = "application/json";
    request->status = 200;
    return false;
}
