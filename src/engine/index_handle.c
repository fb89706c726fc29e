/* index_handle.c: opening, asking and checking an index: the first three chapters of riposte/index.h. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/record.h"
#include "engine/engine.h"
#include "riposte/riposte.h"

const char *rp_version(void)
{
    return RP_VERSION;
}

rp_status rp_index_open(const char *dir, const rp_index_options *options, rp_index **out,
                        rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = NULL;
    if (RP_MISSING(err, dir))
        return RP_USAGE;
    rp_index_options o;
    rp_status status = RP_TAKE(&o, options, err);
    if (status != RP_OK)
        return status;
    rp_index *index = rp__alloc_zero(1, sizeof *index);
    if (!index)
        return rp__error_no_memory(err);
    status = rp__segment_open(dir, o.verify, &index->segment, err);
    if (status == RP_OK) {
        const rp__segment_info *info = rp__segment_get_info(index->segment);
        rp__text_options text = {.stem = info->stem,
                                 .stop_words = info->stop_words,
                                 .stop_bytes = info->stop_bytes,
                                 .tokens = info->token_rule,
                                 .drops_possessive = info->drops_possessive,
                                 .folds_accents = info->folds_accents};
        status = rp__analyzer_open(&text, &index->analyzer, err);
        if (status == RP_USAGE)
            status = rp__error_set(err, RP_INCOMPATIBLE,
                                   "%s: stemmer \"%s\" or tokens \"%s\" are not known to this "
                                   "program",
                                   dir, info->stem, info->token_rule);
    }
    if (status == RP_OK && rp__term_table_new(index->segment, RP_TERM_TABLE_SMALL, &index->terms))
        status = rp__error_no_memory(err);
    if (status != RP_OK) {
        rp_index_close(index);
        return status;
    }
    *out = index;
    return RP_OK;
}

void rp_index_close(rp_index *index)
{
    if (!index)
        return;
    rp__term_table_free(index->terms);
    rp__analyzer_close(index->analyzer);
    rp__segment_close(index->segment);
    rp__free(index);
}

void rp_index_get_info(const rp_index *index, rp_index_info *out)
{
    if (RP_MISSING(NULL, out))
        return;
    *out = (rp_index_info){0};
    if (RP_MISSING(NULL, index))
        return;
    const rp__segment_info *s = rp__segment_get_info(index->segment);
    *out = (rp_index_info){
        .docs = s->docs,
        .terms = s->terms,
        .postings = s->postings,
        .tokens = s->tokens,
        .total_docs = s->stats.docs,
        .total_tokens = s->stats.tokens,
        .average_length = s->stats.docs ? (double)s->stats.tokens / (double)s->stats.docs : 0,
        .generation = s->generation,
        .codec = s->codec,
        .freqs = s->freqs,
        .stem = s->stem,
        .stop = s->stop,
        .token_rule = s->token_rule,
        .drops_possessive = s->drops_possessive,
        .folds_accents = s->folds_accents,
        .format_version = 1,
        .has_positions = s->has_positions,
        .has_text = s->has_text,
        .bytes_terms = s->bytes_terms,
        .bytes_lists = s->bytes_lists,
        .bytes_positions = s->bytes_positions,
        .bytes_docs = s->bytes_docs,
        .bytes_text = s->bytes_text,
        .bytes_total =
            s->bytes_terms + s->bytes_lists + s->bytes_positions + s->bytes_docs + s->bytes_text,
        .bytes_aux = s->bytes_aux,
        .costs = s->costs,
    };
}

bool rp_index_get_aux(const rp_index *index, size_t i, rp_aux_info *out)
{
    if (RP_MISSING(NULL, index, out))
        return false;
    const rp__segment_info *s = rp__segment_get_info(index->segment);
    if (i >= s->n_aux)
        return false;
    *out = (rp_aux_info){s->aux[i]->name, s->aux_bytes[i]};
    return true;
}

typedef struct guarded {
    const rp_index *index;
    rp_status (*fn)(void *arg);
    void *arg;
} guarded;

static rp_status run_guarded(void *p)
{
    const guarded *g = p;
    rp_status status = g->fn(g->arg);
    return rp__segment_is_whole(g->index->segment) ? status : RP_DAMAGED;
}

rp_status rp__index_handle_guard(const rp_index *index, rp_status (*fn)(void *arg), void *arg)
{
    return rp__mapping_guard(run_guarded, &(guarded){index, fn, arg});
}

typedef struct id_job {
    const rp_index *index;
    rp_document *out;
    size_t bytes; /* of the id, and with a NUL the room at out->id once there is one */
} id_job;

/* Touches mapped memory, so it allocates nothing: the first time round it finds how long the id is. */
static rp_status fetch_id(void *arg)
{
    id_job *job = arg;
    const char *id;
    size_t bytes;
    rp__lengths lengths;
    rp_status status = rp__segment_doc_id(job->index->segment, job->out->docid, &id, &bytes);
    if (status != RP_OK)
        return status;
    if (!job->out->id) {
        job->bytes = bytes;
        return RP_OK;
    }
    if (bytes != job->bytes)
        return RP_DAMAGED; /* the file changed since the first look */
    if (bytes)
        memcpy(job->out->id, id, bytes);
    job->out->id[bytes] = 0;
    rp__segment_get_lengths(job->index->segment, &lengths);
    job->out->length = lengths.table[rp__lengths_code(&lengths, job->out->docid)];
    return RP_OK;
}

static rp_status fill_text(const rp_index *index, uint64_t max_bytes, rp_document *out)
{
    rp__doc_text text = {0};
    rp__zblock *z = NULL;
    rp_status status = rp__zblock_new(&z);
    if (status == RP_OK)
        status = rp__segment_doc_text(index->segment, out->docid, z, max_bytes, &text);
    rp__zblock_free(z);
    out->title = text.title;
    out->text = text.text;
    out->title_bytes = text.title_bytes;
    out->text_bytes = text.text_bytes;
    return status;
}

/* The id comes last, because its guard looks whether all that was read was there. */
static rp_status fill_document(const rp_index *index, uint64_t max_bytes, rp_document *out)
{
    id_job job = {.index = index, .out = out};
    rp_status status = fill_text(index, max_bytes, out);
    if (status == RP_OK)
        status = rp__index_handle_guard(index, fetch_id, &job);
    if (status != RP_OK)
        return status;
    out->id = rp__alloc(job.bytes + 1);
    return out->id ? rp__index_handle_guard(index, fetch_id, &job) : RP_NO_MEMORY;
}

rp_status rp_index_get_document(const rp_index *index, uint32_t docid, rp_document *out,
                                rp_error *err)
{
    return rp_index_get_document_start(index, docid, SIZE_MAX, out, err);
}

rp_status rp_index_get_document_start(const rp_index *index, uint32_t docid, size_t max_bytes,
                                      rp_document *out, rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = (rp_document){.docid = docid};
    if (RP_MISSING(err, index))
        return RP_USAGE;
    rp_status status = fill_document(index, max_bytes, out);
    if (status == RP_OK)
        return RP_OK;
    rp_document_free(out);
    if (status == RP_NO_MEMORY)
        return rp__error_no_memory(err);
    return rp__error_set(err, status, "document %u: %s", docid,
                         status == RP_NOT_FOUND ? "there is none"
                                                : "damaged; run 'riposte check' on the index");
}

void rp_document_free(rp_document *document)
{
    if (!document)
        return;
    rp__free(document->id);
    rp__free(document->title);
    rp__free(document->text);
    *document = (rp_document){0};
}

typedef struct find_job {
    const rp_index *index;
    const char *id;
    uint32_t docid;
} find_job;

static rp_status find_id(void *arg)
{
    find_job *job = arg;
    return rp__segment_find_doc(job->index->segment, job->id, strlen(job->id), &job->docid);
}

rp_status rp_index_find(const rp_index *index, const char *id, uint32_t *docid, rp_error *err)
{
    if (RP_MISSING(err, index, id, docid))
        return RP_USAGE;
    find_job job = {.index = index, .id = id};
    rp_status status = rp__index_handle_guard(index, find_id, &job);
    if (status == RP_OK)
        *docid = job.docid;
    if (status == RP_OK)
        return RP_OK;
    return rp__error_set(err, status, "document \"%.100s\": %s", id,
                         status == RP_NOT_FOUND ? "there is none with this id"
                                                : "damaged; run 'riposte check' on the index");
}

typedef struct term_job {
    const rp_index *index;
    const char *term;
    size_t bytes;
    rp__arena *arena;
    rp__term entry;
    rp__list list;
} term_job;

static rp_status fetch_term(void *arg)
{
    term_job *job = arg;
    rp_status status = rp__segment_find(job->index->segment, job->term, job->bytes, &job->entry);
    if (status != RP_OK)
        return status;
    return rp__segment_list(job->index->segment, &job->entry, job->arena, &job->list);
}

rp_status rp_index_get_term(const rp_index *index, const char *word, rp_term_info *out,
                            rp_error *err)
{
    if (RP_MISSING(err, index, word, out))
        return RP_USAGE;
    rp__analyzer_state *state;
    rp__token token;
    rp__arena arena;
    if (rp__analyzer_state_new(index->analyzer, &state) != RP_OK)
        return rp__error_no_memory(err);
    rp__arena_init(&arena, 1 << 20);
    rp__analyzer_begin(state, word, strlen(word));
    rp_status status = RP_NOT_FOUND;
    if (rp__analyzer_next(state, &token)) {
        term_job job = {.index = index, .term = token.term, .bytes = token.bytes, .arena = &arena};
        status = rp__index_handle_guard(index, fetch_term, &job);
        *out = (rp_term_info){
            .df = job.entry.df,
            .cf = job.entry.cf,
            .bytes =
                job.entry.tiny ? job.entry.tiny_bytes : job.entry.list_bytes + job.entry.pos_bytes,
            .blocks = job.entry.tiny ? 0 : job.list.n_blocks,
        };
    }
    rp__arena_reset(&arena);
    rp__analyzer_state_free(state);
    if (status == RP_OK)
        return RP_OK;
    if (status == RP_NO_MEMORY)
        return rp__error_no_memory(err);
    return rp__error_set(err, status, "term \"%.100s\": %s", word,
                         status == RP_NOT_FOUND ? "not in this index"
                                                : "damaged; run 'riposte check' on the index");
}

rp_status rp_index_check(const char *dir, rp_check_fn *on_fault, void *arg, rp_error *err)
{
    if (RP_MISSING(err, dir))
        return RP_USAGE;
    rp_error why = {0};
    rp__segment *segment;
    rp_status status = rp__segment_open(dir, false, &segment, &why);
    if (status == RP_OK) {
        status = rp__segment_check(segment, on_fault, arg, &why);
        rp__segment_close(segment);
    } else if (status == RP_DAMAGED && on_fault) {
        const size_t n = strlen(dir); /* which most messages begin with */
        const bool has_dir = strncmp(why.text, dir, n) == 0 && strncmp(why.text + n, ": ", 2) == 0;
        on_fault(arg, dir, why.text + (has_dir ? n + 2 : 0));
    }
    if (err)
        *err = why;
    return status;
}
