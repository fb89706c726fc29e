/* page.c: HTML of the form, help, the hits with their marked snippets, corrections, errors under their column, pages, and
 * a document. The modules of web/ take the same elements over, by their ids, where JavaScript runs.
 *
 * All text that comes from queries and documents passes rp__page_escape. A query is a job of the executor, as under
 * /v1. */
#include "serve/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "riposte/riposte.h"
#include "serve/routes.h"

enum { PAGE_HITS = 10, SHOWN = (1 << 20) + 1, MAX_FROM = 9990, MAX_MARKED = 64 };

/* Files of web/, by their names; made by the Makefile. Each ends with a NUL. */
typedef struct web_file {
    const char *name, *bytes;
} web_file;
extern const web_file rp__page_files[];

static const char *const modes[] = {"or", "and", "andor", NULL}; /* in rp_mode's order */

enum { Q, INDEX, MODE, FROM, DOC };
const rp__param rp__page_params[] = {
    {.name = "q", .help = "The query."},
    {.name = "index", .help = "Name of an index; the first without it."},
    {.name = "mode", .kind = RP_PARAM_CHOICE, .choices = modes, .help = "As of a search."},
    {.name = "from", .kind = RP_PARAM_COUNT, .max = MAX_FROM, .help = "Hits to pass over."},
    {.name = "doc", .help = "The id of a document, which is shown instead of hits."},
    {0},
};

/* ---- 1. Text --------------------------------------------------------------------------------- */

void rp__page_escape(rp__buf *out, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes;) {
        const uint32_t n = rp__utf8_valid(text + i, bytes - i);
        if (n == 0 || (n == 1 && (unsigned char)text[i] < 0x20 && !strchr("\t\n\r", text[i])))
            rp__buf_put_string(out, "\xEF\xBF\xBD");
        else if (n == 1 && text[i] != 0 && strchr("&<>\"'", text[i]))
            rp__buf_printf(out, "&#%d;", text[i]);
        else
            rp__buf_put(out, text + i, n);
        i += n ? n : 1;
    }
}

static void put_text(rp__buf *out, const char *text)
{
    rp__page_escape(out, text, strlen(text));
}

/* A part of an address. */
static void put_encoded(rp__buf *out, const char *text, size_t bytes)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._~-";
    for (size_t i = 0; i < bytes; i++)
        if (text[i] && strchr(plain, text[i]))
            rp__buf_put_byte(out, (uint8_t)text[i]);
        else
            rp__buf_printf(out, "%%%02X", (unsigned)(unsigned char)text[i]);
}

/* ---- 2. Parts of the page -------------------------------------------------------------------- */

static void write_indexes(const rp__request *r, rp__buf *out)
{
    const rp__service *service = r->http->service;
    if (service->n < 2)
        return;
    rp__buf_put_string(out, "<label class=\"small\">Index<select name=\"index\">");
    for (size_t i = 0; i < service->n; i++) {
        rp__buf_printf(out, "<option%s>", i == r->index ? " selected" : "");
        put_text(out, service->at[i].name);
        rp__buf_put_string(out, "</option>");
    }
    rp__buf_put_string(out, "</select></label>");
}

/* The service's policy, and all that a query can be compared by. */
static void write_policies(const rp__request *r, rp__buf *out)
{
    const char *own = r->http->options->executor.policy;
    rp__buf_printf(out, " data-policy=\"%s\" data-policies=\"", own ? own : rp_policy_name(0));
    for (size_t i = 0; rp_policy_name(i); i++)
        rp__buf_printf(out, "%s%s", i ? " " : "", rp_policy_name(i));
    rp__buf_put_string(out, "\"");
}

static void write_head(const rp__request *r, rp__buf *out)
{
    const rp__params *p = &r->params;
    rp__buf_put_string(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                            "<meta name=\"viewport\" content=\"width=device-width\"><title>");
    if (p->at[Q].bytes > 0) {
        rp__page_escape(out, p->at[Q].text, p->at[Q].bytes);
        rp__buf_put_string(out, " - ");
    }
    rp__buf_put_string(out, "Riposte</title><link rel=\"icon\" href=\"data:image/svg+xml,"
                            "%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
                            "%3Cpath d='M3 13 13 3M9 3h4v4M3 9v4h4' fill='none' stroke='%232d6fb5' "
                            "stroke-width='2'/%3E%3C/svg%3E\">"
                            "<link rel=\"stylesheet\" href=\"/style.css\">"
                            "<script type=\"module\" src=\"/app.js\"></script></head>\n"
                            "<body data-index=\"");
    put_text(out, r->http->service->at[r->index].name);
    rp__buf_put_string(out, "\"");
    write_policies(r, out);
    rp__buf_put_string(out, "><header><h1><a href=\"/\">Riposte</a></h1><nav class=\"js\" "
                            "aria-label=\"Views\"><a href=\"#\" id=\"to-search\">Search</a>"
                            "<a href=\"#dashboard\" id=\"to-dashboard\">Dashboard</a></nav>"
                            "</header>\n<main>");
}

static void write_form(const rp__request *r, rp__buf *out)
{
    static const char *const meanings[] = {"any word", "all words", "all, or any"};
    const rp__params *p = &r->params;
    rp__buf_put_string(out, "<form action=\"/\" role=\"search\" id=\"form\"><label>Query"
                            "<input name=\"q\" id=\"q\" type=\"search\" autocomplete=\"off\" "
                            "autocapitalize=\"none\" spellcheck=\"false\" autofocus value=\"");
    if (p->at[Q].text)
        rp__page_escape(out, p->at[Q].text, p->at[Q].bytes);
    rp__buf_put_string(out, "\"></label><label class=\"small\">Words<select name=\"mode\">");
    for (size_t i = 0; modes[i]; i++)
        rp__buf_printf(out, "<option value=\"%s\"%s>%s</option>", modes[i],
                       p->at[MODE].count == i ? " selected" : "", meanings[i]);
    rp__buf_put_string(out, "</select></label>");
    write_indexes(r, out);
    rp__buf_put_string(out, "<button>Search</button></form>\n");
}

/* An address of this page with another query or place. */
static void write_address(const rp__request *r, rp__buf *out, const char *query, size_t bytes,
                          uint64_t from)
{
    rp__buf_put_string(out, "/?q=");
    put_encoded(out, query, bytes);
    rp__buf_printf(out, "&amp;mode=%s&amp;index=%s&amp;from=%llu", modes[r->params.at[MODE].count],
                   r->http->service->at[r->index].name, (unsigned long long)from);
}

static void write_example(const rp__request *r, rp__buf *out, const char *query,
                          const char *meaning)
{
    rp__buf_put_string(out, "<tr><td><a href=\"");
    write_address(r, out, query, strlen(query), 0);
    rp__buf_put_string(out, "\"><code>");
    put_text(out, query);
    rp__buf_printf(out, "</code></a></td><td>%s</td></tr>", meaning);
}

/* Examples of the query language, of words that this index has. */
static void write_help(const rp__request *r, const rp__examples *x, rp__buf *out)
{
    const char *a = x->words[0], *b = x->words[1], *c = x->words[2];
    char text[4 * RP_EXAMPLE_BYTES];
    rp__buf_put_string(out, "<details id=\"help\"><summary>Syntax</summary><table>");
    if (c[0]) {
        snprintf(text, sizeof text, "%s %s", a, b);
        write_example(r, out, text, "any or all of the words, as chosen");
        snprintf(text, sizeof text, "%s AND (%s OR %s)", a, b, c);
        write_example(r, out, text, "as operators and parentheses say");
        snprintf(text, sizeof text, "+%s %s -%s", a, b, c);
        write_example(r, out, text, "must have, may have, must not have");
        snprintf(text, sizeof text, "%s^3 %s", b, a);
        write_example(r, out, text, "a word that counts three times");
        snprintf(text, sizeof text, "%.4s*", a);
        write_example(r, out, text, "words that begin so; w*d and wor?d also work");
        snprintf(text, sizeof text, "%.1s%.1s%s~2", b, b, b + 2);
        write_example(r, out, text, "words that differ in up to two letters");
    }
    if (x->phrase[0][0]) {
        snprintf(text, sizeof text, "\"%s %s\"", x->phrase[0], x->phrase[1]);
        write_example(r, out, text, "words side by side");
        snprintf(text, sizeof text, "\"%s %s\"~4", x->phrase[1], x->phrase[0]);
        write_example(r, out, text, "words near each other");
    }
    rp__buf_put_string(out, "</table><p>A backslash takes the meaning of a sign away. Keys: "
                            "<kbd>/</kbd> query, <kbd>j</kbd> <kbd>k</kbd> hits, <kbd>n</kbd> "
                            "<kbd>p</kbd> pages, <kbd>t</kbd> timeline, <kbd>s</kbd> score, "
                            "<kbd>?</kbd> this.</p></details>\n");
}

static void write_corrections(const rp__request *r, rp_searcher *searcher, rp__buf *out)
{
    const rp__value *q = &r->params.at[Q];
    rp_corrections corrections = {0};
    if (rp_searcher_correct(searcher, q->text, q->bytes, &corrections, NULL) != RP_OK)
        return;
    for (size_t i = 0; i < corrections.n; i++) {
        const rp_correction *c = &corrections.at[i];
        rp__buf_put_string(out, "<p>No document has \xE2\x80\x9C");
        put_text(out, c->word);
        rp__buf_put_string(out, "\xE2\x80\x9D. Did you mean <a href=\"");
        write_address(r, out, c->instead, strlen(c->instead), 0);
        rp__buf_put_string(out, "\">");
        put_text(out, c->instead);
        rp__buf_put_string(out, "</a>?</p>");
    }
    rp_corrections_free(&corrections);
}

static void write_snippet(rp__buf *out, const rp_snippet *snippet)
{
    uint32_t at = 0;
    rp__buf_put_string(out, "<p>");
    for (size_t i = 0; i < snippet->n_marks; i++) {
        const uint32_t begin = snippet->marks[i].begin, end = snippet->marks[i].end;
        rp__page_escape(out, snippet->text + at, begin - at);
        rp__buf_put_string(out, "<mark>");
        rp__page_escape(out, snippet->text + begin, end - begin);
        rp__buf_put_string(out, "</mark>");
        at = end;
    }
    put_text(out, snippet->text + at);
    rp__buf_put_string(out, "</p>");
}

static rp_status write_hit(const rp__request *r, rp_searcher *searcher, const rp_hit *hit,
                           rp__buf *out, rp_error *err)
{
    const rp__value *q = &r->params.at[Q];
    rp_document document = {0};
    rp_snippet snippet = {0};
    rp_status status =
        rp_index_get_document_start(r->generation->index, hit->docid, SHOWN, &document, err);
    if (status == RP_OK)
        status = rp_searcher_snippet(searcher, q->text, q->bytes, &document, 0, &snippet, err);
    if (status == RP_OK) {
        rp__buf_put_string(out, "<li><h2><a href=\"");
        write_address(r, out, q->text, q->bytes, r->params.at[FROM].count);
        rp__buf_put_string(out, "&amp;doc=");
        put_encoded(out, hit->name, strlen(hit->name));
        rp__buf_put_string(out, "\">");
        put_text(out, document.title_bytes > 0 ? document.title : hit->name);
        rp__buf_put_string(out, "</a></h2>");
        if (snippet.text && snippet.text[0])
            write_snippet(out, &snippet);
        rp__buf_put_string(out, "<p class=\"score\">");
        put_text(out, hit->name);
        rp__buf_printf(out, ", score %.4f</p></li>\n", hit->score);
    }
    rp_snippet_free(&snippet);
    rp_document_free(&document);
    return status;
}

static void write_pages(const rp__request *r, rp__buf *out, const rp_hits *hits)
{
    const rp__value *q = &r->params.at[Q];
    const uint64_t from = r->params.at[FROM].count;
    rp__buf_put_string(out, "<nav aria-label=\"Pages\">");
    if (from > 0) {
        rp__buf_put_string(out, "<a rel=\"prev\" href=\"");
        write_address(r, out, q->text, q->bytes, from < PAGE_HITS ? 0 : from - PAGE_HITS);
        rp__buf_put_string(out, "\">Previous</a>");
    }
    if (hits->n == PAGE_HITS && from + PAGE_HITS <= MAX_FROM) {
        rp__buf_put_string(out, "<a rel=\"next\" href=\"");
        write_address(r, out, q->text, q->bytes, from + PAGE_HITS);
        rp__buf_put_string(out, "\">Next</a>");
    }
    rp__buf_put_string(out, "</nav>");
}

static rp_status write_hits(const rp__request *r, rp_searcher *searcher, const rp_hits *hits,
                            rp__buf *out, rp_error *err)
{
    rp_status status = RP_OK;
    write_corrections(r, searcher, out);
    if (hits->n == 0)
        rp__buf_printf(out, "<p class=\"note\">%s.</p>",
                       hits->has_no_words ? "The query has no words to search for: all are stop "
                                            "words or punctuation"
                                          : "No document matches");
    else
        rp__buf_printf(out, "<p class=\"note\">%s%llu document%s, %.3f ms, processor %s%s</p>",
                       hits->total_is_exact ? "" : "at least ", (unsigned long long)hits->total,
                       hits->total == 1 ? "" : "s", hits->seconds * 1e3, hits->processor,
                       hits->is_partial ? "; the time was over: there may be better ones" : "");
    rp__buf_printf(out, "<ol start=\"%llu\">", (unsigned long long)r->params.at[FROM].count + 1);
    for (size_t i = 0; status == RP_OK && i < hits->n; i++)
        status = write_hit(r, searcher, &hits->at[i], out, err);
    rp__buf_put_string(out, "</ol>");
    write_pages(r, out, hits);
    return status;
}

/* The message and, below the query, where in it the mistake is. */
static void write_error(const rp__request *r, rp__buf *out, const rp_error *err)
{
    static const char start[] = "column ";
    const rp__value *q = &r->params.at[Q];
    rp__buf_put_string(out, "<p class=\"error\" role=\"alert\">");
    put_text(out, err->text);
    rp__buf_put_string(out, "</p>");
    if (!q->text || strncmp(err->text, start, sizeof start - 1) != 0)
        return;
    const unsigned long column = strtoul(err->text + sizeof start - 1, NULL, 10);
    rp__buf_put_string(out, "<pre aria-hidden=\"true\">");
    rp__page_escape(out, q->text, q->bytes);
    rp__buf_put_string(out, "\n");
    for (unsigned long i = 1; i < column && i < 1000; i++)
        rp__buf_put_string(out, " ");
    rp__buf_put_string(out, "^</pre>");
}

/* ---- 3. Requests ----------------------------------------------------------------------------- */

/* What comes before the hits; ids are what the modules look for. */
static void begin_page(rp__request *r)
{
    write_head(r, &r->reply);
    write_form(r, &r->reply);
    rp__generation *g = rp__service_use(r->http->service, &r->http->service->at[r->index]);
    write_help(r, &g->examples, &r->reply);
    rp__service_release(g);
    rp__buf_put_string(&r->reply, "<section id=\"results\" aria-label=\"Results\">");
}

static void end_page(rp__request *r, unsigned status)
{
    rp__buf_put_string(&r->reply, "</section></main></body></html>\n");
    r->type = "text/html; charset=utf-8";
    r->status = status;
}

static void fail_page(rp__request *r, const rp_error *err)
{
    const unsigned status = rp__http_status(err->code);
    rp__http_fail(r, status, err); /* for its counters */
    rp__buf_clear(&r->reply, 0);
    begin_page(r);
    write_error(r, &r->reply, err);
    end_page(r, status);
}

static void on_answer(void *arg, rp_outcome *outcome)
{
    rp__request *r = arg;
    rp_searcher *searcher = NULL;
    rp_error err = outcome->err;
    const bool has_hits = outcome->status == RP_OK || outcome->hits.is_partial;
    rp_status status =
        has_hits ? rp__service_lease(r->generation, &searcher, &err) : outcome->status;
    if (status == RP_OK) {
        begin_page(r);
        status = write_hits(r, searcher, &outcome->hits, &r->reply, &err);
    }
    if (status == RP_OK) {
        end_page(r, 200);
        r->processor = outcome->hits.processor;
        r->hits = outcome->hits.n;
        r->result = outcome->hits.is_partial ? RP_RESULT_PARTIAL : RP_RESULT_OK;
        rp__metrics_time(&r->http->metrics, r->index, outcome);
    } else {
        fail_page(r, &err);
    }
    rp__service_give_back(r->generation, searcher);
    rp_hits_free(&outcome->hits);
    rp__http_resume(r);
}

static bool is_requested(const rp_query_lists *lists, const char *term)
{
    for (size_t i = 0; i < lists->n && i < MAX_MARKED; i++)
        if (strcmp(lists->at[i].term, term) == 0)
            return true;
    return false;
}

/* The text with the terms of the query marked. */
static void write_text(rp__buf *out, const rp_document *document, const rp_text_tokens *tokens,
                       const rp_query_lists *lists)
{
    size_t at = 0;
    rp__buf_put_string(out, "<div class=\"text\">");
    for (size_t i = 0; i < tokens->n; i++) {
        const rp_text_token *token = &tokens->at[i];
        if (token->begin < at || !is_requested(lists, token->term))
            continue;
        rp__page_escape(out, document->text + at, token->begin - at);
        rp__buf_put_string(out, "<mark>");
        rp__page_escape(out, document->text + token->begin, token->end - token->begin);
        rp__buf_put_string(out, "</mark>");
        at = token->end;
    }
    rp__page_escape(out, document->text + at, document->text_bytes - at);
    rp__buf_put_string(out, "</div>");
}

/* Marks are left out where there is no query, or what they need fails. */
static void write_marked_text(rp__request *r, const rp_document *document)
{
    const rp__value *q = &r->params.at[Q];
    rp_searcher *searcher = NULL;
    rp_query_lists lists = {0};
    rp_text_tokens tokens = {0};
    if (q->bytes > 0 && rp__service_lease(r->generation, &searcher, NULL) == RP_OK &&
        rp_searcher_lists(searcher, q->text, q->bytes, &lists, NULL) == RP_OK && lists.n > 0)
        (void)rp_index_analyze(r->generation->index, document->text, document->text_bytes, &tokens,
                               NULL);
    write_text(&r->reply, document, &tokens, &lists);
    rp__service_give_back(r->generation, searcher);
    rp_text_tokens_free(&tokens);
    rp_query_lists_free(&lists);
}

static void write_document(rp__request *r, const rp_document *document)
{
    const rp__value *q = &r->params.at[Q];
    rp__buf *out = &r->reply;
    begin_page(r);
    if (q->bytes > 0) {
        rp__buf_put_string(out, "<p><a href=\"");
        write_address(r, out, q->text, q->bytes, r->params.at[FROM].count);
        rp__buf_put_string(out, "\">Back to the hits</a></p>");
    }
    rp__buf_put_string(out, "<article id=\"document\"><h2>");
    put_text(out, document->title_bytes > 0 ? document->title : document->id);
    rp__buf_put_string(out, "</h2><p class=\"note\">");
    put_text(out, document->id);
    rp__buf_printf(out, ", %u words, <a href=\"/v1/%s/docs/", document->length,
                   r->http->service->at[r->index].name);
    put_encoded(out, document->id, strlen(document->id));
    rp__buf_put_string(out, "\">JSON</a></p>");
    write_marked_text(r, document);
    if (document->text_bytes == SHOWN)
        rp__buf_put_string(out, "<p class=\"note\">The rest is left out.</p>");
    rp__buf_put_string(out, "</article>");
}

static void show_document(rp__request *r)
{
    rp_document document = {0};
    rp_error err = {.text = ""};
    uint32_t docid;
    rp_status status = rp_index_find(r->generation->index, r->params.at[DOC].text, &docid, &err);
    if (status == RP_OK)
        status = rp_index_get_document_start(r->generation->index, docid, SHOWN, &document, &err);
    if (status == RP_OK) {
        write_document(r, &document);
        end_page(r, 200);
    } else {
        fail_page(r, &err);
    }
    rp_document_free(&document);
}

static bool find_index(rp__request *r)
{
    const rp__value *name = &r->params.at[INDEX];
    rp__service *service = r->http->service;
    rp__collection *c =
        name->is_given ? rp__service_find(service, name->text, name->bytes) : &service->at[0];
    if (!c)
        return false;
    r->index = (size_t)(c - service->at);
    return true;
}

bool rp__page_show(rp__request *request)
{
    const rp__value *q = &request->params.at[Q];
    const rp_mode mode = (rp_mode)request->params.at[MODE].count;
    rp_error err = {.text = ""};
    if (!find_index(request)) {
        rp__error_set(&err, RP_NOT_FOUND, "there is no such index here");
        fail_page(request, &err);
        return false;
    }
    request->generation =
        rp__service_use(request->http->service, &request->http->service->at[request->index]);
    if (request->params.at[DOC].is_given) {
        show_document(request);
        return false;
    }
    if (q->bytes == 0) {
        begin_page(request);
        end_page(request, 200);
        return false;
    }
    const rp_job job = {.query = q->text,
                        .query_bytes = q->bytes,
                        .k = PAGE_HITS,
                        .from = (size_t)request->params.at[FROM].count,
                        .mode = request->params.at[MODE].is_given ? &mode : NULL,
                        .deadline_ns = request->http->options->timeout_ms * (uint64_t)1000000,
                        .done = on_answer,
                        .arg = request};
    if (rp_executor_submit(request->generation->executor, &job, NULL, &err) != RP_OK) {
        fail_page(request, &err);
        rp__http_resume(request);
    }
    return true;
}

bool rp__page_file(rp__request *request)
{
    const char *name = request->route->name;
    for (const web_file *file = rp__page_files; file->name; file++)
        if (strcmp(file->name, name) == 0)
            rp__buf_put_string(&request->reply, file->bytes);
    request->type =
        strstr(name, ".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8";
    request->status = 200;
    return false;
}
