# Rules of this machine; what differs from machine to machine is held to its form.
unset RIPOSTE_COSTS RIPOSTE_GPU
shape() { sed -E 's/[0-9]+ rules for .*, [0-9]+ cores?, [a-z0-9]+,/N rules for MACHINE,/'; }
printf '1\twing lift\n2\tflow layer plate\n3\tnowhere flow\n4\twing\n5\tboundary layer\n' >q.tsv
riposte calibrate my.rip --sample 120 --rounds 1 --gpu emulated -o card.json | cut -c 1-24 | head -n 7
grep -o '"feed_ns":[0-9]*' card.json | sed 's/:[1-9][0-9]*$/:T/'
riposte calibrate my.rip --sample 120 --rounds 1 --no-card -o cores.json --json >out.json && is_json out.json && echo json
head -c 43 cores.json; echo
riposte doctor --costs card.json --gpu emulated | grep ^costs | shape
RIPOSTE_COSTS=cores.json riposte doctor | grep ^costs | shape
riposte doctor | grep ^costs
counts() { sed -n -E '/^(policy|times)/!s/^([^ ]+) +([0-9]+) +([0-9]+) +([0-9]+) .*/\1 \2 \3 \4/p'; }
l() { riposte load my.rip q.tsv --rate 500 --seconds .1 --policy "$@"; }
l auto --gpu emulated --costs card.json | counts
RIPOSTE_COSTS=cores.json l cpu | counts
echo -- not used, with a warning
sed 's/"cores":/"cores":1/' cores.json >other.json
export RIPOSTE_COSTS=other.json
l cpu 2>err | counts
sed -E 's/[0-9]+ cores, and here are [0-9]+/N cores, and here are M/' err >&2
riposte doctor >out; echo $?
RIPOSTE_COSTS=nowhere.json l cpu | counts
