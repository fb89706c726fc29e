#!/bin/bash
# tools/gpu_test with programs that only say what a real one would: who is run, what passes, what fails the whole.
set -u
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT

# usage: program NAME LINE...
program() {
    local name=$1
    shift
    printf '%s\n' '#!/bin/bash' "$@" >"$here/$name"
    chmod +x "$here/$name"
}

check() { # NAME COMMAND...
    local name=$1
    shift
    if "$@"; then echo "ok $name"; else
        echo "not ok $name"
        sed 's/^/    /' "$here/out"
    fi
}

gpu_test() {
    code=0
    PATH="$here/bin:$PATH" bash "$here/gpu_test" "$@" >"$here/out" 2>&1 || code=$?
}

says() { grep -q "$@" "$here/out"; }
ends_with() { [ "$code" -eq "$1" ]; }

cp tools/gpu_test "$here/"
mkdir "$here/bin"
for name in test_processors test_gpu_faults test_gpu_child; do
    program $name 'echo "[  PASSED  ] 2 test(s)."'
done
program riposte 'echo "riposte $*"' 'case " $*" in *slow*) sleep 100 ;; esac'
program test_gpu_cases 'echo "case a ${SHARD:-all}"' 'echo "gpu cases: shard ${SHARD:-0/1}: 5 runs"'
program bin/compute-sanitizer 'tool=$2' 'shift 4' '"$@"' \
    'echo "========= $tool SUMMARY: ${FOUND:-0} errors"' '[ -z "${FOUND:-}" ] || exit 9'

gpu_test --size 7
check 'all pass' ends_with 0
check 'every share under both tools' [ "$(grep -c '^ok *\(memcheck\|racecheck\)-.*5 runs; .* SUMMARY: 0' "$here/out")" -eq 32 ]
check 'every test' [ "$(grep -c '^ok *\(cases\|processors\|faults\|child\) ' "$here/out")" -eq 4 ]
check 'options go to the bench' says '^riposte bench gpu --size 7$'

FOUND=3 gpu_test
check 'what a sanitizer finds fails the whole' ends_with 1
check 'and is said' says '^FAIL memcheck-15 .*exit code 9'
check 'and ends nothing' says '^ok   bench'

sed -i 's/^together=.*/together=20 shares=3 limit=1/' "$here/gpu_test"
program test_gpu_cases 'echo "case a ${SHARD:-all}"' '[ "${SHARD:-}" != 1/3 ] || sleep 100'
gpu_test
check 'what is not through fails the whole' ends_with 1
check 'and its case is named' says '^FAIL memcheck-1 .*not through in time: case a 1/3'

program test_gpu_cases 'echo "gpu cases: shard 0/1: 5 runs"'
program bin/compute-sanitizer 'echo "Error: Device not supported."' 'exit 1'
gpu_test
check 'a machine that sanitizers do not know passes' ends_with 0
check 'and that is said' says '^skip memcheck-2 .*does not support'
