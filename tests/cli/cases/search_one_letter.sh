# One letter of a script that is cut into pairs is the OR of the pairs that have it, everywhere.
cat > cjk.jsonl <<'END'
{"id":"black","text":"黒猫が好き"}
{"id":"cat","text":"猫"}
{"id":"cats","text":"猫は猫だ"}
{"id":"dog","text":"犬が好き the cat car"}
{"id":"hangul","text":"한국어"}
END
riposte index -q cjk.jsonl -o cjk.rip
for q in 猫 '"猫"' '犬 猫' '猫 -黒' '+好 猫' '猫 AND だ' 'cat猫' 국 '(猫 OR 犬) NOT 好' 鳥 'cat'; do
    echo "== $q"
    riposte search cjk.rip "$q" -q
done
echo "== the pairs one by one"
riposte recode cjk.rip -o iiu.rip --codec iiu -q
ask() { riposte search "$@" --fields id,fixed -q --json | grep -o '"hits".*'; }
ask cjk.rip '黒猫 OR は猫 OR 猫*' >want
for p in cpu gpu; do ask cjk.rip 猫 --processor $p --gpu emulated | cmp - want && echo "$p: the same"; done
ask iiu.rip 猫 --processor iiu | cmp - want && echo "iiu: the same"
printf '1\t猫\n' | riposte batch cjk.rip - -q | cut -d' ' -f3
echo "== limits"
riposte search cjk.rip 猫 --max-expansions 3; echo $?
riposte search cjk.rip 'cat~2' --max-expansions 1; echo $?
riposte search cjk.rip 'cat~1' --max-expansions 1; echo $?
echo "== other rules"
riposte index -q cjk.jsonl -o bi.rip --tokens bigram
riposte search bi.rip 猫 --no-snippets -q
riposte search bi.rip c --no-snippets -q
riposte index -q cjk.jsonl -o ws.rip --tokens whitespace
riposte search ws.rip 猫 --no-snippets -q
