show() { sed 's/\x1b/ESC/g'; }
riposte search my.rip jet -q --color always | show
riposte search my.rip jet -q --color never | show
riposte search my.rip jet -q --color auto | show
NO_COLOR=1 riposte search my.rip jet -q --color always | head -n 1 | show
riposte search my.rip jet -q --color sometimes; echo $?
