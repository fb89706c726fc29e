s() { riposte search my.rip 'of the' --mode and --gpu emulated -q "$@"; }
s --algorithm para:method=swift; echo $?
s --algorithm para:method=; echo $?
s --algorithm para:way=bs; echo $?
s --algorithm para:method=bs,method=is; echo $?
s --algorithm para:method=lr; echo $?
s --algorithm para:method=hs128; echo $?
s --algorithm para:method=lrcseg; echo $?
s --algorithm para --processor cpu; echo $?
s --algorithm para --k 9000; echo $?
riposte search my.rip 'of the' --mode or --gpu emulated --algorithm para; echo $?
riposte search my.rip '"of the"' --gpu emulated --algorithm para; echo $?
riposte batch my.rip topics.tsv --mode and --gpu emulated --algorithm para:method=hs16 -q; echo $?
riposte batch my.rip topics.tsv --mode and --gpu emulated --algorithm para -q >a.run; echo $?
riposte batch my.rip topics.tsv --mode and --processor cpu -q >b.run; cmp a.run b.run && echo same
RIPOSTE_GPU=emulated riposte bench queries my.rip topics.tsv --modes and --k 10 --processors gpu \
    --algorithms para:method=is --rounds 1 -q | grep -o 'para:method=is@gpu'
