riposte suggest my.rip l
riposte suggest my.rip LA
riposte suggest my.rip '' --k 3
riposte suggest my.rip w --json
riposte suggest my.rip xyzzy; echo $?
riposte suggest my.rip xyzzy --json; echo $?
riposte suggest my.rip w --k 1001; echo $?
riposte suggest my.rip; echo $?
