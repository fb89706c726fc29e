riposte search my.rip 'wing AND'; echo $?
riposte search my.rip '(wing'; echo $?
riposte search my.rip '"wing'; echo $?
riposte search my.rip 'wing^x' --json; echo $?
riposte search my.rip ''; echo $?
