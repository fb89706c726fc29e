/* fuzz_csv.c: any bytes through the row of tables of RFC 4180. */
#include "split_case.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    split_case(&rp__corpus_csv, data, bytes);
    return 0;
}
