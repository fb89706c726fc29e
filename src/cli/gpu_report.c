/* gpu_report.c: counters and fallbacks of queries that a GPU was asked for. */
#include "cli/gpu_report.h"

#include "cli/figures.h"

enum { KERNELS = 64 }; /* of a query, that are shown */

void rp__gpu_report_write(rp__json_writer *w, const rp_gpu_counters *gpu, rp_fallback fallback)
{
    rp__json_writer_uint(w, "launches", gpu->launches);
    rp__json_writer_uint(w, "uploaded_bytes", gpu->uploaded_bytes);
    rp__json_writer_uint(w, "transcoded_postings", gpu->transcoded_postings);
    rp__json_writer_uint(w, "host_decoded_lists", gpu->host_decoded_lists);
    rp__json_writer_uint(w, "host_decoded_postings", gpu->host_decoded_postings);
    rp__json_writer_text(w, "fallback", fallback ? rp_fallback_name(fallback) : NULL);
}

void rp__gpu_report_write_kernels(rp__json_writer *w, const rp_searcher *searcher)
{
    rp_kernel_count kernels[KERNELS];
    const size_t n = rp_searcher_get_kernels(searcher, kernels, KERNELS);
    if (n == 0)
        return;
    rp__json_writer_begin(w, "kernels", '{');
    for (size_t i = 0; i < n && i < KERNELS; i++)
        rp__json_writer_uint(w, kernels[i].name, kernels[i].launches);
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
