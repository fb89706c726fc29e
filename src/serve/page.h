/* serve/page.h: the page for people: a form, the hits of a query and a document as HTML, and the
 * files of web/, whose modules add the rest. It needs no JavaScript. */
#ifndef RP_SERVE_PAGE_H
#define RP_SERVE_PAGE_H

#include "serve/http.h"

bool rp__page_show(rp__request *request);
bool rp__page_file(rp__request *request); /* a file of web/, by the route's name */

extern const rp__param rp__page_params[];

/* Writes text that came from elsewhere, with what HTML would take for markup escaped. */
void rp__page_escape(rp__buf *out, const char *text, size_t bytes);

#endif
