#!/bin/bash
# Runs the programs of examples/ as their first lines say: build an index, then ask it.
set -u
B=${B:-build}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

say() { # NAME STATUS: the verdict of the line before
    if [ "$2" -eq 0 ]; then echo "ok $1"; else echo "not ok $1"; cat "$dir"/out "$dir"/err 2>/dev/null; fi
}

printf 'the quick brown fox\nlazy dogs sleep\na fox and a dog\n' |
    "$B/examples/build" "$dir/ix" >"$dir/out" 2>"$dir/err" && grep -q '^3 documents' "$dir/out"
say build $?

"$B/examples/search" "$dir/ix" 'foxes' >"$dir/out" 2>"$dir/err" &&
    [ "$(awk '{ print $2, $3 }' "$dir/out" | sort | tr '\n' ';')" = "line 1;line 3;" ]
say search_finds_stemmed_words $?

"$B/examples/search" "$dir/ix" '"lazy dog"' >"$dir/out" 2>"$dir/err" && grep -q 'line 2' "$dir/out"
say search_finds_a_phrase $?

"$B/examples/search" "$dir/ix" '(' >"$dir/out" 2>"$dir/err"
[ $? -eq 2 ] && grep -q column "$dir/err"
say search_points_at_a_mistake $?

"$B/examples/search" "$dir/nothing" 'fox' >"$dir/out" 2>"$dir/err"
[ $? -ge 4 ] && [ -s "$dir/err" ]
say search_says_that_there_is_no_index $?
