riposte index -q --stem porter --stop lucene docs.jsonl -o new.rip
riposte search -q new.rip engines --no-snippets
riposte stats new.rip --term the; echo $?
printf 'wing\nflow\n' >stop.txt
riposte index -q --stop stop.txt docs.jsonl -o new.rip
riposte stats new.rip --term wing; echo $?
riposte index -q --stop no-such-file docs.jsonl -o new.rip; echo $?
