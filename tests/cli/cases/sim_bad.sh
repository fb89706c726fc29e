# Bad keys and values with line and key, damaged images, queries that nothing can run.
printf '1\twing lift\n' >q.tsv
riposte export -q iiu my.rip -o my.iiu
riposte sim my.iiu q.tsv --set corse=1; echo $?
riposte sim my.iiu q.tsv --set cores=0; echo $?
riposte sim my.iiu q.tsv --set cores=9; echo $?
riposte sim my.iiu q.tsv --set mai_entries=0; echo $?
riposte sim my.iiu q.tsv --set dl=often; echo $?
riposte sim my.iiu q.tsv --set cores; echo $?
riposte sim my.iiu q.tsv --set standard=ddr9; echo $?
printf '# mine\ncores = 2\nbr_entries = none\n' >mine.ini; riposte sim my.iiu q.tsv --config mine.ini; echo $?
printf 'cores = 2\nchannels = 0\n' >mine.ini; riposte sim my.iiu q.tsv --config mine.ini; echo $?
riposte sim my.iiu q.tsv --config nothing; echo $?
# A name of no memory is refused by its line, and in a list before anything runs; so is a key that is there twice.
printf 'cores = 2\nstandard = zz\n' >mine.ini; riposte sim my.iiu q.tsv --config mine.ini; echo $?
printf 'good cores=1\nbad standard=zz\n' >list; riposte sim my.iiu q.tsv --sweep list; echo $?
printf 'cores = 2\ncores = 1\n' >mine.ini; riposte sim my.iiu q.tsv --config mine.ini; echo $?
riposte sim my.iiu q.tsv --set cores=1,cores=2; echo $?
# A key that would change nothing is refused.
riposte sim my.iiu q.tsv --set threshold=on; echo $?
riposte sim my.iiu q.tsv --set latency=9; echo $?
riposte sim my.iiu q.tsv --set memory=ideal,standard=hbm2; echo $?
printf 'good topk=2\n' >list; riposte sim -q my.iiu q.tsv --sweep list --set threshold=on | cut -d, -f1; echo $?
head -c 2000 my.iiu >cut.iiu; riposte sim cut.iiu q.tsv; echo $?
cp my.iiu bad.iiu; printf '\377' | dd of=bad.iiu bs=1 seek=70 conv=notrunc 2>/dev/null; riposte sim bad.iiu q.tsv; echo $?
riposte sim q.tsv q.tsv; echo $?
riposte sim nothing q.tsv; echo $?
riposte sim my.iiu; echo $?
printf '1\tno such\n' >q.tsv; riposte sim my.iiu q.tsv; echo $?
# A memory that never answers in time: the run ends, and says what each unit waits for.
printf '1\twing lift\n' >q.tsv; riposte sim my.iiu q.tsv --set cores=1,memory=fixed,latency=9000,watchdog=1000; echo $?
