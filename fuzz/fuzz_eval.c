/* fuzz_eval.c: any bytes as judgments and a run; the first zero byte parts them.
 *
 * Checked: shares lie between 0 and 1, what is found is not more than there is, and a fault has a text. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "riposte/eval.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_eval.c: %s\n", what);
    abort();
}

static int make_file(char path[32], const uint8_t *data, size_t size)
{
    int fd = memfd_create("rows", 0);
    must(fd >= 0 && write(fd, data, size) == (ssize_t)size, "no memory for a file");
    snprintf(path, 32, "/proc/self/fd/%d", fd);
    return fd;
}

static void check_values(const rp_eval *e)
{
    for (size_t m = 0; m < rp_eval_n_measures(e); m++)
        for (size_t t = 0; t < rp_eval_n_topics(e); t++) {
            double v = rp_eval_value(e, t, m), total = rp_eval_total(e, m);
            must(isfinite(v) && v >= 0 && isfinite(total), "a value that cannot be");
            must(rp_eval_is_count(e, m) || v <= 1 + 1e-9, "a share of more than all");
        }
    for (size_t t = 0; t < rp_eval_n_topics(e); t++)
        must(rp_eval_value(e, t, 2) <= rp_eval_value(e, t, 0) &&
                 rp_eval_value(e, t, 2) <= rp_eval_value(e, t, 1),
             "more is found than there is");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char measures[] = "num_ret,num_rel,num_rel_ret,map,gm_map,Rprec,bpref,recip_rank,"
                                   "P,recall,ndcg,ndcg_cut,iprec_at_recall,11pt_avg,set_F,rbp";
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    size_t first = zero ? (size_t)(zero - data) : size;
    char qrels[32], run[32];
    int a = make_file(qrels, data, first);
    int b = make_file(run, data + first + (zero != NULL), size - first - (zero != NULL));
    for (int complete = 0; complete < 2; complete++) {
        rp_eval_options options = {.measures = measures, .complete = complete};
        rp_eval *e = NULL;
        rp_error err = {0};
        rp_status s = rp_eval_files(qrels, run, &options, &e, &err);
        must(s == RP_OK || (err.text[0] && !e), "files are refused without a word");
        if (s == RP_OK)
            check_values(e);
        rp_eval_free(e);
    }
    close(a);
    close(b);
    return 0;
}
