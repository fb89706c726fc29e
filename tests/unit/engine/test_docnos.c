/* test_docnos.c: pairs of ids that a run could not tell apart, against all pairs. */
#include "engine/docnos.h"

#include "riposte/riposte.h"
#include "tempdir.h"
#include "unit/files.h"

enum { IDS = 40, ID_BYTES = 8, ROUNDS = 300 };

static char docno_of(char ids[][ID_BYTES], size_t i, size_t at)
{
    return rp__docnos_byte(ids[i][at]);
}

static bool are_same(char ids[][ID_BYTES], size_t a, size_t b)
{
    size_t at = 0;
    while (ids[a][at] && docno_of(ids, a, at) == docno_of(ids, b, at))
        at++;
    return docno_of(ids, a, at) == docno_of(ids, b, at) && !ids[a][at] && !ids[b][at];
}

/* Ids of few bytes, so that some collections have such a pair and some have none. */
static size_t draw(uint64_t *seed, char ids[][ID_BYTES], bool *has_pair)
{
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz_ ";
    size_t n = 1 + *seed % IDS;
    *has_pair = false;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < 3; j++) {
            *seed = *seed * 6364136223846793005U + 1442695040888963407U;
            unsigned r = (unsigned)(*seed >> 33);
            ids[i][j] = r % 3 ? alphabet[26 + r / 3 % 2] : alphabet[r / 3 % 26];
        }
        snprintf(ids[i] + 3, ID_BYTES - 3, "%u", (unsigned)(*seed >> 40) % 9);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(ids[i], ids[j]) == 0) {
                n = i; /* an id comes once */
                break;
            }
            *has_pair = *has_pair || are_same(ids, i, j);
        }
    }
    return n;
}

static void test_all_pairs(void **state)
{
    (void)state;
    tempdir dir;
    uint64_t seed = 1;
    size_t pairs = 0, none = 0;
    assert_int_equal(tempdir_make(&dir), 0);
    for (size_t round = 0; round < ROUNDS; round++) {
        char ids[IDS][ID_BYTES];
        bool has_pair;
        rp_builder *b;
        rp_index *index;
        rp_error err = {0};
        size_t n = draw(&seed, ids, &has_pair);
        const char *path = tempdir_path(&dir, "index");
        assert_int_equal(rp_builder_new(path, NULL, &b, &err), RP_OK);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(rp_builder_add(b, ids[i], strlen(ids[i]), "", 0, "x", 1, &err), RP_OK);
        assert_int_equal(rp_builder_finish(b, NULL, &err), RP_OK);
        rp_builder_free(b);
        assert_int_equal(rp_index_open(path, NULL, &index, &err), RP_OK);
        assert_int_equal(rp__docnos_check(index, &err), has_pair ? RP_INPUT : RP_OK);
        pairs += has_pair;
        none += !has_pair;
        rp_index_close(index);
    }
    assert_true(pairs > ROUNDS / 10 && none > ROUNDS / 10);
    tempdir_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
