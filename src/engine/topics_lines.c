/* topics_lines.c: topics of a line each: an id, a mark, the query. */
#include <string.h>

#include "engine/topics.h"

static rp_status next_line(rp_topics *topics, char mark, const char *no_mark, rp_topic *out,
                           bool *has, rp_error *err)
{
    uint64_t line;
    char *qid = rp__topics_line(topics, &line);
    *has = qid != NULL;
    if (!qid)
        return RP_OK;
    char *at = strchr(qid, mark);
    if (!at)
        return rp__topics_fault(topics, line, no_mark, err);
    *at = 0;
    if (!rp__topics_is_id(qid))
        return rp__topics_fault(
            topics, line, "the qid is empty or has a blank or a control character in it", err);
    *out = (rp_topic){qid, at + 1, strlen(at + 1), line};
    return RP_OK;
}

static rp_status next_tsv(rp_topics *topics, rp_topic *out, bool *has, rp_error *err)
{
    return next_line(topics, '\t', "no tab; a topic is a line qid<TAB>query", out, has, err);
}

static rp_status next_pisa(rp_topics *topics, rp_topic *out, bool *has, rp_error *err)
{
    return next_line(topics, ':', "no colon; a topic is a line qid:query", out, has, err);
}

static bool sniff_tsv(const char *head)
{
    return head[strcspn(head, "\t\n")] == '\t';
}

static bool sniff_pisa(const char *head)
{
    size_t n = strcspn(head, ": \t\r\n");
    return n > 0 && head[n] == ':';
}

const rp__topics_format rp__topics_lines_tsv = {"tsv", sniff_tsv, next_tsv};
const rp__topics_format rp__topics_lines_pisa = {"pisa", sniff_pisa, next_pisa};
