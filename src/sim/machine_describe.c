/* machine_describe.c: what each unit of a machine did last, in words. */
#include <stdarg.h>
#include <stdio.h>

#include "sim/machine.h"

/* What was written so far; what does not fit is left out. */
typedef struct words {
    char *text;
    size_t cap, n;
} words;

static void put(words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(words *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int more = vsnprintf(w->text + w->n, w->cap - w->n, format, args);
    va_end(args);
    if (more > 0)
        w->n = (size_t)more < w->cap - w->n ? w->n + (size_t)more : w->cap - 1;
}

/* "bsu 0-3 wait-memory, 4-7 busy": units of a kind that did the same, side by side, together. */
static void put_kind(words *w, const rp__machine *m, uint32_t kind, bool has_idle)
{
    uint32_t spent[RP_SIM_MAX_UNITS], n = 0;
    bool is_first = true;
    for (uint32_t i = 0; i < m->n_units; i++)
        if (m->unit_counts[i].kind == kind)
            spent[n++] = m->units[i].spent;
    for (uint32_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && spent[end] == spent[i]; end++)
            ;
        if (spent[i] == RP_SIM_IDLE && !has_idle)
            continue;
        if (is_first)
            put(w, "%s%s", w->n ? "; " : "", rp__sim_stats_kind(kind));
        else
            put(w, ",");
        if (n > 1)
            put(w, " %u", i);
        if (end > i + 1)
            put(w, "-%u", end - 1);
        put(w, " %s", rp__sim_stats_class(spent[i]));
        is_first = false;
    }
}

size_t rp__machine_describe(const rp__machine *m, bool has_idle, char *text, size_t cap)
{
    words w = {.text = text, .cap = cap};
    text[0] = 0;
    for (uint32_t kind = 0; kind < RP_SIM_KINDS; kind++)
        put_kind(&w, m, kind, has_idle);
    return w.n;
}
