/* fuzz_corpus_json.c: any bytes through the row of JSON that is not a value a line. */
#include "split_case.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    split_case(&rp__corpus_json, data, bytes);
    return 0;
}
