#!/bin/bash
# Gives tools/run_tests programs that pass, fail, skip, crash and hang, and compares its last line.
set -u
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

echo 'echo "ok a"; echo "ok b"' >pass.sh
echo 'echo "ok a"; echo "skip b: no such thing here"' >skip.sh
echo 'echo "ok a"; echo "not ok b"' >fail.sh
echo 'exit 77' >away.sh
echo 'kill -SEGV $$' >crash.sh
echo 'echo "ok a"; exec sleep 60' >hang.sh
cat >cmocka.sh <<'S'
printf '[ RUN      ] x\n[       OK ] x\n[  PASSED  ] 3 test(s).\n[  SKIPPED ] 1 test(s), listed below:\n'
printf '[  SKIPPED ] needs_data\n[  FAILED  ] 2 test(s), listed below:\n[  FAILED  ] y\n[  FAILED  ] z\n'
exit 2
S

# expect NAME STATUS LAST-LINE TEST...
expect() {
    local name=$1 want=$2 line=$3 out status
    shift 3
    out=$(TIMEOUT=1 "$tools/run_tests" build "$@" 2>&1)
    status=$?
    if [ $status -eq "$want" ] && [ "${out##*$'\n'}" = "$line" ]; then
        echo "ok $name"
    else
        echo "not ok $name: status $status, output:"
        echo "$out" | sed 's/^/  /'
    fi
}

expect counts_lines 0 "2 passed, 0 failed" ./pass.sh
expect counts_skips 0 "3 passed, 0 failed, 1 skipped" ./pass.sh ./skip.sh
expect counts_failures 1 "3 passed, 1 failed" ./pass.sh ./fail.sh
expect status_77_is_a_skip 0 "2 passed, 0 failed, 1 skipped" ./away.sh ./pass.sh
expect crash_is_a_failure 1 "0 passed, 1 failed" ./crash.sh
expect hang_is_a_failure 1 "1 passed, 1 failed" ./hang.sh
expect reads_cmocka 1 "3 passed, 2 failed, 1 skipped" ./cmocka.sh
printf 'echo "[  PASSED  ] 0 test(s)."\n' >none.sh
expect no_tests_are_no_failure 0 "2 passed, 0 failed" ./none.sh ./pass.sh
RIPOSTE_TESTS='*planted*' expect no_test_of_that_name_is_a_failure 1 "2 passed, 1 failed" ./none.sh ./pass.sh
printf '#!/bin/sh\n[ "$RAN" = here ]\n' >program && chmod +x program
expect programs_run_alone 1 "0 passed, 1 failed" ./program
RUNNER='env RAN=here' expect programs_have_their_runner 0 "1 passed, 0 failed" ./program
expect nothing_is_no_success 1 "0 passed, 0 failed"
