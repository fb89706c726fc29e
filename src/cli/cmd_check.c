/* cmd_check.c: riposte check: reads all of an index, or of an image, and names every fault. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "cli/figures.h"
#include "cli/verbs.h"
#include "lab/lab_sim.h"
#include "riposte/index.h"

typedef struct check_args {
    rp__common_args common;
} check_args;

static const rp__option_group groups[] = {
    {"general", rp__options_common, offsetof(check_args, common)},
    {0},
};

enum { LISTED_MAX = 10000 }; /* faults in the JSON object */

typedef struct report {
    const rp__console *console;
    rp__json_writer w;
    uint64_t faults;
    char first[sizeof((rp_error *)0)->text]; /* what the first fault is */
} report;

static void tell_fault(void *arg, const char *where, const char *what)
{
    report *r = arg;
    if (r->faults++ == 0)
        snprintf(r->first, sizeof r->first, "%s: %s", where, what);
    if (r->console->wants_json && r->faults > LISTED_MAX)
        return;
    if (r->console->wants_json) {
        rp__json_writer_begin(&r->w, NULL, '{');
        rp__json_writer_text(&r->w, "where", where);
        rp__json_writer_text(&r->w, "what", what);
        rp__json_writer_end(&r->w, '}');
        return;
    }
    fputs("fault: ", stdout);
    rp__console_put(stdout, where, strlen(where));
    fputs(": ", stdout);
    rp__console_put(stdout, what, strlen(what));
    putchar('\n');
}

static rp_status get_info(const char *dir, rp_index_info *out, rp_error *err)
{
    rp_index *index = NULL;
    rp_status status = rp_index_open(dir, NULL, &index, err);
    if (status != RP_OK)
        return status;
    rp_index_get_info(index, out);
    /* borrowed, and the index is closed here */
    out->codec = out->stem = out->stop = out->token_rule = NULL;
    rp_index_close(index);
    return RP_OK;
}

/* An image is a file, an index a folder. */
static bool is_image(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static rp_status check_path(const char *path, report *r, rp_index_info *out, rp_error *err)
{
    rp__lab_sim_image_info image;
    if (!is_image(path)) {
        rp_status status = rp_index_check(path, tell_fault, r, err);
        return status == RP_OK ? get_info(path, out, err) : status;
    }
    rp_status status = rp__lab_sim_check(path, tell_fault, r, &image, err);
    if (status == RP_OK)
        *out =
            (rp_index_info){.docs = image.docs, .terms = image.lists, .postings = image.postings};
    return status;
}

static void print_result(const report *r, const rp_index_info *info, rp_status verdict)
{
    char a[RP_FIGURE_BYTES], b[RP_FIGURE_BYTES], c[RP_FIGURE_BYTES];
    if (verdict == RP_OK)
        printf("sound: %s, %s, %s\n", rp__figures_of(a, info->docs, "document"),
               rp__figures_of(b, info->terms, "term"),
               rp__figures_of(c, info->postings, "posting"));
    else
        printf("damaged: %s\n", rp__figures_of(a, r->faults, "fault"));
}

static void write_result(report *r, const rp_index_info *info, rp_status verdict)
{
    rp__json_writer_end(&r->w, ']');
    rp__json_writer_uint(&r->w, "n_faults", r->faults);
    rp__json_writer_bool(&r->w, "is_sound", verdict == RP_OK);
    rp__json_writer_text(&r->w, "status", rp_status_name(verdict));
    rp__json_writer_uint(&r->w, "exit", (uint64_t)rp_status_exit(verdict));
    if (verdict == RP_OK) {
        rp__json_writer_uint(&r->w, "docs", info->docs);
        rp__json_writer_uint(&r->w, "terms", info->terms);
        rp__json_writer_uint(&r->w, "postings", info->postings);
    }
    rp__json_writer_end(&r->w, '}');
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    report r = {.console = console};
    rp_index_info info = {0};
    rp__buf json;
    rp__buf_init(&json);
    rp__json_writer_init(&r.w, &json);
    rp__json_writer_begin(&r.w, NULL, '{');
    rp__json_writer_text(&r.w, "schema", "riposte.check/1");
    rp__json_writer_text(&r.w, "index", call->operands[0]);
    rp__json_writer_begin(&r.w, "faults", '[');
    rp_status verdict = check_path(call->operands[0], &r, &info, err), status = verdict;
    bool has_verdict = verdict == RP_OK || (verdict == RP_DAMAGED && r.faults > 0);
    if (has_verdict && console->wants_json) {
        write_result(&r, &info, verdict);
        rp_status written = rp__console_reply(console, &json, err);
        status = verdict == RP_OK ? written : verdict;
    } else if (has_verdict) {
        print_result(&r, &info, verdict);
        if (strcmp(r.first, err->text) == 0) /* the report has it */
            snprintf(err->text, sizeof err->text, "%s: not sound", call->operands[0]);
    }
    rp__buf_free(&json);
    return status;
}

const rp__verb rp__cmd_check_verb = {
    .name = "check",
    .summary = "read all of an index or an image and look for damage",
    .operands = {"PATH"},
    .details =
        "PATH is an index, or a memory image of IIU (riposte export iiu), which is read whole. "
        "Checks every checksum, then every list, position and document. Exit code 0 if it "
        "is sound, 5 if it is damaged; each fault is a line; the JSON object lists the first "
        "10,000. An index takes at most 128 MiB of memory and 16 bytes a document; one that "
        "needs more ends with exit code 7.",
    .examples = "riposte check my.rip\n"
                "riposte check my.iiu --json\n",
    .groups = groups,
    .args_bytes = sizeof(check_args),
    .run = run,
};
