#!/bin/bash
# Are the documents true where a program can tell? Links lead to files, decisions are short, and the
# targets that the documents name exist.
set -u
cd "$(dirname "$0")/../.." || exit 1

verdict() { if [ -z "$2" ]; then echo "ok $1"; else echo "not ok $1"; echo "$2"; fi; }

documents=$(git ls-files '*.md' 2>/dev/null)
[ -n "$documents" ] || documents=$(find . -name '*.md' -not -path './build/*')

broken=$(for d in $documents; do
    grep -oE '\]\([^)#: ]+' "$d" | cut -c3- | while read -r link; do
        [ -e "$(dirname "$d")/$link" ] || echo "$d: no $link"
    done
done)
verdict links_lead_to_files "$broken"

long=$(for d in docs/decisions/[0-9]*.md; do
    [ "$(wc -l <"$d")" -le 40 ] || echo "$d: more than 40 lines"
    grep -q '^\*\*Context' "$d" && grep -q '^\*\*Choice' "$d" && grep -q '^\*\*Price' "$d" ||
        echo "$d: context, choice and price are owed"
done)
verdict decisions_are_short_and_whole "$long"

missing=$(grep -ohE '(`|^    |^)make [a-z][a-z0-9-]+' $documents | awk '{ print $2 }' | sort -u | while read -r t; do
    grep -qE "^$t:" Makefile || echo "no target $t"
done)
verdict named_targets_exist "$missing"

# What a newcomer reads first: README.md on a screen, short lines and sentences, commands that run, figures from results
# files, files that exist. tests/tools/test_walks.sh follows the walks.
first="README.md ARCHITECTURE.md docs/start.md docs/python.md"
[ "$(wc -l <README.md)" -le 60 ] || long_readme="README.md: more than 60 lines"
verdict readme_fits_a_screen "${long_readme:-}"
if command -v python3 >/dev/null; then
    for check in lines sentences names figures; do
        verdict "first_$check" "$(python3 tests/tools/docs_check.py $check $first 2>&1)"
    done
    if [ -x "${B:-build}/riposte" ] && ls "${B:-build}"/libriposte.so.* >/dev/null 2>&1; then
        verdict first_commands "$(python3 tests/tools/docs_check.py commands $first 2>&1)"
    else
        echo "skip first_commands: the program and the shared library are not built"
    fi
    # Does each check see what it is for?
    planted=$(mktemp -d)
    trap 'rm -rf "$planted"' EXIT
    printf '%0121d\n' 0 >"$planted/lines.md"
    { printf 'word %.0s' $(seq 41) && echo .; } >"$planted/sentences.md"
    echo 'See `src/base/nowhere.c`.' >"$planted/names.md"
    echo 'It takes 5.5 us.' >"$planted/figures.md"
    printf '```sh\nfalse\n```\n' >"$planted/commands.md"
    printf '| a | b | results |\n|---|---|---|\n| a | 12345.5 us | [x](%s) |\n' "$PWD/bench/results/queries-lucene.json" >"$planted/figures2.md"
    missed=$(for file in "$planted"/*.md; do
        check=$(basename "$file" .md)
        [ -n "$(python3 tests/tools/docs_check.py "${check%2}" "$file")" ] || echo "$check finds nothing"
    done)
    verdict planted_faults_are_found "$missed"
else
    echo "skip first_documents: no python3"
fi

help=$(make -s help)
undocumented=$(sed -n 's/^\([a-z][a-z0-9-]*\):.*/\1/p' Makefile | sort -u | while read -r t; do
    grep -q "^  $t " <<<"$help" || echo "$t"
done | grep -vxE 'examples|so|unsanitized|everything|graph|unit-parity|fuzz-clang|fuzz-replay-build|simde-tests')
verdict help_lists_the_targets "$undocumented"
