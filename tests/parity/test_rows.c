/* test_rows.c: names the rows of every table whose instructions this machine lacks.
 *
 * All other tests walk the rows that can run here. Each line "skip ..." below is a row that none of
 * them has tried; tools/run_tests counts it as skipped. `make simde` runs these rows on any x86-64. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "backend/cpu/bitset.h"
#include "backend/cpu/cpu_run.h"
#include "backend/cpu/probe.h"
#include "base/cpu.h"
#include "codec/codec.h"

typedef struct tally {
    size_t run, skipped;
} tally;

static void count_row(tally *t, const char *table, const char *name, uint32_t needs)
{
    const char *level = needs & RP_CPU_AVX512 ? "AVX-512" : "AVX2";
    if ((needs & ~rp__cpu_features()) == 0) {
        t->run++;
        return;
    }
    t->skipped++;
    printf("skip %s %s for %s: this machine lacks the instructions, or RIPOSTE_SIMD hides them\n",
           table, name, level);
}

static tally count_codecs(void)
{
    tally t = {0};
    const rp__codec *codec;
    const rp__block_code *code;
    for (size_t i = 0; (codec = rp__codec_at(i)); i++)
        count_row(&t, "codec", codec->name, codec->needs);
    for (size_t i = 0; (code = rp__block_code_at(i)); i++)
        count_row(&t, "block code", code->name, code->needs);
    return t;
}

static tally count_kernels(void)
{
    tally t = {0};
    const rp__probe_row *probe;
    const rp__score_kernel *score;
    const rp__bitset_kernel *bits;
    for (size_t i = 0; (probe = rp__probe_at(i)); i++)
        count_row(&t, "probe", probe->name, probe->needs);
    for (size_t i = 0; (score = rp__score_kernel_at(i)); i++)
        count_row(&t, "kernel", "score", score->needs);
    for (size_t i = 0; (bits = rp__bitset_at(i)); i++)
        count_row(&t, "kernel", "bitset", bits->needs);
    return t;
}

static void every_row_runs_here_or_is_skipped_by_name(void **state)
{
    (void)state;
    tally codecs = count_codecs(), kernels = count_kernels();
#if !defined(__x86_64__)
    puts("skip rows for AVX2 and AVX-512: they are not built for this processor");
#endif
    print_message("codecs: %zu rows run, %zu skipped; kernels: %zu run, %zu skipped\n", codecs.run,
                  codecs.skipped, kernels.run, kernels.skipped);
    assert_true(codecs.run > 0 && kernels.run > 0);
    if (rp__cpu_features() == (RP_CPU_AVX2 | RP_CPU_AVX512))
        assert_int_equal(codecs.skipped + kernels.skipped, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_runs_here_or_is_skipped_by_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
