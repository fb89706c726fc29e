/* test_url.c: addresses of services. */
#include "lab/url.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void sound(void **state)
{
    static const struct {
        const char *text, *host, *port, *path, *authority;
    } cases[] = {
        {"http://127.0.0.1:7700", "127.0.0.1", "7700", "/v1", "127.0.0.1:7700"},
        {"http://127.0.0.1:7700/", "127.0.0.1", "7700", "/v1", "127.0.0.1:7700"},
        {"HTTP://a.example/v1", "a.example", "80", "/v1", "a.example"},
        {"http://a/v1/", "a", "80", "/v1", "a"},
        {"http://a:65535/v1/my%20index/", "a", "65535", "/v1/my%20index", "a:65535"},
        {"http://[::1]:1/v1/x", "::1", "1", "/v1/x", "[::1]:1"},
        {"http://[::1]", "::1", "80", "/v1", "[::1]"},
    };
    rp_error err;
    rp__url url;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(rp__url_parse(cases[i].text, &url, &err), RP_OK);
        assert_string_equal(url.host, cases[i].host);
        assert_string_equal(url.port, cases[i].port);
        assert_string_equal(url.path, cases[i].path);
        assert_string_equal(url.authority, cases[i].authority);
    }
}

static void wrong(void **state)
{
    static const char *const texts[] = {
        "http://",     "http:///v1",       "https://a",       "ftp://a",      "http://a:",
        "http://a:0",  "http://a:65536",   "http://a:70x",    "http://a:-1",  "http://a:000001",
        "http://[::1", "http://[::1]7",    "http://[]:1",     "http://u:p@a", "http://a/v1?q",
        "http://a#b",  "http://a/search",  "http://a/v1/b/c", "http://a/v12", "http://a/v1//",
        "http://a b",  "http://a/v1/\xC3", "http://:80",      "://",
    };
    rp_error err;
    rp__url url;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        err.text[0] = 0;
        assert_int_equal(rp__url_parse(texts[i], &url, &err), RP_USAGE);
        assert_true(strlen(err.text) > 0);
        assert_true(rp__url_is_meant(texts[i]));
    }
    assert_false(rp__url_is_meant("my.rip"));
    assert_false(rp__url_is_meant("/a/b"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sound), cmocka_unit_test(wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
