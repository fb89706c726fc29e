for size in 64M 1G 512K*64 1GiB 67108864 64MiB 64mb 1g; do
    riposte index docs.jsonl -q -o new.rip --memory "${size%\**}" --json >out.json; echo "$size $?"
done 2>&1 | sed 's/^riposte: .*/too small/'
