/* syntax_print.h: for tests: a parsed query as text that parses to the same in mode or. */
#ifndef RP_TESTS_SYNTAX_PRINT_H
#define RP_TESTS_SYNTAX_PRINT_H

#include "base/buf.h"
#include "plan/plan.h"

/* A word that between others could be that of a range. */
static inline bool is_range_word(const char *text, int bytes)
{
    return bytes == 2 && text[0] == 'T' && text[1] == 'O';
}

/* MUST is '+', NOT is '-', SHOULD is nothing; groups have parentheses, the outermost has none. */
static inline void syntax_print(const rp__syntax *syntax, rp__buf *out)
{
    static const char *const signs[] = {[RP_SHOULD] = "", [RP_MUST] = "+", [RP_NOT] = "-"};
    bool wants_space = false;
    for (size_t i = 1; i + 1 < syntax->n_ops; i++) {
        const rp__syntax_op *op = &syntax->ops[i];
        const char *text = syntax->text + op->begin;
        int bytes = (int)(op->end - op->begin);
        if (op->kind == RP_SYNTAX_CLOSE) {
            rp__buf_put_string(out, ")");
            wants_space = true;
            continue;
        }
        rp__buf_printf(out, "%s%s", wants_space ? " " : "", signs[op->role]);
        wants_space = op->kind != RP_SYNTAX_OPEN;
        if (op->kind == RP_SYNTAX_OPEN) {
            rp__buf_put_string(out, "(");
            continue;
        }
        const char *quote = op->kind == RP_SYNTAX_PHRASE ? "\"" : "";
        bool is_to = op->kind == RP_SYNTAX_WORD && is_range_word(text, bytes);
        rp__buf_printf(out, "%s%s", is_to ? "(" : "", quote);
        rp__buf_put(out, text, (size_t)bytes);
        rp__buf_printf(out, "%s%s", quote, op->kind == RP_SYNTAX_PREFIX ? "*" : "");
        if (op->slop)
            rp__buf_printf(out, "~%u", op->slop);
        if (op->boost != 1)
            rp__buf_printf(out, "^%.15g", op->boost);
        rp__buf_put_string(out, is_to ? ")" : "");
    }
    rp__buf_put_byte(out, 0);
}

/* What is wrong with the ops, or NULL. */
static inline const char *syntax_fault(const rp__syntax *s, size_t bytes,
                                       const rp_search_options *options)
{
    enum { MOST = 4096 };
    static _Thread_local uint32_t opens[MOST], children[MOST], positives[MOST];
    size_t depth = 0, deepest = 0, leaves = 0;
    for (size_t i = 0; i < s->n_ops; i++) {
        const rp__syntax_op *op = &s->ops[i];
        if (op->role > RP_NOT)
            return "role";
        if (depth == 0 && i != 0)
            return "more than one group";
        if (depth > 0 && op->kind != RP_SYNTAX_CLOSE) {
            children[depth - 1]++;
            positives[depth - 1] += op->role != RP_NOT;
        }
        if (op->kind == RP_SYNTAX_OPEN) {
            if (depth == MOST)
                return NULL;
            children[depth] = positives[depth] = 0;
            opens[depth++] = (uint32_t)i;
            deepest = depth > deepest ? depth : deepest;
        } else if (op->kind == RP_SYNTAX_CLOSE) {
            depth--;
            if (op->role != s->ops[opens[depth]].role)
                return "role of a closer";
            if (positives[depth] == 0)
                return "a group of nothing but NOT";
            if (depth > 0 && children[depth] < 2)
                return "a needless group";
        } else if (op->kind <= RP_SYNTAX_PHRASE) {
            leaves++;
            if (op->begin > op->end || op->end > bytes)
                return "bytes of a leaf";
            if (op->kind != RP_SYNTAX_PHRASE && op->begin == op->end)
                return "an empty word";
            if (!(op->boost >= 0 && op->boost <= 1e6))
                return "boost";
            if (op->slop > options->max_slop)
                return "slop";
        } else {
            return "kind";
        }
    }
    if (depth != 0 || s->n_ops < 3)
        return "balance";
    if (deepest != s->depth)
        return "depth";
    return leaves > options->max_terms ? "too many leaves" : NULL;
}

#endif
