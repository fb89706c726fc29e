/* text_packer.c: stored text of documents into blocks: their sizes, then their bytes, packed together. */
#include <string.h>

#include "index/format.h"
#include "index/index.h"

enum { KEEP_BYTES = 64 << 10 }; /* a buffer that grew past this for one document is given back */

void rp__text_packer_reset(rp__text_packer *p)
{
    rp__buf_free(&p->sizes);
    rp__buf_free(&p->text);
    *p = (rp__text_packer){0};
}

uint8_t *rp__text_packer_extend(rp__text_packer *p, uint32_t docid, uint64_t title_bytes,
                                uint64_t text_bytes)
{
    if (p->sizes.n == 0)
        p->first_docid = docid;
    rp__buf_put_varint(&p->sizes, title_bytes);
    rp__buf_put_varint(&p->sizes, text_bytes);
    uint8_t *at = rp__buf_room(&p->text, (size_t)(title_bytes + text_bytes));
    if (!at || p->sizes.failed)
        return NULL;
    p->text.n += (size_t)(title_bytes + text_bytes);
    return at;
}

bool rp__text_packer_add(rp__text_packer *p, uint32_t docid, const void *title, size_t title_bytes,
                         const void *text, size_t text_bytes)
{
    uint8_t *at = rp__text_packer_extend(p, docid, title_bytes, text_bytes);
    if (at && title_bytes)
        memcpy(at, title, title_bytes);
    if (at && text_bytes)
        memcpy(at + title_bytes, text, text_bytes);
    return at != NULL;
}

bool rp__text_packer_is_empty(const rp__text_packer *p)
{
    return p->sizes.n == 0;
}

/* Documents without text take room by their sizes. */
bool rp__text_packer_is_full(const rp__text_packer *p)
{
    return p->text.n >= RP_TEXT_BLOCK || p->sizes.n >= RP_TEXT_BLOCK;
}

/* The text moves up and the sizes go before it, so that a long document is in memory once. */
rp_status rp__text_packer_pack(rp__text_packer *p, rp__zblock *z, rp__buf *packed,
                               uint32_t *raw_bytes)
{
    size_t n_sizes = p->sizes.n, n_text = p->text.n;
    if (!rp__buf_room(&p->text, n_sizes) || p->sizes.failed || n_sizes + n_text > UINT32_MAX)
        return RP_NO_MEMORY;
    memmove(p->text.at + n_sizes, p->text.at, n_text);
    memcpy(p->text.at, p->sizes.at, n_sizes);
    *raw_bytes = (uint32_t)(n_sizes + n_text);
    rp_status status = rp__zblock_pack(z, p->text.at, *raw_bytes, packed);
    p->sizes.n = 0;
    rp__buf_clear(&p->text, KEEP_BYTES);
    return status;
}
