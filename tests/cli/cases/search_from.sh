# Pages: ranks go on, and a page behind the last one says so.
riposte search my.rip 'wing flow layer' --k 2 --no-snippets
riposte search my.rip 'wing flow layer' --k 2 --from 2 --no-snippets
riposte search my.rip 'wing flow layer' --k 2 --from 100 --no-snippets; echo $?
riposte search my.rip 'wing flow layer' --k 1 --from 1 --json --no-snippets
riposte search my.rip wing --k 10 --from 9991; echo $?
riposte search my.rip wing --k 10 --from 9990 -q; echo $?
riposte search my.rip wing --from 18446744073709551614; echo $?
riposte search my.rip wing --from -1; echo $?
# Of andor, every page is of the answer that the first is of.
riposte search my.rip 'flow layer' --mode andor --k 1 --no-snippets
riposte search my.rip 'flow layer' --mode andor --k 1 --from 1 --no-snippets
