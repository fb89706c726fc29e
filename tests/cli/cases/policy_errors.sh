unset RIPOSTE_GPU RIPOSTE_COSTS
s() { riposte search my.rip flow "$@"; echo $?; }
b() { riposte batch my.rip topics.tsv "$@"; echo $?; }
q() { riposte bench queries my.rip topics.tsv "$@"; echo $?; }
names() { sed -E 's/(--policy (all,)?auto)[|,].*/\1 AND OTHERS/'; }
s --policy swift 2>&1 | names
s --policy '' 2>&1 | names
s --deadline 0
s --deadline -1
s --deadline nan
s --policy cpu --processor gpu
s --policy cpu --processor cpu -q --no-snippets --k 1
s --deadline 5 --processor iiu
s --policy gpu --gpu nothing
s --policy cpu --costs nowhere.json
echo '{}' >bad.json
s --costs bad.json
riposte search my.rip '"open' --policy cpu; echo $?
b --policy swift 2>&1 | names
b --deadline 0
b --policy cpu --processor gpu
b --costs bad.json
q --policy swift 2>&1 | names
q --policy cpu --deadline 0
q --deadline 5
q --policy cpu --costs bad.json --rounds 1
