# The same documents and scores as search gives.
riposte batch -q my.rip topics.tsv | awk '$1 == "1" { printf "%3d  %.4f  %s\n", $4, $5, $3 }' >a
riposte search -q my.rip 'wing lift' --no-snippets | cut -d' ' -f1-8 >b
riposte search -q my.rip 'wing lift' --json | grep -o '"score":[0-9.]*' | cut -d: -f2 >c
riposte batch -q my.rip topics.tsv | awk '$1 == "1" { print $5 }' | diff - c && cat a
