# Every row by name, on a real index in three codecs: it answers as the CPU does, or says what the index lacks.
# Without an argument the list of rows comes from the messages of the program itself.
rows() { # OPTION: its values
    riposte search my.rip wing --gpu emulated --algorithm "operators:$1=none" 2>&1 |
        sed -n 's/^riposte: .*: choose //p' | tr '|' ' '
}
hits() { tr -d '\n' | sed -E 's/.*"hits":\[/[/; s/"snippet":\{[^}]*\},?//g'; }
for codec in bp128 lrc vbyte; do
    riposte recode my.rip -o ix.rip --codec $codec --aux lr,hs16,hs32,hs64,hs128,hs256 -q || exit 1
    riposte search ix.rip 'of the a' --mode and --json --no-snippets --processor cpu | hits >cpu.json
    answered=0 refused=0
    for option in decode intersect score select; do
        for row in $(rows $option); do
            for mode in chained stepped; do
                riposte search ix.rip 'of the a' --mode and --json --no-snippets --gpu emulated \
                    --strict-processor --algorithm operators:$option=$row,mode=$mode >gpu.json 2>why
                rc=$?
                if [ $rc -eq 0 ]; then
                    hits <gpu.json | cmp -s - cpu.json || echo "$codec $option=$row $mode: other hits"
                    grep -q '"steps":' gpu.json
                    [ $? -eq $([ $mode = stepped ]; echo $?) ] || echo "$option=$row $mode: steps"
                    answered=$((answered + 1))
                elif [ $rc -eq 2 ] && grep -q -- "$option=$row reads lists in" why; then
                    refused=$((refused + 1))
                else
                    cat why
                fi
            done
        done
    done
    echo "$codec: $answered answers, $refused refused"
    rm -r ix.rip
done
# The steps of an OR are those of Ding's table 3; and more rows than a few can be measured at once.
riposte search my.rip 'wing flow' --mode or --json --no-snippets --gpu emulated --algorithm operators:mode=stepped |
    grep -o '"stage":"[a-z]*"'
printf '1\twing flow\n' >one.tsv
RIPOSTE_GPU=emulated riposte bench queries my.rip one.tsv --processors gpu --modes and --k 10 --rounds 1 -q --json \
    --algorithms auto$(for row in $(rows intersect); do
        case $row in bp128*|lr*|hs*|seglrc) ;; *) echo ",operators:intersect=$row,operators:intersect=$row,mode=stepped";; esac
    done | tr -d '\n') | grep -o '"algorithm":"operators' | wc -l
