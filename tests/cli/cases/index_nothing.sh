# Input without a document does not replace an index that has some.
riposte index -q docs.jsonl -o ix
mkdir folder
printf '%%PDF-1.4 text' >c.pdf
echo text >t.txt
riposte index folder -o ix; echo $?
printf '\033[33mcommit\033[m\033[33m x\033[m' | riposte index - -o ix; echo $?
riposte index c.pdf -o ix; echo $?
riposte index --format trec t.txt -o ix; echo $?
riposte index -q docs.jsonl c.pdf -o ix; echo $?
riposte search -q ix jet --no-snippets
echo '== a file that is no text and nothing else'
riposte index c.pdf -o new; echo $?
ls -d new* 2>/dev/null
echo '== an empty index may be replaced by an empty one'
riposte index folder -o new; echo $?
riposte index folder -o new; echo $?
echo '== empty files are no documents'
: >folder/a.txt
: >folder/b.jsonl
riposte index folder -o new; echo $?
riposte index folder/a.txt t.txt -o new | head -1
echo '== no path'
riposte index '' -o z; echo $?
