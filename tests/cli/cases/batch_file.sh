riposte batch my.rip topics.tsv -o my.run --tag mine --k 1
cat my.run
ls my.run*
stat -c %a my.run
riposte batch my.rip - -o my.run <topics.tsv && wc -l <my.run
