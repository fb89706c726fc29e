#!/bin/bash
# test_cli.sh [CASE...]: golden tests of the program.
#
# A case is cases/NAME.sh, run by bash in a folder of its own that holds the files of data/ and an
# index of docs.jsonl, my.rip. What it prints must be NAME.stdout and NAME.stderr (absent: nothing),
# its exit status NAME.rc (absent: 0), after figures that differ from run to run are made alike.
# A case that cannot run here prints "skip: why" and ends with 77. UPDATE=1 writes what came out.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
RIPOSTE=$(realpath "${RIPOSTE:-$root/build/riposte}")
export RIPOSTE ROOT=$root EXAMPLES=${RIPOSTE%/*}/examples LC_ALL=C NO_COLOR= TERM=xterm
unset RIPOSTE_SIMD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

riposte() { "$RIPOSTE" "$@"; }

# True if a file is one line, one JSON value: the indexer reads it strictly, as a field of a document.
is_json() {
    [ "$(wc -l <"$1")" -eq 1 ] && grep -q '^{"schema":"riposte\.[a-z.]*/1"' "$1" &&
        printf '{"id":"1","text":"","it":%s}\n' "$(cat "$1")" |
        "$RIPOSTE" index -q --format jsonl - -o json.rip && rm -rf json.rip
}
export -f riposte is_json

normalise() {
    sed -E -e 's/[0-9.:,]+ (ms|s|min|h)\b/TIME/g' \
        -e 's/[0-9.]+ ([KMGT]i)?B\b/SIZE/g' \
        -e 's/[0-9.]+ bits a posting/BITS/' \
        -e 's/, [0-9,]+ a second/, RATE/' \
        -e 's/("(build_)?seconds":)[0-9.e-]+/\10/g' \
        -e 's/("(spent|threads)_seconds":)\{[^}]*\}/\1{}/g' \
        -e 's/("(memory_peak|bytes_in|bytes_out|uploaded_bytes|bits_a_posting|postings_read)":)[0-9.]+/\10/g' \
        -e 's/("bytes":)\{[^}]*\}/\1{}/' \
        -e 's/("bytes":)[0-9]+/\10/' \
        -e 's/("p[0-9]+":)[0-9.e-]+/\10/g' \
        -e 's/("instructions":|instructions: )"?[a-z0-9]+"?/\1ISA/' \
        -e "s,$RIPOSTE,riposte,g; s,$work,WORK,g; s,$ROOT,ROOT,g" "$1"
}

passed=0 failed=0 skipped=0
compare() { # NAME WHAT GOT
    local want=$here/cases/$1.$2
    if [ -n "${UPDATE:-}" ]; then
        if [ -s "$3" ]; then cp "$3" "$want"; else rm -f "$want"; fi
        return 0
    fi
    [ -e "$want" ] || want=/dev/null
    diff -u --label "$1.$2 wanted" --label "$1.$2 got" "$want" "$3"
}

run_case() {
    local name=$1 dir=$work/$1 rc bad=
    mkdir "$dir" && cp -r "$here"/data/. "$dir" && cp -r "$work/my.rip" "$dir" || exit 1
    (cd "$dir" && timeout 600 bash "$here/cases/$name.sh") >"$work/stdout" 2>"$work/stderr" </dev/null
    rc=$?
    if [ $rc -eq 77 ]; then
        echo "skip $name: $(sed -n 's/^skip: //p' "$work/stdout")"
        skipped=$((skipped + 1))
        return
    fi
    normalise "$work/stdout" >"$work/out" && normalise "$work/stderr" >"$work/err"
    [ $rc -eq 0 ] && : >"$work/rc" || echo $rc >"$work/rc"
    compare "$name" stdout "$work/out" || bad=1
    compare "$name" stderr "$work/err" || bad=1
    compare "$name" rc "$work/rc" || bad=1
    rm -rf "$dir"
    if [ -n "$bad" ]; then
        echo "not ok $name"
        failed=$((failed + 1))
    else
        echo "ok $name"
        passed=$((passed + 1))
    fi
}

if ! "$RIPOSTE" index --quiet "$here/data/docs.jsonl" -o "$work/my.rip"; then
    echo "not ok index of data/docs.jsonl"
    exit 1
fi
[ $# -gt 0 ] || set -- $(cd "$here/cases" && ls ./*.sh | sed 's,^\./,,; s,\.sh$,,')
for name; do
    run_case "$name"
done
line="$passed passed, $failed failed"
[ $skipped -gt 0 ] && line="$line, $skipped skipped"
echo "$line"
[ $failed -eq 0 ]
