/* bench_sim.c: how many cycles of the simulated machine one core of the host simulates in a second
 * of CPU time.
 *
 *   bench_sim [CASE [QUERIES]]      CASE: sparse, sparser, saturated, hundred; by default all but hundred
 *
 * Lists have random docids out of two million. sparse is an AND of 1,000 and 10^6 postings on one
 * core, sparser of 100 and 10^6; saturated a single term of 10^6 postings on 8 cores, hundred the
 * same 100 times. All have DDR4-2400, controller frfcfs, dl=line. Of ANDs, both clocks are
 * measured, and must agree on the cycles. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "sim/image.h"
#include "sim/sim.h"

enum { DOCS = 2000000, LONG = 1000000 };

typedef struct bench_case {
    const char *name;
    uint32_t type, cores, n_short, queries;
    bool is_usual;
} bench_case;

static const bench_case cases[] = {
    {"sparse", RP_SIM_AND, 1, 1000, 10, true},
    {"sparser", RP_SIM_AND, 1, 100, 100, true},
    {"saturated", RP_SIM_SINGLE, 8, 1000, 4, true},
    {"hundred", RP_SIM_SINGLE, 8, 1000, 100, false},
};

typedef struct lists {
    rp__image_writer writer;
    rp__image image;
    rp__image_list lists[2]; /* the short one, the long one */
} lists;

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "bench_sim: %s\n", what);
    exit(1);
}

static void put_list(lists *l, const char *name, uint32_t n, rp__random *random)
{
    uint32_t *docids = malloc(4 * (size_t)n), *tfs = malloc(4 * (size_t)n), at = 0;
    must(docids && tfs, "no memory");
    for (uint32_t doc = 0; doc < DOCS && at < n; doc++)
        if (rp__random_below(random, DOCS - doc) < n - at) {
            docids[at] = doc;
            tfs[at++] = 1 + rp__random_below(random, 8);
        }
    must(rp__image_writer_list(&l->writer, name, 1, docids, tfs, n, 1 << 16) == RP_OK, "no list");
    free(docids);
    free(tfs);
}

static void make_lists(lists *l, uint32_t n_short)
{
    rp__random random;
    rp_error err = {0};
    rp__image_options options = {0};
    memset(l, 0, sizeof *l);
    rp__random_init(&random, 1);
    rp__image_writer_begin(&l->writer, &options, 1.2, 0.75, DOCS);
    for (uint32_t i = 0; i < DOCS; i++) {
        uint32_t norm = 1 + rp__random_below(&random, 1 << 18);
        rp__image_writer_dl(&l->writer, &norm, 1);
    }
    put_list(l, "a", n_short, &random);
    put_list(l, "b", LONG, &random);
    must(rp__image_writer_end(&l->writer) == RP_OK, "no memory");
    must(rp__image_open(l->writer.out.at, l->writer.out.n, &l->image, &err) == RP_OK, err.text);
    for (uint32_t i = 0; i < 2; i++)
        must(rp__image_get_list(&l->image, i, &l->lists[i], &err) == RP_OK, err.text);
}

/* Runs the case by the clock `all` or `awake`; returns its cycles. */
static uint64_t run(const bench_case *c, const lists *l, uint32_t queries, bool is_all,
                    double *seconds)
{
    rp__sim_config config;
    rp__machine *m;
    rp_error err = {0};
    rp__sim_report report;
    const rp__image_list *first = &l->lists[c->type == RP_SIM_AND ? 0 : 1], *second = &l->lists[1];
    rp__descriptor d = {.query_type = (uint8_t)c->type,
                        .n_cores = (uint8_t)c->cores,
                        .list0 = first->at,
                        .n_blocks0 = first->n_blocks,
                        .list1 = second->at,
                        .n_blocks1 = second->n_blocks,
                        .cap = first->n_postings,
                        .dl_table = l->image.dl_at};
    rp__sim_memory memory = {.image = l->image.bytes, .image_bytes = l->image.n_bytes};
    memory.results_at = d.result = rp__sim_results_at(memory.image_bytes);
    memory.results_bytes = rp__sim_result_bytes(&d);
    memory.results = calloc(memory.results_bytes, 1);
    must(memory.results != NULL, "no memory");
    rp__sim_config_init(&config);
    config.cores = c->cores;
    must(rp__machine_new(&config, &memory, &m, &err) == RP_OK, err.text);
    uint32_t order[RP_SIM_REPORT_UNITS];
    for (uint32_t i = 0; i < rp__machine_units(m); i++)
        order[i] = i;
    must(rp__machine_set_order(m, is_all ? order : NULL) == RP_OK, "an order is refused");
    for (d.tag = 0; d.tag < queries; d.tag++)
        must(rp__machine_submit(m, &d) == RP_OK, "no memory");
    clock_t begin = clock();
    must(rp__machine_run(m, &err) == RP_OK, err.text);
    *seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    rp__machine_report(m, &report);
    printf("%s\t%s\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%.3f\t%.2f\n", c->name,
           is_all ? "all" : "awake", queries, report.cycles, report.evaluations,
           report.counts.memory_reads + report.counts.memory_writes, *seconds,
           (double)report.cycles / *seconds / 1e6);
    rp__machine_free(m);
    free(memory.results);
    return report.cycles;
}

int main(int argc, char **argv)
{
    lists l;
    bool is_known = argc < 2;
    puts("case\tclock\tqueries\tcycles\tevaluations\tmemory accesses\tseconds\tmillion cycles a "
         "second");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bench_case *c = &cases[i];
        if (argc > 1 ? strcmp(argv[1], c->name) != 0 : !c->is_usual)
            continue;
        is_known = true;
        double awake, all;
        uint32_t queries = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : c->queries;
        make_lists(&l, c->n_short);
        uint64_t cycles = run(c, &l, queries, false, &awake);
        if (c->type == RP_SIM_AND) {
            must(run(c, &l, queries, true, &all) == cycles, "the clocks differ");
            printf("%s\tawake is %.1f times all\n", c->name, all / awake);
        }
        rp__image_writer_free(&l.writer);
    }
    must(is_known, "no such case: sparse, sparser, saturated, hundred");
    return 0;
}
