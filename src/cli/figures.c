/* figures.c: counts with commas, sizes with binary units, times in the unit that fits. */
#include "cli/figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/count_text.h"

char *rp__figures_count(char out[RP_FIGURE_BYTES], uint64_t v)
{
    return rp__count_text(out, v);
}

char *rp__figures_of(char out[RP_FIGURE_BYTES], uint64_t v, const char *noun)
{
    rp__count_text(out, v);
    size_t n = strlen(out);
    snprintf(out + n, RP_FIGURE_BYTES - n, " %s%s", noun, v == 1 ? "" : "s");
    return out;
}

char *rp__figures_size(char out[RP_FIGURE_BYTES], uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) {
        snprintf(out, RP_FIGURE_BYTES, "%" PRIu64 " B", bytes);
        return out;
    }
    double v = (double)bytes / 1024;
    size_t unit = 0;
    for (; v >= 1023.95 && unit + 1 < sizeof units / sizeof *units; unit++)
        v /= 1024;
    snprintf(out, RP_FIGURE_BYTES, "%.1f %s", v, units[unit]);
    return out;
}

char *rp__figures_time(char out[RP_FIGURE_BYTES], double seconds)
{
    if (seconds < 1)
        snprintf(out, RP_FIGURE_BYTES, "%.2f ms", seconds * 1e3);
    else if (seconds < 60)
        snprintf(out, RP_FIGURE_BYTES, "%.1f s", seconds);
    else if (seconds < 360000)
        snprintf(out, RP_FIGURE_BYTES, "%d:%02d min", (int)seconds / 60, (int)seconds % 60);
    else
        snprintf(out, RP_FIGURE_BYTES, "%.0f h", seconds / 3600);
    return out;
}
