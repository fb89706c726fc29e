#!/bin/sh
# query_peers.sh: how fast Riposte, Lucene 8, PISA, Xapian and SQLite FTS5 answer the same queries.
#
# usage: bench/query_peers.sh [COLLECTION] [LOG]      (gitlog-500k and terabyte05 unless told)
#        bench/query_peers.sh simplewiki-50k search-benchmark-game      its phrases
# environment: RIPOSTE       the program                              (build/riposte)
#              RIPOSTE_DATA  collections, and logs in queries/        (../shared/data)
#              ENGINES       which of them                       (riposte lucene lucene1 pisa xapian fts5)
#              PISA          checkouts of its sources (bench/peers/pisa/build.sh); without it PISA is skipped
#              SETS          of queries: selected all log, and one known long, the whole log by 1, 2 to 5 and 6
#                            or more words that are all in the index  (the first three; phrases: its own)
#              ROUNDS        in which the engines take turns          (5; sets all and log: 1)
#              INNER         rounds of an engine in its turn          (5; sets all and log: 1; by words: 2)
#              WARM          seconds of CPU an operation, not counted (4)
#              OUT           all that is written                      (build/bench/queries)
#
# docs/bench-queries.md gives the method. What cannot run is skipped by name. Exit: 0 ran; 1 a target
# was missed, or two engines count differently (the query is named); 2 nothing to measure.
set -eu
cd "$(dirname "$0")/.."
COLLECTION=${1:-gitlog-500k}
LOG=${2:-terabyte05}
RIPOSTE=${RIPOSTE:-build/riposte}
DATA=${RIPOSTE_DATA:-../shared/data}
ENGINES=${ENGINES:-riposte lucene lucene1 pisa xapian fts5}
PISA=${PISA:-}
ROUNDS=${ROUNDS:-5}
INNER=${INNER:-5}
WARM=${WARM:-4}
OUT=${OUT:-build/bench/queries}
SOURCE=$DATA/$COLLECTION/docs.jsonl.zst
TOKENS=$OUT/$COLLECTION.tsv
TIMES=$OUT/times
FTS5_SAMPLE=50 # queries that FTS5 ranks: it scores every match, in up to a second a query
CFLAGS="-O2 -Wall -Wextra -Wpedantic"
JARS=/usr/share/java
JAVA="java -Xmx2g -XX:+UseSerialGC"

say() { printf '%s\n' "$*"; }
skip() { say "SKIP $1: $2"; }
have() { command -v "$1" >/dev/null 2>&1; }
has_engine() { case " $ROWS " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }

# ---- what there is to run: ROWS lists the engines that can ----------------------------------------

ROWS=
find_riposte() {
    if [ -x "$RIPOSTE" ]; then ROWS="$ROWS $1"; else skip riposte "$RIPOSTE is not built"; fi
}

# lucene: one process for all operations, as a server has it; lucene1: a process for each, so that the
# compiler sees no other.
find_lucene() {
    CLASSPATH=$OUT/lucene
    for jar in "$JARS"/lucene-core-8.*.jar "$JARS"/lucene-analyzers-common-8.*.jar; do
        [ -r "$jar" ] || { skip "$1" "$jar is not there; apt install liblucene8-java"; return; }
        CLASSPATH=$CLASSPATH:$jar
    done
    have javac || { skip "$1" "no javac; apt install openjdk-17-jdk-headless"; return; }
    export CLASSPATH
    javac -d "$OUT/lucene" bench/peers/lucene/IndexPeer.java bench/peers/lucene/QueryPeer.java
    ROWS="$ROWS $1"
}
find_lucene1() { find_lucene lucene1; }

find_pisa() {
    [ -n "$PISA" ] || { skip "$1" "set PISA to a folder with checkouts of its sources"; return; }
    [ -x "$OUT/pisa/pisa_query" ] || bench/peers/pisa/build.sh "$PISA" "$OUT/pisa" ||
        { skip "$1" "it does not build; see bench/peers/pisa/build.sh for what it needs"; return; }
    ROWS="$ROWS $1"
}

find_xapian() {
    for x in index query; do
        ${CXX:-c++} -std=c++17 $CFLAGS bench/peers/xapian/xapian_$x.cpp -o "$OUT/xapian_$x" \
            $(xapian-config --cxxflags --libs 2>/dev/null) 2>"$OUT/xapian.build" ||
            { skip "$1" "it does not build; apt install libxapian-dev g++"; return; }
    done
    ROWS="$ROWS $1"
}

find_fts5() {
    for x in index query; do
        ${CC:-cc} -std=c11 -D_GNU_SOURCE $CFLAGS bench/peers/fts5/fts5_$x.c -o "$OUT/fts5_$x" \
            -lsqlite3 2>"$OUT/fts5.build" ||
            { skip "$1" "it does not build; apt install libsqlite3-dev"; return; }
    done
    ROWS="$ROWS $1"
}

# ---- tokens, queries, indexes --------------------------------------------------------------------

make_tokens() {
    [ -s "$TOKENS" ] && [ "$TOKENS" -nt "$SOURCE" ] && return
    [ -r "$SOURCE" ] || { skip "$COLLECTION" "$SOURCE is not there; set RIPOSTE_DATA"; exit 2; }
    have zstd || { skip "$COLLECTION" "no zstd to unpack it; apt install zstd"; exit 2; }
    ${CC:-cc} -std=c11 -D_GNU_SOURCE $CFLAGS bench/peers/pretokenise.c -o "$OUT/pretokenise"
    zstd -dcq "$SOURCE" | "$OUT/pretokenise" >"$TOKENS.part" 2>"$TOKENS.counts"
    mv "$TOKENS.part" "$TOKENS"
}

# Queries as the collection has its tokens: runs of [a-z0-9]; a word that comes again is dropped,
# because engines differ in what it is worth. tidy LEAST MOST: those with so many words.
tidy() {
    awk -F '\t' -v least="$1" -v most="$2" '{
        text = tolower($2); gsub(/[^a-z0-9]+/, " ", text)
        n = split(text, word, " "); split("", seen); line = ""; words = 0
        for (i = 1; i <= n; i++)
            if (!(word[i] in seen)) { seen[word[i]]; words++; line = line (words > 1 ? " " : "") word[i] }
        if (words >= least && words <= most) print $1 "\t" line }'
}

find_log() {
    QUERIES=
    for file in "$DATA/queries/$LOG"*.gz; do
        [ -r "$file" ] && QUERIES=$file
    done
    [ -n "$QUERIES" ] || { skip "$LOG" "no $DATA/queries/$LOG*.gz; set RIPOSTE_DATA"; exit 2; }
    case $QUERIES in
    *.jsonl.gz) IS_PHRASES=1 ;;
    *) IS_PHRASES= ;;
    esac
}

make_queries() {
    if [ -n "$IS_PHRASES" ]; then # words of a phrase stand as they are, repeated or not
        zcat "$QUERIES" | sed -n 's/.*"query": "\\"\([^"\\]*\)\\"", "tags": \["phrase".*/\1/p' |
            tr A-Z a-z | tr -cs 'a-z0-9\n' ' ' | sed 's/^ //; s/ $//' |
            awk '{ print NR "\t" $0 }' >"$OUT/phrases.tsv"
        return
    fi
    zcat "$QUERIES" | tidy 1 64 >"$OUT/log.tsv"
    zcat "$QUERIES" | tidy 2 5 >"$OUT/all.tsv"
}

# Of all, those whose words are known and together in 10 documents or more.
select_queries() {
    "$RIPOSTE" bench queries -q "$(index_of riposte)" "$OUT/all.tsv" --known --min-hits 10 --modes and \
        --k count --rounds 1 --per-query "$OUT/selected.qids" >/dev/null
    awk -F '\t' 'NR == FNR { chosen[$2]; next } $1 in chosen' "$OUT/selected.qids" "$OUT/all.tsv" \
        >"$OUT/selected.tsv"
}

# select_known SET LEAST MOST: the whole log by the number of words, where all of them are known.
select_known() {
    zcat "$QUERIES" | tidy "$2" "$3" >"$OUT/$1.words.tsv"
    "$RIPOSTE" bench queries -q "$(index_of riposte)" "$OUT/$1.words.tsv" --known --modes and --k count --rounds 1 \
        --per-query "$OUT/$1.qids" >/dev/null
    awk -F '\t' 'NR == FNR { known[$2]; next } $1 in known' "$OUT/$1.qids" "$OUT/$1.words.tsv" >"$OUT/$1.tsv"
}

# Indexes have positions where phrases are asked for, and only there.
index_of() { echo "$OUT/$COLLECTION${IS_PHRASES:+.positions}.${1%1}"; }

make_index() {
    index=$(index_of "$1")
    [ -e "$index" ] && [ "$index" -nt "$TOKENS" ] && [ "$1" != riposte ] && return
    rm -rf "$index"
    bare=--no-positions
    [ -z "$IS_PHRASES" ] || bare=
    case $1 in
    riposte) "$RIPOSTE" index -q "$TOKENS" -o "$index" --no-store $bare ;;
    lucene*) $JAVA IndexPeer "$TOKENS" "$index" --force-merge $bare ;;
    pisa) index_pisa "$index" ;;
    xapian) "$OUT/xapian_index" "$TOKENS" "$index" ${IS_PHRASES:+--positions} ;;
    fts5) "$OUT/fts5_index" "$TOKENS" "$index" --optimize --hash-mb 1024 ;;
    esac
    rm -rf "$index.loose"
    say "  $1: $(du -sk "$index" | cut -f 1) KiB"
}

# PISA has the very postings of Riposte.
index_pisa() {
    rm -rf "$1.export"
    "$RIPOSTE" export pisa -q "$(index_of riposte)" -o "$1.export"
    "$OUT/pisa/pisa_index" "$1.export" "$1" >"$OUT/pisa.log" 2>&1
    rm -rf "$1.export"
}

# ---- one turn of an engine: lines of operation, qid, nanoseconds, total ---------------------------

# turn ENGINE QUERIES WARM INNER OPERATION...
turn() {
    engine=$1 queries=$2 warm=$3 inner=$4
    shift 4
    index=$(index_of "$engine")
    case $engine in
    riposte) turn_riposte "$index" "$queries" "$inner" "$@" ;;
    lucene) $JAVA QueryPeer "$index" "$queries" "$warm" "$inner" "$@" ;;
    lucene1) for o in "$@"; do $JAVA QueryPeer "$index" "$queries" "$warm" "$inner" "$o"; done ;;
    pisa) "$OUT/pisa/pisa_query" "$index" "$queries" 0.001 "$inner" "$@" ;;
    xapian) "$OUT/xapian_query" "$index" "$queries" 0.001 "$inner" "$@" ;; # no compiler to wait for
    fts5) turn_fts5 "$index" "$queries" "$@" ;;
    esac
}

turn_riposte() {
    index=$1 queries=$2 inner=$3
    shift 3
    modes=$(printf '%s\n' "$@" | sed 's/:.*//' | sort -u | paste -sd ,)
    ks=$(printf '%s\n' "$@" | sed 's/.*://' | sort -u | paste -sd ,)
    "$RIPOSTE" bench queries -q "$index" "$queries" --modes "$modes" --k "$ks" --rounds "$inner" \
        --per-query "$OUT/riposte.lines" >/dev/null
    awk -F '\t' -v wanted=" $* " 'index(wanted, " " $1 " ")' "$OUT/riposte.lines"
}

# Ranked operations on a sample, once; but phrases match little, and counts cost little: all of them.
turn_fts5() {
    index=$1 queries=$2
    shift 2
    awk -v n="$(wc -l <"$queries")" -v want=$FTS5_SAMPLE 'int(NR * want / n) > int((NR - 1) * want / n)' \
        "$queries" >"$OUT/fts5.sample"
    for o in "$@"; do
        case $o in
        phrase:* | *:count) "$OUT/fts5_query" "$index" "$queries" 0 1 "$o" ;;
        *) "$OUT/fts5_query" "$index" "$OUT/fts5.sample" 0 1 "$o" ;;
        esac
    done
}

# ---- results -------------------------------------------------------------------------------------

# Every total that was counted, of every engine, must be the same.
check_totals() {
    awk -F '\t' '
        FNR == 1 { n = split(FILENAME, part, /[.\/]/); engine = part[n - 1] }
        $4 < 0 { next }
        !(($1, $2) in total) { total[$1, $2] = $4; by[$1, $2] = engine; counted[$1]++ }
        { checks++ }
        $4 != total[$1, $2] {
            printf "DIFFERENT: %s of query %s is %s by %s and %s by %s\n", $1, $2, total[$1, $2],
                by[$1, $2], $4, engine
            exit bad = 1 }
        END {
            if (!bad) for (o in counted) printf "totals of %s: %d queries, all engines agree\n", o, counted[o]
            exit bad }' "$@"
}

# The best time of each query: lines of operation, engine, nanoseconds, and those of Lucene for the same query.
best_times() {
    awk -F '\t' '
        FNR == 1 { n = split(FILENAME, part, /[.\/]/); engine = part[n - 1] }
        !(($1, engine, $2) in best) || $3 < best[$1, engine, $2] { best[$1, engine, $2] = $3 }
        END { for (k in best) { split(k, p, SUBSEP); base = p[1] SUBSEP "lucene" SUBSEP p[3]
            print p[1] "\t" p[2] "\t" best[k] "\t" (base in best ? best[base] : 0) } }' "$@"
}

print_table() {
    printf '%-13s %-8s %6s %9s %9s %9s %9s   %s\n' operation engine n mean_us p50 p95 p99 \
        'over lucene: mean, p99'
    best_times "$@" | sort -t "$(printf '\t')" -k1,1 -k2,2 -k3,3n | awk -F '\t' '
        function at(share) { return v[int(share * n) + 1] / 1000 }
        function flush_group(   i, sum, base, ratio) {
            if (!n) return
            for (i = 1; i <= n; i++) { sum += v[i]; base += w[i] }
            ratio = base ? sprintf("%6.3f  %6.3f", sum / base, at(.99) * 1000 / top(int(n * .99) + 1)) : ""
            printf "%-13s %-8s %6d %9.1f %9.1f %9.1f %9.1f   %s\n", op, engine, n, sum / n / 1000, at(.5),
                at(.95), at(.99), ratio
            n = 0 }
        # The r-th smallest of w, by taking the largest away until it is one.
        function top(r,   i, j, k, t) {
            for (i = n; i >= r; i--) {
                k = 1
                for (j = 2; j <= i; j++) if (w[j] > w[k]) k = j
                t = w[k]; w[k] = w[i]; w[i] = t }
            return w[r] }
        $1 != op || $2 != engine { flush_group(); op = $1; engine = $2 }
        { n++; v[n] = $3; w[n] = $4 }
        END { flush_group() }'
}

# beside PEER FILE...: Riposte over the peer, each with its own distribution, and on how many queries it is slower.
beside() {
    peer=$1
    shift
    for o in $(cut -f 1 "$@" | sort -u); do
        for engine in riposte "$peer"; do
            awk -F '\t' -v o="$o" -v engine="$engine" '
                FNR == 1 { n = split(FILENAME, part, /[.\/]/); mine = part[n - 1] == engine }
                mine && $1 == o && (!($2 in best) || $3 < best[$2]) { best[$2] = $3 }
                END { for (q in best) print q "\t" best[q] }' "$@" | sort >"$OUT/beside.$engine"
            cut -f 2 "$OUT/beside.$engine" | sort -n >"$OUT/beside.$engine.sorted"
        done
        join -t "$(printf '\t')" "$OUT/beside.riposte" "$OUT/beside.$peer" |
            awk -F '\t' '{ n++; slower += $2 > $3; mine += $2; theirs += $3 }
                END { if (n) printf "%.3f %.1f %d\n", mine / theirs, 100 * slower / n, n }' >"$OUT/beside.mean"
        [ -s "$OUT/beside.mean" ] || continue
        paste "$OUT/beside.riposte.sorted" "$OUT/beside.$peer.sorted" | awk -v o="$o" -v peer="$peer" -v m="$(cat "$OUT/beside.mean")" '
            { mine[NR] = $1; theirs[NR] = $2 }
            function at(share,   i) { i = int(share * NR) + 1; return mine[i] / theirs[i] }
            END { split(m, v, " ")
                printf "%-10s riposte over %s: mean %s, p50 %.3f, p95 %.3f, p99 %.3f; slower on %s %% of %d\n", o, peer,
                    v[1], at(.5), at(.95), at(.99), v[2], v[3] }'
    done
}

# The ratio of means, round by round: its median, and all of it.
print_rounds() {
    awk -F '\t' '
        FNR == 1 { n = split(FILENAME, part, /[.\/]/); engine = part[n - 1]; round = part[n - 2] + 0 }
        { sum[$1, engine, round] += $3; ops[$1]; if (round > rounds) rounds = round }
        END { for (o in ops) for (p = 1; p <= 2; p++) {
            peer = p == 1 ? "lucene" : "lucene1"; m = 0
            for (r = 1; r <= rounds; r++) if ((o, peer, r) in sum && (o, "riposte", r) in sum) {
                x = sum[o, "riposte", r] / sum[o, peer, r]
                for (i = m++; i > 0 && v[i] > x; i--) v[i + 1] = v[i]
                v[i + 1] = x }
            if (m) printf "%s riposte over %s, by round: %.3f (%.3f to %.3f)\n", o, peer,
                m % 2 ? v[(m + 1) / 2] : (v[m / 2] + v[m / 2 + 1]) / 2, v[1], v[m] } }' "$@" | sort
}

# write_results SET: the table as JSON, in the form of bench/results/*.json.
write_results() {
    {
        printf '{"schema":"riposte.results/1","what":"times of queries, thread CPU time, best of all rounds of each query",\n'
        printf ' "date":"%s","commit":"%s",\n' "$(date -u +%Y-%m-%d)" "$(git rev-parse --short HEAD 2>/dev/null || echo none)"
        printf ' "machine":"%s, %s cores; load %s",\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" \
            "$(nproc)" "$(cut -d ' ' -f 1 /proc/loadavg)"
        printf ' "command":"SETS=%s ENGINES=\\"%s\\" ROUNDS=%s INNER=%s bench/query_peers.sh %s %s",\n' "$1" "$ENGINES" \
            "$ROUNDS" "$INNER" "$COLLECTION" "$LOG"
        printf ' "data":"%s: %s; %s queries of %s",\n' "$COLLECTION" "$(cat "$TOKENS.counts")" \
            "$(wc -l <"$OUT/$1.tsv")" "$LOG"
        printf ' "peers":{"lucene":{"version":"8.8.1","year":2021},"xapian":{"version":"1.4.22","year":2023},'
        printf '"fts5":{"version":"3.40.1","year":2022}},\n "unit":"us","operations":{'
        awk 'NR > 1 && NF >= 7 {
                 if ($1 != op) printf "%s\n  \"%s\":{", (op == "" ? "" : "},"), $1; else printf ","
                 op = $1
                 printf "\n   \"%s\":{\"n\":%s,\"mean\":%s,\"p50\":%s,\"p95\":%s,\"p99\":%s}", $2, $3, $4, $5, $6, $7 }
             END { print "}}}" }' "$OUT/$1.table"
    } >"$OUT/$1.json"
    say "results: $OUT/$1.json"
}

# targets PEER TABLE: does riposte keep its share of the time of the peer?
targets() {
    awk -v peer="$1" '
        BEGIN {
            want["and:10"] = .21; want["or:10"] = .11; want["or:1000"] = .25
            want["and:count"] = .21; want["or:count"] = .07; want["phrase:10"] = 1 / 3 }
        ($1 in want) && ($2 == "riposte" || $2 == peer) { mean[$1, $2] = $4; p99[$1, $2] = $7; seen[$1] }
        function judge(o, what, x) {
            missed += (x > want[o])
            printf "%s: %s %s %.3f of %s, wanted %.3f\n", (x > want[o] ? "MISSED" : "met"), o, what, x,
                peer, want[o] }
        END {
            for (o in seen) if ((o, peer) in mean && (o, "riposte") in mean) {
                judge(o, "mean", mean[o, "riposte"] / mean[o, peer])
                judge(o, "p99", p99[o, "riposte"] / p99[o, peer]) }
            exit (missed > 0) }' "$2" >"$OUT/verdict" || [ "$1" != lucene ] || MISSED=1
    sort -k2,3 "$OUT/verdict"
}

# ---- main ----------------------------------------------------------------------------------------

# measure SET ROUNDS WARM INNER OPERATION...
measure() {
    set=$1 rounds=$2 warm=$3 inner=$4
    shift 4
    say
    say "$set: $(wc -l <"$OUT/$set.tsv") queries on $COLLECTION, rounds $rounds of $inner"
    rm -rf "$TIMES/$set"
    mkdir -p "$TIMES/$set"
    round=0
    while [ $round -lt "$rounds" ]; do
        round=$((round + 1))
        for engine in $ROWS; do
            [ "$set" = selected ] || [ "$set" = phrases ] || [ "$engine" != lucene1 ] || continue
            turn "$engine" "$OUT/$set.tsv" "$warm" "$inner" "$@" >"$TIMES/$set/$round.$engine.tsv"
        done
    done
    check_totals "$TIMES/$set"/*.tsv
    print_table "$TIMES/$set"/*.tsv | tee "$OUT/$set.table"
    write_results "$set"
}

mkdir -p "$OUT"
find_log
make_tokens
for engine in $ENGINES; do
    find_"$engine" "$engine"
done
[ -n "$ROWS" ] || exit 2
has_engine riposte || exit 2
say "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores;" \
    "load $(cut -d ' ' -f 1 /proc/loadavg); commit $(git rev-parse --short HEAD 2>/dev/null || echo none)"
for package in liblucene8-java libxapian-dev libsqlite3-dev; do
    say "$package $(dpkg-query -W -f '${Version}' $package 2>/dev/null || echo 'not installed')"
done
say "$COLLECTION: $(cat "$TOKENS.counts"); indexes:"
for engine in $ROWS; do
    make_index "$engine"
done
make_queries

MISSED=0
if [ -n "$IS_PHRASES" ]; then
    SETS=phrases
    measure phrases "$ROUNDS" "$WARM" "$INNER" phrase:10 phrase:count
fi
for set in ${SETS:-selected all log}; do
    case $set in
    selected)
        select_queries
        measure $set "$ROUNDS" "$WARM" "$INNER" and:10 or:10 or:1000 and:count or:count
        ;;
    all) measure $set 1 0.001 1 and:10 or:10 or:1000 and:count or:count ;;
    log) measure $set 1 0 1 and:count or:count ;;
    one | known | long)
        case $set in
        one) select_known one 1 1 ;;
        known) select_known known 2 5 ;;
        long) select_known long 6 64 ;;
        esac
        measure $set 1 "$WARM" 2 and:10 or:10 or:1000 and:count or:count
        for peer in lucene pisa; do
            ! has_engine $peer || beside $peer "$TIMES/$set"/*.tsv
        done
        ;;
    phrases) ;;
    esac
    case $set in
    selected | phrases)
        print_rounds "$TIMES/$set"/*.tsv
        targets lucene "$OUT/$set.table"
        targets lucene1 "$OUT/$set.table"
        ;;
    esac
done
exit $MISSED
