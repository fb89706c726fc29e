#!/bin/bash
# Does bench/papers_h200.py --summary show chained and stepped rows, of one label or of two, and what failed?
set -u
bench=$(cd "$(dirname "$0")/../../bench" && pwd)
export PYTHONDONTWRITEBYTECODE=1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

verdict() { if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1: $2, not $3"; fi; }
row() { # LABEL ALGORITHM MEAN STEPS: one call
    printf '{"set": "operators", "label": "%s", "argv": [], "s": 1, "rc": 0, "out": {"operations": [{' "$1"
    printf '"operation": "and:10", "algorithm": "%s", "mean": {"median": %s}, "p50": {"median": 12.5}' "$2" "$3"
    printf '%s}]}}\n' "$4"
}
steps=', "steps": [{"stage": "decode", "us": 41}, {"stage": "intersect", "us": 42}]'
summary() { python3 "$bench/papers_h200.py" --summary "$dir" | tr -s ' '; }

for label in 'intersect bp128 3' 'intersect bp128 3 stepped'; do
    {
        row 'intersect bp128 3' operators:intersect=bs 31 ''
        row "$label" operators:intersect=bs,mode=stepped 99 "$steps"
    } >"$dir/operators.jsonl"
    verdict "${label##* }_both" "$(summary | grep '^bp128')" 'bp128 intersect=bs - 31.0 - - 12.5 41.0 42.0 - -'
done

printf '{"set": "pairs", "label": "equal 1M", "argv": [], "s": 1, "rc": 1, "err": "no list"}\n' >"$dir/pairs.jsonl"
verdict failed "$(summary | head -n 2 | tr '\n' ' ')" '## 1 calls failed pairs equal 1M: 1 no list '
