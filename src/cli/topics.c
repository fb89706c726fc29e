/* topics.c: a topics file line by line, with file and line in every complaint. Plain text alone:
 * a compressed file is recognised and refused with the pipe that reads it. */
#include "cli/topics.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"

enum { LINE_MOST = 16 << 20 };

rp_status rp__topics_open(rp__topics *topics, const char *path, rp_error *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    *topics = (rp__topics){.path = is_stdin ? "standard input" : path};
    rp__buf_init(&topics->text);
    topics->in = is_stdin ? stdin : fopen(path, "re");
    if (!topics->in)
        return rp__error_set(err, RP_IO, "%s: %s; give a file of lines qid<TAB>query", path,
                             strerror(errno));
    return RP_OK;
}

void rp__topics_close(rp__topics *topics)
{
    if (topics->in && topics->in != stdin)
        fclose(topics->in);
    topics->in = NULL;
    rp__buf_free(&topics->text);
}

/* One line without its end. *has is false if there is none. */
static rp_status read_line(rp__topics *topics, bool *has, rp_error *err)
{
    rp__buf *text = &topics->text;
    int c;
    text->n = 0;
    while ((c = getc_unlocked(topics->in)) != EOF && c != '\n') {
        if (text->n >= LINE_MOST)
            return rp__error_set(err, RP_LIMIT,
                                 "%s:%" PRIu64 ": a line is over 16 MiB; "
                                 "topics are lines qid<TAB>query",
                                 topics->path, topics->line + 1);
        rp__buf_put_byte(text, (uint8_t)c);
    }
    if (c == EOF && ferror(topics->in))
        return rp__error_set(err, RP_IO, "%s: %s", topics->path, strerror(errno));
    *has = c != EOF || text->n > 0;
    topics->line += *has;
    if (text->n > 0 && text->at[text->n - 1] == '\r')
        text->n--;
    rp__buf_put_byte(text, 0);
    return text->failed ? rp__error_no_memory(err) : RP_OK;
}

static bool is_blank(const char *text, size_t bytes)
{
    return strspn(text, " \t") == bytes;
}

static rp_status refuse(const rp__topics *topics, const char *what, rp_error *err)
{
    return rp__error_set(err, RP_INPUT, "%s:%" PRIu64 ": %s", topics->path, topics->line, what);
}

/* Cuts the line at its first tab. */
static rp_status cut(const rp__topics *topics, rp__topic *out, rp_error *err)
{
    char *text = (char *)topics->text.at;
    size_t bytes = topics->text.n - 1;
    if (topics->line == 1 && (memcmp(text, "\x1F\x8B", 2) == 0 ||
                              (bytes >= 4 && memcmp(text, "\x28\xB5\x2F\xFD", 4) == 0)))
        return rp__error_set(err, RP_INPUT,
                             "%s: is compressed; pipe it: zcat (or zstdcat) %s | "
                             "riposte batch DIR -",
                             topics->path, topics->path);
    if (memchr(text, 0, bytes))
        return refuse(topics, "a NUL byte; topics are lines of text", err);
    char *tab = memchr(text, '\t', bytes);
    if (!tab)
        return refuse(topics, "no tab; a topic is a line qid<TAB>query", err);
    *tab = 0;
    if (tab == text || strpbrk(text, " \v\f\r"))
        return refuse(topics, "the qid is empty or has a blank in it", err);
    *out = (rp__topic){text, tab + 1, bytes - (size_t)(tab + 1 - text)};
    return RP_OK;
}

rp_status rp__topics_next(rp__topics *topics, rp__topic *out, bool *has, rp_error *err)
{
    do {
        rp_status status = read_line(topics, has, err);
        if (status != RP_OK || !*has)
            return status;
    } while (is_blank((char *)topics->text.at, topics->text.n - 1));
    return cut(topics, out, err);
}
