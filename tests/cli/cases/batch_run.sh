riposte batch my.rip topics.tsv
