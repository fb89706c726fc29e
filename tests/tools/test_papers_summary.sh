#!/bin/bash
# Does bench/papers_h200.py --summary show chained and stepped rows by phase and number of terms, and what failed?
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
summary() { python3 "$bench/papers_h200.py" --summary "$dir" "$@"; }

# A row by number of terms, its mean and median, and its steps; rows of one phase, of several, and of `auto`.
{
    row 'bp128 2 and' operators:intersect=bs 21 ''
    row 'bp128 3 and' operators:intersect=bs 31 ''
    row 'bp128 3 and' operators:intersect=bs,mode=stepped 99 "$steps"
    row 'bp128 3 and' operators 33 ''
    row 'bp128 3 and' auto 11 ''
    row 'rec 3 and' operators:decode=pfd_rec,intersect=ding,levels=1 41 ''
    row 'rec 3 and' operators:intersect=ding,levels=2 42 ''
    printf '{"set": "operators", "label": "rec 3 or", "argv": [], "s": 1, "rc": 0, "out": {"operations": [%s]}}\n' \
        '{"operation": "or:10", "algorithm": "operators:score=lookup"}'
} >"$dir/operators.jsonl"
verdict chained "$(summary | grep '^| `bs`' | head -n 1)" '| `bs` | `bp128` | 21.0 (12.5) | 31.0 (12.5) | | |'
verdict stepped "$(summary | grep '^| `bs`' | tail -n 1)" \
    '| `bs` | `bp128` | -, 41.0, -, - | -, 42.0, -, - | | | -, 99.0, -, - |'
verdict fused "$(summary | grep -A 4 '^## Fused' | tail -n 1)" '| `bp128` | | 11.0 (12.5) | | |'
verdict auto "$(summary | grep -c '^| `auto` | `bp128` | | 33.0 (12.5) | | |')" 1
verdict phases "$(summary operators | grep '^##\|ding' | tr '\n' ' ')" \
    '## Fused kernels ## AND: rows of `intersect` | `ding,levels=2` | `pfd_rec` | | 42.0 (12.5) | | | ## AND: pipelines of the papers | `decode=pfd_rec,intersect=ding,levels=1` | | 41.0 (12.5) | | | '

# Turns of core and card: each, the medians and the best.
turn() { # LABEL MEAN
    printf '{"set": "ding", "label": "turn %s", "argv": [], "s": 1, "rc": 0, "out": {"operations": [{' "$1"
    printf '"operation": "or:10", "algorithm": "x", "mean": {"median": %s}}]}}\n' "$2"
}
{
    turn '0 cpu or' 400
    turn '0 gpu or' 100
    turn '1 cpu or' 200
    turn '1 gpu or' 100
    turn '2 cpu or' 600
    turn '2 gpu or' 200
} >"$dir/ding.jsonl"
verdict turns "$(summary ding | grep '^| or' | tr '\n' ' ')" \
    '| or | 0 | 400 | 100 | 4.00 | | or | 1 | 200 | 100 | 2.00 | | or | 2 | 600 | 200 | 3.00 | | or | median | 400 | 100 | 4.00 | | or | best | 200 | 100 | 2.00 | '
rm "$dir/ding.jsonl"
verdict other_sets "$(summary sizes)" ''

printf '{"set": "pairs", "label": "equal 1M", "argv": [], "s": 1, "rc": 1, "err": "no list"}\n' >"$dir/pairs.jsonl"
verdict failed "$(summary | head -n 3 | tr '\n' ' ')" '### 1 calls failed  pairs equal 1M: 1 no list '
