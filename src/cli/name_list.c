/* name_list.c: walks and checks lists of names. */
#include "cli/name_list.h"

#include <string.h>

#include "cli/options.h"

bool rp__name_list_next(const char **names, char out[RP_NAME_BYTES])
{
    const char *at = *names;
    if (*at == 0)
        return false;
    at += strspn(at, " ");
    size_t n = strcspn(at, ","), end = n;
    while (end > 0 && at[end - 1] == ' ')
        end--;
    snprintf(out, RP_NAME_BYTES, "%.*s", (int)end, at);
    *names = at + n + (at[n] == ',');
    return true;
}

static rp_status refuse(rp__console *console, const char *option, const char *name,
                        const char *(*name_at)(size_t), rp_error *err)
{
    rp__nearest near = {0};
    char remedy[160];
    const char *known;
    int n = snprintf(remedy, sizeof remedy, "--%s ", option);
    for (size_t i = 0; (known = name_at(i)); i++) {
        rp__options_nearest(&near, name, known);
        if (n < (int)sizeof remedy)
            n += snprintf(remedy + n, sizeof remedy - (size_t)n, "%s%s", i ? "," : "", known);
    }
    if (near.name)
        snprintf(remedy, sizeof remedy, "--%s %s", option, near.name);
    return rp__console_usage(console, err, remedy, "--%s \"%s\" is not known", option, name);
}

static bool is_known(const char *name, const char *(*name_at)(size_t))
{
    const char *known;
    for (size_t i = 0; (known = name_at(i)); i++)
        if (strcmp(known, name) == 0)
            return true;
    return false;
}

/* Whether a name is in a list before one of its places. */
static bool is_before(const char *names, const char *end, const char *name)
{
    char one[RP_NAME_BYTES];
    while (rp__name_list_next(&names, one) && names < end)
        if (strcmp(one, name) == 0)
            return true;
    return false;
}

rp_status rp__name_list_check(rp__console *console, const char *option, const char *names,
                              const char *(*name_at)(size_t i), rp_error *err)
{
    char name[RP_NAME_BYTES];
    const char *all = names;
    if (*names == 0)
        return refuse(console, option, names, name_at, err);
    while (rp__name_list_next(&names, name)) {
        if (!is_known(name, name_at))
            return refuse(console, option, name, name_at, err);
        if (is_before(all, names, name))
            return rp__console_usage(console, err, NULL, "--%s: %s is given twice", option, name);
    }
    return RP_OK;
}
