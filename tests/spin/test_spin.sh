#!/bin/bash
# test_spin.sh: the model of the executor, every interleaving of it, by Debian's spin. RIPOSTE_THOROUGH=1: with one job more.
set -u
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v spin >/dev/null; then
    echo "skip executor_model: spin is not installed"
    echo "0 passed, 0 failed, 1 skipped"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
size=${RIPOSTE_THOROUGH:+-DLARGE}
size=${size:--DSMALL}

# Whether the checker finds no mistake in the model with these definitions.
holds() {
    spin "$@" -a "$here/executor.pml" >spin.txt && cc -O2 -DSAFETY -DCOLLAPSE -o pan pan.c 2>cc.txt || {
        cat spin.txt cc.txt
        exit 1
    }
    ./pan -m1000000 >pan.txt 2>&1
    grep -q 'errors: 0' pan.txt && ! grep -q 'max search depth too small\|out of memory' pan.txt
}

passed=0 failed=0
say() { # NAME STATUS
    if [ "$2" -eq 0 ]; then
        echo "ok $1"
        passed=$((passed + 1))
    else
        cat pan.txt
        echo "not ok $1"
        failed=$((failed + 1))
    fi
}
holds "$size"
say executor_model $?
holds -DASK
say executor_model_with_a_helper $?
! holds -DSMALL -DLOST_WAKE
say executor_model_finds_a_lost_wake $?
! holds -DASK -DENDS_TWICE
say executor_model_finds_a_second_end $?
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
