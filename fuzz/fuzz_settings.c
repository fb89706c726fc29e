/* fuzz_settings.c: any bytes as a file of settings. What is taken, written again, is taken as the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "cli/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check(int is_true)
{
    if (!is_true)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    rp__settings first, again;
    rp__buf text;
    rp_error err = {.text = ""};
    if (rp__settings_parse((const char *)data, bytes, "file", &first, &err) != RP_OK) {
        check(err.text[0] != 0 && !first.text && !first.at);
        return 0;
    }
    rp__buf_init(&text);
    for (size_t i = 0; i < first.n; i++) {
        check(first.at[i].name[0] != 0 &&
              rp__settings_find(&first, first.at[i].name) == &first.at[i]);
        rp__buf_printf(&text, "%s=%s\n", first.at[i].name, first.at[i].value);
    }
    check(rp__settings_parse((const char *)text.at, text.n, "again", &again, &err) == RP_OK);
    check(again.n == first.n);
    for (size_t i = 0; i < first.n; i++)
        check(strcmp(first.at[i].name, again.at[i].name) == 0 &&
              strcmp(first.at[i].value, again.at[i].value) == 0);
    rp__buf_free(&text);
    rp__settings_free(&first);
    rp__settings_free(&again);
    return 0;
}
