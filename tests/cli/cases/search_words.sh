# Several words are one query, in quotes or not.
riposte search my.rip boundary layer -q
riposte search my.rip boundary layer --json | grep -o '"query":"[^"]*"'
riposte search --k 1 my.rip wing AND lift -q --no-snippets
riposte search my.rip -q --no-snippets -- wing -lift; echo $?
