/* fuzz_gitlog.c: any bytes through the row of what git log prints. */
#include "split_case.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    split_case(&rp__corpus_gitlog, data, bytes);
    return 0;
}
