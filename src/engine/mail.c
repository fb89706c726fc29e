/* mail.c: the headers and the text of a message, line by line.
 *
 * Parts of parts are a stack of boundaries, so that nothing recurs; what is deeper is left out. A part is
 * decoded as its lines come, and put into the text when it ends. */
#include "engine/mail.h"

#include <stdbool.h>
#include <string.h>

#include "engine/html_text.h"
#include "engine/mail_code.h"
#include "engine/markup.h"

enum { MAX_PARTS = 16 };

typedef enum coding { CODING_NONE, CODING_QUOTED, CODING_BASE64 } coding;
typedef enum kind { KIND_PLAIN, KIND_PAGE, KIND_PARTS, KIND_MESSAGE, KIND_OTHER } kind;

typedef struct text {
    const char *at;
    size_t n;
} text;

typedef struct reader {
    rp__mail *mail;
    const char *at, *end;
    text boundaries[MAX_PARTS];
    size_t n_boundaries;
    /* of the part */
    kind kind;
    coding coding;
    bool is_attachment, is_left_out;
    text boundary; /* that its Content-Type names */
    rp__mail_base64 base64;
    bool has_plain; /* a plain part came already */
    bool is_top;    /* the headers are the message's own */
} reader;

/* ---- Headers --------------------------------------------------------------------------------- */

static bool is_header(const text *line, const char *name)
{
    size_t n = strlen(name);
    return line->n >= n && rp__markup_is_name(line->at, name, n);
}

static text value_of(const text *header)
{
    const char *colon = memchr(header->at, ':', header->n), *end = header->at + header->n;
    const char *at = colon ? colon + 1 : end;
    while (at < end && rp__markup_is_space(*at))
        at++;
    while (end > at && rp__markup_is_space(end[-1]))
        end--;
    return (text){at, (size_t)(end - at)};
}

static bool has_word(const text *value, const char *lower)
{
    size_t n = strlen(lower);
    for (size_t i = 0; i + n <= value->n; i++)
        if (rp__markup_is_name(value->at + i, lower, n))
            return true;
    return false;
}

/* The value of boundary= in a Content-Type. */
static text find_boundary(const text *value)
{
    static const char name[] = "boundary=";
    enum { N = sizeof name - 1 };
    size_t i = 0;
    while (i + N <= value->n && !rp__markup_is_name(value->at + i, name, N))
        i++;
    if (i + N > value->n)
        return (text){0};
    const char *at = value->at + i + N, *end = value->at + value->n, *stop = at;
    if (at < end && *at == '"') {
        at++;
        stop = memchr(at, '"', (size_t)(end - at));
        return (text){at, (size_t)((stop ? stop : end) - at)};
    }
    while (stop < end && *stop != ';' && !rp__markup_is_space(*stop))
        stop++;
    return (text){at, (size_t)(stop - at)};
}

static void take_type(reader *r, const text *value)
{
    r->kind = KIND_OTHER;
    if (is_header(value, "multipart/"))
        r->kind = KIND_PARTS;
    else if (is_header(value, "message/rfc822"))
        r->kind = KIND_MESSAGE;
    else if (is_header(value, "text/html"))
        r->kind = KIND_PAGE;
    else if (is_header(value, "text/") || value->n == 0)
        r->kind = KIND_PLAIN;
    r->boundary = find_boundary(value);
}

static void take_id(rp__mail *mail, const text *value)
{
    const char *open = memchr(value->at, '<', value->n);
    const char *at = open ? open + 1 : value->at, *end = value->at + value->n;
    const char *close = memchr(at, '>', (size_t)(end - at));
    end = close ? close : end;
    if (mail->id || at == end)
        return;
    mail->id = at;
    mail->id_bytes = (size_t)(end - at);
}

/* Of the message itself: what is shown of it. */
static void take_top_header(reader *r, const text *header, const text *value)
{
    rp__mail *mail = r->mail;
    if (is_header(header, "message-id:"))
        take_id(mail, value);
    else if (is_header(header, "subject:") && mail->subject->n == 0)
        rp__mail_code_header(value->at, value->n, mail->spare, mail->subject);
    else if (is_header(header, "from:")) {
        rp__mail_code_header(value->at, value->n, mail->spare, mail->text);
        rp__buf_put_byte(mail->text, '\n');
    }
}

static void take_header(reader *r, const text *header)
{
    text value = value_of(header);
    if (is_header(header, "content-type:"))
        take_type(r, &value);
    else if (is_header(header, "content-disposition:"))
        r->is_attachment = is_header(&value, "attachment");
    else if (is_header(header, "content-transfer-encoding:"))
        r->coding = has_word(&value, "base64")             ? CODING_BASE64
                    : has_word(&value, "quoted-printable") ? CODING_QUOTED
                                                           : CODING_NONE;
    else if (r->is_top)
        take_top_header(r, header, &value);
}

/* The next line, without its end; r->at moves past it. */
static text take_line(reader *r)
{
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    text line = {r->at, (size_t)((newline ? newline : r->end) - r->at)};
    r->at = newline ? newline + 1 : r->end;
    if (line.n > 0 && line.at[line.n - 1] == '\r')
        line.n--;
    return line;
}

/* All headers up to an empty line; one goes on in lines that begin with a blank. */
static void read_headers(reader *r)
{
    r->kind = KIND_PLAIN;
    r->coding = CODING_NONE;
    r->is_attachment = false;
    r->boundary = (text){0};
    r->base64 = (rp__mail_base64){0};
    while (r->at < r->end) {
        text header = take_line(r);
        if (header.n == 0)
            break;
        while (r->at < r->end && (*r->at == ' ' || *r->at == '\t')) {
            text more = take_line(r);
            header.n = (size_t)(more.at + more.n - header.at);
        }
        take_header(r, &header);
    }
    r->is_top = false;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* After the headers of a part; those of a message inside are read at once. */
static void begin_part(reader *r)
{
    read_headers(r);
    for (int inside = 0; r->kind == KIND_MESSAGE && !r->is_attachment && inside < MAX_PARTS;
         inside++)
        read_headers(r);
    bool has_parts = r->kind == KIND_PARTS && r->boundary.n > 0 && r->n_boundaries < MAX_PARTS;
    if (has_parts)
        r->boundaries[r->n_boundaries++] = r->boundary;
    r->is_left_out =
        r->is_attachment || r->kind > KIND_PAGE || (r->kind == KIND_PAGE && r->has_plain);
}

static void end_part(reader *r)
{
    rp__mail *mail = r->mail;
    if (r->is_left_out || mail->part->n == 0)
        return;
    if (r->kind == KIND_PAGE) {
        mail->spare->n = 0;
        rp__mail_code_put_text(mail->part, mail->spare);
        rp__buf no_title = {.n = 1}; /* a page in a mail has the mail's */
        if (!mail->spare->failed)
            rp__html_text_put((const char *)mail->spare->at, mail->spare->n, &no_title, mail->text);
    } else {
        rp__mail_code_put_text(mail->part, mail->text);
        r->has_plain = true;
    }
    rp__buf_put_byte(mail->text, '\n');
    mail->part->n = 0;
}

static void take_body_line(reader *r, const text *line)
{
    rp__buf *part = r->mail->part;
    const char *at = line->at;
    size_t n = line->n;
    if (r->is_left_out)
        return;
    if (r->coding == CODING_BASE64) {
        rp__mail_code_base64(&r->base64, at, n, part);
        return;
    }
    if (n > 5 && memcmp(at, ">From ", 6) == 0) { /* as mailboxes write a line that begins so */
        at++;
        n--;
    }
    bool is_soft = r->coding == CODING_QUOTED && n > 0 && at[n - 1] == '=';
    if (r->coding == CODING_QUOTED)
        rp__mail_code_quoted(at, n - is_soft, false, part);
    else
        rp__buf_put(part, at, n);
    if (!is_soft)
        rp__buf_put_byte(part, '\n');
}

/* Whether the line is a boundary, of which part; *is_last: it ends the parts. */
static size_t find_part(const reader *r, const text *line, bool *is_last)
{
    if (line->n < 2 || line->at[0] != '-' || line->at[1] != '-')
        return 0;
    for (size_t i = r->n_boundaries; i > 0; i--) {
        const text *b = &r->boundaries[i - 1];
        if (line->n - 2 < b->n || memcmp(line->at + 2, b->at, b->n) != 0)
            continue;
        *is_last = line->n - 2 - b->n >= 2 && memcmp(line->at + 2 + b->n, "--", 2) == 0;
        return i;
    }
    return 0;
}

void rp__mail_read(rp__mail *mail, const char *at, size_t n)
{
    reader r = {.mail = mail, .at = at, .end = at + n, .is_top = true};
    begin_part(&r);
    while (r.at < r.end) {
        bool is_last = false;
        text line = take_line(&r);
        size_t part = find_part(&r, &line, &is_last);
        if (part == 0) {
            take_body_line(&r, &line);
            continue;
        }
        end_part(&r);
        r.n_boundaries = part - is_last;
        r.is_left_out = true;
        if (!is_last)
            begin_part(&r);
    }
    end_part(&r);
}
