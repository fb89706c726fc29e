export RIPOSTE_GPU=emulated
ask() { riposte search my.rip 'of the' --mode and "$@" >/dev/null; echo $?; }
ask --algorithm operators:intersect=none
ask --algorithm operators:sort=heap
ask --algorithm operators:select=none
ask --algorithm operators:mode=fast
ask --algorithm operators:select=sort,select=sort
ask --algorithm operators:intersect=pmf,levels=5
ask --algorithm operators:levels=2
ask --algorithm operators:intersect=lr
ask --algorithm operators:intersect=hs64
ask --algorithm operators:intersect=lrc
ask --algorithm operators:decode=rice
ask --algorithm operators:select=bitonic --k 3000
ask --algorithm operators --processor cpu
ask --algorithm operators --gpu-child --processor gpu
ask --algorithm operator
ask --algorithm operatorz
ask --algorithm operators:
ask --algorithm operators:select=sort,
ask --algorithm para:
ask --algorithm operators --algorithm para
riposte search my.rip '"of the"' --algorithm operators; echo $?
riposte search my.rip 'of the' --mode or --algorithm operators:score=lookup; echo $?
riposte search my.rip 'of the' --mode andor --algorithm operators:score=lookup; echo $?
riposte search my.rip 'of the' --mode andor --k 500 --algorithm operators:score=lookup; echo $?
riposte search my.rip 'of the' --mode or --algorithm operators:intersect=ding; echo $?
riposte search my.rip 'of the' --mode or --algorithm operators:intersect=lr; echo $?
riposte search my.rip 'of the' --mode or --algorithm operators:intersect=auto --k 1 --no-snippets -q; echo $?
riposte search my.rip 'of -the' --algorithm operators; echo $?
riposte batch my.rip topics.tsv --algorithm operators:intersect=lr; echo $?
riposte bench queries my.rip topics.tsv --processors gpu --algorithms operators:intersect=lr; echo $?
riposte bench queries my.rip topics.tsv --algorithms operators; echo $?
riposte bench queries my.rip topics.tsv --algorithms auto,operators --policy gpu; echo $?
# An OR that is written out has no intersection; that of andor comes after one.
for mode in and andor; do
    riposte search my.rip 'of OR the' --mode $mode --algorithm operators:intersect=ding; echo $?
done
riposte search my.rip 'of OR the' --mode and --algorithm operators:intersect=auto --k 1 --no-snippets -q; echo $?
riposte search my.rip 'of the' --mode andor --k 500 --algorithm operators:intersect=ding -q >/dev/null; echo $?
