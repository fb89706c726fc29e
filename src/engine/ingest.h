/* engine/ingest.h: interior of engine: one thread's part of a build: a document to tokens and
 * stored text. */
#ifndef RP_ENGINE_INGEST_H
#define RP_ENGINE_INGEST_H

#include "base/buf.h"
#include "engine/corpus.h"
#include "index/index.h"
#include "text/text.h"

/* A block of stored text, packed, waiting for its turn to be written. */
typedef struct rp__packed_block {
    uint32_t first_docid, raw_bytes;
    size_t offset, bytes; /* in `packed` */
} rp__packed_block;

/* One thread at a time. */
typedef struct rp__ingest {
    rp__segment_builder *builder;
    uint32_t worker;
    bool has_text;
    rp__analyzer_state *analyzer;
    rp__zblock *zblock;
    rp__text_packer open; /* the block to which documents are added */
    rp__buf packed;
    rp__packed_block *blocks;
    size_t n_blocks, cap_blocks;
    uint64_t tokens;
} rp__ingest;

rp_status rp__ingest_init(rp__ingest *in, rp__segment_builder *builder, uint32_t worker,
                          bool has_text, const rp__analyzer *analyzer);
void rp__ingest_reset(rp__ingest *in);
/* Memory that storing a document of so many bytes takes. */
uint64_t rp__ingest_store_bytes(uint64_t bytes);
/* Docids rise. The document may complete a block of stored text. */
rp_status rp__ingest_add(rp__ingest *in, uint32_t docid, const rp__doc *doc, rp_error *err);
/* Closes the open block. */
rp_status rp__ingest_end_block(rp__ingest *in, rp_error *err);
/* Hands all packed blocks to the builder; in the order of docids among all threads. */
rp_status rp__ingest_write_blocks(rp__ingest *in, rp_error *err);

#endif
