# On a terminal a build shows a bar, which is gone when it ends; what was left out stands on lines of its own.
command -v script >/dev/null || { echo "skip: no script"; exit 77; }
on_terminal() { script -qc "stty cols 90; $*" /dev/null </dev/null; }
cat >slowly.sh <<'S'
for i in 1 2 3; do
    echo '{"id":"s'$i'","title":"","text":"one jet"}'
    sleep 0.2
done
echo '{"id":'
echo '{"id":"s4","title":"","text":"two jets"}'
S
# While input is awaited there is a bar, too. From a pipe there is no share; from a file there is, if the build is long enough to show it.
on_terminal "bash slowly.sh | $RIPOSTE index --on-error skip --format jsonl - -o slow.rip" >shown
grep -q "^.*$(printf '\r')[a-z]* \[-*\]   0% .* memory$(printf '\033')\[K" shown && echo "a bar"
tr '\r' '\n' <shown | sed 's/\x1b\[K//; s/,.*//' | grep -E '^riposte|documents'
i=0
while [ $((i += 1)) -le 40000 ]; do echo "{\"id\":\"$i\",\"title\":\"\",\"text\":\"jet $((i % 977)) wing $i\"}"; done >many.jsonl
on_terminal "$RIPOSTE index many.jsonl -o many.rip" >shown
tr '\r' '\n' <shown | sed 's/\x1b\[K//' | grep -c 'documents'
