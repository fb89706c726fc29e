#!/bin/sh
# import_speed.sh: how fast a large CIFF file becomes an index, beside gzip -d on the same data.
#
# usage: bench/import_speed.sh [ROUNDS]        (3 rounds unless told)
# environment: RIPOSTE       the program         (build/riposte)
#              RIPOSTE_DATA  the collections     (../shared/data)
#              COLLECTION    which of them       (wikipassages-400k)
#              COPIES        of it in the file   (6: over 1 GB)
#              MEMORY        of the import       (256M)
#              OUT           all that is written (build/bench)
#
# The file is the export of an index of the collection, repeated under other ids. A round runs gzip -d to
# a file, then the import of the plain file; the best of the rounds counts, by wall clock and by CPU
# time. Exit: 0 ran, 1 ran and a target was missed, 2 nothing to measure.
set -eu
cd "$(dirname "$0")/.."
ROUNDS=${1:-3}
RIPOSTE=${RIPOSTE:-build/riposte}
DATA=${RIPOSTE_DATA:-../shared/data}
COLLECTION=${COLLECTION:-wikipassages-400k}
COPIES=${COPIES:-6}
MEMORY=${MEMORY:-256M}
OUT=${OUT:-build/bench}
SOURCE=$DATA/$COLLECTION/docs.jsonl.zst
CIFF=$OUT/$COLLECTION-$COPIES.ciff
LOG=$OUT/import_log
SHARE=0.25 # of the speed of gzip -d, at the least

say() { printf '%s\n' "$*"; }
skip() { say "SKIP $1: $2"; exit 2; }

make_ciff() {
    [ -s "$CIFF" ] && [ -s "$CIFF.gz" ] && return
    [ -r "$SOURCE" ] || skip "$COLLECTION" "$SOURCE is not there; set RIPOSTE_DATA"
    copy=0
    while [ $copy -lt "$COPIES" ]; do
        copy=$((copy + 1))
        zstd -dcq "$SOURCE" | sed "s/\"id\": *\"/&$copy-/"
    done | "$RIPOSTE" index -q --format jsonl --no-store --no-positions - -o "$OUT/ix"
    "$RIPOSTE" export -q ciff "$OUT/ix" -o "$CIFF"
    gzip -c "$CIFF" >"$CIFF.part"
    mv "$CIFF.part" "$CIFF.gz"
    rm -rf "$OUT/ix"
}

# best FILE KEY: the least value of KEY over the runs; most: the greatest.
best() { tr ' ' '\n' <"$1" | sed -n "s/^$2=//p" | sort -n | head -n 1; }
most() { tr ' ' '\n' <"$1" | sed -n "s/^$2=//p" | sort -n | tail -n 1; }

[ -x "$RIPOSTE" ] || skip riposte "$RIPOSTE is not built"
rm -rf "$LOG"
mkdir -p "$LOG"
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Wpedantic bench/rss.c -o "$OUT/rss"
make_ciff
say "$(basename "$CIFF"): $(wc -c <"$CIFF") bytes, $(wc -c <"$CIFF.gz") packed"
say "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores;" \
    "load $(cut -d ' ' -f 1 /proc/loadavg); commit $(git rev-parse --short HEAD 2>/dev/null || echo none)"
round=0
while [ $round -lt "$ROUNDS" ]; do
    round=$((round + 1))
    cat "$CIFF" "$CIFF.gz" >/dev/null
    rm -rf "$OUT/ix" "$OUT/plain"
    "$OUT/rss" "$LOG/gzip" sh -c "gzip -dc $CIFF.gz >$OUT/plain"
    rm -f "$OUT/plain"
    "$OUT/rss" "$LOG/import" "$RIPOSTE" import ciff "$CIFF" -o "$OUT/ix" --memory "$MEMORY" >"$LOG/out"
    say "  round $round gzip -d: $(tail -n 1 "$LOG/gzip")"
    say "  round $round import:  $(tail -n 1 "$LOG/import")"
done
cat "$LOG/out"
missed=0
for key in wall cpu; do
    awk -v k=$key -v min=$SHARE -v a="$(best "$LOG/gzip" $key)" -v b="$(best "$LOG/import" $key)" 'BEGIN {
        printf "%s: import at %.2f of the speed of gzip -d by %s, wanted %s\n",
            (a / b < min ? "MISSED" : "met"), a / b, k, min
        exit(a / b < min) }' || missed=1
done
awk -v mib="${MEMORY%M}" -v kb="$(most "$LOG/import" rss_kb)" 'BEGIN {
    over = kb + 0 > mib * 1024
    printf "%s: peak memory %.1f MiB of %d MiB\n", (over ? "MISSED" : "met"), kb / 1024, mib
    exit over }' || missed=1
rm -rf "$OUT/ix"
exit $missed
