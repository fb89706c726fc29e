/* fuzz_elastic.c: any bytes as the body of an Elasticsearch search, or of a count. What is taken is a query that the
 * parser of the query language takes too, unless a query_string of the body is wrong by itself. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "serve/elastic_query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check(int is_true)
{
    if (!is_true)
        abort();
}

/* Parentheses outside quotes and backslashes open and close in pairs. */
static void check_pairs(const char *text, size_t bytes)
{
    size_t depth = 0;
    bool is_quoted = false;
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\\') {
            i++;
            check(i < bytes);
        } else if (text[i] == '"') {
            is_quoted = !is_quoted;
        } else if (!is_quoted && text[i] == '(') {
            depth++;
        } else if (!is_quoted && text[i] == ')') {
            check(depth-- > 0);
        }
    }
    check(depth == 0 && !is_quoted);
}

static bool has(const char *text, size_t bytes, const char *word)
{
    for (size_t i = 0; i + strlen(word) <= bytes; i++)
        if (memcmp(text + i, word, strlen(word)) == 0)
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    rp__elastic_query query;
    rp_error err = {.text = ""};
    if (bytes == 0)
        return 0;
    const char *body = (const char *)data + 1;
    rp__elastic_query_init(&query);
    rp_status status = rp__elastic_query_read(&query, NULL, data[0] & 1, body, bytes - 1, &err);
    check(status == RP_OK || err.text[0] != 0);
    if (status == RP_OK && !query.is_all) {
        const char *text = (const char *)query.text.at;
        check(query.text.n > 0 && rp__utf8_check(text, query.text.n) == query.text.n);
        if (!has(body, bytes - 1, "query_string") && !has(body, bytes - 1, "\\u"))
            check_pairs(text, query.text.n);
    }
    check(strlen(query.before) < RP_ELASTIC_TAG && strlen(query.after) < RP_ELASTIC_TAG);
    check(query.timeout_ms <= 30000 && query.fragment <= 10000);
    rp__elastic_query_free(&query);
    return 0;
}
