find my.rip -type f | sort >files
while read -r file; do
    cp "$file" saved
    truncate -s -1 "$file"
    riposte check my.rip >/dev/null 2>&1
    rc=$?
    [ $rc -eq 5 ] || echo "$file: exit $rc"
    cp saved "$file"
done <files
riposte check my.rip
