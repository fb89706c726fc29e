/* answer.c: lays out hits: for a person with marked snippets wrapped to the width, or as the fields
 * of a JSON object. Does not search. */
#include "cli/answer.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cli/figures.h"
#include "cli/form_report.h"
#include "cli/gpu_report.h"
#include "cli/hit_fields.h"

enum {
    INDENT = 5,
    WIDEST = 100,
    HELD = 4 << 20, /* bytes that an open index and a document on its way to the answer take */
    STEPS = 160,    /* operators of a query that are shown */
    SHOWN = (1 << 20) + 1, /* bytes of title and text; snippets are made of the first 1 MiB */
};

/* What a style puts around a thing; colours for a terminal, brackets elsewhere. */
typedef struct style {
    const char *mark, *mark_end, *name, *name_end, *dim, *dim_end;
} style;

static const style plain_style = {"[", "]", "", "", "", ""};
static const style colour_style = {"\033[1m", "\033[0m", "\033[1;36m",
                                   "\033[0m", "\033[2m", "\033[0m"};

/* ---- 1. For a person ------------------------------------------------------------------------- */

/* The snippet with its marks put in and everything else made harmless. */
static void mark_words(rp__buf *out, const rp_snippet *snippet, const style *s)
{
    size_t n = strlen(snippet->text), at = 0;
    for (size_t i = 0; i < snippet->n_marks; i++) {
        size_t begin = snippet->marks[i].begin, end = snippet->marks[i].end;
        if (begin < at || end < begin || end > n)
            continue;
        rp__console_clean(out, snippet->text + at, begin - at);
        rp__buf_put_string(out, s->mark);
        rp__console_clean(out, snippet->text + begin, end - begin);
        rp__buf_put_string(out, s->mark_end);
        at = end;
    }
    rp__console_clean(out, snippet->text + at, n - at);
}

/* Columns of a word; its only escapes are a style's. */
static size_t columns(const uint8_t *word, size_t bytes)
{
    size_t n = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (word[i] == '\033')
            while (i < bytes && word[i] != 'm')
                i++;
        else
            n += (word[i] & 0xC0) != 0x80;
    }
    return n;
}

static void print_wrapped(const rp__buf *text, size_t width)
{
    size_t column = 0;
    for (size_t begin = 0, end; begin < text->n; begin = end + 1) {
        for (end = begin; end < text->n && text->at[end] != ' ';)
            end++;
        size_t wide = columns(text->at + begin, end - begin);
        if (wide == 0)
            continue;
        if (column == 0 || column + 1 + wide > width) {
            printf("%s%*s", column ? "\n" : "", INDENT, "");
            column = INDENT;
        } else {
            putchar(' ');
            column++;
        }
        fwrite(text->at + begin, 1, end - begin, stdout);
        column += wide;
    }
    if (column > 0)
        putchar('\n');
}

static rp_status print_snippet(const rp__answer *answer, const rp_document *document,
                               const style *s, rp_error *err)
{
    rp_snippet snippet = {0};
    rp_status status = rp_searcher_snippet(answer->searcher, answer->query, strlen(answer->query),
                                           document, 0, &snippet, err);
    if (status == RP_OK && snippet.text) {
        size_t width = rp__console_width(stdout);
        rp__buf text;
        rp__buf_init(&text);
        mark_words(&text, &snippet, s);
        print_wrapped(&text, width < WIDEST ? width : WIDEST);
        if (text.failed)
            status = rp__error_no_memory(err);
        rp__buf_free(&text);
    }
    rp_snippet_free(&snippet);
    return status;
}

static rp_status print_explanation(const rp__answer *answer, uint32_t docid, const style *s,
                                   rp_error *err)
{
    rp_explanation tree = {0};
    rp_status status = rp_searcher_explain(answer->searcher, answer->query, strlen(answer->query),
                                           docid, &tree, err);
    for (size_t i = 0; status == RP_OK && i < tree.n; i++) {
        const rp_explain_node *node = &tree.at[i];
        printf("%*s%s%.7f%s  ", INDENT + 2 * (int)node->level, "", s->dim, node->score, s->dim_end);
        rp__console_put(stdout, node->label, strlen(node->label));
        if (node->tf > 0 || node->df > 0)
            printf("  (tf %u, df %u, weight %.6f, norm %.6f)", node->tf, node->df,
                   (double)node->weight, (double)node->norm);
        puts(node->matches ? "" : "  no match");
    }
    rp_explanation_free(&tree);
    return status;
}

static rp_status print_hit(const rp__answer *answer, size_t i, const style *s, rp_error *err)
{
    const rp_hit *hit = &answer->hits->at[i];
    rp_document document = {0};
    rp_status status =
        rp_index_get_document_start(answer->index, hit->docid, SHOWN, &document, err);
    if (status != RP_OK)
        return status;
    printf("%3zu  %s%.4f%s  %s", answer->from + i + 1, s->dim, hit->score, s->dim_end, s->name);
    rp__console_put(stdout, hit->name, strlen(hit->name));
    printf("%s%s", s->name_end, document.title_bytes > 0 ? "  " : "");
    rp__console_put(stdout, document.title, document.title_bytes);
    putchar('\n');
    if (answer->has_snippets)
        status = print_snippet(answer, &document, s, err);
    if (status == RP_OK && answer->has_explain)
        status = print_explanation(answer, hit->docid, s, err);
    rp_document_free(&document);
    return status;
}

rp_status rp__answer_print(const rp__console *console, const rp__answer *answer, rp_error *err)
{
    const style *s = console->has_colour ? &colour_style : &plain_style;
    rp_status status = RP_OK;
    for (size_t i = 0; status == RP_OK && i < answer->hits->n && !rp__console_is_closed(); i++)
        status = print_hit(answer, i, s, err);
    return status;
}

/* Operators that were timed by the searcher or, with a policy, by its executor. How many, STEPS at most. */
static size_t get_steps(const rp__answer *answer, rp_query_step steps[STEPS])
{
    size_t n = rp_searcher_get_steps(answer->searcher, steps, STEPS);
    if (n == 0 && !answer->timeline) /* which has them, too */
        for (; n < answer->hits->n_steps && n < STEPS; n++)
            steps[n] = answer->hits->steps[n];
    return n < STEPS ? n : STEPS;
}

void rp__answer_note_steps(const rp__console *console, const rp__answer *answer)
{
    rp_query_step steps[STEPS];
    char n[RP_FIGURE_BYTES];
    const size_t n_steps = get_steps(answer, steps);
    for (size_t i = 0; i < n_steps; i++)
        rp__console_note(console, "%-9s  %9.1f us  %s elements", steps[i].stage, steps[i].us,
                         rp__figures_count(n, steps[i].elements));
}

void rp__answer_note_machine(const rp__console *console, const rp_iiu_counters *iiu)
{
    char n[RP_FIGURE_BYTES], cycles[RP_FIGURE_BYTES], bytes[RP_FIGURE_BYTES];
    if (iiu->operations == 0)
        return;
    rp__console_note(console, "riposte: iiu: %s operation%s, %s cycles, %s of memory traffic%s",
                     rp__figures_count(n, iiu->operations), iiu->operations == 1 ? "" : "s",
                     rp__figures_count(cycles, iiu->cycles),
                     rp__figures_size(bytes, iiu->memory_bytes),
                     iiu->hits_are_cpus ? "; order and scores are the cpu's, and the iiu found the "
                                          "same documents"
                                        : "");
}

rp_status rp__answer_note_corrections(const rp__console *console, const rp__answer *answer,
                                      rp_error *err)
{
    rp_corrections corrections;
    rp_status status = rp_searcher_correct(answer->searcher, answer->query, strlen(answer->query),
                                           &corrections, err);
    rp__buf line;
    rp__buf_init(&line);
    for (size_t i = 0; status == RP_OK && i < corrections.n; i++) {
        const rp_correction *c = &corrections.at[i];
        line.n = 0;
        rp__buf_put_string(&line, "no document has \"");
        rp__console_clean(&line, c->word, strlen(c->word));
        rp__buf_put_string(&line, "\"; did you mean \"");
        rp__console_clean(&line, c->instead, strlen(c->instead));
        rp__buf_put_string(&line, "\"?");
        rp__console_note(console, "%.*s", (int)line.n, (const char *)line.at);
    }
    rp__buf_free(&line);
    rp_corrections_free(&corrections);
    return status;
}

void rp__answer_note(const rp__console *console, const rp__answer *answer)
{
    const rp_hits *hits = answer->hits;
    char n[RP_FIGURE_BYTES], total[RP_FIGURE_BYTES], time[RP_FIGURE_BYTES];
    if (hits->is_partial) {
        rp__console_note(console, "%s found until the time was over; there may be better ones",
                         rp__figures_of(n, hits->n, "hit"));
        return;
    }
    if (hits->n == 0 && hits->total > 0) {
        rp__console_note(console, "%s%s match%s, none after the first %s",
                         hits->total_is_exact ? "" : "at least ",
                         rp__figures_of(total, hits->total, "document"),
                         hits->total == 1 ? "es" : "", rp__figures_count(n, answer->from));
        return;
    }
    if (hits->n == 0) {
        rp__console_note(console, "%s; %s, processor %s",
                         hits->has_no_words ? "the query has no words to search for (all are stop "
                                              "words or punctuation)"
                                            : "no document matches",
                         rp__figures_time(time, hits->seconds), hits->processor);
        rp__answer_note_machine(console, &hits->iiu);
        return;
    }
    rp__console_note(console, "%s of %s%s in %s, processor %s%s", rp__figures_count(n, hits->n),
                     hits->total_is_exact ? "" : "at least ",
                     rp__figures_of(total, hits->total, "document"),
                     rp__figures_time(time, hits->seconds), hits->processor,
                     hits->is_or_fallback ? "; too few have all words, so any of them counts" : "");
    rp__answer_note_machine(console, &hits->iiu);
}

/* ---- 2. As JSON ------------------------------------------------------------------------------ */

static rp_status write_explanation(rp__json_writer *w, const rp__answer *answer, uint32_t docid,
                                   rp_error *err)
{
    rp_explanation tree = {0};
    rp_status status = rp_searcher_explain(answer->searcher, answer->query, strlen(answer->query),
                                           docid, &tree, err);
    if (status == RP_OK)
        rp__json_writer_begin(w, "explain", '[');
    for (size_t i = 0; status == RP_OK && i < tree.n; i++) {
        const rp_explain_node *node = &tree.at[i];
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
    if (status == RP_OK)
        rp__json_writer_end(w, ']');
    rp_explanation_free(&tree);
    return status;
}

static rp_status write_hit(rp__json_writer *w, const rp__answer *answer, size_t i, rp_error *err)
{
    const rp_hit *hit = &answer->hits->at[i];
    rp_document document = {0};
    rp_status status = rp_index_get_document_start(answer->index, hit->docid,
                                                   rp__hit_fields_bytes(answer), &document, err);
    if (status != RP_OK)
        return status;
    rp__json_writer_begin(w, NULL, '{');
    const rp__hit_view view = {answer, hit, &document, answer->from + i + 1};
    status = rp__hit_fields_write(w, &view, err);
    if (status == RP_OK && answer->has_explain)
        status = write_explanation(w, answer, hit->docid, err);
    rp__json_writer_end(w, '}');
    rp_document_free(&document);
    return status;
}

/* Of a query with words that no document has. */
static rp_status write_corrections(rp__json_writer *w, const rp__answer *answer, rp_error *err)
{
    rp_corrections corrections;
    rp_status status = rp_searcher_correct(answer->searcher, answer->query, strlen(answer->query),
                                           &corrections, err);
    if (corrections.n > 0)
        rp__json_writer_begin(w, "corrections", '[');
    for (size_t i = 0; i < corrections.n; i++) {
        const rp_correction *c = &corrections.at[i];
        rp__json_writer_begin(w, NULL, '{');
        rp__json_writer_text(w, "word", c->word);
        rp__json_writer_text(w, "instead", c->instead);
        rp__json_writer_uint(w, "edits", c->edits);
        rp__json_writer_uint(w, "df", c->df);
        rp__json_writer_end(w, '}');
    }
    if (corrections.n > 0)
        rp__json_writer_end(w, ']');
    rp_corrections_free(&corrections);
    return status;
}

/* Of a query that was requested from a GPU, or placed on one by a policy. */
static void write_gpu(rp__json_writer *w, const rp__answer *answer)
{
    rp_gpu_state gpu;
    rp__gpu_report_kernels kernels = {.n = 0};
    rp_searcher_get_gpu_state(answer->searcher, &gpu);
    if (!gpu.is_asked && !answer->hits->fallback)
        return;
    rp__json_writer_begin(w, "gpu", '{');
    rp__gpu_report_write(w, &answer->hits->gpu, answer->hits->fallback);
    rp__gpu_report_add_kernels(&kernels, answer->searcher);
    rp__gpu_report_write_kernels(w, &kernels);
    rp__json_writer_end(w, '}');
}

/* Of a query whose operators were timed. */
static void write_steps(rp__json_writer *w, const rp__answer *answer)
{
    rp_query_step steps[STEPS];
    const size_t n = get_steps(answer, steps);
    if (n == 0)
        return;
    rp__json_writer_begin(w, "steps", '[');
    for (size_t i = 0; i < n; i++) {
        rp__json_writer_begin(w, NULL, '{');
        rp__json_writer_text(w, "stage", steps[i].stage);
        rp__json_writer_text(w, "processor", steps[i].processor);
        rp__json_writer_real(w, "us", steps[i].us, 6);
        rp__json_writer_uint(w, "elements", steps[i].elements);
        rp__json_writer_uint(w, "bytes", steps[i].bytes);
        rp__json_writer_end(w, '}');
    }
    rp__json_writer_end(w, ']');
}

static void write_machine(rp__json_writer *w, const rp_iiu_counters *iiu)
{
    if (iiu->operations == 0)
        return;
    rp__json_writer_begin(w, "iiu", '{');
    rp__json_writer_uint(w, "operations", iiu->operations);
    rp__json_writer_uint(w, "cycles", iiu->cycles);
    rp__json_writer_uint(w, "memory_bytes", iiu->memory_bytes);
    rp__json_writer_bool(w, "hits_are_cpus", iiu->hits_are_cpus);
    rp__json_writer_end(w, '}');
}

rp_status rp__answer_write(rp__json_writer *w, const rp__answer *answer, rp_error *err)
{
    const rp_hits *hits = answer->hits;
    rp__json_writer_text(w, "query", answer->query);
    rp_status status = write_corrections(w, answer, err);
    if (hits->has_no_words)
        rp__json_writer_bool(w, "has_no_words", true);
    rp__json_writer_text(w, "processor", hits->processor);
    rp__json_writer_real(w, "seconds", hits->seconds, 9);
    rp__json_writer_uint(w, "from", answer->from);
    rp__json_writer_uint(w, "total", hits->total);
    rp__json_writer_bool(w, "total_is_exact", hits->total_is_exact);
    rp__json_writer_bool(w, "is_or_fallback", hits->is_or_fallback);
    rp__json_writer_bool(w, "is_partial", hits->is_partial);
    rp__json_writer_uint(w, "postings", hits->postings);
    rp__json_writer_uint(w, "work", hits->work);
    rp__json_writer_uint(w, "fraction_bits", (uint64_t)hits->fraction_bits);
    write_gpu(w, answer);
    write_machine(w, &hits->iiu);
    write_steps(w, answer);
    if (answer->form)
        rp__form_report_write(w, answer->form);
    if (answer->timeline)
        rp__timeline_write(w, answer->timeline);
    rp__json_writer_begin(w, "hits", '[');
    for (size_t i = 0; status == RP_OK && i < hits->n; i++) {
        status = write_hit(w, answer, i, err);
        if (status == RP_OK && rp__alloc_in_use() > answer->max_memory + HELD)
            status = rp__error_set(err, RP_NO_MEMORY,
                                   "the hits take more than %zu bytes of JSON; ask for fewer, or "
                                   "raise --max-memory",
                                   answer->max_memory);
    }
    rp__json_writer_end(w, ']');
    return status;
}
