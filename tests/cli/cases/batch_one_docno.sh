# Two documents that would have one docno in a run: no run, whether both are found or one.
printf '{"id":"x y","text":"fox"}\n{"id":"x_y","text":"dog"}\n{"id":"a b","text":"cat"}\n' >odd.jsonl
riposte index -q odd.jsonl -o odd.rip
echo old >my.run
printf '1\tfox\n2\tdog\n' | riposte batch odd.rip - -o my.run; echo $?
printf '1\tdog\n2\tfox\n' | riposte batch -q odd.rip - -o my.run; echo $?
cat my.run && ls -d my.run*
printf '1\tfox dog\n' | riposte batch -q odd.rip - --json | grep -o '"id":"x.y"'
