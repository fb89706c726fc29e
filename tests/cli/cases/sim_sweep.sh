# Many configurations: each has a line, those that are there stay, and threads change nothing.
printf '1\twing lift\n2\tjet\n' >q.tsv
riposte export -q iiu my.rip -o my.iiu
printf '# cores\none cores=1,dl=free\ntwo cores=2 dl=free\nslow memory=fixed latency=2000 dl=line\n' >list
riposte sim -q my.iiu q.tsv --sweep list --threads 3 | cut -d, -f1
riposte sim my.iiu q.tsv --sweep list --threads 2 -o out
sed -i '2s/"results":[0-9]*/"results":777/' out
riposte sim my.iiu q.tsv --sweep list -o out --threads 2 && cut -d, -f1,2 out && grep -c '"results":777' out
# Results of other lists stay. One of another configuration, or of other queries, is not taken for this one's.
printf 'four cores=4,dl=free\n' >other; riposte sim -q my.iiu q.tsv --sweep other -o out && cut -d, -f1 out
printf 'two cores=3 dl=free\n' >other; riposte sim my.iiu q.tsv --sweep other -o out; echo $?
head -1 q.tsv >one.tsv; riposte sim my.iiu one.tsv --sweep list -o out; echo $?
cp q.tsv words; riposte sim my.iiu q.tsv --sweep list -o words; echo $?; cmp q.tsv words
# What failed does not take away what ran.
printf 'good dl=free\nhung memory=fixed latency=9000 watchdog=1000\n' >other
riposte sim -q my.iiu q.tsv --sweep other -o some --threads 2; echo $?; cut -d, -f1 some
printf 'one cores=1\ntwo corse=2\n' >list; riposte sim my.iiu q.tsv --sweep list; echo $?
printf 'one cores=9\n' >list; riposte sim my.iiu q.tsv --sweep list; echo $?
printf 'one\none\n' >list; riposte sim my.iiu q.tsv --sweep list; echo $?
riposte sim my.iiu q.tsv --sweep nothing; echo $?
riposte sim my.iiu q.tsv -o out; echo $?
riposte sim my.iiu q.tsv --threads 2; echo $?
riposte sim my.iiu q.tsv --sweep list --trace t.json; echo $?
