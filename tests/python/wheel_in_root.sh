#!/bin/bash
# wheel_in_root.sh ROOT WHEEL: the tests of riposte.py with an installed wheel, in a virtual environment inside ROOT,
# a folder that chroot can enter and that has python3 with venv. Needs root.
set -eu
root=$1 wheel=$2
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$root/tmp/wheel"
mkdir -p "$root/tmp/wheel/tests"
cp "$here"/*.py "$root/tmp/wheel/tests"
cp "$wheel" "$root/tmp/wheel"
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 RIPOSTE_INSTALLED=1 PYTHONDONTWRITEBYTECODE=1 chroot "$root" \
    /bin/sh -ec 'cd /tmp/wheel
        python3 -m venv venv
        venv/bin/python -m pip install -q --no-index --disable-pip-version-check *.whl
        exec venv/bin/python tests/test_python.py'
