/* fuzz_html.c: any bytes through the row of pages. */
#include "split_case.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    split_case(&rp__corpus_html, data, bytes);
    return 0;
}
