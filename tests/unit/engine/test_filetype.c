/* test_filetype.c: what is text and what is not, on both sides of each limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/filetype.h"

static const char *refuse(const char *head, size_t n)
{
    return rp__filetype_refuse((const uint8_t *)head, n);
}

static void test_magic(void **state)
{
    (void)state;
    assert_string_equal(refuse("%PDF-1.7 all text", 17), "PDF, which is not text");
    assert_string_equal(refuse("\x89PNG\r\n\x1A\n", 8), "an image, which is not text");
    assert_string_equal(refuse("GIF89a\1\2", 8), "an image, which is not text");
    assert_null(refuse("GIF89a is an old format.", 24)); /* prose about it */
    assert_string_equal(refuse("\177ELF\2\1\1", 7), "a program or library, which is not text");
    assert_string_equal(refuse("PK\3\4\24", 5),
                        "an archive or office document, which is not unpacked");
    assert_string_equal(refuse("BZh91AY&SY\1", 11),
                        "compressed by xz or bzip2; only gzip and zstd are unpacked");
    char tar[512] = "name";
    memcpy(tar + 257, "ustar", 5);
    assert_string_equal(refuse(tar, sizeof tar),
                        "an archive or office document, which is not unpacked");
    assert_null(refuse("%PDF", 4));
}

static void test_controls(void **state)
{
    (void)state;
    char text[1000];
    memset(text, 'x', sizeof text);
    assert_null(refuse("", 0));
    assert_null(refuse("tab\tline\nreturn\rform\f", 21));
    memset(text, '\x1B', 10);
    assert_null(refuse(text, sizeof text)); /* 1 in 100 */
    text[10] = 1;
    assert_string_equal(refuse(text, sizeof text),
                        "not text: over 1 in 100 bytes are control characters");
    memset(text, 'x', sizeof text);
    text[999] = 0;
    assert_string_equal(refuse(text, sizeof text), "not text: a NUL is in the first 64 KiB");
    assert_null(rp__filetype_refuse_magic((const uint8_t *)text, sizeof text));
}

static void test_only_the_front_counts(void **state)
{
    (void)state;
    size_t n = RP_FILETYPE_HEAD_BYTES + 1;
    char *text = malloc(n);
    memset(text, 'x', n);
    text[n - 1] = 0;
    assert_null(refuse(text, n));
    text[n - 2] = 0;
    assert_non_null(refuse(text, n));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_magic),
        cmocka_unit_test(test_controls),
        cmocka_unit_test(test_only_the_front_counts),
    };
    return cmocka_run_group_tests_name("filetype", tests, NULL, NULL);
}
