# What the GPU did, and why it did not answer. Tiny lists do not count as decoded by the host.
search() { riposte search "$@" --processor gpu --gpu emulated; }
search my.rip 'jet wing' --json --no-snippets | grep -o '"processor":"[a-z]*"\|"gpu":{.*},"hits'
search my.rip 'jet -wing' --json --no-snippets | grep -o '"processor":"[a-z]*"\|"gpu":{.*},"hits'
search my.rip '"jet wing"' --no-snippets
search my.rip 'jet' --no-snippets --gpu-memory 1
search my.rip 'jet wing' --json --no-snippets --gpu-child | grep -o '"processor":"[a-z]*"\|"gpu":{.*},"hits'
riposte search my.rip 'jet wing' --json --no-snippets | grep -o '"processor":"[a-z]*"\|"gpu":{.*},"hits'
for codec in bp128 lrc; do
    riposte synth gov --docs 2000 --queries 20 --codec $codec -o $codec.rip -q
    query=$(cut -f 2 $codec.rip.queries.tsv | grep ' ' | head -n 1)
    search $codec.rip "$query" --mode and --k 1 --json | grep -o '"gpu":{.*},"hits'
done
search my.rip 'jet' --no-snippets -q
