riposte stats my.rip --term Wing
riposte stats my.rip --term wing --json >out.json && is_json out.json && cat out.json
riposte stats my.rip --term xyzzy; echo $?
riposte stats my.rip --term xyzzy --json; echo $?
riposte stats no-such.rip; echo $?
