riposte search my.rip '"boundary layer" wing^2 speed' --explain --no-snippets --k 2
riposte search my.rip 'lift' --explain --no-snippets --json >out.json && is_json out.json && cat out.json
form() { riposte search my.rip "$@" --no-snippets --explain --json | grep -o '"form":{[^}]*}'; }
form 'lift wing' --mode and
form '"boundary layer"' --processor gpu --gpu emulated
form 'lift wing' --mode and --processor gpu --gpu emulated
form 'lift wing' --processor gpu --gpu emulated
riposte search my.rip 'lift wing' --mode and --processor gpu --gpu emulated --explain --no-snippets --k 1
riposte synth gov --docs 2000 --queries 20 --codec lrc -o lrc.rip -q
query=$(cut -f 2 lrc.rip.queries.tsv | grep ' ' | head -n 1)
for memory in 1G 100K; do
    riposte search lrc.rip "$query" --mode and --k 1 --processor gpu --gpu emulated --gpu-memory $memory --explain \
        --no-snippets --json | grep -o '"gpu":{[^}]*}\|"form":{[^}]*}'
done
