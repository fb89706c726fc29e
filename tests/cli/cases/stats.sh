riposte stats my.rip
riposte stats my.rip --json >out.json && is_json out.json && cat out.json
