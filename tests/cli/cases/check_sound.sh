riposte check my.rip
riposte check my.rip --json >out.json && is_json out.json && cat out.json
riposte check no-such.rip; echo $?
