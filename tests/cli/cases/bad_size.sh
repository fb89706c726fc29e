for size in lots 12X -1 '' 1.5G 0 99999999999999999999 16777216T ' 1' 1G1; do
    riposte index docs.jsonl -o new.rip --memory "$size"; echo $?
done
ls -d new.rip 2>/dev/null
