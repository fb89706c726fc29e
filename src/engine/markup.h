/* engine/markup.h: interior of engine: tags and entities, as TREC, HTML and MediaWiki have them. */
#ifndef RP_ENGINE_MARKUP_H
#define RP_ENGINE_MARKUP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

bool rp__markup_is_space(char c);
/* Whether p begins with `lower`, in any case of ASCII; n bytes of both are there. */
bool rp__markup_is_name(const char *p, const char *lower, size_t n);
/* Past the '>' of the tag, comment or declaration that begins at p, a '<'; NULL: it is none. A tag
 * has at most 1 KiB. */
const char *rp__markup_tag_end(const char *p, const char *end);
/* The name of the tag at p, "/p" of </p>, and its length. */
const char *rp__markup_tag_name(const char *p, const char *end, size_t *n);
/* The character that the entity at *at, an '&', stands for; moves *at past it. False: it is none,
 * nothing is done. XML's five and numbers; `is_html`: those of HTML 4 as well. */
bool rp__markup_put_entity(const char **at, const char *end, bool is_html, rp__buf *out);

#endif
