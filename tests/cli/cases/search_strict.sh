# The processor asked for answers, or the exit code is 6.
strict() { riposte search "$@" --no-snippets --strict-processor; echo "exit $?"; }
gpu='--processor gpu --gpu emulated'
strict my.rip jet $gpu
strict my.rip 'jet -wing' $gpu
strict my.rip 'jet -wing' $gpu --json
strict my.rip jet $gpu --gpu-memory 1
strict my.rip 'jet (' $gpu
strict my.rip jet --processor cpu
strict my.rip jet --gpu emulated | grep exit
riposte synth gov --docs 2000 --queries 20 --codec lrc -o lrc.rip -q
strict lrc.rip "$(cut -f 2 lrc.rip.queries.tsv | grep ' ' | head -n 1)" --mode and $gpu
riposte bench queries lrc.rip lrc.rip.queries.tsv --modes and --k 10 --processors cpu --strict-processor >/dev/null; echo "exit $?"
