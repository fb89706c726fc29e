/* topics_trec.c: TREC's topics in both of their styles: tags that need no closing and hold "Number:"
 * (<top> <num> <title>), and XML (<topic number="1"> <query>). A topic's query is its title. */
#include <string.h>
#include <strings.h>

#include "engine/topics.h"

static const char blanks[] = " \t\r\n\v\f";

/* True if a tag of this name begins at p, which is a '<'. */
static bool is_tag(const char *p, const char *name)
{
    size_t n = strlen(name);
    return strncasecmp(p + 1, name, n) == 0 && (p[n + 1] == '>' || strchr(blanks, p[n + 1]));
}

/* The first tag of this name in [from, end). */
static char *find_tag(char *from, const char *end, const char *name)
{
    for (char *p = from; (p = memchr(p, '<', (size_t)(end - p))) != NULL; p++)
        if (is_tag(p, name))
            return p;
    return NULL;
}

/* The first tag that begins a topic in [from, end). */
static char *find_topic(char *from, const char *end)
{
    for (char *p = from; (p = memchr(p, '<', (size_t)(end - p))) != NULL; p++)
        if (is_tag(p, "top") || is_tag(p, "topic"))
            return p;
    return NULL;
}

/* Where a text that begins at p ends: at the next tag, which a '<' before a letter or a '/' is. */
static char *end_of_text(char *p)
{
    for (p += strcspn(p, "<"); *p; p += 1 + strcspn(p + 1, "<")) {
        char c = p[1] | 0x20;
        if (p[1] == '/' || (c >= 'a' && c <= 'z'))
            break;
    }
    return p;
}

static const struct {
    const char *name;
    char is;
} entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};

/* Writes what [from, end) says, blanks and entities made plain, from the byte before on, which is of a
 * tag: so the NUL behind it falls on nothing that follows. */
static char *make_plain(char *from, const char *end)
{
    char *begin = from - 1, *to = begin;
    for (const char *p = from; p < end; p++) {
        char c = strchr(blanks, *p) ? ' ' : *p;
        for (size_t i = 0; c == '&' && i < sizeof entities / sizeof entities[0]; i++) {
            size_t n = strlen(entities[i].name);
            if (n <= (size_t)(end - p) && memcmp(p, entities[i].name, n) == 0) {
                c = entities[i].is;
                p += n - 1;
                break;
            }
        }
        if (c != ' ' || (to > begin && to[-1] != ' '))
            *to++ = c;
    }
    while (to > begin && to[-1] == ' ')
        to--;
    *to = 0;
    return begin;
}

/* What stands behind a tag that ends before `next`, without a leading word such as "Number:"; NULL:
 * the tag does not end. */
static char *text_of(char *tag, const char *next, const char *word)
{
    char *from = memchr(tag, '>', (size_t)(next - tag));
    if (!from)
        return NULL;
    char *end = end_of_text(++from);
    from += strspn(from, blanks);
    if (strncasecmp(from, word, strlen(word)) == 0)
        from += strlen(word);
    return make_plain(from, end);
}

/* The value of an attribute of the tag, cut out; NULL: it has none, or does not end before `next`. */
static char *attribute_of(char *tag, const char *next, const char *name)
{
    const char *end = memchr(tag, '>', (size_t)(next - tag));
    const size_t n = strlen(name);
    for (char *p = tag; end && p < end; p++) {
        if (!strchr(blanks, p[0]) || strncasecmp(p + 1, name, n) != 0 || p[n + 1] != '=' ||
            (p[n + 2] != '"' && p[n + 2] != '\''))
            continue;
        char *from = p + n + 3,
             *to = from < end ? memchr(from, p[n + 2], (size_t)(end - from)) : NULL;
        return to ? make_plain(from, to) : NULL;
    }
    return NULL;
}

static uint64_t count_lines(const char *from, const char *to)
{
    uint64_t n = 0;
    for (; from < to; from++)
        n += *from == '\n';
    return n;
}

/* A topic lies between its own tag and the next topic's. */
static rp_status next_trec(rp_topics *topics, rp_topic *out, bool *has, rp_error *err)
{
    char *tag = find_topic(topics->at, topics->end);
    *has = tag != NULL;
    if (!tag) {
        topics->at = topics->end;
        return RP_OK;
    }
    uint64_t line = topics->line + count_lines(topics->at, tag);
    bool is_xml = is_tag(tag, "topic");
    char *next = find_topic(tag + 1, topics->end);
    next = next ? next : topics->end;
    char *num = find_tag(tag, next, "num");
    char *title = find_tag(tag, next, is_xml ? "query" : "title");
    if (is_xml && !title)
        title = find_tag(tag, next, "title");
    topics->line = line + count_lines(tag, next);
    topics->at = next;
    if (!title)
        return rp__topics_fault(topics, line, "a topic without <title> or <query>", err);
    char *query = text_of(title, next, "Topic:");
    if (!query)
        return rp__topics_fault(topics, line, "a topic whose <title> or <query> does not end", err);
    char *qid = num ? text_of(num, next, "Number:") : attribute_of(tag, next, "number");
    if (!qid)
        qid = attribute_of(tag, next, "id");
    if (!qid || !rp__topics_is_id(qid))
        return rp__topics_fault(topics, line, "a topic without a number that is one word", err);
    *out = (rp_topic){qid, query, strlen(query), line};
    return RP_OK;
}

static bool sniff_trec(const char *head)
{
    return *head == '<';
}

const rp__topics_format rp__topics_trec = {"trec", sniff_trec, next_trec};
