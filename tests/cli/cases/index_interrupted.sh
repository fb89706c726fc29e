# The old index stays, and nothing is left behind.
ls my.rip >before
awk 'BEGIN { for (i = 0; ; i++) printf "{\"id\":\"n%d\",\"text\":\"some words %d\"}\n", i, i }' 2>/dev/null |
    "$RIPOSTE" index -q - -o my.rip &
for wait in $(seq 100); do
    ls my.rip | cmp -s before - || break
    sleep 0.1
done
kill -INT $!
wait $!
echo $?
ls my.rip | diff before - && riposte check my.rip
