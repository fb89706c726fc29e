# A folder as it is: text of any encoding is read, the rest is skipped with a reason and listed.
mkdir -p f/sub
echo 'a plain file' >f/a.txt
echo 'Changelog: the initial release of everything' | gzip >f/sub/changelog.gz
printf '{ a Pascal comment }\nbegin writeln end.\n' >f/b.pas
printf '{\n  "name": "pkg",\n  "version": "1"\n}\n' >f/package.json
printf '{"id":"j1","text":"from a collection"}\n' >f/docs.jsonl
printf '{"level":"info"}\n' >f/log.jsonl
printf 'caf\351 cr\350me\n' >f/latin1.txt
printf '\377\376h\000\351\000\n\000' >f/utf16.txt
printf '\357\273\277marked\n' >f/bom.txt
printf '%%PDF-1.4 text' >f/c.pdf
printf '%%PDF-1.4 text' >f/d.pdf
printf '\211PNG\r\n\032\n' >f/e.png
printf 'a\000b' >f/nul
printf 'a\001b\002' >f/controls
printf '\377\376\000\000' >f/utf32
printf '\037\213\010 cut' >f/cut.gz
head -c 20 f/sub/changelog.gz >f/sub/broken.gz
echo hidden >f/.hidden
ln -s a.txt f/link
ln -s nowhere f/broken
mkfifo f/fifo
riposte index f -o x; echo $?
cat x.skipped
echo '== finds'
riposte search -q x '"initial release"' --no-snippets
riposte search -q x 'hé OR café OR marked OR pascal OR pkg OR collection' --no-snippets --k 10
echo '== json'
riposte index f -o x --json -q
echo '== the same folder gives the same bytes'
riposte index f -o y -q && cmp x.skipped y.skipped && for file in terms lists docs text; do
    cmp x/$file.* y/$file.* && echo same
done
echo '== nothing is skipped: no list'
riposte index f/a.txt -o x -q; ls x.skipped 2>/dev/null
echo '== the index in the folder itself'
riposte index -q f -o f/my.rip && riposte index f -o f/my.rip 2>&1 | grep itself; cat f/my.rip.skipped | grep -c .
