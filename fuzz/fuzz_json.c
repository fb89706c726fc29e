/* fuzz_json.c: any bytes through the JSON parser. What it takes is written by the writer and read
 * again: the tokens must be the same. What it refuses has its fault inside the text, and is refused
 * by skipping too. The first byte is the depth allowed. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check(int is_true)
{
    if (!is_true)
        abort();
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * 0x100000001B3U;
    return hash;
}

/* Writes one token; numbers are written as strings, for the writer has none of their precision. */
static void write_token(rp__json_writer *w, rp__json_type type, const char *key,
                        const rp__json *json)
{
    switch (type) {
    case RP_JSON_OBJECT:
        rp__json_writer_begin(w, key, '{');
        break;
    case RP_JSON_ARRAY:
        rp__json_writer_begin(w, key, '[');
        break;
    case RP_JSON_OBJECT_END:
        rp__json_writer_end(w, '}');
        break;
    case RP_JSON_ARRAY_END:
        rp__json_writer_end(w, ']');
        break;
    case RP_JSON_STRING:
    case RP_JSON_NUMBER:
        rp__json_writer_string(w, key, json->string, json->string_bytes);
        break;
    case RP_JSON_TRUE:
    case RP_JSON_FALSE:
        rp__json_writer_bool(w, key, type == RP_JSON_TRUE);
        break;
    case RP_JSON_NULL:
        rp__json_writer_text(w, key, NULL);
        break;
    default:
        break;
    }
}

/* Reads all; *hash is of the tokens, with keys and numbers as strings cut at a NUL for keys. */
static rp_status read_all(const char *text, size_t bytes, uint32_t depth, rp__buf *out,
                          uint64_t *hash)
{
    rp__json json;
    rp__json_writer w;
    rp__json_type type;
    rp_status status;
    rp__buf key;
    int has_key = 0;
    rp__json_init(&json);
    rp__buf_init(&key);
    rp__json_writer_init(&w, out);
    rp__json_start(&json, text, bytes, depth);
    *hash = 0xCBF29CE484222325U;
    while ((status = rp__json_next(&json, &type)) == RP_OK && type != RP_JSON_END) {
        check(json.depth <= depth);
        if (type == RP_JSON_KEY || type == RP_JSON_STRING || type == RP_JSON_NUMBER)
            check(rp__utf8_check(json.string, json.string_bytes) == json.string_bytes);
        uint8_t kind = (uint8_t)(type == RP_JSON_NUMBER ? RP_JSON_STRING : type);
        *hash = mix(*hash, &kind, 1);
        if (type == RP_JSON_KEY) {
            key.n = 0;
            rp__buf_put(&key, json.string, json.string_bytes);
            rp__buf_put_byte(&key, 0);
            *hash = mix(*hash, key.at, strlen((char *)key.at));
            has_key = 1;
            continue;
        }
        if (type == RP_JSON_STRING || type == RP_JSON_NUMBER)
            *hash = mix(*hash, json.string, json.string_bytes);
        write_token(&w, type, has_key ? (const char *)key.at : NULL, &json);
        has_key = 0;
    }
    if (status != RP_OK)
        check(json.fault && json.fault_offset <= bytes);
    rp__json_free(&json);
    rp__buf_free(&key);
    return status;
}

static rp_status skip_all(const char *text, size_t bytes, uint32_t depth)
{
    rp__json json;
    rp__json_type type;
    rp__json_init(&json);
    rp__json_start(&json, text, bytes, depth);
    rp_status status = rp__json_skip(&json);
    if (status == RP_OK)
        status = rp__json_next(&json, &type);
    rp__json_free(&json);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    if (bytes == 0)
        return 0;
    uint32_t depth = data[0] % 65;
    char *text = malloc(bytes);
    memcpy(text, data + 1, bytes - 1);
    rp__buf out, again;
    uint64_t hash, hash_again;
    rp__buf_init(&out);
    rp__buf_init(&again);
    rp_status status = read_all(text, bytes - 1, depth, &out, &hash);
    check(skip_all(text, bytes - 1, depth) == status);
    if (status == RP_OK) {
        check(read_all((char *)out.at, out.n, depth, &again, &hash_again) == RP_OK);
        check(hash == hash_again);
        check(out.n == again.n && memcmp(out.at, again.at, out.n) == 0);
    }
    rp__buf_free(&out);
    rp__buf_free(&again);
    free(text);
    return 0;
}
