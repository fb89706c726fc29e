riposte serch
echo $?
riposte frobnicate --json
