/* cli/form_report.h: what a processor would do for a query, for a person or as JSON. */
#ifndef RP_CLI_FORM_REPORT_H
#define RP_CLI_FORM_REPORT_H

#include "base/json.h"
#include "cli/console.h"
#include "riposte/search.h"

/* An object, "form", into the one that is open. */
void rp__form_report_write(rp__json_writer *w, const rp_form *form);
/* A note on standard error. */
void rp__form_report_note(const rp__console *console, const rp_form *form);

#endif
