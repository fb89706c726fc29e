# Times differ from run to run; what is counted does not.
printf '1\twing lift\n2\tflow layer plate\n3\tnowhere flow\n4\twing\n5\tboundary layer\n' >q.tsv
counts() { sed -n -E '/^(policy|times)/!s/^([^ ]+) +([0-9]+) +([0-9]+) +([0-9]+) +([0-9]+) .* ([0-9.]+%) .*/\1 \2 \3 \4 \5 \6/p'; }
riposte load my.rip q.tsv --rate 500 --seconds .1 --policy cpu | counts
riposte load my.rip q.tsv --rate 500 --seconds .1 --poisson --policy gpu,batch --gpu emulated | counts
riposte load my.rip q.tsv --rate 100 --seconds .1 --policy cpu --json >out.json && is_json out.json && echo json
riposte calibrate my.rip q.tsv --no-card --rounds 1 | head -n 1
riposte calibrate my.rip q.tsv --rounds 1 --gpu emulated --record rec --json >out.json && is_json out.json && echo json
head -n 2 rec.and.tsv | tail -n 1
grep -c . rec.or.tsv
riposte load --replay rec.or.tsv --rate 100 | sed -n 2p | cut -d ' ' -f 1
riposte calibrate my.rip nowhere.tsv; echo $?
riposte calibrate my.rip q.tsv --rounds 16; echo $?
riposte calibrate my.rip q.tsv --rounds 1 --no-card --record no/where; echo $?
