#!/bin/bash
# The Python door, where there is a Python; the library is that of the build under test.
root=$(cd "$(dirname "$0")/../.." && pwd)
command -v python3 >/dev/null || { echo "skip: no python3"; exit 77; }
build=$(realpath "${B:-$root/build}")
library=$(ls "$build"/libriposte.so.* 2>/dev/null | head -1)
[ -n "$library" ] || { echo "skip: no shared library in $build"; exit 77; }
# A sanitized library cannot be loaded by a program that is not.
ldd "$library" | grep -q 'lib[at]san' && { echo "skip: the library is sanitized"; exit 77; }
RIPOSTE_LIBRARY=$library RIPOSTE=$build/riposte PYTHONDONTWRITEBYTECODE=1 \
    exec python3 "$root/tests/python/test_python.py"
