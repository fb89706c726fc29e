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

/* The line of docs/operators.md whose first cell names the row, in the table of the phase; false: none. */
static bool find_line(const char *name, const char *phase, char *line, int bytes)
{
    char quoted[64], head[64];
    bool is_found = false, is_phase = false;
    FILE *file = fopen("docs/operators.md", "r");
    assert_non_null(file);
    snprintf(quoted, sizeof quoted, "`%s`", name);
    snprintf(head, sizeof head, "| `%s=` |", phase);
    while (!is_found && fgets(line, bytes, file)) {
        const char *at = strstr(line, quoted), *end = strchr(line + 1, '|');
        if (line[0] != '|')
            is_phase = false;
        is_phase = is_phase || strncmp(line, head, strlen(head)) == 0;
        is_found = is_phase && at && end && at < end;
    }
    fclose(file);
    return is_found;
}

/* Every row of every phase but `auto` is there, marked as its table marks it. */
static void the_documentation_has_all_rows(void **state)
{
    (void)state;
    static const char *const phases[] = {"decode", "intersect", "score", "select"};
    const rp__operator *row;
    char line[512];
    for (int phase = 0; phase < RP_PHASES; phase++)
        for (size_t i = 1; (row = rp__operator_table_at((rp__operator_phase)phase, i)); i++) {
            const bool is_literal = rp__operator_table_is_literal((rp__operator_phase)phase, row);
            if (!find_line(row->name, phases[phase], line, sizeof line) ||
                !strstr(line, is_literal ? "| literal" : "| ours"))
                fail_msg("%s=%s is not in docs/operators.md, or not as %s", phases[phase],
                         row->name, is_literal ? "literal" : "ours");
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_documentation_has_all_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
