#!/bin/bash
# synth_check.sh [FOLDER]: how close drawn collections come to the papers' figures, as the tables of
# docs/synth.md. Draws them into FOLDER (a temporary one otherwise), measures, and removes them: up to 4 GB.
# THREADS says how many work; NAMES which collections: gov govpr govr gov2 gov2r bd bdr ding griffin;
# CODECS whose compression is measured besides.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
B=${B:-$root/build}
work=${1:-$(mktemp -d)}
make -s -C "$root" B="$B" "$B/riposte" "$B/bench/bench_synth"

one() { # COLUMN NAME OPTION...
    local column=$1 name=$2
    shift 2
    [[ " ${NAMES:-gov govpr govr gov2 gov2r bd bdr ding griffin} " == *" $column "* ]] || return 0
    echo "## riposte synth $name $*"
    "$B/riposte" synth "$name" -o "$work/$column" --threads "${THREADS:-$(nproc)}" "$@" 2>/dev/null
    "$B/bench/bench_synth" "$work/$column" "$work/$column.queries.tsv" "$column"
    for codec in ${CODECS-pfd newpfd parapfor}; do
        "$B/riposte" recode -q "$work/$column" -o "$work/recoded" --codec $codec --threads "${THREADS:-$(nproc)}"
        echo "$codec: $("$B/riposte" stats "$work/recoded" | awk '
            /^postings/ { gsub(",", "", $2); n = $2 }
            /^    docids/ { bytes = $2 * ($3 == "MiB" ? 2 ^ 20 : $3 == "GiB" ? 2 ^ 30 : 2 ^ 10) }
            END { printf "%.2f times smaller than words", 4 * n / bytes }')"
        rm -rf "$work/recoded"
    done
    echo
    rm -rf "$work/$column" "$work/$column.queries.tsv"
}

one gov gov
one govpr gov --order rank
one govr gov --order random
one gov2 gov2
one gov2r gov2 --order random
one bd bd
one bdr bd --order random
one ding gov2 --docs 25200000
one griffin clueweb --docs 13700000 # a third of his 41 million
[ $# -gt 0 ] || rmdir "$work"
