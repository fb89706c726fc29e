#!/bin/bash
# test_walks.sh [DOCUMENT]: do the walks of ARCHITECTURE.md follow the program? A walk is a heading "### Walk: `COMMAND`" and
# a table whose rows begin with a function and its file. gdb runs the command and stops where each function is first entered:
# that must be in the order of the table, and each must have been called by one that stands above it.
set -u
cd "$(dirname "$0")/../.." || exit 1
document=${1:-ARCHITECTURE.md}
program=$(realpath "${RIPOSTE:-${B:-build}/riposte}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Lines "walk NUMBER COMMAND" and "step NUMBER FUNCTION FILE".
sed 's/\[`[^]]*`\](\([^)]*\))/`\1`/g' "$document" | awk -F '`' '
    /^#/ { is_walk = 0 }
    /^### Walk: / { is_walk = 1; print "walk", ++n, $2 }
    is_walk && /^\| `/ { print "step", n, $2, $4 }' >"$work/walks"
[ "$(grep -c ^walk "$work/walks")" -ge "${WALKS:-4}" ] || echo "not ok walks_are_there"

# Each function is defined in its file.
lost=$(awk '$1 == "step" { print $3, $4 }' "$work/walks" | sort -u | while read -r function file; do
    grep -qE "^[a-z].*\b$function\(" "$file" 2>/dev/null || echo "$file defines no $function"
done)
if [ -z "$lost" ]; then echo "ok functions_are_in_their_files"; else echo "not ok functions_are_in_their_files"; echo "$lost"; fi

command -v gdb >/dev/null || { echo "skip walks: no gdb"; exit 0; }
[ -x "$program" ] || { echo "skip walks: $program is not built"; exit 0; }

# trace NUMBER COMMAND: lines "function file caller,caller,..." in the order of first entries.
trace() {
    awk -v n="$1" -v arguments="${2#riposte }" '
        BEGIN { print "set pagination off\nset confirm off\nset startup-with-shell on\nset print frame-arguments none" }
        $1 == "step" && $2 == n { file = $4; sub(/.*\//, "", file); print "tbreak " file ":" $3; steps++ }
        END {
            print "run " arguments " >/dev/null 2>&1"
            for (; steps > 0; steps--) print "echo @stop\\n\nbt\ncontinue" }' "$work/walks" >"$work/script"
    (cd "$work/files" && timeout 120 gdb -q -nx -batch -x "$work/script" "$program") 2>"$work/gdb.err" | awk '
        function flush_stop() { if (callers != "") print name, file, callers; callers = "" }
        /^@stop/ { flush_stop(); frame = 0; next }
        /^#[0-9]+ / && / at [^ ]+:[0-9]+$/ {
            line = $0; sub(/^#[0-9]+ +(0x[0-9a-f]+ in )?/, "", line)
            f = line; sub(/ .*/, "", f)
            if (/^#0 /) { name = f; file = $NF; sub(/:[0-9]+$/, "", file); sub(/.*\//, "", file); callers = "," }
            else callers = callers f "," }
        END { flush_stop() }'
}

mkdir "$work/files"
cp data/demo.jsonl.gz "$work/files"
printf '1\tmusic player\n2\ttext editor\n3\tweb server\n' >"$work/files/topics.tsv"
(cd "$work/files" && "$program" index -q demo.jsonl.gz -o demo.rip) || { echo "not ok index"; exit 1; }
grep ^walk "$work/walks" | while read -r _ number command; do
    name=walk_$number
    trace "$number" "$command" >"$work/trace"
    if [ ! -s "$work/trace" ]; then
        echo "skip $name: gdb cannot run the program: $(tail -n 1 "$work/gdb.err")"
        continue
    fi
    awk -v n="$number" '
        FILENAME ~ /walks$/ { if ($1 == "step" && $2 == n) { file = $4; sub(/.*\//, "", file); want[++steps] = $3 " " file }; next }
        { got[++stops] = $1 " " $2
          for (i = 1; i < stops && !called; i++) { split(got[i], above, " "); called = index($3, "," above[1] ",") }
          if (stops > 1 && !called) print "no function above calls " $1
          called = 0 }
        END { for (i = 1; i <= steps || i <= stops; i++)
                  if (want[i] != got[i]) { print "step " i ": the table has \"" want[i] "\", the program \"" got[i] "\""; exit } }' \
        "$work/walks" "$work/trace" >"$work/faults"
    if [ -s "$work/faults" ]; then echo "not ok $name: $command"; cat "$work/faults"; else echo "ok $name"; fi
done

# Two steps exchanged, and one that calls nobody, are faults.
[ $# -eq 0 ] || exit 0
planted() { # NAME ROW...: a walk of these rows
    local name=$1
    shift
    { echo '### Walk: `riposte search demo.rip music`' && printf '| %s |\n' "$@"; } >"$work/$name.md"
    if WALKS=1 bash tests/tools/test_walks.sh "$work/$name.md" | grep -qE '^(not ok|skip) walk'; then
        echo "ok planted_$name"
    else
        echo "not ok planted_$name"
    fi
}
planted exchanged '`rp_searcher_search` | `src/engine/searcher.c`' '`rp_searcher_new` | `src/engine/searcher.c`'
planted uncalled '`rp_index_open` | `src/engine/index_handle.c`' '`rp_searcher_search` | `src/engine/searcher.c`'
