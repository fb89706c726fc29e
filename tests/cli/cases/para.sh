# Every method of PARA by name, on a real index in three codecs: it answers as the CPU does, by the kernels that are
# listed here and by no others of PARA, or says what the index lacks. A method that reads one codec then answers on an
# index in that. The list of methods comes from the message of the program itself.
methods() {
    riposte search my.rip wing --gpu emulated --algorithm para:method=none 2>&1 |
        sed -n 's/^riposte: .*: choose //p' | tr '|' ' '
}
hits() { tr -d '\n' | sed -E 's/.*"hits":\[/[/'; }
ask() { # CODEC OPTIONS: on an index in the codec, which is made when it is first asked for
    local index=$1.rip
    [ -d $index ] || riposte recode demo.rip -o $index --codec $1 --aux lr,hs16,hs32,hs64,hs128,hs256 -q
    shift
    riposte search $index 'library for python' --mode and --json --no-snippets "$@"
}
run_method() { # CODEC METHOD; `own` is the codec that the method reads, if it is refused for that
    own=
    if ask $1 --gpu emulated --strict-processor --algorithm para:method=$2 >gpu.json 2>why; then
        [ -e $1.json ] || ask $1 --processor cpu | hits >$1.json
        hits <gpu.json | cmp -s - $1.json || echo "$1 $2: other hits" >&2
        echo "$2: $(grep -o '"kernels":{[^}]*}' gpu.json | grep -o 'para_[a-z_]*_kernel' | tr '\n' ' ')"
        grep -q "\"stage\":\"$(grep -o '"kernels":{[^}]*}' gpu.json | grep -o 'para_[a-z_]*_kernel' | head -n 1)\"" gpu.json ||
            echo "$1 $2: another kernel in its steps" >&2
    elif [ $? -eq 2 ]; then
        own=$(sed -nE "s/^riposte: para:method=$2 reads lists in ([a-z0-9_]+), .* in $1; 'riposte recode DIR --codec \1 -o NEW' makes.*/\1/p" why)
        [ -n "$own" ] && echo "$2 reads $own, not the index's codec" || cat why >&2
    else
        cat why >&2
    fi
}
riposte index -q $ROOT/data/demo.jsonl.gz -o demo.rip || exit 1
for method in $(methods); do
    only=
    for codec in bp128 lrc vbyte; do
        run_method $codec $method
        only=${own:-$only}
    done >lines
    [ -z "$only" ] || run_method $only $method >>lines
    sort lines | uniq -c | sed 's/^ *//; s/ *$//'
done
# A batch launches them, too.
riposte batch demo.rip topics.tsv --processor gpu --gpu emulated --mode and --algorithm para:method=bs --json -q |
    grep -o '"kernels":{[^}]*}' | grep -oE 'para_[a-z_]*_kernel":[0-9]+'
