# A service on a free port of loopback; it is ended by its process id.
printf '1\twing lift\n2\tflow layer plate\n3\tboundary layer\n' >q.tsv
"$RIPOSTE" serve my.rip --listen 127.0.0.1:0 --log off >port &
service=$!
for _ in $(seq 600); do [ -s port ] && break; sleep .1; done
url=$(sed 's/.* //' port)
counts() { sed -n -E '2s/^ +([0-9]+) +([0-9]+) +([0-9]+) +([0-9]+) +([0-9]+) .*/\2 \3 \4 \5/p'; }
riposte load "$url" q.tsv --rate 200 --seconds .1 | counts
riposte load "$url/v1/my" q.tsv --rate 200 --seconds .1 --connections 2 --poisson --mode and --k 3 | counts
riposte load "$url" q.tsv --rate 200 --seconds .1 --json >out.json && is_json out.json && echo json
riposte load "$url/v1/other" q.tsv --rate 200 --seconds .1 | sed -n 3p
l() { riposte load "$@"; echo $?; }
l "$url" nowhere.tsv
l "$url" /dev/null
l "$url" q.tsv --policy cpu
l "$url" q.tsv --max-terms 5
l "$url" q.tsv --rate 0
l "$url" q.tsv --connections 0
chmod 644 q.tsv
l "$url" q.tsv --token-file q.tsv
RIPOSTE_TOKEN='a token of two words' riposte load "$url" q.tsv; echo $?
kill $service
l http://127.0.0.1:7700
l https://127.0.0.1:7700 q.tsv
l ftp://127.0.0.1 q.tsv
l http://127.0.0.1:99999 q.tsv
l http://127.0.0.1:7700/search q.tsv
l http://me:secret@127.0.0.1:7700 q.tsv
l http://127.0.0.1:1 q.tsv
l my.rip q.tsv --closed
wait $service
