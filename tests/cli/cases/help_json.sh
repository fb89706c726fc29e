riposte help --json >help.json && is_json help.json && echo sound
riposte help check --json
