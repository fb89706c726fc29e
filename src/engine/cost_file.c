/* cost_file.c: cost rules as JSON: read with suspicion, written, and compared with this machine.
 *
 * Numbers of rules are whole: logarithms with 16 fraction bits. So what is read is what was written, to the bit. */
#include "engine/cost_file.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/json.h"
#include "riposte/riposte.h"
#include "store/store.h"

#define SCHEMA "riposte.costs/1"
enum { MAX_DEPTH = 8, KEY = 32, MAX_BYTES = 4 << 20 };
static const int64_t max_feed_ns = 1000000000;

static const char *const processors[] = {"cpu", "gpu", "batch", NULL};
static const char *const shapes[] = {"term", "and", "or", "counted-or", "phrase", "other", NULL};
static const char *const features[] = {"shortest", "second", "total",   "terms", "reading",
                                       "results",  "pairs",  "matches", "fill",  NULL};
_Static_assert(sizeof processors / sizeof *processors == RP_COST_PROCESSORS + 1, "one name each");
_Static_assert(sizeof shapes / sizeof *shapes == RP_AUTO_SHAPES + 1, "one name each");
_Static_assert(sizeof features / sizeof *features == RP_COST_FEATURES + 1, "one name each");

/* ---- Reading: tokens ------------------------------------------------------------------------- */

/* After a fault nothing more is read. */
typedef struct reader {
    const char *name;
    rp__json json;
    rp__json_type type; /* of the last token */
    char key[KEY];      /* of the last member; cut to fit */
    rp_status status;
    rp_error *err;
} reader;

static void fault(reader *r, const char *what)
{
    if (r->status == RP_OK)
        r->status = rp__error_set(r->err, RP_DAMAGED, "%s: byte %zu: %s", r->name,
                                  (size_t)(r->json.at - r->json.begin), what);
}

static bool note(reader *r, rp_status status)
{
    if (status == RP_NO_MEMORY)
        r->status = rp__error_no_memory(r->err);
    else if (status != RP_OK)
        r->status = rp__error_set(r->err, RP_DAMAGED, "%s: byte %zu: %s", r->name,
                                  r->json.fault_offset, r->json.fault);
    return r->status == RP_OK;
}

static bool next(reader *r)
{
    return r->status == RP_OK && note(r, rp__json_next(&r->json, &r->type));
}

static bool expect(reader *r, rp__json_type type, const char *what)
{
    if (next(r) && r->type != type)
        fault(r, what);
    return r->status == RP_OK;
}

/* False: the object has no more members. */
static bool next_member(reader *r)
{
    if (!next(r) || r->type == RP_JSON_OBJECT_END)
        return false;
    const size_t n = r->json.string_bytes;
    const size_t kept = n < KEY && !memchr(r->json.string, 0, n) ? n : 0;
    memcpy(r->key, r->json.string, kept);
    r->key[kept] = 0;
    return true;
}

static bool is_member(const reader *r, const char *name)
{
    return strcmp(r->key, name) == 0;
}

static void skip(reader *r)
{
    if (r->status == RP_OK)
        note(r, rp__json_skip(&r->json));
}

/* A string; null is "". */
static void read_text(reader *r, char *out, size_t bytes)
{
    *out = 0;
    if (!next(r) || r->type == RP_JSON_NULL)
        return;
    const size_t n = r->json.string_bytes;
    if (r->type != RP_JSON_STRING) {
        fault(r, "expected a string");
    } else if (n >= bytes || memchr(r->json.string, 0, n)) {
        fault(r, "the string is too long, or has a NUL");
    } else {
        memcpy(out, r->json.string, n);
        out[n] = 0;
    }
}

/* Which of the names; 0 where it is none of them. */
static int read_name(reader *r, const char *const *names)
{
    char text[KEY];
    read_text(r, text, sizeof text);
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], text) == 0)
            return i;
    fault(r, "a name that is not known");
    return 0;
}

/* A whole number. */
static int64_t read_number(reader *r, int64_t min, int64_t max)
{
    if (!expect(r, RP_JSON_NUMBER, "expected a number"))
        return min;
    const char *at = r->json.string, *end = at + r->json.string_bytes;
    const bool is_negative = *at == '-';
    int64_t value = 0;
    for (at += is_negative; at < end && value <= INT64_MAX / 10 - 1; at++) {
        if (*at < '0' || *at > '9')
            break;
        value = value * 10 + (*at - '0');
    }
    value = is_negative ? -value : value;
    if (at < end)
        fault(r, "expected a whole number");
    else if (value < min || value > max)
        fault(r, min == 0 && value < 0 ? "a number below 0" : "a number out of range");
    return r->status == RP_OK ? value : min;
}

/* ---- Reading: rules, trees, the object ------------------------------------------------------- */

static void read_weights(reader *r, rp__cost_rule *rule)
{
    if (!expect(r, RP_JSON_ARRAY, "expected an array of weights"))
        return;
    for (int i = 0; i < RP_COST_FEATURES; i++)
        rule->weights[i] = (int32_t)read_number(r, INT32_MIN, INT32_MAX);
    expect(r, RP_JSON_ARRAY_END, "too many weights");
}

/* Of an inner rule a feature, a threshold and what follows; of a leaf a bias and weights. */
static void read_rule(reader *r, rp__cost_rule *rule)
{
    *rule = (rp__cost_rule){.feature = RP_COST_LEAF};
    unsigned inner = 0, leaf = 0;
    while (next_member(r)) {
        if (is_member(r, "feature"))
            rule->feature = (uint8_t)read_name(r, features), inner |= 1;
        else if (is_member(r, "threshold"))
            rule->threshold = (int32_t)read_number(r, INT32_MIN, INT32_MAX), inner |= 2;
        else if (is_member(r, "low"))
            rule->low = (uint8_t)read_number(r, 0, RP_COST_RULES - 1), inner |= 4;
        else if (is_member(r, "high"))
            rule->high = (uint8_t)read_number(r, 0, RP_COST_RULES - 1), inner |= 8;
        else if (is_member(r, "bias"))
            rule->bias = (int32_t)read_number(r, INT32_MIN, INT32_MAX), leaf |= 1;
        else if (is_member(r, "weights"))
            read_weights(r, rule), leaf |= 2;
        else
            skip(r);
    }
    if (!(inner == 15 && leaf == 0) && !(inner == 0 && leaf == 3))
        fault(r, "a rule is neither a comparison nor a sum of weights");
}

static void read_rules(reader *r, rp__cost_tree *tree)
{
    if (tree->n > 0)
        fault(r, "rules came before");
    if (!expect(r, RP_JSON_ARRAY, "expected an array of rules"))
        return;
    while (next(r) && r->type != RP_JSON_ARRAY_END) {
        if (r->type != RP_JSON_OBJECT)
            fault(r, "expected a rule");
        else if (tree->n == RP_COST_RULES)
            fault(r, "too many rules");
        else
            read_rule(r, &tree->rules[tree->n++]);
    }
    if (r->status == RP_OK && !rp__cost_tree_is_sound(tree))
        fault(r, "the rules are no tree");
}

static void read_tree(reader *r, rp__cost_file *out, rp__cost_tree *tree)
{
    int processor = -1, shape = -1;
    *tree = (rp__cost_tree){0};
    while (next_member(r)) {
        if (is_member(r, "processor"))
            processor = read_name(r, processors);
        else if (is_member(r, "shape"))
            shape = read_name(r, shapes);
        else if (is_member(r, "rules"))
            read_rules(r, tree);
        else
            skip(r);
    }
    if (processor < 0 || shape < 0 || tree->n == 0)
        fault(r, "a tree without processor, shape or rules");
    else if (out->model.trees[processor][shape].n > 0)
        fault(r, "a tree for this processor and shape came before");
    if (r->status != RP_OK)
        return;
    out->model.trees[processor][shape] = *tree;
    out->about.rules += (tree->n + 1) / 2; /* leaves */
}

static void read_trees(reader *r, rp__cost_file *out)
{
    if (!expect(r, RP_JSON_ARRAY, "expected an array of trees"))
        return;
    rp__cost_tree *tree = rp__alloc(sizeof *tree);
    if (!tree)
        r->status = rp__error_no_memory(r->err);
    while (next(r) && r->type != RP_JSON_ARRAY_END) {
        if (r->type != RP_JSON_OBJECT)
            fault(r, "expected a tree");
        else
            read_tree(r, out, tree);
    }
    rp__free(tree);
}

/* So that a file of another release is named as such, whatever it has. */
static void read_release(reader *r, const char *mine, char *out, size_t bytes)
{
    read_text(r, out, bytes);
    if (r->status == RP_OK && strcmp(out, mine) != 0)
        r->status =
            rp__error_set(r->err, RP_INCOMPATIBLE,
                          "%s: it is of %s, and this is %s; calibrate anew", r->name, out, mine);
}

static void read_member(reader *r, rp__cost_file *out)
{
    rp_costs *about = &out->about;
    char schema[KEY];
    if (is_member(r, "schema"))
        read_release(r, SCHEMA, schema, sizeof schema);
    else if (is_member(r, "version"))
        read_release(r, rp_version(), about->version, sizeof about->version);
    else if (is_member(r, "cpu"))
        read_text(r, about->cpu, sizeof about->cpu);
    else if (is_member(r, "cores"))
        about->cores = (uint32_t)read_number(r, 0, UINT32_MAX);
    else if (is_member(r, "instructions"))
        read_text(r, about->instructions, sizeof about->instructions);
    else if (is_member(r, "card"))
        read_text(r, about->card, sizeof about->card);
    else if (is_member(r, "driver"))
        read_text(r, about->driver, sizeof about->driver);
    else if (is_member(r, "codec"))
        read_text(r, about->codec, sizeof about->codec);
    else if (is_member(r, "feed_ns"))
        out->model.feed_ns = (uint64_t)read_number(r, 0, max_feed_ns);
    else if (is_member(r, "trees"))
        read_trees(r, out);
    else
        skip(r);
}

rp_status rp__cost_file_parse(const char *name, const char *text, size_t bytes, rp__cost_file *out,
                              rp_error *err)
{
    reader r = {.name = name, .err = err};
    *out = (rp__cost_file){0};
    rp__json_init(&r.json);
    rp__json_start(&r.json, text, bytes, MAX_DEPTH);
    if (expect(&r, RP_JSON_OBJECT, "expected an object"))
        while (next_member(&r))
            read_member(&r, out);
    expect(&r, RP_JSON_END, "more than one object");
    const rp_costs *about = &out->about;
    if (!about->version[0] || !about->cpu[0] || !about->cores || !about->instructions[0] ||
        !about->codec[0] || !about->rules)
        fault(&r, "version, cpu, cores, instructions, codec or trees are missing");
    rp__json_free(&r.json);
    if (r.status != RP_OK)
        *out = (rp__cost_file){0};
    return r.status;
}

rp_status rp__cost_file_read(const char *path, rp__cost_file *out, rp_error *err)
{
    rp__buf text = {0};
    *out = (rp__cost_file){0};
    rp_status status = rp__input_read_all(path, NULL, MAX_BYTES, &text, err);
    if (status == RP_OK)
        status = rp__cost_file_parse(path, (const char *)text.at, text.n, out, err);
    if (status == RP_INPUT || status == RP_LIMIT) /* packed badly, or too long */
        status = rp__error_set(err, RP_DAMAGED, "%s: it is no cost file", path);
    rp__buf_free(&text);
    return status;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void write_number(rp__json_writer *w, const char *key, int64_t value)
{
    rp__json_writer_real(w, key, (double)value, 0);
}

static void write_rule(rp__json_writer *w, const rp__cost_rule *rule)
{
    rp__json_writer_begin(w, NULL, '{');
    if (rule->feature != RP_COST_LEAF) {
        rp__json_writer_text(w, "feature", features[rule->feature]);
        write_number(w, "threshold", rule->threshold);
        write_number(w, "low", rule->low);
        write_number(w, "high", rule->high);
    } else {
        write_number(w, "bias", rule->bias);
        rp__json_writer_begin(w, "weights", '[');
        for (int i = 0; i < RP_COST_FEATURES; i++)
            write_number(w, NULL, rule->weights[i]);
        rp__json_writer_end(w, ']');
    }
    rp__json_writer_end(w, '}');
}

static void write_tree(rp__json_writer *w, const rp__cost_tree *tree, int processor, int shape)
{
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_text(w, "processor", processors[processor]);
    rp__json_writer_text(w, "shape", shapes[shape]);
    rp__json_writer_begin(w, "rules", '[');
    for (uint32_t i = 0; i < tree->n; i++)
        write_rule(w, &tree->rules[i]);
    rp__json_writer_end(w, ']');
    rp__json_writer_end(w, '}');
}

void rp__cost_file_write(const rp__cost_file *file, rp__buf *out)
{
    const rp_costs *about = &file->about;
    rp__json_writer w;
    rp__json_writer_init(&w, out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", SCHEMA);
    rp__json_writer_text(&w, "version", about->version);
    rp__json_writer_text(&w, "cpu", about->cpu);
    rp__json_writer_uint(&w, "cores", about->cores);
    rp__json_writer_text(&w, "instructions", about->instructions);
    rp__json_writer_text(&w, "card", about->card[0] ? about->card : NULL);
    rp__json_writer_text(&w, "driver", about->driver[0] ? about->driver : NULL);
    rp__json_writer_text(&w, "codec", about->codec);
    rp__json_writer_uint(&w, "feed_ns", file->model.feed_ns);
    rp__json_writer_begin(&w, "trees", '[');
    for (int p = 0; p < RP_COST_PROCESSORS; p++)
        for (int s = 0; s < RP_AUTO_SHAPES; s++)
            if (file->model.trees[p][s].n > 0)
                write_tree(&w, &file->model.trees[p][s], p, s);
    rp__json_writer_end(&w, ']');
    rp__json_writer_end(&w, '}');
    rp__buf_put_byte(out, '\n');
}

/* ---- This machine ---------------------------------------------------------------------------- */

void rp__cost_file_here(const char *gpu, rp_costs *out)
{
    rp_gpu card;
    *out = (rp_costs){.cores = rp__cpu_machine_cores()};
    snprintf(out->version, sizeof out->version, "%s", rp_version());
    rp__cpu_model(out->cpu, sizeof out->cpu);
    snprintf(out->instructions, sizeof out->instructions, "%s", rp__cpu_level());
    if (!gpu || rp_gpu_get(*gpu ? gpu : NULL, 0, &card, NULL) != RP_OK)
        return;
    snprintf(out->card, sizeof out->card, "%s", card.name);
    snprintf(out->driver, sizeof out->driver, "%s", card.driver);
}

rp_status rp__cost_file_check(const char *name, const rp_costs *about, const rp_costs *here,
                              rp_error *err)
{
    const struct {
        const char *what, *there, *here;
    } rows[] = {{"the CPU", about->cpu, here->cpu},
                {"the instruction set", about->instructions, here->instructions},
                {"the card", about->card, here->card},
                {"the card's driver", about->driver, here->driver},
                {"an index in the codec", about->codec, here->codec}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (*rows[i].there && *rows[i].here && strcmp(rows[i].there, rows[i].here) != 0)
            return rp__error_set(err, RP_INCOMPATIBLE, "%s: it is of %s %s, and here is %s", name,
                                 rows[i].what, rows[i].there, rows[i].here);
    if (about->cores != here->cores)
        return rp__error_set(err, RP_INCOMPATIBLE,
                             "%s: it is of a machine with %u cores, and here are %u", name,
                             about->cores, here->cores);
    return RP_OK;
}

rp_status rp_costs_read(const char *path, const char *gpu, rp_costs *out, rp_error *err)
{
    if (RP_MISSING(err, path, out))
        return RP_USAGE;
    rp_costs here;
    *out = (rp_costs){0};
    rp__cost_file *file = rp__alloc(sizeof *file);
    if (!file)
        return rp__error_no_memory(err);
    rp_status status = rp__cost_file_read(path, file, err);
    if (status == RP_OK) {
        *out = file->about;
        rp__cost_file_here(file->about.card[0] ? gpu ? gpu : "" : NULL, &here);
        status = rp__cost_file_check(path, &file->about, &here, err);
    }
    rp__free(file);
    return status;
}
