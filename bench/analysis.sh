#!/bin/sh
# analysis.sh: what each step of the analysis is worth: nDCG@10 and MAP beside Lucene 8's
# EnglishAnalyzer on the same topics, in the same run; and what the analysis costs an indexer.
#
# usage: bench/analysis.sh                 (prints Markdown)
# environment: RIPOSTE       the program                                     (build/riposte)
#              RIPOSTE_DATA  the collections                                 (../shared/data)
#              COLLECTIONS   which of them                 (cranfield cacm cisi scifact)
#              BASE          an older program: counts the instructions of indexing by both
#              OUT           all that is written                     (build/bench/analysis)
#
# All engines rank by BM25 with k1 1.2 and b 0.75. t is the paired t of the topics' nDCG@10, Riposte
# less Lucene. What cannot run is skipped by name. Exit: 0 ran; 1 a target was missed: t is -2 or less
# for a row with all steps, or indexing takes more than 1.02 of BASE's instructions; 2 nothing to run.
set -eu
cd "$(dirname "$0")/.."
RIPOSTE=${RIPOSTE:-build/riposte}
DATA=${RIPOSTE_DATA:-../shared/data}
COLLECTIONS=${COLLECTIONS:-cranfield cacm cisi scifact}
OUT=${OUT:-build/bench/analysis}
JARS=/usr/share/java
K1=1.2
B=0.75
MISSED=0

say() { printf '%s\n' "$*"; }
skip() { say "SKIP $1: $2" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }

# name | options of riposte index; a name with a star must not be below Lucene
ROWS='porter, all steps *|--stem porter --stop lucene
english, all steps *|--stem english --stop lucene
english, stop list english|--stem english --stop english
porter, possessive kept|--stem porter --stop lucene --keep-possessive
porter, accents kept|--stem porter --stop lucene --no-fold
porter, no stop list|--stem porter
no stemmer|--stop lucene
no stemmer, no stop list (the default)|
porter, split|--stem porter --stop lucene --tokens split
porter, whitespace|--stem porter --stop lucene --tokens whitespace
porter, possessive and accents kept|--stem porter --stop lucene --keep-possessive --no-fold'

# ---- runs ------------------------------------------------------------------------------------------

find_lucene() {
    CLASSPATH=$OUT/lucene
    for jar in "$JARS"/lucene-core-8.*.jar "$JARS"/lucene-analyzers-common-8.*.jar; do
        [ -r "$jar" ] || { skip lucene "$jar is not there; apt install liblucene8-java"; return 1; }
        CLASSPATH=$CLASSPATH:$jar
    done
    have javac || { skip lucene "no javac; apt install openjdk-17-jdk-headless"; return 1; }
    export CLASSPATH
    javac -d "$OUT/lucene" bench/peers/lucene/EnglishPeer.java
}

# measure COLLECTION RUN NAME: the run's values, a topic a line, and the means in NAME.all.
measure() {
    "$RIPOSTE" eval "$DATA/$1/qrels.txt.gz" "$2" --metrics map,ndcg_cut_10 --per-query >"$OUT/eval"
    awk '$1 == "ndcg_cut_10" && $2 != "all" { print $2, $3 }' "$OUT/eval" | sort >"$OUT/$3.topics"
    awk '$2 == "all" && ($1 == "map" || $1 == "ndcg_cut_10") { v[$1] = $3 }
        END { printf "%.4f %.4f\n", v["ndcg_cut_10"], v["map"] }' "$OUT/eval" >"$OUT/$3.all"
}

run_riposte() { # COLLECTION OPTIONS...
    docs=$DATA/$1/docs.jsonl.gz
    topics=$DATA/$1/topics.tsv.gz
    of=$1
    shift
    "$RIPOSTE" index -q "$docs" -o "$OUT/ix" --no-store "$@"
    "$RIPOSTE" batch -q "$OUT/ix" "$topics" --plain --k 1000 --k1 $K1 --b $B --variant lucene \
        -o "$OUT/run"
    measure "$of" "$OUT/run" row
}

run_lucene() {
    gzip -dc "$DATA/$1/docs.jsonl.gz" >"$OUT/docs.jsonl"
    gzip -dc "$DATA/$1/topics.tsv.gz" >"$OUT/topics.tsv"
    java -Xmx1g EnglishPeer "$OUT/docs.jsonl" "$OUT/topics.tsv" $K1 $B >"$OUT/run"
    measure "$1" "$OUT/run" lucene
}

# t_of: paired t of the row's topics against Lucene's; a topic that a run lacks counts 0.
t_of() {
    join -a 1 -a 2 -e 0 -o 1.2,2.2 "$OUT/row.topics" "$OUT/lucene.topics" | awk '
        { d = $1 - $2; n++; sum += d; squares += d * d }
        END {
            mean = sum / n
            variance = (squares - n * mean * mean) / (n - 1)
            printf "%.2f\n", (variance > 1e-12 ? mean / sqrt(variance / n) : 0)
        }'
}

# ---- tables ----------------------------------------------------------------------------------------

print_row() { # NAME CELLS...
    printf '| %s |' "$1"
    shift
    printf ' %s |' "$@"
    printf '\n'
}

table_of() { # COLLECTION
    say
    say "### $1"
    say
    say "| analysis | nDCG@10 | MAP | t against Lucene |"
    say "|---|---|---|---|"
    if [ $HAS_LUCENE = 1 ]; then
        run_lucene "$1"
        print_row "Lucene 8, EnglishAnalyzer" $(cat "$OUT/lucene.all") ""
    fi
    say "$ROWS" | while IFS='|' read -r name options; do
        run_riposte "$1" $options
        t=-
        [ $HAS_LUCENE = 1 ] && t=$(t_of)
        print_row "$name" $(cat "$OUT/row.all") "$t"
        case $name in *'*') [ "$t" = - ] || say "$t $1 $name" >>"$OUT/targets" ;; esac
    done
}

# ---- instructions ----------------------------------------------------------------------------------

instructions_of() { # PROGRAM FILE OPTIONS...
    program=$1
    file=$2
    shift 2
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" index -q "$file" \
        -o "$OUT/ix" "$@" 2>&1 | sed -n 's/.*Collected : //p'
}

table_of_instructions() {
    have valgrind || { skip instructions "no valgrind; apt install valgrind"; return; }
    say
    say "### Instructions of indexing (callgrind)"
    say
    say "| documents | options | before | now | ratio |"
    say "|---|---|---|---|---|"
    for part in gitlog-500k:8000 wikipassages-400k:4000; do
        collection=${part%:*}
        n=${part#*:}
        zstd -dcq "$DATA/$collection/docs.jsonl.zst" 2>/dev/null | head -n "$n" >"$OUT/prefix.jsonl"
        for options in "" "--stem english"; do
            before=$(instructions_of "$BASE" "$OUT/prefix.jsonl" $options)
            now=$(instructions_of "$RIPOSTE" "$OUT/prefix.jsonl" $options)
            ratio=$(awk -v a="$now" -v b="$before" 'BEGIN { printf "%.4f", a / b }')
            print_row "first $n of $collection" "${options:-none}" "$before" "$now" "$ratio"
            say "$ratio" >>"$OUT/ratios"
        done
    done
}

# ---- main ------------------------------------------------------------------------------------------

[ -x "$RIPOSTE" ] || { skip riposte "$RIPOSTE is not built"; exit 2; }
mkdir -p "$OUT/lucene"
: >"$OUT/targets"
: >"$OUT/ratios"
HAS_LUCENE=0
find_lucene && HAS_LUCENE=1
say "date $(date -u +%Y-%m-%d), commit $(git rev-parse --short HEAD 2>/dev/null || echo none)," \
    "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores"
for collection in $COLLECTIONS; do
    if [ -r "$DATA/$collection/docs.jsonl.gz" ]; then
        table_of "$collection"
    else
        skip "$collection" "$DATA/$collection is not there; set RIPOSTE_DATA"
    fi
done
[ -z "${BASE:-}" ] || table_of_instructions
say
awk '$1 <= -2 { print "MISSED: " $0; missed = 1 } END { exit missed }' "$OUT/targets" || MISSED=1
awk '$1 > 1.02 { print "MISSED: instructions, ratio " $1; missed = 1 } END { exit missed }' \
    "$OUT/ratios" || MISSED=1
[ $MISSED = 1 ] || say "no target was missed"
exit $MISSED
