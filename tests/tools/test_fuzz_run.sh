#!/bin/bash
# Does tools/fuzz_run fail when a target finds something, whichever ends first, and pass otherwise?
set -u
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

printf '#!/bin/sh\necho "stat::number_of_executed_units: 7"\n' >fuzz_sound
printf '#!/bin/sh\necho "==1== ERROR: a fault"; exit 77\n' >fuzz_faulty
chmod +x fuzz_sound fuzz_faulty
cp fuzz_sound fuzz_sound2
cp fuzz_sound fuzz_sound3

# expect NAME STATUS TARGET...
expect() {
    local name=$1 want=$2 out status told=0
    shift 2
    out=$("$tools/fuzz_run" . 1 "$@" 2>&1)
    status=$?
    grep -q 'a fault' <<<"$out" && told=1
    if [ $status -eq "$want" ] && [ $told -eq "$want" ]; then
        echo "ok $name"
    else
        echo "not ok $name: status $status, output:"
        sed 's/^/  /' <<<"$out"
    fi
}

expect all_are_sound 0 sound sound2
expect one_alone_is_faulty 1 faulty
expect the_first_is_faulty 1 faulty sound sound2 sound3
expect the_last_is_faulty 1 sound sound2 sound3 faulty
