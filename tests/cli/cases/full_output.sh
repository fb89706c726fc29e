[ -c /dev/full ] || { echo "skip: no /dev/full"; exit 77; }
riposte search my.rip wing -q >/dev/full; echo $?
riposte batch my.rip topics.tsv -q >/dev/full; echo $?
riposte batch my.rip topics.tsv -q -o /dev/full; echo $?
riposte stats my.rip --json >/dev/full; echo $?
