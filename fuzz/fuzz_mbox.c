/* fuzz_mbox.c: any bytes through the row of mailboxes. */
#include "split_case.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    split_case(&rp__corpus_mbox, data, bytes);
    return 0;
}
