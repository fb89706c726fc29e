/* cmd_bench_serve.c: riposte bench-serve: the protocol of the search-benchmark-game: a command, a tab
 * and a query a line on standard input; a number a line on standard output. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/query_args.h"
#include "cli/verbs.h"

typedef struct serve_args {
    rp__common_args common;
    rp__query_args query;
} serve_args;

static const rp__option_group groups[] = {
    {"ranking", rp__query_args_ranking, offsetof(serve_args, query)},
    {"limits", rp__query_args_limits, offsetof(serve_args, query)},
    {"general", rp__options_common, offsetof(serve_args, common)},
    {0},
};

enum { LINE_BYTES = 1 << 16, SEARCHERS = 8, K_MOST = 10000 };

/* A searcher for each number of hits that was asked for, made when it first is. */
typedef struct server {
    const serve_args *args;
    rp_index *index;
    struct {
        size_t k;
        rp_total total;
        rp_searcher *searcher;
    } of[SEARCHERS];
    size_t n;
} server;

static rp_status searcher_for(server *s, size_t k, rp_total total, rp_searcher **out, rp_error *err)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->of[i].k == k && s->of[i].total == total) {
            *out = s->of[i].searcher;
            return RP_OK;
        }
    if (s->n == SEARCHERS)
        rp_searcher_free(s->of[--s->n].searcher);
    rp_search_options options = s->args->query.search;
    options.k = k;
    options.total = total;
    options.eager_gpu = true;
    rp_status status = rp_searcher_new(s->index, &options, out, err);
    if (status == RP_OK) {
        s->of[s->n].k = k;
        s->of[s->n].total = total;
        s->of[s->n++].searcher = *out;
    }
    return status;
}

typedef struct command {
    size_t k;
    rp_total total; /* at least: the number to print is 1, else that of all matches */
} command;

/* TOP_N, TOP_N_COUNT, COUNT, UNOPTIMIZED_COUNT. */
static bool read_command(const char *name, command *out)
{
    if (strcmp(name, "COUNT") == 0 || strcmp(name, "UNOPTIMIZED_COUNT") == 0) {
        *out = (command){1, RP_TOTAL_ONLY};
        return true;
    }
    if (strncmp(name, "TOP_", 4) != 0 || name[4] < '1' || name[4] > '9')
        return false;
    char *end;
    unsigned long k = strtoul(name + 4, &end, 10);
    bool counts = strcmp(end, "_COUNT") == 0;
    *out = (command){k, counts ? RP_TOTAL_EXACT : RP_TOTAL_AT_LEAST};
    return k <= K_MOST && (counts || *end == 0);
}

/* A line that cannot be answered is answered with UNSUPPORTED; only what ends the server fails. */
static rp_status answer(server *s, char *line, rp_error *err)
{
    command what;
    char *tab = strchr(line, '\t');
    rp_searcher *searcher;
    rp_hits hits = {0};
    if (tab)
        *tab = 0;
    if (!tab || !read_command(line, &what)) {
        puts("UNSUPPORTED");
        return RP_OK;
    }
    rp_status status = searcher_for(s, what.k, what.total, &searcher, err);
    if (status == RP_OK)
        status = rp_searcher_search(searcher, tab + 1, strlen(tab + 1), &hits, err);
    if (status == RP_OK)
        printf("%llu\n", what.total ? (unsigned long long)hits.total : 1ULL);
    else if (status == RP_USAGE || status == RP_INPUT || status == RP_LIMIT)
        puts("UNSUPPORTED");
    else
        return status;
    rp_hits_free(&hits);
    return RP_OK;
}

/* A line of standard input without its end; false at the end. One that is too long is read to its
 * end and comes out empty. */
static bool read_line(char *line)
{
    size_t n = 0, seen = 0;
    int c;
    while ((c = getchar()) != EOF && c != '\n') {
        seen++;
        if (n < LINE_BYTES - 1)
            line[n++] = (char)c;
    }
    if (n > 0 && line[n - 1] == '\r')
        n--;
    line[seen < LINE_BYTES ? n : 0] = 0;
    return c != EOF || seen > 0;
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    static char line[LINE_BYTES];
    server s = {.args = call->args};
    rp_index_options options = {.verify = s.args->query.verify};
    (void)console;
    rp_status status = rp_index_open(call->operands[0], &options, &s.index, err);
    while (status == RP_OK && !rp__console_is_closed() && read_line(line)) {
        status = answer(&s, line, err);
        fflush(stdout);
    }
    for (size_t i = 0; i < s.n; i++)
        rp_searcher_free(s.of[i].searcher);
    rp_index_close(s.index);
    return status;
}

const rp__verb rp__cmd_bench_serve_verb = {
    .name = "bench-serve",
    .summary = "answer the search-benchmark-game's commands",
    .operands = {"DIR"},
    .details = "Reads lines COMMAND<TAB>QUERY from standard input and answers each with a line, at "
               "once: TOP_N with 1 when the N best are found, COUNT (UNOPTIMIZED_COUNT) and "
               "TOP_N_COUNT with the number of documents that match, anything else with "
               "UNSUPPORTED. A query is words (any of them), +words (all of them) or \"a phrase\".",
    .examples = "printf 'TOP_10_COUNT\\t+boundary +layer\\n' | riposte bench-serve my.rip\n",
    .groups = groups,
    .args_bytes = sizeof(serve_args),
    .run = run,
};
