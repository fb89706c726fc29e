riposte index -q docs.jsonl -o new.rip && ls -d new.rip
