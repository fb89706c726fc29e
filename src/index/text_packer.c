/* text_packer.c: stored text of documents into blocks: their sizes, then their bytes, packed together. */
#include "index/index.h"

enum { TEXT_BLOCK = 16 * 1024 }; /* a block is full once it has so many bytes of text */

void rp__text_packer_reset(rp__text_packer *p)
{
    rp__buf_free(&p->sizes);
    rp__buf_free(&p->text);
    rp__buf_free(&p->raw);
    *p = (rp__text_packer){0};
}

bool rp__text_packer_add(rp__text_packer *p, uint32_t docid, const void *title, size_t title_bytes,
                         const void *text, size_t text_bytes)
{
    if (p->sizes.n == 0)
        p->first_docid = docid;
    rp__buf_put_varint(&p->sizes, title_bytes);
    rp__buf_put_varint(&p->sizes, text_bytes);
    rp__buf_put(&p->text, title, title_bytes);
    rp__buf_put(&p->text, text, text_bytes);
    return !p->sizes.failed && !p->text.failed;
}

bool rp__text_packer_is_empty(const rp__text_packer *p)
{
    return p->sizes.n == 0;
}

bool rp__text_packer_is_full(const rp__text_packer *p)
{
    return p->text.n >= TEXT_BLOCK;
}

rp_status rp__text_packer_pack(rp__text_packer *p, rp__zblock *z, rp__buf *packed,
                               uint32_t *raw_bytes)
{
    p->raw.n = 0;
    rp__buf_put(&p->raw, p->sizes.at, p->sizes.n);
    rp__buf_put(&p->raw, p->text.at, p->text.n);
    if (p->raw.failed || p->raw.n > UINT32_MAX)
        return RP_NO_MEMORY;
    *raw_bytes = (uint32_t)p->raw.n;
    p->sizes.n = 0;
    p->text.n = 0;
    return rp__zblock_pack(z, p->raw.at, p->raw.n, packed);
}
