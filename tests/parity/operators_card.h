/* operators_card.h: queries by operators on an emulated device, for tests of them: one collection, whose lists that are
 * asked for have 3 to 9 blocks, in any codec, with auxiliary data. */
#ifndef RP_TESTS_OPERATORS_CARD_H
#define RP_TESTS_OPERATORS_CARD_H

#include "backend/gpu/exec/exec.h"
#include "engine/searcher.h"

enum {
    OPERATORS_DOCS = 1700,
    OPERATORS_WORDS = 60,
    OPERATORS_QUERIES = 2,
    OPERATORS_TEXT = 64,
    OPERATORS_SPEC = 128,
    OPERATORS_SMALL = 80 << 10, /* bytes of a device that has room for some lists */
};

/* The collection on a device, and on the cpu. */
typedef struct operators_card {
    rp_index *index;
    rp_searcher *searcher;
    rp__arena arena;
    rp__device device;
    rp__gpu_index there;
    rp__exec exec;
} operators_card;

/* Two terms and four others, whose lists have 3 to 9 blocks. */
extern char operators_queries[OPERATORS_QUERIES][OPERATORS_TEXT];
/* What is damaged, for messages of operators_compare; "" at first. */
extern char operators_damaged[OPERATORS_SPEC];

/* Of a group of tests. */
int operators_open_collection(void **state);
int operators_close_collection(void **state);

/* The order of threads. */
void operators_configure(uint64_t seed);
/* The collection in a codec, as operators_path has it. */
void operators_recode(const char *codec, const char *aux);
void operators_path(char *out, size_t room, const char *codec);
/* False: it does not open. */
bool operators_open_index(operators_card *d, const char *codec, uint64_t memory);
/* Both, with all auxiliary data. */
void operators_open_card(operators_card *d, const char *codec, uint64_t memory);
void operators_close_card(operators_card *d);

void operators_bind(operators_card *d, const char *text, rp_mode mode, size_t k, rp__query *query);
const char *operators_codec_of(const rp__query *query);
/* Whether the index has what the rows need; if not, they are refused. */
bool operators_can(const operators_card *d, const char *spec, size_t k);
/* The answer is the k best of the cpu's. */
void operators_compare(operators_card *d, const char *spec, const rp__query *query, size_t k,
                       const char *text, const rp__answer *got);

#endif
