# Possessives, accents and Chinese, Japanese and Korean are found, and marked where they stand.
cat >words.jsonl <<'EOF'
{"id":"1","text":"In Napoleon's army, Napoleon’s horse."}
{"id":"2","text":"Beyoncé and Dvořák met in a café."}
{"id":"3","text":"東京都の日本語テスト、京都。"}
{"id":"4","text":"한국어 검색"}
EOF
riposte index -q words.jsonl -o words.rip
found() { riposte search "$1" "$2" --json | sed -E 's/.*"hits":/hits /; s/"(score|docid|rank|length)":[0-9.]+,?//g'; }
for query in napoleon beyonce dvorák "\"napoleon army\"" 東京 日本語 京都 한국어 'caf*' "napoleon's"; do
    echo "$query: $(found words.rip "$query")"
done
riposte index -q words.jsonl -o kept.rip --keep-possessive --no-fold
for query in napoleon beyonce "napoleon's" beyoncé; do
    echo "kept, $query: $(found kept.rip "$query" | grep -c '"id"\|"docno"')"
done
riposte stats kept.rip | grep -E '^(words|possessive|accents)'
riposte index -q words.jsonl -o split.rip --tokens split --stem german --stop german
riposte stats split.rip | grep -E '^(stem|stop|words|possessive|accents)'
riposte recode -q split.rip -o recoded.rip --codec bp128
riposte reorder -q split.rip -o reordered.rip --by random
for index in recoded.rip reordered.rip; do riposte stats $index | grep -E '^(stem|stop|words|poss|acc)'; done
riposte export -q ciff words.rip -o words.ciff
riposte import -q ciff words.ciff -o imported.rip
riposte stats imported.rip | grep -E '^(words|possessive|accents)'
riposte import -q ciff words.ciff -o told.rip --tokens uax29 --drop-possessive --fold
riposte stats told.rip | grep -E '^(words|possessive|accents)'
