riposte batch my.rip topics.tsv --syntax --processor gpu --gpu emulated --mode and --k 1
head -n 1 topics.tsv | riposte batch my.rip - --processor gpu --gpu emulated --mode and --k 1
riposte batch my.rip topics.tsv --processor gpu --gpu emulated,x; echo $?
riposte batch my.rip topics.tsv --processor gpu --gpu emulated --gpu-memory 0; echo $?
