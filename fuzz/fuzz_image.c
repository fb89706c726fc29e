/* fuzz_image.c: any bytes as an IIU image.
 *
 * Byte 0 says whether checksums are made right (bit 0) before the rest is read, in memory of exactly
 * its size. RIPOSTE_SEEDS=DIR fuzz_image writes seeds: small images of every option.
 * Checked: what opens has names that are found again; what decodes rises and lies below n_docs. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "sim/crc32c.h"
#include "sim/image.h"
#include "sim/image_format.h"

enum { MOST = 1 << 16 };

#define MUST(fact) ((fact) ? (void)0 : broken(#fact, __LINE__))

static _Noreturn void broken(const char *fact, int line)
{
    fprintf(stderr, "fuzz_image.c:%d: does not hold: %s\n", line, fact);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* ---- Sums made right ------------------------------------------------------------------------- */

static uint32_t sum_of(const uint8_t *bytes, size_t n, uint64_t at, uint64_t length, uint32_t crc)
{
    return at <= n && length <= n - at ? rp__crc32c(crc, bytes + at, (size_t)length) : crc;
}

static void seal_list(uint8_t *bytes, size_t n, uint64_t at)
{
    rp__image_header h;
    if (at > n || n - at < sizeof h)
        return;
    memcpy(&h, bytes + at, sizeof h);
    h.magic = RP_IMAGE_LIST_MAGIC;
    h.crc32c = rp__crc32c(0, &h, offsetof(rp__image_header, crc32c));
    h.crc32c = sum_of(bytes, n, h.meta_at, 8 * (uint64_t)h.n_blocks, h.crc32c);
    h.crc32c = sum_of(bytes, n, h.skip_at, 4 * (uint64_t)h.n_blocks, h.crc32c);
    h.crc32c = sum_of(bytes, n, h.payload_at, (h.payload_bits + 7) / 8, h.crc32c);
    memcpy(bytes + at, &h, sizeof h);
}

static void seal(uint8_t *bytes, size_t n)
{
    rp__image_head head;
    rp__image_tail tail;
    if (n < sizeof head + sizeof tail)
        return;
    memcpy(&head, bytes, sizeof head);
    memcpy(&tail, bytes + n - sizeof tail, sizeof tail);
    memcpy(head.magic, RP_IMAGE_MAGIC, sizeof head.magic);
    memcpy(tail.magic, RP_IMAGE_MAGIC_END, sizeof tail.magic);
    head.version = RP_IMAGE_VERSION;
    tail.image_bytes = n;
    for (uint64_t i = 0; i < tail.n_lists && i < MOST / sizeof(rp__image_entry); i++) {
        const uint64_t at = tail.directory_at + i * sizeof(rp__image_entry);
        if (at <= n && n - at >= sizeof(rp__image_entry))
            seal_list(bytes, n, rp__load64(bytes + at));
    }
    tail.dl_crc = sum_of(bytes, n, head.dl_at, 4 * (uint64_t)head.n_docs, 0);
    tail.directory_crc = sum_of(bytes, n, tail.directory_at, tail.directory_bytes, 0);
    head.crc32c = rp__crc32c(0, &head, offsetof(rp__image_head, crc32c));
    tail.crc32c = rp__crc32c(0, &tail, offsetof(rp__image_tail, crc32c));
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + n - sizeof tail, &tail, sizeof tail);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void read_list(const rp__image *image, uint64_t i)
{
    rp__image_list list;
    rp_error err;
    if (rp__image_get_list(image, i, &list, &err) != RP_OK)
        return;
    uint32_t *docids = malloc(8 * (size_t)list.n_postings), *tfs = docids + list.n_postings;
    if (docids && rp__image_decode(image, &list, docids, tfs) == RP_OK)
        for (uint32_t k = 0; k < list.n_postings; k++) {
            MUST(docids[k] < image->n_docs && tfs[k] > 0);
            MUST(k == 0 || docids[k - 1] < docids[k]);
        }
    free(docids);
}

static void read_image(const uint8_t *bytes, size_t n)
{
    rp__image image;
    rp_error err;
    if (rp__image_open(bytes, n, &image, &err) != RP_OK)
        return;
    for (uint64_t i = 0; i < image.n_lists; i++) {
        const char *name;
        size_t name_bytes;
        uint64_t found;
        rp__image_name(&image, i, &name, &name_bytes);
        MUST(rp__image_find(&image, name, name_bytes, &found) == RP_OK && found == i);
        read_list(&image, i);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > MOST)
        return 0;
    uint8_t *bytes = malloc(size);
    if (!bytes)
        return 0;
    memcpy(bytes, data + 1, size - 1);
    if (data[0] & 1)
        seal(bytes, size - 1);
    uint8_t *exact = realloc(bytes, size - 1 ? size - 1 : 1);
    read_image(exact, size - 1);
    free(exact);
    return 0;
}

/* ---- Seeds ----------------------------------------------------------------------------------- */

enum { SEED_DOCS = 300 };

static void write_seed(const char *dir, size_t number, const rp__image_options *options)
{
    uint32_t docids[SEED_DOCS], tfs[SEED_DOCS], dl[SEED_DOCS];
    char path[4096], name[2] = "a";
    rp__image_writer w;
    for (uint32_t i = 0; i < SEED_DOCS; i++)
        dl[i] = 65536 + 77 * i;
    rp__image_writer_begin(&w, options, 1.2, 0.75, SEED_DOCS);
    rp__image_writer_dl(&w, dl, SEED_DOCS);
    for (uint32_t step = 1; step < 4096; step *= 4, name[0]++) {
        uint32_t n = 0;
        for (uint32_t d = step / 4; d < SEED_DOCS; d += 1 + (step + d) % step, n++) {
            docids[n] = d;
            tfs[n] = 1 + d % (step + 3);
        }
        MUST(n == 0 || rp__image_writer_list(&w, name, 1, docids, tfs, n, step) == RP_OK);
    }
    MUST(rp__image_writer_end(&w) == RP_OK);
    snprintf(path, sizeof path, "%s/image-%zu", dir, number);
    FILE *file = fopen(path, "wb");
    MUST(file && fputc(1, file) != EOF && fwrite(w.out.at, w.out.n, 1, file) == 1);
    MUST(fclose(file) == 0);
    rp__image_writer_free(&w);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const rp__image_options options[] = {
        {0}, {.max_size = 7}, {.of = RP_IIU_COST_PAPER}, {.fixed = 128}, {.has_bounds = true}};
    const char *dir = getenv("RIPOSTE_SEEDS");
    (void)argc, (void)argv;
    for (size_t i = 0; dir && i < sizeof options / sizeof options[0]; i++)
        write_seed(dir, i, &options[i]);
    return 0;
}
