/* topics.c: opens a topics file and tells its format by its first topic. */
#include "engine/topics.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "store/store.h"

enum { MAX_BYTES = 256 << 20 };

/* Those that are told for sure come first. */
static const rp__topics_format *const formats[] = {
    &rp__topics_trec,
    &rp__topics_jsonl,
    &rp__topics_lines_tsv,
    &rp__topics_lines_pisa,
};
enum { N_FORMATS = sizeof formats / sizeof formats[0] };

const char *rp_topics_format_name(size_t i)
{
    return i < N_FORMATS ? formats[i]->name : NULL;
}

const char *rp_topics_name(const rp_topics *topics)
{
    return topics ? topics->path : NULL;
}

rp_status rp__topics_fault(const rp_topics *topics, uint64_t line, const char *what, rp_error *err)
{
    return rp__error_set(err, RP_INPUT, "%s:%" PRIu64 ": %s", topics->path, line, what);
}

bool rp__topics_is_id(const char *qid)
{
    const char *p = qid;
    while ((unsigned char)*p > ' ' && *p != 0x7F)
        p++;
    return *p == 0 && p > qid;
}

static bool is_blank(const char *line)
{
    return line[strspn(line, " \t\r")] == 0;
}

char *rp__topics_line(rp_topics *topics, uint64_t *line)
{
    while (topics->at < topics->end) {
        char *from = topics->at, *to = memchr(from, '\n', (size_t)(topics->end - from));
        to = to ? to : topics->end;
        *line = topics->line++;
        topics->at = to + 1;
        *to = 0;
        if (to > from && to[-1] == '\r')
            to[-1] = 0;
        if (!is_blank(from))
            return from;
    }
    return NULL;
}

static rp_status read_text(rp_topics *topics, const char *path, rp_error *err)
{
    static const rp__input_options options = {.waits_for_writer = true};
    rp_status s = rp__input_read_all(path, &options, MAX_BYTES, &topics->text, err);
    if (s != RP_OK)
        return s;
    topics->at = (char *)topics->text.at;
    topics->end = topics->at + topics->text.n;
    topics->line = 1;
    char *zero = memchr(topics->at, 0, topics->text.n);
    if (!zero)
        return RP_OK;
    uint64_t line = 1;
    for (const char *p = topics->at; p < zero; p++)
        line += *p == '\n';
    return rp__topics_fault(topics, line, "a NUL byte; topics are text", err);
}

static rp_status choose_format(rp_topics *topics, const char *name, rp_error *err)
{
    static const char blanks[] = " \t\r\n";
    for (size_t i = 0; name && i < N_FORMATS; i++)
        if (strcmp(formats[i]->name, name) == 0)
            topics->format = formats[i];
    if (name)
        return topics->format
                   ? RP_OK
                   : rp__error_set(err, RP_USAGE, "unknown format of topics \"%s\"", name);
    const char *head = topics->at + strspn(topics->at, blanks);
    for (size_t i = 0; !topics->format && i < N_FORMATS; i++)
        if (*head == 0 || formats[i]->sniff(head))
            topics->format = formats[i];
    uint64_t line = 1;
    for (const char *p = topics->at; p < head; p++)
        line += *p == '\n';
    return topics->format ? RP_OK
                          : rp__topics_fault(topics, line,
                                             "no topic; expected qid<TAB>query, qid:query, a JSON "
                                             "object, <top> or <topic>",
                                             err);
}

rp_status rp_topics_open(const char *path, const char *format, rp_topics **out, rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = NULL;
    if (RP_MISSING(err, path))
        return RP_USAGE;
    rp_topics *topics = rp__alloc_zero(1, sizeof *topics);
    if (!topics)
        return rp__error_no_memory(err);
    rp__buf_init(&topics->text);
    rp__json_init(&topics->json);
    snprintf(topics->path, sizeof topics->path, "%s",
             strcmp(path, "-") == 0 ? "standard input" : path);
    rp_status s = read_text(topics, path, err);
    if (s == RP_OK)
        s = choose_format(topics, format, err);
    if (s == RP_OK)
        *out = topics;
    else
        rp_topics_close(topics);
    return s;
}

void rp_topics_close(rp_topics *topics)
{
    if (!topics)
        return;
    rp__json_free(&topics->json);
    rp__buf_free(&topics->text);
    rp__free(topics->seen);
    rp__free(topics);
}

/* ---- Each qid once --------------------------------------------------------------------------- */

/* Where the qid is, or the free slot where it belongs. Other qids are far away in the text: their hashes tell them
 * apart. */
static rp__topics_seen *slot_of(const rp_topics *topics, const char *qid, uint32_t hash)
{
    size_t i = hash & (topics->n_slots - 1);
    while (topics->seen[i].qid &&
           (topics->seen[i].hash != hash || strcmp(topics->seen[i].qid, qid) != 0))
        i = (i + 1) & (topics->n_slots - 1);
    return &topics->seen[i];
}

/* The free slot of one that is in no slot. */
static rp__topics_seen *free_slot(const rp_topics *topics, uint32_t hash)
{
    size_t i = hash & (topics->n_slots - 1);
    while (topics->seen[i].qid)
        i = (i + 1) & (topics->n_slots - 1);
    return &topics->seen[i];
}

static rp_status grow_seen(rp_topics *topics, rp_error *err)
{
    enum { FIRST = 1024 };
    rp__topics_seen *old = topics->seen;
    size_t n_old = topics->n_slots, n = n_old ? 2 * n_old : FIRST;
    rp__topics_seen *seen = rp__alloc_zero(n, sizeof *seen);
    if (!seen)
        return rp__error_no_memory(err);
    topics->seen = seen;
    topics->n_slots = n;
    for (size_t i = 0; i < n_old; i++)
        if (old[i].qid)
            *free_slot(topics, old[i].hash) = old[i];
    rp__free(old);
    return RP_OK;
}

/* A run with two answers to one qid is no run: 'eval' and trec_eval refuse it. */
static rp_status note_qid(rp_topics *topics, const rp_topic *topic, rp_error *err)
{
    rp_status status = 2 * topics->n_seen < topics->n_slots ? RP_OK : grow_seen(topics, err);
    if (status != RP_OK)
        return status;
    const uint32_t hash = (uint32_t)rp__checksum(topic->qid, strlen(topic->qid));
    rp__topics_seen *slot = slot_of(topics, topic->qid, hash);
    if (slot->qid)
        return rp__error_set(err, RP_INPUT,
                             "%s:%" PRIu64 ": topic \"%.100s\" again, which line %" PRIu32 " has",
                             topics->path, topic->line, topic->qid, slot->line);
    *slot = (rp__topics_seen){topic->qid, hash, (uint32_t)topic->line};
    topics->n_seen++;
    return RP_OK;
}

rp_status rp_topics_next(rp_topics *topics, rp_topic *out, bool *has, rp_error *err)
{
    if (RP_MISSING(err, topics, out, has))
        return RP_USAGE;
    rp_status status = topics->format->next(topics, out, has, err);
    return status == RP_OK && *has ? note_qid(topics, out, err) : status;
}
