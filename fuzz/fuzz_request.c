/* fuzz_request.c: any bytes as a request to the service. The first byte chooses what they are:
 *   a query string: what is taken is UTF-8 and in its row's range, and means the same as a JSON body;
 *   a JSON body, or that of an msearch: the same;
 *   a head, cut into parts as libmicrohttpd cuts it: what passes the checks also passes a plain reader of RFC 9112. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "serve/head.h"
#include "serve/params.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check(int is_true)
{
    if (!is_true)
        abort();
}

/* ---- 1. Parameters --------------------------------------------------------------------------- */

static const char *const colours[] = {"red", "green", "blue", NULL};
static const rp__param rows[] = {
    {.name = "q", .is_required = true},
    {.name = "k", .kind = RP_PARAM_COUNT, .min = 1, .max = 1000},
    {.name = "flag", .kind = RP_PARAM_FLAG},
    {.name = "mode", .kind = RP_PARAM_CHOICE, .choices = colours},
    {.name = "names", .kind = RP_PARAM_NAMES, .choices = colours},
    {0},
};
enum { Q, K, FLAG, MODE, NAMES, ROWS };

static void check_values(const rp__params *p)
{
    for (int i = 0; i < ROWS; i++)
        check(p->at[i].is_given || (!p->at[i].text && !p->at[i].n_names));
    if (p->at[Q].is_given)
        check(rp__utf8_check(p->at[Q].text, p->at[Q].bytes) == p->at[Q].bytes);
    check(!p->at[K].is_given || (p->at[K].count >= 1 && p->at[K].count <= 1000));
    check(p->at[FLAG].count <= 1 && p->at[MODE].count < 3 && p->at[NAMES].n_names <= 3);
    for (size_t i = 0; i < p->at[NAMES].n_names; i++)
        check(p->at[NAMES].names[i] < 3);
}

static void write_body(const rp__params *p, rp__buf *out)
{
    rp__json_writer w;
    rp__json_writer_init(&w, out);
    rp__json_writer_begin(&w, NULL, '{');
    if (p->at[Q].is_given)
        rp__json_writer_string(&w, "q", p->at[Q].text, p->at[Q].bytes);
    if (p->at[K].is_given)
        rp__json_writer_uint(&w, "k", p->at[K].count);
    if (p->at[FLAG].is_given)
        rp__json_writer_bool(&w, "flag", p->at[FLAG].count);
    if (p->at[MODE].is_given)
        rp__json_writer_text(&w, "mode", colours[p->at[MODE].count]);
    if (p->at[NAMES].is_given) {
        rp__json_writer_begin(&w, "names", '[');
        for (size_t i = 0; i < p->at[NAMES].n_names; i++)
            rp__json_writer_text(&w, NULL, colours[p->at[NAMES].names[i]]);
        rp__json_writer_end(&w, ']');
    }
    rp__json_writer_end(&w, '}');
}

static void compare(const rp__params *a, const rp__params *b)
{
    for (int i = 0; i < ROWS; i++) {
        const rp__value *x = &a->at[i], *y = &b->at[i];
        check(x->is_given == y->is_given && x->count == y->count && x->bytes == y->bytes);
        check(x->n_names == y->n_names && memcmp(x->names, y->names, x->n_names) == 0);
        check(!x->text == !y->text && (!x->text || memcmp(x->text, y->text, x->bytes) == 0));
    }
}

static void read_params(const char *text, size_t bytes, bool is_body)
{
    rp__params first, again;
    rp__buf body;
    rp_error err = {.text = ""};
    rp__params_init(&first, rows);
    rp__params_init(&again, rows);
    rp__buf_init(&body);
    rp_status status = is_body ? rp__params_read_body(&first, text, bytes, &err)
                               : rp__params_read_query(&first, text, bytes, &err);
    check(status == RP_OK || err.text[0] != 0);
    if (status == RP_OK) {
        check_values(&first);
        check((rp__params_check(&first, &err) == RP_OK) == first.at[Q].is_given);
        write_body(&first, &body);
        check(rp__params_read_body(&again, (const char *)body.at, body.n, &err) == RP_OK);
        compare(&first, &again);
    }
    rp__params_free(&first);
    rp__params_free(&again);
    rp__buf_free(&body);
}

static void read_list(const char *text, size_t bytes)
{
    rp__json json;
    rp_error err = {.text = ""};
    bool has = true;
    rp__json_init(&json);
    rp_status status = rp__params_list_begin(&json, text, bytes, "searches", &err);
    while (status == RP_OK && has) {
        rp__params params;
        rp__params_init(&params, rows);
        status = rp__params_list_next(&json, &params, &has, &err);
        if (status == RP_OK)
            check_values(&params);
        rp__params_free(&params);
    }
    check(status == RP_OK || err.text[0] != 0);
    rp__json_free(&json);
}

/* ---- 2. Heads -------------------------------------------------------------------------------- */

/* The next line, ended in place as the library does it: CR LF become two NULs, LF one. NULL: there is none. */
static char *cut_line(char **at, char *end)
{
    char *begin = *at, *lf = memchr(begin, '\n', (size_t)(end - begin));
    if (!lf)
        return NULL;
    *at = lf + 1;
    *lf = 0;
    if (lf > begin && lf[-1] == '\r')
        lf[-1] = 0;
    return begin;
}

/* METHOD TARGET VERSION by blanks, as the library takes them. */
static bool cut_request_line(char *line, rp__head *head)
{
    char *blank = strchr(line, ' ');
    if (!blank)
        return false;
    *blank = 0;
    char *target = blank + 1;
    while (*target == ' ')
        target++;
    char *last = strrchr(target, ' ');
    if (!last)
        return false;
    *last = 0;
    head->method = line;
    head->target = target;
    head->target_bytes = strlen(target);
    head->version = last + 1;
    return true;
}

static bool cut_field(char *line, rp__head *head)
{
    char *colon = strchr(line, ':');
    if (!colon)
        return false;
    *colon = 0;
    char *value = colon + 1;
    while (*value == ' ' || *value == '\t')
        value++;
    if (head->n == RP_HEAD_FIELDS)
        head->has_more = true;
    else
        head->fields[head->n++] = (rp__field){line, value, strlen(line), strlen(value)};
    return true;
}

static bool cut_head(char *text, size_t bytes, rp__head *head)
{
    char *at = text, *end = text + bytes, *line = cut_line(&at, end);
    if (!line || !cut_request_line(line, head))
        return false;
    while ((line = cut_line(&at, end)) && *line)
        if (!cut_field(line, head))
            return false;
    head->bytes = (size_t)(at - text);
    return line != NULL;
}

/* What RFC 9112 lets a head be, of raw bytes: every line ends with CR LF, has no CR or LF inside and no blank at its
 * beginning; one Host at most; never a length beside an encoding. It has no NUL. */
static void check_strictly(const char *raw, size_t bytes)
{
    size_t hosts = 0, lengths = 0, encodings = 0, blanks = 0, n_lines = 0;
    for (size_t i = 0; i < bytes; i++) {
        check(raw[i] != '\n' || (i > 0 && raw[i - 1] == '\r'));
        check(raw[i] != '\r' || (i + 1 < bytes && raw[i + 1] == '\n'));
    }
    for (const char *line = raw, *next; line < raw + bytes; line = next, n_lines++) {
        next = (const char *)memchr(line, '\n', (size_t)(raw + bytes - line)) + 1;
        check(*line != ' ' && *line != '\t');
        for (const char *c = line; n_lines == 0 && c < next; c++)
            blanks += *c == ' ';
        hosts += n_lines > 0 && strncasecmp(line, "host:", 5) == 0;
        lengths += n_lines > 0 && strncasecmp(line, "content-length:", 15) == 0;
        encodings += n_lines > 0 && strncasecmp(line, "transfer-encoding:", 18) == 0;
    }
    check(blanks == 2 && hosts <= 1 && lengths <= 1 && !(lengths && encodings));
}

static void read_head(const char *text, size_t bytes)
{
    rp__head head = {.is_in_place = true};
    char *copy = malloc(bytes + 1);
    memcpy(copy, text, bytes);
    copy[bytes] = 0;
    if (cut_head(copy, bytes, &head)) {
        uint64_t length;
        const char *fault = rp__head_check(&head);
        const char *host = rp__head_find(&head, "host");
        /* Some NULs at the ends of lines cannot be seen in the library's buffer. */
        if (!fault && !memchr(text, 0, head.bytes))
            check_strictly(text, head.bytes);
        if (!fault)
            check(rp__head_body_bytes(&head, &length));
        if (host)
            rp__head_host_is_ours(host, "a.example,b");
    }
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    if (bytes == 0)
        return 0;
    char *text = malloc(bytes);
    memcpy(text, data + 1, bytes - 1);
    switch (data[0] % 4) {
    case 0:
        read_params(text, bytes - 1, false);
        break;
    case 1:
        read_params(text, bytes - 1, true);
        break;
    case 2:
        read_list(text, bytes - 1);
        break;
    default:
        read_head(text, bytes - 1);
    }
    free(text);
    return 0;
}
