# The old index stays, and nothing is left behind.
ls my.rip >before
awk 'BEGIN { for (i = 0; ; i++) printf "{\"id\":\"n%d\",\"text\":\"some words %d\"}\n", i, i }' 2>/dev/null |
    "$RIPOSTE" index -q - -o my.rip &
sleep 0.5
kill -INT $!
wait $!
echo $?
ls my.rip | diff before - && riposte check my.rip
