# Long options are written in full: a name cut short could mean another one tomorrow.
riposte search my.rip wing --n 3; echo $?
riposte search my.rip wing --no-snip; echo $?
riposte search my.rip wing --no-snip=3; echo $?
riposte search my.rip wing --no-snippets=3; echo $?
riposte search my.rip wing --max-expans 3; echo $?
riposte search my.rip wing --max-expans=3; echo $?
riposte search my.rip wing --max-expans; echo $?
riposte search my.rip wing --max-expansions; echo $?
riposte search my.rip wing --max 3; echo $?
# Two letters that changed places are one slip; the contrary of an option is no slip at all.
riposte search my.rip wing --form 3; echo $?
riposte search my.rip wing --quite; echo $?
riposte import ciff x.ciff -o x.rip --keep-possessive; echo $?
riposte search --k 1 --no-snippets -q my.rip --mode=and wing -- lift
