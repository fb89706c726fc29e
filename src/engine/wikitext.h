/* engine/wikitext.h: interior of engine: the text of a wiki page. */
#ifndef RP_ENGINE_WIKITEXT_H
#define RP_ENGINE_WIKITEXT_H

#include <stddef.h>

#include "base/buf.h"

/* Adds the text that MediaWiki's markup stands for, without templates, footnotes and comments. */
void rp__wikitext_put(const char *at, size_t n, rp__buf *out);

#endif
