# On a stemmed index the word is shown as it was typed, and its correction with the same ending.
for text in library boundaries jumping nation; do printf '{"id":"%s","text":"%s"}\n' $text $text; done > s.jsonl
riposte index -q s.jsonl -o s.rip --stem english
for q in lybrary LYBRARIES bondaries jumpping natoins "Lybrary's" 'lyb\rary' 'librari'; do
    riposte search s.rip "$q" --no-snippets 2>&1 | grep mean
done
riposte search s.rip 'lybrary' --json | grep -o '"corrections":[^]]*]'
