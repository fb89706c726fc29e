/* cmd_version.c: riposte version: which program this is and what it was built with. */
#include <string.h>

#include "base/cpu.h"
#include "base/json.h"
#include "cli/verbs.h"
#include "riposte/riposte.h"

typedef struct version_args {
    rp__common_args common;
} version_args;

static const rp__option_group groups[] = {
    {"general", rp__options_common, offsetof(version_args, common)},
    {0},
};

static const char *simd_name(void)
{
    uint32_t features = rp__cpu_features();
    return features & RP_CPU_AVX512 ? "avx512" : features & RP_CPU_AVX2 ? "avx2" : "scalar";
}

static void write_names(rp__json_writer *w, const char *key, const char *(*name_at)(size_t))
{
    const char *name;
    rp__json_writer_begin(w, key, '[');
    for (size_t i = 0; (name = name_at(i)); i++)
        rp__json_writer_text(w, NULL, name);
    rp__json_writer_end(w, ']');
}

static void print_names(const char *title, const char *(*name_at)(size_t))
{
    const char *name;
    printf("%s", title);
    for (size_t i = 0; (name = name_at(i)); i++)
        printf("%s%s", i ? ", " : " ", name);
    putchar('\n');
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    (void)call;
    if (!console->wants_json) {
        printf("riposte %s\n", rp_version());
        print_names("codecs:", rp_codec_name);
        print_names("variants:", rp_variant_name);
        printf("instructions: %s\n", simd_name());
        return RP_OK;
    }
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.version/1");
    rp__json_writer_text(&w, "version", rp_version());
    write_names(&w, "codecs", rp_codec_name);
    write_names(&w, "variants", rp_variant_name);
    rp__json_writer_text(&w, "instructions", simd_name());
    rp__json_writer_end(&w, '}');
    rp_status status = rp__console_reply(console, &out, err);
    rp__buf_free(&out);
    return status;
}

const rp__verb rp__cmd_version_verb = {
    .name = "version",
    .summary = "print the version",
    .examples = "riposte version\n",
    .groups = groups,
    .args_bytes = sizeof(version_args),
    .run = run,
};
