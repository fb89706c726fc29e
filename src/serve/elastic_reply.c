/* elastic_reply.c: hits, sources, highlights and score trees in Elasticsearch's form. Does not search. */
#include "serve/elastic_reply.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "serve/page.h"
#include "serve/search_reply.h"
#include "serve/timeline_reply.h"

enum {
    SHOWN = (1 << 20) + 1, /* bytes of title and text; highlights are made of the first 1 MiB */
    MAX_REPLY = 64 << 20,  /* bytes of all hits */
};

void rp__elastic_reply_write_shards(rp__json_writer *w)
{
    rp__json_writer_begin(w, "_shards", '{');
    rp__json_writer_uint(w, "total", 1);
    rp__json_writer_uint(w, "successful", 1);
    rp__json_writer_uint(w, "skipped", 0);
    rp__json_writer_uint(w, "failed", 0);
    rp__json_writer_end(w, '}');
}

void rp__elastic_reply_write_source(rp__json_writer *w, const rp_document *document, bool has_title,
                                    bool has_text)
{
    rp__json_writer_begin(w, "_source", '{');
    if (has_title)
        rp__json_writer_string(w, "title", document->title, document->title_bytes);
    if (has_text)
        rp__json_writer_string(w, "text", document->text, document->text_bytes);
    rp__json_writer_end(w, '}');
}

/* What the reply is written with. */
typedef struct writing {
    rp__json_writer *w;
    const rp__elastic_answer *answer;
    rp_searcher *searcher;
} writing;

/* ---- 1. Highlights --------------------------------------------------------------------------- */

static void put_piece(const rp__elastic_query *q, rp__buf *out, const char *text, size_t bytes)
{
    if (q->is_html)
        rp__page_escape(out, text, bytes);
    else
        rp__buf_put(out, text, bytes);
}

static void put_marked(const rp__elastic_query *q, rp__buf *out, const rp_snippet *s)
{
    uint32_t at = 0;
    for (size_t i = 0; i < s->n_marks; i++) {
        put_piece(q, out, s->text + at, s->marks[i].begin - at);
        rp__buf_put_string(out, q->before);
        put_piece(q, out, s->text + s->marks[i].begin, s->marks[i].end - s->marks[i].begin);
        rp__buf_put_string(out, q->after);
        at = s->marks[i].end;
    }
    put_piece(q, out, s->text + at, strlen(s->text + at));
}

static rp_status write_highlight(const writing *x, const rp_document *document, rp_error *err)
{
    const rp__elastic_query *q = x->answer->query;
    rp_snippet snippet = {0};
    rp_status status = rp_searcher_snippet(x->searcher, (const char *)q->text.at, q->text.n,
                                           document, q->fragment, &snippet, err);
    if (status == RP_OK && snippet.text && snippet.n_marks > 0) {
        rp__buf marked;
        rp__buf_init(&marked);
        put_marked(q, &marked, &snippet);
        rp__json_writer_begin(x->w, "highlight", '{');
        rp__json_writer_begin(x->w, "text", '[');
        rp__json_writer_string(x->w, NULL, (const char *)marked.at, marked.n);
        rp__json_writer_end(x->w, ']');
        rp__json_writer_end(x->w, '}');
        status = marked.failed ? rp__error_no_memory(err) : RP_OK;
        rp__buf_free(&marked);
    }
    rp_snippet_free(&snippet);
    return status;
}

/* ---- 2. Score trees -------------------------------------------------------------------------- */

static void write_node(rp__json_writer *w, const char *key, double score, const char *label)
{
    rp__json_writer_begin(w, key, '{');
    rp__json_writer_real(w, "value", score, 7);
    rp__json_writer_text(w, "description", label);
    rp__json_writer_begin(w, "details", '[');
}

/* Lines with levels to objects inside objects. The writer has 64 levels; deeper lines join the last. */
static void write_tree(rp__json_writer *w, const rp_explanation *tree)
{
    enum { MAX_LEVEL = 24 };
    uint32_t open = 0;
    for (size_t i = 0; i < tree->n; i++) {
        const rp_explain_node *node = &tree->at[i];
        const uint32_t level = node->level < MAX_LEVEL ? node->level : MAX_LEVEL;
        for (; open > level; open--) {
            rp__json_writer_end(w, ']');
            rp__json_writer_end(w, '}');
        }
        write_node(w, i == 0 ? "_explanation" : NULL, node->score, node->label);
        open++;
    }
    for (; open > 0; open--) {
        rp__json_writer_end(w, ']');
        rp__json_writer_end(w, '}');
    }
}

static rp_status write_explanation(const writing *x, uint32_t docid, rp_error *err)
{
    const rp__elastic_query *q = x->answer->query;
    rp_explanation tree = {0};
    rp_status status =
        rp_searcher_explain(x->searcher, (const char *)q->text.at, q->text.n, docid, &tree, err);
    if (status == RP_OK)
        write_tree(x->w, &tree);
    rp_explanation_free(&tree);
    return status;
}

/* ---- 3. Hits --------------------------------------------------------------------------------- */

static rp_status write_hit(const writing *x, const rp_hit *hit, rp_error *err)
{
    const rp__elastic_query *q = x->answer->query;
    const size_t memory = x->answer->generation->search.max_memory;
    const bool has_text = q->shows_source && q->shows_text;
    rp_document document = {0};
    rp_status status = RP_OK;
    if (q->shows_source || q->has_highlight || !hit->name)
        status = rp_index_get_document_start(x->answer->generation->index, hit->docid,
                                             has_text && memory > SHOWN ? memory : SHOWN, &document,
                                             err);
    if (status != RP_OK)
        return status;
    rp__json_writer_begin(x->w, NULL, '{');
    rp__json_writer_text(x->w, "_index", x->answer->index);
    rp__json_writer_text(x->w, "_id", hit->name ? hit->name : document.id);
    rp__json_writer_real(x->w, "_score", hit->score, 7);
    if (q->shows_source)
        rp__elastic_reply_write_source(x->w, &document, q->shows_title, q->shows_text);
    if (q->has_highlight && !q->is_all)
        status = write_highlight(x, &document, err);
    if (status == RP_OK && q->has_explain && !q->is_all)
        status = write_explanation(x, hit->docid, err);
    rp__json_writer_end(x->w, '}');
    rp_document_free(&document);
    if (status == RP_OK && x->w->out->n > MAX_REPLY)
        return rp__error_set(err, RP_LIMIT,
                             "the reply has more than %d bytes; ask for a smaller size", MAX_REPLY);
    return status;
}

/* Of every document: by rising docid, each with the score 1. */
static rp_status write_all(const writing *x, rp_error *err)
{
    const rp__elastic_query *q = x->answer->query;
    const uint64_t docs = x->answer->generation->info.docs;
    rp_status status = RP_OK;
    for (size_t i = q->from; status == RP_OK && i < docs && i - q->from < q->size; i++)
        status = write_hit(x, &(rp_hit){.docid = (uint32_t)i, .score = 1}, err);
    return status;
}

static void write_total(rp__json_writer *w, uint64_t total, bool is_exact)
{
    rp__json_writer_begin(w, "total", '{');
    rp__json_writer_uint(w, "value", total);
    rp__json_writer_text(w, "relation", is_exact ? "eq" : "gte");
    rp__json_writer_end(w, '}');
}

static rp_status write_hits(const writing *x, rp_error *err)
{
    const rp__elastic_query *q = x->answer->query;
    const uint64_t docs = x->answer->generation->info.docs;
    const rp_hits *hits = x->answer->outcome ? &x->answer->outcome->hits : NULL;
    const bool has_hits = hits ? hits->n > 0 : q->size > 0 && q->from < docs;
    rp_status status = RP_OK;
    rp__json_writer_begin(x->w, "hits", '{');
    if (!q->hides_total)
        write_total(x->w, hits ? hits->total : docs, !hits || hits->total_is_exact);
    /* null where the best hit is on a page before this one */
    const bool has_best = has_hits && (!hits || q->from == 0);
    rp__json_writer_real(x->w, "max_score", !has_best ? NAN : hits ? hits->at[0].score : 1, 7);
    rp__json_writer_begin(x->w, "hits", '[');
    for (size_t i = 0; hits && status == RP_OK && i < hits->n; i++)
        status = write_hit(x, &hits->at[i], err);
    if (!hits)
        status = write_all(x, err);
    rp__json_writer_end(x->w, ']');
    rp__json_writer_end(x->w, '}');
    return status;
}

/* Where the query went, as /v1 shows it. */
static void write_profile(const writing *x)
{
    rp__json_writer_begin(x->w, "profile", '{');
    rp__json_writer_begin(x->w, "shards", '[');
    rp__json_writer_begin(x->w, NULL, '{');
    rp__json_writer_text(x->w, "id", x->answer->index);
    rp__json_writer_string(x->w, "query", (const char *)x->answer->query->text.at,
                           x->answer->query->text.n);
    rp__timeline_reply_write_steps(x->w, x->answer->outcome, x->answer->policy);
    rp__json_writer_end(x->w, '}');
    rp__json_writer_end(x->w, ']');
    rp__json_writer_end(x->w, '}');
}

rp_status rp__elastic_reply_write(rp__json_writer *w, const rp__elastic_answer *answer,
                                  rp_error *err)
{
    writing x = {.w = w, .answer = answer};
    const rp_outcome *o = answer->outcome;
    rp_status status = rp__service_lease(answer->generation, &x.searcher, err);
    if (status != RP_OK)
        return status;
    rp__json_writer_uint(w, "took", o ? (o->queued_ns + o->answered_ns) / 1000000 : 0);
    rp__json_writer_bool(w, "timed_out", o && o->hits.is_partial);
    rp__json_writer_uint(w, "generation", answer->generation->info.generation);
    rp__elastic_reply_write_shards(w);
    status = write_hits(&x, err);
    if (status == RP_OK && answer->query->has_profile && o)
        write_profile(&x);
    rp__service_give_back(answer->generation, x.searcher);
    return status;
}
