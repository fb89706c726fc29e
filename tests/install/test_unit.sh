#!/bin/bash
# The unit for systemd: how much of the machine it leaves open, by systemd's own measure, and whether it holds with the
# drop-in for a card.
set -u
cd "$(dirname "$0")/../.." || exit 1
command -v systemd-analyze >/dev/null || { echo "skip unit: no systemd-analyze"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unit=$work/riposte@.service
exposure() { # TENTHS
    systemd-analyze security --offline=true --threshold="$1" --no-pager "$unit" >"$work/log" 2>&1
}
verdict() { if [ "$2" -eq 0 ]; then echo "ok unit_$1"; else echo "not ok unit_$1"; cat "$work/log"; fi; }

cp debian/riposte@.service "$unit"
exposure 15
verdict leaves_little_open $?
! exposure 2
verdict is_measured $?

# As systemd reads a unit and then its drop-in.
cat debian/gpu.conf >>"$unit"
exposure 25
verdict leaves_little_open_with_a_card $?

sed -i 's,/usr/bin/riposte,/bin/true,; /^Documentation/d' "$unit"
systemd-analyze verify "$unit" >"$work/log" 2>&1 && [ ! -s "$work/log" ]
verdict has_no_mistake $?
