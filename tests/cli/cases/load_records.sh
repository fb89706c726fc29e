# Records of an H200 that are in the tree: the figures are the same on every machine.
records=$ROOT/bench/records
for name in gov gov2 gitlog; do
    for mode in and or; do
        riposte load --replay "$records/h200-$name.$mode.tsv.zst" --policy auto,batch --rate 3000 --poisson --seconds .5 | sed -n 2,3p
    done
done
riposte load --replay "$records/h200-gov.or.tsv.zst" --policy auto,batch,gpu --find-p99 1 --poisson --rate 5000 --seconds .1 | sed -n 2,4p
