/* test_operators_page.c: docs/operators.md has every method by which queries by operators work, marked as its table marks
 * it: literal or ours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "backend/gpu/operators/intersect_table.h"
#include "backend/gpu/operators/operator_table.h"

/* The line of docs/operators.md whose first cell names the row; false: none. */
static bool find_line(const char *name, char *line, int bytes)
{
    char quoted[64];
    bool is_found = false;
    FILE *file = fopen("docs/operators.md", "r");
    assert_non_null(file);
    snprintf(quoted, sizeof quoted, "`%s`", name);
    while (!is_found && fgets(line, bytes, file)) {
        const char *at = strstr(line, quoted), *end = strchr(line + 1, '|');
        is_found = line[0] == '|' && at && end && at < end;
    }
    fclose(file);
    return is_found;
}

/* Every intersection is there, marked as its table marks it; every row of decode that is no codec's, and every
 * selection. */
static void the_documentation_has_all_rows(void **state)
{
    (void)state;
    const rp__operator *row;
    char line[512];
    for (size_t i = 1; (row = rp__operator_table_at(RP_PHASE_INTERSECT, i)); i++) {
        const bool is_literal =
            row->id == RP_OPERATOR_DING || rp__intersect_table[row->id].is_literal;
        if (!find_line(row->name, line, sizeof line) ||
            !strstr(line, is_literal ? "| literal |" : "| ours |"))
            fail_msg("intersect=%s is not in docs/operators.md, or not as %s", row->name,
                     is_literal ? "literal" : "ours");
    }
    for (size_t i = 1; (row = rp__operator_table_at(RP_PHASE_DECODE, i)); i++)
        if (strcmp(row->name, row->codec) != 0 && !find_line(row->name, line, sizeof line))
            fail_msg("decode=%s is not in docs/operators.md", row->name);
    for (size_t i = 1; (row = rp__operator_table_at(RP_PHASE_SELECT, i)); i++)
        if (!find_line(row->name, line, sizeof line))
            fail_msg("select=%s is not in docs/operators.md", row->name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_documentation_has_all_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
