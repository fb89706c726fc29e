/* cmd_recode.c: riposte recode: the same index in another codec. */
#include "cli/index_rows.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/remade.h"
#include "cli/verbs.h"
#include "riposte/index.h"

typedef struct recode_args {
    rp__common_args common;
    const char *output;
    rp_recode_options recode;
} recode_args;

static const rp__option recode_rows[] = {
    RP_ROW_OUTPUT(offsetof(recode_args, output),
                  "folder of the new index; one that is there is replaced, be it the same"),
    RP_ROW_CODEC(offsetof(recode_args, recode.codec), NULL,
                 "how lists are coded, otherwise as they are"),
    RP_ROW_FREQS(offsetof(recode_args, recode.freqs)),
    RP_ROW_AUX(
        offsetof(recode_args, recode.aux),
        "data that narrow searches in long lists, as for index, or none; otherwise as they are"),
    RP_ROW_MEMORY(offsetof(recode_args, recode.memory),
                  "memory beside the mapped pages of DIR, a hard total; the longest list must fit"),
    RP_ROW_THREADS(offsetof(recode_args, recode.threads)),
    {0},
};

static const rp__option_group groups[] = {
    {"recode", recode_rows, 0},
    {"general", rp__options_common, offsetof(recode_args, common)},
    {0},
};

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    recode_args *args = call->args;
    rp__progress progress;
    rp__remade made = {.schema = "riposte.recode/1"};
    rp_status status = rp__remade_look(&made.from, call->operands[0], err);
    if (status != RP_OK)
        return status;
    rp__progress_init(&progress, console);
    args->recode.on_progress = rp__progress_tick;
    args->recode.progress_arg = &progress;
    rp__interrupt_hold();
    status = rp_index_recode(call->operands[0], args->output, &args->recode, &made.stats, err);
    rp__interrupt_release();
    rp__progress_end(&progress);
    if (status == RP_OK)
        status = rp__remade_look(&made.to, args->output, err);
    return status == RP_OK ? rp__remade_tell(console, &made, err) : status;
}

const rp__verb rp__cmd_recode_verb = {
    .name = "recode",
    .summary = "put an index into another codec",
    .operands = {"DIR"},
    .details =
        "Decodes every list and codes it anew; terms, positions, documents and text stay as they "
        "are, and so do all answers. The files are those that 'riposte index' would have made in "
        "that codec. The new index is published at the end in one step; after an error or Ctrl-C "
        "what was in its folder is as it was. The output may be DIR itself.",
    .examples = "riposte recode my.rip -o small.rip --codec optpfd\n"
                "riposte recode my.rip -o my.rip --codec pfd_rec:exceptions=0.1,level=2\n"
                "riposte recode my.rip -o my.rip --freqs rice\n",
    .groups = groups,
    .args_bytes = sizeof(recode_args),
    .run = run,
};
