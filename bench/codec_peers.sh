#!/bin/sh
# codec_peers.sh: Riposte's codecs beside sdsl, streamvbyte and CRoaring, in one process on one list.
#
# usage: bench/codec_peers.sh [ROUNDS]        (15 rounds unless told)
# environment: LIB  the library          (build/libriposte.a)
#              LAB  what measures it     (build/liblab.a)
#              OUT  all that is written  (build/bench)
#              CXX  the C++ compiler     (c++)
#
# Peers are Debian's packages as they come: what libsdsl runs is headers, compiled here for this machine;
# libstreamvbyte and libroaring are built by Debian for every x86-64, without their SIMD, so their
# figures say how the package fares and nothing about the codes. A peer that is not installed is
# skipped by name. Exit: 0 ran, or nothing to run; 1 a contestant gave a wrong answer.
set -eu
cd "$(dirname "$0")/.."
ROUNDS=${1:-15}
LIB=${LIB:-build/libriposte.a}
LAB=${LAB:-build/liblab.a}
OUT=${OUT:-build/bench}
CXX=${CXX:-c++}

say() { printf '%s\n' "$*"; }
skip() { say "SKIP codec_peers: $1"; exit 0; }

command -v "$CXX" >/dev/null 2>&1 || skip "no C++ compiler; apt install g++"
for archive in "$LAB" "$LIB"; do
    [ -r "$archive" ] || skip "$archive is not built; run 'make'"
done

# has HEADER: can the compiler find it?
has() { echo "#include <$1>" | "$CXX" -x c++ -std=c++17 -E - >/dev/null 2>&1; }
PEERS=
! has sdsl/sd_vector.hpp || PEERS="$PEERS -lsdsl"
! has streamvbytedelta.h || PEERS="$PEERS -lstreamvbyte"
! has roaring/roaring.h || PEERS="$PEERS -lroaring"

mkdir -p "$OUT"
"$CXX" -std=c++17 -O3 -march=native -DNDEBUG -Wall -Wextra -Iinclude -Isrc bench/peers/codecs/codec_peers.cpp \
    -o "$OUT/codec_peers" "$LAB" "$LIB" $PEERS -lzstd -lz -lxxhash -lutf8proc -lstemmer -lm -pthread

say "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores;" \
    "load $(cut -d ' ' -f 1 /proc/loadavg); commit $(git rev-parse --short HEAD 2>/dev/null || echo none)"
for package in libsdsl-dev libstreamvbyte-dev libroaring-dev; do
    say "$package $(dpkg-query -W -f '${Version}' $package 2>/dev/null || echo 'not installed')"
done
exec "$OUT/codec_peers" "$ROUNDS"
