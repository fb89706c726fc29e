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
verdict chained "$(summary | grep '^| `intersect=bs`' | head -n 1)" \
    '| `intersect=bs` | `bp128` | 21.0 (12.5) | 31.0 (12.5) |  |  |'
verdict stepped "$(summary | grep '^| `intersect=bs`' | tail -n 1)" \
    '| `intersect=bs` | `bp128` | -, 41.0, -, - | -, 42.0, -, - |  |  |'
verdict phases "$(summary operators | grep '^###\|ding' | cut -d ',' -f 1-3 | tr '\n' ' ')" \
    '### AND, fused kernels by index, us ### AND, rows of intersect, chained | `intersect=ding,levels=2` | `pfd_rec` |  | 42.0 (12.5) |  |  | ### AND, rows of intersect, each step of a stepped query ### AND, pipelines of the papers, chained | `decode=pfd_rec,intersect=ding,levels=1` | `pfd_rec` |  | 41.0 (12.5) |  |  | '
verdict other_sets "$(summary sizes)" ''

printf '{"set": "pairs", "label": "equal 1M", "argv": [], "s": 1, "rc": 1, "err": "no list"}\n' >"$dir/pairs.jsonl"
verdict failed "$(summary | head -n 3 | tr '\n' ' ')" '### 1 calls failed  pairs equal 1M: 1 no list '
