#!/bin/bash
# gpu_compare.sh: two builds on one GPU, in turn, on the same indexes and queries.
#
# Prints a row for each figure: its name, the median of the first build, that of the second, the second over the first,
# and how far the samples of the first lie apart. Figures in us are better when they are smaller; those in q/s when they
# are larger. Every round runs the first build, then the second.
#
# usage: bench/gpu_compare.sh OLD NEW [ROUNDS [SET...]]
# OLD and NEW are folders that `make gpu-bundle` fills. SETs: single threads batch
# codecs terms gov2 totals memory kernels (all).
# WORK: a folder for the indexes, which are drawn there once (/tmp/riposte-compare).
set -eu
old=$(cd "$1" && pwd) new=$(cd "$2" && pwd) rounds=${3:-3}
shift $(($# < 3 ? $# : 3))
sets=" ${*:-single threads batch codecs terms gov2 totals memory kernels} "
work=${WORK:-/tmp/riposte-compare}
samples=$work/samples.tsv
mkdir -p "$work"
cd "$work"
: >"$samples"

# usage: riposte BUILD ARGUMENT...
riposte() {
    local build=$1
    shift
    LD_LIBRARY_PATH="$build/lib" "$build/riposte" "$@"
}

# usage: draw NAME QUERIES OPTION...
draw() {
    local name=$1 queries=$2
    shift 2
    [ -d "$name.rip" ] || riposte "$old" synth "$@" --queries "$queries" --threads 16 -q -o "$name.rip"
}

# usage: keep BUILD FIGURE VALUE
keep() {
    printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>"$samples"
}

# usage: field OBJECT NAME: the first number of that name in a JSON object.
field() {
    sed -n 's/.*"'"$2"'":\(-\{0,1\}[0-9][0-9.]*\).*/\1/;T;p;q' <<<"$1"
}

# usage: median_of OBJECT OPERATION NAME: of one operation of bench queries.
median_of() {
    tr '{' '\n' <<<"$1" | awk -v op="\"operation\":\"$2\"" -v name="\"$3\":" '
        index($0, op) { on = 1 }
        on && want { if (match($0, /"median":[0-9.]+/)) { print substr($0, RSTART + 9, RLENGTH - 9); exit } }
        on && substr($0, length($0) - length(name) + 1) == name { want = 1 }'
}

# usage: single BUILD FIGURE INDEX LOG OPTION...: p50 and mean of one query at a time.
single() {
    local build=$1 figure=$2 index=$3 log=$4 out mode
    shift 4
    out=$(riposte "$build" bench queries "$index" "$log" --plain --k 10 --processors gpu --rounds 3 -q --json "$@") || return 0
    for mode in and or; do
        keep "$build" "$figure $mode p50 us" "$(median_of "$out" $mode:10 p50)"
        keep "$build" "$figure $mode p99 us" "$(median_of "$out" $mode:10 p99)"
        keep "$build" "$figure $mode mean us" "$(median_of "$out" $mode:10 mean)"
    done
}

# usage: pool BUILD FIGURE INDEX LOG THREADS: queries a second of so many threads with a query each.
pool() {
    local build=$1 figure=$2 out mode
    out=$(riposte "$build" bench queries "$3" "$4" --plain --k 10 --processors gpu --rounds 3 --threads "$5" -q --json) || return 0
    for mode in and or; do
        keep "$build" "$figure $mode q/s" "$(median_of "$out" $mode:10 "$([ "$5" -gt 1 ] && echo pool || echo throughput)")"
    done
}

# usage: terms BUILD: single terms of gov2, by how long their lists are: the median of each query's best time.
terms() {
    riposte "$1" bench queries gov2.rip terms.tsv --plain --k 10,count --modes and --processors gpu --rounds 3 -q --per-query terms.out >/dev/null || return 0
    awk -F'\t' '$1 ~ /^and:count/ { df[$2] = $4 }
        $1 ~ /^and:10/ { ns[$2] = $3 }
        END { for (q in ns) print (df[q] <= 128 ? "128" : df[q] <= 10000 ? "10K" : df[q] <= 100000 ? "100K" : df[q] <= 1000000 ? "1M" : "over 1M") "\t" ns[q] / 1000 }' terms.out |
        sort -t$'\t' -k1,1 -k2,2n | awk -F'\t' '
            $1 != name { if (n) print name "\t" at[int((n + 1) / 2)]; name = $1; n = 0 }
            { at[++n] = $2 }
            END { if (n) print name "\t" at[int((n + 1) / 2)] }' |
        while IFS=$'\t' read -r name us; do keep "$1" "gov2 single term up to $name us" "$us"; done
}

# usage: many BUILD FIGURE INDEX LOG OPTION...: queries a second of `batch`, reading topics and writing the run apart,
# how many the GPU did not answer, and bytes copied to it.
many() {
    local build=$1 figure=$2 index=$3 log=$4 out
    shift 4
    out=$(riposte "$build" batch "$index" "$log" --processor gpu --plain -q --json -o "$work/run" "$@") || return 0
    local n
    n=$(field "$out" queries)
    keep "$build" "$figure q/s" "$(awk -v n="$n" -v s="$(field "$out" answering)" 'BEGIN { print n / s }')"
    keep "$build" "$figure not on gpu" $((n - $(field "$out" answered)))
    keep "$build" "$figure bytes up a query" "$(awk -v n="$n" -v b="$(field "$out" uploaded_bytes)" 'BEGIN { print b / n }')"
}

# usage: process BUILD FIGURE COMMAND...: seconds of a whole process.
process() {
    local build=$1 figure=$2 begin
    shift 2
    begin=$(date +%s%N)
    riposte "$build" "$@" >/dev/null 2>&1
    keep "$build" "$figure us" $((($(date +%s%N) - begin) / 1000))
}

# usage: kernels BUILD SIZE CASES
kernels() {
    riposte "$1" bench gpu --size "$2" --rounds 5 --cases "$3" --json -q >"$work/kernels.json" || return 0
    tr '{' '\n' <"$work/kernels.json" |
        sed -n 's/.*"area":"\([^"]*\)","name":"\([^"]*\)",.*"median":\([0-9.]*\).*/\1 \2\t\3/p' |
        awk -F'\t' '{ print $1 "\t" $2 * 1e6 }' |
        while IFS=$'\t' read -r name us; do keep "$1" "$name us" "$us"; done
}

has() { [ "${sets#* "$1" }" != "$sets" ]; }

draw gov 100000 gov
log=gov.rip.queries.tsv
awk 'BEGIN { FS = OFS = "\t" } { q[NR] = $2 } END { for (i = 0; i < 10; i++) for (j = 1; j <= NR; j++) print i * NR + j, q[j] }' $log >many.tsv
head -n 10000 $log >ten.tsv
head -n 1 $log >one.tsv
codecs="bp128 ef128 rice lrc hslrc256 qs iiu"
if has codecs; then
    for codec in $codecs; do draw "$codec" 2000 gov --codec "$codec"; done
fi
if has gov2 || has totals || has memory || has terms; then
    draw gov2 10000 gov2 --docs 25200000
    head -n 1000 gov2.rip.queries.tsv >gov2.tsv
    awk 'BEGIN { FS = OFS = "\t" } { q[NR] = $2 } END { for (i = 0; i < 2; i++) for (j = 1; j <= NR; j++) print i * NR + j, q[j] }' gov2.rip.queries.tsv >gov2.many.tsv
    cut -f 2 gov2.rip.queries.tsv | tr ' ' '\n' | sort -u | awk '{ print NR "\t" $0 }' | head -n 2000 >terms.tsv
fi

for ((i = 0; i < rounds; i++)); do
    for build in "$old" "$new"; do
        if has single; then
            single "$build" "gov single" gov.rip ten.tsv --modes and,or
        fi
        if has threads; then
            for n in 1 4 16; do pool "$build" "gov $n threads" gov.rip ten.tsv $n; done
        fi
        if has batch; then
            for n in 1 8 16; do many "$build" "batch and $n threads" gov.rip many.tsv --mode and --threads $n; done
            many "$build" "batch or 16 threads" gov.rip $log --mode or --threads 16
            many "$build" "batch andor" gov.rip $log --mode andor --threads 16
            for k in 100 1000; do many "$build" "batch and k $k" gov.rip ten.tsv --mode and --threads 16 --k $k; done
            many "$build" "batch and child" gov.rip $log --mode and --threads 16 --gpu-child
            process "$build" "batch of one query, process" batch gov.rip one.tsv --processor gpu --plain --mode and
            process "$build" "batch of 100,000, process" batch gov.rip $log --processor gpu --plain --mode and --threads 16
        fi
        if has codecs; then
            for codec in $codecs; do single "$build" "gov $codec" "$codec.rip" "$codec.rip.queries.tsv" --modes and,or; done
        fi
        if has terms; then
            terms "$build"
        fi
        if has gov2; then
            single "$build" "gov2 single" gov2.rip gov2.tsv --modes and,or
            many "$build" "gov2 batch and" gov2.rip gov2.many.tsv --mode and --threads 16
            many "$build" "gov2 batch or" gov2.rip gov2.many.tsv --mode or --threads 16 --max-work 1000000000
        fi
        if has totals; then
            many "$build" "gov2 batch or" gov2.rip gov2.rip.queries.tsv --mode or --threads 16 --max-work 1000000000
            many "$build" "gov2 batch or, exact" gov2.rip gov2.rip.queries.tsv --mode or --threads 16 --max-work 1000000000 --total exact
            many "$build" "gov2 batch and, exact" gov2.rip gov2.rip.queries.tsv --mode and --threads 16 --total exact
        fi
        if has memory; then
            for m in 1G 2G 4G; do
                many "$build" "gov2 batch and $m" gov2.rip gov2.many.tsv --mode and --threads 8 --gpu-memory $m
                many "$build" "gov2 batch or $m" gov2.rip gov2.many.tsv --mode or --threads 8 --gpu-memory $m --max-work 1000000000
            done
        fi
        if has kernels; then
            kernels "$build" 16777216 ''
        fi
    done
done

sort -t$'\t' -k2,2 -k1,1 -k3,3n "$samples" | awk -F'\t' -v old="$old" '
    function median(n) { return n % 2 ? at[(n + 1) / 2] : (at[n / 2] + at[n / 2 + 1]) / 2 }
    function close_group() {
        if (!n) return
        if (who == old) { first[what] = median(n); spread[what] = at[1] > 0 ? at[n] / at[1] - 1 : 0 }
        else second[what] = median(n)
        if (!(what in seen)) { seen[what] = 1; order[++m] = what }
        n = 0
    }
    $1 != who || $2 != what { close_group(); who = $1; what = $2 }
    { at[++n] = $3 }
    END {
        close_group()
        printf "%-44s %14s %14s %8s %8s\n", "figure", "old", "new", "new/old", "spread"
        for (i = 1; i <= m; i++) {
            f = order[i]
            printf "%-44s %14.1f %14.1f %8s %7.1f%%\n", f, first[f], second[f], (first[f] > 0 ? sprintf("%.3f", second[f] / first[f]) : "-"), 100 * spread[f]
        }
    }'
