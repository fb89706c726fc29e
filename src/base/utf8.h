/* base/utf8.h: which bytes are UTF-8. Overlong forms, surrogates and code points over U+10FFFF are
 * not. */
#ifndef RP_BASE_UTF8_H
#define RP_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Length of the valid sequence at p (1 to 4), or 0. */
uint32_t rp__utf8_valid(const char *p, size_t bytes);
/* Offset of the first invalid byte, or `bytes` if there is none. */
size_t rp__utf8_check(const char *p, size_t bytes);
/* Decodes the sequence at p, known to be valid; *len is its length. */
uint32_t rp__utf8_decode(const char *p, uint32_t *len);
/* Writes a code point (no surrogate, at most U+10FFFF); the number of bytes, 1 to 4. */
uint32_t rp__utf8_encode(uint32_t code, char *out);

#endif
