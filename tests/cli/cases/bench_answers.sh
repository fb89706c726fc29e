riposte bench answers my.rip --samples 3 | sed -E '1d; s/ +[0-9]+\.[0-9]/ US/g'
riposte bench answers my.rip --samples 2 --json >a.json && is_json a.json && grep -o '"call":"[^"]*","samples":[0-9]*' a.json
printf '{"id":"a","text":""}\n' | riposte index -q - -o empty.rip
riposte bench answers empty.rip; echo $?
