riposte search my.rip 'boundary layer' --k 2 --json >out.json && is_json out.json && cat out.json
