riposte doctor --gpu emulated | grep -v ^cpu
riposte doctor --gpu emulated --json > d.json && is_json d.json && grep -o '"gpus":.*' d.json
riposte doctor --gpu second | grep ^gpu
riposte doctor extra; echo $?
