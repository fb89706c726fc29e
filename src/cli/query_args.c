/* query_args.c: how a query is asked: mode, ranking, processor, and the limits that bound it.
 * Defaults shown here are the library's own. */
#include "cli/query_args.h"

#include <inttypes.h>
#include <string.h>

const char *const rp__query_args_modes[] = {"or", "and", "andor", NULL};
static const char *const processors[] = {"auto", "cpu", "gpu", "iiu", NULL};

_Static_assert(RP_MODE_OR == 0 && RP_MODE_AND == 1 && RP_MODE_ANDOR == 2,
               "they are in rp_mode's order");

/* Those of the CPU, then those of a GPU. */
static const char *algorithm_at(size_t i)
{
    size_t n = 0;
    while (n < i && rp_algorithm_name(n))
        n++;
    return rp_algorithm_name(n) ? rp_algorithm_name(n) : rp_gpu_algorithm_name(i - n);
}

#define AT(field)  .at = offsetof(rp__query_args, field)
#define HAS(field) .has_value = true, .has_at = offsetof(rp__query_args, field)

const rp__option rp__query_args_ranking[] = {
    {.name = "k",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "10",
     .least = 1,
     AT(search.k),
     .help = "hits for a query"},
    {.name = "mode",
     .kind = RP_OPTION_ENUM,
     .argument = "MODE",
     .initial = "or",
     .choices = rp__query_args_modes,
     AT(search.mode),
     .help = "what words side by side mean: any of them (or), all (and), or all where that gives "
             "k hits and any otherwise (andor)"},
    {.name = "processor",
     .kind = RP_OPTION_NAME,
     .argument = "NAME",
     .initial = "auto",
     .choices = processors,
     AT(search.processor),
     .help = "which processor answers; with auto, whichever is likely to be faster for the query"},
    {.name = "strict-processor",
     .kind = RP_OPTION_FLAG,
     AT(search.strict_processor),
     .help = "exit code 6 where the CPU would answer instead of a GPU, or decode lists for it; "
             "auto is gpu then"},
    {.name = "gpu",
     .kind = RP_OPTION_TEXT,
     .argument = "NAME",
     AT(search.gpu),
     .help = "which GPU: a number, or emulated, or several between commas, which share each "
             "query; otherwise RIPOSTE_GPU, or 0"},
    {.name = "gpu-memory",
     .kind = RP_OPTION_SIZE,
     .argument = "SIZE",
     .least = 1,
     AT(search.gpu_memory),
     .help = "most memory of each to use, otherwise what is there; lists of an index that does "
             "not fit are copied as queries need them"},
    {.name = "gpu-timeout",
     .kind = RP_OPTION_COUNT32,
     .argument = "MS",
     .initial = "10000",
     .least = 1,
     AT(search.gpu_timeout),
     .help = "milliseconds after which a GPU that does not come back counts as lost"},
    {.name = "gpu-child",
     .kind = RP_OPTION_FLAG,
     AT(search.gpu_child),
     .help = "let a process of its own use the GPU, which then comes back after a fault"},
    {.name = "algorithm",
     .kind = RP_OPTION_SPEC,
     .argument = "NAME[:KEY=VALUE,...]",
     .initial = "auto",
     .choice_at = algorithm_at,
     AT(search.algorithm),
     .help = "which algorithm answers; those of the GPU take options (docs/operators.md, "
             "docs/para.md); all that "
             "can give the same hits"},
    {.name = "query-threads",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "1",
     .least = 1,
     AT(search.threads),
     .help = "threads that share one query, each with a part of the documents"},
    {.name = "variant",
     .kind = RP_OPTION_NAME,
     .argument = "NAME",
     .initial = "lucene",
     .choice_at = rp_variant_name,
     AT(search.variant),
     .help = "ranking formula"},
    {.name = "k1",
     .kind = RP_OPTION_REAL,
     .argument = "X",
     .most = 1e6,
     AT(search.k1),
     HAS(search.has_k1),
     .help = "BM25: how soon repeats of a word stop to count; default: the variant's"},
    {.name = "b",
     .kind = RP_OPTION_REAL,
     .argument = "X",
     .most = 1,
     AT(search.b),
     HAS(search.has_b),
     .help = "BM25: how much long documents pay; default: the variant's"},
    {.name = "mu",
     .kind = RP_OPTION_REAL,
     .argument = "X",
     .most = 1e9,
     AT(search.mu),
     HAS(search.has_mu),
     .help = "Dirichlet smoothing; default 1000"},
    {.name = "plain",
     .kind = RP_OPTION_FLAG,
     AT(search.plain),
     .help = "the query is words, not the query language: operators and marks mean nothing"},
    {.name = "verify",
     .kind = RP_OPTION_FLAG,
     AT(verify),
     .help = "check every checksum of the index before the first answer"},
    {0},
};

const rp__option rp__query_args_limits[] = {
    {.name = "max-k",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "10000",
     .least = 1,
     AT(search.max_k),
     .help = "most that --k may ask for"},
    {.name = "max-query",
     .kind = RP_OPTION_SIZE,
     .argument = "SIZE",
     .initial = "64K",
     .least = 1,
     AT(search.max_query),
     .help = "longest query"},
    {.name = "max-terms",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "1024",
     .least = 1,
     AT(search.max_terms),
     .help = "most terms, prefixes expanded"},
    {.name = "max-expansions",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "1024",
     .least = 1,
     AT(search.max_expansions),
     .help = "most terms that one prefix* stands for"},
    {.name = "max-phrase",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "64",
     .least = 1,
     AT(search.max_phrase),
     .help = "most words of a phrase"},
    {.name = "max-slop",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "10000",
     .least = 1,
     AT(search.max_slop),
     .help = "most slop of a phrase"},
    {.name = "max-depth",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "32",
     .least = 1,
     AT(search.max_depth),
     .help = "deepest nesting of parentheses"},
    {.name = "max-memory",
     .kind = RP_OPTION_SIZE,
     .argument = "SIZE",
     .initial = "64M",
     .least = 1,
     AT(search.max_memory),
     .help = "most memory for one query and its hits; one that needs more fails"},
    {.name = "max-work",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "40000000",
     .least = 1,
     AT(search.max_work),
     .help = "most work of a query, in postings"},
    {0},
};

rp_status rp__query_args_open(const rp__query_args *args, const char *dir, rp_index **index,
                              rp_searcher **searcher, rp_error *err)
{
    *searcher = NULL;
    rp_status status = rp_index_open(dir, &(rp_index_options){.verify = args->verify}, index, err);
    if (status != RP_OK) {
        *index = NULL;
        return status;
    }
    status = rp_searcher_new(*index, &args->search, searcher, err);
    if (status != RP_OK) {
        rp_index_close(*index);
        *index = NULL;
        *searcher = NULL;
    }
    return status;
}

void rp__query_args_note_gpu(const rp__console *console, const rp_searcher *searcher)
{
    rp_gpu_state gpu;
    rp_searcher_get_gpu_state(searcher, &gpu);
    if (gpu.faults == 1)
        rp__console_note(console, "riposte: the gpu was lost, and the cpu answered: %s", gpu.fault);
    else if (gpu.faults > 1)
        rp__console_note(console,
                         "riposte: the gpu was lost %" PRIu64
                         " times, and the cpu answered; the last time: %s",
                         gpu.faults, gpu.fault);
}
