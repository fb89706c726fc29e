printf '1\twing\n2\twing AND (\n3\tjet\n' >bad.tsv
riposte batch my.rip bad.tsv --syntax -o my.run; echo $?
riposte batch my.rip bad.tsv --syntax --json; echo $?
riposte batch my.rip bad.tsv --syntax --on-error=skip --k 1; echo $?
riposte batch my.rip bad.tsv --plain --k 1 -q; echo $?
ls my.run* 2>/dev/null
printf '1\twing\nno tab here\n' >bad.tsv
riposte batch my.rip bad.tsv -q; echo $?
printf 'a b\twing\n' >bad.tsv
riposte batch my.rip bad.tsv -q; echo $?
printf '1\twi\0ng\n' >bad.tsv
riposte batch my.rip bad.tsv -q; echo $?
