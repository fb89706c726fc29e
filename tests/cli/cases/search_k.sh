riposte search my.rip wing --k 1 --no-snippets
riposte search my.rip wing --k 10000 --no-snippets
riposte search my.rip wing --k 10001; echo $?
riposte search my.rip wing --k 10001 --max-k 10001 --no-snippets -q
