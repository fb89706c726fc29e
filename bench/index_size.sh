#!/bin/sh
# index_size.sh: bits a posting of an index in the default codec, beside plain bp128 with 8-byte skips.
#
# usage: bench/index_size.sh [COLLECTION...]   (gitlog-500k wikipassages-400k simplewiki-50k unless told)
# environment: RIPOSTE       the program         (build/riposte)
#              RIPOSTE_DATA  the collections     (../shared/data)
#              CODEC         of the index        (the default)
#              TOKENS        whose: own, or peers, those of bench/peers/pretokenise.c (own)
#              OUT           all that is written (build/bench)
#
# Prints the table of docs/bench-size.md. The target holds for gitlog-500k. What is not there is skipped by
# name. Exit: 0 ran, 1 ran and the target was missed, 2 nothing to measure.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- gitlog-500k wikipassages-400k simplewiki-50k
RIPOSTE=${RIPOSTE:-build/riposte}
DATA=${RIPOSTE_DATA:-../shared/data}
OUT=${OUT:-build/bench}
TOKENS=${TOKENS:-own}
SIZE=$(dirname "$RIPOSTE")/bench/bench_size

[ -x "$RIPOSTE" ] || { echo "SKIP riposte: $RIPOSTE is not built"; exit 2; }
[ -x "$SIZE" ] || { echo "SKIP bench_size: $SIZE is not built"; exit 2; }
mkdir -p "$OUT"
measured=0 missed=0
echo "| collection | plain docids | frequencies | skips | **all** | docids | frequencies | directory | tiny lists | **all** | **of plain** | pruning data |"
echo "|---|---|---|---|---|---|---|---|---|---|---|---|"
for name in "$@"; do
    source=$DATA/$name/docs.jsonl.zst
    [ -r "$source" ] || { echo "SKIP $name: $source is not there; set RIPOSTE_DATA"; continue; }
    rm -rf "$OUT/size.rip"
    if [ "$TOKENS" = peers ]; then
        ${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 bench/peers/pretokenise.c -o "$OUT/pretokenise"
        zstd -dcq "$source" | "$OUT/pretokenise" >"$OUT/size.tsv" 2>/dev/null
        source=$OUT/size.tsv
    fi
    "$RIPOSTE" index -q "$source" -o "$OUT/size.rip" --no-positions --no-store ${CODEC:+--codec "$CODEC"}
    status=0
    "$SIZE" "$name" "$OUT/size.rip" || status=$?
    [ $status -lt 2 ] || exit 2
    [ $status -eq 0 ] || [ "$name" != gitlog-500k ] || missed=1
    measured=$((measured + 1))
    rm -rf "$OUT/size.rip" "$OUT/size.tsv"
done
[ $measured -gt 0 ] || exit 2
exit $missed
