for threads in 1 2 5; do
    riposte index -q --threads $threads docs.jsonl -o new$threads.rip && riposte search -q new$threads.rip lift --no-snippets
done
