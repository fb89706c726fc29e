#!/bin/bash
# serve_cost.sh: what an answer of `riposte serve` costs beside an empty handler of libmicrohttpd and the library alone.
#
# usage: bench/serve_cost.sh [SET...]
# SETs: cost     server CPU time a request (user and system), in a closed loop of CONNECTIONS (128)
#       closed   answers a second at MANY connections (512), beside the empty handlers in the same run
#       open     latencies at half of the rate of `closed`, in an open loop with random arrivals
#       soak     SOAK seconds (60) in an open loop, a new generation of the index every 5 s: errors, memory, descriptors
# (without a SET: cost.) BUNDLE: a folder with riposte and serve_floor, as `make serve-bundle` fills it; otherwise build/.
# COLLECTION: what to index (data/demo.jsonl.gz); or SYNTH=NAME:DOCS: a drawn collection and its queries (not of soak). SECONDS_EACH: how long each loop runs (5). RATE: of soak (half of closed).
# SERVER_CPUS, CLIENT_CPUS: processors of their own for the server and the client, as 0-11 and 12-15 (soak's client has all).
# GENERATORS: threads of the client. HTTP_THREADS: those of the server that poll (16, or as many as cores).
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
bundle=${BUNDLE:-}
riposte=${bundle:-$here/build}/riposte
floor=${bundle:-$here/build/bench}/serve_floor
[ -x "$riposte" ] && [ -x "$floor" ] || { echo "serve_cost: no $riposte or $floor; make build/bench/serve_floor" >&2; exit 1; }
seconds=${SECONDS_EACH:-5}
connections=${CONNECTIONS:-128}
many=${MANY:-512}
soak=${SOAK:-60}
cores=$(nproc)
threads=${HTTP_THREADS:-$((cores < 16 ? 16 : cores))} # as the service has it
generators=${GENERATORS:-0}
ticks=$(getconf CLK_TCK 2>/dev/null || echo 100)
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT

# usage: draw N FILE: N queries of one to three terms of the index.
draw() {
    for letter in a b c d e f g h i l m n o p r s t u v w; do
        "$riposte" suggest "$work/it.rip" "$letter" --k 60 --json | grep -o '"term":"[a-z]*"' | cut -d'"' -f4
    done | awk -v n="$1" 'length > 2 { t[c++] = $0 }
        END { srand(1); for (i = 0; i < n; i++) { q = t[int(rand() * c)]; w = int(rand() * 3)
              while (w-- > 0) q = q " " t[int(rand() * c)]; printf "%d\t%s\n", i, q } }' >"$2"
}

# usage: start COMMAND...: a server; sets server and url. Its standard input stays open until `stop`.
start() {
    mkfifo "$work/hold" && : >"$work/port"
    ${SERVER_CPUS:+taskset -c "$SERVER_CPUS"} "$@" <"$work/hold" >"$work/port" 2>"$work/log" &
    server=$!
    exec 9>"$work/hold"
    for _ in $(seq 300); do
        grep -q listening "$work/port" && break
        kill -0 $server 2>/dev/null || { cat "$work/log" >&2; exit 1; }
        sleep .1
    done
    url=$(sed -n 's/^listening on //p' "$work/port")
}
stop() {
    exec 9>&-
    kill "$server" 2>/dev/null
    wait "$server" 2>/dev/null
    server=
    rm -f "$work/hold"
}
serve() { # OPTION...
    start "$riposte" serve "$work/it.rip" --listen 127.0.0.1:0 --policy cpu --log off --max-per-address 10000 \
        --http-threads "$threads" "$@"
}

ticks_of() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$server/stat"; }
of() { grep -o "\"$1\":[0-9.]*" "$work/load.json" | head -n 1 | cut -d: -f2; }
us() { awk -v s="$1" 'BEGIN { printf "%.0f", s * 1e6 }'; }
load() { # FILE OPTION...
    local file=$1
    shift
    ${CLIENT_CPUS:+taskset -c "$CLIENT_CPUS"} "$riposte" load "$url" "$file" --json --generators "$generators" "$@" \
        >"$work/load.json" ||
        { cat "$work/log" >&2; exit 1; }
}

# usage: measure NAME FILE [OPTION...]: CPU time of the server a request, after a second that does not count.
measure() {
    local name=$1 file=$2 before after
    shift 2
    load "$file" --closed --connections "$connections" --seconds 1 "$@"
    before=$(ticks_of)
    load "$file" --closed --connections "$connections" --seconds "$seconds" "$@"
    after=$(ticks_of)
    cpu=$(awk -v t=$((after - before)) -v hz="$ticks" -v n="$(of answered)" 'BEGIN { printf "%.2f", t * 1e6 / hz / n }')
    printf '%-22s %8s us CPU a request, %8.0f requests a second, failed %s, refused %s, partial %s\n' "$name" "$cpu" \
        "$(of rate)" "$(of failed)" "$(of refused)" "$(of partial)"
}

say() { awk -v name="$1" -v is="$2" -v limit="$3" -v how="$4" 'BEGIN {
    met = how == "most" ? is + 0 <= limit + 0 : is + 0 >= limit + 0
    printf "%s: %s (at %s %s): %s\n", name, is, how, limit, met ? "met" : "missed" }'; }

set_cost() {
    start "$floor" plain 0 "$threads"
    measure "empty, plain" "$work/many.tsv"
    local plain=$cpu
    stop
    start "$floor" suspended 0 "$threads"
    measure "empty, suspended" "$work/many.tsv"
    local suspended=$cpu
    stop
    local library=$("$floor" library "$work/it.rip" "$work/many.tsv" "$seconds")
    echo "library alone          $library"
    library=${library%% *}
    serve --cache 0
    measure "search, not cached" "$work/many.tsv"
    local search=$cpu
    connections=32 measure "msearch of 32" "$work/many.tsv" --msearch 32
    local msearch=$cpu bytes=$(awk -v b="$(of reply_bytes)" -v n="$(of answered)" 'BEGIN { printf "%d", b / n }')
    stop
    start "$floor" plain 0 "$threads" "$bytes"
    connections=32 measure "empty, $bytes bytes" "$work/many.tsv" --msearch 32
    local large=$cpu
    stop
    serve
    measure "search, cached" "$work/few.tsv"
    local cached=$cpu
    stop
    say "an answer over the empty suspended handler and the library, us" \
        "$(awk -v a="$search" -v b="$suspended" -v c="$library" 'BEGIN { printf "%.2f", a - b - c }')" 15 most
    say "a cached answer over the empty plain handler, us" \
        "$(awk -v a="$cached" -v b="$plain" 'BEGIN { printf "%.2f", a - b }')" 8 most
    say "queries of an msearch of 32 for each of the library, by CPU time" \
        "$(awk -v a="$msearch" -v c="$library" 'BEGIN { printf "%.3f", c * 32 / a }')" 0.9 least
    echo "(for each of the library and a share of an empty reply of $bytes bytes:" \
        "$(awk -v a="$msearch" -v c="$library" -v e="$large" 'BEGIN { printf "%.3f", (c * 32 + e) / a }'))"
}

# usage: rate_at FILE: answers a second in a closed loop at MANY connections.
rate_at() {
    load "$1" --closed --connections "$many" --seconds 1
    load "$1" --closed --connections "$many" --seconds "$seconds"
    printf '%-22s %8.0f answers a second at %s connections, failed %s, refused %s\n' "$2" "$(of rate)" "$many" \
        "$(of failed)" "$(of refused)"
    got=$(of rate)
}

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a / b }'; }

set_closed() {
    local plain suspended
    start "$floor" plain 0 "$threads"
    rate_at "$work/many.tsv" "empty, plain"
    plain=$got
    stop
    start "$floor" suspended 0 "$threads"
    rate_at "$work/many.tsv" "empty, suspended"
    suspended=$got
    stop
    serve --cache 0
    rate_at "$work/many.tsv" "search, not cached"
    rate=$got
    stop
    say "searches for each answer of the empty suspended handler" "$(ratio "$rate" "$suspended")" 0.8 least
    say "searches for each answer of the empty plain handler" "$(ratio "$rate" "$plain")" 0.8 least
    serve
    rate_at "$work/few.tsv" "search, cached"
    say "cached searches for each answer of the empty plain handler" "$(ratio "$got" "$plain")" 0.8 least
    stop
}

half() { awk -v r="${rate:-0}" 'BEGIN { printf "%.0f", (r > 0 ? r / 2 : 1000) }'; }

set_open() {
    serve --cache 0
    load "$work/many.tsv" --closed --connections "$many" --seconds 1 # a service that has answered nothing yet is slower
    load "$work/many.tsv" --rate "$(half)" --poisson --connections "$many" --seconds "$seconds"
    echo "open loop, $(half) a second, $many connections: answered $(of answered), failed $(of failed)," \
        "refused $(of refused), partial $(of partial); p50 $(us "$(of p50)") us, p99 $(us "$(of p99)") us," \
        "p99.9 $(us "$(of p999)") us, most $(us "$(of most)") us; sent late by $(us "$(of generator_mean)") us in the mean"
    say "p99, us" "$(us "$(of p99)")" 2000 most
    stop
}

rss() { awk '/^VmRSS/ { printf "%.1f", $2 / 1024 }' "/proc/$server/status"; }
descriptors() { ls "/proc/$server/fd" | wc -l; }
facts() { echo "$(rss) MiB, $(descriptors) descriptors"; }

# usage: third FIRST|LAST COLUMN: the median of a third of the samples.
third() {
    awk -v which="$1" -v c="$2" '{ v[NR] = $c } END { n = int(NR / 3); from = which == "FIRST" ? 1 : NR - n + 1
        for (i = from; i < from + n; i++) print v[i] }' "$work/samples" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# Each line is written at once, so that a run may be left in the background (setsid) and looked at later.
set_soak() {
    local r=${RATE:-$(half)} client n=0
    serve
    load "$work/many.tsv" --closed --connections "$many" --seconds 2
    : >"$work/samples"
    "$riposte" load "$url" "$work/many.tsv" --json --generators "$generators" --rate "$r" --poisson \
        --connections "$many" --seconds "$soak" >"$work/soak.json" &
    client=$!
    local begin=$SECONDS end=$((SECONDS + soak))
    while [ $SECONDS -lt $end ]; do
        sleep 5
        "$riposte" index -q "${COLLECTION:-$here/data/demo.jsonl.gz}" -o "$work/it.rip" || echo "soak: no new generation"
        n=$((n + 1))
        [ $SECONDS -ge $end ] || echo "$(rss) $(descriptors)" >>"$work/samples"
        [ $((n % (soak / 50 + 1))) -ne 0 ] || echo "soak: after $((SECONDS - begin)) s and $n generations $(facts)"
    done
    wait $client
    local taken=$(curl -s "$url/metrics" 2>/dev/null | awk '/^riposte_reloads_total/ { print $2 }')
    mv "$work/soak.json" "$work/load.json"
    echo "soak: $soak s at $r a second, $n generations (taken over ${taken:-?}): requests $(of requests), answered $(of answered)," \
        "failed $(of failed), refused $(of refused), partial $(of partial), lost $(of lost);" \
        "p50 $(us "$(of p50)") us, p99 $(us "$(of p99)") us; at the end $(facts)"
    say "requests without a whole answer" "$(($(of requests) - $(of answered) + $(of partial)))" 0 most
    say "resident memory, MiB, median of the last third of samples for each of the first" \
        "$(ratio "$(third LAST 1)" "$(third FIRST 1)")" 1.1 most
    say "descriptors, the same" "$(ratio "$(third LAST 2)" "$(third FIRST 2)")" 1.01 most
    sleep 2
    echo "soak: with all connections closed $(facts)"
    stop
}

if [ -n "${SYNTH:-}" ]; then
    "$riposte" synth -q "${SYNTH%%:*}" --docs "${SYNTH##*:}" --queries 20000 -o "$work/it.rip" \
        --queries-out "$work/many.tsv" >/dev/null || exit 1
else
    "$riposte" index -q "${COLLECTION:-$here/data/demo.jsonl.gz}" -o "$work/it.rip" || exit 1
    draw 20000 "$work/many.tsv"
fi
head -n 500 "$work/many.tsv" >"$work/few.tsv"
echo "$(date -u +%F), $cores cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), load $(cut -d' ' -f1 /proc/loadavg)"
for set in "${@:-cost}"; do
    "set_$set" || exit 1
done
