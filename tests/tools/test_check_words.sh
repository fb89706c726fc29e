#!/bin/bash
# Plants words that a list replaces in a small tree and asks whether tools/check_words finds them.
set -u
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fresh_tree() {
    rm -rf "${dir:?}"/*
    mkdir -p "$dir"/{src/low,docs,tests}
    cat >"$dir/words.txt" <<'LIST'
# a list
name: alive -> candidates
name: door -> mailbox
prose: kernel that stays -> persistent kernel
prose: gives way -> is evicted
except: src/low/old door to be rewritten
except: docs/old.md gives_way a quotation
LIST
    printf '/* low.c: plain. The door of a house, alive. */\nint n_terms; /* "a" */\n' >"$dir/src/low/low.c"
    printf 'int n;\n' >"$dir/src/low/low.cuh"
    printf '# A page\n\nA persistent kernel.\n' >"$dir/docs/page.md"
    printf 'int door;\n' >"$dir/tests/test_low.c"
}

# expect NAME STATUS TEXT: runs the check and compares.
expect() {
    local out status
    out=$("$tools/check_words" "$dir" "$dir/words.txt" 2>&1)
    status=$?
    if [ $status -eq "$2" ] && [[ $out == *"$3"* ]]; then
        echo "ok $1"
    else
        echo "not ok $1: status $status, output:"
        echo "$out"
    fi
}

fresh_tree
expect plain_tree_passes 0 ""

fresh_tree
echo 'int n_alive;' >>"$dir/src/low/low.c"
expect part_of_a_name 1 'src/low/low.c:3: "n_alive": write candidates'

fresh_tree
echo 'enum { ALIVE_MAX };' >>"$dir/src/low/low.cuh"
expect part_of_a_constant_in_a_kernel 1 'src/low/low.cuh:2: "alive_max": write candidates'

fresh_tree
echo 'int keepalive, doors; const char *s = "door /* alive"; int n; /* door */' >>"$dir/src/low/low.c"
expect other_words_strings_and_comments 0 ""

fresh_tree
echo 'int after; /* a comment */ int door;' >>"$dir/src/low/low.c"
expect code_after_a_comment 1 '"door": write mailbox'

fresh_tree
printf '/* A kernel\n * that stays. */\n' >>"$dir/src/low/low.c"
expect phrase_over_two_lines 1 'src/low/low.c:4: "kernel that stays": write persistent kernel'

fresh_tree
echo 'A list Gives way, always.' >>"$dir/docs/page.md"
expect phrase_in_a_page 1 'docs/page.md:4: "gives way": write is evicted'

fresh_tree
echo '/* gives way */' >>"$dir/tests/test_low.c"
expect phrase_in_a_test 1 'tests/test_low.c:2: "gives way"'

fresh_tree
echo 'int door;' >"$dir/src/low/old.c"
echo 'It gives way.' >"$dir/docs/old.md"
expect exceptions 0 ""

fresh_tree
echo 'int alive;' >"$dir/src/low/old.c"
expect exceptions_are_of_one_word 1 'src/low/old.c:1: "alive"'

fresh_tree
echo 'except: src/low door' >>"$dir/words.txt"
expect exception_without_a_reason 1 "an exception needs a reason"

fresh_tree
echo 'noun: x -> y' >>"$dir/words.txt"
expect line_of_no_kind 1 "neither name:, prose: nor except:"
