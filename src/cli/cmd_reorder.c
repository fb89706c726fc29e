/* cmd_reorder.c: riposte reorder: the same index with its documents in another order. */
#include "cli/index_rows.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/remade.h"
#include "cli/verbs.h"

typedef struct reorder_args {
    rp__common_args common;
    const char *output;
    rp_reorder_options reorder;
} reorder_args;

#define AT(field) .at = offsetof(reorder_args, field)

static const rp__option reorder_rows[] = {
    RP_ROW_OUTPUT(offsetof(reorder_args, output),
                  "folder of the new index; one that is there is replaced, be it the same"),
    {.name = "by",
     .kind = RP_OPTION_NAME,
     .argument = "NAME",
     .initial = "bp",
     .choice_at = rp_order_name,
     AT(reorder.by),
     .help = "which order"},
    {.name = "seed",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "0",
     AT(reorder.seed),
     .help = "of random: the same number, the same order, on every machine"},
    {.name = "map",
     .kind = RP_OPTION_TEXT,
     .argument = "FILE",
     AT(reorder.map),
     .help = "of map: the id of every document, a line each, in the new order; may be compressed"},
    {.name = "scores",
     .kind = RP_OPTION_TEXT,
     .argument = "FILE",
     AT(reorder.scores),
     .help = "of rank: lines of an id, a tab and a score; or a score a line, by docid"},
    RP_ROW_CODEC(offsetof(reorder_args, reorder.codec), NULL,
                 "how lists are coded, otherwise as they are"),
    RP_ROW_FREQS(offsetof(reorder_args, reorder.freqs)),
    RP_ROW_MEMORY(
        offsetof(reorder_args, reorder.memory),
        "memory beside the mapped pages of DIR, a hard total; what needs more is refused, and "
        "says how much"),
    RP_ROW_THREADS(offsetof(reorder_args, reorder.threads)),
    {0},
};

static const rp__option_group groups[] = {
    {"reorder", reorder_rows, 0},
    {"general", rp__options_common, offsetof(reorder_args, common)},
    {0},
};

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    reorder_args *args = call->args;
    rp__progress progress;
    rp__remade made = {.schema = "riposte.reorder/1", .by = args->reorder.by};
    rp_status status = rp__remade_look(&made.from, call->operands[0], err);
    if (status != RP_OK)
        return status;
    rp__progress_init(&progress, console);
    args->reorder.on_progress = rp__progress_tick;
    args->reorder.progress_arg = &progress;
    rp__interrupt_hold();
    status = rp_index_reorder(call->operands[0], args->output, &args->reorder, &made.stats, err);
    rp__interrupt_release();
    rp__progress_end(&progress);
    if (status == RP_OK)
        status = rp__remade_look(&made.to, args->output, err);
    return status == RP_OK ? rp__remade_tell(console, &made, err) : status;
}

const rp__verb rp__cmd_reorder_verb = {
    .name = "reorder",
    .summary = "give the documents of an index another order",
    .operands = {"DIR"},
    .details =
        "Docids are given anew, and everything moves with its document: postings, positions, "
        "lengths, ids and text. Scores stay as they are; documents of equal score come in the new "
        "order. bp is recursive graph bisection: documents that share terms come together, so that "
        "lists take fewer bytes; random, with --seed, is what it can be held against; url sorts by "
        "the bytes of ids; length has the longest document first; map and rank take the order from "
        "a file. The new index is published at the end in one step; after an error or Ctrl-C what "
        "was in its folder is as it was. The output may be DIR itself.",
    .examples = "riposte reorder my.rip -o small.rip\n"
                "riposte reorder my.rip -o small.rip --by bp --threads 8 --codec optpfd\n"
                "riposte reorder my.rip -o my.rip --by rank --scores pagerank.tsv\n",
    .groups = groups,
    .args_bytes = sizeof(reorder_args),
    .run = run,
};
