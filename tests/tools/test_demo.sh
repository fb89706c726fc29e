#!/bin/bash
# tools/demo, which make demo runs: it says where its page is, the page answers, and it ends by itself.
set -u
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "${RIPOSTE:-$here/../../build/riposte}")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
unset RIPOSTE_TOKEN

verdict() { if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1: $2, not $3"; fi; }

"$here/../../tools/demo" "$program" ix </dev/null >out 2>err
verdict ends_without_a_terminal $? 0
verdict says_where "$(grep -c 'http://127.0.0.1:[0-9]' out)" 1

# It stays until it is ended: nothing here depends on how long that takes.
DEMO_SECONDS=600 "$here/../../tools/demo" "$program" ix </dev/null >stays 2>err &
demo=$!
until grep -qs http stays || ! kill -0 $demo 2>/dev/null; do sleep .05; done
page=$(grep -o 'http://[^ ]*' stays)
ask() { python3 -c "import sys, urllib.request as u; print('<mark>' in u.urlopen(sys.argv[1] + '/?q=editor').read().decode())" "$page" 2>&1 | tail -n 1; }
if command -v python3 >/dev/null; then
    verdict page_answers "$(ask)" True
fi
kill -TERM $demo
wait $demo
verdict ends_by_a_signal $? 0
if command -v python3 >/dev/null; then
    verdict leaves_no_server "$(ask | grep -c refused)" 1
fi
