riposte index -q --no-positions docs.jsonl -o new.rip
riposte search -q new.rip 'boundary layer' --no-snippets
riposte search -q new.rip '"boundary layer"'
