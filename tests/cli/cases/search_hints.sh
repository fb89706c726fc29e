# What other programs call --k and --from.
riposte search my.rip wing -k 3; echo $?
riposte search my.rip wing -n 3; echo $?
riposte search my.rip wing --limit 3; echo $?
riposte search my.rip wing --limit=3; echo $?
riposte search my.rip wing --size 3; echo $?
riposte search my.rip wing --offset 3; echo $?
riposte search my.rip wing --colour never; echo $?
riposte stats my.rip --limit 3; echo $?
