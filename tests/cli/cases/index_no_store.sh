riposte index -q --no-store docs.jsonl -o new.rip
riposte search -q new.rip 'boundary layer'
