/* exchange_args.c: refuses what is no format of an index, with the nearest that is. */
#include "cli/exchange_args.h"

#include <string.h>

#include "cli/options.h"
#include "riposte/index.h"

rp_status rp__exchange_args_check(rp__console *console, const char *format, rp_error *err)
{
    rp__nearest near = {0};
    const char *name;
    char remedy[64], all[64] = "";
    for (size_t i = 0; (name = rp_exchange_name(i)); i++) {
        if (strcmp(format, name) == 0)
            return RP_OK;
        rp__options_nearest(&near, format, name);
        size_t n = strlen(all);
        snprintf(all + n, sizeof all - n, "%s%s", n ? ", " : "", name);
    }
    snprintf(remedy, sizeof remedy, "riposte %s %s", console->verb,
             near.name ? near.name : rp_exchange_name(0));
    return rp__console_usage(console, err, remedy, "unknown format \"%s\"; there are: %s", format,
                             all);
}
