#!/bin/bash
# policies_h200.sh: what the policies do on one card beside 16 cores, in about 8 minutes.
#
# Draws collections that the sets need, all at once, fits cost rules, and measures one set after the other. What a command prints
# is kept in OUT; the summary of all sets is printed last. A command that takes too long is ended, and the next one begins. A set
# begins only while BUDGET seconds have not passed; so the first ones are those that are needed most.
#
# usage: bench/policies_h200.sh BUNDLE OUT [SET...]
# BUNDLE is a folder that `make gpu-bundle` fills; for the set answers, `make gpu-bundle GPU_TESTS=build/tests/parity/test_moves`.
# SETs: load overhead low split share pause (these, in this order); and lock answers lone trouble cuts griffin ding.
# OLD: the whole path of an older riposte, which the set lock measures in turn with the bundle's.
# GITLOG: docs.jsonl.zst of gitlog-500k, and QUERIES: the Terabyte log (carry/gitlog.jsonl.zst, carry/terabyte.tsv.gz);
# without them gitlog is left out. In place of the first, GITLOG_INDEX: an archive with the index gitlog.rip, made with
# --no-positions --no-store (carry/git.tgz, 21 MB). WORK: a folder for indexes (/tmp/riposte-policies), which a second call finds again.
# BUDGET: seconds (540). TINY=1: small collections and few queries, to try the script. DOCS: documents of gov2 (25200000).
set -u
bundle=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
shift 2
sets=${*:-load overhead low split share pause}
work=${WORK:-/tmp/riposte-policies}
here=$PWD
gitlog=${GITLOG:-$here/carry/gitlog.jsonl.zst}
terabyte=${QUERIES:-$here/carry/terabyte.tsv.gz}
packed=${GITLOG_INDEX:-$here/carry/git.tgz}
mkdir -p "$work"
cd "$work" || exit 1
SECONDS=0
export RIPOSTE_GPU=${RIPOSTE_GPU:-0}
export LD_LIBRARY_PATH="$bundle/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
tiny=${TINY:-}
docs=${DOCS:-25200000}
cores=$(nproc)
budget=${BUDGET:-540}

# usage: pick LARGE SMALL: the number for this run.
pick() { if [ "$tiny" ]; then echo "$2"; else echo "$1"; fi; }

# usage: r SECONDS ARGUMENT...: riposte, ended after so many seconds.
r() {
    local limit=$1
    shift
    timeout -k 5 "$limit" "$bundle/riposte" "$@"
}

# usage: say WORD...: a line of the summary.
say() { printf '%s\n' "$*" >>"$out/summary.$set"; }

# usage: number FILE NAME: the first number of that name in a JSON file.
number() { grep -o "\"$2\":[0-9.]*" "$1" 2>/dev/null | head -n 1 | cut -d : -f 2; }

# usage: draw NAME SECONDS ARGUMENT...: a collection, once; a second call while the first one draws waits for it.
draw() {
    local name=$1 limit=$2
    shift 2
    (
        flock 9
        [ -d "$name.rip" ] || r "$limit" synth "$@" --threads "$cores" -q -o "$name.rip" || echo "cannot draw $name" >&2
    ) 9>"$name.lock"
}

# usage: fit NAME QUERIES SAMPLE ROUNDS: cost rules and records of an index, once.
fit() {
    [ -e "$1.costs" ] || r 90 calibrate "$1.rip" "$2" --plain --sample "$3" --rounds "$4" -o "$1.costs" \
        --record "$out/$1" -q >"$out/calibrate.$1.txt" 2>&1 || echo "calibrate $1 failed" >&2
}

draw_gov() { draw gov 60 gov --docs "$(pick 1053372 20000)" --codec bp128 --aux lr,hs64 --queries "$(pick 10000 200)"; }
draw_gov2() { draw gov2 150 gov2 --docs "$(pick "$docs" 30000)" --queries "$(pick 10000 200)"; }
draw_gitlog() {
    [ -e "$terabyte" ] && { [ -e "$gitlog" ] || [ -e "$packed" ]; } || return 1
    (
        flock 9
        [ -d gitlog.rip ] || [ ! -e "$packed" ] || tar -xf "$packed"
        [ -e gitlog.tsv ] || zcat "$terabyte" | { if [ "$tiny" ]; then head -n 300; else cat; fi; } >gitlog.tsv
        [ -d gitlog.rip ] || r 90 index "$gitlog" --threads "$cores" -q -o gitlog.rip
    ) 9>gitlog.lock
}
need_gov() {
    draw_gov
    fit gov gov.rip.queries.tsv "$(pick 4000 40)" "$(pick 3 1)"
}
need_gov2() {
    draw_gov2
    fit gov2 gov2.rip.queries.tsv "$(pick 2000 40)" 1
    head -n 1000 gov2.rip.queries.tsv >gov2.1k.tsv
}
need_gitlog() {
    draw_gitlog || return 1
    fit gitlog gitlog.tsv "$(pick 4000 40)" 3
}
third() { # bytes: a third of the lists
    echo $(($(du -cb "$1".rip/lists.* | tail -n 1 | cut -f 1) / 3))
}

# usage: choices NAME: of lines.NAME, by mode: the means of processors and policies, auto over a perfect choice (of
# searchers, and of the policies cpu and gpu), and the groups in which auto is worse than allowed.
choices() {
    awk -F'\t' -v name="$1" '
    function bucket(x) { return x == 0 ? "0" : x < 100 ? "1-99" : x < 1000 ? "100-999" : x < 10000 ? "1K-10K" : x < 100000 ? "10K-100K" : "100K+" }
    function ratio(a, b,  r, g) { r = a > 0 ? b / a : 0; if (a == 0) return "none"; for (g = 16; g < 1024 && r >= g; g *= 2); return r >= 1024 ? "1024+" : (g == 16 ? 1 : g / 2) "-" g }
    function p99(key,  n, i, j, t, m) {
        n = split(lists[key], at, " ")
        for (i = 1; i <= n; i++) v[i] = at[i] + 0
        m = int(n * .99); if (m < 1) m = 1
        # shell sort
        for (g = int(n / 2); g > 0; g = int(g / 2)) for (i = g + 1; i <= n; i++) { t = v[i]; for (j = i; j > g && v[j - g] > t; j -= g) v[j] = v[j - g]; v[j] = t }
        return v[m]
    }
    {
        split($1, part, ":"); mode = part[1]
        op = $1; sub(/^[a-z]+:10/, "", op); sub(/^@/, "", op); if (op == "") op = "cpu"
        ns[mode, op, $2] = $5; modes[mode]; ops[op]; if (!((mode, $2) in seen)) { seen[mode, $2]; q[mode] = q[mode] " " $2; words[$2] = $6 > 5 ? "6+" : $6; a[$2] = $7; b[$2] = $8 }
    }
    END {
        for (mode in modes) {
            n = split(q[mode], ids, " "); delete sum; perfect = pe = 0; delete gs; delete gn; delete lists
            for (i = 1; i <= n; i++) {
                id = ids[i]
                for (op in ops) sum[op] += ns[mode, op, id]
                c = ns[mode, "cpu", id]; g = ns[mode, "gpu", id]; perfect += c < g ? c : g
                c = ns[mode, "policy:cpu", id]; g = ns[mode, "policy:gpu", id]; pe += c < g ? c : g
                keys["w"] = "terms " words[id]; keys["s"] = "shortest " bucket(a[id]); keys["r"] = "ratio " ratio(a[id], b[id]); keys["a"] = "all"
                for (k in keys) { gn[keys[k]]++; for (op in ops) { gs[keys[k], op] += ns[mode, op, id]; if (op ~ /auto|policy:cpu|policy:gpu/) lists[keys[k], op] = lists[keys[k], op] " " ns[mode, op, id] } }
            }
            printf "%s %s, %d queries, us:", name, mode, n
            for (op in ops) printf " %s %.2f", op, sum[op] / n / 1e3
            printf "\n  perfect %.2f (executor %.2f); auto / perfect %.3f (%.3f)\n", perfect / n / 1e3, pe / n / 1e3, sum["policy:auto"] / perfect, sum["policy:auto"] / pe
            bad = 0
            for (k in gn) {
                if (gn[k] < 5) continue
                groups++; x = gs[k, "policy:auto"] / gn[k]; c = gs[k, "policy:cpu"] / gn[k]; g = gs[k, "policy:gpu"] / gn[k]; better = c < g ? c : g
                limit = better * 1.02 > better + 500 ? better * 1.02 : better + 500
                px = p99(k SUBSEP "policy:auto"); pc = p99(k SUBSEP "policy:cpu"); pg = p99(k SUBSEP "policy:gpu"); pb = pc < pg ? pc : pg
                if (x > limit || px > 1.05 * pb && px > pb + 500) printf "  over: %s (%d): auto %.2f better %.2f; p99 %.1f better %.1f\n", k, gn[k], x / 1e3, better / 1e3, px / 1e3, pb / 1e3
                else bad++
            }
            printf "  groups within 1.02 or .5 us and p99 1.05: %d of %d\n", bad, groups; groups = 0
        }
    }' "$work/lines.$1"
}

set_low() {
    need_gov
    r 60 bench queries gov.rip gov.rip.queries.tsv --plain --k 10 --names --no-energy --sample "$(pick 1000 12)" \
        --rounds "$(pick 5 1)" --processors cpu,gpu --policy all --costs gov.costs -q --per-query lines.gov \
        >"$out/low.gov.txt" 2>&1 && choices gov >>"$out/summary.$set"
    if need_gitlog; then
        grep -h 'of the better)' "$out/calibrate.gitlog.txt" | sed 's/^/gitlog /' >>"$out/summary.$set"
        r 60 bench queries gitlog.rip gitlog.tsv --plain --k 10 --names --no-energy --sample "$(pick 1500 12)" \
            --rounds "$(pick 9 1)" --processors cpu,gpu --policy auto,cpu,gpu --costs gitlog.costs -q \
            --per-query lines.gitlog >"$out/low.gitlog.txt" 2>&1 && choices gitlog >>"$out/summary.$set"
    fi
    need_gov2
    r 60 bench queries gov2.rip gov2.rip.queries.tsv --plain --k 10 --names --no-energy --sample "$(pick 400 12)" \
        --rounds 3 --processors cpu,gpu --policy auto,cpu,gpu,griffin --costs gov2.costs -q --per-query lines.gov2 \
        >"$out/low.gov2.txt" 2>&1 && choices gov2 >>"$out/summary.$set"
    grep -h -e '^\(and\|or\) ' "$out/calibrate.gov.txt" | sed 's/^/gov fit: /' >>"$out/summary.$set"
}

set_pause() {
    need_gov
    local us
    for us in 1000 10000 100000; do
        r 40 bench queries gov.rip gov.rip.queries.tsv --plain --k 10 --names --no-energy --pause-us $us \
            --sample "$(pick $((us == 1000 ? 200 : us == 10000 ? 60 : 14)) 3)" --rounds "$((us < 100000 ? 2 : 1))" \
            --processors cpu,gpu --policy auto,cpu,gpu --costs gov.costs -q --per-query lines.pause.$us \
            >"$out/pause.$us.txt" 2>&1 && choices pause.$us | grep -v over: >>"$out/summary.$set"
    done
}

# Median over queries of what the executor adds to a query that a core answers.
set_overhead() {
    local name=gov log=gov.rip.queries.tsv us
    need_gov
    need_gitlog && name=gitlog log=gitlog.tsv
    for us in 0 20000; do
        r 60 bench queries $name.rip $log --plain --k 10 --names --no-energy --sample "$(pick $((us ? 100 : 2000)) 12)" \
            --rounds "$(pick $((us ? 3 : 15)) 1)" --pause-us $us --policy cpu -q --per-query lines.over >"$out/overhead.$us.txt" 2>&1
        awk -F'\t' '{ m = $1 ~ /^and/ ? "and" : "or"; if ($1 ~ /policy/) p[m, $2] = $5; else d[m, $2] = $5 }
            END { for (k in d) { split(k, a, SUBSEP); print a[1], (p[k] - d[k]) / 1e3 } }' lines.over | sort -k1,1 -k2,2n |
            awk -v what="$name, pause $us us: executor adds, us:" '{ v[$1, ++n[$1]] = $2 } END { printf "%s", what; for (m in n) printf " %s p10 %.2f p50 %.2f p90 %.2f", m, v[m, int(n[m] * .1) + 1], v[m, int(n[m] / 2) + 1], v[m, int(n[m] * .9) + 1]; print "" }' >>"$out/summary.$set"
    done
    r 90 bench queries gov.rip gov.rip.queries.tsv --plain --k 10 --no-energy --sample "$(pick 4000 40)" --rounds "$(pick 3 1)" \
        --threads "$cores" --policy cpu -q --json >"$out/submitters.json" 2>&1
    tr '{' '\n' <"$out/submitters.json" | awk '
        match($0, /"operation":"[^"]*"/) { op = substr($0, RSTART + 13, RLENGTH - 14) (/"policy":"/ ? " by the executor" : "") }
        /"pool":$/ { want = 1; next } want && match($0, /"median":[0-9.]+/) { print "submitters: " op " pool q/s " substr($0, RSTART + 9, RLENGTH - 9); want = 0 }' >>"$out/summary.$set"
    local how
    for how in '--processor gpu' '--policy batch'; do
        # shellcheck disable=SC2086
        r 60 batch gov.rip gov.rip.queries.tsv --plain --mode and $how --threads "$cores" -q --json -o run.txt >"$out/batch.json" 2>&1
        say "batch of ANDs, $how: $(number "$out/batch.json" queries) queries in $(number "$out/batch.json" answering) s, $(number "$out/batch.json" seconds) s in all"
    done
    timeout 30 "$bundle/riposte" load gov.rip gov.rip.queries.tsv --plain --rate 2 --seconds 6 --policy auto --costs gov.costs -q >"$out/idle.txt" 2>&1 &
    local job=$! pid begin
    sleep "$(pick 4 3)"
    pid=$(pgrep -P $job | head -n 1)
    begin=$(awk '{ print $14 + $15 }' "/proc/${pid:-0}/stat" 2>/dev/null)
    sleep 2
    say "idle executor with 2 queries a second: $(awk -v b="${begin:-0}" '{ print ($14 + $15 - b) * 5 }' "/proc/${pid:-0}/stat" 2>/dev/null) ms of CPU time a second"
    wait $job
}

# usage: at MODE POLICY CORES RATE SECONDS [OPTION...]: the highest rate with a p99 of 1 ms.
at() {
    local mode=$1 policy=$2 n=$3 rate=$4 seconds=$5 f
    shift 5
    f=$(printf '%s' "$out/load.$mode.$policy.$n" "$@").json
    [ "$n" -gt 0 ] || n=1
    r 30 load gov.rip gov.rip.queries.tsv --plain --mode "$mode" --poisson --costs gov.costs --policy "$policy" --cores "$n" \
        --find-p99 1 --rate "$(pick "$rate" 100)" --seconds "$(pick "$seconds" .3)" "$@" -q --json >"$f" 2>&1
    say "$mode $policy, $n cores $*: $(number "$f" rate) q/s, mean $(number "$f" mean) p99 $(number "$f" p99) s, on the card $(number "$f" on_card) of $(number "$f" jobs) in $(number "$f" launches) launches, $(number "$f" clients) generators, late by $(number "$f" generator_mean) s, at most $(number "$f" generator_most), stalled $(number "$f" clients_stalled)"
}
# With 4 cores less than there are, 3 generators and the card's thread have cores of their own; with 2 less, one generator.
set_load() {
    need_gov
    local few=$((cores - 4)) many=$((cores - 2)) mode
    at or auto $few 40000 .6
    at or batch $few 40000 .6
    at and auto $few 40000 .6
    at and batch $few 40000 .6
    at or auto $many 40000 .6 --clients 1
    at or batch $many 40000 .6 --clients 1
    at or gpu $few 5000 .6
    at or better $few 5000 .6
    at or ding-deadline $few 3000 .6
    at and gpu $few 5000 .6
    at and ding-deadline $few 3000 .6
    for mode in or and; do
        cp "$out/load.$mode.auto.$few.json" "$out/load.$mode.auto.json"
        r 20 load --replay "$out/gov.$mode.tsv" --policy auto,batch,gpu,ding-deadline --cores $few --find-p99 1 \
            --poisson --rate 5000 --seconds .3 -q >"$out/replay.$mode.txt" 2>&1
        awk -v mode=$mode '{ if ($1 == "no") print "  replay bound " $4; else if ($2 + 0 > 0) printf "  replay, %s: %s %s", mode, $1, $2 } END { print "" }' "$out/replay.$mode.txt" >>"$out/summary.$set"
    done
}

# ORs at fixed rates, by an older program and this one in turn.
set_lock() {
    need_gov
    local few=$((cores - 4)) turn program rate policy f=$out/lock.json
    [ "$few" -gt 0 ] || few=1
    for turn in 1 2; do
        for rate in "$(pick 80000 100)" "$(pick 160000 200)"; do
            for policy in auto batch; do
                for program in ${OLD:+"$OLD"} "$bundle/riposte"; do
                    timeout -k 5 20 "$program" load gov.rip gov.rip.queries.tsv --plain --mode or --poisson --costs gov.costs --policy $policy \
                        --cores "$few" --rate "$rate" --seconds "$(pick .6 .3)" -q --json >"$f" 2>&1
                    say "turn $turn, $rate a second, $policy, $([ "$program" = "$bundle/riposte" ] && echo new || echo old): p50 $(number "$f" p50) p99 $(number "$f" p99) s, answered $(number "$f" answered) of $(number "$f" jobs), on the card $(number "$f" on_card) in $(number "$f" launches) launches, late by $(number "$f" generator_mean) s, stalled $(number "$f" clients_stalled)"
                done
            done
        done
    done
}

# usage: one NAME OPTION...: a run of `load`, and its line.
one() {
    local name=$1
    shift
    r 40 load gov.rip gov.rip.queries.tsv --plain --mode or --poisson --costs gov.costs --policy auto -q --json "$@" >"$out/trouble.$name.json" 2>&1
    tell "$name"
}
tell() {
    local f=$out/trouble.$1.json
    say "$1: jobs $(number "$f" jobs) answered $(number "$f" answered) refused $(number "$f" refused) late $(number "$f" late) failed $(number "$f" failed) fallbacks $(number "$f" fallbacks) p99 $(number "$f" p99) refusal mean $(number "$f" refusal_mean) most $(number "$f" refusal_most)"
    say "  p99 by tenths: $(grep -o '"p99_parts":\[[^]]*' "$f" | cut -d '[' -f 2)"
}
set_trouble() {
    need_gov
    local rate
    rate=$(number "$out/load.or.auto.json" rate)
    rate=${rate%.*}
    [ "${rate:-0}" -gt 0 ] || rate=$(pick 100000 100)
    say "saturating rate $rate"
    one at.1.0x --rate "$rate" --deadline 5 --seconds "$(pick 2 .5)"
    one at.1.5x --rate $((rate * 3 / 2)) --deadline 5 --seconds "$(pick 2 .5)"
    one at.2.0x --rate $((rate * 2)) --deadline 5 --seconds "$(pick 2 .5)"
    one burst --rate $((rate / 5 + 1)) --burst 10 --deadline 20 --seconds "$(pick 5 1)"
    # a child uses the card, and is killed in mid-run
    timeout -k 5 40 "$bundle/riposte" load gov.rip gov.rip.queries.tsv --plain --mode or --poisson --policy auto -q --json --gpu-child \
        --rate "$(pick 20000 50)" --deadline 50 --seconds "$(pick 10 6)" >"$out/trouble.lost.json" 2>&1 &
    local job=$! pid
    sleep "$(pick 9 4)"
    pid=$(pgrep -P $job | head -n 1)
    pgrep -P "${pid:-0}" | head -n 1 | xargs -r kill -9 && say "the child that uses the card was killed $SECONDS s after the begin"
    wait $job
    tell lost
}

set_cuts() {
    need_gov2
    local third
    third=$(third gov2)
    r 60 bench cuts gov2.rip gov2.rip.queries.tsv --plain --sample "$(pick 1000 10)" --rounds "$(pick 3 1)" -q >"$out/cuts.txt" 2>&1
    r 60 bench cuts gov2.rip --pairs "$(pick 100 2)" --longer "$(pick 1000000 2000)" --rounds "$(pick 3 1)" -q >"$out/cuts.pairs.txt" 2>&1
    r 60 bench cuts gov2.rip gov2.rip.queries.tsv --plain --sample "$(pick 1000 10)" --rounds "$(pick 2 1)" --gpu-memory "$third" -q >"$out/cuts.third.txt" 2>&1
    r 60 bench cuts gov2.rip --pairs "$(pick 100 2)" --longer "$(pick 1000000 2000)" --rounds "$(pick 2 1)" --gpu-memory "$third" -q >"$out/cuts.pairs.third.txt" 2>&1
    local f
    for f in cuts cuts.pairs cuts.third cuts.pairs.third; do
        say "$f"
        grep -v -e ^micro -e ^wins "$out/$f.txt" | sed 's/   */  /g' >>"$out/summary.$set"
    done
}

# Means by number of terms, and the tail, of queries on a core, on fused kernels, by griffin's steps, and by its paper's operators:
# these answer while the second list has under 128 times the postings of the first; otherwise a core does.
set_griffin() {
    local ops=operators:intersect=mpath,select=host
    draw ef 60 gov --docs "$(pick 1053372 20000)" --codec ef128 --queries "$(pick 2000 100)"
    r 60 bench queries ef.rip ef.rip.queries.tsv --plain --k 10 --modes and --no-energy --sample "$(pick 1000 12)" --rounds "$(pick 3 1)" \
        --processors cpu,gpu --policy griffin -q --per-query lines.ef >"$out/griffin.txt" 2>&1
    r 60 bench queries ef.rip ef.rip.queries.tsv --plain --k 10 --modes and --no-energy --sample "$(pick 1000 12)" --rounds "$(pick 3 1)" \
        --processors gpu --algorithms $ops -q --per-query lines.ops >"$out/griffin.operators.txt" 2>&1
    r 60 bench queries ef.rip ef.rip.queries.tsv --plain --k 10 --modes and --no-energy --sample "$(pick 1000 12)" --rounds "$(pick 3 1)" \
        --processors gpu --algorithms $ops --gpu-memory "$(pick 64M 16M)" -q --per-query lines.upload >"$out/griffin.upload.txt" 2>&1
    sed 's/^and:10[^\t]*/and:10@upload/' lines.upload >lines.upload2
    sed 's/^and:10[^\t]*/and:10@operators/' lines.ops | cat lines.ef - lines.upload2 >lines.griffin
    griffin griffin "gov, ef128"
    [ -e lines.gov2 ] && grep ^and lines.gov2 >lines.griffin2 && griffin griffin2 gov2
}
griffin() {
    awk -F'\t' -v name="$2" '
    function at(n, share,  i) { i = int(n * share); if (i < 1) i = 1; return v[i] / 1e3 }
    { op = $1; sub(/^and:10/, "", op); sub(/^@/, "", op); if (op == "") op = "cpu"; ns[op, $2] = $5; ids[$2]; w[$2] = $6 > 5 ? "6+" : $6; near[$2] = $7 > 0 && $8 < 128 * $7; ops[op] }
    END {
        for (o in ops) if (o == "operators" || o == "upload") for (q in ids) ns["griffin." o, q] = near[q] ? ns[o, q] : ns["cpu", q]
        if ("operators" in ops) ops["griffin.operators"]; if ("upload" in ops) ops["griffin.upload"]
        for (q in ids) { n[w[q]]++; n["all"]++; for (o in ops) { s[w[q], o] += ns[o, q]; s["all", o] += ns[o, q] } }
        for (g in n) { printf "%s, %s terms (%d):", name, g, n[g]; for (o in ops) printf " %s %.1f", o, s[g, o] / n[g] / 1e3; print "" }
        for (o in ops) {
            m = 0; for (q in ids) v[++m] = ns[o, q]
            for (g = int(m / 2); g > 0; g = int(g / 2)) for (i = g + 1; i <= m; i++) { t = v[i]; for (j = i; j > g && v[j - g] > t; j -= g) v[j] = v[j - g]; v[j] = t }
            printf "%s, tail of %s: p80 %.1f p90 %.1f p95 %.1f p99 %.1f p99.9 %.1f us\n", name, o, at(m, .8), at(m, .9), at(m, .95), at(m, .99), at(m, .999)
        }
    }' "lines.$1" >>"$out/summary.$set"
}

# Trees and NOT queries of the log's words; those that take a core over 1 ms count.
set_split() {
    need_gov2
    awk -F'\t' '{ n = split($2, w, " ") } n >= 3 {
        k = ++i % 3
        print i "\t" (k == 0 ? "+" w[1] " +" w[2] " -" w[3] : k == 1 ? "+" w[1] " +(" w[2] " " w[3] ")" (n > 3 ? " +" w[4] : "") : "+" w[1] " +" w[2] " " w[3] (n > 3 ? " -" w[4] : "")) }' gov2.rip.queries.tsv |
        head -n "$(pick 3000 30)" >split.tsv
    rm -f lines.split.*
    split -n "l/4" -d -a 1 split.tsv split.part.
    local part
    for part in 0 1 2 3; do # so that what was measured counts, however slow they are
        r 40 bench queries gov2.rip split.part.$part --modes or --k 10 --no-energy --rounds 1 --policy split --costs gov2.costs -q --per-query lines.split.$part >"$out/split.$part.txt" 2>&1
    done
    cat lines.split.[0-3] >lines.split
    awk -F'\t' -v least="$(pick 1e6 1)" '{ if ($1 ~ /policy/) s[$2] = $5; else c[$2] = $5 }
        END { for (q in c) { k = c[q] > least; if (k && m >= 2000) continue; n[k]++; m += k; a[k] += c[q]; b[k] += s[q] }
        for (k in n) printf "split, trees and NOT, %s 1 ms on a core: %d queries, cpu %.1f us, split %.1f us, %.3f\n", k ? "over" : "under", n[k], a[k] / n[k] / 1e3, b[k] / n[k] / 1e3, b[k] / a[k] }' lines.split >>"$out/summary.$set"
}

set_share() {
    need_gov2
    local how limit
    for how in resident third; do
        limit=()
        [ $how = third ] && limit=(--gpu-memory "$(third gov2)")
        r 60 bench queries gov2.rip gov2.rip.queries.tsv --plain --k 10 --no-energy --sample "$(pick 500 12)" --rounds 2 \
            --processors cpu,gpu --policy share,auto --costs gov2.costs "${limit[@]}" -q --per-query lines.share >"$out/share.$how.txt" 2>&1
        awk -F'\t' -v how="$how" '{ m = $1 ~ /^and/ ? "and" : "or"; op = $1; sub(/^[a-z]+:10@?/, "", op); if (op == "") op = "cpu"; ns[m, $2, op] = $5; ids[m, $2] }
            END { for (k in ids) { c = ns[k, "cpu"]; g = ns[k, "gpu"]; b = c < g ? c : g; split(k, p, SUBSEP); key = p[1] ", " (b < 1e5 ? "under .1 ms" : b < 3e5 ? ".1 to .3 ms" : b < 1e6 ? ".3 to 1 ms" : "over 1 ms"); n[key]++; best[key] += b; s[key] += ns[k, "policy:share"]; a[key] += ns[k, "policy:auto"]; cc[key] += c; gg[key] += g }
            for (key in n) printf "share, %s, %s by the better (%d): cpu %.1f gpu %.1f better %.1f share %.1f (%.2f) auto %.1f\n", how, key, n[key], cc[key] / n[key] / 1e3, gg[key] / n[key] / 1e3, best[key] / n[key] / 1e3, s[key] / n[key] / 1e3, s[key] / best[key], a[key] / n[key] / 1e3 }' lines.share | sort >>"$out/summary.$set"
    done
}

# 20,000 queries of all shapes, under every policy, moved at every list, at chance, in a child: the CPU's answers?
set_answers() {
    local from=$SECONDS
    [ "$tiny" ] || export RIPOSTE_THOROUGH=1
    timeout -k 5 "$(pick 200 90)" "$bundle/test_moves" >"$out/answers.txt" 2>&1
    say "answers, $(pick 20000 300) queries: exit code $?, $((SECONDS - from)) s; $(grep -c '\[       OK \]' "$out/answers.txt") tests passed, failed: $(sed -n 's/^\[  FAILED  \] //p' "$out/answers.txt" | sort -u | paste -sd ' ')"
    grep -e '^chance' -e '^little' -e SKIPPED "$out/answers.txt" | sort -u >>"$out/summary.$set"
    unset RIPOSTE_THOROUGH
}

# What the executor adds to a query that a core answers: with the policy cpu, with auto and no card, with auto beside the card.
set_lone() {
    local name=gov log=gov.rip.queries.tsv card
    need_gov
    need_gitlog && name=gitlog log=gitlog.tsv
    for card in 99 "$RIPOSTE_GPU"; do
        RIPOSTE_GPU=$card r 60 bench queries $name.rip $log --plain --k 10 --names --no-energy --sample "$(pick 1500 12)" --rounds "$(pick 15 1)" \
            --processors cpu --policy cpu,auto --costs $name.costs -q --per-query lines.lone >"$out/lone.$card.txt" 2>&1
        awk -F'\t' -v card="$card" '{ m = $1 ~ /^and/ ? "and" : "or"; op = $1; sub(/^[a-z]+:10@?/, "", op); if (op == "") op = "cpu"; ns[m, $2, op] = $5; ids[m, $2] }
            END { for (k in ids) if (ns[k, "cpu"] < 5000) { split(k, p, SUBSEP); n[p[1]]++; c[p[1]] += ns[k, "cpu"]; e[p[1]] += ns[k, "policy:cpu"]; a[p[1]] += ns[k, "policy:auto"] }
            for (m in n) printf "lone, card %s (99: none), %s, queries of under 5 us on a core (%d): searcher %.2f, policy cpu %.2f, auto %.2f us\n", card, m, n[m], c[m] / n[m] / 1e3, e[m] / n[m] / 1e3, a[m] / n[m] / 1e3 }' lines.lone >>"$out/summary.$set"
    done
}

# One core and the card: the highest rate at which no query of a run misses its deadline.
set_ding() {
    need_gov2
    local ms policy
    for ms in 500 5; do
        for policy in cpu gpu better ding-deadline auto; do
            r 25 load gov2.rip gov2.1k.tsv --plain --mode and --cores 1 --policy $policy --poisson --deadline $ms --find-p99 $ms \
                --costs gov2.costs --rate "$(pick 1000 50)" --seconds "$(pick 1 .3)" -q --json >"$out/ding.$ms.$policy.json" 2>&1
            say "deadline $ms ms, $policy: $(number "$out/ding.$ms.$policy.json" rate) q/s, mean $(number "$out/ding.$ms.$policy.json" mean) s"
        done
    done
}

case " $sets " in *" low "* | *" split "* | *" share "* | *" cuts "* | *" ding "*) draw_gov2 & ;; esac
case " $sets " in *" low "* | *" overhead "* | *" lone "*) draw_gitlog & ;; esac
draw_gov &
wait
echo "collections: $SECONDS s" >&2
for set in $sets; do
    : >"$out/summary.$set"
    if [ $SECONDS -gt "$budget" ]; then
        say "not begun: $SECONDS s have passed"
        continue
    fi
    begin=$SECONDS
    "set_$set" || say "set $set failed"
    say "$set took $((SECONDS - begin)) s"
    echo "$set: $((SECONDS - begin)) s" >&2
done
for set in $sets; do
    echo "== $set"
    cut -c 1-400 "$out/summary.$set"
done | head -c 9900
