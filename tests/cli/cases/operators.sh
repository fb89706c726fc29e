# Every row by name, on a real index in three codecs: it answers as the CPU does, by the kernels of its phase that are
# listed here and by no others, or says what the index lacks. A row that reads one codec then answers on an index in that.
# The list of rows comes from messages of the program itself. A line is what so many runs of a row launched.
rows() { # OPTION: its values
    riposte search my.rip wing --gpu emulated --algorithm "operators:$1=none" 2>&1 |
        sed -n 's/^riposte: .*: choose //p' | tr '|' ' '
}
hits() { tr -d '\n' | sed -E 's/.*"(is_or_fallback":[a-z]*).*"hits":\[/\1[/'; }
ask() { # CODEC QUERY OPTIONS: on an index in the codec, which is made when it is first asked for
    local index=$1.rip query=$2
    [ -d $index ] || riposte recode demo.rip -o $index --codec $1 --aux lr,hs16,hs32,hs64,hs128,hs256 -q
    shift 2
    riposte search $index "$query" --json --no-snippets "$@"
}
launched() { # PATTERN: kernels in gpu.json whose names begin so, and how often they were launched
    grep -o '"kernels":{[^}]*}' gpu.json | grep -oE "\"($1)[a-z0-9_]*_kernel\":[0-9]+" | tr -d '"' | sort | tr '\n' ' '
}
run_row() { # CODEC MODE OPTION=ROW PATTERN; `own` is the codec that the row reads, if it is refused for that
    [ -e $1.json ] || ask $1 'library for python' --mode and --processor cpu | hits >$1.json
    own=
    if ask $1 'library for python' --mode and --gpu emulated --strict-processor --algorithm operators:$3,mode=$2 \
        >gpu.json 2>why; then
        hits <gpu.json | cmp -s - $1.json || echo "$1 $3 $2: other hits" >&2
        grep -q '"steps":' gpu.json
        [ $? -eq $([ $2 = stepped ]; echo $?) ] || echo "$3 $2: steps" >&2
        echo "$3: $(launched "$4")"
    elif [ $? -eq 2 ]; then
        own=$(sed -nE "s/^riposte: .*$3 reads lists in ([a-z0-9_]+), .* in $1; 'riposte recode DIR --codec \1 -o NEW' makes.*/\1/p" why)
        [ -n "$own" ] && echo "$3 reads $own, not the index's codec" || cat why >&2
    else
        cat why >&2
    fi
}
run_everywhere() { # OPTION=ROW PATTERN
    local only=
    run_row bp128 chained $1 "$2"; only=$only$own
    run_row lrc stepped $1 "$2"; only=${own:-$only}
    run_row vbyte chained $1 "$2"; only=${own:-$only}
    [ -z "$only" ] || run_row $only chained $1 "$2"
    [ -z "$only" ] || run_row $only stepped $1 "$2"
}
riposte index -q $ROOT/data/demo.jsonl.gz -o demo.rip || exit 1
while read -r option pattern; do
    for row in $(rows $option); do
        run_everywhere $option=$row "$pattern" | sort | uniq -c | sed 's/^ *//; s/ *$//'
    done
done <<'END'
decode decode_|qs_
intersect intersect_
score score_|step_and_narrow
select select_
END
# An AND with k hits suffices; one with fewer is asked again as an OR.
for codec in bp128 lrc vbyte; do
    for query in 'library for python' 'music player for'; do
        ask $codec "$query" --mode andor --processor cpu | hits >cpu.json
        for mode in chained stepped; do
            ask $codec "$query" --mode andor --gpu emulated --strict-processor --algorithm operators:mode=$mode >gpu.json
            hits <gpu.json | cmp -s - cpu.json || echo "$codec $query $mode: other hits"
            echo "andor: $(grep -o '"is_or_fallback":[a-z]*' gpu.json), $(launched 'intersect_|score_')"
        done
    done
done | sort | uniq -c | sed 's/^ *//; s/ *$//'
# The steps of an OR are those of Ding's table 3; and more rows than a few can be measured at once.
riposte search my.rip 'wing flow' --mode or --json --no-snippets --gpu emulated --algorithm operators:mode=stepped |
    grep -o '"stage":"[a-z]*"'
printf '1\twing flow\n' >one.tsv
RIPOSTE_GPU=emulated riposte bench queries my.rip one.tsv --processors gpu --modes and --k 10 --rounds 1 -q --json \
    --algorithms auto$(for row in $(rows intersect); do
        case $row in bp128*|lr*|hs*|seglrc) ;; *) echo ",operators:intersect=$row,operators:intersect=$row,mode=stepped";; esac
    done | tr -d '\n') | grep -o '"algorithm":"operators' | wc -l
