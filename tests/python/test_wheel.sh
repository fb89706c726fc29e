#!/bin/bash
# Does `make wheel` give all that a machine with nothing but Python needs?
# The root that it is tried in is made of this machine's Python, a shell and the libraries of both.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(realpath "${B:-$root/build}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

verdict() { if [ "$2" -eq 0 ]; then echo "ok $1"; else echo "not ok $1"; cat "$work/log"; fi; }
skip() { echo "skip wheel: $1"; exit 0; }

python=/usr/bin/python3
for tool in $python ldd objdump strip; do
    command -v $tool >/dev/null || skip "no $tool"
done
ldd "$build"/libriposte.so.* 2>/dev/null | grep -q 'lib[at]san' && skip "the library is sanitized"
${MAKE:-make} -s --no-print-directory -C "$root" B="$build" wheel >"$work/log" 2>&1
status=$?
verdict wheel_is_built $status
[ $status -eq 0 ] || exit 0
wheel=$(tail -n 1 "$work/log")

(cd "$root" && tools/make_wheel "$(basename "$wheel" | cut -d- -f2)" "$build/wheel/libriposte.so" "$work") >"$work/log" 2>&1
cmp "$wheel" "$(tail -n 1 "$work/log")" >>"$work/log" 2>&1
verdict the_same_files_give_the_same_wheel $?

# Every library but those of glibc comes out of the wheel.
$python -m zipfile -e "$wheel" "$work/unpacked"
ldd "$work/unpacked/riposte/libriposte.so" | grep -vE "linux-vdso|ld-linux|/lib[cm]\.so|$work/unpacked/riposte/" >"$work/log"
[ ! -s "$work/log" ]
verdict the_libraries_are_in_it $?

# Licences of all that is in it.
for library in zstd zlib xxhash utf8proc stemmer; do
    ls "$work"/unpacked/riposte-*.dist-info/licenses | grep -q "$library" || echo "no licence of $library"
done >"$work/log"
[ ! -s "$work/log" ] || ! command -v dpkg >/dev/null
verdict the_licences_are_in_it $?

# copy_with_libraries FILE...: into the root, each at its own place.
copy_with_libraries() {
    for file; do
        { echo "$file"; ldd "$file" 2>/dev/null | grep -oE '/[^ ]+'; }
    done | sort -u | while read -r file; do
        mkdir -p "$work/root$(dirname "$file")" && cp -L "$file" "$work/root$file"
    done
}

make_root() {
    local release library
    release=$($python -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    library=/usr/lib/python$release
    mkdir -p "$work"/root/{tmp,dev,usr/bin,bin} "$work/root$library" || return 1
    $python -c 'import ensurepip' 2>/dev/null || return 1
    cp -r "$library/." "$work/root$library" || return 1
    rm -rf "$work/root$library"/{test,idlelib,tkinter,__pycache__,*/__pycache__,config-*}
    [ ! -d /usr/share/python-wheels ] || { mkdir -p "$work/root/usr/share" && cp -r /usr/share/python-wheels "$work/root/usr/share"; }
    copy_with_libraries /bin/sh /bin/cat "$(realpath $python)" "$library"/lib-dynload/*.so /lib/*/libgcc_s.so.1 2>/dev/null
    ln -sf "python$release" "$work/root/usr/bin/python3"
    mknod -m 666 "$work/root/dev/null" c 1 3 && mknod -m 666 "$work/root/dev/urandom" c 1 9
}

if [ "$(id -u)" -ne 0 ]; then
    echo "skip wheel_in_a_root_without_our_libraries: needs root"
elif ! make_root >"$work/log" 2>&1 || ! chroot "$work/root" /usr/bin/python3 -c 'import ctypes, venv' >>"$work/log" 2>&1; then
    echo "skip wheel_in_a_root_without_our_libraries: no root can be made: $(tail -n 1 "$work/log")"
else
    ! find "$work/root" -name 'lib*.so*' | grep -E 'zstd|xxhash|utf8proc|stemmer|riposte' >"$work/log" &&
        bash "$root/tests/python/wheel_in_root.sh" "$work/root" "$wheel" >"$work/log" 2>&1
    verdict wheel_in_a_root_without_our_libraries $?
fi
