unset RIPOSTE_COSTS RIPOSTE_GPU
printf '1\twing lift\n' >q.tsv
riposte calibrate my.rip q.tsv --no-card --rounds 1 -o no.json; echo $?
riposte calibrate my.rip --no-card --rounds 1 --sample 0; echo $?
riposte calibrate my.rip --no-card --rounds 1 --sample 60 -o no/where.json >out; echo $?
riposte calibrate my.rip --no-card --rounds 1 --sample 120 -o good.json >out; echo $?
# Where a fault is depends on the machine's name.
l() {
    riposte load my.rip q.tsv --rate 100 --seconds .1 --costs "$1" --policy "${2:-cpu}" --gpu emulated >out 2>err
    echo $?
    sed -E 's/byte [0-9]+/byte N/; s/(the (CPU|instruction set) [a-z]+, and here is ).*/\1ANOTHER/' err >&2
}
bad() { sed "$1" good.json >bad.json; l bad.json; }
l nowhere.json
l my.rip
printf '' >bad.json; l bad.json
head -c 100 good.json >bad.json; l bad.json
echo '[]' >bad.json; l bad.json
echo '{}' >bad.json; l bad.json
bad 's/"feed_ns":0/"feed_ns":-1/'
bad 's/"feed_ns":0/"feed_ns":NaN/'
bad 's/"feed_ns":0/"feed_ns":1e400/'
bad 's/"version":"[^"]*"/"version":"0.0.9"/'
bad 's,costs/1,costs/2,'
bad 's/"cpu":"[^"]*"/"cpu":"abacus"/'
bad 's/"instructions":"[^"]*"/"instructions":"mmx"/'
bad 's/"codec":"[^"]*"/"codec":"raw"/'
sed 's/"card":null,"driver":null/"card":"abacus","driver":"1.0"/' good.json >bad.json
l bad.json gpu
riposte load --replay nowhere.tsv --costs good.json; echo $?
riposte doctor --costs bad.json --gpu emulated | grep ^costs; echo ${PIPESTATUS[0]}
riposte doctor --costs nowhere.json >out; echo $?
