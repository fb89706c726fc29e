/* fuzz_trec.c: any bytes through the row of TREC. */
#include "split_case.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    split_case(&rp__corpus_trec, data, bytes);
    return 0;
}
