printf 'cpu_ns\tgpu_ns\n1\t2\n' >few.tsv
head='cpu_ns\tgpu_ns\tbatch_ns\tfeed_ns\tshortest\tsecond\tlikely_cpu_ns\tlikely_gpu_ns\tlikely_batch_ns\tlikely_feed_ns'
row='1\t9\t3\t4\t5\t6\t7\t9\t3\t4'
r() { printf "$1" >r.tsv; riposte load --replay r.tsv; echo $?; }
riposte load; echo $?
riposte load my.rip; echo $?
riposte load --replay few.tsv; echo $?
riposte load --replay nowhere.tsv; echo $?
riposte load --replay few.tsv my.rip; echo $?
r ''
r "$head\n"
r "$head\n1\t2\n"
r "$head\n$row\t5\n"
r "$head\n-$row\n"
r "$head\n${row/9/nan}\n"
r "$head\n${row/9/-}\n"
r "$head\n${row/9/1}\n"
r "$head\n${row/6/1000000000001}\n"
r "$head\tcpu_ns\n$row\n"
printf "$head\n$row\n" >r.tsv
l() { riposte load --replay r.tsv "$@"; echo $?; }
l --rate 0
l --rate -5
l --rate inf
l --deadline 0
l --seconds 0
l --policy swift
l --policy ''
l --find-p99 0
l --rate 1e9 --seconds 1000
riposte load my.rip topics.tsv --lose-card; echo $?
riposte load my.rip topics.tsv --held-ns 5; echo $?
riposte load my.rip topics.tsv --policy batch --gpu nothing; echo $?
riposte load my.rip nowhere.tsv; echo $?
