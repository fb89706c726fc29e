riposte demo --data no-such.jsonl; echo $?
cp "$RIPOSTE" ./riposte-copy
./riposte-copy demo 2>err; rc=$?
[ $rc -eq 0 ] || sed 's, in /.*/riposte , in DATADIR ,' err
[ $rc -eq 0 ] && [ -d riposte-demo ] && echo "the bundled collection is installed"
true
