#!/bin/bash
# Plants one breach of each kind in a small house and asks whether tools/check_layers finds it.
set -u
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fresh_house() {
    rm -rf "${dir:?}"/*
    mkdir -p "$dir"/{include/riposte,src/{base,low,high,high/sub,high/bench}}
    cat >"$dir/layers.txt" <<'LAW'
base:
low:      sys: fcntl.h
high:     low  pub: index
high/sub: high
high/bench: high
public: high
apart: high/bench
noun: box -> lid
LAW
    echo 'int rp_open(void);' >"$dir/include/riposte/index.h"
    echo '' >"$dir/include/riposte/status.h"
    echo 'int rp__low_get(void);' >"$dir/src/low/low.h"
    echo '' >"$dir/src/low/inner.h"
    echo '' >"$dir/src/high/high.h"
    printf '#include "low/low.h"\n#include "low/inner.h"\n#include <fcntl.h>\nint rp__low_get(void){return 1;}\n' \
        >"$dir/src/low/low.c"
    printf '#include "low/low.h"\n#include "riposte/index.h"\nint rp_open(void){return rp__low_get();}\n' \
        >"$dir/src/high/top.c"
    printf '#include "high/high.h"\nint rp__box_shut(void);\nint rp__box_shut(void){return 0;}\n' \
        >"$dir/src/high/sub/lid.c"
    printf '#include "high/high.h"\nint rp__clock_tick(void);\nint rp__clock_tick(void){return 0;}\n' \
        >"$dir/src/high/bench/clock.c"
}

# The room high/bench is no part of the library, unless the first argument is "all".
link_library() {
    local skip='*/bench/*'
    [ "${1:-}" != all ] || skip=none
    find "$dir/build" -name '*.o' ! -path "$skip" -print0 | xargs -0 ar rcs "$dir/build/libriposte.a"
    find "$dir/build" -name '*.o' ! -path "$skip" -print0 | xargs -0 gcc -shared -o "$dir/build/libriposte.so.0.1"
}

# expect NAME STATUS TEXT [COMMAND...]: builds the house, runs the command on the objects, then the checker, and compares.
expect() {
    local file object out status
    while read -r file; do
        object=$dir/build/${file#"$dir"/}
        mkdir -p "$(dirname "$object")"
        gcc -fPIC -I"$dir/include" -I"$dir/src" -c "$file" -o "${object%.c}.o" || { echo "not ok $1 (compile)"; return; }
    done < <(find "$dir/src" -name '*.c')
    "${@:4}"
    out=$("$tools/check_layers" "$dir" "$dir/build" 2>&1)
    status=$?
    if [ $status -eq "$2" ] && [[ $out == *"$3"* ]]; then
        echo "ok $1"
    else
        echo "not ok $1: status $status, output:"
        echo "$out"
    fi
}

fresh_house
expect sound_house_passes 0 ""

fresh_house
expect sound_library_passes 0 "" link_library

fresh_house
expect symbol_in_archive 1 "src/high/bench/clock.c: rp__clock_tick: is in libriposte.a" link_library all

fresh_house
expect symbol_in_shared_library 1 "rp__clock_tick: is in libriposte.so.0.1" link_library all

fresh_house
sed -i '1i #include "high/high.h"' "$dir/src/low/low.c"
expect upward_include 1 "src/low/low.c:1: room low may not include room high"

fresh_house
sed -i '1i #include "low/inner.h"' "$dir/src/high/top.c"
expect interior_include 1 'top.c:1: "low/inner.h" is interior to low'

fresh_house
sed -i 's/^high: *low/& low\/*/' "$dir/layers.txt"
sed -i '1i #include "low/inner.h"' "$dir/src/high/top.c"
expect all_headers_of_a_room 0 ""

fresh_house
mkdir "$dir/src/low/deep"
echo '' >"$dir/src/low/deep/deep.h"
sed -i 's/^high: *low/& low\/*/; s/^low: .*/&\nlow\/deep:/' "$dir/layers.txt"
sed -i '1i #include "low/deep/deep.h"' "$dir/src/high/top.c"
expect rooms_below_are_other_rooms 1 "room high may not include room low/deep"

fresh_house
sed -i '1i #include "high.h"' "$dir/src/high/sub/lid.c"
touch "$dir/src/high/sub/high.h"
expect include_not_from_src 1 "write it from src/"

fresh_house
sed -i '1i #include "riposte/index.h"' "$dir/src/low/low.c"
expect public_header_below 1 '"riposte/index.h" is not for room low'

fresh_house
sed -i '1i #include <fcntl.h>' "$dir/src/high/top.c"
expect system_header 1 "<fcntl.h> is not for room high"

fresh_house
printf 'int rp__low_put(void);\nint rp__low_put(void){return 1;}\n' >>"$dir/src/high/top.c"
expect symbol_in_wrong_file 1 "rp__low_put: belongs into src/low/low.c"

fresh_house
printf 'int rp__nobody_put(void);\nint rp__nobody_put(void){return 1;}\n' >>"$dir/src/high/top.c"
expect symbol_of_no_file 1 "rp__nobody_put: no file bears this name"

fresh_house
printf 'int rp__low_get_all(void){return 1;}\n' >"$dir/src/low/low_get.c"
expect longest_stem_wins 1 "rp__low_get: belongs into src/low/low_get.c"

fresh_house
printf 'int rp_secret(void){return 1;}\n' >>"$dir/src/high/top.c"
expect undeclared_public_symbol 1 "rp_secret: not declared in include/riposte"

fresh_house
sed -i 's/^int rp__low_get.*/&\nint rp_open(void){return 2;}/' "$dir/src/low/low.c"
rm "$dir/src/high/top.c"
expect public_symbol_in_low_room 1 "room low defines no public names"

fresh_house
echo 'int naked = 1;' >>"$dir/src/low/low.c"
expect global_without_prefix 1 "naked: a global name without rp_"

fresh_house
echo 'static int x; int *rp__box_x(void){return &x;}' >"$dir/src/low/lid.c"
expect stem_taken_twice 1 "the stem lid is taken"

fresh_house
yes '' | head -n 801 >>"$dir/src/low/low.h"
expect file_too_long 1 "802 lines; 800 is the most"

fresh_house
printf '/* %098d */\n' 0 >>"$dir/src/low/low.h"
expect line_too_long 1 "src/low/low.h:2: 104 columns; 100 are the most"

fresh_house
mkdir "$dir/src/attic"
echo '' >"$dir/src/attic/attic.h"
expect room_without_law 1 "the room attic is not in layers.txt"
