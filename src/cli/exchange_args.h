/* cli/exchange_args.h: what import and export share: the name of a format. */
#ifndef RP_CLI_EXCHANGE_ARGS_H
#define RP_CLI_EXCHANGE_ARGS_H

#include "cli/console.h"

/* RP_USAGE with the nearest name, if it is none. */
rp_status rp__exchange_args_check(rp__console *console, const char *format, rp_error *err);

#endif
