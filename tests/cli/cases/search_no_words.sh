# A query without words is answered too, and a processor is named.
riposte search my.rip '!?'
riposte search my.rip '!?' --json
riposte search my.rip ''; echo $?
