/* test_codec_spec.c: a codec with options as a user writes it: what is taken, what is refused and why. */
#include "engine/codec_spec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "riposte/index.h"

static rp__coding parse(const char *codec, const char *freqs)
{
    rp__coding got;
    rp_error err = {0};
    if (rp__codec_spec_parse(codec, freqs, &got, &err) != RP_OK)
        fail_msg("\"%s\": %s", codec, err.text);
    return got;
}

static void refuse(const char *codec, const char *freqs, const char *why)
{
    rp__coding got;
    rp_error err = {0};
    if (rp__codec_spec_parse(codec, freqs, &got, &err) != RP_USAGE)
        fail_msg("\"%s\" is taken", codec);
    if (!strstr(err.text, why))
        fail_msg("\"%s\": \"%s\" is not in \"%s\"", codec, why, err.text);
}

static void test_names(void **state)
{
    (void)state;
    static const rp__codec_options none;
    for (size_t i = 0; rp_codec_name(i); i++) {
        rp__coding got = parse(rp_codec_name(i), NULL);
        assert_string_equal(got.codec->name, rp_codec_name(i));
        assert_int_equal(got.freqs != NULL, got.codec->choose != NULL);
        assert_memory_equal(&got.options, &none, sizeof none);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(rp_codec_name(i), rp_codec_name(j));
    }
    refuse("zip", NULL, "codec \"zip\" is not known; there are: auto, bp128, vbyte");
    refuse("", NULL, "codec \"\" is not known");
    refuse(":c=1", NULL, "codec \"\" is not known");
    refuse("bp128 ", NULL, "is not known");
    char word[400];
    memset(word, 'x', sizeof word);
    word[sizeof word - 1] = 0;
    refuse(word, NULL, "at most 255 bytes");
    word[255] = 0;
    refuse(word, NULL, "codec \"xxx");
}

static void test_freqs(void **state)
{
    (void)state;
    for (size_t i = 0; rp_freqs_name(i); i++) {
        assert_string_equal(parse("raw", rp_freqs_name(i)).freqs->name, rp_freqs_name(i));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(rp_freqs_name(i), rp_freqs_name(j));
    }
    refuse("bp128", "zip", "code \"zip\" for frequencies is not known; there are: bp128");
    refuse("bp128", "raw", "is not known"); /* a codec, but no block code */
    refuse("bp128", "", "is not known");
    refuse("iiu", "rice", "codec \"iiu\" keeps frequencies with the docids");
}

static void test_options(void **state)
{
    (void)state;
    static const char *const patched[] = {"pfd", "newpfd", "optpfd", "parapfor", "pfd_rec",
                                          "lrc", "lrcseg", "seglrc", "hslrc256", "hslrc128"};
    for (size_t i = 0; i < sizeof patched / sizeof *patched; i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "%s:exceptions=0.1", patched[i]);
        rp__coding got = parse(spec, NULL);
        assert_string_equal(got.codec->name, patched[i]);
        assert_true(got.options.has_exceptions && !got.options.has_level);
        assert_true(got.options.exceptions == 0.1);
    }
    rp__coding got = parse("pfd_rec:exceptions=0,level=4", "rice");
    assert_true(got.options.has_exceptions && got.options.has_level);
    assert_true(got.options.exceptions == 0 && got.options.level == 4);
    assert_true(parse("pfd_rec:level=0", NULL).options.has_level);
    assert_true(parse("pfd:exceptions=0.60", NULL).options.exceptions == 0.6);
    assert_true(parse("pfd:exceptions=0.123456789012", NULL).options.exceptions == 0.123456789012);
    assert_int_equal(parse("auto:by=speed", NULL).options.by, RP_BY_SPEED);
    assert_string_equal(parse("auto:by=speed", NULL).freqs->name, "efsum");
    assert_string_equal(parse("auto", "vbyte").freqs->name, "vbyte");
    assert_int_equal(parse("auto:by=size", NULL).options.by, RP_BY_SIZE);
    assert_null(parse("auto:by=size", NULL).freqs); /* its own, which is smaller */
    assert_int_equal(parse("mixed:by=size", NULL).options.by, RP_BY_SIZE);
    assert_int_equal(parse("pfd:segment=64", NULL).options.segment, 64);
    assert_int_equal(parse("newpfd:segment=128", NULL).options.segment, 0);
    assert_int_equal(parse("parapfor:exceptions=0.2,segment=64", NULL).options.segment, 64);
    assert_int_equal(parse("iiu:max=1", NULL).options.max_size, 1);
    assert_int_equal(parse("iiu:max=256", NULL).options.max_size, 256);
    assert_true(parse("qs:c=0.25", NULL).options.c == 0.25);
    assert_true(parse("qs:c=16", NULL).options.c == 16);
    assert_true(parse("qs:c=2.", NULL).options.c == 2);
}

static void test_refused_options(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "0.61", "-0.1", "+0.1", "",     " 0.1", "0.1 ", "1e-1",
        "0x0",  "nan",  "inf",  "0..1", ".1",   "0,1",  "0.1234567890123456"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "pfd:exceptions=%s", bad[i]);
        refuse(spec, NULL, i == 12 ? "no option \"1\"" : "give 0 to 0.6");
    }
    refuse("pfd:exceptions", NULL, "give 0 to 0.6");
    refuse("pfd_rec:level=1.5", NULL, "give 0, 1, 2, 3 or 4");
    refuse("auto:by=time", NULL, "codec option by=\"time\": give size or speed");
    refuse("auto:by", NULL, "give size or speed");
    refuse("pfd_rec:level=5", NULL, "give 0, 1, 2, 3 or 4");
    refuse("qs:c=0.2", NULL, "give 0.25 to 16");
    refuse("qs:c=16.1", NULL, "give 0.25 to 16");
    refuse("pfd:segment=63", NULL, "codec option segment=\"63\": give 64 or 128");
    refuse("pfd:segment=96", NULL, "give 64 or 128");
    refuse("pfd:segment=64.5", NULL, "give 64 or 128");
    refuse("parapfor:segment=256", NULL, "give 64 or 128");
    refuse("optpfd:segment=64", NULL, "which is for: pfd, newpfd, parapfor");
    refuse("iiu:max=0", NULL, "codec option max=\"0\": give 1 to 256");
    refuse("iiu:max=257", NULL, "give 1 to 256");
    refuse("iiu:max=1.5", NULL, "give 1 to 256");
    refuse("hslrc256:max=8", NULL, "which is for: iiu");
    refuse("lrc:exceptions=0.61", NULL, "give 0 to 0.6");
    refuse("pfd_rec:level=1,level=1", NULL, "\"level\" is given twice");
    refuse(
        "pfd:", NULL,
        "codec \"pfd\" has no option \"\"; it takes: exceptions (0 to 0.6), segment (64 or 128)");
    refuse("pfd_rec:level=1,", NULL, "has no option \"\"");
    refuse("pfd_rec:levels=1", NULL, "it takes: exceptions (0 to 0.6), level (0, 1, 2, 3 or 4)");
    refuse("pfd:level=1", NULL, "has no option \"level\", which is for: pfd_rec");
    refuse("bp128:exceptions=0", NULL, "which is for: pfd, newpfd, optpfd, parapfor, pfd_rec");
    refuse("vbyte:fast=1", NULL, "codec \"vbyte\" takes no options; \"fast\" was given");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_freqs),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_refused_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
