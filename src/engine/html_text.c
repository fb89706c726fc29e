/* html_text.c: HTML to the text that a reader sees. Scripts, styles and comments are dropped; tags that
 * stand inside of words vanish, all others part lines; entities are decoded. Any bytes are a page: what
 * is no tag is text. One pass, no stack. */
#include "engine/html_text.h"

#include <stdbool.h>
#include <string.h>

#include "engine/markup.h"

enum { QUOTED_BYTES = 512 }; /* of a tag in which a '>' in quotes is looked for */

/* Tags that do not end a word. */
static const char *const inline_tags[] = {
    "a",    "abbr",   "b",      "bdi", "bdo", "big",  "cite", "code", "del",  "dfn",
    "em",   "font",   "i",      "ins", "kbd", "mark", "q",    "s",    "samp", "small",
    "span", "strike", "strong", "sub", "sup", "time", "tt",   "u",    "var",  "wbr",
};

typedef struct page {
    const char *at, *end;
    const char *last_bracket; /* the last '>' of all; NULL: none */
    bool has_no_comment_end;  /* from here on */
    rp__buf *to, *title, *text;
} page;

static bool is_tag(const char *name, size_t n, const char *tag)
{
    return strlen(tag) == n && rp__markup_is_name(name, tag, n);
}

static bool is_inline(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof inline_tags / sizeof *inline_tags; i++)
        if (is_tag(name, n, inline_tags[i]))
            return true;
    return false;
}

/* Past the '>' of the tag at p->at, which may have one in quotes; NULL: it is no tag. */
static const char *find_end(const page *p)
{
    char quote = 0, c = p->end - p->at > 1 ? p->at[1] : 0;
    bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!is_letter && c != '/' && c != '!' && c != '?')
        return NULL;
    if (!p->last_bracket || p->last_bracket < p->at)
        return NULL;
    for (const char *q = p->at + 1; q < p->end && q - p->at < QUOTED_BYTES; q++) {
        if (!quote && *q == '>')
            return q + 1;
        if (quote)
            quote = *q == quote ? 0 : quote;
        else if (*q == '"' || *q == '\'')
            quote = *q;
    }
    return (const char *)memchr(p->at, '>', (size_t)(p->end - p->at)) + 1;
}

/* Past the comment at p->at; NULL: it does not end. */
static const char *find_comment_end(page *p)
{
    const char *close =
        p->has_no_comment_end ? NULL : memmem(p->at + 4, (size_t)(p->end - p->at - 4), "-->", 3);
    p->has_no_comment_end = !close;
    return close ? close + 3 : NULL;
}

/* The closing tag of a script or style; the end of the page, where there is none. */
static const char *find_close(const page *p, const char *from, const char *name, size_t n)
{
    for (const char *q = from; (q = memchr(q, '<', (size_t)(p->end - q))); q++)
        if ((size_t)(p->end - q) > n + 1 && q[1] == '/' && rp__markup_is_name(q + 2, name, n))
            return q;
    return p->end;
}

static void part(page *p)
{
    rp__buf *to = p->to;
    if (to->n > 0 && !rp__markup_is_space((char)to->at[to->n - 1]))
        rp__buf_put_byte(to, '\n');
}

/* The tag at p->at, which ends at `after`. */
static void take_tag(page *p, const char *after)
{
    size_t n;
    const char *name = rp__markup_tag_name(p->at, after, &n);
    p->at = after;
    if (is_tag(name, n, "script")) {
        p->at = find_close(p, after, "script", n);
    } else if (is_tag(name, n, "style")) {
        p->at = find_close(p, after, "style", n);
    } else if (is_tag(name, n, "title") && p->title->n == 0) {
        p->to = p->title;
    } else if (is_tag(name, n, "/title") || is_tag(name, n, "body") || is_tag(name, n, "/head")) {
        p->to = p->text;
        part(p);
    } else if (!is_inline(name + (n > 0 && *name == '/'), n - (n > 0 && *name == '/'))) {
        part(p);
    }
}

/* p->at is at a '<'. */
static void take_bracket(page *p)
{
    bool is_comment = p->end - p->at >= 4 && memcmp(p->at, "<!--", 4) == 0;
    const char *after = is_comment ? find_comment_end(p) : find_end(p);
    if (!after)
        rp__buf_put_byte(p->to, (uint8_t)*p->at++);
    else if (is_comment)
        p->at = after;
    else
        take_tag(p, after);
}

void rp__html_text_put(const char *at, size_t n, rp__buf *title, rp__buf *text)
{
    page p = {.at = at, .end = at + n, .to = text, .title = title, .text = text};
    p.last_bracket = n > 0 ? memrchr(at, '>', n) : NULL;
    while (p.at < p.end) {
        const char *run = p.at;
        while (p.at < p.end && *p.at != '<' && *p.at != '&')
            p.at++;
        rp__buf_put(p.to, run, (size_t)(p.at - run));
        if (p.at == p.end)
            break;
        if (*p.at == '<')
            take_bracket(&p);
        else if (!rp__markup_put_entity(&p.at, p.end, true, p.to))
            rp__buf_put_byte(p.to, (uint8_t)*p.at++);
    }
}
