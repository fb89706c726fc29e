/* engine/html_text.h: interior of engine: the text of a page. */
#ifndef RP_ENGINE_HTML_TEXT_H
#define RP_ENGINE_HTML_TEXT_H

#include <stddef.h>

#include "base/buf.h"

/* Adds the text of the page to `text`; its first title goes to `title`, if that is empty. */
void rp__html_text_put(const char *at, size_t n, rp__buf *title, rp__buf *text);

#endif
