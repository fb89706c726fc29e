#!/bin/bash
# test_papers.sh: docs/papers.md is true: every file that it names or links is there, every row says whether it is
# literal, and every command in it runs, on the emulated device, in the order of the page.
#
# A command is what stands in a block of sh, or in backticks, and begins with riposte. Kernels run on short lists.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
page=$root/docs/papers.md
RIPOSTE=$(realpath "${RIPOSTE:-$root/build/riposte}")
export RIPOSTE_GPU=emulated LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

verdict() { if [ -z "$2" ]; then echo "ok $1"; else echo "not ok $1"; echo "$2"; fi; }

# Links lead to files from the folder of the page, and a name in backticks that is a link's text is that file's.
lost=$(grep -oE '\[[^]]*\]\([^)]*\)' "$page" | sort -u | while read -r link; do
    text=${link#[} text=${text%%]*} target=${link##*(} target=${target%)}
    case $target in http*|'#'*) continue ;; esac
    [ -e "$root/docs/${target%%#*}" ] || echo "no file $target"
    name=$(echo "$text" | sed -nE 's,^`(.*/)?([^/]*\.[a-z]+)`$,\2,p')
    [ -z "$name" ] || [ "$name" = "${target##*/}" ] || echo "$text is a link to $target"
done)
verdict links_lead_to_files "$lost"

# Other names of files in backticks: a path from the root, or a name that one file of the tree has.
missing=$(sed -E 's/\[[^]]*\]\([^)]*\)//g' "$page" | grep -oE '`[A-Za-z0-9_./-]+\.(c|h|cu|cuh|sh|py|md|txt)`' |
    tr -d '`' | sort -u | while read -r name; do
    case $name in
    */*) [ -e "$root/$name" ] ;;
    *) [ "$(find "$root"/{src,include,tests,bench,docs,tools} -name "$name" | wc -l)" -eq 1 ] ;;
    esac || echo "no file $name"
done)
verdict files_are_there "$missing"

unmarked=$(grep '^| .*`riposte' "$page" | grep -v '| literal |\|| ours: ' | grep -v '^| all of these')
verdict rows_are_literal_or_ours "$unmarked"

commands() {
    awk '/^```sh/ { inside = 1; next } /^```/ { inside = 0 } inside && /^riposte/ { print; next }
         { while (match($0, /`riposte [^`]*`/)) { print substr($0, RSTART + 1, RLENGTH - 2); $0 = substr($0, RSTART + RLENGTH) } }' "$page"
}

ran=0 failed=
while read -r line; do
    args=${line#riposte }
    case $args in
    'bench gpu'*) args="$args --size 500 --rounds 1" ;;
    'bench para'*) args="$args --batches 2 --rounds 1" ;;
    esac
    eval "timeout 600 \"$RIPOSTE\" $args" >out 2>err </dev/null
    rc=$?
    ran=$((ran + 1))
    [ $rc -eq 0 ] || failed="$failed$line: exit $rc: $(head -n 1 err)"$'\n'
done < <(commands)
verdict commands_run "$failed"
[ "$ran" -gt 30 ] || echo "not ok enough_commands ($ran)"
echo "papers: $ran commands ran"
