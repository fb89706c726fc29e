/* gpu_report.c: counters and fallbacks of queries that a GPU was asked for. */
#include "cli/gpu_report.h"

#include <string.h>

#include "cli/figures.h"

void rp__gpu_report_write(rp__json_writer *w, const rp_gpu_counters *gpu, rp_fallback fallback)
{
    rp__json_writer_uint(w, "launches", gpu->launches);
    rp__json_writer_uint(w, "uploaded_bytes", gpu->uploaded_bytes);
    rp__json_writer_uint(w, "transcoded_postings", gpu->transcoded_postings);
    rp__json_writer_uint(w, "host_decoded_lists", gpu->host_decoded_lists);
    rp__json_writer_uint(w, "host_decoded_postings", gpu->host_decoded_postings);
    rp__json_writer_text(w, "fallback", fallback ? rp_fallback_name(fallback) : NULL);
}

static void add_kernel(rp__gpu_report_kernels *to, const rp_kernel_count *kernel)
{
    size_t i = 0;
    while (i < to->n && strcmp(to->at[i].name, kernel->name) != 0)
        i++;
    if (i == RP_GPU_REPORT_KERNELS)
        return;
    if (i == to->n)
        to->at[to->n++] = (rp_kernel_count){.name = kernel->name};
    to->at[i].launches += kernel->launches;
}

void rp__gpu_report_add_kernels(rp__gpu_report_kernels *to, const rp_searcher *searcher)
{
    rp_kernel_count kernels[RP_GPU_REPORT_KERNELS];
    const size_t n = rp_searcher_get_kernels(searcher, kernels, RP_GPU_REPORT_KERNELS);
    for (size_t i = 0; i < n && i < RP_GPU_REPORT_KERNELS; i++)
        add_kernel(to, &kernels[i]);
}

void rp__gpu_report_write_kernels(rp__json_writer *w, const rp__gpu_report_kernels *kernels)
{
    if (kernels->n == 0)
        return;
    rp__json_writer_begin(w, "kernels", '{');
    for (size_t i = 0; i < kernels->n; i++)
        rp__json_writer_uint(w, kernels->at[i].name, kernels->at[i].launches);
    rp__json_writer_end(w, '}');
}

static rp_fallback most_frequent(const rp_batch_report *report)
{
    size_t most = RP_FALLBACK_NONE;
    for (size_t i = 1; i < RP_FALLBACKS; i++)
        if (report->fallbacks[i] > report->fallbacks[most])
            most = i;
    return (rp_fallback)most;
}

void rp__gpu_report_write_batch(rp__json_writer *w, const rp_batch_report *report)
{
    rp__gpu_report_write(w, &report->gpu, most_frequent(report));
    rp__json_writer_begin(w, "fallbacks", '{');
    for (size_t i = 1; i < RP_FALLBACKS; i++)
        if (report->fallbacks[i] > 0)
            rp__json_writer_uint(w, rp_fallback_name((rp_fallback)i), report->fallbacks[i]);
    rp__json_writer_end(w, '}');
}

static void note_decoded(const rp__console *console, const rp_gpu_counters *gpu)
{
    char lists[RP_FIGURE_BYTES], postings[RP_FIGURE_BYTES];
    if (gpu->host_decoded_lists > 0)
        rp__console_note(console, "riposte: the host decoded %s list%s of %s postings for the gpu",
                         rp__figures_count(lists, gpu->host_decoded_lists),
                         gpu->host_decoded_lists == 1 ? "" : "s",
                         rp__figures_count(postings, gpu->host_decoded_postings));
}

void rp__gpu_report_note(const rp__console *console, const rp_searcher *searcher,
                         const rp_hits *hits)
{
    rp_gpu_state gpu;
    rp_searcher_get_gpu_state(searcher, &gpu);
    if (hits->fallback && gpu.faults == 0)
        rp__console_note(console, "riposte: the cpu answered instead of the gpu: %s",
                         rp_fallback_text(hits->fallback));
    note_decoded(console, &hits->gpu);
}

void rp__gpu_report_note_batch(const rp__console *console, const rp_batch_report *report)
{
    char n[RP_FIGURE_BYTES];
    uint64_t all = 0;
    rp__buf line;
    rp__buf_init(&line);
    for (size_t i = 1; i < RP_FALLBACKS; i++) {
        if (report->fallbacks[i] == 0)
            continue;
        rp__buf_printf(&line, "%s%s: %s", all ? "; " : "",
                       rp__figures_count(n, report->fallbacks[i]),
                       rp_fallback_text((rp_fallback)i));
        all += report->fallbacks[i];
    }
    rp__buf_put_byte(&line, 0);
    if (all > 0 && !line.failed)
        rp__console_note(console, "riposte: the cpu answered %s %s instead of the gpu (%s)",
                         rp__figures_count(n, all), all == 1 ? "query" : "queries",
                         (const char *)line.at);
    rp__buf_free(&line);
    note_decoded(console, &report->gpu);
}
