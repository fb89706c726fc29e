/* fuzz_pisa.c: any bytes as the files of a PISA collection. An input is five lengths (u16) and the files in
 * the order of `suffixes`; 0xFFFF: that file is not there. */
#include "exchange_case.h"

enum { PARTS = 5, HEAD = 2 * PARTS };

static const char *const suffixes[PARTS] = {"docs", "freqs", "sizes", "terms", "documents"};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_parts(const uint8_t *data, size_t size)
{
    size_t at = HEAD;
    for (size_t i = 0; i < PARTS; i++) {
        char name[32];
        size_t n = (size_t)(data[2 * i] | data[2 * i + 1] << 8), left = size - at;
        snprintf(name, sizeof name, "in.%s", suffixes[i]);
        if (n == 0xFFFF && i >= 3) {
            remove(tempdir_path(&exchange_dir, name));
            continue;
        }
        n = n < left ? n : left;
        exchange_write(name, data + at, n);
        at += n;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD)
        return 0;
    exchange_begin();
    write_parts(data, size);
    if (exchange_import("pisa", "in", "first") != RP_OK)
        return 0;
    exchange_expect(exchange_export("pisa", "first", "one") == RP_OK, "it does not go out");
    exchange_expect(exchange_import("pisa", "one", "second") == RP_OK, "it does not come back");
    exchange_expect(exchange_export("pisa", "second", "two") == RP_OK, "not a second time");
    for (size_t i = 0; i < PARTS; i++) {
        char one[32], two[32];
        snprintf(one, sizeof one, "one/inv.%s", suffixes[i]);
        snprintf(two, sizeof two, "two/inv.%s", suffixes[i]);
        exchange_expect(exchange_is_same(one, two), "it comes back as another");
    }
    exchange_forget("one");
    exchange_forget("two");
    exchange_forget("first");
    exchange_forget("second");
    return 0;
}
