riposte search no-such.rip wing; echo $?
mkdir empty.rip
riposte search empty.rip wing; echo $?
riposte search docs.jsonl wing; echo $?
mkdir full && cp docs.jsonl full
riposte search full wing; echo $?
riposte stats full/ --json; echo $?
