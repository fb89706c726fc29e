#!/bin/sh
# build.sh: pisa_index and pisa_query from checkouts of PISA's sources and of what it includes.
#
# usage: bench/peers/pisa/build.sh CHECKOUTS OUT
#   CHECKOUTS  holds the folders pisa, FastPFor, streamvbyte, MaskedVByte, QMX, simdcomp, mio and taily
#   OUT        gets the two programs
# environment: PISA_ARCH  what to compile for (native)
#
# From Debian: libspdlog-dev libfmt-dev librange-v3-dev libboost-dev libtbb-dev libmsgsl-dev g++.
# PISA's own build also asks for parsers of HTML and WARC files; none of them is needed here.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
from=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
arch=${PISA_ARCH:-native}
for folder in pisa FastPFor streamvbyte MaskedVByte QMX simdcomp mio taily; do
    [ -d "$from/$folder" ] || { echo "build.sh: $from/$folder is not there" >&2; exit 2; }
done
p=$from/pisa
include="-I$p/include -I$p/include/pisa -I$from -I$from/FastPFor/headers -I$from/streamvbyte/include -I$from/MaskedVByte/include
    -I$from/QMX/include -I$from/simdcomp/include -I$from/mio/include -I$from/taily/include"
flags="-O3 -DNDEBUG -march=$arch -pthread -w"
cd "$out"
for unit in "$from"/simdcomp/src/simdbitpacking.c "$from"/simdcomp/src/simdcomputil.c \
    "$from"/streamvbyte/src/streamvbyte*.c "$from"/MaskedVByte/src/varint*code.c; do
    ${CC:-cc} $flags $include -c "$unit" -o "peer_$(basename "$unit").o" 2>"$out/build.log" || true
done
units="$p/src/codec/*.cpp $from/FastPFor/src/bitpacking*.cpp
    $from/FastPFor/src/*[hd]bitpacking.cpp"
for unit in block_inverted_index bit_vector bit_vector_builder compress io linear_quantizer memory_source query \
    string temporary_directory term_map util/json_stats util/progress; do
    [ ! -e "$p/src/$unit.cpp" ] || units="$units $p/src/$unit.cpp"
done
for unit in $units; do
    ${CXX:-c++} -std=c++20 $flags $include -c "$unit" -o "peer_$(basename "$unit").o"
done
for program in pisa_index pisa_query; do
    ${CXX:-c++} -std=c++20 $flags $include "$here/$program.cpp" peer_*.o -o $program -lspdlog -lfmt -ltbb
done
