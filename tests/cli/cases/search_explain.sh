riposte search my.rip '"boundary layer" wing^2 speed' --explain --no-snippets --k 2
riposte search my.rip 'lift' --explain --no-snippets --json >out.json && is_json out.json && cat out.json
