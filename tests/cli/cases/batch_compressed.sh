gzip topics.tsv
riposte batch my.rip topics.tsv.gz; echo $?
zcat topics.tsv.gz | riposte batch -q my.rip - --k 1; echo $?
