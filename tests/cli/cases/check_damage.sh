# Every file of the index, one byte changed: found each time, exit code 5.
find my.rip -type f | sort >files
while read -r file; do
    cp "$file" saved
    size=$(stat -c %s "$file")
    byte=$(od -An -tu1 -j $((size / 2)) -N 1 "$file")
    printf "\\$(printf %03o $((byte ^ 4)))" | dd of="$file" bs=1 seek=$((size / 2)) conv=notrunc status=none
    riposte check my.rip >out 2>err
    rc=$?
    [ $rc -eq 5 ] && [ -s err ] || echo "$file: exit $rc: $(cat out err)"
    riposte check my.rip --json >out.json 2>/dev/null
    is_json out.json || echo "$file: not JSON"
    grep -q '"exit":5' out.json || echo "$file: $(cat out.json)"
    cp saved "$file"
done <files
riposte check my.rip
