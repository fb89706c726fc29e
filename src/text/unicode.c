/* unicode.c: which library knows the characters. */
#include <utf8proc.h>

#include "text/text.h"

const char *rp__unicode_version(void)
{
    return utf8proc_version();
}
