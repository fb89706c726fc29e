/* cmd_dump.c: riposte dump: what one list looks like. */
#include <string.h>

#include "base/json.h"
#include "cli/figures.h"
#include "cli/verbs.h"
#include "riposte/index.h"

typedef struct dump_args {
    rp__common_args common;
    const char *term;
} dump_args;

static const rp__option dump_rows[] = {
    {.name = "term",
     .kind = RP_OPTION_TEXT,
     .argument = "WORD",
     .is_required = true,
     .at = offsetof(dump_args, term),
     .help = "whose list, as the index's analyzer sees the word; exit code 1 if it has none"},
    {0},
};

static const rp__option_group groups[] = {
    {"dump", dump_rows, 0},
    {"general", rp__options_common, offsetof(dump_args, common)},
    {0},
};

static double bits(uint64_t bytes, const rp_list_cost *cost)
{
    return 8.0 * (double)bytes / (double)cost->postings;
}

static void write_gaps(rp__json_writer *w, const rp_list_info *list)
{
    rp__json_writer_begin(w, "gaps", '[');
    for (uint64_t b = 0; b < sizeof list->gaps / sizeof *list->gaps; b++) {
        if (list->gaps[b] == 0)
            continue;
        rp__json_writer_begin(w, NULL, '{');
        rp__json_writer_uint(w, "bits", b);
        rp__json_writer_uint(w, "count", list->gaps[b]);
        rp__json_writer_end(w, '}');
    }
    rp__json_writer_end(w, ']');
}

static void write_aux(rp__json_writer *w, const rp_index *index, const rp_list_info *list)
{
    rp_aux_info aux;
    rp__json_writer_begin(w, "aux", '[');
    for (size_t i = 0; list->has_aux && rp_index_get_aux(index, i, &aux); i++)
        rp__json_writer_text(w, NULL, aux.name);
    rp__json_writer_end(w, ']');
}

static rp_status write_list(rp__console *console, const rp_index *index, const rp_list_info *list,
                            rp_error *err)
{
    const rp_list_cost *c = &list->cost;
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.dump/1");
    rp__json_writer_text(&w, "term", list->term);
    rp__json_writer_text(&w, "codec", c->codec);
    rp__json_writer_uint(&w, "df", c->postings);
    rp__json_writer_uint(&w, "cf", list->cf);
    rp__json_writer_uint(&w, "first", list->first);
    rp__json_writer_uint(&w, "last", list->last);
    rp__json_writer_uint(&w, "blocks", c->blocks);
    rp__json_writer_begin(&w, "bytes", '{');
    rp__json_writer_uint(&w, "all", c->bytes);
    rp__json_writer_uint(&w, "docids", c->bytes_docids);
    rp__json_writer_uint(&w, "freqs", c->bytes_freqs);
    rp__json_writer_uint(&w, "directory", c->bytes_directory);
    rp__json_writer_uint(&w, "positions", c->bytes_positions);
    rp__json_writer_end(&w, '}');
    write_gaps(&w, list);
    rp__json_writer_begin(&w, "line", '{');
    rp__json_writer_real(&w, "slope", list->slope, 6);
    rp__json_writer_real(&w, "determination", list->determination, 6);
    rp__json_writer_real(&w, "contraction", list->contraction, 6);
    rp__json_writer_real(&w, "local_mean", list->local_mean, 6);
    rp__json_writer_real(&w, "local_most", list->local_most, 6);
    rp__json_writer_end(&w, '}');
    write_aux(&w, index, list);
    rp__json_writer_end(&w, '}');
    rp_status status = rp__console_reply(console, &out, err);
    rp__buf_free(&out);
    return status;
}

static void print_part(const char *name, uint64_t bytes, const rp_list_cost *c)
{
    char text[RP_FIGURE_BYTES];
    printf("  %-12s  %10s bytes, %6.2f bits a posting\n", name, rp__figures_count(text, bytes),
           bits(bytes, c));
}

static void print_costs(const rp_list_info *list)
{
    const rp_list_cost *c = &list->cost;
    char a[RP_FIGURE_BYTES], b[RP_FIGURE_BYTES];
    rp__console_put(stdout, list->term, strlen(list->term));
    printf(": %s, %s, docids ", rp__figures_of(a, c->postings, "posting"),
           rp__figures_of(b, list->cf, "occurrence"));
    printf("%s to %s\n", rp__figures_count(a, list->first), rp__figures_count(b, list->last));
    printf("codec %s, %s\n", c->codec, rp__figures_of(a, c->blocks, "block"));
    print_part("all", c->bytes, c);
    print_part("docids", c->bytes_docids, c);
    print_part("frequencies", c->bytes_freqs, c);
    print_part("directory", c->bytes_directory, c);
    print_part("positions", c->bytes_positions, c);
}

/* A line for each width, and a bar of its share. */
static void print_gaps(const rp_list_info *list)
{
    enum { BAR = 40 };
    static const char bar[] = "########################################";
    uint64_t most = 1;
    for (size_t b = 0; b < sizeof list->gaps / sizeof *list->gaps; b++)
        most = list->gaps[b] > most ? list->gaps[b] : most;
    printf("gaps less one, by bits\n");
    for (size_t b = 0; b < sizeof list->gaps / sizeof *list->gaps; b++) {
        char text[RP_FIGURE_BYTES];
        int cells = (int)((double)list->gaps[b] / (double)most * BAR);
        if (list->gaps[b] > 0)
            printf("  %2zu  %10s  %.*s\n", b, rp__figures_count(text, list->gaps[b]),
                   cells ? cells : 1, bar);
    }
}

static void print_line(const rp_index *index, const rp_list_info *list)
{
    rp_aux_info aux;
    printf("line: %.3f docids a posting, R^2 %.6f\n", list->slope, list->determination);
    printf("contraction: %.4f; of pieces of 256 postings %.4f, at most %.4f\n", list->contraction,
           list->local_mean, list->local_most);
    printf("auxiliary data:");
    for (size_t i = 0; list->has_aux && rp_index_get_aux(index, i, &aux); i++)
        printf(" %s", aux.name);
    printf("%s\n", list->has_aux ? "" : " none");
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    const dump_args *args = call->args;
    rp_index *index = NULL;
    rp_list_info list;
    rp_status status = rp_index_open(call->operands[0], NULL, &index, err);
    if (status == RP_OK)
        status = rp_index_get_list(index, args->term, &list, err);
    if (status == RP_OK && console->wants_json) {
        status = write_list(console, index, &list, err);
    } else if (status == RP_OK) {
        print_costs(&list);
        print_gaps(&list);
        print_line(index, &list);
    }
    rp_index_close(index);
    return status;
}

const rp__verb rp__cmd_dump_verb = {
    .name = "dump",
    .summary = "show what one list of an index looks like",
    .operands = {"DIR"},
    .details =
        "How long the list of a word is, what its parts cost, in which codec; how many of its gaps "
        "take how many bits; and how straight it is: the line through its docids by rank, R^2, and "
        "the contraction, which is the share of the list that a search guided by that line has to "
        "look at. Takes at most 32 MiB of memory, and 4 bytes for each posting of the list.",
    .examples = "riposte dump my.rip --term wing\n"
                "riposte dump my.rip --term wing --json\n",
    .groups = groups,
    .args_bytes = sizeof(dump_args),
    .run = run,
};
