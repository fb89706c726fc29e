#!/bin/bash
# Plants cycles in a call graph and asks whether tools/check_recursion finds them.
set -u
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# expect NAME STATUS TEXT CALLS: source on stdin.
expect() {
    local out status
    rm -rf "${dir:?}"/*
    cat >"$dir/a.c"
    printf '%b' "$4" >"$dir/calls"
    (cd "$dir" && gcc -O0 -fPIC -fno-semantic-interposition -ffunction-sections -fcallgraph-info -c a.c) || { echo "not ok $1 (compile)"; return; }
    out=$("$tools/check_recursion" "$dir/calls" "$dir" 2>&1)
    status=$?
    if [ $status -eq "$2" ] && [[ $out == *"$3"* ]]; then
        echo "ok $1"
    else
        echo "not ok $1: status $status, output:"
        echo "$out"
    fi
}

expect straight_calls_pass 0 "no recursion" "" <<'C'
static int leaf(int x) { return x; }
static int mid(int x) { return leaf(x) + leaf(x + 1); }
int top(int x) { return mid(x) + leaf(x); }
C

expect self_call 1 "recursion: fact -> fact" "" <<'C'
int fact(int n) { return n ? n * fact(n - 1) : 1; }
C

expect parse_and_group 1 "recursion:" "" <<'C'
int parse(const char *s);
static int group(const char *s) { return *s == '(' ? parse(s + 1) : 0; }
int parse(const char *s) { return group(s); }
C

expect cycle_through_a_table 1 "recursion:" "walk -> step_*\n" <<'C'
int walk(int n);
static int step_in(int n) { return walk(n - 1); }
static int step_out(int n) { return n; }
static int (*const steps[])(int) = {step_in, step_out};
int walk(int n) { return steps[n & 1](n); }
C

expect table_without_cycle 0 "no recursion" "walk -> step_*\n" <<'C'
static int step_in(int n) { return n - 1; }
static int step_out(int n) { return n; }
static int (*const steps[])(int) = {step_in, step_out};
int walk(int n) { return steps[n & 1](n); }
C

expect unlisted_pointer_call 1 "walk calls through a pointer" "" <<'C'
int walk(int (*f)(int)) { return f(1); }
C

expect pointer_from_the_user 0 "no recursion" "walk -> outside\n" <<'C'
int walk(int (*f)(int)) { return f(1); }
C

expect stale_line 1 "gone is listed but makes no call" "gone -> outside\n" <<'C'
int walk(int n) { return n; }
C

expect stale_pattern 1 "no function of src fits" "walk -> nothing_*\n" <<'C'
int walk(int (*f)(int)) { return f(1); }
C

expect two_callers_on_one_line 0 "no recursion" "walk run -> step\n" <<'C'
static int step(int n) { return n; }
int walk(int n) { int (*f)(int) = step; return f(n); }
int run(int n) { int (*f)(int) = step; return f(n); }
C

expect name_told_apart_by_file 0 "no recursion" "a.c:walk -> a.c:step\n" <<'C'
static int step(int n) { return n; }
static int walk(int n) { int (*f)(int) = step; return f(n); }
int top(int n) { return walk(n); }
C

expect new_row_that_no_line_reaches 1 "a.c:jump: its address is taken" "walk -> step_*\n" <<'C'
static int step_in(int n) { return n - 1; }
static int jump(int n) { return n; }
static int (*const steps[])(int) = {step_in, jump};
int walk(int n) { return steps[n & 1](n); }
C

expect callback_that_no_line_reaches 1 "shout: its address is taken" "walk -> outside\n" <<'C'
int walk(int (*f)(int)) { return f(1); }
int shout(int n) { return n; }
int top(void) { return walk(shout); }
C

expect given_to_libc 0 "no recursion" "libc -> compare\n" <<'C'
#include <stdlib.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
void sort(int *at, size_t n) { qsort(at, n, sizeof *at, compare); }
C
