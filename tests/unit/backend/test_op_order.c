/* test_op_order.c: the order of children, and that the groups stay whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "backend/cpu/cpu_run.h"

enum { MOST = 64 };

typedef struct program {
    rp__op ops[MOST];
    rp__leaf leaves[MOST];
    rp__word words[MOST];
    rp__query query;
} program;

static uint8_t role_of(char sign)
{
    return sign == '+' ? RP_MUST : sign == '-' ? RP_NOT : RP_SHOULD;
}

/* A sign (+, -, or a blank) and then a word, a phrase "ab", or a group (...). The df of word a is 1, of b 2,
 * and so on. */
static void compile(program *p, const char *text)
{
    uint32_t open[MOST], depth = 0, deepest = 0;
    rp__query *q = &p->query;
    memset(p, 0, sizeof *p);
    for (const char *at = text; *at; at++) {
        rp__op *op = &p->ops[q->n_ops];
        if (*at == ')') {
            uint32_t from = open[--depth];
            *op = (rp__op){RP_OP_CLOSE, p->ops[from].role, from};
            p->ops[from].leaf = (uint32_t)q->n_ops++;
            continue;
        }
        uint8_t role = role_of(*at++);
        if (*at == '(') {
            open[depth++] = (uint32_t)q->n_ops++;
            *op = (rp__op){RP_OP_OPEN, role, 0};
            deepest = depth > deepest ? depth : deepest;
            continue;
        }
        bool is_phrase = *at == '"';
        rp__leaf *leaf = &p->leaves[q->n_leaves];
        leaf->word = (uint32_t)q->n_words;
        *op = (rp__op){is_phrase ? RP_OP_PHRASE : RP_OP_TERM, role, (uint32_t)q->n_leaves++};
        for (at += is_phrase; *at >= 'a' && *at <= 'z' && leaf->n_words < 1U + is_phrase; at++) {
            p->words[q->n_words].term.df = (uint32_t)(*at - 'a' + 1);
            p->words[q->n_words++].text = at;
            leaf->n_words++;
        }
        at -= !is_phrase;
        q->n_ops++;
    }
    q->depth = deepest;
    q->ops = p->ops;
    q->leaves = p->leaves;
    q->words = p->words;
}

/* The program again as text; links must hold. */
static void print(const program *p, const rp__op *ops, char *out)
{
    for (uint32_t i = 0; i < p->query.n_ops; i++) {
        const rp__op *op = &ops[i];
        if (op->kind != RP_OP_CLOSE)
            *out++ = " +-"[op->role];
        if (op->kind == RP_OP_OPEN || op->kind == RP_OP_CLOSE) {
            assert_int_equal(ops[op->leaf].leaf, i);
            assert_int_equal(ops[op->leaf].role, op->role);
            *out++ = op->kind == RP_OP_OPEN ? '(' : ')';
            continue;
        }
        const rp__leaf *leaf = &p->leaves[op->leaf];
        if (op->kind == RP_OP_PHRASE)
            *out++ = '"';
        for (uint32_t w = 0; w < leaf->n_words; w++)
            *out++ = *p->words[leaf->word + w].text;
        if (op->kind == RP_OP_PHRASE)
            *out++ = '"';
    }
    *out = 0;
}

static void check(const char *text, const char *want)
{
    program p;
    rp__arena arena;
    char got[4 * MOST];
    compile(&p, text);
    rp__arena_init(&arena, 1 << 20);
    const rp__op *ops = rp__op_order(&p.query, &arena);
    assert_non_null(ops);
    print(&p, ops, got);
    assert_string_equal(got, want);
    rp__arena_reset(&arena);
    rp__arena_init(&arena, 100);
    assert_null(rp__op_order(&p.query, &arena));
    rp__arena_reset(&arena);
}

static void what_narrows_comes_first(void **state)
{
    (void)state;
    check(" (+a)", " (+a)");
    check(" ( b-a+d+c a)", " (+c+d-a b a)");
    check(" ( z y x)", " ( z y x)"); /* nothing narrows: as it was */
    check(" (-b-a c)", " (-a-b c)");
}

/* A group of optional words has at most as many documents as they have together; one with a MUST as its
 * shortest. */
static void groups_count_by_their_size(void **state)
{
    (void)state;
    check(" (+f+( a b)+e)", " (+( a b)+e+f)");
    check(" (+f+( c d)+e)", " (+e+f+( c d))");
    check(" (+f+(+d z+b)+c)", " (+(+b+d z)+c+f)");
    check(" (+f+( (+b+c) z-a)+d)", " (+d+f+(-a (+b+c) z))");
    check(" ( a-( b+( c d)))", " (-(+( c d) b) a)");
}

static void phrases_come_late(void **state)
{
    (void)state;
    check(" (+\"ab\"+c)", " (+c+\"ab\")");
    check(" (+\"zb\"+\"ya\"-c)", " (+\"ya\"+\"zb\"-c)");
    check(" (-\"ab\"-c d)", " (-c-\"ab\" d)");
    check(" (+z+\"ab\")", " (+\"ab\"+z)"); /* unless they are rare beside the others */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_narrows_comes_first),
        cmocka_unit_test(groups_count_by_their_size),
        cmocka_unit_test(phrases_come_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
