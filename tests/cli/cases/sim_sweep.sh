# Many configurations: each has a line, those that are there stay, and threads change nothing.
printf '1\twing lift\n2\tjet\n' >q.tsv
riposte export -q iiu my.rip -o my.iiu
printf '# cores\none cores=1,dl=free\ntwo cores=2 dl=free\nslow memory=fixed latency=2000 dl=line\n' >list
riposte sim -q my.iiu q.tsv --sweep list --threads 3 | cut -d, -f1
riposte sim my.iiu q.tsv --sweep list --threads 2 -o out
sed -i '2s/.*/{"name":"two","kept":true}/' out
riposte sim my.iiu q.tsv --sweep list -o out --threads 2 && cut -d, -f1,2 out
printf 'one cores=1\ntwo corse=2\n' >list; riposte sim my.iiu q.tsv --sweep list; echo $?
printf 'one cores=9\n' >list; riposte sim my.iiu q.tsv --sweep list; echo $?
printf 'one\none\n' >list; riposte sim my.iiu q.tsv --sweep list; echo $?
riposte sim my.iiu q.tsv --sweep nothing; echo $?
riposte sim my.iiu q.tsv -o out; echo $?
