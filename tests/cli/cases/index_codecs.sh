for codec in bp128 vbyte raw; do
    riposte index -q --codec $codec docs.jsonl -o new.rip && riposte search -q new.rip 'wing flow' --no-snippets
    riposte stats new.rip | grep codec
done
