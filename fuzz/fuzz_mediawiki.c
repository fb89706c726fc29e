/* fuzz_mediawiki.c: any bytes through the row of dumps of MediaWiki. */
#include "split_case.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    split_case(&rp__corpus_mediawiki, data, bytes);
    return 0;
}
