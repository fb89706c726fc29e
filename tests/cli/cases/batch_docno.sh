# A run's fields are cut at blanks.
echo '{"id":"two words","text":"fox"}' >odd.jsonl
riposte index -q odd.jsonl -o new.rip
printf '1\tfox\n' | riposte batch -q new.rip -
