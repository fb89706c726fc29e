/* serve/page.h: the page for people: a form, and the hits of a query as HTML. It needs no
 * JavaScript. */
#ifndef RP_SERVE_PAGE_H
#define RP_SERVE_PAGE_H

#include "serve/http.h"

bool rp__page_show(rp__request *request);
bool rp__page_style(rp__request *request); /* its style sheet, a file of web/ */

extern const rp__param rp__page_params[];

/* Writes text that came from elsewhere, with what HTML would take for markup escaped. */
void rp__page_escape(rp__buf *out, const char *text, size_t bytes);

#endif
