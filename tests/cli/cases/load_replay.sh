# Virtual time: the figures are the same on every machine.
{
    printf 'cpu_ns\tgpu_ns\tbatch_ns\tfeed_ns\tshortest\tsecond\tlikely_cpu_ns\tlikely_gpu_ns\tlikely_batch_ns\tlikely_feed_ns\n'
    for n in 1 2 3 4 5 6 7 8; do
        printf '%d\t%d\t%d\t1000\t%d\t%d\t%d\t%d\t%d\t1000\n' $((n * 20000)) 30000 4000 $((n * 100)) $((n * 20000)) $((n * 20000)) 30000 4000
    done
    printf '50000\t-\t0\t0\t5\t50\t50000\t-\t0\t0\n'
} >r.tsv
riposte load --list-policies
l() { riposte load --replay r.tsv --cores 2 "$@"; }
l --policy all --rate 20000
l --policy all --rate 40000 --poisson --seconds .1 --deadline 1 | head -n 10
l --rate 30000 --poisson --wrong 3 --burst 10 --stall --lose-card --seconds .1 | sed -n 2p
l --rate 30000 --held-ns 3000 --seconds .1 | sed -n 2p
l --policy cpu,auto --find-p99 1 --poisson --seconds .2 | sed -n 2,3p
l --no-card --rate 20000 | sed -n 2p
l --json >out.json && is_json out.json && echo json
gzip -k r.tsv && riposte load --replay r.tsv.gz --cores 2 --rate 20000 | sed -n 2p
