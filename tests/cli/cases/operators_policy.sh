# Algorithms of the GPU under policies: the rows that are named run, or the program says why they do not.
export RIPOSTE_GPU=emulated
ask() { riposte search my.rip 'of the a' --mode and --no-snippets "$@"; }
stages() { grep -o '"stage":"[a-z_]*"' | tr '\n' ' '; echo; }
hits() { tr -d '\n' | sed -E 's/.*"hits":\[/[/'; }
ask --json --processor cpu | hits >cpu.json
for policy in gpu batch griffin; do
    for algorithm in operators:intersect=bs,mode=stepped operators:select=sort,score=accumulate para:method=bs; do
        ask --json --policy $policy --algorithm $algorithm >gpu.json || echo "$policy $algorithm: $?"
        hits <gpu.json | cmp -s - cpu.json || echo "$policy $algorithm: other hits"
        echo "$policy $algorithm: $(stages <gpu.json)"
    done
done
ask --json --timeline --algorithm operators:intersect=pmf,levels=4,mode=stepped | stages
ask --json --timeline --policy griffin --algorithm operators:intersect=pmf,levels=4 | stages
for policy in auto cpu better ding-queues ding-steal ding-deadline split share; do
    ask --policy $policy --algorithm operators:select=sort; echo $?
done
ask --policy split --strict-processor --algorithm para; echo $?
ask --timeline --processor cpu --algorithm operators; echo $?
riposte batch my.rip topics.tsv --mode and --policy share --algorithm para; echo $?
riposte batch my.rip topics.tsv --mode and --policy batch --algorithm para -q -o para.run; echo $?
riposte batch my.rip topics.tsv --mode and --processor cpu -q -o cpu.run && cmp para.run cpu.run
riposte load my.rip topics.tsv --mode and --algorithm operators; echo $?
printf '1\twing lift\n2\tof the a\n' >words.tsv
riposte load my.rip words.tsv --mode and --policy gpu,griffin --algorithm operators --rate 20 --seconds 0.2 -q --json |
    grep -o '"failed":[0-9]*,"on_cores":[0-9]*'
riposte serve my.rip --listen 127.0.0.1:0 --policy cpu --algorithm operators; echo $?
# Forms and numbers of hits that the algorithm does not answer.
riposte search my.rip '"of the"' --policy gpu --algorithm operators; echo $?
riposte search my.rip 'of the' --mode or --policy gpu --algorithm para; echo $?
ask --k 3000 --policy gpu --algorithm operators:select=bitonic; echo $?
# A word that few documents have: griffin leaves the card out.
riposte search my.rip 'xyzzy of' --mode and --policy griffin --algorithm operators --strict-processor; echo $?
riposte search my.rip 'xyzzy of' --mode and --policy griffin --algorithm operators; echo $?
printf '1\txyzzy of\n2\tof the a\n' >words.tsv
riposte batch my.rip words.tsv --mode and --policy griffin --algorithm operators -o a.run 2>&1 | grep instead
riposte batch my.rip words.tsv --mode and --policy griffin --algorithm operators -q --json -o a.run |
    grep -o '"fallbacks":{[^}]*}'
riposte batch my.rip words.tsv --mode and --policy griffin --algorithm operators --strict-processor -o a.run; echo $?
