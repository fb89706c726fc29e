#!/bin/sh
# index_speed.sh: documents a second of Riposte, SQLite FTS5 and Lucene 8 on equal indexing work.
#
# usage: bench/index_speed.sh [ROUNDS]        (3 rounds unless told)
# environment: RIPOSTE       the program         (build/riposte)
#              RIPOSTE_DATA  the collections     (../shared/data)
#              COLLECTION    which of them       (wikipassages-400k)
#              OUT           all that is written (build/bench)
#
# A round runs every engine once, so that a busy minute of the machine falls on all of them alike;
# the best of the rounds counts, by wall clock and by CPU time. docs/bench-indexing.md gives the
# method. What cannot run is skipped by name. Exit: 0 ran, 1 ran and a target was missed or the
# engines saw different tokens, 2 nothing to measure.
set -eu
cd "$(dirname "$0")/.."
ROUNDS=${1:-3}
RIPOSTE=${RIPOSTE:-build/riposte}
DATA=${RIPOSTE_DATA:-../shared/data}
COLLECTION=${COLLECTION:-wikipassages-400k}
OUT=${OUT:-build/bench}
SOURCE=$DATA/$COLLECTION/docs.jsonl.zst
TOKENS=$OUT/$COLLECTION.tsv
LOG=$OUT/log
CFLAGS="-std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Wpedantic"
JARS=/usr/share/java
JAVA="java -Xmx3g -XX:+UseSerialGC"
FTS5_MIN=3 # a peer's time over Riposte's, at the least
LUCENE_MIN=2

say() { printf '%s\n' "$*"; }
skip() { say "SKIP $1: $2"; }
have() { command -v "$1" >/dev/null 2>&1; }

# ---- what there is to run: ROWS lists the engines that can ----------------------------------------

ROWS=
build_tools() {
    mkdir -p "$LOG"
    ${CC:-cc} $CFLAGS bench/rss.c -o "$OUT/rss"
    ${CC:-cc} $CFLAGS bench/peers/pretokenise.c -o "$OUT/pretokenise"
}

make_tokens() {
    [ -s "$TOKENS" ] && [ "$TOKENS" -nt "$SOURCE" ] && return
    [ -r "$SOURCE" ] || { skip "$COLLECTION" "$SOURCE is not there; set RIPOSTE_DATA"; exit 2; }
    have zstd || { skip "$COLLECTION" "no zstd to unpack it; apt install zstd"; exit 2; }
    zstd -dcq "$SOURCE" | "$OUT/pretokenise" >"$TOKENS.part" 2>"$TOKENS.counts"
    mv "$TOKENS.part" "$TOKENS"
}

find_riposte() {
    if [ -x "$RIPOSTE" ]; then ROWS="$ROWS riposte"; else skip riposte "$RIPOSTE is not built"; fi
}

find_fts5() {
    if ${CC:-cc} $CFLAGS bench/peers/fts5/fts5_index.c -o "$OUT/fts5_index" -lsqlite3 \
        2>"$LOG/fts5.build"; then
        ROWS="$ROWS fts5 fts5_optimize fts5_hash"
    else
        skip fts5 "it does not build; apt install libsqlite3-dev"
    fi
}

find_lucene() {
    CLASSPATH=$OUT/lucene
    for jar in "$JARS"/lucene-core-8.*.jar "$JARS"/lucene-analyzers-common-8.*.jar; do
        [ -r "$jar" ] || { skip lucene "$jar is not there; apt install liblucene8-java"; return; }
        CLASSPATH=$CLASSPATH:$jar
    done
    have javac || { skip lucene "no javac; apt install openjdk-17-jdk-headless"; return; }
    export CLASSPATH
    javac -d "$OUT/lucene" bench/peers/lucene/IndexPeer.java
    ROWS="$ROWS lucene lucene_merge"
}

# ---- one run of a row; each starts with nothing on disk ------------------------------------------

# The command of a row; anything after the row's name is added to it.
command_of() {
    row=$1
    shift
    case $row in
    riposte) echo "$RIPOSTE index $TOKENS -o $OUT/ix --no-store --threads 1 --memory 1G" "$@" ;;
    riposte_64M) echo "$RIPOSTE index $TOKENS -o $OUT/ix --no-store --threads 1 --memory 64M" "$@" ;;
    fts5) echo "$OUT/fts5_index $TOKENS $OUT/ix" "$@" ;;
    fts5_optimize) echo "$OUT/fts5_index $TOKENS $OUT/ix --optimize" "$@" ;;
    fts5_hash) echo "$OUT/fts5_index $TOKENS $OUT/ix --optimize --hash-mb 1024" "$@" ;;
    lucene) echo "$JAVA IndexPeer $TOKENS $OUT/ix" "$@" ;;
    lucene_merge) echo "$JAVA IndexPeer $TOKENS $OUT/ix --force-merge" "$@" ;;
    esac
}

run() {
    rm -rf "$OUT/ix"
    sync
    if ! "$OUT/rss" "$LOG/$1.cost" $(command_of "$@") >>"$LOG/$1.out" 2>&1; then
        say "$1 failed:" >&2
        tail -n 5 "$LOG/$1.out" >&2
        exit 1
    fi
}

# best FILE KEY: the least value of KEY over the runs; most: the greatest.
best() { tr ' ' '\n' <"$1" | sed -n "s/^$2=//p" | sort -n | head -n 1; }
most() { tr ' ' '\n' <"$1" | sed -n "s/^$2=//p" | sort -n | tail -n 1; }

# ---- did all see the same tokens? ----------------------------------------------------------------

# The counts of the last index of a row, "terms=N postings=N tokens=N".
counts_of() {
    case $1 in
    riposte) "$RIPOSTE" stats "$OUT/ix" --json | sed 's/"bytes".*//' | tr -d '"' | tr ',' '\n' |
        sed -n -E 's/^(terms|postings|tokens):([0-9]+)$/\1=\2/p' ;;
    *) sed -n 's/.*\(terms=.*\)/\1/p' "$LOG/$1.out" | tr ' ' '\n' ;;
    esac | sort | tr '\n' ' '
}

check_counts() {
    want=
    for row in riposte fts5 lucene; do
        case " $ROWS " in *" $row "*) ;; *) continue ;; esac
        flag=--count
        [ $row = riposte ] && flag=
        run $row $flag
        got=$(counts_of $row)
        say "  $row: $got"
        [ -z "$want" ] && want=$got
        [ "$got" = "$want" ] || { say "the engines saw different tokens"; exit 1; }
        rm -f "$LOG/$row.cost" "$LOG/$row.out"
    done
}

# ---- report --------------------------------------------------------------------------------------

print_row() {
    awk -v row="$1" -v wall="$2" -v cpu="$3" -v rss="$4" -v docs="$DOCS" -v rw="$RIPOSTE_WALL" \
        -v rc="$RIPOSTE_CPU" 'BEGIN {
            ratio = rw > 0 ? sprintf("%6.2f %6.2f", wall / rw, cpu / rc) : "     -      -"
            printf "%-14s %8.2f %8.2f %10.0f %10.0f %s %8.0f\n", row, wall, cpu, docs / wall,
                docs / cpu, ratio, rss / 1024 }'
}

print_table() {
    say
    say "best of $ROUNDS rounds; ratio = time over Riposte's"
    printf '%-14s %8s %8s %10s %10s %6s %6s %8s\n' engine wall_s cpu_s docs/s_wall docs/s_cpu \
        r_wall r_cpu rss_MiB
    for row in $ROWS; do
        cost=$LOG/$row.cost
        print_row $row "$(best "$cost" wall)" "$(best "$cost" cpu)" "$(most "$cost" rss_kb)"
    done
    if [ -s "$LOG/lucene.out" ]; then
        say "lucene's writing thread alone (no JIT, no GC): $(best "$LOG/lucene.out" thread) s of CPU"
    fi
}

# target NAME MIN: is the peer's time at least MIN times Riposte's, by wall clock and by CPU?
target() {
    [ -s "$LOG/$1.cost" ] && [ "$RIPOSTE_WALL" != 0 ] || return 0
    for key in wall cpu; do
        own=$(best "$LOG/riposte.cost" $key)
        peer=$(best "$LOG/$1.cost" $key)
        awk -v n="$1" -v k=$key -v min="$2" -v peer="$peer" -v own="$own" 'BEGIN {
            r = peer / own
            printf "%s: %.2fx %s by %s, wanted %sx\n", (r < min ? "MISSED" : "met"), r, n, k, min
            exit(r < min) }' || MISSED=1
    done
}

# within ROW MIB: did Riposte stay inside its budget?
within() {
    awk -v row="$1" -v mib="$2" -v kb="$(most "$LOG/$1.cost" rss_kb)" 'BEGIN {
        over = kb + 0 > mib * 1024
        printf "%s: peak memory of %s %.1f MiB of %d MiB\n", (over ? "MISSED" : "met"), row,
            kb / 1024, mib
        exit over }' || MISSED=1
}

# ---- main ----------------------------------------------------------------------------------------

rm -rf "$LOG"
build_tools
make_tokens
find_riposte
find_fts5
find_lucene
[ -n "$ROWS" ] || exit 2
case " $ROWS " in *" riposte "*) ROWS="$ROWS riposte_64M" ;; esac

DOCS=$(sed -n 's/.*docs=\([0-9]*\).*/\1/p' "$TOKENS.counts")
say "$COLLECTION: $(cat "$TOKENS.counts"), $(wc -c <"$TOKENS") bytes of tokens"
say "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores;" \
    "load $(cut -d ' ' -f 1 /proc/loadavg); commit $(git rev-parse --short HEAD 2>/dev/null || echo none)"
say "what each engine counted:"
check_counts

round=0
while [ $round -lt "$ROUNDS" ]; do
    round=$((round + 1))
    for row in $ROWS; do
        run $row
        say "  round $round $row: $(tail -n 1 "$LOG/$row.cost")"
    done
done

MISSED=0
RIPOSTE_WALL=0
RIPOSTE_CPU=0
if [ -s "$LOG/riposte.cost" ]; then
    RIPOSTE_WALL=$(best "$LOG/riposte.cost" wall)
    RIPOSTE_CPU=$(best "$LOG/riposte.cost" cpu)
fi
print_table
if [ "$RIPOSTE_WALL" != 0 ]; then
    say
    target fts5 $FTS5_MIN
    target lucene $LUCENE_MIN
    within riposte 1024
    within riposte_64M 64
fi
rm -rf "$OUT/ix"
exit $MISSED
