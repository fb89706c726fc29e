# An index in the folder: its files are named as what they are, its list of skipped files too.
mkdir f
echo 'red fox' >f/a.txt
printf '%%PDF-1.4' >f/c.pdf
riposte index -q f -o f/other.rip
echo 'a list of mine' >f/mine.skipped
riposte index f -o x | head -1
grep -c 'a file of an index' x.skipped
grep -c 'NUL' x.skipped
echo '== the index is the folder that it is built in'
mkdir -p in/ix && cp f/a.txt f/c.pdf in && cd in/ix && riposte index -q .. -o .; echo $?
ls ..
echo "inside: $(ls -a | grep -c skipped)"
