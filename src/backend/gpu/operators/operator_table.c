/* operator_table.c: the rows, and what they need of an index. A method that queries can name is added here. */
#include "backend/gpu/operators/operator_table.h"

#include <string.h>

#include "backend/gpu/operators/intersect_table.h"
#include "backend/gpu/operators/select_table.h"
#include "backend/gpu/residency/transcode.h"
#include "base/error.h"

/* ---- Rows -------------------------------------------------------------------------------------- */

/* Lists are decoded by the kernel of their codec. A row that is named after a codec reads no other. */
#define DECODE(name, id)                                                                           \
    {                                                                                              \
        name, KARG_CODEC_##id, name, NULL, 0, false                                                \
    }
#define LITERAL(name, id)                                                                          \
    {                                                                                              \
        name, KARG_CODEC_##id, name, NULL, 0, true                                                 \
    }
static const rp__operator decodes[] = {
    {"auto", RP_OPERATOR_AUTO, NULL, NULL, 0, false},
    DECODE("raw", RAW),
    DECODE("vbyte", VBYTE),
    DECODE("bp128", BP128),
    DECODE("bp256", BP256),
    DECODE("bp128t", BP128T),
    DECODE("bp128v", BP128V),
    DECODE("bp128d4", BP128D4),
    DECODE("simple16", SIMPLE16),
    DECODE("pfd", PFD),
    DECODE("newpfd", NEWPFD),
    DECODE("optpfd", OPTPFD),
    LITERAL("parapfor", PARAPFOR),
    DECODE("pfd_rec", PFD_REC),
    DECODE("fastpfd", FASTPFD),
    DECODE("rice", RICE),
    DECODE("qs", QS),
    {"qs-naive", RP_OPERATOR_QS + RP_QS_NAIVE, "qs", NULL, 0, true},
    {"qs-li-separate", RP_OPERATOR_QS + RP_QS_SEPARATE, "qs", NULL, 0, true},
    {"qs-li", RP_OPERATOR_QS + RP_QS_MERGED, "qs", NULL, 0, true},
    {"qs-words", RP_OPERATOR_QS + RP_QS_WORDS, "qs", NULL, 0, false},
    DECODE("ef128", EF128),
    {"ef128-literal", RP_OPERATOR_PARA_EF, "ef128", NULL, 0, true},
    DECODE("interpolative", INTERPOLATIVE),
    DECODE("iiu", IIU),
    DECODE("bitmap", BITMAP),
    LITERAL("lrc", LRC),
    LITERAL("lrcseg", LRCSEG),
    LITERAL("seglrc", SEGLRC),
    LITERAL("hslrc256", HSLRC256),
    LITERAL("hslrc128", HSLRC128),
    DECODE("mixed", MIXED),
};

#define INTERSECT(name, id, codec, aux)                                                            \
    {                                                                                              \
        name, RP_INTERSECT_##id, codec, aux, 0, false                                              \
    }
#define HS(bucket) INTERSECT("hs" bucket, HS_X2, NULL, "hs" bucket)
static const rp__operator intersects[] = {
    {"auto", RP_OPERATOR_AUTO, NULL, NULL, 0, false},
    INTERSECT("bs", BS, NULL, NULL),
    INTERSECT("bs-ends", BS_X2, NULL, NULL),
    INTERSECT("bs-ends-x1", BS_X1, NULL, NULL),
    INTERSECT("is", IS, NULL, NULL),
    INTERSECT("is-8", IS_8, NULL, NULL),
    INTERSECT("lr", LR_GLOBAL, NULL, "lr"),
    INTERSECT("lr-local", LR_LOCAL, NULL, "lr"),
    HS("16"),
    HS("32"),
    HS("64"),
    HS("128"),
    HS("256"),
    INTERSECT("skip", SKIP, NULL, NULL),
    INTERSECT("pmf", PMF, NULL, NULL),
    {"ding", RP_OPERATOR_DING, NULL, NULL, 0, true},
    INTERSECT("mpath", MPATH, NULL, NULL),
    INTERSECT("mpath-two", MPATH_TWO, NULL, NULL),
    INTERSECT("tile", TILE, NULL, NULL),
    INTERSECT("tile-ranks", TILE_RANKS, NULL, NULL),
    INTERSECT("tile-marks", TILE_MARKS, NULL, NULL),
    INTERSECT("bits", BITS_PROBE, NULL, NULL),
    INTERSECT("bits-and", BITS_AND, NULL, NULL),
    INTERSECT("bits-marks", BITS_MARKS, NULL, NULL),
    INTERSECT("bp128", BP128, "bp128", NULL),
    INTERSECT("bp128-tile", BP128_TILE, "bp128", NULL),
    INTERSECT("lrc-heads", LRC_HEADS, "lrc", "lr"),
    INTERSECT("lrc", LRC_AT, "lrc", "lr"),
    INTERSECT("lrcseg", LRCSEG, "lrcseg", NULL),
    INTERSECT("seglrc", SEGLRC, "seglrc", NULL),
    INTERSECT("hslrc256", HSLRC256, "hslrc256", NULL),
    INTERSECT("hslrc128", HSLRC128, "hslrc128", NULL),
};

static const rp__operator scores[] = {
    {"auto", RP_OPERATOR_AUTO, NULL, NULL, 0, false},
    {"lookup", RP_OPERATOR_LOOKUP, NULL, NULL, 0, false},
    {"accumulate", RP_OPERATOR_ACCUMULATE, NULL, NULL, 0, true},
};

#define SELECT(name, id, max_k)                                                                    \
    {                                                                                              \
        name, RP_SELECT_##id, NULL, NULL, max_k, false                                             \
    }
static const rp__operator selects[] = {
    {"auto", RP_OPERATOR_AUTO, NULL, NULL, 0, false},
    SELECT("sample", SAMPLE, TUNE_SELECT_FITS),
    SELECT("radix", RADIX, 0),
    SELECT("bucket", BUCKET, TUNE_SELECT_FITS),
    SELECT("heap", HEAP, 0),
    SELECT("heap512", HEAP512, 0),
    SELECT("bitonic", BITONIC, KARG_BITONIC_TILE / 2),
    SELECT("sort", SORT, 0),
    SELECT("block", BLOCK, TUNE_SELECT_FITS),
    {"host", RP_OPERATOR_HOST, NULL, NULL, 0, false},
};

static const struct {
    const rp__operator *rows;
    size_t n;
} phases[RP_PHASES] = {
    [RP_PHASE_DECODE] = {decodes, sizeof decodes / sizeof decodes[0]},
    [RP_PHASE_INTERSECT] = {intersects, sizeof intersects / sizeof intersects[0]},
    [RP_PHASE_SCORE] = {scores, sizeof scores / sizeof scores[0]},
    [RP_PHASE_SELECT] = {selects, sizeof selects / sizeof selects[0]},
};

const rp__operator *rp__operator_table_at(rp__operator_phase phase, size_t i)
{
    return i < phases[phase].n ? &phases[phase].rows[i] : NULL;
}

bool rp__operator_table_is_literal(rp__operator_phase phase, const rp__operator *row)
{
    if (phase == RP_PHASE_INTERSECT && row->id < RP_INTERSECTS)
        return rp__intersect_table[row->id].is_literal;
    if (phase == RP_PHASE_SELECT && row->id < RP_SELECTS)
        return rp__select_table[row->id].is_literal;
    return row->is_literal;
}

/* ---- Options ----------------------------------------------------------------------------------- */

static const char *name_of(rp__operator_phase phase, size_t i)
{
    const rp__operator *row = rp__operator_table_at(phase, i);
    return row ? row->name : NULL;
}

static const char *decode_at(size_t i)
{
    return name_of(RP_PHASE_DECODE, i);
}

static const char *intersect_at(size_t i)
{
    return name_of(RP_PHASE_INTERSECT, i);
}

static const char *score_at(size_t i)
{
    return name_of(RP_PHASE_SCORE, i);
}

static const char *select_at(size_t i)
{
    return name_of(RP_PHASE_SELECT, i);
}

static const char *mode_at(size_t i)
{
    static const char *const names[] = {"chained", "stepped", NULL};
    return i < 2 ? names[i] : NULL;
}

enum { LEVELS = RP_PHASES, MODE, OPTIONS };
static const rp__algorithm_option options[OPTIONS] = {
    [RP_PHASE_DECODE] = {.name = "decode", .value_at = decode_at},
    [RP_PHASE_INTERSECT] = {.name = "intersect", .value_at = intersect_at},
    [RP_PHASE_SCORE] = {.name = "score", .value_at = score_at},
    [RP_PHASE_SELECT] = {.name = "select", .value_at = select_at},
    [LEVELS] = {.name = "levels", .min = 1, .max = 4, .initial = 1},
    [MODE] = {.name = "mode", .value_at = mode_at},
};

rp_status rp__operator_table_parse(const char *spec, rp__operator_choice *out, rp_error *err)
{
    rp__algorithm_spec read;
    rp_status status = rp__algorithm_spec_parse(spec, options, OPTIONS, &read, err);
    if (status != RP_OK)
        return status;
    for (size_t i = 0; i < RP_PHASES; i++)
        out->rows[i] = &phases[i].rows[read.values[i]];
    out->levels = read.values[LEVELS];
    out->is_stepped = read.values[MODE] == 1;
    const uint32_t id = out->rows[RP_PHASE_INTERSECT]->id;
    if (read.is_given[LEVELS] && id != RP_INTERSECT_PMF && id != RP_OPERATOR_DING)
        return rp__error_set(err, RP_USAGE, "levels is for intersect=pmf and intersect=ding");
    return RP_OK;
}

/* ---- What they need ---------------------------------------------------------------------------- */

static bool has_aux(const rp__segment_info *info, const char *kind)
{
    for (size_t i = 0; i < info->n_aux; i++)
        if (strcmp(info->aux[i]->name, kind) == 0)
            return true;
    return false;
}

const char *rp__operator_table_codec_words(const char *codec)
{
    return strcmp(codec, "auto") == 0 ? "each in a codec of its own, as chosen by " : "in ";
}

static rp_status check_row(rp__operator_phase phase, const rp__operator *row,
                           const rp__segment_info *info, size_t k, rp_error *err)
{
    const char *option = options[phase].name;
    if (row->codec && strcmp(row->codec, info->codec) != 0)
        return rp__error_set(err, RP_USAGE,
                             "%s=%s reads lists in %s, and those of the index are %s%s; "
                             "'riposte recode DIR --codec %s -o NEW' makes one that it reads",
                             option, row->name, row->codec,
                             rp__operator_table_codec_words(info->codec), info->codec, row->codec);
    if (row->aux && !has_aux(info, row->aux))
        return rp__error_set(err, RP_USAGE,
                             "%s=%s reads auxiliary data that the index does not have; "
                             "'riposte recode DIR --aux %s -o NEW' adds them",
                             option, row->name, row->aux);
    if (row->max_k && k > row->max_k)
        return rp__error_set(err, RP_USAGE, "%s=%s selects at most %u documents, and k is %zu",
                             option, row->name, row->max_k, k);
    return RP_OK;
}

/* Rows that the mode never runs. */
static rp_status check_mode(const rp__operator_choice *choice, const rp__algorithm_use *use,
                            rp_error *err)
{
    const rp__operator *intersect = choice->rows[RP_PHASE_INTERSECT];
    if (!use->is_and && intersect->id != RP_OPERATOR_AUTO)
        return rp__error_set(err, RP_USAGE,
                             "intersect=%s is for ANDs, which --mode or does not ask; choose "
                             "--mode and or andor",
                             intersect->name);
    if (use->is_or && choice->rows[RP_PHASE_SCORE]->id == RP_OPERATOR_LOOKUP)
        return rp__error_set(err, RP_USAGE,
                             "score=lookup is for ANDs, and --mode %s asks ORs; choose --mode and, "
                             "or score=accumulate",
                             use->is_and ? "andor" : "or");
    return RP_OK;
}

rp_status rp__operator_table_check(const char *spec, const rp__algorithm_use *use, rp_error *err)
{
    rp__operator_choice choice;
    const rp__segment_info *info = rp__segment_get_info(use->segment);
    rp_status status = rp__operator_table_parse(spec, &choice, err);
    for (size_t i = 0; i < RP_PHASES && status == RP_OK; i++)
        status = check_row((rp__operator_phase)i, choice.rows[i], info, use->k, err);
    return status == RP_OK ? check_mode(&choice, use, err) : status;
}
