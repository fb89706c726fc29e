#!/bin/bash
# tools/kernel_check with images as nvcc writes them, of kernels that only the assembler has seen: which changes
# are found, which leave no trace, and when the check is skipped.
set -u
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

# bytes VALUE N: little-endian, as an argument of printf.
bytes() { for ((i = 0; i < $2; i++)); do printf '\\x%02x' $((($1 >> (8 * i)) & 255)); done; }

# image FILE: FILE.fatbin with code for sm_90 from the assembler source of stdin.
image() {
    gcc -x assembler -c - -o "$1.o" || return
    printf "$(bytes 0xba55ed50 4)$(bytes 1 2)$(bytes 16 2)$(bytes 0 8)" >"$1.fatbin"
    printf "$(bytes 2 2)$(bytes 257 2)$(bytes 64 4)$(bytes "$(wc -c <"$1.o")" 8)" >>"$1.fatbin"
    printf "$(bytes 0 12)$(bytes 90 4)$(bytes 0 32)" >>"$1.fatbin"
    cat "$1.o" >>"$1.fatbin"
}

# usage FILE KERNEL REGISTERS: what ptxas says.
usage() {
    cat >>"$1.usage" <<U
ptxas info    : Compiling entry function '$2' for 'sm_90'
ptxas info    : Function properties for $2
    16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used $3 registers, used 0 barriers
U
}

compiler() { printf '.section .note.nv.tkinfo,"",%%note\n.asciz "ptxas"\n.asciz "Cuda compilation tools, release %s"\n' "$1"; }
function_at() { printf '.type %s,%%function\n%s:\n' "$1" "$1"; }
nops() { for ((i = 0; i < $1; i++)); do echo '.quad 0x0000000000007918, 0x000fc00000000000'; done; }

# A kernel and its two helpers, in the order given. Calls and returns have distances.
helped() { # FIRST-NAME SECOND-NAME DISTANCE-1 DISTANCE-2 BODY-1 BODY-2 RETURN-1 RETURN-2
    echo '.section .text.helped_kernel,"ax"'
    function_at helped_kernel
    echo ".quad 0x00000000$(printf '%04x' $(($3 / 4)))7944, 0x001fea0003c00000"
    echo ".quad 0x00000000$(printf '%04x' $(($4 / 4)))7944, 0x001fea0003c00000"
    function_at "$1"
    echo ".quad $5, 7"
    echo ".quad $7, 0x001fea0003c3ffff"
    function_at "$2"
    echo ".quad $6, 7"
    echo ".quad $8, 0x001fea0003c3ffff"
    echo '.quad 0xfffffffc00fc7947, 0x000fc0000383ffff'
    nops 3
}
back_64=0xfffffffc14f07950 back_96=0xfffffffc14e87950

plain() { # KERNEL NUMBER
    echo ".section .text.$1,\"ax\""
    function_at "$1"
    echo ".quad $2, 1"
    nops 2
}

# fresh: two files, as the lock has them.
fresh() {
    rm -f ./*.usage ./*.fatbin
    { plain first_kernel 5; plain second_kernel 6; compiler 13.0; } | image one
    { helped a b 16 32 0x11 0x22 $back_64 $back_96; compiler 13.0; } | image two
    usage one first_kernel 40
    usage one second_kernel 41
    usage two helped_kernel 42
}

# expect NAME STATUS TEXT
expect() {
    local out status
    out=$("$tools/kernel_check" lock ./*.fatbin 2>&1)
    status=$?
    if [ $status -eq "$2" ] && [[ $out == *"$3"* ]]; then
        echo "ok $1"
    else
        echo "not ok $1: status $status, output:"
        sed 's/^/  /' <<<"$out"
    fi
}

fresh
UPDATE=1 "$tools/kernel_check" lock ./*.fatbin >/dev/null
expect what_was_written_is_right 0 "3 kernels"
sed -i 's/^second_kernel\t41/second_kernel\t48/' lock
expect a_doctored_lock_fails 1 $'second_kernel differs:\n  lock  second_kernel\t48\t16\t4\t8\t48'
UPDATE=1 "$tools/kernel_check" lock ./*.fatbin >/dev/null

{ plain first_kernel 7; plain second_kernel 6; compiler 13.0; } | image one
expect other_code_is_found 1 "first_kernel differs"
fresh
sed -i 's/4 bytes spill stores/12 bytes spill stores/' two.usage
expect more_spills_are_found 1 "helped_kernel differs"
fresh
rm two.*
expect a_missing_kernel_is_found 1 "helped_kernel is gone"
fresh
{ plain third_kernel 8; compiler 13.0; } | image three
usage three third_kernel 12
expect a_new_kernel_is_found 1 "third_kernel is not in the lock"

fresh
mv one.fatbin uno.fatbin
mv one.usage uno.usage
expect a_file_may_be_renamed 0 "3 kernels"
{ helped z y 16 32 0x11 0x22 $back_64 $back_96; compiler 13.0; } | image two
expect a_helper_may_be_renamed 0 "3 kernels"
{ helped b a 48 0 0x22 0x11 $back_64 $back_96; compiler 13.0; } | image two
expect helpers_may_change_places 0 "3 kernels"
{ helped a b 16 32 0x22 0x11 $back_64 $back_96; compiler 13.0; } | image two
expect but_not_their_calls 1 "helped_kernel differs"
fresh
{ plain other_kernel 5; plain second_kernel 6; compiler 13.0; } | image one
usage one other_kernel 40
expect a_renamed_kernel_is_known_by_its_code 1 "other_kernel is new, with the code of first_kernel"

fresh
sed -i '1s/13.0/12.9/' lock
expect another_compiler_skips 77 "skip kernel-check: lock is of Cuda compilation tools, release 12.9"
rm ./*.fatbin
shopt -s nullglob
expect no_compiler_skips 77 "skip kernel-check: no nvcc"
