/* engine/mail_code.h: interior of engine: the encodings of mail to bytes. */
#ifndef RP_ENGINE_MAIL_CODE_H
#define RP_ENGINE_MAIL_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Base64, piece by piece; what is no digit is passed over. */
typedef struct rp__mail_base64 {
    uint32_t bits, n;
} rp__mail_base64;

void rp__mail_code_base64(rp__mail_base64 *state, const char *at, size_t n, rp__buf *out);
/* Quoted-printable; in a header, an underscore is a blank. */
void rp__mail_code_quoted(const char *at, size_t n, bool in_header, rp__buf *out);
/* A header with its encoded words (RFC 2047) to UTF-8; `spare` is scratch. */
void rp__mail_code_header(const char *at, size_t n, rp__buf *spare, rp__buf *out);
/* Bytes of an unknown encoding to UTF-8. */
void rp__mail_code_put_text(const rp__buf *bytes, rp__buf *out);

#endif
