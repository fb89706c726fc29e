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

help=$(make -s help)
undocumented=$(sed -n 's/^\([a-z][a-z0-9-]*\):.*/\1/p' Makefile | sort -u | while read -r t; do
    grep -q "^  $t " <<<"$help" || echo "$t"
done | grep -vxE 'examples|so|everything|graph|unit-parity|fuzz-clang|fuzz-replay-build|simde-tests')
verdict help_lists_the_targets "$undocumented"
