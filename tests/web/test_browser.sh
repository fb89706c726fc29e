#!/bin/bash
# The page in a real browser: Debian's chromium, driven by playwright-core (make web-deps). SHOTS=FOLDER keeps screenshots.
set -u
here=$(cd "$(dirname "$0")" && pwd)
RIPOSTE=$(realpath "${RIPOSTE:-$here/../../build/riposte}")
CHROMIUM=$(command -v chromium)
export RIPOSTE CHROMIUM
unset RIPOSTE_TOKEN RIPOSTE_GPU RIPOSTE_COSTS
[ -n "$CHROMIUM" ] || { echo "skip web_browser: no chromium"; exit 0; }
command -v node >/dev/null || { echo "skip web_browser: no node"; exit 0; }
[ -d "$here/node_modules/playwright-core" ] || { echo "skip web_browser: no playwright-core; make web-deps"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$RIPOSTE" index -q "$here/../../data/demo.jsonl.gz" -o "$work/demo.rip" || { echo "not ok web_browser: no index"; exit 1; }
HOME=$work XDG_CONFIG_HOME=$work XDG_CACHE_HOME=$work node "$here/check_browser.mjs" "$work" "$@"
