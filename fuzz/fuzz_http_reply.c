/* fuzz_http_reply.c: any bytes as what a service sends, whole and in pieces, and as its address.
 * What is read from a part of a reply stays so when more comes; an address that is taken, written again, is the same. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/http_reply.h"
#include "lab/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check(int is_true)
{
    if (!is_true)
        abort();
}

static int is_same(const rp__http_reply *a, const rp__http_reply *b)
{
    return a->status == b->status && a->head_bytes == b->head_bytes &&
           a->body_bytes == b->body_bytes && a->closes == b->closes;
}

/* Every piece from the front, in a block of its own. */
static void read_pieces(const char *text, size_t bytes)
{
    rp__http_reply whole, part;
    const rp__http_reply_state state = rp__http_reply_read(text, bytes, &whole);
    if (state == RP_HTTP_REPLY_HEADED)
        check(whole.status >= 100 && whole.status < 600 && whole.head_bytes <= bytes);
    for (size_t n = 0; n <= bytes && n <= 512; n++) {
        char *own = malloc(n ? n : 1);
        check(own != NULL);
        memcpy(own, text, n);
        const rp__http_reply_state at = rp__http_reply_read(own, n, &part);
        if (at != RP_HTTP_REPLY_PART)
            check(at == state && (at == RP_HTTP_REPLY_BAD || is_same(&part, &whole)));
        free(own);
    }
}

static void read_address(const char *text)
{
    rp__url url, again;
    rp_error err = {.text = ""};
    char written[2048];
    if (rp__url_parse(text, &url, &err) != RP_OK) {
        check(err.text[0] != 0);
        return;
    }
    check(rp__url_is_meant(text) && url.host[0] && url.port[0] && url.authority[0]);
    snprintf(written, sizeof written, "http://%s%s", url.authority, url.path);
    check(rp__url_parse(written, &again, &err) == RP_OK);
    check(strcmp(url.host, again.host) == 0 && strcmp(url.port, again.port) == 0 &&
          strcmp(url.path, again.path) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char *text = malloc(bytes + 1);
    check(text != NULL);
    if (bytes > 0)
        memcpy(text, data, bytes);
    text[bytes] = 0;
    read_pieces(text, bytes);
    read_address(text);
    free(text);
    return 0;
}
