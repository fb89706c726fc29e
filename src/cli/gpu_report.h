/* cli/gpu_report.h: what a GPU did for queries, and why the cpu answered some of them, for a person
 * or as JSON. */
#ifndef RP_CLI_GPU_REPORT_H
#define RP_CLI_GPU_REPORT_H

#include "base/json.h"
#include "cli/console.h"
#include "riposte/search.h"

/* Counters and the name of the fallback, null where there was none, into the object that is
 * open. */
void rp__gpu_report_write(rp__json_writer *w, const rp_gpu_counters *gpu, rp_fallback fallback);
/* Launches of kernels; of algorithms that were not named, none. */
enum { RP_GPU_REPORT_KERNELS = 64 };
typedef struct rp__gpu_report_kernels {
    rp_kernel_count at[RP_GPU_REPORT_KERNELS];
    size_t n;
} rp__gpu_report_kernels;

/* Adds those of the searcher's last query or batch. */
void rp__gpu_report_add_kernels(rp__gpu_report_kernels *to, const rp_searcher *searcher);
/* Into the object that is open; nothing where there is none. */
void rp__gpu_report_write_kernels(rp__json_writer *w, const rp__gpu_report_kernels *kernels);
/* The counters of a batch, its most frequent fallback, and how many queries each one had. */
void rp__gpu_report_write_batch(rp__json_writer *w, const rp_batch_report *report);

/* Notes on standard error: why the cpu answered, unless the GPU was lost, which
 * rp__query_args_note_gpu says; and that the host decoded lists. */
void rp__gpu_report_note(const rp__console *console, const rp_searcher *searcher,
                         const rp_hits *hits);
void rp__gpu_report_note_batch(const rp__console *console, const rp_batch_report *report);

#endif
