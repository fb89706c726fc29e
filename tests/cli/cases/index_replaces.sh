riposte index -q docs.jsonl -o my.rip
riposte stats my.rip | grep generation
head -2 docs.jsonl | riposte index -q - -o my.rip && riposte stats my.rip | grep documents | head -1
