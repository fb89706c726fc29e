#!/bin/bash
# batch_whole.sh: whole processes of `riposte batch` on a card, from a file of topics to a run file, old and new in turn.
#
# Draws gov with 1,000,000 queries and answers all of them, the first 100,000 and the first one, as ANDs by the GPU. A
# program that only starts the driver, makes a context and loads modules (gpu_floor) runs in every round, too. The runs of
# old and new must have the same bytes. Prints a table of medians, and where the time of the new one goes.
#
# usage: bench/batch_whole.sh BUNDLE OUT
# BUNDLE: a folder that `make gpu-bundle` fills. OLD: the whole path of an older riposte; without it, the new one alone.
# WORK: a folder for the index and the runs (/tmp/riposte-batch-whole), which a second call finds again. ROUNDS (5; of a
# million queries, 3). THREADS (all cores). BUDGET: seconds of rounds, after which no further one begins (60). TINY=1: a
# small collection, to try the script. GPU: as of --gpu (0; `emulated`, where there is none: then there is no floor).
set -u
bundle=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
work=${WORK:-/tmp/riposte-batch-whole}
gpu=${GPU:-0}
threads=${THREADS:-$(nproc)}
rounds=${ROUNDS:-5}
budget=${BUDGET:-60}
new=$bundle/riposte old=${OLD:-}
export LD_LIBRARY_PATH="$bundle/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
SECONDS=0
mkdir -p "$work"
cd "$work" || exit 1
times=$out/times.tsv
: >"$times"
if [ "${TINY:-}" ]; then docs=20000 million=3000 many=1000; else docs=1053372 million=1000000 many=100000; fi

[ -d gov.rip ] || timeout -k 5 120 "$new" synth gov --docs "$docs" --queries "$million" --threads "$threads" -q -o gov.rip || exit 1
log=gov.rip.queries.tsv
cat "$log" >/dev/null
head -n "$many" "$log" >many.tsv
head -n 1 "$log" >one.tsv
echo "drawn after $SECONDS s"
budget=$((SECONDS + budget))

# usage: timed WHO SET COMMAND...: adds a row to the table of times: who, which, milliseconds.
timed() {
    local who=$1 set=$2 begin end
    shift 2
    begin=$(date +%s%N)
    timeout -k 5 60 "$@" || { echo "$who $set failed" >&2; return; }
    end=$(date +%s%N)
    printf '%s\t%s\t%s\n' "$who" "$set" $(((end - begin) / 1000)) >>"$times"
}

# usage: answer WHO PROGRAM SET TOPICS OPTION...
answer() {
    local who=$1 program=$2 set=$3 topics=$4
    shift 4
    timed "$who" "$set" "$program" batch gov.rip "$topics" --mode and --processor gpu --gpu "$gpu" --threads "$threads" \
        -q -o "run.$who" "$@" >"$out/$who.$set.json"
}

# usage: both SET TOPICS OPTION...: old and new, and whether they say the same.
both() {
    local set=$1
    [ -z "$old" ] || answer old "$old" "$@"
    answer new "$new" "$@"
    [ -z "$old" ] || cmp -s run.old run.new || echo "the runs of $set differ" | tee -a "$out/differences"
}

rm -f "$out/differences"
for ((round = 1; round <= rounds && SECONDS < budget; round++)); do
    [ "$gpu" = emulated ] || RIPOSTE_GPU=$gpu timed floor floor "$bundle/gpu_floor" >"$out/floor.json"
    both one one.tsv
    both one-json one.tsv --json
    both 100k many.tsv
    both 100k-json many.tsv --json
    ((round > 3)) || {
        both 1m "$log"
        both 1m-json "$log" --json
    }
done

# usage: spent SET: where the time of the new one's last run went, milliseconds.
spent() {
    sed -n 's/.*"spent_seconds":{\([^}]*\)}.*/\1/p' "$out/new.$1-json.json" | tr -d '"' | tr ',' '\n' |
        awk -F: -v set="$1" '{ printf "%s%s %.1f", (NR > 1 ? ", " : set ": "), $1, $2 * 1e3 } END { print " ms" }'
}

sort -t "$(printf '\t')" -k2,2 -k1,1 -k3,3n "$times" | awk -F'\t' '
    function close_group() { if (n) { median[who, set] = v[int((n + 1) / 2)] / 1e3; low[who, set] = v[1] / 1e3; high[who, set] = v[n] / 1e3; rounds[who, set] = n } n = 0 }
    $1 != who || $2 != set { close_group(); who = $1; set = $2 }
    { v[++n] = $3; sets[$2] }
    END {
        close_group()
        print "whole processes, ms: median (lowest to highest)"
        printf "%-10s %-28s %-28s %s\n", "", "old", "new", "new / old"
        count = split("floor one one-json 100k 100k-json 1m 1m-json", order, " ")
        for (i = 1; i <= count; i++) {
            s = order[i]
            if (s == "floor" && ((s, s) in median)) printf "%-10s %-28s %.1f (%.1f to %.1f)\n", s, "", median[s, s], low[s, s], high[s, s]
            if (!(("new", s) in median)) continue
            a = ("old", s) in median ? sprintf("%.1f (%.1f to %.1f)", median["old", s], low["old", s], high["old", s]) : "-"
            b = sprintf("%.1f (%.1f to %.1f)", median["new", s], low["new", s], high["new", s])
            printf "%-10s %-28s %-28s %s\n", s, a, b, ("old", s) in median ? sprintf("%.3f", median["new", s] / median["old", s]) : "-"
        }
        if (("floor", "floor") in median) printf "one over floor: %.1f ms (asked: at most 100); 100k: asked 500; 1m: asked 1000\n", median["new", "one"] - median["floor", "floor"]
    }' | tee "$out/table"
{
    [ ! -s "$out/floor.json" ] || cat "$out/floor.json"
    spent one
    spent 100k
    spent 1m
    [ ! -e "$out/differences" ] || cat "$out/differences"
    echo "through after $SECONDS s"
} | tee -a "$out/table"
