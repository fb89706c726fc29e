#!/bin/bash
# riposte serve over real sockets: answers, errors, limits, bad clients, conduct. Each part is a Python program that
# starts services on free ports of loopback and ends them by their process ids.
set -u
here=$(cd "$(dirname "$0")" && pwd)
RIPOSTE=$(realpath "${RIPOSTE:-$here/../../build/riposte}")
export RIPOSTE PYTHONDONTWRITEBYTECODE=1
unset RIPOSTE_TOKEN RIPOSTE_GPU RIPOSTE_COSTS
command -v python3 >/dev/null || { echo "skip serve: no python3"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$RIPOSTE" index -q "$here/../../data/demo.jsonl.gz" -o "$work/demo.rip" || { echo "not ok serve: no index"; exit 1; }

[ $# -gt 0 ] || set -- answers requests heads limits conduct page timeline elastic cache clients load crowds
status=0
for part; do
    python3 "$here/check_$part.py" "$work" || status=1
done
exit $status
