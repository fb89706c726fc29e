/* bench_synth.c: how close a drawn collection comes to what papers tell of theirs: for each figure the
 * paper's, ours and ours over theirs. bench/synth_check.sh runs it over all of them.
 *
 *   bench_synth INDEX QUERIES COLUMN      COLUMN: of Ao's table 1, as gov or gov2r; or ding, or griffin */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "codec/regression.h"
#include "index/index.h"

enum { CLASSES = 6, TERMS_MOST = 10, STAGES = 5, SHARES = 5 };

/* Ao et al. 2011, table 1: contraction ratio and R^2 by length. */
typedef struct column {
    const char *name;
    double ratio[CLASSES], r2[CLASSES];
} column;

static const uint32_t class_ends[CLASSES] = {100000, 200000, 400000, 600000, 800000, 1000000};

static const column columns[] = {
    {"gov",
     {0.2198, 0.0375, 0.0306, 0.0186, 0.0069, 0.0060},
     {0.9613, 0.9991, 0.9995, 0.9997, 0.9999, 0.9999}},
    {"govpr",
     {0.2496, 0.0751, 0.0618, 0.0565, 0.0388, 0.0308},
     {0.9573, 0.9952, 0.9966, 0.9972, 0.9985, 0.9990}},
    {"govr",
     {0.1227, 0.0030, 0.0019, 0.0012, 0.0008, 0.0006},
     {0.9870, 0.9999, 0.9999, 0.9999, 0.9999, 0.9999}},
    {"gov2",
     {0.4294, 0.2460, 0.1516, 0.1217, 0.1296, 0.1076},
     {0.8731, 0.9636, 0.9847, 0.9896, 0.9884, 0.9946}},
    {"gov2r",
     {0.1025, 0.0033, 0.0023, 0.0016, 0.0013, 0.0011},
     {0.9898, 0.9999, 0.9999, 0.9999, 0.9999, 0.9999}},
    {"bd",
     {0.3323, 0.1357, 0.0760, 0.0661, 0.0667, 0.0838},
     {0.9271, 0.9746, 0.9943, 0.9957, 0.9973, 0.9955}},
    {"bdr",
     {0.1113, 0.0033, 0.0022, 0.0017, 0.0014, 0.0009},
     {0.9891, 0.9999, 0.9999, 0.9999, 0.9999, 0.9999}},
};

/* Table 4: shares of queries of 2 to 6 terms, and after each stage |l1 n ... n lx| in thousands and its
 * ratio to the next list in percent. */
static const double shares[SHARES] = {16.1, 24.5, 22.8, 14.8, 8.24};
static const double left[SHARES][STAGES] = {
    {8.6}, {8.7, 2.0}, {8.4, 1.6, 0.8}, {8.0, 1.5, 0.6, 0.5}, {8.0, 1.5, 0.6, 0.4, 0.4}};
static const double ratios[SHARES][STAGES] = {{13.6},
                                              {23.1, 0.97},
                                              {28.6, 1.76, 0.22},
                                              {32.0, 2.38, 0.35, 0.087},
                                              {34.4, 2.82, 0.50, 0.13, 0.054}};

typedef struct bench {
    rp__segment *segment;
    rp__arena arena;
    bool intersects; /* queries, for table 4 */
    double ratio[CLASSES], r2[CLASSES];
    uint64_t lists[CLASSES + 1];
    uint64_t thousand_to_million, all_lists;
    uint64_t by_terms[TERMS_MOST + 1];
    uint64_t queries, terms, postings;
    double left[SHARES][STAGES], ratios[SHARES][STAGES];
    uint64_t measured[SHARES];
    uint32_t *lists_of[TERMS_MOST], lengths[TERMS_MOST];
} bench;

static void stop(const char *what)
{
    fprintf(stderr, "bench_synth: %s\n", what);
    exit(1);
}

static void row(const char *what, double paper, double ours)
{
    printf("| %s | %.4g | %.4g | %.2f |\n", what, paper, ours, ours / paper);
}

/* ---- Lists ------------------------------------------------------------------------------------- */

static uint32_t *decode(bench *b, const rp__term *term)
{
    rp__list list;
    uint32_t *docids =
        rp__arena_array(&b->arena, (size_t)term->df + RP_BLOCK_CAPACITY, sizeof *docids);
    if (!docids || rp__segment_list(b->segment, term, &b->arena, &list) != RP_OK ||
        rp__list_decode(&list, docids, NULL) != RP_OK)
        stop("a list cannot be read");
    return docids;
}

/* Without regression only how long they are. */
static void measure_lists(bench *b, bool regresses)
{
    rp__term_iter iter;
    rp_status status = rp__term_iter_start(&iter, b->segment, "", 0);
    while (status == RP_OK && (status = rp__term_iter_next(&iter)) == RP_OK) {
        uint32_t n = iter.entry.df, class = 0;
        while (class < CLASSES && n >= class_ends[class])
            class ++;
        b->lists[class]++;
        b->all_lists++;
        b->thousand_to_million += n >= 1000 && n < 1000000;
        if (class == CLASSES || !regresses)
            continue;
        rp__arena_clear(&b->arena);
        const uint32_t *docids = decode(b, &iter.entry);
        b->ratio[class] += rp__regression_contraction(docids, n);
        b->r2[class] += rp__regression_determination(docids, n);
    }
}

static const column *find_column(const char *name)
{
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (strcmp(columns[i].name, name) == 0)
            return &columns[i];
    return NULL;
}

static void print_lists(const bench *b, const column *c)
{
    printf("\nAo, table 1, %s\n\n| figure | paper | ours | ratio |\n|---|---|---|---|\n", c->name);
    for (size_t i = 0; i < CLASSES; i++) {
        char what[80];
        double n = (double)b->lists[i];
        if (b->lists[i] == 0)
            continue;
        snprintf(what, sizeof what, "contraction, below %" PRIu32 "K (%" PRIu64 " lists)",
                 class_ends[i] / 1000, b->lists[i]);
        row(what, c->ratio[i], b->ratio[i] / n);
        snprintf(what, sizeof what, "R2, below %" PRIu32 "K", class_ends[i] / 1000);
        row(what, c->r2[i], b->r2[i] / n);
    }
    printf("| lists of 1M and more | | %" PRIu64 " | |\n", b->lists[CLASSES]);
}

/* ---- Queries ----------------------------------------------------------------------------------- */

static uint32_t intersect(uint32_t *a, uint32_t n, const uint32_t *b, uint32_t n_b)
{
    uint32_t kept = 0;
    for (uint32_t i = 0, j = 0; i < n && j < n_b;) {
        uint32_t x = a[i], y = b[j];
        a[kept] = x;
        kept += x == y;
        i += x <= y;
        j += y <= x;
    }
    return kept;
}

static void sort_lists(bench *b, uint32_t k)
{
    for (uint32_t i = 1; i < k; i++)
        for (uint32_t j = i; j > 0 && b->lengths[j] < b->lengths[j - 1]; j--) {
            uint32_t n = b->lengths[j], *list = b->lists_of[j];
            b->lengths[j] = b->lengths[j - 1];
            b->lists_of[j] = b->lists_of[j - 1];
            b->lengths[j - 1] = n;
            b->lists_of[j - 1] = list;
        }
}

static void intersect_query(bench *b, uint32_t k)
{
    sort_lists(b, k);
    uint32_t n = b->lengths[0];
    for (uint32_t x = 0; x + 1 < k; x++) {
        b->left[k - 2][x] += (double)n / 1000;
        b->ratios[k - 2][x] += 100.0 * n / b->lengths[x + 1];
        n = intersect(b->lists_of[0], n, b->lists_of[x + 1], b->lengths[x + 1]);
    }
    b->measured[k - 2]++;
}

static void measure_query(bench *b, char *words)
{
    uint32_t k = 0;
    rp__arena_clear(&b->arena);
    for (char *w = strtok(words, " \n"); w && k < TERMS_MOST; w = strtok(NULL, " \n")) {
        rp__term term;
        if (rp__segment_find(b->segment, w, strlen(w), &term) != RP_OK)
            stop("a query's term is not in the index");
        b->postings += term.df;
        b->lengths[k] = term.df;
        if (b->intersects)
            b->lists_of[k] = decode(b, &term);
        k++;
    }
    b->by_terms[k]++;
    b->terms += k;
    b->queries++;
    if (b->intersects && k >= 2 && k < 2 + SHARES)
        intersect_query(b, k);
}

static void measure_queries(bench *b, const char *path)
{
    char line[1024];
    FILE *f = fopen(path, "r");
    if (!f)
        stop("the queries cannot be read");
    while (fgets(line, sizeof line, f)) {
        char *tab = strchr(line, '\t');
        if (!tab)
            stop("a query has no tab");
        measure_query(b, tab + 1);
    }
    fclose(f);
}

static void print_stages(const bench *b)
{
    printf("\nAo, table 4 (gov)\n\n| figure | paper | ours | ratio |\n|---|---|---|---|\n");
    for (size_t i = 0; i < SHARES; i++) {
        char what[80];
        double n = (double)b->measured[i];
        snprintf(what, sizeof what, "%zu terms, %% of queries", i + 2);
        row(what, shares[i], 100.0 * (double)b->by_terms[i + 2] / (double)b->queries);
        for (size_t x = 0; x <= i && n > 0; x++) {
            snprintf(what, sizeof what, "stage %zu, documents (K)", x + 1);
            row(what, left[i][x], b->left[i][x] / n);
            snprintf(what, sizeof what, "stage %zu, R (%%)", x + 1);
            row(what, ratios[i][x], b->ratios[i][x] / n);
        }
    }
}

static void print_griffin(const bench *b)
{
    static const double griffin[] = {27, 33, 24};
    for (size_t k = 2; k <= 4; k++) {
        char what[80];
        snprintf(what, sizeof what, "Griffin: %zu terms, %% of queries", k);
        row(what, griffin[k - 2], 100.0 * (double)b->by_terms[k] / (double)b->queries);
    }
    printf("| Griffin: lists of 1K to 1M, %% | most | %.1f | |\n",
           100.0 * (double)b->thousand_to_million / (double)b->all_lists);
}

static void print_queries(const bench *b, const char *name)
{
    double docs = (double)rp__segment_get_info(b->segment)->stats.docs;
    double per_query = (double)b->postings / (double)b->queries;
    printf("\nQueries\n\n| figure | paper | ours | ratio |\n|---|---|---|---|\n");
    if (strcmp(name, "ding") == 0)
        row("Ding: postings a query, % of documents", 100 * 3.74 / 25.2, 100 * per_query / docs);
    if (strcmp(name, "griffin") == 0)
        print_griffin(b);
    printf("| terms a query | | %.2f | |\n", (double)b->terms / (double)b->queries);
    printf("| postings a query | | %.0f | |\n", per_query);
}

int main(int argc, char **argv)
{
    static bench b;
    rp_error err = {0};
    if (argc != 4)
        stop("wants INDEX QUERIES COLUMN");
    if (rp__segment_open(argv[1], false, &b.segment, &err) != RP_OK)
        stop(err.text);
    const column *c = find_column(argv[3]);
    rp__arena_init(&b.arena, (size_t)4 << 30);
    measure_lists(&b, c != NULL);
    if (c)
        print_lists(&b, c);
    b.intersects = c && strncmp(c->name, "gov", 3) == 0 && c->name[3] != '2';
    measure_queries(&b, argv[2]);
    if (b.intersects)
        print_stages(&b);
    print_queries(&b, argv[3]);
    rp__arena_reset(&b.arena);
    rp__segment_close(b.segment);
    return 0;
}
