/* stats_models.c: lines and buckets of lists, as tables and as JSON. Source: Ao et al. 2011, tables 1
 * and 5, figures 1 and 3, and formula 2. */
#include "cli/stats_models.h"

#include <math.h>
#include <string.h>

#include "cli/console.h"
#include "cli/figures.h"

enum { ORDER = 22, SEGMENT = 256 }; /* as the paper has them */
#define EPSILON 1e-5

/* ---- A list and its line ------------------------------------------------------------------------- */

rp_status rp__stats_models_line(const rp_index *index, const char *word, uint64_t every,
                                rp__stats_line *out, rp_error *err)
{
    *out = (rp__stats_line){.word = word, .every = every};
    rp_status status = rp__lab_set_load_term(index, word, &out->set, err);
    if (status != RP_OK)
        return status;
    const rp__lab_postings *list = &out->set.lists[0];
    status = rp__lab_line_fit(list->docids, list->n, &out->line);
    if (status == RP_OK)
        status =
            rp__lab_random_list_model(out->set.universe, list->n, ORDER, EPSILON, &out->random);
    const rp__lab_lookup_list look = {list->n, out->line.contraction, out->line.local_most};
    if (status == RP_OK)
        status = rp__lab_lookup_model(&look, 1, SEGMENT, 1, 0, &out->accesses);
    return status == RP_OK ? rp__lab_lookup_model(&look, 1, SEGMENT, 0, 1, &out->compares) : status;
}

static double at_rank(const rp__lab_line *line, uint64_t rank)
{
    return line->slope * (double)rank + line->intercept;
}

static void print_cost(const char *name, double accesses, double compares)
{
    printf("%-16s  %.0f accesses and %.0f comparisons\n", name, accesses, compares);
}

void rp__stats_models_print_line(const rp__stats_line *l)
{
    const rp__lab_postings *list = &l->set.lists[0];
    char n[RP_FIGURE_BYTES], docs[RP_FIGURE_BYTES];
    rp__console_put(stdout, l->word, strlen(l->word));
    printf(": %s of %s\n", rp__figures_of(n, list->n, "posting"),
           rp__figures_of(docs, l->set.universe, "document"));
    printf("%-16s  docid = %.3f * rank %c %.3f, ranks from 1\n", "line", l->line.slope,
           l->line.intercept < 0 ? '-' : '+', fabs(l->line.intercept));
    printf("%-16s  %.6f\n", "determination", l->line.determination);
    printf("%-16s  %.4f of the list; by segments of %d %.4f on average, %.4f at most\n",
           "safe range", l->line.contraction, SEGMENT, l->line.local_mean, l->line.local_most);
    printf("%-16s  bits: %u; of a random list: %u\n", "residual", l->line.width, l->random.width);
    print_cost("look-up, heads", l->accesses.headed, l->compares.headed);
    print_cost("  without heads", l->accesses.headless, l->compares.headless);
    print_cost("  lines apart", l->accesses.local, l->compares.local);
    if (l->every > 0)
        printf("%12s %12s %14s\n", "rank", "docid", "line");
    for (uint64_t i = 0; l->every > 0 && i < list->n; i += l->every)
        printf("%12llu %12u %14.1f\n", (unsigned long long)(i + 1), list->docids[i],
               at_rank(&l->line, i + 1));
}

static void write_lookup(rp__json_writer *w, const char *name, const rp__lab_lookup *cost)
{
    rp__json_writer_begin(w, name, '{');
    rp__json_writer_real(w, "headed", cost->headed, 0);
    rp__json_writer_real(w, "headless", cost->headless, 0);
    rp__json_writer_real(w, "local", cost->local, 0);
    rp__json_writer_end(w, '}');
}

static void write_points(rp__json_writer *w, const rp__stats_line *l)
{
    const rp__lab_postings *list = &l->set.lists[0];
    rp__json_writer_begin(w, "points", '[');
    for (uint64_t i = 0; l->every > 0 && i < list->n; i += l->every) {
        rp__json_writer_begin(w, NULL, '{');
        rp__json_writer_uint(w, "rank", i + 1);
        rp__json_writer_uint(w, "docid", list->docids[i]);
        rp__json_writer_real(w, "line", at_rank(&l->line, i + 1), 3);
        rp__json_writer_end(w, '}');
    }
    rp__json_writer_end(w, ']');
}

void rp__stats_models_write_line(rp__json_writer *w, const rp__stats_line *l)
{
    rp__json_writer_begin(w, "regression", '{');
    rp__json_writer_text(w, "word", l->word);
    rp__json_writer_uint(w, "df", l->set.lists[0].n);
    rp__json_writer_uint(w, "docs", l->set.universe);
    rp__json_writer_real(w, "slope", l->line.slope, 6);
    rp__json_writer_real(w, "intercept", l->line.intercept, 6);
    rp__json_writer_real(w, "determination", l->line.determination, 9);
    rp__json_writer_real(w, "contraction", l->line.contraction, 9);
    rp__json_writer_real(w, "local_mean", l->line.local_mean, 9);
    rp__json_writer_real(w, "local_most", l->line.local_most, 9);
    rp__json_writer_uint(w, "residual_bits", l->line.width);
    rp__json_writer_uint(w, "random_bits", l->random.width);
    rp__json_writer_real(w, "random_distance", l->random.distance, 3);
    write_lookup(w, "accesses", &l->accesses);
    write_lookup(w, "comparisons", &l->compares);
    write_points(w, l);
    rp__json_writer_end(w, '}');
}

/* ---- Buckets ------------------------------------------------------------------------------------- */

void rp__stats_models_print_buckets(const rp__lab_buckets *buckets)
{
    printf("%-8s %14s %14s %10s %10s %12s %12s\n", "buckets", "all", "empty", "mean", "largest",
           "variance", "binomial");
    for (size_t k = 0; k < RP_LAB_BUCKET_KINDS; k++) {
        const rp__lab_buckets *b = &buckets[k];
        char name[16], all[RP_FIGURE_BYTES], empty[RP_FIGURE_BYTES], most[RP_FIGURE_BYTES];
        snprintf(name, sizeof name, "hs%u", b->bucket);
        printf("%-8s %14s %14s %10.2f %10s %12.2f %12.2f\n", name,
               rp__figures_count(all, b->buckets), rp__figures_count(empty, b->empty), b->mean,
               rp__figures_count(most, b->largest), b->variance, b->binomial);
    }
}

void rp__stats_models_write_buckets(rp__json_writer *w, const rp__lab_buckets *buckets)
{
    rp__json_writer_begin(w, "buckets", '[');
    for (size_t k = 0; k < RP_LAB_BUCKET_KINDS; k++) {
        const rp__lab_buckets *b = &buckets[k];
        rp__json_writer_begin(w, NULL, '{');
        rp__json_writer_uint(w, "bucket", b->bucket);
        rp__json_writer_uint(w, "buckets", b->buckets);
        rp__json_writer_uint(w, "empty", b->empty);
        rp__json_writer_uint(w, "largest", b->largest);
        rp__json_writer_real(w, "mean", b->mean, 6);
        rp__json_writer_real(w, "variance", b->variance, 6);
        rp__json_writer_real(w, "binomial", b->binomial, 6);
        rp__json_writer_begin(w, "sizes", '[');
        for (uint64_t size = 0; size < RP_LAB_BUCKET_SIZES; size++) {
            if (b->sizes[size] == 0)
                continue;
            rp__json_writer_begin(w, NULL, '{');
            rp__json_writer_uint(w, "size", size);
            rp__json_writer_uint(w, "n", b->sizes[size]);
            rp__json_writer_end(w, '}');
        }
        rp__json_writer_end(w, ']');
        rp__json_writer_end(w, '}');
    }
    rp__json_writer_end(w, ']');
}
