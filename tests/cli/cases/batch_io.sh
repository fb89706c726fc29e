riposte batch my.rip no-such.tsv; echo $?
riposte batch my.rip topics.tsv -o no/such/my.run; echo $?
riposte batch my.rip topics.tsv -o my.rip; echo $?
riposte batch my.rip topics.tsv --tag 'two words'; echo $?
riposte batch no-such.rip topics.tsv; echo $?
