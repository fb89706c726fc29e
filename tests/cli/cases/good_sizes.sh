for size in 64M 1G 1GiB 67108864 64MiB 64mb 1g 65536K 1T; do
    riposte index docs.jsonl -q -o new.rip --memory $size; echo "$size $?"
done
