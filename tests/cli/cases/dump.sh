riposte dump my.rip --term Wing
awk 'BEGIN { for (i = 0; i < 300; i++) printf "{\"id\":\"n%d\",\"text\":\"wing wing%d %s\"}\n", i, i % 7, i % 3 ? "" : "wing" }' |
    riposte index -q - -o big.rip --aux lr,hs16
riposte dump big.rip --term wing
riposte dump big.rip --term wing3 --json >out.json && is_json out.json && cat out.json
riposte dump my.rip --term zebra; echo $?
riposte dump my.rip; echo $?
riposte dump nothing --term wing; echo $?
