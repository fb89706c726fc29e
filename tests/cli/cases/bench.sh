riposte bench
riposte bench --json >out.json && is_json out.json && cat out.json
riposte bench codec; echo $?
riposte bench querys; echo $?
riposte help bench codecs | head -n 4
riposte help bench codec; echo $?
