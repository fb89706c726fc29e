touch file
riposte index docs.jsonl -o file/new.rip
echo $?
riposte index docs.jsonl -o no/such/folder/new.rip
