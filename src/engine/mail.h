/* engine/mail.h: interior of engine: one message of RFC 5322 and MIME to a document. */
#ifndef RP_ENGINE_MAIL_H
#define RP_ENGINE_MAIL_H

#include <stddef.h>

#include "base/buf.h"

/* Where the parts of a message go; all are emptied by the caller. */
typedef struct rp__mail {
    rp__buf *subject, *text;
    rp__buf *part, *spare; /* scratch: a part as it is decoded, and as UTF-8 */
    const char *id;        /* of the Message-ID, without brackets; NULL: there is none */
    size_t id_bytes;
} rp__mail;

/* Any bytes are a message. The text is the sender, then every part that is text and no attachment:
 * plain parts as they are, pages as their text where no plain part came before. */
void rp__mail_read(rp__mail *mail, const char *at, size_t n);

#endif
