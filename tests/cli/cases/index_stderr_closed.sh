# A build goes on when nobody reads its messages.
riposte index docs.jsonl -o new.rip 2> >(true) >/dev/null; echo $?
riposte check new.rip
