#!/bin/bash
# Does tools/compare_counts, by which make bench-check judges, find what was planted?
set -u
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

verdict() { if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1: $2, not $3"; fi; }
judge() { # NAME COUNT STATUS: and10 at COUNT against 1,000,000
    printf '# gcc\nand10\t%s\nor10\t500\n' "$2" >new
    out=$("$tools/compare_counts" kept new)
    verdict "$1" $? "$3"
}

printf '# gcc\nand10\t1000000\nor10\t500\n' >kept
judge same 1000000 0
judge little_more 1029999 0
judge slower 1030100 1
verdict slower_is_said "$(grep -c '^and10.*+3.01%.*ROSE' <<<"$out")" 1
verdict others_are_not "$(grep -c ROSE <<<"$out")" 1
judge faster 900000 0
verdict faster_is_said "$(grep -c '^and10.*fell' <<<"$out")" 1
judge nothing_counted '' 1
printf 'and10\t1000000\n' >new
"$tools/compare_counts" kept new >/dev/null
verdict one_is_gone $? 1
printf 'and10\t1000000\nor10\t500\ntree\t7\n' >new
"$tools/compare_counts" kept new >/dev/null
verdict one_is_new $? 1
