riposte index; echo $?
riposte index docs.jsonl; echo $?
riposte search; echo $?
riposte search my.rip; echo $?
riposte search my.rip two words; echo $?
riposte batch my.rip; echo $?
riposte stats; echo $?
riposte check; echo $?
riposte completion; echo $?
riposte version now; echo $?
riposte search --json; echo $?
