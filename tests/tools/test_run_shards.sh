#!/bin/bash
# Does tools/run_shards run each shard once, add up what they say, and fail when one of them does?
set -u
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

cat >count <<'S'
#!/bin/bash
echo "$SHARD" >>seen
echo "things: shard $SHARD: 10 lists, 48 rows"
[ "$SHARD" != "${FAIL:-}" ] || { echo "ERROR: a fault"; exit 1; }
S
chmod +x count

verdict() { if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1: $2, not $3"; fi; }

out=$("$tools/run_shards" 5 ./count)
verdict all_pass $? 0
verdict each_runs_once "$(sort seen | tr '\n' ' ')" "0/5 1/5 2/5 3/5 4/5 "
verdict counts_are_summed "$(awk '/lists/ { print $2 }' <<<"$out")" 50
verdict rows_are_not "$(awk '/rows/ { print $2 }' <<<"$out")" 48
verdict shards_are_counted "$(awk '/shards/ { print $2 }' <<<"$out")" 5
for shard in 0/5 4/5; do
    out=$(FAIL=$shard "$tools/run_shards" 5 ./count)
    verdict "fails_with_$shard" $? 1
    verdict "tells_the_fault_of_$shard" "$(grep -c 'a fault' <<<"$out")" 1
done
