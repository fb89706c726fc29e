/* sample.c: a collection, questions to it, and checksums of the answers. */
#include "fault/sample.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "store/store.h"

/* ---- Chance ---------------------------------------------------------------------------------- */

sample_random sample_seed(uint64_t seed)
{
    return (sample_random){seed * UINT64_C(0x9E3779B97F4A7C15) + 88172645463325252U};
}

uint64_t sample_next(sample_random *r)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return r->state;
}

size_t sample_below(sample_random *r, size_t n)
{
    return (size_t)(sample_next(r) % n);
}

uint64_t sample_env_seed(uint64_t otherwise)
{
    const char *given = getenv("SEED");
    return given && given[0] ? strtoull(given, NULL, 10) : otherwise;
}

/* ---- The collection -------------------------------------------------------------------------- */

enum { WORDS = 4096, PHRASE_ODDS = 9 };

static const char *const syllables[16] = {"ba", "ce", "di", "fo", "gu", "ha", "je", "ki",
                                          "lo", "mu", "na", "pe", "ri", "so", "tu", "va"};

/* The word of a rank: common ones are short. */
static void put_word(FILE *f, size_t rank)
{
    fputs(syllables[rank % 16], f);
    for (rank /= 16; rank > 0; rank /= 16)
        fputs(syllables[rank % 16], f);
    fputc(' ', f);
}

/* By Zipf's law, near enough: every doubling of the rank is as likely. */
static size_t draw_rank(sample_random *r)
{
    size_t octave = sample_below(r, 12);
    return ((size_t)1 << octave) - 1 + sample_below(r, (size_t)1 << octave);
}

static void put_text(FILE *f, sample_random *r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (sample_below(r, PHRASE_ODDS) == 0)
            fputs("boundary layer flow ", f);
        put_word(f, draw_rank(r) % WORDS);
    }
}

void sample_write(const char *path, size_t n_docs, uint64_t seed)
{
    sample_random r = sample_seed(seed);
    FILE *f = fopen(path, "wb");
    if (!f)
        abort();
    for (size_t d = 0; d < n_docs; d++) {
        fprintf(f, "{\"id\":\"doc-%llu-%zu\",\"title\":\"", (unsigned long long)seed, d);
        put_text(f, &r, 1 + sample_below(&r, 4));
        fputs("\",\"text\":\"", f);
        put_text(f, &r, 5 + sample_below(&r, 60));
        fputs("\"}\n", f);
    }
    if (fclose(f) != 0)
        abort();
}

/* ---- Questions ------------------------------------------------------------------------------- */

const sample_query sample_queries[] = {
    {"ba", RP_MODE_OR, NULL, 0},
    {"boundary", RP_MODE_OR, NULL, 1000},
    {"ba ce di", RP_MODE_OR, NULL, 100},
    {"bafo ceba nosuchword", RP_MODE_OR, NULL, 0},
    {"ba ce", RP_MODE_AND, NULL, 50},
    {"boundary ba ce di fo", RP_MODE_AND, NULL, 0},
    {"layer gu ha je", RP_MODE_ANDOR, NULL, 20},
    {"lovaba muceba", RP_MODE_ANDOR, NULL, 0},
    {"\"boundary layer\"", RP_MODE_OR, NULL, 50},
    {"\"boundary layer flow\"", RP_MODE_AND, NULL, 0},
    {"\"flow boundary\"~4", RP_MODE_OR, NULL, 30},
    {"\"layer ba\"~3", RP_MODE_OR, NULL, 0},
    {"ba*", RP_MODE_OR, NULL, 20},
    {"cef* OR ki", RP_MODE_OR, NULL, 0},
    {"bou* AND lay*", RP_MODE_OR, NULL, 0},
    {"(ba AND ce) OR (di AND NOT fo)", RP_MODE_OR, NULL, 40},
    {"+boundary -layer gu^2.5", RP_MODE_OR, NULL, 0},
    {"+\"layer flow\" +(ha OR (je AND ki)) -lo", RP_MODE_OR, NULL, 0},
    {"((mu OR na) AND (pe OR ri)) NOT so", RP_MODE_OR, NULL, 100},
    {"ba ba ba^3", RP_MODE_OR, NULL, 0},
    {"tu va", RP_MODE_OR, "dirichlet", 0},
    {"tu va ba", RP_MODE_AND, "pisa", 0},
    {"boundary^0 ha", RP_MODE_OR, "robertson", 0},
    {"ce*^2 \"boundary layer\"^0.5", RP_MODE_OR, "atire", 0},
    {"nothing AND here", RP_MODE_OR, NULL, 0},
    {"flow", RP_MODE_OR, NULL, 3},
    {"b?un*y l*r", RP_MODE_OR, NULL, 0},
    {"boundry~1 floww~2", RP_MODE_AND, NULL, 20},
    {"ba && !ce || lay?r", RP_MODE_OR, NULL, 0},
};

_Static_assert(sizeof sample_queries / sizeof *sample_queries == SAMPLE_QUERIES, "queries");

size_t sample_query_count(void)
{
    return SAMPLE_QUERIES;
}

static void put_hits(rp__buf *b, const rp_hits *hits)
{
    rp__buf_put_u64(b, hits->n);
    rp__buf_put_u64(b, hits->total);
    rp__buf_put_u64(b, hits->is_or_fallback);
    rp__buf_put_u32(b, (uint32_t)hits->fraction_bits);
    for (size_t i = 0; i < hits->n; i++) {
        rp__buf_put_u32(b, hits->at[i].docid);
        rp__buf_put_u32(b, hits->at[i].fixed);
        rp__buf_put(b, &hits->at[i].score, sizeof hits->at[i].score);
        rp__buf_put(b, hits->at[i].name, strlen(hits->at[i].name) + 1);
    }
}

static void close_answer(rp__buf *b, sample_answer *out)
{
    if (b->failed)
        abort();
    out->checksum = rp__checksum(b->at, b->n);
    rp__buf_free(b);
}

static void ask_query(const rp_index *index, const sample_query *q, sample_answer *out)
{
    rp_search_options options = {
        .k = q->k, .mode = q->mode, .variant = q->variant, .total = RP_TOTAL_EXACT};
    rp_searcher *searcher = NULL;
    rp_hits hits = {0};
    rp__buf b;
    rp__buf_init(&b);
    *out = (sample_answer){0};
    out->status = rp_searcher_new(index, &options, &searcher, &out->err);
    if (out->status == RP_OK)
        out->status = rp_searcher_search(searcher, q->text, strlen(q->text), &hits, &out->err);
    if (out->status == RP_OK)
        put_hits(&b, &hits);
    close_answer(&b, out);
    rp_hits_free(&hits);
    rp_searcher_free(searcher);
}

static rp_status put_snippet(rp__buf *b, rp_searcher *s, const rp_document *document, rp_error *err)
{
    static const char query[] = "boundary \"layer flow\" ba* ce";
    rp_snippet snippet = {0};
    rp_explanation e = {0};
    rp_status status = rp_searcher_snippet(s, query, sizeof query - 1, document, 0, &snippet, err);
    if (status == RP_OK) {
        rp__buf_put(b, snippet.text, strlen(snippet.text));
        rp__buf_put(b, snippet.marks, snippet.n_marks * sizeof *snippet.marks);
        status = rp_searcher_explain(s, query, sizeof query - 1, document->docid, &e, err);
    }
    for (size_t i = 0; i < e.n; i++)
        rp__buf_printf(b, "%u %s %u %u %u\n", e.at[i].level, e.at[i].label, e.at[i].tf, e.at[i].df,
                       e.at[i].fixed);
    rp_snippet_free(&snippet);
    rp_explanation_free(&e);
    return status;
}

/* What the tables of ids and of blocks of terms say. */
static rp_status put_tables(rp__buf *b, const rp_index *index, const char *id, rp_error *err)
{
    uint32_t docid;
    rp_suggestions s = {0};
    rp_status status = rp_index_find(index, id, &docid, err);
    if (status == RP_OK) {
        rp__buf_put_u32(b, docid);
        status = rp_index_suggest(index, "b", 5, &s, err);
    }
    for (size_t i = 0; i < s.n; i++)
        rp__buf_printf(b, "%s %u\n", s.at[i].term, s.at[i].df);
    rp_suggestions_free(&s);
    return status;
}

static void ask_document(const rp_index *index, uint32_t docid, sample_answer *out)
{
    rp_document document = {0};
    rp_searcher *searcher = NULL;
    rp__buf b;
    rp__buf_init(&b);
    *out = (sample_answer){0};
    out->status = rp_index_get_document(index, docid, &document, &out->err);
    if (out->status == RP_OK) {
        rp__buf_put_u32(&b, document.length);
        rp__buf_put(&b, document.id, strlen(document.id));
        rp__buf_put(&b, document.title, document.title_bytes);
        rp__buf_put(&b, document.text, document.text_bytes);
        out->status = rp_searcher_new(index, NULL, &searcher, &out->err);
    }
    if (out->status == RP_OK)
        out->status = put_snippet(&b, searcher, &document, &out->err);
    if (out->status == RP_OK)
        out->status = put_tables(&b, index, document.id, &out->err);
    close_answer(&b, out);
    rp_searcher_free(searcher);
    rp_document_free(&document);
}

void sample_ask(const rp_index *index, size_t n_docs, sample_answer *out)
{
    for (size_t i = 0; i < SAMPLE_QUERIES; i++)
        ask_query(index, &sample_queries[i], &out[i]);
    for (size_t i = 0; i < SAMPLE_DOCUMENTS; i++) {
        uint32_t docid = (uint32_t)(n_docs > 1 ? (n_docs - 1) * i / (SAMPLE_DOCUMENTS - 1) : 0);
        ask_document(index, docid, &out[SAMPLE_QUERIES + i]);
    }
}

sample_verdict sample_compare(const sample_answer *sound, const sample_answer *now)
{
    sample_verdict v = {0};
    for (size_t i = 0; i < SAMPLE_ANSWERS; i++) {
        bool is_same = now[i].status == sound[i].status && now[i].checksum == sound[i].checksum;
        bool is_refused = now[i].status != RP_OK && now[i].err.text[0] != 0;
        if (is_same) {
            v.right++;
        } else if (is_refused) {
            v.refused++;
        } else {
            v.first_wrong = v.wrong++ ? v.first_wrong : i;
        }
    }
    return v;
}

/* ---- Folders --------------------------------------------------------------------------------- */

/* By malloc alone: base's allocations may be failing while this looks. */
static uint64_t file_checksum(const char *dir, const char *name)
{
    char path[4096];
    size_t bytes = 0, n;
    uint8_t *all = NULL, chunk[16384];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "rb");
    while (f && (n = fread(chunk, 1, sizeof chunk, f)) > 0) {
        all = realloc(all, bytes + n);
        if (!all)
            abort();
        memcpy(all + bytes, chunk, n);
        bytes += n;
    }
    if (f)
        fclose(f);
    uint64_t sum = rp__checksum(all, bytes) ^ rp__checksum(name, strlen(name));
    free(all);
    return sum | 1;
}

static size_t walk_folder(const char *dir, uint64_t *sum)
{
    size_t n = 0;
    DIR *d = opendir(dir);
    *sum = 0;
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        n++;
        *sum += file_checksum(dir, e->d_name);
    }
    if (d)
        closedir(d);
    return n;
}

uint64_t sample_folder_checksum(const char *dir)
{
    uint64_t sum;
    walk_folder(dir, &sum);
    return sum;
}

size_t sample_folder_count(const char *dir)
{
    uint64_t sum;
    return walk_folder(dir, &sum);
}
