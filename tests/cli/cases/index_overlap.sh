# A file that is reached twice is read once; documents of one id all stay.
mkdir -p A/sub B
echo 'red fox' >A/f.txt
echo 'blue fox' >A/sub/g.txt
echo 'grey fox' >B/f.txt
ln -s A link
ln A/f.txt B/hard.txt
for paths in 'A A' 'A A/f.txt' 'A/f.txt A' 'A ./A/../A/f.txt' 'A link' 'A/sub A'; do
    echo "== $paths"
    riposte index $paths -o x 2>&1 | sed -n '1p;/once/p'
    riposte search -q x fox --no-snippets
done
echo '== another name of a file is another file'
riposte index A B -o x | head -1
echo '== ids that are the same'
riposte index A B -o x --ids relative; echo $?
riposte index -q A B -o x --ids path && riposte search -q x fox --no-snippets
echo '== a record has the path of a file'
printf '{"id":"A/f.txt","text":"fox"}\n{"id":"A/f.txt#1","text":"fox"}\n' >a.jsonl
riposte index a.jsonl A -o x | head -1
riposte search -q x fox --no-snippets
