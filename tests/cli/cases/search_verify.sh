riposte search -q my.rip jet --verify --no-snippets
file=$(ls -S my.rip/* | head -1)
[ -f "$file" ] || file=$(find my.rip -type f -printf '%s %p\n' | sort -n | tail -1 | cut -d' ' -f2)
size=$(stat -c %s "$file")
printf '\377\377\377\377' | dd of="$file" bs=1 seek=$((size / 2)) conv=notrunc status=none
riposte search -q my.rip jet --verify >/dev/null 2>&1
echo $?
