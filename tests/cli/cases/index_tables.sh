printf 'ID,Title,Text,year\r\n1,Foxes,"red, ""quick"" fox\r\nand more",2020\r\n2,,blue fox,2021\r\n' >a.csv
riposte index a.csv -o ix | head -1; riposte search -q ix 'quick OR blue'
echo '== no header'
printf 'red,fox\nblue,fox\n' >b.csv
riposte index b.csv -o ix | head -1; riposte search -q ix fox
echo '== TSV with a header'
printf 'docid\turl\ttitle\tbody\nD1\thttp://x\tFoxes\tred fox\n' >c.tsv
riposte index c.tsv -o ix | head -1; riposte search -q ix fox
