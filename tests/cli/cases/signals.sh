# One signal ends a verb that waits for input: 130 for SIGINT, 143 for SIGTERM, and nothing is left behind.
mkfifo fifo
ends() { # SIGNAL VERB...
    "$RIPOSTE" "${@:2}" <&3 2>/dev/null &
    sleep 0.2
    kill "-$1" $!
    wait $!
    echo "$1 $2: $?"
}
exec 3<>fifo
ls my.rip >before
for signal in INT TERM; do
    ends $signal index fifo -o my.rip
    ends $signal index --threads 3 - -o new.rip
    ends $signal import ciff fifo -o new.rip
    ends $signal batch my.rip fifo -o my.run
done
ls my.rip | diff before - && riposte check my.rip
ls | grep -e new.rip -e my.run
# What a program reads; a signal that comes before the folder is made would end it without a word.
"$RIPOSTE" index --json fifo -o new.rip &
for wait in $(seq 100); do
    [ -d new.rip ] && break
    sleep 0.1
done
kill -TERM $!
wait $!
