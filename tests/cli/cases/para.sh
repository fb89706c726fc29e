# Every method of PARA by name, on a real index in three codecs: it answers as the CPU does, by its own kernel, or says
# what the index lacks. The list of methods comes from the message of the program itself.
methods() {
    riposte search my.rip wing --gpu emulated --algorithm para:method=none 2>&1 |
        sed -n 's/^riposte: .*: choose //p' | tr '|' ' '
}
hits() { tr -d '\n' | sed -E 's/.*"hits":\[/[/; s/"snippet":\{[^}]*\},?//g'; }
ask() { riposte search ix.rip 'of the a' --mode and --json --no-snippets "$@"; }
for codec in bp128 lrc hslrc128 parapfor; do
    riposte recode my.rip -o ix.rip --codec $codec --aux lr,hs16,hs32,hs64,hs128,hs256 -q || exit 1
    ask --processor cpu | hits >cpu.json
    for method in $(methods); do
        if ask --gpu emulated --strict-processor --algorithm para:method=$method >gpu.json 2>why; then
            hits <gpu.json | cmp -s - cpu.json || echo "$codec $method: other hits"
            echo "$codec $method: $(grep -o 'para_[a-z_]*_kernel' gpu.json)"
        elif [ $? -ne 2 ] || ! grep -q -- "recode --codec $method" why; then
            cat why
        fi
    done
    rm -r ix.rip
done
