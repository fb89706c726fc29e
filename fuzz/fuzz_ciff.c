/* fuzz_ciff.c: any bytes as a CIFF file, plain or packed. */
#include "exchange_case.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    exchange_begin();
    exchange_write("in", data, size);
    if (exchange_import("ciff", "in", "first") != RP_OK)
        return 0;
    exchange_expect(exchange_export("ciff", "first", "one.ciff") == RP_OK, "it does not go out");
    exchange_expect(exchange_import("ciff", "one.ciff", "second") == RP_OK,
                    "it does not come back");
    exchange_expect(exchange_export("ciff", "second", "two.ciff") == RP_OK, "not a second time");
    exchange_expect(exchange_is_same("one.ciff", "two.ciff"), "it comes back as another");
    exchange_forget("first");
    exchange_forget("second");
    return 0;
}
