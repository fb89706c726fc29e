/* test_http_reply.c: heads of replies, whole, in part and wrong. */
#include "lab/http_reply.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static rp__http_reply_state read_text(const char *text, rp__http_reply *out)
{
    return rp__http_reply_read(text, strlen(text), out);
}

static void sound(void **state)
{
    static const char text[] = "HTTP/1.1 200 OK\r\nContent-Length: 12\r\nA: b\r\n\r\nhello";
    rp__http_reply r;
    (void)state;
    for (size_t n = 0; n < strlen(text) - 5; n++)
        assert_int_equal(rp__http_reply_read(text, n, &r), RP_HTTP_REPLY_PART);
    assert_int_equal(read_text(text, &r), RP_HTTP_REPLY_HEADED);
    assert_int_equal(r.status, 200);
    assert_int_equal(r.head_bytes, strlen(text) - 5);
    assert_int_equal(r.body_bytes, 12);
    assert_false(r.closes);
    assert_int_equal(read_text("HTTP/1.1 503\r\ncontent-length:0\r\nConnection: Close\r\n\r\n", &r),
                     RP_HTTP_REPLY_HEADED);
    assert_int_equal(r.status, 503);
    assert_true(r.closes);
    assert_int_equal(read_text("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", &r),
                     RP_HTTP_REPLY_HEADED);
    assert_true(r.closes);
    assert_int_equal(read_text("HTTP/1.1 304 \r\nContent-Length: 9\r\n\r\n", &r),
                     RP_HTTP_REPLY_HEADED);
    assert_int_equal(r.body_bytes, 0);
}

static void wrong(void **state)
{
    static const char *const texts[] = {
        "\r\n\r\n",
        "HTTP/2.0 200 OK\r\nContent-Length: 1\r\n\r\n",
        "HTTP/1.1 099 OK\r\nContent-Length: 1\r\n\r\n",
        "HTTP/1.1 600 OK\r\nContent-Length: 1\r\n\r\n",
        "HTTP/1.1 20 OK\r\nContent-Length: 1\r\n\r\n",
        "HTTP/1.1 2000 OK\r\nContent-Length: 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1234567890123456\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\nA: b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n: b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nnonsense\r\n\r\n",
    };
    rp__http_reply r;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(read_text(texts[i], &r), RP_HTTP_REPLY_BAD);
}

/* A head that ends at the limit is taken, one that is a byte longer is not. */
static void limit(void **state)
{
    static const char start[] = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nA: ";
    rp__http_reply r;
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        const size_t n = RP_HTTP_REPLY_HEAD + more;
        char *text = malloc(n);
        assert_non_null(text);
        memset(text, 'x', n);
        memcpy(text, start, sizeof start - 1);
        memcpy(text + n - 4, "\r\n\r\n", 4);
        assert_int_equal(rp__http_reply_read(text, n, &r),
                         more ? RP_HTTP_REPLY_BAD : RP_HTTP_REPLY_HEADED);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sound), cmocka_unit_test(wrong),
                                       cmocka_unit_test(limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
