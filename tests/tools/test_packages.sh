#!/bin/bash
# Does a build say which packages it lacks, and does GPU=0 build without kernels?
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

verdict() { if [ "$2" -eq 0 ]; then echo "ok $1"; else echo "not ok $1"; cat "$work/log"; fi; }

tools/check_packages packages.txt "${CC:-gcc}" >"$work/log" 2>&1
verdict all_packages_are_found $?

# A compiler that finds no headers lacks all libraries, and is there itself.
{ ! tools/check_packages packages.txt 'gcc -nostdinc' no-such-g++; } >"$work/log" 2>&1 &&
    grep -q '^these packages are missing: g++ libc6-dev libzstd-dev zlib1g-dev' "$work/log" && grep -q "'make deps'" "$work/log"
verdict missing_packages_are_named $?

# What an installed package provides is not installed again. This machine has nodejs alone, and apt-get only fails.
mkdir "$work/bin"
printf '#!/bin/sh\necho "installed nodejs, nodejs-doc, npm (= 9.2)"\necho "config-files wrk, "\n' >"$work/bin/dpkg-query"
printf '#!/bin/sh\necho "apt-get $*"\nexit 1\n' | tee "$work/bin/apt-get" >"$work/bin/sudo"
chmod +x "$work/bin"/*
printf 'nodejs\nnpm\n' >"$work/list"
PATH="$work/bin:$PATH" tools/install_packages "$work/list" >"$work/log" 2>&1 && [ ! -s "$work/log" ]
verdict provided_packages_count_as_installed $?
printf 'nodejs\nwrk\n' >"$work/list"
{ ! PATH="$work/bin:$PATH" tools/install_packages "$work/list"; } >"$work/log" 2>&1 && grep -q 'wrk' "$work/log" &&
    ! grep -q 'installing.*nodejs' "$work/log"
verdict removed_packages_are_missing $?

# The first thing that plain `make` does, and the last.
{ ! env -u MAKEFLAGS -u MAKELEVEL make -j1 B="$work/build" CC='gcc -nostdinc' all; } >"$work/log" 2>&1 && [ "$(grep -c . "$work/log")" -le 4 ] &&
    grep -q 'libstemmer-dev' "$work/log"
verdict make_stops_at_missing_packages $?

env -u MAKEFLAGS -u MAKELEVEL make -n GPU=0 B="$work/build" all >"$work/log" 2>&1 && ! grep -qE 'nvcc|-x c\+\+' "$work/log" &&
    grep -q RP_NO_KERNELS "$work/log"
verdict gpu_0_compiles_no_kernels $?

both=$(for list in packages.txt packages-test.txt packages-all.txt packages-aarch64.txt; do
    sed -e 's/#.*//' $list | tr -s ' \n' '\n\n' | sed '/^$/d' | sort -u
done | sort | uniq -d)
echo "$both" >"$work/log"
[ -z "$both" ]
verdict no_package_is_in_two_lists $?
