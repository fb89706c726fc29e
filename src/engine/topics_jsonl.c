/* topics_jsonl.c: topics as JSON objects, one a line; fields go by the names that are in use. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "engine/topics.h"

enum { DEPTH_MAX = 64 };

static const char *const id_names[] = {"qid", "query_id", "id", "_id", "topic_id", "number", NULL};
static const char *const query_names[] = {"query", "text", "title", "question", NULL};

/* How early a key stands among the names; the earlier one wins. */
static size_t place_of(const char *const *names, const char *key, size_t bytes)
{
    size_t i = 0;
    while (names[i] && (strlen(names[i]) != bytes || memcmp(names[i], key, bytes) != 0))
        i++;
    return i;
}

typedef struct fields {
    size_t id_place, query_place;
    char *id, *query;
    size_t query_bytes;
    char *room; /* what is read of the line is never shorter than what is kept of it */
} fields;

/* Keeps the string just read where the line stood. */
static char *keep(const rp__json *json, fields *f)
{
    char *to = f->room;
    memmove(to, json->string, json->string_bytes);
    to[json->string_bytes] = 0;
    f->room += json->string_bytes + 1;
    return to;
}

static rp_status take_field(rp__json *json, fields *f)
{
    size_t id = place_of(id_names, json->string, json->string_bytes);
    size_t query = place_of(query_names, json->string, json->string_bytes);
    bool is_id = id_names[id] && id < f->id_place,
         is_query = query_names[query] && query < f->query_place;
    rp__json_type type;
    if (!is_id && !is_query)
        return rp__json_skip(json);
    rp_status s = rp__json_next(json, &type);
    if (s != RP_OK)
        return s;
    bool is_text = type == RP_JSON_STRING && !memchr(json->string, 0, json->string_bytes);
    if (is_id && (is_text || type == RP_JSON_NUMBER)) {
        f->id_place = id;
        f->id = keep(json, f);
    } else if (is_query && is_text) {
        f->query_place = query;
        f->query_bytes = json->string_bytes;
        f->query = keep(json, f);
    } else {
        json->fault = is_id ? "the id is no text or number" : "the query is no text";
        return RP_INPUT;
    }
    return RP_OK;
}

static rp_status take_object(rp__json *json, fields *f)
{
    rp__json_type type;
    rp_status s = rp__json_next(json, &type);
    if (s == RP_OK && type != RP_JSON_OBJECT) {
        json->fault = "no object; a topic is a JSON object";
        return RP_INPUT;
    }
    while (s == RP_OK && (s = rp__json_next(json, &type)) == RP_OK) {
        if (type == RP_JSON_OBJECT_END)
            return rp__json_next(json, &type);
        s = take_field(json, f);
    }
    return s;
}

static rp_status next_jsonl(rp_topics *topics, rp_topic *out, bool *has, rp_error *err)
{
    uint64_t line;
    char *text = rp__topics_line(topics, &line);
    fields f = {.id_place = SIZE_MAX, .query_place = SIZE_MAX, .room = text};
    *has = text != NULL;
    if (!text)
        return RP_OK;
    rp__json_start(&topics->json, text, strlen(text), DEPTH_MAX);
    rp_status s = take_object(&topics->json, &f);
    if (s == RP_NO_MEMORY)
        return rp__error_no_memory(err);
    if (s != RP_OK)
        return rp__topics_fault(topics, line, topics->json.fault, err);
    if (!f.query)
        return rp__topics_fault(topics, line, "no query; expected \"query\" or \"text\"", err);
    if (!f.id) { /* the name and the quotes of the query leave room for ten digits and a NUL */
        f.id = f.room;
        snprintf(f.id, 11, "%" PRIu64, line);
    }
    if (!rp__topics_is_id(f.id))
        return rp__topics_fault(
            topics, line, "the qid is empty or has a blank or a control character in it", err);
    *out = (rp_topic){f.id, f.query, f.query_bytes, line};
    return RP_OK;
}

static bool sniff_jsonl(const char *head)
{
    return *head == '{';
}

const rp__topics_format rp__topics_jsonl = {"jsonl", sniff_jsonl, next_jsonl};
