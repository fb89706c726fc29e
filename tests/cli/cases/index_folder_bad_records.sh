# In a folder a record that cannot be read is left out, counted and listed; the build goes on.
mkdir f
echo 'a plain fox' >f/a.txt
printf 'gene\tvalue\nTP53\t5\nBRCA\t7\n# end of table\n' >f/genes.tsv
printf '{"role":"user","content":[{"type":"text","text":"hi chatfox"}]}\n' >f/chat.json
printf '{"title":"x","body":{"a":1}}' >f/body.json
printf '{"title":5}' >f/number.json
printf '{"text":5}' >f/text.json
printf '{"title":{"en":"x"}}' >f/object.json
printf '{"content":true,"text":"x"}' >f/true.json
printf '{"id":1.5,"text":"x"}' >f/real.json
printf '{"text":"log"}\n{"event":"x"}\n{"text":"log tw' >f/log.jsonl
printf '[{"text":"array"},{"name":"y"}]' >f/array.json
printf '[{"text":"open"},\n{"text":"array"}' >f/cut.json
printf '{"text":"behind"} junk' >f/junk.json
printf 'id,text\nc1,good row\nc2,"open\n' >f/open.csv
printf '<mediawiki>\n<page><title>Good</title><id>7</id><text>page</text></page>\n<page><title>x' >f/dump.xml
printf '<DOC><DOCNO>T1</DOCNO>good</DOC>\n<DOC>\n<DOCNO>T2' >f/cut.trec
printf '{"text":"x"}\nprogram foo;\nbegin;\n' >f/b.dat
printf '{"text":"short"}\n{"text":"%0500d"}\n{"text":"after"}\n' 0 >f/long.jsonl
seq -f '{"text":"packed %g"}' 40000 | gzip >whole.gz
head -c $(($(wc -c <whole.gz) - 50)) whole.gz >f/packed.gz
riposte index f -o x --max-line 400 2>err | grep 'left out'
sed 's/packed.gz:[0-9]*/packed.gz:N/' err
sed 's/packed.gz:[0-9]*/packed.gz:N/' x.skipped
echo '== what is good of them is found'
for word in fox chatfox log array good after packed; do
    echo "$word: $(riposte search -q x $word --no-snippets --k 3 | awk '{ printf "%s ", $3 }')"
done
echo '== threads'
riposte index -q f -o y --max-line 400 --threads 3 && cmp x.skipped y.skipped &&
    for file in terms lists docs text; do cmp x/$file.* y/$file.* && echo same; done
echo '== every record told'
riposte index f -o y --max-line 400 --on-error skip 2>&1 >out | grep -c 'left out: '
cmp x.skipped y.skipped && echo the same list
echo '== stop'
riposte index -q f -o y --max-line 400 --on-error stop; echo $?
echo '== a long path, and records over the memory'
d=$(printf 'd%.0s' {1..120})
mkdir -p h/$d
printf '{"text":"x"}\nbad\n' >h/$d/x.jsonl
for i in 1 2 3; do
    printf '{"text":"y"}\n{"text":"%08000000d"}\n' 0
done >h/z.jsonl
riposte index h -o y --memory 16M 2>&1 | grep -v SIZE; cat y.skipped
echo '== weights of terms are an error in a folder too'
mkdir g
printf '{"id":"1","contents":"x"}\n{"id":"2","contents":"x","vector":{"a":1}}\n' >g/v.jsonl
riposte index -q g -o y; echo $?
riposte index g -o y --on-error skip | head -2; echo $?
