riposte index docs.jsonl -o new.rip
riposte check new.rip
