riposte search my.rip wing --kk 3; echo $?
riposte search my.rip wing --explian; echo $?
riposte search my.rip wing --nothing-like-it; echo $?
riposte search my.rip -wing; echo $?
riposte search my.rip wing --json=yes; echo $?
riposte search my.rip wing --k; echo $?
riposte stats --json --frob my.rip; echo $?
